//! Calls that wait for their caller's answer between two requests (2026-07-28): they live in memory, are never run
//! again, and end when nobody comes back.

use super::{calling::Calling, client::Client, lock};
use crate::{
    Principal,
    call::{CallInput, line::Ask},
};
use bytes::Bytes;
use serde_json::{Map, Value};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

/// How many calls wait at most; one more is told that it cannot ask.
pub(crate) const CAP: usize = 1000;
/// How many bytes their messages have at most, all together: they need no connection, which would bound them otherwise.
pub(crate) const BYTES: usize = 64 * 1024 * 1024;
/// Somewhat longer than a call waits for a person: then it has ended, and there is nothing to come back to.
const FORGOTTEN: Duration = Duration::from_secs(11 * 60);

/// A call that waits.
#[derive(Debug)]
pub(crate) struct Parked {
    pub(crate) calling: Calling,
    pub(crate) ask: Ask,
    /// Who called, with what: whoever comes back must be and say the same.
    caller: Caller,
    tool: Box<str>,
    /// Where the arguments stand: a tree of them takes many times the room.
    message: Bytes,
    since: Instant,
}

/// Who called, and in which of the bot's sessions.
#[derive(Debug)]
pub(crate) struct Caller {
    principal: Arc<Principal>,
    session: Option<Arc<str>>,
}

impl Caller {
    pub(crate) fn of(client: &Client) -> Self {
        Self { principal: client.principal.clone(), session: client.bound_to().cloned() }
    }
    fn is_same(&self, other: &Self) -> bool {
        self.principal.is_same(&other.principal) && self.session == other.session
    }
}

/// All of them, by the state that their caller brings back: an id that nobody can guess.
#[derive(Debug, Default)]
pub(crate) struct ParkedCalls(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    calls: HashMap<String, Parked>,
    /// Nobody will come back any more.
    closed: bool,
}

/// What a call counts for beside its message, so that many small ones weigh as much as a few large ones.
const EACH: usize = BYTES / CAP;

impl Table {
    /// Whether a call of this principal, with a message of this length, may wait. When all room is taken, whoever takes most
    /// of it makes some for those who take less: the call that waits longest is given up.
    fn has_room(&mut self, principal: &Principal, length: usize) -> bool {
        loop {
            let bytes = self.calls.values().map(|p| p.message.len()).sum::<usize>() + length;
            if self.calls.len() < CAP && bytes <= BYTES {
                return true;
            }
            let mut taken: HashMap<(&str, &str), (usize, Instant, &String)> = HashMap::new();
            for (state, p) in &self.calls {
                let by = &p.caller.principal;
                let by = taken.entry((&by.kind, &by.subject)).or_insert((0, p.since, state));
                by.0 += p.message.len() + EACH;
                if p.since < by.1 {
                    (by.1, by.2) = (p.since, state);
                }
            }
            let own = taken.get(&(&*principal.kind, &*principal.subject)).map_or(0, |by| by.0);
            let most = taken.into_values().max_by_key(|by| by.0);
            match most.filter(|most| own + length + EACH < most.0).map(|most| most.2.clone()) {
                Some(oldest) => drop(self.calls.remove(&oldest)),
                None => return false,
            }
        }
    }
}

/// A call that is given back, because it cannot wait.
#[derive(Debug)]
pub(crate) struct GivenBack {
    pub(crate) calling: Calling,
    pub(crate) ask: Ask,
    pub(crate) why: &'static str,
}

/// Why a call could not be taken up again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gone {
    /// No such state: wrong, used already, or the call has ended.
    Unknown,
    /// It was parked with another tool or other arguments.
    Changed,
}

impl ParkedCalls {
    /// Keeps a call until its caller comes back; the state to come back with.
    pub(crate) fn park(
        &self,
        calling: Calling,
        ask: Ask,
        caller: Caller,
        tool: &str,
        message: Bytes,
    ) -> Result<String, Box<GivenBack>> {
        let mut parked = lock(&self.0);
        parked.calls.retain(|_, p| p.since.elapsed() < FORGOTTEN && !p.calling.has_ended());
        if parked.closed {
            return Err(Box::new(GivenBack { calling, ask, why: "the bot is shutting down" }));
        }
        if !parked.has_room(&caller.principal, message.len()) {
            let why = "too many calls wait for an answer already; try again later";
            return Err(Box::new(GivenBack { calling, ask, why }));
        }
        let state = uuid::Uuid::new_v4().simple().to_string();
        let tool = tool.into();
        parked.calls.insert(state.clone(), Parked { calling, ask, caller, tool, message, since: Instant::now() });
        Ok(state)
    }

    /// Takes a call up again. A state is good for one request: the call asks under another one next time.
    pub(crate) fn take(&self, state: &str, caller: &Caller, tool: &str, message: &[u8]) -> Result<Parked, Gone> {
        let given = arguments(message);
        let mut parked = lock(&self.0);
        match parked.calls.get(state) {
            Some(p) if !p.caller.is_same(caller) => Err(Gone::Unknown),
            Some(p) if &*p.tool != tool || arguments(&p.message) != given => Err(Gone::Changed),
            Some(_) => parked.calls.remove(state).ok_or(Gone::Unknown),
            None => Err(Gone::Unknown),
        }
    }

    /// The bot goes down: none of them will be answered, of which each learns by its question being dropped.
    pub(crate) fn clear(&self) {
        let parked = std::mem::replace(&mut *lock(&self.0), Table { closed: true, ..Table::default() }).calls;
        for parked in parked.into_values() {
            drop(parked.ask);
            parked.calling.leave();
        }
    }
}

/// The arguments as a tree, to be compared.
fn arguments(message: &[u8]) -> Value {
    let params = super::Message::parse(message).ok().and_then(|m| m.params);
    params.and_then(|p| p.arguments).map_or(Value::Object(Map::new()), CallInput::into_value)
}

impl Parked {
    /// The answers to what the call asked, in the order of its questions, and the names of those that are missing.
    pub(crate) fn answers(&self, responses: &Map<String, Value>) -> Result<Vec<Value>, Vec<String>> {
        let missing = |key: &String| !responses.get(key).is_some_and(Value::is_object);
        let missing: Vec<String> = self.ask.requests.iter().map(|r| r.key.clone()).filter(missing).collect();
        if !missing.is_empty() {
            return Err(missing);
        }
        Ok(self.ask.requests.iter().filter_map(|r| responses.get(&r.key).cloned()).collect())
    }
}
