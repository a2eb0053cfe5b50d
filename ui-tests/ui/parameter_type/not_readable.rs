//! What a tool's parameter needs.
use bdk::prelude::*;
use std::{collections::HashMap, rc::Rc};

#[derive(Deserialize)]
struct NoSchema {}

#[derive(JsonSchema)]
struct NoDeserialize {}

struct Neither;

/// No `JsonSchema`.
#[tool]
fn no_schema(
    a: NoSchema, // MISTAKE
) {
    let _ = a;
}

/// No `Deserialize`.
#[tool]
fn no_deserialize(
    a: NoDeserialize, // MISTAKE
) {
    let _ = a;
}

/// Neither, behind an `Option`.
#[tool]
async fn neither(
    a: Option<Neither>, // MISTAKE
) {
    let _ = a;
}

/// Neither, in a map.
#[tool]
fn nested(
    a: HashMap<String, Vec<Neither>>, // MISTAKE
) {
    let _ = a;
}

/// Neither, the whole input.
#[tool]
fn whole(
    Input(a): Input<Neither>, // MISTAKE
) {
    let _ = a;
}

/// Not `Send`.
#[tool]
fn not_send(
    a: Rc<str>, // MISTAKE
) {
    let _ = a;
}

/// A borrow by another name.
type Text = &'static str;
#[tool(description = "A borrow by another name.")]
fn alias(
    a: Text, // MISTAKE
) {
    let _ = a;
}

/// A trait object.
#[tool]
fn object(
    a: Box<dyn Fn() + Send>, // MISTAKE
) {
    let _ = a;
}

fn main() {}
