#[bdk::main(worker_threads = 2)] // MISTAKE
async fn main() {}
