//! Numbers within their bounds, texts within their length or among a few.

use serde_json::Value;
use std::cmp::Ordering;

/// A number as it is compared.
#[derive(Debug, Clone, Copy)]
pub(super) enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    /// `None` where it cannot be said for sure: beyond 2^53 an integer may have no float of its own.
    fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => Some(a.cmp(&b)),
            (a, b) => a.float()?.partial_cmp(&b.float()?),
        }
    }

    fn float(self) -> Option<f64> {
        match self {
            #[allow(clippy::cast_precision_loss, reason = "at most 2^53")]
            Self::Integer(value) => (value.unsigned_abs() <= 1 << 53).then_some(value as f64),
            Self::Float(value) => Some(value),
        }
    }
}

/// The bounds of a number.
#[derive(Default)]
pub(super) struct Range(Vec<Bound>);

struct Bound {
    end: Number,
    /// How a number may lie to it.
    side: Ordering,
    /// Or be it.
    itself: bool,
}

impl Range {
    pub(super) fn bound(&mut self, keyword: &str, value: &Value) -> Option<()> {
        let Value::Number(number) = value else { return None };
        let end = match (number.as_i128(), number.as_f64()) {
            (Some(value), _) => Number::Integer(value),
            (None, Some(value)) => Number::Float(value),
            _ => return None,
        };
        let side = if keyword.ends_with("inimum") { Ordering::Greater } else { Ordering::Less };
        self.0.push(Bound { end, side, itself: !keyword.starts_with("exclusive") });
        Some(())
    }

    pub(super) fn accepts(&self, number: Number) -> bool {
        self.0.iter().all(|bound| match number.compare(bound.end) {
            Some(Ordering::Equal) => bound.itself,
            Some(side) => side == bound.side,
            None => false,
        })
    }
}

/// What a text may be.
pub(super) struct Text {
    /// Code points.
    pub(super) min: usize,
    /// Code points.
    pub(super) max: usize,
    pub(super) allowed: Option<Vec<Box<str>>>,
}

impl Default for Text {
    fn default() -> Self {
        Self { min: 0, max: usize::MAX, allowed: None }
    }
}

impl Text {
    pub(super) fn accepts(&self, text: &str) -> bool {
        // a code point is one byte to four, so the bytes mostly tell
        let bytes = text.len();
        let fits = if bytes <= self.max && bytes / 4 >= self.min {
            true
        } else {
            (self.min..=self.max).contains(&text.chars().count())
        };
        fits && self.allowed.as_ref().is_none_or(|allowed| allowed.iter().any(|a| **a == *text))
    }
}
