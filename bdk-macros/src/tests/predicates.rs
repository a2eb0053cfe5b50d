//! Mistakes in `effect`, `dry_run_result` and `check`.

use super::mistakes::mistakes;
use crate::tool::ToolAttribute;

#[track_caller]
fn tool(options: &str, messages: &[&str]) {
    let marked = format!("/// A tool.\n#[tool({options})]\nfn publish(version: String, retry_count: u8, db: &Db) {{}}");
    mistakes::<ToolAttribute>(&marked, messages);
}

#[test]
fn a_closure_names_the_tool_s_own_parameters() {
    tool(
        "check = |«verson»| ok(verson)",
        &["`check` names `verson`, but `publish` has no such parameter; did you mean `version`?"],
    );
    tool(
        "effect = |version, «nope»| decide(nope)",
        &["`effect` names `nope`, but `publish` has no such parameter; its parameters are `version`, `retry_count`"],
    );
    tool("check = |«db»| ok(db)", &["`db` is lent to the tool, and `check` sees only what the caller sent"]);
}

#[test]
fn a_closure_has_names_for_parameters() {
    let message = "`dry_run_result` finds the tool's parameters by name: write names here, such as `|version|`";
    tool("dry_run_result = |«_»| ()", &[message]);
    tool("dry_run_result = |«(a, b)»| ()", &[message]);
}

#[test]
fn a_closure_is_not_async() {
    tool("check = «async» |version| ok(version)", &["`check` runs before the tool does, so it cannot be async"]);
}

#[test]
fn a_predicate_is_a_closure_or_a_path() {
    tool(
        "check = «\"x\"»",
        &["`check` takes a closure over the tool's parameters, such as `|version| …`, or a path to a function"],
    );
    tool(
        "effect = «if cfg!(test) { A } else { B }»",
        &[
            "`effect` takes `\"read\"`, `\"write\"`, a closure over the tool's parameters, such as `|version| …`, or a path to a function",
        ],
    );
    tool("«dry_run_result»", &["`dry_run_result` is written `dry_run_result = |version| …`"]);
}

#[test]
fn every_predicate_s_mistakes_are_told() {
    tool(
        "check = |«a»| x(), dry_run_result = |«b»| y()",
        &[
            "`check` names `a`, but `publish` has no such parameter; its parameters are `version`, `retry_count`",
            "`dry_run_result` names `b`, but `publish` has no such parameter; its parameters are `version`, `retry_count`",
        ],
    );
}
