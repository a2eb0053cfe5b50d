//! Whether `mcp.lock`, the connections and the typed clients go together. No server is asked.

use crate::{
    connection::lock::{FILE, found, problems},
    registry::{Problem, Registry},
};

pub(super) fn check(registry: &Registry, bdk: &str) -> Vec<Problem> {
    let found = found();
    let mut told = problems(registry, found.as_ref());
    let Some((path, Ok(lock))) = found.map(|found| (found.path, found.lock)) else { return told };
    for name in lock.connections.keys() {
        if registry.connection(name).is_none_or(|one| one.is_authored()) {
            let why = format!("it has an entry of `{name}`, which is no connection to another server: run `mcp lock`");
            told.push(at(&path.display().to_string(), "lock_left_over", why));
        }
    }
    #[cfg(feature = "mcp")]
    if let Some(folder) = path.parent().and_then(crate::cli::clients::folder) {
        use crate::cli::clients;
        for file in clients::stale(&folder, &clients::files(&lock, bdk)) {
            let why = format!("this typed client is not what {FILE} makes of it: run `mcp lock`, which writes it anew");
            told.push(at(&folder.join(file).display().to_string(), "client_stale", why));
        }
    }
    #[cfg(not(feature = "mcp"))]
    let _ = (bdk, FILE);
    told
}

fn at(place: &str, code: &'static str, why: String) -> Problem {
    let mut problem = Problem::warning(code, None, why);
    problem.place = Some(place.to_owned());
    problem
}
