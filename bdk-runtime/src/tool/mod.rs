//! What a tool is: the static table that `#[tool]` emits, its parameters, its results and errors.
//!
//! Nothing here runs a tool; that is the call path, `call/mod.rs`. Everything that is generic over an author's type lives here, in as
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

pub use arg::{Input, RawInput, Slot, Slots, TextDefault, TimeBound, ToolArg, get, slot};
pub(crate) use decode::path_text;
pub use decode::{DecodeFault, FaultKind, Step, decode};
pub use def::{At, Body, BoxFuture, Check, EffectDef, Hints, Param, Timeout, ToolDef, ToolRef, ToolsDef};
pub use definition::{DataBody, ToolDefinition};
pub use effect::Effect;
pub use encode::{EncodeFault, encode};
pub use error::{IntoToolError, ToolError, Transience};
pub use lend::{BoxMake, CallCx, Lend, Need, ProviderDef, ProviderRef, Shared};
pub use output::{Json, Output, ToolOutput, ToolResult, ToolValue};
pub use probe::{
    Fallback, PlainKind, Probe, ResultKind, ResultSchema, Tag, TagFallback, boxed, boxed_make, boxed_opaque, checked,
    legal_name, raw_input, tag_of, tag_of_value,
};
pub use rule::{Limit, Num, Rule};
pub use timestamp::{RfcFault, Timestamp, parse_rfc3339};
