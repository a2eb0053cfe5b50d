//! Calls that ask, without a transport.

use super::*;
use crate::{
    Effect, Principal, SessionOptions, ToolContext, ToolDefinition,
    bot::Bot,
    call::line::Abilities,
    mcp::{
        Message,
        parked::{BYTES, CAP},
        session::Session,
        tools,
    },
    registry::Registry,
    session::{Bind, Live},
};
use std::{future::poll_fn, panic::Location, pin::pin, task::Poll, time::Duration};
use tokio::time::timeout;

const SOON: Duration = Duration::from_secs(20);

fn mcp() -> Arc<Mcp> {
    let tool = |name: &str| ToolDefinition::new(name).description("A tool.").effect(Effect::Read).no_timeout();
    let asks_and_stays = tool("asks_and_stays").handler(async |_: Value, ctx: ToolContext| {
        let _ = ctx.ask("Go on?").await?;
        std::future::pending::<()>().await;
        Ok("left")
    });
    let asks_and_leaves = tool("asks_and_leaves").handler(async |_: Value, ctx: ToolContext| {
        let mut ask = pin!(ctx.ask("Go on?"));
        poll_fn(|cx| {
            let _ = ask.as_mut().poll(cx);
            Poll::Ready(())
        })
        .await;
        Ok("left")
    });
    let bot = Bot::with(Registry::linked());
    bot.change(|registry| registry.with_tools([asks_and_stays, asks_and_leaves], Location::caller()).map(Some))
        .expect("tools");
    Mcp::new(bot)
}

fn request(id: &str, tool: &str) -> CallRequest {
    CallRequest {
        id: id.into(),
        tool: tool.to_owned(),
        message: Bytes::from(
            json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": tool } }).to_string(),
        ),
        progress_token: None,
        traceparent: None,
        key: None,
        input_responses: None,
        request_state: None,
    }
}

fn client(era: Era, session: &Arc<Session>) -> Client {
    Client { era, ..Client::of(session.clone()) }
}

fn session() -> Arc<Session> {
    Arc::new(Session::new(Principal::local(), Abilities { form: true, ..Abilities::default() }))
}

async fn last(answering: &mut Answering) -> (Value, bool) {
    match timeout(SOON, answering.next()).await.expect("it ends") {
        Event::Last(response) => (serde_json::from_slice(&response.json).expect("JSON"), response.cancelled),
        Event::Message(json) => panic!("{}", String::from_utf8_lossy(&json)),
    }
}

#[tokio::test]
async fn a_call_that_was_taken_up_again_is_cancelled_under_the_request_that_took_it_up() {
    let (mcp, session) = (mcp(), session());
    let client = || client(Era::Stateless, &session);
    let mut asks = Answering::begin(mcp.clone(), client(), request("1", "asks_and_stays")).expect("a call");
    let (asked, _) = last(&mut asks).await;
    drop(asks);
    let key = asked["result"]["inputRequests"].as_object().and_then(|r| r.keys().next().cloned()).expect("{asked}");
    let again = CallRequest {
        input_responses: Some(Map::from_iter([(key, json!({ "action": "accept" }))])),
        request_state: asked["result"]["requestState"].as_str().map(str::to_owned),
        ..request("2", "asks_and_stays")
    };
    let mut answering = Answering::begin(mcp, client(), again).expect("it waits");
    session.cancel("1");
    assert!(timeout(Duration::from_millis(50), answering.next()).await.is_err(), "that request is answered");
    session.cancel("2");
    let (ended, cancelled) = last(&mut answering).await;
    assert!(cancelled && ended["result"]["_meta"]["bdk/error"]["code"] == "cancelled", "{ended}");
}

#[tokio::test]
async fn a_call_that_waits_in_a_session_is_taken_up_in_that_session_alone() {
    let mcp = mcp();
    let open = async || {
        let sessions = &mcp.bot.state().sessions;
        let row = sessions.open(&mcp.bot, SessionOptions::new()).await.expect("opened");
        sessions.bind(&Bind::Id(row.id.as_ref().into()), None).await.expect("there")
    };
    let (one, other) = (open().await, open().await);
    let client = |bound: Option<&Arc<Live>>| client(Era::Stateless, &session()).within(bound.cloned());
    for (asked_in, refused_in, taken_up_in) in
        [(Some(&one), vec![None, Some(&other)], Some(&one)), (None, vec![Some(&one)], None)]
    {
        let mut asks = Answering::begin(mcp.clone(), client(asked_in), request("1", "asks_and_stays")).expect("a call");
        let (asked, _) = last(&mut asks).await;
        let again = || CallRequest {
            input_responses: Some(Map::new()),
            request_state: asked["result"]["requestState"].as_str().map(str::to_owned),
            ..request("2", "asks_and_stays")
        };
        for elsewhere in refused_in {
            let refused = Answering::begin(mcp.clone(), client(elsewhere), again());
            assert_eq!(refused.err().expect("refused").code, -32602);
        }
        assert!(Answering::begin(mcp.clone(), client(taken_up_in), again()).is_ok());
    }
}

#[tokio::test]
async fn a_question_that_nobody_waits_for_any_more_is_not_asked() {
    let mcp = mcp();
    for era in [Era::Sessions, Era::Stateless] {
        let client = client(era, &session());
        let mut answering = Answering::begin(mcp.clone(), client, request("1", "asks_and_leaves")).expect("a call");
        let (ended, _) = last(&mut answering).await;
        assert_eq!(ended["result"]["content"][0]["text"], "left", "{ended}");
    }
}

#[test]
fn a_response_with_a_result_and_an_error_is_no_yes() {
    let session = session();
    for both in [r#""result":{"action":"accept"},"error":{"message":"no"}"#, r#""error":{},"result":{}"#] {
        let (id, mut reply) = session.ask().expect("somebody to ask");
        let message = format!(r#"{{"jsonrpc":"2.0","id":"bdk-{id}",{both}}}"#);
        tools::replied(&session, &Message::parse(message.as_bytes()).expect("a message"));
        assert!(matches!(reply.try_recv(), Ok(Err(_))), "{message}");
    }
}

#[tokio::test]
async fn calls_that_wait_take_no_more_room_than_they_may() {
    let (mcp, session) = (mcp(), session());
    let long = "x".repeat(BYTES / 4);
    let call =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "asks_and_stays", "x": long } });
    let message = Bytes::from(call.to_string());
    let mut ended = Vec::new();
    for _ in 0..5 {
        let request = CallRequest { message: message.clone(), ..request("1", "asks_and_stays") };
        let client = client(Era::Stateless, &session);
        let mut answering = Answering::begin(mcp.clone(), client, request).expect("a call");
        let (response, _) = last(&mut answering).await;
        ended.push(response["result"]["resultType"] == "complete");
        if ended.last() == Some(&true) {
            assert_eq!(response["result"]["_meta"]["bdk/error"]["code"], "unavailable", "{response}");
        }
    }
    assert_eq!(ended, [false, false, false, true, true]);
}

#[tokio::test]
async fn whoever_has_too_many_calls_waiting_makes_room_for_those_who_have_fewer() {
    let mcp = mcp();
    let ask = async |who: &str, id: &str, state: Option<&str>| {
        let principal = Arc::new(Principal::new("test", who));
        let client = Client { principal, ..client(Era::Stateless, &session()) };
        let again = state.map(|_| Map::new());
        let request = CallRequest {
            request_state: state.map(str::to_owned),
            input_responses: again,
            ..request(id, "asks_and_stays")
        };
        let mut answering = Answering::begin(mcp.clone(), client, request).ok()?;
        last(&mut answering).await.0["result"]["requestState"].as_str().map(str::to_owned)
    };
    let few = ask("few", "1", None).await.expect("it waits");
    let oldest = ask("many", "2", None).await.expect("it waits");
    for _ in 2..CAP {
        assert!(ask("many", "2", None).await.is_some());
    }
    assert!(ask("many", "2", None).await.is_none(), "all room is taken");
    assert!(ask("new", "3", None).await.is_some());
    assert!(ask("few", "1", None).await.is_some());
    assert!(ask("many", "2", None).await.is_none());
    assert!(ask("many", "2", Some(&oldest)).await.is_none(), "it made room");
    assert!(ask("few", "1", Some(&few)).await.is_some());
}
