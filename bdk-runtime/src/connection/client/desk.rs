//! What passes rmcp by: arguments and results stay the text that they are.
//!
//! rmcp keeps the protocol: versions, sessions, streams, cancelling. It would read each result into its own types, trying all
//! that there are, and write arguments from a tree of values; and what its types do not have would be lost. So a request
//! carries a [`Slot`] that it does not look into: the transports write the request from it, and put the result there.

use crate::connection::failed::{Failed, Kind};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, GetExtensions, GetMeta, JsonRpcMessage, NumberOrString, RequestId,
    ServerJsonRpcMessage, ServerResult,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// What goes with one request.
pub(super) struct Slot {
    /// The arguments of a call, as they are sent.
    arguments: Option<Arc<str>>,
    pub(super) traceparent: Option<Box<str>>,
    /// rmcp is to see the result as well.
    shown: bool,
    sent: AtomicBool,
    outcome: Mutex<Option<Result<Box<RawValue>, Failed>>>,
}

impl Slot {
    pub(super) fn of_call(arguments: Arc<str>, traceparent: Option<&str>) -> Self {
        let traceparent = traceparent.map(Into::into);
        Self {
            arguments: Some(arguments),
            traceparent,
            shown: false,
            sent: AtomicBool::new(false),
            outcome: Mutex::default(),
        }
    }
    pub(super) fn of_listing() -> Self {
        Self {
            arguments: None,
            traceparent: None,
            shown: true,
            sent: AtomicBool::new(false),
            outcome: Mutex::default(),
        }
    }
    /// It is sent from now on; whatever an earlier try came to is of the past.
    pub(super) fn begin(&self) {
        self.outcome().take();
        self.sent.store(true, Ordering::Release);
    }
    /// The server provably has not got it.
    pub(super) fn unsend(&self) {
        self.sent.store(false, Ordering::Release);
    }
    /// Whether the server may have it.
    pub(super) fn is_sent(&self) -> bool {
        self.sent.load(Ordering::Acquire)
    }
    pub(super) fn answer(&self, result: &RawValue) {
        *self.outcome() = Some(Ok(result.to_owned()));
    }
    pub(super) fn fail(&self, failed: Failed) {
        *self.outcome() = Some(Err(failed));
    }
    pub(super) fn take(&self) -> Option<Result<Box<RawValue>, Failed>> {
        self.outcome().take()
    }
    fn outcome(&self) -> MutexGuard<'_, Option<Result<Box<RawValue>, Failed>>> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The slots of a client whose results are not there yet.
#[derive(Default)]
pub(super) struct Desk {
    waiting: Mutex<HashMap<i64, Arc<Slot>>>,
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
    method: Option<&'a RawValue>,
}

impl Desk {
    pub(super) fn expect(&self, id: &RequestId, slot: &Arc<Slot>) {
        if let NumberOrString::Number(id) = id {
            self.waiting().insert(*id, slot.clone());
        }
    }
    pub(super) fn forget(&self, id: &RequestId) {
        if let NumberOrString::Number(id) = id {
            self.waiting().remove(id);
        }
    }

    /// Where the message is a result that is waited for here: what rmcp is told instead.
    pub(super) fn divert(&self, message: &[u8]) -> Option<ServerJsonRpcMessage> {
        let head: Head<'_> = serde_json::from_slice(message).ok()?;
        let (None, Some(id), Some(result)) = (head.method, head.id, head.result) else { return None };
        // some servers give numbers back as texts
        let id: i64 = id.get().trim_matches('"').parse().ok()?;
        let slot = self.waiting().remove(&id)?;
        slot.answer(result);
        if slot.shown {
            return None;
        }
        Some(ServerJsonRpcMessage::response(ServerResult::empty(()), NumberOrString::Number(id)))
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

/// How a request carries its slot.
#[derive(Clone)]
pub(super) struct WithSlot(pub(super) Arc<Slot>);

/// The slot of a request, and its number.
pub(super) fn slot(message: &ClientJsonRpcMessage) -> Option<(&RequestId, &Arc<Slot>)> {
    let JsonRpcMessage::Request(request) = message else { return None };
    let WithSlot(slot) = request.request.extensions().get()?;
    Some((&request.id, slot))
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
                    serde_json::to_writer(&mut text, request.request.get_meta())?;
                    text.extend_from_slice(br#","name":"#);
                    serde_json::to_writer(&mut text, &call.params.name)
                });
                text.extend_from_slice(br#","arguments":"#);
                text.extend_from_slice(arguments.as_bytes());
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
