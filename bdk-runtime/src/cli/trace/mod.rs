//! `trace`: what happened in a session, and whether its calls would come to the same today.

mod alike;
mod difference;
mod judge;
mod recorded;
mod replay;
mod source;
#[cfg(test)]
mod tests;
mod timeline;
mod verdict;

use super::{
    args::TraceArgs,
    output::{self, Stop},
    shown, stdout,
};
use crate::id;
use recorded::Trace;
use source::Source;
use std::process::ExitCode;

pub(super) async fn run(args: &TraceArgs) -> Result<ExitCode, Stop> {
    if !id::is_session(&args.id) {
        return Err(Stop::usage(no_session(&args.id)));
    }
    // what tools print in a replay is not what was asked for
    if let Err(error) = stdout::taken() {
        return Err(Stop::failed(format!("stdout cannot be kept for the trace: {error}")));
    }
    let mut source = Source::open(args).await?;
    if args.json && !args.replay {
        while let Some(lines) = source.next().await? {
            output::print(lines.into_iter().flat_map(|line| [line, "\n".to_owned()]).collect::<String>())?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut lines = Vec::new();
    while let Some(more) = source.next().await? {
        lines.extend(more);
    }
    let trace = Trace::read(&args.id, &lines).map_err(Stop::failed)?;
    if args.replay {
        return replay::run(&trace, args.json).await;
    }
    output::print_styled(&timeline::text(&trace, shown::width(), args.full))?;
    Ok(ExitCode::SUCCESS)
}

/// What is said of an id that is no session's.
fn no_session(id: &str) -> String {
    let id = shown::line(id);
    let id = shown::cut(&id, 80);
    if id.starts_with("tool_") {
        return format!("`{id}` is the id of a call: a trace is that of its session, `ses_…`, which `sessions` lists");
    }
    format!("`{id}` is no session's id: that is `ses_` and 20 letters and digits, and `sessions` lists them")
}
