//! `GET …/openapi.json`: an OpenAPI 3.1 document made from the registry. Its schemas are the advertised ones, which are
//! JSON Schema 2020-12 already, as OpenAPI 3.1 has it.

mod session;

use super::surface::Security;
use crate::{
    bot::Bot,
    registry::{Registry, Tool},
};
use serde_json::{Map, Value, json};

/// What a refused call may answer, with its statuses.
const REFUSED: [(&str, &str); 9] = [
    ("400", "invalid_request"),
    ("401", "unauthorized"),
    ("403", "forbidden"),
    ("404", "unknown_tool, unknown_session"),
    ("408", "invalid_request: the body stopped coming"),
    ("413", "too_large"),
    ("415", "unsupported_media_type"),
    ("500", "internal"),
    ("503", "internal: the bot's state cannot be read or written now"),
];

/// The document of a bot with these tools whose routes stand under `server`.
pub(super) fn document(bot: &Bot, registry: &Registry, server: &str, security: Security) -> Value {
    let mut schemas = Map::new();
    schemas.insert("Refused".into(), refused());
    schemas.insert("ErrorResult".into(), error_result());
    schemas.insert("CallError".into(), call_error());
    let mut paths = Map::new();
    for tool in registry.tools() {
        paths.insert(format!("/tools/{}", tool.name()), path(tool, &mut schemas));
    }
    for (route, summary) in [
        ("/tools", "The tools, with their schemas; `?cursor=` of `nextCursor` gives the next page."),
        ("/info", "What this bot is."),
        ("/openapi.json", "This document."),
    ] {
        let answer =
            json!({ "description": summary, "content": { "application/json": { "schema": { "type": "object" } } } });
        paths.insert(route.into(), json!({ "get": { "summary": summary, "responses": { "200": answer } } }));
    }
    paths.insert("/artifacts/{id}/content".into(), artifact());
    session::add(&mut paths, &mut schemas);
    let mut components = json!({ "schemas": schemas });
    let mut out = json!({
        "openapi": "3.1.0",
        "info": { "title": bot.identity().name, "version": bot.identity().version },
        "servers": [{ "url": server }],
        "paths": paths,
    });
    if security.bearer {
        components["securitySchemes"] = json!({ "bearer": { "type": "http", "scheme": "bearer" } });
        out["security"] = if security.anonymous { json!([{ "bearer": [] }, {}]) } else { json!([{ "bearer": [] }]) };
    }
    out["components"] = components;
    out
}

fn artifact() -> Value {
    let id = json!({ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } });
    let content =
        json!({ "description": "Its bytes, with the media type it was published with.", "content": { "*/*": {} } });
    json!({ "get": {
        "summary": "What a tool published for its caller.",
        "parameters": [id],
        "responses": { "200": content, "404": answer("unknown_route: none of the caller's has this id.", &reference("Refused")) },
    } })
}

fn path(tool: &Tool, schemas: &mut Map<String, Value>) -> Value {
    let input = component(tool, "input", tool.input_schema().clone(), schemas);
    let needed = tool.input_schema()["required"].as_array().is_some_and(|required| !required.is_empty());
    let mut body = json!({
        "type": "object",
        "properties": {
            "input": input,
            "dryRun": { "type": "boolean", "description": "Reads run, writes are stubbed." },
            "asOf": { "type": "string", "format": "date-time", "description": "Freezes the call's time." },
            "sessionId": {
                "type": "string",
                "description": "The session that the call is part of. It has its own dryRun and asOf, which cannot stand beside it.",
            },
            "continuationToken": {
                "type": "string",
                "description": "In the place of sessionId: the session that has this token now. A call does not change it.",
            },
            "callId": { "type": "string", "description": "As the header Idempotency-Key: one of the two." },
        },
        "additionalProperties": false,
    });
    if needed {
        body["required"] = json!(["input"]);
    }
    let result = match tool.output_schema() {
        Some(schema) => json!({ "anyOf": [component(tool, "output", schema, schemas), reference("ErrorResult")] }),
        None => json!({}),
    };
    let outcome = json!({
        "type": "object",
        "properties": {
            "ok": { "const": true },
            "toolName": { "const": tool.name() },
            "callId": { "type": "string" },
            "isError": { "type": "boolean" },
            "result": result,
            "durationMs": { "type": "integer", "minimum": 0 },
            "attempts": { "type": "integer", "minimum": 0 },
            "stubbed": { "type": "boolean" },
            "error": reference("CallError"),
        },
        "required": ["ok", "toolName", "callId", "isError", "result", "durationMs", "attempts", "stubbed"],
    });
    let mut responses = Map::new();
    responses
        .insert("200".into(), answer("How the call ended; a tool that fails is `isError`, not refused.", &outcome));
    for (status, description) in REFUSED {
        responses.insert(status.into(), answer(description, &reference("Refused")));
    }
    let mut post = json!({ "operationId": tool.name() });
    if let Some(title) = tool.title() {
        post["summary"] = title.into();
    }
    post["description"] = tool.description().into();
    let traceparent = json!({
        "name": "traceparent",
        "in": "header",
        "description": "The caller's place in a distributed trace (W3C Trace Context): the call's span and record carry it.",
        "schema": { "type": "string" },
    });
    post["parameters"] = json!([{
        "name": "Idempotency-Key",
        "in": "header",
        "description": "A write that is repeated with it within a day, by the same caller, does not run again and answers what the first one came to. With another tool, another input or another session the key is refused; dryRun and asOf do not count.",
        "schema": { "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$" },
    }, traceparent]);
    post["requestBody"] = json!({ "required": needed, "content": { "application/json": { "schema": body } } });
    post["responses"] = responses.into();
    json!({ "post": post })
}

fn answer(description: &str, schema: &Value) -> Value {
    json!({ "description": description, "content": { "application/json": { "schema": schema } } })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// Puts a schema of a tool among the components, where its own references still lead to its own parts.
fn component(tool: &Tool, part: &str, mut schema: Value, schemas: &mut Map<String, Value>) -> Value {
    let name = format!("{}.{part}", tool.name());
    rebase(&mut schema, &format!("#/components/schemas/{name}"));
    schemas.insert(name.clone(), schema);
    reference(&name)
}

/// Lets references within a schema start at its place in the document.
fn rebase(schema: &mut Value, base: &str) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(target) if name == "$ref" => {
                        if let Some(pointer) = target.strip_prefix('#') {
                            *target = format!("{base}{pointer}");
                        }
                    }
                    // data, not schemas
                    _ if matches!(name.as_str(), "const" | "enum" | "default" | "examples") => {}
                    value => rebase(value, base),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rebase(item, base)),
        _ => {}
    }
}

fn refused() -> Value {
    json!({
        "type": "object",
        "properties": { "ok": { "const": false }, "error": { "type": "string" }, "message": { "type": "string" } },
        "required": ["ok", "error", "message"],
    })
}

fn error_result() -> Value {
    json!({
        "type": "object",
        "properties": { "content": { "type": "array", "items": { "type": "object" } }, "isError": { "const": true } },
        "required": ["content", "isError"],
    })
}

fn call_error() -> Value {
    let issue = json!({
        "type": "object",
        "properties": {
            "path": { "type": "string" },
            "message": { "type": "string" },
            "expected": { "type": "string" },
            "received": { "type": "string" },
        },
        "required": ["path", "message"],
    });
    json!({
        "type": "object",
        "properties": {
            "code": { "enum": ["invalid_input", "as_of", "failed", "timeout", "panicked", "cancelled", "unavailable"] },
            "issues": { "type": "array", "items": issue },
            "retryable": { "type": "boolean" },
        },
        "required": ["code", "retryable"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_lead_to_the_schema_s_own_parts_also_in_the_document() {
        let mut schema = json!({
            "properties": { "next": { "$ref": "#/$defs/Node" }, "all": { "items": { "$ref": "#" } } },
            "default": { "$ref": "#" },
            "$defs": { "Node": { "$ref": "https://example.com/node" } },
        });
        rebase(&mut schema, "#/components/schemas/walk.input");
        assert_eq!(schema["properties"]["next"]["$ref"], "#/components/schemas/walk.input/$defs/Node");
        assert_eq!(schema["properties"]["all"]["items"]["$ref"], "#/components/schemas/walk.input");
        assert_eq!(schema["default"]["$ref"], "#");
        assert_eq!(schema["$defs"]["Node"]["$ref"], "https://example.com/node");
    }
}
