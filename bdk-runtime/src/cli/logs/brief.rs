//! The fields of logs for people: of a call's span what tells the call apart, not all that its conventions name.
//!
//! A span's fields stand in front of each line that is logged in it. What is for collectors is in the JSON.

use crate::call::conventions;
use std::{
    error::Error,
    fmt::{self, Write},
};
use tracing::field::{Field, Visit};
use tracing_subscriber::{
    field::{MakeVisitor, RecordFields, VisitOutput},
    fmt::{
        FormatFields,
        format::{DefaultFields, Writer},
    },
};

/// The fields of the call's span that people read.
const READ: [&str; 4] =
    [conventions::TOOL_NAME, conventions::TOOL_CALL_ID, conventions::CONVERSATION_ID, conventions::TRACEPARENT];

/// The usual fields, but for what a call's span has for collectors.
#[derive(Debug, Default)]
pub(super) struct Brief(DefaultFields);

impl<'writer> FormatFields<'writer> for Brief {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'writer>, fields: R) -> fmt::Result {
        let mut visitor = self.0.make_visitor(writer);
        fields.record(&mut Reading(&mut visitor));
        visitor.finish()
    }
}

/// Hands on what people read.
struct Reading<'a>(&'a mut dyn Visit);

impl Reading<'_> {
    fn is_read(field: &Field) -> bool {
        let name = field.name();
        !conventions::ALL.contains(&name) || READ.contains(&name)
    }
}

// whatever else there is comes to `record_debug`, as with the usual visitor
impl Visit for Reading<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        if Self::is_read(field) {
            self.0.record_str(field, value);
        }
    }
    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        if Self::is_read(field) {
            self.0.record_error(field, value);
        }
    }
    fn record_bytes(&mut self, field: &Field, value: &[u8]) {
        if Self::is_read(field) {
            self.0.record_bytes(field, value);
        }
    }
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if Self::is_read(field) {
            self.0.record_debug(field, &Legible(value));
        }
    }
}

/// What a value shows, with what moves a terminal's cursor told instead: it may be anybody's text.
struct Legible<'a>(&'a dyn fmt::Debug);

impl fmt::Debug for Legible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Through(f), "{:?}", self.0)
    }
}

struct Through<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl fmt::Write for Through<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for part in text.split_inclusive(|c: char| c.is_control() && c != '\n') {
            match part.chars().next_back().filter(|c| c.is_control() && *c != '\n') {
                Some(c) => write!(self.0, "{}{}", &part[..part.len() - c.len_utf8()], c.escape_unicode())?,
                None => self.0.write_str(part)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_cannot_move_the_cursor() {
        let text = format!("{:?}", Legible(&format_args!("a\u{1b}[2J{}\nc\r", "ä")));
        assert_eq!(text, "a\\u{1b}[2Jä\nc\\u{d}");
    }
}
