//! JSON-RPC errors: what the model does not see, because the request itself was wrong.

use crate::{cut, secrets, session::Unbound};
use serde_json::{Value, json, value::RawValue};
use std::borrow::Cow;

/// A request's refusal.
#[derive(Debug)]
pub(crate) struct RpcError {
    /// The request's id as JSON; `null` where it is not known.
    pub(crate) id: Option<Box<str>>,
    pub(crate) code: i32,
    pub(crate) message: Cow<'static, str>,
    pub(crate) data: Option<Value>,
}

impl RpcError {
    fn new(code: i32, message: impl Into<Cow<'static, str>>) -> Self {
        Self { id: None, code, message: message.into(), data: None }
    }
    /// What came is no JSON.
    pub(crate) fn parse(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(-32700, message)
    }
    /// It is no request.
    pub(crate) fn request(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(-32600, message)
    }
    /// Its parameters are wrong, an unknown tool's name among them.
    pub(crate) fn params(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(-32602, message)
    }
    /// There is no such method here.
    pub(crate) fn method(name: &str) -> Self {
        let name = cut::repeated(name, 64);
        Self::new(-32601, format!("there is no method `{name}`: this bot serves tools (`tools/list`, `tools/call`)"))
    }
    /// The bot failed.
    pub(crate) fn internal() -> Self {
        Self::new(-32603, "something went wrong in the bot; its log tells more")
    }
    /// The session is unknown, or has ended. Its code is the one that the official SDKs use.
    pub(crate) fn session() -> Self {
        Self::new(-32001, "there is no such session: it ended or never was; send `initialize` to open another")
    }
    /// The session of the bot's that everything is part of is not at hand: why.
    #[cfg_attr(not(feature = "commands"), allow(dead_code, reason = "stdio is a command's"))]
    pub(crate) fn unbound(unbound: &Unbound) -> Self {
        match unbound {
            Unbound::Unknown(_) => Self::new(-32001, format!("{unbound}: it was deleted, or belongs to somebody else")),
            Unbound::Unavailable(error) => {
                tracing::error!(target: "bdk::mcp", %error, "a request could not be answered");
                Self::internal()
            }
        }
    }
    /// A level of log messages that there is not.
    pub(crate) fn log_level() -> Self {
        Self::params("`level` is one of debug, info, notice, warning, error, critical, alert and emergency")
    }
    /// The call needed a capability that the client did not declare (2026-07-28); `told` is how it ended, in words.
    pub(crate) fn lacking(capability: &str, told: &str) -> Self {
        let message =
            format!("{told}. It needs the client capability `{capability}`, which the request did not declare");
        Self { data: Some(json!({ "requiredCapabilities": { capability: {} } })), ..Self::new(-32021, message) }
    }
    /// A version of the protocol that there is not (2026-07-28).
    pub(crate) fn version(requested: &str) -> Self {
        let supported: Vec<&str> = super::other::versions().collect();
        let message = format!("the protocol version `{requested}` is none that this bot knows");
        Self { data: Some(json!({ "supported": supported, "requested": requested })), ..Self::new(-32022, message) }
    }
    /// Under the request's id.
    pub(crate) fn of(self, id: Option<&RawValue>) -> Self {
        Self { id: id.map(|id| id.get().into()), ..self }
    }
    /// Under an id that is JSON.
    pub(crate) fn under(self, id: impl Into<Box<str>>) -> Self {
        Self { id: Some(id.into()), ..self }
    }
    /// As a whole response.
    pub(crate) fn to_json(&self) -> Vec<u8> {
        let mut error = json!({ "code": self.code, "message": secrets::blank(&self.message) });
        if let Some(data) = &self.data {
            error["data"] = data.clone();
            secrets::blank_value(&mut error["data"]);
        }
        let id = self.id.as_deref().unwrap_or("null");
        format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#).into_bytes()
    }
}
