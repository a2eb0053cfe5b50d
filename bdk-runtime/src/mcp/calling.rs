//! A call that may say something before it ends: what it says comes in order, and its end last.

use crate::{
    bot::Bot,
    call::{
        CallInput, CallOptions, Done, UnknownTool,
        line::{Ask, Line, Speech},
    },
};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use std::{
    fmt,
    future::poll_fn,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
};
use tokio::{
    sync::mpsc,
    task::{JoinHandle, coop::unconstrained},
};
use tokio_util::sync::CancellationToken;

/// What comes of a call next.
pub(crate) enum Next {
    Said(Speech),
    /// Nothing comes after it. `None`: the runtime goes down.
    Ended(Option<Result<Done, UnknownTool>>),
}

/// A call under way. Dropping it ends the call.
pub(crate) struct Calling {
    run: Run,
    /// What its caller can cancel it by.
    cancel: Option<CancellationToken>,
    line: Arc<Line>,
    heard: mpsc::Receiver<Speech>,
    ended: Option<Option<Result<Done, UnknownTool>>>,
    /// What comes before anything else.
    again: Option<Ask>,
}

/// Who drives the call.
enum Run {
    /// Whoever waits for it.
    Here(BoxFuture<'static, Result<Done, UnknownTool>>),
    /// A task of its own: it goes on between two requests of its caller.
    Apart(Task),
}

/// Ends its task when it is dropped.
struct Task(Option<JoinHandle<Result<Done, UnknownTool>>>);

impl Drop for Task {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}

impl Calling {
    /// A call whose arguments stand in a message that is kept with it.
    pub(crate) fn new(
        bot: Bot,
        name: String,
        message: Bytes,
        options: CallOptions,
        line: Arc<Line>,
        heard: mpsc::Receiver<Speech>,
    ) -> Self {
        let cancel = options.cancel.clone();
        let run = Box::pin(async move {
            // read again rather than carried over: it borrows the message
            let params = super::Message::parse(&message).ok().and_then(|m| m.params);
            let input = params.and_then(|p| p.arguments).unwrap_or_else(CallInput::empty);
            bot.call_with(&name, input, options).await
        });
        Self { run: Run::Here(run), cancel, line, heard, ended: None, again: None }
    }

    /// Lets the call go on by itself.
    pub(crate) fn apart(self) -> Self {
        let run = match self.run {
            Run::Here(run) => Run::Apart(Task(Some(tokio::spawn(run)))),
            apart @ Run::Apart(_) => apart,
        };
        Self { run, ..self }
    }

    /// Asks once more what was not answered.
    pub(crate) fn asking(self, ask: Ask) -> Self {
        Self { again: Some(ask), ..self }
    }

    /// Lets a call that goes on by itself go on without anybody who waits for it.
    pub(crate) fn leave(self) {
        if let Run::Apart(mut task) = self.run {
            task.0 = None;
        }
    }

    /// What its caller can cancel it by.
    pub(crate) fn cancel(&self) -> Option<&CancellationToken> {
        self.cancel.as_ref()
    }

    /// The capability that one of its questions needed and its client did not declare.
    pub(crate) fn lacked(&self) -> Option<&'static str> {
        self.line.lacked()
    }

    pub(crate) fn has_ended(&self) -> bool {
        match &self.run {
            Run::Here(_) => self.ended.is_some(),
            Run::Apart(task) => task.0.as_ref().is_none_or(JoinHandle::is_finished),
        }
    }

    /// Waits for its end, without taking it or what was said before.
    #[cfg(feature = "commands")]
    pub(crate) async fn ends(&mut self) {
        poll_fn(|cx| {
            if self.ended.is_none()
                && let Poll::Ready(ended) = self.run.poll(cx)
            {
                self.ended = Some(ended);
            }
            if self.ended.is_some() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// What comes next.
    pub(crate) async fn next(&mut self) -> Next {
        poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Next> {
        if let Some(ask) = self.again.take() {
            return Poll::Ready(Next::Said(Speech::Ask(ask)));
        }
        if self.ended.is_none()
            && let Poll::Ready(ended) = self.run.poll(cx)
        {
            self.ended = Some(ended);
        }
        // what was said before the end comes before the end
        // without Tokio's budget, which the call may have used up
        if let Poll::Ready(Some(said)) = pin!(unconstrained(self.heard.recv())).poll(cx) {
            return Poll::Ready(Next::Said(said));
        }
        match self.ended.take() {
            Some(ended) => Poll::Ready(Next::Ended(ended)),
            None => Poll::Pending,
        }
    }
}

impl Run {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Done, UnknownTool>>> {
        match self {
            Self::Here(run) => run.as_mut().poll(cx).map(Some),
            Self::Apart(task) => match &mut task.0 {
                Some(task) => Pin::new(task).poll(cx).map(Result::ok),
                None => Poll::Ready(None),
            },
        }
    }
}

impl fmt::Debug for Calling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Calling").finish_non_exhaustive()
    }
}
