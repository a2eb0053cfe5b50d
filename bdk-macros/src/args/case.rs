//! `rename_all`, in serde's words.

/// A way to write a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Case {
    Lower,
    Upper,
    Pascal,
    Camel,
    Snake,
    ScreamingSnake,
    Kebab,
    ScreamingKebab,
}

impl Case {
    /// Every case, named by its own example.
    pub(crate) const ALL: &'static [(&'static str, Self)] = &[
        ("lowercase", Self::Lower),
        ("UPPERCASE", Self::Upper),
        ("PascalCase", Self::Pascal),
        ("camelCase", Self::Camel),
        ("snake_case", Self::Snake),
        ("SCREAMING_SNAKE_CASE", Self::ScreamingSnake),
        ("kebab-case", Self::Kebab),
        ("SCREAMING-KEBAB-CASE", Self::ScreamingKebab),
    ];
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, case)| *case)
    }
    /// Applies it to a parameter's name, which is snake case, as serde does to a field.
    pub(crate) fn apply(self, name: &str) -> String {
        match self {
            Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_uppercase(),
            Self::Pascal => name.split('_').map(capitalised).collect(),
            Self::Camel => {
                let pascal = Self::Pascal.apply(name);
                let mut chars = pascal.chars();
                chars.next().map(|c| c.to_lowercase().chain(chars).collect()).unwrap_or_default()
            }
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_uppercase().replace('_', "-"),
        }
    }
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Case;

    #[test]
    fn cases_are_those_of_serde() {
        let written: Vec<String> = Case::ALL.iter().map(|(_, case)| case.apply("pr_url2")).collect();
        assert_eq!(written, ["pr_url2", "PR_URL2", "PrUrl2", "prUrl2", "pr_url2", "PR_URL2", "pr-url2", "PR-URL2"]);
    }
}
