//! Parameters, closures' names and whole tools under `cfg`.
use bdk::prelude::*;

/// Some parameters are not there.
#[tool(
    effect = |here, #[cfg(any())] gone| if *here { Effect::Read } else { Effect::Write },
    time_args = ["when"],
)]
fn conditional(
    here: bool,
    #[cfg(any())] gone: NoSuchType,
    #[cfg(any())] lost: &NoSuchType,
    #[cfg(not(any()))] when: Option<String>,
) -> String {
    format!("{here} {when:?}")
}

/// Not there at all.
#[cfg(any())]
#[tool(effect = "read")]
fn conditional_gone(a: NoSuchType) {}

/// Deprecated in some builds.
#[tool(effect = "read")]
#[cfg_attr(all(), deprecated)]
fn conditional_attribute() {}

#[bdk::test]
async fn what_is_configured_out_is_no_property(bot: TestBot) {
    assert_eq!(bot.call_tool("conditional", json!({ "here": true })).await.result, "true None");
    assert!(bot.call_tool("conditional", json!({ "here": true, "gone": 1 })).await.is_error);
    assert!(!bot.call_tool("conditional_attribute", json!({})).await.is_error);
}
