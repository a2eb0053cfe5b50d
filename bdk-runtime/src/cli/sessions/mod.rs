//! `sessions`: those that there are, and opening and deleting one.

mod table;

use super::{
    args::{FactsArgs, SessionsArgs, SessionsCommand, WhereArgs},
    output::{self, Stop},
    refused,
    running::{Running, encoded},
    shown, state,
};
use crate::{
    Error, SessionDetail, SessionOptions, Timestamp,
    bot::Bot,
    session::Unopened,
    state::{State, StateAt},
    store::{SessionRow, StoreError},
};
use http::Method;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::process::ExitCode;

/// How many a bot is asked for at once.
const PAGE: usize = 1000;

pub(super) async fn run(args: SessionsArgs) -> Result<ExitCode, Stop> {
    match args.command {
        None => list(&args.at, args.json).await,
        Some(SessionsCommand::Open { facts, at }) => open(*facts, &at).await,
        Some(SessionsCommand::Delete { id, at }) => delete(&id, &at).await,
    }
}

/// All of them, the youngest first.
async fn list(at: &WhereArgs, json: bool) -> Result<ExitCode, Stop> {
    let all = match &at.url {
        Some(url) => there(&Running::of(url, at).await?).await?,
        None => here(&State::open_to_read(&state::of_sessions(at)?).await?).await?,
    };
    if json {
        output::print(format!("{:#}\n", Value::Array(all)))?;
    } else if all.is_empty() {
        output::note("there are no sessions");
    } else {
        output::print_styled(&table::text(&all, Timestamp::now(), shown::width()))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn here(state: &State) -> Result<Vec<Value>, Error> {
    let rows = state.sessions.all().await?;
    rows.into_iter().map(|row| Ok(listed(row)?)).collect()
}

async fn there(running: &Running) -> Result<Vec<Value>, Stop> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Page {
        sessions: Vec<Value>,
        next_cursor: Option<String>,
    }
    let (mut all, mut cursor) = (Vec::new(), String::new());
    loop {
        let answer = running.get(&format!("/sessions?limit={PAGE}{cursor}")).await?;
        let page: Page = serde_json::from_slice(&answer.body).map_err(|_| running.no_bot(&answer))?;
        all.extend(page.sessions);
        match page.next_cursor {
            Some(next) => cursor = format!("&cursor={}", encoded(&next)),
            None => return Ok(all),
        }
    }
}

/// A session as `GET /sessions` lists it: all but its state, which may be large.
fn listed(row: SessionRow) -> Result<Value, StoreError> {
    let detail = SessionDetail::of(row)?;
    let mut listed = serde_json::to_value(detail).unwrap_or_default();
    if let Some(members) = listed.as_object_mut() {
        members.shift_remove("state");
    }
    Ok(listed)
}

/// Opens one, and prints what `POST /session` answers.
async fn open(facts: FactsArgs, at: &WhereArgs) -> Result<ExitCode, Stop> {
    let state: Option<Value> = match facts.state_json.as_deref().map(serde_json::from_str) {
        Some(Ok(state)) => Some(state),
        Some(Err(error)) => return Err(Stop::usage(format!("--state-json is no JSON: {error}"))),
        None => None,
    };
    if let Some(url) = &at.url {
        let running = Running::of(url, at).await?;
        let answer = running.send(Method::POST, "/session", &[], body(&facts, state)).await?;
        return running.finish(&answer);
    }
    let mut options = SessionOptions::new().dry_run(facts.dry_run);
    (options.title, options.purpose, options.as_of) = (facts.title, facts.purpose, facts.as_of);
    if let Some(mode) = facts.mode {
        options = options.mode(mode.into());
    }
    if let Some(state) = state {
        options = options.state(state);
    }
    let bot = kept(&state::of_sessions(at)?).await?;
    let opened = bot.state().sessions.open(&bot, options).await;
    bot.close_state().await;
    let (answer, code) = match opened {
        Ok(row) => {
            let answer = json!({
                "ok": true, "sessionId": row.id, "continuationToken": row.token, "traceUrl": null, "playgroundUrl": null,
            });
            (answer.to_string().into_bytes(), ExitCode::SUCCESS)
        }
        Err(Unopened::Invalid(why)) => (refused::body("invalid_request", &why), ExitCode::FAILURE),
        Err(unavailable) => return Err(Error::from(unavailable).into()),
    };
    output::print([&answer, b"\n" as &[u8]].concat())?;
    Ok(code)
}

/// The body of the request that opens it. What was not said is not sent: the bot knows what holds then.
fn body(facts: &FactsArgs, state: Option<Value>) -> Vec<u8> {
    let said = [
        ("title", facts.title.clone().map(Value::from)),
        ("purpose", facts.purpose.clone().map(Value::from)),
        ("mode", facts.mode.map(|mode| json!(crate::Mode::from(mode)))),
        ("dryRun", facts.dry_run.then_some(Value::Bool(true))),
        ("asOf", facts.as_of.map(|t| t.to_string().into())),
        ("state", state),
    ];
    let body: Map<String, Value> =
        said.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    Value::Object(body).to_string().into_bytes()
}

/// Deletes one, and prints what `DELETE /session/{id}` answers.
async fn delete(id: &str, at: &WhereArgs) -> Result<ExitCode, Stop> {
    if let Some(url) = &at.url {
        let running = Running::of(url, at).await?;
        let answer = running.send(Method::DELETE, &format!("/session/{}", encoded(id)), &[], Vec::new()).await?;
        return running.finish(&answer);
    }
    let kept_at = state::of_sessions(at)?;
    State::check_there(&kept_at)?;
    let bot = kept(&kept_at).await?;
    let deleted = bot.delete_session(id.into(), None).await;
    bot.close_state().await;
    let (answer, code) = match deleted {
        Ok(()) => (json!({ "ok": true, "sessionId": id }).to_string().into_bytes(), ExitCode::SUCCESS),
        Err(unbound) => (refused::unbound(unbound)?, ExitCode::FAILURE),
    };
    output::print([&answer, b"\n" as &[u8]].concat())?;
    Ok(code)
}

/// The bot, with its state at hand to be written.
async fn kept(at: &StateAt) -> Result<Bot, Stop> {
    let bot = Bot::load()?;
    bot.keep_state(at).await?;
    Ok(bot)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Registry;

    fn facts() -> FactsArgs {
        FactsArgs { title: None, purpose: None, mode: None, dry_run: false, as_of: None, state_json: None }
    }

    #[test]
    fn what_was_not_said_is_not_sent() {
        assert_eq!(body(&facts(), None), b"{}");
        let said = FactsArgs {
            title: Some("T".into()),
            mode: Some(crate::cli::args::SessionMode::Task),
            dry_run: true,
            as_of: Some("2026-01-01T01:00:00+01:00".parse().unwrap()),
            ..facts()
        };
        let sent: Value = serde_json::from_slice(&body(&said, Some(json!([1])))).unwrap();
        assert_eq!(
            sent,
            json!({ "title": "T", "mode": "task", "dryRun": true, "asOf": "2026-01-01T00:00:00Z", "state": [1] })
        );
    }

    #[tokio::test]
    async fn every_session_is_listed_the_youngest_first_whoever_it_belongs_to() {
        let bot = Bot::with(Registry::linked());
        let mut opened = Vec::new();
        for n in 0..PAGE + 3 {
            let options =
                SessionOptions::new().title(n.to_string()).principal(crate::Principal::new("k", n.to_string()));
            opened.push(bot.state().sessions.open(&bot, options).await.unwrap().id);
        }
        let all = here(bot.state()).await.unwrap();
        let mut ids: Vec<&str> = all.iter().filter_map(|s| s["sessionId"].as_str()).collect();
        assert_eq!(ids.len(), opened.len());
        // as instants: a fraction of a second has no more digits than it needs
        let created = |session: &Value| session["createdAt"].as_str().unwrap().parse::<crate::Timestamp>().unwrap();
        assert!(all.windows(2).all(|two| created(&two[0]) >= created(&two[1])));
        ids.sort_unstable();
        opened.sort_unstable();
        assert!(ids.iter().zip(&opened).all(|(a, b)| *a == &**b));
    }
}
