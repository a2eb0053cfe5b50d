struct NoDisplay;

fn main() {
    let thing = NoDisplay;
    let _ = bdk::prompt!("Hello {thing}"); // MISTAKE
}
