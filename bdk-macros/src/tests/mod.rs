//! What the attributes say and make, without rustc: mistakes by span and text, expansions as snapshots, broken input.

mod arguments;
mod broken;
mod connections;
mod expansions;
mod mistakes;
mod options;
mod others;
mod predicates;
mod signatures;
