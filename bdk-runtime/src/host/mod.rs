//! What the bot lends to whatever runs in it: values and files that outlive a call, and artifacts for its callers.
//!
//! All of it is kept in the [`Store`](crate::store::Store), by the bot's own clock; no path of it ever reaches the file system.

pub(crate) mod artifacts;
mod files;
mod kv;
#[cfg(feature = "connections")]
mod mcp;
mod turns;
#[cfg(feature = "connections")]
mod typed;

#[cfg(test)]
mod tests;

pub use artifacts::{Artifact, Artifacts};
pub use files::Files;
pub use kv::Kv;
#[cfg(feature = "connections")]
pub use mcp::{Mcp, McpTool};
pub(crate) use turns::Turns;

use crate::{bot::Bot, call::CallState, cut};
use std::sync::Arc;

/// The shared services of a bot: `ctx.host`. Cheap to clone, and may be kept beyond the call.
///
/// ```
/// use bdk::prelude::*;
///
/// /// Count the visits of a page.
/// #[tool(effect = "write")]
/// async fn visit(page: String, ctx: &ToolContext) -> Result<u64> {
///     let visits = ctx.host.kv.update(&format!("visits/{page}"), |old: Option<u64>| old.unwrap_or(0) + 1).await?;
///     ctx.host.files.write("last-page.txt", page).await?;
///     Ok(visits)
/// }
///
/// # bdk::__private::block_on(async {
/// let bot = TestBot::new();
/// bot.call_tool("visit", json!({ "page": "home" })).await;
/// assert_eq!(bot.call_tool("visit", json!({ "page": "home" })).await.result, 2);
/// assert_eq!(bot.files().read("last-page.txt").await.unwrap().unwrap(), b"home");
/// # });
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Host {
    /// Values by their keys.
    pub kv: Kv,
    /// Files by their paths.
    pub files: Files,
    /// The servers of connections.
    #[cfg(feature = "connections")]
    pub mcp: Mcp,
}

impl Host {
    pub(crate) fn of(bot: &Bot) -> Self {
        Self::with(bot, None)
    }
    /// That of a call's context.
    pub(crate) fn in_call(call: &Arc<CallState>) -> Self {
        Self::with(&call.bot, Some(call))
    }
    #[cfg_attr(not(feature = "connections"), expect(unused_variables, reason = "nothing of it depends on the call"))]
    fn with(bot: &Bot, call: Option<&Arc<CallState>>) -> Self {
        Self {
            kv: Kv::of(bot),
            files: Files::of(bot),
            #[cfg(feature = "connections")]
            mcp: Mcp::of(bot, call.cloned()),
        }
    }
}

impl std::fmt::Debug for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("kv", &self.kv).field("files", &self.files).finish_non_exhaustive()
    }
}

/// What names are repeated as in errors: at no length, and with what cannot be seen escaped.
fn shown(name: &str) -> String {
    cut::quoted(name, 80)
}

/// The first control character of a name, in words.
fn control(name: &str) -> Option<String> {
    let (at, c) = name.char_indices().find(|(_, c)| c.is_control())?;
    Some(format!("the control character U+{:04X} at byte {at}", u32::from(c)))
}
