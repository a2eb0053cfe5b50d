//! What the services promise, over a store in memory.

use super::{Artifacts, Files, Host, Kv};
use crate::{
    Error, Principal, SessionOptions, Timestamp,
    bot::Bot,
    registry::Registry,
    session::{Bind, Live},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{collections::HashMap, fmt::Debug, sync::Arc, time::Duration};

const NOON: &str = "2026-01-01T12:00:00Z";

fn bot() -> Bot {
    let bot = Bot::with(Registry::linked());
    bot.set_now(at(NOON));
    bot
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn kv() -> Kv {
    Host::of(&bot()).kv
}

fn files() -> Files {
    Host::of(&bot()).files
}

#[track_caller]
fn told<T: Debug>(result: Result<T, Error>, words: &[&str]) -> String {
    let told = result.unwrap_err().to_string();
    for word in words {
        assert!(told.contains(word), "{word:?} in {told}");
    }
    assert!(!told.contains(char::is_control), "{told:?}");
    told
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Berth {
    name: String,
    crates: Vec<Crate>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Crate {
    mass: f64,
    seal: Seal,
    #[serde(default)]
    rest: HashMap<u8, Option<String>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Seal {
    Whole,
    Broken { by: String },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Number {
    Whole(i64),
    Float(f64),
}

async fn comes_back<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T) {
    let kv = kv();
    kv.put("k", &value).await.unwrap();
    assert_eq!(kv.get::<T>("k").await.unwrap(), Some(value));
}

#[tokio::test]
async fn what_is_put_comes_back_as_it_was() {
    comes_back("a \"text\"\u{0}\n with ä".to_owned()).await;
    comes_back(String::new()).await;
    comes_back('x').await;
    comes_back(()).await;
    comes_back(Seal::Whole).await;
    comes_back(u64::MAX).await;
    comes_back(i64::MIN).await;
    comes_back(f64::MIN_POSITIVE).await;
    comes_back(json!({ "a": 3.0, "b": [null, -0.5, 3], "c": {} })).await;
    comes_back([Number::Whole(3), Number::Float(3.0)]).await;
    comes_back(vec![0_u8, 255]).await;
    let rest = HashMap::from([(7, Some("x".to_owned())), (8, None)]);
    let crates = vec![Crate { mass: 3.0, seal: Seal::Broken { by: "salt".to_owned() }, rest }];
    comes_back(Berth { name: "north".to_owned(), crates }).await;
}

#[tokio::test]
async fn an_optional_value_that_is_none_is_there() {
    let kv = kv();
    kv.put("k", &None::<u32>).await.unwrap();
    assert_eq!(kv.get::<Option<u32>>("k").await.unwrap(), Some(None));
    assert_eq!(kv.get::<Option<u32>>("other").await.unwrap(), None);
}

#[tokio::test]
async fn a_value_that_others_wrote_is_read_as_leniently_as_an_input() {
    let kv = kv();
    kv.put_text("k", r#"{"name":"north","crates":[]}"#).await;
    assert_eq!(kv.get::<Berth>("k").await.unwrap().unwrap().name, "north");
    kv.put_text("k", "3.0").await;
    assert_eq!(kv.get::<u32>("k").await.unwrap(), Some(3));
}

#[tokio::test]
async fn a_value_of_another_type_is_told_with_key_path_and_type_and_never_itself() {
    let kv = kv();
    let value =
        json!({ "name": "north", "crates": [{ "mass": 1, "seal": "whole" }, { "mass": "hunter2", "seal": "whole" }] });
    kv.put("berths/north", &value).await.unwrap();
    told(kv.get::<Berth>("berths/north").await, &["\"berths/north\"", "Berth", "`crates[1].mass`", "a number"]);
    for (value, words) in [
        (json!({ "name": "hunter2" }), "the property `crates` is missing"),
        (
            json!({ "name": "n", "crates": [{ "mass": 1, "seal": "hunter2" }] }),
            "`crates[0].seal`: it is none of `whole`",
        ),
        (
            json!({ "name": "n", "crates": [{ "mass": 1, "seal": "whole", "hunter2": 1 }] }),
            "a property that is none of",
        ),
        (
            json!({ "name": "n", "crates": [{ "mass": 1, "seal": "whole", "rest": { "hunter2": null } }] }),
            "`crates[0].rest",
        ),
        (json!("hunter2"), "expected"),
    ] {
        kv.put("k", &value).await.unwrap();
        let told = told(kv.get::<Berth>("k").await, &["\"k\"", words, "put it anew"]);
        // a key of a map is what leads to a fault
        assert!(!told.contains("hunter2") || words.contains("rest"), "{told}");
    }
    kv.put("k", "hunter2").await.unwrap();
    let told = told(kv.get::<Timestamp>("k").await, &["\"k\""]);
    assert!(!told.contains("hunter2"), "{told}");
    kv.put_text("k", "{hunter2").await;
    let told = self::told(kv.get::<Value>("k").await, &["\"k\"", "no JSON"]);
    assert!(!told.contains("hunter2"), "{told}");
}

#[tokio::test]
async fn a_value_that_json_cannot_hold_is_not_put() {
    let kv = kv();
    kv.put("k", &1).await.unwrap();
    let sentence = |why: &str| format!("the value for the key \"k\" was not put: {why}");
    told(kv.put("k", &vec![1.0, f64::NAN]).await, &[&sentence("`[1]` in it is NaN, which JSON cannot hold")]);
    told(kv.put("k", &f64::INFINITY).await, &[&sentence("it is infinity, which JSON cannot hold")]);
    told(
        kv.put("k", &HashMap::from([((1, 2), 3)])).await,
        &[&sentence("it has "), " as a map key, which JSON cannot hold"],
    );
    told(
        kv.put("k", &u128::MAX).await,
        &[&sentence("it is 3402"), "beyond 64 bits, which JSON cannot hold; write it as text"],
    );
    assert_eq!(kv.get("k").await.unwrap(), Some(1));
}

#[tokio::test]
async fn a_value_has_one_mebibyte_of_json_at_most() {
    let kv = kv();
    let most = "x".repeat(1024 * 1024 - 2);
    kv.put("k", &most).await.unwrap();
    assert_eq!(kv.get::<String>("k").await.unwrap().unwrap().len(), most.len());
    let told = told(kv.put("k", &format!("{most}x")).await, &["\"k\"", "1048577", "1048576", "host.files"]);
    assert!(!told.contains("xxx"), "{told}");
}

#[tokio::test]
async fn a_key_has_1_to_512_bytes_without_control_characters() {
    let kv = kv();
    for key in ["k", " ", "a/b:c", "ключ", "🏗\u{fe0f}", "%_*", &"é".repeat(256)] {
        kv.put(key, key).await.unwrap();
        assert_eq!(kv.get::<String>(key).await.unwrap().unwrap(), key);
        assert_eq!(kv.list(key).await.unwrap(), [key]);
        assert!(kv.delete(key).await.unwrap(), "{key}");
    }
    for (key, words) in [
        ("", "it is empty"),
        ("a\nb", "U+000A at byte 1"),
        ("a\0", "U+0000"),
        ("a\u{85}", "U+0085"),
        (&"é".repeat(257), "it has 514 bytes"),
    ] {
        told(kv.get::<Value>(key).await, &[words, "1 to 512 bytes"]);
        told(kv.put(key, &1).await, &[words]);
        told(kv.put_with_ttl(key, &1, Duration::from_secs(1)).await, &[words]);
        told(kv.update(key, |_: Option<u8>| 1).await, &[words]);
        told(kv.delete(key).await, &[words]);
        if !key.is_empty() {
            told(kv.list(key).await, &[words]);
        }
    }
}

#[tokio::test]
async fn a_listing_has_what_begins_so_in_the_order_of_its_bytes() {
    let kv = kv();
    for key in ["b/2", "b/10", "a", "b", "b/é", "c", "b%"] {
        kv.put(key, &0).await.unwrap();
    }
    assert_eq!(kv.list("b/").await.unwrap(), ["b/10", "b/2", "b/é"]);
    assert_eq!(kv.list("").await.unwrap(), ["a", "b", "b%", "b/10", "b/2", "b/é", "c"]);
    assert_eq!(kv.list("d").await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn a_deletion_says_whether_there_was_something() {
    let kv = kv();
    kv.put("k", &1).await.unwrap();
    assert!(kv.delete("k").await.unwrap());
    assert!(!kv.delete("k").await.unwrap());
    assert_eq!(kv.get::<u8>("k").await.unwrap(), None);
}

#[tokio::test]
async fn a_value_with_a_time_to_live_is_gone_when_the_bot_s_clock_says_so() {
    let bot = bot();
    let kv = Host::of(&bot).kv;
    kv.put_with_ttl("k", &1, Duration::from_secs(60)).await.unwrap();
    bot.set_now(at("2026-01-01T12:00:59.999Z"));
    assert_eq!(kv.get("k").await.unwrap(), Some(1));
    bot.set_now(at("2026-01-01T12:01:00Z"));
    assert_eq!(kv.get::<u8>("k").await.unwrap(), None);
    assert_eq!(kv.list("").await.unwrap(), [""; 0]);
    assert!(!kv.delete("k").await.unwrap());
    assert_eq!(kv.update("k", |old: Option<u8>| old.unwrap_or(7)).await.unwrap(), 7);
}

#[tokio::test]
async fn a_time_to_live_is_a_time_that_a_timestamp_can_say() {
    let bot = bot();
    let kv = Host::of(&bot).kv;
    told(kv.put_with_ttl("k", &1, Duration::ZERO).await, &["\"k\"", "is zero", "delete"]);
    for ttl in [Duration::MAX, Duration::from_secs(u64::MAX), Duration::from_secs(8000 * 366 * 24 * 3600)] {
        told(kv.put_with_ttl("k", &1, ttl).await, &["\"k\"", "the year 9999", "`put`"]);
        told(kv.update_with_ttl("k", ttl, |_: Option<u8>| 1).await, &["the year 9999"]);
    }
    assert_eq!(kv.get::<u8>("k").await.unwrap(), None);
    // shorter than what is kept, and still some time
    kv.put_with_ttl("k", &1, Duration::from_nanos(1)).await.unwrap();
    assert_eq!(kv.get("k").await.unwrap(), Some(1));
    bot.set_now(at("2026-01-01T12:00:00.001Z"));
    assert_eq!(kv.get::<u8>("k").await.unwrap(), None);
}

#[tokio::test]
async fn an_update_gives_a_value_its_own_time_to_live_or_none() {
    let bot = bot();
    let kv = Host::of(&bot).kv;
    let count = |old: Option<u8>| old.unwrap_or(0) + 1;
    kv.put_with_ttl("k", &1, Duration::from_secs(60)).await.unwrap();
    kv.update_with_ttl("k", Duration::from_secs(120), count).await.unwrap();
    bot.set_now(at("2026-01-01T12:01:59Z"));
    assert_eq!(kv.update("k", count).await.unwrap(), 3);
    bot.set_now(at("2036-01-01T12:00:00Z"));
    assert_eq!(kv.get("k").await.unwrap(), Some(3));
}

#[tokio::test(flavor = "multi_thread")]
async fn updates_of_one_value_at_once_all_count() {
    let kv = kv();
    let updates: Vec<_> = (0..64)
        .map(|_| {
            let kv = kv.clone();
            tokio::spawn(async move { kv.update("k", |old: Option<u32>| old.unwrap_or(0) + 1).await.unwrap() })
        })
        .collect();
    let mut came = Vec::new();
    for update in updates {
        came.push(update.await.unwrap());
    }
    came.sort_unstable();
    assert_eq!(came, (1..=64).collect::<Vec<u32>>());
    assert_eq!(kv.get("k").await.unwrap(), Some(64));
}

#[tokio::test]
async fn an_update_that_another_process_overtakes_begins_again_with_what_is_there() {
    let bot = bot();
    let kv = Host::of(&bot).kv;
    kv.put("k", &1).await.unwrap();
    let mut seen = Vec::new();
    let new = kv
        .update("k", |old: Option<u32>| {
            seen.push(old);
            if seen.len() < 5 {
                // straight to the store, as another process does
                let other = kv.put("k", &(seen.len() * 10));
                futures_util::FutureExt::now_or_never(other).unwrap().unwrap();
            }
            old.unwrap() + 1
        })
        .await
        .unwrap();
    assert_eq!((new, &*seen), (41, &[Some(1), Some(10), Some(20), Some(30), Some(40)][..]));
}

#[tokio::test]
async fn a_change_that_refuses_leaves_the_old_value_and_its_error_comes_back() {
    let kv = kv();
    kv.put("k", &3).await.unwrap();
    let taken = |n: u64| move |old: Option<u64>| old.unwrap_or(0).checked_sub(n).ok_or("too little");
    assert_eq!(kv.try_update("k", taken(2)).await.unwrap(), 1);
    assert_eq!(kv.try_update("k", taken(2)).await.unwrap_err().to_string(), "too little");
    assert!(kv.try_update("none", taken(2)).await.is_err());
    assert_eq!((kv.get::<u64>("k").await.unwrap(), kv.get::<u64>("none").await.unwrap()), (Some(1), None));
    assert!(kv.try_update("", taken(0)).await.unwrap_err().to_string().contains("no key"));
}

#[tokio::test]
async fn an_update_that_fails_leaves_the_old_value_and_the_next_one_its_turn() {
    let kv = kv();
    kv.put("k", &1.0).await.unwrap();
    told(kv.update("k", |_: Option<f64>| f64::NAN).await, &["\"k\" was not put", "NaN"]);
    told(kv.update("k", |_: Option<String>| String::new()).await, &["\"k\" is no"]);
    let panics = {
        let kv = kv.clone();
        tokio::spawn(async move { kv.update("k", |_: Option<f64>| -> f64 { panic!("as authors' code may") }).await })
    };
    assert!(panics.await.unwrap_err().is_panic());
    assert_eq!(kv.update("k", |old: Option<f64>| old.unwrap() * 2.0).await.unwrap(), 2.0);
}

#[tokio::test]
async fn a_file_is_kept_under_its_path_as_it_is() {
    let files = files();
    assert_eq!(files.read("a").await.unwrap(), None);
    for path in [
        "a",
        "a/b",
        "a/b.c",
        "a/…/ü",
        ".hidden",
        "..a/b..",
        "a b",
        "A",
        "ab:c",
        "1:b",
        &"x/".repeat(511),
        &"y".repeat(255),
    ] {
        let path = path.strip_suffix('/').unwrap_or(path);
        files.write(path, path).await.unwrap();
        assert_eq!(files.read(path).await.unwrap().unwrap(), path.as_bytes());
    }
    assert_eq!(files.list("a/").await.unwrap(), ["a/b", "a/b.c", "a/…/ü"]);
    files.write("a", [0, 255]).await.unwrap();
    assert_eq!(files.read("a").await.unwrap().unwrap(), [0, 255]);
    files.write("a", "").await.unwrap();
    assert_eq!(files.read("a").await.unwrap().unwrap(), b"");
    assert!(files.delete("a").await.unwrap());
    assert!(!files.delete("a").await.unwrap());
    assert_eq!(files.read("a/b").await.unwrap().unwrap(), b"a/b");
}

#[tokio::test]
async fn a_path_that_is_not_relative_or_leads_anywhere_is_none() {
    let files = files();
    for (path, words) in [
        ("", "is empty"),
        ("/", "begins with `/`"),
        ("/etc/passwd", "begins with `/`"),
        ("..", "`..`"),
        ("../a", "`..`"),
        ("a/../../b", "`..`"),
        ("a/..", "`..`"),
        (".", "`.`"),
        ("./a", "`.`"),
        ("a/./b", "`.`"),
        ("a//b", "empty"),
        ("a/", "empty"),
        ("a\\..\\b", "backslash"),
        ("\\\\host\\share", "backslash"),
        ("C:", "drive"),
        ("c:/a", "drive"),
        ("C:a", "drive"),
        ("a\0", "U+0000"),
        ("a\r\nb", "U+000D"),
        ("a\u{7f}", "U+007F"),
        ("a\u{9f}", "U+009F"),
        (&"x".repeat(256), "256 bytes"),
        (&format!("a/{}", "é".repeat(128)), "256 bytes"),
        (&"x/".repeat(513), "1026 bytes"),
    ] {
        told(files.write(path, "").await, &[words, "is no path of a file", "relative"]);
        told(files.read(path).await, &[words]);
        told(files.delete(path).await, &[words]);
        if !path.is_empty() && !matches!(path, "a/" | ".." | "." | "a/..") {
            told(files.list(path).await, &[words]);
        }
    }
    // what a path may begin with is less than a path
    for prefix in ["", "a/", "..", ".", "a/.."] {
        assert_eq!(files.list(prefix).await.unwrap(), [""; 0], "{prefix}");
    }
    told(files.list("../").await, &["`..`", "begins with"]);
}

#[tokio::test]
async fn a_file_has_16_mebibytes_at_most() {
    let files = files();
    let most = vec![1; 16 * 1024 * 1024];
    files.write("a", &most).await.unwrap();
    told(files.write("a", [&most[..], &[1]].concat()).await, &["\"a\"", "16777217", "16777216"]);
    assert_eq!(files.read("a").await.unwrap().unwrap().len(), most.len());
}

#[tokio::test]
async fn values_files_and_artifacts_do_not_meet() {
    let bot = bot();
    let host = Host::of(&bot);
    host.kv.put("a", &1).await.unwrap();
    let artifact = of(&bot, None).publish("a", "text/plain", "a").await.unwrap();
    assert_eq!(host.files.list("").await.unwrap(), [""; 0]);
    host.files.write(&artifact.id, "mine").await.unwrap();
    assert_eq!(fetch(&bot, &artifact.id, None).await.unwrap(), "a");
}

fn of(bot: &Bot, session: Option<Arc<Live>>) -> Artifacts {
    Artifacts::of(bot, session, Arc::new(Principal::new("bearer", "ada")), "export", "tool_export_1")
}

async fn fetch(bot: &Bot, id: &str, asker: Option<&Principal>) -> Option<String> {
    let found = super::artifacts::find(bot, id, asker).await.unwrap();
    found.map(|(_, bytes)| String::from_utf8(bytes.to_vec()).unwrap())
}

#[tokio::test]
async fn an_artifact_is_its_owner_s_and_the_process_s_own() {
    let bot = bot();
    let artifact = of(&bot, None).publish("a.txt", "text/plain", "hello").await.unwrap();
    assert_eq!((&*artifact.name, &*artifact.mime, artifact.size), ("a.txt", "text/plain", 5));
    assert_eq!(artifact.url(), format!("/{}/v1/artifacts/{}/content", bot.slug(), artifact.id));
    let mut shown = serde_json::to_value(&artifact).unwrap();
    assert_eq!(shown["url"].take(), artifact.url());
    assert_eq!(shown["id"].take(), *artifact.id);
    assert_eq!(shown, json!({ "id": null, "name": "a.txt", "mime": "text/plain", "size": 5, "url": null }));
    let ada = Principal::new("bearer", "ada").attribute("since", "today");
    assert_eq!(fetch(&bot, &artifact.id, Some(&ada)).await.as_deref(), Some("hello"));
    assert_eq!(fetch(&bot, &artifact.id, None).await.as_deref(), Some("hello"));
    for other in [Principal::new("bearer", "bob"), Principal::new("local", "ada")] {
        assert_eq!(fetch(&bot, &artifact.id, Some(&other)).await, None, "{other:?}");
    }
    assert_eq!(fetch(&bot, "art_abcdefghij0123450123", None).await, None);
}

#[tokio::test]
async fn an_artifact_of_no_session_is_kept_for_a_day() {
    let bot = bot();
    let artifact = of(&bot, None).publish("a.txt", "text/plain", "hello").await.unwrap();
    bot.set_now(at("2026-01-02T11:59:59Z"));
    assert!(fetch(&bot, &artifact.id, None).await.is_some());
    bot.set_now(at("2026-01-02T12:00:00Z"));
    assert_eq!(fetch(&bot, &artifact.id, None).await, None);
}

#[tokio::test]
async fn an_artifact_of_a_session_goes_with_it_and_none_is_left_behind_it() {
    let bot = bot();
    let state = bot.state();
    let row = state.sessions.open(&bot, SessionOptions::new()).await.map_err(Error::from).unwrap();
    let live = state.sessions.bind(&Bind::Id(row.id.to_string()), None).await.unwrap();
    let artifacts = of(&bot, Some(live));
    let artifact = artifacts.publish("a.txt", "text/plain", "hello").await.unwrap();
    bot.set_now(at("2027-01-01T12:00:00Z"));
    assert!(fetch(&bot, &artifact.id, None).await.is_some());
    assert_eq!(state.sessions.events(&row.id, 0, 100).await.unwrap().len(), 2, "it leaves nothing in the log");

    state.sessions.delete(&row.id, None, &state.workspaces).await.unwrap();
    assert_eq!(fetch(&bot, &artifact.id, None).await, None);
    told(artifacts.publish("b.txt", "text/plain", "").await, &["the session is gone", "\"b.txt\""]);
    assert_eq!(state.store.files(&super::artifacts::space(&bot), "", bot.now()).await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn what_is_kept_cannot_be_reached_when_the_bot_is_gone() {
    let bot = bot();
    let host = Host::of(&bot);
    bot.close_state().await;
    bot.state();
    bot.close_state().await;
    for error in [
        host.kv.get::<u8>("k").await.unwrap_err(),
        host.kv.update("k", |_: Option<u8>| 1).await.unwrap_err(),
        host.files.write("k", "").await.unwrap_err(),
        of(&bot, None).publish("k", "text/plain", "").await.unwrap_err(),
    ] {
        assert!(error.is_unavailable(), "{error}");
    }
}
