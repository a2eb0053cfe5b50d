//! A bot that has names of its own for what the generated code uses.
#![allow(dead_code, unused_macros)]

use bdk::prelude::{TestBot, json, provide, tool};

struct Option;
struct Some;
struct None;
struct Result;
struct Ok;
struct Err;
struct String;
struct Vec;
struct Box;
struct Value;
trait Default {}
trait Into {}
trait Fn {}
mod core {}
mod std {}
mod bdk_runtime {}
mod inventory {}
mod serde_json {}
const fn boxed() {}
fn get() {}
fn slot() {}

macro_rules! panic {
    () => {};
}
macro_rules! json_of {
    () => {
        ::bdk::prelude::json!({ "type": "object" })
    };
}

struct Db(u8);

#[provide]
fn db() -> Db {
    Db(7)
}

/// In a crate with names of its own.
#[tool(
    effect = |a| if *a > 3 { ::bdk::Effect::Write } else { ::bdk::Effect::Read },
    check = |a| -> ::std::result::Result<(), &'static str> {
        if *a > 200 { ::std::result::Result::Err("more than 200") } else { ::std::result::Result::Ok(()) }
    },
    output_schema = json_of!(),
)]
async fn own_names(
    #[arg(default = "x", length(max = 3), pattern = "^x")] text: ::std::string::String,
    #[arg(range(max = 250), coerce)] a: u8,
    db: &Db,
) -> ::std::result::Result<u8, ::std::string::String> {
    ::std::future::ready(text).await;
    ::std::result::Result::Ok(a + db.0)
}

mod bare {
    //! Without the names that Rust brings along.
    #![no_implicit_prelude]

    /// Without a prelude.
    #[::bdk::tool(effect = "read", time_args = ["since"])]
    fn own_names_bare(
        #[arg(default)] since: ::std::option::Option<::std::string::String>,
    ) -> ::std::result::Result<u8, &'static str> {
        let ::std::option::Option::Some(_) = since else { return ::std::result::Result::Ok(7) };
        ::std::result::Result::Err("given")
    }
}

#[::bdk::test]
async fn own_names_do_not_get_in_the_way(bot: TestBot) {
    ::std::assert_eq!(bot.call_tool("own_names", json!({ "a": 1 })).await.result, 8);
    ::std::assert_eq!(bot.call_tool("own_names_bare", json!({})).await.result, 7);
}
