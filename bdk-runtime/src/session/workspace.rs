//! The folders of sessions: one each, made when first asked for, gone with the session.

use crate::{Error, id, lock::lock};
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
        match std::fs::remove_dir_all(self.place(session)?) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
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
