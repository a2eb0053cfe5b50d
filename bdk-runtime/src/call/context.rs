//! What a tool sees of its call.

use super::{CallInput, CallOptions, Outcome, bound::Bound, kept::Kept, options::Caller, panic, waits::Waits};
use crate::{
    Effect, Error, Timestamp,
    bot::Bot,
    host::{Artifacts, Host},
    id,
    registry::Tool,
    session::{Mode, Principal, SessionInfo},
};
use serde_json::Value;
use std::{
    future::Future,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How deep tools may call each other.
pub(crate) const MAX_DEPTH: u32 = 8;

/// Everything one call is about. What only some tools ask for (session, workspace, cancellation) is made when asked for.
pub(crate) struct CallState {
    pub(crate) bot: Bot,
    pub(crate) call_id: String,
    tool: Arc<Tool>,
    pub(crate) options: CallOptions,
    pub(crate) started: Instant,
    attempt: AtomicU32,
    /// Set once it is decided.
    effect: OnceLock<Effect>,
    stubbed: AtomicBool,
    session: OnceLock<SessionInfo>,
    cancel: OnceLock<CancellationToken>,
    workspace: OnceLock<PathBuf>,
    /// What it is part of: a session, an idempotency key. Most calls are neither.
    bound: Option<Box<Bound>>,
    /// Made by the first question.
    pub(super) waits: OnceLock<Box<Waits>>,
    /// Whether the call has ended; held while a workspace or a token is made, so that none is made behind its end.
    over: Mutex<bool>,
}

impl CallState {
    pub(super) fn new(bot: Bot, tool: Arc<Tool>, options: CallOptions) -> Self {
        Self {
            call_id: id::call_id(tool.name()),
            bot,
            tool,
            options,
            started: Instant::now(),
            attempt: AtomicU32::new(0),
            effect: OnceLock::new(),
            stubbed: AtomicBool::new(false),
            session: OnceLock::new(),
            cancel: OnceLock::new(),
            workspace: OnceLock::new(),
            bound: None,
            waits: OnceLock::new(),
            over: Mutex::new(false),
        }
    }
    /// With what the call is part of, if anything.
    pub(super) fn bind(mut self, input: &CallInput<'_>) -> Self {
        self.bound = Bound::of(&self, input);
        self
    }
    pub(super) fn bound(&self) -> Option<&Bound> {
        self.bound.as_deref()
    }
    /// What an earlier call with the same idempotency key came to, where it answers for this one.
    pub(super) fn kept(&self) -> Option<&Kept> {
        self.bound.as_deref()?.kept()
    }
    /// The tool that is called.
    pub(crate) fn tool(&self) -> &Tool {
        &self.tool
    }
    pub(super) fn set_effect(&self, effect: Effect) {
        let _ = self.effect.set(effect);
    }
    /// The effect, once it is decided.
    pub(super) fn effect(&self) -> Option<Effect> {
        self.effect.get().copied()
    }
    /// The effect of what has begun: of a tool that has not run, nothing is unknown.
    pub(super) fn begun(&self) -> Option<Effect> {
        self.effect().filter(|_| self.attempts() > 0)
    }
    pub(super) fn set_stubbed(&self) {
        self.stubbed.store(true, Ordering::Relaxed);
    }
    pub(super) fn stubbed(&self) -> bool {
        self.stubbed.load(Ordering::Relaxed)
    }
    pub(super) fn next_attempt(&self) -> u32 {
        self.attempt.fetch_add(1, Ordering::Relaxed) + 1
    }
    pub(super) fn attempts(&self) -> u32 {
        self.attempt.load(Ordering::Relaxed)
    }
    pub(super) fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
    pub(super) fn principal(&self) -> Arc<Principal> {
        self.options.principal.clone().unwrap_or_else(Principal::local)
    }
    /// The call, the one whose tool made it, and so on up.
    pub(super) fn with_callers(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |call| call.options.caller.as_ref().map(|caller| &*caller.0))
    }
    /// The token that tells the tool; a tool that never asks costs none.
    pub(super) fn cancel(&self) -> &CancellationToken {
        let over = self.over();
        let token = self.cancel.get_or_init(|| match &self.options.cancel {
            Some(parent) => parent.child_token(),
            None => self.bot.stop().child_token(),
        });
        if *over {
            // asked for the first time by what outlived its call
            token.cancel();
        }
        token
    }
    /// What a call of another tool is made with that this one's tool makes.
    ///
    /// # Errors
    /// When this one is over, or calls are too deep in each other.
    pub(crate) fn nested(self: &Arc<Self>, name: &str) -> Result<CallOptions, Error> {
        if *self.over() {
            return Err(Error::new(format!("the call is over; \"{name}\" was not called")));
        }
        if self.options.depth + 1 >= MAX_DEPTH {
            return Err(Error::new(format!(
                "tools call each other more than {MAX_DEPTH} deep; \"{name}\" was not called"
            )));
        }
        Ok(CallOptions {
            depth: self.options.depth + 1,
            caller: Some(Caller(self.clone())),
            cancel: Some(self.cancel().clone()),
            principal: Some(self.principal()),
            // it is the caller's call that must not run twice
            key: None,
            ..self.options.clone()
        })
    }
    fn over(&self) -> MutexGuard<'_, bool> {
        self.over.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// The call is over, however it ended: whatever of it still runs is told, and its folder goes.
    pub(super) fn end(&self) {
        *self.over() = true;
        if let Some(cancel) = self.cancel.get() {
            cancel.cancel();
        }
        if self.options.session.is_none()
            && self.options.elsewhere().is_none()
            && let Some(path) = self.workspace.get()
            && let Err(error) = std::fs::remove_dir_all(path)
        {
            tracing::warn!(target: "bdk::call", call_id = self.call_id, %error, "the call's workspace could not be removed");
        }
    }
}

/// What a tool sees of its call. Cheap to clone; in a tool function it is lent: `ctx: &ToolContext`.
#[derive(Clone)]
pub struct ToolContext {
    /// What the bot keeps for its tools: values, files.
    pub host: Host,
    pub(super) state: Arc<CallState>,
}

impl ToolContext {
    pub(super) fn of(state: &Arc<CallState>) -> Self {
        Self { host: Host::in_call(state), state: state.clone() }
    }
    /// The id under which the call is logged, and which the caller sees.
    pub fn call_id(&self) -> &str {
        &self.state.call_id
    }
    /// The name the caller used.
    pub fn tool_name(&self) -> &str {
        self.state.tool().name()
    }
    /// The session the call is part of; an unbound call has one of its own, with mode [`Mode::Direct`].
    pub fn session(&self) -> &SessionInfo {
        if let Some(live) = &self.state.options.session {
            return &live.info;
        }
        if let Some(info) = self.state.options.elsewhere() {
            return info;
        }
        self.state.session.get_or_init(|| SessionInfo {
            id: id::session_id(),
            agent: self.state.bot.slug().to_owned(),
            mode: Mode::Direct,
            purpose: None,
            auth: self.state.principal(),
            title: None,
            state: Value::Object(serde_json::Map::new()),
            created_at: self.state.bot.now(),
        })
    }
    /// The session's folder, made when first asked for, readable by this user alone, and gone with the session. An unbound
    /// call has one of its own, which is gone when the call ends, however it ends.
    ///
    /// # Errors
    /// When it cannot be made, or the call is over (a blocking tool that goes on after its deadline).
    pub fn workspace_dir(&self) -> Result<&Path, Error> {
        let over = self.state.over();
        if *over {
            return Err(Error::new("the call is over, and its workspace is gone"));
        }
        if let Some(path) = self.state.workspace.get() {
            return Ok(path);
        }
        if let Some(live) = &self.state.options.session {
            if live.stop.is_cancelled() {
                return Err(Error::new("the session is deleted, and its workspace is gone"));
            }
            let made = self.state.bot.state().workspaces.of(&live.id)?;
            return Ok(self.state.workspace.get_or_init(|| made));
        }
        if self.state.options.elsewhere().is_some() {
            let here = std::env::current_dir();
            let here = here.map_err(|e| Error::with_source("the folder that this process works in is not there", e))?;
            return Ok(self.state.workspace.get_or_init(|| here));
        }
        let made = tempfile::Builder::new().prefix("bdk-").tempdir();
        let made = made.map_err(|e| Error::with_source("the call's workspace could not be made", e))?.keep();
        Ok(self.state.workspace.get_or_init(|| made))
    }
    /// Where the call leaves what its caller may fetch: reports, images, archives.
    pub fn artifacts(&self) -> Artifacts {
        let call = &self.state;
        Artifacts::of(&call.bot, call.options.session.clone(), call.principal(), call.tool().name(), &call.call_id)
    }
    /// Whether writes are stubbed in what this tool calls.
    pub fn is_dry_run(&self) -> bool {
        self.state.options.dry_run
    }
    /// The instant at which the call's time is frozen, if it is.
    pub fn as_of(&self) -> Option<Timestamp> {
        self.state.options.as_of
    }
    /// The frozen instant, or else the bot's clock.
    pub fn now(&self) -> Timestamp {
        self.as_of().unwrap_or_else(|| self.state.bot.now())
    }
    /// Which attempt this is, from 1.
    pub fn attempt(&self) -> u32 {
        self.state.attempts().max(1)
    }
    /// Waits until nobody waits for the call's result any more: cancelled, timed out or the caller went away.
    ///
    /// It is mostly one arm of a `tokio::select!`, for which the bot's own `Cargo.toml` needs `tokio` (feature `macros`).
    pub async fn cancelled(&self) {
        self.state.cancel().cancelled().await;
    }
    /// Whether nobody waits for the call's result any more. For blocking tools, which cannot be stopped from outside.
    pub fn is_cancelled(&self) -> bool {
        self.state.cancel().is_cancelled()
    }
    /// Runs a future to its end in a blocking tool (a plain `fn`), or in a thread of the author's own.
    ///
    /// ```
    /// use bdk::prelude::*;
    ///
    /// /// Print a file, when a person agrees.
    /// #[tool(effect = "write")]
    /// fn print_out(path: PathBuf, ctx: &ToolContext) -> Result<bool> {
    ///     ctx.block_on(ctx.progress(1, 2, "warming up"));
    ///     Ok(ctx.block_on(ctx.ask(format!("Print {}?", path.display())))?.accepted())
    /// }
    /// ```
    ///
    /// # Panics
    /// In an `async` tool: await the future there.
    #[track_caller]
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        // tokio panics on its own threads alone, and over stdio a call begins on another one: it would wait for ever, for
        // what that very thread is to do
        assert!(!panic::in_steps(), "`ctx.block_on` is for plain `fn` tools: in an `async fn`, `.await` the future");
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => runtime.block_on(future),
            // a thread of the author's own
            Err(_) => {
                let made = tokio::runtime::Builder::new_current_thread().enable_all().build();
                made.unwrap_or_else(|error| panic!("no runtime for `ctx.block_on`: {error}")).block_on(future)
            }
        }
    }
    /// Calls another tool of this bot, with this call's session, principal, facts, deadline and cancellation, and its way back to the
    /// caller: what the other tool asks, this call's caller is asked.
    ///
    /// # Errors
    /// When there is no such tool, tools call each other more than eight deep, or this call is over. A tool that fails is no error here: see
    /// [`Outcome::is_error`], or turn the outcome into its value with [`Outcome::value`].
    pub async fn call_tool(&self, name: &str, input: impl Into<Value>) -> Result<Outcome, Error> {
        let (state, options) = (&self.state, self.state.nested(name)?);
        // boxed, because a call may hold a call
        let call = state.bot.call_boxed(name, input.into(), options);
        call.await.map(Outcome::from).map_err(|unknown| Error::new(unknown.to_string()))
    }
}

impl std::fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolContext")
            .field("tool", &self.state.tool().name())
            .field("call_id", &self.call_id())
            .finish_non_exhaustive()
    }
}
