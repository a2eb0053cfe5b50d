//! A running server, as the program that started it holds it.

use super::listen::Running;
use crate::{
    CallOptions, Error, Outcome, SessionDetail, SessionOptions, ToolDefinition,
    bot::Bot,
    program::{self, Session},
};
use serde_json::Value;
use std::{net::SocketAddr, panic::Location, sync::Arc};

/// A running server. Dropping it begins a shutdown, as [`shutdown`](Self::shutdown) does.
///
/// Calls through it take the same path as those over HTTP, without the network.
///
/// ```no_run
/// # async fn example() -> Result<(), bdk::Error> {
/// use bdk::Server;
/// use serde_json::json;
/// let handle = Server::new().port(0).start().await?;
/// let outcome = handle.call_tool("inspect_pr", json!({ "pr_url": "https://example.com/1" })).await?;
/// println!("{}", outcome.text());
/// handle.wait().await;
/// # Ok(())
/// # }
/// ```
pub struct ServeHandle {
    pub(super) bot: Bot,
    pub(super) running: Running,
}

impl ServeHandle {
    /// Calls a tool in process. The caller is the process itself.
    ///
    /// # Errors
    /// When there is no such tool or session, or the server shuts down. A tool that fails is no error here: see [`Outcome::is_error`].
    pub async fn call_tool(&self, name: &str, input: impl Into<Value>) -> Result<Outcome, Error> {
        self.call_tool_with(name, input, CallOptions::new()).await
    }
    /// Calls a tool in process, saying more about the call.
    ///
    /// # Errors
    /// As [`call_tool`](Self::call_tool).
    pub async fn call_tool_with(
        &self,
        name: &str,
        input: impl Into<Value>,
        options: CallOptions,
    ) -> Result<Outcome, Error> {
        program::call(&self.bot, &self.running.closing_token(), name, input.into(), options).await
    }
    /// Opens a session: calls in it share its facts, its workspace and its log.
    ///
    /// ```no_run
    /// # async fn example(handle: &bdk::ServeHandle) -> Result<(), bdk::Error> {
    /// use bdk::{Mode, SessionOptions};
    /// use serde_json::json;
    /// let session = handle.open_session(SessionOptions::new().mode(Mode::Task).title("Release 1.2")).await?;
    /// let outcome = session.call_tool("inspect_pr", json!({ "pr_url": "https://example.com/1" })).await?;
    /// println!("{} in {}", outcome.text(), session.id());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When something about it cannot be (see the limits at [`SessionOptions`]), or the bot's state cannot be written.
    pub async fn open_session(&self, options: SessionOptions) -> Result<Session, Error> {
        program::open(&self.bot, self.running.closing_token(), options).await
    }
    /// The session with this id, whoever's it is. Whether there is one shows when something is asked of it.
    pub fn session(&self, id: impl Into<Arc<str>>) -> Session {
        Session::new(self.bot.clone(), self.running.closing_token(), id.into())
    }
    /// All sessions of the bot, whoever's they are, the youngest first.
    ///
    /// # Errors
    /// When the bot's state cannot be read.
    pub async fn sessions(&self) -> Result<Vec<SessionDetail>, Error> {
        program::all(&self.bot).await
    }
    /// Adds a tool to the running bot: callers see it from now on, and clients that listen for changes are told.
    ///
    /// ```no_run
    /// # async fn example(handle: &bdk::ServeHandle) -> Result<(), bdk::Error> {
    /// use bdk::{Effect, ToolContext, ToolDefinition};
    /// use serde_json::Value;
    /// let tool = ToolDefinition::new("weather")
    ///     .description("Tell the weather of now.")
    ///     .effect(Effect::Read)
    ///     .handler(async |_input: Value, _ctx: ToolContext| Ok("sunny"));
    /// handle.add_tool(tool)?;
    /// handle.remove_tool("weather")?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// What would stop a start: a name that is none or is taken, no description, no handler, a schema that is none.
    #[track_caller]
    pub fn add_tool(&self, tool: ToolDefinition) -> Result<(), Error> {
        let from = Location::caller();
        self.bot.change(|registry| registry.with_tools([tool], from).map(Some)).map(drop)
    }
    /// Removes a tool that [`add_tool`](Self::add_tool) added, and says whether there was one. Calls of it that run
    /// already run to their end.
    ///
    /// # Errors
    /// When the tool is part of the binary: those stay.
    pub fn remove_tool(&self, name: &str) -> Result<bool, Error> {
        self.bot.change(|registry| registry.without_tool(name))
    }
    /// Where it listens, such as `http://127.0.0.1:3000`, without a slash at the end.
    pub fn url(&self) -> String {
        self.running.url()
    }
    /// The address it listens on.
    pub fn addr(&self) -> SocketAddr {
        self.running.addr()
    }
    /// Under which path the agent's routes stand: `/<slug>/v1`, or `/v1`.
    pub fn prefix(&self) -> &str {
        self.running.prefix()
    }
    /// Stops taking connections, closes idle ones, gives running calls their grace time, and cancels what still runs then.
    pub async fn shutdown(self) {
        self.running.shut_down().await;
    }
    /// Serves until the process gets SIGINT or SIGTERM, then shuts down. A second signal ends it at once: running calls
    /// are cancelled.
    ///
    /// The signals are listened for as soon as this is called, also before the future is polled.
    pub fn wait(self) -> impl Future<Output = ()> + Send {
        self.running.until_signal()
    }
}

impl std::fmt::Debug for ServeHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServeHandle").field("url", &self.url()).field("prefix", &self.prefix()).finish_non_exhaustive()
    }
}
