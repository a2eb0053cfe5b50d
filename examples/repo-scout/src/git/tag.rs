//! Creating a tag.

use super::{Error, Repo, Result};
use bdk::prelude::*;
use git2::{ErrorCode, Signature, Tag, Time};

/// A tag, created or (in a dry run) not.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct CreatedTag {
    /// The tag's name.
    pub name: String,
    /// The revision that was to be tagged, as it was given.
    pub target: String,
    /// The id of the tagged commit; absent in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Whether it carries a message and a tagger.
    pub annotated: bool,
    /// Whether it is there now; false in a dry run.
    pub created: bool,
}

/// What the parts of a new tag must be, seen together.
///
/// # Errors
/// When git would not take the name, or the message does not go with the kind of tag.
pub fn check(name: &str, annotated: bool, message: Option<&str>) -> Result<(), String> {
    // `is_valid_name` panics at a NUL; git itself also refuses a dash in front and `HEAD`.
    if name.contains('\0') || name.starts_with('-') || name == "HEAD" || !Tag::is_valid_name(name) {
        return Err(format!(
            "`name`: git takes no tag named {name:?}: use letters, digits, `.`, `-`, `_` and `/`, as in `v1.2.0`"
        ));
    }
    match (annotated, message.map(str::trim)) {
        (true, None | Some("")) => {
            Err("`message`: an annotated tag needs one; give it, or set `annotated` to false".into())
        }
        (false, Some(_)) => {
            Err("`message`: a lightweight tag has none; leave it out, or set `annotated` to true".into())
        }
        _ => Ok(()),
    }
}

/// Creates a tag at the revision `target`; with a message it is annotated and bears `tagged_at`.
///
/// # Errors
/// When the revision names no commit, the tag is there already, or git knows no name for the tagger.
pub fn create(
    repo: &Repo,
    name: String,
    target: String,
    message: Option<&str>,
    tagged_at: Timestamp,
) -> Result<CreatedTag> {
    let commit = repo.commit(&target)?;
    let done = match message {
        Some(message) => {
            let known = repo.git.signature().map_err(|e| match e.code() {
                ErrorCode::NotFound => Error::NoIdentity,
                _ => e.into(),
            })?;
            let tagger = Signature::new(known.name()?, known.email()?, &Time::new(tagged_at.as_second(), 0))?;
            let message = git2::message_prettify(message, None)?;
            repo.git.tag(&name, commit.as_object(), &tagger, &message, false)
        }
        None => repo.git.tag_lightweight(&name, commit.as_object(), false),
    };
    done.map_err(|e| match e.code() {
        ErrorCode::Exists => Error::TagExists(name.clone()),
        _ => e.into(),
    })?;
    Ok(CreatedTag { name, target, commit: Some(commit.id().to_string()), annotated: message.is_some(), created: true })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::fixture::{Fixture, at};

    #[test]
    fn a_lightweight_tag_points_at_the_commit_itself() {
        let fixture = Fixture::new();
        let first = fixture.commit(100, "First", &[("a.txt", "1\n")]);
        fixture.commit(200, "Second", &[("a.txt", "2\n")]);

        let tag = create(&fixture.repo(), "v1".into(), "HEAD~1".into(), None, at(300)).unwrap();

        assert_eq!(tag.commit, Some(first.to_string()));
        assert!(tag.created && !tag.annotated);
        assert_eq!(fixture.git.find_reference("refs/tags/v1").unwrap().target(), Some(first));
    }

    #[test]
    fn an_annotated_tag_bears_message_tagger_and_time() {
        let fixture = Fixture::new();
        let first = fixture.commit(100, "First", &[("a.txt", "1\n")]);

        let tag = create(&fixture.repo(), "rel/1.0".into(), "main".into(), Some("The first."), at(300)).unwrap();

        assert!(tag.annotated);
        let object = fixture.git.revparse_single("rel/1.0").unwrap().into_tag().ok().unwrap();
        assert_eq!(object.message().unwrap(), Some("The first.\n"));
        assert_eq!(object.target_id(), first);
        let tagger = object.tagger().unwrap();
        assert_eq!((tagger.name().unwrap(), tagger.when().seconds()), ("Tess Tagger", 300));
    }

    #[test]
    fn a_tag_is_never_moved() {
        let fixture = Fixture::new();
        let first = fixture.commit(100, "First", &[("a.txt", "1\n")]);
        let repo = fixture.repo();
        create(&repo, "v1".into(), "HEAD".into(), None, at(300)).unwrap();
        fixture.commit(200, "Second", &[("a.txt", "2\n")]);

        for message in [None, Some("again")] {
            let again = create(&repo, "v1".into(), "HEAD".into(), message, at(300));
            assert!(matches!(again, Err(Error::TagExists(name)) if name == "v1"));
        }
        assert_eq!(fixture.git.find_reference("refs/tags/v1").unwrap().target(), Some(first));
    }

    #[test]
    fn the_message_goes_with_the_kind_of_tag() {
        assert!(check("v1", true, Some("x")).is_ok());
        assert!(check("v1", false, None).is_ok());
        assert!(check("v1", true, None).unwrap_err().contains("set `annotated` to false"));
        assert!(check("v1", true, Some(" \n")).is_err());
        assert!(check("v1", false, Some("x")).unwrap_err().contains("leave it out"));
    }

    #[test]
    fn names_that_git_refuses_are_refused() {
        for name in ["", "a b", "-x", "HEAD", "a..b", "x.lock", "a~1", "/a", "a\0b", "a\nb", "@{1}"] {
            assert!(check(name, false, None).is_err(), "{name:?}");
        }
        for name in ["v1.2.0", "release/2024-01", "größe"] {
            assert!(check(name, false, None).is_ok(), "{name:?}");
        }
    }
}
