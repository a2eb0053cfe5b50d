//! `x-mcp-header`: the parameters whose values a client repeats as HTTP headers, so that what stands between can route
//! a call without reading its body (MCP 2026-07-28, SEP-2243).

use super::{lint::Lint, walk::children};
use serde_json::Value;

/// The keyword of a property's schema.
const KEYWORD: &str = "x-mcp-header";
/// What stands before its value in the header's name.
const PREFIX: &str = "mcp-param-";

/// The parameters of one tool that are repeated as headers. Most tools have none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParamHeaders(Box<[ParamHeader]>);

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamHeader {
    /// The properties that lead to it from the input's root.
    pub path: Box<[Box<str>]>,
    /// The whole name of its header, in lower case: `mcp-param-region`.
    pub header: Box<str>,
}

impl ParamHeaders {
    /// Those of an input schema that keep the rules; clients leave out a tool with one that does not.
    pub fn of(schema: &Value) -> Self {
        let mut found = Vec::new();
        each(schema, &mut Vec::new(), &mut |path, property| {
            if let Ok(header) = checked(property, &found) {
                found.push(ParamHeader { path: path.iter().map(|name| Box::from(*name)).collect(), header });
            }
        });
        Self(found.into())
    }
    /// They, in the order of the schema.
    pub fn iter(&self) -> std::slice::Iter<'_, ParamHeader> {
        self.0.iter()
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'a> IntoIterator for &'a ParamHeaders {
    type Item = &'a ParamHeader;
    type IntoIter = std::slice::Iter<'a, ParamHeader>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// What of an input schema's annotations breaks the rules.
pub(super) fn faults(schema: &Value, out: &mut Vec<Lint>) {
    let mut found = Vec::new();
    each(schema, &mut Vec::new(), &mut |path, property| match checked(property, &found) {
        Ok(header) => found.push(ParamHeader { path: Box::default(), header }),
        Err(why) => {
            let path = path.iter().map(|name| format!("properties/{name}")).collect::<Vec<_>>().join("/");
            out.push(Lint { path, message: format!("clients leave out the tool: {why}") });
        }
    });
    misplaced(schema, "", true, out);
}

/// Visits the annotated properties that are reached by `properties` alone.
fn each<'a>(schema: &'a Value, path: &mut Vec<&'a str>, visit: &mut impl FnMut(&[&'a str], &'a Value)) {
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        path.push(name);
        if property.get(KEYWORD).is_some() {
            visit(path, property);
        }
        each(property, path, visit);
        path.pop();
    }
}

/// The header of an annotated property.
fn checked(property: &Value, before: &[ParamHeader]) -> Result<Box<str>, String> {
    let Some(name) = property[KEYWORD].as_str() else {
        return Err(format!("`{KEYWORD}` is no text: write the part of the header's name behind `Mcp-Param-`"));
    };
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(format!("`{name}` cannot be part of a header's name: take letters, digits and `-`"));
    }
    if !matches!(property["type"].as_str(), Some("string" | "integer" | "boolean")) {
        return Err(format!("`{KEYWORD}` is for a string, an integer or a boolean: take it off here"));
    }
    let header: Box<str> = format!("{PREFIX}{}", name.to_ascii_lowercase()).into();
    if before.iter().any(|other| other.header == header) {
        return Err(format!("another parameter has the header `{name}` already: give each its own"));
    }
    Ok(header)
}

/// A token of RFC 9110 §5.6.2.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Annotations where no client looks for them.
fn misplaced(schema: &Value, path: &str, by_properties: bool, out: &mut Vec<Lint>) {
    if schema.get(KEYWORD).is_some() && (path.is_empty() || !by_properties) {
        let why = format!(
            "clients leave out the tool: `{KEYWORD}` is for a property of the input, or of an object in it, and for nothing \
             in a list, a choice or a definition"
        );
        out.push(Lint { path: path.into(), message: why });
    }
    children(schema, |step, child| {
        let below = if path.is_empty() { step.to_owned() } else { format!("{path}/{step}") };
        misplaced(child, &below, by_properties && step.starts_with("properties/"), out);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pairs(schema: &Value) -> Vec<(String, String)> {
        ParamHeaders::of(schema).iter().map(|p| (p.path.join("."), p.header.to_string())).collect()
    }
    fn told(schema: &Value) -> Vec<String> {
        let mut out = Vec::new();
        faults(schema, &mut out);
        out.into_iter().map(|lint| format!("{}: {}", lint.path, lint.message)).collect()
    }

    #[test]
    fn annotated_properties_are_found_however_deep() {
        let schema = json!({ "type": "object", "properties": {
            "region": { "type": "string", "x-mcp-header": "Region" },
            "plain": { "type": "string" },
            "where": { "type": "object", "properties": {
                "dry": { "type": "boolean", "x-mcp-header": "Dry-Run" },
                "n": { "type": "integer", "x-mcp-header": "N" },
            } },
        } });
        let found = pairs(&schema);
        let expected = [("region", "mcp-param-region"), ("where.dry", "mcp-param-dry-run"), ("where.n", "mcp-param-n")];
        assert_eq!(found, expected.map(|(path, header)| (path.to_owned(), header.to_owned())));
        assert_eq!(told(&schema), [""; 0]);
        assert!(ParamHeaders::of(&json!({ "type": "object" })).is_empty());
    }

    #[test]
    fn what_breaks_the_rules_is_left_out_and_told_with_its_place() {
        let annotated = |kind: &str, header: Value| json!({ "type": kind, "x-mcp-header": header });
        for (property, words) in [
            (annotated("number", "N".into()), "a string, an integer or a boolean"),
            (annotated("array", "N".into()), "a string, an integer or a boolean"),
            (annotated("string", 3.into()), "is no text"),
            (annotated("string", "".into()), "cannot be part of a header's name"),
            (annotated("string", "My Region".into()), "`My Region`"),
            (annotated("string", "Région".into()), "`Région`"),
        ] {
            let schema = json!({ "properties": { "p": property } });
            assert!(pairs(&schema).is_empty(), "{schema}");
            let told = told(&schema);
            assert!(matches!(&told[..], [one] if one.starts_with("properties/p: ") && one.contains(words)), "{told:?}");
        }
        let twice = json!({ "properties": {
            "a": annotated("string", "Region".into()),
            "b": annotated("string", "REGION".into()),
        } });
        assert_eq!(pairs(&twice).len(), 1);
        assert!(matches!(&told(&twice)[..], [one] if one.starts_with("properties/b: ")));
    }

    #[test]
    fn an_annotation_that_properties_alone_do_not_reach_is_told() {
        let annotated = json!({ "type": "string", "x-mcp-header": "Region" });
        for (schema, path) in [
            (json!({ "x-mcp-header": "Root" }), ""),
            (json!({ "properties": { "list": { "type": "array", "items": annotated } } }), "properties/list/items"),
            (json!({ "oneOf": [{ "properties": { "a": annotated } }] }), "oneOf/0/properties/a"),
            (json!({ "$defs": { "D": annotated } }), "$defs/D"),
        ] {
            assert!(pairs(&schema).is_empty(), "{schema}");
            let told = told(&schema);
            assert!(matches!(&told[..], [one] if one.starts_with(&format!("{path}: "))), "{told:?}");
        }
        // data that looks like one
        let data = json!({ "properties": { "a": { "type": "object", "default": annotated, "enum": [annotated] } } });
        assert_eq!(told(&data), [""; 0]);
    }
}
