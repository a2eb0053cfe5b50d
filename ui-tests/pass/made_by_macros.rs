//! Tools that `macro_rules!` makes.
use bdk::prelude::*;

macro_rules! family {
    ($($(#[$meta:meta])* $vis:vis $name:ident($value:ident: $ty:ty) = $tool:literal, $effect:expr;)*) => { $(
        $(#[$meta])*
        #[tool(name = $tool, effect = $effect, crate = ::bdk)]
        $vis fn $name($value: $ty, #[arg(default = <$ty>::default())] other: $ty) -> $ty {
            let _ = other;
            $value
        }
    )* };
}

family! {
    /// One.
    pub(crate) one(value: String) = "made_one", "read";
    /// Two.
    two(r#type: Option<u32>) = "made_two", |other| if other.is_some() { Effect::Write } else { Effect::Read };
}

macro_rules! whole {
    ($name:ident, $body:block) => {
        #[doc = concat!("Made of ", stringify!($name), ".")]
        #[tool(effect = "read")]
        async fn $name(ctx: &ToolContext) -> Result<u32> {
            let _ = ctx;
            $body
        }
    };
}
whole!(made_whole, { Ok("7".parse()?) });

#[bdk::test]
async fn macros_make_tools(bot: TestBot) {
    assert_eq!(bot.call_tool("made_one", json!({ "value": "v" })).await.result, "v");
    assert_eq!(bot.call_tool("made_two", json!({ "type": 2 })).await.result, 2);
    assert_eq!(bot.call_tool("made_whole", json!({})).await.result, 7);
    assert_eq!(one("a".to_owned(), String::new()), "a");
}
