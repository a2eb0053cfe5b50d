//! One undertaking at a time, and whoever asks meanwhile gets its outcome.

use futures_util::future::{BoxFuture, FutureExt, Shared};
use std::{
    future::Future,
    sync::{Mutex, PoisonError},
};
use tokio_util::task::AbortOnDropHandle;

type Outcome<T> = Shared<BoxFuture<'static, Option<T>>>;

/// It runs in a task of its own: whoever began it may leave, and those who wait with it still get their outcome.
pub(super) struct Flight<T: Clone>(Mutex<Option<Outcome<T>>>);

impl<T: Clone> Default for Flight<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone + Send + Sync + 'static> Flight<T> {
    /// The outcome of what is under way, or of what `start` makes. None where it was ended before it was there.
    pub(super) fn join<F>(&self, start: impl FnOnce() -> F) -> Outcome<T>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(current) = current.as_ref().filter(|current| current.peek().is_none()) {
            return current.clone();
        }
        let task = AbortOnDropHandle::new(tokio::spawn(start()));
        let outcome = async move { task.await.ok() }.boxed().shared();
        *current = Some(outcome.clone());
        outcome
    }

    /// Ends what is under way, unless somebody waits for it.
    pub(super) fn end(&self) {
        let ended = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(ended);
    }
}
