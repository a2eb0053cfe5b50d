//! Where a session's events come from: the bot's state, or a running bot.

use crate::cli::{args::TraceArgs, output::Stop, running::Running, shown, state};
use crate::{Error, session::write_line, state::State, store::StoredEvent};

/// How many events are read at once.
const PAGE: usize = 500;

/// The events of a session, page by page.
pub(super) enum Source {
    Here {
        state: Box<State>,
        id: String,
        from: u64,
    },
    /// Those of a running bot come at once.
    There(Option<Vec<String>>),
}

impl Source {
    /// # Errors
    /// When there is no such session.
    pub(super) async fn open(args: &TraceArgs) -> Result<Self, Stop> {
        let id = args.id.clone();
        if let Some(url) = &args.at.url {
            let running = Running::of(url, &args.at).await?;
            let answer = running.get(&format!("/session/{id}/events?follow=false")).await?;
            let text = std::str::from_utf8(&answer.body).map_err(|_| running.no_bot(&answer))?;
            let lines = text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
            return Ok(Self::There(Some(lines)));
        }
        let state = State::open_to_read(&state::of_sessions(&args.at)?).await?;
        if state.store.session(&id).await.map_err(Error::from)?.is_none() {
            return Err(Stop::failed(format!("there is no session \"{}\": `sessions` lists them", shown::line(&id))));
        }
        Ok(Self::Here { state: Box::new(state), id, from: 0 })
    }

    /// Further events, one a line; none behind the last.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<String>>, Stop> {
        match self {
            Self::Here { state, id, from } => {
                let events = state.sessions.events(id, *from, PAGE).await.map_err(Error::from)?;
                let Some(last) = events.last() else { return Ok(None) };
                *from = last.index + 1;
                Ok(Some(events.iter().map(line).collect()))
            }
            Self::There(lines) => Ok(lines.take()),
        }
    }
}

/// An event as `GET /session/{id}/events` shows it.
pub(super) fn line(event: &StoredEvent) -> String {
    let mut line = Vec::with_capacity(event.data.len() + 96);
    write_line(event, &mut line);
    // made of texts
    String::from_utf8(line).unwrap_or_default()
}
