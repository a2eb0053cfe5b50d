//! The end of step 2: the author's rule across fields, run when every field is valid.

use super::{Failure, Issue};
use crate::{
    registry::{Kind, Tool},
    tool::Slots,
};

/// Runs `check`.
pub(super) fn fields(tool: &Tool, slots: &Slots) -> Result<(), Failure> {
    let Kind::Code(def) = &tool.kind else { return Ok(()) };
    let Some(check) = def.check else { return Ok(()) };
    check(slots).map_err(|message| {
        Failure::input(vec![Issue { path: String::new(), message, expected: None, received: None }], false)
    })
}
