//! Logs go to stderr, filtered by `RUST_LOG`, as text or as one JSON object a line, and without secrets.

mod brief;

use super::{args::LogFormat, output::Stop};
use crate::secrets;
use brief::Brief;
use clap::ValueEnum;
use std::{
    borrow::Cow,
    io::{self, IsTerminal, Write},
};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{EnvFilter, filter::ParseError};

/// What the format is without `--log-format`.
const FORMAT: &str = "BDK_LOG_FORMAT";

/// Starts logging, `usual` being the level without `RUST_LOG`. A program that logs already keeps its own way.
pub(super) fn start(usual: LevelFilter, format: Option<LogFormat>) -> Result<(), Stop> {
    let wanted = std::env::var_os("RUST_LOG").unwrap_or_default();
    let wanted = wanted.to_str().ok_or_else(|| Stop::usage("RUST_LOG is no text"))?;
    let filter = filter(wanted, usual).map_err(|e| Stop::usage(format!("RUST_LOG=`{wanted}` is no filter: {e}")))?;
    let format = match format {
        Some(format) => format,
        None => usual_format(std::env::var_os(FORMAT).as_deref())?,
    };
    // told on stderr, a stderr that went away would be a panic
    let log = tracing_subscriber::fmt().with_env_filter(filter).log_internal_errors(false);
    let _ = match format {
        LogFormat::Text => {
            let color = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
            log.fmt_fields(Brief::default()).with_ansi(color).with_writer(|| Blanked { json: false }).try_init()
        }
        // a collector has one level to look at for the event, and the spans it stands in beside it
        LogFormat::Json => log.json().flatten_event(true).with_writer(|| Blanked { json: true }).try_init(),
    };
    Ok(())
}

/// What the environment says.
fn usual_format(set: Option<&std::ffi::OsStr>) -> Result<LogFormat, Stop> {
    let set = set.unwrap_or_default().to_string_lossy();
    if set.is_empty() {
        return Ok(LogFormat::Text);
    }
    LogFormat::from_str(&set, false)
        .map_err(|_| Stop::usage(format!("{FORMAT}=`{set}` is no format of logs: it is `text` or `json`")))
}

fn filter(wanted: &str, usual: LevelFilter) -> Result<EnvFilter, ParseError> {
    let filter = EnvFilter::builder().with_default_directive(usual.into()).parse(wanted)?;
    // rmcp tells of each request, with all that is in it, and of each client that leaves as of an error; who wants to hear
    // that names it
    if wanted.contains("rmcp") { Ok(filter) } else { Ok(filter.add_directive("rmcp=off".parse()?)) }
}

/// Stderr, for one event, which comes whole: a secret that is in it is in one piece.
struct Blanked {
    json: bool,
}

impl Write for Blanked {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = if secrets::any() { String::from_utf8_lossy(event) } else { Cow::Borrowed("") };
        let blanked = if self.json { secrets::blank_json(&text) } else { secrets::blank(&text) };
        let told = if blanked.is_empty() { event } else { blanked.as_bytes() };
        io::stderr().lock().write_all(told)?;
        Ok(event.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_that_is_none_is_an_error() {
        assert!(filter("bdk=loud", LevelFilter::WARN).is_err());
        assert!(filter("warn,bdk::call=debug", LevelFilter::WARN).is_ok());
        assert_eq!(filter("", LevelFilter::INFO).expect("the usual").max_level_hint(), Some(LevelFilter::INFO));
    }

    #[test]
    fn the_environment_says_the_format_and_a_wrong_word_is_told() {
        assert_eq!(usual_format(None), Ok(LogFormat::Text));
        assert_eq!(usual_format(Some("".as_ref())), Ok(LogFormat::Text));
        assert_eq!(usual_format(Some("json".as_ref())), Ok(LogFormat::Json));
        let stop = usual_format(Some("xml".as_ref())).expect_err("no format");
        assert!(stop.message.contains("BDK_LOG_FORMAT=`xml`") && stop.code == 2, "{stop:?}");
    }
}
