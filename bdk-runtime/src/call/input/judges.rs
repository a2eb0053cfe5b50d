//! The validators that an explanation asks, each built when it is first needed and kept until the explanation ends.
//!
//! The tool's own validator would do, but of a union that does not fit it tells the faults of *every* branch, and of
//! every branch below: in a type that holds itself, three variants make three times the work a level. So a schema is cut
//! where a `$ref` or a union begins ([`Judges::local`]), and the branch that was meant is gone down by ourselves.

use crate::tool::schema::{children, percent_decode, validator};
use jsonschema::Validator;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::rc::Rc;

/// Where the whole schema is found by a validator of a part of it.
const WHOLE: &str = "urn:bdk:schema";

/// A place in the schema.
#[derive(Clone)]
pub(super) struct Node<'c> {
    pub(super) schema: &'c Value,
    /// A JSON pointer as it stands in a URI's fragment.
    pointer: String,
}

impl<'c> Node<'c> {
    pub(super) fn root(schema: &'c Value) -> Self {
        Self { schema, pointer: String::new() }
    }

    pub(super) fn get(&self, key: &str) -> Option<Self> {
        self.schema.get(key).map(|schema| self.step(schema, key))
    }

    pub(super) fn at(&self, index: usize) -> Option<Self> {
        self.schema.get(index).map(|schema| self.step(schema, &index.to_string()))
    }

    /// The schemas in a list, or none.
    pub(super) fn list(&self, key: &str) -> Vec<Self> {
        let list = self.get(key);
        let len = list.as_ref().and_then(|l| l.schema.as_array()).map_or(0, Vec::len);
        list.iter().flat_map(|l| (0..len).filter_map(|i| l.at(i))).collect()
    }

    fn step(&self, schema: &'c Value, key: &str) -> Self {
        let mut pointer = format!("{}/", self.pointer);
        for byte in key.replace('~', "~0").replace('/', "~1").bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'$' => pointer.push(byte.into()),
                other => pointer.push_str(&format!("%{other:02X}")),
            }
        }
        Self { schema, pointer }
    }

    /// What its `$ref` names.
    pub(super) fn target(&self, root: &'c Value) -> Option<Self> {
        let pointer = self.schema.get("$ref")?.as_str()?.strip_prefix('#')?;
        let schema = root.pointer(&percent_decode(pointer))?;
        Some(Self { schema, pointer: pointer.to_owned() })
    }
}

/// Tells the schemas of one document apart, and the values of one.
pub(super) fn address(json: &Value) -> usize {
    std::ptr::from_ref(json).addr()
}

/// The validators of one explanation.
pub(super) struct Judges<'c> {
    root: &'c Value,
    plain: HashMap<usize, bool>,
    local: HashMap<usize, Option<Rc<Validator>>>,
    whole: HashMap<usize, Option<Validator>>,
    names: HashMap<usize, Option<Validator>>,
    /// What was found out already: of which value, by which schema.
    known: HashMap<(usize, usize), Option<bool>>,
}

impl<'c> Judges<'c> {
    pub(super) fn new(root: &'c Value) -> Self {
        Self {
            root,
            plain: HashMap::new(),
            local: HashMap::new(),
            whole: HashMap::new(),
            names: HashMap::new(),
            known: HashMap::new(),
        }
    }

    /// How many validators were built.
    #[cfg(test)]
    pub(super) fn built(&self) -> usize {
        self.local.len() + self.whole.len() + self.names.len()
    }

    /// Whether there is neither a `$ref` nor a union anywhere below: then the validator's own errors are what there is to
    /// tell, and no more of them than the input is large.
    pub(super) fn is_plain(&mut self, schema: &'c Value) -> bool {
        if let Some(&known) = self.plain.get(&address(schema)) {
            return known;
        }
        let refers = |key: &&str| schema.get(key).is_some_and(|v| v.is_string() || v.is_array());
        let mut plain = !["$ref", "$dynamicRef", "$recursiveRef", "oneOf", "anyOf"].iter().any(refers);
        let mut below = Vec::new();
        children(schema, |path, child| {
            // a definition counts where it is referred to
            if !path.starts_with("$defs/") && !path.starts_with("definitions/") {
                below.push(child);
            }
        });
        // older drafts have schemas where none are looked for
        plain &= schema.get("dependencies").is_none();
        plain = plain && below.into_iter().all(|child| self.is_plain(child));
        self.plain.insert(address(schema), plain);
        plain
    }

    /// What a schema says of a value by itself: all that it says where it is plain, or else what is left without the
    /// schemas below. `None` when that is nothing.
    pub(super) fn local(&mut self, node: &Node<'c>) -> Option<Rc<Validator>> {
        if let Some(known) = self.local.get(&address(node.schema)) {
            return known.clone();
        }
        let own = if self.is_plain(node.schema) { node.schema.clone() } else { self.cut(node.schema) };
        let says = own.as_object().is_none_or(|o| !o.is_empty());
        let built = says.then(|| validator(&self.of_the_same_draft(own)).ok().map(Rc::new)).flatten();
        self.local.insert(address(node.schema), built.clone());
        built
    }

    /// Whether a value is what a place in the schema describes. Linear: the validator remembers what it found out of a
    /// value that is looked at again. `None` when the place cannot be compiled by itself.
    pub(super) fn is_valid(&mut self, value: &Value, node: &Node<'c>) -> Option<bool> {
        let root = self.root;
        let both = (address(value), address(node.schema));
        if let Some(known) = self.known.get(&both) {
            return *known;
        }
        let built = self.whole.entry(address(node.schema)).or_insert_with(|| {
            let mut whole = root.as_object()?.clone();
            whole.insert("$id".into(), WHOLE.into());
            let draft = whole.get("$schema").cloned();
            let mut part =
                json!({ "allOf": [{ "$ref": format!("{WHOLE}#{}", node.pointer) }], "$defs": { "whole": whole } });
            if let (Some(draft), Value::Object(part)) = (draft, &mut part) {
                part.insert("$schema".into(), draft);
            }
            validator(&part).ok()
        });
        let valid = built.as_ref().map(|validator| validator.is_valid(value));
        self.known.insert(both, valid);
        valid
    }

    /// Whether a name matches a pattern of `patternProperties`, given by the schema that it leads to.
    pub(super) fn matches(&mut self, name: &str, pattern: &str, leads_to: &'c Value) -> bool {
        let built = self.names.entry(address(leads_to)).or_insert_with(|| {
            let one = Map::from_iter([(pattern.to_owned(), Value::Bool(false))]);
            validator(&json!({ "patternProperties": one })).ok()
        });
        let only = Map::from_iter([(name.to_owned(), Value::Null)]).into();
        built.as_ref().is_some_and(|validator| !validator.is_valid(&only))
    }

    /// A schema without the schemas below it. Which names and places there are is kept.
    fn cut(&mut self, schema: &'c Value) -> Value {
        let Value::Object(schema) = schema else { return schema.clone() };
        let anything = || Value::Object(Map::new());
        let mut out = Map::new();
        for (key, value) in schema {
            let kept = match (key.as_str(), value) {
                // nothing that says anything of a value, or gone down by ourselves
                (
                    "$ref"
                    | "$dynamicRef"
                    | "$recursiveRef"
                    | "$defs"
                    | "definitions"
                    | "$id"
                    | "$schema"
                    | "$anchor"
                    | "oneOf"
                    | "anyOf"
                    | "allOf"
                    | "if"
                    | "then"
                    | "else"
                    | "dependentSchemas"
                    | "unevaluatedProperties"
                    | "unevaluatedItems"
                    | "dependencies"
                    | "title"
                    | "description"
                    | "default"
                    | "examples"
                    | "format",
                    _,
                ) => continue,
                ("properties" | "patternProperties", Value::Object(map)) => {
                    map.keys().map(|name| (name.clone(), anything())).collect::<Map<_, _>>().into()
                }
                ("prefixItems" | "items", Value::Array(list)) => list.iter().map(|_| anything()).collect(),
                ("items" | "additionalItems" | "additionalProperties", Value::Object(_)) => anything(),
                ("not" | "contains" | "propertyNames", value) if !self.is_plain(value) => continue,
                (_, value) => value.clone(),
            };
            out.insert(key.clone(), kept);
        }
        // what only says which names there are says nothing of a value
        if out.keys().all(|k| matches!(k.as_str(), "properties" | "patternProperties" | "prefixItems")) {
            out.clear();
        }
        out.into()
    }

    fn of_the_same_draft(&self, mut schema: Value) -> Value {
        if let (Some(draft), Value::Object(schema)) = (self.root.get("$schema"), &mut schema) {
            schema.entry("$schema").or_insert_with(|| draft.clone());
        }
        schema
    }
}
