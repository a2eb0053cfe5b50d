//! `bdk new NAME`: a bot that builds, passes its own test and can be called at once.

use super::{Stop, say};
use clap::Args;
use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

#[derive(Debug, Args)]
pub(super) struct NewArgs {
    /// The bot's name, or the path of the folder to make; its last part is the name
    #[arg(value_name = "NAME")]
    pub(super) name: PathBuf,
    /// The checkout of bdk to depend on [default: the one this program was built from]
    #[arg(long, value_name = "PATH", conflicts_with = "bdk_git")]
    bdk_path: Option<PathBuf>,
    /// The git repository of bdk to depend on
    #[arg(long, value_name = "URL")]
    bdk_git: Option<String>,
}

pub(super) fn run(args: &NewArgs) -> Result<ExitCode, Stop> {
    let name = args.name.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    legal(name).map_err(|why| Stop::usage(format!("`{}` is no name for a bot: {why}", args.name.display())))?;
    let bdk = dependency(args)?;
    let dir = &args.name;
    if fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()) || dir.is_file() {
        return Err(Stop::failed(format!("`{}` is there already, and not empty", dir.display())));
    }
    let files = [
        ("Cargo.toml", include_str!("new/Cargo.toml.txt").replace("{{name}}", name).replace("{{bdk}}", &bdk)),
        ("src/main.rs", include_str!("new/main.rs.txt").to_owned()),
        (".gitignore", include_str!("new/gitignore.txt").to_owned()),
    ];
    for (file, text) in files {
        let file = dir.join(file);
        write(&file, &text).map_err(|e| Stop::failed(format!("`{}` cannot be written: {e}", file.display())))?;
    }
    say(format_args!(
        "`{name}` is written. Try it:\n\n  cd {}\n  cargo test\n  cargo run -- call count_words --input '{{\"text\":\"to be or not to be\"}}'\n  cargo run",
        dir.display()
    ));
    Ok(ExitCode::SUCCESS)
}

fn write(file: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(file, text)
}

/// What stands behind `bdk =` in the manifest.
fn dependency(args: &NewArgs) -> Result<String, Stop> {
    // a JSON string of printable text is a TOML one
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    if let Some(url) = &args.bdk_git {
        return Ok(format!("{{ git = {} }}", quoted(url)));
    }
    let built_from = Path::new(env!("CARGO_MANIFEST_DIR"));
    let given = args.bdk_path.as_deref().unwrap_or(built_from);
    let found = [given.join("bdk"), given.to_owned()].into_iter().find(|dir| is_bdk(dir));
    let found = found.and_then(|dir| dir.canonicalize().ok());
    match (found.as_ref().and_then(|dir| dir.to_str()), &args.bdk_path) {
        (Some(path), _) => Ok(format!("{{ path = {} }}", quoted(path))),
        (None, Some(path)) => Err(Stop::usage(format!("--bdk-path `{}` is no checkout of bdk", path.display()))),
        (None, None) => Err(Stop::usage(
            "the checkout that this `bdk` was built from is gone: say where bdk is with --bdk-path PATH or --bdk-git URL",
        )),
    }
}

fn is_bdk(dir: &Path) -> bool {
    fs::read_to_string(dir.join("Cargo.toml"))
        .is_ok_and(|text| text.lines().any(|line| line.trim() == "name = \"bdk\""))
}

/// A package's name, as cargo and rustc take it.
fn legal(name: &str) -> Result<(), String> {
    const KEYWORDS: &str = " abstract as async await become box break const continue crate do dyn else enum extern false final fn for gen \
        if impl in let loop macro match mod move mut override priv pub ref return self static struct super trait true try type typeof \
        unsafe unsized use virtual where while yield ";
    /// Crates that a bot's name would hide from its own code.
    const TAKEN: &str = " alloc bdk core proc_macro schemars serde std test ";
    let among = |list: &str| list.contains(&format!(" {} ", name.replace('-', "_")));
    let first = name.chars().next();
    if !first.is_some_and(|c| c.is_ascii_alphabetic() || c == '_') {
        Err("it must begin with a letter".to_owned())
    } else if let Some(c) = name.chars().find(|c| !c.is_ascii_alphanumeric() && *c != '_' && *c != '-') {
        Err(format!("it holds `{c}`; letters, digits, `-` and `_` are allowed"))
    } else if name.len() > 64 {
        Err("it has more than 64 characters".to_owned())
    } else if among(KEYWORDS) {
        Err("it is a word of Rust's own".to_owned())
    } else if among(TAKEN) {
        Err("a crate that every bot may use has that name".to_owned())
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_cargo_or_the_bot_itself_would_stumble_over_are_refused() {
        for name in ["", "9lives", "a b", "ünder", "a/b", "fn", "bdk", "std", "proc-macro", &"x".repeat(65)] {
            assert!(legal(name).is_err(), "{name}");
        }
        for name in ["weather", "my-bot", "_x", "bdk-weather"] {
            assert_eq!(legal(name), Ok(()), "{name}");
        }
    }
}
