//! The doors of one bot: HTTP, in process, and MCP in its versions.

use bdk::{CallOptions, ServeHandle};
use bdk_tests::mcp::{Client, Era, id, request, text};
use serde_json::{Value, json};

/// The kitchen in this process, and how it is reached over the network.
pub(crate) struct Bot {
    pub(crate) handle: ServeHandle,
    http: Client,
}

/// Which facts a call is made with.
#[derive(Clone, Copy)]
pub(crate) enum In<'a> {
    /// No session.
    Nothing,
    /// This session.
    Session(&'a str),
}

impl Bot {
    async fn start() -> Self {
        let handle = bdk::Server::new().port(0).state("memory:").start().await.expect("it starts");
        let http = Client {
            addr: handle.addr().to_string(),
            path: handle.prefix().to_owned(),
            era: Era::NoSession,
            headers: Vec::new(),
            accept: bdk_tests::mcp::BOTH.to_owned(),
            kept: None,
        };
        Self { handle, http }
    }

    pub(crate) fn at(&self, route: &str) -> Client {
        Client { path: format!("{}/{route}", self.http.path), ..self.http.clone() }
    }

    /// Opens a session over HTTP, so that its callers there are its owner.
    pub(crate) fn open(&self, facts: &Value) -> String {
        let opened = self.at("session").post(&[], facts.to_string().as_bytes()).whole();
        assert_eq!(opened.status, 200, "{opened:?}");
        opened.json()["sessionId"].as_str().expect("an id").to_owned()
    }

    pub(crate) fn http(&self, tool: &str, input: &Value, inside: In<'_>) -> Value {
        let mut body = json!({ "input": input });
        if let In::Session(id) = inside {
            body["sessionId"] = id.into();
        }
        let answer = self.at(&format!("tools/{tool}")).post(&[], body.to_string().as_bytes()).whole();
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    pub(crate) async fn in_process(&self, tool: &str, input: &Value, inside: In<'_>) -> Value {
        let options = match inside {
            In::Nothing => CallOptions::new(),
            In::Session(id) => CallOptions::new().session(id),
        };
        let outcome = self.handle.call_tool_with(tool, input.clone(), options).await.expect("it is there");
        serde_json::to_value(outcome).expect("JSON")
    }

    /// A client of each kind.
    pub(crate) fn mcp(&self, inside: In<'_>) -> [Client; 3] {
        let client = match inside {
            In::Nothing => self.at("mcp"),
            In::Session(id) => self.at(&format!("mcp?session={id}")),
        };
        let stateless = Client { era: Era::Stateless(json!({})), ..client.clone() };
        [client.clone().initialized("2025-11-25", json!({})), client, stateless]
    }

    /// What comes of a call at every door but the command line: over HTTP and in process as an outcome, over MCP as a result.
    pub(crate) async fn everywhere(&self, tool: &str, input: &Value, inside: In<'_>) -> (Vec<Value>, Vec<Value>) {
        let outcomes = vec![self.http(tool, input, inside), self.in_process(tool, input, inside).await];
        let call = |client: &Client| {
            let params = json!({ "name": tool, "arguments": input });
            client.send(&request(id(), "tools/call", params)).said().1["result"].clone()
        };
        (outcomes, self.mcp(inside).iter().map(call).collect())
    }

    /// The events of a session behind its opening.
    pub(crate) async fn events(&self, session: &str) -> Vec<Value> {
        let events = self.handle.session(session).events(2).await.expect("events");
        events.iter().map(|event| serde_json::to_value(event).expect("JSON")).collect()
    }
}

pub(crate) fn with_bot(test: impl AsyncFnOnce(Bot)) {
    bdk::__private::block_on(async {
        test(Bot::start().await).await;
    });
}

/// What must be the same at every door: all but the id, the time it took, and that HTTP says that it answered.
pub(crate) fn essence(mut outcome: Value) -> Value {
    let members = outcome.as_object_mut().unwrap_or_else(|| panic!("an outcome"));
    for name in ["ok", "callId", "durationMs"] {
        members.remove(name);
    }
    outcome
}

/// Whether an MCP result is this outcome.
#[track_caller]
pub(crate) fn is_outcome(result: &Value, outcome: &Value) {
    let failed = outcome["isError"] == true;
    assert_eq!(result["isError"] == true, failed, "{result} {outcome}");
    assert_eq!(result["_meta"].get("bdk/error"), outcome.get("error"), "{result} {outcome}");
    assert_eq!(result["_meta"]["bdk/stubbed"] == true, outcome["stubbed"] == true, "{result} {outcome}");
    let value = &outcome["result"];
    match value {
        _ if failed || outcome["toolName"] == "envelope" => {
            assert_eq!(result["content"], value["content"]);
            assert_eq!(result.get("structuredContent"), value.get("structuredContent"));
        }
        Value::Null => assert!(matches!(text(result), "Done." | "null"), "{result}"),
        Value::String(said) => assert_eq!(text(result), said),
        value => {
            assert_eq!(&serde_json::from_str::<Value>(text(result)).expect("JSON"), value);
            if value.is_object() {
                assert_eq!(&result["structuredContent"], value);
            }
        }
    }
}

/// Without the ids that a panic's text names.
pub(crate) fn without_id(outcome: &Value, value: Value) -> Value {
    let Some(id) = outcome["callId"].as_str() else { return value };
    serde_json::from_str(&value.to_string().replace(id, "…")).expect("JSON")
}
