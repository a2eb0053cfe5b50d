//! A server of rmcp's own, over loopback.

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult, PaginatedRequestParams,
        ProtocolVersion, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use serde_json::json;
use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::sync::Notify;

/// What the server has, shared by all of its sessions.
#[derive(Clone, Default)]
pub(in crate::connection) struct Shop {
    tools: Arc<AtomicUsize>,
    more: Arc<Notify>,
    newest: ProtocolVersion,
}

/// What the server speaks.
#[derive(Clone, Copy)]
pub(in crate::connection) enum Speaks {
    /// MCP with sessions, and nothing newer: it answers a request of the newest by saying so. Its answers are streams.
    Sessions,
    /// The newest MCP, its answers in streams.
    Streams,
    /// The newest MCP, its answers plain JSON.
    Json,
}

impl Shop {
    /// Opens it, and says where.
    pub(in crate::connection) async fn open(&self, speaks: Speaks) -> String {
        let mut config = StreamableHttpServerConfig::default();
        config.json_response = matches!(speaks, Speaks::Json);
        let newest = match speaks {
            Speaks::Sessions => ProtocolVersion::V_2025_11_25,
            Speaks::Streams | Speaks::Json => ProtocolVersion::LATEST,
        };
        let shop = Shop { newest, ..self.clone() };
        let service =
            StreamableHttpService::new(move || Ok(shop.clone()), Arc::new(LocalSessionManager::default()), config);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let router = axum::Router::new().nest_service("/mcp", service);
        tokio::spawn(async move { axum::serve(listener, router).await });
        url
    }

    /// Has one tool more, and tells those who asked to hear of it.
    pub(in crate::connection) fn add_tool(&self) {
        self.tools.fetch_add(1, Ordering::SeqCst);
        self.more.notify_waiters();
    }
}

impl ServerHandler for Shop {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build())
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        ProtocolVersion::known_up_to(&self.newest).into()
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let more = self.more.clone();
        tokio::spawn(async move {
            loop {
                more.notified().await;
                let _ = context.peer.notify_tool_list_changed().await;
            }
        });
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.intersection(&SubscriptionFilter::builder().tools_list_changed().build()))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = self.more.notified() => drop(context.sink().notify_tool_list_changed().await),
            }
        }
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = |name: String| {
            Tool::new(name, "Says what it was asked.", json!({ "type": "object" }).as_object().unwrap().clone())
        };
        let echo = tool("echo".to_owned());
        let region = self.get_tool("region");
        let more = (0..self.tools.load(Ordering::SeqCst)).map(|n| tool(format!("more_{n}")));
        Ok(ListToolsResult::with_all_items([echo].into_iter().chain(more).chain(region).collect()))
    }

    /// rmcp's server looks here for what is to be in headers, and refuses a call without.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        let schema =
            json!({ "type": "object", "properties": { "region": { "type": "string", "x-mcp-header": "Region" } } });
        (name == "region").then(|| Tool::new("region", "", schema.as_object().unwrap().clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let asked = json!({ "input": request.arguments, "traceparent": context.meta.get("traceparent") });
        match &*request.name {
            "echo" | "region" => Ok(CallToolResult::structured(asked).into()),
            "fail" => Ok(CallToolResult::error(vec![ContentBlock::text("it is broken")]).into()),
            "wait" => {
                context.ct.cancelled().await;
                self.add_tool();
                Err(ErrorData::internal_error("cancelled", None))
            }
            other => Err(ErrorData::invalid_params(format!("no tool {other}"), None)),
        }
    }
}
