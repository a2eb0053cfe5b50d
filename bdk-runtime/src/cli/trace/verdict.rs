//! What a replayed call came to, compared with what it came to then.

use super::{
    difference::{self, Difference},
    timeline::spoken,
};
use crate::Issue;
use crate::cli::shown::{cut, line};
use clap::builder::styling::{AnsiColor, Style};
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write;

/// A recorded call, tried again.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Replayed {
    pub(super) call_id: String,
    pub(super) tool_name: String,
    pub(super) verdict: Verdict,
    /// Why it could not be replayed, or not be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) changes: Vec<Change>,
    /// How many differences of the result there are beside those that are told.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) more: usize,
    pub(super) duration_ms: ThenAndNow,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    /// It came to the same.
    Same,
    /// It came to something else.
    Changed,
    /// A write that was not run: its input is accepted, and it is still a write.
    Stubbed,
    /// It could not be run, or there is nothing to compare it with.
    Skipped,
}

/// How long it took; never judged.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(super) struct ThenAndNow {
    pub(super) then: Option<u64>,
    pub(super) now: Option<u64>,
}

/// What is not as it was.
#[derive(Debug, PartialEq, Serialize)]
#[serde(tag = "what", rename_all = "camelCase")]
pub(super) enum Change {
    /// There is no such tool any more.
    Gone { near: Vec<String> },
    /// The input is not accepted any more.
    Input { code: String, issues: Vec<Issue> },
    /// The input was refused, and is accepted.
    Accepted { code: String, text: String },
    /// A read became a write, or the other way round.
    Effect { before: String, after: String },
    /// The error: its code and its text; absent where there is none.
    Error {
        #[serde(skip_serializing_if = "Option::is_none")]
        before: Option<Said>,
        #[serde(skip_serializing_if = "Option::is_none")]
        after: Option<Said>,
    },
    /// The result at this place.
    Result(Difference),
    /// A result of which only the beginning was kept.
    Long { bytes: Bytes, differs_at: usize },
}

/// An error.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Said {
    pub(super) code: String,
    pub(super) text: String,
}

#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Bytes {
    pub(super) before: usize,
    pub(super) after: usize,
}

impl Verdict {
    fn style(self) -> Style {
        match self {
            Self::Same => AnsiColor::Green.on_default(),
            Self::Changed => AnsiColor::Red.on_default().bold(),
            Self::Stubbed => AnsiColor::Cyan.on_default(),
            Self::Skipped => AnsiColor::Yellow.on_default(),
        }
    }
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Changed => "changed",
            Self::Stubbed => "stubbed",
            Self::Skipped => "skipped",
        }
    }
}

impl Replayed {
    /// On lines of this width.
    pub(super) fn text(&self, width: usize) -> String {
        let style = self.verdict.style();
        let mut out = format!("{style}{:<8}{style:#} {}", self.verdict.word(), line(&self.tool_name));
        if let (Some(then), Some(now)) = (self.duration_ms.then, self.duration_ms.now)
            && self.verdict != Verdict::Stubbed
        {
            let _ = write!(out, "  {} → {}", spoken(then), spoken(now));
        }
        if let Some(reason) = self.reason {
            let _ = write!(out, "  {reason}");
        }
        out.push('\n');
        for change in &self.changes {
            for words in change.words(width.saturating_sub(INDENT)) {
                let _ = writeln!(out, "{:INDENT$}{}", "", cut(&words, width.saturating_sub(INDENT)));
            }
        }
        if self.more > 0 {
            let s = if self.more == 1 { "" } else { "s" };
            let _ = writeln!(out, "{:INDENT$}and {} more difference{s}", "", self.more);
        }
        out
    }
}

/// What is told of a call stands under its tool's name.
const INDENT: usize = 9;

impl Change {
    fn words(&self, width: usize) -> Vec<String> {
        match self {
            Self::Gone { near } if near.is_empty() => vec!["there is no such tool any more".to_owned()],
            Self::Gone { near } => {
                let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
                vec![format!("there is no such tool any more; renamed to {}?", near.join(" or "))]
            }
            Self::Input { code, issues } => {
                let mut lines = vec![format!("its input is not accepted any more ({code}):")];
                lines.extend(issues.iter().map(|issue| {
                    let path = if issue.path.is_empty() { "the input" } else { &*issue.path };
                    format!("  {}: {}", line(path), line(&issue.message))
                }));
                lines
            }
            Self::Accepted { code, text } => {
                vec![format!("its input is accepted; then it was refused ({}): {}", line(code), line(text))]
            }
            Self::Effect { before, after } => vec![format!("effect: {} → {}", line(before), line(after))],
            Self::Error { before, after } => error(before.as_ref(), after.as_ref(), width),
            Self::Result(at) => {
                let path = line(&at.path);
                let room = width.saturating_sub(path.chars().count() + 5);
                let [before, after] = difference::shown(at.before.as_ref(), at.after.as_ref(), room);
                vec![format!("{path}: {before} → {after}")]
            }
            Self::Long { bytes, differs_at } => vec![format!(
                "result: {} bytes → {} bytes, differing at byte {differs_at} (only the beginning was kept)",
                bytes.before, bytes.after
            )],
        }
    }
}

fn error(before: Option<&Said>, after: Option<&Said>, width: usize) -> Vec<String> {
    match (before, after) {
        // the same kind of error: its words are what changed
        (Some(before), Some(after)) if before.code == after.code => {
            let (a, b) = (Value::from(before.text.as_str()), Value::from(after.text.as_str()));
            let [a, b] = difference::shown(Some(&a), Some(&b), width.saturating_sub(20));
            vec![format!("error {}: {a} → {b}", line(&before.code))]
        }
        _ => {
            let one = |error: Option<&Said>| {
                error.map_or_else(|| "none".to_owned(), |e| format!("{}: {}", line(&e.code), line(&e.text)))
            };
            vec![format!("error then: {}", one(before)), format!("error now:  {}", one(after))]
        }
    }
}
