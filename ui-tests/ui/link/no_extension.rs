bdk::install!(serde); // MISTAKE

fn main() {}
