//! The attributes of bdk, the Bot Development Kit. Nothing here runs in a bot.
//!
//! Use them through the crate `bdk`, whose documentation has the examples that run: those here show how a thing is
//! written, and cannot be compiled without that crate.
//!
//! Every attribute reports all mistakes of its item at once, each on the token that is wrong, and gives the author's
//! function back as it was written.

mod args;
mod connection;
mod ctxt;
mod docs;
mod krate;
mod lent;
mod main_fn;
mod once;
mod prompt;
mod provide;
mod run;
mod shown;
mod sig;
mod test_fn;
#[cfg(test)]
mod tests;
mod tool;
mod tools;
mod usual;

use proc_macro::TokenStream;

/// Makes a tool of a function: its name is the tool's, its doc comment the description that the model reads, its
/// parameters the input.
///
/// The function stays as it was written: callable, testable, documented.
///
/// ```ignore
/// use bdk::prelude::*;
///
/// /// Publish a release.
/// #[tool(effect = "write", dry_run_result = |version| format!("would publish {version}"))]
/// async fn publish(
///     /// The version, such as `1.4.0`.
///     version: String,
///     #[arg(length(min = 8))] key: String,
///     ctx: &ToolContext,
/// ) -> Result<String> {
///     registry().publish(&version, &key).await?;
///     Ok(format!("published {version} in call {}", ctx.call_id()))
/// }
/// ```
///
/// An owned parameter is a property of the input; a reference is lent by the runtime: `&ToolContext`, or what a
/// [`macro@provide`] function made. `Input(q): Input<Query>` is the whole input as the author's own type.
///
/// | option | value | meaning |
/// | --- | --- | --- |
/// | `name`, `title`, `description` | a string, or a `&'static str` constant | default: the function's name, none, the doc comment |
/// | `effect` | `"read"`, `"write"`, a closure or a path to a function that gives an `Effect` | undeclared is treated as a write |
/// | `dry_run_result` | a closure or a path that gives the tool's success type | what a dry run answers instead of a write |
/// | `check` | a closure or a path that gives `Result<(), impl Display>` | a rule across parameters, when each is valid by itself |
/// | `time_args` | `["since", "until"]` | bounded under asOf; the names of text or instant parameters |
/// | `output_schema` | alone, or an expression that gives a `Value` | advertises the result type's schema, or this one |
/// | `input_schema` | an expression that gives a `Value` | advertised as it is, beside the one parameter `input: Value` |
/// | `unknown_fields` | `"ignore"` | default: an unknown property is refused |
/// | `rename_all` | `"camelCase"` and serde's other cases | the properties' names |
/// | `timeout` | `"500ms"`, `"30s"`, `"2m"`, `"1h"`, `"none"` | default: 5 minutes |
/// | `attempts` | a whole number | of a read: how often it is tried in all, default 3 |
/// | `idempotent`, `destructive`, `open_world` | alone | MCP annotations beyond what `effect` says |
/// | `needs_approval` | alone | runs only when a person says yes to the exact input: see below |
/// | `crate` | an absolute path | where `bdk` lives, if it is renamed |
///
/// A closure names some of the tool's own parameters and is lent their values, after defaults and validation. A path
/// is to a function that takes a reference to each owned parameter, in order.
///
/// `needs_approval` asks whom `ctx.ask` asks: the user of an MCP client that declares `elicitation`, and whoever sits at the
/// terminal of `BOT call` (both stdin and stderr a terminal, and not with `--url`). Where nobody can be asked, the call is
/// refused. The words are bdk's own, so that a person knows what they say yes to; for words of yours, `ctx.ask` in the body.
///
/// An `async fn` runs on the bot's threads and awaits; a plain `fn` runs on a thread of its own and may block. There,
/// `ctx.block_on(…)` is for what an `async fn` awaits: `ctx.block_on(ctx.ask("Go on?"))?`,
/// `ctx.block_on(ctx.progress(1, 2, "half of it"))`.
///
/// On a parameter, `#[arg(…)]` takes:
///
/// | option | meaning |
/// | --- | --- |
/// | `name = "prUrl"` | the property's name |
/// | `default = EXPR`, `default` | its value when it is left out; alone, the type's own default |
/// | `range(min = 1, max = 14)`, `exclusive_min`, `exclusive_max` | bounds of a number |
/// | `length(min = 1, max = 40)`, `equal` | of a text or a list |
/// | `pattern = "^[a-z]+$"`, `format = "email"` | of a text |
/// | `inner(…)` | rules for the items of a list |
/// | `extend("key" = json)` | further schema keywords |
/// | `coerce` | takes `"3"` for a number, `"true"` for a bool |
/// | `preprocess = path` | a `fn(Value) -> Value` before validation |
#[proc_macro_attribute]
pub fn tool(args: TokenStream, item: TokenStream) -> TokenStream {
    run::attribute::<tool::ToolAttribute>(args.into(), item.into()).into()
}

/// Registers tools made from data.
///
/// ```ignore
/// use bdk::prelude::*;
///
/// #[tools]
/// fn generated() -> Vec<ToolDefinition> {
///     let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] });
///     let echo = ToolDefinition::new("echo").description("Repeats a text.").input_schema(schema).effect(Effect::Read);
///     vec![echo.handler(async |input: Value, _: ToolContext| Ok(input["text"].clone()))]
/// }
/// ```
///
/// The one option is `crate = ::path`.
#[proc_macro_attribute]
pub fn tools(args: TokenStream, item: TokenStream) -> TokenStream {
    run::attribute::<tools::ToolsAttribute>(args.into(), item.into()).into()
}

/// Makes what tools share: once, where it is first needed, lent to whoever takes a reference to its type.
///
/// ```ignore
/// use bdk::prelude::*;
///
/// #[provide]
/// async fn database(settings: &Settings) -> Result<PgPool> {
///     Ok(PgPool::connect(&settings.url).await?)
/// }
///
/// /// Count the orders.
/// #[tool(effect = "read")]
/// async fn count_orders(db: &PgPool) -> Result<i64> {
///     Ok(sqlx::query_scalar("select count(*) from orders").fetch_one(db).await?)
/// }
/// ```
///
/// Sync or async, giving `T` or `Result<T, E>`; its parameters are references to what other providers make. The one
/// option is `crate = ::path`.
#[proc_macro_attribute]
pub fn provide(args: TokenStream, item: TokenStream) -> TokenStream {
    run::attribute::<provide::ProvideAttribute>(args.into(), item.into()).into()
}

/// Declares a connection: another server's tools, in this bot. The function's name is the connection's, its doc comment
/// says what the server is good for.
///
/// ```ignore
/// use bdk::prelude::*;
///
/// /// The team's issues and projects.
/// #[connection]
/// fn linear() -> impl IntoConnection {
///     Connection::http("https://mcp.linear.app/mcp").header("authorization", "Bearer ${LINEAR_TOKEN}")
/// }
///
/// /// Only the bot's own code calls this one.
/// #[connection(host)]
/// fn files() -> impl IntoConnection {
///     Connection::stdio("mcp-server-filesystem").args(["/srv/data"]).only_reads()
/// }
/// ```
///
/// A plain function without parameters, which runs once, when the bot loads: nothing is opened in it, and no secret is
/// read. `${NAME}` in a header or in a process's environment is kept as written, and read each time a client opens. One
/// that chooses at load returns `Connection`, with `.into()`.
///
/// | option | value | meaning |
/// | --- | --- | --- |
/// | `host` | alone | no model sees it, only the bot's own code calls it |
/// | `crate` | an absolute path | where `bdk` lives, if it is renamed |
#[proc_macro_attribute]
pub fn connection(args: TokenStream, item: TokenStream) -> TokenStream {
    run::attribute::<connection::ConnectionAttribute>(args.into(), item.into()).into()
}

/// The `main` of a bot: loads `.env.local` and `.env` before any thread starts, records the package's name and version
/// as the bot's identity, and runs the function on a Tokio runtime of several threads.
///
/// ```ignore
/// use bdk::prelude::*;
///
/// #[bdk::main]
/// async fn main() -> ExitCode {
///     bdk::serve().await
/// }
/// ```
///
/// The one option is `crate = ::path`.
#[proc_macro_attribute]
pub fn main(args: TokenStream, item: TokenStream) -> TokenStream {
    run::attribute::<main_fn::MainAttribute>(args.into(), item.into()).into()
}

/// An async test, with the whole runtime in process where it asks for a `TestBot`.
///
/// ```ignore
/// use bdk::prelude::*;
///
/// #[bdk::test]
/// async fn adds(bot: TestBot) {
///     let outcome = bot.call_tool("add", json!({ "a": 1, "b": 2 })).await;
///     assert_eq!(outcome.result, 3);
/// }
/// ```
///
/// It takes nothing or one `bot: TestBot`, gives what a `#[test]` may give, and keeps attributes such as
/// `#[should_panic]` and `#[ignore]`. The one option is `crate = ::path`.
#[proc_macro_attribute]
pub fn test(args: TokenStream, item: TokenStream) -> TokenStream {
    run::attribute::<test_fn::TestAttribute>(args.into(), item.into()).into()
}

/// A text for a model: a literal, dedented when the bot is built, with arguments as `format!` takes them.
///
/// Blank lines and relative indentation stay; the line break after the opening quote and a last line that holds only
/// the closing one go. `{{` is a brace. Without arguments it is a `&'static str`.
///
/// ```ignore
/// let name = "Ada";
/// let text = bdk::prompt!("
///     Hello {name},
///
///       indented by two
/// ");
/// assert_eq!(text, "Hello Ada,\n\n  indented by two");
/// ```
#[proc_macro]
pub fn prompt(input: TokenStream) -> TokenStream {
    prompt::prompt(input.into()).into()
}
