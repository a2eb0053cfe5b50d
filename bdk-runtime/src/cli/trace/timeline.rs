//! A session for people: who opened it and with what, and each call with what it came to.

use super::recorded::{Call, Ended, Entry, Kept, Trace};
use crate::cli::{
    output::HEAD,
    shown::{cut, line, plain},
};
use crate::{Mode, Timestamp, visible};
use clap::builder::styling::{AnsiColor, Style};
use serde_json::Value;
use std::fmt::Write;

const BAD: Style = AnsiColor::Red.on_default();
const DIM: Style = Style::new().dimmed();

/// The whole of it; `full` shows inputs, results and errors whole, else each has a line of this width.
pub(super) fn text(trace: &Trace, width: usize, full: bool) -> String {
    let mut page = Page { out: String::new(), width, full };
    page.head(trace);
    for entry in &trace.entries {
        match entry {
            Entry::Call(call) => page.call(call, trace),
            Entry::Other { at, kind, data } => {
                let data = if data.get() == "{}" { String::new() } else { format!("  {}", line(data.get())) };
                page.row("", &format!("{}  {}{data}", stamp(*at, trace.opened), line(kind)), DIM);
            }
        }
    }
    page.foot(trace);
    page.out
}

struct Page {
    out: String,
    width: usize,
    full: bool,
}

impl Page {
    fn head(&mut self, trace: &Trace) {
        let facts = &trace.facts;
        let title = facts.title.as_deref().map_or_else(String::new, |title| format!("  {}", line(title)));
        self.row("", &format!("{}{title}", trace.id), HEAD);
        let mode = if facts.mode == Mode::Task { "task" } else { "chat" };
        let mut about = format!("agent {}, {mode}, {}", line(&facts.agent), line(&trace.status));
        if facts.dry_run {
            about.push_str(", dry run");
        }
        if let Some(as_of) = facts.as_of {
            let _ = write!(about, ", as of {as_of}");
        }
        self.row("  ", &about, Style::new());
        let who = line(&format!("{}:{}", facts.auth.kind, facts.auth.subject));
        self.row("  ", &format!("opened {:.3} by {who}", trace.opened), Style::new());
        if let Some(purpose) = &facts.purpose {
            self.row("  ", &format!("purpose: {}", line(purpose)), Style::new());
        }
        if facts.state.as_object().is_none_or(|state| !state.is_empty()) {
            self.row("  ", &format!("state: {}", visible::json(&facts.state.to_string())), Style::new());
        }
        self.out.push('\n');
    }

    fn call(&mut self, call: &Call, trace: &Trace) {
        let indent = "    ".repeat(call.depth);
        let mut words =
            format!("{}  {HEAD}{}{HEAD:#}  {}", stamp(call.at, trace.opened), line(&call.tool), line(&call.effect));
        match &call.ended {
            None => {
                let _ = write!(words, "  {BAD}running or cut off{BAD:#}");
            }
            Some(ended) => {
                if ended.stubbed {
                    words.push_str("  stubbed");
                }
                if ended.attempts > 1 {
                    let _ = write!(words, "  {} attempts", ended.attempts);
                }
                let _ = write!(words, "  {}", spoken(ended.duration_ms));
                let _ = match &ended.error {
                    Some(code) => write!(words, "  {BAD}{}{BAD:#}", line(code)),
                    None => write!(words, "  ok"),
                };
            }
        }
        let owner = &trace.facts.auth;
        if call.caller != format!("{}:{}", owner.kind, owner.subject) {
            let _ = write!(words, "  {DIM}by {}{DIM:#}", line(&call.caller));
        }
        let _ = writeln!(self.out, "{indent}{words}");
        let indent = format!("{indent}    ");
        self.json(&indent, "input", &call.input);
        if let Some(ended) = &call.ended {
            if ended.error.is_some() {
                self.error(&indent, ended);
            } else {
                self.json(&indent, "result", &ended.result);
            }
        }
    }

    /// JSON on a line, or as it is best read.
    fn json(&mut self, indent: &str, what: &str, kept: &Kept) {
        let cut_at = kept.cut.map_or_else(String::new, |bytes| format!(" (the beginning of {bytes} bytes)"));
        if !self.full {
            return self.row(
                indent,
                &format!("{what}{cut_at}  {}", visible::json(&kept.text()).replace('\n', " ")),
                Style::new(),
            );
        }
        let shown = match serde_json::from_str::<Value>(kept.json.get()) {
            Ok(Value::String(text)) => text,
            Ok(value) => format!("{value:#}"),
            Err(_) => kept.json.get().to_owned(),
        };
        let _ = writeln!(self.out, "{indent}{what}{cut_at}");
        self.lines(indent, &shown);
    }

    /// An error in words.
    fn error(&mut self, indent: &str, ended: &Ended) {
        let words = words(&ended.result);
        if self.full {
            let _ = writeln!(self.out, "{indent}error");
            return self.lines(indent, &words);
        }
        self.row(indent, &format!("error  {}", line(&words)), BAD);
    }

    fn lines(&mut self, indent: &str, text: &str) {
        for one in plain(text).lines() {
            let _ = writeln!(self.out, "{indent}  {one}");
        }
    }

    fn row(&mut self, indent: &str, words: &str, style: Style) {
        let room = self.width.saturating_sub(indent.len());
        let words = if self.full { words.into() } else { cut(words, room) };
        let _ = writeln!(self.out, "{indent}{style}{words}{style:#}");
    }

    fn foot(&mut self, trace: &Trace) {
        let (mut calls, mut failed, mut stubbed, mut open) = (0, 0, 0, 0);
        for call in trace.calls() {
            calls += 1;
            match &call.ended {
                None => open += 1,
                Some(ended) if ended.error.is_some() => failed += 1,
                Some(ended) if ended.stubbed => stubbed += 1,
                Some(_) => {}
            }
        }
        let mut said = vec![format!("{} ok", calls - failed - stubbed - open)];
        let counts = [(failed, "failed"), (stubbed, "stubbed"), (open, "running or cut off")];
        said.extend(counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
        let said = if calls == 0 { String::new() } else { format!(": {}", said.join(", ")) };
        let s = if calls == 1 { "" } else { "s" };
        let _ = writeln!(self.out, "\n{calls} call{s}{said}; {} events", trace.events);
    }
}

/// What an error says: the texts of its content.
pub(super) fn words(result: &Kept) -> String {
    if result.cut.is_some() {
        return result.text();
    }
    let value: Value = serde_json::from_str(result.json.get()).unwrap_or_default();
    said(&value)
}

/// What a result says in words.
pub(super) fn said(result: &Value) -> String {
    match result["content"].as_array() {
        Some(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n"),
        None => result.as_str().map_or_else(|| result.to_string(), str::to_owned),
    }
}

/// When it was, and how long after the session was opened.
fn stamp(at: Timestamp, opened: Timestamp) -> String {
    let ms = (at.as_millisecond() - opened.as_millisecond()).max(0);
    let (s, ms) = (ms / 1000, ms % 1000);
    let offset = match s {
        ..60 => format!("+{s}.{ms:03}s"),
        60..3600 => format!("+{}m{:02}s", s / 60, s % 60),
        3600..86_400 => format!("+{}h{:02}m", s / 3600, s / 60 % 60),
        _ => format!("+{}d{:02}h", s / 86_400, s / 3600 % 24),
    };
    format!("{at:.3}  {offset:>8}")
}

/// `12 ms`, `1.25 s`, `2 m 05 s`.
pub(super) fn spoken(ms: u64) -> String {
    match ms {
        ..1000 => format!("{ms} ms"),
        1000..60_000 => format!("{}.{:02} s", ms / 1000, ms % 1000 / 10),
        _ => format!("{} m {:02} s", ms / 60_000, ms / 1000 % 60),
    }
}
