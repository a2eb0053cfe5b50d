//! `mcp config`: the JSON by which a client knows the bot, ready to be pasted into its settings.

use crate::{
    bot::Identity,
    cli::{
        args::McpConfigArgs,
        output::{self, Stop},
    },
    state::StateAt,
};
use clap::ValueEnum;
use serde_json::{Map, Value, json};
use std::{io::IsTerminal, path::Path, process::ExitCode};

/// Clients whose settings differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Client {
    /// The form most clients share
    Generic,
    /// .mcp.json in a project
    ClaudeCode,
    /// `claude_desktop_config.json`
    ClaudeDesktop,
    /// .cursor/mcp.json in a project, ~/.cursor/mcp.json for all
    Cursor,
    /// .gemini/settings.json in a project, ~/.gemini/settings.json for all
    GeminiCli,
    /// .vscode/mcp.json in a project
    Vscode,
    /// ~/.codeium/windsurf/mcp_config.json
    Windsurf,
    /// settings.json
    Zed,
}

impl Client {
    /// Where the JSON goes.
    fn place(self) -> &'static str {
        match self {
            Self::Generic => "your client's MCP settings",
            Self::ClaudeCode => "`.mcp.json` in the project's folder",
            Self::ClaudeDesktop => "`claude_desktop_config.json` (Settings, Developer, Edit Config)",
            Self::Cursor => "`.cursor/mcp.json` in the project's folder, or `~/.cursor/mcp.json`",
            Self::GeminiCli => "`.gemini/settings.json` in the project's folder, or `~/.gemini/settings.json`",
            Self::Vscode => "`.vscode/mcp.json` in the project's folder",
            Self::Windsurf => "`~/.codeium/windsurf/mcp_config.json`",
            Self::Zed => "Zed's `settings.json`",
        }
    }
    /// The member that holds the servers by name.
    fn servers(self) -> &'static str {
        match self {
            Self::Vscode => "servers",
            Self::Zed => "context_servers",
            _ => "mcpServers",
        }
    }
    /// How the value of an environment variable is written, so that the token itself stands in no file.
    fn variable(self, name: &str) -> Option<String> {
        match self {
            Self::Generic | Self::ClaudeCode => Some(format!("${{{name}}}")),
            Self::Cursor | Self::Windsurf => Some(format!("${{env:{name}}}")),
            Self::GeminiCli => Some(format!("${name}")),
            // asked for once, and kept in the system's key ring
            Self::Vscode => Some(format!("${{input:{name}}}")),
            Self::ClaudeDesktop | Self::Zed => None,
        }
    }
    /// The name of the member that holds a server's address.
    fn url(self) -> Option<&'static str> {
        match self {
            Self::ClaudeDesktop => None,
            Self::Windsurf => Some("serverUrl"),
            Self::GeminiCli => Some("httpUrl"),
            _ => Some("url"),
        }
    }
    /// Whether a server says how it is reached.
    fn typed(self) -> bool {
        matches!(self, Self::ClaudeCode | Self::Vscode)
    }
}

/// Prints it.
pub(in crate::cli) fn run(args: &McpConfigArgs) -> Result<ExitCode, Stop> {
    let exe = std::env::current_exe();
    let exe = exe.map_err(|e| Stop::failed(format!("the program's own path is not known: {e}")))?;
    let name = args.name.clone().unwrap_or_else(|| Identity::get().slug());
    let config = settings(args, &name, &exe)?;
    if std::io::stdout().is_terminal() {
        output::note(format_args!("This goes into {}:", args.client.place()));
    }
    output::print(format!("{config:#}\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn settings(args: &McpConfigArgs, name: &str, exe: &Path) -> Result<Value, Stop> {
    let client = args.client;
    let mut server = Map::new();
    let mut inputs = None;
    if let Some(url) = &args.url {
        let Some(member) = client.url() else {
            return Err(Stop::usage(
                "--url: this client starts its servers itself; leave --url out, or add the address as a connector in its settings",
            ));
        };
        if !url.split(['?', '#']).next().is_some_and(|url| url.trim_end_matches('/').ends_with("/mcp")) {
            return Err(Stop::usage(format!(
                "--url: `{url}` is no MCP endpoint of a bot: that is the address that `serve` logs behind `MCP at`, such as \
                 http://127.0.0.1:3000/{name}/v1/mcp"
            )));
        }
        if client.typed() {
            server.insert("type".into(), "http".into());
        }
        server.insert(member.into(), bound(url, args.session.as_deref())?.into());
        if let Some(token) = &args.bearer_token_env {
            let Some(value) = client.variable(token) else {
                return Err(Stop::usage(
                    "--bearer-token-env: this client's settings cannot name an environment variable in a header; add the header by hand",
                ));
            };
            server.insert("headers".into(), json!({ "Authorization": format!("Bearer {value}") }));
            if client == Client::Vscode {
                inputs = Some(json!([{
                    "type": "promptString",
                    "id": token,
                    "description": format!("The bearer token of {name}"),
                    "password": true,
                }]));
            }
        }
    } else {
        let path =
            exe.to_str().ok_or_else(|| Stop::failed("the program's path is no text, and JSON holds text alone"))?;
        if client.typed() {
            server.insert("type".into(), "stdio".into());
        }
        server.insert("command".into(), path.into());
        let mut words = vec!["mcp".to_owned(), "serve".to_owned()];
        if let Some(session) = &args.session {
            words.extend(["--session".to_owned(), session.clone(), "--state".to_owned(), place(args.state.clone())?]);
        }
        server.insert("args".into(), words.into());
    }
    let mut config = Map::new();
    if let Some(inputs) = inputs {
        config.insert("inputs".into(), inputs);
    }
    config.insert(client.servers().into(), json!({ name: server }));
    Ok(config.into())
}

/// The endpoint's address, with the session that its client is bound to.
fn bound(url: &str, session: Option<&str>) -> Result<String, Stop> {
    let Some(session) = session else { return Ok(url.to_owned()) };
    let mut bound = url::Url::parse(url).map_err(|e| Stop::usage(format!("--url: `{url}` is no address: {e}")))?;
    if bound.query_pairs().any(|(name, _)| name == "session") {
        return Err(Stop::usage("--session: the address in --url names a session already"));
    }
    bound.query_pairs_mut().append_pair("session", session);
    Ok(bound.into())
}

/// Where the state is, for a client that starts the bot in a folder of its own.
fn place(state: Option<StateAt>) -> Result<String, Stop> {
    match state.unwrap_or_default() {
        StateAt::Folder(folder) => {
            let folder = std::path::absolute(&folder)
                .map_err(|e| Stop::failed(format!("--state: the path of `{}` is not known: {e}", folder.display())))?;
            folder
                .into_os_string()
                .into_string()
                .map_err(|_| Stop::failed("--state: the folder's path is no text, and JSON holds text alone"))
        }
        StateAt::Postgres(url) => Ok(url),
        StateAt::Memory => Err(Stop::usage("--state: what is kept in memory has no session when the client starts")),
    }
}

/// How to add the bot to clients, for the end of `mcp serve --help`.
pub(in crate::cli) fn how_to_add() -> String {
    let exe = std::env::current_exe().map_or_else(|_| "BOT".to_owned(), |exe| exe.to_string_lossy().into_owned());
    added(&Identity::get().slug(), &exe)
}

fn added(name: &str, exe: &str) -> String {
    let code = json!({ "name": name, "command": exe, "args": ["mcp", "serve"] }).to_string();
    let (exe, code) = (shown(exe), shown(&code));
    format!(
        "To add this bot to a client:\n  \
         Claude Code     claude mcp add {name} -- {exe} mcp serve\n  \
         Codex           codex mcp add {name} -- {exe} mcp serve\n  \
         Gemini CLI      gemini mcp add {name} {exe} mcp serve\n  \
         VS Code         code --add-mcp {code}\n  \
         any other       put the output of `{exe} mcp config --client CLIENT` into its settings",
    )
}

/// A word as a shell takes it.
fn shown(word: &str) -> String {
    let plain = word.bytes().all(|b| b.is_ascii_alphanumeric() || b"/._-+=:@".contains(&b));
    if plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(client: Client, url: Option<&str>, token: Option<&str>) -> Result<Value, Stop> {
        let args = McpConfigArgs {
            client,
            name: None,
            url: url.map(str::to_owned),
            bearer_token_env: token.map(str::to_owned),
            session: None,
            state: None,
        };
        settings(&args, "scout", Path::new("/opt/scout"))
    }

    #[test]
    fn each_client_gets_its_own_form() {
        let stdio = json!({ "command": "/opt/scout", "args": ["mcp", "serve"] });
        let typed = json!({ "type": "stdio", "command": "/opt/scout", "args": ["mcp", "serve"] });
        for (client, expected) in [
            (Client::Generic, json!({ "mcpServers": { "scout": stdio } })),
            (Client::ClaudeCode, json!({ "mcpServers": { "scout": typed } })),
            (Client::ClaudeDesktop, json!({ "mcpServers": { "scout": stdio } })),
            (Client::Cursor, json!({ "mcpServers": { "scout": stdio } })),
            (Client::GeminiCli, json!({ "mcpServers": { "scout": stdio } })),
            (Client::Vscode, json!({ "servers": { "scout": typed } })),
            (Client::Windsurf, json!({ "mcpServers": { "scout": stdio } })),
            (Client::Zed, json!({ "context_servers": { "scout": stdio } })),
        ] {
            assert_eq!(of(client, None, None).unwrap(), expected);
        }
    }

    #[test]
    fn an_address_comes_with_a_token_that_is_named_and_not_told() {
        const URL: &str = "https://bot.example.com/scout/v1/mcp";
        let server = |client: Client| {
            let config = of(client, Some(URL), Some("SCOUT_TOKEN")).unwrap();
            config[client.servers()]["scout"].clone()
        };
        let header = |value: &str| json!({ "Authorization": value });
        assert_eq!(
            server(Client::Windsurf),
            json!({ "serverUrl": URL, "headers": header("Bearer ${env:SCOUT_TOKEN}") })
        );
        assert_eq!(server(Client::GeminiCli), json!({ "httpUrl": URL, "headers": header("Bearer $SCOUT_TOKEN") }));
        assert_eq!(
            server(Client::ClaudeCode),
            json!({ "type": "http", "url": URL, "headers": header("Bearer ${SCOUT_TOKEN}") })
        );
        assert_eq!(of(Client::Vscode, Some(URL), Some("SCOUT_TOKEN")).unwrap()["inputs"][0]["id"], "SCOUT_TOKEN");
        assert_eq!(of(Client::ClaudeDesktop, Some(URL), None).unwrap_err().code, output::USAGE);
        assert_eq!(of(Client::Zed, Some(URL), Some("T")).unwrap_err().code, output::USAGE);
    }

    #[test]
    fn a_session_stands_in_the_address_or_among_the_words_that_start_the_bot() {
        const ID: &str = "ses_abcdefghij0123450123";
        let of = |url: Option<&str>, state: Option<&str>| {
            let args = McpConfigArgs {
                client: Client::Generic,
                name: None,
                url: url.map(str::to_owned),
                bearer_token_env: None,
                session: Some(ID.to_owned()),
                state: state.map(|state| state.parse().unwrap()),
            };
            settings(&args, "scout", Path::new("/opt/scout")).map(|config| config["mcpServers"]["scout"].clone())
        };
        let url = "https://bot.example.com/scout/v1/mcp";
        assert_eq!(of(Some(url), None).unwrap(), json!({ "url": format!("{url}?session={ID}") }));
        let more = of(Some(&format!("{url}?a=b")), None).unwrap();
        assert_eq!(more, json!({ "url": format!("{url}?a=b&session={ID}") }));
        assert_eq!(of(Some(&format!("{url}?session=ses_x")), None).unwrap_err().code, output::USAGE);
        let args = |state: Option<&str>| of(None, state).unwrap()["args"].clone();
        assert_eq!(args(Some("/var/bot")), json!(["mcp", "serve", "--session", ID, "--state", "/var/bot"]));
        // the client starts the bot in a folder that nobody knows
        let here = std::path::absolute("state").unwrap();
        assert_eq!(args(Some("state"))[5], here.to_str().unwrap());
        assert_eq!(of(None, Some("memory:")).unwrap_err().code, output::USAGE);
    }

    #[test]
    fn a_path_with_a_space_is_quoted_for_the_shell() {
        assert_eq!(shown("/opt/scout"), "/opt/scout");
        assert_eq!(shown("/my bots/it's"), r"'/my bots/it'\''s'");
    }

    #[test]
    fn a_path_with_a_quote_is_json_for_the_client_that_takes_json() {
        let help = added("scout", "/my bots/it's");
        let line = help.lines().find(|l| l.contains("code --add-mcp")).unwrap();
        let quoted = line.split_once("--add-mcp '").unwrap().1.strip_suffix('\'').unwrap();
        let json: Value = serde_json::from_str(&quoted.replace(r"'\''", "'")).unwrap();
        assert_eq!(json, json!({ "name": "scout", "command": "/my bots/it's", "args": ["mcp", "serve"] }));
    }
}
