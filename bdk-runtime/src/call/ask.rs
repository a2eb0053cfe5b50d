//! Asking the caller, and waiting for the answer: the clocks of the call and of those above it stand meanwhile.

use super::{
    Answer, CallState, Question, ToolContext,
    line::{Line, Request},
    waits::Pause,
};
use crate::{Error, secrets};
use futures_util::future::BoxFuture;
use serde_json::Value;
use std::{collections::HashSet, sync::Arc, time::Duration};

/// How long a person is waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// Where there is no way back to the caller: who else can be asked.
pub(super) const NOBODY: &str = "nobody can be asked over this way of calling: call it over MCP, from a client that can ask its user \
     (capability `elicitation`), or with `call`, without `--url`, where stdin and stderr are a terminal";

impl ToolContext {
    /// Asks whoever called, and waits for the answer: at most 10 minutes, which count against no deadline, and no longer than
    /// the call.
    ///
    /// Over MCP, a client that declares `elicitation` shows it to its user; `BOT call` shows it to whoever sits at the
    /// terminal, where both stdin and stderr are one, and not with `--url`. Other ways of calling have nobody to ask.
    ///
    /// ```
    /// use bdk::prelude::*;
    ///
    /// /// Remove a file.
    /// #[tool(effect = "write")]
    /// async fn remove(path: String, ctx: &ToolContext) -> Result<&'static str> {
    ///     if !ctx.ask(format!("Remove {path}?")).await?.accepted() {
    ///         return Ok("Kept.");
    ///     }
    ///     Ok("Removed.")
    /// }
    /// ```
    ///
    /// A tool that is a plain `fn` blocks on it:
    ///
    /// ```
    /// use bdk::prelude::*;
    ///
    /// /// Empty the bin.
    /// #[tool(effect = "write")]
    /// fn empty_bin(ctx: &ToolContext) -> Result<&'static str> {
    ///     if !ctx.block_on(ctx.ask("Empty the bin?"))?.accepted() {
    ///         return Ok("Kept.");
    ///     }
    ///     ctx.block_on(ctx.progress(1, 2, "half of it is gone"));
    ///     Ok("Emptied.")
    /// }
    ///
    /// # bdk::__private::block_on(async {
    /// let bot = TestBot::new().answering(|asked| asked.message() == "Empty the bin?");
    /// assert_eq!(bot.call_tool("empty_bin", json!({})).await.result, "Emptied.");
    /// # });
    /// ```
    ///
    /// # Errors
    /// When nobody can be asked (see [`can_ask`](Self::can_ask)), no answer came, or it does not fit the form. A tool that
    /// hands such an error on with `?` ends `unavailable`. A no is an answer.
    // no `async fn`: rustc would tell three times what is wrong with the argument
    pub fn ask(&self, question: impl Into<Question>) -> BoxFuture<'_, Result<Answer, Error>> {
        ask_one(&self.state, question.into())
    }
    /// Asks several things at once, of whom [`ask`](Self::ask) asks; the answers come in the questions' order.
    ///
    /// # Errors
    /// As [`ask`](Self::ask), and when two of them have the same [`id`](Question::id).
    pub fn ask_all<Q: Into<Question>>(
        &self,
        questions: impl IntoIterator<Item = Q>,
    ) -> BoxFuture<'_, Result<Vec<Answer>, Error>> {
        ask_several(&self.state, questions.into_iter().map(Into::into).collect())
    }
    /// Whether the caller can be asked a yes or no or a form: over MCP, from a client that declares `elicitation`, and in a
    /// `BOT call` at a terminal (both stdin and stderr, and not with `--url`).
    pub fn can_ask(&self) -> bool {
        self.state.options.line.as_ref().is_some_and(|line| line.abilities.form)
    }
}

// erased, because they are reached from the author's crate

#[inline(never)]
fn ask_one(state: &Arc<CallState>, question: Question) -> BoxFuture<'_, Result<Answer, Error>> {
    Box::pin(async {
        let mut answers = ask(state, vec![question]).await?;
        answers.pop().ok_or_else(|| Error::new("no answer came"))
    })
}

#[inline(never)]
fn ask_several(state: &Arc<CallState>, questions: Vec<Question>) -> BoxFuture<'_, Result<Vec<Answer>, Error>> {
    Box::pin(ask(state, questions))
}

async fn ask(state: &Arc<CallState>, questions: Vec<Question>) -> Result<Vec<Answer>, Error> {
    if let Some(fault) = questions.iter().find_map(Question::fault) {
        return Err(Error::new(format!("this question cannot be asked: {fault}")));
    }
    let keys = keys(&questions)?;
    let line = Line::to_ask(state.options.line.as_ref()).ok_or_else(|| Error::unavailable(NOBODY))?;
    for question in &questions {
        able(line, question)?;
    }
    let mut answers = Vec::with_capacity(questions.len());
    let mut open = Vec::new();
    for (question, key) in questions.iter().zip(keys) {
        let answer = line.prepared(&key, |given| question.read(given).ok());
        if answer.is_none() {
            open.push(question.to_request(key));
        }
        answers.push(answer);
    }
    let mut came = if open.is_empty() { Vec::new() } else { put(state, line, open).await? }.into_iter();
    let answers = questions.iter().zip(answers).map(|(question, answer)| match answer {
        Some(answer) => Ok(answer),
        None => question.read(came.next().unwrap_or(Value::Null)),
    });
    answers.collect()
}

/// The keys of these questions, each one's own.
fn keys(questions: &[Question]) -> Result<Vec<String>, Error> {
    let mut taken = HashSet::new();
    // the caller reads them, and answers under what it read
    let given = |question: &Question| question.given_id().map(|id| secrets::blank(id).into_owned());
    for id in questions.iter().filter_map(given) {
        if !taken.insert(id.clone()) {
            return Err(Error::new(format!("two of the questions that are asked together have the id \"{id}\"")));
        }
    }
    let key = |question: &Question| {
        if let Some(id) = given(question) {
            return id;
        }
        let made = question.made_id();
        let mut key = made.clone();
        let mut again = 1;
        while !taken.insert(key.clone()) {
            again += 1;
            key = format!("{made}_{again}");
        }
        key
    };
    Ok(questions.iter().map(key).collect())
}

/// Whether the caller can be asked this; the line remembers what it lacks.
pub(super) fn able(line: &Line, question: &Question) -> Result<(), Error> {
    match question.lacked_by(line.abilities) {
        None => Ok(()),
        Some((capability, words)) => {
            line.lacks(capability);
            Err(Error::unavailable(format!(
                "the caller cannot be asked: its client does not declare the capability {words}"
            )))
        }
    }
}

/// Puts the questions to the caller.
pub(super) async fn put(state: &Arc<CallState>, line: &Line, requests: Vec<Request>) -> Result<Vec<Value>, Error> {
    let _pause = Pause::begin(state);
    let answered = tokio::select! {
        biased;
        // for a blocking tool, which nothing else ends
        () = state.cancel().cancelled() => None,
        answered = tokio::time::timeout(LONGEST_WAIT, line.ask(requests)) => Some(answered),
    };
    match answered {
        // also when an answer came on the heels of the cancellation: what it would allow must not begin
        None => {
            // the guard, which polls the tool first, ends the call here: as cancelled, and not with an error that the tool
            // makes of this one
            tokio::task::yield_now().await;
            Err(Error::unavailable("the call ended before an answer came"))
        }
        Some(Ok(Ok(answers))) => Ok(answers),
        Some(Ok(Err(why))) => Err(Error::unavailable(format!("no answer came: {why}"))),
        Some(Err(_)) => Err(Error::unavailable("nobody answered within 10 minutes")),
    }
}
