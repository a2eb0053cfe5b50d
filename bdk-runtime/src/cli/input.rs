//! `--input`: JSON as an argument, from a file or from stdin.

use super::output::Stop;
use crate::call::CallInput;
use serde_json::value::RawValue;
use std::io::{self, Read};

/// Reads it, as written: numbers go on as their author wrote them. `null` is `{}`, as in a request's body.
pub(super) fn read(argument: &str) -> Result<Box<RawValue>, Stop> {
    let (text, from) = match argument.strip_prefix('@') {
        Some(file) => {
            let text =
                std::fs::read(file).map_err(|e| Stop::usage(format!("--input `{argument}` cannot be read: {e}")))?;
            (text, format!("`{argument}`"))
        }
        None if argument == "-" => {
            let mut text = Vec::new();
            let read = io::stdin().lock().read_to_end(&mut text);
            read.map_err(|e| Stop::usage(format!("--input `-`: stdin cannot be read: {e}")))?;
            (text, "`-` (stdin)".to_owned())
        }
        None => (argument.as_bytes().to_vec(), "as given".to_owned()),
    };
    let no_json = |e: &dyn std::fmt::Display| {
        Stop::usage(format!("--input {from} is no JSON: {e}; write it as JSON, as @FILE, or as - for stdin"))
    };
    // some shells and editors put a byte order mark before what they write
    let text = std::str::from_utf8(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text)).map_err(|e| no_json(&e))?;
    // read in full here, so that what no bot could read is told before one is asked
    let value: CallInput<'_> = serde_json::from_str(text).map_err(|e| no_json(&e))?;
    let text = if value.is_null() { "{}" } else { text.trim() };
    RawValue::from_string(text.to_owned()).map_err(|e| no_json(&e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_goes_on_as_it_was_written() {
        let read = |text: &str| read(text).map(|raw| raw.get().to_owned());
        assert_eq!(read(" {\"a\": 1.0} "), Ok("{\"a\": 1.0}".to_owned()));
        assert_eq!(read("null"), Ok("{}".to_owned()));
        assert_eq!(read("\u{feff}{}"), Ok("{}".to_owned()));
    }

    #[test]
    fn what_is_no_json_is_wrong_usage() {
        for argument in ["{", "", "{} {}", "@/nowhere/at/all.json", &"[".repeat(400)] {
            assert_eq!(read(argument).expect_err(argument).code, 2);
        }
    }
}
