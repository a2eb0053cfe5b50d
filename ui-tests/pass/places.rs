//! Where a tool may stand: in function bodies, also of functions that nothing calls, and in private modules.
use bdk::prelude::*;

mod inner {
    mod deeper {
        use bdk::prelude::*;

        /// In a private module of a private module.
        #[tool(effect = "read")]
        fn places_nested() -> u32 {
            1
        }
    }
}

#[allow(dead_code)]
fn never_called() {
    /// In a function that nothing calls.
    #[tool(effect = "read")]
    fn places_never_called() -> u32 {
        2
    }
}

const _: () = {
    /// In a constant without a name.
    #[tool(effect = "read")]
    fn places_in_a_constant() -> u32 {
        3
    }
};

#[bdk::test]
async fn a_tool_is_there_wherever_it_stands(bot: TestBot) {
    /// In a test.
    #[tool(effect = "read")]
    fn places_in_a_test() -> u32 {
        4
    }
    for (name, answer) in
        [("places_nested", 1), ("places_never_called", 2), ("places_in_a_constant", 3), ("places_in_a_test", 4)]
    {
        assert_eq!(bot.call_tool(name, json!({})).await.result, answer, "{name}");
    }
}
