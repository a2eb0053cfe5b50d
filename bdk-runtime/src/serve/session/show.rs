//! `GET …/session/{id}`, `GET …/sessions`, `DELETE …/session/{id}`.

use super::{
    super::{
        asker::{Asked, Head, json},
        query,
        refused::Refused,
    },
    Known,
    cursor::Cursor,
};
use crate::{SessionDetail, store::SessionRow};
use axum::{extract::State, response::Response};
use serde::Serialize;
use serde_json::{Value, json};

/// How many sessions a page has, unless it is told otherwise.
const PAGE: u64 = 100;
/// And at most.
const MOST: u64 = 1000;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Detail {
    ok: bool,
    #[serde(flatten)]
    detail: SessionDetail,
    trace_url: String,
}

pub(super) async fn detail(State(known): State<Known>, asked: Asked) -> Response {
    let shown = shown(&known, &asked.head).await;
    asked.answer(shown)
}

async fn shown(known: &Known, head: &Head) -> Result<Response, Refused> {
    query::none(&head.parts.uri)?;
    let row = known.row(head).await?;
    let trace_url = known.trace_url(head, &row.id);
    json(&Detail { ok: true, detail: of(row)?, trace_url })
}

fn of(row: SessionRow) -> Result<SessionDetail, Refused> {
    SessionDetail::of(row).map_err(|error| Refused::unavailable(&error))
}

pub(super) async fn list(State(known): State<Known>, asked: Asked) -> Response {
    let listed = listed(&known, &asked.head).await;
    asked.answer(listed)
}

async fn listed(known: &Known, head: &Head) -> Result<Response, Refused> {
    let uri = &head.parts.uri;
    let [limit, cursor] = query::read(uri, ["limit", "cursor"])?;
    let limit = match limit {
        None => PAGE,
        Some(limit) => match query::number("limit", &limit)? {
            limit @ 1..=MOST => limit,
            limit => return Err(Refused::invalid(format!("`limit` is from 1 to {MOST}, and was {limit}"))),
        },
    };
    let after = cursor.map(|cursor| Cursor::parse(&cursor)).transpose()?;
    // at most a thousand
    let limit = limit as usize;
    let sessions = &known.0.bot.state().sessions;
    let behind = after.as_ref().map(|after| (after.at, &*after.id));
    // one more shows whether there is a next page
    let rows = sessions.list(Some(&head.asker.principal), behind, limit + 1).await;
    let mut rows = rows.map_err(|error| Refused::unavailable(&error))?;
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(|last| Cursor::to_text(last.created_at, &last.id));
    let items = rows.into_iter().map(item).collect::<Result<Vec<Value>, Refused>>()?;
    let mut out = json!({ "ok": true, "sessions": items });
    if let Some(next) = next {
        out["nextCursor"] = next.into();
    }
    json(&out)
}

/// A session in a listing: all but its state, of which a page could hold 64 MB.
fn item(row: SessionRow) -> Result<Value, Refused> {
    let mut item = serde_json::to_value(of(row)?).unwrap_or_default();
    if let Some(item) = item.as_object_mut() {
        item.shift_remove("state");
    }
    Ok(item)
}

pub(super) async fn delete(State(known): State<Known>, asked: Asked) -> Response {
    let deleted = deleted(&known, &asked.head).await;
    asked.answer(deleted)
}

async fn deleted(known: &Known, head: &Head) -> Result<Response, Refused> {
    query::none(&head.parts.uri)?;
    let id = known.id(head).into_owned();
    let deleted = known.0.bot.delete_session(id.as_str().into(), Some(head.asker.principal.clone())).await;
    deleted.map_err(|unbound| Refused::unbound(&unbound))?;
    json(&json!({ "ok": true, "sessionId": id }))
}
