//! Logs go to stderr, filtered by `RUST_LOG`.

use super::output::Stop;
use std::io::{self, IsTerminal};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::{EnvFilter, filter::ParseError};

/// Starts logging, `usual` being the level without `RUST_LOG`. A program that logs already keeps its own way.
pub(super) fn start(usual: LevelFilter) -> Result<(), Stop> {
    let wanted = std::env::var_os("RUST_LOG").unwrap_or_default();
    let wanted = wanted.to_str().ok_or_else(|| Stop::usage("RUST_LOG is no text"))?;
    let filter = filter(wanted, usual).map_err(|e| Stop::usage(format!("RUST_LOG=`{wanted}` is no filter: {e}")))?;
    let color = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).with_ansi(color);
    // told on stderr, a stderr that went away would be a panic
    let _ = log.log_internal_errors(false).try_init();
    Ok(())
}

fn filter(wanted: &str, usual: LevelFilter) -> Result<EnvFilter, ParseError> {
    let filter = EnvFilter::builder().with_default_directive(usual.into()).parse(wanted)?;
    // rmcp tells of each request, with all that is in it, and of each client that leaves as of an error; who wants to hear
    // that names it
    if wanted.contains("rmcp") { Ok(filter) } else { Ok(filter.add_directive("rmcp=off".parse()?)) }
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
}
