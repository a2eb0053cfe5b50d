//! `#[bdk::main]` and `#[bdk::test]`, over a stand-in for the parts of the runtime that they start.

use super::Res;

/// Runs a future that waits for nothing.
pub(crate) fn block<T>(future: impl IntoFuture<Output = T>) -> T {
    let mut future = std::pin::pin!(future.into_future());
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        if let std::task::Poll::Ready(value) = future.as_mut().poll(&mut cx) {
            return value;
        }
    }
}

/// Stands for a renamed `bdk`, and for the parts of the runtime that `main` and tests start.
pub(crate) mod fake {
    use std::sync::atomic::{AtomicU32, Ordering};
    /// Counts the bots.
    pub(crate) struct TestBot(pub(crate) u32);
    static MADE: AtomicU32 = AtomicU32::new(0);
    impl Default for TestBot {
        fn default() -> Self {
            Self(MADE.fetch_add(1, Ordering::SeqCst))
        }
    }
    pub(crate) mod __private {
        pub(crate) use super::super::block as block_on;
        pub(crate) use std::env;
        pub(crate) fn begin(name: &'static str, version: &'static str) {
            assert_eq!((name, version), ("bdk", env!("CARGO_PKG_VERSION")));
        }
    }
}

#[bdk::test(crate = crate::starts::fake)]
async fn a_test_is_given_a_bot_of_its_own(mut bot: fake::TestBot) {
    bot.0 += 1;
    std::future::ready(()).await;
    assert!(bot.0 > 0);
}

#[bdk::test(crate = crate::starts::fake)]
#[should_panic(expected = "on purpose")]
async fn a_test_keeps_its_attributes() {
    std::future::ready(()).await;
    panic!("on purpose");
}

#[bdk::test(crate = crate::starts::fake)]
async fn a_test_may_give_a_result(_: fake::TestBot) -> Res<()> {
    std::future::ready(()).await;
    let _: u32 = "7".parse()?;
    Ok(())
}

mod program {
    use crate::Res;

    #[bdk::main(crate = crate::starts::fake)]
    pub(crate) async fn main() -> Res<u32> {
        std::future::ready(()).await;
        Ok("7".parse()?)
    }
}

#[test]
fn main_records_who_it_is_and_runs_its_body() {
    assert_eq!(program::main().expect("it runs"), 7);
}
