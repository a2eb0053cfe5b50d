//! bdk's instant: jiff's, with a strict RFC 3339 text in JSON.

mod rfc3339;

pub use rfc3339::{RfcFault, parse_rfc3339};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Unexpected, Visitor},
    ser,
};
use std::{
    borrow::Cow,
    fmt,
    ops::{Add, AddAssign, Deref, Sub, SubAssign},
    str::FromStr,
    time::Duration,
};

/// The first second of year 0, before which RFC 3339 has no text.
const YEAR_ZERO: i64 = -62_167_219_200;

/// An instant. In JSON a strict RFC 3339 text with a zone; schema `date-time`; derefs to [`jiff::Timestamp`].
///
/// Any offset is read, `Z` is written.
///
/// ```
/// use bdk::Timestamp;
/// use std::time::Duration;
///
/// let noon: Timestamp = "2026-01-01T13:00:00+01:00".parse()?;
/// assert_eq!(noon.to_string(), "2026-01-01T12:00:00Z");
/// assert_eq!((noon - Duration::from_millis(1500)).to_string(), "2026-01-01T11:59:58.5Z");
/// assert_eq!(noon.as_second(), 1_767_268_800); // a method of jiff's
///
/// let since: Timestamp = serde_json::from_str("\"2026-01-01T12:00:00Z\"")?;
/// assert_eq!(since, noon);
/// assert!("2026-01-01".parse::<Timestamp>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(jiff::Timestamp);

impl Timestamp {
    /// The system's clock.
    ///
    /// In a tool ask `ctx.now()` instead, which honours a frozen instant.
    pub fn now() -> Self {
        Self(jiff::Timestamp::now())
    }
}

impl Deref for Timestamp {
    type Target = jiff::Timestamp;
    fn deref(&self) -> &jiff::Timestamp {
        &self.0
    }
}

impl From<jiff::Timestamp> for Timestamp {
    fn from(t: jiff::Timestamp) -> Self {
        Self(t)
    }
}

impl From<Timestamp> for jiff::Timestamp {
    fn from(t: Timestamp) -> Self {
        t.0
    }
}

/// RFC 3339 in UTC: `2026-01-01T12:00:00.5Z`. A precision sets the digits of the fraction: `{:.3}`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl FromStr for Timestamp {
    type Err = crate::Error;
    fn from_str(text: &str) -> Result<Self, crate::Error> {
        parse_rfc3339(text).map_err(|fault| crate::Error::with_source(format!("`{text}` {fault}"), fault))
    }
}

/// The later instant.
///
/// # Panics
/// When it is beyond jiff's range; `checked_add` of [`jiff::Timestamp`] does not.
impl Add<Duration> for Timestamp {
    type Output = Self;
    fn add(self, by: Duration) -> Self {
        Self(self.0 + by)
    }
}

/// The earlier instant.
///
/// # Panics
/// When it is beyond jiff's range; `checked_sub` of [`jiff::Timestamp`] does not.
impl Sub<Duration> for Timestamp {
    type Output = Self;
    fn sub(self, by: Duration) -> Self {
        Self(self.0 - by)
    }
}

impl AddAssign<Duration> for Timestamp {
    fn add_assign(&mut self, by: Duration) {
        *self = *self + by;
    }
}

impl SubAssign<Duration> for Timestamp {
    fn sub_assign(&mut self, by: Duration) {
        *self = *self - by;
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.as_second() < YEAR_ZERO {
            return Err(ser::Error::custom(format_args!("{self} is before year 0, where RFC 3339 begins")));
        }
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Timestamp;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(rfc3339::WANTED)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Timestamp, E> {
                parse_rfc3339(text).map_err(|fault| E::invalid_value(Unexpected::Str(text), &fault))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> Cow<'static, str> {
        "Timestamp".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::{FaultKind, Output, decode, encode};
    use proptest::prelude::*;
    use serde_json::json;

    fn at(text: &str) -> Timestamp {
        parse_rfc3339(text).unwrap()
    }

    #[test]
    fn it_is_written_in_utc_with_z_and_no_more_fraction_than_it_has() {
        assert_eq!(at("2026-01-01T01:30:00+01:30").to_string(), "2026-01-01T00:00:00Z");
        assert_eq!(at("2026-01-01T00:00:00.120Z").to_string(), "2026-01-01T00:00:00.12Z");
        assert_eq!(format!("{:.3}", at("2026-01-01T00:00:00Z")), "2026-01-01T00:00:00.000Z");
    }

    #[test]
    fn it_decodes_from_a_string_and_a_bad_one_says_why() {
        assert_eq!(decode::<Timestamp>(&json!("2026-01-01T00:00:00z")).unwrap(), at("2026-01-01T00:00:00Z"));
        assert_eq!(
            decode::<Timestamp>(&json!("2026-01-01")).unwrap_err().kind,
            FaultKind::Invalid {
                expected: "an absolute RFC 3339 instant with a zone, such as 2026-01-01T00:00:00Z (it is a date alone)"
                    .to_owned(),
                received: "string \"2026-01-01\"".to_owned(),
            }
        );
        assert_eq!(
            decode::<Timestamp>(&json!(17)).unwrap_err().to_string(),
            "expected an absolute RFC 3339 instant with a zone, such as 2026-01-01T00:00:00Z, received integer 17"
        );
    }

    #[test]
    fn from_str_names_the_text_and_keeps_the_fault_as_its_source() {
        let error = "yesterday".parse::<Timestamp>().unwrap_err();
        assert!(error.to_string().starts_with("`yesterday` must be an absolute RFC 3339 instant"), "{error}");
        let source = std::error::Error::source(&error).unwrap();
        assert_eq!(source.downcast_ref(), Some(&RfcFault::NotAnInstant));
    }

    #[test]
    fn a_year_before_0_is_no_rfc_3339_and_so_no_result() {
        let old = Timestamp::from(jiff::Timestamp::from_second(YEAR_ZERO - 1).unwrap());
        assert!(encode(&old).unwrap_err().to_string().contains("before year 0"));
        let first = Timestamp::from(jiff::Timestamp::from_second(YEAR_ZERO).unwrap());
        assert_eq!(encode(&first).unwrap(), Output::Text("0000-01-01T00:00:00Z".to_owned()));
    }

    #[test]
    fn durations_are_added_and_taken_away() {
        let mut time = at("2026-01-01T00:00:00Z");
        time += Duration::from_secs(90);
        assert_eq!(time, at("2026-01-01T00:01:30Z"));
        time -= Duration::from_nanos(1);
        assert_eq!(time, at("2026-01-01T00:01:29.999999999Z"));
    }

    #[test]
    fn the_schema_is_inline_and_says_date_time() {
        let schema = schemars::schema_for!(Vec<Timestamp>);
        assert_eq!(schema.as_value()["items"], json!({ "type": "string", "format": "date-time" }));
        assert!(schema.get("$defs").is_none());
    }

    proptest! {
        #[test]
        fn what_it_displays_it_reads_again(
            second in YEAR_ZERO..jiff::Timestamp::MAX.as_second(),
            nanosecond in prop_oneof![Just(0), 0..1_000_000_000],
        ) {
            let time = Timestamp::from(jiff::Timestamp::new(second, nanosecond).unwrap());
            prop_assert_eq!(at(&time.to_string()), time);
            let text = serde_json::to_string(&time).unwrap();
            prop_assert_eq!(serde_json::from_str::<Timestamp>(&text).unwrap(), time);
        }
    }
}
