//! Sessions as a table.

use crate::cli::{
    output::HEAD,
    shown::{cut, line},
};
use crate::{Mode, Principal, Status, Timestamp};
use serde::Deserialize;
use serde_json::Value;
use std::fmt::Write;

/// A title's share of a line, in characters.
const TITLE: usize = 32;

const HEADS: [&str; 6] = ["id", "title", "status", "facts", "events", "age"];

/// What a line tells of one; a bot of another version may say more, or less.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    session_id: String,
    #[serde(default)]
    title: Option<String>,
    mode: Mode,
    status: Status,
    #[serde(default)]
    dry_run: bool,
    #[serde(default)]
    as_of: Option<Timestamp>,
    #[serde(default)]
    auth: Option<Principal>,
    created_at: Timestamp,
    #[serde(default)]
    events: u64,
}

/// A line each, under their heads.
pub(super) fn text(sessions: &[Value], now: Timestamp, width: usize) -> String {
    let rows: Vec<[String; 6]> = sessions.iter().map(|session| row(session, now)).collect();
    let widest = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default().max(HEADS[column].len())
    };
    let widths: [usize; 6] = std::array::from_fn(widest);
    let line = |cells: &[String; 6]| {
        let mut out = String::new();
        for (i, cell) in cells.iter().enumerate() {
            let gap = widths[i] - cell.chars().count();
            // numbers end at the same place
            match i {
                4 => _ = write!(out, "{}{cell}  ", " ".repeat(gap)),
                5 => out.push_str(cell),
                _ => _ = write!(out, "{cell}{}  ", " ".repeat(gap)),
            }
        }
        cut(&out, width).into_owned()
    };
    let mut out = format!("{HEAD}{}{HEAD:#}\n", line(&HEADS.map(str::to_owned)));
    for row in &rows {
        out.push_str(&line(row));
        out.push('\n');
    }
    out
}

fn row(session: &Value, now: Timestamp) -> [String; 6] {
    let Ok(of) = Listed::deserialize(session) else {
        let id = session["sessionId"].as_str().unwrap_or("?");
        return [line(id), "(cannot be read by this version)".into(), "?".into(), "?".into(), "?".into(), "?".into()];
    };
    let mode = match of.mode {
        Mode::Task => "task",
        Mode::Chat | Mode::Direct => "chat",
    };
    [
        line(&of.session_id),
        cut(&line(of.title.as_deref().unwrap_or("-")), TITLE).into_owned(),
        format!("{mode}, {}", of.status.as_str()),
        facts(&of),
        of.events.to_string(),
        age(now.as_millisecond() - of.created_at.as_millisecond()),
    ]
}

fn facts(of: &Listed) -> String {
    let mut facts = Vec::new();
    if of.dry_run {
        facts.push("dry run".to_owned());
    }
    if let Some(as_of) = of.as_of {
        facts.push(format!("as of {as_of}"));
    }
    if let Some(auth) = of.auth.as_ref().filter(|auth| !auth.is_same(&Principal::local())) {
        facts.push(format!("of {}", line(&format!("{}:{}", auth.kind, auth.subject))));
    }
    if facts.is_empty() { "-".to_owned() } else { facts.join(", ") }
}

/// `12s`, `5m`, `3h`, `2d`.
fn age(ms: i64) -> String {
    match ms.max(0) / 1000 {
        s @ ..60 => format!("{s}s"),
        s @ 60..3600 => format!("{}m", s / 60),
        s @ 3600..86_400 => format!("{}h", s / 3600),
        s => format!("{}d", s / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_line_tells_what_tells_sessions_apart() {
        let session = |id: &str, more: Value| {
            let mut session = json!({
                "sessionId": id, "agent": "bot", "mode": "chat", "status": "waiting", "title": null, "dryRun": false,
                "asOf": null, "auth": { "kind": "local", "subject": "process" }, "createdAt": "2026-01-01T00:00:00Z",
                "events": 2,
            });
            session.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            session
        };
        let now = "2026-01-03T01:00:00Z".parse().unwrap();
        let all = [
            session(
                "ses_b",
                json!({ "title": "Audit\u{1b}[2J", "dryRun": true, "asOf": "2025-01-01T00:00:00Z", "events": 1234,
                    "createdAt": "2026-01-03T00:59:18Z", "auth": { "kind": "bearer", "subject": "ci" } }),
            ),
            session("ses_a", json!({ "mode": "task", "status": "failed" })),
            json!({ "sessionId": "ses_c", "mode": "dance" }),
        ];
        let shown = text(&all, now, 200);
        let plain = shown.replace(&HEAD.render().to_string(), "").replace(&HEAD.render_reset().to_string(), "");
        let lines: Vec<&str> = plain.lines().collect();
        assert_eq!(
            lines,
            [
                "id     title                             status         facts                                              events  age",
                "ses_b  Audit\\u{1b}[2J                    chat, waiting  dry run, as of 2025-01-01T00:00:00Z, of bearer:ci    1234  42s",
                "ses_a  -                                 task, failed   -                                                       2  2d",
                "ses_c  (cannot be read by this version)  ?              ?                                                       ?  ?",
            ]
        );
        assert!(text(&all, now, 50).lines().skip(1).all(|line| line.chars().count() <= 50));
        assert_eq!([age(3_599_000), age(7_200_000), age(-5)], ["59m", "2h", "0s"]);
    }
}
