//! The parts of arrays, objects and enums: each adds its step when a part is at fault.

use super::{
    fault::Unwinding,
    key::KeyReader,
    value::{Reader, unexpected, visit_array, visit_object},
    words,
};
use crate::tool::doc::{Items as Rest, JsonRef, Members, View};
use serde::de::{
    DeserializeSeed, EnumAccess, Error as _, MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
    value::StrDeserializer,
};

/// How serde_json's own types speak to their own deserialiser. A `Value` takes the text below such a name for JSON to be
/// parsed, with a new limit of depth each time: what a caller sends must not be able to say that.
const MAGIC: &str = "$serde_json::private::";

/// An array's items.
pub(super) struct Items<'de> {
    items: Rest<'de>,
    taken: usize,
}

impl<'de> Items<'de> {
    pub(super) fn new(items: Rest<'de>) -> Self {
        Self { items, taken: 0 }
    }

    /// Items that were handed over.
    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    /// Items that nobody asked for.
    pub(super) fn left(&self) -> usize {
        self.items.left()
    }
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Unwinding;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Unwinding> {
        let Some(item) = self.items.next() else { return Ok(None) };
        self.taken += 1;
        match seed.deserialize(Reader(item)) {
            Ok(value) => Ok(Some(value)),
            Err(fault) => Err(fault.under_index(self.taken - 1)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.left())
    }
}

/// An object's properties.
pub(super) struct Properties<'de> {
    properties: Members<'de>,
    taken: usize,
    /// The name that was handed over last, for the path.
    name: &'de str,
    /// Its value, until it is handed over too.
    value: Option<JsonRef<'de>>,
}

impl<'de> Properties<'de> {
    pub(super) fn new(properties: Members<'de>) -> Self {
        Self { properties, taken: 0, name: "", value: None }
    }

    /// Properties that were handed over.
    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    /// Properties that nobody asked for.
    pub(super) fn left(&self) -> usize {
        self.properties.clone().count()
    }
}

impl<'de> MapAccess<'de> for Properties<'de> {
    type Error = Unwinding;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Unwinding> {
        let Some((name, value)) = self.properties.next() else { return Ok(None) };
        if name.starts_with(MAGIC) {
            return Err(Unwinding::custom(format_args!("`{name}` is a name that no property may have")));
        }
        self.taken += 1;
        self.name = name;
        self.value = Some(value);
        match seed.deserialize(KeyReader(name)) {
            Ok(key) => Ok(Some(key)),
            Err(fault) => Err(fault.of_key(name)),
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Unwinding> {
        let Some(value) = self.value.take() else {
            return Err(Unwinding::custom("a value was asked for before its key"));
        };
        match seed.deserialize(Reader(value)) {
            Ok(value) => Ok(value),
            Err(fault) => Err(fault.under_key(self.name)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.properties.at_most())
    }
}

/// `"Variant"` or `{"Variant": content}`.
pub(super) struct Enum<'de> {
    variant: &'de str,
    content: Option<JsonRef<'de>>,
}

impl<'de> Enum<'de> {
    pub(super) fn new(value: JsonRef<'de>, variants: &'static [&'static str]) -> Result<Self, Unwinding> {
        match value.view() {
            View::Text(variant) => Ok(Self { variant, content: None }),
            View::Object(object) => {
                let mut properties = object.clone();
                match (properties.next(), properties.next()) {
                    (Some((variant, content)), None) => Ok(Self { variant, content: Some(content) }),
                    _ => Err(Unwinding::invalid(
                        format!("an object with one property, {}", one_of(variants)),
                        format!("object with {} properties", object.count()),
                    )),
                }
            }
            _ => Err(Unwinding::invalid(
                format!("one of {}, or an object with one of them as its one property", one_of(variants)),
                words::received(unexpected(value)),
            )),
        }
    }
}

fn one_of(variants: &[&str]) -> String {
    variants.iter().map(|variant| format!("{variant:?}")).collect::<Vec<_>>().join(", ")
}

impl<'de> EnumAccess<'de> for Enum<'de> {
    type Error = Unwinding;
    type Variant = Content<'de>;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Content<'de>), Unwinding> {
        let variant = seed.deserialize(StrDeserializer::new(self.variant))?;
        Ok((variant, Content { variant: self.variant, content: self.content }))
    }
}

/// What a variant holds, if it came with something.
pub(super) struct Content<'de> {
    variant: &'de str,
    content: Option<JsonRef<'de>>,
}

impl Content<'_> {
    /// The name alone came, but the variant holds something.
    #[cold]
    fn alone(&self) -> Unwinding {
        Unwinding::invalid(format!("an object with the property {:?}", self.variant), words::string(self.variant))
    }
}

impl<'de> VariantAccess<'de> for Content<'de> {
    type Error = Unwinding;

    fn unit_variant(self) -> Result<(), Unwinding> {
        match self.content {
            None => Ok(()),
            // serde_json also takes `{"Unit": null}`, which the schema does not advertise
            Some(_) => Err(Unwinding::invalid(
                format!("the string {:?}", self.variant),
                format!("object with the property {:?}", self.variant),
            )),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Unwinding> {
        match self.content {
            Some(content) => seed.deserialize(Reader(content)).map_err(|fault| fault.under_key(self.variant)),
            None => Err(self.alone()),
        }
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, Unwinding> {
        match self.content.map(JsonRef::view) {
            Some(View::Array(array)) => visit_array(array, visitor).map_err(|fault| fault.under_key(self.variant)),
            Some(_) => Err(Unwinding::invalid_type(self.content.map_or(Unexpected::Unit, unexpected), &visitor)
                .under_key(self.variant)),
            None => Err(self.alone()),
        }
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unwinding> {
        match self.content.map(JsonRef::view) {
            Some(View::Object(object)) => visit_object(object, visitor).map_err(|fault| fault.under_key(self.variant)),
            Some(_) => Err(Unwinding::invalid_type(self.content.map_or(Unexpected::Unit, unexpected), &visitor)
                .under_key(self.variant)),
            None => Err(self.alone()),
        }
    }
}
