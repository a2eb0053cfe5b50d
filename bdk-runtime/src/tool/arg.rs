//! A parameter's type: what it needs, and the slot its value waits in.

use super::{DecodeFault, JsonRef, Param, Timestamp, decode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::{Map, Value};
use std::{
    any::{Any, TypeId},
    borrow::Cow,
};

/// What a tool's owned parameter needs. Implemented for everything that has both `Deserialize` and `JsonSchema`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a tool parameter",
    label = "not a tool parameter type",
    note = "a tool parameter needs both `Deserialize` and `JsonSchema`: `#[derive(Deserialize, JsonSchema)]` on your own type",
    note = "for something of the bot's own, take a reference, `&{Self}`, and make it in a `#[provide]` function"
)]
pub trait ToolArg: Sized + Send + 'static {
    /// The type's schema, as schemars gives it.
    fn schema(generator: &mut SchemaGenerator) -> Schema;
    /// Reads a value; one instance per type, never per tool.
    fn decode(json: JsonRef<'_>) -> Result<Slot, DecodeFault>;
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send + 'static> ToolArg for T {
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
    fn decode(json: JsonRef<'_>) -> Result<Slot, DecodeFault> {
        // handed over as it came: reading it like any other type would make `3.0` a `3`
        if TypeId::of::<T>() == TypeId::of::<Value>() {
            return Ok(slot(json.to_value()));
        }
        if TypeId::of::<T>() == TypeId::of::<Map<String, Value>>()
            && let Value::Object(map) = json.to_value()
        {
            return Ok(slot(map));
        }
        decode::read::<T>(json).map(slot)
    }
}

/// The whole input as the author's own type.
///
/// ```
/// use bdk::Input;
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Query { text: String }
/// async fn find(Input(query): Input<Query>) -> String { query.text }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Input<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Input<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Input)
    }
}

impl<T: JsonSchema> JsonSchema for Input<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }
    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }
    fn inline_schema() -> bool {
        T::inline_schema()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// What a text may be a default of: everything that is made from one.
#[diagnostic::on_unimplemented(
    message = "a text is no default for a `{Self}`",
    label = "the parameter is a `{Self}`",
    note = "a default is a value of the parameter's type, such as `default = 7`; a text is one for every type that implements `From<&'static str>`"
)]
pub trait TextDefault {
    /// The default.
    fn of_text(text: &'static str) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: From<&'static str>> TextDefault for T {
    fn of_text(text: &'static str) -> Self {
        text.into()
    }
}

/// A type that `time_args` may name: its JSON is a string that holds an instant.
///
/// Implement it for a newtype of your own whose JSON is such a string.
#[diagnostic::on_unimplemented(
    message = "`time_args` names a `{Self}`, which is no text that holds an instant",
    label = "its parameter is a `{Self}`",
    note = "take a `Timestamp`, a `String` or an `Option` of one; for a type of your own whose JSON is such a string, `impl bdk::TimeBound for {Self} {{}}`"
)]
pub trait TimeBound {}
#[diagnostic::do_not_recommend]
impl TimeBound for String {}
#[diagnostic::do_not_recommend]
impl TimeBound for Box<str> {}
#[diagnostic::do_not_recommend]
impl TimeBound for Timestamp {}
#[diagnostic::do_not_recommend]
impl<T: TimeBound> TimeBound for Option<T> {}

/// A parameter that takes the whole input beside an `input_schema`: it arrives untouched.
#[diagnostic::on_unimplemented(
    message = "`input_schema` describes the whole input, which a `{Self}` cannot take",
    label = "takes one property, not the whole input",
    note = "take `input: Value`, or `Input(query): Input<Query>` for a type of your own"
)]
pub trait RawInput {}
#[diagnostic::do_not_recommend]
impl RawInput for Value {}
#[diagnostic::do_not_recommend]
impl RawInput for serde_json::Map<String, Value> {}
#[diagnostic::do_not_recommend]
impl<T> RawInput for Input<T> {}

/// One decoded argument, its type forgotten.
pub struct Slot(pub(crate) Box<dyn Any + Send>);

/// Puts a value in a slot.
pub fn slot<T: Send + 'static>(value: T) -> Slot {
    Slot(Box::new(value))
}

impl Slot {
    /// What is in it, if it is a `T`.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

/// The decoded arguments of one attempt, in the order of the parameters.
pub struct Slots {
    params: &'static [Param],
    values: Vec<Option<Slot>>,
    next: usize,
}

impl Slots {
    /// One value a parameter.
    pub fn new(params: &'static [Param], values: Vec<Slot>) -> Self {
        debug_assert_eq!(params.len(), values.len());
        Self { params, values: values.into_iter().map(Some).collect(), next: 0 }
    }
    /// The value at this place, if it was not taken.
    pub(crate) fn at(&self, index: usize) -> Option<&Slot> {
        self.values.get(index)?.as_ref()
    }
    /// Takes the next value: the shim asks in the order of the parameters.
    ///
    /// # Panics
    /// When asked out of order: a bug in bdk-macros.
    // compiled once a type, and not into the shim of every tool
    #[inline(never)]
    pub fn take<T: 'static>(&mut self) -> T {
        match self.take_any().downcast() {
            Ok(value) => *value,
            Err(_) => out_of_order(),
        }
    }
    fn take_any(&mut self) -> Box<dyn Any + Send> {
        let slot = self.values.get_mut(self.next).and_then(Option::take);
        self.next += 1;
        slot.unwrap_or_else(|| out_of_order()).0
    }
}

#[cold]
fn out_of_order() -> ! {
    panic!("an argument was taken out of order: a bug in bdk")
}

/// Lends a decoded argument to a predicate, by its property name. A free function, so that a type error lands on the author's token.
///
/// # Panics
/// When there is no such parameter: a bug in bdk-macros.
#[track_caller]
pub fn get<'a, T: 'static>(slots: &'a Slots, name: &str) -> &'a T {
    let index = slots.params.iter().position(|p| p.name == name);
    index
        .and_then(|i| slots.values[i].as_ref())
        .and_then(Slot::get)
        .unwrap_or_else(|| panic!("no decoded argument `{name}`: a bug in bdk"))
}
