//! Arrays, objects and the variants around them: commas, and the step of the path when a part is at fault.

use super::{Strings, Unwinding, Writer, Written, key::Key, text};
use serde::{Serialize, ser};

/// A list or an object that is being written.
pub(super) struct Compound<'a> {
    writer: &'a mut Writer,
    /// Parts begun.
    count: usize,
    /// Where the text of the map's present key stands, quotes included.
    key: (usize, usize),
    /// The one part is JSON already; there are no brackets.
    verbatim: bool,
}

impl<'a> Compound<'a> {
    pub(super) fn new(writer: &'a mut Writer) -> Self {
        Self { writer, count: 0, key: (0, 0), verbatim: false }
    }

    pub(super) fn verbatim(writer: &'a mut Writer) -> Self {
        Self { writer, count: 0, key: (0, 0), verbatim: true }
    }

    fn comma(&mut self) {
        if self.count > 0 {
            self.writer.out.push(',');
        }
        self.count += 1;
    }

    /// `,"name":`
    fn name(&mut self, name: &'static str) {
        if self.verbatim {
            return;
        }
        self.comma();
        text::quoted(&mut self.writer.out, name);
        self.writer.out.push(':');
    }

    fn close(self, bracket: &'static str) {
        if self.verbatim {
            self.writer.strings = Strings::Quoted;
        } else {
            self.writer.close(bracket);
        }
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.comma();
        match value.serialize(&mut *self.writer) {
            Ok(()) => Ok(()),
            Err(fault) => Err(fault.under_index(self.count - 1)),
        }
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Written {
        self.name(name);
        match value.serialize(&mut *self.writer) {
            Ok(()) => Ok(()),
            Err(fault) => Err(fault.under_key(name)),
        }
    }

    /// The present key, read back from what was written: only a fault asks for it.
    #[cold]
    fn written_key(&self) -> String {
        let quoted = self.writer.out.get(self.key.0..self.key.1).unwrap_or_default();
        serde_json::from_str(quoted).unwrap_or_default()
    }
}

impl ser::SerializeSeq for Compound<'_> {
    type Ok = ();
    type Error = Unwinding;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.element(value)
    }
    fn end(self) -> Written {
        self.close("]");
        Ok(())
    }
}

impl ser::SerializeTuple for Compound<'_> {
    type Ok = ();
    type Error = Unwinding;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.element(value)
    }
    fn end(self) -> Written {
        self.close("]");
        Ok(())
    }
}

impl ser::SerializeTupleStruct for Compound<'_> {
    type Ok = ();
    type Error = Unwinding;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.element(value)
    }
    fn end(self) -> Written {
        self.close("]");
        Ok(())
    }
}

impl ser::SerializeMap for Compound<'_> {
    type Ok = ();
    type Error = Unwinding;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Written {
        self.comma();
        let start = self.writer.out.len();
        key.serialize(Key(&mut *self.writer))?;
        self.key = (start, self.writer.out.len());
        self.writer.out.push(':');
        Ok(())
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        match value.serialize(&mut *self.writer) {
            Ok(()) => Ok(()),
            Err(fault) => Err(fault.under_key(&self.written_key())),
        }
    }
    fn end(self) -> Written {
        self.close("}");
        Ok(())
    }
}

impl ser::SerializeStruct for Compound<'_> {
    type Ok = ();
    type Error = Unwinding;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Written {
        self.field(name, value)
    }
    fn end(self) -> Written {
        self.close("}");
        Ok(())
    }
}

/// What stands inside `{"variant":…}`.
pub(super) struct Variant<'a> {
    inner: Compound<'a>,
    variant: &'static str,
}

impl<'a> Variant<'a> {
    pub(super) fn new(writer: &'a mut Writer, variant: &'static str) -> Self {
        Self { inner: Compound::new(writer), variant }
    }

    fn close(self, brackets: &'static str) {
        self.inner.writer.close(brackets);
    }
}

impl ser::SerializeTupleVariant for Variant<'_> {
    type Ok = ();
    type Error = Unwinding;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        self.inner.element(value).map_err(|fault| fault.under_key(self.variant))
    }
    fn end(self) -> Written {
        self.close("]}");
        Ok(())
    }
}

impl ser::SerializeStructVariant for Variant<'_> {
    type Ok = ();
    type Error = Unwinding;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Written {
        self.inner.field(name, value).map_err(|fault| fault.under_key(self.variant))
    }
    fn end(self) -> Written {
        self.close("}}");
        Ok(())
    }
}
