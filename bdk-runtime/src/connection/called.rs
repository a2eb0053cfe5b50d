//! What a call of another server's tool is given, and what it gives.

use super::{
    Spec,
    failed::{Failed, Kind},
    limits::Limits,
    unread,
};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use std::{borrow::Cow, fmt, sync::Arc};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Whoever is told how far a call is. It is told as often as the server likes, and does not wait.
pub(crate) trait Hears: fmt::Debug + Send + Sync {
    fn progress(&self, done: f64, total: Option<f64>, message: &str);
}

/// What a call comes with.
#[derive(Debug, Default, Clone)]
pub(crate) struct CallInfo {
    /// The caller's own; the connection's may be sooner.
    pub(crate) deadline: Option<Instant>,
    pub(crate) cancelled: Option<CancellationToken>,
    /// As of W3C's trace context.
    pub(crate) traceparent: Option<String>,
    /// For the process of an authored connection: the session of the call.
    pub(crate) session: Option<Value>,
    /// Without anybody the server is not asked to tell.
    pub(crate) hears: Option<Arc<dyn Hears>>,
}

impl CallInfo {
    /// When a call that begins now ends, by its caller's limit or the connection's.
    pub(super) fn ends(&self, spec: &Spec, limits: &Limits) -> Instant {
        let own = Instant::now() + spec.timeout.unwrap_or(limits.call);
        self.deadline.map_or(own, |deadline| deadline.min(own))
    }
}

/// A server's result, as it wrote it.
#[derive(Debug)]
pub(crate) struct Called {
    /// An array of content blocks.
    pub(crate) content: Box<RawValue>,
    pub(crate) structured: Option<Box<RawValue>>,
    pub(crate) is_error: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
struct Written<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    structured_content: Option<&'a RawValue>,
    is_error: Option<bool>,
    #[serde(borrow)]
    result_type: Option<Cow<'a, str>>,
    #[serde(borrow)]
    input_requests: Option<&'a RawValue>,
    #[serde(borrow)]
    request_state: Option<&'a RawValue>,
}

/// What a server answers to a call.
#[derive(Debug)]
pub(super) enum Answer {
    Now(Called),
    /// It is to be asked again, with this state of its. It asks nobody for anything.
    Later(Box<RawValue>),
}

impl Called {
    /// Reads a result.
    ///
    /// # Errors
    /// When it is none.
    pub(super) fn read(result: &RawValue) -> Result<Answer, Failed> {
        let unreadable = |words: String| Failed::bare(Kind::Unreadable, words);
        let written: Written<'_> = serde_json::from_str(result.get())
            .map_err(|error| unreadable(format!("its result {}", unread::plain(&error))))?;
        match written.result_type.as_deref() {
            None | Some("complete") => {}
            Some("input_required") => {
                let asks = written.input_requests.is_some_and(|asked| !matches!(asked.get(), "{}" | "null"));
                if let Some(state) = written.request_state.filter(|_| !asks) {
                    return Ok(Answer::Later(state.to_owned()));
                }
                return Err(unreadable("it asks a person for more, whom a connection cannot ask".to_owned()));
            }
            Some(other) => {
                return Err(unreadable(format!("its result is of the kind {other:.40}, which was not asked for")));
            }
        }
        let content = written.content.map(RawValue::to_owned);
        if content.as_ref().is_some_and(|content| !content.get().starts_with('[')) {
            return Err(unreadable("the content of its result is no array".to_owned()));
        }
        Ok(Answer::Now(Self {
            content: content.unwrap_or_else(empty),
            structured: written.structured_content.map(RawValue::to_owned),
            is_error: written.is_error.unwrap_or_default(),
        }))
    }
}

fn empty() -> Box<RawValue> {
    RawValue::from_string("[]".to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Called, Failed> {
        match Called::read(&RawValue::from_string(text.to_owned()).unwrap())? {
            Answer::Now(called) => Ok(called),
            Answer::Later(state) => panic!("it wants to be asked again: {state}"),
        }
    }

    #[test]
    fn a_result_is_kept_to_the_letter() {
        let called = read(
            r#"{"content":[{"type":"new","n":1.10}],"structuredContent":{"big":12345678901234567890123},"isError":true,"_meta":{},"x":1}"#,
        )
        .unwrap();
        assert_eq!(called.content.get(), r#"[{"type":"new","n":1.10}]"#);
        assert_eq!(called.structured.unwrap().get(), r#"{"big":12345678901234567890123}"#);
        assert!(called.is_error);
        let called = read("{}").unwrap();
        assert!(called.content.get() == "[]" && called.structured.is_none() && !called.is_error);
    }

    #[test]
    fn what_is_no_result_is_told() {
        for (text, words) in [
            ("7", "its result is not what it should be: invalid type: integer `7`, expected an object"),
            (r#"{"content":"x"}"#, "no array"),
            (r#"{"resultType":"input_required","inputRequests":{}}"#, "asks a person"),
            (r#"{"resultType":"task"}"#, "of the kind task"),
        ] {
            assert!(read(text).unwrap_err().words.contains(words), "{text}");
        }
    }
}
