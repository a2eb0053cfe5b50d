//! Sessions as a program holds them: what a [`ServeHandle`](crate::ServeHandle) and a [`TestBot`](crate::TestBot) open.
//!
//! The caller is the process itself, which sees every session. All of it is compiled here: what is awaited in the author's crate is a
//! box.

mod events;
mod session;

pub use events::Events;
pub use session::Session;

use crate::{CallOptions, Error, Outcome, SessionDetail, SessionOptions, bot::Bot};
use futures_util::future::{BoxFuture, ready};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// What a program is answered, later.
type Later<'a, T> = BoxFuture<'a, Result<T, Error>>;

/// Calls a tool. `closing` is cancelled when the bot shuts down.
#[inline(never)]
pub(crate) fn call<'a>(
    bot: &'a Bot,
    closing: &CancellationToken,
    name: &'a str,
    input: Value,
    options: CallOptions,
) -> Later<'a, Outcome> {
    if closing.is_cancelled() {
        return Box::pin(ready(Err(Error::new(format!("the bot is shutting down; \"{name}\" was not called")))));
    }
    Box::pin(async move { bot.call_bound(name, input, options).await.map(Outcome::from) })
}

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
        let rows = bot.state().sessions.all().await?;
        rows.into_iter().map(|row| Ok(SessionDetail::of(row)?)).collect()
    })
}
