//! Servers whose tools come and go while a bot has them among its own: the bot's listings, and whoever listens to them, follow.

use bdk_tests::{
    Server, eventually,
    mcp::{Client, Reading, is_change, text},
    peers,
};
use serde_json::{Value, json};
use std::{fs, thread, time::Duration};

const PATRON: &str = env!("CARGO_BIN_EXE_patron");
const CHANGING: &str = env!("CARGO_BIN_EXE_changing");

/// A bot with this server of MCP made with Python, which offers and withdraws what it is told to.
fn with_odd() -> Server {
    Server::start_with(PATRON, &[], |bot| {
        let (python, script) = peers::python_of("odd_server.py");
        let offered = json!({ "look": { "readOnlyHint": true } }).to_string();
        bot.env("PATRON_COMMAND", json!([python, script, offered]).to_string()).env("PATRON_PATIENCE", "60000");
    })
}

/// The names that `GET /tools` lists.
fn listed(bot: &Server) -> Vec<String> {
    let (_, answer) = bot.anyone().get("tools");
    let tools = answer["tools"].as_array().unwrap_or_else(|| panic!("{answer}")).iter();
    tools.map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

/// Those who want to know when the tools are others.
struct Listeners {
    clients: [Client; 3],
    streams: [Reading; 2],
}

impl Listeners {
    fn of(bot: &Server) -> Self {
        let clients = Client::of_every_kind(bot, &json!({}));
        // which opens the connection: what is told later is news
        for client in &clients {
            assert!(!client.names().contains(&"guest".to_owned()));
        }
        let streams = [clients[0].listen(), clients[2].subscribe(&json!({ "toolsListChanged": true }))];
        Self { clients, streams }
    }

    /// Each is told once, and then sees it.
    #[track_caller]
    fn are_told(&mut self, bot: &Server, there: bool) {
        for stream in &mut self.streams {
            let message = stream.message();
            assert!(is_change(&message), "{message}");
        }
        for client in &self.clients {
            assert_eq!(client.names().contains(&"guest".to_owned()), there);
        }
        assert_eq!(listed(bot).contains(&"guest".to_owned()), there);
        for stream in &mut self.streams {
            assert!(stream.is_quiet_for(Duration::from_millis(300)), "told twice: {stream:?}");
        }
    }
}

/// Orders that make the tool `guest` come and go.
fn comes_and_goes(bot: &Server, comes: &dyn Fn(), goes: &dyn Fn()) {
    let me = bot.anyone();
    let mut listeners = Listeners::of(bot);
    for _ in 0..2 {
        comes();
        listeners.are_told(bot, true);
        let called = me.post("tools/guest", &json!({})).1;
        assert_eq!(called["isError"], false, "{called}");
        for client in &listeners.clients {
            assert!(!text(&client.call("guest", json!({}))).is_empty());
        }
        goes();
        listeners.are_told(bot, false);
        let (status, unknown) = me.post("tools/guest", &json!({}));
        assert_eq!((status, &unknown["error"]), (404, &json!("unknown_tool")), "{unknown}");
        for client in &listeners.clients {
            let refused = client.begin("guest", json!({})).whole();
            assert_eq!(refused.refusal().1, -32602, "{refused:?}");
            assert!(refused.body.contains("guest"), "{refused:?}");
        }
    }
}

#[test]
fn tools_of_a_process_come_and_go_among_the_bots_own() {
    let bot = with_odd();
    let order = |what: &str| {
        let told = bot.anyone().post("tools/look", &json!({ "input": { "do": what, "name": "guest" } })).1;
        assert_eq!(told["isError"], false, "{told}");
    };
    comes_and_goes(&bot, &|| order("offer"), &|| order("withdraw"));
}

#[test]
fn tools_of_a_bot_over_http_come_and_go_among_another_bots_own() {
    let server = Server::start(CHANGING, &[]);
    let bot = Server::start_with(PATRON, &[], |bot| {
        bot.env("PATRON_URL", server.mcp());
    });
    // once by way of the bot, and once behind its back
    let by_way_of_it = |tool: &str| {
        let told = bot.anyone().post(&format!("tools/{tool}"), &json!({ "input": { "name": "guest" } })).1;
        assert_eq!(told["isError"], false, "{told}");
    };
    let behind_it = |tool: &str| {
        assert_eq!(server.call(tool, &json!({ "input": { "name": "guest" } })).1["isError"], false);
    };
    comes_and_goes(&bot, &|| by_way_of_it("add_tool"), &|| behind_it("remove_tool"));
}

#[test]
fn whoever_is_in_a_call_is_not_disturbed() {
    let bot = with_odd();
    let me = bot.anyone();
    let folder = tempfile::tempdir().expect("a folder");
    let mark = folder.path().join("mark");
    let wait = json!({ "do": "wait", "for": mark });
    let order = |what: &str| {
        let told = me.post("tools/look", &json!({ "input": { "do": what, "name": "guest" } })).1;
        assert_eq!(told["isError"], false, "{told}");
    };
    let mut listeners = Listeners::of(&bot);
    let in_look: Vec<Reading> = listeners.clients.iter().map(|client| client.begin("look", wait.clone())).collect();
    order("offer");
    listeners.are_told(&bot, true);
    // also of the very tool that goes meanwhile
    let in_guest: Vec<Reading> = listeners.clients.iter().map(|client| client.begin("guest", wait.clone())).collect();
    let at_door = thread::scope(|scope| {
        let at_door = scope.spawn(|| me.post("tools/guest", &json!({ "input": wait })).1);
        let came = || fs::read_dir(folder.path()).map(Iterator::count).ok().filter(|came| *came == 7);
        assert!(eventually(came).is_some(), "all have come to the server");
        order("withdraw");
        listeners.are_told(&bot, false);
        fs::write(&mark, "").expect("written");
        at_door.join().expect("an answer")
    });
    assert_eq!(at_door["isError"], false, "{at_door}");
    for reading in in_look.into_iter().chain(in_guest) {
        let (before, response): (Vec<Value>, Value) = reading.said();
        assert!(before.is_empty() && response["result"]["isError"] != true, "{before:?} {response}");
        let tool: Value = serde_json::from_str(text(&response["result"])).expect("JSON");
        assert!(tool["tool"] == "look" || tool["tool"] == "guest", "{response}");
    }
}
