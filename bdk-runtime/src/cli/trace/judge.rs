//! What a call comes to now, beside what it came to then.

use super::{
    alike, difference,
    recorded::{Call, Ended},
    timeline::{said, words},
    verdict::{Bytes, Change, Replayed, Said, ThenAndNow, Verdict},
};
use crate::{
    Effect,
    call::{Done, ErrorCode, Outcome},
};
use serde_json::Value;

/// What blanking leaves in the place of a secret.
const BLANKED: &str = "[redacted]";

/// Why a call cannot be made again from what was recorded of it.
pub(super) fn unplayable(call: &Call) -> Option<&'static str> {
    if call.input.cut.is_some() {
        return Some("its input is not known whole: more than 64 KiB are cut in the log");
    }
    call.input.json.get().contains(BLANKED).then_some("its input held a secret, which the log does not have")
}

/// A call that was not made again.
pub(super) fn skipped(call: &Call, reason: &'static str) -> Replayed {
    let then = call.ended.as_ref().map(|ended| ended.duration_ms);
    Replayed {
        call_id: call.id.clone(),
        tool_name: call.tool.clone(),
        verdict: Verdict::Skipped,
        reason: Some(reason),
        changes: Vec::new(),
        more: 0,
        duration_ms: ThenAndNow { then, now: None },
    }
}

/// A call whose tool is not there any more.
pub(super) fn gone(call: &Call, near: Vec<String>) -> Replayed {
    Replayed { verdict: Verdict::Changed, reason: None, changes: vec![Change::Gone { near }], ..skipped(call, "") }
}

/// What a call came to now.
pub(super) struct Now {
    pub(super) effect: Option<Effect>,
    pub(super) outcome: Outcome,
    /// The result's JSON as it was written.
    pub(super) json: String,
}

impl Now {
    pub(super) fn of(done: Done) -> Self {
        let mut json = Vec::with_capacity(done.output.size_hint());
        // what cannot be written is an error result already
        let _ = done.output.write_json(&mut json);
        let effect = done.effect();
        Self { effect, json: String::from_utf8(json).unwrap_or_default(), outcome: done.into() }
    }
    fn code(&self) -> Option<ErrorCode> {
        self.outcome.error.as_ref().map(|error| error.code)
    }
    fn error(&self) -> Option<Said> {
        let text = || alike::text(&said(&self.outcome.result));
        self.code().map(|code| Said { code: code.as_str().to_owned(), text: text() })
    }
}

/// Compares the two. `asks` is whether the tool needs a person's approval, whom a replay does not ask.
pub(super) fn judge(call: &Call, now: &Now, asks: bool) -> Replayed {
    let mut replayed = skipped(call, "");
    replayed.duration_ms.now = Some(now.outcome.duration_ms);
    replayed.reason = None;
    let refuses = |code: &str| matches!(code, "invalid_input" | "as_of");
    let refused_now = now.code().filter(|code| refuses(code.as_str()));
    let then = call.ended.as_ref().filter(|_| !call.was_cancelled());
    let refused_then = then.filter(|then| then.error.as_deref().is_some_and(refuses));
    match (refused_then, refused_now) {
        (None, Some(code)) => {
            let issues = now.outcome.error.as_ref().map(|error| error.issues.clone()).unwrap_or_default();
            replayed.changes.push(Change::Input { code: code.as_str().to_owned(), issues });
        }
        (Some(then), None) => replayed
            .changes
            .push(Change::Accepted { code: then.error.clone().unwrap_or_default(), text: words(&then.result) }),
        (Some(then), Some(_)) => outcomes(&mut replayed, call, then, now),
        (None, None) => accepted(&mut replayed, call, then, now, asks),
    }
    replayed.verdict = if !replayed.changes.is_empty() {
        replayed.reason = None;
        Verdict::Changed
    } else if now.outcome.stubbed {
        Verdict::Stubbed
    } else if replayed.reason.is_some() {
        Verdict::Skipped
    } else {
        Verdict::Same
    };
    replayed
}

/// Of a call whose input is accepted, as it was then.
fn accepted(replayed: &mut Replayed, call: &Call, then: Option<&Ended>, now: &Now, asks: bool) {
    let effect = now.effect.map_or("undecided", Effect::as_str);
    let same_effect = call.effect == effect || call.effect == "undecided" || effect == "undecided";
    if !same_effect {
        replayed.changes.push(Change::Effect { before: call.effect.clone(), after: effect.to_owned() });
    }
    // a write that ran then does not run now, and what it came to then says nothing of its stub
    let ran = call.effect == "write" && then.is_some_and(|then| !then.stubbed);
    match then {
        _ if now.outcome.stubbed && (ran || then.is_none() || !same_effect) => {
            if let Some(after) = now.error() {
                replayed.changes.push(Change::Error { before: None, after: Some(after) });
            }
        }
        _ if !same_effect => {}
        _ if asks && !now.outcome.stubbed => {
            replayed.reason = Some("a person has to approve it, and a replay asks nobody");
        }
        None if call.was_cancelled() => {
            replayed.reason = Some("it was cancelled then: there is nothing to compare with");
        }
        None => replayed.reason = Some("its end is not in the log: there is nothing to compare with"),
        Some(then) => outcomes(replayed, call, then, now),
    }
}

/// What the two came to.
fn outcomes(replayed: &mut Replayed, call: &Call, then: &Ended, now: &Now) {
    // what differs from call to call in what bdk itself says, and some tools hand on: this, and the ids of artifacts
    let told = |text: &str| text.replace(&call.id, &now.outcome.call_id);
    let before =
        then.error.as_ref().map(|code| Said { code: code.clone(), text: alike::text(&told(&words(&then.result))) });
    let after = now.error();
    if before != after {
        replayed.changes.push(Change::Error { before, after });
        return;
    }
    let recorded = told(&then.result.text());
    if let Some(bytes) = then.result.cut {
        if !now.json.starts_with(&recorded) || now.json.len() != bytes {
            let differs_at = recorded.bytes().zip(now.json.bytes()).take_while(|(a, b)| a == b).count();
            let bytes = Bytes { before: bytes, after: now.json.len() };
            replayed.changes.push(Change::Long { bytes, differs_at });
        }
        return;
    }
    // what is not read as JSON differs as a text
    let value: Value = serde_json::from_str(&recorded).unwrap_or(Value::String(recorded));
    let found = difference::between("result", &alike::value(value), &alike::value(now.outcome.result.clone()));
    replayed.more = found.more;
    replayed.changes.extend(found.told.into_iter().map(Change::Result));
}
