//! The load generator: keep-alive connections that each send the same request again as soon as its answer is there. It runs as a process of
//! its own (`bdk-bench __load …`), so that it can be held to one core and the server to another.

use crate::exchange::Exchange;
use crate::http;
use crate::proc::{self, LOAD_CORE, Server};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::io::Write;
use std::net::SocketAddr;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What a run of load has shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Measured {
    /// Calls a second, answered within the measured time.
    pub(crate) rate: f64,
    /// Latencies in microseconds.
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    /// Processor time of the server for one call, in microseconds.
    pub(crate) server_cpu: f64,
    /// The share of the time in which the server, and the generator, kept their core busy.
    pub(crate) server_busy: f64,
    pub(crate) generator_busy: f64,
}

/// Loads `server` with `connections` for `lasting`, after a warm-up.
pub(crate) fn load(
    server: &Server,
    exchange: Exchange,
    connections: usize,
    warm_up: Duration,
    lasting: Duration,
) -> Result<Measured> {
    let requests = exchange.requests(server.address, connections)?;
    let requests: Vec<String> = requests.into_iter().map(String::from_utf8).collect::<Result<_, _>>()?;
    let before = proc::cpu_of(server.id())?;
    let mut generator = proc::pinned(std::env::current_exe()?, Some(LOAD_CORE))
        .args(["__load", &server.address.to_string()])
        .args([warm_up.as_millis().to_string(), lasting.as_millis().to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()?;
    let mut stdin = generator.stdin.take().context("no stdin")?;
    stdin.write_all(&serde_json::to_vec(&requests)?)?;
    drop(stdin);
    let output = generator.wait_with_output()?;
    ensure!(output.status.success(), "the load generator failed on {exchange:?} with {connections} connections");
    let server_seconds = proc::cpu_of(server.id())? - before;
    let told: Value = serde_json::from_slice(&output.stdout)?;
    let number = |name: &str| told[name].as_f64().with_context(|| format!("the load generator told no {name}"));
    Ok(Measured {
        rate: number("measuredCalls")? / number("measuredSeconds")?,
        p50: number("p50")?,
        p99: number("p99")?,
        server_cpu: server_seconds / number("calls")? * 1e6,
        server_busy: server_seconds / number("seconds")?,
        generator_busy: number("cpu")? / number("seconds")?,
    })
}

/// The generator itself: its arguments are an address and two times in milliseconds, and its stdin has the requests as JSON, one a connection.
/// Prints one line of JSON.
pub(crate) fn generate(arguments: &[String]) -> Result<Value> {
    let [address, warm_up, lasting] = arguments else {
        anyhow::bail!("__load ADDRESS WARM-UP LASTING");
    };
    let address: SocketAddr = address.parse()?;
    let requests: Vec<String> = serde_json::from_reader(std::io::stdin().lock())?;
    let start = Instant::now();
    let from = start + Duration::from_millis(warm_up.parse()?);
    let until = from + Duration::from_millis(lasting.parse()?);

    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let (calls, mut latencies) = runtime.block_on(async {
        let running: Vec<_> = requests
            .into_iter()
            .map(|request| tokio::spawn(connection(address, request.into_bytes(), from, until)))
            .collect();
        let mut calls = 0;
        let mut latencies = Vec::new();
        for one in running {
            let (count, measured) = one.await??;
            calls += count;
            latencies.extend(measured);
        }
        anyhow::Ok((calls, latencies))
    })?;

    ensure!(!latencies.is_empty(), "no call was answered within the measured time");
    latencies.sort_unstable();
    Ok(json!({
        "calls": calls,
        "seconds": start.elapsed().as_secs_f64(),
        "measuredCalls": latencies.len(),
        "measuredSeconds": (until - from).as_secs_f64(),
        "p50": quantile(&latencies, 0.50) / 1e3,
        "p99": quantile(&latencies, 0.99) / 1e3,
        "cpu": proc::own_cpu()?,
    }))
}

/// One connection's calls until the end: how many in all, and the latencies of those within the measured time, in nanoseconds.
async fn connection(address: SocketAddr, request: Vec<u8>, from: Instant, until: Instant) -> Result<(u64, Vec<u32>)> {
    let mut socket = TcpStream::connect(address).await?;
    socket.set_nodelay(true)?;
    let mut buffer = vec![0; 64 << 10];
    let mut calls = 0;
    let mut latencies = Vec::new();
    loop {
        let sent = Instant::now();
        if sent >= until {
            return Ok((calls, latencies));
        }
        socket.write_all(&request).await?;
        let mut filled = 0;
        loop {
            if filled == buffer.len() {
                buffer.resize(filled * 2, 0);
            }
            let read = socket.read(&mut buffer[filled..]).await?;
            ensure!(read > 0, "the server closed a connection");
            filled += read;
            if http::answer_length(&buffer[..filled])?.is_some_and(|length| length <= filled) {
                break;
            }
        }
        let answered = Instant::now();
        if calls == 0 {
            http::ensure_success(&buffer[..filled])?;
        }
        calls += 1;
        if sent >= from && answered < until {
            latencies.push(u32::try_from((answered - sent).as_nanos()).unwrap_or(u32::MAX));
        }
    }
}

/// The value below which a share of the sorted values lies.
fn quantile(sorted: &[u32], share: f64) -> f64 {
    let last = sorted.len() - 1;
    f64::from(sorted[((last as f64) * share).round() as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_one_to_a_hundred() {
        let values: Vec<u32> = (1..=101).collect();
        assert_eq!(quantile(&values, 0.5), 51.0);
        assert_eq!(quantile(&values, 0.99), 100.0);
        assert_eq!(quantile(&[7], 0.99), 7.0);
    }
}
