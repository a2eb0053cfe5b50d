//! `POST …/session/{id}`: exchanges the continuation token. A message, which would begin a turn, is refused as long as there are none.

use super::{
    super::{
        asker::{Asked, json},
        members::{self, Kind, text},
        query,
        refused::{Code, Refused},
    },
    Known, NO_TURNS,
};
use crate::{
    Mode,
    session::{Bind, Facts, Unbound},
    store::StoreError,
};
use axum::{extract::State, response::Response};
use serde_json::json;

const FOLLOW_UP: Kind = Kind { body: "a follow-up's body", is: "is no follow-up", hint: "" };
/// The names a body may have, in the order in which they are told.
const NAMES: [&str; 2] = ["continuationToken", "message"];

pub(super) async fn follow_up(State(known): State<Known>, mut asked: Asked) -> Response {
    let followed = followed(&known, &mut asked).await;
    asked.answer(followed)
}

async fn followed(known: &Known, asked: &mut Asked) -> Result<Response, Refused> {
    query::none(&asked.head.parts.uri)?;
    // before the body is read
    let row = known.row(&asked.head).await?;
    let bytes = asked.body(known.0.max_body).await?;
    let [token, message] = members::read(&bytes, &FOLLOW_UP, &NAMES, "{\"continuationToken\": \"http:…\"}")?;
    let Some(token) = text("continuationToken", token)? else {
        return Err(Refused::invalid(
            "`continuationToken` is missing: send the one that the session has now (`GET /sessions` shows it to its owner)",
        ));
    };
    let message = text("message", message)?;
    if token != row.token {
        return Err(stale());
    }
    if message.is_some() {
        let facts = Facts::of(&row).map_err(|error| Refused::unavailable(&error))?;
        return Err(match facts.mode {
            Mode::Task => Refused::new(Code::Conflict, "a task session takes no follow-up: open another session"),
            _ => Refused::invalid(NO_TURNS),
        });
    }
    let token = known.0.bot.state().sessions.rotate(&row.id, &token).await.map_err(|error| match error {
        StoreError::Conflict => stale(),
        StoreError::UnknownSession => Refused::unbound(&Unbound::Unknown(Bind::Id(row.id.as_ref().to_owned()))),
        error => Refused::unavailable(&error),
    })?;
    json(&json!({ "ok": true, "sessionId": row.id, "continuationToken": token }))
}

fn stale() -> Refused {
    Refused::new(
        Code::Conflict,
        "the continuation token is not the one that the session has now: it was exchanged, or is another one's",
    )
}
