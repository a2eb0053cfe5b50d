//! A tool stays a function: documented, public, called and tested as one.
#![allow(unreachable_pub)]

use bdk::prelude::*;

pub mod library {
    //! A part that others use.
    use bdk::prelude::*;

    /// Adds.
    ///
    /// ```text
    /// add(1, 2)
    /// ```
    #[must_use]
    #[tool(effect = "read")]
    pub fn functions_add(a: u32, b: u32) -> u32 {
        a + b
    }

    /// Adds, later.
    ///
    /// # Errors
    /// When the sum is too large.
    #[tool(effect = "read")]
    pub async fn functions_add_later(
        /// The first.
        a: u32,
        /** The second. */
        b: u32,
    ) -> Result<u32> {
        std::future::ready(a.checked_add(b)).await.ok_or_else(|| "too large".into())
    }
}

#[allow(clippy::many_single_char_names)]
/// Eleven parameters and a bool too many for clippy.
#[tool(effect = "read")]
async fn functions_long(
    a: u8,
    b: u8,
    c: u8,
    d: bool,
    e: bool,
    f: bool,
    g: bool,
    h: u8,
    i: u8,
    j: u8,
    k: String,
) -> String {
    format!("{a}{b}{c}{d}{e}{f}{g}{h}{i}{j}{k}")
}

#[bdk::test]
async fn a_tool_is_called_as_a_function_too() {
    assert_eq!(library::functions_add(1, 2), 3);
    assert_eq!(library::functions_add_later(1, 2).await.expect("it is small"), 3);
}
