//! `${NAME}` in a header or an environment variable: kept as written, and read each time a client opens.

use std::fmt;

/// A text with places for what the environment holds. `$${` is a literal `${`.
///
/// Its `Debug` shows the names and nothing else: whatever stands around them may be a credential, too.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Template(Vec<Part>);

#[derive(Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Name(String),
}

impl Template {
    /// Reads one.
    ///
    /// # Errors
    /// What is wrong with it, in words: a place that does not end, or has no name. They do not repeat what stands there, which may
    /// be a credential.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            if rest[..at].ends_with('$') {
                literal.push_str(&rest[..at - 1]);
                literal.push_str("${");
                rest = &rest[at + 2..];
                continue;
            }
            literal.push_str(&rest[..at]);
            let Some((name, behind)) = rest[at + 2..].split_once('}') else {
                return Err("a `${` without its `}`: write `${NAME}`, or `$${` for a literal `${`".to_owned());
            };
            if !is_name(name) {
                let none = "a `${…}` that names no environment variable: a name has letters, digits and `_`, and no digit first";
                return Err(none.to_owned());
            }
            if !literal.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut literal)));
            }
            parts.push(Part::Name(name.to_owned()));
            rest = behind;
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            parts.push(Part::Text(literal));
        }
        Ok(Self(parts))
    }

    /// The names in it, in their order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            Part::Name(name) => Some(&**name),
            Part::Text(_) => None,
        })
    }

    /// The text, with what `find` knows of each name.
    pub(crate) fn resolve<E>(&self, mut find: impl FnMut(&str) -> Result<String, E>) -> Result<String, E> {
        let mut out = String::new();
        for part in &self.0 {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Name(name) => out.push_str(&find(name)?),
            }
        }
        Ok(out)
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Template")?;
        f.debug_list().entries(self.names()).finish()
    }
}

fn is_name(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let template = Template::parse(text).unwrap();
        template.resolve(|name| Ok::<_, ()>(format!("<{name}>"))).unwrap()
    }

    #[test]
    fn a_name_is_replaced_and_a_doubled_dollar_is_one() {
        for (text, said) in [
            ("", ""),
            ("plain $ and } and {", "plain $ and } and {"),
            ("Bearer ${TOKEN}", "Bearer <TOKEN>"),
            ("${A}${_B2}c", "<A><_B2>c"),
            ("$${A}", "${A}"),
            ("$$${A}", "$${A}"),
            ("$${ ${A} $$", "${ <A> $$"),
        ] {
            assert_eq!(read(text), said, "{text}");
        }
    }

    #[test]
    fn what_is_none_is_told() {
        for (text, words) in
            [("a ${B", "without its `}`"), ("${}", "names no"), ("${A-B}", "names no"), ("${1A}", "names no")]
        {
            assert!(Template::parse(text).unwrap_err().contains(words), "{text}");
        }
    }

    #[test]
    fn its_debug_shows_the_names_alone() {
        let template = Template::parse("Basic c2VjcmV0 ${USER}:${PASSWORD}").unwrap();
        assert_eq!(format!("{template:?}"), r#"Template["USER", "PASSWORD"]"#);
        assert_eq!(template.names().collect::<Vec<_>>(), ["USER", "PASSWORD"]);
    }
}
