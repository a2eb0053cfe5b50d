//! Servers over HTTP that go wrong, as those see it who call a built bot: the call ends, its error says what happened, nobody else is held up,
//! and once the fault is mended all is well again.

use bdk_tests::{
    Server,
    mcp::Client,
    proxy::{Fault, Proxy},
};
use serde_json::{Value, json};
use std::thread;

const PATRON: &str = env!("CARGO_BIN_EXE_patron");
const ACCOUNTS: &str = env!("CARGO_BIN_EXE_accounts");
const OLD: &str = env!("CARGO_BIN_EXE_old_server");

/// How a call ends.
#[derive(Debug, Clone, Copy)]
enum End {
    /// After so many attempts of the bot's.
    Well(u64),
    /// With this code, whether it may be tried again, after so many attempts, and with these words.
    Badly(&'static str, bool, u64, &'static [&'static str]),
}
use End::{Badly, Well};

/// What happens to the requests of a method, and what a read and a write come to then.
struct Case {
    name: &'static str,
    method: &'static str,
    fault: Fault,
    /// How many requests it happens to.
    times: usize,
    read: End,
    write: End,
    /// How many bookings the one that was asked for made.
    booked: u64,
}

const ALWAYS: usize = usize::MAX;
const UNKNOWN: &str = "The outcome is unknown";
const NO_SESSION: Fault = Fault::Status(404, "Content-Type: text/plain\r\n", "Not Found: Session not found");

/// What is the same whether the server has sessions or not.
fn cases() -> Vec<Case> {
    let case = |name, fault, times, read, write, booked| {
        let method = "tools/call";
        Case { name, method, fault, times, read, write, booked }
    };
    let thrice = Badly("failed", true, 3, &["failed after 3 attempts"]);
    let unknown = Badly("failed", false, 1, &[UNKNOWN]);
    let busy = Fault::Status(429, "Retry-After: 1\r\n", "");
    let busy_for_long = Fault::Status(429, "Retry-After: 3600\r\n", "");
    let broken = Fault::Status(500, "Content-Type: text/plain\r\n", "the shelf fell down");
    // the same page for ever
    let loops = json!({
        "tools": [
            { "name": "balance", "inputSchema": { "type": "object" }, "annotations": { "readOnlyHint": true } },
            { "name": "book", "inputSchema": { "type": "object" }, "annotations": { "readOnlyHint": false } },
        ],
        "nextCursor": "again", "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
    });
    vec![
        case(
            "no answer",
            Fault::Silence,
            ALWAYS,
            Badly("timeout", true, 1, &["timed out after 2500ms"]),
            Badly("timeout", false, 1, &[UNKNOWN]),
            0,
        ),
        case("an answer that is cut off", Fault::CutOff, ALWAYS, thrice, unknown, 1),
        case("an answer that is cut off, once", Fault::CutOff, 1, Well(2), unknown, 1),
        case("a reset", Fault::Reset, ALWAYS, thrice, unknown, 0),
        case("a reset, once", Fault::Reset, 1, Well(2), unknown, 0),
        case(
            "500",
            broken,
            ALWAYS,
            Badly("failed", false, 1, &["500", "the shelf fell down"]),
            Badly("failed", false, 1, &["500", "the shelf fell down", UNKNOWN]),
            0,
        ),
        case(
            "429",
            busy.clone(),
            ALWAYS,
            Badly("failed", true, 3, &["failed after 3 attempts", "429"]),
            Badly("failed", true, 1, &["429"]),
            0,
        ),
        case("429, once", busy, 1, Well(2), Badly("failed", true, 1, &["429"]), 0),
        case(
            "429 until when nobody waits",
            busy_for_long,
            ALWAYS,
            Badly("failed", true, 1, &["failed after 1 attempt", "429"]),
            Badly("failed", true, 1, &["429"]),
            0,
        ),
        case(
            "a line without an end",
            Fault::Endless,
            ALWAYS,
            Badly("failed", false, 1, &["longer than 16 MiB"]),
            Badly("failed", false, 1, &["longer than 16 MiB", UNKNOWN]),
            0,
        ),
        Case {
            method: "tools/list",
            ..case("a listing that loops", Fault::Result(loops), ALWAYS, Well(1), Well(1), 1)
        },
    ]
}

#[test]
fn a_server_without_sessions_goes_wrong() {
    let mut cases = cases();
    cases.push(Case {
        name: "404",
        method: "tools/call",
        fault: NO_SESSION,
        times: ALWAYS,
        read: Badly("failed", false, 1, &["404", "Session not found"]),
        write: Badly("failed", false, 1, &["404", "Session not found"]),
        booked: 0,
    });
    hold(ACCOUNTS, "/bdk-tests/v1/mcp", cases);
}

#[test]
fn a_server_with_sessions_goes_wrong() {
    let mut cases = cases();
    let gone = |name, times, read, write, booked| {
        let method = "tools/call";
        Case { name, method, fault: NO_SESSION, times, read, write, booked }
    };
    let never_there = &["session is gone"];
    cases.extend([
        gone("the session is gone", 1, Well(1), Well(1), 1),
        gone(
            "every session is gone at once",
            ALWAYS,
            Badly("failed", true, 3, never_there),
            Badly("failed", true, 1, never_there),
            0,
        ),
    ]);
    hold(OLD, "/mcp", cases);
}

fn hold(server: &'static str, path: &str, cases: Vec<Case>) {
    thread::scope(|scope| {
        for case in cases {
            scope.spawn(move || {
                let server = Server::start(server, &[]);
                Place::new(&format!("{}{path}", server.url), case).holds();
            });
        }
    });
}

/// A bot whose server is behind a proxy, and another server, which is sound.
struct Place {
    bot: Server,
    proxy: Proxy,
    case: Case,
}

impl Place {
    fn new(server: &str, case: Case) -> Self {
        let proxy = Proxy::of(server);
        let bot = Server::start_with(PATRON, &[], |bot| {
            let patience = if matches!(case.fault, Fault::Silence) { "2500" } else { "30000" };
            bot.env("PATRON_URL", &proxy.url).env("PATRON_PATIENCE", patience);
            bot.env("PATRON_COMMAND", json!([OLD]).to_string());
        });
        Self { bot, proxy, case }
    }

    fn holds(&self) {
        let name = self.case.name;
        self.others();
        let doors = [Door::Http, Door::Mcp(Client::session(&self.bot, json!({})))];
        let mut booked = 0;
        let mut said = Vec::new();
        for door in &doors {
            for (tool, end) in [("balance", self.case.read), ("book", self.case.write)] {
                let outcome = self.in_trouble(door, tool);
                said.push(is(name, end, &outcome));
                booked += if tool == "book" { self.case.booked } else { 0 };
                // all is well again
                let balance = door.call(&self.bot, "balance");
                assert_eq!(is(name, Well(1), &balance), booked.to_string(), "{name}, {tool}: {}", self.bot.stderr());
            }
        }
        // whichever way it was asked
        assert_eq!(said[0], said[2].replace(&format!("{}", self.case.booked), "0"), "{name}");
        let (_, tools) = self.bot.anyone().get("tools");
        let of =
            |name: &str| tools["tools"].as_array().expect("tools").iter().filter(|tool| tool["name"] == name).count();
        assert_eq!(["balance", "book"].map(of), [1, 1], "{name}: {tools}");
        if self.case.method == "tools/list" {
            self.bot.logged("repeats itself");
        }
    }

    /// Calls the tool while the fault is there, and looks after the others meanwhile.
    fn in_trouble(&self, door: &Door, tool: &str) -> Value {
        thread::scope(|scope| {
            if self.case.method == "tools/call" || self.proxy.asked("tools/call") == 0 {
                self.proxy.breaks(self.case.method, self.case.fault.clone(), self.case.times);
            }
            let calling = scope.spawn(|| door.call(&self.bot, tool));
            self.proxy.has_struck();
            self.others();
            if matches!(self.case.fault, Fault::Silence) {
                assert!(!calling.is_finished(), "the others wait for the one that has no answer");
            }
            let outcome = calling.join().expect("an outcome");
            self.proxy.mends();
            outcome
        })
    }

    fn others(&self) {
        assert_eq!(self.bot.get("/healthz").status, 200, "{}", self.case.name);
        let input = json!({ "input": { "connection": "near", "tool": "balance" } });
        let other = self.bot.anyone().post("tools/relay", &input).1;
        assert_eq!(other["result"]["content"][0]["text"], "0", "{}: {other}", self.case.name);
    }
}

/// Sees to it that the call ended so, and gives what it says.
#[track_caller]
fn is(name: &str, end: End, outcome: &Value) -> String {
    // over MCP the result is alone, and what else there is to say stands in `_meta`
    let over_mcp = outcome["result"].is_null();
    let result = if over_mcp { outcome } else { &outcome["result"] };
    let error = if over_mcp { &outcome["_meta"]["bdk/error"] } else { &outcome["error"] };
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{name}: {outcome}"));
    let attempts = match end {
        Well(attempts) => {
            assert!(result["isError"] != true && error.is_null(), "{name}: {outcome}");
            attempts
        }
        Badly(code, retryable, attempts, words) => {
            assert_eq!(result["isError"], true, "{name}: {outcome}");
            let is_code = error["code"] == code;
            assert!(is_code && error["retryable"] == retryable, "{name}, {code}: {outcome}");
            assert!(words.iter().all(|words| text.contains(words)), "{name}, {words:?}: {outcome}");
            assert_eq!(text.contains(UNKNOWN), words.contains(&UNKNOWN), "{name}: {outcome}");
            attempts
        }
    };
    assert!(over_mcp || outcome["attempts"] == attempts, "{name}: {outcome}");
    text.to_owned()
}

enum Door {
    Http,
    Mcp(Client),
}

impl Door {
    fn call(&self, bot: &Server, tool: &str) -> Value {
        let input = if tool == "book" { json!({ "what": "ink" }) } else { json!({}) };
        match self {
            Self::Http => bot.anyone().post(&format!("tools/{tool}"), &json!({ "input": input })).1,
            Self::Mcp(client) => client.call_to_its_end(tool, input),
        }
    }
}
