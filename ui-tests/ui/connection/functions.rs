use bdk::prelude::*;

#[connection]
async fn later() -> impl IntoConnection { // MISTAKE
    Connection::http("https://mcp.example.com/mcp")
}

#[connection]
fn nothing() { // MISTAKE
    let _ = Connection::http("https://mcp.example.com/mcp");
}

#[connection]
fn takes(
    token: String, // MISTAKE
) -> impl IntoConnection {
    Connection::http("https://mcp.example.com/mcp").header("authorization", token)
}

#[connection(advertise)] // MISTAKE
fn options() -> impl IntoConnection {
    Connection::http("https://mcp.example.com/mcp")
}

fn main() {}
