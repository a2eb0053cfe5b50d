//! The measured crates: written below target/bench-build, a workspace of its own, so that they are built as an author's bot is and at the
//! profiles that the figures speak of.

use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// A measured crate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// The axum handler.
    Bare,
    /// The server of rmcp alone.
    Rmcp,
    /// The bot of servers/bot.
    Bench,
    /// The bot that counts its heap.
    Counting,
    /// The bot whose state is measured.
    Keeper,
    /// The bare loop that commits in groups.
    Commits,
    /// The bot whose calls of other servers are measured.
    Caller,
    /// rmcp's client alone.
    Client,
    /// The tool `small`, and three-parameter tools up to the number.
    Small(usize),
    /// The tool `small` over HTTP, without the command line.
    HttpOnly,
    /// The same, and MCP.
    HttpAndMcp,
    /// The tool `small` with all default features but MCP.
    WithoutMcp,
    /// That many three-parameter tools.
    Tools(usize),
    /// The same functions without the attribute, kept alive by a table, in a bot without tools.
    Plain(usize),
    /// A bot without tools.
    NoTools,
    /// `fn main() {}` with a bot's dependencies.
    EmptyMain,
}

impl Kind {
    /// The package's and so the binary's name.
    pub(crate) fn name(self) -> String {
        match self {
            Kind::Bare => "bare-axum".into(),
            Kind::Rmcp => "bare-rmcp".into(),
            Kind::Bench => "bench-bot".into(),
            Kind::Counting => "counting-bot".into(),
            Kind::Keeper => "keeper-bot".into(),
            Kind::Commits => "commit-loop".into(),
            Kind::Caller => "caller-bot".into(),
            Kind::Client => "bare-client".into(),
            Kind::Small(count) => format!("small-{count}"),
            Kind::HttpOnly => "http-only".into(),
            Kind::HttpAndMcp => "http-and-mcp".into(),
            Kind::WithoutMcp => "without-mcp".into(),
            Kind::Tools(count) => format!("tools-{count}"),
            Kind::Plain(count) => format!("plain-{count}"),
            Kind::NoTools => "no-tools".into(),
            Kind::EmptyMain => "empty-main".into(),
        }
    }

    fn dependencies(self, root: &Path) -> String {
        let features = match self {
            Kind::Bare => return BARE_DEPENDENCIES.into(),
            Kind::Rmcp => return RMCP_DEPENDENCIES.into(),
            Kind::Commits => return COMMITS_DEPENDENCIES.into(),
            Kind::Client => return CLIENT_DEPENDENCIES.into(),
            Kind::HttpOnly => Some(r#""http""#),
            Kind::HttpAndMcp => Some(r#""http", "mcp""#),
            Kind::WithoutMcp => Some(r#""http", "commands""#),
            _ => None,
        };
        let features = features.map(|names| format!(", default-features = false, features = [{names}]"));
        let bdk = format!(
            "bdk = {{ path = {:?}{} }}\n",
            root.join("bdk").display().to_string(),
            features.unwrap_or_default()
        );
        let tokio = if matches!(self, Kind::Keeper | Kind::Caller) {
            "tokio = { version = \"1.54.1\", features = [\"rt\", \"time\"] }\n"
        } else {
            ""
        };
        bdk + BOT_DEPENDENCIES + tokio
    }

    /// The main file among the measured servers, for those that are not generated.
    fn server(self) -> Option<&'static str> {
        match self {
            Kind::Bare => Some("bare_axum.rs"),
            Kind::Rmcp => Some("bare_rmcp.rs"),
            Kind::Bench => Some("bot/main.rs"),
            Kind::Counting => Some("bot/counting.rs"),
            Kind::Keeper => Some("bot/keeper.rs"),
            Kind::Commits => Some("commit_loop.rs"),
            Kind::Caller => Some("bot/caller.rs"),
            Kind::Client => Some("bare_client.rs"),
            _ => None,
        }
    }

    /// The text of a generated crate's main file; `edit` is a number that stands in one body.
    fn source(self, servers: &Path, edit: u32) -> String {
        let modules = |names: &[&str]| {
            names.iter().fold(String::new(), |mut all, name| {
                let file =
                    if *name == "shapes" { servers.join("shapes.rs") } else { servers.join(format!("bot/{name}.rs")) };
                let _ = write!(all, "#[allow(dead_code)]\n#[path = {:?}]\nmod {name};\n", file.display().to_string());
                all
            })
        };
        match self {
            Kind::Bare
            | Kind::Rmcp
            | Kind::Bench
            | Kind::Counting
            | Kind::Keeper
            | Kind::Commits
            | Kind::Caller
            | Kind::Client => {
                unreachable!("these are no generated source: {self:?}")
            }
            Kind::Small(count) => modules(&["shapes", "small"]) + SERVE + &functions(count - 1, TOOL, edit),
            Kind::HttpOnly | Kind::HttpAndMcp => modules(&["shapes", "small"]) + SERVE_HTTP,
            Kind::WithoutMcp => modules(&["shapes", "small"]) + SERVE,
            Kind::Tools(count) => SERVE.to_owned() + &functions(count, TOOL, edit),
            Kind::Plain(count) => PLAIN.to_owned() + &functions(count, "", edit) + &table(count),
            Kind::NoTools => SERVE.replace("serve()", &format!("serve()/* {edit} */")),
            Kind::EmptyMain => format!(
                "use bdk as _;\nuse schemars as _;\nuse serde as _;\n\nfn main() {{\n    std::process::exit({edit})\n}}\n"
            ),
        }
    }
}

const BARE_DEPENDENCIES: &str = r#"axum = { version = "0.8.9", default-features = false, features = ["http1", "json", "tokio"] }
schemars = { version = "1.2.3", default-features = false, features = ["derive"] }
serde = { version = "1", features = ["derive"] }
tokio = { version = "1.54.1", features = ["rt-multi-thread", "net", "signal", "macros"] }
"#;

const RMCP_DEPENDENCIES: &str = r#"hyper = { version = "1.12", features = ["http1", "server"] }
hyper-util = { version = "0.1.21", features = ["tokio"] }
rmcp = { version = "3.11", default-features = false, features = ["server", "transport-streamable-http-server", "transport-io"] }
schemars = { version = "1.2.3", default-features = false, features = ["std", "derive"] }
serde = { version = "1", features = ["derive"] }
serde_json = "1"
tokio = { version = "1.54.1", features = ["rt-multi-thread", "net", "signal", "macros"] }
"#;

const CLIENT_DEPENDENCIES: &str = r#"reqwest = { version = "0.13", default-features = false }
rmcp = { version = "3.11", default-features = false, features = ["client", "transport-streamable-http-client-reqwest", "transport-child-process"] }
tokio = { version = "1.54.1", features = ["rt-multi-thread", "macros", "process", "time"] }
"#;

const COMMITS_DEPENDENCIES: &str = r#"rusqlite = { version = "0.43", features = ["bundled"] }
tokio = { version = "1.54.1", features = ["rt", "sync"] }
"#;

const BOT_DEPENDENCIES: &str = r#"serde = { version = "1", features = ["derive"] }
schemars = "1"
"#;

const SERVE: &str = "use bdk::prelude::*;\n\n#[bdk::main]\nasync fn main() -> ExitCode {\n    bdk::serve().await\n}\n";

const SERVE_HTTP: &str = r#"use bdk::prelude::*;
use bdk::{ServeMode, Server};

#[bdk::main]
async fn main() -> ExitCode {
    match Server::new().port(0).mode(ServeMode::Single).start().await {
        Ok(handle) => {
            println!("{}", handle.url());
            handle.wait().await;
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
"#;

const PLAIN: &str = "use bdk::prelude::*;\n\n#[bdk::main]\nasync fn main() -> ExitCode {\n    std::hint::black_box(&ALL);\n    bdk::serve().await\n}\n";

const TOOL: &str = "#[tool(effect = \"read\")]\n";

/// Functions of three parameters and two doc lines; `attribute` stands above each.
fn functions(count: usize, attribute: &str, edit: u32) -> String {
    (1..=count).fold(String::new(), |mut all, number| {
        // one body alone changes from edit to edit
        let changing = if number == 1 { edit } else { 0 };
        let _ = write!(
            all,
            "\n/// Look things up by name, number {number}.\n/// Gives what was asked for in one line.\n{attribute}async fn lookup_{number}(name: String, limit: Option<u32>, tags: Vec<String>) -> Result<String> {{\n    Ok(format!(\"{number}.{changing} {{name}} {{limit:?}} {{}}\", tags.join(\",\")))\n}}\n"
        );
        all
    })
}

/// What keeps the functions of a crate without attributes alive: each as a pointer that makes its boxed future, the least that any registry needs.
fn table(count: usize) -> String {
    let mut all = format!(
        "\ntype Lookup = fn(String, Option<u32>, Vec<String>) -> std::pin::Pin<Box<dyn Future<Output = Result<String>> + Send>>;\n\nstatic ALL: [Lookup; {count}] = [\n"
    );
    for number in 1..=count {
        let _ = writeln!(all, "    |name, limit, tags| Box::pin(lookup_{number}(name, limit, tags)),");
    }
    all + "];\n"
}

/// Cargo's own profiles are left as they are: an author's bot has them. `fast` is what notes of rates and instructions are taken at, `size` what
/// `bdk new` offers for small binaries.
const PROFILES: &str = r#"
[profile.fast]
inherits = "release"
lto = "thin"
codegen-units = 1

[profile.size]
inherits = "release"
opt-level = "z"
lto = "fat"
codegen-units = 1
strip = "symbols"
"#;

/// The generated workspace.
pub(crate) struct Bots {
    root: PathBuf,
    folder: PathBuf,
}

impl Bots {
    /// Writes the workspace with these crates, with the versions that the project's own lock file names.
    pub(crate) fn write(kinds: &[Kind]) -> Result<Bots> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
        let bots = Bots { folder: root.join("target/bench-build"), root };
        fs::create_dir_all(&bots.folder)?;
        let members: Vec<String> = kinds.iter().map(|kind| kind.name()).collect();
        write_if_changed(
            &bots.folder.join("Cargo.toml"),
            &format!("[workspace]\nresolver = \"3\"\nmembers = {members:?}\n{PROFILES}"),
        )?;
        fs::copy(bots.root.join("Cargo.lock"), bots.folder.join("Cargo.lock")).context("the project's Cargo.lock")?;
        for kind in kinds {
            let name = kind.name();
            let manifest = format!(
                "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\npublish = false\n\n[[bin]]\nname = \"{name}\"\npath = {:?}\n\n[dependencies]\n{}",
                bots.main_file(*kind).display().to_string(),
                kind.dependencies(&bots.root)
            );
            fs::create_dir_all(bots.folder.join(&name).join("src"))?;
            write_if_changed(&bots.folder.join(&name).join("Cargo.toml"), &manifest)?;
            if kind.server().is_none() {
                bots.edit(*kind, 0)?;
            }
        }
        Ok(bots)
    }

    /// Where the workspace stands.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes the crate's source with this number in one body.
    pub(crate) fn edit(&self, kind: Kind, edit: u32) -> Result<()> {
        write_if_changed(&self.main_file(kind), &kind.source(&self.servers(), edit))
    }

    /// Makes cargo build the crate itself again, and nothing else.
    pub(crate) fn touch(&self, kind: Kind) -> Result<()> {
        let file = self.main_file(kind);
        let source = fs::read(&file)?;
        Ok(fs::write(file, source)?)
    }

    fn servers(&self) -> PathBuf {
        self.root.join("tests/bench/servers")
    }

    fn main_file(&self, kind: Kind) -> PathBuf {
        match kind.server() {
            Some(file) => self.servers().join(file),
            None => self.folder.join(kind.name()).join("src/main.rs"),
        }
    }
}

/// Cargo goes by the time of a file: what is the same stays untouched.
fn write_if_changed(file: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(file).is_ok_and(|there| there == text) {
        return Ok(());
    }
    fs::write(file, text).with_context(|| file.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_changes_one_body_and_nothing_else() {
        let before = functions(3, TOOL, 0);
        let after = functions(3, TOOL, 7);
        let changed: Vec<_> = before.lines().zip(after.lines()).filter(|(a, b)| a != b).collect();
        assert_eq!(changed.len(), 1);
        assert!(changed[0].1.contains("\"1.7 "), "{changed:?}");
    }

    #[test]
    fn functions_with_and_without_the_attribute_differ_in_it_alone() {
        assert_eq!(functions(4, TOOL, 1).replace(TOOL, ""), functions(4, "", 1));
    }
}
