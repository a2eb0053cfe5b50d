//! What a request says in its headers beside its body. In the era of sessions little depends on it; in the stateless one
//! both must say the same.

use crate::mcp::{
    Mcp, Message,
    client::{Era, STATELESS},
    error::RpcError,
    other::knows_version,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use http::{HeaderMap, HeaderName, HeaderValue};

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
    let named = meta.protocol_version.as_ref().is_some_and(|v| v.0 == STATELESS) && one(&VERSION, Some(STATELESS));
    if !named || meta.capabilities.is_none() || !one(&METHOD, message.method()) {
        return false;
    }
    let Some(params) = message.params.as_ref() else { return false };
    match (message.method(), &params.name) {
        (Some("tools/call"), Some(name)) => {
            // arguments that are no object have nothing that a header could repeat, and rmcp has no words for them
            let no_object = || params.arguments.as_ref().is_some_and(|input| !input.json().to_value().is_object());
            (one(&NAME, Some(&name.0)) || encoded(headers).as_deref() == Some(name.0.as_bytes()))
                && (!mcp.has_param_headers(&name.0) || no_object())
        }
        (Some("tools/call"), None) => false,
        _ => !headers.contains_key(NAME),
    }
}

/// A name that is sent as base64, as one must be that is no ASCII.
#[cold]
fn encoded(headers: &HeaderMap) -> Option<Vec<u8>> {
    let base64 = text(headers, &NAME)?.strip_prefix("=?base64?")?.strip_suffix("?=")?;
    STANDARD.decode(base64).ok()
}
