//! What passes rmcp by: arguments and results stay the text that they are.
//!
//! rmcp keeps the protocol: versions, sessions, streams, cancelling. It would read each result into its own types, trying all
//! that there are, and write arguments from a tree of values; and what its types do not have would be lost. So a request
//! carries a [`Slot`] that it does not look into: the transports write the request from it, and put the result there.

use super::{Changed, asked::Asked, resumed::Resumable, slot::Slot};
use crate::{
    connection::{
        failed::{Failed, Kind},
        listing, unread,
    },
    cut,
};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, GetExtensions, GetMeta, JsonObject, JsonRpcMessage,
    ListToolsResult, NumberOrString, RequestId, RequestMetaObject, ServerJsonRpcMessage, ServerResult, Tool,
};
use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap};
use serde_json::value::RawValue;
use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

/// The slots of a client whose results are not there yet, and what else is known of it.
pub(super) struct Desk {
    waiting: Mutex<HashMap<i64, Arc<Slot>>>,
    pub(super) asked: Asked,
    pub(super) resumable: Resumable,
    /// How often it answered, or told how far a call is.
    signs: AtomicU64,
    /// Over HTTP: there is a stream for what it says by itself.
    pub(super) has_stream: AtomicBool,
    /// A message is being written.
    pub(super) writing: AtomicBool,
    /// What is done when its tools changed, once it speaks MCP with sessions: of what such a server tells, nothing else is of use.
    pub(super) changed: OnceLock<Changed>,
    /// What went wrong with a message without a slot, such as those of the handshake, or with the whole transport.
    trouble: Mutex<Option<Failed>>,
}

/// What is looked at before rmcp reads a message.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

/// What rmcp is to hear of a message.
#[expect(clippy::large_enum_variant, reason = "nearly all are of it")]
pub(super) enum Heard {
    Instead(ServerJsonRpcMessage),
    Itself,
    Nothing,
}

impl Desk {
    /// The server may leave all answers to what it asks unread for so long.
    pub(super) fn new(patience: Duration) -> Self {
        Self {
            waiting: Mutex::default(),
            asked: Asked::new(patience),
            resumable: Resumable::default(),
            signs: AtomicU64::new(0),
            has_stream: AtomicBool::new(false),
            writing: AtomicBool::new(false),
            changed: OnceLock::new(),
            trouble: Mutex::default(),
        }
    }
    /// Moves on with each sign of life.
    pub(super) fn signs(&self) -> u64 {
        self.signs.load(Ordering::Relaxed)
    }
    /// A request is sent from now on. False where nobody waits for it any more: it is not sent then.
    pub(super) fn begin(&self, id: &RequestId, slot: &Arc<Slot>) -> bool {
        if let NumberOrString::Number(id) = id {
            self.waiting().insert(*id, slot.clone());
        }
        // in this order, as whoever leaves leaves it first and then has it forgotten
        let wanted = slot.begin();
        if !wanted {
            self.forget(id);
        }
        wanted
    }
    pub(super) fn forget(&self, id: &RequestId) {
        if let NumberOrString::Number(id) = id {
            self.waiting().remove(id);
        }
    }

    /// Takes out of a message what is waited for here.
    pub(super) fn read(&self, message: &[u8]) -> Heard {
        let Ok(head) = serde_json::from_slice::<Head<'_>>(message) else {
            return match String::from_utf8_lossy(message) {
                Cow::Borrowed(_) => Heard::Itself,
                // what has letters of another encoding may be JSON all the same
                Cow::Owned(text) => self.read(text.as_bytes()),
            };
        };
        match (head.method, head.id) {
            (Some(method), id) => self.of_servers(message, method, id, head.params),
            (None, Some(id)) => self.answer(id, head.result, head.error).map_or(Heard::Itself, Heard::Instead),
            (None, None) => Heard::Itself,
        }
    }

    /// Where the message answers a slot: what rmcp is told instead.
    fn answer(
        &self,
        id: &RawValue,
        result: Option<&RawValue>,
        error: Option<&RawValue>,
    ) -> Option<ServerJsonRpcMessage> {
        // some servers give numbers back as texts
        let id: i64 = id.get().trim_matches('"').parse().ok()?;
        let slot = self.waiting().remove(&id)?;
        self.signs.fetch_add(1, Ordering::Relaxed);
        let id = NumberOrString::Number(id);
        if let Some(result) = result {
            slot.answer(result);
            let shown = if slot.is_of_call() { ServerResult::empty(()) } else { in_headers(result) };
            return Some(ServerJsonRpcMessage::response(shown, id));
        }
        let unreadable = |words: String| failure(&slot, id.clone(), Failed::bare(Kind::Unreadable, words));
        let Some(error) = error else {
            return Some(unreadable("its answer has neither a result nor an error".to_owned()));
        };
        let read = unread::read(error.get(), |text| serde_json::from_str::<ErrorData>(text));
        Some(match read {
            Ok(error) => ServerJsonRpcMessage::error(error, Some(id)),
            Err(_) => unreadable(format!("it answers with an error that is none: {}", cut::quoted(error.get(), 200))),
        })
    }

    /// What the server asks or says by itself. What it asks gets exactly one answer, so that those can be counted: a question
    /// that is taken back is answered too, and one of the same number as another is none.
    fn of_servers(&self, message: &[u8], method: &RawValue, id: Option<&RawValue>, params: Option<&RawValue>) -> Heard {
        if id.is_some() {
            // what rmcp cannot read it does not answer
            let Ok(JsonRpcMessage::Request(request)) = parsed(message) else { return Heard::Itself };
            return if self.asked.add(request.id) { Heard::Itself } else { Heard::Nothing };
        }
        if method.get() == r#""notifications/progress""# {
            self.progress(params);
            return Heard::Nothing;
        }
        if method.get() == r#""notifications/cancelled""# {
            #[derive(Deserialize)]
            struct Cancelled {
                #[serde(rename = "requestId")]
                id: RequestId,
            }
            let cancelled = params.and_then(|params| serde_json::from_str::<Cancelled>(params.get()).ok());
            if cancelled.is_some_and(|cancelled| self.asked.has(&cancelled.id)) {
                return Heard::Nothing;
            }
        }
        // rmcp would make a task of each, and it may tell without end
        let Some(changed) = self.changed.get() else { return Heard::Itself };
        if method.get() == r#""notifications/tools/list_changed""# {
            changed();
        }
        Heard::Nothing
    }

    /// Tells whoever waits for a call how far it is. Its token is the call's number.
    fn progress(&self, params: Option<&RawValue>) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Progress<'a> {
            progress_token: i64,
            progress: f64,
            total: Option<f64>,
            #[serde(borrow)]
            message: Option<Cow<'a, str>>,
        }
        let Some(Ok(told)) = params.map(|params| serde_json::from_str::<Progress<'_>>(params.get())) else { return };
        let Some(slot) = self.waiting().get(&told.progress_token).cloned() else { return };
        self.signs.fetch_add(1, Ordering::Relaxed);
        if let Some(hears) = &slot.hears {
            hears.progress(told.progress, told.total, &cut::repeated(&told.message.unwrap_or_default(), 500));
        }
    }

    pub(super) fn trouble(&self, failed: Failed) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(failed);
    }
    pub(super) fn take_trouble(&self) -> Option<Failed> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
    pub(super) fn last_trouble(&self) -> Option<Failed> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
    fn waiting(&self) -> MutexGuard<'_, HashMap<i64, Arc<Slot>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets a request fail, and says what rmcp is told of it.
pub(super) fn failure(slot: &Slot, id: RequestId, failed: Failed) -> ServerJsonRpcMessage {
    let error = ErrorData::internal_error(failed.words.clone(), None);
    slot.fail(failed);
    ServerJsonRpcMessage::error(error, Some(id))
}

/// A message for rmcp; where a text or a number in it cannot be held, as near to it as it can be.
pub(super) fn parsed(message: &[u8]) -> serde_json::Result<ServerJsonRpcMessage> {
    match String::from_utf8_lossy(message) {
        Cow::Borrowed(text) => unread::read(text, |text| serde_json::from_str(text)),
        Cow::Owned(text) => unread::read(&text, |text| serde_json::from_str(text)),
    }
}

/// Of a page of tools, what rmcp has to know: those some of whose arguments go into headers, and of them no more than that. What
/// it could not read, it would not pass on.
fn in_headers(page: &RawValue) -> ServerResult {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Named {
        name: String,
        input_schema: JsonObject,
    }
    let tools = listing::tools_of(page).unwrap_or_default();
    let tools = tools.into_iter().filter(|tool| listing::is_in_headers(tool));
    let tools = tools.filter_map(|tool| serde_json::from_str::<Named>(tool.get()).ok());
    let tools: Vec<Tool> = tools.map(|tool| Tool::new(tool.name, "", tool.input_schema)).collect();
    if tools.is_empty() {
        return ServerResult::empty(());
    }
    ServerResult::ListToolsResult(ListToolsResult::with_all_items(tools))
}

/// The answer to what the server asked: dropped, it is written, or never will be.
pub(super) struct Answering(Arc<Desk>, RequestId);

impl Answering {
    pub(super) fn of(message: &ClientJsonRpcMessage, desk: &Arc<Desk>) -> Option<Self> {
        let id = match message {
            JsonRpcMessage::Response(response) => &response.id,
            JsonRpcMessage::Error(error) => error.id.as_ref()?,
            _ => return None,
        };
        Some(Self(desk.clone(), id.clone()))
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.asked.remove(&self.1);
    }
}

/// How a request carries its slot.
#[derive(Clone)]
pub(super) struct WithSlot(pub(super) Arc<Slot>);

/// The slot of a request, and its number.
pub(super) fn slot(message: &ClientJsonRpcMessage) -> Option<(&RequestId, &Arc<Slot>)> {
    let JsonRpcMessage::Request(request) = message else { return None };
    let WithSlot(slot) = request.request.extensions().get()?;
    Some((&request.id, slot))
}

/// What is said about a call, with a token for its progress where anybody hears of that: rmcp would always give one.
struct Meta<'a> {
    given: &'a RequestMetaObject,
    token: Option<&'a RequestId>,
}

impl Serialize for Meta<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const TOKEN: &str = "progressToken";
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.given.iter().filter(|(name, _)| *name != TOKEN) {
            map.serialize_entry(name, value)?;
        }
        if let Some(token) = self.token {
            map.serialize_entry(TOKEN, token)?;
        }
        map.end()
    }
}

/// The message as it is sent.
pub(super) fn written(message: &ClientJsonRpcMessage) -> Result<Vec<u8>, Failed> {
    let text = match (message, slot(message)) {
        (JsonRpcMessage::Request(request), Some((id, slot))) => match (&request.request, &slot.arguments) {
            (ClientRequest::CallToolRequest(call), Some(arguments)) => {
                let mut text = Vec::with_capacity(arguments.len() + 256);
                text.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
                let wrote = serde_json::to_writer(&mut text, id).and_then(|()| {
                    text.extend_from_slice(br#","method":"tools/call","params":{"_meta":"#);
                    let token = slot.hears.is_some().then_some(id);
                    serde_json::to_writer(&mut text, &Meta { given: request.request.get_meta(), token })?;
                    text.extend_from_slice(br#","name":"#);
                    serde_json::to_writer(&mut text, &call.params.name)
                });
                text.extend_from_slice(br#","arguments":"#);
                text.extend_from_slice(arguments.as_bytes());
                if let Some(state) = &slot.request_state {
                    text.extend_from_slice(br#","requestState":"#);
                    text.extend_from_slice(state.get().as_bytes());
                }
                text.extend_from_slice(b"}}");
                wrote.map(|()| text)
            }
            _ => serde_json::to_vec(message),
        },
        _ => serde_json::to_vec(message),
    };
    text.map_err(|error| {
        Failed::bare(Kind::Unsent, format!("the request cannot be written as JSON: {error}")).transient(false)
    })
}
