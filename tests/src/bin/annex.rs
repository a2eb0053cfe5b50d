//! A bot whose tools run where the agent does: they tell what they know of the call.
#![forbid(unsafe_code)]
#![allow(missing_docs)]

use bdk::prelude::*;

mod yard {
    use bdk::prelude::*;

    /// Tools where the agent runs.
    #[connection]
    fn yard() -> impl IntoConnection {
        Connection::authored().advertise_tools()
    }

    /// What a tool sees of its call.
    #[tool(effect = "read")]
    fn seen(ctx: &ToolContext) -> Result<Value> {
        let session = ctx.session();
        Ok(json!({
            "id": session.id, "title": session.title, "mode": session.mode, "state": session.state, "auth": session.auth,
            "asOf": ctx.as_of(), "now": ctx.now(), "dryRun": ctx.is_dry_run(),
            "workspace": ctx.workspace_dir()?, "folder": std::env::current_dir().ok(), "pid": std::process::id(),
        }))
    }

    /// Ask another tool of the connection.
    #[tool(effect = "read")]
    async fn asks(ctx: &ToolContext) -> Result<Value> {
        Ok(ctx.call_tool("seen", json!({})).await?.value()?)
    }

    /// Take steps, and tell of each.
    #[tool(effect = "read")]
    async fn paces(steps: u32, ctx: &ToolContext) -> u32 {
        for step in 1..=steps {
            ctx.progress(step, steps, format!("step {step}")).await;
        }
        steps
    }

    /// Keep something.
    #[tool(effect = "write")]
    async fn keep(ctx: &ToolContext) -> Result<()> {
        Ok(ctx.host.kv.put("kept", &1).await?)
    }
}

/// Ask a tool of the connection, as the bot's own code does.
#[tool(effect = "read")]
async fn by_code(tool: String, ctx: &ToolContext) -> Result<ToolOutput> {
    Ok(ctx.host.mcp.call_tool("yard", &tool, json!({})).await?)
}

/// The tools of the connection.
#[tool(effect = "read")]
async fn listed(ctx: &ToolContext) -> Result<Vec<String>> {
    Ok(ctx.host.mcp.list_tools("yard").await?.into_iter().map(|tool| tool.name).collect())
}

#[bdk::main]
async fn main() -> ExitCode {
    bdk::serve().await
}
