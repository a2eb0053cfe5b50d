//! One attempt: lends what the tool needs, and runs it where it belongs.

#[cfg(feature = "connections")]
use super::remote;
use super::{CallInput, CallState, Failure, ToolContext, panic};
use crate::{
    registry::{Kind, Runner, Tool},
    tool::{Body, CallCx, Output, Slots, ToolError},
};
use std::{any::TypeId, sync::Arc};

/// How an attempt ended that gave no output.
pub(super) enum Ended {
    /// The tool's own error: it may be tried again.
    Failed(ToolError),
    /// What the tool needs could not be made: the tool has not run.
    Unlent(ToolError),
    /// Anything else.
    Refused(Failure),
}

pub(super) async fn once(
    tool: &Tool,
    state: &Arc<CallState>,
    mut slots: Slots,
    input: &CallInput<'_>,
) -> Result<Output, Ended> {
    #[cfg(feature = "connections")]
    if let Some(home) = &tool.runs_in
        && !state.bot.runs_all_here()
    {
        return remote::call_authored(home, state, input).await;
    }
    match &tool.kind {
        Kind::Code(def) => {
            let mut cx = CallCx::with_capacity(def.needs.len());
            if !def.needs.is_empty() {
                lend_context(&mut cx, state, def.needs.iter().map(|n| (n.key)()));
                state.bot.provided().lend(def.needs, &mut cx).await.map_err(Ended::Unlent)?;
            }
            match def.body {
                Body::Async(body) => body(&cx, &mut slots).await.map_err(Ended::Failed),
                Body::Blocking(body) => blocking(state, move || body(&cx, &mut slots)).await,
            }
        }
        Kind::Data(_, Runner::Handler(body)) => {
            let mut cx = CallCx::with_capacity(1);
            lend_context(&mut cx, state, [TypeId::of::<ToolContext>()]);
            body(input.json().to_value(), &cx).await.map_err(Ended::Failed)
        }
        #[cfg(feature = "connections")]
        Kind::Data(_, Runner::Remote(tool)) => remote::call(tool, state, input).await,
    }
}

/// The context is one more thing to lend; it is made only for a tool that asks for it.
fn lend_context(cx: &mut CallCx, state: &Arc<CallState>, keys: impl IntoIterator<Item = TypeId>) {
    let context = TypeId::of::<ToolContext>();
    if keys.into_iter().any(|key| key == context) {
        cx.put(context, Arc::new(ToolContext::of(state)));
    }
}

/// Runs a blocking tool on the blocking pool, which is capped: a thread that outlives its deadline keeps its place.
async fn blocking(
    state: &Arc<CallState>,
    body: impl FnOnce() -> Result<Output, ToolError> + Send + 'static,
) -> Result<Output, Ended> {
    let Ok(place) = state.bot.blocking().clone().try_acquire_owned() else {
        return Err(Ended::Refused(Failure::unavailable(&format!(
            "{} blocking tools are running already; try again later",
            crate::bot::BLOCKING_CALLS
        ))));
    };
    let span = tracing::Span::current();
    let run = tokio::task::spawn_blocking(move || {
        let ended = panic::catch_body(|| span.in_scope(body));
        drop(place);
        ended
    });
    match run.await {
        Ok(Ok(ended)) => ended.map_err(Ended::Failed),
        Ok(Err(panicked)) => Err(Ended::Refused(panic::told(state, panicked))),
        // the runtime is going down
        Err(_) => Err(Ended::Refused(Failure::cancelled(state.effect()))),
    }
}
