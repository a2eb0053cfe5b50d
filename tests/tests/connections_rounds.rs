//! Two hundred processes that are started and crash: nothing of them is left.

use bdk_tests::{Server, eventually};
use serde_json::json;
use std::fs;

const CROWD: &str = env!("CARGO_BIN_EXE_crowd");
/// How much more the bot's own memory may be after them: 5 KiB for each, half of which is what the allocator makes of them.
const MARGIN: usize = 1 << 20;

/// The state of each process that the bot started, and nobody waited for yet: `Z` is a corpse.
fn children(bot: &Server) -> Vec<String> {
    let processes = fs::read_dir("/proc").expect("processes").flatten();
    let states = processes.filter_map(|process| {
        let stat = fs::read_to_string(process.path().join("stat")).ok()?;
        let mut fields = stat.rsplit_once(") ")?.1.split(' ');
        let state = fields.next()?.to_owned();
        (fields.next()?.parse() == Ok(bot.pid())).then_some(state)
    });
    states.collect()
}

fn files(bot: &Server) -> usize {
    fs::read_dir(format!("/proc/{}/fd", bot.pid())).expect("descriptors").count()
}

/// Heap, stacks and written data that are resident, in bytes.
fn memory(bot: &Server) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", bot.pid())).expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).expect("RssAnon");
    line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") << 10
}

#[test]
fn two_hundred_that_are_started_and_crash_leave_no_corpse_no_open_file_and_no_memory() {
    let bot = Server::start_with(CROWD, &[], |bot| {
        // one arena: how many there are, and what lies idle in them, is chance
        bot.env("RUST_LOG", "warn").env("MALLOC_ARENA_MAX", "1");
    });
    let end_each = |code: u8| {
        let answer = bot.anyone().post("tools/end_each", &json!({ "input": { "code": code } })).1;
        assert_eq!(answer["isError"], false, "{answer}");
        answer["result"].as_array().expect("processes").len()
    };
    // four crashes a minute are put up with
    let all = end_each(0);
    let live = || {
        let children = children(&bot);
        (children.len() == all && !children.contains(&"Z".to_owned())).then(|| files(&bot))
    };
    let before = (eventually(live).expect("one process a connection"), memory(&bot));
    let rounds: usize = (0..3).map(|_| end_each(3)).sum();
    assert!(rounds >= 200, "{rounds}");
    let same = eventually(|| live().filter(|files| *files <= before.0));
    assert!(same.is_some(), "{} files were open, {} are; {:?}", before.0, files(&bot), children(&bot));
    let after = memory(&bot);
    assert!(after < before.1 + MARGIN, "{} kB before, {} kB after", before.1 >> 10, after >> 10);
}
