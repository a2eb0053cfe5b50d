//! The auth chain: the author's own authenticators, bearer tokens, and at its end anonymous callers or the default,
//! `local_dev_strict`.

use super::{
    auth::{AuthRequest, Authenticator, Verdict},
    bearer::{self, Bearer},
    refused::Refused,
};
use crate::Principal;
use http::{HeaderMap, header::AUTHORIZATION};
use std::sync::Arc;

/// Decides who asks, before a body is read.
pub(super) struct Chain {
    authors: Vec<Arc<dyn Authenticator>>,
    bearer: Bearer,
    end: End,
}

/// Who comes in when nobody said a word.
enum End {
    /// `local_dev_strict`: direct callers of this machine.
    Local(Arc<Principal>),
    Anonymous(Arc<Principal>),
    Nobody,
}

impl Chain {
    pub(super) fn new(authors: Vec<Arc<dyn Authenticator>>, bearer: Bearer, anonymous: bool) -> Self {
        let end = if anonymous {
            End::Anonymous(Arc::new(Principal::new("anonymous", "anonymous")))
        } else if authors.is_empty() && bearer.is_empty() {
            End::Local(Arc::new(Principal::new("local", "loopback")))
        } else {
            End::Nobody
        };
        Self { authors, bearer, end }
    }

    pub(super) async fn admit(&self, request: AuthRequest<'_>) -> Result<Arc<Principal>, Refused> {
        for author in &self.authors {
            match author.authenticate(request).await {
                Verdict::Accept(principal) => return Ok(Arc::new(principal)),
                Verdict::Skip => {}
                Verdict::Unauthorized(message) => return Err(Refused::unauthorized(message)),
                Verdict::Forbidden(message) => return Err(Refused::forbidden(message)),
            }
        }
        if !self.bearer.is_empty()
            && let Some(principal) = self.by_token(&request.parts.headers)?
        {
            return Ok(principal.clone());
        }
        match &self.end {
            End::Anonymous(principal) => Ok(principal.clone()),
            End::Local(principal) => local(request).map(|()| principal.clone()),
            End::Nobody if self.bearer.is_empty() => {
                Err(Refused::unauthorized("no credentials that this bot knows came with the request"))
            }
            End::Nobody => Err(Refused::unauthorized("no token came with the request: send `Authorization: Bearer …`")),
        }
    }

    /// A wrong token is refused also where anonymous callers are let in; another scheme is not ours to judge.
    fn by_token(&self, headers: &HeaderMap) -> Result<Option<&Arc<Principal>>, Refused> {
        let mut found = None;
        for value in headers.get_all(AUTHORIZATION) {
            let Some(token) = value.to_str().ok().and_then(bearer::token) else { continue };
            let principal = self.bearer.find(token);
            found = Some(principal.ok_or_else(|| Refused::unauthorized("the bearer token is not known to this bot"))?);
        }
        Ok(found)
    }
}

/// `local_dev_strict`: nothing that a page in a browser or a proxy could have made. The gate has seen to `Host` and `Origin`:
/// what passes it is a loopback name, or one that the operator allowed.
fn local(request: AuthRequest<'_>) -> Result<(), Refused> {
    const OPEN: &str =
        "to open it, start it with `--bearer-token-env NAME`, or with `--allow-anonymous` when everybody may call";
    let headers = &request.parts.headers;
    if !request.peer.is_loopback() {
        return Err(Refused::forbidden(format!("this bot answers callers on its own machine only; {OPEN}")));
    }
    if let Some(name) = headers.keys().map(http::HeaderName::as_str).find(|name| forwarding(name)) {
        return Err(Refused::forbidden(format!(
            "this bot answers direct callers only, and the request has the header `{name}` of a proxy; {OPEN}"
        )));
    }
    Ok(())
}

/// What proxies add.
fn forwarding(name: &str) -> bool {
    name.starts_with("x-forwarded-") || matches!(name, "forwarded" | "via" | "x-real-ip")
}
