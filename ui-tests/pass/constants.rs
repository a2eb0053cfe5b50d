//! Names, titles and descriptions from constants, macros and files.
use bdk::prelude::*;

const NAME: &str = "constants-named";
const ABOUT: &str = prompt!(
    "
    Described by a constant.

      - {{indented}}
"
);

struct Named;
impl Named {
    const TITLE: &str = "A title";
}

#[tool(name = NAME, title = Named::TITLE, description = ABOUT, effect = "read")]
fn by_constant() {}

#[tool(name = "constants_concat", description = concat!("Version ", env!("CARGO_PKG_VERSION"), "."), effect = "read")]
fn by_macro() {}

#[tool(
    name = "constants_prompt",
    description = prompt!("
        In the attribute.

          Indented.
    "),
    effect = "read"
)]
fn by_prompt() {}

#[doc = include_str!("about.md")]
#[tool(effect = "read")]
fn constants_file() {}

/// Lines, and
#[doc = concat!(" a ", "macro", ".")]
#[tool(effect = "read")]
fn constants_mixed() {}

#[test]
fn descriptions_are_dedented_and_otherwise_untouched() {
    let registry = bdk::Registry::linked();
    let described = |name: &str| registry.find(name).unwrap_or_else(|| panic!("{name}")).description().to_owned();
    assert_eq!(described(NAME), "Described by a constant.\n\n  - {indented}");
    assert_eq!(described("constants_concat"), format!("Version {}.", env!("CARGO_PKG_VERSION")));
    assert_eq!(described("constants_prompt"), "In the attribute.\n\n  Indented.");
    assert_eq!(described("constants_file"), include_str!("about.md").trim());
    assert_eq!(described("constants_mixed"), "Lines, and\na macro.");
}
