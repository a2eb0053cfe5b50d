//! The body of a call: `{input, sessionId?, continuationToken?, dryRun?, asOf?, callId?}`.

use super::{
    members::{self, Kind, Name, flag, instant, listed, text},
    refused::Refused,
};
use crate::{Timestamp, call::CallInput, session::Bind};
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::Value;
use std::fmt;

/// What a call's body says.
#[derive(Debug)]
pub(super) struct CallBody<'a> {
    /// What the tool gets; `{}` where the body has none.
    pub(super) input: CallInput<'a>,
    pub(super) dry_run: bool,
    pub(super) as_of: Option<Timestamp>,
    /// The session that the call is for.
    pub(super) bind: Option<Bind>,
    /// By what a repetition of the call is known.
    pub(super) call_id: Option<String>,
}

/// The names a body may have, in the order in which they are told.
const NAMES: [&str; 6] = ["input", "sessionId", "continuationToken", "dryRun", "asOf", "callId"];

/// What it is called where something is wrong with it.
const CALL: Kind = Kind { body: "a call's body", is: "is no call", hint: " (a tool's arguments stand in `input`)" };

/// Reads a body. An empty one is `{}`.
pub(super) fn parse(bytes: &[u8]) -> Result<CallBody<'_>, Refused> {
    if bytes.trim_ascii().is_empty() {
        return Raw::default().checked();
    }
    members::json(bytes, &CALL, serde_json::from_str::<Raw<'_>>)?.checked()
}

/// The members as they came; `null` is as good as absent.
#[derive(Default)]
struct Raw<'a> {
    input: Option<CallInput<'a>>,
    session_id: Option<Value>,
    continuation_token: Option<Value>,
    dry_run: Option<Value>,
    as_of: Option<Value>,
    call_id: Option<Value>,
    unknown: Vec<String>,
    twice: Vec<String>,
}

impl<'a> Raw<'a> {
    /// Where a member but the input goes.
    fn slot(&mut self, name: &str) -> Option<&mut Option<Value>> {
        Some(match name {
            "sessionId" => &mut self.session_id,
            "continuationToken" => &mut self.continuation_token,
            "dryRun" => &mut self.dry_run,
            "asOf" => &mut self.as_of,
            "callId" => &mut self.call_id,
            _ => return None,
        })
    }

    fn checked(self) -> Result<CallBody<'a>, Refused> {
        members::check(&CALL, &NAMES, &self.unknown, &self.twice)?;
        let session = text("sessionId", self.session_id)?;
        let continuation = text("continuationToken", self.continuation_token)?;
        let facts = [("dryRun", self.dry_run.is_some()), ("asOf", self.as_of.is_some())];
        let dry_run = flag("dryRun", self.dry_run)?;
        let as_of = instant("asOf", self.as_of)?;
        let call_id = text("callId", self.call_id)?;
        let input = self.input.unwrap_or_else(CallInput::empty);
        let (bound, bind) = match (session, continuation) {
            (None, None) => return Ok(CallBody { input, dry_run, as_of, bind: None, call_id }),
            (Some(_), Some(_)) => {
                return Err(Refused::invalid(
                    "`sessionId` and `continuationToken` both say which session the call is for: send one of them",
                ));
            }
            (Some(id), None) => ("sessionId", Bind::Id(id)),
            (None, Some(token)) => ("continuationToken", Bind::Token(token)),
        };
        let facts: Vec<&str> = facts.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
        if !facts.is_empty() {
            return Err(Refused::invalid(format!(
                "{} cannot stand beside `{}`: a session has its own since it was opened",
                listed(&facts, "and"),
                bound
            )));
        }
        Ok(CallBody { input, dry_run, as_of, bind: Some(bind), call_id })
    }
}

impl<'de> Deserialize<'de> for Raw<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Raw<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object such as {\"input\": {}}")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Raw<'de>, A::Error> {
                let mut raw = Raw::default();
                let mut seen = [false; NAMES.len()];
                while let Some(Name(name)) = members.next_key()? {
                    let Some(place) = NAMES.iter().position(|n| *n == name) else {
                        members.next_value::<IgnoredAny>()?;
                        raw.unknown.push(name.into_owned());
                        continue;
                    };
                    if name == "input" {
                        let input: CallInput<'de> = members.next_value()?;
                        raw.input = (!input.is_null()).then_some(input);
                    } else {
                        let value: Value = members.next_value()?;
                        if let Some(slot) = raw.slot(&name) {
                            *slot = (!value.is_null()).then_some(value);
                        }
                    }
                    if std::mem::replace(&mut seen[place], true) {
                        raw.twice.push(name.into_owned());
                    }
                }
                Ok(raw)
            }
        }
        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::refused::Code, *};
    use serde_json::json;

    fn refused(body: &str) -> (Code, String) {
        let refused = parse(body.as_bytes()).unwrap_err();
        (refused.code, refused.message.into_owned())
    }

    #[test]
    fn nothing_null_and_an_empty_object_are_a_call_without_arguments() {
        for body in ["", " \n", "{}", r#"{"input":null}"#, r#"{"input":{},"dryRun":null,"asOf":null,"sessionId":null}"#]
        {
            let call = parse(body.as_bytes()).unwrap();
            assert_eq!((call.input.into_value(), call.dry_run, call.as_of), (json!({}), false, None), "{body}");
        }
    }

    #[test]
    fn an_input_that_is_no_object_is_the_tool_s_to_judge() {
        assert_eq!(parse(br#"{"input":[1]}"#).unwrap().input.into_value(), json!([1]));
        assert_eq!(parse(br#"{"input":"{}"}"#).unwrap().input.into_value(), json!("{}"));
    }

    #[test]
    fn the_facts_are_taken() {
        let call = parse(br#"{"dryRun":true,"asOf":"2026-01-01T00:00:00Z"}"#).unwrap();
        assert!(call.dry_run);
        assert_eq!(call.as_of, Some("2026-01-01T00:00:00Z".parse().unwrap()));
    }

    #[test]
    fn unknown_members_are_all_named_beside_what_there_is() {
        let (code, message) = refused(r#"{"inputs":{},"input":{},"as_of":1}"#);
        assert_eq!(code, Code::InvalidRequest);
        assert!(message.contains("`inputs` or `as_of`") && message.contains("`sessionId`"), "{message}");
    }

    #[test]
    fn wrong_types_say_what_was_expected() {
        for (body, words) in [
            (r#"{"dryRun":"yes"}"#, "`dryRun` must be `true` or `false`, and was \"yes\""),
            (r#"{"asOf":5}"#, "`asOf` must be a string, and was 5"),
            (r#"{"asOf":"yesterday"}"#, "`asOf` must be an absolute RFC 3339 instant with a zone, such as"),
            (r#"{"sessionId":5}"#, "`sessionId` must be a string"),
            (r#"{"input":{},"input":{}}"#, "`input` came twice"),
            ("[]", "expected an object such as"),
            ("3", "line 1 column 1"),
        ] {
            let (code, message) = refused(body);
            assert_eq!(code, Code::InvalidRequest);
            assert!(message.contains(words), "{message}");
        }
    }

    #[test]
    fn what_is_no_json_is_told_with_its_place() {
        let deep = format!("{{\"input\":{}{}}}", "[".repeat(400), "]".repeat(400));
        for body in ["{\"input\":\n  oops}", "{", "{} {}", &deep, "{\"input\":\"\u{1}\"}"] {
            let (code, message) = refused(body);
            assert_eq!(code, Code::InvalidRequest);
            assert!(message.starts_with("the body is no JSON") && message.contains("column"), "{message}");
        }
        assert!(parse(b"{\"input\":\"\xff\"}").unwrap_err().message.contains("column"));
    }

    #[test]
    fn ids_stand_alone() {
        let (code, message) = refused(r#"{"sessionId":"ses_a","continuationToken":"c:k"}"#);
        assert_eq!(code, Code::InvalidRequest);
        assert!(message.contains("`sessionId`") && message.contains("`continuationToken`"), "{message}");
        let (code, message) = refused(r#"{"sessionId":"ses_a","dryRun":false,"asOf":"2026-01-01T00:00:00Z"}"#);
        assert_eq!(code, Code::InvalidRequest);
        assert!(message.contains("`dryRun` and `asOf`") && message.contains("`sessionId`"), "{message}");
        assert_eq!(parse(br#"{"sessionId":"ses_a"}"#).unwrap().bind, Some(Bind::Id("ses_a".into())));
        assert_eq!(parse(br#"{"continuationToken":"c:k"}"#).unwrap().bind, Some(Bind::Token("c:k".into())));
    }
}
