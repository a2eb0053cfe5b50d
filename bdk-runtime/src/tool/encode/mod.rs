//! Writing a tool's result as JSON, once, refusing what JSON cannot hold.
//!
//! The bytes are serde_json's compact ones. What differs is that NaN and integers beyond 64 bits are faults with a path, and
//! that a string at the root stays as it is. The path is put together while a fault unwinds, so a success pays nothing for it.

mod compound;
mod fault;
mod key;
mod text;

#[cfg(test)]
mod tests;

use super::{Json, Output};
use compound::{Compound, Variant};
pub use fault::EncodeFault;
use fault::Unwinding;
use serde::{Serialize, Serializer, ser};
use std::fmt::{Display, Write as _};

/// Enough for most results, so that they are written without growing the buffer.
const FIRST_CAPACITY: usize = 128;

/// How deep a result may be nested: readers of JSON, serde_json among them, stop at 128 levels, and what is deeper than the
/// stack would end the process.
const MOST_DEEP: u32 = 120;

/// How serde_json marks the structs whose one text is JSON already: `RawValue`, and `Number` under `arbitrary_precision`.
const VERBATIM: &str = "$serde_json::private::";

/// Serialises a result.
///
/// A string, a character and a unit variant become [`Output::Text`], `()` and unit structs [`Output::Unit`], everything
/// else [`Output::Json`].
///
/// ```
/// use bdk::__private::{Output, encode};
/// assert_eq!(encode("as it is").unwrap(), Output::Text("as it is".to_owned()));
/// assert_eq!(encode(&[1.5, f64::NAN]).unwrap_err().to_string(), "`[1]` is NaN, which JSON cannot hold");
/// ```
///
/// # Errors
/// NaN and the infinities, integers beyond 64 bits, maps whose keys are no text, and what the type's own `Serialize` refuses.
pub fn encode<T: Serialize + ?Sized>(value: &T) -> Result<Output, EncodeFault> {
    let mut writer = Writer::new();
    match value.serialize(&mut writer) {
        Ok(()) => Ok(writer.finish()),
        Err(fault) => Err(fault.into_fault()),
    }
}

type Written = Result<(), Unwinding>;

/// What a string that comes now is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strings {
    /// The whole result, so far.
    Root,
    /// A part of the JSON.
    Quoted,
    /// JSON already.
    Verbatim,
}

/// What the root turned out to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    Json,
    Text,
    Unit,
}

/// The one serialiser. Not generic, so that an author's type is compiled against one.
struct Writer {
    out: String,
    strings: Strings,
    root: Root,
    /// How many brackets are open.
    depth: u32,
}

impl Writer {
    fn new() -> Self {
        Self { out: String::with_capacity(FIRST_CAPACITY), strings: Strings::Root, root: Root::Json, depth: 0 }
    }

    fn finish(self) -> Output {
        match self.root {
            Root::Unit => Output::Unit,
            Root::Text => Output::Text(self.out),
            Root::Json => Output::Json(Json { object: self.out.starts_with('{'), text: self.out }),
        }
    }

    fn open(&mut self, bracket: char) -> Written {
        self.strings = Strings::Quoted;
        self.out.push(bracket);
        self.depth += 1;
        if self.depth > MOST_DEEP { Err(Unwinding::too_deep(MOST_DEEP)) } else { Ok(()) }
    }

    /// Closes as many as there are brackets.
    fn close(&mut self, brackets: &'static str) {
        self.depth -= brackets.len() as u32;
        self.out.push_str(brackets);
    }

    /// `{"variant":`
    fn open_variant(&mut self, variant: &str) -> Written {
        self.open('{')?;
        text::quoted(&mut self.out, variant);
        self.out.push(':');
        Ok(())
    }

    fn integer(&mut self, value: impl itoa::Integer) {
        self.out.push_str(itoa::Buffer::new().format(value));
    }

    fn text(&mut self, value: &str) {
        match self.strings {
            Strings::Quoted => text::quoted(&mut self.out, value),
            Strings::Verbatim => self.out.push_str(value),
            Strings::Root => {
                self.root = Root::Text;
                self.out.push_str(value);
            }
        }
    }

    fn unit(&mut self) {
        if self.out.is_empty() {
            self.root = Root::Unit;
        }
        self.out.push_str("null");
    }
}

macro_rules! integers {
    ($($method:ident: $type:ty),*) => {
        $(fn $method(self, value: $type) -> Written {
            self.integer(value);
            Ok(())
        })*
    };
}

impl<'a> Serializer for &'a mut Writer {
    type Ok = ();
    type Error = Unwinding;
    type SerializeSeq = Compound<'a>;
    type SerializeTuple = Compound<'a>;
    type SerializeTupleStruct = Compound<'a>;
    type SerializeTupleVariant = Variant<'a>;
    type SerializeMap = Compound<'a>;
    type SerializeStruct = Compound<'a>;
    type SerializeStructVariant = Variant<'a>;

    integers!(
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64
    );

    fn serialize_i128(self, value: i128) -> Written {
        match (u64::try_from(value), i64::try_from(value)) {
            (Ok(value), _) => self.integer(value),
            (_, Ok(value)) => self.integer(value),
            _ => return Err(Unwinding::too_wide(&value)),
        }
        Ok(())
    }

    fn serialize_u128(self, value: u128) -> Written {
        self.integer(u64::try_from(value).map_err(|_| Unwinding::too_wide(&value))?);
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Written {
        if !value.is_finite() {
            return Err(Unwinding::not_finite(value.into()));
        }
        // not by way of f64, whose shortest text for the same number is longer
        self.out.push_str(zmij::Buffer::new().format_finite(value));
        Ok(())
    }

    fn serialize_f64(self, value: f64) -> Written {
        if !value.is_finite() {
            return Err(Unwinding::not_finite(value));
        }
        self.out.push_str(zmij::Buffer::new().format_finite(value));
        Ok(())
    }

    fn serialize_bool(self, value: bool) -> Written {
        self.out.push_str(if value { "true" } else { "false" });
        Ok(())
    }

    fn serialize_char(self, value: char) -> Written {
        self.text(value.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn serialize_str(self, value: &str) -> Written {
        self.text(value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Written {
        self.open('[')?;
        for (index, byte) in value.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.integer(*byte);
        }
        self.close("]");
        Ok(())
    }

    fn serialize_none(self) -> Written {
        self.out.push_str("null");
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Written {
        self.unit();
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Written {
        self.unit();
        Ok(())
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Written {
        self.text(variant);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _name: &'static str, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Written {
        self.open_variant(variant)?;
        if let Err(fault) = value.serialize(&mut *self) {
            return Err(fault.under_key(variant));
        }
        self.close("}");
        Ok(())
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<Compound<'a>, Unwinding> {
        self.open('[')?;
        Ok(Compound::new(self))
    }

    fn serialize_tuple(self, _len: usize) -> Result<Compound<'a>, Unwinding> {
        self.open('[')?;
        Ok(Compound::new(self))
    }

    fn serialize_tuple_struct(self, _name: &'static str, _len: usize) -> Result<Compound<'a>, Unwinding> {
        self.open('[')?;
        Ok(Compound::new(self))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Variant<'a>, Unwinding> {
        self.open_variant(variant)?;
        self.open('[')?;
        Ok(Variant::new(self, variant))
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<Compound<'a>, Unwinding> {
        self.open('{')?;
        Ok(Compound::new(self))
    }

    fn serialize_struct(self, name: &'static str, _len: usize) -> Result<Compound<'a>, Unwinding> {
        if name.starts_with(VERBATIM) {
            self.strings = Strings::Verbatim;
            return Ok(Compound::verbatim(self));
        }
        self.open('{')?;
        Ok(Compound::new(self))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Variant<'a>, Unwinding> {
        self.open_variant(variant)?;
        self.open('{')?;
        Ok(Variant::new(self, variant))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Written {
        if self.strings == Strings::Quoted {
            return text::collected(&mut self.out, value).map_err(|_| Unwinding::no_text());
        }
        if self.strings == Strings::Root {
            self.root = Root::Text;
        }
        write!(self.out, "{value}").map_err(|_| Unwinding::no_text())
    }
}

impl ser::Error for Unwinding {
    fn custom<T: Display>(message: T) -> Self {
        Self::refused(&message)
    }
}
