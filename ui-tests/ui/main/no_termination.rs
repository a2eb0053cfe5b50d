#[bdk::main]
async fn main() -> u32 { // MISTAKE
    7
}
