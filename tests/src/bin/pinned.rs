//! A bot with two connections to the server `shop`: `PINNED_SHOP` and `PINNED_DEPOT` are its program, `PINNED_PIN` is how both are pinned.
#![forbid(unsafe_code)]
#![allow(missing_docs)]

use bdk::{Pin, prelude::*};

fn server(variable: &str) -> Connection {
    let program = std::env::var(variable).unwrap_or_else(|_| "no-such-server".to_owned());
    let server = Connection::stdio(program).args(["mcp", "serve"]).env("SHOP", "${SHOP}");
    match std::env::var("PINNED_PIN").as_deref() {
        Ok("warn") => server.pin(Pin::Warn).into(),
        Ok("refuse") => server.pin(Pin::Refuse).into(),
        _ => server.into(),
    }
}

#[connection]
fn shop() -> Connection {
    server("PINNED_SHOP").advertise_tools()
}

#[connection(host)]
fn depot() -> Connection {
    server("PINNED_DEPOT").only_reads()
}

/// Tools of this binary cannot change behind its back.
mod own {
    use bdk::prelude::*;

    #[connection]
    fn own() -> impl IntoConnection {
        Connection::authored().advertise_tools()
    }

    /// Say yes.
    #[tool(effect = "read")]
    fn agree() -> &'static str {
        "yes"
    }
}

/// Ask the depot by the bot's own code.
#[tool(effect = "read")]
async fn ask_depot(tool: String, ctx: &ToolContext) -> Result<ToolOutput> {
    Ok(ctx.host.mcp.call_tool("depot", &tool, json!({ "sku": "tea" })).await?)
}

#[bdk::main]
async fn main() -> ExitCode {
    bdk::serve().await
}
