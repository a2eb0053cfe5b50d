//! A `tools/call` on its way to its answer: what the call says becomes messages, and its end the response.
//!
//! HTTP makes one answer of it (JSON where nothing was said, else a stream), stdio a line of each message.

use super::{
    Mcp,
    calling::{Calling, Next},
    client::{Client, Era},
    error::RpcError,
    parked::{Caller, GivenBack, Gone},
    response,
    session::Runs,
};
use crate::call::{
    CallOptions,
    line::{Ask, Line, Speech},
};
use bytes::Bytes;
use futures_util::future::try_join_all;
use serde_json::{Map, Value, json};
use std::{collections::VecDeque, sync::Arc};

/// What goes to the client next.
pub(crate) enum Event {
    /// A notification, or a request of ours: more is to come.
    Message(Vec<u8>),
    /// The response; nothing comes after it.
    Last(Response),
}

/// A whole response.
pub(crate) struct Response {
    pub(crate) json: Vec<u8>,
    /// Whether the request was wrong: over HTTP that is a status.
    pub(crate) bad_request: bool,
    /// Whether the client cancelled the request, and expects no response.
    #[cfg_attr(not(any(test, feature = "commands")), expect(dead_code, reason = "over HTTP each request is answered"))]
    pub(crate) cancelled: bool,
}

impl Response {
    pub(crate) fn ok(json: Vec<u8>) -> Self {
        Self { json, bad_request: false, cancelled: false }
    }
    /// Notes whether the client cancelled the request.
    pub(crate) fn unless_cancelled(self, runs: Option<&Runs>, mcp: &Mcp) -> Self {
        let cancelled = runs.is_some_and(|runs| runs.token().is_cancelled()) && !mcp.bot.stop().is_cancelled();
        Self { cancelled, ..self }
    }
}

impl From<RpcError> for Response {
    fn from(error: RpcError) -> Self {
        Self { json: error.to_json(), bad_request: false, cancelled: false }
    }
}

/// What a `tools/call` says, owned: it outlives the message it came in.
pub(crate) struct CallRequest {
    /// The request's id as JSON.
    pub(crate) id: Box<str>,
    pub(crate) tool: String,
    /// Where the arguments stand.
    pub(crate) message: Bytes,
    /// As JSON.
    pub(crate) progress_token: Option<Box<str>>,
    pub(crate) traceparent: Option<Box<str>>,
    /// By what a repetition of the call is known.
    pub(crate) key: Option<Arc<str>>,
    /// The answers that came with it, by the questions' names.
    pub(crate) input_responses: Option<Map<String, Value>>,
    pub(crate) request_state: Option<String>,
}

/// The call on its way.
pub(crate) struct Answering {
    mcp: Arc<Mcp>,
    client: Client,
    id: Box<str>,
    tool: String,
    message: Bytes,
    progress_token: Option<Box<str>>,
    calling: Option<Calling>,
    /// Messages that are to go before anything else.
    before: VecDeque<Vec<u8>>,
    runs: Option<Runs>,
}

impl Answering {
    /// Begins a call, or takes one up again.
    pub(crate) fn begin(mcp: Arc<Mcp>, client: Client, request: CallRequest) -> Result<Self, RpcError> {
        let CallRequest { id, tool, message, progress_token, traceparent, key, input_responses, request_state } =
            request;
        let runs = |token| client.session.as_ref().map(|session| session.run(&id, token));
        let (calling, runs) = match request_state {
            Some(state) => {
                let responses = input_responses.unwrap_or_default();
                let calling = resume(&mcp, &client, &state, &tool, &message, &responses)?;
                // under this request's id the client cancels what another one began
                let runs = calling.cancel().and_then(|token| runs(token.clone()));
                (calling, runs)
            }
            None => {
                let runs = runs(mcp.bot.stop().child_token());
                let cancel = runs.as_ref().map(|runs| runs.token().clone());
                let prepared = input_responses.unwrap_or_default();
                let (line, heard) = Line::new(client.abilities, progress_token.is_some(), client.log, prepared);
                let options = CallOptions { cancel, line: Some(line.clone()), traceparent, key, ..client.options(&id) };
                (Calling::new(mcp.bot.clone(), tool.clone(), message.clone(), options, line, heard), runs)
            }
        };
        let before = VecDeque::new();
        Ok(Self { mcp, client, id, tool, message, progress_token, calling: Some(calling), before, runs })
    }

    /// Lets the call go on by itself, also while nobody asks what comes next: its deadline holds for a client that does not
    /// read, too.
    pub(crate) fn apart(&mut self) {
        self.calling = self.calling.take().map(Calling::apart);
    }

    /// What goes to the client next. Not to be asked again after the response.
    pub(crate) async fn next(&mut self) -> Event {
        loop {
            if let Some(message) = self.before.pop_front() {
                return Event::Message(message);
            }
            let Some(calling) = &mut self.calling else {
                return Event::Last(RpcError::internal().under(self.id.clone()).into());
            };
            match calling.next().await {
                Next::Said(Speech::Progress { done, total, message }) => {
                    if let Some(token) = &self.progress_token {
                        return Event::Message(response::progress(token, done, total, message.as_deref()));
                    }
                }
                Next::Said(Speech::Log { level, message }) => {
                    return Event::Message(response::log(level, &self.tool, &message));
                }
                // nobody waits for the answer any more
                Next::Said(Speech::Ask(ask)) if ask.reply.is_closed() => {}
                Next::Said(Speech::Ask(ask)) => match self.client.era {
                    Era::Sessions => self.ask(ask),
                    Era::Stateless => {
                        if let Some(response) = self.park(ask) {
                            return Event::Last(Response::ok(response));
                        }
                    }
                },
                Next::Ended(ended) => {
                    let lacked = calling.lacked();
                    self.calling = None;
                    let response = response::of_call(&self.id, ended, self.client.era, lacked);
                    return Event::Last(response.unless_cancelled(self.runs.as_ref(), &self.mcp));
                }
            }
        }
    }

    /// Lets the call go on, without listening to it, until then or until it ends.
    #[cfg(feature = "commands")]
    pub(crate) async fn go_on_until(&mut self, then: impl Future<Output = ()>) {
        if let Some(calling) = &mut self.calling {
            tokio::select! {
                biased;
                () = calling.ends() => {}
                () = then => {}
            }
        }
    }

    /// Asks by requests of ours; their answers come with later messages of the client, through the session.
    fn ask(&mut self, ask: Ask) {
        let Some(session) = &self.client.session else { return };
        let Ask { requests, mut reply } = ask;
        let mut waiting = Vec::with_capacity(requests.len());
        for request in requests {
            // with the question dropped, its asker learns that nobody answers
            let Some((id, answer)) = session.ask() else { return };
            self.before.push_back(response::request(id, &request.method, &request.params));
            waiting.push((id, answer));
        }
        let session = session.clone();
        // apart from the call, because its other messages go on meanwhile
        tokio::spawn(async move {
            let ids: Vec<u64> = waiting.iter().map(|(id, _)| *id).collect();
            // an error to one of them is the end of all, whichever was answered first
            let all = try_join_all(
                waiting
                    .into_iter()
                    .map(|(_, answer)| async { answer.await.map_or(Err(None), |answered| answered.map_err(Some)) }),
            );
            let answers = tokio::select! {
                biased;
                () = reply.closed() => None,
                answers = all => match answers {
                    Ok(answers) => Some(Ok(answers)),
                    Err(said) => said.map(Err),
                },
            };
            ids.into_iter().for_each(|id| session.forget(id));
            if let Some(answers) = answers {
                let _ = reply.send(answers);
            }
        });
    }

    /// Parks the call, and gives the response that asks. `None`: it could not be parked, and goes on with that answer.
    fn park(&mut self, ask: Ask) -> Option<Vec<u8>> {
        let calling = self.calling.take()?.apart();
        let requests: Map<String, Value> =
            ask.requests.iter().map(|r| (r.key.clone(), json!({ "method": r.method, "params": r.params }))).collect();
        let message = self.message.clone();
        match self.mcp.parked.park(calling, ask, Caller::of(&self.client), &self.tool, message) {
            Ok(state) => Some(response::input_required(&self.id, &requests, &state)),
            Err(given_back) => {
                let GivenBack { calling, ask, why } = *given_back;
                let _ = ask.reply.send(Err(why.to_owned()));
                self.calling = Some(calling);
                None
            }
        }
    }
}

/// Takes up a parked call with the answers that came.
fn resume(
    mcp: &Mcp,
    client: &Client,
    state: &str,
    tool: &str,
    message: &[u8],
    responses: &Map<String, Value>,
) -> Result<Calling, RpcError> {
    let parked = mcp.parked.take(state, &Caller::of(client), tool, message).map_err(|gone| match gone {
        Gone::Unknown => RpcError::params(
            "no call waits under this `requestState`: it is not one of ours, was used already, or its call has ended; call again without it",
        ),
        Gone::Changed => RpcError::params(
            "the call that waits under this `requestState` has another tool or other arguments: send the same ones again",
        ),
    })?;
    match parked.answers(responses) {
        Ok(answers) => {
            let _ = parked.ask.reply.send(Ok(answers));
            Ok(parked.calling)
        }
        // asked once more: the driver sees the same questions again
        Err(_) => Ok(parked.calling.asking(parked.ask)),
    }
}

#[cfg(test)]
mod tests;
