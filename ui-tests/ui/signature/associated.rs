//! A tool is a free function: rustc does not tell the macro where it stands, so this one is rustc's.
use bdk::prelude::*;

struct Api;

impl Api {
    /// Associated.
    #[tool]
    fn associated() {} // MISTAKE
}

fn main() {
    Api::associated();
}
