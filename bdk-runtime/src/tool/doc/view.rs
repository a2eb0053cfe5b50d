//! JSON to be read, as a tree or as a document: the one place that knows both.
//!
//! Nothing here is generic, so that an author's type is read by one instance of its code whatever it is read from.

use super::{Node, Numbers, value_of, whole};
use serde_json::{Map, Number, Value, map};

/// A value to be read.
#[derive(Debug, Clone, Copy)]
pub enum JsonRef<'a> {
    /// In a tree: as it stands there.
    Value(&'a Value),
    /// In a document.
    Doc(DocRef<'a>),
}

/// A value in a document: an integral float below 2^53 is an integer, and what was marked absent is not there.
#[derive(Debug, Clone, Copy)]
pub struct DocRef<'a>(
    /// The value's nodes, never none.
    &'a [Node<'a>],
);

/// What a value is.
pub(crate) enum View<'a> {
    Null,
    Bool(bool),
    Unsigned(u64),
    /// Below zero.
    Signed(i64),
    Float(f64),
    /// Only where another crate turns on serde_json's `arbitrary_precision` does a number fit none of its types.
    TooWide(&'a Number),
    Text(&'a str),
    Array(Items<'a>),
    Object(Members<'a>),
}

impl<'a> From<&'a Value> for JsonRef<'a> {
    fn from(value: &'a Value) -> Self {
        Self::Value(value)
    }
}

impl<'a> JsonRef<'a> {
    /// The value that begins with the first of these nodes.
    pub(crate) fn nodes(nodes: &'a [Node<'a>]) -> Self {
        match nodes {
            [] => Self::Value(&Value::Null),
            _ => Self::Doc(DocRef(nodes)),
        }
    }

    pub(crate) fn view(self) -> View<'a> {
        match self {
            Self::Value(value) => match value {
                Value::Null => View::Null,
                Value::Bool(value) => View::Bool(*value),
                Value::Number(number) => of_number(number),
                Value::String(text) => View::Text(text),
                Value::Array(items) => View::Array(Items(Rest::Values(items.iter()))),
                Value::Object(members) => View::Object(Members(Rest::Values(members.iter()))),
            },
            Self::Doc(DocRef(nodes)) => match &nodes[0] {
                Node::Null | Node::Absent => View::Null,
                Node::Bool(value) => View::Bool(*value),
                Node::Unsigned(value) => View::Unsigned(*value),
                Node::Signed(value) => View::Signed(*value),
                Node::Float(value) => of_float(*value),
                Node::Text(text) => View::Text(text),
                Node::Owned(text) => View::Text(text),
                Node::Array { len, span } => View::Array(Items(Rest::Nodes(&nodes[1..*span], *len))),
                Node::Object { len, span } => View::Object(Members(Rest::Nodes(&nodes[1..*span], *len))),
            },
        }
    }

    /// The tree of it: a tree as it stands, a document as it is read.
    pub(crate) fn to_value(self) -> Value {
        match self {
            Self::Value(value) => value.clone(),
            Self::Doc(DocRef(nodes)) => value_of(nodes, Numbers::Normal),
        }
    }
}

fn of_number(number: &Number) -> View<'_> {
    if let Some(value) = number.as_u64() {
        View::Unsigned(value)
    } else if let Some(value) = number.as_i64() {
        View::Signed(value)
    } else {
        number.as_f64().map_or(View::TooWide(number), View::Float)
    }
}

/// A float of which nothing is known yet, as an integer if it is one.
pub(crate) fn of_float<'a>(value: f64) -> View<'a> {
    match whole(value) {
        Some(value) => u64::try_from(value).map_or(View::Signed(value), View::Unsigned),
        None => View::Float(value),
    }
}

/// What is left of a container.
#[derive(Clone)]
enum Rest<'a, I> {
    Values(I),
    /// The nodes, and how many values are in them.
    Nodes(&'a [Node<'a>], usize),
}

/// The items of an array, one after the other.
#[derive(Clone)]
pub(crate) struct Items<'a>(Rest<'a, std::slice::Iter<'a, Value>>);

impl Items<'_> {
    /// How many are left.
    pub(crate) fn left(&self) -> usize {
        match &self.0 {
            Rest::Values(items) => items.len(),
            Rest::Nodes(_, left) => *left,
        }
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = JsonRef<'a>;

    fn next(&mut self) -> Option<JsonRef<'a>> {
        match &mut self.0 {
            Rest::Values(items) => items.next().map(JsonRef::Value),
            Rest::Nodes(nodes, left) => {
                let (item, rest) = nodes.split_at(nodes.first()?.span());
                *nodes = rest;
                *left -= 1;
                Some(JsonRef::Doc(DocRef(item)))
            }
        }
    }
}

/// The members of an object, one after the other.
#[derive(Clone)]
pub(crate) struct Members<'a>(Rest<'a, map::Iter<'a>>);

impl Members<'_> {
    /// How many may be left: in a document, those marked absent are counted.
    pub(crate) fn at_most(&self) -> usize {
        match &self.0 {
            Rest::Values(members) => members.len(),
            Rest::Nodes(_, left) => *left,
        }
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, JsonRef<'a>);

    fn next(&mut self) -> Option<(&'a str, JsonRef<'a>)> {
        match &mut self.0 {
            Rest::Values(members) => members.next().map(|(name, value)| (name.as_str(), JsonRef::Value(value))),
            Rest::Nodes(nodes, left) => loop {
                let (name, rest) = nodes.split_first()?;
                let (value, rest) = rest.split_at(rest.first()?.span());
                *nodes = rest;
                *left -= 1;
                if !matches!(value[0], Node::Absent) {
                    return Some((name.text().unwrap_or_default(), JsonRef::Doc(DocRef(value))));
                }
            },
        }
    }
}

/// Finds members by their names, which are mostly asked for in the order in which they stand.
pub(crate) struct Lookup<'a> {
    tree: Option<&'a Map<String, Value>>,
    all: Members<'a>,
    next: Members<'a>,
}

impl<'a> Lookup<'a> {
    /// In anything but an object there is nothing.
    pub(crate) fn new(json: JsonRef<'a>) -> Self {
        let tree = match json {
            JsonRef::Value(value) => value.as_object(),
            JsonRef::Doc(_) => None,
        };
        let all = match json.view() {
            View::Object(members) => members,
            _ => Members(Rest::Nodes(&[], 0)),
        };
        Self { tree, next: all.clone(), all }
    }

    pub(crate) fn get(&mut self, name: &str) -> Option<JsonRef<'a>> {
        if let Some(tree) = self.tree {
            return tree.get(name).map(JsonRef::Value);
        }
        let mut ahead = self.next.clone();
        if let Some((found, value)) = ahead.next()
            && found == name
        {
            self.next = ahead;
            return Some(value);
        }
        let mut all = self.all.clone();
        let (_, value) = all.find(|(found, _)| *found == name)?;
        self.next = all;
        Some(value)
    }
}
