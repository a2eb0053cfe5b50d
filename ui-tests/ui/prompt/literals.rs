fn main() {
    let name = "Ada";
    let _ = bdk::prompt!("{ \"json\": 1 }"); // MISTAKE
    let _ = bdk::prompt!("a } b"); // MISTAKE
    let _ = bdk::prompt!(name); // MISTAKE
    let _ = bdk::prompt!(); // MISTAKE
    let _ = bdk::prompt!("Hello {}" name); // MISTAKE
}
