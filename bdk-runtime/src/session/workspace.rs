//! The folders of sessions: one each, made when first asked for, gone with the session.

use crate::{
    Error, id,
    lock::lock,
    store::{Store, StoreError},
};
use std::{
    io,
    path::{Path, PathBuf},
    sync::Mutex,
};

/// Where the folders are.
pub(crate) enum Workspaces {
    /// Under this folder, which stays.
    #[cfg_attr(not(any(test, feature = "sqlite", feature = "postgres")), expect(dead_code, reason = "nothing stays"))]
    In(PathBuf),
    /// In a folder that is made when the first is, and goes with the process.
    Temporary(Mutex<Option<tempfile::TempDir>>),
}

impl Workspaces {
    pub(crate) fn temporary() -> Self {
        Self::Temporary(Mutex::default())
    }

    /// Where this session's folder is, or would be.
    fn place(&self, session: &str) -> io::Result<PathBuf> {
        // only ids that bdk made come here; one with a path in it would lead elsewhere
        if !id::is_session(session) {
            return Err(io::Error::other("it is no session's id"));
        }
        match self {
            Self::In(folder) => Ok(folder.join(session)),
            Self::Temporary(made) => {
                let mut made = lock(made);
                let folder = match &mut *made {
                    Some(folder) => folder,
                    none => none.insert(tempfile::Builder::new().prefix("bdk-").tempdir()?),
                };
                Ok(folder.path().join(session))
            }
        }
    }

    /// This session's folder, made where it is not there: readable by this user alone.
    pub(crate) fn of(&self, session: &str) -> Result<PathBuf, Error> {
        let made = self.place(session).and_then(|place| make(&place).map(|()| place));
        made.map_err(|e| Error::with_source(format!("the workspace of {session} could not be made"), e))
    }

    /// Removes this session's folder with all that is in it. Links in it are removed, not followed.
    pub(crate) fn remove(&self, session: &str) -> io::Result<()> {
        if let Self::Temporary(made) = self
            && lock(made).is_none()
        {
            return Ok(());
        }
        remove(&self.place(session)?)
    }

    /// The same, told in the log where it fails: the next start tries again.
    pub(crate) fn remove_told(&self, session: &str) {
        if let Err(error) = self.remove(session) {
            tracing::warn!(target: "bdk::session", session, %error, "a session's workspace could not be removed");
        }
    }

    /// Removes the folders of sessions that are gone: those of which a process was killed while it removed them, and, where
    /// several share a store, those that another one deleted.
    pub(crate) async fn sweep(&self, store: &dyn Store) -> Result<(), StoreError> {
        let Self::In(folder) = self else { return Ok(()) };
        let Ok(found) = std::fs::read_dir(folder) else { return Ok(()) };
        for id in found.flatten().filter_map(|entry| entry.file_name().into_string().ok()) {
            if id::is_session(&id) && store.session(&id).await?.is_none() {
                let place = folder.join(&id);
                if let Ok(Err(error)) = tokio::task::spawn_blocking(move || remove(&place)).await {
                    tracing::warn!(target: "bdk::session", session = id, %error, "a session's workspace could not be removed");
                }
            }
        }
        Ok(())
    }
}

/// Removes a folder with all that is in it, also of folders that nobody may write to, as caches of build tools are.
fn remove(place: &Path) -> io::Result<()> {
    let removed = match std::fs::remove_dir_all(place) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_up(place)?;
            std::fs::remove_dir_all(place)
        }
        removed => removed,
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Gives its owner all rights to a folder and those in it.
fn open_up(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    std::fs::set_permissions(folder, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        // of a link it is its own type, not that of what it leads to
        if entry.file_type()?.is_dir() {
            open_up(&entry.path())?;
        }
    }
    Ok(())
}

fn make(place: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(place)?;
    // what was put there in its stead leads elsewhere
    let there = place.symlink_metadata()?;
    if there.is_dir() { Ok(()) } else { Err(io::Error::other("something else stands in its place")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "ses_abcdefghij0123450123";

    #[test]
    fn a_workspace_is_made_once_and_goes_with_everything_in_it() {
        let workspaces = Workspaces::temporary();
        let place = workspaces.of(ID).unwrap();
        std::fs::create_dir_all(place.join("a/b")).unwrap();
        assert_eq!(workspaces.of(ID).unwrap(), place);
        workspaces.remove(ID).unwrap();
        assert!(!place.exists());
        workspaces.remove(ID).unwrap();
    }

    #[test]
    fn nothing_but_a_session_s_id_leads_to_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let workspaces = Workspaces::In(folder.path().join("workspaces"));
        for id in [
            "",
            "..",
            "ses_",
            "ses_../../../../etc/xxxxx",
            "ses_abcdefghij012345012/",
            "/etc",
            "ses_ABCDEFGHIJ0123450123",
        ] {
            assert!(workspaces.of(id).is_err() && workspaces.remove(id).is_err(), "{id}");
        }
        assert!(!folder.path().join("workspaces").exists());
    }

    #[tokio::test]
    async fn the_folders_of_sessions_that_are_gone_are_swept_and_no_others() {
        let (bot, folder) = (crate::bot::Bot::with(crate::registry::Registry::linked()), tempfile::tempdir().unwrap());
        let workspaces = Workspaces::In(folder.path().to_owned());
        let kept = bot.state().sessions.open(&bot, crate::SessionOptions::new()).await.unwrap().id;
        for id in [ID, &*kept] {
            std::fs::write(workspaces.of(id).unwrap().join("a"), "").unwrap();
        }
        std::fs::create_dir(folder.path().join("of somebody else")).unwrap();
        workspaces.sweep(&*bot.state().store).await.unwrap();
        assert!(!folder.path().join(ID).exists());
        assert!(folder.path().join(&*kept).join("a").exists() && folder.path().join("of somebody else").exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_nobody_may_write_to_is_removed_all_the_same() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b");
        std::fs::create_dir_all(inner.join("c")).unwrap();
        for place in [&inner, &folder.path().join("a")] {
            std::fs::set_permissions(place, std::fs::Permissions::from_mode(0o000)).unwrap();
        }
        // root may remove it as it is, so this is asked for by itself
        open_up(&folder.path().join("a")).unwrap();
        assert_eq!(inner.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        remove(&folder.path().join("a")).unwrap();
        assert!(!folder.path().join("a").exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_a_workspace_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("kept"), "").unwrap();
        let workspaces = Workspaces::In(folder.path().to_owned());
        std::os::unix::fs::symlink(outside.path(), folder.path().join(ID)).unwrap();
        assert!(workspaces.of(ID).is_err());
        let _ = workspaces.remove(ID);
        assert!(outside.path().join("kept").exists());
    }
}
