use super::*;
use proptest::prelude::*;
use serde_json::json;

fn finder(values: &[&str]) -> AhoCorasick {
    build(&values.iter().flat_map(|value| forms(value)).collect()).unwrap()
}
fn told(values: &[&str], text: &str) -> String {
    let finder = finder(values);
    replaced(text, &find::in_text(&finder, text)).into_owned()
}
fn told_json(values: &[&str], text: &str) -> String {
    let finder = finder(values);
    if find::is_in(&finder, text) { json::blanked(&finder, text).into_owned() } else { text.to_owned() }
}

#[test]
fn a_secret_is_blanked_and_what_stands_around_it_stays() {
    assert_eq!(told(&["hunter2-hunter2"], "pw=hunter2-hunter2;"), "pw=[redacted];");
    assert_eq!(told(&["hunter2-hunter2"], "hunter2-hunter"), "hunter2-hunter");
    assert_eq!(told(&["sécret-ключ"], "«sécret-ключ»"), "«[redacted]»");
}

#[test]
fn secrets_that_overlap_leave_nothing_of_each_other() {
    for values in [["abcdefgh", "abcdefghij"], ["abcdefgh", "efghijkl"], ["cdefghijk", "abcdefghijkl"]] {
        let text = told(&values, "<abcdefghijkl>");
        assert!(text == "<[redacted]>" || text == "<[redacted]kl>", "{text}");
    }
    assert_eq!(told(&["abcdefgh", "abcdefghij"], "abcdefghabcdefghij"), "[redacted][redacted]");
    assert_eq!(told(&["aaaaaaaa"], "aaaaaaaaaaa"), "[redacted]");
}

#[test]
fn a_secret_is_found_in_every_way_of_escaping_it() {
    let secret = "q\"u\\o/t e+\n&\u{1}ü%🔑";
    let plus = secret.replace(' ', "+");
    let json = serde_json::to_string(secret).unwrap();
    let inside = json.trim_matches('"').to_owned();
    let ascii: String = secret.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect();
    let percent: String = secret.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let query = url::Url::parse(&format!("https://x/?t={}", secret.replace('\n', "%0A"))).unwrap().to_string();
    let component: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    for form in [
        secret.to_owned(),
        inside.clone(),
        serde_json::to_string(&json).unwrap(),
        format!("{secret:?}"),
        format!("{:?}", format!("{secret:?}")),
        serde_json::to_string(&format!("{secret:?}")).unwrap(),
        ascii,
        inside.replace('/', "\\/"),
        percent.clone(),
        percent.to_uppercase(),
        percent.replace('%', "%25"),
        component.replace('+', "%20"),
        component.to_lowercase(),
        component,
        query,
        // as a form, and as the JSON in a link
        plus.clone(),
        url::form_urlencoded::byte_serialize(inside.as_bytes()).collect(),
    ] {
        let text = told(&[secret, &plus], &format!("before {form} after"));
        assert!(text.starts_with("before ") && text.ends_with(" after"), "{form}: {text}");
        assert!(text.contains(REDACTED) && text.len() < 60, "{form}: {text}");
    }
}

#[test]
fn a_secret_that_looks_escaped_is_found_where_only_what_stands_around_its_escapes_is_escaped() {
    remember("p%41ss wo\\nrd\u{1b}-7f2e");
    // a URL's fragment keeps the percent sign, and a log its backslash
    assert_eq!(blank("https://x/#p%41ss%20wo\\nrd%1B-7f2e!"), "https://x/#[redacted]!");
    assert_eq!(blank("<p%41ss wo\\nrd\\x1b-7f2e>"), "<[redacted]>");
}

#[test]
fn a_secret_of_several_lines_is_found_on_one() {
    remember("-----BEGIN-----\nMIIE7f2e\r\n-----END-----\n");
    assert_eq!(blank("key=-----BEGIN-----MIIE7f2e-----END-----;"), "key=[redacted];");
    assert_eq!(blank("-----BEGIN-----\\nMIIE7f2e\\r\\n-----END-----"), "[redacted]");
}

#[test]
fn json_stays_what_it_was_but_for_the_secret() {
    let secret = "tok\"en\\12345";
    let other = "8765432100";
    let value = json!({ "a": [secret, { secret: 1, "b": secret }], "n": 98_765_432_100_u64, "s": "tok" });
    let text = told_json(&[secret, other], &serde_json::to_string_pretty(&value).unwrap());
    let read: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(read, json!({ "a": [REDACTED, { REDACTED: 1, "b": REDACTED }], "n": REDACTED, "s": "tok" }));
    // what holds none is not written anew
    let text =
        r#"{ "big": 123456789012345678901234567890.10, "twice": 1, "twice": 2, "x": "\u0061", "t": "TOKEN-12345" }"#;
    assert_eq!(told_json(&["TOKEN-12345"], text), text.replace("TOKEN-12345", REDACTED));
    assert_eq!(told_json(&["TOKEN-12345"], "\"TOKEN-12345\""), "\"[redacted]\"");
    assert_eq!(told_json(&["12345678"], "-12345678.5e3"), "\"[redacted]\"");
}

#[test]
fn an_escape_is_blanked_whole_or_not_at_all() {
    // a line's end and `abcdefgh`, not `n` and that
    let text = r#"{"a":"\nabcdefgh","b":"\\nabcdefgh"}"#;
    let told = told_json(&["nabcdefgh"], text);
    assert_eq!(told, r#"{"a":"\nabcdefgh","b":"\\[redacted]"}"#);
    let told = told_json(&["secret-\u{e9}"], r#"{"a":"secret-\u00e9!"}"#);
    assert_eq!(told, r#"{"a":"[redacted]!"}"#);
}

#[test]
fn members_whose_keys_become_the_same_are_all_still_there() {
    let (one, two) = ("first-secret", "second-secret");
    let text = r#"{"first-secret":1,"[redacted]":2,"second-secret":{"first-secret":3},"[redacted]_2":4}"#;
    let expected =
        json!({ "[redacted]_3": 1, "[redacted]": 2, "[redacted]_4": { "[redacted]": 3 }, "[redacted]_2": 4 });
    assert_eq!(serde_json::from_str::<Value>(&told_json(&[one, two], text)).unwrap(), expected);
    let mut value: Value = serde_json::from_str(text).unwrap();
    blank_tree(&finder(&[one, two]), &mut value);
    assert_eq!(value, expected);
    let order: Vec<&String> = value.as_object().unwrap().keys().collect();
    assert_eq!(order, ["[redacted]_3", "[redacted]", "[redacted]_4", "[redacted]_2"]);
}

#[test]
fn a_secret_is_remembered_from_when_it_is_read_and_a_short_one_only_returned() {
    assert_eq!(blank("remembered here: 5e3f-4a1b-9c7d"), "remembered here: 5e3f-4a1b-9c7d");
    remember("5e3f-4a1b-9c7d\n");
    remember("5e3f-4a");
    assert_eq!(blank("remembered here: 5e3f-4a1b-9c7d"), "remembered here: [redacted]");
    assert_eq!(blank("5e3f-4a"), "5e3f-4a");
    assert_eq!(blank_json(r#"{"a":"5e3f-4a1b-9c7d"}"#), r#"{"a":"[redacted]"}"#);
    assert!(matches!(blank("nothing"), Cow::Borrowed(_)) && matches!(blank_json("{}"), Cow::Borrowed(_)));
}

#[test]
fn what_is_missing_is_named_with_where_it_may_be_set() {
    let error = secret("BDK_TEST_NO_SUCH_SECRET").unwrap_err().to_string();
    assert!(error.contains("`BDK_TEST_NO_SUCH_SECRET`") && error.contains(".env.local"), "{error}");
    let error = secret("a=b").unwrap_err().to_string();
    assert!(!error.contains("a=b"), "{error}");
}

/// Texts that escapes, secrets and JSON are made of.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\\"),
        Just("\""),
        Just("%"),
        Just("u00"),
        Just("%41"),
        Just("\\u0041"),
        Just("n"),
        Just("\n"),
        Just("ü"),
        Just("🔑"),
        Just("abc"),
        Just("d83d"),
        Just("\\ud83d"),
        Just("{"),
        Just(":"),
        Just(","),
        Just("/"),
        Just("\u{1}"),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_text_panics_and_no_json_is_broken(secret in pieces(), before in pieces(), after in pieces()) {
        let secret = format!("{secret}12345678");
        let text = format!("{before}{secret}{after}");
        prop_assert!(!told(&[&secret], &text).contains(&secret));
        let value = json!({ &text: [&text, &before], &before: format!("{text:?}"), "json": json!([&text]).to_string() });
        for json in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let told = told_json(&[&secret], &json);
            let read: Value = serde_json::from_str(&told).map_err(|e| TestCaseError::fail(format!("{e}: {told}")))?;
            prop_assert_eq!(read.as_object().unwrap().len(), value.as_object().unwrap().len());
            prop_assert!(!read.to_string().contains(&secret));
            fn none_is_in(value: &Value, secret: &str) -> bool {
                match value {
                    Value::String(text) => !text.contains(secret),
                    Value::Array(items) => items.iter().all(|item| none_is_in(item, secret)),
                    Value::Object(members) => members.iter().all(|(k, v)| !k.contains(secret) && none_is_in(v, secret)),
                    _ => true,
                }
            }
            prop_assert!(none_is_in(&read, &secret), "{}", read);
        }
        let mut tree = value.clone();
        blank_tree(&finder(&[&secret]), &mut tree);
        prop_assert!(!tree.to_string().contains(&secret));
    }
}
