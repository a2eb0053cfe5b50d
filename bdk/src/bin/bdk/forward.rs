//! Every command but `new` and `dev` is the bot's own: build it, and become it.

use super::{Stop, build};
use bdk::__private::command_first;
use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

/// The arguments, with `--dir` taken out wherever it stood before a `--`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Args {
    pub(super) dir: Option<PathBuf>,
    pub(super) rest: Vec<OsString>,
}

impl Args {
    pub(super) fn split(args: impl IntoIterator<Item = OsString>) -> Result<Self, Stop> {
        let (mut dir, mut rest) = (None, Vec::new());
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            let given = match arg.to_str() {
                Some("--") => {
                    rest.push(arg);
                    rest.extend(args);
                    break;
                }
                Some("--dir") => {
                    Some(args.next().ok_or_else(|| Stop::usage("--dir needs the bot's folder behind it"))?)
                }
                Some(text) => text.strip_prefix("--dir=").map(OsString::from),
                None => None,
            };
            match given {
                Some(given) if dir.is_none() => dir = Some(PathBuf::from(given)),
                Some(_) => return Err(Stop::usage("--dir is given twice")),
                None => rest.push(arg),
            }
        }
        Ok(Self { dir, rest: command_first(rest) })
    }

    /// Whether an option is among them, as `--name VALUE` or `--name=VALUE`.
    pub(super) fn has(&self, option: &str) -> bool {
        let given = |arg: &OsString| {
            arg.to_str()
                .and_then(|a| a.strip_prefix(option))
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
        };
        self.rest.iter().take_while(|a| *a != "--").any(given)
    }

    /// Makes the files among the arguments independent of the folder the bot runs in.
    fn anchored(mut self) -> Self {
        if self.dir.is_none() {
            return self;
        }
        let words: Vec<Option<&str>> = self.rest.iter().map(|a| a.to_str()).collect();
        let mut anchored: Vec<(usize, OsString)> = Vec::new();
        for (i, word) in words.iter().enumerate() {
            let before = i.checked_sub(1).and_then(|i| words[i]);
            let file = match word {
                Some(word) if before == Some("--input") => word.strip_prefix('@').map(|f| ("@", f)),
                Some(word) if before == Some("--state") => folder(word).map(|f| ("", f)),
                Some(word) => {
                    let state = || word.strip_prefix("--state=").and_then(folder).map(|f| ("--state=", f));
                    word.strip_prefix("--input=@").map(|f| ("--input=@", f)).or_else(state)
                }
                None => None,
            };
            if let Some((prefix, file)) = file {
                anchored.push((i, joined(prefix, file.as_ref())));
            }
        }
        if let [Some("tools"), Some("diff"), ..] = words[..]
            && let Some((i, file)) =
                // the file is the one word there that is neither an option nor what the one option with a value says
                self
                    .rest
                    .iter()
                    .enumerate()
                    .skip(2)
                    .find(|(i, a)| !a.as_encoded_bytes().starts_with(b"-") && self.rest[i - 1] != "--log-format")
        {
            anchored.push((i, joined("", file)));
        }
        for (i, arg) in anchored {
            self.rest[i] = arg;
        }
        self
    }
}

/// A state that is kept in a folder, and not at a URL or nowhere.
fn folder(state: &str) -> Option<&str> {
    (!state.is_empty() && state != "memory:" && !state.contains("://")).then_some(state)
}

fn joined(prefix: &str, file: &OsStr) -> OsString {
    let mut out = OsString::from(prefix);
    out.push(std::path::absolute(Path::new(file)).unwrap_or_else(|_| file.into()));
    out
}

/// Builds the bot and runs it in its folder, in this process' place.
pub(super) fn run(args: Args) -> Result<ExitCode, Stop> {
    let args = args.anchored();
    let dir = args.dir.as_deref().unwrap_or(Path::new("."));
    let program = build::bot(dir)?;
    let mut bot = Command::new(&program);
    bot.args(&args.rest);
    if args.dir.is_some() {
        bot.current_dir(dir);
    }
    become_it(bot).map_err(|e| Stop::failed(format!("`{}` cannot be run: {e}", program.display())))
}

/// The bot takes this process over: its signals and its exit code are its own.
#[cfg(unix)]
fn become_it(mut bot: Command) -> std::io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(bot.exec())
}

#[cfg(not(unix))]
fn become_it(mut bot: Command) -> std::io::Result<ExitCode> {
    let code = bot.status()?.code().and_then(|c| u8::try_from(c).ok());
    Ok(ExitCode::from(code.unwrap_or(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(args: &[&str]) -> Args {
        Args::split(args.iter().map(OsString::from)).expect("arguments")
    }

    #[test]
    fn the_folder_may_stand_anywhere_and_the_rest_goes_on() {
        for args in [&["--dir", "x", "call", "t"][..], &["call", "--dir", "x", "t"], &["call", "t", "--dir=x"]] {
            assert_eq!(split(args), Args { dir: Some("x".into()), rest: vec!["call".into(), "t".into()] });
        }
        assert_eq!(split(&["call", "--", "--dir"]).dir, None);
        // so that it is known which command it is
        assert_eq!(split(&["--dir", "x", "--log-format", "json", "info"]).rest, ["info", "--log-format", "json"]);
        assert!(Args::split(["--dir".into()]).is_err() && Args::split(["--dir=a".into(), "--dir=b".into()]).is_err());
    }

    #[test]
    fn files_are_those_of_the_caller() {
        let here = std::env::current_dir().expect("a folder");
        let at = |file: &str| here.join(file).into_os_string().into_string().expect("text");
        let args = split(&["call", "t", "--input", "@in.json", "--dir", "x"]).anchored();
        assert_eq!(args.rest[3], OsString::from(format!("@{}", at("in.json"))));
        let args = split(&["call", "t", "--input=@in.json", "--dir", "x"]).anchored();
        assert_eq!(args.rest[2], OsString::from(format!("--input=@{}", at("in.json"))));
        let args = split(&["tools", "diff", "old.json", "--dir", "x"]).anchored();
        assert_eq!(args.rest[2], OsString::from(at("old.json")));
        let args = split(&["tools", "diff", "--log-format", "json", "old.json", "--dir", "x"]).anchored();
        assert_eq!(args.rest[3..], ["json".into(), OsString::from(at("old.json"))]);
        let args = split(&["sessions", "--state", "kept", "--dir", "x"]).anchored();
        assert_eq!(args.rest[2], OsString::from(at("kept")));
        let args = split(&["trace", "ses_1", "--state=kept", "--dir", "x"]).anchored();
        assert_eq!(args.rest[2], OsString::from(format!("--state={}", at("kept"))));
        for elsewhere in ["memory:", "postgres://h/d", ""] {
            assert_eq!(split(&["serve", "--state", elsewhere, "--dir", "x"]).anchored().rest[2], elsewhere);
        }
        let args = split(&["call", "t", "--input", "{\"to\":\"@ann\"}", "--dir", "x"]).anchored();
        assert_eq!(args.rest[3], OsString::from("{\"to\":\"@ann\"}"));
    }
}
