//! What asks a command to end.

/// Waits for SIGINT, SIGTERM, or SIGHUP where that is not ignored (`nohup`); where the system has no such signals, for Ctrl-C.
///
/// Not public API: for the binary `bdk`.
pub async fn stop_asked() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let (Ok(mut int), Ok(mut term)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate())) {
            let mut hup = if ignores_hangup() { None } else { signal(SignalKind::hangup()).ok() };
            let hung_up = async {
                match &mut hup {
                    Some(hup) => hup.recv().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                _ = int.recv() => {}
                _ = term.recv() => {}
                _ = hung_up => {}
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// What comes of it, unless the command is asked to end first: None then, and it is left.
#[cfg(feature = "connections")]
pub(in crate::cli) async fn unless_stopped<T>(what: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        done = what => Some(done),
        () = stop_asked() => None,
    }
}

/// Whether whoever started the process wants it to outlive its terminal. A handler of ours once set says nothing of that any more.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    static IGNORES: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        // SIGHUP is signal 1, the lowest bit
        ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
    });
    *IGNORES
}
