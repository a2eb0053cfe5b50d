//! A bot's own tests: the whole runtime in process, with a settable clock.

mod person;

pub use person::{Asked, Reply};

use crate::{
    Timestamp,
    bot::Bot,
    call::{CallOptions, Outcome},
    registry::{Problem, Registry},
    tool::Lend,
};
use person::Person;
use serde_json::Value;
use std::sync::Arc;

/// The whole runtime in process, for a bot's own tests: see `#[bdk::test]`.
///
/// What is set (`dry_run`, `as_of`, `now`, `provide`) holds for the calls after it.
pub struct TestBot {
    bot: Bot,
    options: CallOptions,
    person: Option<Person>,
}

impl TestBot {
    /// The bot that is linked into this test binary.
    ///
    /// # Panics
    /// When something is wrong with the bot, naming everything that is. A provider that is missing counts only when a call
    /// needs it, because a test may give a stand-in.
    #[track_caller]
    pub fn new() -> Self {
        let registry = Registry::linked();
        let errors: Vec<String> =
            registry.errors().filter(|p| p.code != "no_provider").map(Problem::to_string).collect();
        assert!(errors.is_empty(), "the bot does not start:\n{}", errors.join("\n"));
        Self { bot: Bot::with(registry), options: CallOptions::new(), person: None }
    }
    /// Reads run, writes are stubbed.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.options = self.options.dry_run(true);
        self
    }
    /// Freezes the calls' time.
    #[must_use]
    pub fn as_of(mut self, as_of: Timestamp) -> Self {
        self.options = self.options.as_of(as_of);
        self
    }
    /// Sets the bot's clock.
    #[must_use]
    pub fn now(self, now: Timestamp) -> Self {
        self.bot.set_now(now);
        self
    }
    /// Lends this instead of what the bot's `#[provide]` function makes.
    #[must_use]
    pub fn provide<T: Lend>(self, stand_in: T) -> Self {
        self.bot.provide(stand_in);
        self
    }
    /// Answers what tools ask ([`ToolContext::ask`](crate::ToolContext::ask)), and whether they may run
    /// (`needs_approval`). Without this, nobody can be asked.
    ///
    /// ```
    /// use bdk::{Reply, TestBot, ToolContext, ToolDefinition, __private::{ToolsDef, at, inventory}};
    /// use serde_json::{Value, json};
    ///
    /// fn tools() -> Vec<ToolDefinition> {
    ///     let remove = ToolDefinition::new("remove").description("Removes everything.").needs_approval();
    ///     vec![remove.handler(async |_: Value, _: ToolContext| Ok("Removed."))]
    /// }
    /// inventory::submit! { ToolsDef { make: tools, at: at!() } } // in a bot: `#[tools]`
    ///
    /// # tokio::runtime::Runtime::new()?.block_on(async {
    /// let bot = TestBot::new().answering(|asked| asked.message().contains("remove"));
    /// assert_eq!(bot.call_tool("remove", json!({})).await.result, "Removed.");
    ///
    /// let bot = TestBot::new().answering(|_| Reply::Cancel);
    /// assert!(bot.call_tool("remove", json!({})).await.is_error);
    /// # });
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn answering<R: Into<Reply>>(mut self, person: impl Fn(&Asked) -> R + Send + Sync + 'static) -> Self {
        self.person = Some(Arc::new(move |asked| person(asked).into()));
        self
    }
    /// Calls a tool as every front does.
    ///
    /// # Panics
    /// When there is no such tool.
    #[track_caller]
    pub fn call_tool(&self, name: &str, input: impl Into<Value>) -> impl Future<Output = Outcome> {
        let at = std::panic::Location::caller();
        let (input, options) = (input.into(), self.options.clone());
        async move {
            let ended = match &self.person {
                Some(person) => person::call(&self.bot, name, input, options, person).await,
                None => self.bot.call_boxed(name, input, options).await,
            };
            match ended {
                Ok(done) => done.into(),
                Err(unknown) => panic!("{at}: {unknown}"),
            }
        }
    }
}

impl Default for TestBot {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}
