//! `mcp.lock`: written, compared and held to, with a server whose tools change.

use bdk_tests::{Ran, Server, eventually, run_with};
use serde_json::{Value, json};
use std::{fs, path::Path};
use tempfile::TempDir;

const PINNED: &str = env!("CARGO_BIN_EXE_pinned");
const SHOP: &str = env!("CARGO_BIN_EXE_shop");

/// A folder in which the bot runs.
struct Place(TempDir);

impl Place {
    #[track_caller]
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }
    /// One with a lock of the servers as they are when nothing changed.
    #[track_caller]
    fn locked() -> Self {
        let place = Self::new();
        let ran = place.run(&["mcp", "lock"], &[]);
        assert_eq!(ran.code, 0, "{ran:?}");
        place
    }
    fn path(&self) -> &Path {
        self.0.path()
    }
    #[track_caller]
    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.path().join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
    }
    #[track_caller]
    fn write(&self, file: &str, text: &str) {
        fs::write(self.path().join(file), text).unwrap_or_else(|e| panic!("{file}: {e}"));
    }
    #[track_caller]
    fn lock(&self) -> Value {
        serde_json::from_str(&self.read("mcp.lock")).expect("JSON")
    }
    #[track_caller]
    fn run(&self, args: &[&str], environment: &[(&str, &str)]) -> Ran {
        run_with(PINNED, args, b"", |command| {
            command.current_dir(self.path()).env("PINNED_SHOP", SHOP).env("PINNED_DEPOT", SHOP);
            command.env("SHOP", "").env_remove("PINNED_PIN").env_remove("RUST_LOG").envs(environment.iter().copied());
        })
    }
}

/// The words of a report's problems of this code, with their severities.
#[track_caller]
fn told(ran: &Ran, code: &str) -> Vec<String> {
    let report = ran.json();
    let problems = report["problems"].as_array().expect("problems").iter();
    let words = |p: &Value| {
        format!("{} {}", p["severity"].as_str().unwrap_or_default(), p["message"].as_str().unwrap_or_default())
    };
    problems.filter(|p| p["code"] == code).map(words).collect()
}

#[test]
fn a_lock_has_the_tools_that_pass_the_filters_and_is_the_same_from_run_to_run() {
    let place = Place::locked();
    let lock = place.lock();
    assert_eq!(lock["format"], 1);
    let names = |connection: &str| -> Vec<String> {
        lock["connections"][connection]["tools"].as_object().expect("tools").keys().cloned().collect()
    };
    assert_eq!(
        (names("shop"), names("depot")),
        (vec!["buy".to_owned(), "get_stock".to_owned()], vec!["get_stock".to_owned()])
    );
    assert_eq!(lock["connections"].as_object().expect("connections").len(), 2, "authored ones are not in it: {lock}");
    let stock = &lock["connections"]["shop"]["tools"]["get_stock"];
    assert!(stock["digest"].as_str().is_some_and(|digest| digest.starts_with("sha256:")), "{stock}");
    assert_eq!(
        (&stock["description"], &stock["annotations"]["readOnlyHint"]),
        (&json!("Count what is there."), &json!(true))
    );
    assert!(stock["outputSchema"].is_object(), "{stock}");

    let text = place.read("mcp.lock");
    let again = place.run(&["mcp", "lock"], &[]);
    assert_eq!((again.code, place.read("mcp.lock")), (0, text), "{again:?}");
    let check = place.run(&["mcp", "lock", "--check"], &[]);
    assert_eq!((check.code, check.stdout.as_str()), (0, "mcp.lock is up to date\n"), "{check:?}");
    // nothing else is left behind
    let files: Vec<_> =
        fs::read_dir(place.path()).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(files, ["mcp.lock"]);
}

#[test]
fn check_tells_what_changed_and_writes_nothing() {
    let place = Place::locked();
    let before = place.read("mcp.lock");
    let ran = place.run(&["mcp", "lock", "--check"], &[("SHOP", "other-words,other-input,one-more,one-less")]);
    assert_eq!(ran.code, 1, "{ran:?}");
    for line in [
        "shop: the tool \"buy\" was removed",
        "shop: the tool \"get_stock\" changed: description, input schema",
        "shop: the tool \"sell\" was added",
        "depot: the tool \"get_stock\" changed: description, input schema",
    ] {
        assert!(ran.stdout.contains(line), "{line}: {ran:?}");
    }
    assert_eq!(place.read("mcp.lock"), before);
    let ran = place.run(&["mcp", "lock", "depot"], &[("SHOP", "other-output,other-hints")]);
    assert!(ran.stdout.contains("depot: the tool \"buy\" was added") && !ran.stdout.contains("shop:"), "{ran:?}");
}

#[test]
fn a_connection_that_cannot_be_opened_keeps_its_entry_and_the_others_are_written() {
    let place = Place::locked();
    let before = place.lock();
    let ran = place.run(&["mcp", "lock"], &[("SHOP", "other-words"), ("PINNED_DEPOT", "no-such-server")]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("`depot`") && ran.stderr.contains("its entry stays"), "{ran:?}");
    let after = place.lock();
    assert_eq!(after["connections"]["depot"], before["connections"]["depot"]);
    assert_ne!(after["connections"]["shop"], before["connections"]["shop"]);
    let ran = place.run(&["mcp", "lock", "sohp"], &[]);
    assert!(ran.code == 2 && ran.stderr.contains("there is `shop`"), "{ran:?}");
}

#[test]
fn validate_tells_a_pin_without_an_entry_and_a_lock_that_is_none() {
    let place = Place::new();
    let validate = |pin: &str| place.run(&["validate", "--json"], &[("PINNED_PIN", pin)]);
    let (warn, refuse) = (validate("warn"), validate("refuse"));
    assert_eq!((warn.code, refuse.code, validate("none").code), (0, 1, 0), "{warn:?} {refuse:?}");
    assert_eq!((told(&warn, "lock_missing").len(), told(&refuse, "lock_missing").len()), (2, 2));
    assert!(told(&refuse, "lock_missing")[0].starts_with("error the connection `shop` is pinned"), "{refuse:?}");

    let ran = place.run(&["mcp", "lock", "shop"], &[("PINNED_PIN", "refuse")]);
    assert_eq!(ran.code, 0, "a pinned bot can be locked: {ran:?}");
    assert_eq!(told(&validate("refuse"), "lock_lacks").len(), 1);
    assert!(told(&validate("warn"), "lock_lacks")[0].starts_with("warning the connection `depot`"));

    let text = place.read("mcp.lock");
    place.write("mcp.lock", &text.replace("Count what", "Count all that"));
    let ran = validate("refuse");
    let broken = ran.json()["problems"].as_array().and_then(|p| p.iter().find(|p| p["code"] == "lock_broken").cloned());
    let broken = broken.unwrap_or_else(|| panic!("{ran:?}"));
    let line = text.lines().position(|line| line.contains("\"get_stock\"")).expect("the tool") + 1;
    let place_of = broken["place"].as_str().and_then(|at| at.strip_prefix("mcp.lock:")?.parse::<usize>().ok());
    assert!(ran.code == 1 && place_of.is_some_and(|at| at > line && at < line + 25), "{broken}");
    assert!(broken["message"].as_str().is_some_and(|words| words.contains("`get_stock` of `shop`")), "{broken}");
}

#[test]
fn validate_connect_says_how_each_opening_went_and_compares_with_the_lock() {
    let place = Place::locked();
    let connect = |environment: &[(&str, &str)]| place.run(&["validate", "--connect", "--json"], environment);
    let fine = connect(&[("PINNED_PIN", "refuse")]);
    let report = fine.json();
    assert_eq!((fine.code, &report["ok"]), (0, &json!(true)), "{report}");
    let connected = report["connected"].as_array().expect("connected");
    let seen: Vec<(&Value, &Value, &Value)> =
        connected.iter().map(|one| (&one["name"], &one["ok"], &one["tools"])).collect();
    let (yes, one, two) = (json!(true), json!(1), json!(2));
    assert_eq!(seen, [(&json!("depot"), &yes, &one), (&json!("own"), &yes, &one), (&json!("shop"), &yes, &two)]);
    assert!(connected.iter().all(|one| one["ms"].is_u64()), "{report}");

    let warn = connect(&[("PINNED_PIN", "warn"), ("SHOP", "other-output")]);
    assert_eq!(warn.code, 0, "{warn:?}");
    assert_eq!(told(&warn, "connection_changed").len(), 2, "{warn:?}");
    assert!(
        told(&warn, "connection_changed")
            .iter()
            .all(|line| line.starts_with("warning") && line.contains("output schema"))
    );
    let refuse = connect(&[("PINNED_PIN", "refuse"), ("SHOP", "one-more")]);
    assert_eq!(refuse.code, 1, "{refuse:?}");
    let lines = told(&refuse, "connection_changed");
    assert!(lines.len() == 1 && lines[0].starts_with("error") && lines[0].contains("\"sell\" was added"), "{lines:?}");
    assert_eq!(told(&connect(&[("SHOP", "one-more")]), "connection_changed"), [""; 0]);

    let down = place.run(&["validate", "--connect"], &[("PINNED_DEPOT", "no-such-server")]);
    assert_eq!(down.code, 1, "{down:?}");
    assert!(down.stdout.contains("depot: failed after") && down.stdout.contains("no-such-server"), "{down:?}");
    assert!(down.stdout.contains("shop: open, 2 tools"), "{down:?}");
}

#[test]
fn a_tool_that_changed_is_told_where_the_pin_warns_and_is_not_there_where_it_refuses() {
    let place = Place::locked();
    let call = |tool: &str, input: &str, pin: &str, changes: &str| {
        place.run(&["call", tool, "--input", input], &[("PINNED_PIN", pin), ("SHOP", changes)])
    };
    let tea = r#"{"sku":"tea"}"#;
    let told = "the tool \"get_stock\" changed: description since mcp.lock was written";
    let warned = call("get_stock", tea, "warn", "other-words");
    assert_eq!(warned.code, 0, "{warned:?}");
    assert_eq!(warned.stderr.matches(told).count(), 1, "once a listing: {warned:?}");
    let silent = call("get_stock", tea, "none", "other-words");
    assert!(silent.code == 0 && silent.stderr.is_empty(), "{silent:?}");

    let refused = call("get_stock", tea, "refuse", "other-words");
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.contains(&format!("{told}: it is not offered")), "{refused:?}");
    let answer: Value = serde_json::from_str(&refused.stdout).expect("JSON");
    assert_eq!(
        answer["message"],
        format!(
            "there is no tool \"get_stock\": connection `shop`: {told}, and its pin refuses it: look at it, and where it is right \
             run `mcp lock`"
        )
    );
    let sibling = call("buy", tea, "refuse", "other-words");
    assert_eq!(sibling.code, 0, "{sibling:?}");

    let ask = r#"{"tool":"get_stock"}"#;
    let host = call("ask_depot", ask, "refuse", "other-words");
    assert!(host.code == 1 && host.stdout.contains("its pin refuses it"), "{host:?}");
    let host = call("ask_depot", ask, "refuse", "");
    assert!(host.code == 0 && host.stdout.contains("7"), "{host:?}");
    let host = call("ask_depot", ask, "warn", "other-words");
    assert!(host.code == 0 && host.stderr.matches(told).count() == 1, "{host:?}");
    let added = call("sell", tea, "refuse", "one-more");
    assert!(added.code == 1 && added.stderr.contains("was added"), "{added:?}");
}

#[test]
fn without_a_lock_a_pin_that_refuses_stops_the_start_and_one_that_warns_is_told() {
    let place = Place::new();
    let refused = place.run(&["call", "agree"], &[("PINNED_PIN", "refuse")]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(
        refused.stderr.contains("the connection `shop` is pinned") && refused.stderr.contains("mcp lock"),
        "{refused:?}"
    );
    let warned = place.run(&["call", "agree"], &[("PINNED_PIN", "warn")]);
    assert_eq!(warned.code, 0, "{warned:?}");
    assert!(warned.stderr.contains("the connection `depot` is pinned"), "{warned:?}");
    // the process of an authored connection runs elsewhere, and needs no lock
    let locked = Place::locked().run(&["call", "agree"], &[("PINNED_PIN", "refuse")]);
    assert_eq!(locked.code, 0, "{locked:?}");
}

#[test]
fn typed_clients_are_written_beside_the_sources_and_no_file_by_hand_is_lost() {
    let place = Place::new();
    fs::create_dir(place.path().join("src")).expect("a folder");
    place.write("src/main.rs", "fn main() {}\n");
    let without = place.run(&["mcp", "lock", "--no-clients"], &[]);
    assert!(without.code == 0 && !place.path().join("src/clients").exists(), "{without:?}");
    let ran = place.run(&["mcp", "lock"], &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.stdout.contains("mod.rs, depot.rs, shop.rs written") && ran.stderr.contains("`mod clients;`"),
        "{ran:?}"
    );
    let shop = place.read("src/clients/shop.rs");
    let digest = place.lock()["connections"]["shop"]["digest"].as_str().map(str::to_owned).expect("a digest");
    assert!(shop.lines().next().is_some_and(|line| line.contains(&digest)), "{shop}");
    assert!(
        shop.contains(
            "pub async fn get_stock(mcp: &::bdk::Mcp, args: GetStockArgs) -> Result<GetStock, ::bdk::Error> {"
        ),
        "{shop}"
    );
    assert_eq!(place.read("src/clients/mod.rs").matches("pub mod ").count(), 2);

    let stale = |ran: &Ran| told(ran, "client_stale").len();
    let validate = || place.run(&["validate", "--json"], &[]);
    assert_eq!(stale(&validate()), 0);
    place.write("src/clients/shop.rs", &shop.replace("count", "counts"));
    assert_eq!(stale(&validate()), 1);
    let check = place.run(&["mcp", "lock", "--check"], &[]);
    assert!(check.code == 1 && check.stdout.contains("src/clients/shop.rs: not up to date"), "{check:?}");
    assert_eq!(place.run(&["mcp", "lock"], &[]).code, 0);
    assert_eq!((stale(&validate()), place.read("src/clients/shop.rs")), (0, shop));

    place.write("src/clients/depot.rs", "// mine\n");
    let (lock, refused) = (place.read("mcp.lock"), place.run(&["mcp", "lock"], &[("SHOP", "other-words")]));
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.stderr.contains("src/clients/depot.rs") && refused.stderr.contains("--no-clients"), "{refused:?}");
    assert_eq!((place.read("src/clients/depot.rs"), place.read("mcp.lock")), ("// mine\n".to_owned(), lock));
}

#[test]
fn a_server_that_comes_back_changed_loses_what_changed_while_the_bot_serves() {
    let place = Place::locked();
    place.write(".env.local", "SHOP=nothing\n");
    let server = Server::start_with(PINNED, &["--allow-anonymous"], |command| {
        command.current_dir(place.path()).env("PINNED_SHOP", SHOP).env("PINNED_DEPOT", SHOP);
        command.env("PINNED_PIN", "refuse").env_remove("SHOP").env_remove("RUST_LOG");
    });
    let tools = || -> Vec<String> {
        let listed = server.get(&format!("{}/tools", server.prefix)).json();
        let tools = listed["tools"].as_array().or(listed.as_array()).cloned().unwrap_or_default();
        tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect()
    };
    assert_eq!(tools(), ["agree", "ask_depot", "buy", "get_stock"]);
    assert_eq!(server.call("get_stock", &json!({ "input": { "sku": "tea" } })).0, 200);

    place.write(".env.local", "SHOP=other-words\n");
    let processes = fs::read_dir("/proc").expect("processes").flatten();
    let children = processes.filter_map(|process| {
        let stat = fs::read_to_string(process.path().join("stat")).ok()?;
        let parent = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok();
        (parent == Some(server.pid())).then(|| process.file_name())
    });
    let children: Vec<_> = children.collect();
    assert_eq!(children.len(), 1, "{}", server.stderr());
    let _ = std::process::Command::new("kill").arg("-KILL").args(children).status();
    // it is started again by the first call that needs it, and heard before the next
    let refused =
        || (server.call("get_stock", &json!({ "input": { "sku": "tea" } })).1["isError"] == true).then_some(());
    assert!(eventually(refused).is_some(), "{}", server.stderr());
    assert!(eventually(|| (tools() == ["agree", "ask_depot", "buy"]).then_some(())).is_some(), "{}", server.stderr());
    let log = server.logged("it is not offered");
    assert!(log.contains("changed: description since mcp.lock was written"), "{log}");
    assert_ne!(server.call("get_stock", &json!({ "input": { "sku": "tea" } })).0, 200);
    assert_eq!(server.call("buy", &json!({ "input": { "sku": "tea" } })).1["isError"], false);
}
