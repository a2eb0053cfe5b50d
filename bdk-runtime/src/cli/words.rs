//! The words of a command line in the order that clap reads: `--log-format json call …` says the same as `call … --log-format json`.
//!
//! A bot without a command serves, so that options in front of a command would be those of `serve`, and refused.

use std::ffi::OsString;

/// The option that every command has.
const OPTION: &str = "--log-format";

/// The arguments with the option at their end where it stood in front of all others.
pub fn command_first(args: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut args: Vec<OsString> = args.into_iter().collect();
    let mut leading = 0;
    while let Some(word) = args.get(leading).and_then(|word| word.to_str()) {
        leading += match word.strip_prefix(OPTION) {
            Some("") if leading + 1 < args.len() => 2,
            Some(rest) if rest.starts_with('=') => 1,
            _ => break,
        };
    }
    let end = args.iter().position(|word| word == "--").unwrap_or(args.len());
    args[..end].rotate_left(leading.min(end));
    args
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_goes_behind_the_command_and_nothing_else_moves() {
        let ordered = |args: &str| {
            let args = command_first(args.split(' ').map(OsString::from));
            args.iter().map(|arg| arg.to_str().expect("text").to_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(ordered("--log-format json call t --input {}"), "call t --input {} --log-format json");
        assert_eq!(ordered("--log-format=json tools diff -- f"), "tools diff --log-format=json -- f");
        for same in
            ["call t --log-format json", "--port 0 --log-format json", "--log-format", "--log-formats json serve"]
        {
            assert_eq!(ordered(same), same);
        }
    }
}
