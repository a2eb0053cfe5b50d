//! `POST …/tools/{name}`: the call of a tool over HTTP.

use super::{
    body, call_body,
    door::Door,
    query,
    refused::{Code, Refused},
};
use crate::{
    CallOptions, Principal,
    call::{UnknownTool, check_key, is_traceparent},
};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, Method,
    header::{CONTENT_ENCODING, CONTENT_TYPE},
    request::Parts,
};
use hyper::body::{Body, Incoming};
use std::{borrow::Cow, sync::Arc};

/// Calls a tool, and gives the answer's body.
pub(super) async fn call(
    door: &Door,
    name: &str,
    parts: &Parts,
    body: &mut Incoming,
    principal: Arc<Principal>,
) -> Result<Bytes, Refused> {
    if parts.method != Method::POST {
        return Err(Refused::method(&parts.method, "POST"));
    }
    let name = decoded(name);
    // before the body is read
    let Some(tool) = door.bot.find_or_connect(&name).await else {
        let unknown = UnknownTool::new(&door.bot, &name);
        let code = if unknown.is_locked { Code::Unavailable } else { Code::UnknownTool };
        return Err(Refused::new(code, unknown.to_string()));
    };
    query::none(&parts.uri)?;
    if !body.is_end_stream() {
        is_json(&parts.headers)?;
    }
    let bytes = body::read(body, door.max_body, body::PAUSE).await?;
    let call = call_body::parse(&bytes)?;
    let mut options = CallOptions {
        dry_run: call.dry_run,
        as_of: call.as_of,
        bind: call.bind,
        ..CallOptions::new().principal(principal)
    };
    options.key = key(parts, call.call_id)?;
    options.traceparent = traceparent(&parts.headers);
    if options.bind.is_some() {
        options = Box::pin(door.bot.bind(options)).await.map_err(|unbound| Refused::unbound(&unbound))?;
    }
    let done = door.bot.call_found(tool, call.input, options).await;
    done.to_json().map(Bytes::from).map_err(|error| {
        tracing::error!(target: "bdk::serve", tool = &*name, %error, "an outcome could not be written as JSON");
        Refused::internal()
    })
}

/// W3C's `traceparent`, where it is one: nobody is refused for a broken one.
fn traceparent(headers: &HeaderMap) -> Option<Box<str>> {
    let value = headers.get("traceparent")?.to_str().ok()?;
    is_traceparent(value).then(|| value.into())
}

/// The idempotency key: the header, or the `callId` of the body.
fn key(parts: &Parts, call_id: Option<String>) -> Result<Option<Arc<str>>, Refused> {
    const KEY: HeaderName = HeaderName::from_static("idempotency-key");
    let mut headers = parts.headers.get_all(KEY).iter();
    let header = match (headers.next(), headers.next()) {
        (None, _) => None,
        (Some(value), None) => Some(value.to_str().unwrap_or_default().to_owned()),
        (Some(_), Some(_)) => return Err(Refused::invalid("a call has one `Idempotency-Key` header at most")),
    };
    if header.is_some() && call_id.is_some() && header != call_id {
        return Err(Refused::invalid(
            "`Idempotency-Key` and `callId` both say by what the call is known: send one of them",
        ));
    }
    let Some(key) = header.or(call_id) else { return Ok(None) };
    check_key(&key).map_err(Refused::invalid)?;
    Ok(Some(key.into()))
}

/// JSON, as itself or as what some other media type is made of.
pub(super) fn is_json(headers: &HeaderMap) -> Result<(), Refused> {
    let value = headers.get(CONTENT_TYPE).map(http::HeaderValue::as_bytes);
    let json = match value {
        Some(b"application/json") => true,
        Some(value) => {
            let essence = value.split(|b| *b == b';').next().unwrap_or_default().trim_ascii();
            essence.eq_ignore_ascii_case(b"application/json")
                || (essence.len() > 17
                    && essence[..12].eq_ignore_ascii_case(b"application/")
                    && essence[essence.len() - 5..].eq_ignore_ascii_case(b"+json"))
        }
        None => false,
    };
    if !json {
        let sent = value.map_or("none".into(), |v| format!("`{}`", String::from_utf8_lossy(v)));
        return Err(Refused::new(
            Code::UnsupportedMediaType,
            format!("a body is JSON: send `Content-Type: application/json` (it was {sent})"),
        ));
    }
    match headers.get(CONTENT_ENCODING) {
        Some(coding) if !coding.as_bytes().eq_ignore_ascii_case(b"identity") => {
            Err(Refused::new(Code::UnsupportedMediaType, "a body is sent as it is: leave out `Content-Encoding`"))
        }
        _ => Ok(()),
    }
}

/// A path's segment without its percent signs.
pub(super) fn decoded(segment: &str) -> Cow<'_, str> {
    if !segment.contains('%') {
        return Cow::Borrowed(segment);
    }
    let mut out = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = |at: usize| after.get(at).and_then(|b| char::from(*b).to_digit(16));
        if let (b'%', Some(high), Some(low)) = (byte, hex(0), hex(1)) {
            // two hexadecimal digits are a byte
            out.push((high * 16 + low) as u8);
            rest = &after[2..];
        } else {
            out.push(byte);
            rest = after;
        }
    }
    Cow::Owned(String::from_utf8_lossy(&out).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_signs_of_a_name_are_decoded_and_broken_ones_stay() {
        assert_eq!(decoded("add"), "add");
        assert_eq!(decoded("my%5Ftool"), "my_tool");
        assert_eq!(decoded("100%"), "100%");
        assert_eq!(decoded("%zz%4"), "%zz%4");
        assert_eq!(decoded("%C3%A4"), "ä");
    }

    #[test]
    fn json_goes_by_several_names() {
        let check = |value: &str| {
            let headers = HeaderMap::from_iter([(CONTENT_TYPE, value.parse().unwrap())]);
            is_json(&headers).is_ok()
        };
        for yes in ["application/json", "Application/JSON ; charset=utf-8", "application/vnd.api+json"] {
            assert!(check(yes), "{yes}");
        }
        for no in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "",
            "application/jsonx",
            "application/+json",
            "text/x+json",
        ] {
            assert!(!check(no), "{no}");
        }
        assert!(is_json(&HeaderMap::new()).is_err());
    }
}
