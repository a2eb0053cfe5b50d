use bdk::prelude::*;

#[connection]
fn no_connection() -> impl IntoConnection { // MISTAKE
    "https://mcp.example.com/mcp"
}

#[connection]
fn forgets_into(/* which `-> Connection` needs */) -> Connection {
    Connection::http("https://mcp.example.com/mcp") // MISTAKE
}

fn main() {}
