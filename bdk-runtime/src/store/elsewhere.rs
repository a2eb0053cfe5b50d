//! The store of a process that has none: the bot's is in another one, which started it.

use super::{
    Answer, Batch, Did, KeyRow, OpenCall, SessionPage, SessionRow, Store, StoreError, StoredEvent, StoredFile,
    Versioned,
};
use crate::Timestamp;
use futures_util::future::{BoxFuture, FutureExt, ready};

/// Whatever is asked of it is refused: what was kept here would be gone with the process.
pub(crate) struct Elsewhere;

fn refused<T: Send + 'static>() -> Answer<'static, T> {
    let why = "the tools of an authored connection run in a process of their own, which has none of it: give such a tool what it needs as \
               arguments, or make what keeps something a tool of the bot";
    ready(Err(StoreError::unavailable(why))).boxed()
}

impl Store for Elsewhere {
    fn write(&self, _: Batch) -> Answer<'static, Vec<Did>> {
        refused()
    }
    fn session<'a>(&'a self, _: &'a str) -> Answer<'a, Option<SessionRow>> {
        refused()
    }
    fn session_of_token<'a>(&'a self, _: &'a str) -> Answer<'a, Option<SessionRow>> {
        refused()
    }
    fn sessions<'a>(&'a self, _: SessionPage<'a>) -> Answer<'a, Vec<SessionRow>> {
        refused()
    }
    fn events<'a>(&'a self, _: &'a str, _: u64, _: usize) -> Answer<'a, Vec<StoredEvent>> {
        refused()
    }
    fn value<'a>(&'a self, _: &'a str, _: &'a str, _: Timestamp) -> Answer<'a, Option<Versioned>> {
        refused()
    }
    fn keys<'a>(&'a self, _: &'a str, _: &'a str, _: Timestamp) -> Answer<'a, Vec<String>> {
        refused()
    }
    fn file<'a>(&'a self, _: &'a str, _: &'a str, _: Timestamp) -> Answer<'a, Option<StoredFile>> {
        refused()
    }
    fn files<'a>(&'a self, _: &'a str, _: &'a str, _: Timestamp) -> Answer<'a, Vec<String>> {
        refused()
    }
    fn idempotency<'a>(&'a self, _: &'a str, _: &'a str, _: Timestamp) -> Answer<'a, Option<KeyRow>> {
        refused()
    }
    fn cut_off(&self) -> Answer<'_, Vec<OpenCall>> {
        ready(Ok(Vec::new())).boxed()
    }
    fn is_shared(&self) -> bool {
        false
    }
    fn close(&self) -> BoxFuture<'_, ()> {
        ready(()).boxed()
    }
}
