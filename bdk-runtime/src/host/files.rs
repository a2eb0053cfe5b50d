//! `host.files`: files by their paths, which are names in the store and lead nowhere else.

use super::{control, shown};
use crate::{
    Error,
    bot::Bot,
    store::{Did, Op, StoredFile},
};
use futures_util::future::{BoxFuture, FutureExt, ready};
use std::sync::Arc;

/// How many bytes a path has at most.
const PATH: usize = 1024;
/// And each part of it.
const PART: usize = 255;
/// And a file.
const FILE: usize = 16 * 1024 * 1024;

/// Files by their paths: `ctx.host.files`. They belong to the agent, whoever calls it, and outlive calls, sessions and
/// restarts wherever the bot's state does. A file of a session's own is better kept in its folder
/// ([`ToolContext::workspace_dir`](crate::ToolContext::workspace_dir)), one for the caller published
/// ([`ToolContext::artifacts`](crate::ToolContext::artifacts)).
///
/// A path is relative, its parts divided by `/`: `reports/2026/january.csv`. It has 1,024 bytes at most, a part of it 1 to
/// 255, and neither `.`, `..`, backslashes, control characters nor a drive's letter. It is a name in the bot's store and never
/// one of the file system, so that it leads nowhere else; the case of its letters counts, and there are no folders to make. A
/// file has 16 MiB at most.
///
/// A dry run changes nothing here: reads, which run in one, may keep a cache.
///
/// ```
/// use bdk::prelude::*;
///
/// # bdk::__private::block_on(async {
/// let files = TestBot::new().files();
/// files.write("reports/january.csv", "day,visits\n1,17\n").await?;
/// files.write("reports/february.csv", b"day,visits\n").await?;
/// assert_eq!(files.list("reports/").await?, ["reports/february.csv", "reports/january.csv"]);
/// assert_eq!(files.read("reports/february.csv").await?.as_deref(), Some(&b"day,visits\n"[..]));
/// assert!(files.delete("reports/february.csv").await?);
/// assert!(files.write("../passwd", "").await.is_err());
/// # Ok::<_, bdk::Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Files(Bot);

impl Files {
    pub(super) fn of(bot: &Bot) -> Self {
        Self(bot.clone())
    }

    /// Writes a file, in the place of one that may be there. Whoever reads it meanwhile has the old one or the new one.
    ///
    /// # Errors
    /// When the path is none, there are more than 16 MiB, or the bot's state cannot be written.
    // no `async fn`: its future would carry the author's type
    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> BoxFuture<'static, Result<(), Error>> {
        self.put(path, bytes.as_ref())
    }

    /// The bytes of a file, if there is one.
    ///
    /// # Errors
    /// When the path is none, or the bot's state cannot be read.
    pub async fn read(&self, path: &str) -> Result<Option<Vec<u8>>, Error> {
        self.found(path).await
    }

    /// The paths that begin so, in the order of their bytes: all of them for `""`.
    ///
    /// # Errors
    /// When no path can begin so, or the bot's state cannot be read.
    pub async fn list(&self, prefix: &str) -> Result<Vec<String>, Error> {
        self.paths(prefix).await
    }

    /// Deletes a file: whether there was one.
    ///
    /// # Errors
    /// When the path is none, or the bot's state cannot be written.
    pub async fn delete(&self, path: &str) -> Result<bool, Error> {
        self.remove(path).await
    }

    #[inline(never)]
    fn put(&self, path: &str, bytes: &[u8]) -> BoxFuture<'static, Result<(), Error>> {
        if let Err(error) = check_path(path).and_then(|()| check_size(path, bytes.len())) {
            return ready(Err(error)).boxed();
        }
        let file = StoredFile { meta: "{}".to_owned(), session: None, expires: None, bytes: bytes.into() };
        let op = Op::PutFile { space: self.0.slug().into(), path: path.to_owned(), file };
        let bot = self.0.clone();
        Box::pin(async move {
            bot.state().store.write(vec![op]).await?;
            Ok(())
        })
    }

    #[inline(never)]
    fn found<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<Option<Vec<u8>>, Error>> {
        Box::pin(async move {
            check_path(path)?;
            let file = self.0.state().store.file(self.0.slug(), path, self.0.now_in_ms()).await?;
            Ok(file.map(|file| file.bytes.to_vec()))
        })
    }

    #[inline(never)]
    fn paths<'a>(&'a self, prefix: &'a str) -> BoxFuture<'a, Result<Vec<String>, Error>> {
        Box::pin(async move {
            check_prefix(prefix)?;
            Ok(self.0.state().store.files(self.0.slug(), prefix, self.0.now_in_ms()).await?)
        })
    }

    #[inline(never)]
    fn remove<'a>(&'a self, path: &'a str) -> BoxFuture<'a, Result<bool, Error>> {
        Box::pin(async move {
            check_path(path)?;
            let space: Arc<str> = self.0.slug().into();
            let op = Op::DeleteFile { space, path: path.to_owned(), now: self.0.now_in_ms() };
            let did = self.0.state().store.write(vec![op]).await?;
            Ok(did.first() == Some(&Did::Existed(true)))
        })
    }
}

fn check_size(path: &str, bytes: usize) -> Result<(), Error> {
    if bytes <= FILE {
        return Ok(());
    }
    Err(Error::new(format!(
        "the file {} would have {bytes} bytes, and a file has {FILE} at most: write it in parts, or into `ctx.workspace_dir()`",
        shown(path)
    )))
}

fn check_path(path: &str) -> Result<(), Error> {
    let fault = whole_fault(path).or_else(|| path.split('/').find_map(part_fault));
    told("is no path of a file", path, fault)
}

/// What paths may begin with: of the last part, anything that a part may begin with.
fn check_prefix(prefix: &str) -> Result<(), Error> {
    if prefix.is_empty() {
        return Ok(());
    }
    let mut parts = prefix.split('/');
    let last = parts.next_back().map_or(0, str::len);
    let long = (last > PART).then(|| long_part(last));
    let fault = whole_fault(prefix).or_else(|| parts.find_map(part_fault)).or(long);
    told("is nothing that a file's path begins with", prefix, fault)
}

fn told(what: &str, path: &str, fault: Option<String>) -> Result<(), Error> {
    match fault {
        None => Ok(()),
        Some(why) => {
            Err(Error::new(format!("{} {what}: {why}; one is relative, such as `reports/january.csv`", shown(path))))
        }
    }
}

fn whole_fault(path: &str) -> Option<String> {
    let drive = path.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && path.as_bytes().get(1) == Some(&b':');
    if path.is_empty() {
        Some("it is empty".to_owned())
    } else if path.len() > PATH {
        Some(format!("it has {} bytes, and a path has {PATH} at most", path.len()))
    } else if let Some(control) = control(path) {
        Some(format!("it has {control}"))
    } else if path.starts_with('/') {
        Some("it begins with `/`".to_owned())
    } else if path.contains('\\') {
        Some("it has a backslash; parts are divided by `/`".to_owned())
    } else if drive {
        Some("it begins with a drive's letter".to_owned())
    } else {
        None
    }
}

fn part_fault(part: &str) -> Option<String> {
    match part {
        "" => Some("one of its parts is empty".to_owned()),
        "." | ".." => Some(format!("one of its parts is `{part}`")),
        _ if part.len() > PART => Some(long_part(part.len())),
        _ => None,
    }
}

fn long_part(bytes: usize) -> String {
    format!("one of its parts has {bytes} bytes, and a part has {PART} at most")
}

impl std::fmt::Debug for Files {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Files").field("agent", &self.0.slug()).finish_non_exhaustive()
    }
}
