//! `call --url`: the same call, of a bot that runs elsewhere.

use super::{
    args::CallArgs,
    input,
    output::Stop,
    running::{Found, Running, encoded, finish},
};
use http::{HeaderName, Method};
use serde::Serialize;
use serde_json::value::RawValue;
use std::process::ExitCode;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Calls a tool of a running bot and prints its answer.
pub(super) async fn call(args: &CallArgs, url: &str) -> Result<ExitCode, Stop> {
    let input = input::read(&args.input)?;
    let body = Body {
        input: &input,
        session_id: args.session.as_deref(),
        continuation_token: args.continuation.as_deref(),
        dry_run: args.dry_run,
        as_of: args.as_of.map(|t| t.to_string()),
    };
    let body = serde_json::to_vec(&body).map_err(|e| Stop::usage(format!("--input cannot be sent: {e}")))?;
    let running = match Running::find(url, args.bearer_token_env.as_deref(), args.agent.as_deref()).await? {
        Found::At(running) => running,
        Found::Refused(client, answer) => return finish(&client, &answer),
    };
    let key = args.idempotency_key.as_deref().map(|key| (IDEMPOTENCY_KEY, key));
    let route = format!("/tools/{}", encoded(&args.tool));
    let answer = running.send(Method::POST, &route, key.as_slice(), body).await?;
    running.finish(&answer)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    input: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    continuation_token: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    as_of: Option<String>,
}
