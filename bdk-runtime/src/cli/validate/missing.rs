//! Attributes in the source that registered nothing: a file without its `mod`, a crate that no code names, an item that a
//! `#[cfg]` leaves out.

use super::{
    items::{self, Item},
    package::{Package, Root},
};
use crate::{
    connection::ConnectionRef,
    registry::Problem,
    tool::{At, ProviderRef, ToolRef, ToolsDef},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// Where every item stands that this binary holds.
pub(super) fn registered() -> Vec<At> {
    let tools = inventory::iter::<ToolRef>().map(|t| t.0.at);
    let made = inventory::iter::<ToolsDef>().map(|t| t.at);
    let providers = inventory::iter::<ProviderRef>().map(|p| p.0.at);
    let connections = inventory::iter::<ConnectionRef>().map(|c| c.0.at);
    tools.chain(made).chain(providers).chain(connections).collect()
}

/// What the packages' sources declare beyond that.
pub(super) fn find(packages: &[Package], registered: &[At]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let own = packages.first();
    for package in packages {
        let here: Vec<Place> =
            registered.iter().filter(|at| at.krate == package.name).map(|at| place(package, at)).collect();
        let mut reached = BTreeSet::new();
        for root in &package.roots {
            let sources = walk(root, &package.bdk, &mut reached);
            crate_of(package, own, root, &sources, &here, &mut problems);
        }
        for root in &package.elsewhere {
            walk(root, &package.bdk, &mut reached);
        }
        undeclared(package, &reached, &mut problems);
    }
    problems
}

/// A registered item's file, as far as it can be found on this machine, and its line.
type Place = (PathBuf, u32);

/// `file!()` stands relative to the folder cargo was started for: the package's or one above it.
fn place(package: &Package, at: &At) -> Place {
    let found = package.dir.ancestors().map(|dir| dir.join(at.file)).find(|file| file.is_file());
    (real(&found.unwrap_or_else(|| PathBuf::from(at.file))), at.line)
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The files of one crate.
#[derive(Default)]
struct Sources {
    items: Vec<(PathBuf, Item)>,
    extension: bool,
}

/// Follows the `mod` lines from a crate's root.
fn walk(root: &Root, bdk: &str, reached: &mut BTreeSet<PathBuf>) -> Sources {
    let mut out = Sources::default();
    let folder = root.file.parent().unwrap_or(Path::new("")).to_owned();
    let mut queue = vec![(root.file.clone(), folder, Vec::<String>::new())];
    let mut seen = BTreeSet::new();
    while let Some((file, folder, around)) = queue.pop() {
        let file = real(&file);
        let Ok(source) = std::fs::read_to_string(&file) else {
            continue;
        };
        reached.insert(file.clone());
        if !seen.insert(file.clone()) {
            continue;
        }
        let read = items::read(&source, bdk);
        out.extension |= read.extension;
        let under = |cfg: &[String]| around.iter().chain(cfg).cloned().collect::<Vec<_>>();
        for module in read.modules {
            let (name, outer) = module.path.split_last().map(|(n, o)| (n.as_str(), o)).unwrap_or_default();
            let inner = outer.iter().fold(folder.clone(), |folder, module| folder.join(module));
            let beside = inner.join(format!("{name}.rs"));
            let target = match &module.file {
                // rustc reads a `path` relative to the file's own folder, unless inline modules are around it
                Some(by_hand) if outer.is_empty() => file.parent().unwrap_or(Path::new("")).join(by_hand),
                Some(by_hand) => inner.join(by_hand),
                None if beside.is_file() => beside,
                None => inner.join(name).join("mod.rs"),
            };
            let below = match &module.file {
                Some(_) => target.parent().unwrap_or(Path::new("")).to_owned(),
                None => inner.join(name),
            };
            queue.push((target, below, under(&module.cfg)));
        }
        out.items.extend(read.items.into_iter().map(|item| {
            let cfg = under(&item.cfg);
            (file.clone(), Item { cfg, ..item })
        }));
    }
    out.items.sort_by(|a, b| (&a.0, a.1.lines).cmp(&(&b.0, b.1.lines)));
    out
}

/// Compares one crate's source with what it registered.
fn crate_of(
    package: &Package,
    own: Option<&Package>,
    root: &Root,
    sources: &Sources,
    registered: &[Place],
    problems: &mut Vec<Problem>,
) {
    let mut missing = Vec::new();
    let mut present = false;
    for (file, item) in &sources.items {
        let found = registered.iter().any(|(at, line)| at == file && (item.lines.0..=item.lines.1).contains(line));
        present |= found;
        if !found && !item.cfg.iter().any(|c| c == "test") {
            missing.push((file, item));
        }
    }
    let (left_out, lost): (Vec<_>, Vec<_>) = missing.into_iter().partition(|(_, item)| !item.cfg.is_empty());
    if root.lib && !present && !lost.is_empty() {
        problems.push(unlinked(package, own.unwrap_or(package), root, sources.extension, &lost));
        return;
    }
    for (file, item) in left_out {
        let why =
            format!("`{}` is not in this binary: `#[cfg({})]` leaves it out", item.name, item.cfg.join(")]`, `#[cfg("));
        problems.push(told("left_out", package, file, item.lines.1, why));
    }
    for (file, item) in lost {
        let why = format!("`{}` registered nothing: this binary is older than its source; build it again", item.name);
        problems.push(told("not_registered", package, file, item.lines.1, why));
    }
}

fn unlinked(package: &Package, own: &Package, root: &Root, extension: bool, lost: &[(&PathBuf, &Item)]) -> Problem {
    let names: Vec<String> = lost.iter().take(3).map(|(_, item)| format!("`{}`", item.name)).collect();
    let more = if lost.len() > 3 { format!(" and {} more", lost.len() - 3) } else { String::new() };
    let main = || "`src/main.rs`".to_owned();
    let (bdk, called, whose) = match &package.wanted_by {
        None => (own.bdk.as_str(), root.krate.as_str(), main()),
        Some((by, name)) if *by == own.name => (own.bdk.as_str(), name.as_str(), main()),
        Some((by, name)) => ("bdk", name.as_str(), format!("the crate `{by}`")),
    };
    let way = if extension { "install" } else { "link" };
    let (file, item) = lost[0];
    let why = format!(
        "the crate `{}` is not in this binary, because no code names it: {}{more} {} missing. Write `{bdk}::{way}!({called});` in {whose}",
        root.krate,
        names.join(", "),
        if lost.len() == 1 { "is" } else { "are" },
    );
    told("not_linked", package, file, item.lines.1, why)
}

/// Files below `src` that no crate of the package reaches.
fn undeclared(package: &Package, reached: &BTreeSet<PathBuf>, problems: &mut Vec<Problem>) {
    let src = real(&package.dir.join("src"));
    let mut by_file: BTreeMap<PathBuf, Vec<Item>> = BTreeMap::new();
    for file in rust_files(&src) {
        if reached.contains(&file) || file.starts_with(src.join("bin")) || file == src.join("main.rs") {
            continue;
        }
        let items = std::fs::read_to_string(&file).map(|s| items::read(&s, &package.bdk).items).unwrap_or_default();
        if !items.is_empty() {
            by_file.insert(file, items);
        }
    }
    for (file, items) in by_file {
        let names: Vec<String> = items.iter().map(|i| format!("`{}`", i.name)).collect();
        let mut lines = Vec::new();
        let mut at = file.clone();
        // a folder of modules may be unknown as a whole
        while !reached.contains(&at) && at.starts_with(&src) && lines.len() < 8 {
            let (module, parent) = parent_of(&at, &src);
            let shown = parent.strip_prefix(src.parent().unwrap_or(&src)).unwrap_or(&parent);
            lines.push(format!("`mod {module};` in `{}`", shown.display()));
            at = parent;
        }
        let why = format!(
            "no module declares this file, so that {} registered nothing: write {}",
            names.join(", "),
            lines.join(" and ")
        );
        problems.push(told("no_mod", package, &file, items[0].lines.1, why));
    }
}

/// The module a file would be, and the file its `mod` line belongs into.
fn parent_of(file: &Path, src: &Path) -> (String, PathBuf) {
    let stem = |p: &Path| p.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let folder = file.parent().unwrap_or(src);
    let (module, above) = match stem(file).as_str() {
        "mod" => (stem(folder), folder.parent().unwrap_or(src)),
        name => (name.to_owned(), folder),
    };
    let candidates = if above == src {
        [src.join("main.rs"), src.join("lib.rs")]
    } else {
        [above.with_extension("rs"), above.join("mod.rs")]
    };
    let parent = candidates.iter().find(|c| c.is_file()).unwrap_or(&candidates[0]);
    (module, parent.clone())
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let mut queue = vec![folder.to_owned()];
    while let Some(folder) = queue.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            // not through links: they may lead in a circle
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => queue.push(entry.path()),
                Ok(_) if entry.path().extension().is_some_and(|e| e == "rs") => out.push(real(&entry.path())),
                _ => {}
            }
        }
    }
    out
}

/// A warning; its file as seen from the current folder, else from the package, else in full.
fn told(code: &'static str, package: &Package, file: &Path, line: u32, message: String) -> Problem {
    let here = std::env::current_dir().map(|d| real(&d)).unwrap_or_default();
    let short = file.strip_prefix(&here).or_else(|_| file.strip_prefix(real(&package.dir))).unwrap_or(file);
    let mut problem = Problem::warning(code, None, message);
    problem.place = Some(format!("{}:{line}", short.display()));
    problem
}
