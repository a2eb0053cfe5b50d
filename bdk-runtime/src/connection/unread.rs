//! JSON that is JSON and still cannot be read here: half a surrogate pair is no text, and a number may be larger than any of ours.

use std::ops::Range;

/// What of it cannot be read, where that is said in no word of serde's.
pub(super) fn why(error: &serde_json::Error) -> Option<&'static str> {
    let said = error.to_string();
    // serde_json gives its own kinds in words alone
    [
        ("surrogate", "holds half a surrogate pair (such as `\\ud83d`), which is no text"),
        ("hex escape", "holds half a surrogate pair (such as `\\ud83d`), which is no text"),
        ("number out of range", "holds a number that is out of range (such as `1e999`)"),
        ("recursion limit", "is nested more than 127 levels deep"),
    ]
    .into_iter()
    .find_map(|(sign, words)| said.contains(sign).then_some(words))
}

/// The same, or serde's words without the place, which nobody can look at.
pub(super) fn plain(error: &serde_json::Error) -> String {
    let said = error.to_string();
    let said = said.rsplit_once(" at line ").map_or(&*said, |(said, _)| said);
    why(error).map_or_else(|| format!("is not what it should be: {said}"), str::to_owned)
}

/// Reads JSON; where it is JSON and cannot be read, as near to it as it can be.
pub(super) fn read<T>(json: &str, read: impl Fn(&str) -> serde_json::Result<T>) -> serde_json::Result<T> {
    read(json).or_else(|error| mended(json).map_or(Err(error), |mended| read(&mended)))
}

/// JSON as it is, but with U+FFFD for each half of a surrogate pair, and the digits as a text for each number that is out of range. None
/// where there is nothing of either.
fn mended(json: &str) -> Option<String> {
    let bytes = json.as_bytes();
    let (mut mended, mut copied) = (String::new(), 0);
    let mut instead = |what: Range<usize>, text: &[&str]| {
        mended.push_str(&json[copied..what.start]);
        text.iter().for_each(|text| mended.push_str(text));
        copied = what.end;
    };
    let (mut at, mut in_text) = (0, false);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => in_text = !in_text,
            b'\\' if in_text => {
                match (unit(bytes, at), unit(bytes, at + 6)) {
                    (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => at += 10,
                    (Some(0xd800..=0xdfff), _) => instead(at..at + 6, &["\\ufffd"]),
                    _ => {}
                }
                // and what is escaped
                at += 1;
            }
            b'-' | b'0'..=b'9' if !in_text => {
                let is_of_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                let long = bytes[at..].iter().take_while(|byte| is_of_number(byte)).count();
                let number = at..at + long;
                if serde_json::from_str::<f64>(&json[number.clone()]).is_err() {
                    instead(number.clone(), &["\"", &json[number], "\""]);
                }
                at += long - 1;
            }
            _ => {}
        }
        at += 1;
    }
    if copied == 0 {
        return None;
    }
    mended.push_str(&json[copied..]);
    Some(mended)
}

/// The unit of UTF-16 that is escaped here.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn what_cannot_be_held_is_mended_and_all_else_is_as_it_was() {
        for (json, expected) in [
            (r#"["\ud83d"]"#, r#"["\ufffd"]"#),
            (r#"["a\udE00b", 1]"#, r#"["a\ufffdb", 1]"#),
            (r#"["\ud83d\ud83d\ude00", "\ude00\ud83d"]"#, r#"["\ufffd\ud83d\ude00", "\ufffd\ufffd"]"#),
            (r#"{"\ud83d": [1e999, -1E+999,2]}"#, r#"{"\ufffd": ["1e999", "-1E+999",2]}"#),
            (r#"["\\ud83d", "1e999", "\"\ud83d"]"#, r#"["\\ud83d", "1e999", "\"\ufffd"]"#),
        ] {
            let mended = mended(json).unwrap();
            assert_eq!(mended, expected, "{json}");
            assert!(serde_json::from_str::<Value>(json).is_err() && serde_json::from_str::<Value>(&mended).is_ok());
        }
        for sound in
            [r#"["\ud83d\ude00\n\\", 1.5, -0, 1e308, 123456789012345678901234567890]"#, "{}", "", "\"\\", "\"\\u"]
        {
            assert_eq!(mended(sound), None, "{sound}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_in_plain_words() {
        let deep = "[".repeat(200) + &"]".repeat(200);
        for (json, words) in [
            (r#""\ud83d""#, "half a surrogate"),
            (r#""\ud83dx""#, "half a surrogate"),
            (r#""\ud83d\u0041""#, "half a surrogate"),
            (r#""\ude00""#, "half a surrogate"),
            ("1e999", "out of range"),
            (&deep, "127 levels"),
        ] {
            let error = serde_json::from_str::<Value>(json).unwrap_err();
            assert!(why(&error).is_some_and(|why| why.contains(words)), "{json}: {error}");
        }
        let broken = serde_json::from_str::<Value>("{").unwrap_err();
        assert_eq!(why(&broken), None);
        assert_eq!(plain(&broken), "is not what it should be: EOF while parsing an object");
    }
}
