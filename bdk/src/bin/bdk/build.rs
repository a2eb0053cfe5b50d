//! Building a bot with cargo: its noise goes to stderr, its messages say where the program is.

use super::Stop;
use serde_json::Value;
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Builds the bot in this folder, and gives its program.
pub(super) fn bot(dir: &Path) -> Result<PathBuf, Stop> {
    let dir = dir.canonicalize().map_err(|e| Stop::usage(format!("--dir `{}` is no folder: {e}", dir.display())))?;
    let Some(manifest) = dir.ancestors().map(|d| d.join("Cargo.toml")).find(|m| m.is_file()) else {
        return Err(Stop::failed(format!(
            "there is no bot in `{}`, for it has no Cargo.toml: name its folder with --dir, or write one with `bdk new NAME`",
            dir.display()
        )));
    };
    let built = Command::new(cargo())
        .args(["build", "--message-format=json-render-diagnostics"])
        .current_dir(&dir)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| Stop::failed(format!("cargo cannot be run, and builds the bot: {e}")))?;
    if !built.status.success() {
        return Err(Stop::failed("the bot does not build"));
    }
    let programs = programs(&built.stdout);
    let own: Vec<&Program> = programs.iter().filter(|p| p.manifest == manifest).collect();
    let own = if own.is_empty() { programs.iter().collect() } else { own };
    match own[..] {
        [] => Err(Stop::failed(format!("`{}` has no program to run: a bot has a src/main.rs", manifest.display()))),
        [only] => Ok(only.file.clone()),
        _ => choose(&manifest, &own),
    }
}

pub(super) fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

#[derive(Debug, PartialEq, Eq)]
struct Program {
    name: String,
    file: PathBuf,
    manifest: PathBuf,
}

/// The programs that cargo's messages tell of.
fn programs(messages: &[u8]) -> Vec<Program> {
    let lines = messages.split(|b| *b == b'\n');
    let program = |line: &[u8]| {
        let message: Value = serde_json::from_slice(line).ok()?;
        let target = &message["target"];
        let bin = target["kind"].as_array()?.iter().any(|k| k == "bin");
        Some(Program {
            name: target["name"].as_str()?.to_owned(),
            file: message["executable"].as_str().filter(|_| bin)?.into(),
            manifest: message["manifest_path"].as_str()?.into(),
        })
    };
    lines.filter_map(program).collect()
}

/// Of several programs the package's `default-run`, or the one that bears its name.
fn choose(manifest: &Path, programs: &[&Program]) -> Result<PathBuf, Stop> {
    let asked = Command::new(cargo())
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path"])
        .arg(manifest)
        .stderr(Stdio::null())
        .output();
    let metadata: Value = asked.ok().and_then(|out| serde_json::from_slice(&out.stdout).ok()).unwrap_or_default();
    let path = manifest.to_str();
    let package = metadata["packages"].as_array().into_iter().flatten().find(|p| p["manifest_path"].as_str() == path);
    let wanted = |key: &str| package.and_then(|p| p[key].as_str());
    let by_name = |name: &str| programs.iter().find(|p| p.name == name);
    let found = wanted("default_run").and_then(by_name).or_else(|| wanted("name").and_then(by_name));
    found.map(|p| p.file.clone()).ok_or_else(|| {
        let names: Vec<String> = programs.iter().map(|p| format!("`{}`", p.name)).collect();
        Stop::failed(format!(
            "`{}` has several programs ({}): say which is the bot with `default-run` in its [package], or name one package with --dir",
            manifest.display(),
            names.join(", ")
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_told_from_libraries_and_build_scripts() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","manifest_path":"/d/Cargo.toml","target":{"kind":["lib"],"name":"d"},"executable":null}"#,
            "\n",
            r#"{"reason":"compiler-artifact","manifest_path":"/b/Cargo.toml","target":{"kind":["custom-build"],"name":"build"},"executable":"/t/build"}"#,
            "\n",
            r#"{"reason":"compiler-artifact","manifest_path":"/b/Cargo.toml","target":{"kind":["bin"],"name":"b"},"executable":"/t/b"}"#,
            "\n",
            r#"{"reason":"build-finished","success":true}"#,
            "\nnoise\n"
        );
        let expected = Program { name: "b".into(), file: "/t/b".into(), manifest: "/b/Cargo.toml".into() };
        assert_eq!(programs(messages.as_bytes()), [expected]);
    }
}
