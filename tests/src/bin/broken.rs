//! A bot with everything wrong that the compiler cannot see, because it spans functions.
#![allow(missing_docs)]

use bdk::prelude::*;
use std::sync::Arc;

/// The first of two.
#[tool]
fn twin() {}

mod elsewhere {
    use bdk::prelude::*;

    /// The second of two.
    #[tool]
    fn twin() {}

    /// The second of two, and without tools.
    #[connection]
    fn doubled() -> impl IntoConnection {
        Connection::stdio("doubled")
    }

    mod idle {
        use bdk::prelude::*;

        #[connection]
        fn without_tools() -> impl IntoConnection {
            Connection::authored()
        }
    }
}

struct Twice;

#[provide]
fn twice() -> Twice {
    Twice
}

#[provide]
fn twice_again() -> Twice {
    Twice
}

trait Store: Send + Sync {}

/// Needs what nobody makes.
#[tool]
fn unmet(_store: &Arc<dyn Store>, _twice: &Twice) {}

struct Chicken;
struct Egg;

#[provide]
fn chicken(_egg: &Egg) -> Chicken {
    Chicken
}

#[provide]
fn egg(_chicken: &Chicken) -> Egg {
    Egg
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Query {
    since: String,
    count: u32,
}

/// Bounds what is not there, and what is no text.
#[tool(effect = "read", time_args = ["sinse", "count"])]
fn bounds(Input(_query): Input<Query>) {}

/// Has a schema that is no object.
#[tool(effect = "read", input_schema = json!({ "type": "string" }))]
fn no_object(_input: Value) {}

/// Has a schema that is none.
#[tool(effect = "read", input_schema = json!({ "type": "object", "properties": { "a": { "type": "text" } } }))]
fn no_schema(_input: Value) {}

/// Has rules that mean nothing, and a default that breaks its own.
#[tool(effect = "read")]
fn misfit(
    #[arg(range(min = 1))] _name: String,
    #[arg(coerce)] _text: String,
    #[arg(range(max = 3), default = 7)] _few: u32,
) {
}

/// Has a schema whose making panics.
#[tool(effect = "read", input_schema = std::panic::panic_any("no schema"))]
fn panicking_schema(_input: Value) {}

#[tools]
fn panics() -> Vec<ToolDefinition> {
    std::panic::panic_any("at the start")
}

#[tools]
fn made() -> Vec<ToolDefinition> {
    let nothing = async |_: Value, _: ToolContext| Ok(());
    vec![
        ToolDefinition::new("no name").description("Has a blank in it.").handler(nothing),
        ToolDefinition::new("wordless").handler(nothing),
        ToolDefinition::new("idle").description("Has no handler."),
        ToolDefinition::new("again").description("Is tried again.").effect(Effect::Write).attempts(2).handler(nothing),
    ]
}

#[connection]
fn doubled() -> impl IntoConnection {
    Connection::stdio("doubled")
}

/// Says what nobody should.
#[connection]
fn leaky() -> impl IntoConnection {
    Connection::http("https://leaky:hunter2@mcp.example.com/mcp")
        .header("authorization", "Bearer ${hunter2")
        .tools(["search"])
}

/// Has templates where there are none.
#[connection]
fn templated() -> impl IntoConnection {
    Connection::stdio("${HOME}/server").args(["--token=${TOKEN}"])
}

#[connection]
fn falls() -> Connection {
    std::panic::panic_any("at the start")
}

#[bdk::main]
async fn main() -> ExitCode {
    bdk::serve().await
}
