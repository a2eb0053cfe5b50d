//! The tools of several servers among the bot's, some of which are silent, slow or away.

use super::{
    fault::{Asked, Fault, Reply},
    *,
};
use crate::{bot::Bot, registry::Registry};
use std::sync::atomic::{AtomicBool, Ordering};

/// Short of patience, but not so short that a busy machine seems silent.
fn limits() -> Limits {
    Limits {
        gathering: Duration::from_millis(500),
        patience: Duration::from_millis(1500),
        open: Duration::from_secs(4),
        list: Duration::from_secs(4),
        probe: Duration::from_millis(200),
        ..Limits::default()
    }
}
fn bot(urls: &[(&'static str, &str)]) -> Bot {
    let connections: Vec<_> =
        urls.iter().map(|(name, url)| declared(name, Connection::http(*url).advertise_tools())).collect();
    let bot = Bot::with(Registry::linked().with_connections(connections.clone()));
    bot.set_connections(Connections::with_limits(&connections, Arc::default(), None, limits()));
    bot
}
fn lists(asked: &Asked, names: &[&str]) -> Option<Reply> {
    let tools: Vec<Value> =
        names.iter().map(|name| json!({ "name": name, "inputSchema": { "type": "object" } })).collect();
    (asked.method() == "tools/list").then(|| asked.result(json!({ "tools": tools })))
}
async fn offering(names: &'static [&'static str]) -> (String, Fault) {
    Fault::serve(move |asked, _| lists(asked, names)).await
}
/// Whose tool it is, and which.
fn whose(bot: &Bot, name: &str) -> Option<String> {
    bot.find(name)?.connection().map(str::to_owned)
}

#[tokio::test]
async fn a_silent_server_is_waited_for_once_and_holds_up_nobody_who_can_do_without_it() {
    let (silent, asked) = Fault::serve(|_, _| Some(Reply::Never)).await;
    let (sound, _) = offering(&["order"]).await;
    let bot = bot(&[("alpha", &silent), ("beta", &sound)]);
    // who wants one tool waits only as long as its name may be another's
    let begun = Instant::now();
    assert!(bot.find_or_connect("order").await.is_some());
    assert!(begun.elapsed() < limits().patience, "{:?}", begun.elapsed());
    bot.connect().await;
    assert_eq!(whose(&bot, "order").as_deref(), Some("beta"));
    // it is late now
    let begun = Instant::now();
    bot.connect().await;
    assert!(begun.elapsed() < Duration::from_millis(500), "{:?}", begun.elapsed());
    // it may have the tool: this waits until that is known, once
    assert!(bot.find_or_connect("nobodys").await.is_none());
    let unknown = crate::call::UnknownTool::new(&bot, "nobodys").to_string();
    assert!(
        unknown.contains("a connection whose tools are not known: connection `alpha`: it did not answer"),
        "{unknown}"
    );
    assert!(asked.count() > 0);
    let begun = Instant::now();
    assert!(bot.find_or_connect("nobodys").await.is_none());
    assert!(begun.elapsed() < Duration::from_millis(500), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_tool_whose_schema_is_in_another_dialect_is_offered_without_what_cannot_be_checked_here() {
    let odd = json!({ "type": "object", "properties": {
        "name": { "type": "string", "pattern": "^[\\w-.]+$" }, "any": true, "none": false, "count": { "type": "integer" },
    } });
    let wrong = json!({ "type": "object", "properties": { "name": { "type": "nonsense" } } });
    let (url, server) = Fault::serve(move |asked, _| {
        let tools = json!([{ "name": "odd", "inputSchema": odd }, { "name": "wrong", "inputSchema": wrong }, { "name": "bare", "inputSchema": {} }]);
        (asked.method() == "tools/list").then(|| asked.result(json!({ "tools": tools })))
    })
    .await;
    let bot = bot(&[("alpha", &url)]);
    assert!(bot.find_or_connect("wrong").await.is_none());
    assert!(bot.find("bare").is_some());
    let tool = bot.find_or_connect("odd").await.unwrap();
    let properties = json!({
        "name": { "type": "string" }, "any": {}, "none": { "not": {} }, "count": { "type": "integer" },
    });
    assert_eq!(tool.make_input_schema()["properties"], properties);
    // what is left is checked here, and the server sees the rest
    for (input, code) in
        [(json!({ "name": "a b", "any": [1] }), None), (json!({ "count": "x" }), Some("invalid_input"))]
    {
        let input = crate::call::CallInput::from(input);
        let done = crate::call::call(&bot, "odd", input, Default::default()).await.unwrap();
        assert_eq!(done.error.as_ref().map(|error| error.code.as_str()), code, "{:?}", done.error);
    }
    assert_eq!(server.asked("tools/call").pop().unwrap().body["params"]["arguments"]["name"], "a b");
}

#[tokio::test]
async fn the_tools_of_a_slow_server_come_when_they_come_and_take_no_name_from_another() {
    let is_up = Arc::new(AtomicBool::new(false));
    let up = is_up.clone();
    let (slow, _) = Fault::serve(move |asked, _| match up.load(Ordering::Acquire) {
        true => lists(asked, &["order", "late"]),
        false => Some(Reply::Never),
    })
    .await;
    let (sound, _) = offering(&["order"]).await;
    let bot = bot(&[("alpha", &slow), ("beta", &sound)]);
    bot.connect().await;
    assert_eq!(whose(&bot, "order").as_deref(), Some("beta"));
    is_up.store(true, Ordering::Release);
    let begun = Instant::now();
    while whose(&bot, "late").is_none() {
        assert!(begun.elapsed() < Duration::from_secs(20), "it is up, and nobody asks it");
        bot.connect().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(whose(&bot, "order").as_deref(), Some("beta"));
    assert_eq!(whose(&bot, "order_2").as_deref(), Some("alpha"));
}

#[tokio::test]
async fn names_do_not_depend_on_who_answers_first() {
    for slow in [0, 1] {
        let mut servers = Vec::new();
        for n in 0..2 {
            let wait = if n == slow { 150 } else { 0 };
            servers.push(
                Fault::serve(move |asked, _| {
                    std::thread::sleep(Duration::from_millis(wait));
                    lists(asked, &["order"])
                })
                .await,
            );
        }
        let bot = bot(&[("alpha", &servers[0].0), ("beta", &servers[1].0)]);
        assert!(bot.find_or_connect("order").await.is_some());
        assert_eq!(whose(&bot, "order").as_deref(), Some("alpha"), "{slow} is the slow one");
        assert_eq!(whose(&bot, "order_2").as_deref(), Some("beta"));
    }
}

#[tokio::test]
async fn a_bot_that_is_dropped_asks_nobody_any_more() {
    let (silent, _) = Fault::serve(|_, _| Some(Reply::Never)).await;
    let bot = bot(&[("alpha", &silent)]);
    let ended = bot.downgrade();
    bot.connect().await;
    drop(bot);
    assert!(ended.upgrade().is_none(), "who asks its servers keeps it");
}

#[tokio::test]
async fn a_bot_that_goes_down_while_a_server_is_asked_leaves_no_process() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let script = format!("trap '' TERM INT HUP; sleep 600 & echo $$ > {}; wait", file.path().display());
    let connections = [declared("it", Connection::stdio("sh").args(["-c", &script]).advertise_tools())];
    let bot = Bot::with(Registry::linked().with_connections(connections.to_vec()));
    bot.set_connections(Connections::with_limits(&connections, Arc::default(), None, limits()));
    let asking = tokio::spawn({
        let bot = bot.clone();
        async move { bot.find_or_connect("nobodys").await.is_some() }
    });
    let pid = || std::fs::read_to_string(file.path()).unwrap().trim().to_owned();
    until("it runs", || !pid().is_empty()).await;
    bot.close_state().await;
    // killed, not only told to go
    let is_alive = || std::fs::read_to_string(format!("/proc/{}/stat", pid())).is_ok_and(|stat| !stat.contains(") Z "));
    until("it is gone", || !is_alive()).await;
    assert!(!asking.await.unwrap());
}
