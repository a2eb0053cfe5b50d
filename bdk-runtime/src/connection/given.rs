//! What a client is opened with: the values of headers and variables, read anew each time.
//!
//! From here on they are secrets: what the bot tells is blanked of them.

use super::{
    check::is_reserved,
    failed::{Failed, Kind},
    spec::Transport,
    template::Template,
};
use crate::{env_files, secrets};
use http::{HeaderMap, HeaderName, HeaderValue};
use std::ffi::OsString;

/// What a process gets of the bot's environment.
const INHERITED: [&str; 12] = [
    "PATH",
    "HOME",
    "LANG",
    "TMPDIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];
/// Headers whose words are nobody's secret.
const PUBLIC: [&str; 3] = ["accept-language", "user-agent", "origin"];

/// Whether anything of it comes from outside, so that reading it again may help.
pub(super) fn has_templates(transport: &Transport) -> bool {
    let any = |pairs: &[(String, String)]| {
        pairs.iter().any(|(_, text)| Template::parse(text).is_ok_and(|template| template.names().next().is_some()))
    };
    match transport {
        Transport::Http { headers, .. } => any(headers),
        Transport::Stdio { env, .. } => any(env),
        Transport::Authored => false,
    }
}

/// The headers of every request.
pub(super) fn headers(pairs: &[(String, String)]) -> Result<HeaderMap, Failed> {
    let mut headers = HeaderMap::new();
    for (name, text) in pairs {
        let value = resolved(name, text)?;
        let wrong = |what: &str| Failed::bare(Kind::Open, format!("the header `{name}` {what}"));
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong("has a name that no header has"))?;
        if is_reserved(key.as_str()) {
            return Err(wrong("is one that the protocol sets itself: leave it out"));
        }
        if !PUBLIC.contains(&key.as_str()) {
            // `Bearer x` is no secret, `x` is
            let credential = value.split_once(' ').filter(|_| key == http::header::AUTHORIZATION);
            secrets::remember(credential.map_or(&*value, |(_, credential)| credential.trim()));
        }
        // a key that was read from a file ends with its line
        let mut value = HeaderValue::from_str(value.trim_end_matches(['\r', '\n']))
            .map_err(|_| wrong("has a value that no header can have, such as one with a line break in it"))?;
        value.set_sensitive(true);
        headers.append(key, value);
    }
    Ok(headers)
}

/// The environment of a process.
pub(super) fn environment(declared: &[(String, String)], inherit: bool) -> Result<Vec<(OsString, OsString)>, Failed> {
    let mut all: Vec<(OsString, OsString)> =
        std::env::vars_os().filter(|(name, _)| inherit || INHERITED.iter().any(|known| name == known)).collect();
    for (name, text) in declared {
        let value = resolved(name, text)?;
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            return Err(Failed::bare(Kind::Open, format!("`{name}` and its value are no variable of an environment")));
        }
        all.retain(|(earlier, _)| earlier != name.as_str());
        all.push((name.into(), value.into()));
    }
    Ok(all)
}

/// The text, with what the environment and the env files have now. What is not set is empty.
fn resolved(of: &str, text: &str) -> Result<String, Failed> {
    let template = Template::parse(text).map_err(|fault| Failed::bare(Kind::Open, format!("`{of}` has {fault}")))?;
    template.resolve(|name| match env_files::value(name) {
        Ok(value) => {
            let value = value.unwrap_or_default();
            secrets::remember(&value);
            Ok(value)
        }
        Err(error) => Err(Failed::bare(Kind::Open, format!("`{of}` needs `{name}`: {error}"))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_header_is_read_when_it_is_needed_and_what_is_unset_is_empty() {
        let given = headers(&pairs(&[
            ("Authorization", "Bearer ${BDK_TEST_NO_SUCH_TOKEN}"),
            ("x-literal", "$${X} 7f2e-literal-value"),
        ]))
        .unwrap();
        assert_eq!(given["authorization"], "Bearer ");
        assert_eq!(given["x-literal"], "${X} 7f2e-literal-value");
        assert!(!format!("{given:?}").contains("7f2e"), "{given:?}");
        assert_eq!(secrets::blank("it said ${X} 7f2e-literal-value"), "it said [redacted]");
    }

    #[test]
    fn a_header_that_cannot_be_is_told_without_its_value() {
        for (name, value, words) in [
            ("x y", "v", "a name that no header has"),
            ("Mcp-Session-Id", "v", "the protocol sets itself"),
            ("x-token", "7f2e-secret\n-of-two-lines", "a line break"),
            ("x-token", "${", "without its `}`"),
        ] {
            let failed = headers(&pairs(&[(name, value)])).unwrap_err();
            assert!(failed.words.contains(words) && !failed.words.contains("7f2e"), "{failed}");
        }
    }

    #[test]
    fn a_process_gets_little_of_the_environment_unless_it_is_to_have_all() {
        let names = |inherit| {
            let all = environment(&pairs(&[("GREETING", "hello"), ("PATH", "/opt")]), inherit).unwrap();
            all.into_iter().map(|(name, value)| (name.into_string().unwrap(), value)).collect::<Vec<_>>()
        };
        let few = names(false);
        assert!(
            few.contains(&("GREETING".to_owned(), "hello".into())) && few.contains(&("PATH".to_owned(), "/opt".into()))
        );
        assert!(few.iter().all(|(name, _)| name == "GREETING" || INHERITED.contains(&&**name)), "{few:?}");
        // cargo sets it for tests
        assert!(names(true).iter().any(|(name, _)| name == "CARGO_MANIFEST_DIR"));
    }
}
