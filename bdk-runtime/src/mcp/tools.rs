//! `tools/list` and `tools/call`.

use super::{
    Mcp, Message,
    answering::{Answering, CallRequest, Response},
    client::{Client, Era},
    error::RpcError,
    message::Meta,
    response,
    session::Session,
};
use crate::{
    ToolContext,
    call::{CallInput, CallOptions, UnknownTool},
    registry::{Kind, Runner, Tool},
};
use bytes::Bytes;
use serde_json::{Map, Value, value::RawValue};
use std::{any::TypeId, sync::Arc};

/// How a request is answered.
pub(crate) enum Answered {
    /// With a response that is whole.
    Whole(Response),
    /// By a call that may say something first.
    Under(Box<Answering>),
}

/// Whether it is one of the two.
pub(crate) fn is_ours(method: &str) -> bool {
    matches!(method, "tools/call" | "tools/list")
}

/// Answers one of the two; `bytes` are what the message was read from.
pub(crate) async fn answer(mcp: &Arc<Mcp>, client: Client, message: Message<'_>, bytes: &Bytes) -> Answered {
    let id = message.id;
    // here, where nothing is read of the message yet: what is, would be part of every request's future
    if mcp.bot.has_servers() {
        ask_servers(mcp, &message).await;
    }
    let answered = match message.method() {
        Some("tools/list") => list(mcp, &client, &message).map(|json| Answered::Whole(Response::ok(json))),
        _ => call(mcp, client, message, bytes).await,
    };
    answered.unwrap_or_else(|error| {
        let error = if error.id.is_none() { error.of(id) } else { error };
        Answered::Whole(error.into())
    })
}

/// Asks the servers of connections where it takes them: for a listing, and for a tool that is not known.
async fn ask_servers(mcp: &Mcp, message: &Message<'_>) {
    if message.method() == Some("tools/list") {
        mcp.bot.connect().await;
    } else if let Some(name) = message.params.as_ref().and_then(|params| params.name.as_ref()) {
        mcp.bot.find_or_connect(&name.0).await;
    }
}

fn list(mcp: &Mcp, client: &Client, message: &Message<'_>) -> Result<Vec<u8>, RpcError> {
    let cursor = message.params.as_ref().and_then(|p| p.cursor.as_ref()).map(|c| &*c.0);
    match mcp.listing.page(&mcp.bot.registry(), client.view(), cursor) {
        Ok(page) => Ok(response::of_result(id(message)?, &page)),
        Err(bad) => Err(RpcError::params(bad.to_string())),
    }
}

async fn call(mcp: &Arc<Mcp>, client: Client, message: Message<'_>, bytes: &Bytes) -> Result<Answered, RpcError> {
    let id = id(&message)?;
    let Some(mut params) = message.params else { return Err(no_name()) };
    let Some(name) = params.name.take() else { return Err(no_name()) };
    // before 2026-07-28 there are no such parameters, and what is not known is passed over
    let stateless = client.era == Era::Stateless;
    let input_responses = responses(params.input_responses.take().filter(|_| stateless))?;
    let request_state = params.request_state.take().filter(|_| stateless);
    let progress_token = params.meta.as_ref().and_then(|meta| meta.progress_token()).filter(|_| !client.whole);
    let traceparent = params.meta.as_ref().and_then(Meta::traceparent);
    let key = params.meta.as_ref().map_or(Ok(None), Meta::key)?;
    let waits = request_state.is_some() || input_responses.is_some();
    let tool = mcp.bot.find(&name.0);
    if waits || tool.as_ref().is_some_and(|tool| speaks(tool, progress_token.is_some())) {
        let request = CallRequest {
            id: id.into(),
            tool: name.0.into_owned(),
            message: bytes.clone(),
            progress_token: progress_token.map(Into::into),
            traceparent,
            key,
            input_responses,
            request_state: request_state.map(|state| state.0.into_owned()),
        };
        return Answering::begin(mcp.clone(), client, request).map(|a| Answered::Under(Box::new(a)));
    }
    // a tool that has no way to say anything needs nobody who listens
    let runs = client.session.as_ref().map(|session| session.run(id, mcp.bot.stop().child_token()));
    let options =
        CallOptions { cancel: runs.as_ref().map(|runs| runs.token().clone()), traceparent, key, ..client.options(id) };
    let input = params.arguments.unwrap_or_else(CallInput::empty);
    let ended = match tool {
        Some(tool) => Ok(mcp.bot.call_found(tool, input, options).await),
        None => Err(UnknownTool::new(&mcp.bot, &name.0)),
    };
    let response = response::of_call(id, Some(ended), client.era, None);
    Ok(Answered::Whole(response.unless_cancelled(runs.as_ref(), mcp)))
}

/// Whether a tool can say something while it runs: one that has its context, or that asks for approval. Another server's says how
/// far it is, to a client that asked for it.
fn speaks(tool: &Tool, progress: bool) -> bool {
    match &tool.kind {
        _ if tool.needs_approval() => true,
        Kind::Code(def) => def.needs.iter().any(|need| (need.key)() == TypeId::of::<ToolContext>()),
        Kind::Data(_, runner) => matches!(runner, Runner::Handler(_)) || progress,
    }
}

fn id<'a>(message: &Message<'a>) -> Result<&'a str, RpcError> {
    message.id.map(RawValue::get).ok_or_else(|| RpcError::request("a request has an `id`"))
}

fn no_name() -> RpcError {
    RpcError::params("`params.name` says which tool is called, and is missing")
}

fn responses(value: Option<Value>) -> Result<Option<Map<String, Value>>, RpcError> {
    match value {
        None => Ok(None),
        Some(Value::Object(responses)) => Ok(Some(responses)),
        Some(_) => Err(RpcError::params("`inputResponses` is an object: an answer by the name of each question")),
    }
}

/// The client answers something that it was asked.
pub(crate) fn replied(session: &Session, message: &Message<'_>) {
    let Some(id) = message.id.and_then(|id| response::our_id(id.get())) else { return };
    // one that has both is no response at all, and must not pass for a yes
    let reply = match (&message.result, &message.error) {
        (Some(result), None) => Ok(result.clone()),
        (_, error) => {
            let said = error.as_ref().and_then(|e| e.message.as_ref()).map(|m| m.0.as_ref());
            Err(said.unwrap_or("an error without a message").to_owned())
        }
    };
    session.reply(id, reply);
}

/// The client says something that asks for no answer: that it cancels a request of its own, or what does not concern us.
pub(crate) fn noticed(session: &Session, message: &Message<'_>) {
    if message.method() == Some("notifications/cancelled")
        && let Some(id) = message.params.as_ref().and_then(|params| params.request_id)
    {
        session.cancel(id.get());
    }
}
