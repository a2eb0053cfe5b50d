//! `host.kv`: values by their keys, as JSON.

mod json;

use super::{control, shown};
use crate::{
    Error, Timestamp, ToolError,
    bot::Bot,
    store::{Did, Expect, Op, StoreError, Versioned},
    tool::encode,
};
use futures_util::future::BoxFuture;
use json::{Encoded, json, read};
use serde::{Serialize, de::DeserializeOwned};
use std::time::Duration;
use tokio::sync::MutexGuard;

/// How many bytes a key has at most.
const KEY: usize = 512;

/// Values by their keys, kept as JSON: `ctx.host.kv`. They belong to the agent, whoever calls it, and outlive calls,
/// sessions and restarts wherever the bot's state does.
///
/// A key is text of 1 to 512 bytes without control characters, a value whatever serde writes as JSON of at most 1 MiB. What is
/// put is what comes back, as far as JSON goes. Values are shared: put what is one caller's under a key that names it.
///
/// A dry run changes nothing here: reads, which run in one, may keep a cache.
///
/// ```
/// use bdk::prelude::*;
///
/// /// Look up a rate, once an hour.
/// #[tool(effect = "read")]
/// async fn rate(currency: String, ctx: &ToolContext) -> Result<f64> {
///     let key = format!("rates/{currency}");
///     if let Some(rate) = ctx.host.kv.get(&key).await? {
///         return Ok(rate);
///     }
///     let rate = 1.09; // asked for elsewhere
///     ctx.host.kv.put_with_ttl(&key, &rate, Duration::from_secs(3600)).await?;
///     Ok(rate)
/// }
///
/// # bdk::__private::block_on(async {
/// let bot = TestBot::new().now("2026-01-01T12:00:00Z".parse().unwrap());
/// bot.call_tool("rate", json!({ "currency": "USD" })).await;
/// assert_eq!(bot.kv().list("rates/").await.unwrap(), ["rates/USD"]);
/// let bot = bot.now("2026-01-01T13:00:00Z".parse().unwrap());
/// assert_eq!(bot.kv().get::<f64>("rates/USD").await.unwrap(), None);
/// # });
/// ```
#[derive(Clone)]
pub struct Kv(Bot);

// What is generic is compiled in the author's crate: it only turns values into texts and back.
impl Kv {
    pub(super) fn of(bot: &Bot) -> Self {
        Self(bot.clone())
    }

    /// The value of a key, if there is one that has not expired.
    ///
    /// # Errors
    /// When the value is no `T`, naming where it is not, the key is none, or the bot's state cannot be read.
    pub async fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, Error> {
        match self.found(key).await? {
            Some(found) => read(key, &found.value).map(Some),
            None => Ok(None),
        }
    }

    /// Puts a value, in the place of one that may be there. It stays until it is replaced or deleted.
    ///
    /// # Errors
    /// When JSON cannot hold the value (NaN, keys that are no text), it has more than 1 MiB, the key is none, or the bot's
    /// state cannot be written.
    // no `async fn`: its future would carry the author's type
    pub fn put<'a, T>(&'a self, key: &'a str, value: &T) -> BoxFuture<'a, Result<(), Error>>
    where
        T: Serialize + ?Sized,
    {
        self.set(key, encode(value), None)
    }

    /// The same for a time: afterwards it is as if it had never been put. The time is the bot's clock, to the millisecond.
    ///
    /// # Errors
    /// As [`put`](Self::put), and when the time is zero or ends after all that a timestamp can say.
    pub fn put_with_ttl<'a, T>(&'a self, key: &'a str, value: &T, ttl: Duration) -> BoxFuture<'a, Result<(), Error>>
    where
        T: Serialize + ?Sized,
    {
        self.set(key, encode(value), Some(ttl))
    }

    /// Deletes a value: whether there was one.
    ///
    /// # Errors
    /// When the key is none, or the bot's state cannot be written.
    pub async fn delete(&self, key: &str) -> Result<bool, Error> {
        self.remove(key).await
    }

    /// The keys that begin so, in the order of their bytes: all of them for `""`.
    ///
    /// # Errors
    /// When no key can begin so, or the bot's state cannot be read.
    pub async fn list(&self, prefix: &str) -> Result<Vec<String>, Error> {
        self.keys(prefix).await
    }

    /// Makes a new value of the old one, and gives it back. Nobody changes the value in between: not another call, and not
    /// another process on the same state.
    ///
    /// The closure may run more than once, each time with what is there then; only its last value counts. It runs while
    /// others wait, so it should only compute. The value stays until it is replaced or deleted, also where the old one had
    /// a time to live: see [`update_with_ttl`](Self::update_with_ttl).
    ///
    /// ```
    /// use bdk::prelude::*;
    ///
    /// # bdk::__private::block_on(async {
    /// let kv = TestBot::new().kv();
    /// let add = |old: Option<Vec<String>>| [old.unwrap_or_default(), vec!["Ada".to_owned()]].concat();
    /// kv.update("guests", add).await?;
    /// assert_eq!(kv.update("guests", add).await?, ["Ada", "Ada"]);
    /// # Ok::<_, bdk::Error>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    /// As [`get`](Self::get) and [`put`](Self::put); then the old value stands.
    pub async fn update<T, F>(&self, key: &str, change: F) -> Result<T, Error>
    where
        T: Serialize + DeserializeOwned,
        F: FnMut(Option<T>) -> T,
    {
        self.changed(key, None, always(change)).await
    }

    /// The same for a time, counted from now.
    ///
    /// # Errors
    /// As [`update`](Self::update) and [`put_with_ttl`](Self::put_with_ttl).
    pub async fn update_with_ttl<T, F>(&self, key: &str, ttl: Duration, change: F) -> Result<T, Error>
    where
        T: Serialize + DeserializeOwned,
        F: FnMut(Option<T>) -> T,
    {
        self.changed(key, Some(ttl), always(change)).await
    }

    /// As [`update`](Self::update), of a closure that may refuse: its error leaves the old value and comes back.
    ///
    /// ```
    /// use bdk::prelude::*;
    ///
    /// /// Take something out of an account.
    /// #[tool(effect = "write")]
    /// async fn withdraw(account: String, amount: u64, ctx: &ToolContext) -> Result<u64> {
    ///     let take = |balance: Option<u64>| {
    ///         let balance = balance.ok_or("there is no such account")?;
    ///         balance.checked_sub(amount).ok_or_else(|| format!("the balance is {balance}"))
    ///     };
    ///     ctx.host.kv.try_update(&format!("balance/{account}"), take).await
    /// }
    ///
    /// # bdk::__private::block_on(async {
    /// let bot = TestBot::new();
    /// bot.kv().put("balance/ada", &10).await?;
    /// assert!(bot.call_tool("withdraw", json!({ "account": "ada", "amount": 11 })).await.text().contains("the balance is 10"));
    /// assert_eq!(bot.call_tool("withdraw", json!({ "account": "ada", "amount": 4 })).await.result, 6);
    /// # Ok::<_, bdk::Error>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    /// The closure's own, and as [`update`](Self::update).
    pub async fn try_update<T, E, F>(&self, key: &str, mut change: F) -> Result<T, ToolError>
    where
        T: Serialize + DeserializeOwned,
        E: Into<ToolError>,
        F: FnMut(Option<T>) -> Result<T, E>,
    {
        self.changed(key, None, |old| change(old).map_err(Into::into)).await
    }

    async fn changed<T, E, F>(&self, key: &str, ttl: Option<Duration>, mut change: F) -> Result<T, E>
    where
        T: Serialize + DeserializeOwned,
        E: From<Error>,
        F: FnMut(Option<T>) -> Result<T, E>,
    {
        let mut turn = self.turn(key, ttl).await?;
        loop {
            let old = match turn.old().await? {
                Some(old) => Some(read(key, &old)?),
                None => None,
            };
            let new = change(old)?;
            let text = encode(&new);
            if turn.put(text).await? {
                return Ok(new);
            }
        }
    }
}

/// A change that refuses nothing.
fn always<T>(mut change: impl FnMut(Option<T>) -> T) -> impl FnMut(Option<T>) -> Result<T, Error> {
    move |old| Ok(change(old))
}

// Erased, so that it is compiled here.
impl Kv {
    #[inline(never)]
    fn found<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Versioned>, Error>> {
        Box::pin(async move {
            check_key(key)?;
            Ok(self.0.state().store.value(self.0.slug(), key, self.0.now_in_ms()).await?)
        })
    }

    #[inline(never)]
    fn set<'a>(&'a self, key: &'a str, value: Encoded, ttl: Option<Duration>) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move {
            check_key(key)?;
            let value = json(key, value)?;
            let now = self.0.now_in_ms();
            let expires = expires(key, now, ttl)?;
            self.write(key, value, now, expires, Expect::Anything).await?;
            Ok(())
        })
    }

    async fn write(
        &self,
        key: &str,
        value: String,
        now: Timestamp,
        expires: Option<Timestamp>,
        expect: Expect,
    ) -> Result<Vec<Did>, StoreError> {
        let state = self.0.state();
        let mut batch =
            vec![Op::PutValue { space: self.0.slug().into(), key: key.to_owned(), value, now, expires, expect }];
        if expires.is_some() {
            batch.extend(state.purge_when_due(now));
        }
        state.store.write(batch).await
    }

    #[inline(never)]
    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<bool, Error>> {
        Box::pin(async move {
            check_key(key)?;
            let op = Op::DeleteValue { space: self.0.slug().into(), key: key.to_owned(), now: self.0.now_in_ms() };
            let did = self.0.state().store.write(vec![op]).await?;
            Ok(did.first() == Some(&Did::Existed(true)))
        })
    }

    #[inline(never)]
    fn keys<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, Result<Vec<String>, Error>> {
        Box::pin(async move {
            if !prefix.is_empty() {
                check_key(prefix)?;
            }
            Ok(self.0.state().store.keys(self.0.slug(), prefix, self.0.now_in_ms()).await?)
        })
    }

    #[inline(never)]
    fn turn<'a>(&'a self, key: &'a str, ttl: Option<Duration>) -> BoxFuture<'a, Result<Turn<'a>, Error>> {
        Box::pin(async move {
            check_key(key)?;
            let held = self.0.state().turns.of(key).await;
            Ok(Turn { kv: self, key, ttl, version: None, lost: 0, _held: held })
        })
    }
}

/// A value that is being changed.
struct Turn<'a> {
    kv: &'a Kv,
    key: &'a str,
    ttl: Option<Duration>,
    /// Of the value that was read.
    version: Option<u64>,
    /// How often another process was faster.
    lost: u32,
    _held: MutexGuard<'a, ()>,
}

impl Turn<'_> {
    /// What is there now.
    #[inline(never)]
    fn old(&mut self) -> BoxFuture<'_, Result<Option<String>, Error>> {
        Box::pin(async {
            let found = self.kv.found(self.key).await?;
            self.version = found.as_ref().map(|found| found.version);
            Ok(found.map(|found| found.value))
        })
    }

    /// Puts the new value, unless another one is there by now.
    #[inline(never)]
    fn put(&mut self, value: Encoded) -> BoxFuture<'_, Result<bool, Error>> {
        Box::pin(async {
            let value = json(self.key, value)?;
            let now = self.kv.0.now_in_ms();
            let expires = expires(self.key, now, self.ttl)?;
            let expect = self.version.map_or(Expect::Absent, Expect::Version);
            match self.kv.write(self.key, value, now, expires, expect).await {
                Ok(_) => Ok(true),
                Err(StoreError::Conflict) => {
                    // whoever was faster is done; of many processes each steps aside for a moment of its own
                    self.lost += 1;
                    if self.lost > 2 {
                        tokio::time::sleep(Duration::from_millis(fastrand::u64(1..=20))).await;
                    }
                    Ok(false)
                }
                Err(error) => Err(error.into()),
            }
        })
    }
}

fn check_key(key: &str) -> Result<(), Error> {
    let why = if key.is_empty() {
        "it is empty".to_owned()
    } else if key.len() > KEY {
        format!("it has {} bytes", key.len())
    } else if let Some(control) = control(key) {
        format!("it has {control}")
    } else {
        return Ok(());
    };
    Err(Error::new(format!("{} is no key: {why}; a key has 1 to {KEY} bytes and no control characters", shown(key))))
}

/// When a value that is put now expires.
fn expires(key: &str, now: Timestamp, ttl: Option<Duration>) -> Result<Option<Timestamp>, Error> {
    let Some(ttl) = ttl else { return Ok(None) };
    let refused = |why: &str| Error::new(format!("the time to live of the key {} {why}", shown(key)));
    if ttl.is_zero() {
        return Err(refused("is zero: give it one, or `delete` it"));
    }
    // what is kept has no finer times, and a time that is not zero must not become so
    let ms = i64::try_from(ttl.as_nanos().div_ceil(1_000_000)).ok();
    let end = ms.and_then(|ms| jiff::Timestamp::from_millisecond(now.as_millisecond().checked_add(ms)?).ok());
    match end {
        Some(end) => Ok(Some(end.into())),
        None => Err(refused("ends after the year 9999: `put` keeps a value without an end")),
    }
}

impl std::fmt::Debug for Kv {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kv").field("agent", &self.0.slug()).finish_non_exhaustive()
    }
}

/// Puts and reads a text as it is, for tests of what others have written.
#[cfg(test)]
impl Kv {
    pub(super) async fn put_text(&self, key: &str, text: &str) {
        let space = self.0.slug().into();
        let (key, value) = (key.to_owned(), text.to_owned());
        let op = Op::PutValue { space, key, value, now: self.0.now_in_ms(), expires: None, expect: Expect::Anything };
        self.0.state().store.write(vec![op]).await.expect("a store in memory takes it");
    }
}
