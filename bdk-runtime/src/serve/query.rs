//! What stands behind the `?` of a request.

use super::refused::Refused;
use http::Uri;

/// The query's one value of this name. Others are passed over, as links collect them on their way.
///
/// # Errors
/// When it is there more than once.
pub(super) fn one(uri: &Uri, name: &str) -> Result<Option<String>, Refused> {
    let mut values = url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).filter(|(n, _)| n == name);
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some((_, value)), None) => Ok(Some(value.into_owned())),
        (Some(_), Some(_)) => Err(Refused::invalid(format!("`?{name}=` is there more than once"))),
    }
}

/// A number without a sign.
pub(super) fn number(name: &str, text: &str) -> Result<u64, Refused> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().ok_or_else(|| {
        Refused::invalid(format!("`{name}` is a number from 0 on, and was \"{}\"", super::members::cut(text)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_is_taken_and_two_are_refused() {
        let uri: Uri = "/x?a=1&b=%20c&b2=&d=1&d=2".parse().unwrap();
        assert_eq!(one(&uri, "a").unwrap().as_deref(), Some("1"));
        assert_eq!(one(&uri, "b").unwrap().as_deref(), Some(" c"));
        assert_eq!(one(&uri, "b2").unwrap().as_deref(), Some(""));
        assert_eq!(one(&uri, "c").unwrap(), None);
        assert!(one(&uri, "d").is_err());
    }

    #[test]
    fn a_number_is_digits_alone() {
        assert_eq!(number("from", "0").unwrap(), 0);
        assert_eq!(number("from", "18446744073709551615").unwrap(), u64::MAX);
        for wrong in ["", "-1", "+1", "1.0", " 1", "x", "18446744073709551616"] {
            assert!(number("from", wrong).is_err(), "{wrong}");
        }
    }
}
