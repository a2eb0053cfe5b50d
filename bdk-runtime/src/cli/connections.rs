//! Connections as `info` shows them: how each is reached, who gets at its tools, which of them. No value that may be a
//! credential is among it, and nothing of a URL behind its path.

use super::{output::HEAD, shown};
use crate::{
    connection::{Declared, Pin, Transport},
    registry::Registry,
};
use serde_json::{Value, json};
use std::fmt::Write;
use url::Url;

/// An array of them, by name.
pub(super) fn listing(registry: &Registry) -> Value {
    registry.connections().iter().map(|one| object(registry, one)).collect()
}

fn object(registry: &Registry, one: &Declared) -> Value {
    let spec = &one.spec;
    let mut out = json!({ "name": one.name });
    let (kind, key, reached) = reached(one);
    out["kind"] = kind.into();
    if let Some(key) = key {
        out[key] = reached.into();
    }
    out["access"] = one.access().as_str().into();
    if let Some(description) = &spec.description {
        out["description"] = description.as_str().into();
    }
    if one.is_authored() {
        out["owns"] = registry.tools_of(&one.name).iter().map(|tool| tool.name()).collect();
    }
    if let Some(allowed) = &spec.allowed {
        out["tools"] = allowed.as_slice().into();
    }
    if !spec.denied.is_empty() {
        out["disallowedTools"] = spec.denied.as_slice().into();
    }
    for (key, set) in [("onlyReads", spec.only_reads), ("optional", spec.optional)] {
        if set {
            out[key] = true.into();
        }
    }
    if let Some(pin) = pin(one) {
        out["pin"] = pin.into();
    }
    let at = one.at;
    out["source"] = json!({ "crate": at.krate, "module": at.module, "file": at.file, "line": at.line });
    out
}

/// What is done when its server's tools change.
fn pin(one: &Declared) -> Option<&'static str> {
    one.spec.pin.map(|pin| match pin {
        Pin::Warn => "warn",
        Pin::Refuse => "refuse",
    })
}

/// Its kind, and by which key and where its server is found.
fn reached(one: &Declared) -> (&'static str, Option<&'static str>, String) {
    match &one.spec.transport {
        Transport::Http { url, .. } => ("http", Some("url"), bare(url)),
        Transport::Stdio { program, .. } => ("stdio", Some("program"), program.clone()),
        Transport::Authored => ("authored", None, String::new()),
    }
}

/// A URL up to its path: what stands behind it may be a key.
fn bare(url: &str) -> String {
    let Ok(mut url) = Url::parse(url) else { return String::new() };
    url.set_query(None);
    url.set_fragment(None);
    // a user or a password stops the start, and is not told here either
    let _ = (url.set_username(""), url.set_password(None));
    url.into()
}

/// A line for each, and one for its description and its filters where it has any.
pub(super) fn text(registry: &Registry) -> String {
    let mut out = String::new();
    for one in registry.connections() {
        let (kind, _, reached) = reached(one);
        let reached = match one.is_authored() {
            true => registry.tools_of(&one.name).iter().map(|tool| tool.name()).collect::<Vec<_>>().join(", "),
            false => shown::line(&reached),
        };
        let access = one.access().as_str();
        let _ = writeln!(out, "  {HEAD}{}{HEAD:#}  {kind} {reached}  {access}  {}", one.name, one.at);
        if let Some(first) = one.spec.description.as_ref().and_then(|text| text.trim().lines().next()) {
            let _ = writeln!(out, "    {}", shown::line(first));
        }
        let filters = filters(one);
        if !filters.is_empty() {
            let _ = writeln!(out, "    {}", shown::line(&filters));
        }
    }
    out
}

/// `only get_stock, search_skus; not drop; only what reads`.
fn filters(one: &Declared) -> String {
    let spec = &one.spec;
    let allowed = spec.allowed.as_ref().map(|names| format!("only {}", names.join(", ")));
    let denied = (!spec.denied.is_empty()).then(|| format!("not {}", spec.denied.join(", ")));
    let reads = spec.only_reads.then(|| "only what reads".to_owned());
    let optional = spec.optional.then(|| "optional".to_owned());
    let pin = pin(one).map(|pin| format!("pinned ({pin})"));
    [allowed, denied, reads, optional, pin].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// `, 2 connections`, behind the count of the tools; nothing where there are none.
pub(super) fn counted(registry: &Registry) -> String {
    match registry.connections().len() {
        0 => String::new(),
        1 => ", 1 connection".to_owned(),
        n => format!(", {n} connections"),
    }
}

#[cfg(test)]
mod tests {
    use super::bare;

    #[test]
    fn a_url_is_shown_up_to_its_path() {
        assert_eq!(
            bare("https://u:p@mcp.example.com:8443/a/mcp?key=secret#part"),
            "https://mcp.example.com:8443/a/mcp"
        );
        assert_eq!(bare("no url"), "");
    }
}
