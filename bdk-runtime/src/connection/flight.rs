//! One undertaking at a time, and whoever asks meanwhile gets its outcome.

use futures_util::future::{BoxFuture, FutureExt, Shared};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::task::AbortHandle;
use tokio_util::task::AbortOnDropHandle;

type Outcome<T> = Shared<BoxFuture<'static, Option<T>>>;

/// It runs in a task of its own: whoever began it may leave, and those who wait with it still get their outcome.
pub(super) struct Flight<T: Clone>(Mutex<Option<Running<T>>>);

struct Running<T: Clone> {
    outcome: Outcome<T>,
    task: AbortHandle,
}

impl<T: Clone> Default for Flight<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone + Send + Sync + 'static> Flight<T> {
    /// The outcome of what is under way, or of what `start` makes. None where it was ended before it was there.
    pub(super) async fn join<F>(&self, start: impl FnOnce() -> F) -> Option<T>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let outcome = self.under_way(start).await;
        // what it came to is not to live here
        self.current().take_if(|current| current.task.is_finished());
        outcome
    }

    fn under_way<F>(&self, start: impl FnOnce() -> F) -> Outcome<T>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let mut current = self.current();
        // an outcome that nobody waited for is an old one
        if let Some(current) = current.as_ref().filter(|current| !current.task.is_finished()) {
            return current.outcome.clone();
        }
        let running = AbortOnDropHandle::new(tokio::spawn(start()));
        let task = running.abort_handle();
        let outcome = async move { running.await.ok() }.boxed().shared();
        *current = Some(Running { outcome: outcome.clone(), task });
        outcome
    }

    /// Ends what is under way: whoever waits for it gets nothing.
    pub(super) fn end(&self) {
        if let Some(current) = &*self.current() {
            current.task.abort();
        }
    }

    /// Waits until nothing is left of what was ended.
    pub(super) async fn ended(&self) {
        let last = self.current().take().map(|current| current.outcome);
        if let Some(last) = last {
            last.await;
        }
    }

    fn current(&self) -> MutexGuard<'_, Option<Running<T>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
        time::Duration,
    };

    #[tokio::test(start_paused = true)]
    async fn whoever_comes_meanwhile_waits_for_the_same_and_whoever_comes_later_does_not() {
        let (flight, begun) = (Flight::default(), AtomicUsize::new(0));
        let start = || {
            let number = begun.fetch_add(1, Ordering::SeqCst);
            async move {
                tokio::time::sleep(Duration::from_secs(1)).await;
                Arc::new(number)
            }
        };
        let (a, b) = tokio::join!(flight.join(start), flight.join(start));
        assert_eq!((a.as_deref(), b.as_deref()), (Some(&0), Some(&0)));
        // nothing holds it here
        drop(b);
        assert_eq!(a.and_then(Arc::into_inner), Some(0));
        // one that is left goes on, and is an old one once it is done
        tokio::time::timeout(Duration::from_millis(1), flight.join(start)).await.unwrap_err();
        assert_eq!(flight.join(start).await.as_deref(), Some(&1));
        tokio::time::timeout(Duration::from_millis(1), flight.join(start)).await.unwrap_err();
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(flight.join(start).await.as_deref(), Some(&3));
    }
}
