//! `POST …/session`: opens a session.

use super::{
    super::{
        asker::{Asked, json},
        members::{self, Kind, cut, flag, instant, text},
        query,
        refused::Refused,
    },
    Known, NO_TURNS,
};
use crate::{Mode, SessionOptions, session::Unopened};
use axum::{extract::State, response::Response};
use serde::Serialize;
use serde_json::Value;

const SESSION: Kind = Kind { body: "a session's body", is: "opens no session", hint: "" };
/// The names a body may have, in the order in which they are told.
const NAMES: [&str; 7] = ["message", "title", "mode", "purpose", "dryRun", "asOf", "state"];

/// The answer: what else there will be to know of it has a place.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Opened<'a> {
    ok: bool,
    session_id: &'a str,
    continuation_token: &'a str,
    trace_url: String,
    playground_url: Option<String>,
}

pub(super) async fn open(State(known): State<Known>, mut asked: Asked) -> Response {
    let opened = opened(&known, &mut asked).await;
    asked.answer(opened)
}

async fn opened(known: &Known, asked: &mut Asked) -> Result<Response, Refused> {
    query::none(&asked.head.parts.uri)?;
    let bytes = asked.body(known.0.max_body).await?;
    let options = parse(&bytes)?.principal(asked.head.asker.principal.clone());
    let bot = &known.0.bot;
    let row = bot.state().sessions.open(bot, options).await.map_err(|unopened| match unopened {
        Unopened::Invalid(why) => Refused::invalid(why),
        Unopened::Unavailable(error) => Refused::unavailable(&error),
    })?;
    json(&Opened {
        ok: true,
        session_id: &row.id,
        continuation_token: &row.token,
        trace_url: known.trace_url(&asked.head, &row.id),
        playground_url: None,
    })
}

/// Reads a body. An empty one is `{}`.
fn parse(bytes: &[u8]) -> Result<SessionOptions, Refused> {
    let [message, title, mode, purpose, dry_run, as_of, state] =
        members::read(bytes, &SESSION, &NAMES, "{\"title\": \"Audit\", \"dryRun\": true}")?;
    let mut options = SessionOptions::new();
    let message = text("message", message)?;
    options.title = text("title", title)?;
    if let Some(mode) = mode {
        options.mode = match mode.as_str() {
            Some("chat") => Mode::Chat,
            Some("task") => Mode::Task,
            _ => return Err(wrong_mode(&mode)),
        };
    }
    options.purpose = text("purpose", purpose)?;
    options.dry_run = Some(flag("dryRun", dry_run)?);
    options.as_of = instant("asOf", as_of)?;
    if let Some(state) = state {
        options.state = state;
    }
    // last, so that what else is wrong with it is told first
    if message.is_some() { Err(Refused::invalid(NO_TURNS)) } else { Ok(options) }
}

fn wrong_mode(mode: &Value) -> Refused {
    Refused::invalid(format!("`mode` must be \"chat\" or \"task\", and was {}", cut(&mode.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_opens_a_chat_without_facts() {
        for body in ["", "{}", r#"{"message":null,"title":null,"mode":null,"dryRun":null,"state":null}"#] {
            let options = parse(body.as_bytes()).unwrap();
            assert_eq!((options.mode, options.title, options.purpose), (Mode::Chat, None, None), "{body}");
            assert_eq!((options.dry_run, options.as_of, options.state), (Some(false), None, json!({})), "{body}");
        }
    }

    #[test]
    fn all_that_is_said_is_taken() {
        let body =
            r#"{"title":"T","mode":"task","purpose":"P","dryRun":true,"asOf":"2026-01-01T00:00:00Z","state":[1]}"#;
        let options = parse(body.as_bytes()).unwrap();
        assert_eq!((options.mode, options.dry_run, options.state), (Mode::Task, Some(true), json!([1])));
        assert_eq!((options.title.as_deref(), options.purpose.as_deref()), (Some("T"), Some("P")));
        assert_eq!(options.as_of, Some("2026-01-01T00:00:00Z".parse().unwrap()));
    }

    #[test]
    fn what_is_wrong_says_what_was_expected() {
        for (body, words) in [
            (r#"{"titel":"T"}"#, "a session's body has no `titel`; it has `message`, `title`,"),
            (r#"{"title":1}"#, "`title` must be a string, and was 1"),
            (r#"{"mode":"direct"}"#, "`mode` must be \"chat\" or \"task\", and was \"direct\""),
            (r#"{"mode":true}"#, "`mode` must be \"chat\" or \"task\", and was true"),
            (r#"{"dryRun":"yes"}"#, "`dryRun` must be `true` or `false`"),
            (r#"{"asOf":"yesterday"}"#, "`asOf` must be an absolute RFC 3339 instant with a zone, such as"),
            (r#"{"message":{}}"#, "`message` must be a string"),
            (r#"{"message":"hello"}"#, "this bot takes no turns yet"),
            (r#"{"message":""}"#, "this bot takes no turns yet"),
            ("[]", "the body opens no session: invalid type: sequence, expected an object such as"),
            ("{", "the body is no JSON"),
        ] {
            let told = parse(body.as_bytes()).unwrap_err().message;
            assert!(told.starts_with(words), "{told}");
        }
    }
}
