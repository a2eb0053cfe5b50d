//! The baseline: what somebody would write with axum alone for the same two tools. It parses the same body and answers the same JSON, envelope
//! included, and checks nothing.
#![allow(clippy::print_stdout, reason = "the first line on stdout is the address, as in a bot")]
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "the shapes are shared with the bot, which reads other parts of them"
)]

mod shapes;

use axum::{Json, Router, routing::post, serve::ListenerExt};
use serde::{Deserialize, Serialize};
use shapes::{Inspection, Parcel, Party, Payment, Summary, Terms};

#[derive(Deserialize)]
struct Call<T> {
    input: T,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<T> {
    ok: bool,
    tool_name: &'static str,
    call_id: &'static str,
    is_error: bool,
    result: T,
    duration_ms: f64,
    attempts: u32,
    stubbed: bool,
}

fn outcome<T>(tool_name: &'static str, call_id: &'static str, result: T) -> Json<Outcome<T>> {
    Json(Outcome {
        ok: true,
        tool_name,
        call_id,
        is_error: false,
        result,
        duration_ms: 0.012,
        attempts: 1,
        stubbed: false,
    })
}

#[derive(Deserialize)]
struct Small {
    repository: String,
    branch: String,
}

async fn small(Json(call): Json<Call<Small>>) -> Json<Outcome<Inspection>> {
    outcome(
        "small",
        "tool_small_0123456789abcdef0123456789abcdef",
        Inspection::of(call.input.repository, call.input.branch),
    )
}

#[derive(Deserialize)]
struct Order {
    buyer: Party,
    seller: Party,
    parcel: Parcel,
    payment: Payment,
    terms: Terms,
}

async fn nested50(Json(call): Json<Call<Order>>) -> Json<Outcome<Summary>> {
    let Order { buyer, seller, parcel, payment, terms } = call.input;
    outcome(
        "nested50",
        "tool_nested50_0123456789abcdef0123456789abcdef",
        Summary::of(&buyer, &seller, &parcel, &payment, &terms),
    )
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let app = Router::new().route("/v1/tools/small", post(small)).route("/v1/tools/nested50", post(nested50));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    let listener = listener.tap_io(|socket| drop(socket.set_nodelay(true)));
    axum::serve(listener, app).with_graceful_shutdown(async { drop(tokio::signal::ctrl_c().await) }).await
}
