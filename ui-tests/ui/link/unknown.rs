bdk::link!(no_such_crate); // MISTAKE

fn main() {}
