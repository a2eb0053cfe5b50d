use bdk::prelude::*;

#[connection]
fn inventory() -> impl IntoConnection {
    Connection::http("https://mcp.example.com/inventory")
        .oauth() // MISTAKE
        .advertise_tools()
}

#[connection]
fn plugins() -> impl IntoConnection {
    Connection::http("https://api.example.com/v1/mcp/plugins")
        .auth(async |session: SessionInfo| Ok(session.id)) // MISTAKE
}

#[connection]
fn process() -> impl IntoConnection {
    Connection::stdio("server")
        .oauth() // MISTAKE
}

#[connection]
fn process_of_a_session() -> impl IntoConnection {
    Connection::stdio("server")
        .auth(|_: SessionInfo| ()) // MISTAKE
}

#[connection]
fn account() -> impl IntoConnection { // MISTAKE
    Connection::account().servers(["Linear"]).advertise_tools()
}

#[connection]
fn weather() -> impl IntoConnection { // MISTAKE
    Connection::peer("weather-agent").description("Whoever asks about the weather is sent here.")
}

#[connection]
fn chosen() -> Connection {
    Connection::account()
        .into() // MISTAKE
}

fn main() {}
