//! Telling `Result`, `Option` and plain types apart by type, not by name: an inherent constant of `Probe<Result<T, E>>`
//! beats the trait's. The bounds stand on methods, so that a type that does not fit is one clean error on the author's token.

use super::{
    BoxFuture, BoxMake, Input, IntoToolError, Lend, RawInput, Shared, Slot, TimeBound, ToolError, ToolResult, ToolValue,
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Value;
use std::{any::TypeId, fmt::Display, future::Future, marker::PhantomData, sync::Arc};

/// Asks a type what it is.
pub struct Probe<T: ?Sized>(PhantomData<T>);
/// The type is a `Result<T, E>`.
pub struct ResultKind<T, E>(PhantomData<fn() -> (T, E)>);
/// The type is no `Result`.
pub struct PlainKind<T>(PhantomData<fn() -> T>);

impl<T, E> Probe<Result<T, E>> {
    /// The kind of a tool's return type.
    pub const KIND: ResultKind<T, E> = ResultKind(PhantomData);
}
impl<T> Probe<Option<T>> {
    /// Whether a parameter may be left out.
    pub const OPTIONAL: bool = true;
}
impl<T> Probe<Input<T>> {
    /// Whether a parameter is the whole input.
    pub const WHOLE: bool = true;
}
impl<T: Serialize + 'static> Probe<T> {
    /// A default as JSON.
    pub const JSON: Option<fn(&Slot) -> Option<Value>> =
        Some(|s| s.get::<T>().and_then(|v| serde_json::to_value(v).ok()));
}

impl<T> Probe<T> {
    /// To be asked by a method, whose name is where the answer is shown.
    pub const ASK: Self = Self(PhantomData);
    /// Compiles where `time_args` may name a parameter of this type.
    pub const fn time_bound(self)
    where
        T: TimeBound,
    {
    }
}

/// A result whose schema can be advertised.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no schema that `output_schema` could advertise",
    label = "a result without a schema",
    note = "`#[derive(JsonSchema)]` on your own type, or give the schema yourself: `output_schema = json!(…)`"
)]
pub trait ResultSchema {
    /// The schema, as schemars gives it.
    fn schema(generator: &mut SchemaGenerator) -> Schema;
}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema> ResultSchema for T {
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// What holds where no inherent constant does.
pub trait Fallback {
    /// The type itself.
    type T;
    /// See [`Probe`].
    const KIND: PlainKind<Self::T> = PlainKind(PhantomData);
    /// See [`Probe`].
    const OPTIONAL: bool = false;
    /// See [`Probe`].
    const WHOLE: bool = false;
    /// See [`Probe`].
    const JSON: Option<fn(&Slot) -> Option<Value>> = None;
}
impl<T> Fallback for Probe<T> {
    type T = T;
}

impl<T, E> ResultKind<T, E> {
    /// Turns what the tool returned into what the caller gets.
    pub const fn conv(self) -> fn(Result<T, E>) -> ToolResult
    where
        T: ToolValue,
        E: IntoToolError,
    {
        |r| match r {
            Ok(v) => v.into_output(),
            Err(e) => Err(e.into_tool_error()),
        }
    }
    /// Runs a `dry_run_result`, which gives the success type.
    pub fn dry(self, f: impl FnOnce() -> T) -> ToolResult
    where
        T: ToolValue,
    {
        f().into_output()
    }
    /// The schema of the success type.
    pub const fn schema(self) -> fn(&mut SchemaGenerator) -> Schema
    where
        T: ResultSchema,
    {
        T::schema
    }
    /// What a provider makes.
    pub const fn key(&self) -> fn() -> TypeId
    where
        T: 'static,
    {
        TypeId::of::<T>
    }
    /// Its name.
    pub const fn type_name(&self) -> fn() -> &'static str {
        std::any::type_name::<T>
    }
    /// Turns what a provider returned into something to lend.
    pub const fn provide(self) -> fn(Result<T, E>) -> Result<Shared, ToolError>
    where
        T: Lend + Sized,
        E: IntoToolError,
    {
        |r| match r {
            Ok(v) => Ok(Arc::new(v)),
            Err(e) => Err(e.into_tool_error()),
        }
    }
}

impl<T> PlainKind<T> {
    /// Turns what the tool returned into what the caller gets.
    pub const fn conv(self) -> fn(T) -> ToolResult
    where
        T: ToolValue,
    {
        |v| v.into_output()
    }
    /// Runs a `dry_run_result`.
    pub fn dry(self, f: impl FnOnce() -> T) -> ToolResult
    where
        T: ToolValue,
    {
        f().into_output()
    }
    /// The schema of the type.
    pub const fn schema(self) -> fn(&mut SchemaGenerator) -> Schema
    where
        T: ResultSchema,
    {
        T::schema
    }
    /// What a provider makes.
    pub const fn key(&self) -> fn() -> TypeId
    where
        T: 'static,
    {
        TypeId::of::<T>
    }
    /// Its name.
    pub const fn type_name(&self) -> fn() -> &'static str {
        std::any::type_name::<T>
    }
    /// Turns what a provider returned into something to lend.
    pub const fn provide(self) -> fn(T) -> Result<Shared, ToolError>
    where
        T: Lend + Sized,
    {
        |v| Ok(Arc::new(v))
    }
}

/// The same by value, for `-> impl Serialize`, whose type has no name.
pub struct Tag<T>(PhantomData<fn() -> T>);
impl<T, E> Tag<Result<T, E>> {
    /// See [`Probe::KIND`].
    pub fn kind(&self) -> ResultKind<T, E> {
        ResultKind(PhantomData)
    }
}
/// What holds where no inherent method does.
pub trait TagFallback {
    /// The type itself.
    type T;
    /// See [`Probe::KIND`].
    fn kind(&self) -> PlainKind<Self::T> {
        PlainKind(PhantomData)
    }
}
impl<T> TagFallback for Tag<T> {
    type T = T;
}
/// Tags a future's output.
pub fn tag_of<F: Future>(_: &F) -> Tag<F::Output> {
    Tag(PhantomData)
}
/// Tags a value.
pub fn tag_of_value<T>(_: &T) -> Tag<T> {
    Tag(PhantomData)
}

/// Boxes the bare future of an `async fn`, so that a missing `Send` is reported on the author's function.
///
/// The future is boxed as it is, and what turns its output around stands outside: that is compiled once an output's type,
/// and not once a tool.
pub fn boxed<'a, F: Future<Output = O> + Send + 'a, O: 'static>(future: F, conv: fn(O) -> ToolResult) -> BoxFuture<'a> {
    converted(Box::pin(future), conv)
}
/// The same where the output borrows from nothing but has no name.
pub fn boxed_opaque<'a, F: Future<Output = O> + Send + 'a, O: 'a>(
    future: F,
    conv: fn(O) -> ToolResult,
) -> BoxFuture<'a> {
    converted(Box::pin(future), conv)
}
#[inline(never)]
fn converted<'a, O: 'a>(future: BoxFuture<'a, O>, conv: fn(O) -> ToolResult) -> BoxFuture<'a> {
    Box::pin(async move { conv(future.await) })
}
/// The same for a provider.
pub fn boxed_make<'a, F: Future<Output = O> + Send + 'a, O: 'static>(
    future: F,
    conv: fn(O) -> Result<Shared, ToolError>,
) -> BoxMake<'a> {
    Box::pin(async move { conv(future.await) })
}
/// Runs a `check`.
pub fn checked<E: Display>(f: impl FnOnce() -> Result<(), E>) -> Result<(), String> {
    f().map_err(|e| e.to_string())
}
/// Whether a tool may have this name: 1 to 64 of `A-Z a-z 0-9 _ -`.
pub const fn legal_name(name: &str) -> bool {
    let name = name.as_bytes();
    let mut i = 0;
    while i < name.len() {
        if !(name[i].is_ascii_alphanumeric() || name[i] == b'_' || name[i] == b'-') {
            return false;
        }
        i += 1;
    }
    !name.is_empty() && name.len() <= 64
}
/// Compiles where a parameter of this type may take the whole input beside an `input_schema`.
pub const fn raw_input<T: RawInput>() {}
