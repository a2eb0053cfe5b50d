//! The one deserialiser: over a `&Value`, whatever the type that is read.

use super::{
    access::{Enum, Items, Properties},
    fault::Unwinding,
    words,
};
use serde::{
    Deserializer,
    de::{Error as _, Expected, Unexpected, Visitor, value::MapDeserializer},
};
use serde_json::{Map, Number, Value};

/// Below it each integer is a float of its own.
const FIRST_AMBIGUOUS: f64 = 9_007_199_254_740_992.0; // 2^53

/// How serde_json marks its `RawValue`, which is read from a text rather than a tree.
const RAW: &str = "$serde_json::private::RawValue";

/// A value to be read.
#[derive(Clone, Copy)]
pub(super) struct Reader<'de>(pub(super) &'de Value);

/// Hands over a number as it came.
pub(super) fn visit_number<'de, V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value, Unwinding> {
    if let Some(value) = number.as_u64() {
        visitor.visit_u64(value)
    } else if let Some(value) = number.as_i64() {
        visitor.visit_i64(value)
    } else if let Some(value) = number.as_f64() {
        visitor.visit_f64(value)
    } else {
        Err(too_wide(number))
    }
}

/// Hands over a number, as an integer if it has no fraction.
fn visit_integral<'de, V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value, Unwinding> {
    if let Some(value) = number.as_u64() {
        visitor.visit_u64(value)
    } else if let Some(value) = number.as_i64() {
        visitor.visit_i64(value)
    } else if let Some(value) = number.as_f64() {
        match whole(value) {
            Some(value) if value < 0 => visitor.visit_i64(value),
            Some(value) => visitor.visit_u64(value.unsigned_abs()),
            None => visitor.visit_f64(value),
        }
    } else {
        Err(too_wide(number))
    }
}

/// The integer that a float is, where it can be no other.
fn whole(value: f64) -> Option<i64> {
    #[allow(clippy::cast_possible_truncation, reason = "whole, and below 2^53")]
    (value.fract() == 0.0 && value.abs() < FIRST_AMBIGUOUS).then_some(value as i64)
}

/// Only where another crate turns on serde_json's `arbitrary_precision` does a number fit none of its types.
#[cold]
fn too_wide(number: &Number) -> Unwinding {
    Unwinding::invalid("a number of 64 bits", format!("number {number}"))
}

pub(super) fn visit_array<'de, V: Visitor<'de>>(array: &'de [Value], visitor: V) -> Result<V::Value, Unwinding> {
    let mut items = Items::new(array);
    let value = visitor.visit_seq(&mut items)?;
    match items.left() {
        0 => Ok(value),
        left => Err(Unwinding::invalid(words::items(array.len() - left), words::items(array.len()))),
    }
}

pub(super) fn visit_object<'de, V: Visitor<'de>>(
    object: &'de Map<String, Value>,
    visitor: V,
) -> Result<V::Value, Unwinding> {
    let mut properties = Properties::new(object);
    let value = visitor.visit_map(&mut properties)?;
    match properties.left() {
        0 => Ok(value),
        left => Err(Unwinding::invalid(
            format!("an object with {} properties", object.len() - left),
            format!("object with {}", object.len()),
        )),
    }
}

/// What JSON a value is, for serde.
pub(super) fn unexpected(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(value), _, _) => Unexpected::Unsigned(value),
            (_, Some(value), _) => Unexpected::Signed(value),
            (_, _, Some(value)) => Unexpected::Float(value),
            _ => Unexpected::Other("a number beyond 64 bits"),
        },
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    }
}

impl Reader<'_> {
    #[cold]
    fn refuse(self, expected: &dyn Expected) -> Unwinding {
        Unwinding::invalid_type(unexpected(self.0), expected)
    }
}

/// One method a shape: take it from these kinds of JSON, refuse the others.
macro_rules! read {
    ($($method:ident($($arg:ident: $type:ty),*): $($pattern:pat => $visit:expr),+;)*) => {
        $(fn $method<V: Visitor<'de>>(self, $($arg: $type,)* visitor: V) -> Result<V::Value, Unwinding> {
            match self.0 {
                $($pattern => $visit(visitor),)+
                _ => Err(self.refuse(&visitor)),
            }
        })*
    };
}

/// Several methods that do the same.
macro_rules! like {
    ($to:ident: $($method:ident($($arg:ident: $type:ty),*)),*) => {
        $(fn $method<V: Visitor<'de>>(self, $($arg: $type,)* visitor: V) -> Result<V::Value, Unwinding> {
            self.$to(visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Unwinding;

    /// serde asks this for what it buffers (untagged and internally tagged enums, `flatten`), which is asked for an
    /// integer later: so a float without a fraction is handed over as one.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unwinding> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => visit_integral(number, visitor),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(array) => visit_array(array, visitor),
            Value::Object(object) => visit_object(object, visitor),
        }
    }

    read! {
        deserialize_bool(): Value::Bool(value) => |v: V| v.visit_bool(*value);
        deserialize_i64(): Value::Number(number) => |v| visit_integral(number, v);
        deserialize_f64(): Value::Number(number) => |v| visit_number(number, v);
        deserialize_str(): Value::String(text) => |v: V| v.visit_borrowed_str(text);
        deserialize_bytes():
            Value::String(text) => |v: V| v.visit_borrowed_str(text),
            Value::Array(array) => |v| visit_array(array, v);
        deserialize_seq(): Value::Array(array) => |v| visit_array(array, v);
        deserialize_map(): Value::Object(object) => |v| visit_object(object, v);
    }

    like!(deserialize_i64:
        deserialize_i8(), deserialize_i16(), deserialize_i32(), deserialize_i128(), deserialize_u8(), deserialize_u16(),
        deserialize_u32(), deserialize_u64(), deserialize_u128());
    like!(deserialize_f64: deserialize_f32());
    like!(deserialize_str: deserialize_char(), deserialize_string(), deserialize_identifier());
    like!(deserialize_bytes: deserialize_byte_buf());
    like!(deserialize_seq: deserialize_tuple(_len: usize), deserialize_tuple_struct(_name: &'static str, _len: usize));
    like!(deserialize_map: deserialize_struct(_name: &'static str, _fields: &'static [&'static str]));
    like!(deserialize_unit: deserialize_unit_struct(_name: &'static str));

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unwinding> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            _ => Err(self.refuse(&visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unwinding> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unwinding> {
        if name == RAW {
            return visitor.visit_map(MapDeserializer::new(std::iter::once((RAW, self.0.to_string()))));
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unwinding> {
        visitor.visit_enum(Enum::new(self.0, variants)?)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unwinding> {
        visitor.visit_unit()
    }
}
