//! Placeholder until the input branch lands.
use super::Failure;
use crate::{
    Timestamp,
    registry::{Kind, Tool},
    tool::Slots,
};
use serde::Serialize;
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Issue {
    pub path: String,
    pub message: String,
    pub expected: Option<String>,
    pub received: Option<String>,
}
pub(crate) struct Checked {
    pub(crate) input: Value,
    pub(crate) slots: Slots,
}
pub(super) fn message(tool: &str, issues: &[Issue]) -> String {
    let all: Vec<&str> = issues.iter().map(|i| i.message.as_str()).collect();
    format!("Invalid input for \"{tool}\": {}", all.join("; "))
}
fn issue(m: String) -> Issue {
    Issue { path: String::new(), message: m, expected: None, received: None }
}
fn slots(tool: &Tool, input: &Value) -> Result<Slots, Failure> {
    let mut values = vec![];
    for p in tool.params() {
        let v = if p.whole || tool.raw() { Some(input) } else { input.get(p.name) };
        let s = match (v, p.default) {
            (None, Some(make)) => make(),
            (v, _) => (p.decode)(v.unwrap_or(&Value::Null))
                .map_err(|e| Failure::input(vec![issue(format!("{e:?}"))], false))?,
        };
        values.push(s);
    }
    Ok(Slots::new(tool.params(), values))
}
pub(super) fn read(tool: &Tool, input: Value, _as_of: Option<Timestamp>) -> Result<Checked, Failure> {
    let input = if input.is_null() { Value::Object(Default::default()) } else { input };
    if !tool.compiled().validator.is_valid(&input) {
        return Err(Failure::input(vec![issue("bad".into())], false));
    }
    let slots = slots(tool, &input)?;
    Ok(Checked { input, slots })
}
pub(super) fn again(tool: &Tool, input: &Value) -> Result<Slots, Failure> {
    slots(tool, input)
}
pub(super) fn keep_defaults(_: &Tool, _: &mut Value, _: &Slots) {}
pub(super) fn check(tool: &Tool, slots: &Slots) -> Result<(), Failure> {
    match &tool.kind {
        Kind::Code(def) => match def.check {
            Some(f) => f(slots).map_err(|m| Failure::input(vec![issue(m)], false)),
            None => Ok(()),
        },
        Kind::Data(..) => Ok(()),
    }
}
