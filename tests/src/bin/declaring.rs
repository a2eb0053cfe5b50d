//! A bot that has connections of every kind, and no tool but those of an authored one.
#![allow(missing_docs)]

use bdk::prelude::*;

/// The team's issues and projects.
///
/// Issues have comments.
#[connection]
fn tracker() -> impl IntoConnection {
    Connection::http("https://tracker.example.com/mcp?key=hunter2#hunter2")
        .header("authorization", "Bearer ${DECLARING_TOKEN}")
        .header("x-key", "hunter2")
        .optional()
}

#[connection]
fn chat() -> impl IntoConnection {
    Connection::stdio("chat-server")
        .args(["--key", "hunter2"])
        .env("TOKEN", "${DECLARING_TOKEN}")
        .env("OTHER", "hunter2 ${DECLARING_OTHER}")
        .advertise_tools()
        .tools(["post", "read"])
        .disallowed_tools(["delete"])
}

/// Only the bot's own code calls it.
#[connection(host)]
fn stock() -> impl IntoConnection {
    Connection::http("http://127.0.0.1:9/mcp").only_reads()
}

mod workspace {
    use bdk::prelude::*;

    #[connection]
    fn workspace() -> impl IntoConnection {
        Connection::authored().description("Tools where the agent runs.").advertise_tools()
    }

    /// Say where this tool runs.
    #[tool(effect = "read")]
    fn whereabouts() -> PathBuf {
        std::env::current_dir().unwrap_or_default()
    }

    mod below {
        use bdk::prelude::*;

        /// Wait a moment.
        #[tool(effect = "read")]
        fn pause() {}
    }
}

#[bdk::main]
async fn main() -> ExitCode {
    bdk::serve().await
}
