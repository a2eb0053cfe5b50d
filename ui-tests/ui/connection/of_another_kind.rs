//! What one kind of connection has and another has not.
use bdk::prelude::*;

#[connection]
fn variable() -> impl IntoConnection {
    Connection::http("https://mcp.example.com/mcp")
        .env("TOKEN", "${TOKEN}") // MISTAKE
}

#[connection]
fn arguments() -> impl IntoConnection {
    Connection::http("https://mcp.example.com/mcp")
        .args(["--verbose"]) // MISTAKE
        .advertise_tools()
}

#[connection]
fn header() -> impl IntoConnection {
    Connection::stdio("server")
        .header("authorization", "Bearer ${TOKEN}") // MISTAKE
}

#[connection]
fn own() -> impl IntoConnection {
    Connection::authored()
        .cwd("folder") // MISTAKE
}

#[connection]
fn any() -> Connection {
    let any: Connection = Connection::http("https://mcp.example.com/mcp").into();
    any.header("authorization", "Bearer ${TOKEN}") // MISTAKE
}

fn main() {}
