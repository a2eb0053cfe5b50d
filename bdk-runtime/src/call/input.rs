//! Step 2 of a call: `preprocess` and `coerce`, then validate, then deserialise, every fault told at once.
//!
//! The order of the work: whether it is an object at all; what the author asked for (`coerce`, `preprocess`); what holds
//! for every input (an integral float is an integer, a null for an optional property is absent); then the validator says
//! yes or no and the types are read. Only when one of them says no is anything put into words.

mod explain;
mod issue;
mod normalise;
mod tagged;
mod words;

pub use issue::Issue;
pub(crate) use issue::message;
pub(super) use words::received;

use super::as_of;
use crate::tool::schema::{Compiled, Shape};
use crate::tool::{DecodeFault, FaultKind, Param, Slot, Slots, Timestamp};
use explain::{Explain, Found};
use serde_json::{Map, Value};

/// An input that may run.
pub(crate) struct Checked {
    /// As it is recorded and read again by a retry: normalised, defaults put in where their type is `Serialize`.
    pub(crate) input: Value,
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
pub(crate) fn read<S: AsRef<str>>(
    params: &'static [Param],
    compiled: &Compiled,
    time_args: &[S],
    input: Value,
    frozen: Option<Timestamp>,
) -> Result<Checked, Rejected> {
    let mut input = if input.is_null() { Value::Object(Map::new()) } else { input };
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
    let found = if compiled.validator.is_valid(&input) {
        match decode_all(params, compiled, &input, false) {
            Ok(slots) if late.is_empty() => {
                keep_defaults(params, compiled, &mut input, &slots);
                return Ok(Checked { input, slots });
            }
            Ok(_) => Vec::new(),
            Err(faults) => faults,
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
pub(crate) fn slots_again(params: &'static [Param], compiled: &Compiled, input: &Value) -> Result<Slots, Vec<Issue>> {
    decode_all(params, compiled, input, true).map_err(|found| issue::settle(found, Vec::new(), &compiled.schema))
}

/// Puts the defaults that were made into the input, where their type is `Serialize`: from the very values, so that a
/// retry of `default = now()` reads the same instant.
fn keep_defaults(params: &[Param], compiled: &Compiled, input: &mut Value, slots: &Slots) {
    let Some(o) = input.as_object_mut().filter(|_| compiled.shape == Shape::Properties) else { return };
    for (i, param) in params.iter().enumerate().filter(|(_, p)| p.default.is_some()) {
        if !o.contains_key(param.name) {
            let json = param.default_json.zip(slots.at(i)).and_then(|(json, slot)| json(slot));
            if let Some(json) = json.filter(|json| !json.is_null()) {
                o.insert(param.name.into(), json);
            }
        }
    }
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

/// What the caller gave for a parameter.
fn given<'a>(param: &Param, input: &'a Value) -> Option<&'a Value> {
    input.as_object().and_then(|o| o.get(param.name))
}

fn decode(param: &Param, shape: Shape, input: &Value) -> Result<Slot, DecodeFault> {
    match shape {
        Shape::Properties => (param.decode)(given(param, input).unwrap_or(&Value::Null)),
        Shape::Whole => (param.decode)(input),
        // an empty struct reads an object, `()` reads null
        Shape::Nothing => (param.decode)(&Value::Object(Map::new())).or_else(|_| (param.decode)(&Value::Null)),
    }
}

/// Reads every parameter of a valid input. In one that is kept, a default may stand whose JSON its own type cannot read:
/// it is made anew.
fn decode_all(params: &'static [Param], compiled: &Compiled, input: &Value, kept: bool) -> Result<Slots, Vec<Found>> {
    let mut slots = Vec::with_capacity(params.len());
    let mut found = Vec::new();
    for param in params {
        let decoded = match (compiled.shape, param.default) {
            (Shape::Properties, Some(default)) => match given(param, input).map(param.decode) {
                None => Ok(default()),
                Some(Err(_)) if kept => Ok(default()),
                Some(decoded) => decoded,
            },
            (shape, _) => decode(param, shape, input),
        };
        match decoded {
            Ok(slot) => slots.push(slot),
            Err(fault) => found.push(explain::decoded(start(param, compiled), &fault, input)),
        }
    }
    if found.is_empty() { Ok(Slots::new(params, slots)) } else { Err(found) }
}

/// Adds what the types themselves refuse (a URL, a UUID) in an input that the schema refuses elsewhere.
fn decode_the_rest(params: &[Param], compiled: &Compiled, input: &Value, found: &mut Vec<Found>) {
    for param in params {
        match compiled.shape {
            Shape::Properties => {
                let told = found.iter().any(|f| f.top.as_deref() == Some(param.name));
                if let (false, Some(value)) = (told, given(param, input))
                    && let Err(fault) = (param.decode)(value)
                {
                    found.push(explain::decoded(start(param, compiled), &fault, input));
                }
            }
            // reading stops at its first fault, which may be one of those told already
            Shape::Whole => {
                if let Err(fault) = (param.decode)(input) {
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
