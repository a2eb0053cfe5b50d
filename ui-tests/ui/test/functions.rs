use bdk::prelude::*;

#[bdk::test]
fn not_async(bot: TestBot) { // MISTAKE
    let _ = bot;
}

#[bdk::test]
async fn borrows(
    bot: &TestBot, // MISTAKE
) {
    let _ = bot;
}

#[bdk::test]
async fn two(
    bot: TestBot,
    other: TestBot, // MISTAKE
) {
    let _ = (bot, other);
}

#[bdk::test]
#[test] // MISTAKE
async fn twice() {}

fn main() {}
