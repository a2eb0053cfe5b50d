//! `GET …/artifacts/{id}/content`: what a tool published, for whom it belongs to.
//!
//! Its bytes, its name and its media type are a tool's, and so a model's: a browser gets them as a download, and would run
//! nothing of them under the bot's origin if it showed them.

use super::{
    asker::Asker,
    refused::{Code, Refused},
};
use crate::{bot::Bot, cut, host::artifacts, id};
use axum::{body::Body, response::Response};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, StatusCode,
    header::{
        CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
        X_CONTENT_TYPE_OPTIONS,
    },
    request::Parts,
};
use std::fmt::Write as _;

const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
/// The headers of an answer that pages of listed origins may read.
pub(super) const ANSWER_HEADERS: &str = "content-disposition, etag";

/// The bytes of an artifact. To all but its owner it does not exist.
pub(super) async fn content(bot: &Bot, parts: &Parts) -> Result<Response, Refused> {
    // as it was sent: no id has a character that would be escaped
    let id = parts.uri.path().rsplit('/').nth(1).unwrap_or_default();
    // whoever came this far was admitted as somebody
    let asker = parts.extensions.get::<Asker>().ok_or_else(Refused::internal)?;
    let found = match id::is_artifact(id) {
        true => artifacts::find(bot, id, Some(&asker.principal)).await.map_err(|error| Refused::unavailable(&error))?,
        false => None,
    };
    let Some((meta, bytes)) = found else { return Err(unknown(id)) };
    // it never changes, and can go
    let tag = text(&format!("\"{id}\""));
    let mut answer = Response::new(Body::empty());
    let known = has(&parts.headers, &tag);
    let headers = answer.headers_mut();
    // whoever asks again is asked again who they are
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    headers.insert(ETAG, tag);
    if known {
        *answer.status_mut() = StatusCode::NOT_MODIFIED;
        return Ok(answer);
    }
    headers.insert(CONTENT_TYPE, text(&meta.mime));
    headers.insert(CONTENT_DISPOSITION, text(&disposition(&meta.name)));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox; default-src 'none'"));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    *answer.body_mut() = Body::from(Bytes::from_owner(bytes));
    Ok(answer)
}

fn unknown(id: &str) -> Refused {
    let id = cut::repeated(id, 40);
    Refused::new(
        Code::UnknownRoute,
        format!(
            "there is no artifact \"{id}\": one goes with the session it was published in, or after a day, and only its owner may fetch it"
        ),
    )
}

/// Whether the asker has it already.
fn has(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let sent = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = sent.flat_map(|value| value.split(',')).map(str::trim);
    tags.any(|sent| sent == "*" || sent.strip_prefix("W/").unwrap_or(sent).as_bytes() == tag.as_bytes())
}

/// A header's value; what is published was checked to be one.
fn text(value: &str) -> HeaderValue {
    HeaderValue::from_str(value).unwrap_or(HeaderValue::from_static("application/octet-stream"))
}

/// A download with this name: for whoever reads RFC 8187, and without what ASCII lacks for others.
fn disposition(name: &str) -> String {
    let plain = |c: char| if matches!(c, ' '..='~') && !matches!(c, '"' | '\\' | '%') { c } else { '_' };
    let mut out =
        format!("attachment; filename=\"{}\"; filename*=UTF-8''", name.chars().map(plain).collect::<String>());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // writing to a `String` cannot fail
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_told_in_ascii_and_in_full() {
        assert_eq!(disposition("report.pdf"), "attachment; filename=\"report.pdf\"; filename*=UTF-8''report.pdf");
        assert_eq!(
            disposition("Übersicht \"1%\".csv"),
            "attachment; filename=\"_bersicht _1__.csv\"; filename*=UTF-8''%C3%9Cbersicht%20%221%25%22.csv"
        );
        // no name can end the header, whatever was kept
        let shown = disposition("a\r\nSet-Cookie: b=c; filename=\"d\"\u{202e}");
        assert!(shown.is_ascii() && !shown.contains(['\r', '\n']) && shown.matches('"').count() == 2, "{shown}");
    }

    #[test]
    fn what_the_asker_has_is_known_by_its_tag() {
        let tag = HeaderValue::from_static("\"art_a\"");
        let sent = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(IF_NONE_MATCH, HeaderValue::from_static(value));
            }
            has(&headers, &tag)
        };
        for values in [&["\"art_a\""][..], &["W/\"art_a\""], &["\"x\", \"art_a\""], &["\"x\"", "\"art_a\""], &["*"]] {
            assert!(sent(values), "{values:?}");
        }
        for values in [&[][..], &["\"art_b\""], &["art_a"], &["\"art_a"]] {
            assert!(!sent(values), "{values:?}");
        }
    }
}
