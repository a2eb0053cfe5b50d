//! Going down an input beside its schema, to where the faults are: of a union only into the branch that was meant, so that
//! the work grows with the input and not with the number of ways to read it.

use super::explain::{Explain, Place, known};
use super::judges::{Node, address};
use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::{Map, Value};

/// A hostile list of a million wrong items need not be looked through to its end.
const LOOKED_AT: usize = 1000;

impl<'c> Explain<'c> {
    /// Tells what is wrong with a value, here and below.
    pub(super) fn node(&mut self, value: &Value, node: &Node<'c>, place: &Place) {
        if self.found.len() >= LOOKED_AT {
            return;
        }
        #[cfg(test)]
        {
            self.visits += 1;
        }
        let before = self.found.len();
        let unknown = self.local(value, node, place);
        if self.judges.is_plain(node.schema) {
            return;
        }
        match value {
            Value::Object(members) => self.members(members, node, place),
            Value::Array(items) => self.items(items, node, place),
            _ => {}
        }
        for (names, known) in unknown {
            self.unknown(place, &names, &known);
        }
        let above = self.found.len();
        self.in_place(value, node, place);
        if let Value::Object(members) = value {
            let unfit = self.found.len() > above;
            self.unevaluated(value, members, node, place, unfit);
        }
        if let Some(target) = node.target(self.root()) {
            // a reference may lead back to here, and two may lead to the same
            if self.referred.insert((address(value), address(target.schema))) {
                self.node(value, &target, place);
            }
        }
        let told = self.found.len() > before;
        if !told && self.says_more(node) && self.judges.is_valid(value, node) == Some(false) {
            self.tell(place, "does not fit the input schema".into(), None, None);
        }
    }

    /// What the schema says by itself. The names it does not know are for later, after those it knows.
    fn local(&mut self, value: &Value, node: &Node<'c>, place: &Place) -> Vec<(Vec<String>, Vec<&'c str>)> {
        let (plain, root, compiled) = (self.judges.is_plain(node.schema), self.root(), self.compiled);
        let whole = plain && std::ptr::eq(node.schema, root);
        let own = if whole { None } else { self.judges.local(node) };
        let validator: &Validator = match &own {
            Some(own) => own,
            None if whole => &compiled.validator,
            None => return Vec::new(),
        };
        let mut unknown = Vec::new();
        for error in validator.iter_errors(value).take(LOOKED_AT) {
            match error.kind() {
                Kind::AdditionalProperties { unexpected } if !plain => {
                    unknown.push((unexpected.clone(), known(node.schema, root)));
                }
                _ => self.error(&error, node.schema, value, place),
            }
        }
        unknown
    }

    fn members(&mut self, members: &Map<String, Value>, node: &Node<'c>, place: &Place) {
        let properties = node.get("properties");
        let declared = properties.as_ref().and_then(|p| p.schema.as_object()).into_iter().flat_map(Map::keys);
        for name in declared {
            let child = properties.as_ref().and_then(|p| p.get(name));
            if let (Some(value), Some(child)) = (members.get(name), child) {
                self.node(value, &child, &place.below(name));
            }
        }
        let others = node.get("additionalProperties").filter(|n| n.schema.is_object());
        let patterns = node.get("patternProperties");
        if others.is_none() && patterns.is_none() {
            return;
        }
        for (name, value) in members {
            let by_pattern = self.by_pattern(name, patterns.as_ref());
            for child in &by_pattern {
                self.node(value, child, &place.below(name));
            }
            let declared = properties.as_ref().is_some_and(|p| p.schema.get(name).is_some());
            if let (Some(others), true, false) = (&others, by_pattern.is_empty(), declared) {
                self.node(value, others, &place.below(name));
            }
        }
    }

    fn by_pattern(&mut self, name: &str, patterns: Option<&Node<'c>>) -> Vec<Node<'c>> {
        let Some(patterns) = patterns else { return Vec::new() };
        let all = patterns.schema.as_object().into_iter().flatten();
        all.filter(|(pattern, leads_to)| self.judges.matches(name, pattern, leads_to))
            .filter_map(|(pattern, _)| patterns.get(pattern))
            .collect()
    }

    fn items(&mut self, items: &[Value], node: &Node<'c>, place: &Place) {
        let all = node.get("items");
        // an older draft has the first items there, and the others elsewhere
        let (first, others) = match &all {
            Some(list) if list.schema.is_array() => (all.clone(), node.get("additionalItems")),
            _ => (node.get("prefixItems"), all),
        };
        for (i, value) in items.iter().enumerate() {
            let own = first.as_ref().and_then(|f| f.at(i));
            if let Some(child) = own.or_else(|| others.clone().filter(|o| o.schema.is_object())) {
                self.node(value, &child, &place.item(i));
            }
        }
    }

    /// Whether a schema refuses things that are found in no other way than by asking its validator.
    fn says_more(&self, node: &Node<'c>) -> bool {
        let lost = node.schema.get("$ref").is_some() && node.target(self.root()).is_none();
        lost || MORE.iter().any(|key| node.schema.get(key).is_some())
    }

    /// The schemas that are about this very value.
    fn in_place(&mut self, value: &Value, node: &Node<'c>, place: &Place) {
        for part in node.list("allOf") {
            self.node(value, &part, place);
        }
        for key in ["anyOf", "oneOf"] {
            let branches = node.list(key);
            if !branches.is_empty() {
                self.union(value, node, key, &branches, place);
            }
        }
        if let Some(then) = self.conditional(value, node) {
            self.node(value, &then, place);
        }
        for more in self.dependent(value, node) {
            self.node(value, &more, place);
        }
    }

    fn conditional(&mut self, value: &Value, node: &Node<'c>) -> Option<Node<'c>> {
        let condition = node.get("if")?;
        let holds = self.judges.is_valid(value, &condition)?;
        node.get(if holds { "then" } else { "else" })
    }

    fn dependent(&self, value: &Value, node: &Node<'c>) -> Vec<Node<'c>> {
        let Some(all) = node.get("dependentSchemas") else { return Vec::new() };
        let names = all.schema.as_object().into_iter().flat_map(Map::keys);
        names.filter(|name| value.get(name).is_some()).filter_map(|name| all.get(name)).collect()
    }

    /// Properties that neither the schema nor those of its branches that fit say anything of. Where none fits (`unfit`),
    /// what any of them knows is no fault of its own.
    fn unevaluated(
        &mut self,
        value: &Value,
        members: &Map<String, Value>,
        node: &Node<'c>,
        place: &Place,
        unfit: bool,
    ) {
        let Some(others) = node.get("unevaluatedProperties").filter(|n| n.schema != &Value::Bool(true)) else { return };
        let all_known = known(node.schema, self.root());
        let mut speaking = Vec::new();
        self.speaking(value, node, 0, &mut speaking);
        let mut strangers = Vec::new();
        for (name, member) in members {
            let spoken_of = unfit && all_known.contains(&name.as_str())
                || speaking.iter().enumerate().any(|(i, part)| self.speaks_of(name, part, i > 0));
            match others.schema {
                Value::Object(_) if !spoken_of => self.node(member, &others, &place.below(name)),
                _ if !spoken_of => strangers.push(name.clone()),
                _ => {}
            }
        }
        self.unknown(place, &strangers, &all_known);
    }

    /// The schema itself and those about the same value that fit it.
    fn speaking(&mut self, value: &Value, node: &Node<'c>, depth: u8, out: &mut Vec<Node<'c>>) {
        out.push(node.clone());
        if depth > 16 {
            return;
        }
        let mut parts: Vec<Node<'c>> = node.list("allOf");
        parts.extend(node.target(self.root()));
        parts.extend(self.dependent(value, node));
        parts.extend(self.conditional(value, node));
        let mut perhaps: Vec<Node<'c>> = node.get("if").into_iter().collect();
        for branches in [node.list("anyOf"), node.list("oneOf")] {
            match self.only_branch(value, &branches) {
                // if it does not fit, then none does
                Some(meant) => parts.extend(branches.get(meant).cloned()),
                None => perhaps.extend(branches),
            }
        }
        parts.extend(perhaps.into_iter().filter(|part| self.judges.is_valid(value, part) == Some(true)));
        for part in parts {
            self.speaking(value, &part, depth + 1, out);
        }
    }

    /// Whether a schema says something of a property by itself.
    fn speaks_of(&mut self, name: &str, node: &Node<'c>, inner: bool) -> bool {
        let open = |key: &str| node.schema.get(key).is_some_and(|others| others != &Value::Bool(false));
        node.schema.get("properties").is_some_and(|p| p.get(name).is_some())
            || open("additionalProperties")
            || inner && open("unevaluatedProperties")
            || !self.by_pattern(name, node.get("patternProperties").as_ref()).is_empty()
    }
}

/// Keywords that are neither cut nor gone down by, where their schemas hold references or unions.
const MORE: &[&str] =
    &["not", "contains", "propertyNames", "unevaluatedItems", "dependencies", "$dynamicRef", "$recursiveRef"];
