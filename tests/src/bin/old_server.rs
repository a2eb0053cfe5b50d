//! An MCP server made with an rmcp of long ago, over stdin and stdout, or, started as a bot is with `serve --port PORT`, over HTTP.
#![forbid(unsafe_code)]
#![allow(missing_docs)]

use rmcp_old::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResult, Content, JsonObject, ListToolsResult, PaginatedRequestParams,
        ServerCapabilities, ServerInfo, Tool, ToolAnnotations,
    },
    service::RequestContext,
    transport::{
        StreamableHttpServerConfig, StreamableHttpService, stdio,
        streamable_http_server::session::local::LocalSessionManager,
    },
};
use std::{
    io::Write,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering::SeqCst},
    },
};

static BOOKED: AtomicU32 = AtomicU32::new(0);
static HAS_MORE: AtomicBool = AtomicBool::new(false);

struct Old;

fn tool(name: &'static str, reads: Option<bool>) -> Tool {
    let schema = serde_json::json!({ "type": "object", "properties": { "what": { "type": "string" } } });
    let schema: JsonObject = serde_json::from_value(schema).unwrap_or_default();
    let tool = Tool::new(name, format!("What is called {name}."), Arc::new(schema));
    match reads {
        Some(reads) => tool.annotate(ToolAnnotations::new().read_only(reads)),
        None => tool,
    }
}

impl ServerHandler for Old {
    fn get_info(&self) -> ServerInfo {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        ServerInfo { capabilities, ..ServerInfo::default() }
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let named = [
            ("balance", Some(true)),
            ("book", Some(false)),
            ("fail", Some(true)),
            ("lose", Some(true)),
            ("grow", Some(false)),
            ("shrug", None),
        ];
        let mut tools: Vec<Tool> = named.into_iter().map(|(name, reads)| tool(name, reads)).collect();
        if HAS_MORE.load(SeqCst) {
            tools.push(tool("more", Some(true)));
        }
        Ok(ListToolsResult { tools, ..ListToolsResult::default() })
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let text = |text: String| CallToolResult::success(vec![Content::text(text)]);
        match &*call.name {
            "balance" => Ok(text(BOOKED.load(SeqCst).to_string())),
            "book" => Ok(CallToolResult::structured(serde_json::json!({ "number": BOOKED.fetch_add(1, SeqCst) + 1 }))),
            "fail" => Ok(CallToolResult::error(vec![Content::text("there is no such drawer")])),
            "lose" => Err(ErrorData::internal_error("the key is lost", None)),
            "grow" => {
                HAS_MORE.fetch_xor(true, SeqCst);
                // whoever left meanwhile lists anew anyway
                let _ = context.peer.notify_tool_list_changed().await;
                Ok(text("grown".to_owned()))
            }
            other => Ok(text(format!("{other} it is"))),
        }
    }
}

#[bdk::main]
async fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let Some(port) = args.iter().skip_while(|arg| *arg != "--port").nth(1) else {
        Old.serve(stdio()).await?.waiting().await?;
        return Ok(());
    };
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(|| Ok(Old), sessions, StreamableHttpServerConfig::default());
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    writeln!(std::io::stdout(), "http://{}/mcp", listener.local_addr()?)?;
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}
