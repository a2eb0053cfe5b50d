//! The running bot: what every front shares, and hands to the call path.

#[cfg(feature = "connections")]
use crate::connection::{Advertised, Connections, Until, follow, lock::Pins, of_user};
use crate::{
    Error, Timestamp,
    call::{self, CallInput, CallOptions, Done, Provided, ToolContext, UnknownTool},
    registry::{Problem, Registry, Tool},
    session::{Principal, Unbound},
    state::{self, State, StateAt},
    store::StoreError,
    tool::Lend,
};
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::{
    any::TypeId,
    sync::{Arc, Mutex, OnceLock, PoisonError, RwLock},
};
#[cfg(feature = "connections")]
use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};
use tokio::sync::{Semaphore, watch};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How many blocking tools run at once, at most; one more is answered `unavailable`.
pub const BLOCKING_CALLS: usize = 256;

/// What is told of a binary whose panics end it.
pub(crate) const ABORTS: &str = "this binary is built with `panic = \"abort\"`: one tool's panic would end the bot. Remove that line from the profile";

/// The bot's name and version, as its package has them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// The package's name.
    pub name: &'static str,
    /// The package's version.
    pub version: &'static str,
}

static IDENTITY: OnceLock<Identity> = OnceLock::new();

impl Identity {
    /// What `#[bdk::main]` recorded; without it the program's file name, which in a test is the test's.
    pub fn get() -> Self {
        *IDENTITY.get_or_init(|| {
            let name = std::env::current_exe().ok();
            let name = name.and_then(|p| Some(without_hash(p.file_stem()?.to_str()?).to_owned()));
            // once a process, so that leaking it costs nothing
            Self { name: name.map_or("bot", |n| Box::leak(n.into_boxed_str())), version: "0.0.0" }
        })
    }
    pub(crate) fn set(name: &'static str, version: &'static str) {
        let _ = IDENTITY.set(Self { name, version });
    }
    /// The agent's slug: the name with every other character than letters, digits and `-` as `-`.
    pub fn slug(&self) -> String {
        self.name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect()
    }
}

/// A program's name without the hash that cargo puts behind a test's: it is another one after each change.
fn without_hash(name: &str) -> &str {
    let is_hash = |hash: &str| hash.len() == 16 && hash.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    name.rsplit_once('-').filter(|(name, hash)| !name.is_empty() && is_hash(hash)).map_or(name, |(name, _)| name)
}

/// The running bot. Cheap to clone.
#[derive(Clone)]
pub struct Bot(Arc<Inner>);

struct Inner {
    /// What the bot has now. It is replaced, never changed, so that whoever holds one sees it whole.
    registry: RwLock<Arc<Registry>>,
    /// How often it was replaced. Locked while it is, so that no change is lost to another one.
    #[cfg_attr(not(any(feature = "http", feature = "connections")), expect(dead_code))] // nothing adds tools then
    changes: Mutex<watch::Sender<u64>>,
    identity: Identity,
    slug: String,
    provided: Provided,
    clock: Mutex<Option<Timestamp>>,
    /// Whether the tools of authored connections run here, too.
    #[cfg(feature = "connections")]
    all_here: AtomicBool,
    blocking: Arc<Semaphore>,
    running: TaskTracker,
    stop: CancellationToken,
    drained: CancellationToken,
    /// What it keeps: opened by what serves, and else made where it is first needed, for as long as the process runs.
    state: OnceLock<State>,
    /// Its connections: none is opened before something needs it.
    #[cfg(feature = "connections")]
    connections: OnceLock<Connections>,
    #[cfg(feature = "connections")]
    advertised: Advertised,
    #[cfg(feature = "connections")]
    has_servers: bool,
    #[cfg(feature = "connections")]
    pins: OnceLock<Arc<Pins>>,
    /// Where its routes stand, while it serves over HTTP: everything before `/tools`.
    routes: OnceLock<String>,
}

/// A bot that ends when nobody else has it.
#[cfg(feature = "connections")]
pub(crate) struct WeakBot(std::sync::Weak<Inner>);

#[cfg(feature = "connections")]
impl WeakBot {
    pub(crate) fn upgrade(&self) -> Option<Bot> {
        self.0.upgrade().map(Bot)
    }
}

impl Registry {
    /// What is linked into this binary. Cheap: no schema is made but those that a start check needs.
    pub fn linked() -> Self {
        Self::gather(TypeId::of::<ToolContext>())
    }
}

impl Bot {
    /// Gathers what is linked into this binary, and refuses to start when something is wrong with it.
    ///
    /// # Errors
    /// Every problem of severity error, one a line.
    pub fn load() -> Result<Self, Error> {
        let bot = Self::load_unpinned()?;
        #[cfg(feature = "connections")]
        bot.pin()?;
        Ok(bot)
    }
    /// The same for who does not call what is pinned: it starts whatever `mcp.lock` says.
    pub(crate) fn load_unpinned() -> Result<Self, Error> {
        let registry = Registry::linked();
        let errors: Vec<String> = registry.errors().map(Problem::to_string).collect();
        if cfg!(panic = "abort") {
            return Err(Error::new(ABORTS));
        }
        if errors.is_empty() { Ok(Self::with(registry)) } else { Err(Error::new(errors.join("\n"))) }
    }

    /// Reads `mcp.lock`, where a connection is pinned.
    #[cfg(feature = "connections")]
    fn pin(&self) -> Result<(), Error> {
        let (pins, problems) = Pins::read(&self.registry());
        let _ = self.0.pins.set(Arc::new(pins));
        let (errors, warnings): (Vec<_>, Vec<_>) =
            problems.iter().partition(|p| p.severity == crate::registry::Severity::Error);
        for warning in warnings {
            tracing::warn!(target: "bdk::connection", "{}", warning.message);
        }
        let errors: Vec<String> = errors.into_iter().map(Problem::to_string).collect();
        if errors.is_empty() { Ok(()) } else { Err(Error::new(errors.join("\n"))) }
    }
    /// What the servers of its connections are held to.
    #[cfg(feature = "connections")]
    pub(crate) fn pins(&self) -> &Arc<Pins> {
        self.0.pins.get_or_init(|| Arc::new(Pins::read(&self.registry()).0))
    }

    pub(crate) fn with(registry: Registry) -> Self {
        let identity = Identity::get();
        Self(Arc::new(Inner {
            provided: Provided::new(registry.providers()),
            changes: Mutex::default(),
            identity,
            slug: identity.slug(),
            clock: Mutex::new(None),
            #[cfg(feature = "connections")]
            all_here: AtomicBool::new(false),
            blocking: Arc::new(Semaphore::new(BLOCKING_CALLS)),
            running: TaskTracker::new(),
            stop: CancellationToken::new(),
            drained: CancellationToken::new(),
            state: OnceLock::new(),
            #[cfg(feature = "connections")]
            connections: OnceLock::new(),
            #[cfg(feature = "connections")]
            advertised: Advertised::default(),
            #[cfg(feature = "connections")]
            has_servers: registry.advertises(),
            registry: RwLock::new(Arc::new(registry)),
            #[cfg(feature = "connections")]
            pins: OnceLock::new(),
            routes: OnceLock::new(),
        }))
    }

    /// What the bot keeps.
    pub(crate) fn state(&self) -> &State {
        self.0.state.get_or_init(State::in_memory)
    }
    /// Opens what the bot keeps, before anything needs it.
    ///
    /// # Errors
    /// When it cannot be opened: the words say why, where, and what to do.
    pub(crate) async fn keep_state(&self, at: &StateAt) -> Result<(), Error> {
        let state = State::open(self, at).await?;
        self.0.state.set(state).map_err(|_| Error::new("the bot's state is open already"))?;
        #[cfg(feature = "connections")]
        if !self.registry().connections().is_empty() {
            // what an earlier process left running is ended now, not when a connection is needed
            let _ = self.0.connections.set(self.pool(at.folder().map(Path::to_owned)));
        }
        tokio::spawn(state::tend(self.clone()));
        #[cfg(feature = "connections")]
        if self.has_servers() {
            tokio::spawn(follow(self.clone()));
        }
        Ok(())
    }
    /// In the process of an authored connection: what the bot keeps is with the process that started this one.
    ///
    /// # Errors
    /// When something is kept already.
    #[cfg(all(feature = "commands", feature = "mcp"))]
    pub(crate) fn keep_elsewhere(&self) -> Result<(), Error> {
        #[cfg(feature = "connections")]
        self.0.state.set(State::elsewhere()).map_err(|_| Error::new("the bot's state is open already"))?;
        Ok(())
    }
    #[cfg(feature = "connections")]
    pub(crate) fn advertised(&self) -> &Advertised {
        &self.0.advertised
    }
    /// Its connections.
    #[cfg(feature = "connections")]
    pub(crate) fn connections(&self) -> &Connections {
        self.0.connections.get_or_init(|| self.pool(None))
    }
    #[cfg(feature = "connections")]
    fn pool(&self, folder: Option<PathBuf>) -> Connections {
        Connections::new(self.registry().connections(), self.pins().clone(), folder.or_else(of_user))
    }
    #[cfg(feature = "connections")]
    #[cfg(test)]
    pub(crate) fn set_connections(&self, connections: Connections) {
        assert!(self.0.connections.set(connections).is_ok(), "it has some already");
    }
    #[cfg(all(test, feature = "connections"))]
    pub(crate) fn with_connections(registry: Registry, pool: Connections) -> Self {
        let bot = Self::with(registry);
        let _ = bot.0.connections.set(pool);
        bot
    }
    /// Whether there are connections whose tools stand among the bot's once their servers were asked.
    #[cfg(any(feature = "connections", feature = "mcp"))]
    pub(crate) fn has_servers(&self) -> bool {
        #[cfg(feature = "connections")]
        return self.0.has_servers;
        #[cfg(not(feature = "connections"))]
        false
    }
    /// Sees to it that the tools of advertised connections are among the bot's, as far as their servers can be asked now.
    #[allow(clippy::unused_async, reason = "without connections there is nobody to wait for")]
    pub(crate) async fn connect(&self) {
        #[cfg(feature = "connections")]
        if self.has_servers() {
            // boxed, so that a bot without them does not carry it
            Box::pin(self.0.advertised.wait(self, Until::Listed)).await;
        }
    }
    /// The tool that has this name, also where the servers of connections have to be asked for it.
    #[allow(clippy::unused_async, reason = "without connections there is nobody to ask")]
    pub(crate) async fn find_or_connect(&self, name: &str) -> Option<Arc<Tool>> {
        let found = self.find(name);
        #[cfg(feature = "connections")]
        if found.is_none() && self.has_servers() {
            Box::pin(self.0.advertised.wait(self, Until::Named(name))).await;
            return self.find(name);
        }
        found
    }
    /// Whether `mcp.lock` keeps this name for a tool of a server that has not told its tools yet.
    pub(crate) fn is_locked(&self, name: &str) -> bool {
        #[cfg(feature = "connections")]
        return self.has_servers() && self.0.advertised.is_locked(self, name);
        #[cfg(not(feature = "connections"))]
        {
            let _ = name;
            false
        }
    }
    /// Why there is no tool of this name, where a connection's pin refuses it.
    pub(crate) fn refused(&self, name: &str) -> Option<String> {
        #[cfg(feature = "connections")]
        return self.0.advertised.refused(self, name);
        #[cfg(not(feature = "connections"))]
        {
            let _ = name;
            None
        }
    }
    /// Of each connection that may have a tool of any name, as its server has not told its tools yet: why.
    pub(crate) fn unheard(&self) -> Vec<String> {
        #[cfg(feature = "connections")]
        return self.0.advertised.unheard();
        #[cfg(not(feature = "connections"))]
        Vec::new()
    }
    /// The bot for who is not to keep it.
    #[cfg(feature = "connections")]
    pub(crate) fn downgrade(&self) -> WeakBot {
        WeakBot(Arc::downgrade(&self.0))
    }
    /// Writes out what is kept, and lets go of it. The processes of connections end.
    pub(crate) async fn close_state(&self) {
        #[cfg(feature = "connections")]
        if let Some(connections) = self.0.connections.get() {
            self.0.advertised.close();
            connections.close().await;
        }
        if let Some(state) = self.0.state.get() {
            state.store.close().await;
        }
    }
    /// Brings the session that a call is meant to be part of to hand.
    ///
    /// # Errors
    /// When there is no such session for whoever asks.
    pub(crate) async fn bind(&self, mut options: CallOptions) -> Result<CallOptions, Unbound> {
        let Some(bind) = options.bind.take() else { return Ok(options) };
        let live = self.state().sessions.bind(&bind, options.principal.as_deref()).await?;
        Ok(options.within(live))
    }

    /// Deletes a session, also when whoever asked goes away meanwhile: half of it would leave a session that nobody can use.
    ///
    /// # Errors
    /// When there is no such session for whoever asks.
    #[inline(never)]
    pub(crate) fn delete_session(
        &self,
        id: Arc<str>,
        asker: Option<Arc<Principal>>,
    ) -> BoxFuture<'static, Result<(), Unbound>> {
        let bot = self.clone();
        let deletion = async move {
            let state = bot.state();
            state.sessions.delete(&id, asker.as_deref(), &state.workspaces).await
        };
        Box::pin(async move {
            // a task ends without an answer only when the runtime goes down
            let gone = |_| Err(StoreError::unavailable("the bot is shutting down").into());
            tokio::spawn(deletion).await.unwrap_or_else(gone)
        })
    }

    /// What the bot has now: what the binary declares, and what was added since.
    pub fn registry(&self) -> Arc<Registry> {
        self.0.registry.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
    /// The tool that has this name now.
    pub(crate) fn find(&self, name: &str) -> Option<Arc<Tool>> {
        self.0.registry.read().unwrap_or_else(PoisonError::into_inner).find(name).cloned()
    }
    /// Puts another registry in the place of this one, where there is one to put, and tells of it.
    #[cfg(any(feature = "http", feature = "connections"))]
    pub(crate) fn change(
        &self,
        make: impl FnOnce(&Registry) -> Result<Option<Registry>, Error>,
    ) -> Result<bool, Error> {
        let changes = self.0.changes.lock().unwrap_or_else(PoisonError::into_inner);
        // made beside the lock that calls read under
        let Some(next) = make(&self.registry())? else { return Ok(false) };
        let before =
            std::mem::replace(&mut *self.0.registry.write().unwrap_or_else(PoisonError::into_inner), Arc::new(next));
        changes.send_modify(|count| *count += 1);
        drop(changes);
        // what goes with it may be the author's, and run anything
        drop(before);
        Ok(true)
    }
    /// Tells of every change of the tools: its value is how many there were.
    #[cfg(any(feature = "mcp", all(test, feature = "http")))]
    pub(crate) fn tools_changed(&self) -> watch::Receiver<u64> {
        self.0.changes.lock().unwrap_or_else(PoisonError::into_inner).subscribe()
    }
    /// Its package's name and version.
    pub fn identity(&self) -> Identity {
        self.0.identity
    }
    /// The agent's slug, as routes have it.
    pub fn slug(&self) -> &str {
        &self.0.slug
    }
    /// The bot's clock: the system's, unless a test set it.
    pub fn now(&self) -> Timestamp {
        let set = *self.0.clock.lock().unwrap_or_else(PoisonError::into_inner);
        set.unwrap_or_else(Timestamp::now)
    }
    /// The bot's clock, to the millisecond: what is kept has no finer times.
    pub(crate) fn now_in_ms(&self) -> Timestamp {
        let now = self.now();
        jiff::Timestamp::from_millisecond(now.as_millisecond()).map_or(now, Timestamp::from)
    }
    /// The tools of authored connections run in this process from now on: a test's binary cannot be started as the bot.
    pub(crate) fn run_all_here(&self) {
        #[cfg(feature = "connections")]
        self.0.all_here.store(true, Ordering::Relaxed);
    }
    /// Whether the tools of authored connections run in this process.
    #[cfg(feature = "connections")]
    pub(crate) fn runs_all_here(&self) -> bool {
        self.0.all_here.load(Ordering::Relaxed)
    }
    pub(crate) fn set_now(&self, now: Timestamp) {
        *self.0.clock.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
    }
    /// Where a route of its own is: a URL while it serves over HTTP, elsewhere the path that it would have.
    pub(crate) fn url_of(&self, route: &str) -> String {
        match self.0.routes.get() {
            Some(routes) => format!("{routes}/{route}"),
            None => format!("/{}/v1/{route}", self.slug()),
        }
    }
    /// It serves: its routes stand here.
    #[cfg(feature = "http")]
    pub(crate) fn serves_at(&self, routes: String) {
        let _ = self.0.routes.set(routes);
    }
    pub(crate) fn provide<T: Lend>(&self, value: T) {
        self.0.provided.stand_in(value);
    }
    pub(crate) fn provided(&self) -> &Provided {
        &self.0.provided
    }
    pub(crate) fn blocking(&self) -> &Arc<Semaphore> {
        &self.0.blocking
    }
    pub(crate) fn running(&self) -> &TaskTracker {
        &self.0.running
    }
    /// Cancelled when the grace time of a shutdown is over: what still runs then ends as cancelled.
    pub(crate) fn stop(&self) -> &CancellationToken {
        &self.0.stop
    }
    /// Cancelled when no call runs any more at a shutdown: whoever follows what calls leave has all of it then.
    pub(crate) fn drained(&self) -> &CancellationToken {
        &self.0.drained
    }

    /// **The call path**, for every front.
    ///
    /// # Errors
    /// When there is no such tool. Everything else that goes wrong is an error result.
    pub(crate) async fn call(&self, name: &str, input: Value, options: CallOptions) -> Result<Done, UnknownTool> {
        self.call_with(name, input.into(), options).await
    }

    /// [`call`](Self::call), erased: for functions that are compiled in the author's crate, where the call path would else be compiled again.
    #[inline(never)]
    pub(crate) fn call_boxed<'a>(
        &'a self,
        name: &'a str,
        input: Value,
        options: CallOptions,
    ) -> BoxFuture<'a, Result<Done, UnknownTool>> {
        Box::pin(self.call(name, input, options))
    }

    /// The same for a program's call, which may be part of a session.
    ///
    /// # Errors
    /// When there is no such tool or session, or the options contradict each other.
    #[inline(never)]
    pub(crate) fn call_bound<'a>(
        &'a self,
        name: &'a str,
        input: Value,
        options: CallOptions,
    ) -> BoxFuture<'a, Result<Done, Error>> {
        Box::pin(async move {
            options.check()?;
            let options = self.bind(options).await?;
            self.call(name, input, options).await.map_err(|unknown| Error::new(unknown.to_string()))
        })
    }

    /// [`call`](Self::call), with an input that may still be a text.
    pub(crate) async fn call_with(
        &self,
        name: &str,
        input: CallInput<'_>,
        options: CallOptions,
    ) -> Result<Done, UnknownTool> {
        call::call(self, name, input, options).await
    }

    /// The same for a tool that was found.
    #[cfg(feature = "http")]
    pub(crate) async fn call_found(&self, tool: Arc<Tool>, input: CallInput<'_>, options: CallOptions) -> Done {
        call::call_found(self, tool, input, options).await
    }

    /// Waits until no call runs; what still runs after the grace time is cancelled, and gets a moment to end.
    pub async fn drain(&self, grace: std::time::Duration) {
        self.0.running.close();
        if tokio::time::timeout(grace, self.0.running.wait()).await.is_err() {
            self.0.stop.cancel();
            let _ = tokio::time::timeout(std::time::Duration::from_secs(1), self.0.running.wait()).await;
        }
        self.0.drained.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::without_hash;

    #[test]
    fn a_test_s_program_is_known_without_cargo_s_hash() {
        assert_eq!(without_hash("ledger-bot-838c33adac1c4077"), "ledger-bot");
        for same in ["ledger-bot", "ledger-bot-838C33ADAC1C4077", "-838c33adac1c4077", "bot-838c33adac1c40771", "x-y"] {
            assert_eq!(without_hash(same), same);
        }
    }
}
