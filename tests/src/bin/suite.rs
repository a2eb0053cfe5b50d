//! The bot that the MCP conformance suite tests: its tools are the ones that the suite calls, by the names and with the
//! answers that the suite's requirements give.
#![allow(missing_docs)]

use bdk::{Answer, Error, LogLevel, Question, Server, prelude::*};
use std::io::Write;
use tokio::{sync::Notify, time::sleep};

/// A red dot.
const PNG: [u8; 69] = [
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0, 1, 8, 2,
    0, 0, 0, 0x90, 0x77, 0x53, 0xde, 0, 0, 0, 12, b'I', b'D', b'A', b'T', 0x78, 0x9c, 0x63, 0xf8, 0xcf, 0xc0, 0, 0, 3,
    1, 1, 0, 0xc9, 0xfe, 0x92, 0xef, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82,
];

/// A sound of no length.
const WAV: [u8; 44] = [
    b'R', b'I', b'F', b'F', 36, 0, 0, 0, b'W', b'A', b'V', b'E', b'f', b'm', b't', b' ', 16, 0, 0, 0, 1, 0, 1, 0, 0x40,
    0x1f, 0, 0, 0x40, 0x1f, 0, 0, 1, 0, 8, 0, b'd', b'a', b't', b'a', 0, 0, 0, 0,
];

// ---- results ----

/// Return a simple text.
#[tool(effect = "read")]
async fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

/// Return an image.
#[tool(effect = "read")]
async fn test_image_content() -> ToolOutput {
    ToolOutput::default().image(PNG, "image/png")
}

/// Return a sound.
#[tool(effect = "read")]
async fn test_audio_content() -> ToolOutput {
    ToolOutput::default().audio(WAV, "audio/wav")
}

/// Return a resource.
#[tool(effect = "read")]
async fn test_embedded_resource() -> ToolOutput {
    ToolOutput::default().resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")
}

/// Return a text, an image and a resource.
#[tool(effect = "read")]
async fn test_multiple_content_types() -> ToolOutput {
    ToolOutput::text("Multiple content types test:").image(PNG, "image/png").resource(
        "test://mixed-content-resource",
        "application/json",
        r#"{"test":"data","value":123}"#,
    )
}

/// Fail.
#[tool(effect = "read")]
async fn test_error_handling() -> Result<(), Error> {
    Err(Error::new("This tool intentionally returns an error for testing"))
}

// ---- input ----

/// Take an input whose schema has much of what JSON Schema 2020-12 knows.
#[tool(effect = "read", input_schema = contact_schema())]
async fn json_schema_2020_12_tool(input: Value) -> String {
    format!("Contact: {input}")
}

fn contact_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
            }
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" }
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false
    })
}

#[derive(Deserialize, JsonSchema)]
struct Query {
    /// Where to run it: a gateway reads it from the header `Mcp-Param-Region`.
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: String,
    /// What to run.
    query: String,
}

/// Run a query in a region.
#[tool(effect = "read")]
async fn test_header_param(Input(query): Input<Query>) -> String {
    format!("{} in {}", query.query, query.region)
}

// ---- what a tool says while it runs ----

const PAUSE: Duration = Duration::from_millis(50);

/// Log three messages.
#[tool(effect = "read")]
async fn test_tool_with_logging(ctx: &ToolContext) -> &'static str {
    ctx.log(LogLevel::Info, "Tool execution started").await;
    sleep(PAUSE).await;
    ctx.log(LogLevel::Info, "Tool processing data").await;
    sleep(PAUSE).await;
    ctx.log(LogLevel::Info, "Tool execution completed").await;
    "Logged three messages."
}

/// Log a message for whoever asked for messages.
#[tool(effect = "read")]
async fn test_logging_tool(ctx: &ToolContext) -> &'static str {
    ctx.log(LogLevel::Info, "This is for those alone who asked for it").await;
    "Logged a message."
}

/// Report progress.
#[tool(effect = "read")]
async fn test_tool_with_progress(ctx: &ToolContext) -> &'static str {
    ctx.progress(0, 100, "Started").await;
    sleep(PAUSE).await;
    ctx.progress(50, 100, "Half done").await;
    sleep(PAUSE).await;
    ctx.progress(100, 100, "Done").await;
    "Went from 0 to 100."
}

// ---- questions ----

fn sample(prompt: &str, most: u32) -> Question {
    let messages = json!([{ "role": "user", "content": { "type": "text", "text": prompt } }]);
    Question::request("sampling/createMessage", json!({ "messages": messages, "maxTokens": most }))
}

fn roots() -> Question {
    Question::request("roots/list", json!({}))
}

fn name() -> Question {
    Question::new("What is your name?").text("name").id("user_name")
}

/// The answer's text, or the answer as it came where it has none.
fn sampled(answer: &Answer) -> String {
    let content = answer.content().map(|c| &c["content"]);
    content.map(|c| c["text"].as_str().map_or_else(|| c.to_string(), str::to_owned)).unwrap_or_default()
}

fn told(answer: &Answer) -> String {
    let action = match answer {
        Answer::Accepted(_) => "accept",
        Answer::Declined => "decline",
        _ => "cancel",
    };
    format!("action={action}, content={}", answer.content().unwrap_or(&Value::Null))
}

/// Have the caller's model answer a prompt.
#[tool(effect = "read")]
async fn test_sampling(prompt: String, ctx: &ToolContext) -> Result<String> {
    let answer = ctx.ask(sample(&prompt, 100)).await?;
    Ok(format!("LLM response: {}", sampled(&answer)))
}

/// Ask for a name and an address.
#[tool(effect = "read")]
async fn test_elicitation(message: String, ctx: &ToolContext) -> Result<String> {
    let question = Question::new(message)
        .field("username", json!({ "type": "string", "description": "User's response" }))
        .field("email", json!({ "type": "string", "description": "User's email address" }));
    Ok(format!("User response: {}", told(&ctx.ask(question).await?)))
}

/// Ask with a form whose fields are filled in beforehand.
#[tool(effect = "read")]
async fn test_elicitation_sep1034_defaults(ctx: &ToolContext) -> Result<String> {
    let question = Question::new("Please review and update the form fields with defaults")
        .field("name", json!({ "type": "string", "default": "John Doe" }))
        .field("age", json!({ "type": "integer", "default": 30 }))
        .field("score", json!({ "type": "number", "default": 95.5 }))
        .field("status", json!({ "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" }))
        .field("verified", json!({ "type": "boolean", "default": true }));
    Ok(format!("Elicitation completed: {}", told(&ctx.ask(question).await?)))
}

/// Ask with a form of choices, in all the ways that there are to write one.
#[tool(effect = "read")]
async fn test_elicitation_sep1330_enums(ctx: &ToolContext) -> Result<String> {
    let titled = json!([
        { "const": "value1", "title": "First Option" },
        { "const": "value2", "title": "Second Option" },
        { "const": "value3", "title": "Third Option" }
    ]);
    let names = ["option1", "option2", "option3"];
    let question = Question::new("Please choose")
        .choice("untitledSingle", names)
        .field("titledSingle", json!({ "type": "string", "oneOf": titled }))
        .field(
            "legacyEnum",
            json!({
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"]
            }),
        )
        .field("untitledMulti", json!({ "type": "array", "items": { "type": "string", "enum": names } }))
        .field("titledMulti", json!({ "type": "array", "items": { "anyOf": titled } }));
    Ok(format!("Elicitation completed: {}", told(&ctx.ask(question).await?)))
}

/// Need the caller's model.
#[tool(effect = "read")]
async fn test_missing_capability(ctx: &ToolContext) -> Result<String> {
    Ok(sampled(&ctx.ask(sample("Say hello.", 10)).await?))
}

/// Ask in the middle of what is told.
#[tool(effect = "read")]
async fn test_streaming_elicitation(ctx: &ToolContext) -> Result<String> {
    ctx.progress(1, 2, "Asking").await;
    let answer = ctx.ask(name()).await?;
    ctx.progress(2, 2, "Asked").await;
    Ok(told(&answer))
}

/// Greet by name.
#[tool(effect = "read")]
async fn test_input_required_result_elicitation(ctx: &ToolContext) -> Result<String> {
    match ctx.ask(name()).await? {
        Answer::Accepted(form) => Ok(format!("Hello, {}!", form["name"].as_str().unwrap_or("you"))),
        _ => Ok("Hello!".to_owned()),
    }
}

/// Have the caller's model name a capital.
#[tool(effect = "read")]
async fn test_input_required_result_sampling(ctx: &ToolContext) -> Result<String> {
    let answer = ctx.ask(sample("What is the capital of France?", 100).id("capital_question")).await?;
    Ok(sampled(&answer))
}

/// List what the client has open.
#[tool(effect = "read")]
async fn test_input_required_result_list_roots(ctx: &ToolContext) -> Result<String> {
    let answer = ctx.ask(roots().id("client_roots")).await?;
    Ok(format!("Roots: {}", answer.content().map_or(&Value::Null, |c| &c["roots"])))
}

/// Ask, and go on from where it was.
#[tool(effect = "read")]
async fn test_input_required_result_request_state(ctx: &ToolContext) -> Result<String> {
    let answer = ctx.ask(Question::new("Please confirm").boolean("ok").id("confirm")).await?;
    Ok(format!("state-ok: {}", told(&answer)))
}

/// Ask, and go on from where it was alone.
#[tool(effect = "read")]
async fn test_input_required_result_tampered_state(ctx: &ToolContext) -> Result<String> {
    let answer = ctx.ask(Question::new("Please confirm").boolean("ok").id("confirm")).await?;
    Ok(told(&answer))
}

/// Ask three things at a time.
#[tool(effect = "read")]
async fn test_input_required_result_multiple_inputs(ctx: &ToolContext) -> Result<String> {
    let questions = [name(), sample("Generate a greeting", 50).id("greeting"), roots().id("client_roots")];
    let answers = ctx.ask_all(questions).await?;
    Ok(answers.iter().map(told).collect::<Vec<_>>().join("; "))
}

/// Ask one thing after another.
#[tool(effect = "read")]
async fn test_input_required_result_multi_round(ctx: &ToolContext) -> Result<String> {
    let name = ctx.ask(Question::new("Step 1: What is your name?").text("name").id("step1")).await?;
    let color = ctx.ask(Question::new("Step 2: What is your favorite color?").text("color").id("step2")).await?;
    Ok(format!("{}; {}", told(&name), told(&color)))
}

/// Ask the person where that is possible, and else the model.
#[tool(effect = "read")]
async fn test_input_required_result_capabilities(ctx: &ToolContext) -> Result<String> {
    let answer = if ctx.can_ask() { ctx.ask(name()).await? } else { ctx.ask(sample("Make up a name.", 10)).await? };
    Ok(told(&answer))
}

// ---- tools that come and go ----

static CHANGE: Notify = Notify::const_new();

/// Add a tool, or remove it.
#[tool(effect = "write")]
async fn test_trigger_tool_change() -> &'static str {
    CHANGE.notify_one();
    "The tools change."
}

#[bdk::main]
async fn main() -> Result<(), Error> {
    const NAME: &str = "test_passing_tool";
    let handle = Server::new().port(0).state("memory:").start().await?;
    let _ = writeln!(std::io::stdout(), "{}", handle.url()); // as `serve` does
    loop {
        CHANGE.notified().await;
        if !handle.remove_tool(NAME)? {
            let tool = ToolDefinition::new(NAME).description("Come and go.").effect(Effect::Read);
            handle.add_tool(tool.handler(async |_input: Value, _ctx: ToolContext| Ok("still here")))?;
        }
    }
}
