//! A refused request, as the same over HTTP would be answered.

use super::output::Stop;
use crate::session::Unbound;
use serde::Serialize;

/// The body of the answer.
pub(super) fn body(error: &'static str, message: &str) -> Vec<u8> {
    #[derive(Serialize)]
    struct Refused<'a> {
        ok: bool,
        error: &'static str,
        message: &'a str,
    }
    // two strings and a bool always serialise
    serde_json::to_vec(&Refused { ok: false, error, message }).unwrap_or_default()
}

/// The same where a session is not at hand. What the state lacks is told to whoever runs the command.
pub(super) fn unbound(unbound: Unbound) -> Result<Vec<u8>, Stop> {
    match unbound {
        Unbound::Unknown(_) => Ok(body("unknown_session", &unbound.to_string())),
        Unbound::Unavailable(error) => Err(crate::Error::from(error).into()),
    }
}
