//! The baseline of the figures of connections: rmcp's client alone, over HTTP with one pooled reqwest client, which its own default is not, or over
//! stdin and stdout.
//!
//! `bare-client URL|PROGRAM CALLERS WARM-UP LASTING` (milliseconds) calls `small` again and again, and prints how many times a second, as JSON.
#![allow(clippy::print_stdout, missing_docs, reason = "a program that reports")]

use rmcp::{
    RoleClient, ServiceExt,
    model::{CallToolRequestParams, JsonObject, ProtocolVersion},
    service::{ClientInitializeError, ClientLifecycleMode, ClientServiceExt, RunningService},
    transport::{
        StreamableHttpClientTransport, TokioChildProcess, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use std::{
    error::Error,
    sync::Arc,
    time::{Duration, Instant},
};

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [server, callers, warm_up, lasting] = &arguments[..] else {
        return Err("bare-client URL|PROGRAM CALLERS WARM-UP LASTING".into());
    };
    let (warm_up, lasting) = (Duration::from_millis(warm_up.parse()?), Duration::from_millis(lasting.parse()?));
    let client = Arc::new(open(server).await?);
    let from = Instant::now() + warm_up;
    let until = from + lasting;
    let mut calling = tokio::task::JoinSet::new();
    for _ in 0..callers.parse::<u32>()? {
        let client = client.clone();
        calling.spawn(async move {
            let mut counted = 0_u64;
            while Instant::now() < until {
                let sent = Instant::now();
                let mut input = JsonObject::new();
                input.insert("repository".into(), "bdk".into());
                input.insert("branch".into(), "main".into());
                let answer = client.call_tool(CallToolRequestParams::new("small").with_arguments(input)).await?;
                if answer.is_error == Some(true) {
                    return Err(Failure::from("the call failed"));
                }
                counted += u64::from(sent >= from && Instant::now() < until);
            }
            Ok(counted)
        });
    }
    let mut counted = 0;
    while let Some(ended) = calling.join_next().await {
        counted += ended??;
    }
    println!("{{\"rate\":{}}}", counted as f64 / lasting.as_secs_f64());
    Ok(())
}

/// With the lifecycle that a bot takes by itself: the newest version that the server speaks over HTTP, the usual one over stdio.
async fn open(server: &str) -> Result<RunningService<RoleClient, ()>, Failure> {
    if server.starts_with("http") {
        let http = reqwest::Client::builder().tcp_nodelay(true).build()?;
        let begin = |mode| {
            let config = StreamableHttpClientTransportConfig::with_uri(server.to_owned());
            ().serve_with_lifecycle(StreamableHttpClientTransport::with_client(http.clone(), config), mode)
        };
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        return Ok(match begin(ClientLifecycleMode::Auto { preferred_versions, legacy_version: None }).await {
            Err(ClientInitializeError::NoCompatibleProtocolVersion { .. }) => {
                begin(ClientLifecycleMode::Initialize).await?
            }
            begun => begun?,
        });
    }
    let mut command = tokio::process::Command::new(server);
    command.arg("stdio");
    Ok(().serve(TokioChildProcess::new(command)?).await?)
}
