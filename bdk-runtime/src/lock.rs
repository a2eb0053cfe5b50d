//! Locks that hold also after a panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A lock, whoever panicked while holding it: what these guard is whole between any two statements.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
