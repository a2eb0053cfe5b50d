//! What a server is told before it starts.

use super::{Authenticator, ServeHandle, bearer::Bearer, listen};
use crate::{Error, bot::Bot, state::StateAt};
use futures_util::future::BoxFuture;
use std::{sync::Arc, time::Duration};

/// Where an agent's routes stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ServeMode {
    /// Under `/<slug>/v1`.
    #[default]
    Prefixed,
    /// Under `/v1`.
    Single,
}

/// A server of this bot over HTTP.
///
/// On its own it answers callers of this machine alone, on `127.0.0.1:3000`.
///
/// ```no_run
/// # async fn example() -> Result<(), bdk::Error> {
/// use bdk::Server;
/// let handle = Server::new().port(0).start().await?;
/// println!("{}", handle.url());
/// handle.shutdown().await;
/// # Ok(())
/// # }
/// ```
#[must_use = "a server does nothing until it is started"]
pub struct Server {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) mode: ServeMode,
    pub(super) authenticators: Vec<Arc<dyn Authenticator>>,
    pub(super) bearer: Bearer,
    pub(super) anonymous: bool,
    pub(super) allowed_hosts: Vec<String>,
    pub(super) allowed_origins: Vec<String>,
    pub(super) public_url: Option<String>,
    pub(super) trust_proxy: bool,
    pub(super) max_body: usize,
    pub(super) drain: Duration,
    pub(super) state: Option<Result<StateAt, Error>>,
}

impl Default for Server {
    fn default() -> Self {
        Self {
            host: "127.0.0.1".to_owned(),
            port: 3000,
            mode: ServeMode::default(),
            authenticators: Vec::new(),
            bearer: Bearer::default(),
            anonymous: false,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            public_url: None,
            trust_proxy: false,
            max_body: 1024 * 1024,
            drain: Duration::from_secs(30),
            state: None,
        }
    }
}

impl Server {
    /// A server for this machine alone, on port 3000.
    pub fn new() -> Self {
        Self::default()
    }
    /// The address to listen on: an IP address, or a name that resolves to one. Default: `127.0.0.1`.
    ///
    /// Anything but a loopback address needs an authenticator, a bearer token or [`allow_anonymous`](Self::allow_anonymous).
    #[expect(clippy::needless_pass_by_value, reason = "reads well with an address and with a text")]
    pub fn host(mut self, host: impl ToString) -> Self {
        self.host = host.to_string();
        self
    }
    /// The port to listen on; 0 takes a free one. Default: 3000.
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }
    /// Where the routes stand. Default: under `/<slug>/v1`.
    pub fn mode(mut self, mode: ServeMode) -> Self {
        self.mode = mode;
        self
    }
    /// Authenticators of the author's own. They are asked in their order, before bearer tokens and anonymous callers;
    /// calling this again adds to them.
    ///
    /// Those of different types go as `Box<dyn Authenticator>` or `Arc<dyn Authenticator>`.
    pub fn auth<A: Authenticator>(mut self, authenticators: impl IntoIterator<Item = A>) -> Self {
        self.authenticators.extend(authenticators.into_iter().map(|a| Arc::new(a) as Arc<dyn Authenticator>));
        self
    }
    /// A token that lets its bearer in. Calling this again adds another one, so that tokens can be exchanged.
    ///
    /// The server keeps its SHA-256 digest, not the token. An empty one stops the start.
    pub fn bearer_token(mut self, token: impl Into<String>) -> Self {
        self.bearer.add(&token.into());
        self
    }
    /// Lets everybody in who passes the Host and Origin checks and shows no wrong token.
    pub fn allow_anonymous(mut self) -> Self {
        self.anonymous = true;
        self
    }
    /// One more name that a request's `Host` may have, without a port. Loopback names, the address the server listens on
    /// and the public URL's host are allowed already.
    pub fn allowed_host(mut self, host: impl Into<String>) -> Self {
        self.allowed_hosts.push(host.into());
        self
    }
    /// One more origin whose pages may call, such as `https://app.example.com`. The bot's own is allowed already.
    pub fn allowed_origin(mut self, origin: impl Into<String>) -> Self {
        self.allowed_origins.push(origin.into());
        self
    }
    /// The address under which others reach the bot, such as `https://bot.example.com`: its host and origin are allowed.
    pub fn public_url(mut self, url: impl Into<String>) -> Self {
        self.public_url = Some(url.into());
        self
    }
    /// Whether a proxy stands before the bot that every request passes and whose `X-Forwarded-For` and
    /// `X-Forwarded-Proto` can be believed. The last address in `X-Forwarded-For`, the one the proxy itself added, is then
    /// the peer that authenticators see. Nobody may reach the bot but through the proxy: whoever does could say anything there.
    /// The `Host` that the proxy sends must be an allowed one.
    pub fn trust_proxy(mut self, trust: bool) -> Self {
        self.trust_proxy = trust;
        self
    }
    /// How many bytes a request's body may have. Default: 1 MiB.
    pub fn max_body(mut self, bytes: usize) -> Self {
        self.max_body = bytes;
        self
    }
    /// How long running calls may go on after a shutdown began; then they are cancelled. Default: 30 s.
    pub fn drain(mut self, grace: Duration) -> Self {
        self.drain = grace;
        self
    }

    /// Where the bot keeps its sessions, values and files: a folder, `postgres://…` (feature `postgres`), or `memory:` for
    /// nowhere, until the server ends. Default: the folder `.bdk`; without the feature `sqlite`, `memory:`.
    ///
    /// A folder belongs to one process at a time. A password is better left to `PGPASSWORD` than written into the URL.
    pub fn state(mut self, at: impl AsRef<str>) -> Self {
        self.state = Some(at.as_ref().parse());
        self
    }

    /// Loads the bot that is linked into this binary, and serves it.
    ///
    /// # Errors
    /// What is wrong with the bot; an address that cannot be listened on; options that would open the bot to everybody
    /// without saying so.
    pub async fn start(self) -> Result<ServeHandle, Error> {
        started(self).await
    }

    /// Serves a bot that is loaded already.
    pub(crate) async fn start_bot(self, bot: Bot) -> Result<ServeHandle, Error> {
        listen::start(self, bot).await
    }
}

// without tokens, authenticators and the state's URL, which may hold a password
impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server")
            .field("host", &self.host)
            .field("port", &self.port)
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}

/// [`Server::start`], erased, so that the server is compiled here and not in the crate that awaits it.
#[inline(never)]
fn started(server: Server) -> BoxFuture<'static, Result<ServeHandle, Error>> {
    Box::pin(async move {
        crate::call::log_panics_of_tools();
        #[cfg(feature = "connections")]
        if crate::connection::is_own_process() {
            return Err(Error::new(crate::connection::STARTS_ITSELF));
        }
        let bot = Bot::load()?;
        server.start_bot(bot).await
    })
}
