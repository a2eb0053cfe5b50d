//! The cursor of a listing: behind which session the next page begins. It names the place, not the session, which may be
//! deleted meanwhile.

use super::super::refused::Refused;
use crate::{Timestamp, id};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

/// A place in the listing: when a session was opened, and its id.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cursor {
    pub(super) at: Timestamp,
    pub(super) id: String,
}

impl Cursor {
    pub(super) fn to_text(at: Timestamp, id: &str) -> String {
        URL_SAFE_NO_PAD.encode(format!("{}.{id}", at.as_microsecond()))
    }
    pub(super) fn parse(text: &str) -> Result<Self, Refused> {
        let read = || {
            let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
            let (at, id) = std::str::from_utf8(&bytes).ok()?.split_once('.')?;
            let at = jiff::Timestamp::from_microsecond(at.parse().ok()?).ok()?;
            id::is_session(id).then(|| Self { at: at.into(), id: id.to_owned() })
        };
        read().ok_or_else(|| {
            Refused::invalid(
                "`cursor` is none of this bot's: send a `nextCursor` as it was, or leave it out to begin anew",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_as_it_was_and_others_are_refused() {
        let at: Timestamp = "2026-01-01T00:00:00.123Z".parse().unwrap();
        let id = "ses_abcdefghij0123450123".to_owned();
        assert_eq!(Cursor::parse(&Cursor::to_text(at, &id)).unwrap(), Cursor { at, id });
        for wrong in ["", "x", "ses_abcdefghij0123450123", &Cursor::to_text(at, "ses_"), "MS4", "é"] {
            assert!(Cursor::parse(wrong).is_err(), "{wrong}");
        }
    }
}
