#[bdk::main]
async fn main() -> std::process::ExitCode {
    7 // MISTAKE
}
