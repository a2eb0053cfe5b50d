//! What stands behind the `?` of a request.

use super::{
    members::{cut, listed},
    refused::Refused,
};
use http::Uri;
use url::form_urlencoded::parse;

/// The values of a query that may have these names. Another name is refused: it may be one of these, misspelt, and what it was
/// to say would not hold.
///
/// # Errors
/// When there is another name, or one of them more than once.
pub(super) fn read<const N: usize>(uri: &Uri, names: [&'static str; N]) -> Result<[Option<String>; N], Refused> {
    let mut values = [const { None }; N];
    let Some(query) = uri.query() else { return Ok(values) };
    for (name, value) in parse(query.as_bytes()) {
        let Some(place) = names.iter().position(|known| *known == name) else {
            let known = if N == 0 { "none".to_owned() } else { listed(&names, "and") };
            return Err(Refused::invalid(format!("there is no `?{}=` here: this route has {known}", cut(&name))));
        };
        if values[place].replace(value.into_owned()).is_some() {
            return Err(Refused::invalid(format!("`?{name}=` is there more than once")));
        }
    }
    Ok(values)
}

/// Of a route that has none.
pub(super) fn none(uri: &Uri) -> Result<(), Refused> {
    read(uri, []).map(|[]| ())
}

/// A number without a sign.
pub(super) fn number(name: &str, text: &str) -> Result<u64, Refused> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits
        .then(|| text.parse().ok())
        .flatten()
        .ok_or_else(|| Refused::invalid(format!("`{name}` is a number from 0 on, and was \"{}\"", cut(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told<const N: usize>(uri: &str, names: [&'static str; N]) -> Result<[Option<String>; N], String> {
        read(&uri.parse().unwrap(), names).map_err(|refused| refused.message.into_owned())
    }

    #[test]
    fn one_value_is_taken_and_two_are_refused() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(told("/x?b=%20c&a=1", ["a", "b", "c"]), Ok([some("1"), some(" c"), None]));
        assert_eq!(told("/x?a", ["a"]), Ok([some("")]));
        for nothing in ["/x", "/x?", "/x?&"] {
            assert_eq!(told(nothing, ["a"]), Ok([None]));
        }
        assert_eq!(told("/x?a=1&a=1", ["a"]).unwrap_err(), "`?a=` is there more than once");
    }

    #[test]
    fn another_name_is_refused_naming_those_that_there_are() {
        assert_eq!(
            told("/x?from=1&folow=false", ["from", "follow"]).unwrap_err(),
            "there is no `?folow=` here: this route has `from` and `follow`"
        );
        assert_eq!(
            told("/x?Session=a", ["session"]).unwrap_err(),
            "there is no `?Session=` here: this route has `session`"
        );
        assert!(none(&"/x?dryRun=true".parse().unwrap()).unwrap_err().message.ends_with("this route has none"));
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
