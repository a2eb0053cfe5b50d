//! Typed clients of the connections' servers, `src/clients/NAME.rs`, made of `mcp.lock` and of nothing else: which files there are to be,
//! whether those that are there are these, and writing them.
//!
//! Each begins with a line that says who wrote it, with the digest of what it was made of. A file without that line is somebody's work,
//! and stays as it is.

mod code;
mod shape;
#[cfg(test)]
mod tests;
mod text;

use crate::connection::lock::{Lock, write};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};
use text::{Names, ident, snake};

/// How the first line of a file begins that is not by hand.
const WRITTEN: &str = "// Written by `mcp lock` (";

/// A file that is to be there.
#[derive(Debug, PartialEq)]
pub(super) struct Client {
    /// Its name in the folder.
    pub(super) file: String,
    pub(super) text: String,
}

/// What became of the folder.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Done {
    pub(super) written: Vec<String>,
    pub(super) removed: Vec<String>,
}

/// The folder, beside this one of the lock's; none where no sources are.
pub(super) fn folder(of_lock: &Path) -> Option<PathBuf> {
    let src = of_lock.join("src");
    src.is_dir().then(|| src.join("clients"))
}

/// The files that a lock makes, `mod.rs` first. `bdk` is what the bot calls that crate.
pub(super) fn files(lock: &Lock, bdk: &str) -> Vec<Client> {
    // the file of the folder itself
    let names = Names::without(&["mod"]);
    let connections = lock.connections.keys();
    let modules = names.all(connections.clone().map(String::as_str), |name| snake(name, "connection"), "_");
    let modules: Vec<(String, &String)> = modules.into_iter().zip(connections).collect();
    let mut mods = String::from("//! Typed clients of this bot's connections.\n\n");
    for (module, _) in &modules {
        // other settings of rustfmt would lay them out in another way
        mods.push_str(&format!("#[rustfmt::skip]\npub mod {};\n", ident(module)));
    }
    let head = |digest: String| format!("{WRITTEN}{digest}): change the connection, and run it again.\n");
    let mut files = vec![Client { file: "mod.rs".to_owned(), text: head(lock.digest()) + &mods }];
    files.extend(modules.iter().filter_map(|(module, connection)| {
        let locked = lock.connections.get(*connection)?;
        let text = head(locked.digest()) + &code::source(connection, locked, bdk);
        Some(Client { file: format!("{}.rs", ident(module).trim_start_matches("r#")), text })
    }));
    files
}

/// Why these files cannot be written: each is there already, by hand.
pub(super) fn by_hand(folder: &Path, files: &[Client]) -> Vec<PathBuf> {
    let beside = folder.with_extension("rs");
    let own = |path: &PathBuf| match fs::read_to_string(path) {
        Ok(text) => !text.starts_with(WRITTEN),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    };
    files.iter().map(|client| folder.join(&client.file)).filter(own).chain(beside.exists().then_some(beside)).collect()
}

/// What is not as the lock makes it: nothing, where no client was ever written.
pub(super) fn stale(folder: &Path, files: &[Client]) -> Vec<String> {
    let there = written(folder);
    if there.is_empty() {
        return Vec::new();
    }
    let differs = files.iter().filter(|client| there.get(&client.file) != Some(&client.text));
    let mut stale: Vec<String> = differs.map(|client| client.file.clone()).collect();
    stale.extend(there.into_keys().filter(|file| files.iter().all(|client| client.file != *file)));
    stale
}

/// The files in the folder that are not by hand.
fn written(folder: &Path) -> BTreeMap<String, String> {
    let mut there = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        // a checkout may have other ends of lines
        let text = fs::read_to_string(entry.path()).unwrap_or_default().replace("\r\n", "\n");
        if name.ends_with(".rs") && text.starts_with(WRITTEN) {
            there.insert(name, text);
        }
    }
    there
}

/// Makes the folder what it is to be. What is as it should be is not touched, so that nothing is built again for it.
///
/// # Errors
/// When a file cannot be written or removed.
pub(super) fn put(folder: &Path, files: &[Client]) -> io::Result<Done> {
    let there = written(folder);
    let mut done = Done::default();
    fs::create_dir_all(folder)?;
    for client in files.iter().filter(|client| there.get(&client.file) != Some(&client.text)) {
        write(&folder.join(&client.file), &client.text)?;
        done.written.push(client.file.clone());
    }
    for file in there.into_keys().filter(|file| files.iter().all(|client| client.file != *file)) {
        fs::remove_file(folder.join(&file))?;
        done.removed.push(file);
    }
    Ok(done)
}
