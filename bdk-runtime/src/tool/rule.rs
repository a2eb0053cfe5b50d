//! What `#[arg(…)]` adds to a parameter's schema.

use serde_json::Value;

/// A bound, exact for every integer up to 64 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Num {
    /// An integer.
    Int(i128),
    /// Any other number.
    Float(f64),
}

macro_rules! integers {
    ($($t:ty)*) => { $(impl From<$t> for Num { fn from(v: $t) -> Self { Self::Int(v as i128) } })* };
}
integers!(i8 i16 i32 i64 i128 u8 u16 u32 u64 usize isize);

impl From<f64> for Num {
    fn from(v: f64) -> Self {
        Self::Float(v)
    }
}

impl From<f32> for Num {
    fn from(v: f32) -> Self {
        Self::Float(f64::from(v))
    }
}

/// What `range(…)` takes for a bound.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` bounds no number",
    label = "not a number",
    note = "a bound is an integer or a float, such as `range(min = 1)`"
)]
pub trait Limit {
    /// The bound.
    fn limit(self) -> Num;
}

#[diagnostic::do_not_recommend]
impl<T: Into<Num>> Limit for T {
    fn limit(self) -> Num {
        self.into()
    }
}

impl Num {
    /// As JSON; what 64 bits cannot hold becomes a float.
    pub fn json(self) -> Value {
        match self {
            Self::Int(i) => match (u64::try_from(i), i64::try_from(i)) {
                (Ok(u), _) => u.into(),
                (_, Ok(i)) => i.into(),
                _ => (i as f64).into(),
            },
            Self::Float(f) => f.into(),
        }
    }
}

/// One rule of `#[arg(…)]`.
pub enum Rule {
    /// `range(…)`: the schema keyword (`minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`) and its value.
    Bound(&'static str, fn() -> Num),
    /// `length(min = N)`: `minLength` of a text, `minItems` of a list.
    MinLen(u64),
    /// `length(max = N)`.
    MaxLen(u64),
    /// `pattern = "…"`.
    Pattern(&'static str),
    /// `format = "…"`.
    Format(&'static str),
    /// `inner(…)`: rules of the items.
    Inner(&'static [Rule]),
    /// `extend("key" = json)`.
    Extend(&'static str, fn() -> Value),
}

impl Rule {
    /// Whether the schema with this rule may be no JSON Schema: the compiler has not read the author's pattern.
    pub(crate) fn may_not_compile(&self) -> bool {
        match self {
            Self::Pattern(_) | Self::Extend(..) => true,
            Self::Inner(rules) => rules.iter().any(Self::may_not_compile),
            Self::Bound(..) | Self::MinLen(_) | Self::MaxLen(_) | Self::Format(_) => false,
        }
    }
}
