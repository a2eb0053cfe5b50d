//! Sessions as a program holds them: what a [`ServeHandle`](crate::ServeHandle) and a [`TestBot`](crate::TestBot) open.
//!
//! The caller is the process itself, which sees every session. All of it is compiled here: what is awaited in the author's crate is a
//! box.

mod events;
mod session;

pub use events::Events;
pub use session::Session;

use crate::{Error, SessionDetail, SessionOptions, Timestamp, bot::Bot};
use futures_util::future::BoxFuture;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What a program is answered, later.
type Later<'a, T> = BoxFuture<'a, Result<T, Error>>;

/// How many sessions are read at once.
const PAGE: usize = 1000;

/// Opens a session. `closing` is cancelled when the bot shuts down.
#[inline(never)]
pub(crate) fn open<'a>(bot: &'a Bot, closing: CancellationToken, options: SessionOptions) -> Later<'a, Session> {
    Box::pin(async move {
        let row = bot.state().sessions.open(bot, options).await?;
        Ok(Session::new(bot.clone(), closing, row.id))
    })
}

/// All sessions, the youngest first.
#[inline(never)]
pub(crate) fn all(bot: &Bot) -> Later<'_, Vec<SessionDetail>> {
    Box::pin(async move {
        let mut all = Vec::new();
        let mut after: Option<(Timestamp, Arc<str>)> = None;
        loop {
            let behind = after.as_ref().map(|(at, id)| (*at, &**id));
            let rows = bot.state().sessions.list(None, behind, PAGE).await?;
            let whole = rows.len() == PAGE;
            after = rows.last().map(|row| (row.created_at, row.id.clone()));
            for row in rows {
                all.push(SessionDetail::of(row)?);
            }
            if !whole {
                return Ok(all);
            }
        }
    })
}
