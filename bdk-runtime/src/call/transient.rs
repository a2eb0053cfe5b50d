//! Whether a failure may be gone on the next try: found in the whole chain of an error's sources.
//!
//! hyper's and reqwest's errors are known by how they print, because a bot may use any version of them, or none: a
//! downcast would need the very version that the bot has. The tests hold this against the real ones.

use crate::{
    error::chain,
    tool::{ToolError, Transience},
};
use std::{error::Error, io};

/// What the error's maker said, or else what the chain says.
pub(super) fn classify(error: &ToolError) -> Transience {
    match error.transience() {
        Transience::Unknown if chain(error.source()).any(transient) => Transience::Transient(None),
        Transience::Unknown => Transience::Permanent,
        said => said,
    }
}

fn transient(error: &(dyn Error + 'static)) -> bool {
    if let Some(error) = error.downcast_ref::<io::Error>() {
        // an `io::Error::other(e)` says what `e` says, and `e` is in no chain: its own source is the next link
        return kind(error.kind()) || error.get_ref().is_some_and(|inner| chain(inner).any(transient));
    }
    if error.is::<tokio::time::error::Elapsed>() {
        return true;
    }
    #[cfg(feature = "connections")]
    if let Some(failed) = error.downcast_ref::<crate::connection::Failed>() {
        return failed.transient;
    }
    printed(error)
}

fn kind(kind: io::ErrorKind) -> bool {
    use io::ErrorKind as K;
    matches!(
        kind,
        K::ConnectionRefused
            | K::ConnectionReset
            | K::ConnectionAborted
            | K::NotConnected
            | K::BrokenPipe
            | K::TimedOut
            | K::Interrupted
            | K::WouldBlock
            | K::UnexpectedEof
            | K::HostUnreachable
            | K::NetworkUnreachable
            | K::NetworkDown
            | K::AddrNotAvailable
            | K::ResourceBusy
            | K::StaleNetworkFileHandle
    )
}

/// HTTP statuses that may pass: the request may be fine, the server is not.
fn status(code: u16) -> bool {
    matches!(code, 408 | 425 | 429 | 500 | 502 | 503 | 504)
}

fn printed(error: &(dyn Error + 'static)) -> bool {
    let mut start = Start::default();
    // only the first bytes are looked at, so that a large error costs nothing; a full buffer ends the printing
    let _ = std::fmt::write(&mut start, format_args!("{error:?}"));
    let text = start.0.as_str();
    if let Some(rest) = text.strip_prefix("reqwest::Error { kind: ") {
        let code = rest.strip_prefix("Status(").map(|r| r.chars().take_while(char::is_ascii_digit).collect::<String>());
        return match code.and_then(|c| c.parse().ok()) {
            Some(code) => status(code),
            // a request that found no server or lost it has the reason in its chain; a time-out has no more than this
            None => rest.contains("source: TimedOut") || rest.contains("operation timed out"),
        };
    }
    if let Some(rest) = text.strip_prefix("hyper::Error(") {
        return ["IncompleteMessage", "ChannelClosed", "Canceled", "HeaderTimeout"].iter().any(|k| rest.starts_with(k));
    }
    // how a resolver that could not ask is reported; std keeps it in an error without a kind of its own
    text.contains("Temporary failure in name resolution")
}

/// The first 2 KiB of what is printed.
#[derive(Default)]
struct Start(String);

impl std::fmt::Write for Start {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        if self.0.len() > 2048 {
            return Err(std::fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_transient(error: impl Into<ToolError>) -> bool {
        matches!(classify(&error.into()), Transience::Transient(_))
    }

    #[test]
    fn an_io_error_is_seen_bare_under_anyhow_and_under_a_context() {
        let reset = || io::Error::from(io::ErrorKind::ConnectionReset);
        assert!(is_transient(reset()));
        assert!(is_transient(anyhow::Error::new(reset())));
        assert!(is_transient(anyhow::Error::new(reset()).context("while asking")));
        assert!(is_transient(io::Error::other(reset())));
        assert!(!is_transient(io::Error::from(io::ErrorKind::NotFound)));
    }

    #[test]
    fn what_the_maker_says_wins_over_the_chain() {
        assert!(!matches!(
            classify(&ToolError::permanent(io::Error::from(io::ErrorKind::ConnectionReset))),
            Transience::Transient(_)
        ));
        assert!(matches!(classify(&ToolError::transient("busy")), Transience::Transient(None)));
    }

    #[test]
    fn plain_words_are_permanent() {
        assert!(!is_transient("no such user"));
        assert!(!is_transient(anyhow::anyhow!("no such user")));
    }
}
