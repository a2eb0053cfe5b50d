#[bdk::main]
async fn main(
    args: Vec<String>, // MISTAKE
) {
    let _ = args;
}
