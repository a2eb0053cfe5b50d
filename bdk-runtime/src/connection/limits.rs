//! How long, how much and how often: one place, so that tests can be short of patience.

use std::time::Duration;

#[derive(Debug, Clone)]
pub(crate) struct Limits {
    pub(crate) open: Duration,
    /// Whether the server speaks MCP without sessions is asked for so long; the SDK's own ten seconds are a third of [`open`](Self::open).
    pub(crate) probe: Duration,
    pub(crate) list: Duration,
    /// Where the connection says nothing.
    pub(crate) call: Duration,
    /// After a request that was not answered in time, a sign of life is waited for so long; and that a server takes in answers to
    /// what it asks.
    pub(crate) ping: Duration,
    /// How often in a row the stream of an answer may end and be asked for again in vain.
    pub(crate) resumptions: usize,
    /// Calls at once on one connection; others wait.
    pub(crate) in_flight: usize,
    /// Bytes of one message of a server.
    pub(crate) message: usize,
    /// Bytes of one tool's definition.
    pub(crate) tool: usize,
    pub(crate) tools: usize,
    /// So long the tools of those that answer first wait for the others', so that their names do not depend on who was first.
    pub(crate) gathering: Duration,
    /// So long whoever asks for all tools waits for a server, and then for it no more until it has answered.
    pub(crate) patience: Duration,
    /// Between two looks at servers that say that their tools changed: some say it all the time.
    pub(crate) between_changes: Duration,
    pub(crate) pages: usize,
    /// How old a listing may be of a server that has no way to say that its tools changed, or where a pin refuses changes.
    pub(crate) listed: Duration,
    /// Failures in a row after which it is not tried for a while.
    pub(crate) failures: u32,
    /// Crashes of a process within [`crash_window`](Self::crash_window), likewise.
    pub(crate) crashes: usize,
    pub(crate) crash_window: Duration,
    pub(crate) pause: Duration,
    pub(crate) longest_pause: Duration,
    /// Processes of authored connections at once, and how long one stays that no call needed.
    pub(crate) processes: usize,
    pub(crate) idle: Duration,
    /// What a process has for going by itself once its stdin is closed, and again once it was asked.
    pub(crate) grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            open: seconds(30),
            probe: seconds(3),
            list: seconds(30),
            call: seconds(300),
            ping: seconds(10),
            resumptions: 100,
            in_flight: 32,
            message: 16 << 20,
            tool: 1 << 20,
            tools: 5_000,
            gathering: seconds(2),
            patience: seconds(10),
            between_changes: seconds(1),
            pages: 1_000,
            listed: seconds(60),
            failures: 5,
            crashes: 5,
            crash_window: seconds(60),
            pause: seconds(5),
            longest_pause: seconds(60),
            processes: 64,
            idle: seconds(300),
            grace: seconds(2),
        }
    }
}
