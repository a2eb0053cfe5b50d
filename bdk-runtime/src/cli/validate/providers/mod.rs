//! `validate --for`: what a model provider refuses or ignores of the tools when a client hands them on as they are
//! listed, one function declaration each.
//!
//! What providers take changes, and not all of it is documented: beside each rule stands where it was found, as of
//! November 2026. What no tool of a started bot can break (names beyond 64 characters, a root that is no object) has
//! no rule.

mod anthropic;
mod gemini;
mod openai;

use crate::{
    registry::{Problem, Severity, Tool},
    tool::schema,
};
use clap::ValueEnum;
use serde_json::{Map, Value};

/// Whose models call the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(in crate::cli) enum Provider {
    /// Claude, by the Messages API
    Anthropic,
    /// GPT, by the Responses API and Chat Completions
    Openai,
    /// Gemini, by generateContent
    Gemini,
}

impl Provider {
    fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "Anthropic",
            Self::Openai => "OpenAI",
            Self::Gemini => "Gemini",
        }
    }
    fn code(self) -> &'static str {
        match self {
            Self::Anthropic => "for_anthropic",
            Self::Openai => "for_openai",
            Self::Gemini => "for_gemini",
        }
    }
    /// How many tools a request may have.
    fn most_tools(self) -> usize {
        match self {
            // none is known
            Self::Anthropic => usize::MAX,
            Self::Openai => openai::MOST_TOOLS,
            Self::Gemini => gemini::MOST_TOOLS,
        }
    }
}

/// Checks the tools, each with its input schema, as the provider does.
pub(super) fn check(provider: Provider, tools: &[(&Tool, Value)], problems: &mut Vec<Problem>) {
    let most = provider.most_tools();
    if tools.len() > most {
        let why = format!(
            "{} refuses a request with more than {most} tools, and this bot has {}: let clients choose among them",
            provider.name(),
            tools.len()
        );
        problems.push(Problem::error(provider.code(), None, why));
    }
    for (tool, schema) in tools {
        let declared = Declared { name: tool.name(), description: tool.description(), schema };
        for Finding { severity, path, what } in findings(provider, &declared) {
            let at = if path.is_empty() { String::new() } else { format!(" at `{path}`") };
            let message = format!("`{}`{at}: {what}", tool.name());
            let place = Some(tool.at());
            problems.push(match severity {
                Severity::Error => Problem::error(provider.code(), place, message),
                Severity::Warning => Problem::warning(provider.code(), place, message),
            });
        }
    }
}

fn findings(provider: Provider, tool: &Declared<'_>) -> Vec<Finding> {
    let mut found = Findings { provider: provider.name(), found: Vec::new() };
    match provider {
        Provider::Anthropic => anthropic::check(tool, &mut found),
        Provider::Openai => openai::check(tool, &mut found),
        Provider::Gemini => gemini::check(tool, &mut found),
    }
    found.found
}

/// What of a tool goes into a function declaration.
struct Declared<'a> {
    name: &'a str,
    description: &'a str,
    schema: &'a Value,
}

/// One thing that is refused or ignored.
struct Finding {
    severity: Severity,
    /// A path of keywords; empty for the tool as a whole.
    path: String,
    what: String,
}

/// What one provider says of one tool.
struct Findings {
    provider: &'static str,
    found: Vec<Finding>,
}

impl Findings {
    /// The request fails: `what` is refused; `way` says what to write instead.
    fn refused(&mut self, path: &str, what: &str, way: &str) {
        let what = format!("{} refuses {what}: {way}", self.provider);
        self.found.push(Finding { severity: Severity::Error, path: path.to_owned(), what });
    }
    /// The request may go through, and yet something is lost.
    fn warned(&mut self, path: &str, what: &str) {
        let what = format!("{} {what}", self.provider);
        self.found.push(Finding { severity: Severity::Warning, path: path.to_owned(), what });
    }
}

/// Visits a schema and every one below it, each with its path of keywords and how many objects hold it.
fn each<'a>(schema: &'a Value, visit: &mut impl FnMut(&str, &'a Map<String, Value>, usize)) {
    fn below<'a>(
        schema: &'a Value,
        path: &str,
        depth: usize,
        visit: &mut impl FnMut(&str, &'a Map<String, Value>, usize),
    ) {
        if let Value::Object(members) = schema {
            visit(path, members, depth);
        }
        let depth = depth + usize::from(schema.get("properties").is_some());
        schema::children(schema, |step, child| {
            let path = if path.is_empty() { step.to_owned() } else { format!("{path}/{step}") };
            below(child, &path, depth, visit);
        });
    }
    below(schema, "", 0, visit);
}

/// Whether a schema allows this type, by its name or in a list of types.
fn is_type(schema: &Map<String, Value>, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(own)) => own == name,
        Some(Value::Array(types)) => types.iter().any(|own| own == name),
        _ => false,
    }
}

/// The first few of many places, for a warning that covers them all.
fn some(places: &[String]) -> String {
    const MOST: usize = 5;
    let mut out = places.iter().take(MOST).map(|place| format!("`{place}`")).collect::<Vec<_>>().join(", ");
    if places.len() > MOST {
        out.push_str(&format!(" and {} more", places.len() - MOST));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What a provider says of a tool with these properties: severity, path and text.
    #[expect(clippy::needless_pass_by_value, reason = "reads well with `json!`")]
    pub(super) fn told(provider: Provider, properties: Value) -> Vec<(Severity, String, String)> {
        let required: Vec<&String> = properties.as_object().expect("properties").keys().collect();
        let schema =
            json!({ "type": "object", "required": required, "properties": properties, "additionalProperties": false });
        of(provider, "tool", &schema)
    }
    pub(super) fn of(provider: Provider, name: &str, schema: &Value) -> Vec<(Severity, String, String)> {
        let tool = Declared { name, description: "A tool.", schema };
        findings(provider, &tool).into_iter().map(|f| (f.severity, f.path, f.what)).collect()
    }
    /// Asserts that just these are refused, each where it stands and in these words.
    #[track_caller]
    pub(super) fn refuses(provider: Provider, schema: &Value, expected: &[(&str, &str)]) {
        let refused: Vec<_> =
            of(provider, "tool", schema).into_iter().filter(|(s, ..)| *s == Severity::Error).collect();
        assert_eq!(refused.len(), expected.len(), "{refused:#?}");
        for (path, words) in expected {
            assert!(
                refused.iter().any(|(_, p, what)| p == path && what.contains(words)),
                "{path} {words}: {refused:#?}"
            );
        }
    }

    #[test]
    fn a_plain_tool_is_fine_for_everybody() {
        let properties = json!({
            "city": { "type": "string", "description": "Where." },
            "unit": { "type": "string", "enum": ["celsius", "fahrenheit"] },
            "days": { "type": "array", "items": { "type": "integer" } },
            "options": {
                "type": "object",
                "properties": { "fast": { "type": "boolean" } },
                "required": ["fast"],
                "additionalProperties": false,
            },
        });
        for provider in Provider::value_variants() {
            assert!(told(*provider, properties.clone()).is_empty(), "{:?}", told(*provider, properties.clone()));
        }
    }

    #[test]
    fn every_fault_of_a_tool_is_told_with_its_own_path() {
        let schema = json!({
            "type": "object",
            "properties": {
                "when": { "type": "string", "format": "uri" },
                "which": { "oneOf": [{ "type": "string" }, { "const": 3 }] },
                "deep": { "type": "object", "properties": { "list": { "type": "array" } } },
            },
        });
        let paths = |provider| -> Vec<String> {
            let refused = of(provider, "tool", &schema).into_iter().filter(|(s, ..)| *s == Severity::Error);
            refused.map(|(_, path, _)| path).collect()
        };
        let list = "properties/deep/properties/list";
        assert_eq!(paths(Provider::Openai), ["properties/when", "properties/which", list]);
        let gemini = paths(Provider::Gemini);
        for path in ["properties/when", "properties/which", "properties/which/oneOf/1", list] {
            assert!(gemini.iter().any(|p| p == path), "{path}: {gemini:?}");
        }
        assert!(paths(Provider::Anthropic).is_empty());
    }
}
