//! The call path.

#![allow(dead_code, unused_imports)] // until the steps that use them are here

pub(crate) mod as_of;
pub(crate) mod input;
