//! What an author says of a connection.

use crate::Effect;
use std::{fmt, marker::PhantomData, path::PathBuf, time::Duration};

/// A connection to another MCP server, as a `#[connection]` function declares it.
///
/// The function runs once, when the bot is loaded: nothing is opened and no secret is read in it. `${NAME}` in a
/// [`header`](Self::header) or an [`env`](Self::env) is kept as written, and read from the environment and the env files each
/// time a client opens.
///
/// ```
/// use bdk::prelude::*;
///
/// /// The team's issues and projects.
/// #[connection]
/// fn linear() -> impl IntoConnection {
///     Connection::http("https://mcp.linear.app/mcp").header("authorization", "Bearer ${LINEAR_TOKEN}").advertise_tools()
/// }
///
/// /// Only this bot's own code calls it.
/// #[connection(host)]
/// fn files() -> impl IntoConnection {
///     Connection::stdio("mcp-server-filesystem").args(["/srv/data"]).only_reads()
/// }
/// ```
///
/// A function that chooses at load returns `Connection`:
///
/// ```
/// # use bdk::prelude::*;
/// #[connection]
/// fn search() -> Connection {
///     match std::env::var("SEARCH_URL") {
///         Ok(url) => Connection::http(url).into(),
///         Err(_) => Connection::stdio("search-mcp-server").into(),
///     }
/// }
/// ```
#[must_use = "a `#[connection]` function returns it"]
pub struct Connection<T = AnyConnection> {
    spec: Box<Spec>,
    kind: PhantomData<fn() -> T>,
}

/// A [`Connection`] of whatever kind.
#[derive(Debug)]
pub enum AnyConnection {}
/// A [`Connection`] over HTTP.
#[derive(Debug)]
pub enum HttpConnection {}
/// A [`Connection`] to a process that is started for it.
#[derive(Debug)]
pub enum StdioConnection {}
/// A [`Connection`] to tools of this very binary.
#[derive(Debug)]
pub enum AuthoredConnection {}
/// A [`Connection`] of a kind that this version of bdk does not have.
#[doc(hidden)]
#[derive(Debug)]
pub enum NotYet {}

/// Everything said of a connection.
#[derive(Debug, Clone)]
pub(crate) struct Spec {
    pub(crate) transport: Transport,
    /// Whether each tool stands beside the bot's own.
    pub(crate) advertise: bool,
    /// Whether the bot does without it where it fails.
    pub(crate) optional: bool,
    /// Only these tools, by the server's own names.
    pub(crate) allowed: Option<Vec<String>>,
    /// Not these, whatever else is said.
    pub(crate) denied: Vec<String>,
    pub(crate) only_reads: bool,
    /// The deadline of a call.
    pub(crate) timeout: Option<Duration>,
    pub(crate) description: Option<String>,
    /// What the author knows better than the server, by the server's own names.
    pub(crate) effects: Vec<(String, Effect)>,
    pub(crate) pin: Option<Pin>,
}

/// How a server is reached. Texts are as written.
#[derive(Clone)]
pub(crate) enum Transport {
    Http {
        url: String,
        headers: Vec<(String, String)>,
    },
    Stdio {
        program: String,
        args: Vec<String>,
        env: Vec<(String, String)>,
        cwd: Option<PathBuf>,
        inherit_env: bool,
    },
    /// The tools of the module that the connection stands in, and of those below it.
    Authored,
}

/// What is done when a server's tools are not those in `mcp.lock`.
///
/// `mcp lock` writes that file into the folder it runs in: what each connection's server says of the tools that pass the filters, with
/// a digest. It belongs to the sources, and has to be in the folder that the bot runs in, too; where cargo runs the bot, the one
/// beside its `Cargo.toml` does. It is read when the bot is loaded. No server is opened for it: a bot that serves compares when it hears of
/// the tools anyway, and `validate --connect` opens all of them to compare.
///
/// ```
/// use bdk::{Pin, prelude::*};
///
/// #[connection]
/// fn pinned_tracker() -> impl IntoConnection {
///     Connection::http("https://mcp.linear.app/mcp").header("authorization", "Bearer ${LINEAR_TOKEN}").pin(Pin::Refuse)
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pin {
    /// It is told in the log, and by `validate --connect`. A bot without the file starts, and says so.
    Warn,
    /// A tool that changed, or is not in the file, is not offered: neither to a model nor to the bot's own code. `validate --connect` fails,
    /// and a bot without the file does not start.
    Refuse,
}

/// What a `#[connection]` function returns.
#[diagnostic::on_unimplemented(
    message = "a `#[connection]` function returns a connection, and `{Self}` is none",
    label = "no connection",
    note = "write `-> impl IntoConnection` and return `Connection::http(…)`, `Connection::stdio(…)` or `Connection::authored()`"
)]
pub trait IntoConnection: sealed::Sealed {
    /// The connection, of whatever kind.
    fn into_connection(self) -> Connection;
}

mod sealed {
    pub trait Sealed {}
    impl<T> Sealed for super::Connection<T> {}
}

/// The kinds that there are.
#[diagnostic::on_unimplemented(
    message = "connections to an account's connectors and to peers are not there yet",
    label = "not in this version of bdk",
    note = "what there is: `Connection::http(…)`, `Connection::stdio(…)`, `Connection::authored()`"
)]
#[doc(hidden)]
pub trait ConnectionKind {}
impl ConnectionKind for HttpConnection {}
impl ConnectionKind for StdioConnection {}
impl ConnectionKind for AuthoredConnection {}

impl IntoConnection for Connection {
    fn into_connection(self) -> Connection {
        self
    }
}
impl<T: ConnectionKind> IntoConnection for Connection<T> {
    fn into_connection(self) -> Connection {
        self.into()
    }
}
/// For a function that chooses at load.
impl<T: ConnectionKind> From<Connection<T>> for Connection {
    fn from(connection: Connection<T>) -> Self {
        Self { spec: connection.spec, kind: PhantomData }
    }
}

/// What has request headers.
#[diagnostic::on_unimplemented(
    message = "only a connection over HTTP has headers",
    label = "this one is not made by `Connection::http(…)`",
    note = "a process gets what it needs with `.env(\"NAME\", \"${{NAME}}\")`; `.header(…)` stands before `.into()`"
)]
#[doc(hidden)]
pub trait TakesHeaders {}
impl TakesHeaders for HttpConnection {}

/// What is a process.
#[diagnostic::on_unimplemented(
    message = "only a connection to a process has arguments, an environment and a folder",
    label = "this one is not made by `Connection::stdio(…)`",
    note = "a server over HTTP gets what it needs with `.header(\"authorization\", \"Bearer ${{NAME}}\")`; a process's own calls stand before `.into()`"
)]
#[doc(hidden)]
pub trait TakesProcess {}
impl TakesProcess for StdioConnection {}

/// What signs in by itself.
#[diagnostic::on_unimplemented(
    message = "`.oauth()` and `.auth(…)` are not there yet",
    label = "not in this version of bdk",
    note = "sign in with `.header(\"authorization\", \"Bearer ${{NAME}}\")`"
)]
#[doc(hidden)]
pub trait TakesSignIn {}

impl Connection {
    /// A server at this URL, over MCP's streamable HTTP.
    pub fn http(url: impl Into<String>) -> Connection<HttpConnection> {
        Connection::over(Transport::Http { url: url.into(), headers: Vec::new() })
    }
    /// A program that speaks MCP on its stdin and stdout. It is found as a shell finds it, and started when it is first needed.
    ///
    /// It gets `PATH`, `HOME`, `LANG`, `TMPDIR` and the proxy variables of the bot's environment, and what [`env`](Self::env) says.
    pub fn stdio(program: impl Into<String>) -> Connection<StdioConnection> {
        let (args, env) = (Vec::new(), Vec::new());
        Connection::over(Transport::Stdio { program: program.into(), args, env, cwd: None, inherit_env: false })
    }
    /// The tools of the module that the connection stands in and of those below it: they run in a process of their own, started
    /// from this binary where the agent runs, and are the connection's, not the bot's. A program that has one ends its `main` in
    /// `bdk::serve().await`, which knows how it was started; in a `TestBot` they run in the test's process.
    pub fn authored() -> Connection<AuthoredConnection> {
        Connection::over(Transport::Authored)
    }
    /// The connectors of the signed-in account. Not there yet.
    #[doc(hidden)]
    pub fn account() -> Connection<NotYet> {
        Connection::over(Transport::Authored)
    }
    /// Another agent. Not there yet.
    #[doc(hidden)]
    pub fn peer(_slug: &str) -> Connection<NotYet> {
        Connection::over(Transport::Authored)
    }
}

impl Connection<NotYet> {
    /// Some connectors of the account. Not there yet.
    #[doc(hidden)]
    pub fn servers<S>(self, _names: S) -> Self {
        self
    }
}

impl<T> Connection<T> {
    fn over(transport: Transport) -> Self {
        let spec = Spec {
            transport,
            advertise: false,
            optional: false,
            allowed: None,
            denied: Vec::new(),
            only_reads: false,
            timeout: None,
            description: None,
            effects: Vec::new(),
            pin: None,
        };
        Self { spec: Box::new(spec), kind: PhantomData }
    }
    pub(crate) fn into_spec(self) -> Spec {
        *self.spec
    }

    /// Puts each tool beside the bot's own, by its name. Without it no model sees them, and the bot's own code calls
    /// them (`ctx.host.mcp`).
    pub fn advertise_tools(mut self) -> Self {
        self.spec.advertise = true;
        self
    }
    /// Goes on without the connection where it cannot be opened or listed, or where no tool is left of it.
    pub fn optional(mut self) -> Self {
        self.spec.optional = true;
        self
    }
    /// Only these tools, by the server's own names. A name that the server does not have is left out.
    pub fn tools<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.spec.allowed.get_or_insert_default().extend(names.into_iter().map(Into::into));
        self
    }
    /// Not these tools, by the server's own names, whatever else is said of them.
    pub fn disallowed_tools<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.spec.denied.extend(names.into_iter().map(Into::into));
        self
    }
    /// Only tools that read: those whose `readOnlyHint` is true, and those that [`effect_of`](Self::effect_of) says it of.
    pub fn only_reads(mut self) -> Self {
        self.spec.only_reads = true;
        self
    }
    /// The deadline of a call. Default: 5 minutes.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.spec.timeout = Some(timeout);
        self
    }
    /// What the server is good for. Default: the function's doc comment.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.spec.description = Some(description.into());
        self
    }
    /// What this tool does, by the server's own name, whatever the server says: dry runs and retries go by it.
    pub fn effect_of(mut self, tool: impl Into<String>, effect: Effect) -> Self {
        self.spec.effects.push((tool.into(), effect));
        self
    }
    /// What is done when the server's tools are not those in `mcp.lock`, which `mcp lock` writes. Default: nothing.
    pub fn pin(mut self, pin: Pin) -> Self {
        self.spec.pin = Some(pin);
        self
    }

    /// A header of every request, such as `.header("authorization", "Bearer ${LINEAR_TOKEN}")`.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self
    where
        T: TakesHeaders,
    {
        if let Transport::Http { headers, .. } = &mut self.spec.transport {
            headers.push((name.into(), value.into()));
        }
        self
    }
    /// Signs in with OAuth. Not there yet.
    #[doc(hidden)]
    pub fn oauth(self) -> Self
    where
        T: TakesSignIn,
    {
        self
    }
    /// Signs in for each session. Not there yet.
    #[doc(hidden)]
    pub fn auth<F>(self, _headers: F) -> Self
    where
        T: TakesSignIn,
    {
        self
    }
    /// More arguments of the program, as they are.
    pub fn args<S: Into<String>>(mut self, more: impl IntoIterator<Item = S>) -> Self
    where
        T: TakesProcess,
    {
        if let Transport::Stdio { args, .. } = &mut self.spec.transport {
            args.extend(more.into_iter().map(Into::into));
        }
        self
    }
    /// A variable of the program's environment, such as `.env("SLACK_TOKEN", "${SLACK_BOT_TOKEN}")`.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self
    where
        T: TakesProcess,
    {
        if let Transport::Stdio { env, .. } = &mut self.spec.transport {
            env.push((name.into(), value.into()));
        }
        self
    }
    /// Gives the program the whole environment of the bot.
    pub fn inherit_env(mut self) -> Self
    where
        T: TakesProcess,
    {
        if let Transport::Stdio { inherit_env, .. } = &mut self.spec.transport {
            *inherit_env = true;
        }
        self
    }
    /// The folder that the program starts in; a relative one is below the bot's. Default: the bot's own.
    pub fn cwd(mut self, folder: impl Into<PathBuf>) -> Self
    where
        T: TakesProcess,
    {
        if let Transport::Stdio { cwd, .. } = &mut self.spec.transport {
            *cwd = Some(folder.into());
        }
        self
    }
}

impl<T> fmt::Debug for Connection<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}

/// Without the values of headers and variables, which may be credentials.
impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |pairs: &[(String, String)]| pairs.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        match self {
            Self::Http { url, headers } => {
                f.debug_struct("Http").field("url", url).field("headers", &names(headers)).finish()
            }
            Self::Stdio { program, env, cwd, .. } => f
                .debug_struct("Stdio")
                .field("program", program)
                .field("env", &names(env))
                .field("cwd", cwd)
                .finish_non_exhaustive(),
            Self::Authored => f.write_str("Authored"),
        }
    }
}
