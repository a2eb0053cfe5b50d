//! What a request says in its headers beside its body. In the era of sessions little depends on it; in the stateless one
//! both must say the same.

use crate::{
    call::CallInput,
    mcp::{
        Mcp, Message,
        client::{Era, STATELESS},
        error::RpcError,
        other::knows_version,
    },
    tool::schema::ParamHeaders,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
pub(super) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// A header's value, where it is there once and is text.
pub(super) fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut all = headers.get_all(name).iter();
    let value = all.next()?.to_str().ok()?;
    all.next().is_none().then_some(value)
}

/// Refuses a version that there is not, where the header alone names it: what stands in the body, too, is rmcp's to judge.
pub(super) fn check_version(era: Era, version: Option<&str>, message: &Message<'_>) -> Result<(), RpcError> {
    let Some(version) = version.filter(|version| !knows_version(version)) else { return Ok(()) };
    let told = message.meta().is_some_and(|meta| meta.protocol_version.is_some());
    match era {
        Era::Sessions => {
            Err(RpcError::request(format!("the protocol version `{version}` is none that this bot knows")))
        }
        Era::Stateless if !told => Err(RpcError::version(version)),
        Era::Stateless => Ok(()),
    }
}

/// Whether nothing about a tools' request has to be judged by rmcp: in the era of sessions nothing ever has. In the
/// stateless one what the headers say must be what the body says.
pub(super) fn are_plain(mcp: &Mcp, era: Era, message: &Message<'_>, headers: &HeaderMap) -> bool {
    if era == Era::Sessions {
        return true;
    }
    let one = |name: &HeaderName, expected: Option<&str>| {
        let mut all = headers.get_all(name).iter();
        all.next().map(HeaderValue::as_bytes) == expected.map(str::as_bytes) && all.next().is_none()
    };
    let Some(meta) = message.meta() else { return false };
    if !meta.is_stateless() || !one(&VERSION, Some(STATELESS)) || !one(&METHOD, message.method()) {
        return false;
    }
    let Some(params) = message.params.as_ref() else { return false };
    match (message.method(), &params.name) {
        (Some("tools/call"), Some(name)) => {
            (one(&NAME, Some(&name.0)) || decoded(text(headers, &NAME)).as_deref() == Some(&*name.0))
                && mcp.bot.find(&name.0).is_none_or(|tool| {
                    let repeated = tool.param_headers();
                    repeated.is_empty() || agree(repeated, params.arguments.as_ref(), headers)
                })
        }
        (Some("tools/call"), None) => false,
        _ => !headers.contains_key(NAME),
    }
}

/// Whether the parameters of a call that are repeated as headers are the same there; where the body has none there must be
/// no header either.
#[cold]
fn agree(repeated: &ParamHeaders, arguments: Option<&CallInput<'_>>, headers: &HeaderMap) -> bool {
    let arguments = arguments.map_or(Value::Null, |input| input.json().to_value());
    // arguments that are no object have nothing that a header could repeat: the call path tells what they should be
    if !(arguments.is_object() || arguments.is_null()) {
        return true;
    }
    repeated.iter().all(|param| {
        let mut value = &arguments;
        for name in &param.path {
            value = &value[&**name];
        }
        let body = match value {
            Value::String(text) => Some(text.clone()),
            Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
            _ => None,
        };
        let mut sent = headers.get_all(&*param.header).iter();
        match (sent.next(), sent.next()) {
            (None, _) => body.is_none(),
            (Some(one), None) => body.is_some() && decoded(one.to_str().ok()) == body,
            (Some(_), Some(_)) => false,
        }
    })
}

/// A value that is sent as base64, as one must be that is no ASCII, or as it is.
#[cold]
fn decoded(value: Option<&str>) -> Option<String> {
    let value = value?;
    match value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        Some(base64) => String::from_utf8(STANDARD.decode(base64).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}
