bdk::extension!("not a name"); // MISTAKE

fn main() {}
