//! Tools from macros, and beside names that get in the way.

use super::Db;
use bdk::Effect;

mod other {
    //! Names that would get in the way of generated code that does not say where its own come from.
    #![allow(dead_code)]
    pub(crate) struct Option;
    pub(crate) struct Result;
    pub(crate) struct String;
    pub(crate) struct Vec;
    pub(crate) struct Some;
    pub(crate) struct Box;
    pub(crate) trait Into {}
    pub(crate) trait Default {}
}

mod sdk {
    pub(crate) use bdk::__private;
}
macro_rules! facade {
    ($name:ident) => {
        /// From a facade's macro.
        #[bdk::tool(crate = $crate::names::sdk, effect = |n| if *n > 1 { Effect::Write } else { Effect::Read })]
        fn $name(#[arg(range(max = 3))] n: u8, _db: &Db) -> u8 {
            n
        }
    };
}
facade!(in_facade);

macro_rules! family {
    ($($name:ident: $ty:ty = $description:literal, $effect:expr;)*) => { $(
        #[doc = $description]
        #[bdk::tool(effect = $effect, name = $description, crate = ::bdk)]
        fn $name(value: $ty, db: &Db) -> $ty {
            let _ = db;
            value
        }
    )* };
}
family! {
    in_macro_a: String = "macro-a", "read";
    in_macro_b: Option<u32> = "macro-b", |value| if value.is_some() { Effect::Write } else { Effect::Read };
}

mod shadowed {
    #![allow(unused_imports)]
    use super::other::{Box, Default, Into, Option, Result, Some, String, Vec};

    /// In a crate with names of its own.
    #[bdk::tool(effect = "read", check = |a| if *a > 3 { Err("more than 3") } else { Ok(()) })]
    async fn shadowed(#[arg(default = "x")] text: std::string::String, a: u8, db: &crate::Db) -> u8 {
        std::future::ready(()).await;
        a + u8::try_from(text.len() - db.0.len()).unwrap_or(9)
    }
}
