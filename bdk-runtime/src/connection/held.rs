//! One connection: opened when it is needed, opened again when it was lost, listed and called.

use super::{
    breaker::{Breaker, Entry},
    called::{Answer, CallInfo, Called},
    child::Order,
    client::{Changed, Client, Greeting, Unopened, When},
    declared::Declared,
    failed::{Failed, Kind},
    flight::Flight,
    given,
    limits::Limits,
    listing::{Listing, Next, Reading},
    pool::Common,
    spec::{Pin, Transport},
};
use crate::lock::lock;
use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use futures_util::future::join_all;
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::{Instant, sleep, sleep_until},
};

/// How often a server that wants to be asked again is.
const AGAIN: usize = 10;

/// How long it is left alone each time.
fn again_after() -> ExponentialBackoff {
    let pauses = ExponentialBuilder::default().with_min_delay(Duration::from_millis(50)).with_factor(2.0);
    pauses.with_max_delay(Duration::from_secs(2)).with_max_times(AGAIN).build()
}

pub(super) struct Held {
    pub(super) declared: Arc<Declared>,
    /// Where the process of an authored one works; that of the bot without.
    folder: Option<PathBuf>,
    limits: Arc<Limits>,
    common: Common,
    has_templates: bool,
    /// How its process is greeted.
    greeting: Mutex<Greeting>,
    breaker: Breaker,
    seats: Semaphore,
    state: Mutex<State>,
    opening: Flight<Result<Arc<Client>, Failed>>,
    /// Whether a client that let a request time out is there still.
    asking: Flight<Result<(), Failed>>,
    listing: Flight<Result<Arc<Listing>, Failed>>,
    /// Moves on when the tools may be others: a listing of an earlier one is not kept.
    version: Arc<AtomicU64>,
}

#[derive(Default)]
struct State {
    client: Option<Arc<Client>>,
    /// Those that were given up, which calls have still.
    given_up: Vec<Weak<Client>>,
    listed: Option<Listed>,
    closed: bool,
}

/// The last listing.
struct Listed {
    /// The version that it is of.
    version: u64,
    at: Instant,
    listing: Arc<Listing>,
}

impl Held {
    pub(super) fn new(declared: Arc<Declared>, folder: Option<PathBuf>, common: Common) -> Self {
        let limits = common.limits.clone();
        Self {
            has_templates: given::has_templates(&declared.spec.transport),
            greeting: Mutex::default(),
            breaker: Breaker::new(limits.clone()),
            seats: Semaphore::new(limits.in_flight),
            state: Mutex::default(),
            opening: Flight::default(),
            asking: Flight::default(),
            listing: Flight::default(),
            version: Arc::default(),
            declared,
            folder,
            limits,
            common,
        }
    }

    fn name(&self) -> &str {
        &self.declared.name
    }
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) async fn list(self: &Arc<Self>) -> Result<Arc<Listing>, Failed> {
        if let Some(listing) = self.kept() {
            return Ok(listing);
        }
        let entry = self.breaker.enter().map_err(|failed| failed.on(self.name()))?;
        let listing = self.listing.join(|| self.clone().list_anew()).await.unwrap_or_else(|| Err(closed()));
        self.judge(&entry, &listing);
        listing.map_err(|failed| failed.on(self.name()))
    }

    pub(super) async fn call(self: &Arc<Self>, tool: &str, input: &str, info: &CallInfo) -> Result<Called, Failed> {
        let entry = self.breaker.enter().map_err(|failed| failed.on(self.name()))?;
        let when = When {
            deadline: info.ends(&self.declared.spec, &self.limits),
            cancelled: info.cancelled.as_ref(),
            traceparent: info.traceparent.as_deref(),
            session: info.session.as_ref(),
            hears: info.hears.as_ref(),
        };
        let called = self.call_until(tool, input, &when).await;
        self.judge(&entry, &called);
        called.map_err(|failed| failed.on(self.name()))
    }

    async fn call_until(self: &Arc<Self>, tool: &str, input: &str, when: &When<'_>) -> Result<Called, Failed> {
        let _seat = self.seat(when).await?;
        let mut had = false;
        self.rounds(tool, input, when, &mut had)
            .await
            .map_err(|failed| if had { failed.though_it_had_it() } else { failed })
    }

    /// Calls it, and again as long as the server wants that. `had`: the server had it already, whatever becomes of a later round.
    async fn rounds(
        self: &Arc<Self>,
        tool: &str,
        input: &str,
        when: &When<'_>,
        had: &mut bool,
    ) -> Result<Called, Failed> {
        let arguments: Arc<str> = input.into();
        let mut again = true;
        let mut state = None;
        let mut pauses = None;
        loop {
            let client = self.client(when).await?;
            self.is_as_pinned(tool, when).await?;
            let in_headers = self.has_in_headers(tool, &client, when).await?;
            match client.call(tool, &arguments, state.clone(), in_headers, when).await {
                Ok(result) => match Called::read(&result)? {
                    Answer::Now(called) => return Ok(called),
                    Answer::Later(next) => {
                        let Some(pause) = pauses.get_or_insert_with(again_after).next() else {
                            let words = format!("it wanted to be asked again {} times", AGAIN + 1);
                            return Err(Failed::bare(Kind::Unreadable, words));
                        };
                        (state, *had) = (Some(next), true);
                        let late =
                            || Failed::bare(Kind::TimedOut { sent: true }, "it wanted to be asked again, and later");
                        within(when, sleep(pause), late).await?;
                    }
                },
                Err(failed) if self.may_help(&failed, &client) && again => again = false,
                Err(failed) => return Err(failed),
            }
        }
    }

    /// Lets go of a client that is of no use, and says whether another one may be: the server did nothing yet.
    fn may_help(&self, failed: &Failed, client: &Arc<Client>) -> bool {
        let stale = self.has_templates && failed.kind == Kind::Refused { status: 401 };
        let (unsent, gone) = (failed.kind == Kind::Unsent, failed.kind == Kind::SessionGone);
        if stale || unsent || gone {
            let mut state = self.state();
            // one whose process ended is looked at when the next is opened
            state.client.take_if(|current| Arc::ptr_eq(current, client) && !client.is_closed());
        }
        stale || gone || (unsent && client.is_closed())
    }

    async fn list_anew(self: Arc<Self>) -> Result<Arc<Listing>, Failed> {
        let mut again = true;
        loop {
            let opening = When::until(Instant::now() + self.limits.open * 2);
            let client = self.client(&opening).await?;
            let version = self.version.load(Ordering::Acquire);
            match self.read_listing(&client).await {
                Ok(listing) => return Ok(self.keep(version, listing)),
                Err(failed) if self.may_help(&failed, &client) && again => again = false,
                Err(failed) => {
                    let words = format!("its tools cannot be listed: {}", failed.words);
                    return Err(Failed { words, ..failed });
                }
            }
        }
    }

    async fn read_listing(&self, client: &Client) -> Result<Listing, Failed> {
        let when = When::until(Instant::now() + self.limits.list);
        let mut reading = Reading::new(&self.limits);
        let mut cursor = None;
        loop {
            let page = client.page(cursor, &when).await?;
            match reading.page(&page)? {
                Next::Page(next) => cursor = Some(next),
                Next::Done => return Ok(reading.done()),
            }
        }
    }

    /// The last listing, as long as nothing speaks for another one. That a server changes without a word is noticed where
    /// changes are refused, and where it has no way to say it.
    pub(super) fn kept(&self) -> Option<Arc<Listing>> {
        let state = self.state();
        let listed = state.listed.as_ref()?;
        let ages = || {
            let tells = state.client.as_ref().is_none_or(|client| client.tells_of_changes());
            self.declared.spec.pin == Some(Pin::Refuse) || !tells
        };
        let is_old = listed.at.elapsed() >= self.limits.listed && ages();
        (!is_old && listed.version == self.version.load(Ordering::Acquire)).then(|| listed.listing.clone())
    }

    fn keep(&self, version: u64, listing: Listing) -> Arc<Listing> {
        let before = self.state().listed.as_ref().map(|listed| listed.listing.clone());
        let (listing, is_new) = match before.as_ref().filter(|before| ***before == listing) {
            // what says the same again is what it was, and nobody looks at it anew
            Some(same) => (same.clone(), false),
            None => (Arc::new(listing), true),
        };
        self.state().listed = Some(Listed { version, at: Instant::now(), listing: listing.clone() });
        if is_new {
            for warning in &listing.warnings {
                tracing::warn!(target: "bdk::connection", connection = self.name(), "{warning}");
            }
            if before.is_some() {
                self.common.changes.send_modify(|changes| *changes += 1);
            }
        }
        listing
    }

    /// Whether some of the tool's arguments go into headers as well: which the tool's definition says, and rmcp does once it
    /// saw it listed.
    async fn has_in_headers(self: &Arc<Self>, tool: &str, client: &Client, when: &When<'_>) -> Result<bool, Failed> {
        let known = || self.state().listed.as_ref().map(|listed| listed.listing.in_headers.contains(tool));
        if client.knows_headers() || known() == Some(false) {
            return Ok(known().unwrap_or_default());
        }
        let late = || Failed::bare(Kind::TimedOut { sent: false }, "its tools could not be listed in time");
        // where there is no listing there are no headers to be written
        let _ = within(when, self.listing.join(|| self.clone().list_anew()), late).await?;
        Ok(known().unwrap_or_default())
    }

    /// Whether the tool may be called, where there is a pin: by what the server lists since it was opened, which is asked for once.
    ///
    /// # Errors
    /// When the pin refuses it, or nobody knows whether it does.
    async fn is_as_pinned(self: &Arc<Self>, tool: &str, when: &When<'_>) -> Result<(), Failed> {
        let Some(pin) = self.declared.spec.pin.filter(|_| !self.declared.is_authored()) else { return Ok(()) };
        let listing = match self.kept() {
            Some(listing) => listing,
            None => {
                let late = || Failed::bare(Kind::TimedOut { sent: false }, "its tools could not be listed in time");
                let anew = self.listing.join(|| self.clone().list_anew());
                match within(when, anew, late).await?.unwrap_or_else(|| Err(closed())) {
                    Ok(listing) => listing,
                    // nobody knows what it has now: nothing was called
                    Err(failed) if pin == Pin::Refuse => return Err(failed.before_the_call()),
                    Err(_) => return Ok(()),
                }
            }
        };
        match self.common.pins.refuses(&self.declared, &listing, tool) {
            Some(why) => Err(Failed::bare(Kind::Pinned, why)),
            None => Ok(()),
        }
    }

    async fn seat(&self, when: &When<'_>) -> Result<SemaphorePermit<'_>, Failed> {
        if let Ok(seat) = self.seats.try_acquire() {
            return Ok(seat);
        }
        let busy = || {
            let words = format!("{} calls were under way all the time", self.limits.in_flight);
            Failed::bare(Kind::TimedOut { sent: false }, words)
        };
        within(when, self.seats.acquire(), busy).await?.map_err(|_| closed())
    }

    /// The client that there is, or a new one.
    async fn client(self: &Arc<Self>, when: &When<'_>) -> Result<Arc<Client>, Failed> {
        loop {
            let doubted = {
                let state = self.state();
                if state.closed {
                    return Err(closed());
                }
                match state.client.as_ref().filter(|client| !client.is_closed()) {
                    Some(client) if client.is_doubted() => client.clone(),
                    Some(client) => return Ok(client.clone()),
                    None => break,
                }
            };
            let late = || {
                let stuck = if doubted.is_stuck() { "takes nothing in" } else { "has given no sign of life" };
                let words = format!("it {stuck} since an earlier request timed out, and this was not sent");
                Failed::bare(Kind::TimedOut { sent: false }, words)
            };
            // nothing is sent to a server that may hang
            let asking = self.asking.join(|| self.clone().ask(doubted.clone()));
            within(when, asking, late).await?.unwrap_or_else(|| Err(closed()))?;
        }
        let opening = self.opening.join(|| self.clone().open());
        let late = || Failed::bare(Kind::TimedOut { sent: false }, "it could not be opened in time");
        within(when, opening, late).await?.unwrap_or_else(|| Err(closed()))
    }

    /// Lets go of a client that gives no sign of life, where another one may be better. Calls that it has still keep it until
    /// their own end.
    async fn ask(self: Arc<Self>, doubted: Arc<Client>) -> Result<(), Failed> {
        // one whose process ended is looked at when the next is opened
        if doubted.is_alive(self.limits.ping).await || doubted.is_closed() {
            return Ok(());
        }
        let words = format!("it gave no sign of life for {:?} after a request that timed out", self.limits.ping);
        let next = if doubted.has_state() { "opened anew" } else { "asked again" };
        tracing::warn!(target: "bdk::connection", connection = self.name(), "{words}: it is {next}");
        if doubted.has_state() {
            let mut state = self.state();
            state.client.take_if(|current| Arc::ptr_eq(current, &doubted));
            state.given_up.retain(|client| client.strong_count() > 0);
            state.given_up.push(Arc::downgrade(&doubted));
        }
        if self.breaker.failed(&words) {
            return Err(self.breaker.enter().err().unwrap_or_else(closed));
        }
        Ok(())
    }

    /// Once at a time: in [`Flight`].
    async fn open(self: Arc<Self>) -> Result<Arc<Client>, Failed> {
        let dead = self.state().client.take();
        if let Some(dead) = dead
            && let Some(ended) = dead.crashed().await
            && self.breaker.crashed(&ended.words)
        {
            return Err(self.breaker.enter().err().unwrap_or_else(closed));
        }
        let opened = Box::pin(self.opened()).await.map_err(Failed::opening);
        let client = Arc::new(opened.inspect_err(|failed| {
            // a status comes from a server that is there
            if !matches!(failed.kind, Kind::Refused { .. }) {
                self.breaker.failed(&failed.words);
            }
        })?);
        {
            let mut state = self.state();
            if !state.closed {
                self.version.fetch_add(1, Ordering::AcqRel);
                state.client = Some(client.clone());
                return Ok(client);
            }
        }
        client.close().await;
        Err(closed())
    }

    async fn opened(&self) -> Result<Client, Failed> {
        match &self.declared.spec.transport {
            Transport::Http { url, headers } => {
                Client::over_http(url, given::headers(headers)?, &self.limits, self.changed()).await
            }
            Transport::Stdio { program, args, env, cwd, inherit_env } => {
                let env = given::environment(env, *inherit_env)?;
                self.start(program, args, env, cwd.as_deref()).await
            }
            Transport::Authored => {
                // this very binary has the tools
                let program = std::env::current_exe().ok().and_then(|file| file.into_os_string().into_string().ok());
                let words = "where this program's own file is, is not known";
                let program = program.ok_or_else(|| Failed::bare(Kind::Open, words))?;
                if is_own_process() {
                    return Err(Failed::bare(Kind::Open, STARTS_ITSELF));
                }
                let args = ["mcp", "serve", "--connection", self.name()].map(str::to_owned);
                let mut environment = given::environment(&[], true)?;
                environment.retain(|(name, _)| name != AUTHORED);
                environment.push((AUTHORED.into(), program.clone().into()));
                self.start(&program, &args, environment, self.folder.as_deref()).await
            }
        }
    }

    async fn start(
        &self,
        program: &str,
        args: &[String],
        env: Vec<(std::ffi::OsString, std::ffi::OsString)>,
        cwd: Option<&Path>,
    ) -> Result<Client, Failed> {
        let order = Order { connection: self.name(), program, args, env, cwd, grace: self.limits.grace };
        let begin = async |greeting: &Greeting| {
            let started = order.start(&self.common.notes)?;
            Client::over_stdio(self.name(), started, greeting, &self.limits, self.changed()).await
        };
        let greeting = lock(&self.greeting).clone();
        match begin(&greeting).await {
            Ok(client) => Ok(client),
            Err(Unopened { failed, instead: Some(instead) }) if instead != greeting => {
                let client = begin(&instead).await.map_err(|Unopened { failed: second, .. }| {
                    let words = format!("{}; asked in another version of MCP, {}", failed.words, second.words);
                    Failed { words, ..second }
                })?;
                // what it wants is asked once
                *lock(&self.greeting) = instead;
                Ok(client)
            }
            Err(unopened) => Err(unopened.failed),
        }
    }

    fn changed(&self) -> Changed {
        let (version, changes) = (self.version.clone(), self.common.changes.clone());
        Arc::new(move || {
            version.fetch_add(1, Ordering::AcqRel);
            changes.send_modify(|changes| *changes += 1);
        })
    }

    fn judge<T>(&self, entry: &Entry<'_>, outcome: &Result<T, Failed>) {
        match outcome {
            Ok(_) => entry.good(),
            Err(failed) => match failed.kind {
                Kind::Server { .. } | Kind::Refused { .. } | Kind::Unreadable => entry.good(),
                // an opening is counted once, however many wait for it
                Kind::Open | Kind::TimedOut { .. } | Kind::Lost => entry.bad_probe(&failed.words),
                Kind::Unsent | Kind::SessionGone => entry.bad(&failed.words),
                Kind::Unknown | Kind::Closed | Kind::Cancelled { .. } | Kind::Paused | Kind::Full | Kind::Pinned => {}
            },
        }
    }

    pub(super) async fn close(&self) {
        let clients = self.shut();
        // what is being opened takes its process along
        let rest = async { tokio::join!(self.listing.ended(), self.opening.ended(), self.asking.ended()) };
        tokio::join!(join_all(clients.iter().map(|client| client.close())), rest);
    }

    /// Nothing is opened any more. The clients, dropped, take their processes along.
    pub(super) fn shut(&self) -> Vec<Arc<Client>> {
        let clients = {
            let mut state = self.state();
            state.closed = true;
            let given_up = std::mem::take(&mut state.given_up);
            given_up.iter().filter_map(Weak::upgrade).chain(state.client.take()).collect()
        };
        self.seats.close();
        self.listing.end();
        self.opening.end();
        self.asking.end();
        clients
    }

    #[cfg(test)]
    pub(super) fn pid(&self) -> Option<i32> {
        self.state().client.as_ref()?.pid()
    }
}

/// In the environment of an authored connection's process: the program that it is of.
const AUTHORED: &str = "BDK_AUTHORED";

/// Said where a program does not do what it was started for.
pub(crate) const STARTS_ITSELF: &str = "this process was started to run the tools of an authored connection, and would start another such: a program that has one has to end its \
     `main` in `bdk::serve().await`, which looks at the command line (`mcp serve --connection NAME`), or to look at that itself first";

/// Whether this process is one that a bot of this very program started for an authored connection.
pub(crate) fn is_own_process() -> bool {
    let program = std::env::var_os(AUTHORED);
    program.is_some_and(|program| std::env::current_exe().is_ok_and(|own| own == program.as_os_str()))
}

fn closed() -> Failed {
    Failed::bare(Kind::Closed, "it is closed, as the bot goes down")
}

/// Waits for no longer than the call may take.
async fn within<T>(when: &When<'_>, what: impl Future<Output = T>, late: impl FnOnce() -> Failed) -> Result<T, Failed> {
    let cancelled = async {
        match when.cancelled {
            Some(token) => token.cancelled().await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        biased;
        done = what => Ok(done),
        () = cancelled => Err(Failed::bare(Kind::Cancelled { sent: false }, "the call was cancelled")),
        () = sleep_until(when.deadline) => Err(late()),
    }
}
