//! The types that everyday parameters have: of them rustc need not be asked what they are.

const USUAL: &[&str] = &[
    "bool",
    "char",
    "f32",
    "f64",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "String",
    "Vec",
    "Option",
    "HashMap",
    "BTreeMap",
    "HashSet",
    "BTreeSet",
    "Box",
    "Url",
    "Uuid",
    "Value",
    "PathBuf",
    "Duration",
    "Timestamp",
];

/// Whether a name is one of theirs.
pub(crate) fn is_usual(name: &str) -> bool {
    USUAL.contains(&name)
}
