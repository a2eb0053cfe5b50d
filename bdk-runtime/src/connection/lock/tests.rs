use super::{pins::against, *};
use crate::{
    connection::{Connection, ConnectionDef, IntoConnection, Pin},
    tool::At,
};
use std::sync::Arc;

impl Lock {
    /// The lock that servers make which say these of their tools.
    pub(crate) fn listed(connections: &[(&str, Value)]) -> Self {
        let made = connections.iter().map(|(name, tools)| {
            let listing = listing(tools);
            let tools = listing.tools.iter().map(|tool| (tool.name.clone(), LockedTool::of(tool)));
            ((*name).to_owned(), Locked { tools: tools.collect() })
        });
        Self { connections: made.collect() }
    }
}

fn listing(tools: &Value) -> Listing {
    Listing::of_page(&json!({ "tools": tools }))
}

fn declared(make: fn() -> Connection) -> Declared {
    let at = At { file: "src/main.rs", line: 7, module: "bot", krate: "bot" };
    let def = ConnectionDef { name: "shop", description: "", host: false, make, at };
    Declared::new("shop".to_owned(), &def, make())
}
fn plain() -> Connection {
    Connection::stdio("shop").into_connection()
}

fn shop() -> Value {
    json!([
        { "name": "get_stock", "description": "Counts.", "inputSchema": { "type": "object", "properties": { "b": {}, "a": {} } } },
        { "name": "buy", "inputSchema": { "type": "object" }, "annotations": { "readOnlyHint": false } },
    ])
}

#[test]
fn a_lock_is_the_same_in_whatever_order_a_server_says_it() {
    let other = json!([
        { "annotations": { "readOnlyHint": false, "more": 1 }, "inputSchema": { "type": "object" }, "name": "buy" },
        { "inputSchema": { "properties": { "a": {}, "b": {} }, "type": "object" }, "name": "get_stock", "description": "Counts." },
    ]);
    let (one, two) = (Lock::listed(&[("shop", shop())]), Lock::listed(&[("shop", other)]));
    assert_eq!((&one, one.write()), (&two, two.write()));
    assert_eq!(Lock::read(&one.write()), Ok(one.clone()));
    insta::assert_snapshot!("lock", one.write());
}

#[test]
fn a_digest_is_of_all_that_is_said_and_of_the_name() {
    let tool = |more: Value| {
        let mut tool = json!({ "name": "t", "inputSchema": { "type": "object" } });
        tool.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        Lock::listed(&[("shop", json!([tool]))]).connections["shop"].digest()
    };
    let all = [
        json!({}),
        json!({ "name": "u" }),
        json!({ "title": "T" }),
        json!({ "description": "T" }),
        json!({ "inputSchema": { "type": "object", "properties": {} } }),
        json!({ "outputSchema": { "type": "object" } }),
        json!({ "annotations": { "readOnlyHint": true } }),
        json!({ "annotations": { "idempotentHint": true } }),
    ];
    let digests: std::collections::BTreeSet<String> = all.iter().map(|more| tool(more.clone())).collect();
    assert_eq!(digests.len(), all.len());
    // as `printf '%s' … | sha256sum` has it
    let tool = &Lock::listed(&[("shop", shop())]).connections["shop"].tools["buy"];
    assert_eq!(
        tool.digest("buy"),
        digest(
            &json!({ "annotations": { "readOnlyHint": false }, "inputSchema": { "type": "object" }, "name": "buy" })
        )
    );
    assert_eq!(digest(&json!({})), "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
}

#[test]
fn what_is_no_lock_is_told_with_its_line() {
    let text = Lock::listed(&[("shop", shop())]).write();
    let line_of = |what: &str| text.lines().position(|line| line.contains(what)).unwrap() + 1;
    for (broken, line, words) in [
        (
            text.replace("Counts.", "Counts, and buys."),
            line_of("\"digest\"") + 13,
            "`get_stock` of `shop` does not fit its digest",
        ),
        (text.replace("\"format\": 1", "\"format\": 2"), line_of("format"), "its format is 2"),
        (text.replace("  \"about", "<<<<<<< ours\n  \"about"), 2, "the marks of a merge"),
        (text.replace("\"tools\"", "\"tool\""), line_of("\"shop\""), "the entry of `shop` is no object"),
        ("{}".to_owned(), 1, "of which format"),
        (String::new(), 1, "cannot be read"),
    ] {
        let told = Lock::read(&broken).unwrap_err();
        assert!(told.words.contains(words), "{words}: {told:?}");
        assert!(words.contains("digest") || told.line == line, "{line}: {told:?}");
    }
    let edited = Lock::read(&text.replace("Counts.", "Counts, and buys.")).unwrap_err();
    assert!(text.lines().nth(edited.line - 1).unwrap().contains("sha256:"), "{edited:?}");
}

#[test]
fn a_change_is_told_by_what_changed() {
    let locked = &Lock::listed(&[("shop", shop())]).connections["shop"];
    let told = |tools: Value| -> Vec<String> {
        against(locked, &declared(plain), &listing(&tools)).iter().map(ToString::to_string).collect()
    };
    assert_eq!(told(shop()), [""; 0]);
    assert_eq!(
        told(json!([
            { "name": "get_stock", "title": "Stock", "description": "Buys.", "inputSchema": {}, "outputSchema": {}, "annotations": { "readOnlyHint": true } },
            { "name": "new", "inputSchema": {} },
        ])),
        [
            "the tool \"buy\" was removed",
            "the tool \"get_stock\" changed: title, description, input schema, output schema, annotations",
            "the tool \"new\" was added",
        ]
    );
    // what only the filters leave out is none of the server's doing
    let reads = || Connection::stdio("shop").only_reads().into_connection();
    assert_eq!(against(locked, &declared(reads), &listing(&shop())), []);
}

#[test]
fn a_pin_that_refuses_offers_what_the_lock_has_and_a_pin_that_warns_everything() {
    let mut tools = shop();
    tools[1]["description"] = "Buys twice.".into();
    tools.as_array_mut().unwrap().push(json!({ "name": "new", "inputSchema": {} }));
    let listing = Arc::new(listing(&tools));
    let offered = |lock: Lock, make: fn() -> Connection| -> Result<Vec<String>, String> {
        let pins = Pins::of(lock);
        let offered = pins.offered(&declared(make), &listing)?;
        Ok(offered.iter().map(|tool| tool.name.clone()).collect())
    };
    let lock = || Lock::listed(&[("shop", shop())]);
    let refuse = || Connection::stdio("shop").pin(Pin::Refuse).into_connection();
    let warn = || Connection::stdio("shop").pin(Pin::Warn).into_connection();
    assert_eq!(offered(lock(), plain).unwrap(), ["get_stock", "buy", "new"]);
    assert_eq!(offered(lock(), warn).unwrap(), ["get_stock", "buy", "new"]);
    assert_eq!(offered(lock(), refuse).unwrap(), ["get_stock"]);
    assert!(offered(Lock::default(), refuse).unwrap_err().contains("mcp.lock"));
    let pins = Pins::of(lock());
    assert_eq!(pins.refuses(&declared(refuse), &listing, "get_stock"), None);
    assert!(pins.refuses(&declared(refuse), &listing, "buy").unwrap().contains("description"));
    assert!(pins.refuses(&declared(refuse), &listing, "new").unwrap().contains("added"));
    assert_eq!(pins.refuses(&declared(warn), &listing, "buy"), None);
}

#[test]
fn what_is_no_file_is_told_and_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE);
    assert!(place::read(&path).is_none());
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert!(place::read(&path).unwrap().unwrap_err().words.contains("it is no file"));
}
