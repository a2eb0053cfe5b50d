//! What is wrong with what an author says of a connection, as far as it shows before anything opens.
//!
//! No message repeats the value of a header or a variable: it may be a credential that should be a name. Nor what stands in a
//! name's place and is none, for the two may be swapped.

use super::{Access, Declared, Template, spec::Transport};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Display,
    path::Path,
};
use url::Url;

/// One thing that is wrong.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// A short name for its kind.
    pub(crate) code: &'static str,
    /// What is wrong and what to write.
    pub(crate) message: String,
}

/// The headers that a client of MCP over HTTP sets itself, in lower case.
const RESERVED: [&str; 11] = [
    "accept",
    "connection",
    "content-length",
    "content-type",
    "host",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
    "transfer-encoding",
];

/// Whether the protocol sets a header of this name, in lower case, itself.
pub(super) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name) || name.starts_with("mcp-param-")
}

impl Declared {
    /// Everything that stops the start.
    pub(crate) fn faults(&self) -> Vec<Fault> {
        let mut faults = Faults { of: &self.name, found: Vec::new() };
        match &self.spec.transport {
            Transport::Http { url, headers } => {
                faults.url(url);
                faults.headers(headers);
            }
            Transport::Stdio { program, args, env, cwd, .. } => {
                faults.process(program, args, cwd.as_deref());
                faults.variables(env);
            }
            Transport::Authored => {}
        }
        faults.no_template("its description", self.spec.description.as_deref().unwrap_or_default());
        if self.spec.timeout.is_some_and(|timeout| timeout.is_zero()) {
            faults.tell(
                "connection_timeout",
                "`.timeout(…)` is zero, so that no call could end in time: give it longer, or leave it out",
            );
        }
        self.access_faults(&mut faults);
        self.effect_faults(&mut faults);
        faults.found
    }

    fn access_faults(&self, faults: &mut Faults<'_>) {
        match self.access() {
            Access::Host if self.spec.advertise => faults.tell(
                "connection_access",
                "`host` is for the bot's own code alone, and `.advertise_tools()` for the model: leave out one of them",
            ),
            Access::Attached => {
                let named =
                    [("tools", self.spec.allowed.is_some()), ("disallowed_tools", !self.spec.denied.is_empty())];
                for (filter, _) in named.iter().filter(|(_, given)| *given) {
                    faults.tell(
                        "connection_filter",
                        format_args!(
                            "`.{filter}(…)` names tools of a connection that no model sees: \
                             add `.advertise_tools()`, or declare it `#[connection(host)]`"
                        ),
                    );
                }
            }
            Access::Host | Access::Advertised => {}
        }
    }

    fn effect_faults(&self, faults: &mut Faults<'_>) {
        let mut known = BTreeMap::new();
        let mut told = BTreeSet::new();
        for (tool, effect) in &self.spec.effects {
            if *known.entry(tool).or_insert(effect) != effect && told.insert(tool) {
                faults.tell(
                    "connection_effect",
                    format_args!("`.effect_of(\"{tool}\", …)` says both read and write: leave out one of them"),
                );
            }
        }
    }
}

/// The faults of one connection.
struct Faults<'a> {
    of: &'a str,
    found: Vec<Fault>,
}

impl Faults<'_> {
    fn tell(&mut self, code: &'static str, what: impl Display) {
        self.found.push(Fault { code, message: format!("the connection `{}`: {what}", self.of) });
    }

    /// Whether a text that is taken as it is holds no template; told, where it does.
    fn no_template(&mut self, place: &str, text: &str) -> bool {
        let template = text.contains("${");
        if template {
            self.tell("connection_template", format_args!(
                "`${{` in {place}, where nothing is put in its place: `${{NAME}}` goes into the values of `.header(…)` and `.env(…)`. \
                 What is no secret the function can read itself, with `std::env::var(\"NAME\")`"
            ));
        }
        !template
    }

    fn url(&mut self, text: &str) {
        if !self.no_template("its URL", text) {
            return;
        }
        match Url::parse(text) {
            Err(error) => {
                self.tell("connection_url", format_args!("its URL cannot be read ({error}): write one such as `https://mcp.example.com/mcp`"));
            }
            Ok(url) if !matches!(url.scheme(), "http" | "https") => self.tell(
                "connection_url",
                format_args!("its URL begins with `{}:`: a server is reached by `https://…` or `http://…`", url.scheme()),
            ),
            Ok(url) if !url.username().is_empty() || url.password().is_some() => self.tell(
                "connection_url",
                "its URL holds a user or a password: leave them out, and sign in with `.header(\"authorization\", \"Basic ${NAME}\")`",
            ),
            Ok(_) => {}
        }
    }

    fn headers(&mut self, headers: &[(String, String)]) {
        let mut seen = BTreeSet::new();
        for (i, (name, value)) in headers.iter().enumerate() {
            let nth = format!("the name of header {}", i + 1);
            if !self.no_template(&nth, name) {
                continue;
            }
            if !is_token(name) {
                self.tell(
                    "connection_header",
                    format_args!("{nth} is none: write one such as `.header(\"authorization\", \"Bearer ${{NAME}}\")`"),
                );
                continue;
            }
            let lower = name.to_ascii_lowercase();
            if is_reserved(&lower) {
                self.tell("connection_header", format_args!("the header `{name}` is set by bdk itself: leave it out"));
            }
            if !seen.insert(lower) {
                self.tell(
                    "connection_header",
                    format_args!("the header `{name}` is given twice: leave out one of them"),
                );
            }
            match literal(value) {
                Err(why) => self.tell("connection_template", format_args!("in the header `{name}` stands {why}")),
                Ok(text) if !text.chars().all(|c| c == '\t' || c == ' ' || c.is_ascii_graphic()) => self.tell(
                    "connection_header",
                    format_args!("the value of the header `{name}` has a character that no header can carry: write printable ASCII on one line"),
                ),
                Ok(_) => {}
            }
        }
    }

    fn process(&mut self, program: &str, args: &[String], cwd: Option<&Path>) {
        if program.trim().is_empty() {
            self.tell("connection_process", "its program has no name: write `Connection::stdio(\"program\")`");
        }
        let cwd = cwd.map(|folder| folder.to_string_lossy());
        if cwd.as_deref() == Some("") {
            self.tell(
                "connection_process",
                "`.cwd(\"\")` names no folder: leave it out, and the program starts in the bot's own",
            );
        }
        let args = args.iter().enumerate().map(|(i, arg)| (format!("argument {} of its program", i + 1), &**arg));
        let one = |place: &str, text| (place.to_owned(), text);
        let texts = [one("the name of its program", program)].into_iter().chain(args);
        for (place, text) in texts.chain(cwd.as_deref().map(|folder| one("its folder", folder))) {
            if self.no_template(&place, text) && text.contains('\0') {
                self.tell(
                    "connection_process",
                    format_args!("{place} holds a NUL byte, which no program can be given: leave it out"),
                );
            }
        }
    }

    fn variables(&mut self, env: &[(String, String)]) {
        let mut seen = BTreeSet::new();
        for (i, (name, value)) in env.iter().enumerate() {
            let nth = format!("the name of variable {}", i + 1);
            if !self.no_template(&nth, name) {
                continue;
            }
            if name.is_empty() || name.contains(['=', '\0']) {
                self.tell(
                    "connection_env",
                    format_args!(
                        "{nth} is none: write its name and its value apart, such as `.env(\"TOKEN\", \"${{NAME}}\")`"
                    ),
                );
                continue;
            }
            if !seen.insert(name) {
                self.tell(
                    "connection_env",
                    format_args!("the variable `{name}` is given twice: leave out one of them"),
                );
            }
            match literal(value) {
                Err(why) => self.tell("connection_template", format_args!("in the variable `{name}` stands {why}")),
                Ok(text) if text.contains('\0') => {
                    self.tell(
                        "connection_env",
                        format_args!("the value of the variable `{name}` holds a NUL byte: leave it out"),
                    );
                }
                Ok(_) => {}
            }
        }
    }
}

/// What stands around the names of a template.
fn literal(value: &str) -> Result<String, String> {
    Template::parse(value)?.resolve(|_| Ok(String::new()))
}

/// Whether a text can be a header's name.
fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}

#[cfg(test)]
mod tests;
