//! What the OpenAPI document says of sessions.

use super::{answer, reference};
use serde_json::{Map, Value, json};

/// What a refused request may answer, with its statuses.
const REFUSED: [(&str, &str); 10] = [
    ("400", "invalid_request"),
    ("401", "unauthorized"),
    ("403", "forbidden"),
    ("404", "unknown_session: there is none, or it is somebody else's"),
    ("408", "invalid_request: the body stopped coming"),
    ("409", "conflict: a stale token, or a session that takes no follow-up"),
    ("413", "too_large"),
    ("415", "unsupported_media_type"),
    ("500", "internal"),
    ("503", "internal: the bot's state cannot be read or written now"),
];

/// What an event holds.
const DATA: &str = "Of `actions.requested`: `actions`, a list of one with callId, toolName, input, effect, caller and, where a \
                    tool made the call, parent. Of `action.result`: toolName, callId, isError, result, durationMs, attempts, \
                    stubbed and, where there is one, error. An `input` or `result` of more than 64 KiB of JSON is a string, the \
                    beginning of that JSON, and beside it stands `inputBytes` or `resultBytes`, how long all of it was. A write's \
                    request is written before it runs; a read's request and result are written together when it ends.";

/// Adds the paths of sessions, and what they are made of.
pub(super) fn add(paths: &mut Map<String, Value>, schemas: &mut Map<String, Value>) {
    schemas.insert("Session".into(), session());
    schemas.insert("Event".into(), event());
    paths.insert("/session".into(), json!({ "post": open() }));
    paths.insert(
        "/session/{id}".into(),
        json!({
            "parameters": [id()],
            "get": show(),
            "post": follow_up(),
            "delete": operation(
                "Deletes a session: what runs in it is cancelled, its events, files and workspace go.",
                answer("It is gone.", &object(&[("ok", json!({ "const": true })), ("sessionId", string())], &[])),
                &["401", "403", "404", "500", "503"],
            ),
        }),
    );
    paths.insert("/session/{id}/events".into(), json!({ "parameters": [id()], "get": events() }));
    paths.insert("/sessions".into(), json!({ "get": list() }));
}

fn open() -> Value {
    let body = object(
        &[
            ("message", json!({ "type": "string", "description": "Begins a turn; this bot takes none yet." })),
            ("title", json!({ "type": "string", "maxLength": 200 })),
            ("mode", json!({ "enum": ["chat", "task"], "default": "chat" })),
            ("purpose", json!({ "type": "string", "maxLength": 2000 })),
            ("dryRun", json!({ "type": "boolean", "default": false, "description": "Reads run, writes are stubbed." })),
            (
                "asOf",
                json!({ "type": "string", "format": "date-time", "description": "Freezes the time of its calls." }),
            ),
            (
                "state",
                json!({ "description": "What its tools should know of it: JSON of at most 64 KiB.", "default": {} }),
            ),
        ],
        &[],
    );
    let opened = object(
        &[
            ("ok", json!({ "const": true })),
            ("sessionId", string()),
            ("continuationToken", string()),
            ("traceUrl", json!({ "type": "string", "format": "uri" })),
            ("playgroundUrl", json!({ "type": ["string", "null"] })),
        ],
        &[],
    );
    let mut out = operation(
        "Opens a session. Nothing of what is said here changes afterwards.",
        answer("It is open.", &required(opened)),
        &["400", "401", "403", "408", "413", "415", "500", "503"],
    );
    out["requestBody"] = request(false, body);
    out
}

fn show() -> Value {
    let detail = json!({ "allOf": [
        reference("Session"),
        object(&[("ok", json!({ "const": true })), ("traceUrl", json!({ "type": "string", "format": "uri" }))], &["ok"]),
    ] });
    operation("A session as it is now.", answer("The session.", &detail), &["401", "403", "404", "500", "503"])
}

fn follow_up() -> Value {
    let body = object(
        &[
            ("continuationToken", json!({ "type": "string", "description": "The one that it has now." })),
            ("message", json!({ "type": "string", "description": "Begins a turn; this bot takes none yet." })),
        ],
        &["continuationToken"],
    );
    let exchanged =
        object(&[("ok", json!({ "const": true })), ("sessionId", string()), ("continuationToken", string())], &[]);
    let mut out = operation(
        "Exchanges the session's continuation token.",
        answer("It has another token.", &required(exchanged)),
        &["400", "401", "403", "404", "408", "409", "413", "415", "500", "503"],
    );
    out["requestBody"] = request(true, body);
    out
}

fn events() -> Value {
    let mut out = operation(
        "A session's events, and then those that come, until it is deleted or the bot ends.",
        json!({
            "description": "One event a line; as server-sent events, `id` is the index, `event` the type, and `data` the line.",
            "content": {
                "application/x-ndjson": { "schema": reference("Event") },
                "text/event-stream": { "schema": { "type": "string" } },
            },
        }),
        &["400", "401", "403", "404", "500", "503"],
    );
    out["parameters"] = json!([
        query("from", "The index of the first event. `Last-Event-ID` wins over it.", &json!({ "type": "integer", "minimum": 0, "default": 0 })),
        query("follow", "Whether to go on when there are no more.", &json!({ "type": "boolean", "default": true })),
        {
            "name": "Last-Event-ID",
            "in": "header",
            "description": "The index of the last event that was received: begins behind it, whatever `from` says.",
            "schema": { "type": "integer", "minimum": 0 },
        },
    ]);
    out
}

fn list() -> Value {
    let page = object(
        &[
            ("ok", json!({ "const": true })),
            ("sessions", json!({ "type": "array", "items": reference("Session") })),
            (
                "nextCursor",
                json!({ "type": "string", "description": "Where the next page begins; absent on the last." }),
            ),
        ],
        &["ok", "sessions"],
    );
    let mut out = operation(
        "The caller's sessions without their state, the youngest first.",
        answer("A page of them.", &page),
        &["400", "401", "403", "500", "503"],
    );
    out["parameters"] = json!([
        query("cursor", "A `nextCursor`.", &string()),
        query(
            "limit",
            "How many a page has.",
            &json!({ "type": "integer", "minimum": 1, "maximum": 1000, "default": 100 })
        ),
    ]);
    out
}

fn session() -> Value {
    let principal = object(
        &[("kind", string()), ("subject", string()), ("attributes", json!({ "type": "object" }))],
        &["kind", "subject"],
    );
    let instant = || json!({ "type": "string", "format": "date-time" });
    let maybe = || json!({ "type": ["string", "null"] });
    let names = [
        ("sessionId", string()),
        ("agent", string()),
        ("mode", json!({ "enum": ["chat", "task"] })),
        ("status", json!({ "enum": ["waiting", "running", "completed", "failed"] })),
        ("title", maybe()),
        ("purpose", maybe()),
        ("dryRun", json!({ "type": "boolean" })),
        ("asOf", json!({ "type": ["string", "null"], "format": "date-time" })),
        ("auth", principal),
        ("createdAt", instant()),
        ("updatedAt", instant()),
        ("events", json!({ "type": "integer", "minimum": 0 })),
        ("continuationToken", string()),
    ];
    let mut out = required(object(&names, &[]));
    out["properties"]["state"] = json!({ "description": "What its opener left in it; absent in a listing." });
    out
}

fn event() -> Value {
    required(object(
        &[
            ("index", json!({ "type": "integer", "minimum": 0 })),
            ("type", string()),
            ("at", json!({ "type": "string", "format": "date-time" })),
            ("data", json!({ "type": "object", "description": DATA })),
        ],
        &[],
    ))
}

fn operation(summary: &str, ok: Value, refused: &[&str]) -> Value {
    let mut responses = Map::from_iter([("200".to_owned(), ok)]);
    for (status, description) in REFUSED.iter().filter(|(status, _)| refused.contains(status)) {
        responses.insert((*status).to_owned(), answer(description, &reference("Refused")));
    }
    json!({ "summary": summary, "responses": responses })
}

fn id() -> Value {
    json!({ "name": "id", "in": "path", "required": true, "description": "`ses_…`", "schema": string() })
}

fn query(name: &str, description: &str, schema: &Value) -> Value {
    json!({ "name": name, "in": "query", "description": description, "schema": schema })
}

fn request(needed: bool, mut schema: Value) -> Value {
    schema["additionalProperties"] = false.into();
    json!({ "required": needed, "content": { "application/json": { "schema": schema } } })
}

fn object(properties: &[(&str, Value)], required: &[&str]) -> Value {
    let properties: Map<String, Value> = properties.iter().map(|(name, v)| ((*name).to_owned(), v.clone())).collect();
    let mut out = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        out["required"] = json!(required);
    }
    out
}

/// An object all of whose properties are there.
fn required(mut object: Value) -> Value {
    let names: Vec<String> =
        object["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
    object["required"] = names.into();
    object
}

fn string() -> Value {
    json!({ "type": "string" })
}
