//! Step 5: what a write answers in a dry run.

use super::Failure;
use crate::{
    registry::{Kind, Tool},
    tool::{Output, Slots},
};

/// `dry_run_result`, or an acknowledgement.
pub(super) fn stub(tool: &Tool, slots: &Slots) -> Result<Output, Failure> {
    let stub = match &tool.kind {
        Kind::Code(def) => def.dry_run_result,
        Kind::Data(..) => None,
    };
    match stub {
        Some(make) => make(slots).map_err(|error| Failure::failed(&error)),
        None => Ok(Output::Text("Operation acknowledged.".to_owned())),
    }
}
