//! Reading RFC 3339 and nothing more. jiff's own parser takes much else: a space for the `T`, named zones, no seconds.

use super::Timestamp;
use jiff::{civil, tz::Offset};
use serde::de::Expected;
use std::fmt;

/// What a text has to be, in words.
pub(super) const WANTED: &str = "an absolute RFC 3339 instant with a zone, such as 2026-01-01T00:00:00Z";

/// Why a text is no absolute RFC 3339 instant. Displayed as a demand: "must be an absolute RFC 3339 instant with a zone,
/// such as 2026-01-01T00:00:00Z (it is a date alone)".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RfcFault {
    /// It does not look like one at all.
    NotAnInstant,
    /// It is a date without a time.
    DateOnly,
    /// Between date and time stands something else than a `T`.
    NoT,
    /// Date and time are right, but no zone follows.
    NoZone,
    /// What follows is no zone: neither `Z` nor an offset such as `+02:00`, up to 23:59.
    NotAZone,
    /// The fraction has more than nine digits, or none.
    Fraction,
    /// There is no such day: February 30th.
    NoSuchDay,
    /// There is no such time of day: `24:00`, or `:60` where no leap second can be.
    NoSuchTime,
    /// It is beyond year 9999.
    OutOfRange,
}

impl RfcFault {
    /// What is wrong, to follow "it".
    fn cause(self) -> Option<&'static str> {
        Some(match self {
            Self::NotAnInstant => return None,
            Self::DateOnly => "it is a date alone",
            Self::NoT => "it has no `T` between date and time",
            Self::NoZone => "it has no zone: add `Z` or an offset such as `+02:00`",
            Self::NotAZone => "its zone must be `Z` or an offset such as `+02:00`",
            Self::Fraction => "its fraction of a second must have 1 to 9 digits",
            Self::NoSuchDay => "there is no such day",
            Self::NoSuchTime => "there is no such time of day",
            Self::OutOfRange => "it is too late: the last year is 9999",
        })
    }
}

impl fmt::Display for RfcFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be ")?;
        Expected::fmt(self, f)
    }
}

impl Expected for RfcFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(WANTED)?;
        match self.cause() {
            Some(cause) => write!(f, " ({cause})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for RfcFault {}

/// Reads an RFC 3339 instant: `2026-01-01T00:00:00Z`, with any offset, a fraction of up to nine digits, and `t` and `z` in
/// either case.
///
/// A leap second, `:60`, is taken where one can be (the last second of a month in UTC) and means the second before it, as
/// jiff has it.
///
/// # Errors
/// Everything else that ISO 8601, jiff or people call an instant, with the reason.
///
/// ```
/// use bdk::__private::{RfcFault, parse_rfc3339};
/// assert_eq!(parse_rfc3339("2026-01-01T01:00:00+01:00").unwrap().to_string(), "2026-01-01T00:00:00Z");
/// assert_eq!(parse_rfc3339("2026-01-01T00:00:00"), Err(RfcFault::NoZone));
/// ```
pub fn parse_rfc3339(text: &str) -> Result<Timestamp, RfcFault> {
    let mut rest = text.as_bytes();
    let (year, month, day) = date(&mut rest).ok_or(RfcFault::NotAnInstant)?;
    match rest.split_first() {
        None => return Err(RfcFault::DateOnly),
        Some((b'T' | b't', after)) => rest = after,
        Some((_, after)) if time(&mut &*after).is_some() => return Err(RfcFault::NoT),
        Some(_) => return Err(RfcFault::NotAnInstant),
    }
    let (hour, minute, second) = time(&mut rest).ok_or(RfcFault::NotAnInstant)?;
    let nanosecond = fraction(&mut rest)?;
    let offset = zone(rest)?;

    let date = civil::Date::new(year, month, day).map_err(|_| RfcFault::NoSuchDay)?;
    let leap = second == 60;
    let time =
        civil::Time::new(hour, minute, if leap { 59 } else { second }, nanosecond).map_err(|_| RfcFault::NoSuchTime)?;
    let instant = offset.to_timestamp(date.to_datetime(time)).map_err(|_| RfcFault::OutOfRange)?;
    if leap && !ends_a_month(instant) {
        return Err(RfcFault::NoSuchTime);
    }
    Ok(instant.into())
}

/// Whether it is in the last second of a month, in UTC.
fn ends_a_month(instant: jiff::Timestamp) -> bool {
    let utc = Offset::UTC.to_datetime(instant);
    utc.day() == utc.days_in_month() && (utc.hour(), utc.minute(), utc.second()) == (23, 59, 59)
}

/// `2026-01-01`
fn date(rest: &mut &[u8]) -> Option<(i16, i8, i8)> {
    let century = i16::from(two(rest)?);
    let year = century * 100 + i16::from(two(rest)?);
    byte(rest, b'-')?;
    let month = two(rest)?;
    byte(rest, b'-')?;
    Some((year, month, two(rest)?))
}

/// `00:00:00`
fn time(rest: &mut &[u8]) -> Option<(i8, i8, i8)> {
    let hour = two(rest)?;
    byte(rest, b':')?;
    let minute = two(rest)?;
    byte(rest, b':')?;
    Some((hour, minute, two(rest)?))
}

/// `.5` if it is there, in nanoseconds.
fn fraction(rest: &mut &[u8]) -> Result<i32, RfcFault> {
    if byte(rest, b'.').is_none() {
        return Ok(0);
    }
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    if !(1..=9).contains(&digits) {
        return Err(RfcFault::Fraction);
    }
    let (fraction, after) = rest.split_at(digits);
    *rest = after;
    let padded = fraction.iter().copied().chain(std::iter::repeat(b'0')).take(9);
    Ok(padded.fold(0, |sum, digit| sum * 10 + i32::from(digit - b'0')))
}

/// `Z` or `+02:00`, and nothing after it.
fn zone(mut rest: &[u8]) -> Result<Offset, RfcFault> {
    let sign = match rest {
        [] => return Err(RfcFault::NoZone),
        [b'Z' | b'z'] => return Ok(Offset::UTC),
        [b'+', ..] => 1,
        [b'-', ..] => -1,
        _ => return Err(RfcFault::NotAZone),
    };
    rest = &rest[1..];
    let parsed = (|| {
        let hour = two(&mut rest).filter(|hour| *hour < 24)?;
        byte(&mut rest, b':')?;
        let minute = two(&mut rest).filter(|minute| *minute < 60)?;
        let seconds = sign * (i32::from(hour) * 3600 + i32::from(minute) * 60);
        if rest.is_empty() { Offset::from_seconds(seconds).ok() } else { None }
    })();
    parsed.ok_or(RfcFault::NotAZone)
}

fn byte(rest: &mut &[u8], wanted: u8) -> Option<()> {
    *rest = rest.strip_prefix(&[wanted])?;
    Some(())
}

/// Two ASCII digits: 0 to 99.
fn two(rest: &mut &[u8]) -> Option<i8> {
    let [tens @ b'0'..=b'9', ones @ b'0'..=b'9', after @ ..] = *rest else { return None };
    *rest = after;
    i8::try_from((tens - b'0') * 10 + (ones - b'0')).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fault(text: &str) -> RfcFault {
        parse_rfc3339(text).map_or_else(|fault| fault, |time| panic!("`{text}` was read as {time}"))
    }

    fn same(left: &str, right: &str) {
        assert_eq!(parse_rfc3339(left), parse_rfc3339(right));
        assert!(parse_rfc3339(left).is_ok(), "`{left}`");
    }

    #[test]
    fn every_spelling_of_an_instant_is_that_instant() {
        for text in [
            "2026-01-01t00:00:00z",
            "2026-01-01T00:00:00+00:00",
            "2026-01-01T00:00:00-00:00",
            "2026-01-01T00:00:00.0Z",
            "2026-01-01T00:00:00.000000000Z",
            "2026-01-01T05:30:00+05:30",
            "2025-12-31T19:00:00-05:00",
            "2026-01-01T23:59:00+23:59",
            "2025-12-31T00:01:00-23:59",
        ] {
            same(text, "2026-01-01T00:00:00Z");
        }
        same("2024-02-29T00:00:00.5Z", "2024-02-29T00:00:00.500Z");
    }

    #[test]
    fn a_nanosecond_counts() {
        let earlier = parse_rfc3339("2026-01-01T00:00:00Z").unwrap();
        let later = parse_rfc3339("2026-01-01T00:00:00.000000001Z").unwrap();
        assert!(later > earlier);
    }

    #[test]
    fn what_is_no_absolute_instant_says_why() {
        for (text, expected) in [
            ("", RfcFault::NotAnInstant),
            ("yesterday", RfcFault::NotAnInstant),
            ("1767225600", RfcFault::NotAnInstant),
            ("2025-12-01", RfcFault::DateOnly),
            ("2025-12-01T00:00:00", RfcFault::NoZone),
            ("2025-12-01T00:00:00.5", RfcFault::NoZone),
            ("2025-12-01 00:00:00Z", RfcFault::NoT),
            ("2025-12-01_00:00:00Z", RfcFault::NoT),
            ("2025-12-01T00:00Z", RfcFault::NotAnInstant),
            ("2025-12-01T", RfcFault::NotAnInstant),
            ("2025-12-01Z", RfcFault::NotAnInstant),
            ("20251201T000000Z", RfcFault::NotAnInstant),
            ("2025-W49-1T00:00:00Z", RfcFault::NotAnInstant),
            ("2025-12-1T00:00:00Z", RfcFault::NotAnInstant),
            ("12025-12-01T00:00:00Z", RfcFault::NotAnInstant),
            ("+002025-12-01T00:00:00Z", RfcFault::NotAnInstant),
            ("-2025-12-01T00:00:00Z", RfcFault::NotAnInstant),
            (" 2025-12-01T00:00:00Z", RfcFault::NotAnInstant),
            ("２０２５-12-01T00:00:00Z", RfcFault::NotAnInstant),
            ("2025-12-01T00:00:00Z ", RfcFault::NotAZone),
            ("2025-12-01T00:00:00Z\n", RfcFault::NotAZone),
            ("2025-12-01T00:00:00ZZ", RfcFault::NotAZone),
            ("2025-12-01T00:00:00 Z", RfcFault::NotAZone),
            ("2025-12-01T00:00:00UTC", RfcFault::NotAZone),
            ("2025-12-01T00:00:00+01", RfcFault::NotAZone),
            ("2025-12-01T00:00:00+0100", RfcFault::NotAZone),
            ("2025-12-01T00:00:00+01:00:00", RfcFault::NotAZone),
            ("2025-12-01T00:00:00+24:00", RfcFault::NotAZone),
            ("2025-12-01T00:00:00+01:60", RfcFault::NotAZone),
            ("2025-12-01T00:00:00\u{2212}01:00", RfcFault::NotAZone),
            ("2025-12-01T00:00:00+01:00[Europe/Paris]", RfcFault::NotAZone),
            ("2025-12-01T00:00:00[Europe/Paris]", RfcFault::NotAZone),
            ("2025-12-01T00:00:00,5Z", RfcFault::NotAZone),
            ("2025-12-01T00:00:00.Z", RfcFault::Fraction),
            ("2025-12-01T00:00:00.0000000001Z", RfcFault::Fraction),
            ("2025-02-29T00:00:00Z", RfcFault::NoSuchDay),
            ("2025-13-01T00:00:00Z", RfcFault::NoSuchDay),
            ("2025-00-01T00:00:00Z", RfcFault::NoSuchDay),
            ("2025-12-00T00:00:00Z", RfcFault::NoSuchDay),
            ("2025-12-01T24:00:00Z", RfcFault::NoSuchTime),
            ("2025-12-01T00:60:00Z", RfcFault::NoSuchTime),
            ("2025-12-01T00:00:61Z", RfcFault::NoSuchTime),
            ("9999-12-31T23:59:59-23:59", RfcFault::OutOfRange),
        ] {
            assert_eq!(fault(text), expected, "`{text}`");
        }
    }

    #[test]
    fn a_leap_second_is_the_second_before_it_and_only_where_one_can_be() {
        same("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z");
        same("2016-12-31T23:59:60.25Z", "2016-12-31T23:59:59.25Z");
        same("2017-01-01T00:59:60+01:00", "2016-12-31T23:59:59Z");
        for text in
            ["2016-12-30T23:59:60Z", "2016-12-31T22:59:60Z", "2016-12-31T23:59:60+01:00", "2016-12-31T23:58:60Z"]
        {
            assert_eq!(fault(text), RfcFault::NoSuchTime, "`{text}`");
        }
    }

    #[test]
    fn the_words_tell_a_model_what_to_write() {
        assert_eq!(
            RfcFault::NotAnInstant.to_string(),
            "must be an absolute RFC 3339 instant with a zone, such as 2026-01-01T00:00:00Z"
        );
        assert_eq!(
            RfcFault::NoZone.to_string(),
            "must be an absolute RFC 3339 instant with a zone, such as 2026-01-01T00:00:00Z (it has no zone: add `Z` or an \
             offset such as `+02:00`)"
        );
    }

    proptest! {
        #[test]
        fn what_is_taken_jiff_reads_as_the_same_instant(
            text in r"[0-9]{4}-(0[0-9]|1[0-3])-[0-3][0-9][Tt]([01][0-9]|2[0-4]):[0-6][0-9]:[0-6][0-9](\.[0-9]{1,10})?([Zz]|[+-]([01][0-9]|2[0-4]):[0-6][0-9])?"
        ) {
            if let Ok(ours) = parse_rfc3339(&text) {
                let theirs: jiff::Timestamp = text.parse().unwrap();
                prop_assert_eq!(*ours, theirs, "{}", text);
            }
        }

        #[test]
        fn every_valid_instant_is_taken(
            second in -62_167_219_200i64 + 86_400..jiff::Timestamp::MAX.as_second() - 86_400,
            minutes in -1439..=1439i32,
            nanosecond in 0..1_000_000_000i32,
        ) {
            let instant = jiff::Timestamp::new(second, nanosecond).unwrap();
            let offset = Offset::from_seconds(minutes * 60).unwrap();
            let local = offset.to_datetime(instant);
            let sign = if minutes < 0 { '-' } else { '+' };
            let text = format!("{local:.9}{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60);
            prop_assert_eq!(parse_rfc3339(&text).map(jiff::Timestamp::from), Ok(instant), "{}", text);
        }

        #[test]
        fn no_text_panics(text in r"[0-9TZtz:. +\-é]{0,40}") {
            let _ = parse_rfc3339(&text);
        }
    }
}
