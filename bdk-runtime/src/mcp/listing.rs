//! The result of `tools/list`, as bytes: made once from a registry, and shared by all who ask.

use crate::registry::{Made, Registry, Tool};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use bytes::Bytes;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// How many tools a page has at most.
const PAGE: usize = 1000;
/// What a cursor holds before the name of the last tool that was listed, so that nothing else passes for one.
const MARK: &str = "after:";

/// What the client's version of the protocol expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// 2025-11-25 and before.
    Legacy,
    /// 2026-07-28.
    Modern,
}

/// For whom tools are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct View {
    pub(crate) shape: Shape,
    /// In a dry run, what may be answered by an acknowledgement is listed without its output schema: clients refuse a text
    /// where they were promised more.
    pub(crate) dry_run: bool,
}

/// A cursor that no page has given: invalid params (-32602) to its sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this cursor is none that `tools/list` gave: leave it out to begin anew")]
pub(crate) struct BadCursor;

/// The listing of one bot: the first page for each view.
pub(crate) struct Listing([[Made<Bytes>; 2]; 2]);

impl Listing {
    pub(crate) const fn new() -> Self {
        Self([const { [const { Made::new() }; 2] }; 2])
    }

    /// The result object, without JSON-RPC's envelope.
    pub(crate) fn page(&self, registry: &Arc<Registry>, view: View, cursor: Option<&str>) -> Result<Bytes, BadCursor> {
        let Some(cursor) = cursor else {
            let first = &self.0[usize::from(view.shape == Shape::Modern)][usize::from(view.dry_run)];
            return Ok(first.of(registry, || page(registry.tools(), view)));
        };
        let last = named(cursor).ok_or(BadCursor)?;
        // the tool itself may have gone since
        let from = registry.tools().partition_point(|tool| tool.name() <= &*last);
        Ok(page(&registry.tools()[from..], view))
    }
}

/// One page of what is left to list.
fn page(rest: &[Arc<Tool>], view: View) -> Bytes {
    let View { shape, dry_run } = view;
    let (page, behind) = rest.split_at(rest.len().min(PAGE));
    let mut out = Map::new();
    if shape == Shape::Modern {
        out.insert("resultType".into(), "complete".into());
    }
    out.insert(
        "tools".into(),
        page.iter().filter(|tool| !dry_run || tool.is_in_dry_run()).map(|tool| item(tool, view)).collect(),
    );
    if let (Some(last), false) = (page.last(), behind.is_empty()) {
        out.insert("nextCursor".into(), cursor(last.name()).into());
    }
    if shape == Shape::Modern {
        // tools may come and go, and who asks may decide what there is
        out.insert("ttlMs".into(), 0.into());
        out.insert("cacheScope".into(), "private".into());
    }
    if dry_run {
        out.insert("_meta".into(), json!({ "bdk/dryRun": true }));
    }
    Value::Object(out).to_string().into()
}

fn item(tool: &Tool, view: View) -> Value {
    let mut out = json!({ "name": tool.name() });
    if let Some(title) = tool.title() {
        out["title"] = title.into();
    }
    out["description"] = tool.description().into();
    out["inputSchema"] = tool.input_schema().clone();
    if !(view.dry_run && tool.may_be_acknowledged())
        && let Some(schema) = tool.output_schema().filter(|schema| fits(schema, view.shape))
    {
        out["outputSchema"] = schema;
    }
    let annotations = annotations(tool);
    if !annotations.is_empty() {
        out["annotations"] = annotations.into();
    }
    out["_meta"] = meta(tool);
    out
}

/// Clients of the older versions refuse a tool whose output schema is not an object's, and some the whole listing.
fn fits(output_schema: &Value, shape: Shape) -> bool {
    match shape {
        Shape::Legacy => output_schema["type"] == "object",
        Shape::Modern => output_schema.is_object(),
    }
}

/// MCP's hints, and the title again for clients that know it from here alone.
fn annotations(tool: &Tool) -> Map<String, Value> {
    let mut out = Map::new();
    if let Some(title) = tool.title() {
        out.insert("title".into(), title.into());
    }
    if let Value::Object(hints) = tool.annotations() {
        out.extend(hints);
    }
    out
}

/// What MCP has no words for.
fn meta(tool: &Tool) -> Value {
    let mut out = json!({ "bdk/effect": tool.effect() });
    if !tool.time_args().is_empty() {
        out["bdk/timeArgs"] = tool.time_args().iter().map(|name| &**name).collect();
    }
    if tool.needs_approval() {
        out["bdk/needsApproval"] = true.into();
    }
    out
}

fn cursor(last: &str) -> String {
    URL_SAFE_NO_PAD.encode(format!("{MARK}{last}"))
}

fn named(cursor: &str) -> Option<String> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    text.strip_prefix(MARK).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Effect, ToolContext, ToolDefinition, bot::Bot};
    use rmcp::model::ListToolsResult;
    use std::panic::Location;

    fn tool(name: &str) -> ToolDefinition {
        ToolDefinition::new(name)
            .description("Say yes.")
            .effect(Effect::Read)
            .handler(async |_input: Value, _ctx: ToolContext| Ok("yes"))
    }
    fn add(bot: &Bot, tools: impl IntoIterator<Item = ToolDefinition>) {
        bot.change(|registry| registry.with_tools(tools, Location::caller()).map(Some)).unwrap();
    }
    fn bot(tools: impl IntoIterator<Item = ToolDefinition>) -> Bot {
        let bot = Bot::with(Registry::linked());
        add(&bot, tools);
        bot
    }
    fn read(bytes: &Bytes) -> Value {
        serde_json::from_slice(bytes).unwrap()
    }
    fn usual(shape: Shape) -> View {
        View { shape, dry_run: false }
    }
    fn listed(bot: &Bot, shape: Shape, name: &str) -> Value {
        listed_in(bot, usual(shape), name)
    }
    fn listed_in(bot: &Bot, view: View, name: &str) -> Value {
        let page = read(&Listing::new().page(&bot.registry(), view, None).unwrap());
        page["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == name).cloned().unwrap()
    }

    #[test]
    fn a_tool_is_listed_with_everything_clients_can_use() {
        let schema = json!({
            "type": "object",
            "properties": { "since": { "type": "string", "format": "date-time" }, "a": { "type": "integer" } },
            "required": ["since"],
        });
        let output = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
        let rich = tool("rich")
            .title("Rich")
            .input_schema(schema.clone())
            .output_schema(output.clone())
            .time_args(["since"])
            .idempotent();
        let bot = bot([rich]);
        for shape in [Shape::Legacy, Shape::Modern] {
            let item = listed(&bot, shape, "rich");
            let expected = json!({
                "name": "rich",
                "title": "Rich",
                "description": "Say yes.",
                "inputSchema": schema,
                "outputSchema": output,
                "annotations": { "title": "Rich", "readOnlyHint": true, "idempotentHint": true },
                "_meta": { "bdk/effect": "read", "bdk/timeArgs": ["since"] },
            });
            // as text, because the order of parameters counts
            assert_eq!(item.to_string(), expected.to_string());
        }
    }

    #[test]
    fn what_has_nothing_to_say_is_left_out() {
        let plain = ToolDefinition::new("plain")
            .description("Say yes.")
            .handler(async |_input: Value, _ctx: ToolContext| Ok("yes"));
        let item = listed(&bot([plain]), Shape::Modern, "plain");
        let keys: Vec<&str> = item.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(keys, ["name", "description", "inputSchema", "_meta"]);
        assert_eq!(item["_meta"], json!({ "bdk/effect": "undeclared" }));
    }

    #[test]
    fn an_output_schema_that_is_no_object_is_for_new_clients_alone() {
        for schema in [json!({ "type": "array" }), json!({ "anyOf": [{ "type": "object" }] }), json!({})] {
            let bot = bot([tool("out").output_schema(schema.clone())]);
            assert_eq!(listed(&bot, Shape::Legacy, "out").get("outputSchema"), None);
            assert_eq!(listed(&bot, Shape::Modern, "out")["outputSchema"], schema);
        }
    }

    #[test]
    fn in_a_dry_run_what_may_be_stubbed_by_a_text_is_listed_without_its_output_schema() {
        let schema = json!({ "type": "object" });
        let of = |name: &str| ToolDefinition::new(name).description("Do it.").output_schema(schema.clone());
        let body = async |_: Value, _: ToolContext| Ok(json!({}));
        let bot = bot([
            of("reads").effect(Effect::Read).handler(body),
            of("writes").effect(Effect::Write).handler(body),
            of("undeclared").handler(body),
        ]);
        for shape in [Shape::Legacy, Shape::Modern] {
            for (name, in_a_dry_run) in [("reads", Some(&schema)), ("writes", None), ("undeclared", None)] {
                assert_eq!(listed(&bot, shape, name)["outputSchema"], schema, "{name}");
                let item = listed_in(&bot, View { shape, dry_run: true }, name);
                assert_eq!(item.get("outputSchema"), in_a_dry_run, "{name}");
            }
        }
    }

    #[test]
    fn each_view_has_a_listing_of_its_own_in_every_page() {
        let bot = bot((0..=PAGE).map(|i| {
            let tool = ToolDefinition::new(format!("w{i:05}"))
                .description("Do it.")
                .output_schema(json!({ "type": "object" }));
            tool.effect(Effect::Write).handler(async |_: Value, _: ToolContext| Ok(json!({})))
        }));
        let listing = Listing::new();
        let mut first = Vec::new();
        for shape in [Shape::Legacy, Shape::Modern] {
            for dry_run in [false, true] {
                let page =
                    |cursor: Option<&str>| listing.page(&bot.registry(), View { shape, dry_run }, cursor).unwrap();
                first.push(page(None).as_ptr());
                assert_eq!(page(None).as_ptr(), *first.last().unwrap());
                let cursor = read(&page(None))["nextCursor"].as_str().unwrap().to_owned();
                for page in [read(&page(None)), read(&page(Some(&cursor)))] {
                    assert_eq!(page["_meta"]["bdk/dryRun"] == true, dry_run);
                    let written = page["tools"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .filter(|t| t["name"].as_str().unwrap().starts_with("w0"));
                    assert!(written.map(|t| t.get("outputSchema").is_none()).all(|without| without == dry_run));
                }
            }
        }
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), 4);
    }

    #[test]
    fn rmcp_reads_every_page_of_both_shapes() {
        let bot = bot([tool("yes"), tool("list").title("List").output_schema(json!({ "type": "array" }))]);
        for shape in [Shape::Legacy, Shape::Modern] {
            let bytes = Listing::new().page(&bot.registry(), usual(shape), None).unwrap();
            let result: ListToolsResult = serde_json::from_slice(&bytes).unwrap();
            assert_eq!(result.tools.len(), bot.registry().tools().len());
            // it keeps everything that was said
            assert_eq!(serde_json::to_value(&result.tools).unwrap(), read(&bytes)["tools"]);
            let hints = serde_json::to_value(&result).unwrap();
            match shape {
                Shape::Legacy => assert!(hints.get("ttlMs").is_none() && hints.get("cacheScope").is_none()),
                Shape::Modern => {
                    assert_eq!((&hints["ttlMs"], &hints["cacheScope"]), (&json!(0), &json!("private")));
                }
            }
        }
    }

    #[test]
    fn many_tools_come_in_pages_that_miss_none_also_when_one_goes_meanwhile() {
        let bot = bot((0..2 * PAGE + 1).map(|i| tool(&format!("t{i:05}"))));
        let listing = Listing::new();
        let mut names = Vec::new();
        let mut cursor: Option<String> = None;
        let mut pages = 0;
        loop {
            let page = read(&listing.page(&bot.registry(), usual(Shape::Modern), cursor.as_deref()).unwrap());
            let tools = page["tools"].as_array().unwrap();
            assert!(tools.len() <= PAGE);
            names.extend(tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()));
            pages += 1;
            if let Some(last) = names.last().filter(|name| name.starts_with('t')) {
                // the page's last tool, whose name the cursor holds
                bot.change(|registry| registry.without_tool(last)).unwrap();
            }
            match page["nextCursor"].as_str() {
                Some(next) => cursor = Some(next.to_owned()),
                None => break,
            }
        }
        assert_eq!(pages, 3);
        assert!(names.is_sorted());
        assert_eq!(names.iter().filter(|name| name.starts_with("t0")).count(), 2 * PAGE + 1);
    }

    #[test]
    fn a_cursor_that_no_page_gave_is_refused() {
        let bot = bot([tool("yes")]);
        for bad in ["", "yes", "invalid-cursor", "eWVz", "!!!", "YWZ0ZXI"] {
            let page = Listing::new().page(&bot.registry(), usual(Shape::Legacy), Some(bad));
            assert_eq!(page, Err(BadCursor), "{bad}");
        }
    }

    #[test]
    fn a_listing_is_made_once_and_anew_when_the_tools_change() {
        let bot = bot([tool("yes")]);
        let listing = Listing::new();
        let page = |bot: &Bot| listing.page(&bot.registry(), usual(Shape::Legacy), None).unwrap();
        let first = page(&bot);
        assert_eq!(first.as_ptr(), page(&bot).as_ptr());
        add(&bot, [tool("late")]);
        let second = page(&bot);
        assert!(read(&second)["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "late"));
        assert_eq!(second.as_ptr(), page(&bot).as_ptr());
    }
}
