#[bdk::main]
fn main() -> std::process::ExitCode { // MISTAKE
    std::process::ExitCode::SUCCESS
}
