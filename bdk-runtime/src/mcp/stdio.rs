//! MCP over stdin and stdout: a message a line.
//!
//! A thread reads the lines, and carries each message as far as it goes without waiting; most calls end there and then,
//! with no thread in between. What has to wait goes on as a task. So the loop lives whatever comes: garbage, a line
//! without end, a call that never returns.

mod lines;
mod out;
mod streams;
mod turns;

pub(crate) use out::Out;
pub(crate) use streams::{Input, Streams};

use super::{
    Mcp, Message,
    answering::Event,
    client::{self, Client, Era},
    error::RpcError,
    other::{one_request, serves},
    response,
    session::Session,
    tools::{self, Answered},
};
use crate::{
    Error, Principal,
    bot::Bot,
    call::line::{Abilities, LogLevel},
    secrets,
    session::{Bind, Live},
};
use bytes::Bytes;
use futures_util::{FutureExt, future::BoxFuture, task::noop_waker};
use lines::{Line, Lines};
use serde_json::Value;
use std::{
    borrow::Cow,
    future::poll_fn,
    io,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex},
    task::{Context, Poll},
    time::Duration,
};
use tokio::{runtime::Handle, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use turns::{HeldUp, Turns};

/// How many bytes a line may have.
pub(crate) const MAX_LINE: usize = 16 * 1024 * 1024;

/// The server's side of one client.
struct Stdio {
    mcp: Arc<Mcp>,
    /// The session of the bot's that everything is part of.
    bound: Option<Bind>,
    out: Out,
    agreed: Mutex<Agreed>,
    turns: Turns,
    /// The answers that had to wait, and are not sent yet.
    answers: TaskTracker,
    /// The client closed its end, or reading failed.
    ended: CancellationToken,
    /// Nothing that goes on by itself goes on.
    closing: CancellationToken,
}

/// What was agreed with the client, anew with each `initialize`.
struct Agreed {
    session: Arc<Session>,
    version: Option<Box<str>>,
}

/// The stack of the thread that reads, on which calls run too: as large as that of a program's own thread.
const STACK: usize = 8 * 1024 * 1024;

/// Serves until the client closes its end, or `stop` resolves; then running calls get their grace time, which a second
/// `stop` ends. All calls are part of the session that is `bound`, where one is.
pub(crate) async fn serve<S: Future<Output = ()>>(
    bot: Bot,
    bound: Option<Bind>,
    input: impl io::Read + Send + 'static,
    out: Out,
    stop: impl Fn() -> S,
    grace: Duration,
) -> Result<(), Error> {
    let mcp = Mcp::new(bot.clone());
    let session = Arc::new(Session::new(Principal::local(), Abilities::default()));
    let stdio = Arc::new(Stdio {
        mcp,
        bound,
        out,
        agreed: Mutex::new(Agreed { session, version: None }),
        turns: Turns::new(),
        answers: TaskTracker::new(),
        ended: CancellationToken::new(),
        closing: CancellationToken::new(),
    });
    let input = Arc::new(Mutex::new(Lines::new(input, MAX_LINE)));
    let runtime = Handle::current();
    let start = {
        let stdio = stdio.clone();
        move |relieved: Option<HeldUp>| {
            let (stdio, input, runtime) = (stdio.clone(), input.clone(), runtime.clone());
            let read = move || {
                let _inside = runtime.enter();
                let turn = match relieved {
                    None => Some(0),
                    Some(reader) => stdio.turns.relieve(reader),
                };
                if let Some(turn) = turn {
                    stdio.read(&input, turn);
                }
            };
            // it is not joined: nothing but the client ends a read
            std::thread::Builder::new().name("bdk-stdin".to_owned()).stack_size(STACK).spawn(read).map(drop)
        }
    };
    start(None).map_err(|e| Error::with_source("the thread that reads stdin could not be started", e))?;
    let watched = {
        let stdio = stdio.clone();
        tokio::spawn(async move { stdio.turns.watch(|reader| start(Some(reader))).await })
    };
    let told = tokio::spawn(stdio.clone().tell_of_changes());
    tokio::select! {
        biased;
        () = stdio.ended.cancelled() => {}
        () = stdio.out.broken() => {}
        () = stop() => {}
    }
    told.abort();
    stdio.closing.cancel();
    stdio.mcp.close();
    stdio.session().close_questions();
    let hurried = async {
        tokio::select! {
            () = stop() => {}
            // nobody reads what they would answer
            () = stdio.out.broken() => {}
        }
    };
    tokio::select! {
        biased;
        () = hurried => {
            bot.drain(Duration::ZERO).await;
            stdio.sent(LAST_WORDS).await;
        }
        () = async {
            bot.drain(grace).await;
            stdio.sent(grace.max(LAST_WORDS)).await;
        } => {}
    }
    watched.abort();
    Ok(())
}

/// How long a client is waited for that does not read.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// How often it is looked whether the reader is done with its message.
const LOOK: Duration = Duration::from_millis(2);

impl Stdio {
    fn session(&self) -> Arc<Session> {
        super::lock(&self.agreed).session.clone()
    }

    /// Waits until everything is answered and written, but no longer than this.
    async fn sent(&self, longest: Duration) {
        self.answers.close();
        let all = async {
            self.answers.wait().await;
            while !self.turns.is_idle() {
                tokio::time::sleep(LOOK).await;
            }
            self.out.flushed().await;
        };
        let _ = timeout(longest, all).await;
    }

    /// Takes line after line, until the client closes its end or another reader is at its turn.
    fn read<R: io::Read>(self: &Arc<Self>, input: &Mutex<Lines<R>>, turn: u64) {
        loop {
            // a client that sends but does not read is not read from either
            self.out.wait_for_room();
            let line = super::lock(input).next();
            match line {
                Ok(Line::Text(line)) => {
                    self.take(line, turn);
                    if !self.turns.end(turn) {
                        return;
                    }
                }
                Ok(Line::TooLong) => {
                    let error = format!("the message is longer than {MAX_LINE} bytes, and was passed over");
                    self.out.send(RpcError::request(error).to_json());
                }
                Ok(Line::End) => return self.ended.cancel(),
                Err(error) => {
                    tracing::error!(target: "bdk::mcp", %error, "stdin could not be read");
                    return self.ended.cancel();
                }
            }
            if self.out.is_broken() {
                return;
            }
        }
    }

    /// Carries a message as far as it goes, and lets what has to wait go on by itself.
    fn take(self: &Arc<Self>, line: Bytes, turn: u64) {
        let mut answered: BoxFuture<'static, ()> = Box::pin(self.clone().answer(line, turn));
        // with Tokio's budget, as in a task: without it, a tool that always finds something ready would never come back
        let once = Handle::current()
            .block_on(poll_fn(|_| Poll::Ready(answered.as_mut().poll(&mut Context::from_waker(&noop_waker())))));
        match once {
            Poll::Ready(()) => {}
            // its first poll there leaves a waker that wakes
            Poll::Pending => drop(self.answers.spawn(answered)),
        }
    }

    /// Answers a message, whatever happens.
    async fn answer(self: Arc<Self>, line: Bytes, turn: u64) {
        let answered = AssertUnwindSafe(self.route(&line, turn)).catch_unwind().await;
        if answered.is_err() {
            // tools have their own guard, so that this is a fault of bdk
            tracing::error!(target: "bdk::mcp", "answering a message panicked");
            let id = Message::parse(&line).ok().and_then(|m| m.id.map(|id| id.get().to_owned()));
            if let Some(id) = id {
                self.out.send(RpcError::internal().under(id).to_json());
            }
        }
    }

    async fn route(self: &Arc<Self>, line: &Bytes, turn: u64) {
        let message = match Message::parse(line) {
            Ok(message) => message,
            Err(error) => return self.out.send(error.to_json()),
        };
        // reading a long message takes its time, and no other may overtake it meanwhile: its cancellation, say
        self.turns.begin(turn);
        let session = self.session();
        match message.method() {
            None => tools::replied(&session, &message),
            Some(_) if message.id.is_none() => tools::noticed(&session, &message),
            Some(method) => {
                let bound = match self.bound().await {
                    Ok(bound) => bound,
                    Err(error) => return self.out.send(error.of(message.id).to_json()),
                };
                if !(tools::is_ours(method) && is_plain(&message)) {
                    // on the heap, because the future of every call would have room for it
                    return Box::pin(self.other(&session, bound, &message, line)).await;
                }
                let client = match client::era(&message, None) {
                    Era::Sessions => Client::of(session),
                    Era::Stateless => Client {
                        // by it the client cancels
                        session: Some(session),
                        ..Client::stateless(&message, Principal::local())
                    },
                };
                let mut client = match bound {
                    // whoever may start the bot where its state is does it for the session's owner
                    Some(live) => Client { principal: live.info.auth.clone(), ..client }.within(Some(live)),
                    None => client,
                };
                #[cfg(feature = "connections")]
                if self.mcp.bot.registry().is_alone() {
                    match message.meta().map_or(Ok(None), super::message::Meta::session) {
                        Ok(Some(given)) => {
                            client =
                                Client { principal: given.info.auth.clone(), given: Some(Arc::new(given)), ..client };
                        }
                        Ok(None) => {}
                        Err(error) => return self.out.send(error.of(message.id).to_json()),
                    }
                }
                client.tell_spans("pipe", || (super::lock(&self.agreed).version.clone(), None));
                self.call(client, message, line).await;
            }
        }
    }

    /// The session that everything is part of; it may have been deleted since the last request.
    async fn bound(&self) -> Result<Option<Arc<Live>>, RpcError> {
        let Some(bind) = &self.bound else { return Ok(None) };
        let bound = Box::pin(self.mcp.bot.state().sessions.bind(bind, None)).await;
        bound.map(Some).map_err(|unbound| RpcError::unbound(&unbound))
    }

    async fn call(&self, client: Client, message: Message<'_>, line: &Bytes) {
        let response = match tools::answer(&self.mcp, client, message, line).await {
            Answered::Whole(response) => response,
            Answered::Under(mut answering) => loop {
                match answering.next().await {
                    Event::Message(json) => {
                        self.out.send(json);
                        // what the call says meanwhile goes nowhere
                        if self.out.is_full() {
                            answering.go_on_until(self.out.room()).await;
                        }
                    }
                    Event::Last(response) => break response,
                }
            },
        };
        // the specification has no answer to a request that its sender cancelled
        if !response.cancelled {
            self.out.send(response.json);
        }
    }

    /// rmcp answers; what was agreed on is noted.
    async fn other(&self, session: &Arc<Session>, bound: Option<Arc<Live>>, message: &Message<'_>, line: &Bytes) {
        if let Some(method) = message.method().filter(|method| !serves(method)) {
            return self.out.send(RpcError::method(method).of(message.id).to_json());
        }
        if message.method() == Some("initialize") {
            if let Err(error) = message.check_initialize() {
                return self.out.send(error.to_json());
            }
        } else if message.method() == Some("logging/setLevel")
            && let Some(level) = message.params.as_ref().and_then(|p| p.level.as_ref())
        {
            match LogLevel::parse(&level.0) {
                Some(level) => session.set_log(level),
                None => return self.out.send(RpcError::log_level().of(message.id).to_json()),
            }
        }
        let lasts = message.method() == Some("subscriptions/listen");
        let cancel = if lasts { &self.closing } else { self.mcp.bot.stop() }.child_token();
        let _runs = message.id.map(|id| session.run(id.get(), cancel.clone()));
        let version = super::lock(&self.agreed).version.clone();
        let mut said = match one_request::ask(&self.mcp, bound, message, line, version.as_deref(), cancel) {
            Ok(said) => said,
            Err(error) => return self.out.send(error.to_json()),
        };
        while let Some(json) = said.next().await {
            if message.method() == Some("initialize") {
                self.agree(message, &json);
            }
            self.out.send(blanked(json));
        }
    }

    /// Notes what an `initialize` came to.
    fn agree(&self, message: &Message<'_>, response: &[u8]) {
        let Ok(response) = serde_json::from_slice::<Value>(response) else { return };
        let Some(version) = response["result"]["protocolVersion"].as_str() else { return };
        let capabilities = message.params.as_ref().and_then(|p| p.capabilities.as_ref());
        let abilities = capabilities.map(super::message::Capabilities::abilities).unwrap_or_default();
        let session = Arc::new(Session::new(Principal::local(), abilities));
        *super::lock(&self.agreed) = Agreed { session, version: Some(version.into()) };
    }

    /// Tells a client of the older era, which has no other way to hear of it, that the tools changed.
    async fn tell_of_changes(self: Arc<Self>) {
        let mut changes = self.mcp.bot.tools_changed();
        while changes.changed().await.is_ok() {
            if super::lock(&self.agreed).version.is_some() {
                self.out.send(response::LIST_CHANGED.to_vec());
            }
        }
    }
}

/// A message of rmcp's, which repeats what it refuses, without secrets.
fn blanked(json: Vec<u8>) -> Vec<u8> {
    match std::str::from_utf8(&json).map(secrets::blank_json) {
        Ok(Cow::Owned(blanked)) => blanked.into_bytes(),
        _ => json,
    }
}

/// Whether nothing about a tools' request has to be judged by rmcp.
fn is_plain(message: &Message<'_>) -> bool {
    message.meta().is_none_or(|meta| meta.protocol_version.is_none() || meta.is_stateless())
}

#[cfg(test)]
mod tests;
