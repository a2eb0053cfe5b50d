//! What rmcp answers: every request but the tools' own, and the tools' own where something about them is so unusual that
//! rmcp judges whether they are to be answered at all. This is the one place that names rmcp.

use super::{
    Mcp,
    answering::{Answering, CallRequest, Event},
    client::{Client, Era},
    message::Capabilities,
};
use crate::{Principal, call::line::LogLevel, session::Live};
use bytes::Bytes;
use http::request::Parts;
use rmcp::{
    ErrorData, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, ErrorCode, Implementation, ListToolsResult, PaginatedRequestParams,
        ProtocolVersion, ServerCapabilities, ServerConfig, ServerJsonRpcMessage, SubscriptionFilter, Tool,
    },
    service::{RequestContext, RoleServer, SubscriptionContext},
};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use std::{borrow::Cow, sync::Arc};

mod http_service;
#[cfg(feature = "commands")]
pub(crate) mod one_request;

pub(crate) use http_service::OtherOverHttp;

/// Marks an HTTP request whose sender takes no stream.
#[derive(Debug, Clone, Copy)]
struct Whole;

/// The message of an HTTP request, as it came.
#[derive(Debug, Clone)]
struct Sent(Bytes);

/// The bot as rmcp sees it.
#[derive(Clone)]
struct Handler {
    mcp: Arc<Mcp>,
    /// What the calls are part of, where it does not come with each request.
    bound: Option<Arc<Live>>,
}

impl Handler {
    /// Who asks. Over HTTP the principal comes with the request's head, and its session of the bot's; elsewhere it is the
    /// process itself, or the owner of the session that it serves.
    fn client(&self, context: &RequestContext<RoleServer>) -> Client {
        let parts = context.extensions.get::<Parts>().map(|parts| &parts.extensions);
        let bound = self.bound.as_ref().or_else(|| parts.and_then(|parts| parts.get::<Arc<Live>>()));
        let principal = parts.and_then(|parts| parts.get::<Arc<Principal>>());
        let principal = principal.or_else(|| bound.map(|live| &live.info.auth));
        let principal = principal.cloned().unwrap_or_else(Principal::local);
        let modern = context.protocol_version().is_some_and(|v| v.as_str() >= super::client::STATELESS);
        let whole = parts.is_some_and(|parts| parts.get::<Whole>().is_some());
        let mut client = Client::without_session(principal).within(bound.cloned());
        if modern {
            let capabilities = context.meta.get("io.modelcontextprotocol/clientCapabilities");
            let capabilities = capabilities.and_then(|value| Capabilities::deserialize(value).ok());
            client.era = Era::Stateless;
            client.abilities = capabilities.map(|c| c.abilities()).unwrap_or_default();
            let level = context.meta.get("io.modelcontextprotocol/logLevel").and_then(Value::as_str);
            client.log = level.and_then(LogLevel::parse);
        }
        if whole {
            client.takes_whole_answers_only();
        }
        let parts = context.extensions.get::<Parts>();
        client.tell_spans(if parts.is_some() { "tcp" } else { "pipe" }, || {
            let session = parts.and_then(|parts| parts.headers.get("mcp-session-id")?.to_str().ok());
            (context.protocol_version().map(|version| version.as_str().into()), session.map(Into::into))
        });
        client
    }

    /// A call that rmcp has judged.
    async fn call(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = self.client(&context);
        let sent = context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Sent>());
        let message = match sent {
            Some(sent) => sent.0.clone(),
            None => {
                let params = json!({ "name": request.name, "arguments": request.arguments });
                let message = json!({ "jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": params });
                Bytes::from(message.to_string())
            }
        };
        // a number or a text, which always serialise
        let id = serde_json::to_string(&context.id).unwrap_or_default();
        let meta = |name: &str| context.meta.get(name).map(Value::to_string);
        let traceparent = super::message::traceparent(meta("traceparent").as_deref());
        let key = super::message::key(meta("bdk/idempotencyKey").as_deref()).map_err(|e| of_json(&e.to_json()))?;
        let request = CallRequest {
            id: id.into(),
            tool: request.name.into_owned(),
            message,
            progress_token: meta("progressToken").filter(|_| !client.whole).map(Into::into),
            traceparent,
            key,
            input_responses: match request.input_responses {
                Some(responses) => typed(serde_json::to_value(responses).and_then(serde_json::from_value))?,
                None => None,
            },
            request_state: request.request_state,
        };
        let running = Answering::begin(self.mcp.clone(), client, request);
        let mut running = running.map_err(|error| of_json(&error.to_json()))?;
        // what it says is sent below, which waits for the client
        running.apart();
        loop {
            let event = tokio::select! {
                biased;
                event = running.next() => event,
                () = context.ct.cancelled() => return Err(ErrorData::internal_error("the call was cancelled", None)),
            };
            match event {
                Event::Message(json) => {
                    if let Ok(ServerJsonRpcMessage::Notification(said)) = serde_json::from_slice(&json) {
                        // whoever does not listen any more cancels the call, which the token tells
                        let _ = context.peer.send_notification(said.notification).await;
                    }
                }
                Event::Last(response) => return ended(&response.json),
            }
        }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let identity = self.mcp.bot.identity();
        #[expect(deprecated, reason = "clients before 2026-07-28 set the level of log messages")]
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_tool_list_changed().enable_logging().build();
        ServerConfig::new(capabilities).with_server_info(Implementation::new(identity.name, identity.version))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let view = self.client(&context).view();
        self.mcp.bot.connect().await;
        let cursor = request.and_then(|request| request.cursor);
        match self.mcp.listing.page(&self.mcp.bot.registry(), view, cursor.as_deref()) {
            Ok(page) => typed(serde_json::from_slice(&page)),
            Err(bad) => Err(ErrorData::invalid_params(bad.to_string(), None)),
        }
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        // rmcp copies a handler's future from task to task, and a call's is large
        Box::pin(self.call(request, context)).await
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tool = self.mcp.bot.find(name)?;
        // rmcp looks in it for the parameters that are repeated as headers, and for nothing else
        let schema = if tool.param_headers().is_empty() { None } else { tool.input_schema().as_object().cloned() };
        Some(Tool::new(name.to_owned(), "", schema.unwrap_or_default()))
    }

    #[expect(deprecated, reason = "clients before 2026-07-28 set the level of log messages")]
    async fn set_level(
        &self,
        _: rmcp::model::SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if self.client(&context).era == Era::Stateless {
            // there each request names its level
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "logging/setLevel", None));
        }
        // the door has noted it in the session
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.intersection(&SubscriptionFilter::builder().tools_list_changed().build()))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.mcp.bot.tools_changed();
        let bound = self.client(context.request_context()).bound;
        // whoever asked for nothing that there is, is told nothing
        let told = context.accepted().tools_list_changed == Some(true);
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = Live::deleted(bound.as_ref()) => return Ok(()),
                changed = changes.changed(), if told => {
                    if changed.is_err() || context.sink().notify_tool_list_changed().await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }
}

/// The versions of the protocol that there are.
pub(crate) fn versions() -> impl Iterator<Item = &'static str> {
    ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str)
}

/// Whether there is such a version.
pub(crate) fn knows_version(name: &str) -> bool {
    versions().any(|known| known == name)
}

/// Whether it is a method that a bot has, in one of the eras.
pub(crate) fn serves(method: &str) -> bool {
    matches!(
        method,
        "initialize"
            | "ping"
            | "logging/setLevel"
            | "server/discover"
            | "subscriptions/listen"
            | "tools/list"
            | "tools/call"
    )
}

/// A response of ours as rmcp has it.
fn ended(json: &[u8]) -> Result<CallToolResponse, ErrorData> {
    #[derive(serde::Deserialize)]
    struct Ended<'a> {
        #[serde(borrow)]
        result: Option<&'a RawValue>,
    }
    #[derive(serde::Deserialize)]
    struct Kind<'a> {
        #[serde(borrow, rename = "resultType")]
        kind: Option<Cow<'a, str>>,
    }
    let Some(result) = typed(serde_json::from_slice::<Ended<'_>>(json))?.result else { return Err(of_json(json)) };
    match typed(serde_json::from_str::<Kind<'_>>(result.get()))?.kind.as_deref() {
        Some("input_required") => typed(serde_json::from_str(result.get())).map(CallToolResponse::InputRequired),
        _ => typed(serde_json::from_str(result.get())).map(CallToolResponse::Complete),
    }
}

/// An error response of ours as rmcp has it.
fn of_json(json: &[u8]) -> ErrorData {
    #[derive(serde::Deserialize)]
    struct Failed {
        error: ErrorData,
    }
    match serde_json::from_slice::<Failed>(json) {
        Ok(failed) => failed.error,
        Err(error) => ErrorData::internal_error(error.to_string(), None),
    }
}

fn typed<T>(read: serde_json::Result<T>) -> Result<T, ErrorData> {
    read.map_err(|error| {
        tracing::error!(target: "bdk::mcp", %error, "a result is not what rmcp takes it for");
        ErrorData::internal_error("the result is not what the protocol library takes; the bot's log tells more", None)
    })
}
