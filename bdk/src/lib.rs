//! The Bot Development Kit for Rust.

pub use bdk_macros::{main, prompt, provide, test, tool, tools};
pub use bdk_runtime::*;

#[doc(hidden)]
pub use bdk_runtime::__private;
