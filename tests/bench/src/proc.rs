//! Child processes: servers that say their address, what they use of processor and memory, and the core they are held to.

use anyhow::{Context, Result, bail, ensure};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Linux counts processor time for /proc in hundredths of a second, whatever the kernel's own tick is.
const TICKS_PER_SECOND: f64 = 100.0;

/// Where servers run, and where the load generator does.
pub(crate) const SERVER_CORE: usize = 0;
pub(crate) const LOAD_CORE: usize = 1;

/// Whether processes can be held to one core each here.
pub(crate) fn can_pin() -> bool {
    thread::available_parallelism().is_ok_and(|cores| cores.get() > 1)
        && Command::new("taskset")
            .arg("-V")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
}

/// A command that runs on `core` alone, or anywhere where that cannot be had.
pub(crate) fn pinned(program: impl AsRef<OsStr>, core: Option<usize>) -> Command {
    match core {
        Some(core) if can_pin() => {
            let mut command = Command::new("taskset");
            command.arg("-c").arg(core.to_string()).arg(program);
            command
        }
        _ => Command::new(program),
    }
}

/// A running server. Killed when dropped.
pub(crate) struct Server {
    child: Child,
    /// Held open, so that a server that prints more isn't ended by a broken pipe.
    _stdout: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts `command` and waits for the line with its address. Logs at level warn, as the figures ask for.
    pub(crate) fn start(mut command: Command) -> Result<Server> {
        command.env("RUST_LOG", "warn").stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let mut stdout = BufReader::new(child.stdout.take().context("no stdout")?);
        let mut line = String::new();
        stdout.read_line(&mut line)?;
        match address_in(&line) {
            Some(address) => Ok(Server { child, _stdout: stdout, address }),
            None => {
                drop(child.kill());
                bail!("{command:?} printed no address but {line:?} ({})", child.wait()?);
            }
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks the server to end, as Ctrl-C would, and waits for it.
    pub(crate) fn interrupt(mut self) -> Result<ExitStatus> {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status()?;
        ensure!(sent.success(), "kill failed");
        let deadline = Instant::now() + Duration::from_secs(30);
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            thread::sleep(Duration::from_millis(5));
        }
        bail!("the server did not end within 30 s of an interrupt");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The address in a line such as `http://127.0.0.1:3000/weather/v1`.
fn address_in(line: &str) -> Option<SocketAddr> {
    let from = line.split_once("http://")?.1;
    from.split(|c: char| c != ':' && c != '.' && !c.is_ascii_digit()).next()?.parse().ok()
}

/// User and system seconds of a process so far, from its stat file's fields `first` and the one after it.
fn seconds(stat: &str, first: usize) -> Result<f64> {
    // the process's name stands in parentheses and may hold spaces: fields are counted behind it, from field 3 on
    let behind = stat.rsplit_once(") ").context("an odd stat file")?.1;
    let fields: Vec<&str> = behind.split(' ').collect();
    let ticks = |field: usize| -> Result<f64> { Ok(fields.get(field - 3).context("a short stat file")?.parse()?) };
    Ok((ticks(first)? + ticks(first + 1)?) / TICKS_PER_SECOND)
}

/// Processor seconds that a running process has used.
pub(crate) fn cpu_of(process: u32) -> Result<f64> {
    seconds(&std::fs::read_to_string(format!("/proc/{process}/stat"))?, 14)
}

/// Processor seconds that this process has used itself.
pub(crate) fn own_cpu() -> Result<f64> {
    seconds(&std::fs::read_to_string("/proc/self/stat")?, 14)
}

/// Processor seconds of all ended children of this process, and of theirs.
pub(crate) fn children_cpu() -> Result<f64> {
    seconds(&std::fs::read_to_string("/proc/self/stat")?, 16)
}

/// Anonymous resident memory (heap, stacks, written data) of a running process, in bytes.
pub(crate) fn anonymous_memory(process: u32) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).context("no RssAnon in /proc")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<u64>()? * 1024)
}

/// The size of a file without its symbols, in bytes.
pub(crate) fn stripped_size(binary: &Path) -> Result<u64> {
    let copy = binary.with_extension("stripped");
    let status =
        Command::new("strip").arg("-o").arg(&copy).arg(binary).status().context("`strip` (Debian: binutils)")?;
    ensure!(status.success(), "strip failed on {}", binary.display());
    let size = std::fs::metadata(&copy)?.len();
    std::fs::remove_file(copy)?;
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_found_in_a_url_with_or_without_a_path() {
        let address: SocketAddr = "127.0.0.1:3000".parse().unwrap();
        assert_eq!(address_in("http://127.0.0.1:3000\n"), Some(address));
        assert_eq!(address_in("listening on http://127.0.0.1:3000/weather-agent/v1\n"), Some(address));
        assert_eq!(address_in("error: port in use"), None);
    }

    #[test]
    fn a_process_name_with_spaces_and_parentheses_does_not_shift_the_fields() {
        let stat = "7 (a (b) c) S 1 7 7 0 -1 4194560 1 2 3 4 150 50 700 300 20 0";
        assert_eq!(seconds(stat, 14).unwrap(), 2.0);
        assert_eq!(seconds(stat, 16).unwrap(), 10.0);
    }
}
