//! Connections of every kind, and whose the tools are.
use bdk::prelude::*;

/// The team's issues and projects.
#[connection]
fn linear() -> impl IntoConnection {
    Connection::http("https://mcp.linear.app/mcp").header("authorization", "Bearer ${LINEAR_TOKEN}")
}

#[connection]
fn slack() -> impl IntoConnection {
    Connection::stdio("slack-mcp-server")
        .args(["--transport", "stdio"])
        .env("SLACK_MCP_XOXB_TOKEN", "${SLACK_BOT_TOKEN}")
        .cwd("slack")
}

#[connection]
pub(super) fn inventory() -> impl IntoConnection {
    Connection::http("https://mcp.example.com/inventory").advertise_tools().tools(["search_skus", "get_stock"])
}

/// Only host tools call this one.
#[connection(host)]
fn warehouse() -> impl IntoConnection {
    Connection::http("https://mcp.example.com/warehouse").tools(["get_stock"])
}

/// Everything that every connection has.
#[connection(host, crate = ::bdk)]
fn everything() -> Connection<bdk::HttpConnection> {
    Connection::http(String::from("https://mcp.example.com/mcp"))
        .optional()
        .tools(vec![String::from("a")])
        .disallowed_tools(["b"])
        .only_reads()
        .timeout(Duration::from_secs(30))
        .description(format!("Of {}.", "everything"))
        .effect_of("a", Effect::Read)
        .pin(bdk::Pin::Refuse)
}

/// Chosen when the bot loads.
#[connection]
fn chosen() -> Connection {
    match std::env::var("NO_SUCH_SEARCH_URL") {
        Ok(url) => Connection::http(url).into(),
        Err(_) => Connection::stdio("search-mcp-server").inherit_env().into(),
    }
}

#[doc = include_str!("about.md")]
#[bdk::connection]
fn r#match() -> impl IntoConnection {
    Connection::stdio("match").advertise_tools().disallowed_tools(Vec::<String>::new())
}

/// Not there at all.
#[cfg(any())]
#[connection]
fn gone() -> NoSuchType {}

/// Deprecated in some builds.
#[connection]
#[cfg_attr(all(), deprecated)]
fn retired() -> impl IntoConnection {
    Connection::stdio("retired")
}

macro_rules! family {
    ($($name:ident = $path:literal;)*) => { $(
        #[doc = concat!("Made of ", stringify!($name), ".")]
        #[connection]
        fn $name() -> impl IntoConnection {
            Connection::http(concat!("https://mcp.example.com/", $path)).optional()
        }
    )* };
}
family! {
    one_of_two = "one";
    two_of_two = "two";
}

mod bare {
    //! Without the names that Rust brings along.
    #![no_implicit_prelude]

    #[::bdk::connection]
    fn bare_connection() -> impl ::bdk::IntoConnection {
        ::bdk::Connection::stdio("bare")
    }
}

/// Tools that run in the agent environment: a stdio MCP server packed into this binary.
mod workspace {
    use bdk::prelude::*;

    #[connection]
    fn workspace() -> impl IntoConnection {
        Connection::authored().advertise_tools()
    }

    /// Say where this tool runs.
    #[tool(effect = "read")]
    async fn whereabouts(label: String) -> Value {
        json!({ "label": label, "dir": std::env::current_dir().ok() })
    }

    /// A name that the bot has, too.
    #[tool(effect = "read")]
    fn connections_twin() -> u8 {
        1
    }

    mod below {
        use bdk::prelude::*;

        /// In a module below.
        #[tool(effect = "read")]
        fn connections_below() {}
    }
}

/// A name that an authored connection has, too.
#[tool(effect = "read")]
fn connections_twin() -> u8 {
    2
}

#[bdk::test]
async fn a_connection_s_own_tools_are_not_the_bot_s(bot: TestBot) {
    assert_eq!(bot.call_tool("connections_twin", json!({})).await.result, 2);
    let registry = bdk::Registry::linked();
    let owner = |name: &str| registry.find(name).map(|tool| tool.connection().map(str::to_owned));
    // the bot's own keeps its name, and the connection's has another one
    assert_eq!(owner("connections_twin"), Some(None));
    assert_eq!(owner("connections_twin_2"), Some(Some("workspace".to_owned())));
    assert_eq!(owner("whereabouts"), Some(Some("workspace".to_owned())));
    assert!(registry.problems().is_empty(), "{:?}", registry.problems());
}

#[test]
fn a_connection_s_function_stays_a_function() {
    let told = format!("{:?}", slack().into_connection());
    assert!(told.contains("slack-mcp-server") && !told.contains("SLACK_BOT_TOKEN"), "{told}");
    let _ = everything();
}
