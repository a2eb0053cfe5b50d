//! The one deserialiser: over a tree or a document, whatever the type that is read.

use super::{
    access::{Enum, Items, Properties},
    fault::Unwinding,
    words,
};
use crate::tool::doc::{self, JsonRef, Members, View, of_float};
use serde::{
    Deserializer,
    de::{Error as _, Expected, Unexpected, Visitor, value::MapDeserializer},
};
use serde_json::Number;

/// How serde_json marks its `RawValue`, which is read from a text rather than a tree.
const RAW: &str = "$serde_json::private::RawValue";

/// A value to be read.
#[derive(Clone, Copy)]
pub(super) struct Reader<'de>(pub(super) JsonRef<'de>);

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

/// Hands over what may be an integer: a float as one if it has no fraction.
fn visit_integral<'de, V: Visitor<'de>>(value: f64, visitor: V) -> Result<V::Value, Unwinding> {
    match of_float(value) {
        View::Unsigned(value) => visitor.visit_u64(value),
        View::Signed(value) => visitor.visit_i64(value),
        _ => visitor.visit_f64(value),
    }
}

pub(super) fn visit_array<'de, V: Visitor<'de>>(array: doc::Items<'de>, visitor: V) -> Result<V::Value, Unwinding> {
    let mut items = Items::new(array);
    let value = visitor.visit_seq(&mut items)?;
    match items.left() {
        0 => Ok(value),
        left => Err(Unwinding::invalid(words::items(items.taken()), words::items(items.taken() + left))),
    }
}

pub(super) fn visit_object<'de, V: Visitor<'de>>(object: Members<'de>, visitor: V) -> Result<V::Value, Unwinding> {
    let mut properties = Properties::new(object);
    let value = visitor.visit_map(&mut properties)?;
    match properties.left() {
        0 => Ok(value),
        left => Err(Unwinding::invalid(
            format!("an object with {} properties", properties.taken()),
            format!("object with {}", properties.taken() + left),
        )),
    }
}

/// What JSON a value is, for serde.
pub(super) fn unexpected(value: JsonRef<'_>) -> Unexpected<'_> {
    match value.view() {
        View::Null => Unexpected::Unit,
        View::Bool(value) => Unexpected::Bool(value),
        View::Unsigned(value) => Unexpected::Unsigned(value),
        View::Signed(value) => Unexpected::Signed(value),
        View::Float(value) => Unexpected::Float(value),
        View::TooWide(_) => Unexpected::Other("a number beyond 64 bits"),
        View::Text(text) => Unexpected::Str(text),
        View::Array(_) => Unexpected::Seq,
        View::Object(_) => Unexpected::Map,
    }
}

#[cold]
fn too_wide(number: &Number) -> Unwinding {
    Unwinding::invalid("a number of 64 bits", format!("number {number}"))
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
            match self.0.view() {
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
        match self.0.view() {
            View::Null => visitor.visit_unit(),
            View::Bool(value) => visitor.visit_bool(value),
            View::Unsigned(value) => visitor.visit_u64(value),
            View::Signed(value) => visitor.visit_i64(value),
            View::Float(value) => visit_integral(value, visitor),
            View::TooWide(number) => Err(too_wide(number)),
            View::Text(text) => visitor.visit_borrowed_str(text),
            View::Array(array) => visit_array(array, visitor),
            View::Object(object) => visit_object(object, visitor),
        }
    }

    read! {
        deserialize_bool(): View::Bool(value) => |v: V| v.visit_bool(value);
        deserialize_i64():
            View::Unsigned(value) => |v: V| v.visit_u64(value),
            View::Signed(value) => |v: V| v.visit_i64(value),
            View::Float(value) => |v| visit_integral(value, v),
            View::TooWide(number) => |_| Err(too_wide(number));
        deserialize_f64():
            View::Unsigned(value) => |v: V| v.visit_u64(value),
            View::Signed(value) => |v: V| v.visit_i64(value),
            View::Float(value) => |v: V| v.visit_f64(value),
            View::TooWide(number) => |_| Err(too_wide(number));
        deserialize_str(): View::Text(text) => |v: V| v.visit_borrowed_str(text);
        deserialize_bytes():
            View::Text(text) => |v: V| v.visit_borrowed_str(text),
            View::Array(array) => |v| visit_array(array, v);
        deserialize_seq(): View::Array(array) => |v| visit_array(array, v);
        deserialize_map(): View::Object(object) => |v| visit_object(object, v);
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
        match self.0.view() {
            View::Null => visitor.visit_unit(),
            _ => Err(self.refuse(&visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unwinding> {
        match self.0.view() {
            View::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unwinding> {
        if name == RAW {
            return visitor.visit_map(MapDeserializer::new(std::iter::once((RAW, self.0.to_value().to_string()))));
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
