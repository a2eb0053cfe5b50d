//! `mcp lock`: writes down what the servers of the bot's connections offer, and typed clients for it.

use crate::cli::{
    args::McpLockArgs,
    clients,
    output::{self, Stop},
    signal::unless_stopped,
    validate::bdk_of,
};
use crate::{
    bot::Bot,
    connection::{
        Declared,
        lock::{FILE, Lock, Locked, differences, folder, found, write},
    },
    near,
};
use futures_util::future::join_all;
use std::{collections::BTreeSet, fmt::Write, path::Path, process::ExitCode, sync::Arc};

pub(in crate::cli) async fn run(args: McpLockArgs) -> Result<ExitCode, Stop> {
    // a pinned bot has to be locked before it can start
    let bot = Bot::load_unpinned()?;
    let asked = asked(&bot, &args.names)?;
    if asked.is_empty() && found().is_none() {
        output::note("this bot has no connection to another server: there is nothing to lock");
        return Ok(ExitCode::SUCCESS);
    }
    let was = match found().map(|found| (found.path, found.lock)) {
        None => Lock::default(),
        Some((_, Ok(lock))) => lock,
        Some((path, Err(broken))) => {
            let note = format!("{}:{}: {}; all of it is written anew", path.display(), broken.line, broken.words);
            output::warning(note);
            Lock::default()
        }
    };
    let listed = unless_stopped(join_all(asked.iter().map(|one| list(&bot, one)))).await;
    // its processes do not outlive the command
    bot.close_state().await;
    let Some(listed) = listed else { return Err(Stop::failed("ended by a signal: nothing was written")) };

    // what is not asked now stays, unless its connection is gone
    let mut now = Lock::default();
    let kept = was
        .connections
        .iter()
        .filter(|(name, _)| bot.registry().connection(name).is_some_and(|one| !one.is_authored()));
    now.connections.extend(kept.map(|(name, locked)| (name.clone(), locked.clone())));
    let mut failed = false;
    for (one, listed) in asked.iter().zip(listed) {
        match listed {
            Ok(locked) => {
                if locked.tools.iter().any(|(name, tool)| tool.holds_secret(name)) {
                    output::warning(format!(
                        "what the server of `{}` says of its tools holds a secret of this bot: do not give {FILE} away as it is",
                        one.name
                    ));
                }
                now.connections.insert(one.name.to_string(), locked);
            }
            Err(why) => {
                failed = true;
                let stays = if was.connections.contains_key(&*one.name) { ": its entry stays as it was" } else { "" };
                output::error(format!("{why}{stays}"));
            }
        }
    }
    let folder = folder();
    let mut told = changes(&was, &now);
    if args.check {
        told.push_str(&stale_clients(&folder, &now));
        if told.is_empty() && !failed {
            told = format!("{FILE} is up to date\n");
            output::print_styled(&told)?;
            return Ok(ExitCode::SUCCESS);
        }
        output::print_styled(&told)?;
        return Ok(ExitCode::FAILURE);
    }
    let clients = if args.no_clients { None } else { clients::folder(&folder) };
    let clients = clients.map(|folder| (clients::files(&now, &bdk_of()), folder));
    if let Some((files, folder)) = &clients {
        refuse(folder, files)?;
    }
    let path = folder.join(FILE);
    let cannot = |what: &Path, error| Stop::failed(format!("{} cannot be written: {error}", what.display()));
    if now != was || !path.exists() {
        write(&path, &now.write()).map_err(|error| cannot(&path, error))?;
    }
    let tools: usize = now.connections.values().map(|locked| locked.tools.len()).sum();
    let mut out = format!("{}: {} connections, {tools} tools\n{told}", path.display(), now.connections.len());
    if let Some((files, folder)) = clients.filter(|(files, folder)| files.len() > 1 || folder.exists()) {
        let done = clients::put(&folder, &files).map_err(|error| cannot(&folder, error))?;
        for (what, files) in [("written", done.written), ("removed", done.removed)] {
            if !files.is_empty() {
                let _ = writeln!(out, "{}: {} {what}", folder.display(), files.join(", "));
            }
        }
        unnamed(&folder);
    }
    output::print_styled(&out)?;
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The connections that are to be opened: those of other servers, or of these the named ones.
fn asked(bot: &Bot, names: &[String]) -> Result<Vec<Arc<Declared>>, Stop> {
    let registry = bot.registry();
    let others: Vec<&Arc<Declared>> = registry.connections().iter().filter(|one| !one.is_authored()).collect();
    for name in names {
        if others.iter().all(|one| *one.name != **name) {
            let near = near::hint(name, others.iter().map(|one| &*one.name));
            return Err(Stop::usage(format!("`{name}` is no connection to another server{near}")));
        }
    }
    let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let asked = others.into_iter().filter(|one| names.is_empty() || names.contains(&*one.name));
    Ok(asked.cloned().collect())
}

async fn list(bot: &Bot, one: &Declared) -> Result<Locked, String> {
    let listing = bot.connections().list(&one.name).await.map_err(|failed| failed.to_string())?;
    Locked::of(one, &listing).map_err(|why| format!("connection `{}`: {why}", one.name))
}

/// A line for each tool that is not as it was.
fn changes(was: &Lock, now: &Lock) -> String {
    let mut out = String::new();
    let names: BTreeSet<&String> = was.connections.keys().chain(now.connections.keys()).collect();
    for name in names {
        let none = Locked::default();
        match (was.connections.get(name), now.connections.get(name)) {
            (None, Some(locked)) => {
                let _ = writeln!(out, "  {name}: new, {} tools", locked.tools.len());
            }
            (Some(_), None) => {
                let _ = writeln!(out, "  {name}: gone");
            }
            (was, now) => {
                let (was, now) = (was.unwrap_or(&none), now.unwrap_or(&none));
                for difference in differences(&was.tools, &now.tools) {
                    let _ = writeln!(out, "  {name}: {difference}");
                }
            }
        }
    }
    out
}

fn stale_clients(folder: &Path, now: &Lock) -> String {
    let Some(folder) = clients::folder(folder) else { return String::new() };
    let stale = clients::stale(&folder, &clients::files(now, &bdk_of()));
    stale.iter().map(|file| format!("  {}: not up to date\n", folder.join(file).display())).collect()
}

/// Nothing is written where one of the files is somebody's work.
fn refuse(folder: &Path, files: &[clients::Client]) -> Result<(), Stop> {
    let by_hand: Vec<String> =
        clients::by_hand(folder, files).iter().map(|path| format!("`{}`", path.display())).collect();
    if by_hand.is_empty() {
        return Ok(());
    }
    Err(Stop::failed(format!(
        "the typed clients would stand in the place of {}, which `mcp lock` did not write: move that away, or leave the clients out with \
         `--no-clients`. Nothing was written",
        by_hand.join(", ")
    )))
}

/// Says what is missing for the clients to be part of the bot.
fn unnamed(folder: &Path) {
    let roots = ["main.rs", "lib.rs"].map(|root| folder.with_file_name(root));
    let texts: Vec<String> = roots.iter().filter_map(|root| std::fs::read_to_string(root).ok()).collect();
    if !texts.is_empty() && texts.iter().all(|text| !text.contains("mod clients;")) {
        output::note("to use the clients, write `mod clients;` in `src/main.rs`");
    }
}
