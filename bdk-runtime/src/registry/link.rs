//! Bringing other crates' items in: `extension!`, `install!`, `link!`.

use crate::tool::At;

/// A library crate that offers its tools under a name of its own.
pub struct ExtensionDef {
    /// The prefix of its tools.
    pub name: &'static str,
    /// The crate's root module.
    pub root: &'static str,
    /// Where `extension!` stands.
    pub at: At,
}

/// One `install!` or `link!`.
pub struct LinkDef {
    /// What is installed; `None` for `link!`.
    pub extension: Option<&'static ExtensionDef>,
    /// The crate as the author names it.
    pub krate: &'static str,
    /// Where the line stands: its module's agent gets the crate's items.
    pub at: At,
}
inventory::collect!(LinkDef);

/// Offers this crate's tools as an extension: where a bot installs it, `decide` becomes `jev__decide`.
///
/// It stands once, in the crate's root.
///
/// ```
/// bdk::extension!("jev");
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! extension {
    ($name:literal) => {
        #[doc(hidden)]
        pub static __BDK_EXTENSION: $crate::__private::ExtensionDef = {
            const _: () = $crate::__private::extension_name($name);
            $crate::__private::ExtensionDef { name: $name, root: ::core::module_path!(), at: $crate::__private::at!() }
        };
    };
}

/// Installs extensions: makes rustc load each crate and its tools appear as `<extension>__<tool>`.
///
/// A dependency that no code names is not linked, and its tools would be missing without a word.
#[macro_export]
macro_rules! install {
    ($($krate:ident),+ $(,)?) => { $(
        const _: () = {
            $crate::__private::inventory::submit! {
                $crate::__private::LinkDef {
                    extension: $crate::__private::Some(&::$krate::__BDK_EXTENSION),
                    krate: ::core::stringify!($krate),
                    at: $crate::__private::at!(),
                }
            }
        };
    )+ };
}

/// Makes rustc load crates, so that their tools are there under their own names: the bot's own library crate, or a plain
/// one that offers no extension.
#[macro_export]
macro_rules! link {
    ($($krate:ident),+ $(,)?) => { $(
        use ::$krate as _;
        const _: () = {
            $crate::__private::inventory::submit! {
                $crate::__private::LinkDef {
                    extension: $crate::__private::None,
                    krate: ::core::stringify!($krate),
                    at: $crate::__private::at!(),
                }
            }
        };
    )+ };
}

/// Refuses, at compile time, an extension's name that could not be the first part of a tool's.
#[track_caller]
pub const fn extension_name(name: &str) {
    let bytes = name.as_bytes();
    assert!(!bytes.is_empty() && bytes.len() <= 32, "an extension's name has 1 to 32 characters");
    let mut i = 0;
    while i < bytes.len() {
        assert!(
            bytes[i].is_ascii_alphanumeric() || bytes[i] == b'_' || bytes[i] == b'-',
            "an extension's name is made of letters, digits, `_` and `-`"
        );
        i += 1;
    }
}
