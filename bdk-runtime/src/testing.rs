//! A bot's own tests: the whole runtime in process, with a settable clock.

mod person;

pub use person::{Asked, Heard, Reply};

use crate::{
    SessionDetail, SessionOptions, Timestamp,
    bot::Bot,
    call::{CallOptions, Outcome},
    host::{Files, Host, Kv, artifacts},
    lock::lock,
    program::{self, Session},
    registry::{Problem, Registry},
    tool::Lend,
};
use futures_util::future::BoxFuture;
use person::Person;
use serde_json::Value;
use std::{
    panic::Location,
    sync::{Arc, Mutex},
};
use tokio_util::sync::CancellationToken;

/// The whole runtime in process, for a bot's own tests: see `#[bdk::test]`.
///
/// What is set (`dry_run`, `as_of`, `now`, `provide`) holds for the calls after it.
pub struct TestBot {
    bot: Bot,
    options: CallOptions,
    person: Option<Person>,
    heard: Mutex<Vec<Heard>>,
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
        let bot = Bot::with(registry);
        bot.run_all_here();
        Self { bot, options: CallOptions::new(), person: None, heard: Mutex::default() }
    }
    /// Reads run, writes are stubbed.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.options = self.options.dry_run(true);
        self
    }
    /// Freezes the calls' time: `ctx.now()` and what `time_args` may reach, and not what tools keep.
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
    /// use bdk::{Question, Reply, prelude::*};
    ///
    /// /// Close an account.
    /// #[tool(effect = "write", needs_approval)]
    /// async fn close_account(ctx: &ToolContext) -> Result<String> {
    ///     let why = ctx.ask(Question::new("Why?").text("reason")).await?;
    ///     Ok(format!("Closed: {}", why.value::<Value>()?["reason"]))
    /// }
    ///
    /// # bdk::__private::block_on(async {
    /// // one after the other
    /// let mut answers = [Reply::from(true), json!({ "reason": "moved" }).into()].into_iter();
    /// let bot = TestBot::new().answering(move |_| answers.next().unwrap_or(Reply::Cancel));
    /// assert_eq!(bot.call_tool("close_account", json!({})).await.result, r#"Closed: "moved""#);
    ///
    /// // by what is asked
    /// let bot = TestBot::new().answering(|asked| !asked.message().contains("close_account"));
    /// assert!(bot.call_tool("close_account", json!({})).await.is_error);
    /// # });
    /// ```
    #[must_use]
    pub fn answering<R: Into<Reply>>(mut self, mut person: impl FnMut(&Asked) -> R + Send + 'static) -> Self {
        self.person = Some(Mutex::new(Box::new(move |asked| person(asked).into())));
        self
    }
    /// All that tools said to their callers so far ([`ToolContext::progress`](crate::ToolContext::progress),
    /// [`ToolContext::log`](crate::ToolContext::log)), in this order. What a caller would not get to hear is not among it:
    /// progress that does not increase, and what finds 64 others waiting because its tool never awaits.
    ///
    /// ```
    /// use bdk::{LogLevel, prelude::*};
    ///
    /// /// Index the files.
    /// #[tool(effect = "read")]
    /// async fn index_files(ctx: &ToolContext) {
    ///     ctx.progress(1, 2, "reading").await;
    ///     ctx.log(LogLevel::Warning, "one of them is empty").await;
    /// }
    ///
    /// # bdk::__private::block_on(async {
    /// let bot = TestBot::new();
    /// bot.call_tool("index_files", json!({})).await;
    /// let heard: Vec<String> = bot.heard().iter().map(ToString::to_string).collect();
    /// assert_eq!(heard, ["[1/2] reading", "warning: one of them is empty"]);
    /// # });
    /// ```
    pub fn heard(&self) -> Vec<Heard> {
        lock(&self.heard).clone()
    }
    /// The values that the bot's tools keep, to prepare and to look into: `ctx.host.kv`.
    pub fn kv(&self) -> Kv {
        Host::of(&self.bot).kv
    }
    /// The files that they keep: `ctx.host.files`.
    pub fn files(&self) -> Files {
        Host::of(&self.bot).files
    }
    /// The bytes of what a tool published, by the id that is in its [`Artifact`](crate::Artifact).
    ///
    /// ```
    /// use bdk::prelude::*;
    ///
    /// /// Draw a line.
    /// #[tool(effect = "read")]
    /// async fn draw(ctx: &ToolContext) -> Result<bdk::Artifact> {
    ///     Ok(ctx.artifacts().publish("line.svg", "image/svg+xml", "<svg/>").await?)
    /// }
    ///
    /// # bdk::__private::block_on(async {
    /// let bot = TestBot::new();
    /// let outcome = bot.call_tool("draw", json!({})).await;
    /// assert_eq!(bot.artifact(outcome.result["id"].as_str().unwrap()).await.unwrap(), b"<svg/>");
    /// # });
    /// ```
    ///
    /// # Panics
    /// When the bot's state cannot be read.
    pub async fn artifact(&self, id: &str) -> Option<Vec<u8>> {
        artifact(&self.bot, id).await
    }
    /// Calls a tool as every front does.
    ///
    /// # Panics
    /// When there is no such tool.
    #[track_caller]
    pub fn call_tool(&self, name: &str, input: impl Into<Value>) -> impl Future<Output = Outcome> {
        self.call(name, input.into(), self.options.clone(), Location::caller())
    }
    /// Calls a tool, saying more about the call: as part of a session, say, or as somebody else. What was set of the test's
    /// bot (`dry_run`, `as_of`) holds for it unless the options name a session, which has its own.
    ///
    /// ```
    /// use bdk::{CallOptions, Principal, prelude::*};
    ///
    /// /// Tell who asks.
    /// #[tool(effect = "read")]
    /// async fn who_asks(ctx: &ToolContext) -> String {
    ///     ctx.session().auth.subject.clone()
    /// }
    ///
    /// # bdk::__private::block_on(async {
    /// let bot = TestBot::new();
    /// let ann = CallOptions::new().principal(Principal::new("test", "ann"));
    /// assert_eq!(bot.call_tool_with("who_asks", json!({}), ann).await.result, "ann");
    /// # });
    /// ```
    ///
    /// # Panics
    /// When there is no such tool or session, or the options contradict each other.
    #[track_caller]
    pub fn call_tool_with(
        &self,
        name: &str,
        input: impl Into<Value>,
        mut options: CallOptions,
    ) -> impl Future<Output = Outcome> {
        if options.bind.is_none() {
            options.dry_run |= self.options.dry_run;
            options.as_of = options.as_of.or(self.options.as_of);
        }
        self.call(name, input.into(), options, Location::caller())
    }
    async fn call(&self, name: &str, input: Value, options: CallOptions, at: &'static Location<'static>) -> Outcome {
        match person::call(&self.bot, name, input, options, self.person.as_ref(), &self.heard).await {
            Ok(done) => done.into(),
            Err(error) => panic!("{at}: {error}"),
        }
    }

    /// Opens a session. What was set of the test's bot (`dry_run`, `as_of`) is its, too, where the options do not say otherwise.
    ///
    /// Calls through the [`Session`] ask nobody; a call that does goes through [`call_tool_with`](Self::call_tool_with) with
    /// [`CallOptions::session`].
    ///
    /// ```
    /// use bdk::{SessionOptions, prelude::*};
    ///
    /// /// Sell everything.
    /// #[tool(effect = "write")]
    /// async fn sell_all() -> u32 {
    ///     7
    /// }
    ///
    /// # bdk::__private::block_on(async {
    /// let bot = TestBot::new().dry_run();
    /// let session = bot.open_session(SessionOptions::new()).await;
    /// assert!(session.call_tool("sell_all", json!({})).await.unwrap().stubbed);
    /// assert_eq!(bot.sessions().await[0].id, session.id());
    ///
    /// let session = bot.open_session(SessionOptions::new().dry_run(false)).await;
    /// assert!(!session.call_tool("sell_all", json!({})).await.unwrap().stubbed);
    /// # });
    /// ```
    ///
    /// # Panics
    /// When it cannot be opened: see the limits at [`SessionOptions`].
    #[track_caller]
    pub fn open_session(&self, mut options: SessionOptions) -> impl Future<Output = Session> {
        let at = Location::caller();
        options.dry_run = options.dry_run.or(Some(self.options.dry_run));
        options.as_of = options.as_of.or(self.options.as_of);
        async move {
            match program::open(&self.bot, CancellationToken::new(), options).await {
                Ok(session) => session,
                Err(error) => panic!("{at}: {error}"),
            }
        }
    }
    /// The session with this id. Whether there is one shows when something is asked of it.
    pub fn session(&self, id: impl Into<Arc<str>>) -> Session {
        Session::new(self.bot.clone(), CancellationToken::new(), id.into())
    }
    /// All sessions, the youngest first.
    #[track_caller]
    pub fn sessions(&self) -> impl Future<Output = Vec<SessionDetail>> {
        let at = Location::caller();
        async move {
            match program::all(&self.bot).await {
                Ok(sessions) => sessions,
                Err(error) => panic!("{at}: {error}"),
            }
        }
    }
}

#[inline(never)]
fn artifact<'a>(bot: &'a Bot, id: &'a str) -> BoxFuture<'a, Option<Vec<u8>>> {
    Box::pin(async move {
        let found = artifacts::find(bot, id, None).await.unwrap_or_else(|error| panic!("{id}: {error}"));
        found.map(|(_, bytes)| bytes.to_vec())
    })
}

impl Default for TestBot {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for TestBot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TestBot").field("agent", &self.bot.slug()).finish_non_exhaustive()
    }
}
