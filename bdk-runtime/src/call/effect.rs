//! Step 4: what the call does to the world.

use super::panic;
use crate::{
    Effect,
    registry::{Kind, Tool},
    tool::{EffectDef, Slots},
};

/// Declared, or the predicate's word over the validated input. Undeclared is a write, and so is a predicate that panics:
/// in doubt nothing is repeated and a dry run runs nothing.
pub(super) fn of(tool: &Tool, slots: &Slots) -> Effect {
    match &tool.kind {
        Kind::Code(def) => match def.effect {
            EffectDef::Read => Effect::Read,
            EffectDef::Write | EffectDef::Undeclared => Effect::Write,
            EffectDef::By(predicate) => panic::catch(|| predicate(slots)).unwrap_or_else(|payload| {
                panic::discard(payload);
                tracing::error!(target: "bdk::call", tool = tool.name(), "the effect predicate panicked: the call counts as a write");
                Effect::Write
            }),
        },
        Kind::Data(data, _) => data.effect.unwrap_or(Effect::Write),
    }
}
