//! Who asks: the authenticators an author may write, and what they see and say.

use crate::Principal;
use http::request::Parts;
use std::{borrow::Cow, future::Future, net::IpAddr, pin::Pin, sync::Arc};

/// What an [`Authenticator`] gives back.
pub type AuthFuture<'a> = Pin<Box<dyn Future<Output = Verdict> + Send + 'a>>;

/// Finds out who asks. It sees a request's head, before the body is read.
///
/// ```
/// use bdk::{AuthFuture, AuthRequest, Authenticator, Principal, Verdict};
///
/// /// Callers show a key in a header of their own.
/// struct ApiKeys;
///
/// impl Authenticator for ApiKeys {
///     fn authenticate<'a>(&'a self, request: AuthRequest<'a>) -> AuthFuture<'a> {
///         Box::pin(async move {
///             match request.header("x-api-key") {
///                 None => Verdict::Skip,
///                 Some("correct horse battery staple") => Verdict::Accept(Principal::new("api-key", "horse")),
///                 Some(_) => Verdict::unauthorized("the key in `x-api-key` is not known"),
///             }
///         })
///     }
/// }
///
/// let server = bdk::Server::new().auth([ApiKeys]);
/// # let _ = server;
/// ```
pub trait Authenticator: Send + Sync + 'static {
    /// Judges a request. A future that panics refuses it.
    fn authenticate<'a>(&'a self, request: AuthRequest<'a>) -> AuthFuture<'a>;
}

impl<T: Authenticator + ?Sized> Authenticator for Box<T> {
    fn authenticate<'a>(&'a self, request: AuthRequest<'a>) -> AuthFuture<'a> {
        (**self).authenticate(request)
    }
}

impl<T: Authenticator + ?Sized> Authenticator for Arc<T> {
    fn authenticate<'a>(&'a self, request: AuthRequest<'a>) -> AuthFuture<'a> {
        (**self).authenticate(request)
    }
}

/// What an [`Authenticator`] says of a request.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Verdict {
    /// This is who asks; nobody else is asked.
    Accept(Principal),
    /// It carries nothing this authenticator knows: the next one is asked. A request that all skip is refused.
    Skip,
    /// 401: it carries something that is wrong.
    Unauthorized(Cow<'static, str>),
    /// 403: who asks is known, and may not.
    Forbidden(Cow<'static, str>),
}

impl Verdict {
    /// Refuses with 401. The text goes to the caller: what was wrong, and what to do.
    pub fn unauthorized(message: impl Into<Cow<'static, str>>) -> Self {
        Self::Unauthorized(message.into())
    }
    /// Refuses with 403. The text goes to the caller.
    pub fn forbidden(message: impl Into<Cow<'static, str>>) -> Self {
        Self::Forbidden(message.into())
    }
}

/// The head of a request, as authenticators see it.
#[derive(Debug, Clone, Copy)]
pub struct AuthRequest<'a> {
    pub(super) parts: &'a Parts,
    pub(super) peer: IpAddr,
    pub(super) secure: bool,
}

impl<'a> AuthRequest<'a> {
    /// `GET`, `POST`, …
    pub fn method(&self) -> &'a str {
        self.parts.method.as_str()
    }
    /// The path, as it was sent.
    pub fn path(&self) -> &'a str {
        self.parts.uri.path()
    }
    /// What stands behind the `?`.
    pub fn query(&self) -> Option<&'a str> {
        self.parts.uri.query()
    }
    /// A header's value, if it is there once and is text. A name is taken in any case.
    pub fn header(&self, name: &str) -> Option<&'a str> {
        let mut all = self.parts.headers.get_all(name).iter();
        let value = all.next()?.to_str().ok()?;
        all.next().is_none().then_some(value)
    }
    /// Whose request it is: the peer's address, or the one a trusted proxy tells.
    pub fn peer(&self) -> IpAddr {
        self.peer
    }
    /// Whether a trusted proxy says that the caller came over TLS.
    pub fn is_secure(&self) -> bool {
        self.secure
    }
}
