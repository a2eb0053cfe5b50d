//! `call --url`: the same call, of a bot that runs elsewhere.

use super::{
    args::CallArgs,
    client::{Answer, Client},
    input, output,
    output::Stop,
};
use crate::secrets;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};
use std::{fmt::Write, process::ExitCode};

/// Calls a tool of a running bot and prints its answer.
pub(super) async fn call(args: &CallArgs, url: &str) -> Result<ExitCode, Stop> {
    let input = input::read(&args.input)?;
    let token = args.bearer_token_env.as_deref().map(token).transpose()?;
    let client = Client::new(url, token.as_deref())?;
    let body = Body {
        input: &input,
        session_id: args.session.as_deref(),
        continuation_token: args.continuation.as_deref(),
        dry_run: args.dry_run,
        as_of: args.as_of.map(|t| t.to_string()),
    };
    let body = serde_json::to_vec(&body).map_err(|e| Stop::usage(format!("--input cannot be sent: {e}")))?;
    let prefix = match prefix(&client, args.agent.as_deref()).await? {
        Prefix::At(prefix) => prefix,
        Prefix::Refused(answer) => return finish(&client, &answer),
    };
    let answer = client.post(&format!("{prefix}/tools/{}", encoded(&args.tool)), body).await?;
    finish(&client, &answer)
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

fn token(name: &str) -> Result<String, Stop> {
    let value = std::env::var(name).map_err(|_| Stop::usage(format!("--bearer-token-env: `{name}` is not set")))?;
    if value.is_empty() {
        return Err(Stop::usage(format!("--bearer-token-env: `{name}` is empty")));
    }
    secrets::remember(&value);
    Ok(value)
}

enum Prefix {
    At(String),
    /// The bot does not tell its agents to this caller.
    Refused(Answer),
}

#[derive(Deserialize)]
struct Agents {
    agents: Vec<Agent>,
}
#[derive(Deserialize)]
struct Agent {
    slug: String,
    /// Where its routes stand.
    path: String,
}

/// Where the agent's routes stand: the address' own path when it ends in `/v1`, else what the bot itself says.
async fn prefix(client: &Client, agent: Option<&str>) -> Result<Prefix, Stop> {
    let path = client.path();
    if path.ends_with("/v1") {
        let slug = path.trim_end_matches("/v1").rsplit('/').next().unwrap_or_default();
        return match agent {
            Some(agent) if !slug.is_empty() && agent != slug => {
                Err(Stop::usage(format!("--agent `{agent}` is not the agent at {}", client.shown())))
            }
            _ => Ok(Prefix::At(path.to_owned())),
        };
    }
    let answer = client.get(&format!("{path}/v1/agents")).await?;
    if matches!(answer.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
        return Ok(Prefix::Refused(answer));
    }
    let found = answer.status.is_success().then(|| serde_json::from_slice::<Agents>(&answer.body).ok()).flatten();
    let Some(Agents { agents }) = found else {
        return Err(Stop::failed(format!(
            "what answers at {} is no bot of bdk (it answered {} to {path}/v1/agents)",
            client.shown(),
            answer.status
        )));
    };
    let known = || agents.iter().map(|a| format!("`{}`", a.slug)).collect::<Vec<_>>().join(", ");
    let chosen = match agent {
        Some(agent) => agents.iter().find(|a| a.slug == agent),
        None if agents.len() == 1 => agents.first(),
        None => None,
    };
    match (chosen, agent) {
        (Some(found), _) => Ok(Prefix::At(format!("{path}{}", found.path))),
        (None, Some(agent)) => {
            Err(Stop::usage(format!("there is no agent `{agent}` at {}: it has {}", client.shown(), known())))
        }
        (None, None) => Err(Stop::usage(format!("say which agent with --agent: {} has {}", client.shown(), known()))),
    }
}

/// Prints the answer as it came; the exit code is that of the same call in process.
fn finish(client: &Client, answer: &Answer) -> Result<ExitCode, Stop> {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    // an outcome says how it ended, a refusal why it is none
    let fine = match (body["ok"].as_bool(), body["isError"].as_bool(), body["error"].as_str()) {
        (Some(true), Some(is_error), _) if answer.status.is_success() => Some(!is_error),
        (Some(false), _, Some(_)) => Some(false),
        _ => None,
    };
    let Some(fine) = fine else {
        return Err(Stop::failed(format!(
            "what answers at {} is no bot of bdk (it answered {})",
            client.shown(),
            answer.status
        )));
    };
    output::print([&*answer.body, b"\n"].concat())?;
    Ok(if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A tool's name as a segment of a path.
fn encoded(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    // a client or proxy would take these for steps in the path
    match out.as_str() {
        "." => "%2E".to_owned(),
        ".." => "%2E%2E".to_owned(),
        _ => out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_one_segment_of_the_path() {
        assert_eq!(encoded("jev__decide"), "jev__decide");
        assert_eq!(encoded("a/../b c?é"), "a%2F..%2Fb%20c%3F%C3%A9");
        assert_eq!(encoded(".."), "%2E%2E");
    }
}
