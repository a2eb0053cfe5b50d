//! What is made from a registry once and kept as long as the bot has that registry: listings and the like.

use super::Registry;
use std::sync::{Arc, PoisonError, RwLock, Weak};

/// One thing made from a registry. It is made anew when the bot has another one.
pub(crate) struct Made<T>(RwLock<Option<(Weak<Registry>, T)>>);

impl<T: Clone> Made<T> {
    pub(crate) const fn new() -> Self {
        Self(RwLock::new(None))
    }
    /// The thing as made from this registry: kept, or made now.
    pub(crate) fn of(&self, registry: &Arc<Registry>, make: impl FnOnce() -> T) -> T {
        if let Some((of, made)) = &*self.0.read().unwrap_or_else(PoisonError::into_inner)
            // weak, so that a tool that was removed goes; its place in memory is kept, so that no other registry gets it
            && of.as_ptr() == Arc::as_ptr(registry)
        {
            return made.clone();
        }
        // without the lock: two at once make the same, and one that panics harms nobody
        let made = make();
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some((Arc::downgrade(registry), made.clone()));
        made
    }
}
