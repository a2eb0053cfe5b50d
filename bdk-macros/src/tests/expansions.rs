//! What the attributes emit, as text: a change of it is read in review.

use super::mistakes::split;
use crate::{
    connection::ConnectionAttribute,
    main_fn::MainAttribute,
    provide::ProvideAttribute,
    run::{Attribute, attribute},
    test_fn::TestAttribute,
    tool::ToolAttribute,
    tools::ToolsAttribute,
};

fn expand<A: Attribute>(source: &str) -> String {
    let (args, item) = split(source);
    let emitted = attribute::<A>(args, item);
    let file = syn::parse2(emitted.clone()).unwrap_or_else(|e| panic!("{e}: {emitted}"));
    prettyplease::unparse(&file)
}

/// One snapshot a test, without the settings that insta would read from the environment's files.
macro_rules! snapshot {
    ($attribute:ty, $source:literal) => {
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(expand::<$attribute>($source));
        });
    };
}

#[test]
fn an_async_read() {
    snapshot!(
        ToolAttribute,
        r#"
        /// Check whether a pull request is ready.
        #[tool(effect = "read")]
        async fn inspect_pr(
            /// The pull request to inspect.
            pr_url: Url,
            limit: Option<u32>,
        ) -> Result<Inspection> { Ok(Inspection { pr_url }) }
    "#
    );
}

#[test]
fn a_blocking_tool_without_arguments() {
    snapshot!(ToolAttribute, "/// Say hello.\n#[tool]\npub fn hello() -> String { \"hello\".into() }");
}

#[test]
fn a_write_with_predicates() {
    snapshot!(
        ToolAttribute,
        r#"
        /// Publish a release.
        #[tool(effect = |force| if *force { Effect::Write } else { Effect::Read }, check = |version, key| -> Result<()> { both(version, key)?; Ok(()) },
            dry_run_result = |version| Published { version: version.clone() })]
        async fn publish(version: String, #[arg(length(min = 8))] key: String, #[arg(default = false)] force: bool) -> Result<Published> { todo!() }
    "#
    );
}

#[test]
fn predicates_by_path() {
    snapshot!(
        ToolAttribute,
        "/// A tool.\n#[tool(effect = decide, check = rules::both)]\nfn t(a: u8, Wrapper(b): Wrapper<u8>) {}"
    );
}

#[test]
fn lent_references() {
    snapshot!(
        ToolAttribute,
        r#"
        /// Look a thing up.
        #[tool(effect = "read", timeout = "30s")]
        async fn look_up<'a>(ctx: &ToolContext, id: u64, db: &'a Db, #[cfg(feature = "cache")] cache: &Cache) -> &'a str { db.get(id) }
    "#
    );
}

#[test]
fn the_whole_input() {
    snapshot!(
        ToolAttribute,
        r#"
        /// Find things.
        #[tool(time_args = ["since"], check = |q| q.check(), output_schema)]
        async fn find(Input(q): Input<Query>) -> Vec<Hit> { vec![] }
    "#
    );
}

#[test]
fn a_plain_schema() {
    snapshot!(
        ToolAttribute,
        r#"
        #[tool(name = NAME, description = DESCRIPTION, input_schema = json!({ "type": "object" }), output_schema = schema(), unknown_fields = "ignore")]
        fn raw(input: Value) -> impl Serialize { input }
    "#
    );
}

#[test]
fn every_rule_of_a_parameter() {
    snapshot!(
        ToolAttribute,
        r#"
        #[doc = include_str!("tool.md")]
        #[tool(rename_all = "camelCase", time_args = ["until_day", "at"], title = "A title", attempts = 2, effect = "read", idempotent, open_world, needs_approval, crate = ::sdk)]
        fn t(
            #[arg(range(min = -1, exclusive_max = MAX), coerce)] pr_number: i64,
            #[arg(length(equal = 2), inner(pattern = "^a", format = "email"), preprocess = split)] list: Vec<String>,
            #[arg(extend("x-unit" = "cm", "examples" = [1, 2]), default)] unit: Unit,
            #[arg(default = "now")] until_day: String,
            #[arg(name = "at")] #[cfg(unix)] r#where: Timestamp,
        ) {}
    "#
    );
}

#[test]
fn types_that_rustc_might_take_for_type_parameters() {
    snapshot!(
        ToolAttribute,
        r#"
        /// List orders.
        #[tool(time_args = ["since"], output_schema, check = |status| status.known())]
        fn list(#[arg(extend("x" = 1))] status: Option<Status>, since: Option<Day>, db: &Arc<Db>) -> Result<Vec<Order>> { db.list() }
    "#
    );
}

#[test]
fn constants_for_texts() {
    snapshot!(
        ToolAttribute,
        "/// A tool.\n#[tool(title = TITLE)]\nfn t(#[arg(pattern = PATTERN, length(max = MAX + 1))] a: String) {}"
    );
}

#[test]
fn a_provider() {
    snapshot!(ProvideAttribute, "#[provide]\nfn database(config: &Config) -> Result<Db> { Db::open(config) }");
}

#[test]
fn tools_from_data() {
    snapshot!(ToolsAttribute, "#[tools]\nfn generated() -> Vec<ToolDefinition> { vec![] }");
}

#[test]
fn a_connection() {
    snapshot!(
        ConnectionAttribute,
        r#"
        /// The team's issues and projects.
        ///
        ///   - of all teams
        #[connection]
        pub fn linear() -> impl IntoConnection { Connection::http("https://mcp.linear.app/mcp").advertise_tools() }
    "#
    );
}

#[test]
fn a_connection_of_the_host_in_a_renamed_crate() {
    snapshot!(
        ConnectionAttribute,
        r#"
        #[doc = include_str!("files.md")]
        #[connection(host, crate = ::sdk)]
        #[cfg(unix)]
        fn r#match() -> Connection { choose().into() }
    "#
    );
}

#[test]
fn a_main() {
    snapshot!(MainAttribute, "/// The bot.\n#[bdk::main]\nasync fn main() -> ExitCode { bdk::serve().await }");
}

#[test]
fn a_test() {
    snapshot!(
        TestAttribute,
        "#[bdk::test]\n#[should_panic]\nasync fn t(mut bot: TestBot) -> Result<()> { bot.go().await }"
    );
}
