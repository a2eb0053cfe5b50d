//! `main` and tests: what they return, and the attributes they keep.
use bdk::prelude::*;

mod with_a_result {
    use bdk::prelude::*;

    #[bdk::main]
    pub(crate) async fn main() -> std::result::Result<ExitCode, String> {
        std::future::ready(Ok(ExitCode::SUCCESS)).await
    }
}

mod with_nothing {
    #[bdk::main(crate = ::bdk)]
    pub(crate) async fn main() {
        std::future::ready(()).await;
    }
}

#[test]
fn main_gives_what_its_body_gives() {
    with_a_result::main().expect("it runs");
    with_nothing::main();
}

#[bdk::test]
#[should_panic(expected = "on purpose")]
async fn a_test_may_panic() {
    panic!("on purpose");
}

#[bdk::test]
#[ignore = "to be skipped"]
async fn a_test_may_be_ignored(_bot: TestBot) {
    panic!("it runs");
}

#[bdk::test]
async fn a_test_may_give_a_result(mut bot: TestBot) -> std::result::Result<(), std::num::ParseIntError> {
    bot = bot.dry_run();
    drop(bot);
    let _: u32 = "7".parse()?;
    Ok(())
}
