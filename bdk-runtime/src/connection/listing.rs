//! What a server says of its tools, read tool by tool: one that is none costs its siblings nothing.

use super::{
    failed::{Failed, Kind},
    limits::Limits,
    unread,
};
use crate::cut;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, value::RawValue};
use std::collections::{HashMap, HashSet};

/// The tools of a server.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Listing {
    pub(crate) tools: Vec<RemoteTool>,
    /// What was left out, and why.
    pub(crate) warnings: Vec<String>,
    /// The tools some of whose arguments go into headers as well.
    pub(super) in_headers: HashSet<String>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct RemoteTool {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) input_schema: Value,
    pub(crate) output_schema: Option<Value>,
    pub(crate) annotations: Annotations,
}

/// What a server claims of a tool.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Annotations {
    pub(crate) read_only: Option<bool>,
    pub(crate) destructive: Option<bool>,
    pub(crate) idempotent: Option<bool>,
    pub(crate) open_world: Option<bool>,
}

/// What is to be done after a page.
pub(super) enum Next {
    Page(String),
    Done,
}

/// A listing as its pages come.
pub(super) struct Reading<'a> {
    limits: &'a Limits,
    listing: Listing,
    cursors: HashSet<String>,
    /// Each name with the page it stood on and what stood there.
    seen: HashMap<String, (usize, Box<RawValue>)>,
    pages: usize,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Page<'a> {
    #[serde(borrow)]
    tools: Vec<&'a RawValue>,
    #[serde(borrow, rename = "nextCursor")]
    next: Option<&'a RawValue>,
}

/// Field by field, so that what is said of one names it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    title: Option<&'a RawValue>,
    #[serde(borrow)]
    description: Option<&'a RawValue>,
    #[serde(borrow)]
    input_schema: Option<&'a RawValue>,
    #[serde(borrow)]
    output_schema: Option<&'a RawValue>,
    #[serde(borrow)]
    annotations: Option<&'a RawValue>,
    #[serde(borrow)]
    execution: Option<&'a RawValue>,
}

/// The tools on a page, each as it stands there.
pub(super) fn tools_of(page: &RawValue) -> serde_json::Result<Vec<&RawValue>> {
    Ok(serde_json::from_str::<Page<'_>>(page.get())?.tools)
}

/// Whether some of the arguments of this tool may go into headers as well.
pub(super) fn is_in_headers(tool: &RawValue) -> bool {
    tool.get().contains("x-mcp-header")
}

fn field<T: DeserializeOwned>(name: &str, of: Option<&RawValue>) -> Result<Option<T>, String> {
    let read = |value: &RawValue| {
        serde_json::from_str(value.get()).map_err(|error| match unread::why(&error) {
            Some(why) => format!("its `{name}` {why}"),
            // whatever it is, it is a value
            None => format!("its `{name}` is no text"),
        })
    };
    of.map(read).transpose()
}

impl<'a> Reading<'a> {
    pub(super) fn new(limits: &'a Limits) -> Self {
        Self { limits, listing: Listing::default(), cursors: HashSet::new(), seen: HashMap::new(), pages: 0 }
    }

    pub(super) fn done(self) -> Listing {
        self.listing
    }

    /// Reads a page.
    ///
    /// # Errors
    /// When it is no page, or the names in it do not tell the tools apart.
    pub(super) fn page(&mut self, page: &RawValue) -> Result<Next, Failed> {
        let page: Page<'_> = serde_json::from_str(page.get()).map_err(|error| {
            Failed::bare(Kind::Unreadable, format!("what it lists as its tools {}", unread::plain(&error)))
        })?;
        self.pages += 1;
        for tool in page.tools {
            if self.listing.tools.len() >= self.limits.tools {
                self.warn(format!("it lists more than {} tools: the others are left out", self.limits.tools));
                return Ok(Next::Done);
            }
            if !self.tool(tool)? {
                self.warn("its listing repeats itself: it ends where it began again".to_owned());
                return Ok(Next::Done);
            }
        }
        let next = field("nextCursor", page.next).unwrap_or_else(|why| {
            self.warn(format!("{why}: what comes after it is left out"));
            None
        });
        let Some(next) = next.filter(|next: &String| !next.is_empty()) else { return Ok(Next::Done) };
        if !self.cursors.insert(next.clone()) {
            self.warn("its listing goes round in circles: a cursor came a second time".to_owned());
            return Ok(Next::Done);
        }
        if self.pages >= self.limits.pages {
            self.warn(format!("its listing has more than {} pages: the others are left out", self.limits.pages));
            return Ok(Next::Done);
        }
        Ok(Next::Page(next))
    }

    /// False where it stood on an earlier page already.
    fn tool(&mut self, text: &RawValue) -> Result<bool, Failed> {
        let left_out = |why: &str| format!("a tool is left out: {why}");
        let Ok(written) = serde_json::from_str::<Written<'_>>(text.get()) else {
            self.warn(left_out("it is no object"));
            return Ok(true);
        };
        let name = match field::<String>("name", written.name) {
            Ok(Some(name)) => name,
            named => {
                self.warn(left_out(&named.err().unwrap_or_else(|| "it has no `name`".to_owned())));
                return Ok(true);
            }
        };
        if name.is_empty() {
            return Err(Failed::bare(Kind::Unreadable, "one of its tools has an empty name"));
        }
        if let Some((page, earlier)) = self.seen.get(&name) {
            if *page < self.pages && earlier.get() == text.get() {
                return Ok(false);
            }
            let words = format!("two of its tools are named {}", cut::quoted(&name, 80));
            return Err(Failed::bare(Kind::Unreadable, words));
        }
        // what is left out may be of any length
        let kept = if text.get().len() > self.limits.tool { RawValue::NULL } else { text };
        self.seen.insert(name.clone(), (self.pages, kept.to_owned()));
        match self.read(&name, text, &written) {
            Ok(tool) => {
                if is_in_headers(text) {
                    self.listing.in_headers.insert(name);
                }
                self.listing.tools.push(tool);
            }
            Err(fault) => self.warn(format!("the tool {} is left out: {fault}", cut::quoted(&name, 80))),
        }
        Ok(true)
    }

    fn read(&self, name: &str, text: &RawValue, written: &Written<'_>) -> Result<RemoteTool, String> {
        if text.get().len() > self.limits.tool {
            return Err(format!("its definition is {} KiB long", text.get().len() >> 10));
        }
        let input_schema: Value =
            field("inputSchema", written.input_schema)?.ok_or("it has no `inputSchema`, or one that is null")?;
        let kind = input_schema.as_object().ok_or("its `inputSchema` is no object")?.get("type");
        if kind.is_some_and(|kind| kind != "object") {
            return Err("its input is no object: the `type` in its `inputSchema` is another".to_owned());
        }
        let output_schema: Option<Value> = field("outputSchema", written.output_schema)?;
        if output_schema.as_ref().is_some_and(|schema| !schema.is_object() && !schema.is_boolean()) {
            return Err("its `outputSchema` is no schema".to_owned());
        }
        let execution: Option<Value> = field("execution", written.execution)?;
        if execution.is_some_and(|execution| execution["taskSupport"] == "required") {
            return Err("it is called as a task alone, which bdk does not do".to_owned());
        }
        let hints: Option<Value> = field("annotations", written.annotations)?;
        let hint = |name: &str| hints.as_ref().and_then(|hints| hints.get(name)?.as_bool());
        let title = || Some(hints.as_ref()?.get("title")?.as_str()?.to_owned());
        Ok(RemoteTool {
            title: field("title", written.title)?.or_else(title),
            name: name.to_owned(),
            description: field("description", written.description)?,
            input_schema,
            output_schema,
            annotations: Annotations {
                read_only: hint("readOnlyHint"),
                destructive: hint("destructiveHint"),
                idempotent: hint("idempotentHint"),
                open_world: hint("openWorldHint"),
            },
        })
    }

    fn warn(&mut self, warning: String) {
        // a server may be wrong about thousands of tools
        if self.listing.warnings.len() < 100 {
            self.listing.warnings.push(warning);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    impl Listing {
        /// What a server lists on one page, for other tests.
        pub(in crate::connection) fn of_page(page: &Value) -> Self {
            read(std::slice::from_ref(page)).unwrap()
        }
    }

    fn read(pages: &[Value]) -> Result<Listing, Failed> {
        let limits = Limits::default();
        let mut reading = Reading::new(&limits);
        for page in pages {
            let page = serde_json::value::to_raw_value(page).unwrap();
            if let Next::Done = reading.page(&page)? {
                break;
            }
        }
        Ok(reading.done())
    }
    fn names(listing: &Listing) -> Vec<&str> {
        listing.tools.iter().map(|tool| &*tool.name).collect()
    }
    fn tool(name: &str) -> Value {
        json!({ "name": name, "inputSchema": { "type": "object" } })
    }

    #[test]
    fn a_malformed_or_huge_tool_is_left_out_and_its_siblings_stay() {
        let huge = json!({ "name": "huge", "inputSchema": { "type": "object", "description": "x".repeat(2 << 20) } });
        let mut deep = json!({});
        for _ in 0..400 {
            deep = json!({ "items": deep });
        }
        let deep = json!({ "name": "deep", "inputSchema": deep });
        let recursive = json!({ "name": "recursive", "inputSchema": { "type": "object", "properties": { "next": { "$ref": "#" } } } });
        let listing = read(&[json!({ "tools": [
            tool("one"),
            { "name": "no_schema" },
            { "name": "text", "inputSchema": "object" },
            { "name": "list", "inputSchema": { "type": "array" } },
            { "name": "task", "inputSchema": {}, "execution": { "taskSupport": "required" } },
            { "inputSchema": {} },
            7,
            huge,
            deep,
            recursive,
            tool("two"),
        ] })])
        .unwrap();
        assert_eq!(names(&listing), ["one", "recursive", "two"]);
        assert_eq!(listing.warnings.len(), 8, "{:?}", listing.warnings);
        assert!(listing.warnings.iter().any(|w| w.contains("\"huge\"") && w.contains("2048 KiB")), "{listing:?}");
    }

    #[test]
    fn what_cannot_be_read_of_a_tool_is_named_and_costs_the_others_nothing() {
        let limits = Limits::default();
        let mut reading = Reading::new(&limits);
        let deep = r#"{"items":"#.repeat(300) + "{}" + &"}".repeat(300);
        let page = format!(
            r#"{{"_meta":{{"x":["\ud83d",1e999,{deep}]}},"tools":[
                {{"name":"a","inputSchema":{{}}}},
                {{"name":"\ud83d","inputSchema":{{}}}},
                {{"name":"cut","description":"\ud83d","inputSchema":{{}}}},
                {{"name":"number","inputSchema":{{"default":1e999}}}},
                {{"name":"deep","inputSchema":{deep}}},
                {{"name":"untitled","title":7,"inputSchema":{{}}}},
                {{"name":"bare"}},
                7,
                {{"name":"b","_meta":{{"x":["\ud83d",1e999]}},"inputSchema":{{}}}}
            ],"nextCursor":"\ud83d"}}"#
        );
        assert!(matches!(reading.page(&RawValue::from_string(page).unwrap()), Ok(Next::Done)));
        let listing = reading.done();
        assert_eq!(names(&listing), ["a", "b"]);
        let warned = listing.warnings.join("\n");
        assert_eq!(
            warned,
            "a tool is left out: its `name` holds half a surrogate pair (such as `\\ud83d`), which is no text\n\
             the tool \"cut\" is left out: its `description` holds half a surrogate pair (such as `\\ud83d`), which is no text\n\
             the tool \"number\" is left out: its `inputSchema` holds a number that is out of range (such as `1e999`)\n\
             the tool \"deep\" is left out: its `inputSchema` is nested more than 127 levels deep\n\
             the tool \"untitled\" is left out: its `title` is no text\n\
             the tool \"bare\" is left out: it has no `inputSchema`, or one that is null\n\
             a tool is left out: it is no object\n\
             its `nextCursor` holds half a surrogate pair (such as `\\ud83d`), which is no text: what comes after it is left out"
        );
    }

    #[test]
    fn a_listing_that_loops_gives_every_tool_once() {
        let pages = [
            json!({ "tools": [tool("a")], "nextCursor": "1" }),
            json!({ "tools": [tool("b")], "nextCursor": "2" }),
            json!({ "tools": [tool("c")], "nextCursor": "1" }),
            json!({ "tools": [tool("d")] }),
        ];
        let listing = read(&pages).unwrap();
        assert_eq!(names(&listing), ["a", "b", "c"]);
        assert!(listing.warnings[0].contains("circles"), "{listing:?}");
        // one that does not know cursors
        let page = json!({ "tools": [tool("a"), tool("b")], "nextCursor": "x" });
        let listing = read(&[page.clone(), page]).unwrap();
        assert_eq!(names(&listing), ["a", "b"]);
        assert_eq!(listing.warnings.len(), 1);
    }

    #[test]
    fn names_that_tell_nothing_apart_fail_the_listing() {
        let twice = read(&[json!({ "tools": [tool("a"), tool("a")] })]).unwrap_err();
        assert!(twice.words.contains("two of its tools are named \"a\""), "{twice}");
        let other = json!({ "name": "a", "description": "another", "inputSchema": {} });
        let pages = [json!({ "tools": [tool("a")], "nextCursor": "1" }), json!({ "tools": [other] })];
        assert!(read(&pages).is_err());
        assert!(read(&[json!({ "tools": [tool("")] })]).unwrap_err().words.contains("empty name"));
        assert!(read(&[json!({ "tools": {} })]).is_err());
    }

    #[test]
    fn everything_said_of_a_tool_is_kept() {
        let listing = read(&[json!({ "tools": [{
            "name": "search", "description": "Finds.", "inputSchema": { "z": 1, "a": 2 }, "outputSchema": { "type": "object" },
            "annotations": { "title": "Search", "readOnlyHint": true, "destructiveHint": "no", "openWorldHint": false },
        }] })])
        .unwrap();
        let tool = &listing.tools[0];
        assert_eq!((tool.title.as_deref(), tool.description.as_deref()), (Some("Search"), Some("Finds.")));
        assert_eq!(tool.input_schema.to_string(), r#"{"z":1,"a":2}"#);
        assert_eq!(tool.output_schema, Some(json!({ "type": "object" })));
        let hints = Annotations { read_only: Some(true), open_world: Some(false), ..Annotations::default() };
        assert_eq!(tool.annotations, hints);
    }
}
