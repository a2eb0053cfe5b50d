//! Following a session's log in process.

use super::Later;
use crate::{
    Error,
    bot::Bot,
    session::{Event, Follow},
};
use futures_util::future::BoxFuture;
use tokio_util::sync::CancellationToken;

/// A place in a session's log, from which it is read as it grows: see [`Session::follow`](crate::Session::follow).
///
/// It reads ahead by a page and holds no more, however slowly events are taken.
pub struct Events {
    bot: Bot,
    closing: CancellationToken,
    follow: Follow,
}

impl Events {
    pub(super) fn new(bot: Bot, closing: CancellationToken, follow: Follow) -> Self {
        Self { bot, closing, follow }
    }
    /// The next event, waited for until there is one. None when the session is deleted or the bot shuts down.
    ///
    /// Dropping the future loses no event, so that it can stand in a `select!` or under a time-out.
    ///
    /// # Errors
    /// When the bot's state cannot be read now. Asking again tries again.
    pub async fn next(&mut self) -> Option<Result<Event, Error>> {
        self.later().await
    }
    #[inline(never)]
    fn later(&mut self) -> BoxFuture<'_, Option<Result<Event, Error>>> {
        Box::pin(async move {
            let next = tokio::select! {
                biased;
                () = self.closing.cancelled() => return None,
                next = self.follow.next(&self.bot.state().sessions) => next,
            };
            match next {
                Ok(event) => event.map(|event| Ok(event.into())),
                Err(error) => Some(Err(error.into())),
            }
        })
    }
    /// Reads the first page.
    pub(super) fn begin(mut self) -> Later<'static, Self> {
        Box::pin(async move {
            self.follow.look(&self.bot.state().sessions).await?;
            Ok(self)
        })
    }
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}
