//! How a call ended: what every front turns into its own words.

mod blanked;
#[cfg(feature = "mcp")]
mod mcp;

use super::{CallState, Issue, input::Rejected};
use crate::{
    Effect, Error,
    error::{chain, words},
    secrets,
    tool::{Output, ToolError, ToolOutput},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{sync::Arc, time::Duration};

/// What kind of error a call ended with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorCode {
    /// The input is not what the tool takes.
    InvalidInput,
    /// An argument reaches beyond the frozen instant, or does not say when.
    AsOf,
    /// The tool said so.
    Failed,
    /// The deadline came first.
    Timeout,
    /// The tool panicked.
    Panicked,
    /// The bot stopped, or the calling tool did.
    Cancelled,
    /// The tool could not be run now.
    Unavailable,
}

impl ErrorCode {
    /// As it stands in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidInput => "invalid_input",
            Self::AsOf => "as_of",
            Self::Failed => "failed",
            Self::Timeout => "timeout",
            Self::Panicked => "panicked",
            Self::Cancelled => "cancelled",
            Self::Unavailable => "unavailable",
        }
    }
}

/// What beside the result says why a call failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallError {
    /// The kind.
    pub code: ErrorCode,
    /// What was wrong with the input, each with its path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
    /// Whether the very same call may work later.
    pub retryable: bool,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Outcome {
    /// The tool's name.
    pub tool_name: String,
    /// The id under which the call is logged.
    pub call_id: String,
    /// Whether the result is an error.
    pub is_error: bool,
    /// The value's JSON; an envelope or an error as `{content, structuredContent?, isError?}`.
    pub result: Value,
    /// How long it took, in whole milliseconds.
    pub duration_ms: u64,
    /// How often the tool ran; 0 when it did not.
    pub attempts: u32,
    /// Whether a dry run answered in the tool's place.
    pub stubbed: bool,
    /// Why it failed; absent when all is well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<CallError>,
}

impl Outcome {
    /// The text the caller reads: the result itself when it is a string, `Done.` for `null`, the text parts of an
    /// envelope, else its JSON.
    pub fn text(&self) -> String {
        match &self.result {
            Value::Null => "Done.".to_owned(),
            Value::String(text) => text.clone(),
            Value::Object(o) => match o.get("content").and_then(Value::as_array) {
                Some(parts) => parts.iter().filter_map(|p| p["text"].as_str()).collect::<Vec<_>>().join("\n"),
                None => self.result.to_string(),
            },
            other => other.to_string(),
        }
    }
    /// The result as a `T`.
    ///
    /// # Errors
    /// When the call failed, with its text, or the result is no `T`.
    pub fn value<T: DeserializeOwned>(&self) -> Result<T, Error> {
        if self.is_error {
            return Err(Error::new(self.text()));
        }
        T::deserialize(&self.result)
            .map_err(|e| Error::new(format!("the result of \"{}\" is not what was expected: {e}", self.tool_name)))
    }
}

/// Why a call gave no output.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The whole text for the caller, but for the tool's name before it.
    pub(super) text: String,
    pub(super) error: CallError,
}

impl Failure {
    fn new(code: ErrorCode, text: String, retryable: bool) -> Self {
        Self { text, error: CallError { code, issues: Vec::new(), retryable } }
    }
    pub(super) fn input(issues: Vec<Issue>, as_of: bool) -> Self {
        let code = if as_of { ErrorCode::AsOf } else { ErrorCode::InvalidInput };
        Self { text: String::new(), error: CallError { code, issues, retryable: false } }
    }
    pub(super) fn failed(error: &ToolError) -> Self {
        Self::new(code(error), format!(": {}", words(error.source())), false)
    }
    pub(super) fn gave_up(error: &ToolError, attempts: u32) -> Self {
        let times = if attempts == 1 { "attempt" } else { "attempts" };
        Self::new(ErrorCode::Failed, format!(": failed after {attempts} {times}: {}", words(error.source())), true)
    }
    pub(super) fn not_run(error: &ToolError) -> Self {
        Self::new(ErrorCode::Failed, format!(": {}", words(error.source())), true)
    }
    pub(super) fn unknown_outcome(error: &ToolError) -> Self {
        Self::new(ErrorCode::Failed, format!(": {}{UNKNOWN}", words(error.source())), false)
    }
    pub(super) fn timed_out(after: Duration, effect: Option<Effect>) -> Self {
        let unknown = unknown(effect);
        Self::new(
            ErrorCode::Timeout,
            format!(": timed out after {}{unknown}", spoken(after)),
            effect == Some(Effect::Read),
        )
    }
    /// Nothing of it is unknown: what was to be asked for was not.
    #[cfg(feature = "connections")]
    pub(super) fn timed_out_unsent(after: Duration, why: &str) -> Self {
        Self::new(ErrorCode::Timeout, format!(": timed out after {}: {why}. Nothing was run", spoken(after)), true)
    }
    pub(super) fn cancelled(effect: Option<Effect>) -> Self {
        let unknown = unknown(effect);
        Self::new(ErrorCode::Cancelled, format!(": cancelled{unknown}"), effect == Some(Effect::Read))
    }
    pub(super) fn panicked(call_id: &str) -> Self {
        Self::new(ErrorCode::Panicked, format!(": it panicked; the bot's log tells more under {call_id}"), false)
    }
    pub(super) fn unavailable(why: &str) -> Self {
        Self::new(ErrorCode::Unavailable, format!(": unavailable: {why}"), true)
    }
    /// Nothing of it may work by trying again.
    pub(super) fn unapprovable(why: &str) -> Self {
        Self::new(ErrorCode::Unavailable, format!(": {why}"), false)
    }
    /// Nothing was run, and nothing of it may work by trying again as it is.
    pub(super) fn refused(why: &str) -> Self {
        Self::new(ErrorCode::Failed, format!(": {why}"), false)
    }
    /// An earlier call was cut off when its process ended.
    pub(super) fn cut_off() -> Self {
        Self::new(ErrorCode::Cancelled, format!(": it was cut off when the bot ended{UNKNOWN}"), false)
    }
    pub(super) fn unapproved() -> Self {
        let text = ": it was not approved: do not call it again unless you are asked to";
        Self::new(ErrorCode::Failed, text.to_owned(), false)
    }
    pub(super) fn text(&self, tool: &str) -> String {
        match self.error.code {
            ErrorCode::InvalidInput | ErrorCode::AsOf => super::input::message(tool, &self.error.issues),
            _ => format!("Tool \"{tool}\" failed{}", self.text),
        }
    }
}

impl From<Rejected> for Failure {
    fn from(rejected: Rejected) -> Self {
        Self::input(rejected.issues, rejected.as_of)
    }
}

/// What is said of a call that was cut off: of a write, nobody knows how far it came.
fn unknown(effect: Option<Effect>) -> &'static str {
    if effect == Some(Effect::Write) { UNKNOWN } else { "" }
}

const UNKNOWN: &str = ". The outcome is unknown: verify it before repeating the call";

/// What the tool says, unless it hands on that something it needed was not there: an answer, mostly.
fn code(error: &ToolError) -> ErrorCode {
    let unavailable =
        |e: &(dyn std::error::Error + 'static)| e.downcast_ref::<Error>().is_some_and(Error::is_unavailable);
    if chain(error.source()).any(unavailable) { ErrorCode::Unavailable } else { ErrorCode::Failed }
}

/// `5s`, `2m`, `1500ms`.
fn spoken(d: Duration) -> String {
    let ms = d.as_millis();
    match ms {
        _ if ms >= 60_000 && ms.is_multiple_of(60_000) => format!("{}m", ms / 60_000),
        _ if ms >= 1000 && ms.is_multiple_of(1000) => format!("{}s", ms / 1000),
        _ => format!("{ms}ms"),
    }
}

/// A finished call, its result serialised once and not yet parsed again: what the fronts write.
pub(crate) struct Done {
    pub(super) state: Arc<CallState>,
    pub(crate) output: Output,
    pub(crate) duration_ms: u64,
    pub(crate) error: Option<CallError>,
}

impl Done {
    pub(super) fn new(state: Arc<CallState>, ended: Result<Output, Failure>) -> Self {
        let kept = state.kept().map(|kept| (kept.output.clone(), kept.error.clone(), kept.duration_ms));
        let (mut output, mut error, duration_ms) = match (kept, ended) {
            (Some(kept), _) => kept,
            (None, Ok(Output::Envelope(envelope))) if envelope.is_error() => {
                let error = CallError { code: ErrorCode::Failed, issues: Vec::new(), retryable: false };
                (Output::Envelope(envelope), Some(error), state.elapsed_ms())
            }
            (None, Ok(output)) => (output, None, state.elapsed_ms()),
            (None, Err(failure)) => {
                let (output, error) = failure.told(state.tool().name());
                (output, error, state.elapsed_ms())
            }
        };
        // here, so that every front tells the same, and none of it is a secret
        if secrets::any() {
            blanked::output(&mut output);
            error.iter_mut().for_each(blanked::error);
        }
        Self { duration_ms, state, output, error }
    }
    pub(crate) fn is_error(&self) -> bool {
        self.error.is_some()
    }
    /// The id under which the call is logged: that of the first call, where this one repeated it.
    pub(crate) fn call_id(&self) -> &str {
        self.state.kept().map_or(&self.state.call_id, |kept| &kept.call_id)
    }
    pub(super) fn attempts(&self) -> u32 {
        self.state.kept().map_or_else(|| self.state.attempts(), |kept| kept.attempts)
    }
    pub(crate) fn stubbed(&self) -> bool {
        self.state.kept().map_or_else(|| self.state.stubbed(), |kept| kept.stubbed)
    }
    /// What the call does to the world; none where its input was refused before that was decided.
    #[cfg(feature = "commands")]
    pub(crate) fn effect(&self) -> Option<Effect> {
        self.state.effect()
    }
    /// The body of the HTTP answer: `{"ok":true, …outcome}`. Written by hand, so that the result is not parsed again only to
    /// be embedded; names and ids need no escaping.
    #[cfg(feature = "http")]
    pub(crate) fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        let mut out = Vec::with_capacity(self.output.size_hint() + 256);
        out.extend_from_slice(b"{\"ok\":true,");
        self.told().write(&mut out, |out| self.output.write_json(out))?;
        out.push(b'}');
        Ok(out)
    }
    /// What is told of it beside its result.
    pub(super) fn told(&self) -> Told<'_> {
        Told {
            tool: self.state.tool().name(),
            call_id: self.call_id(),
            duration_ms: self.duration_ms,
            attempts: self.attempts(),
            stubbed: self.stubbed(),
            error: self.error.as_ref(),
        }
    }
}

/// What is told of a call that has ended, beside its result.
pub(super) struct Told<'a> {
    pub(super) tool: &'a str,
    pub(super) call_id: &'a str,
    pub(super) duration_ms: u64,
    pub(super) attempts: u32,
    pub(super) stubbed: bool,
    pub(super) error: Option<&'a CallError>,
}

impl Told<'_> {
    /// Writes the members of an outcome, `result` among them, without the braces.
    pub(super) fn write(
        &self,
        out: &mut Vec<u8>,
        result: impl FnOnce(&mut Vec<u8>) -> serde_json::Result<()>,
    ) -> serde_json::Result<()> {
        out.extend_from_slice(b"\"toolName\":\"");
        out.extend_from_slice(self.tool.as_bytes());
        out.extend_from_slice(b"\",\"callId\":\"");
        out.extend_from_slice(self.call_id.as_bytes());
        out.extend_from_slice(b"\",\"isError\":");
        serde_json::to_writer(&mut *out, &self.error.is_some())?;
        out.extend_from_slice(b",\"result\":");
        result(out)?;
        out.extend_from_slice(b",\"durationMs\":");
        serde_json::to_writer(&mut *out, &self.duration_ms)?;
        out.extend_from_slice(b",\"attempts\":");
        serde_json::to_writer(&mut *out, &self.attempts)?;
        out.extend_from_slice(b",\"stubbed\":");
        serde_json::to_writer(&mut *out, &self.stubbed)?;
        if let Some(error) = self.error {
            out.extend_from_slice(b",\"error\":");
            serde_json::to_writer(&mut *out, error)?;
        }
        Ok(())
    }
}

impl Failure {
    /// As its caller reads it.
    pub(super) fn told(self, tool: &str) -> (Output, Option<CallError>) {
        let envelope = ToolOutput::text(self.text(tool)).error();
        (Output::Envelope(Box::new(envelope)), Some(self.error))
    }
}

impl From<Done> for Outcome {
    fn from(done: Done) -> Self {
        Self {
            tool_name: done.state.tool().name().to_owned(),
            call_id: done.call_id().to_owned(),
            is_error: done.is_error(),
            duration_ms: done.duration_ms,
            attempts: done.attempts(),
            stubbed: done.stubbed(),
            result: done.output.into_value(),
            error: done.error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_told_with_its_sources_each_once() {
        let io = std::io::Error::other("disk on fire");
        let error = ToolError::from(anyhow::Error::new(io).context("cannot save").context("cannot publish"));
        assert_eq!(words(error.source()), "cannot publish: cannot save: disk on fire");
    }

    #[test]
    fn what_was_not_there_is_known_through_the_whole_chain_and_never_worth_a_second_try() {
        let gone = || Error::unavailable("nobody can be asked");
        for error in [
            ToolError::from(gone()),
            anyhow::Error::new(gone()).context("while booking").into(),
            Error::with_source("while booking", gone()).into(),
        ] {
            let failure = Failure::failed(&error);
            assert_eq!((failure.error.code, failure.error.retryable), (ErrorCode::Unavailable, false));
            assert_eq!(super::super::transient::classify(&error), crate::tool::Transience::Permanent);
        }
        assert_eq!(Failure::failed(&Error::new("no such seat").into()).error.code, ErrorCode::Failed);
    }

    #[test]
    fn a_deadline_is_told_as_its_author_wrote_it() {
        assert_eq!(spoken(Duration::from_secs(5)), "5s");
        assert_eq!(spoken(Duration::from_secs(120)), "2m");
        assert_eq!(spoken(Duration::from_millis(1500)), "1500ms");
    }
}
