//! The baseline of the MCP figures: rmcp at its best for the same tool. One handler that all requests share, written by hand rather than
//! through rmcp's macros and router, JSON answers, hyper's HTTP/1 and sockets without Nagle's algorithm, as a bot has them.
//!
//! `bare-rmcp [http|sessions|nagle|stdio] [TOOLS]`: without sessions, with rmcp's own, the same with Nagle's algorithm left on, or over stdin and
//! stdout; with that many tools in its list.
#![allow(clippy::print_stdout, reason = "the first line on stdout is the address, as in a bot")]
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "the shapes are shared with the bot, which reads other parts of them"
)]

mod shapes;

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, JsonObject, ListToolsResult,
        PaginatedRequestParams, ProgressNotificationParam, ProtocolVersion, ServerCapabilities, ServerConfig, Tool,
        ToolAnnotations,
    },
    service::RequestContext,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService,
        session::{SessionManager, local::LocalSessionManager, never::NeverSessionManager},
    },
};
use schemars::{JsonSchema, schema_for};
use serde::Deserialize;
use serde_json::Value;
use shapes::Inspection;
use std::{borrow::Cow, error::Error, pin::pin, sync::Arc};

#[derive(Deserialize, JsonSchema)]
struct Small {
    /// The repository, by owner and name.
    repository: String,
    /// The branch to look at.
    branch: String,
}

#[derive(Deserialize, JsonSchema)]
struct Routed {
    /// The repository, by owner and name.
    repository: String,
    /// The branch to look at.
    #[schemars(extend("x-mcp-header" = "Branch"))]
    branch: String,
}

#[derive(Deserialize, JsonSchema)]
struct Lookup {
    name: String,
    limit: Option<u32>,
    tags: Vec<String>,
}

struct Handler {
    tools: Vec<Tool>,
    /// Called and not listed, so that the list is that of the measured bots.
    routed: Tool,
    newest: ProtocolVersion,
}

impl Handler {
    /// `small`, and three-parameter tools up to the number, as the measured bots have them.
    fn new(count: usize, newest: ProtocolVersion) -> Handler {
        let small = Tool::new("small", "Say whether a branch is ready to be released.", schema::<Small>())
            .with_output_schema::<Inspection>()
            .with_annotations(ToolAnnotations::new().read_only(true));
        let lookup = Arc::new(schema::<Lookup>());
        let more = (1..count).map(|number| {
            let what = format!("Look things up by name, number {number}.\nGives what was asked for in one line.");
            Tool::new(format!("lookup_{number}"), what, lookup.clone())
                .with_annotations(ToolAnnotations::new().read_only(true))
        });
        let routed = Tool::new("routed", "Say whether a branch is ready, by a routed call.", schema::<Routed>());
        Handler { tools: std::iter::once(small).chain(more).collect(), routed, newest }
    }
}

fn schema<T: JsonSchema>() -> JsonObject {
    match schema_for!(T).to_value() {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("bare-rmcp", "0.1.0"))
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        ProtocolVersion::known_up_to(&self.newest).into()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        // rmcp asks for nothing but the headers of parameters, which the others have not
        (name == "routed").then(|| self.routed.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let input = Value::Object(request.arguments.unwrap_or_default());
        let Small { repository, branch } =
            serde_json::from_value(input).map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        match &*request.name {
            "small" | "routed" => {}
            "walk" => {
                if let Some(token) = context.meta.get_progress_token() {
                    for step in 1..=3 {
                        let progress = ProgressNotificationParam::new(token.clone(), f64::from(step))
                            .with_total(3.0)
                            .with_message("a step");
                        drop(context.peer.notify_progress(progress).await);
                    }
                }
            }
            other => return Err(ErrorData::invalid_params(format!("no tool {other}"), None)),
        }
        let result = serde_json::to_value(Inspection::of(repository, branch));
        let result = result.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(CallToolResult::structured(result).into())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mode = arguments.next().unwrap_or_else(|| "http".into());
    let count = arguments.next().map_or(Ok(1), |count| count.parse())?;
    // the newest version that has sessions, where they are asked for: a client that speaks a newer one would take that
    let newest = match &*mode {
        "sessions" | "nagle" => ProtocolVersion::V_2025_11_25,
        _ => ProtocolVersion::LATEST,
    };
    let handler = Arc::new(Handler::new(count, newest));
    let config = StreamableHttpServerConfig::default();
    match &*mode {
        "stdio" => {
            handler.serve(rmcp::transport::stdio()).await?.waiting().await?;
            Ok(())
        }
        "http" => {
            let config = config.with_legacy_session_mode(false).with_json_response(true);
            serve(handler, Arc::new(NeverSessionManager::default()), config, true).await
        }
        "sessions" => serve(handler, Arc::new(LocalSessionManager::default()), config, true).await,
        "nagle" => serve(handler, Arc::new(LocalSessionManager::default()), config, false).await,
        other => Err(format!("no mode {other}").into()),
    }
}

async fn serve<M: SessionManager>(
    handler: Arc<Handler>,
    sessions: Arc<M>,
    config: StreamableHttpServerConfig,
    nodelay: bool,
) -> Result<(), Box<dyn Error>> {
    let service = StreamableHttpService::new(move || Ok(handler.clone()), sessions, config);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    let mut interrupted = pin!(tokio::signal::ctrl_c());
    loop {
        let (socket, _) = tokio::select! {
            accepted = listener.accept() => accepted?,
            _ = &mut interrupted => return Ok(()),
        };
        socket.set_nodelay(nodelay)?;
        let service = service.clone();
        let answer = service_fn(move |request| {
            let service = service.clone();
            async move { Ok::<_, std::convert::Infallible>(service.handle(request).await) }
        });
        let connection = http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(socket), answer);
        tokio::spawn(connection);
    }
}
