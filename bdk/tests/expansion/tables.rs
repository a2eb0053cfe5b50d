//! What the tables hold.

use super::{
    Config, DESCRIPTION, Db, Input, Memory, NAME, Published, Query, Store, blocking, prompt, publish, starts::block,
    tool,
};
use bdk::{
    __private::{Body, CallCx, EffectDef, Output, Param, Slot, Slots, Timeout, ToolDef, ToolRef, inventory, json},
    Effect,
};
use std::{collections::HashMap, rc::Rc, sync::Arc};

fn tables() -> HashMap<&'static str, &'static ToolDef> {
    /// Inside of a function body.
    #[tool]
    fn inner_tool() {}
    inner_tool();
    inventory::iter::<ToolRef>.into_iter().map(|tool| (tool.0.name, tool.0)).collect()
}

fn table(name: &str) -> &'static ToolDef {
    tables().get(name).unwrap_or_else(|| panic!("no tool `{name}` is registered"))
}

fn names(tool: &ToolDef) -> Vec<&'static str> {
    tool.params.iter().map(|p| p.name).collect()
}

fn slots(tool: &ToolDef, values: Vec<Slot>) -> Slots {
    assert_eq!(tool.params.len(), values.len());
    Slots::new(tool.params, values)
}

fn slot<T: Send + 'static>(value: T) -> Slot {
    bdk::__private::slot(value)
}

fn call(name: &str, values: Vec<Slot>) -> Output {
    let tool = table(name);
    let mut cx = CallCx::default();
    cx.put(std::any::TypeId::of::<Db>(), Arc::new(Db("db".into())));
    let store: Arc<dyn Store> = Arc::new(Memory);
    cx.put(std::any::TypeId::of::<Arc<dyn Store>>(), Arc::new(store));
    let mut slots = slots(tool, values);
    let result = match tool.body {
        Body::Async(run) => block(run(&cx, &mut slots)),
        Body::Blocking(run) => run(&cx, &mut slots),
    };
    result.unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[test]
fn every_tool_is_registered_by_its_name() {
    let mut names: Vec<&str> = tables().into_keys().collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "aliased",
            "berth",
            "blocking",
            "borrowed",
            "borrowed_sync",
            "checked",
            "conditional",
            "destructured",
            "in_facade",
            "inner_tool",
            "instants",
            "lent",
            "macro-a",
            "macro-b",
            "named-by-a-constant",
            "nothing",
            "old",
            "opaque",
            "plain",
            "prompted",
            "publish",
            "question",
            "raw",
            "rules",
            "shadowed",
            "whole"
        ]
    );
}

#[test]
fn descriptions_are_the_doc_comments() {
    assert_eq!(table("plain").description, " Check whether a pull request is ready.\n\n   - indented");
    assert_eq!(table("plain").params[0].doc, " The pull request.\n\n Its URL.");
    assert_eq!(table("plain").params[1].doc, "");
    assert_eq!(table("plain").params[2].doc, "The tags.");
    assert_eq!(table("named-by-a-constant").description, DESCRIPTION);
    assert_eq!(table("named-by-a-constant").title, Some(NAME));
    assert_eq!(table("prompted").description, "Say hello.\n\n  {indented}");
}

#[test]
fn parameters_are_properties_in_order() {
    assert_eq!(names(table("plain")), ["pr_url", "limit", "tags"]);
    assert_eq!(names(table("blocking")), ["count", "type"]);
    assert_eq!(names(table("instants")), ["since", "untilDay", "at", "notOne"]);
    assert_eq!(names(table("conditional")), ["here", "when"]);
    assert_eq!(names(table("destructured")), ["point", "_unused"]);
    assert_eq!(names(table("lent")), ["extra"]);
    let required: Vec<bool> = table("rules").params.iter().map(Param::required).collect();
    assert_eq!(required, [true, true, false, false, false, false]);
    assert_eq!(table("plain").params.iter().map(|p| p.optional).collect::<Vec<_>>(), [false, true, false]);
    assert!(table("rules").params[4].optional, "an alias of `Option` is one");
}

#[test]
fn whole_inputs_are_known_by_type_or_by_schema() {
    for name in ["whole", "aliased", "raw"] {
        assert!(table(name).params[0].whole, "{name}");
    }
    assert!(!table("plain").params[0].whole);
    let schema = table("raw").input_schema.expect("a schema was given")();
    assert_eq!(schema["properties"]["x"]["type"], "number");
    assert!(table("raw").output_schema_value.is_some());
    assert!(table("checked").output_schema.is_some());
}

#[test]
fn options_are_as_written() {
    let tool = table("instants");
    assert_eq!(tool.time_args, ["since", "untilDay", "at"]);
    assert!(tool.ignore_unknown);
    assert_eq!(tool.timeout, Timeout::After(std::time::Duration::from_secs(90)));
    assert!(tool.hints.idempotent && tool.hints.destructive && tool.hints.open_world);
    assert!(tool.needs_approval && !table("plain").needs_approval);
    assert_eq!(tool.title, Some("Time travel"));
    assert_eq!(table("lent").timeout, Timeout::Never);
    assert_eq!(table("berth").attempts, Some(2));
    assert_eq!(table("plain").attempts, None);
    assert_eq!(table("plain").timeout, Timeout::Default);
    assert_eq!(table("whole").time_args, ["since"]);
    assert_eq!(table("conditional").time_args, ["when"]);
}

#[test]
fn every_table_says_where_its_function_stands() {
    let sources = [("main.rs", include_str!("main.rs")), ("names.rs", include_str!("names.rs"))];
    for name in ["plain", "lent", "shadowed"] {
        let at = table(name).at;
        let source = sources.iter().find(|(file, _)| at.file.ends_with(file)).expect("the file is ours").1;
        assert_eq!(at.krate, "bdk");
        let line = source.lines().nth(at.line as usize - 1).expect("the line exists");
        assert!(line.contains(&format!("fn {name}")), "{name} is said to stand at `{line}`");
    }
    assert_eq!(table("shadowed").at.module, "expansion::names::shadowed");
    let need = &table("lent").needs[1];
    assert_eq!(need.at.line, table("lent").at.line);
}

#[test]
fn effects_are_words_or_predicates_over_the_input() {
    assert!(matches!(table("plain").effect, EffectDef::Read));
    assert!(matches!(table("publish").effect, EffectDef::Write));
    assert!(matches!(table("nothing").effect, EffectDef::Undeclared));
    let effect = |name: &str, values: Vec<Slot>| match table(name).effect {
        EffectDef::By(predicate) => predicate(&slots(table(name), values)),
        _ => panic!("{name} has no predicate"),
    };
    assert_eq!(effect("berth", vec![slot(1i64), slot(false), slot(false)]), Effect::Read);
    assert_eq!(effect("berth", vec![slot(1i64), slot(false), slot(true)]), Effect::Write);
    assert_eq!(effect("checked", vec![slot("x".to_owned()), slot(0u32)]), Effect::Read);
    assert_eq!(effect("macro-b", vec![slot(Some(1u32))]), Effect::Write);
    assert_eq!(effect("raw", vec![slot(json!({ "x": 1 }))]), Effect::Read);
    let query = |text: &str| slot(Input(Query { text: text.to_owned(), since: None }));
    assert_eq!(effect("whole", vec![query("")]), Effect::Read);
    assert_eq!(effect("whole", vec![query("y")]), Effect::Write);
}

#[test]
fn checks_see_the_input_by_name() {
    let check = |name: &str, values: Vec<Slot>| table(name).check.expect("it has a check")(&slots(table(name), values));
    assert_eq!(check("question", vec![slot("7".to_owned()), slot(Box::new(9u32))]), Ok(()));
    assert_eq!(check("question", vec![slot("7".to_owned()), slot(Box::new(5u32))]), Err("7 is more than 5".to_owned()));
    assert_eq!(check("question", vec![slot(String::new()), slot(Box::new(5u32))]), Err("empty".to_owned()));
    assert_eq!(check("checked", vec![slot(String::new()), slot(1u32)]), Err("owner and period".to_owned()));
    let query = slot(Input(Query { text: "x".to_owned(), since: None }));
    assert_eq!(check("whole", vec![query]), Err("no".to_owned()));
}

#[test]
fn a_dry_run_answers_with_the_success_type() {
    let tool = table("publish");
    let stub = tool.dry_run_result.expect("it has one");
    let output = stub(&slots(tool, vec![slot("1.2".to_owned()), slot("k".to_owned())])).expect("it is a success");
    let Output::Json(json) = output else { panic!("{output:?} is no JSON") };
    assert_eq!(json.text, r#"{"version":"1.2","published":false}"#);
}

#[test]
fn defaults_are_made_from_what_was_written() {
    let params = table("rules").params;
    let json = |i: usize| {
        let param: &Param = &params[i];
        let value = param.default.expect("it has a default")();
        param.default_json.expect("its type is `Serialize`")(&value)
    };
    assert_eq!(json(2), Some(json!({})));
    assert_eq!(json(3), Some(json!("hello")));
    assert_eq!(json(4), Some(json!(3)));
    assert_eq!(json(5), Some(json!([{ "version": "", "published": true }])));
    assert!(params[0].coerce && !params[1].coerce);
    assert_eq!(params[3].preprocess.expect("it has one")(json!(" a ")), json!("a"));
    assert_eq!(params.iter().map(|p| p.rules.len()).collect::<Vec<_>>(), [2, 3, 2, 0, 0, 0]);
}

#[test]
fn the_shims_call_the_functions() {
    let text = |output: Output| match output {
        Output::Text(text) => text,
        Output::Json(json) => json.text.trim_matches('"').to_owned(),
        other => panic!("{other:?} is no text"),
    };
    assert_eq!(text(call("blocking", vec![slot(1u32), slot("t".to_owned())])), "2t");
    drop(call("nothing", vec![]));
    assert_eq!(text(call("lent", vec![slot(3u8)])), "db37");
    assert_eq!(text(call("borrowed", vec![])), "db");
    assert_eq!(text(call("borrowed_sync", vec![])), "db");
    assert_eq!(text(call("opaque", vec![])), "[1]");
    assert_eq!(text(call("prompted", vec![])), "[1,2]");
    assert_eq!(text(call("macro-a", vec![slot("v".to_owned())])), "v");
    assert_eq!(text(call("in_facade", vec![slot(4u8)])), "4");
    assert_eq!(text(call("shadowed", vec![slot("vv".to_owned()), slot(2u8)])), "2");
    let published = Published { version: "1".to_owned(), published: true };
    assert_eq!(text(call("destructured", vec![slot(published), slot(0u8)])), "1true");
}

#[test]
fn providers_make_what_is_lent() {
    use bdk::__private::ProviderRef;
    let of = |key: std::any::TypeId| {
        let mut all = inventory::iter::<ProviderRef>.into_iter().map(|p| p.0);
        all.find(|p| (p.key)() == key).expect("it is registered")
    };
    let config = of(std::any::TypeId::of::<Config>());
    let database = of(std::any::TypeId::of::<Db>());
    let store = of(std::any::TypeId::of::<Arc<dyn Store>>());
    assert!((config.type_name)().ends_with("Config"));
    assert_eq!((database.needs[0].key)(), (config.key)());
    let mut cx = CallCx::default();
    let made = block((config.make)(&cx)).expect("it is made");
    cx.put((config.key)(), made);
    let db = block((database.make)(&cx)).expect("it is made").downcast::<Db>().expect("it is a database");
    assert_eq!(&*db.0, "memory:");
    let made = block((store.make)(&cx)).expect("it is made").downcast::<Arc<dyn Store>>().expect("it is a store");
    assert_eq!(made.get(), 7);
}

#[test]
fn tools_from_data_are_made_by_their_function() {
    let def = inventory::iter::<bdk::__private::ToolsDef>.into_iter().next().expect("it is registered");
    assert_eq!((def.make)().len(), 1);
    assert!(def.at.file.ends_with("main.rs"));
}

#[test]
fn the_functions_stay_as_written() {
    assert_eq!(blocking(1, "x".to_owned()), "2x");
    assert_eq!(block(publish("1".to_owned(), "12345678".to_owned())).expect("it publishes").version, "1");
}

#[test]
fn prompts_are_dedented_and_filled_in() {
    const STATIC: &str = prompt!(
        "
        One:

          - two {{x}}
    "
    );
    assert_eq!(STATIC, "One:\n\n  - two {x}");
    let (name, items) = ("Ada", Rc::new(vec![1, 2]));
    assert_eq!(prompt!("Hello {name}"), "Hello Ada");
    assert_eq!(
        prompt!(
            "
        {name:>5}
          {0:?} {last}",
            items,
            last = 3
        ),
        "  Ada\n  [1, 2] 3"
    );
}
