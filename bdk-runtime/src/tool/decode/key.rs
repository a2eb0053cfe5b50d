//! A property's name as a map's key: text, or the number, bool or variant that the text is.

use super::{fault::Unwinding, value::visit_number, words};
use serde::{
    Deserializer,
    de::{Error as _, Expected, Unexpected, Visitor, value::BorrowedStrDeserializer},
    forward_to_deserialize_any,
};
use serde_json::Number;

/// A name to be read.
pub(super) struct KeyReader<'de>(pub(super) &'de str);

impl<'de> KeyReader<'de> {
    #[cold]
    fn refuse(&self, expected: &dyn Expected) -> Unwinding {
        Unwinding::invalid_type(Unexpected::Str(self.0), expected)
    }

    /// A number as JSON writes it; a float stays one, since no key `3.0` is an integer.
    fn number<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unwinding> {
        match self.0.parse::<Number>() {
            Ok(number) => visit_number(&number, visitor).map_err(|fault| fault.received(words::string(self.0))),
            Err(_) => Err(self.refuse(&visitor)),
        }
    }

    /// Whether it is an integer as JSON writes it: no plus, no leading zeros.
    fn is_integer(&self) -> bool {
        match self.0.strip_prefix('-').unwrap_or(self.0).as_bytes() {
            [b'0'] => true,
            [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
            _ => false,
        }
    }
}

macro_rules! numbers {
    ($($method:ident),*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unwinding> {
            self.number(visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for KeyReader<'de> {
    type Error = Unwinding;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unwinding> {
        visitor.visit_borrowed_str(self.0)
    }

    numbers!(
        deserialize_i8,
        deserialize_i16,
        deserialize_i32,
        deserialize_i64,
        deserialize_u8,
        deserialize_u16,
        deserialize_u32,
        deserialize_u64,
        deserialize_f32,
        deserialize_f64
    );

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unwinding> {
        match self.0.parse() {
            Ok(value) if self.is_integer() => visitor.visit_i128(value),
            _ => Err(self.refuse(&visitor)),
        }
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unwinding> {
        match self.0.parse() {
            Ok(value) if self.is_integer() => visitor.visit_u128(value),
            _ => Err(self.refuse(&visitor)),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unwinding> {
        match self.0 {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => Err(self.refuse(&visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unwinding> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unwinding> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unwinding> {
        BorrowedStrDeserializer::new(self.0).deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
