//! `ctx.artifacts()`: what a call leaves for its caller to fetch.

use super::{control, shown};
use crate::{
    Error,
    bot::Bot,
    id, secrets,
    session::{Live, Principal},
    store::{Op, Owner, StoreError, StoredFile},
};
use futures_util::future::{BoxFuture, FutureExt, ready};
use serde::{Deserialize, Serialize};
use std::{sync::Arc, time::Duration};

/// How many characters a name has at most.
const NAME: usize = 255;
/// And a media type.
const MIME: usize = 255;
/// How many bytes an artifact has at most.
const ARTIFACT: usize = 32 * 1024 * 1024;
/// How long an artifact is kept that goes with no session.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// Where a call leaves what its caller may fetch: `ctx.artifacts()`.
///
/// An artifact belongs to whoever called: to others it does not exist. One that a call in a session published goes with its
/// session; another one is kept for a day. It is fetched at `GET …/artifacts/{id}/content`, as a download with the name and
/// media type that it was published with. A bot that serves nothing over HTTP (`call`, `mcp serve`) has nobody to fetch it
/// from: give small things with the result itself there.
///
/// ```
/// use bdk::prelude::*;
///
/// /// Export the visits.
/// #[tool(effect = "read")]
/// async fn export(ctx: &ToolContext) -> Result<ToolOutput> {
///     let csv = "day,visits\n1,17\n";
///     let artifact = ctx.artifacts().publish("visits.csv", "text/csv; charset=utf-8", csv).await?;
///     Ok(ToolOutput::text("Exported 1 day.").resource_link(artifact.url(), &artifact.name))
/// }
///
/// # bdk::__private::block_on(async {
/// let outcome = TestBot::new().call_tool("export", json!({})).await;
/// assert_eq!(outcome.result["content"][1]["name"], "visits.csv");
/// # });
/// ```
///
/// It is `Serialize`, so that a tool can also return it, or a part of its own type can hold it:
///
/// ```
/// use bdk::{Artifact, prelude::*};
///
/// #[derive(Serialize)]
/// struct Exported {
///     days: u32,
///     file: Artifact,
/// }
///
/// /// Export the visits, told as data.
/// #[tool(effect = "read")]
/// async fn export_data(ctx: &ToolContext) -> Result<Exported> {
///     Ok(Exported { days: 1, file: ctx.artifacts().publish("visits.csv", "text/csv", "day,visits\n1,17\n").await? })
/// }
///
/// # bdk::__private::block_on(async {
/// let file = TestBot::new().call_tool("export_data", json!({})).await.result["file"].clone();
/// assert_eq!((&file["mime"], &file["size"]), (&json!("text/csv"), &json!(16)));
/// # });
/// ```
pub struct Artifacts(By);

/// Whose artifacts they are.
struct By {
    bot: Bot,
    session: Option<Arc<Live>>,
    owner: Arc<Principal>,
    tool: String,
    call_id: String,
}

/// An artifact that was published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Artifact {
    /// `art_…`.
    pub id: String,
    /// What it is called where it is saved.
    pub name: String,
    /// Its media type.
    pub mime: String,
    /// How many bytes it has.
    pub size: u64,
    url: String,
}

impl Artifact {
    /// Where it is fetched, by whoever may: a URL while the bot serves over HTTP (under `--public-url`, or else the address
    /// it listens on), elsewhere the path alone.
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// What is kept of one beside its bytes.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Meta {
    pub(crate) name: String,
    pub(crate) mime: String,
    size: u64,
    owner: Owner,
    tool: String,
    call_id: String,
    created_at: crate::Timestamp,
}

impl Artifacts {
    pub(crate) fn of(bot: &Bot, session: Option<Arc<Live>>, owner: Arc<Principal>, tool: &str, call_id: &str) -> Self {
        Self(By { bot: bot.clone(), session, owner, tool: tool.to_owned(), call_id: call_id.to_owned() })
    }

    /// Leaves these bytes for the caller. Two of the same name are two artifacts. It is published also in a dry run, by the
    /// reads that run in it.
    ///
    /// # Errors
    /// When the name is none (1 to 255 characters, without control characters, `/` and `\`), the media type is none (as in
    /// `text/csv` or `text/csv; charset=utf-8`), there are more than 32 MiB, the session is gone, or the bot's state cannot
    /// be written.
    // no `async fn`: its future would carry the author's type
    pub fn publish(
        &self,
        name: impl Into<String>,
        mime: impl Into<String>,
        bytes: impl AsRef<[u8]>,
    ) -> BoxFuture<'static, Result<Artifact, Error>> {
        self.put(&name.into(), &mime.into(), bytes.as_ref())
    }

    #[inline(never)]
    fn put(&self, name: &str, mime: &str, bytes: &[u8]) -> BoxFuture<'static, Result<Artifact, Error>> {
        if let Err(error) = check(name, mime, bytes.len()) {
            return ready(Err(error)).boxed();
        }
        let By { bot, session, owner, tool, call_id } = &self.0;
        let now = bot.now_in_ms();
        let meta = Meta {
            // they become headers, which nobody looks through
            name: secrets::blank(name).into_owned(),
            mime: secrets::blank(mime).into_owned(),
            size: bytes.len() as u64,
            owner: owner.owner(),
            tool: tool.clone(),
            call_id: call_id.clone(),
            created_at: now,
        };
        let id = id::artifact_id();
        let file = StoredFile {
            // a struct of texts and numbers always serialises
            meta: serde_json::to_string(&meta).unwrap_or_default(),
            session: session.as_ref().map(|live| live.id.clone()),
            expires: session.is_none().then(|| now + KEPT),
            bytes: bytes.into(),
        };
        let put = Op::PutFile { space: space(bot), path: id.clone(), file };
        let url = bot.url_of(&format!("artifacts/{id}/content"));
        let artifact = Artifact { id, name: meta.name, mime: meta.mime, size: meta.size, url };
        let (bot, session) = (bot.clone(), session.clone());
        Box::pin(async move {
            let state = bot.state();
            let batch = match &session {
                // no event, but a session that is gone is found out: nothing would ever remove what is left behind it
                Some(live) => vec![live.append(now, Vec::new()), put],
                None => [Some(put), state.purge_when_due(now)].into_iter().flatten().collect(),
            };
            match state.sessions.write(session.as_deref(), batch).await {
                Ok(_) => Ok(artifact),
                Err(StoreError::UnknownSession) => {
                    Err(Error::new(format!("the session is gone, and {} was not published", shown(&artifact.name))))
                }
                Err(error) => Err(error.into()),
            }
        })
    }
}

impl std::fmt::Debug for Artifacts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Artifacts").field("call_id", &self.0.call_id).finish_non_exhaustive()
    }
}

/// Where the store has them: no slug has a slash, so that no `host.files` is theirs.
pub(super) fn space(bot: &Bot) -> Arc<str> {
    format!("{}/artifacts", bot.slug()).into()
}

/// An artifact's bytes and what is kept of it, for whom it belongs to; the process itself may have every one.
pub(crate) async fn find(
    bot: &Bot,
    id: &str,
    asker: Option<&Principal>,
) -> Result<Option<(Meta, Arc<[u8]>)>, StoreError> {
    let Some(file) = bot.state().store.file(&space(bot), id, bot.now_in_ms()).await? else { return Ok(None) };
    let meta: Meta = serde_json::from_str(&file.meta)
        .map_err(|e| StoreError::unavailable(format_args!("what is kept of {id} cannot be read: {e}")))?;
    Ok(asker.is_none_or(|asker| asker.owns(&meta.owner)).then_some((meta, file.bytes)))
}

fn check(name: &str, mime: &str, bytes: usize) -> Result<(), Error> {
    let characters = name.chars().count();
    let why = if characters == 0 {
        Some("it is empty".to_owned())
    } else if characters > NAME {
        Some(format!("it has {characters} characters"))
    } else if let Some(control) = control(name) {
        Some(format!("it has {control}"))
    } else if name.contains(['/', '\\']) {
        Some("it has a slash".to_owned())
    } else if name == "." || name == ".." {
        Some("it is a folder's".to_owned())
    } else {
        None
    };
    if let Some(why) = why {
        return Err(Error::new(format!(
            "{} is no artifact's name: {why}; one has 1 to {NAME} characters, no control characters and no slashes, such as `report.pdf`",
            shown(name)
        )));
    }
    if !is_media_type(mime) {
        return Err(Error::new(format!(
            "{} is no media type for the artifact {}: one is `type/subtype`, such as `application/pdf` or `text/csv; charset=utf-8`",
            shown(mime),
            shown(name)
        )));
    }
    if bytes > ARTIFACT {
        return Err(Error::new(format!(
            "the artifact {} would have {bytes} bytes, and one has {ARTIFACT} at most: compress it, or publish it in parts",
            shown(name)
        )));
    }
    Ok(())
}

/// As RFC 9110 has it, §8.3.1: nothing that could be more than one header's value is one.
fn is_media_type(text: &str) -> bool {
    let mut parts = text.split(';');
    let essence = parts.next().and_then(|essence| essence.trim_end_matches([' ', '\t']).split_once('/'));
    let essence = essence.is_some_and(|(ty, subtype)| is_token(ty) && is_token(subtype) && ty != "*" && subtype != "*");
    let parameter = |part: &str| {
        let (name, value) = part.trim_matches([' ', '\t']).split_once('=')?;
        let quoted = value.strip_prefix('"').and_then(|v| v.strip_suffix('"'));
        let plain = |b: u8| matches!(b, b' ' | b'!' | b'#'..=b'[' | b']'..=b'~');
        Some(is_token(name) && quoted.map_or_else(|| is_token(value), |quoted| quoted.bytes().all(plain)))
    };
    text.len() <= MIME && essence && parts.all(|part| parameter(part) == Some(true))
}

fn is_token(text: &str) -> bool {
    let is = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !text.is_empty() && text.bytes().all(is)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_are_told_from_what_is_none() {
        for mime in [
            "text/plain",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "text/csv; charset=utf-8",
            "text/csv;charset=\"utf-8\";header=present",
            "image/svg+xml",
        ] {
            assert!(is_media_type(mime), "{mime}");
        }
        for no in [
            "",
            "text",
            "/",
            "text/",
            "/plain",
            "text/plain/x",
            "*/*",
            "image/*",
            "text /plain",
            " text/plain",
            "text/pläin",
            "text/plain;",
            "text/plain; charset",
            "text/plain; charset=",
            "text/plain\r\nSet-Cookie: a=b",
            "text/plain; a=\"b\"c",
            "text/plain; a=\"b\r\n\"",
            "text/html\0",
        ] {
            assert!(!is_media_type(no), "{no:?}");
        }
        assert!(!is_media_type(&format!("text/{}", "x".repeat(MIME))));
    }

    #[test]
    fn what_cannot_be_published_is_told_with_what_can() {
        let told = |name: &str, mime: &str, bytes| check(name, mime, bytes).unwrap_err().to_string();
        for (name, words) in [
            ("", "it is empty"),
            ("a/b", "a slash"),
            ("a\\b", "a slash"),
            ("..", "a folder's"),
            ("a\r\nX: y", "the control character U+000D at byte 1"),
            (&"é".repeat(256), "256 characters"),
        ] {
            let told = told(name, "text/plain", 0);
            assert!(told.contains(words) && told.contains("1 to 255") && !told.contains('\r'), "{told}");
        }
        assert!(told("a", "plain", 0).contains("text/csv"));
        assert!(told("a", "text/plain", ARTIFACT + 1).contains("33554433 bytes"));
        check(&"é".repeat(255), "text/plain", ARTIFACT).unwrap();
    }
}
