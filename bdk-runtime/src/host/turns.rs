//! Whose turn it is to change a value: within one process nobody has to try twice.

use std::hash::{DefaultHasher, Hash, Hasher};
use tokio::sync::{Mutex, MutexGuard};

/// How many locks there are for all keys: two keys meet at one now and then, and then wait for each other's store.
const STRIPES: usize = 64;

/// The locks.
pub(crate) struct Turns([Mutex<()>; STRIPES]);

impl Default for Turns {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Mutex::new(())))
    }
}

impl Turns {
    /// Waits for this key's turn. Whoever came first goes first.
    pub(super) async fn of(&self, key: &str) -> MutexGuard<'_, ()> {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        #[allow(clippy::cast_possible_truncation, reason = "any bits will do")]
        self.0[hasher.finish() as usize % STRIPES].lock().await
    }
}
