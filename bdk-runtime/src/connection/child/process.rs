//! A process: started in a group of its own, waited for, and ended with everything that it started.

use super::{
    notes::{self, MARK, Noted, Notes},
    program,
    stderr::Tail,
};
use crate::connection::failed::{Failed, Kind};
use rustix::process::Signal;
use std::{
    ffi::OsString,
    io,
    path::Path,
    process::{ExitStatus, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{
    process::{Child, ChildStdin, ChildStdout, Command},
    sync::{oneshot, watch},
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

/// What is to be started.
pub(in crate::connection) struct Order<'a> {
    pub(in crate::connection) connection: &'a str,
    pub(in crate::connection) program: &'a str,
    pub(in crate::connection) args: &'a [String],
    pub(in crate::connection) env: Vec<(OsString, OsString)>,
    pub(in crate::connection) cwd: Option<&'a Path>,
    pub(in crate::connection) grace: Duration,
}

pub(in crate::connection) struct Started {
    pub(in crate::connection) stdin: ChildStdin,
    pub(in crate::connection) stdout: ChildStdout,
    /// Told when the process is gone. Others that it started may hold its stdout open.
    pub(in crate::connection) gone: oneshot::Receiver<()>,
    pub(in crate::connection) process: Process,
}

/// A running process. Dropped, it is killed with all of its group, whether or not a runtime is left.
pub(in crate::connection) struct Process {
    group: Arc<Group>,
    stop: CancellationToken,
    ended: watch::Receiver<Option<Ended>>,
    tail: Arc<Tail>,
}

/// How it ended.
#[derive(Debug, Clone)]
pub(in crate::connection) struct Ended {
    /// With its last words.
    pub(in crate::connection) words: String,
    /// Neither asked to, nor in good order.
    pub(in crate::connection) crashed: bool,
}

/// The processes that it and those below it started.
struct Group {
    leader: i32,
    gone: AtomicBool,
}

impl Group {
    fn kill(&self) {
        if !self.gone.load(Ordering::Acquire) {
            // what is gone already cannot be killed
            let _ = notes::kill_group(self.leader);
        }
    }
    /// Once the leader is waited for, its number may be another's.
    fn kill_the_rest(&self) {
        self.kill();
        self.gone.store(true, Ordering::Release);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Order<'_> {
    /// Starts it.
    ///
    /// # Errors
    /// Why it cannot be, and what to do.
    pub(in crate::connection) fn start(&self, notes: &Notes) -> Result<Started, Failed> {
        let lasting = |words: String| Failed::bare(Kind::Open, words);
        let path = self.env.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.as_os_str());
        let program = program::find(self.program, path).map_err(lasting)?;
        if let Some(folder) = self.cwd.filter(|folder| !folder.is_dir()) {
            let words = format!("`{}` starts in {}, which is no folder", self.program, folder.display());
            return Err(lasting(words));
        }
        let mut command = Command::new(&program);
        command.args(self.args).env_clear().envs(self.env.iter().map(|(name, value)| (name, value))).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = self.cwd {
            command.current_dir(folder);
        }
        // before it is there: who is killed in between leaves it findable
        let mut noted = notes.begin(self.connection);
        command.env(MARK, noted.mark());
        let mut child = command.spawn().map_err(|error| {
            let transient = matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::ExecutableFileBusy);
            lasting(unstarted(&program, &error)).transient(transient)
        })?;
        let leader = child.id().and_then(|id| i32::try_from(id).ok()).unwrap_or_default();
        let group = Arc::new(Group { leader, gone: AtomicBool::new(false) });
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            return Err(lasting(format!("`{}` has no pipes", self.program)));
        };
        noted.started(leader);
        let (stop, tail) = (CancellationToken::new(), Arc::new(Tail::default()));
        let ((told, ended), (tell_gone, gone)) = (watch::channel(None), oneshot::channel());
        let mut listening = {
            let (tail, connection) = (tail.clone(), self.connection.to_owned());
            AbortOnDropHandle::new(tokio::spawn(async move { tail.listen(&connection, stderr).await }))
        };
        let watching = Watch { child, group: group.clone(), _noted: noted, stop: stop.clone(), grace: self.grace };
        let (name, last) = (self.program.to_owned(), tail.clone());
        tokio::spawn(async move {
            let (status, asked) = watching.until_gone().await;
            // nobody of its group is left who could hold the pipe, but one that left the group may
            if timeout(Duration::from_secs(1), &mut listening).await.is_err() {
                listening.abort();
                // until it is let go, with what was said last
                let _ = listening.await;
            }
            let words = format!("`{name}` {}{}", described(&status), last.quoted());
            let crashed = !asked && !status.is_ok_and(|status| status.success());
            told.send_replace(Some(Ended { words, crashed }));
            // where nobody reads its stdout any more, nobody asks
            let _ = tell_gone.send(());
        });
        Ok(Started { stdin, stdout, gone, process: Process { group, stop, ended, tail } })
    }
}

fn unstarted(program: &Path, error: &io::Error) -> String {
    let program = program.display();
    match error.kind() {
        io::ErrorKind::NotFound => {
            format!("`{program}` cannot be started: what its first line (`#!…`) names, or its loader, is not there")
        }
        io::ErrorKind::PermissionDenied => format!("`{program}` may not be executed here: {error}"),
        _ => format!("`{program}` cannot be started: {error}"),
    }
}

fn described(status: &io::Result<ExitStatus>) -> String {
    use std::os::unix::process::ExitStatusExt;
    match status {
        Ok(status) => match (status.code(), status.signal()) {
            (Some(code), _) => format!("ended with exit code {code}"),
            (None, Some(signal)) => format!("was ended by signal {signal}"),
            (None, None) => "ended".to_owned(),
        },
        Err(error) => format!("cannot be waited for: {error}"),
    }
}

/// Waits for a process, so that nothing is left of it.
struct Watch {
    child: Child,
    group: Arc<Group>,
    /// Until it is gone.
    _noted: Noted,
    stop: CancellationToken,
    grace: Duration,
}

impl Watch {
    /// How it ended, and whether it was asked to.
    async fn until_gone(mut self) -> (io::Result<ExitStatus>, bool) {
        let ended = tokio::select! {
            status = self.child.wait() => (status, false),
            () = self.stop.cancelled() => (self.asked().await, true),
        };
        self.group.kill_the_rest();
        ended
    }

    /// Its stdin is closed: it goes by itself, or at a signal, or is killed.
    async fn asked(&mut self) -> io::Result<ExitStatus> {
        if let Ok(status) = timeout(self.grace, self.child.wait()).await {
            return status;
        }
        let _ = notes::signal_group(self.group.leader, Signal::TERM);
        if let Ok(status) = timeout(self.grace, self.child.wait()).await {
            return status;
        }
        self.group.kill();
        self.child.wait().await
    }
}

impl Drop for Watch {
    /// Where the runtime goes down before the process.
    fn drop(&mut self) {
        self.group.kill();
    }
}

impl Process {
    /// Asks it to go, and waits until it is gone.
    pub(in crate::connection) async fn stop(&self) {
        self.stop.cancel();
        let _ = self.ended.clone().wait_for(Option::is_some).await;
    }
    pub(in crate::connection) async fn ended(&self) -> Option<Ended> {
        self.ended.clone().wait_for(Option::is_some).await.ok()?.clone()
    }
    /// Its last words so far.
    pub(in crate::connection) fn said(&self) -> String {
        self.tail.quoted()
    }
    pub(in crate::connection) fn is_running(&self) -> bool {
        // how it ended is told a little later, with its last words
        !self.group.gone.load(Ordering::Acquire)
    }
    #[cfg(test)]
    pub(in crate::connection) fn pid(&self) -> i32 {
        self.group.leader
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.group.kill();
    }
}
