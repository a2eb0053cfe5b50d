//! The checks that stop a start: what the compiler cannot see because it spans functions and crates.

use super::{Kind, Problem, Tool};
use crate::tool::{At, Need, ProviderDef, Rule, schema};
use std::{
    any::TypeId,
    collections::{HashMap, HashSet},
    panic::{AssertUnwindSafe, catch_unwind},
};

/// Two tools of one name: both places.
pub(super) fn duplicate(name: &str, first: At, second: At) -> Problem {
    let (a, b) = if first <= second { (first, second) } else { (second, first) };
    Problem::error(
        "duplicate_tool",
        Some(a),
        format!(
            "two tools are named `{name}`: here (crate `{}`) and at {b} (crate `{}`); rename one with `#[tool(name = \"…\")]`",
            a.krate, b.krate
        ),
    )
}

/// Names, descriptions, raw schemas and `time_args` of one tool.
pub(super) fn tool(tool: &Tool, problems: &mut Vec<Problem>) {
    let at = Some(tool.at);
    let name = &tool.name;
    if !legal(name) {
        problems.push(Problem::error(
            "illegal_name",
            at,
            format!("`{name}` is no name for a tool: 1 to 64 letters, digits, `_` and `-`"),
        ));
    }
    if tool.description().trim().is_empty() {
        problems.push(Problem::error(
            "no_description",
            at,
            format!(
                "`{name}` has no description, and the model chooses tools by it: add one with `.description(\"…\")`"
            ),
        ));
    }
    if let Kind::Data(data, _) = &tool.kind {
        if data.attempts == Some(0) {
            problems.push(Problem::error("attempts", at, format!("`{name}` has `attempts(0)`: it could never run")));
        }
        if data.attempts.is_some() && data.effect != Some(crate::Effect::Read) {
            problems.push(Problem::error(
                "attempts",
                at,
                format!("`{name}` has `attempts`, but only a read is tried again"),
            ));
        }
    }
    // what the compiler has not seen: given schemas, whole inputs, and patterns. The other schemas wait until needed
    let given = tool.raw() || tool.whole();
    if !given && !tool.params().iter().any(|p| p.rules.iter().any(Rule::may_not_compile)) {
        return;
    }
    let Ok(input) = catch_unwind(AssertUnwindSafe(|| tool.make_input_schema())) else {
        problems.push(Problem::error("input_schema", at, format!("making the input schema of `{name}` panics")));
        return;
    };
    if let Err(why) = schema::check(&input) {
        problems.push(Problem::error("input_schema", at, format!("the input schema of `{name}` {why}")));
        return;
    }
    if let Some(Err(faults)) = given.then(|| schema::check_time_args(&input, tool.time_args())) {
        problems.extend(faults.into_iter().map(|f| Problem::error("time_args", at, format!("`{name}`: {f}"))));
    }
}

pub(super) fn legal(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// Two providers of one type, a need nobody meets, and circles. `context` is the type that the call path itself lends.
pub(super) fn providers<'a>(
    tools: impl Iterator<Item = &'a Tool>,
    providers: &[&'static ProviderDef],
    context: TypeId,
    problems: &mut Vec<Problem>,
) {
    let mut by_type: HashMap<TypeId, &'static ProviderDef> = HashMap::new();
    for p in providers {
        if let Some(first) = by_type.insert((p.key)(), p) {
            let (a, b) = if first.at <= p.at { (first.at, p.at) } else { (p.at, first.at) };
            problems.push(Problem::error(
                "duplicate_provider",
                Some(a),
                format!("`{}` is provided twice: here and at {b}", short((p.type_name)())),
            ));
        }
    }
    let missing = |who: &str, need: &Need, problems: &mut Vec<Problem>| {
        let key = (need.key)();
        if key != context && !by_type.contains_key(&key) {
            let ty = short((need.type_name)());
            problems.push(Problem::error(
                "no_provider",
                Some(need.at),
                format!("{who} takes a `&{ty}`, which no `#[provide]` function makes: write one that returns `{ty}` or `Result<{ty}>`"),
            ));
        }
    };
    for tool in tools {
        if let Kind::Code(def) = &tool.kind {
            def.needs.iter().for_each(|n| missing(&format!("the tool `{}`", tool.name), n, problems));
        }
    }
    for p in providers {
        if let Some(need) = p.needs.iter().find(|n| (n.key)() == context) {
            problems.push(Problem::error(
                "provider_context",
                Some(need.at),
                "a provider outlives the call that first needs it, so it cannot take a `&ToolContext`",
            ));
        }
        p.needs.iter().for_each(|n| missing(&format!("the provider of `{}`", short((p.type_name)())), n, problems));
    }
    let mut done = HashSet::new();
    for p in providers {
        circle(p, &by_type, &mut Vec::new(), &mut done, problems);
    }
}

fn circle(
    at: &'static ProviderDef,
    by_type: &HashMap<TypeId, &'static ProviderDef>,
    path: &mut Vec<&'static ProviderDef>,
    done: &mut HashSet<TypeId>,
    problems: &mut Vec<Problem>,
) {
    let key = (at.key)();
    if let Some(start) = path.iter().position(|p| (p.key)() == key) {
        let names: Vec<String> =
            path[start..].iter().chain([&at]).map(|p| format!("`{}`", short((p.type_name)()))).collect();
        problems.push(Problem::error(
            "provider_circle",
            Some(path[start].at),
            format!("providers need each other in a circle: {}", names.join(" needs ")),
        ));
        return;
    }
    if done.contains(&key) {
        return;
    }
    path.push(at);
    for need in at.needs {
        if let Some(next) = by_type.get(&(need.key)()) {
            circle(next, by_type, path, done, problems);
        }
    }
    path.pop();
    done.insert(key);
}

/// A type's name without its modules, as the author would write it.
pub(crate) fn short(type_name: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for c in type_name.chars() {
        if c.is_alphanumeric() || c == '_' || c == ':' {
            word.push(c);
        } else {
            out.push_str(word.rsplit("::").next().unwrap_or_default());
            word.clear();
            out.push(c);
        }
    }
    out.push_str(word.rsplit("::").next().unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_named_as_its_author_writes_it() {
        assert_eq!(short("alloc::sync::Arc<dyn bot::store::Store>"), "Arc<dyn Store>");
        assert_eq!(short("bot::Pool"), "Pool");
    }
}
