//! Reading a parameter's type from JSON, with the path and the kind of what is wrong.
//!
//! It reads what serde_json reads from a `Value`, but agrees with the advertised schema where serde_json does not:
//!
//! - an array is no struct;
//! - a float without a fraction, below 2^53, is an integer, also in what serde buffers (untagged and internally tagged
//!   enums, `flatten`);
//! - a variant without content is its name alone, not `{"Unit": null}`;
//! - `[]` is a tuple variant of no fields.
//!
//! What serde buffers is read by serde's own code: there an array still passes for a struct (validation against the schema
//! refuses it first), and a path ends where the buffer begins.

mod access;
mod fault;
mod key;
mod value;
mod words;

#[cfg(test)]
mod tests;

use super::doc::JsonRef;
pub(crate) use fault::path_text;
pub use fault::{DecodeFault, FaultKind, Step};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads a `T`. Stricter than serde_json where the advertised schema is: an array is no struct. And as lenient: an
/// integral float below 2^53 is an integer.
///
/// ```
/// use bdk::__private::{decode, json};
/// assert_eq!(decode::<Vec<u8>>(&json!([1, 2.0])).unwrap(), [1, 2]);
/// let fault = decode::<Vec<u8>>(&json!([1, 300])).unwrap_err();
/// assert_eq!(fault.to_string(), "`[1]`: expected an integer from 0 to 255, received integer 300");
/// ```
///
/// # Errors
/// The first fault, with its path.
pub fn decode<T: DeserializeOwned>(value: &Value) -> Result<T, DecodeFault> {
    read(JsonRef::Value(value))
}

/// [`decode`], from a tree or a document: the one instance of a type's code.
pub(super) fn read<T: DeserializeOwned>(json: JsonRef<'_>) -> Result<T, DecodeFault> {
    T::deserialize(value::Reader(json)).map_err(fault::Unwinding::into_fault)
}
