//! Ends of calls that could not be written, on a full disk say: this process knows them, and tries until they are.

use super::bound::Kept;
use crate::{
    bot::Bot,
    lock::lock,
    session::Live,
    store::{Batch, Op, StoreError},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

/// The first wait; it doubles.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);

/// An idempotency key, with its scope.
pub(crate) type KeyOf = (Arc<str>, Arc<str>);
/// What calls with a key came to, until that is written.
pub(crate) type Unwritten = Mutex<HashMap<KeyOf, Kept>>;

/// Writes the end of a call when that can be done, unless the bot ends before: then the next start tells that it was cut off.
pub(super) fn write_later(bot: &Bot, session: Option<Arc<Live>>, mut batch: Batch, key: Option<(KeyOf, Kept)>) {
    let bot = bot.clone();
    let key = key.map(|(key, kept)| {
        lock(&bot.state().unwritten).insert(key.clone(), kept);
        key
    });
    tokio::spawn(async move {
        let mut wait = FIRST;
        while bot.stop().run_until_cancelled(tokio::time::sleep(wait)).await.is_some() {
            match bot.state().sessions.write(session.as_deref(), batch.clone()).await {
                Err(StoreError::Unavailable(_)) => wait = (wait * 2).min(LONGEST),
                // it was deleted meanwhile: the key has its outcome all the same
                Err(StoreError::UnknownSession) => batch.retain(|op| !matches!(op, Op::Append { .. })),
                Ok(_) | Err(_) => break,
            }
        }
        if let Some(key) = key {
            lock(&bot.state().unwritten).remove(&key);
        }
    });
}
