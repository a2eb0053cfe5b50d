//! The person at the other end of a test: what a tool asks, a closure answers, and what it says is kept.

use crate::{
    Error,
    bot::Bot,
    call::{
        CallOptions, Done, LogLevel,
        line::{Abilities, Ask, Line, Request, Speech},
    },
    lock::lock,
};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::{fmt, sync::Mutex};

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

/// What a tool said in a test: see [`TestBot::heard`](crate::TestBot::heard). Displayed as the terminal shows it:
/// `[1/2] reading`, `warning: one of them is empty`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Heard {
    /// How far it is: [`ToolContext::progress`](crate::ToolContext::progress).
    Progress {
        /// This much.
        done: f64,
        /// Of so much in all, where it is known.
        total: Option<f64>,
        /// In words; empty where it said none.
        message: String,
    },
    /// Something worth knowing: [`ToolContext::log`](crate::ToolContext::log).
    Log {
        /// How grave it is.
        level: LogLevel,
        /// In words.
        message: String,
    },
}

impl fmt::Display for Heard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Progress { done, total, message } => {
                let of = total.map_or_else(String::new, |total| format!("/{total}"));
                write!(f, "[{done}{of}] {message}")
            }
            Self::Log { level, message } => write!(f, "{}: {message}", level.as_str()),
        }
    }
}

pub(super) type Person = Mutex<Box<dyn FnMut(&Asked) -> Reply + Send>>;

/// Calls a tool, answers what it asks, and keeps what it says. Erased, because it is reached from the author's crate.
#[inline(never)]
pub(super) fn call<'a>(
    bot: &'a Bot,
    name: &'a str,
    input: Value,
    mut options: CallOptions,
    person: Option<&'a Person>,
    kept: &'a Mutex<Vec<Heard>>,
) -> BoxFuture<'a, Result<Done, Error>> {
    let able = Abilities { form: true, url: true, sampling: true, roots: true };
    let (line, mut speech) = match person {
        Some(_) => Line::new(able, true, Some(LogLevel::Debug), Map::new()),
        None => Line::one_way(),
    };
    options.line = Some(line);
    let hear = move |speech| match speech {
        Speech::Progress { done, total, message } => {
            lock(kept).push(Heard::Progress { done, total, message: message.unwrap_or_default() });
        }
        Speech::Log { level, message } => lock(kept).push(Heard::Log { level, message }),
        Speech::Ask(Ask { requests, reply }) => {
            if let Some(person) = person {
                // nobody waits any more when it was too late
                let _ = reply.send(requests.into_iter().map(|request| answer(person, request)).collect());
            }
        }
    };
    Box::pin(async move {
        let mut call = bot.call_bound(name, input, options);
        loop {
            tokio::select! {
                done = &mut call => {
                    while let Ok(last) = speech.try_recv() {
                        hear(last);
                    }
                    return done;
                }
                Some(said) = speech.recv() => hear(said),
            }
        }
    })
}

fn answer(person: &Person, request: Request) -> Result<Value, String> {
    let asked = Asked(request);
    let reply = lock(person)(&asked);
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
