//! What a server says of its tools, read tool by tool: one that is none costs its siblings nothing.

use super::{
    failed::{Failed, Kind},
    limits::Limits,
};
use crate::cut;
use serde::Deserialize;
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
struct Page<'a> {
    #[serde(borrow)]
    tools: Vec<&'a RawValue>,
    #[serde(rename = "nextCursor")]
    next: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    name: String,
    title: Option<String>,
    description: Option<String>,
    input_schema: Value,
    output_schema: Option<Value>,
    annotations: Option<Value>,
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
            Failed::bare(Kind::Unreadable, format!("what it lists as its tools is no list of tools: {error}"))
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
        let Some(next) = page.next.filter(|next| !next.is_empty()) else { return Ok(Next::Done) };
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
        #[derive(Deserialize)]
        struct Named {
            name: String,
        }
        let Ok(Named { name }) = serde_json::from_str(text.get()) else {
            self.warn("a tool without a name is left out".to_owned());
            return Ok(true);
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
        match self.read(text) {
            Ok(tool) => {
                if text.get().contains("x-mcp-header") {
                    self.listing.in_headers.insert(name);
                }
                self.listing.tools.push(tool);
            }
            Err(fault) => self.warn(format!("the tool {} is left out: {fault}", cut::quoted(&name, 80))),
        }
        Ok(true)
    }

    fn read(&self, text: &RawValue) -> Result<RemoteTool, String> {
        if text.get().len() > self.limits.tool {
            return Err(format!("its definition is {} KiB long", text.get().len() >> 10));
        }
        let tool: Written = serde_json::from_str(text.get()).map_err(|error| error.to_string())?;
        let is_object = tool.input_schema.as_object();
        let kind = is_object.ok_or("its input schema is no object")?.get("type");
        if kind.is_some_and(|kind| kind != "object") {
            return Err("its input is no object".to_owned());
        }
        if tool.output_schema.as_ref().is_some_and(|schema| !schema.is_object() && !schema.is_boolean()) {
            return Err("its output schema is none".to_owned());
        }
        let hint = |name: &str| tool.annotations.as_ref().and_then(|hints| hints.get(name)?.as_bool());
        let annotations = Annotations {
            read_only: hint("readOnlyHint"),
            destructive: hint("destructiveHint"),
            idempotent: hint("idempotentHint"),
            open_world: hint("openWorldHint"),
        };
        let title = || Some(tool.annotations.as_ref()?.get("title")?.as_str()?.to_owned());
        Ok(RemoteTool {
            title: tool.title.or_else(title),
            name: tool.name,
            description: tool.description,
            input_schema: tool.input_schema,
            output_schema: tool.output_schema,
            annotations,
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
            { "inputSchema": {} },
            7,
            huge,
            deep,
            recursive,
            tool("two"),
        ] })])
        .unwrap();
        assert_eq!(names(&listing), ["one", "recursive", "two"]);
        assert_eq!(listing.warnings.len(), 7, "{:?}", listing.warnings);
        assert!(listing.warnings.iter().any(|w| w.contains("\"huge\"") && w.contains("2048 KiB")), "{listing:?}");
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
