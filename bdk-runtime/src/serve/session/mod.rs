//! The routes of sessions: opening ([`open`]), showing, listing and deleting ([`show`]), following up ([`follow_up`]), their
//! logs ([`events`]).
//!
//! A session belongs to the principal that opened it; to others it does not exist, and they are told what they would be told if
//! it did not.

mod cursor;
mod events;
mod follow_up;
mod lines;
mod open;
mod show;

use super::{asker::Head, refused::Refused, tools::decoded};
use crate::{bot::Bot, store::SessionRow};
use axum::{
    Router,
    extract::FromRef,
    routing::{get, post},
};
use std::{borrow::Cow, sync::Arc};

/// The routes under the agent's prefix.
pub(super) const NAMES: [&str; 4] = ["session", "session/{id}", "session/{id}/events", "sessions"];

/// What is said of a message, which begins a turn.
const NO_TURNS: &str = "this bot takes no turns yet: leave `message` out, and call its tools in the session";

/// What the handlers know.
#[derive(Clone)]
pub(super) struct Known(pub(super) Arc<Knowing>);

pub(super) struct Knowing {
    pub(super) bot: Bot,
    /// `/<slug>/v1` or `/v1`.
    pub(super) prefix: String,
    pub(super) public_url: Option<String>,
    pub(super) max_body: usize,
}

/// Adds the routes to a router.
pub(super) fn add<S>(router: Router<S>, prefix: &str) -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    Known: FromRef<S>,
{
    let [open, one, log, all] = NAMES.map(|name| format!("{prefix}/{name}"));
    router
        .route(&open, post(open::open))
        .route(&one, get(show::detail).post(follow_up::follow_up).delete(show::delete))
        .route(&log, get(events::events))
        .route(&all, get(show::list))
}

impl Known {
    /// The id in a request's path.
    fn id<'a>(&self, head: &'a Head) -> Cow<'a, str> {
        let path = head.parts.uri.path();
        let rest = path.strip_prefix(&*self.0.prefix).and_then(|rest| rest.strip_prefix("/session/"));
        decoded(rest.and_then(|rest| rest.split('/').next()).unwrap_or_default())
    }
    /// The session in a request's path, if it is the asker's.
    async fn row(&self, head: &Head) -> Result<SessionRow, Refused> {
        let row = self.0.bot.state().sessions.row(&self.id(head), Some(&head.asker.principal)).await;
        row.map_err(|unbound| Refused::unbound(&unbound))
    }
    /// Where a session's log is, as a link for whoever asks.
    fn trace_url(&self, head: &Head, id: &str) -> String {
        let base = self.0.public_url.clone().unwrap_or_else(|| head.origin());
        format!("{}{}/session/{id}/events?follow=false", base.trim_end_matches('/'), self.0.prefix)
    }
}
