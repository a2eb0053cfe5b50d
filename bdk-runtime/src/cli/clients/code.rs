//! The source of a client: of each tool a function, and the types of its arguments and its results.
//!
//! All that it names stands in full, so that nothing in it can be taken for something else; the few names that it has from Rust's
//! prelude are not given away. It is laid out as rustfmt does it by itself.

use super::{
    shape::{self, Field, Shape},
    text::{Names, docs, ident, literal, pascal, snake},
};
use crate::connection::lock::{Locked, LockedTool};
use serde_json::Value;

/// rustfmt's own limits.
const WIDTH: usize = 100;
const STRUCT: usize = 18;
const INDENT: usize = 4;

/// What the types of a client must not be named.
const TAKEN: [&str; 10] = ["String", "Option", "Vec", "Result", "Into", "Some", "None", "Ok", "Err", "Box"];

/// Whether values go to the server or come from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    There,
    Back,
}

/// One file as it is made.
struct Writing<'a> {
    /// What the bot calls bdk.
    bdk: &'a str,
    types: Names,
}

/// The source below the file's first line.
pub(super) fn source(connection: &str, locked: &Locked, bdk: &str) -> String {
    let mut writing = Writing { bdk, types: Names::without(&TAKEN) };
    let mut out = format!(
        "//! The tools of the connection `{connection}`, as its server listed them.\n//!\n\
         //! A call fails as `host.mcp.call_tool` does, and where the tool says that its answer is an error: with its words.\n\
         #![allow(dead_code, missing_docs, nonstandard_style, unreachable_pub)]\n\
         #![allow(clippy::all, clippy::pedantic, rustdoc::all)]\n\n\
         /// The connection's name.\npub const CONNECTION: &str = {};\n",
        literal(connection),
    );
    let functions = Names::default().all(locked.tools.keys().map(String::as_str), |name| snake(name, "tool"), "_");
    for ((name, tool), function) in locked.tools.iter().zip(functions) {
        writing.tool(name, &function, tool, &mut out);
    }
    out
}

impl Writing<'_> {
    fn tool(&mut self, name: &str, function: &str, tool: &LockedTool, out: &mut String) {
        let base = pascal(name, "Tool");
        let mut types = Vec::new();
        let input = match shape::read(tool.get("inputSchema").unwrap_or(&Value::Null)) {
            // an object without named members takes none
            Shape::Map(more) if *more == Shape::Any => None,
            input => Some(self.type_of(
                &input,
                &format!("{base}Args"),
                &format!("What `{name}` takes."),
                Way::There,
                &mut types,
            )),
        };
        let output = tool.get("outputSchema").map(|schema| {
            self.type_of(&shape::read(schema), &base, &format!("What `{name}` answers."), Way::Back, &mut types)
        });
        let about = tool.text("description").or(tool.text("title")).filter(|text| !text.trim().is_empty());
        out.push('\n');
        out.push_str(&match about {
            Some(text) => docs("", text),
            None => docs("", &format!("Calls `{name}`.")),
        });
        let bdk = self.bdk;
        let result = output.clone().unwrap_or_else(|| format!("::{bdk}::ToolOutput"));
        let result = format!(" -> Result<{result}, ::{bdk}::Error>");
        let mut params = vec![format!("mcp: &::{bdk}::Mcp")];
        params.extend(input.as_ref().map(|input| format!("args: {input}")));
        out.push_str(&signature("", &format!("pub async fn {}", ident(function)), &params, &result));
        let tool = literal(name);
        out.push_str(&broken("    const TOOL: &str =", &format!("{tool};")));
        let call = if output.is_some() { "typed" } else { "untyped" };
        let args = if input.is_some() { "&args" } else { "&()" };
        out.push_str(&format!("    mcp.{call}(CONNECTION, TOOL, {args}).await\n}}\n"));
        types.iter().for_each(|one| out.push_str(one));
    }

    /// How a type is written; those that it needs go to the others.
    fn type_of(&mut self, shape: &Shape, name: &str, about: &str, way: Way, types: &mut Vec<String>) -> String {
        let mut inner = |shape: &Shape, name: &str| self.type_of(shape, name, about, way, types);
        match shape {
            Shape::Text => "String".to_owned(),
            Shape::Truth => "bool".to_owned(),
            Shape::Integer => "i64".to_owned(),
            Shape::Natural => "u64".to_owned(),
            Shape::Number => "f64".to_owned(),
            Shape::Any => format!("::{}::prelude::Value", self.bdk),
            Shape::List(items) => format!("Vec<{}>", inner(items, &format!("{name}Item"))),
            Shape::Map(values) => {
                format!("::std::collections::BTreeMap<String, {}>", inner(values, &format!("{name}Value")))
            }
            Shape::Maybe(shape) => format!("Option<{}>", inner(shape, name)),
            Shape::Choice(texts) => {
                let name = self.types.take(name, "");
                types.push(self.choice(&name, about, texts, way));
                name
            }
            Shape::Object(fields) => {
                let name = self.types.take(name, "");
                let place = types.len();
                let object = self.object(&name, about, fields, way, types);
                // before what it needs
                types.insert(place, object);
                name
            }
        }
    }

    fn head(&self, about: &str, more: &str, way: Way) -> String {
        let bdk = self.bdk;
        let serde = if way == Way::There { "Serialize" } else { "Deserialize" };
        format!(
            "\n{}{}#[serde(crate = \"::{bdk}::__private::serde\")]\n",
            docs("", about),
            list("", "#[derive(", &format!("Debug, Clone, {more}PartialEq, ::{bdk}::prelude::{serde}"), ")]"),
        )
    }

    fn choice(&self, name: &str, about: &str, texts: &[String], way: Way) -> String {
        let mut out = self.head(about, "Copy, Eq, ", way) + &format!("pub enum {name} {{\n");
        let variants = Names::default().all(texts.iter().map(String::as_str), |text| pascal(text, "Value"), "");
        for (text, variant) in texts.iter().zip(variants) {
            out.push_str(&list("    ", "#[serde(", &format!("rename = {}", literal(text)), ")]"));
            out.push_str(&format!("    {},\n", ident(&variant)));
        }
        out + "}\n"
    }

    fn object(&mut self, name: &str, about: &str, fields: &[Field], way: Way, types: &mut Vec<String>) -> String {
        let names = Names::default().all(fields.iter().map(|field| &*field.name), |name| snake(name, "field"), "_");
        // as they are declared: (identifier, type, required)
        let mut declared = Vec::new();
        let mut body = String::new();
        for (field, bare) in fields.iter().zip(names) {
            let of = format!("{name}{}", pascal(&field.name, "Field"));
            let about = if field.about.trim().is_empty() {
                format!("`{}` of `{name}`.", field.name)
            } else {
                field.about.clone()
            };
            let written = self.type_of(&field.shape, &of, &about, way, types);
            let key = ident(&bare);
            body.push_str(&docs("    ", &field.about));
            if key.trim_start_matches("r#") != field.name {
                body.push_str(&list("    ", "#[serde(", &format!("rename = {}", literal(&field.name)), ")]"));
            }
            let nullable = matches!(field.shape, Shape::Maybe(_));
            let written = if field.required || nullable { written } else { format!("Option<{written}>") };
            if !field.required && way == Way::There {
                body.push_str("    #[serde(skip_serializing_if = \"Option::is_none\")]\n");
            }
            body.push_str(&broken(&format!("    pub {key}:"), &format!("{written},")));
            declared.push((key, written, field.required));
        }
        let needs_some = declared.iter().any(|(_, _, required)| *required);
        let default = if way == Way::There && !needs_some { "Default, " } else { "" };
        let mut out = self.head(about, default, way) + &format!("pub struct {name} {{\n{body}}}\n");
        if way == Way::There && needs_some {
            out.push_str(&new(name, &declared));
        }
        out
    }
}

/// `new`, which takes what is required.
fn new(name: &str, fields: &[(String, String, bool)]) -> String {
    let (mut params, mut values) = (Vec::new(), Vec::new());
    for (key, written, required) in fields {
        match (required, written.as_str()) {
            (true, "String") => {
                params.push(format!("{key}: impl Into<String>"));
                values.push(format!("{key}: {key}.into()"));
            }
            (true, written) => {
                params.push(format!("{key}: {written}"));
                values.push(key.clone());
            }
            (false, _) => values.push(format!("{key}: None")),
        }
    }
    let mut out = format!("\nimpl {name} {{\n    /// With what is required, and nothing else.\n");
    out.push_str(&signature("    ", "pub fn new", &params, " -> Self"));
    let one = values.join(", ");
    if one.chars().count() <= STRUCT {
        out.push_str(&format!("        Self {{ {one} }}\n"));
    } else {
        let lines: String = values.iter().map(|value| format!("            {value},\n")).collect();
        out.push_str(&format!("        Self {{\n{lines}        }}\n"));
    }
    out + "    }\n}\n"
}

/// A function up to its `{`, on one line where there is room.
fn signature(indent: &str, head: &str, params: &[String], result: &str) -> String {
    let one = format!("{indent}{head}({}){result} {{", params.join(", "));
    if one.chars().count() <= WIDTH {
        return one + "\n";
    }
    let lines: String = params.iter().map(|param| format!("{indent}{:INDENT$}{param},\n", "")).collect();
    format!("{indent}{head}(\n{lines}{indent}){result} {{\n")
}

/// Two parts of a line, or of two lines where there is room in the second alone.
fn broken(head: &str, rest: &str) -> String {
    let (one, two) = (format!("{head} {rest}"), format!("{:1$}{rest}", "", 2 * INDENT));
    if one.chars().count() <= WIDTH || two.chars().count() > WIDTH {
        return one + "\n";
    }
    format!("{head}\n{two}\n")
}

/// An attribute, on one line where there is room.
fn list(indent: &str, head: &str, words: &str, end: &str) -> String {
    let one = format!("{indent}{head}{words}{end}");
    if one.chars().count() <= WIDTH {
        return one + "\n";
    }
    format!("{indent}{head}\n{indent}{:INDENT$}{words}\n{indent}{end}\n", "")
}
