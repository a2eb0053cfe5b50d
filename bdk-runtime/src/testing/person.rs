//! The person at the other end of a test: what a tool asks, a closure answers.

use crate::{
    bot::Bot,
    call::{
        CallOptions, Done, UnknownTool,
        line::{Abilities, Ask, Line, Request, Speech},
    },
};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What a tool asks in a test, or the runtime for it: see [`TestBot::answering`](crate::TestBot::answering).
#[derive(Debug)]
pub struct Asked(Request);

impl Asked {
    /// What the person reads; empty where it is no question to a person.
    pub fn message(&self) -> &str {
        self.0.params["message"].as_str().unwrap_or_default()
    }
    /// The key it is asked under: [`Question::id`](crate::Question::id), or the default one.
    pub fn key(&self) -> &str {
        &self.0.key
    }
    /// `elicitation/create`, or what [`Question::request`](crate::Question::request) was given.
    pub fn method(&self) -> &str {
        &self.0.method
    }
    /// All of it, as MCP has it: of a form, its schema is `requestedSchema`.
    pub fn params(&self) -> &Value {
        &self.0.params
    }
}

/// What the person says. A `bool` is a plain yes or no, a [`Value`] is what was filled in.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Reply {
    /// Yes, with what was filled in. Of a [`Question::request`](crate::Question::request), the answer as it is.
    Accept(Value),
    /// No.
    Decline,
    /// Dismissed without a word.
    Cancel,
    /// None: the client could not ask, for this reason.
    Fail(String),
}

impl From<bool> for Reply {
    fn from(yes: bool) -> Self {
        if yes { Self::Accept(Value::Object(Map::new())) } else { Self::Decline }
    }
}

impl From<Value> for Reply {
    fn from(content: Value) -> Self {
        Self::Accept(content)
    }
}

pub(super) type Person = Arc<dyn Fn(&Asked) -> Reply + Send + Sync>;

/// Calls a tool, and answers what it asks. Erased, because it is reached from the author's crate.
#[inline(never)]
pub(super) fn call<'a>(
    bot: &'a Bot,
    name: &'a str,
    input: Value,
    mut options: CallOptions,
    person: &'a Person,
) -> BoxFuture<'a, Result<Done, UnknownTool>> {
    let able = Abilities { form: true, url: true, sampling: true, roots: true };
    let (line, mut heard) = Line::new(able, false, None, Map::new());
    options.line = Some(line);
    let listen = async move {
        while let Some(speech) = heard.recv().await {
            if let Speech::Ask(Ask { requests, reply }) = speech {
                // nobody waits any more when it was too late
                let _ = reply.send(requests.into_iter().map(|request| answer(person, request)).collect());
            }
        }
        std::future::pending().await
    };
    Box::pin(async move {
        tokio::select! {
            done = bot.call(name, input, options) => done,
            done = listen => done,
        }
    })
}

fn answer(person: &Person, request: Request) -> Result<Value, String> {
    let asked = Asked(request);
    let reply = person(&asked);
    if asked.method() == crate::call::ELICIT {
        return match reply {
            Reply::Accept(content) => Ok(json!({ "action": "accept", "content": content })),
            Reply::Decline => Ok(json!({ "action": "decline" })),
            Reply::Cancel => Ok(json!({ "action": "cancel" })),
            Reply::Fail(why) => Err(why),
        };
    }
    match reply {
        Reply::Accept(value) => Ok(value),
        Reply::Decline | Reply::Cancel => Err(format!("`{}` was refused", asked.method())),
        Reply::Fail(why) => Err(why),
    }
}
