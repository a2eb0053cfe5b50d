//! A map's key: text, or what serde_json turns into text (numbers, bools, characters). Everything else is refused.

use super::{Unwinding, Writer, Written, text};
use serde::{Serialize, Serializer, ser::Impossible};
use std::fmt::Display;

/// Writes one key in quotes.
pub(super) struct Key<'a>(pub(super) &'a mut Writer);

impl Key<'_> {
    /// A number or bool, which needs quotes but no escapes.
    fn bare(self, value: &str) -> Written {
        self.0.out.push('"');
        self.0.out.push_str(value);
        self.0.out.push('"');
        Ok(())
    }
}

type NoCompound = Impossible<(), Unwinding>;

macro_rules! integers {
    ($($method:ident: $type:ty),*) => {
        $(fn $method(self, value: $type) -> Written {
            self.bare(itoa::Buffer::new().format(value))
        })*
    };
}

impl Serializer for Key<'_> {
    type Ok = ();
    type Error = Unwinding;
    type SerializeSeq = NoCompound;
    type SerializeTuple = NoCompound;
    type SerializeTupleStruct = NoCompound;
    type SerializeTupleVariant = NoCompound;
    type SerializeMap = NoCompound;
    type SerializeStruct = NoCompound;
    type SerializeStructVariant = NoCompound;

    // 128 bits too: a key is text, which holds them
    integers!(
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128
    );

    fn serialize_f32(self, value: f32) -> Written {
        if !value.is_finite() {
            return Err(Unwinding::no_finite_key(value.into()));
        }
        self.bare(zmij::Buffer::new().format_finite(value))
    }

    fn serialize_f64(self, value: f64) -> Written {
        if !value.is_finite() {
            return Err(Unwinding::no_finite_key(value));
        }
        self.bare(zmij::Buffer::new().format_finite(value))
    }

    fn serialize_bool(self, value: bool) -> Written {
        self.bare(if value { "true" } else { "false" })
    }

    fn serialize_char(self, value: char) -> Written {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Written {
        text::quoted(&mut self.0.out, value);
        Ok(())
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Written {
        text::collected(&mut self.0.out, value).map_err(|_| Unwinding::no_text())
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Written {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _name: &'static str, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_none(self) -> Written {
        Err(Unwinding::no_key("null"))
    }

    fn serialize_unit(self) -> Written {
        Err(Unwinding::no_key("null"))
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Written {
        Err(Unwinding::no_key("null"))
    }

    fn serialize_bytes(self, _value: &[u8]) -> Written {
        Err(Unwinding::no_key("bytes"))
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Written {
        Err(Unwinding::no_key("an object"))
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<NoCompound, Unwinding> {
        Err(Unwinding::no_key("an array"))
    }

    fn serialize_tuple(self, _len: usize) -> Result<NoCompound, Unwinding> {
        Err(Unwinding::no_key("an array"))
    }

    fn serialize_tuple_struct(self, _name: &'static str, _len: usize) -> Result<NoCompound, Unwinding> {
        Err(Unwinding::no_key("an array"))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _len: usize,
    ) -> Result<NoCompound, Unwinding> {
        Err(Unwinding::no_key("an object"))
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<NoCompound, Unwinding> {
        Err(Unwinding::no_key("an object"))
    }

    fn serialize_struct(self, _name: &'static str, _len: usize) -> Result<NoCompound, Unwinding> {
        Err(Unwinding::no_key("an object"))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _len: usize,
    ) -> Result<NoCompound, Unwinding> {
        Err(Unwinding::no_key("an object"))
    }
}
