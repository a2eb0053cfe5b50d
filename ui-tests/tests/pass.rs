//! What must compile, and work: each module is one kind of thing that bot authors write, in a crate that forbids `unsafe`
//! and denies every warning, clippy's pedantic ones too.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, clippy::all, clippy::pedantic)]

#[path = "../pass"]
mod pass {
    mod aliases;
    mod asks;
    mod attributes;
    mod awaits;
    mod closures;
    mod conditional;
    mod connections;
    mod constants;
    mod from_data;
    mod functions;
    mod inputs;
    mod lent;
    mod made_by_macros;
    mod names;
    mod own_names;
    mod places;
    mod programs;
    mod results;
    mod rules;
}
