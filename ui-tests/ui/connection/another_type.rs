use bdk::prelude::*;

#[connection]
fn url() -> &'static str { // MISTAKE
    "https://mcp.example.com/mcp"
}

#[connection]
fn fallible() -> Result<Connection> { // MISTAKE
    Ok(Connection::http("https://mcp.example.com/mcp").into())
}

#[connection]
fn several() -> Vec<Connection> { // MISTAKE
    Vec::new()
}

#[connection]
fn opaque() -> impl Send { // MISTAKE
    3
}

fn main() {}
