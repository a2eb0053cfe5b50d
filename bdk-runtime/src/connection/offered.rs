//! Which of a server's tools the bot offers, and what it holds of each.

use super::{
    Spec,
    listing::{Annotations, RemoteTool},
};
use crate::{Effect, near};

/// The server's tools that pass the connection's filters, in the server's order.
///
/// # Errors
/// When there are filters and nothing passes them: which those are, in words.
pub(crate) fn offered<'a>(spec: &Spec, tools: &'a [RemoteTool]) -> Result<Vec<&'a RemoteTool>, String> {
    let passes = |tool: &&RemoteTool| spec.passes(&tool.name, || effect(spec, tool) == Some(Effect::Read));
    let offered: Vec<&RemoteTool> = tools.iter().filter(passes).collect();
    if offered.is_empty() && (spec.allowed.is_some() || !spec.denied.is_empty() || spec.only_reads) {
        let filters = [
            spec.allowed.is_some().then_some("`.tools(…)`"),
            (!spec.denied.is_empty()).then_some("`.disallowed_tools(…)`"),
            spec.only_reads.then_some("`.only_reads()`"),
        ];
        let filters: Vec<&str> = filters.into_iter().flatten().collect();
        return Err(format!("none of its {} tools is left by {}", tools.len(), filters.join(" and ")));
    }
    Ok(offered)
}

/// What the declaration says of tools that the server does not have, in words. A misspelt name lets through what it was to keep out.
pub(crate) fn unknown(spec: &Spec, tools: &[RemoteTool]) -> Vec<String> {
    let allowed = spec.allowed.iter().flatten().map(|name| ("tools", name));
    let denied = spec.denied.iter().map(|name| ("disallowed_tools", name));
    let effects = spec.effects.iter().map(|(name, _)| ("effect_of", name));
    let named = allowed.chain(denied).chain(effects);
    let unknown = named.filter(|(_, name)| tools.iter().all(|tool| tool.name != **name));
    unknown
        .map(|(option, name)| {
            let near = near::nearest(name, tools.iter().map(|tool| &*tool.name));
            let near = near.map_or_else(String::new, |near| format!("; it has `{near}`"));
            format!("it has no tool `{name}`, which `.{option}(…)` names{near}")
        })
        .collect()
}

/// What a tool does: as the author says, or else as the server does. None where neither says it.
///
/// MCP has `destructiveHint` and `idempotentHint` mean something for a tool that writes alone: whoever gives the first says that
/// it does.
pub(crate) fn effect(spec: &Spec, tool: &RemoteTool) -> Option<Effect> {
    let said = spec.effects.iter().rev().find(|(name, _)| *name == tool.name).map(|(_, effect)| *effect);
    said.or(match tool.annotations {
        Annotations { read_only: Some(true), .. } => Some(Effect::Read),
        Annotations { read_only: Some(false), .. } | Annotations { destructive: Some(true), .. } => Some(Effect::Write),
        _ => None,
    })
}
