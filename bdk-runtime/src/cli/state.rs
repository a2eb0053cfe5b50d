//! `--state`: where what a command needs is kept, and opening it.

use super::{
    args::{CallArgs, WhereArgs},
    output::{self, Stop},
};
use crate::state::{State, StateAt};
use url::Url;

/// Reads where it is.
pub(super) fn at(text: &str) -> Result<StateAt, Stop> {
    let at = text.parse::<StateAt>().map_err(|e| Stop::usage(format!("--state: {e}")))?;
    warn_of_password(&at);
    Ok(at)
}

/// Warns of a password that stands among the arguments.
pub(super) fn warn_of_password(at: &StateAt) {
    if let StateAt::Postgres(url) = at
        && Url::parse(url).is_ok_and(|url| url.password().is_some())
    {
        output::warning("--state: every user of this machine sees the password with `ps`; put it into PGPASSWORD");
    }
}

/// Where `call` keeps what it leaves; none where it leaves nothing.
pub(super) fn of_call(args: &CallArgs) -> Result<Option<StateAt>, Stop> {
    let of_session = args.session.is_some() || args.continuation.is_some();
    let kept = match &args.state {
        Some(text) => Some(at(text)?),
        // who names something that outlives the call means the bot's usual place
        None if of_session || args.idempotency_key.is_some() => Some(StateAt::default()),
        None => None,
    };
    if of_session && let Some(at) = &kept {
        State::check_there(at)?;
    }
    Ok(kept)
}

/// Where the sessions are that a command is about.
pub(super) fn of_sessions(args: &WhereArgs) -> Result<StateAt, Stop> {
    args.state.as_deref().map_or_else(|| Ok(StateAt::default()), at)
}
