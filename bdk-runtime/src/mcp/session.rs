//! The sessions of the older era: a table of what was agreed, and nothing that runs.
//!
//! A session is some hundred bytes until a call of it runs, asks, or a stream is open. It belongs to the principal that
//! opened it, and to the session of the bot's that the address named then; to others, and elsewhere, it does not exist. The table is bounded: beyond [`CAP`] the ones that were idle longest go.

use super::lock;
use crate::{
    Principal,
    call::line::{Abilities, LogLevel},
};
use serde_json::Value;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU8, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// How many sessions there are at most.
pub(crate) const CAP: usize = 10_000;
/// A session that was idle for so long is over.
pub(crate) const IDLE: Duration = Duration::from_secs(24 * 60 * 60);

/// What a client answers to a request of ours: its result, or its error's message.
pub(crate) type Reply = Result<Value, String>;

/// One session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) principal: Arc<Principal>,
    pub(crate) abilities: Abilities,
    /// The id of the session of the bot's that it was opened in.
    bound: Option<Arc<str>>,
    /// 0 is the level that holds until the client sets one; else a level's place from 1.
    log: AtomicU8,
    /// When it was last used, in seconds since the table was made.
    used: AtomicU64,
    live: Mutex<Live>,
}

/// What of a session is under way.
#[derive(Debug, Default)]
struct Live {
    /// The requests of the client that run, by their ids as JSON.
    running: HashMap<Box<str>, Running>,
    /// Our requests to the client that wait for an answer, by their ids.
    asked: HashMap<u64, oneshot::Sender<Reply>>,
    /// Ends the stream on which the server speaks of its own accord.
    stream: Option<CancellationToken>,
    next: u64,
    /// Nothing can be asked any more.
    mute: bool,
    over: bool,
}

/// The requests under one id: one, of a client that counts right.
#[derive(Debug)]
struct Running {
    token: CancellationToken,
    requests: u32,
}

impl Live {
    fn is_idle(&self) -> bool {
        self.running.is_empty() && self.asked.is_empty() && self.stream.is_none()
    }
}

impl Session {
    pub(crate) fn new(principal: Arc<Principal>, abilities: Abilities) -> Self {
        let (log, used, live) = (AtomicU8::new(0), AtomicU64::new(0), Mutex::default());
        Self { principal, abilities, bound: None, log, used, live }
    }
    /// The same, opened in this session of the bot's.
    pub(crate) fn within(self, bound: Option<Arc<str>>) -> Self {
        Self { bound, ..self }
    }
    /// Whether it is this principal's, and its requests come to where it was opened: one that forgot its session of the bot's
    /// would do for real what that only tries.
    fn is_of(&self, principal: &Principal, bound: Option<&str>) -> bool {
        self.principal.is_same(principal) && self.bound.as_deref() == bound
    }
    /// From which level on the client wants log messages.
    pub(crate) fn log(&self) -> Option<LogLevel> {
        match self.log.load(Ordering::Relaxed) {
            0 => Some(LogLevel::Info),
            place => LogLevel::ALL.get(usize::from(place) - 1).copied(),
        }
    }
    pub(crate) fn set_log(&self, level: LogLevel) {
        let place = LogLevel::ALL.iter().position(|l| *l == level).unwrap_or_default();
        self.log.store(u8::try_from(place + 1).unwrap_or(0), Ordering::Relaxed);
    }
    /// Notes that a request runs, so that the client can cancel it until the guard is dropped.
    pub(crate) fn run(self: &Arc<Self>, id: &str, mut token: CancellationToken) -> Runs {
        let mut live = lock(&self.live);
        if live.over {
            token.cancel();
        } else if let Some(running) = live.running.get_mut(id) {
            // whoever cancels by this id means all that run under it
            running.requests += 1;
            token = running.token.clone();
        } else {
            live.running.insert(id.into(), Running { token: token.clone(), requests: 1 });
        }
        drop(live);
        Runs { session: self.clone(), id: id.into(), token }
    }
    /// The client cancels a request of its own.
    pub(crate) fn cancel(&self, id: &str) {
        if let Some(running) = lock(&self.live).running.get(id) {
            running.token.cancel();
        }
    }
    /// Notes that the client is asked something: the id to ask under, and where the answer comes. None when none can come
    /// any more.
    pub(crate) fn ask(&self) -> Option<(u64, oneshot::Receiver<Reply>)> {
        let (sender, reply) = oneshot::channel();
        let mut live = lock(&self.live);
        if live.over || live.mute {
            return None;
        }
        live.next += 1;
        let id = live.next;
        live.asked.insert(id, sender);
        Some((id, reply))
    }
    /// The client answers; an answer to nothing is passed over.
    pub(crate) fn reply(&self, id: u64, reply: Reply) {
        let asked = lock(&self.live).asked.remove(&id);
        if let Some(sender) = asked {
            let _ = sender.send(reply);
        }
    }
    /// Nobody waits for the answer any more.
    pub(crate) fn forget(&self, id: u64) {
        lock(&self.live).asked.remove(&id);
    }
    /// Opens the stream on which the server speaks of its own accord; the one before it ends, because there is one at a time.
    pub(crate) fn open_stream(&self) -> CancellationToken {
        let token = CancellationToken::new();
        let mut live = lock(&self.live);
        if live.over {
            token.cancel();
        } else if let Some(before) = live.stream.replace(token.clone()) {
            before.cancel();
        }
        token
    }
    /// The stream of this token was closed.
    pub(crate) fn close_stream(&self, token: &CancellationToken) {
        let mut live = lock(&self.live);
        // not when another one took its place, which cancelled it
        if !token.is_cancelled() {
            live.stream = None;
        }
    }
    /// Nobody will answer any more; what runs goes on.
    pub(crate) fn close_questions(&self) {
        let asked = {
            let mut live = lock(&self.live);
            live.mute = true;
            std::mem::take(&mut live.asked)
        };
        // those who wait learn of it when their senders are dropped, outside the lock
        drop(asked);
    }
    /// Whatever is under way ends.
    pub(crate) fn close(&self) {
        let live = std::mem::replace(&mut *lock(&self.live), Live { over: true, ..Live::default() });
        live.running.into_values().map(|running| running.token).chain(live.stream).for_each(|token| token.cancel());
    }
}

/// A request that runs.
#[derive(Debug)]
pub(crate) struct Runs {
    session: Arc<Session>,
    id: Box<str>,
    token: CancellationToken,
}

impl Runs {
    /// What the request has to end with.
    pub(crate) fn token(&self) -> &CancellationToken {
        &self.token
    }
}

impl Drop for Runs {
    fn drop(&mut self) {
        let mut live = lock(&self.session.live);
        match live.running.get_mut(&self.id) {
            Some(running) if running.requests > 1 => running.requests -= 1,
            _ => drop(live.running.remove(&self.id)),
        }
        if live.is_idle() {
            // an idle session keeps no tables
            (live.running, live.asked) = (HashMap::new(), HashMap::new());
        }
    }
}

/// All sessions.
#[derive(Debug)]
pub(crate) struct Sessions {
    made: Instant,
    table: Mutex<HashMap<Box<str>, Arc<Session>>>,
}

impl Sessions {
    pub(crate) fn new() -> Self {
        Self { made: Instant::now(), table: Mutex::default() }
    }
    fn now(&self) -> u64 {
        self.made.elapsed().as_secs()
    }
    /// Opens a session under an id that nobody can guess.
    pub(crate) fn open(&self, session: Session) -> String {
        let id = uuid::Uuid::new_v4().simple().to_string();
        session.used.store(self.now(), Ordering::Relaxed);
        let mut table = lock(&self.table);
        if table.len() >= CAP {
            self.evict(&mut table, &session.principal);
        }
        table.insert(id.as_str().into(), Arc::new(session));
        id
    }
    /// A session of this principal, in this session of the bot's.
    pub(crate) fn find(&self, id: &str, principal: &Principal, bound: Option<&str>) -> Option<Arc<Session>> {
        let session = lock(&self.table).get(id).filter(|s| s.is_of(principal, bound)).cloned()?;
        let (now, used) = (self.now(), session.used.load(Ordering::Relaxed));
        if now.saturating_sub(used) > IDLE.as_secs() && lock(&session.live).is_idle() {
            self.close(id, principal, bound);
            return None;
        }
        if now != used {
            session.used.store(now, Ordering::Relaxed);
        }
        Some(session)
    }
    /// Ends a session of this principal, in this session of the bot's, and says whether there was one.
    pub(crate) fn close(&self, id: &str, principal: &Principal, bound: Option<&str>) -> bool {
        let mut table = lock(&self.table);
        if table.get(id).is_none_or(|s| !s.is_of(principal, bound)) {
            return false;
        }
        let session = table.remove(id);
        // what thousands took is given back
        if table.capacity() > 64 && table.len() < table.capacity() / 4 {
            table.shrink_to_fit();
        }
        drop(table);
        session.inspect(|s| s.close()).is_some()
    }
    /// Nobody will answer any more, in any of them.
    pub(crate) fn close_questions(&self) {
        let all: Vec<Arc<Session>> = lock(&self.table).values().cloned().collect();
        all.iter().for_each(|session| session.close_questions());
    }
    /// Makes room: those that are over by now go, and else a sixteenth of the table, of the idle ones that were idle longest:
    /// whoever has so many goes without of their own, and not others.
    fn evict(&self, table: &mut HashMap<Box<str>, Arc<Session>>, opener: &Principal) {
        let now = self.now();
        let idle = |of: Option<&Principal>| -> Vec<(u64, Box<str>)> {
            table
                .iter()
                .filter(|(_, session)| of.is_none_or(|of| session.principal.is_same(of)))
                .filter(|(_, session)| lock(&session.live).is_idle())
                .map(|(id, session)| (session.used.load(Ordering::Relaxed), id.clone()))
                .collect()
        };
        let own = idle(Some(opener));
        let mut idle = if own.len() >= CAP / 16 { own } else { idle(None) };
        idle.sort_unstable();
        let over = idle.iter().take_while(|(used, _)| now.saturating_sub(*used) > IDLE.as_secs()).count();
        for (_, id) in idle.into_iter().take(over.max(CAP / 16)) {
            if let Some(session) = table.remove(&id) {
                session.close();
            }
        }
        // all of them busy: the one that happens to be first, because the table must not grow
        if table.len() >= CAP
            && let Some(id) = table.keys().next().cloned()
            && let Some(session) = table.remove(&id)
        {
            session.close();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(subject: &str) -> Session {
        Session::new(Arc::new(Principal::new("test", subject)), Abilities::default())
    }

    #[test]
    fn a_session_belongs_to_whoever_opened_it() {
        let sessions = Sessions::new();
        let id = sessions.open(session("a"));
        let (a, b) = (Principal::new("test", "a"), Principal::new("test", "b"));
        assert!(sessions.find(&id, &a, None).is_some());
        assert!(sessions.find(&id, &b, None).is_none() && !sessions.close(&id, &b, None));
        assert!(
            sessions.close(&id, &a, None) && sessions.find(&id, &a, None).is_none() && !sessions.close(&id, &a, None)
        );
    }

    #[test]
    fn a_session_that_was_opened_in_one_of_the_bot_s_is_not_known_outside_of_it() {
        let sessions = Sessions::new();
        let principal = Principal::new("test", "a");
        let bound = sessions.open(session("a").within(Some("ses_1".into())));
        let free = sessions.open(session("a"));
        for (id, of, elsewhere) in
            [(&bound, Some("ses_1"), [None, Some("ses_2")]), (&free, None, [Some("ses_1"), Some("")])]
        {
            for elsewhere in elsewhere {
                assert!(
                    sessions.find(id, &principal, elsewhere).is_none() && !sessions.close(id, &principal, elsewhere)
                );
            }
            assert!(sessions.find(id, &principal, of).is_some() && sessions.close(id, &principal, of));
        }
    }

    #[test]
    fn the_table_does_not_grow_beyond_its_cap_and_the_longest_idle_go() {
        let sessions = Sessions::new();
        let principal = Principal::new("test", "a");
        let first = sessions.open(session("a"));
        let busy = sessions.open(session("a"));
        let running = sessions.find(&busy, &principal, None).unwrap().run("1", CancellationToken::new());
        for _ in 0..CAP + 10 {
            let id = sessions.open(session("a"));
            sessions.find(&id, &principal, None).unwrap().used.store(5, Ordering::Relaxed);
        }
        assert!(lock(&sessions.table).len() <= CAP);
        assert!(sessions.find(&first, &principal, None).is_none());
        assert!(sessions.find(&busy, &principal, None).is_some());
        drop(running);
    }

    #[test]
    fn whoever_opens_too_many_ends_their_own_and_nobody_else_s() {
        let sessions = Sessions::new();
        let (few, many) = (Principal::new("test", "few"), Principal::new("test", "many"));
        let first = sessions.open(session("few"));
        let opened: Vec<String> = (0..2 * CAP).map(|_| sessions.open(session("many"))).collect();
        assert!(sessions.find(&first, &few, None).is_some());
        assert!(opened.last().is_some_and(|last| sessions.find(last, &many, None).is_some()));
        let more: Vec<String> = (0..CAP / 32).map(|_| sessions.open(session("few"))).collect();
        assert!(more.iter().all(|id| sessions.find(id, &few, None).is_some()));
        assert!(lock(&sessions.table).len() <= CAP);
    }

    #[test]
    fn what_runs_in_a_session_ends_with_it() {
        let sessions = Sessions::new();
        let principal = Principal::new("test", "a");
        let id = sessions.open(session("a"));
        let session = sessions.find(&id, &principal, None).unwrap();
        let (call, later) = (CancellationToken::new(), CancellationToken::new());
        let runs = session.run("1", call.clone());
        let (_, mut reply) = session.ask().unwrap();
        let stream = session.open_stream();
        sessions.close(&id, &principal, None);
        assert!(call.is_cancelled() && stream.is_cancelled());
        assert!(reply.try_recv().is_err());
        let _late = session.run("2", later.clone());
        assert!(later.is_cancelled());
        drop(runs);
    }

    #[test]
    fn an_answer_reaches_the_question_and_a_second_one_nobody() {
        let session = session("a");
        let (id, mut reply) = session.ask().unwrap();
        session.reply(id, Ok(Value::Null));
        session.reply(id, Ok(Value::Bool(true)));
        assert_eq!(reply.try_recv(), Ok(Ok(Value::Null)));
    }

    #[test]
    fn where_nobody_answers_any_more_no_question_waits() {
        let session = session("a");
        let (_, mut reply) = session.ask().unwrap();
        session.close_questions();
        assert_eq!(reply.try_recv(), Err(oneshot::error::TryRecvError::Closed));
        assert!(session.ask().is_none());
    }

    #[test]
    fn a_new_stream_ends_the_one_before_it() {
        let session = session("a");
        let (first, second) = (session.open_stream(), session.open_stream());
        assert!(first.is_cancelled() && !second.is_cancelled());
        session.close_stream(&first);
        assert!(lock(&session.live).stream.is_some());
        session.close_stream(&second);
        assert!(lock(&session.live).is_idle());
    }
}
