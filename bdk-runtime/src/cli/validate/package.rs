//! Where the sources are: the bot's package and the packages it depends on that use bdk, as cargo knows them.
//!
//! Without cargo on the machine only the bot's own package is looked at, by cargo's conventions.

use serde::Deserialize;
use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// One package whose sources are at hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Package {
    pub(super) name: String,
    /// The folder of its manifest.
    pub(super) dir: PathBuf,
    /// What it calls bdk.
    pub(super) bdk: String,
    pub(super) roots: Vec<Root>,
    /// Further crates of the package that are no part of this binary: other binaries, tests, examples.
    pub(super) elsewhere: Vec<Root>,
    /// The package that depends on it, and what that one calls it; `None` for the bot's own.
    pub(super) wanted_by: Option<(String, String)>,
}

/// One crate of a package: a file from which its modules are reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Root {
    /// As `module_path!()` begins in it.
    pub(super) krate: String,
    pub(super) file: PathBuf,
    pub(super) lib: bool,
}

/// The bot's package first, or nothing when its sources are not here.
pub(super) fn at_hand(bot: &str, program: Option<&str>) -> Vec<Package> {
    match metadata() {
        Some(metadata) => metadata.packages_of(bot, program),
        None => by_convention(bot).into_iter().collect(),
    }
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<MetaPackage>,
    resolve: Option<Resolve>,
    workspace_members: Vec<String>,
}
#[derive(Deserialize)]
struct MetaPackage {
    id: String,
    name: String,
    manifest_path: PathBuf,
    targets: Vec<Target>,
}
#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
    src_path: PathBuf,
}
#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}
#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dep>,
}
#[derive(Deserialize)]
struct Dep {
    name: String,
    pkg: String,
    dep_kinds: Vec<DepKind>,
}
#[derive(Deserialize)]
struct DepKind {
    kind: Option<String>,
}

fn metadata() -> Option<Metadata> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let out = Command::new(cargo)
        // of other platforms' packages nothing may be on this machine, and offline cargo would fail for that
        .args(["metadata", "--offline", "--format-version", "1", "--filter-platform", env!("BDK_TARGET")])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    out.status.success().then(|| serde_json::from_slice(&out.stdout).ok()).flatten()
}

impl Metadata {
    fn packages_of(&self, bot: &str, program: Option<&str>) -> Vec<Package> {
        let by_id: HashMap<&str, &MetaPackage> = self.packages.iter().map(|p| (p.id.as_str(), p)).collect();
        let nodes: HashMap<&str, &Node> =
            self.resolve.iter().flat_map(|r| &r.nodes).map(|n| (n.id.as_str(), n)).collect();
        let member = |p: &&MetaPackage| p.name == bot && self.workspace_members.contains(&p.id);
        let Some(own) = self.packages.iter().find(member) else {
            return Vec::new();
        };
        let mut out = Vec::new();
        let mut seen = HashSet::from([own.id.as_str()]);
        let mut queue = vec![(own, None::<(String, String)>)];
        while let Some((package, wanted_by)) = queue.pop() {
            let Some(node) = nodes.get(package.id.as_str()) else {
                continue;
            };
            let mut bdk = None;
            for dep in node.deps.iter().filter(|d| d.dep_kinds.iter().any(|k| k.kind.is_none())) {
                let Some(needed) = by_id.get(dep.pkg.as_str()) else {
                    continue;
                };
                match needed.name.as_str() {
                    "bdk" | "bdk-runtime" => bdk = Some(dep.name.clone()),
                    _ if seen.insert(&needed.id) => {
                        queue.push((needed, Some((package.name.clone(), dep.name.clone()))));
                    }
                    _ => {}
                }
            }
            if let Some(bdk) = bdk
                && !package.name.starts_with("bdk-runtime")
                && package.name != "bdk"
            {
                let (roots, elsewhere) = package.roots(wanted_by.is_none(), program);
                let dir = package.manifest_path.parent().map(Path::to_owned).unwrap_or_default();
                out.push(Package { name: package.name.clone(), dir, bdk, roots, elsewhere, wanted_by });
            }
        }
        // the bot's own stays first
        if let Some((_, others)) = out.split_first_mut() {
            others.sort_by(|a, b| a.name.cmp(&b.name));
        }
        out
    }
}

impl MetaPackage {
    /// The crates of this package that belong to this binary (its library, and of the bot's own binaries the one that
    /// runs), and those that do not.
    fn roots(&self, own: bool, program: Option<&str>) -> (Vec<Root>, Vec<Root>) {
        let kind = |t: &Target, kinds: &[&str]| t.kind.iter().any(|k| kinds.contains(&k.as_str()));
        let bins = || self.targets.iter().filter(|t| own && kind(t, &["bin", "example"]));
        let running = bins().find(|t| Some(t.name.as_str()) == program);
        let (mut here, mut elsewhere) = (Vec::new(), Vec::new());
        for target in self.targets.iter().filter(|t| !kind(t, &["custom-build"])) {
            let lib = kind(target, &["lib", "rlib", "dylib"]);
            let bin = match running {
                Some(running) => std::ptr::eq(running, target),
                None => own && kind(target, &["bin"]),
            };
            let root = Root { krate: target.name.replace('-', "_"), file: target.src_path.clone(), lib };
            if lib || bin { here.push(root) } else { elsewhere.push(root) }
        }
        (here, elsewhere)
    }
}

/// The package around the current folder, if it is the bot's.
fn by_convention(bot: &str) -> Option<Package> {
    let here = std::env::current_dir().ok()?;
    let dir = here.ancestors().find(|dir| package_name(&dir.join("Cargo.toml")).as_deref() == Some(bot))?;
    let krate = bot.replace('-', "_");
    let roots = [("src/main.rs", false), ("src/lib.rs", true)]
        .into_iter()
        .map(|(file, lib)| Root { krate: krate.clone(), file: dir.join(file), lib })
        .filter(|root| root.file.is_file())
        .collect();
    Some(Package {
        name: bot.to_owned(),
        dir: dir.to_owned(),
        bdk: "bdk".to_owned(),
        roots,
        elsewhere: Vec::new(),
        wanted_by: None,
    })
}

/// `name` of `[package]`.
fn package_name(manifest: &Path) -> Option<String> {
    let text = std::fs::read_to_string(manifest).ok()?;
    let package = text.split("[package]").nth(1)?.split("\n[").next()?.to_owned();
    let line = package.lines().find_map(|line| line.trim().strip_prefix("name")?.trim_start().strip_prefix('='))?;
    Some(line.trim().trim_matches(['"', '\'']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What cargo tells of a bot with a library, one bin beside, an extension by path and one that only builds need.
    const METADATA: &str = r#"{
      "workspace_members": ["bot#1"],
      "packages": [
        {"id": "bot#1", "name": "bot", "manifest_path": "/w/bot/Cargo.toml", "targets": [
          {"name": "bot", "kind": ["bin"], "src_path": "/w/bot/src/main.rs"},
          {"name": "other", "kind": ["bin"], "src_path": "/w/bot/src/bin/other.rs"},
          {"name": "my-lib", "kind": ["lib"], "src_path": "/w/bot/src/lib.rs"}]},
        {"id": "jev#1", "name": "jev", "manifest_path": "/w/jev/Cargo.toml", "targets": [
          {"name": "jev", "kind": ["lib"], "src_path": "/w/jev/src/lib.rs"},
          {"name": "demo", "kind": ["bin"], "src_path": "/w/jev/src/main.rs"}]},
        {"id": "cc#1", "name": "cc", "manifest_path": "/r/cc/Cargo.toml", "targets": []},
        {"id": "bdk#1", "name": "bdk", "manifest_path": "/w/bdk/Cargo.toml", "targets": []}],
      "resolve": {"nodes": [
        {"id": "bot#1", "deps": [
          {"name": "kit", "pkg": "bdk#1", "dep_kinds": [{"kind": null}]},
          {"name": "renamed", "pkg": "jev#1", "dep_kinds": [{"kind": null}]},
          {"name": "cc", "pkg": "cc#1", "dep_kinds": [{"kind": "build"}]}]},
        {"id": "jev#1", "deps": [{"name": "bdk", "pkg": "bdk#1", "dep_kinds": [{"kind": "dev"}, {"kind": null}]}]},
        {"id": "cc#1", "deps": [{"name": "bdk", "pkg": "bdk#1", "dep_kinds": [{"kind": null}]}]},
        {"id": "bdk#1", "deps": []}]}}"#;

    #[test]
    fn the_crates_of_a_binary_are_its_own_bin_the_library_and_what_it_depends_on() {
        let metadata: Metadata = serde_json::from_str(METADATA).expect("metadata");
        let packages = metadata.packages_of("bot", Some("bot"));
        let roots = |p: &Package| p.roots.iter().map(|r| (r.krate.clone(), r.lib)).collect::<Vec<_>>();
        assert_eq!(packages.len(), 2, "{packages:?}");
        assert_eq!((packages[0].name.as_str(), packages[0].bdk.as_str()), ("bot", "kit"));
        assert_eq!(roots(&packages[0]), [("bot".to_owned(), false), ("my_lib".to_owned(), true)]);
        assert_eq!(packages[0].elsewhere[0].krate, "other");
        assert_eq!(packages[1].wanted_by, Some(("bot".to_owned(), "renamed".to_owned())));
        assert_eq!(roots(&packages[1]), [("jev".to_owned(), true)]);
    }

    #[test]
    fn another_projects_sources_are_not_the_bots() {
        let metadata: Metadata = serde_json::from_str(METADATA).expect("metadata");
        assert_eq!(metadata.packages_of("stranger", None), []);
    }
}
