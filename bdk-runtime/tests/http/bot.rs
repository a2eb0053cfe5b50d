//! The bot's tools.

use bdk_runtime::{
    __private::{Body, CallCx, Slots, ToolDef, ToolRef, ToolResult, ToolsDef, at},
    Effect, ToolContext, ToolDefinition,
};
use serde_json::{Value, json};
use std::sync::{
    Arc, Condvar, Mutex,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::Notify;

bdk_runtime::__private::inventory::submit! { ToolsDef { make: tools, at: at!() } }
bdk_runtime::__private::inventory::submit! { ToolRef(&BLOCK) }

/// How often the write ran.
pub(crate) static WRITES: AtomicUsize = AtomicUsize::new(0);

fn tool(name: &str, properties: Value) -> ToolDefinition {
    let required: Vec<&String> = properties.as_object().unwrap().keys().collect();
    let schema =
        json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
    ToolDefinition::new(name).description(format!("The tool {name}.")).input_schema(schema).effect(Effect::Read)
}

fn tools() -> Vec<ToolDefinition> {
    vec![
        tool("echo", json!({ "nonce": { "type": "string" } }))
            .handler(async |input: Value, _ctx: ToolContext| Ok(json!({ "nonce": input["nonce"] }))),
        tool("yielding_echo", json!({ "nonce": { "type": "string" } })).handler(
            async |input: Value, _ctx: ToolContext| {
                tokio::task::yield_now().await;
                tokio::time::sleep(std::time::Duration::from_millis(1)).await;
                Ok(json!({ "nonce": input["nonce"] }))
            },
        ),
        tool("fail", json!({}))
            .handler(async |_input: Value, _ctx: ToolContext| Err::<Value, _>("no such berth".into())),
        tool("boom", json!({})).handler(async |_input: Value, _ctx: ToolContext| {
            if WRITES.load(Ordering::SeqCst) < usize::MAX {
                panic!("with a secret: hunter2");
            }
            Ok(json!(null))
        }),
        tool("who", json!({})).handler(async |_input: Value, ctx: ToolContext| {
            let auth = &ctx.session().auth;
            Ok(json!({ "kind": auth.kind, "subject": auth.subject, "attributes": auth.attributes }))
        }),
        tool("facts", json!({})).handler(async |_input: Value, ctx: ToolContext| {
            Ok(json!({ "dryRun": ctx.is_dry_run(), "asOf": ctx.as_of().map(|t| t.to_string()) }))
        }),
        tool("write", json!({})).effect(Effect::Write).handler(async |_input: Value, _ctx: ToolContext| {
            WRITES.fetch_add(1, Ordering::SeqCst);
            Ok(json!("written"))
        }),
        tool(
            "publish",
            json!({ "name": { "type": "string" }, "mime": { "type": "string" }, "content": { "type": "string" } }),
        )
        .handler(async |input: Value, ctx: ToolContext| {
            let text = |name: &str| input[name].as_str().unwrap_or_default().to_owned();
            Ok(ctx.artifacts().publish(text("name"), text("mime"), text("content")).await?)
        }),
        tool("hang", json!({ "id": { "type": "string" } })).handler(async |input: Value, _ctx: ToolContext| {
            let run = Run::of(input["id"].as_str().unwrap());
            let _gone = Gone(run.clone());
            run.started.notify_one();
            run.release.notified().await;
            Ok(json!("released"))
        }),
    ]
}

/// What a test knows of one run of `hang`.
pub(crate) struct Run {
    pub(crate) started: Notify,
    pub(crate) release: Notify,
    pub(crate) gone: Notify,
}

static RUNS: Mutex<Vec<(String, Arc<Run>)>> = Mutex::new(Vec::new());

impl Run {
    pub(crate) fn of(id: &str) -> Arc<Self> {
        let mut runs = RUNS.lock().unwrap();
        if let Some((_, run)) = runs.iter().find(|(known, _)| known == id) {
            return run.clone();
        }
        let run = Arc::new(Self { started: Notify::new(), release: Notify::new(), gone: Notify::new() });
        runs.push((id.to_owned(), run.clone()));
        run
    }
}

/// Tells when the future of a run is dropped, or ends.
struct Gone(Arc<Run>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.gone.notify_one();
    }
}

/// How many runs of `block` wait, and whether they may go on.
pub(crate) static BLOCKED: (Mutex<(usize, bool)>, Condvar) = (Mutex::new((0, false)), Condvar::new());

static BLOCK: ToolDef =
    ToolDef::new("block", "Block a thread until the test says so.", &[], Body::Blocking(block), at!());

fn block(_: &CallCx, _: &mut Slots) -> ToolResult {
    let mut state = BLOCKED.0.lock().unwrap();
    state.0 += 1;
    BLOCKED.1.notify_all();
    while !state.1 {
        state = BLOCKED.1.wait(state).unwrap();
    }
    Ok(bdk_runtime::tool::Output::Unit)
}
