//! A running bot, as the commands with `--url` talk to it.

use super::{
    args::WhereArgs,
    client::{Answer, Client},
    output::{self, Stop},
};
use crate::secrets;
use http::{HeaderName, Method, StatusCode};
use serde::Deserialize;
use serde_json::Value;
use std::{fmt::Write, process::ExitCode};

/// A running bot, and where its agent's routes stand.
pub(super) struct Running {
    client: Client,
    prefix: String,
}

/// Whether there is one.
pub(super) enum Found {
    At(Running),
    /// The bot does not tell its agents to this caller.
    Refused(Client, Answer),
}

impl Running {
    /// Finds the agent's routes at an address.
    pub(super) async fn find(url: &str, bearer_token_env: Option<&str>, agent: Option<&str>) -> Result<Found, Stop> {
        let token = bearer_token_env.map(token).transpose()?;
        let client = Client::new(url, token.as_deref())?;
        Ok(match prefix(&client, agent).await? {
            Prefix::At(prefix) => Found::At(Self { client, prefix }),
            Prefix::Refused(answer) => Found::Refused(client, answer),
        })
    }

    /// The same for a command about sessions, which is over where there is none.
    pub(super) async fn of(url: &str, at: &WhereArgs) -> Result<Self, Stop> {
        match Self::find(url, at.bearer_token_env.as_deref(), at.agent.as_deref()).await? {
            Found::At(running) => Ok(running),
            Found::Refused(client, answer) => Err(refusal(&client, &answer)),
        }
    }

    /// Sends JSON to a route of the agent, and waits for the answer as long as it takes.
    pub(super) async fn send(
        &self,
        method: Method,
        route: &str,
        headers: &[(HeaderName, &str)],
        body: Vec<u8>,
    ) -> Result<Answer, Stop> {
        self.client.send(method, &format!("{}{route}", self.prefix), headers, body.into()).await
    }

    /// What a route of the agent shows.
    ///
    /// # Errors
    /// What the bot refuses, in its words.
    pub(super) async fn get(&self, route: &str) -> Result<Answer, Stop> {
        let answer = self.send(Method::GET, route, &[], Vec::new()).await?;
        if answer.status.is_success() { Ok(answer) } else { Err(refusal(&self.client, &answer)) }
    }

    /// Prints the answer as it came; the exit code is that of the same command in process.
    pub(super) fn finish(&self, answer: &Answer) -> Result<ExitCode, Stop> {
        finish(&self.client, answer)
    }

    /// What answers there is no bot, since it said this.
    pub(super) fn no_bot(&self, answer: &Answer) -> Stop {
        no_bot(&self.client, answer)
    }
}

/// A refused request as an error of the command.
fn refusal(client: &Client, answer: &Answer) -> Stop {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    match (body["ok"].as_bool(), body["message"].as_str()) {
        (Some(false), Some(message)) => Stop::failed(format!("{}: {}", client.shown(), super::shown::line(message))),
        _ => no_bot(client, answer),
    }
}

fn no_bot(client: &Client, answer: &Answer) -> Stop {
    Stop::failed(format!("what answers at {} is no bot of bdk (it answered {})", client.shown(), answer.status))
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
pub(super) fn finish(client: &Client, answer: &Answer) -> Result<ExitCode, Stop> {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    // an outcome says how it ended, a refusal why it is none
    let fine = match (body["ok"].as_bool(), body["isError"].as_bool(), body["error"].as_str()) {
        (Some(true), is_error, _) if answer.status.is_success() => Some(is_error != Some(true)),
        (Some(false), _, Some(_)) => Some(false),
        _ => None,
    };
    let Some(fine) = fine else { return Err(no_bot(client, answer)) };
    output::print([&*answer.body, b"\n"].concat())?;
    Ok(if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A name as a segment of a path.
pub(super) fn encoded(name: &str) -> String {
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
