//! How deep a value of a recursive type may be nested.
//!
//! serde reads an untagged enum by trying one variant after the other. Where two of them hold more of the same at the same
//! place (`enum Unit { All(Vec<Unit>), Any(Vec<Unit>), One(u8) }`), every level is read twice as often as the one
//! above it, and forty levels take years. Such a type gets as many levels as can be read 65 536 times; any other as many
//! as JSON itself. Variants that a tag or the names of their fields tell apart are not of that kind.

use super::walk::{constant, resolve};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// How often a value may be read.
const MOST_READ: usize = 1 << 16;

/// The bounds of one input schema: by property, or of the input as a whole.
#[derive(Debug, Default)]
pub(crate) struct Levels(Vec<(Option<String>, usize)>);

impl Levels {
    /// Reads them off a schema; mostly there are none.
    pub(super) fn of(schema: &Value) -> Self {
        let (Value::Object(root), Some(_)) = (schema, schema.get("$defs")) else { return Self::default() };
        let mut rest = root.clone();
        rest.shift_remove("$defs");
        let properties = rest.shift_remove("properties");
        let properties = properties.as_ref().and_then(Value::as_object).into_iter().flatten();
        let of = |part: &Value| bound(part, schema);
        let mut bounds: Vec<_> =
            properties.filter_map(|(name, own)| of(own).map(|most| (Some(name.clone()), most))).collect();
        bounds.extend(of(&rest.into()).map(|most| (None, most)));
        Self(bounds)
    }

    /// The first property that is nested too deep (`None`: the whole input), and how deep it may be.
    pub(crate) fn exceeded(&self, input: &Value) -> Option<(Option<&str>, usize)> {
        self.0.iter().find_map(|(name, most)| {
            let value = name.as_ref().map_or(Some(input), |name| input.get(name))?;
            is_deeper(value, *most).then_some((name.as_deref(), *most))
        })
    }
}

fn is_deeper(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(_) | Value::Object(_) if levels == 0 => true,
        Value::Array(items) => items.iter().any(|item| is_deeper(item, levels - 1)),
        Value::Object(members) => members.values().any(|member| is_deeper(member, levels - 1)),
        _ => false,
    }
}

/// How many levels a value of this schema may have.
fn bound(schema: &Value, root: &Value) -> Option<usize> {
    let mut todo = vec![schema];
    let (mut seen, mut ways) = (BTreeSet::new(), 1);
    while let Some(schema) = todo.pop() {
        ways = ways.max(Ways::of(schema, root, 4).most());
        references(schema, &mut |reference| {
            if seen.insert(reference.to_owned()) {
                todo.extend(root.pointer(&super::walk::percent_decode(reference.trim_start_matches('#'))));
            }
        });
    }
    let (mut levels, mut read) = (0, 1_usize);
    while ways > 1 && read <= MOST_READ / ways {
        (levels, read) = (levels + 1, read * ways);
    }
    (ways > 1).then_some(levels.max(2))
}

fn references<'a>(schema: &'a Value, visit: &mut impl FnMut(&'a str)) {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        visit(reference);
    }
    super::walk::children(schema, |_, child| references(child, visit));
}

/// How often each place below a value is read as something recursive.
#[derive(Default, Clone)]
struct Ways {
    here: usize,
    members: BTreeMap<String, Ways>,
    /// Of a map: whatever their names.
    others: Option<Box<Ways>>,
    items: Option<Box<Ways>>,
}

/// Parts that are read one after the other, or of which only one is.
type Both = fn(usize, usize) -> usize;
const EACH: Both = |a, b| a + b;
const ONE: Both = std::cmp::max;

impl Ways {
    /// Only recursive types keep a `$ref`. One about this very value is followed, `follow` times at most; those below are
    /// what is counted.
    fn of(schema: &Value, root: &Value, follow: u8) -> Self {
        if schema.get("$ref").is_some() {
            return match resolve(schema, root) {
                target if follow > 0 && !std::ptr::eq(target, schema) => Self::of(target, root, follow - 1),
                _ => Self { here: 1, ..Self::default() },
            };
        }
        let mut ways = Self::default();
        let below = |schema: &Value| Self::of(schema, root, 0);
        let map = |key: &str| schema.get(key).and_then(Value::as_object).into_iter().flatten();
        let list = |key: &str| schema.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for (name, property) in map("properties") {
            ways.members.insert(name.clone(), below(property));
        }
        for others in map("patternProperties").map(|(_, others)| others).chain(schema.get("additionalProperties")) {
            ways.others.get_or_insert_default().merge(below(others), ONE);
        }
        for items in list("prefixItems").iter().chain(schema.get("items")) {
            ways.items.get_or_insert_default().merge(below(items), ONE);
        }
        for part in list("allOf") {
            ways.merge(Self::of(part, root, follow), EACH);
        }
        for branches in [list("oneOf"), list("anyOf")] {
            let both = if has_tag(branches, root) { ONE } else { EACH };
            let mut union = Self::default();
            branches.iter().for_each(|branch| union.merge(Self::of(branch, root, follow), both));
            ways.merge(union, EACH);
        }
        ways
    }

    fn merge(&mut self, more: Self, both: Both) {
        self.here = both(self.here, more.here);
        for (name, ways) in more.members {
            self.members.entry(name).or_default().merge(ways, both);
        }
        for (own, more) in [(&mut self.others, more.others), (&mut self.items, more.items)] {
            if let Some(more) = more {
                own.get_or_insert_default().merge(*more, both);
            }
        }
    }

    fn most(&self) -> usize {
        let below = [&self.others, &self.items].into_iter().flatten().map(|ways| ways.most());
        let named = self.members.values().map(|ways| match &self.others {
            Some(others) => {
                let mut ways = ways.clone();
                ways.merge((**others).clone(), EACH);
                ways.most()
            }
            None => ways.most(),
        });
        below.chain(named).fold(self.here, usize::max)
    }
}

/// Whether a property with a value of its own in each branch tells them apart.
fn has_tag(branches: &[Value], root: &Value) -> bool {
    let property =
        |branch: &Value, name: &str| resolve(branch, root).get("properties")?.get(name).and_then(constant).cloned();
    let first = branches.first().and_then(|b| resolve(b, root).get("properties")?.as_object());
    first.into_iter().flat_map(Map::keys).any(|name| {
        let mut seen = Vec::new();
        branches.iter().all(|branch| {
            property(branch, name).is_some_and(|value| {
                let new = !seen.contains(&value);
                seen.push(value);
                new
            })
        })
    })
}

#[cfg(test)]
mod tests;
