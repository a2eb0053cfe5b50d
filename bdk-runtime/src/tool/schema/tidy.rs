//! Rewriting one schema, at every depth, into what every client reads.

use super::walk::children_mut;
use serde_json::{Map, Number, Value, json};
use std::cmp::Ordering;

/// What becomes of the `null` that schemars allows for an optional property.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Nulls {
    /// A null for a property that is not required counts as absent, so it need not be advertised (inputs).
    DropOptional,
    /// A result may hold one (outputs).
    Keep,
}

/// Tidies a schema and everything below it.
pub(super) fn tidy(schema: &mut Value, nulls: Nulls) {
    match schema {
        // `true` makes one client refuse a whole listing
        Value::Bool(true) => *schema = json!({}),
        Value::Bool(false) => *schema = json!({ "not": {} }),
        _ => {}
    }
    let Value::Object(o) = schema else { return };
    for noise in ["title", "$schema"] {
        if o.get(noise).is_some_and(Value::is_string) {
            o.shift_remove(noise);
        }
    }
    if o.get("default").is_some_and(Value::is_null) {
        o.shift_remove("default");
    }
    // a missing keyword says the same as `true`
    for open in ["additionalProperties", "unevaluatedProperties"] {
        if o.get(open) == Some(&Value::Bool(true)) {
            o.shift_remove(open);
        }
    }
    bounds(o);
    fold_enum(o);
    one_string(o);
    loosen_choice(o);
    close_std(o);
    loosen_set(o);
    if o.get("required").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        o.shift_remove("required");
    }
    if nulls == Nulls::DropOptional {
        drop_optional_nulls(o);
    }
    // `additionalProperties: false` is no schema that anybody looks into
    let closed = ["additionalProperties", "unevaluatedProperties"].map(|key| o.get(key) == Some(&Value::Bool(false)));
    children_mut(o, |child| tidy(child, nulls));
    for (key, _) in ["additionalProperties", "unevaluatedProperties"].iter().zip(closed).filter(|(_, closed)| *closed) {
        o.insert((*key).into(), false.into());
    }
}

fn drop_optional_nulls(o: &mut Map<String, Value>) {
    let required: Vec<String> =
        o.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(text).collect();
    if let Some(Value::Object(properties)) = o.get_mut("properties") {
        for (_, property) in properties.iter_mut().filter(|(name, _)| !required.contains(name)) {
            if let Value::Object(property) = property {
                drop_null(property);
            }
        }
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// Removes the `null` from a schema that allows something else too.
pub(super) fn drop_null(o: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = o.get_mut("type") {
        if types.len() > 1 {
            types.retain(|t| t != "null");
        }
        if let [one] = &types[..] {
            let one = one.clone();
            o.insert("type".into(), one);
        }
    }
    if let Some(Value::Array(values)) = o.get_mut("enum").filter(|v| v.as_array().is_some_and(|v| v.len() > 1)) {
        values.retain(|v| !v.is_null());
    }
    for key in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = o.get_mut(key) else { continue };
        if branches.iter().all(is_null) {
            continue;
        }
        branches.retain(|b| !is_null(b));
        if branches.len() > 1 {
            continue;
        }
        let Some(Value::Object(mut only)) = branches.pop() else { continue };
        o.shift_remove(key);
        drop_null(&mut only);
        // the branch's own order, with what stood beside it put over it
        for (key, value) in std::mem::take(o) {
            only.insert(key, value);
        }
        *o = only;
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("null")
}

/// Numeric formats become bounds; a bound of the type that is tighter than a given one stays.
fn bounds(o: &mut Map<String, Value>) {
    let Some(format) = o.get("format").and_then(Value::as_str) else { return };
    let (low, high): (Number, Number) = match format {
        "uint8" => (u8::MIN.into(), u8::MAX.into()),
        "uint16" => (u16::MIN.into(), u16::MAX.into()),
        "uint32" => (u32::MIN.into(), u32::MAX.into()),
        // what JSON itself carries exactly here ends at 64 bits
        "uint64" | "uint" | "uint128" => (u64::MIN.into(), u64::MAX.into()),
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        "int32" => (i32::MIN.into(), i32::MAX.into()),
        "int64" | "int" => (i64::MIN.into(), i64::MAX.into()),
        "int128" => (i64::MIN.into(), u64::MAX.into()),
        "float" | "double" => {
            o.shift_remove("format");
            return;
        }
        _ => return,
    };
    o.shift_remove("format");
    tighten(o, "minimum", low);
    tighten(o, "maximum", high);
    prefer_exclusive(o);
}

/// Sets a bound unless a tighter one is there.
pub(super) fn tighten(o: &mut Map<String, Value>, key: &str, bound: Number) {
    let looser = if key.ends_with("inimum") { Ordering::Less } else { Ordering::Greater };
    match o.get(key).and_then(Value::as_number) {
        Some(there) if compare(there, &bound) != looser => {}
        _ => {
            o.insert(key.into(), bound.into());
        }
    }
}

/// Where both an exclusive and an inclusive bound stand, only the one that bites.
pub(super) fn prefer_exclusive(o: &mut Map<String, Value>) {
    for (exclusive, inclusive, tighter) in
        [("exclusiveMinimum", "minimum", Ordering::Less), ("exclusiveMaximum", "maximum", Ordering::Greater)]
    {
        let (Some(e), Some(i)) =
            (o.get(exclusive).and_then(Value::as_number), o.get(inclusive).and_then(Value::as_number))
        else {
            continue;
        };
        let bites = if compare(e, i) == tighter { inclusive } else { exclusive };
        o.shift_remove(if bites == inclusive { exclusive } else { inclusive });
    }
}

/// Exact for integers, which an `f64` is not beyond 2^53.
pub(super) fn compare(a: &Number, b: &Number) -> Ordering {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => a.as_f64().partial_cmp(&b.as_f64()).unwrap_or(Ordering::Equal),
    }
}

/// A documented unit enum, which schemars writes as a `oneOf` of constants, becomes one `enum`, its docs lines of the
/// description: clients that ignore `oneOf` still see the allowed strings.
fn fold_enum(o: &mut Map<String, Value>) {
    let Some(branches) = o.get("oneOf").and_then(Value::as_array) else { return };
    let mut values = Vec::new();
    let mut lines = Vec::new();
    for branch in branches {
        let Value::Object(b) = branch else { return };
        if !b.keys().all(|k| matches!(k.as_str(), "type" | "const" | "enum" | "description" | "title" | "deprecated")) {
            return;
        }
        let own: Vec<&Value> = match (b.get("const"), b.get("enum")) {
            (Some(one), None) => vec![one],
            (None, Some(Value::Array(many))) => many.iter().collect(),
            _ => return,
        };
        if own.is_empty() || !own.iter().all(|v| v.is_string()) {
            return;
        }
        if let Some(description) = b.get("description").and_then(Value::as_str) {
            let names: Vec<String> = own.iter().filter_map(|v| v.as_str()).map(|v| format!("`{v}`")).collect();
            lines.push(format!("{}: {}", names.join(", "), description));
        }
        values.extend(own.into_iter().cloned());
    }
    if values.is_empty() {
        return;
    }
    let mut description = o.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    for line in lines {
        if !description.is_empty() {
            description.push('\n');
        }
        description.push_str(&line);
    }
    o.shift_remove("oneOf");
    o.insert("type".into(), "string".into());
    o.insert("enum".into(), values.into());
    if !description.is_empty() {
        o.insert("description".into(), description.into());
    }
}

/// A choice between forms that exclude each other says the same with `anyOf`, which more providers take than `oneOf`
/// (OpenAI's and Gemini's function declarations refuse that one). schemars writes `oneOf` for every enum with data.
fn loosen_choice(o: &mut Map<String, Value>) {
    if o.contains_key("anyOf") || !o.get("oneOf").and_then(Value::as_array).is_some_and(|b| exclude_each_other(b)) {
        return;
    }
    let rebuilt = std::mem::take(o);
    *o = rebuilt
        .into_iter()
        .map(|(key, value)| (if key == "oneOf" { "anyOf".to_owned() } else { key }, value))
        .collect();
}

/// Whether no value fits two of these: each requires its own value of one property (a tag), or is a text of its own or an
/// object of one property of its own (a variant's name).
fn exclude_each_other(branches: &[Value]) -> bool {
    let distinct = |names: Vec<Option<&str>>| {
        let mut names: Vec<&str> = names.into_iter().flatten().collect();
        let all = names.len() == branches.len();
        names.sort_unstable();
        all && names.windows(2).all(|pair| pair[0] != pair[1])
    };
    let required = |branch: &Value, name: &str| {
        branch["required"].as_array().is_some_and(|required| required.iter().any(|r| r == name))
    };
    let first = branches.first().and_then(|b| b["properties"].as_object());
    let by_tag = first.into_iter().flat_map(Map::keys).any(|tag| {
        distinct(branches.iter().map(|b| only(&b["properties"][tag]).filter(|_| required(b, tag))).collect())
    });
    by_tag
        || distinct(
            branches
                .iter()
                .map(|b| match b["properties"].as_object() {
                    Some(properties) if b["additionalProperties"] == false => {
                        let mut names = properties.keys().map(String::as_str);
                        names.next().filter(|name| names.next().is_none() && required(b, name))
                    }
                    Some(_) => None,
                    None => only(b),
                })
                .collect(),
        )
}

/// The one text that a schema allows.
fn only(schema: &Value) -> Option<&str> {
    match schema["enum"].as_array().map(Vec::as_slice) {
        Some([one]) => one.as_str(),
        Some(_) => None,
        None => schema["const"].as_str(),
    }
}

/// A single allowed string is an `enum` of one: not every provider knows `const`.
fn one_string(o: &mut Map<String, Value>) {
    if o.get("const").is_some_and(Value::is_string) && !o.contains_key("enum") {
        let rebuilt = std::mem::take(o);
        *o = rebuilt
            .into_iter()
            .map(|(key, value)| if key == "const" { ("enum".to_owned(), json!([value])) } else { (key, value) })
            .collect();
    }
}

/// `Duration` and `SystemTime` refuse unknown fields; schemars does not say so.
fn close_std(o: &mut Map<String, Value>) {
    let Some(Value::Object(properties)) = o.get("properties") else { return };
    let names: Vec<&str> = properties.keys().map(String::as_str).collect();
    if matches!(names[..], ["secs", "nanos"] | ["secs_since_epoch", "nanos_since_epoch"])
        && properties.values().all(|p| p.get("type").is_some_and(|t| t == "integer") && !p["description"].is_string())
    {
        o.entry("additionalProperties").or_insert(false.into());
    }
}

/// A set takes a list with a doubled item. schemars writes `uniqueItems` before `items` for the standard sets; one that
/// an author asked for comes after it and stays.
fn loosen_set(o: &mut Map<String, Value>) {
    let at = |name: &str| o.keys().position(|k| k == name);
    if at("uniqueItems").zip(at("items")).is_some_and(|(unique, items)| unique < items) {
        o.shift_remove("uniqueItems");
    }
}
