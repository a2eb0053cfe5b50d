//! A client over stdin and stdout that is bound to a session, in process.

use super::*;
use crate::{Effect, SessionOptions, ToolContext, ToolDefinition, registry::Registry};
use serde_json::json;
use std::{
    io::{BufRead, BufReader, Write},
    panic::Location,
};

/// Sends a message, and reads the answer's line.
fn exchange(input: &mut io::PipeWriter, answers: &mut impl BufRead, message: &Value) -> Value {
    writeln!(input, "{message}").expect("sent");
    let mut line = String::new();
    answers.read_line(&mut line).expect("an answer");
    serde_json::from_str(&line).expect("JSON")
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_of_a_bound_client_is_part_of_the_session_until_it_is_deleted() {
    let bot = Bot::with(Registry::linked());
    let tells = ToolDefinition::new("tells").description("Tell.").effect(Effect::Read).handler(
        async |_: Value, ctx: ToolContext| Ok(json!({ "id": ctx.session().id, "who": ctx.session().auth.subject })),
    );
    let writes = ToolDefinition::new("writes")
        .description("Write.")
        .effect(Effect::Write)
        .output_schema(json!({ "type": "object" }))
        .handler(async |_: Value, _: ToolContext| Ok(json!({ "written": true })));
    bot.change(|registry| registry.with_tools([tells, writes], Location::caller()).map(Some)).expect("tools");
    let ann = Principal::new("test", "ann");
    let options = SessionOptions::new().dry_run(true).principal(ann);
    let id: Arc<str> = bot.state().sessions.open(&bot, options).await.expect("opened").id;

    let (reads, mut input) = io::pipe().expect("a pipe");
    let (answers, writes) = io::pipe().expect("a pipe");
    let out = Out::new(std::fs::File::from(std::os::fd::OwnedFd::from(writes)));
    let served = tokio::spawn(serve(
        bot.clone(),
        Some(Bind::Id(id.as_ref().into())),
        reads,
        out,
        std::future::pending::<()>,
        Duration::from_secs(5),
    ));
    let mut answers = BufReader::new(answers);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let call = |name: &str, meta: &Value| json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": name, "_meta": meta } });
    // as rmcp judges what does not say all there is to say
    let odd = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    let (answered, (mut input, mut answers)) = tokio::task::spawn_blocking(move || {
        let mut say = |message: Value| exchange(&mut input, &mut answers, &message);
        let answered = [
            say(call("tells", &json!({}))),
            say(call("tells", &meta)),
            say(call("writes", &json!({}))),
            say(call("writes", &meta)),
            say(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" })),
            say(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": odd } })),
        ];
        (answered, (input, answers))
    })
    .await
    .expect("answers");
    for told in &answered[..2] {
        let told = &told["result"]["structuredContent"];
        assert_eq!(told, &json!({ "id": &*id, "who": "ann" }));
    }
    for stub in &answered[2..4] {
        let result = &stub["result"];
        assert_eq!(result["content"][0]["text"], "Operation acknowledged.", "{stub}");
        assert!(result.get("structuredContent").is_none() && result["_meta"]["bdk/stubbed"] == true, "{stub}");
    }
    let listed = &answered[4]["result"];
    assert_eq!(listed["_meta"]["bdk/dryRun"], true, "{listed}");
    let events = bot.state().sessions.events(&id, 0, 100).await.expect("events");
    let kinds: Vec<&str> = events.iter().skip(2).map(|event| &*event.kind).collect();
    assert_eq!(kinds, ["actions.requested", "action.result"].repeat(4));

    bot.state().sessions.delete(&id, None, &bot.state().workspaces).await.expect("deleted");
    let (refused, input) = tokio::task::spawn_blocking(move || {
        let refused = exchange(&mut input, &mut answers, &json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/list" }));
        (refused, input)
    })
    .await
    .expect("answers");
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(9), &json!(-32001)), "{refused}");
    assert!(refused["error"]["message"].as_str().is_some_and(|m| m.contains(&*id)), "{refused}");
    drop(input);
    served.await.expect("no panic").expect("served");
}
