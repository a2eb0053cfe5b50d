fn main() {
    let _ = bdk::prompt!("Hello {nmae}"); // MISTAKE
    let _ = bdk::prompt!("Hello {}"); // MISTAKE
    let _ = bdk::prompt!("Hello {{name}}", 7); // MISTAKE
}
