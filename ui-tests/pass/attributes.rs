//! Other attributes on a tool, and one that is called `tool` too.
#![allow(clippy::inline_always)]
use bdk::prelude::{TestBot, json};
// stands for another crate's `#[tool]`: any attribute macro of that name
use std::prelude::v1::test as tool;

/// Was replaced.
#[bdk::tool(effect = "read")]
#[deprecated = "use another"]
fn attributes_deprecated() {}

/// With attributes before and after.
#[must_use]
#[inline(always)]
#[bdk::tool(effect = "read")]
#[allow(clippy::missing_const_for_fn)]
pub(crate) fn attributes_many() -> u32 {
    7
}

#[tool]
fn the_other_tool_is_what_it_was() {
    assert_eq!(attributes_many(), 7);
}

#[bdk::test]
async fn a_deprecated_tool_is_one(bot: TestBot) {
    assert!(!bot.call_tool("attributes_deprecated", json!({})).await.is_error);
}
