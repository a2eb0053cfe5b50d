//! Bearer tokens: kept as digests, compared in constant time, every one of them at every request.

use crate::{Principal, secrets};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// The tokens that let their bearer in.
#[derive(Default)]
pub(super) struct Bearer(Vec<Token>);

struct Token {
    digest: [u8; 32],
    principal: Arc<Principal>,
    empty: bool,
}

impl Bearer {
    pub(super) fn add(&mut self, token: &str) {
        secrets::remember(token);
        let digest: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        // the subject says which token it was, also after a restart, and tells nothing of it
        let subject = digest[..4].iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        self.0.push(Token { digest, principal: Arc::new(Principal::new("bearer", subject)), empty: token.is_empty() });
    }
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// Whether one of them is no token at all, such as an environment variable that is set to nothing.
    pub(super) fn has_empty_token(&self) -> bool {
        self.0.iter().any(|t| t.empty)
    }
    /// Whose token it is.
    pub(super) fn find(&self, token: &str) -> Option<&Arc<Principal>> {
        let digest: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        let mut found = None;
        for known in &self.0 {
            if bool::from(known.digest.ct_eq(&digest)) {
                found = Some(&known.principal);
            }
        }
        found
    }
}

/// The token of an `Authorization` header, whatever the case of its scheme.
pub(super) fn token(authorization: &str) -> Option<&str> {
    let (scheme, token) = authorization.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_matches(' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_finds_its_own_principal_and_no_other_does() {
        let mut bearer = Bearer::default();
        bearer.add("one");
        bearer.add("two");
        let (one, two) = (bearer.find("one").unwrap(), bearer.find("two").unwrap());
        assert_ne!(one.subject, two.subject);
        assert_eq!(bearer.find("on"), None);
        assert_eq!(bearer.find(""), None);
    }

    #[test]
    fn the_scheme_is_taken_in_any_case_and_other_schemes_are_none() {
        assert_eq!(token("bEaReR  abc "), Some("abc"));
        assert_eq!(token("Basic abc"), None);
        assert_eq!(token("abc"), None);
    }
}
