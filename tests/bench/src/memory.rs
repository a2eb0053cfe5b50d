//! What an idle session of the 2025 protocols holds of memory, and whether all of it comes back. The bot counts its own heap; resident memory is
//! the system's, which the allocator gives back later if at all.

use crate::bots::{Bots, Kind};
use crate::cargo::Cargo;
use crate::exchange::{close_session, open_session};
use crate::http::{self, Client};
use crate::proc::{self, Server};
use crate::report::{Figure, Goal, Report};
use crate::subject::Subject;
use anyhow::{Context, Result, ensure};

const SECTION: &str = "memory";
/// As many as the bot keeps.
const SESSIONS: usize = 10_000;

pub(crate) fn measure(bots: &Bots, report: &mut Report) -> Result<()> {
    let cargo = Cargo::new(bots);
    eprintln!("opening {SESSIONS} sessions");
    let rmcp = resident_of_each(&Subject::rmcp_with_sessions(&cargo)?.start()?)?;
    let counting = Subject::fast(&cargo, Kind::Counting)?;
    let bot = resident_of_each(&counting.start()?)?;
    let figure = Figure::new(SECTION, "resident, for each of 10,000 idle sessions, against bare rmcp", "kB", bot);
    report.add(figure.baseline(rmcp).goal(Goal::AtMost(8.0)));

    let server = counting.start()?;
    let mut client = Client::connect(server.address)?;
    warm_up(&mut client, &server)?;
    let before = heap(&mut client, &server)?;
    let first = open(&mut client, &server)?;
    let full = heap(&mut client, &server)?;
    let each = (full - before) / SESSIONS as f64 / 1e3;
    report.add(Figure::new(SECTION, "heap, for each of 10,000 idle sessions", "kB", each).goal(Goal::AtMost(8.0)));

    let ended = close(&mut client, &server, &first)?;
    ensure!(ended == SESSIONS, "{ended} sessions were there to be ended, not {SESSIONS}");
    let after = heap(&mut client, &server)?;
    report.add(back("heap after all of 10,000 sessions were ended, against before them", after, before));

    // those that come when the table is full take the place of those that were idle longest
    let mut all = open(&mut client, &server)?;
    let full = heap(&mut client, &server)?;
    all.extend(open(&mut client, &server)?);
    let after = heap(&mut client, &server)?;
    report.add(back("heap after 10,000 more sessions than the table takes, against the full table", after, full));
    let ended = close(&mut client, &server, &all)?;
    ensure!(ended <= SESSIONS, "{ended} sessions were kept, more than the table takes");
    let after = heap(&mut client, &server)?;
    report.add(back("heap after all sessions were evicted or ended, against before them", after, before));
    report.note(format!(
        "memory: the heap is what the bot's allocator has given out and not got back, {:.0} kB before the first session, after one was opened and ended a hundred times.",
        before / 1e3
    ));
    Ok(())
}

fn back(what: &str, after: f64, before: f64) -> Figure {
    Figure::new(SECTION, what, "kB", after / 1e3).baseline(before / 1e3).goal(Goal::Within(0.01))
}

/// Whatever is made on the first requests.
fn warm_up(client: &mut Client, server: &Server) -> Result<()> {
    for _ in 0..100 {
        let id = open_session(client, server.address)?;
        close_session(client, server.address, &id)?;
    }
    Ok(())
}

fn open(client: &mut Client, server: &Server) -> Result<Vec<String>> {
    (0..SESSIONS).map(|_| open_session(client, server.address)).collect()
}

/// Ends sessions, and says how many of them there were.
fn close(client: &mut Client, server: &Server, ids: &[String]) -> Result<usize> {
    let mut ended = 0;
    for id in ids {
        ended += usize::from(close_session(client, server.address, id)?);
    }
    Ok(ended)
}

/// Kilobytes of resident memory for each idle session.
fn resident_of_each(server: &Server) -> Result<f64> {
    let mut client = Client::connect(server.address)?;
    warm_up(&mut client, server)?;
    let before = proc::anonymous_memory(server.id())?;
    open(&mut client, server)?;
    let after = proc::anonymous_memory(server.id())?;
    Ok(after.saturating_sub(before) as f64 / SESSIONS as f64 / 1e3)
}

/// Bytes of the bot's heap.
fn heap(client: &mut Client, server: &Server) -> Result<f64> {
    let body = r#"{"input":{}}"#;
    let request = format!(
        "POST /v1/tools/heap HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        server.address,
        body.len()
    );
    // twice, so that it is the same buffers that every count finds in use
    client.send(request.as_bytes())?;
    let answer = client.send(request.as_bytes())?;
    http::messages(answer)?[0]["result"]["live"].as_f64().context("the bot told no heap")
}
