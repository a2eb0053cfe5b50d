//! After a start: the calls that a process began which is gone are recorded as what they are, cut off.

use super::{Failure, events, kept::Kept, outcome::Told};
use crate::{
    bot::Bot,
    state::State,
    store::{Op, OpenCall, StoreError},
};

/// Settles what was left open. Of each call the outcome is unknown: nobody runs it again.
pub(crate) async fn settle(state: &State, bot: &Bot) -> Result<(), StoreError> {
    for call in state.store.cut_off().await? {
        tracing::warn!(
            target: "bdk::call",
            tool = call.tool,
            call_id = &*call.call_id,
            session = call.session.as_deref(),
            "a call was cut off when the bot ended; its outcome is unknown"
        );
        match state.store.write(unknown(bot, &call, true)).await {
            // the session was deleted while it ran
            Err(StoreError::UnknownSession) => state.store.write(unknown(bot, &call, false)).await?,
            other => other?,
        };
    }
    Ok(())
}

fn unknown(bot: &Bot, call: &OpenCall, logged: bool) -> Vec<Op> {
    let (output, error) = Failure::cut_off().told(&call.tool);
    let now = bot.now_in_ms();
    let told = Told {
        tool: &call.tool,
        call_id: &call.call_id,
        duration_ms: 0,
        attempts: 1,
        stubbed: false,
        error: error.as_ref(),
    };
    let mut batch = Vec::new();
    if let Some(session) = call.session.as_ref().filter(|_| logged) {
        let events = vec![events::result(&told, &output)];
        batch.push(Op::Append { session: session.clone(), at: now, status: None, events });
    }
    if let Some((scope, key)) = call.key.clone() {
        let kept = Kept {
            call_id: call.call_id.as_ref().to_owned(),
            attempts: 1,
            stubbed: false,
            duration_ms: 0,
            output,
            error,
        };
        batch.push(Op::SettleKey { scope, key, outcome: kept.to_text() });
    }
    batch.push(Op::EndCall { call_id: call.call_id.clone() });
    batch
}
