use bdk::prelude::*;

struct Api;

impl Api {
    /// A method.
    #[tool]
    fn method(
        &self, // MISTAKE
    ) {
    }
}

fn main() {
    Api.method();
}
