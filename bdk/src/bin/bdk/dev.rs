//! `bdk dev`: serves the bot, and builds and starts it again whenever its sources change.

use super::{Stop, build, say};
use bdk::__private::stop_asked;
use clap::Args;
use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{ExitCode, ExitStatus, Stdio},
    time::{Duration, SystemTime},
};
use tokio::{
    process::{Child, Command},
    time::{sleep, timeout},
};

/// How often the sources are looked at.
const LOOK: Duration = Duration::from_millis(500);
/// How long the old bot may take to end: the longest a bot waits by itself, and a little more.
const GRACE: Duration = Duration::from_secs(35);

#[derive(Debug, Args)]
pub(super) struct DevArgs {
    /// What `serve` takes, such as --port 0
    #[arg(value_name = "SERVE ARGS", trailing_var_arg = true, allow_hyphen_values = true)]
    serve: Vec<OsString>,
}

/// Runs until SIGINT or SIGTERM; the bot ends with it.
pub(super) async fn run(dir: &Path, args: DevArgs) -> Result<ExitCode, Stop> {
    let mut asked = std::pin::pin!(stop_asked());
    let mut bot: Option<Child> = None;
    let mut seen = BTreeMap::new();
    let mut program = None;
    loop {
        let now = stamps(dir, program.as_deref());
        if now == seen {
            tokio::select! {
                () = &mut asked => break,
                () = sleep(LOOK) => {}
                ended = ended(&mut bot) => {
                    // wrong usage stays wrong, whatever the sources say
                    if ended.as_ref().is_ok_and(|status| status.code() == Some(2)) {
                        return Ok(ExitCode::from(2));
                    }
                    let ended = ended.map_or_else(|error| error.to_string(), |status| status.to_string());
                    say(format_args!("bdk: the bot ended with {ended}; it starts again when its sources change"));
                    bot = None;
                }
            }
            continue;
        }
        let (first, folder) = (program.is_none() && seen.is_empty(), dir.to_owned());
        if !first {
            // an editor may be writing several files
            sleep(LOOK).await;
        }
        seen = stamps(dir, program.as_deref());
        let built = tokio::select! {
            () = &mut asked => break,
            built = tokio::task::spawn_blocking(move || build::bot(&folder)) => built,
        };
        match built.unwrap_or_else(|e| Err(Stop::failed(format!("building the bot panicked: {e}")))) {
            Ok(built) => {
                // the files that went into it are known only now; what changed while it was built differs from `seen`
                for (file, stamp) in stamps(dir, Some(&built)) {
                    seen.entry(file).or_insert(stamp);
                }
                if let Some(old) = bot.take() {
                    stop(old).await;
                }
                bot = Some(start(dir, &built, &args.serve)?);
                program = Some(built);
            }
            Err(stop) if stop.code == 2 || (first && !dir.join("Cargo.toml").is_file()) => return Err(stop),
            Err(stop) => {
                let rest = if bot.is_some() { "; the last one that did goes on" } else { "; waiting for a change" };
                say(format_args!("bdk: {}{rest}", stop.message));
            }
        }
    }
    if let Some(bot) = bot {
        tokio::select! {
            () = stop(bot) => {}
            // whoever asks twice does not want to wait; dropping the child kills it
            () = stop_asked() => {}
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn start(dir: &Path, program: &Path, args: &[OsString]) -> Result<Child, Stop> {
    let mut bot = Command::new(program);
    bot.args(["serve"]).args(args).current_dir(dir).stdin(Stdio::null()).kill_on_drop(true);
    // a terminal's Ctrl-C reaches this process alone, which then ends the bot: twice would mean at once
    #[cfg(unix)]
    bot.process_group(0);
    bot.spawn().map_err(|e| Stop::failed(format!("`{}` cannot be run: {e}", program.display())))
}

/// Waits for the bot's end, for ever when there is none.
async fn ended(bot: &mut Option<Child>) -> std::io::Result<ExitStatus> {
    match bot {
        Some(bot) => bot.wait().await,
        None => std::future::pending().await,
    }
}

/// Lets the bot end its calls; kills it when it does not end.
async fn stop(mut bot: Child) {
    interrupt(&mut bot);
    if timeout(GRACE, bot.wait()).await.is_err() {
        say("bdk: the bot does not end; it is killed");
        let _ = bot.kill().await;
    }
}

#[cfg(unix)]
fn interrupt(bot: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process};
    let pid = bot.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    if let Some(pid) = pid {
        let _ = kill_process(pid, Signal::INT);
    }
}
#[cfg(not(unix))]
fn interrupt(bot: &mut Child) {
    let _ = bot.start_kill();
}

type Stamps = BTreeMap<PathBuf, Option<(SystemTime, u64)>>;

/// What the bot is made from, with time and length: its manifest and env files, what lies in `src`, and what cargo says
/// went into the program (path dependencies, included files).
fn stamps(dir: &Path, program: Option<&Path>) -> Stamps {
    let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let mut files: Vec<PathBuf> =
        ["Cargo.toml", "build.rs", ".env", ".env.local"].iter().map(|f| dir.join(f)).collect();
    let mut folders = vec![dir.join("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                _ => files.push(entry.path()),
            }
        }
    }
    let inputs = program.map(|p| fs::read_to_string(p.with_extension("d")).unwrap_or_default());
    files.extend(inputs.iter().flat_map(|text| dep_info(text)));
    let stamp = |file: &Path| fs::metadata(file).ok().and_then(|m| Some((m.modified().ok()?, m.len())));
    files.into_iter().map(|file| (file.clone(), stamp(&file))).collect()
}

/// The files behind the colon of cargo's dep-info, in which a blank in a path is `\ `.
fn dep_info(text: &str) -> Vec<PathBuf> {
    let Some((_, inputs)) = text.split_once(": ") else {
        return Vec::new();
    };
    let spared = inputs.trim_end().replace("\\ ", "\0");
    spared.split(' ').filter(|f| !f.is_empty()).map(|f| PathBuf::from(f.replace('\0', " "))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dep_info_names_every_file_also_those_with_blanks() {
        let files = dep_info("/t/debug/bot: /b/my\\ src/main.rs /lib/src/lib.rs\n");
        assert_eq!(files, [PathBuf::from("/b/my src/main.rs"), PathBuf::from("/lib/src/lib.rs")]);
        assert_eq!(dep_info(""), [] as [PathBuf; 0]);
    }
}
