//! Step 2 of a call: `preprocess` and `coerce`, then validate, then deserialise, every fault told at once.
//!
//! The order of the work: whether it is an object at all; what the author asked for (`coerce`, `preprocess`); what holds
//! for every input (an integral float is an integer, a null for an optional property is absent); then the validator says
//! yes or no and the types are read. Only when one of them says no is anything put into words.
//!
//! An input that came as a text mostly goes a shorter way to the same end ([`read_at_once`]): it is checked and read as it
//! lies, and no tree is ever made of it.

mod descent;
mod explain;
mod form;
mod issue;
mod judges;
mod normalise;
mod tagged;
mod words;

pub(crate) use form::CallInput;
pub use issue::Issue;
pub(crate) use issue::message;
pub(super) use words::received;

use super::as_of;
use crate::tool::doc::{Doc, JsonRef, Lookup};
use crate::tool::schema::{Compiled, Shape};
use crate::tool::{DecodeFault, FaultKind, Param, Slots, Timestamp};
use explain::{Explain, Found};
use serde_json::{Map, Value};

/// An input that may run.
pub(crate) struct Checked<'a> {
    /// As it is read again by a retry: normalised, defaults put in where their type is `Serialize`.
    pub(crate) input: CallInput<'a>,
    /// The decoded arguments.
    pub(crate) slots: Slots,
}

/// An input that may not.
#[derive(Debug, PartialEq)]
pub(crate) struct Rejected {
    /// What is wrong, in the order of the properties.
    pub(crate) issues: Vec<Issue>,
    /// Whether asOf is among the reasons: then the code is `as_of`.
    pub(crate) as_of: bool,
}

/// Checks and reads an input. A `null` (no arguments sent) is `{}`; `time_args` are judged where `frozen` is set.
///
/// An author's `preprocess` that panics unwinds through here.
///
/// # Errors
/// Every fault, at most 32 of them.
pub(crate) fn read<'a, S: AsRef<str>>(
    params: &'static [Param],
    compiled: &Compiled,
    time_args: &[S],
    input: impl Into<CallInput<'a>>,
    frozen: Option<Timestamp>,
) -> Result<Checked<'a>, Rejected> {
    let input = input.into();
    let mut input = if input.is_null() { CallInput::empty() } else { input };
    if let CallInput::Doc(doc) = &mut input
        && (frozen.is_none() || time_args.is_empty())
        && let Some(slots) = read_at_once(params, compiled, doc)
    {
        return Ok(Checked { input, slots });
    }
    read_tree(params, compiled, time_args, input.into_value(), frozen)
}

/// Reads a document as it lies. `None` where that is not surely what the other way comes to: then that is gone.
fn read_at_once(params: &'static [Param], compiled: &Compiled, doc: &mut Doc<'_>) -> Option<Slots> {
    let fast = compiled.fast.as_ref()?;
    if !doc.is_object() || !fast.accepts(doc) {
        return None;
    }
    let slots = decode_all(params, compiled, JsonRef::nodes(&doc.nodes), false).ok()?;
    for (name, default) in defaults(params, compiled, JsonRef::nodes(&doc.nodes), &slots) {
        doc.push_member(name, default);
    }
    Some(slots)
}

/// The whole way, over a tree that is made fit.
fn read_tree<S: AsRef<str>>(
    params: &'static [Param],
    compiled: &Compiled,
    time_args: &[S],
    mut input: Value,
    frozen: Option<Timestamp>,
) -> Result<Checked<'static>, Rejected> {
    if !input.is_object() {
        return Err(Rejected { issues: vec![not_an_object(&input)], as_of: false });
    }
    // on what the caller sent: a default is no answer to the question how far the caller wants to look
    let late = frozen.map(|frozen| as_of::judge(time_args, &input, frozen)).unwrap_or_default();
    if !compiled.raw {
        prepare(params, compiled, &mut input);
        if !input.is_object() {
            return Err(Rejected { issues: vec![not_an_object(&input)], as_of: false });
        }
    }
    if let Some((name, most)) = compiled.levels.exceeded(&input) {
        let issue = explain::too_deep(name, most);
        return Err(Rejected { as_of: !late.is_empty(), issues: issue::settle(vec![issue], late, &compiled.schema) });
    }
    let found = if compiled.validator.is_valid(&input) {
        match decode_all(params, compiled, (&input).into(), false) {
            Ok(slots) if late.is_empty() => {
                let made = defaults(params, compiled, (&input).into(), &slots);
                if let Value::Object(members) = &mut input {
                    members.extend(made.into_iter().map(|(name, json)| (name.to_owned(), json)));
                }
                return Ok(Checked { input: input.into(), slots });
            }
            Ok(_) => Vec::new(),
            Err(faults) => explained(faults, compiled, &input),
        }
    } else {
        let mut found = Explain::new(compiled).all(&input);
        decode_the_rest(params, compiled, &input, &mut found);
        found
    };
    let as_of = !late.is_empty();
    Err(Rejected { issues: issue::settle(found, late, &compiled.schema), as_of })
}

/// Reads the arguments anew from a kept input, for a further attempt.
///
/// # Errors
/// When a type that could be read before cannot be read again.
pub(crate) fn slots_again(
    params: &'static [Param],
    compiled: &Compiled,
    input: &CallInput<'_>,
) -> Result<Slots, Vec<Issue>> {
    decode_all(params, compiled, input.json(), true).map_err(|faults| {
        let found = explained(faults, compiled, &input.json().to_value());
        issue::settle(found, Vec::new(), &compiled.schema)
    })
}

/// The defaults that were made, as JSON where their type is `Serialize`, to be put into the input that is kept: from the
/// very values, so that a retry of `default = now()` reads the same instant.
fn defaults(params: &[Param], compiled: &Compiled, input: JsonRef<'_>, slots: &Slots) -> Vec<(&'static str, Value)> {
    let mut made = Vec::new();
    if compiled.shape == Shape::Properties && params.iter().any(|p| p.default_json.is_some()) {
        let mut input = Lookup::new(input);
        for (i, param) in params.iter().enumerate().filter(|(_, p)| p.default.is_some()) {
            if input.get(param.name).is_none() {
                let json = param.default_json.zip(slots.at(i)).and_then(|(json, slot)| json(slot));
                made.extend(json.filter(|json| !json.is_null()).map(|json| (param.name, json)));
            }
        }
    }
    made
}

fn not_an_object(input: &Value) -> Issue {
    let received = words::received(input);
    Issue {
        path: String::new(),
        message: format!("must be an object, got {received}"),
        expected: Some("an object".into()),
        received: Some(received),
    }
}

/// The author's steps, then ours.
fn prepare(params: &[Param], compiled: &Compiled, input: &mut Value) {
    if compiled.prepares {
        for (param, coerce) in params.iter().zip(&compiled.coerce) {
            let value = match compiled.shape {
                Shape::Whole => Some(&mut *input),
                Shape::Properties => input.as_object_mut().and_then(|o| {
                    // absent is absent, however it is written
                    if !param.required() && o.get(param.name).is_some_and(Value::is_null) {
                        o.shift_remove(param.name);
                    }
                    o.get_mut(param.name)
                }),
                Shape::Nothing => None,
            };
            if let Some(value) = value {
                if let Some(preprocess) = param.preprocess {
                    *value = preprocess(value.take());
                }
                if let Some(coerce) = coerce {
                    coerce.apply(value);
                }
            }
        }
    }
    let nulls = normalise::whole_numbers(input);
    if nulls {
        normalise::drop_nulls(input, &[&compiled.schema], &compiled.schema);
    }
}

/// An absent argument is read like a null.
static NULL: Value = Value::Null;

/// Reads every parameter of a valid input. In one that is kept, a default may stand whose JSON its own type cannot read:
/// it is made anew.
fn decode_all(
    params: &'static [Param],
    compiled: &Compiled,
    input: JsonRef<'_>,
    kept: bool,
) -> Result<Slots, Vec<(&'static Param, DecodeFault)>> {
    let mut slots = Vec::with_capacity(params.len());
    let mut faults = Vec::new();
    let mut members = Lookup::new(input);
    for param in params {
        let decoded = match compiled.shape {
            Shape::Properties => match (members.get(param.name), param.default) {
                (None, Some(default)) => Ok(default()),
                (None, None) => (param.decode)((&NULL).into()),
                (Some(given), default) => (param.decode)(given).or_else(|fault| match default.filter(|_| kept) {
                    Some(default) => Ok(default()),
                    None => Err(fault),
                }),
            },
            Shape::Whole => (param.decode)(input),
            // an empty struct reads an object, `()` reads null
            Shape::Nothing => {
                let object = Value::Object(Map::new());
                (param.decode)((&object).into()).or_else(|_| (param.decode)((&NULL).into()))
            }
        };
        match decoded {
            Ok(slot) => slots.push(slot),
            Err(fault) => faults.push((param, fault)),
        }
    }
    if faults.is_empty() { Ok(Slots::new(params, slots)) } else { Err(faults) }
}

/// Puts into words what the types refuse.
fn explained(faults: Vec<(&'static Param, DecodeFault)>, compiled: &Compiled, input: &Value) -> Vec<Found> {
    faults.into_iter().map(|(param, fault)| explain::decoded(start(param, compiled), &fault, input)).collect()
}

/// Adds what the types themselves refuse (a URL, a UUID) in an input that the schema refuses elsewhere.
fn decode_the_rest(params: &[Param], compiled: &Compiled, input: &Value, found: &mut Vec<Found>) {
    for param in params {
        match compiled.shape {
            Shape::Properties => {
                let told = found.iter().any(|f| f.top.as_deref() == Some(param.name));
                if let (false, Some(value)) = (told, input.get(param.name))
                    && let Err(fault) = (param.decode)(value.into())
                {
                    found.push(explain::decoded(start(param, compiled), &fault, input));
                }
            }
            // reading stops at its first fault, which may be one of those told already
            Shape::Whole => {
                if let Err(fault) = (param.decode)(input.into()) {
                    let more = explain::decoded(None, &fault, input);
                    let within = |f: &Found| f.issue.path.starts_with(&more.issue.path) || f.issue.path.is_empty();
                    if matches!(fault.kind, FaultKind::Custom(_)) && !found.iter().any(within) {
                        found.push(more);
                    }
                }
            }
            Shape::Nothing => {}
        }
    }
}

/// The path that a parameter's own faults begin with.
fn start(param: &Param, compiled: &Compiled) -> Option<&'static str> {
    (compiled.shape == Shape::Properties).then_some(param.name)
}

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod tests;
