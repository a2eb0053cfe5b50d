//! One JSON-RPC message, read in one pass: what the tools' requests are made of is taken out of it, borrowed; what rmcp
//! answers is looked at no further than to see that it is rmcp's.

use super::{client::STATELESS, error::RpcError};
use crate::call::{CallInput, check_key, is_traceparent, line::Abilities};
#[cfg(all(feature = "connections", feature = "commands", feature = "mcp"))]
use crate::session::{Given, Handed, META};
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, IgnoredAny, MapAccess, Visitor},
};
use serde_json::{Value, value::RawValue};
use std::{borrow::Cow, collections::BTreeMap, fmt, sync::Arc};

/// A struct that is read from an object alone (a derived one also reads an array), each member at most once, others
/// passed over. A `null` is as good as an absent member.
macro_rules! object {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$field_doc:meta])* $field:ident: $type:ty = $json:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Default)]
        pub(crate) struct $name<'a> {
            $($(#[$field_doc])* pub(crate) $field: Option<$type>,)+
            _text: std::marker::PhantomData<&'a str>,
        }

        impl<'de> Deserialize<'de> for $name<'de> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Members;
                impl<'de> Visitor<'de> for Members {
                    type Value = $name<'de>;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($what)
                    }
                    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<$name<'de>, A::Error> {
                        let mut object = $name::default();
                        while let Some(Name(name)) = members.next_key()? {
                            match &*name {
                                $($json => {
                                    if object.$field.is_some() {
                                        return Err(A::Error::custom(concat!("`", $json, "` came twice")));
                                    }
                                    object.$field = members.next_value()?;
                                })+
                                _ => drop(members.next_value::<IgnoredAny>()?),
                            }
                        }
                        Ok(object)
                    }
                }
                deserializer.deserialize_map(Members)
            }
        }
    };
}

/// A member's name; it is copied only where something in it is escaped.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// A text, borrowed where nothing in it is escaped.
#[derive(Debug, Deserialize)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

object! {
    /// A request, a notification or a response.
    Message, "a JSON-RPC message, which is an object" {
        version: Text<'a> = "jsonrpc",
        /// As it was sent; a request has one.
        id: &'a RawValue = "id",
        /// A response has none.
        method: Text<'a> = "method",
        params: Params<'a> = "params",
        result: Value = "result",
        error: Failed<'a> = "error",
    }
}

object! {
    /// What a response says that is an error.
    Failed, "an error, which is an object" {
        message: Text<'a> = "message",
    }
}

object! {
    /// Whatever a request's parameters have that concerns us.
    Params, "parameters, which are an object" {
        name: Text<'a> = "name",
        arguments: CallInput<'a> = "arguments",
        meta: Meta<'a> = "_meta",
        cursor: Text<'a> = "cursor",
        input_responses: Value = "inputResponses",
        request_state: Text<'a> = "requestState",
        /// Of `notifications/cancelled`.
        request_id: &'a RawValue = "requestId",
        /// Of `logging/setLevel`.
        level: Text<'a> = "level",
        /// Of `initialize`.
        protocol_version: Text<'a> = "protocolVersion",
        capabilities: Capabilities<'a> = "capabilities",
        client_info: ClientInfo<'a> = "clientInfo",
    }
}

object! {
    /// What stands in `_meta`.
    Meta, "`_meta`, which is an object" {
        progress_token: &'a RawValue = "progressToken",
        traceparent: &'a RawValue = "traceparent",
        key: &'a RawValue = "bdk/idempotencyKey",
        /// In the process of an authored connection.
        session: &'a RawValue = "bdk/session",
        protocol_version: Text<'a> = "io.modelcontextprotocol/protocolVersion",
        capabilities: Capabilities<'a> = "io.modelcontextprotocol/clientCapabilities",
        log_level: Text<'a> = "io.modelcontextprotocol/logLevel",
    }
}

object! {
    /// What a client declares that it can do.
    Capabilities, "a client's capabilities, which are an object" {
        elicitation: Elicitation<'a> = "elicitation",
        sampling: IgnoredAny = "sampling",
        roots: IgnoredAny = "roots",
    }
}

object! {
    /// Which ways of asking a client has; none named means forms, as before 2025-11-25.
    Elicitation, "the ways of asking, which are an object" {
        form: IgnoredAny = "form",
        url: IgnoredAny = "url",
    }
}

object! {
    /// Who a client is.
    ClientInfo, "the client's name and version, which are an object" {
        name: Text<'a> = "name",
        version: Text<'a> = "version",
    }
}

impl Capabilities<'_> {
    pub(crate) fn abilities(&self) -> Abilities {
        let form = self.elicitation.as_ref().is_some_and(|e| e.form.is_some() || e.url.is_none());
        let url = self.elicitation.as_ref().is_some_and(|e| e.url.is_some());
        Abilities { form, url, sampling: self.sampling.is_some(), roots: self.roots.is_some() }
    }
}

impl<'a> Message<'a> {
    /// Reads a message.
    ///
    /// # Errors
    /// -32700 for what is no JSON, -32600 for what is no JSON-RPC message (a batch, too), -32602 for parameters of a wrong type.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, RpcError> {
        // one look at all of it is cheaper than one at each text; what is no UTF-8 is told with its place
        let read = match std::str::from_utf8(bytes) {
            Ok(text) => serde_json::from_str::<Self>(text),
            Err(_) => serde_json::from_slice(bytes),
        };
        let message = read.map_err(|error| fault(bytes, &error))?;
        match message.id {
            // before anything else is told under it
            Some(id) if !is_id(id.get()) => Err(RpcError::request("an `id` is a string or a number")),
            _ if message.version.as_ref().is_none_or(|v| v.0 != "2.0") => {
                Err(RpcError::request("the message is no JSON-RPC 2.0: it needs `\"jsonrpc\":\"2.0\"`").of(message.id))
            }
            None if message.method().is_some_and(|m| !m.starts_with("notifications/")) && has_id(bytes) => {
                // a `null` where an id belongs: a request whose answer nobody could tell from another one's
                Err(RpcError::request("an `id` is a string or a number; a notification has none"))
            }
            _ if message.method.is_none() && message.result.is_none() && message.error.is_none() => {
                Err(RpcError::request("the message has no `method`, and is no response either").of(message.id))
            }
            _ => Ok(message),
        }
    }

    pub(crate) fn method(&self) -> Option<&str> {
        self.method.as_ref().map(|m| &*m.0)
    }
    /// Refuses an `initialize` that lacks what it must have, under its id.
    pub(crate) fn check_initialize(&self) -> Result<(), RpcError> {
        let params = self.params.as_ref();
        let who = params.and_then(|params| params.client_info.as_ref());
        let missing = [
            ("params", params.is_none()),
            ("params.protocolVersion", params.is_some_and(|params| params.protocol_version.is_none())),
            ("params.capabilities", params.is_some_and(|params| params.capabilities.is_none())),
            ("params.clientInfo", params.is_some() && who.is_none()),
            ("params.clientInfo.name", who.is_some_and(|who| who.name.is_none())),
            ("params.clientInfo.version", who.is_some_and(|who| who.version.is_none())),
        ];
        match missing.iter().find(|(_, missing)| *missing) {
            Some((name, _)) => Err(RpcError::params(format!("`initialize` needs `{name}`")).of(self.id)),
            None => Ok(()),
        }
    }
    pub(crate) fn meta(&self) -> Option<&Meta<'a>> {
        self.params.as_ref()?.meta.as_ref()
    }
}

impl Meta<'_> {
    /// Whether it says all that a request of the stateless era must say.
    pub(crate) fn is_stateless(&self) -> bool {
        self.protocol_version.as_ref().is_some_and(|version| version.0 == STATELESS) && self.capabilities.is_some()
    }
    /// The token, as it was sent, where it is one.
    pub(crate) fn progress_token(&self) -> Option<&str> {
        self.progress_token.map(RawValue::get).filter(|token| is_id(token))
    }
    /// W3C's `traceparent`, where it is one: nobody is refused for a broken one.
    pub(crate) fn traceparent(&self) -> Option<Box<str>> {
        traceparent(self.traceparent.map(RawValue::get))
    }
    /// The session that another process has.
    #[cfg(all(feature = "connections", feature = "commands", feature = "mcp"))]
    pub(crate) fn session(&self) -> Result<Option<Given>, RpcError> {
        let Some(json) = self.session else { return Ok(None) };
        match serde_json::from_str::<Handed>(json.get()) {
            Ok(handed) => Ok(Some(handed.into())),
            Err(why) => Err(RpcError::params(format!("`_meta[\"{META}\"]`: {why}"))),
        }
    }
    /// By what a repetition of the call is known.
    pub(crate) fn key(&self) -> Result<Option<Arc<str>>, RpcError> {
        key(self.key.map(RawValue::get))
    }
}

/// A `traceparent` in JSON, where it is one.
pub(super) fn traceparent(json: Option<&str>) -> Option<Box<str>> {
    let text: String = serde_json::from_str(json?).ok()?;
    is_traceparent(&text).then(|| text.into())
}

/// An idempotency key in JSON. A wrong one is refused: whoever sends one relies on it.
pub(super) fn key(json: Option<&str>) -> Result<Option<Arc<str>>, RpcError> {
    let Some(json) = json.filter(|json| *json != "null") else { return Ok(None) };
    let key = serde_json::from_str::<String>(json).unwrap_or_default();
    match check_key(&key) {
        Ok(()) => Ok(Some(key.into())),
        Err(why) => Err(RpcError::params(format!("`_meta[\"bdk/idempotencyKey\"]`: {why}"))),
    }
}

/// A string or a number.
fn is_id(json: &str) -> bool {
    matches!(json.as_bytes().first(), Some(b'"' | b'-' | b'0'..=b'9'))
}

/// Whether a message has an `id`, be it `null`.
#[cold]
fn has_id(bytes: &[u8]) -> bool {
    serde_json::from_slice::<BTreeMap<String, IgnoredAny>>(bytes).is_ok_and(|members| members.contains_key("id"))
}

/// Says what is wrong with a message that could not be read, under its id where that can be found.
#[cold]
fn fault(bytes: &[u8], error: &serde_json::Error) -> RpcError {
    object! {
        Head, "an object" { version: Value = "jsonrpc", id: &'a RawValue = "id", method: Value = "method", }
    }
    let head = serde_json::from_slice::<Head<'_>>(bytes);
    // as it was sent: a number may be none that a float holds
    let id = head.as_ref().ok().and_then(|head| head.id).filter(|id| is_id(id.get()));
    if !error.is_data() {
        let error = RpcError::parse(format!("the message is no JSON: {error}"));
        // where that could be read, it is JSON, and nested too deep: its sender waits for an answer
        return error.of(id);
    }
    match head {
        Ok(Head { version: Some(Value::String(version)), method: Some(Value::String(method)), .. })
            if version == "2.0" =>
        {
            RpcError::params(format!("the parameters of `{method}` are not what they should be: {error}")).of(id)
        }
        _ => RpcError::request(format!("this is no JSON-RPC message (batches are not taken either): {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Message<'_> {
        Message::parse(json.as_bytes()).unwrap()
    }
    fn code(json: &str) -> i32 {
        Message::parse(json.as_bytes()).unwrap_err().code
    }

    #[test]
    fn a_call_is_taken_apart() {
        let m = parse(
            r#"{"jsonrpc":"2.0","id":"a\u0041","method":"tools/call","params":{"name":"add","arguments":{"a":1},
            "_meta":{"progressToken":7,"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}}"#,
        );
        assert_eq!((m.id.unwrap().get(), m.method()), (r#""a\u0041""#, Some("tools/call")));
        assert_eq!(m.meta().unwrap().progress_token(), Some("7"));
        assert!(m.meta().unwrap().traceparent().is_some());
        let params = m.params.unwrap();
        assert_eq!(params.name.unwrap().0, "add");
        assert_eq!(params.arguments.unwrap().into_value(), serde_json::json!({"a":1}));
    }

    #[test]
    fn an_idempotency_key_is_a_visible_text_or_refused() {
        let key = |json: &str| {
            let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"_meta":{json}}}}}"#);
            parse(&text).meta().unwrap().key().map_err(|e| (e.code, e.message))
        };
        assert_eq!(key("{}"), Ok(None));
        assert_eq!(key(r#"{"bdk/idempotencyKey":null}"#), Ok(None));
        assert_eq!(key(r#"{"bdk/idempotencyKey":"a-\u0031"}"#), Ok(Some("a-1".into())));
        let long = format!("\"{}\"", "x".repeat(256));
        for bad in [r#""""#, "7", "{}", r#""a b""#, r#""ä""#, &long] {
            let (code, message) = key(&format!(r#"{{"bdk/idempotencyKey":{bad}}}"#)).unwrap_err();
            assert_eq!(code, -32602, "{bad}");
            assert!(message.contains("bdk/idempotencyKey") && message.contains("255"), "{message}");
        }
    }

    #[test]
    fn arguments_of_every_type_are_the_call_path_s_to_judge() {
        for (json, value) in [("[]", "[]"), (r#""{}""#, r#""{}""#), ("3", "3")] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"arguments":{json}}}}}"#);
            let input = parse(&text).params.unwrap().arguments.unwrap();
            assert_eq!(input.into_value().to_string(), value);
        }
        let none = parse(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":null}}"#);
        assert!(none.params.unwrap().arguments.is_none());
    }

    #[test]
    fn what_is_no_message_is_told_by_its_code() {
        for (json, expected) in [
            ("{", -32700),
            ("", -32700),
            ("\u{1}", -32700),
            ("[]", -32600),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
            ("3", -32600),
            ("{}", -32600),
            (r#"{"id":1,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["add"]}"#, -32602),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}"#, -32602),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}"#, -32602),
        ] {
            assert_eq!(code(json), expected, "{json}");
        }
        assert_eq!(code(&format!("{}1{}", "[".repeat(400), "]".repeat(400))), -32600);
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"arguments":{}1{}}}}}"#,
            "[".repeat(400),
            "]".repeat(400)
        );
        let error = Message::parse(deep.as_bytes()).unwrap_err();
        assert_eq!((error.code, error.id.as_deref()), (-32700, Some("1")));
    }

    #[test]
    fn a_null_for_an_id_is_passed_over_where_none_belongs() {
        assert!(parse(r#"{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}"#).id.is_none());
        assert!(parse(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"what?"}}"#).id.is_none());
        assert!(parse(r#"{"jsonrpc":"2.0","method":"nope"}"#).id.is_none());
    }

    #[test]
    fn an_error_is_told_under_the_id_as_it_was_sent_and_under_none_that_is_no_id() {
        for id in ["1.0", "1e2", "1e999", "99999999999999999999", "-0", r#""\u0041""#] {
            for rest in [r#""method":"x","params":5"#, r#""method":5"#, r#""result":1,"jsonrpc":"1.0""#] {
                let error = Message::parse(format!(r#"{{"id":{id},{rest}}}"#).as_bytes()).unwrap_err();
                assert!(error.id.as_deref().is_none_or(|told| told == id), "{id} {rest}: {error:?}");
            }
            for (version, rest) in [("2.0", r#","method":"x","params":5"#), ("1.0", r#","method":"x""#), ("2.0", "")] {
                let message = format!(r#"{{"jsonrpc":"{version}","id":{id}{rest}}}"#);
                let error = Message::parse(message.as_bytes()).unwrap_err();
                assert_eq!(error.id.as_deref(), Some(id), "{message}");
            }
        }
        for id in ["{}", "[1]", "true"] {
            for version in ["2.0", "1.0"] {
                let message = format!(r#"{{"jsonrpc":"{version}","id":{id},"method":"x"}}"#);
                assert_eq!(Message::parse(message.as_bytes()).unwrap_err().id, None, "{message}");
            }
        }
    }

    #[test]
    fn a_fault_in_the_parameters_is_told_under_the_request_s_id() {
        let error =
            Message::parse(br#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":5}}"#).unwrap_err();
        assert_eq!(error.id.as_deref(), Some("\"x\""));
        assert!(error.message.contains("tools/call"), "{}", error.message);
    }

    #[test]
    fn a_client_without_a_named_way_of_asking_takes_forms() {
        let abilities = |json: &str| serde_json::from_str::<Capabilities<'_>>(json).unwrap().abilities();
        assert_eq!(abilities("{}"), Abilities::default());
        assert_eq!(abilities(r#"{"elicitation":{}}"#), Abilities { form: true, ..Abilities::default() });
        assert_eq!(abilities(r#"{"elicitation":{"url":{}}}"#), Abilities { url: true, ..Abilities::default() });
        let all = abilities(r#"{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{"listChanged":true}}"#);
        assert_eq!(all, Abilities { form: true, url: true, sampling: true, roots: true });
    }
}
