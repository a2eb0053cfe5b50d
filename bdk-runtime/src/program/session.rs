//! A session as a program holds it.

use super::{Events, Later};
use crate::{
    CallOptions, Error, Outcome, SessionDetail,
    bot::Bot,
    session::{Bind, Event, Follow},
    store::StoreError,
};
use serde_json::Value;
use std::{path::PathBuf, sync::Arc};
use tokio_util::sync::CancellationToken;

/// How many events are read at once.
const PAGE: usize = 256;

/// A session of a running bot, in process: [`ServeHandle::open_session`](crate::ServeHandle::open_session) and
/// [`TestBot::open_session`](crate::TestBot::open_session) give one. Cheap to clone, and to make: whether there is such a
/// session shows when something is asked of it.
///
/// The caller is the process itself, which sees every session; its calls run as the session's owner. Dropping it leaves the
/// session as it is.
///
/// ```
/// use bdk::{SessionOptions, prelude::*};
///
/// /// Keep a note.
/// #[tool(effect = "write")]
/// fn keep_note(text: String, ctx: &ToolContext) -> Result<usize> {
///     let dir = ctx.workspace_dir()?;
///     std::fs::write(dir.join(ctx.call_id()), text)?;
///     Ok(std::fs::read_dir(dir)?.count())
/// }
///
/// # bdk::__private::block_on(async {
/// let session = TestBot::new().open_session(SessionOptions::new().title("Notes")).await;
/// session.call_tool("keep_note", json!({ "text": "to be" })).await?;
/// let second = session.call_tool("keep_note", json!({ "text": "or not" })).await?;
/// assert_eq!(second.result, 2); // the folder stays from call to call
///
/// session.delete().await?;
/// assert!(session.detail().await.is_err());
/// # Ok::<(), bdk::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Session {
    bot: Bot,
    /// Cancelled when the bot shuts down.
    closing: CancellationToken,
    id: Arc<str>,
}

impl Session {
    pub(crate) fn new(bot: Bot, closing: CancellationToken, id: Arc<str>) -> Self {
        Self { bot, closing, id }
    }
    /// `ses_…`.
    pub fn id(&self) -> &str {
        &self.id
    }
    /// What is known of it now.
    ///
    /// # Errors
    /// When there is no such session, or the bot's state cannot be read.
    pub async fn detail(&self) -> Result<SessionDetail, Error> {
        self.detail_later().await
    }
    #[inline(never)]
    fn detail_later(&self) -> Later<'_, SessionDetail> {
        Box::pin(async move {
            let row = self.bot.state().sessions.row(&self.id, None).await?;
            Ok(SessionDetail::of(row)?)
        })
    }
    /// Calls a tool as part of it: with its facts, its workspace and its log.
    ///
    /// # Errors
    /// When there is no such tool or session, or the bot shuts down. A tool that fails is no error here: see
    /// [`Outcome::is_error`].
    pub async fn call_tool(&self, name: &str, input: impl Into<Value>) -> Result<Outcome, Error> {
        self.call_later(name, input.into(), CallOptions::new()).await
    }
    /// Calls a tool as part of it, saying more about the call.
    ///
    /// ```
    /// use bdk::{CallOptions, SessionOptions, prelude::*};
    /// use std::sync::atomic::{AtomicU32, Ordering};
    ///
    /// static SENT: AtomicU32 = AtomicU32::new(0);
    ///
    /// /// Send a letter.
    /// #[tool(effect = "write")]
    /// async fn send_letter(to: String) -> String {
    ///     format!("letter {} to {to}", SENT.fetch_add(1, Ordering::SeqCst) + 1)
    /// }
    ///
    /// # bdk::__private::block_on(async {
    /// let session = TestBot::new().open_session(SessionOptions::new()).await;
    /// let once = || CallOptions::new().idempotency_key("letter-to-ann");
    /// let first = session.call_tool_with("send_letter", json!({ "to": "Ann" }), once()).await?;
    /// let again = session.call_tool_with("send_letter", json!({ "to": "Ann" }), once()).await?;
    /// assert_eq!((first.text(), again.text()), ("letter 1 to Ann".into(), "letter 1 to Ann".into()));
    /// # Ok::<(), bdk::Error>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As [`call_tool`](Self::call_tool); when `options` name a session, a continuation token, `dry_run` or `as_of`, which are
    /// the session's own; when they name a principal that it does not belong to.
    pub async fn call_tool_with(
        &self,
        name: &str,
        input: impl Into<Value>,
        options: CallOptions,
    ) -> Result<Outcome, Error> {
        self.call_later(name, input.into(), options).await
    }
    #[inline(never)]
    fn call_later<'a>(&'a self, name: &'a str, input: Value, options: CallOptions) -> Later<'a, Outcome> {
        Box::pin(async move {
            if options.bind.is_some() {
                return Err(Error::new(format!(
                    "a call of the session {} is part of it: leave `session` and `continuation` out of its options",
                    self.id
                )));
            }
            super::call(&self.bot, &self.closing, name, input, options.session(&*self.id)).await
        })
    }
    /// The events of its log from this index on, as many as there are now.
    ///
    /// # Errors
    /// When there is no such session, or the bot's state cannot be read.
    pub async fn events(&self, from: u64) -> Result<Vec<Event>, Error> {
        self.events_later(from).await
    }
    #[inline(never)]
    fn events_later(&self, from: u64) -> Later<'_, Vec<Event>> {
        Box::pin(async move {
            let sessions = &self.bot.state().sessions;
            let end = sessions.row(&self.id, None).await?.events;
            let (mut events, mut next) = (Vec::new(), from);
            while next < end {
                let page = sessions.events(&self.id, next, PAGE).await?;
                let Some(last) = page.last() else { break };
                next = last.index + 1;
                events.extend(page.into_iter().map(Event::from));
            }
            Ok(events)
        })
    }
    /// Reads its log from this index on, and goes on as it grows.
    ///
    /// ```
    /// use bdk::{SessionOptions, prelude::*};
    ///
    /// # bdk::__private::block_on(async {
    /// let session = TestBot::new().open_session(SessionOptions::new()).await;
    /// let mut events = session.follow(1).await?;
    /// while let Some(event) = events.next().await {
    ///     let event = event?;
    ///     println!("{} {} {}", event.index, event.kind, event.data);
    /// #   assert_eq!(event.kind, "session.waiting");
    /// #   session.delete().await?;
    /// }
    /// // the session was deleted
    /// # Ok::<(), bdk::Error>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    /// When there is no such session, or the bot's state cannot be read.
    pub async fn follow(&self, from: u64) -> Result<Events, Error> {
        self.follow_later(from).await
    }
    #[inline(never)]
    fn follow_later(&self, from: u64) -> Later<'_, Events> {
        Box::pin(async move {
            let live = self.bot.state().sessions.bind(&Bind::Id(self.id.as_ref().to_owned()), None).await?;
            Events::new(self.bot.clone(), self.closing.clone(), Follow::new(live, from)).begin().await
        })
    }
    /// The continuation token that it has now: whoever has it, and is its owner, can mean the session by it.
    ///
    /// # Errors
    /// When there is no such session, or the bot's state cannot be read.
    pub async fn token(&self) -> Result<String, Error> {
        self.detail_later().await.map(|detail| detail.continuation_token)
    }
    /// Gives it another continuation token; the one before means nothing any more.
    ///
    /// # Errors
    /// When there is no such session, somebody else exchanges it at the same time, or the bot's state cannot be written.
    pub async fn rotate_token(&self) -> Result<String, Error> {
        self.rotate_later().await
    }
    #[inline(never)]
    fn rotate_later(&self) -> Later<'_, String> {
        Box::pin(async move {
            let sessions = &self.bot.state().sessions;
            let row = sessions.row(&self.id, None).await?;
            match sessions.rotate(&row.id, &row.token).await {
                Err(StoreError::Conflict) => {
                    Err(Error::new(format!("the token of {} was exchanged by somebody else just now", self.id)))
                }
                rotated => Ok(rotated?),
            }
        })
    }
    /// Its folder, made if it is not there: readable by this user alone, and gone with the session.
    ///
    /// # Errors
    /// When there is no such session, or the folder cannot be made.
    pub async fn workspace_dir(&self) -> Result<PathBuf, Error> {
        self.workspace_later().await
    }
    #[inline(never)]
    fn workspace_later(&self) -> Later<'_, PathBuf> {
        Box::pin(async move {
            let state = self.bot.state();
            let live = state.sessions.bind(&Bind::Id(self.id.as_ref().to_owned()), None).await?;
            state.workspaces.of(&live.id)
        })
    }
    /// Deletes it: what runs in it is cancelled, its log, files and workspace go. It goes on to its end also when the future is
    /// dropped.
    ///
    /// # Errors
    /// When there is no such session, or the bot's state cannot be written.
    pub async fn delete(&self) -> Result<(), Error> {
        self.delete_later().await
    }
    #[inline(never)]
    fn delete_later(&self) -> Later<'_, ()> {
        Box::pin(async move { Ok(self.bot.delete_session(self.id.clone(), None).await?) })
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Session").field(&self.id).finish()
    }
}
