//! What a tool is: the static table that `#[tool]` emits, its parameters, its results and errors.
//!
//! Nothing here runs a tool; that is [`crate::call`]. Everything that is generic over an author's type lives here, in as
//! little code as can be, because it is compiled in the author's crate.

mod arg;
mod decode;
mod def;
mod definition;
mod effect;
mod encode;
mod error;
mod lend;
mod output;
mod probe;
mod rule;
pub mod schema;
mod timestamp;

pub use arg::{FromText, Input, RawInput, Slot, Slots, TimeBound, ToolArg, get, slot, text_default};
pub(crate) use decode::path_text;
pub use decode::{DecodeFault, FaultKind, Step, decode};
pub use def::{At, Body, BoxFuture, EffectDef, Hints, Param, Timeout, ToolDef, ToolRef, ToolsDef};
pub use definition::{DataBody, ToolDefinition};
pub use effect::Effect;
pub use encode::{EncodeFault, encode};
pub use error::{IntoToolError, ToolError, Transience};
pub use lend::{BoxMake, CallCx, Lend, Need, ProviderDef, ProviderRef, Shared};
pub use output::{Json, Output, ToolOutput, ToolResult, ToolValue};
pub use probe::{
    Fallback, PlainKind, Probe, ResultKind, Tag, TagFallback, boxed, boxed_make, boxed_opaque, checked, legal_name,
    raw_input, tag_of, tag_of_value, time_bound,
};
pub use rule::{Bound, Num, Rule, bound};
pub use timestamp::{RfcFault, Timestamp, parse_rfc3339};
