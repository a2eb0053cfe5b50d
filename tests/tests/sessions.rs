//! Sessions over HTTP: opening, facts, what is logged, whose they are, tokens, deletion. cases.md 22, 27, 30.

use bdk::Timestamp;
use bdk_tests::{Server, asking::Asker, eventually};
use serde_json::{Value, json};
use std::{fs, path::Path, thread};

const ACCOUNTS: &str = env!("CARGO_BIN_EXE_accounts");

fn start() -> Server {
    Server::start(ACCOUNTS, &[])
}

/// A bot that knows two callers.
fn of_two() -> Server {
    Server::start_with(ACCOUNTS, &[], |command| {
        command.env("ACCOUNTS_TOKENS", "token-of-ann,token-of-ben");
    })
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().expect("a type")).collect()
}

fn indexes(events: &[Value]) -> Vec<u64> {
    events.iter().map(|event| event["index"].as_u64().expect("an index")).collect()
}

#[test]
fn a_session_is_opened_shown_and_listed_and_gone_once_it_is_deleted() {
    let server = start();
    let me = server.anyone();
    let body = json!({
        "title": "Audit", "mode": "task", "purpose": "To see.", "dryRun": true, "asOf": "2026-01-01T00:00:00Z",
        "state": { "ticket": 4711, "deep": [null, 1.5] },
    });
    let (status, opened) = me.post("session", &body);
    assert_eq!((status, &opened["ok"], &opened["playgroundUrl"]), (200, &json!(true), &json!(null)), "{opened}");
    let id = opened["sessionId"].as_str().expect("an id");
    let trace = opened["traceUrl"].as_str().expect("a URL");
    assert_eq!(trace, format!("{}{}/session/{id}/events?follow=false", server.url, server.prefix));
    let traced = server.get(trace.strip_prefix(&server.url).expect("an absolute URL"));
    assert_eq!(traced.status, 200);

    let (status, mut detail) = me.get(&format!("session/{id}"));
    assert_eq!(status, 200);
    let detail = detail.as_object_mut().expect("an object");
    assert_eq!((detail.shift_remove("ok"), detail.shift_remove("traceUrl")), (Some(json!(true)), Some(json!(trace))));
    let names: Vec<&String> = detail.keys().collect();
    assert_eq!(
        names,
        [
            "sessionId",
            "agent",
            "mode",
            "status",
            "title",
            "purpose",
            "state",
            "dryRun",
            "asOf",
            "auth",
            "createdAt",
            "updatedAt",
            "events",
            "continuationToken"
        ]
    );
    for (name, value) in body.as_object().expect("an object") {
        assert_eq!(&detail[name], value, "{name}");
    }
    assert_eq!(detail["continuationToken"], opened["continuationToken"]);
    assert_eq!((&detail["status"], &detail["events"]), (&json!("waiting"), &json!(2)));
    assert_eq!(detail["auth"], json!({ "kind": "local", "subject": "loopback" }));
    assert_eq!(detail["createdAt"], detail["updatedAt"]);

    let (_, list) = me.get("sessions");
    detail.shift_remove("state");
    assert_eq!(list, json!({ "ok": true, "sessions": [detail] }));

    assert_eq!(me.delete(&format!("session/{id}")), (200, json!({ "ok": true, "sessionId": id })));
    let unknown =
        json!({ "ok": false, "error": "unknown_session", "message": format!("there is no session \"{id}\"") });
    for (method, route) in
        [("GET", ""), ("DELETE", ""), ("POST", ""), ("GET", "/events"), ("GET", "/events?follow=false")]
    {
        let answer = me.ask(method, &format!("session/{id}{route}"), &[], None);
        assert_eq!((answer.status, answer.json()), (404, unknown.clone()), "{method} {route}");
    }
    assert_eq!(me.get("sessions").1, json!({ "ok": true, "sessions": [] }));
    assert_eq!(me.post("tools/balance", &json!({ "sessionId": id })), (404, unknown));
}

#[test]
fn nothing_said_opens_a_chat_without_facts() {
    let server = start();
    for body in [None, Some(json!({}))] {
        let opened = server.anyone().ask("POST", "session", &[], body.as_ref()).json();
        let (_, detail) = server.anyone().get(&format!("session/{}", opened["sessionId"].as_str().expect("an id")));
        assert_eq!((&detail["mode"], &detail["dryRun"], &detail["state"]), (&json!("chat"), &json!(false), &json!({})));
        assert_eq!((&detail["title"], &detail["purpose"], &detail["asOf"]), (&json!(null), &json!(null), &json!(null)));
    }
}

#[test]
fn the_trace_s_link_has_the_public_address() {
    let server = Server::start(ACCOUNTS, &["--public-url", "https://bot.example.com/", "--allow-anonymous"]);
    let (_, opened) = server.anyone().post("session", &json!({}));
    let trace = opened["traceUrl"].as_str().expect("a URL");
    assert!(trace.starts_with(&format!("https://bot.example.com{}/session/ses_", server.prefix)), "{trace}");
}

#[test]
fn what_cannot_be_opened_is_told() {
    let server = start();
    let me = server.anyone();
    let long = |n: usize| "ä".repeat(n);
    for (body, words) in [
        (json!({ "titel": "x" }), "no `titel`"),
        (json!({ "title": 1 }), "`title` must be a string"),
        (json!({ "mode": "direct" }), "`mode` must be \"chat\" or \"task\""),
        (json!({ "asOf": "2026-01-01" }), "(it is a date alone), and was \"2026-01-01\""),
        (json!({ "title": long(201) }), "`title` has 201 characters"),
        (json!({ "purpose": long(2001) }), "`purpose` has 2001 characters"),
        (json!({ "state": "x".repeat(64 * 1024 - 1) }), "`state` has 65537 bytes"),
        (json!({ "message": "Hello" }), "takes no turns yet"),
    ] {
        let (status, refused) = me.post("session", &body);
        assert_eq!((status, &refused["error"]), (400, &json!("invalid_request")), "{refused}");
        assert!(refused["message"].as_str().is_some_and(|m| m.contains(words)), "{words}: {refused}");
    }
    let just = json!({ "title": long(200), "purpose": long(2000), "state": "x".repeat(64 * 1024 - 2) });
    assert_eq!(me.post("session", &just).0, 200);
    let text = me.ask("POST", "session", &["Content-Type: text/plain"], Some(&json!({})));
    assert_eq!((text.status, &text.json()["error"]), (415, &json!("unsupported_media_type")));
    let large = me.post("session", &json!({ "state": "x".repeat(2 * 1024 * 1024) }));
    assert_eq!((large.0, &large.1["error"]), (413, &json!("too_large")));
    assert_eq!(me.get("sessions").1["sessions"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_listing_goes_page_by_page_from_the_youngest_on_also_when_sessions_go_meanwhile() {
    let server = start();
    let me = server.anyone();
    let mut opened: Vec<String> = (0..7).map(|n| me.open(&json!({ "title": n.to_string() }))).collect();
    opened.reverse();
    let page = |query: &str| {
        let (status, page) = me.get(&format!("sessions?{query}"));
        assert_eq!(status, 200, "{page}");
        let ids = page["sessions"].as_array().expect("sessions").iter();
        let ids: Vec<String> = ids.map(|s| s["sessionId"].as_str().expect("an id").to_owned()).collect();
        (ids, page["nextCursor"].as_str().map(str::to_owned))
    };
    let all = page("").0;
    let (_, list) = me.get("sessions");
    let opened_at =
        |s: &Value| s["createdAt"].as_str().and_then(|at| at.parse::<Timestamp>().ok()).expect("an instant");
    let of = |s: &Value| (opened_at(s), s["sessionId"].to_string());
    let ages: Vec<_> = list["sessions"].as_array().expect("sessions").iter().map(of).collect();
    assert!(ages.is_sorted_by(|a, b| a > b), "{ages:?}");
    // those opened in the same millisecond are in the order of their ids
    let sorted = |ids: &[String]| {
        let mut ids = ids.to_vec();
        ids.sort();
        ids
    };
    assert_eq!(sorted(&all), sorted(&opened));
    let (first, cursor) = page("limit=3");
    assert_eq!(first, all[..3]);
    let cursor = cursor.expect("there are more");
    me.delete(&format!("session/{}", first[2]));
    let (second, next) = page(&format!("limit=3&cursor={cursor}"));
    assert_eq!(second, all[3..6]);
    let (last, end) = page(&format!("limit=3&cursor={}", next.expect("one more")));
    assert_eq!((&last[..], end), (&all[6..], None));
    assert_eq!(page("limit=6").1, None, "just as many as there are");
    for wrong in ["limit=0", "limit=1001", "limit=x", "limit=", "limit=-1", "cursor=", "cursor=x", "limit=1&limit=2"] {
        let (status, refused) = me.get(&format!("sessions?{wrong}"));
        assert_eq!((status, &refused["error"]), (400, &json!("invalid_request")), "{wrong}");
    }
}

#[test]
fn a_query_that_a_route_has_not_is_refused_naming_those_that_it_has() {
    let server = start();
    let me = server.anyone();
    let id = me.open(&json!({}));
    let (one, events) = (format!("session/{id}"), format!("session/{id}/events"));
    for (answer, words) in [
        (me.get("sessions?limt=1"), "no `?limt=` here: this route has `limit` and `cursor`"),
        (me.get(&format!("{events}?folow=false")), "no `?folow=` here: this route has `from` and `follow`"),
        (me.get("tools?curser=x"), "no `?curser=` here: this route has `cursor`"),
        (me.get(&format!("{one}?x")), "this route has none"),
        (me.post("session?dryRun=true", &json!({})), "this route has none"),
        (me.post("tools/book?dryRun=true", &json!({ "input": { "what": "ink" } })), "this route has none"),
        (me.delete(&format!("{one}?x=1")), "this route has none"),
    ] {
        assert_eq!((answer.0, &answer.1["error"]), (400, &json!("invalid_request")), "{answer:?}");
        assert!(answer.1["message"].as_str().is_some_and(|message| message.contains(words)), "{answer:?}");
    }
    assert_eq!(me.call_in(&id, "balance", &json!({}))["result"], 0);
}

#[test]
fn in_a_dry_run_session_reads_run_and_writes_are_stubbed() {
    let server = start();
    let me = server.anyone();
    let id = me.open(&json!({ "dryRun": true }));
    let outcome = |tool: &str, input: Value| {
        let outcome = me.call_in(&id, tool, &input);
        (outcome["result"].clone(), outcome["stubbed"].clone(), outcome["isError"].clone())
    };
    let stub = json!({ "number": 0, "what": "ink" });
    assert_eq!(outcome("book", json!({ "what": "ink" })), (stub, json!(true), json!(false)));
    assert_eq!(outcome("adjust", json!({})), (json!("Operation acknowledged."), json!(true), json!(false)));
    assert_eq!(outcome("balance", json!({})), (json!(0), json!(false), json!(false)));
    let (refused, stubbed, error) = outcome("book", json!({ "what": 1 }));
    assert_eq!((stubbed, error), (json!(false), json!(true)), "{refused}");
    let relayed = outcome("relay", json!({ "tool": "book", "input": { "what": "ink" } })).0;
    assert_eq!(relayed["stubbed"], true);
    assert_eq!(outcome("session", json!({})).0["dryRun"], true);
    // another session of the same bot writes
    assert_eq!(me.call_in(&me.open(&json!({})), "adjust", &json!({}))["result"], 1);
}

#[test]
fn in_a_session_with_as_of_time_arguments_do_not_reach_beyond_it() {
    let server = start();
    let me = server.anyone();
    for facts in
        [json!({ "asOf": "2026-01-01T00:00:00Z" }), json!({ "asOf": "2026-01-01T01:00:00+01:00", "dryRun": true })]
    {
        let id = me.open(&facts);
        let late = me.call_in(&id, "since", &json!({ "since": "2026-01-01T00:00:00.000000001Z" }));
        assert_eq!(late["error"]["code"], "as_of", "{late}");
        let fits = me.call_in(&id, "since", &json!({ "since": "2025-12-31T23:59:59Z" }));
        assert_eq!(fits["isError"], false, "{fits}");
        assert_eq!(me.call_in(&id, "session", &json!({}))["result"]["asOf"], "2026-01-01T00:00:00Z");
        assert_eq!(me.call_in(&id, "adjust", &json!({}))["stubbed"], facts["dryRun"].as_bool().unwrap_or(false));
    }
}

#[test]
fn facts_and_ids_that_cannot_stand_together_are_refused() {
    let server = start();
    let me = server.anyone();
    let (_, opened) = me.post("session", &json!({}));
    let (id, token) = (&opened["sessionId"], &opened["continuationToken"]);
    for (body, words) in [
        (json!({ "sessionId": id, "continuationToken": token }), ["`sessionId`", "`continuationToken`"]),
        (json!({ "sessionId": id, "dryRun": false }), ["`dryRun`", "`sessionId`"]),
        (json!({ "continuationToken": token, "asOf": "2026-01-01T00:00:00Z" }), ["`asOf`", "`continuationToken`"]),
    ] {
        let (status, refused) = me.post("tools/balance", &body);
        assert_eq!((status, &refused["error"]), (400, &json!("invalid_request")));
        let message = refused["message"].as_str().expect("a message");
        assert!(words.iter().all(|w| message.contains(w)), "{message}");
    }
    assert_eq!(me.post("tools/balance", &json!({ "continuationToken": token })).1["result"], 0);
    for unknown in
        [json!({ "sessionId": "ses_x" }), json!({ "continuationToken": "http:x" }), json!({ "sessionId": "" })]
    {
        let (status, refused) = me.post("tools/balance", &unknown);
        assert_eq!((status, &refused["error"]), (404, &json!("unknown_session")), "{refused}");
    }
}

#[test]
fn each_call_leaves_what_was_asked_and_what_came_of_it() {
    let server = start();
    let me = server.anyone();
    let id = me.open(&json!({ "title": "T" }));
    let calls = [
        ("balance", json!({})),
        ("book", json!({ "what": "ink" })),
        ("book", json!({ "what": 1 })),
        ("ask_dead_server", json!({})),
        ("relay", json!({ "tool": "adjust", "input": {} })),
    ];
    let outcomes: Vec<Value> = calls.iter().map(|(tool, input)| me.call_in(&id, tool, input)).collect();
    let events = me.events(&id);
    assert_eq!(indexes(&events), (0..14).collect::<Vec<u64>>());
    let pair = ["actions.requested", "action.result"];
    let mut expected = vec!["session.started", "session.waiting"];
    expected.extend(pair.repeat(4));
    // what a tool calls is written when it ends, and the read that called it after it
    expected.extend([pair[0], pair[1], pair[0], pair[1]]);
    assert_eq!(kinds(&events), expected);
    assert_eq!(events[0]["data"]["title"], "T");
    for (i, ((tool, input), outcome)) in calls.iter().zip(&outcomes).enumerate().take(4) {
        let (asked, came) = (&events[2 + 2 * i], &events[3 + 2 * i]);
        let action = &asked["data"]["actions"][0];
        assert_eq!((&action["toolName"], &action["input"]), (&json!(tool), input));
        assert_eq!((&action["callId"], &action["caller"]), (&outcome["callId"], &json!("local:loopback")));
        let mut outcome = outcome.clone();
        outcome.as_object_mut().expect("an object").shift_remove("ok");
        assert_eq!(came["data"], outcome, "{tool}");
    }
    let effect = |i: usize| events[i]["data"]["actions"][0]["effect"].clone();
    assert_eq!([effect(2), effect(4), effect(6), effect(8)], ["read", "write", "undecided", "read"]);
    let dead = &events[9]["data"];
    assert_eq!((&dead["attempts"], &dead["error"]["code"]), (&json!(3), &json!("failed")));
    assert!(dead["result"].to_string().contains("failed after 3 attempts"), "{dead}");
    assert_eq!(events[10]["data"]["actions"][0]["toolName"], "adjust");
    assert_eq!(events[13]["data"]["result"]["result"], events[11]["data"]["result"]);

    let (_, detail) = me.get(&format!("session/{id}"));
    assert_eq!((&detail["events"], &detail["updatedAt"]), (&json!(14), &events[13]["at"]));
}

#[test]
fn a_long_result_is_cut_in_the_log_and_whole_in_the_answer() {
    let server = start();
    let me = server.anyone();
    let id = me.open(&json!({}));
    let outcome = me.call_in(&id, "recite", &json!({ "bytes": 300_000 }));
    let whole = outcome["result"].as_str().expect("a text");
    let events = me.events(&id);
    let logged = &events[3]["data"];
    assert_eq!(logged["resultBytes"], whole.len() + 2);
    assert_eq!(logged["result"].as_str().map(str::len), Some(64 * 1024));
}

#[test]
fn sixty_four_calls_at_once_leave_a_log_without_a_gap() {
    let server = start();
    let me = server.anyone();
    let id = me.open(&json!({}));
    thread::scope(|scope| {
        for n in 0..64 {
            let id = &id;
            scope.spawn(move || match n % 2 {
                0 => me.call_in(id, "look", &json!({})),
                _ => me.call_in(id, "book", &json!({ "what": "ink", "ms": 1 })),
            });
        }
    });
    let events = me.events(&id);
    assert_eq!(indexes(&events), (0..130).collect::<Vec<u64>>());
    let of = |kind: &str, id: fn(&Value) -> &Value| {
        let mut ids: Vec<String> =
            events.iter().filter(|e| e["type"] == kind).map(|e| id(&e["data"]).to_string()).collect();
        ids.sort();
        ids.dedup();
        ids
    };
    let asked = of("actions.requested", |data| &data["actions"][0]["callId"]);
    assert_eq!(asked.len(), 64);
    assert_eq!(asked, of("action.result", |data| &data["callId"]));
}

#[test]
fn a_session_does_not_exist_for_anybody_but_its_owner() {
    let server = of_two();
    let (ann, ben) = (server.bearer("token-of-ann"), server.bearer("token-of-ben"));
    let (_, opened) = ann.post("session", &json!({}));
    let (id, token) = (opened["sessionId"].as_str().expect("an id"), &opened["continuationToken"]);
    let missing = "ses_aaaaaaaaaaaaaaaaaaaa";
    let all = |asker: Asker<'_>, id: &str, token: &Value| {
        let routes = [
            ("GET", format!("session/{id}"), None),
            ("DELETE", format!("session/{id}"), None),
            ("POST", format!("session/{id}"), Some(json!({ "continuationToken": token }))),
            ("POST", format!("session/{id}"), Some(json!({ "nonsense": 1 }))),
            ("GET", format!("session/{id}/events?follow=false"), None),
            ("GET", format!("session/{id}/events?from=x"), None),
            ("POST", "tools/balance".to_owned(), Some(json!({ "sessionId": id }))),
            ("POST", "tools/balance".to_owned(), Some(json!({ "continuationToken": token }))),
        ];
        let answers = routes.into_iter().map(|(method, route, body)| {
            let answer = asker.ask(method, &route, &[], body.as_ref());
            (answer.status, answer.body.replace(id, "ID").replace(token.as_str().expect("a token"), "TOKEN"))
        });
        answers.collect::<Vec<_>>()
    };
    // byte for byte as of one that is not there, but for what was asked
    let of_ann = all(ben, id, token);
    assert_eq!(of_ann, all(ben, missing, &json!("http:00000000000000000000000000000000")));
    assert!(of_ann.iter().all(|(status, _)| *status == 404), "{of_ann:?}");
    assert_eq!(ben.get("sessions").1, json!({ "ok": true, "sessions": [] }));
    assert_eq!(server.anyone().get(&format!("session/{id}")).0, 401);
    assert_eq!(ann.get(&format!("session/{id}")).0, 200);
    assert_eq!(ann.events(id).len(), 2);
}

#[test]
fn a_token_is_exchanged_once_and_a_stale_one_is_a_conflict() {
    let server = of_two();
    let ann = server.bearer("token-of-ann");
    let (_, opened) = ann.post("session", &json!({}));
    let (id, first) = (opened["sessionId"].as_str().expect("an id"), opened["continuationToken"].clone());
    let route = format!("session/{id}");
    let (status, exchanged) = ann.post(&route, &json!({ "continuationToken": first }));
    assert_eq!((status, &exchanged["ok"], &exchanged["sessionId"]), (200, &json!(true), &json!(id)));
    let second = exchanged["continuationToken"].clone();
    assert_ne!(first, second);
    assert!(second.as_str().is_some_and(|t| t.starts_with("http:")), "{second}");
    let (status, stale) = ann.post(&route, &json!({ "continuationToken": first }));
    assert_eq!((status, &stale["error"]), (409, &json!("conflict")), "{stale}");
    assert_eq!(ann.post("tools/balance", &json!({ "continuationToken": first })).0, 404);
    // a call changes no token
    for _ in 0..2 {
        assert_eq!(ann.post("tools/balance", &json!({ "continuationToken": second })).0, 200);
    }
    assert_eq!(ann.get("sessions").1["sessions"][0]["continuationToken"], second);
    for (body, code) in [
        (json!({}), 400),
        (json!({ "continuationToken": 1 }), 400),
        (json!({ "continuationToken": second, "text": "x" }), 400),
        (json!({ "continuationToken": second, "message": "Hello" }), 400),
        (json!({ "continuationToken": first, "message": "Hello" }), 409),
    ] {
        assert_eq!(ann.post(&route, &body).0, code, "{body}");
    }
    let (_, task) = ann.post("session", &json!({ "mode": "task" }));
    let route = format!("session/{}", task["sessionId"].as_str().expect("an id"));
    let (status, refused) =
        ann.post(&route, &json!({ "continuationToken": task["continuationToken"], "message": "x" }));
    assert_eq!((status, &refused["error"]), (409, &json!("conflict")), "{refused}");

    // of those who exchange the same one at once, one gets another
    let won: usize = thread::scope(|scope| {
        let racers: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| ann.post(&format!("session/{id}"), &json!({ "continuationToken": second })).0))
            .collect();
        racers.into_iter().map(|racer| racer.join().expect("an answer")).filter(|status| *status == 200).count()
    });
    assert_eq!(won, 1);
}

#[test]
fn a_workspace_stays_from_call_to_call_and_goes_with_its_session() {
    let server = start();
    let me = server.anyone();
    let (id, other) = (me.open(&json!({})), me.open(&json!({})));
    let first = me.call_in(&id, "file_note", &json!({ "name": "a" }));
    let second = me.call_in(&id, "file_note", &json!({ "name": "b" }));
    assert_eq!(second["result"]["there"], json!(["a", "b"]));
    assert_eq!(first["result"]["dir"], second["result"]["dir"]);
    assert_eq!(me.call_in(&other, "file_note", &json!({ "name": "c" }))["result"]["there"], json!(["c"]));
    let dir = Path::new(first["result"]["dir"].as_str().expect("a folder"));
    assert!(dir.join("b").exists());
    me.delete(&format!("session/{id}"));
    assert!(!dir.exists());
    let (_, unbound) = me.post("tools/file_note", &json!({ "input": { "name": "d" } }));
    assert!(!Path::new(unbound["result"]["dir"].as_str().expect("a folder")).exists());
}

#[test]
fn a_deletion_ends_what_runs_in_the_session() {
    let server = start();
    let me = server.anyone();
    let folder = tempfile::tempdir().expect("a folder");
    let mark = folder.path().join("mark");
    let id = me.open(&json!({}));
    thread::scope(|scope| {
        let call = scope.spawn(|| me.call_in(&id, "wait", &json!({ "mark": mark })));
        let written = || fs::read_to_string(&mark).ok().filter(|text| !text.is_empty());
        let workspace = eventually(written).expect("the tool runs");
        assert!(Path::new(&workspace).exists());
        assert_eq!(me.delete(&format!("session/{id}")).0, 200);
        let outcome = call.join().expect("an answer");
        assert_eq!(outcome["error"]["code"], "cancelled", "{outcome}");
        assert_eq!(fs::read_to_string(&mark).ok().as_deref(), Some("given up"));
        assert!(!Path::new(&workspace).exists());
    });
    // the bot goes on
    assert_eq!(me.get("sessions").1["sessions"], json!([]));
    assert_eq!(me.post("tools/balance", &json!({})).1["result"], 0);
}

#[test]
fn a_bot_says_that_it_has_these_routes() {
    let server = start();
    let index = server.get("/").json();
    for route in ["session", "session/{id}", "session/{id}/events", "sessions"] {
        let route = format!("{}/{route}", server.prefix);
        assert!(index["routes"].as_array().is_some_and(|routes| routes.contains(&json!(route))), "{route}");
    }
    let near = server.get("/session").json();
    assert!(near["message"].as_str().is_some_and(|m| m.contains(&format!("`{}/session`", server.prefix))), "{near}");
    for (method, route, allowed) in
        [("GET", "session", "POST"), ("PUT", "sessions", "GET"), ("DELETE", "session/x/events", "GET")]
    {
        let answer = server.anyone().ask(method, route, &[], None);
        assert_eq!(answer.status, 405, "{method} {route}");
        assert!(
            answer.head.to_ascii_lowercase().contains(&format!("allow: {}", allowed.to_ascii_lowercase())),
            "{answer:?}"
        );
    }
    let (_, document) = server.anyone().get("openapi.json");
    for (path, method) in [
        ("/session", "post"),
        ("/session/{id}", "get"),
        ("/session/{id}", "post"),
        ("/session/{id}", "delete"),
        ("/session/{id}/events", "get"),
        ("/sessions", "get"),
    ] {
        assert!(document["paths"][path][method]["responses"]["200"].is_object(), "{method} {path}");
    }
    let call = &document["paths"]["/tools/book"]["post"];
    assert_eq!(call["parameters"][0]["name"], "Idempotency-Key");
    let members = &call["requestBody"]["content"]["application/json"]["schema"]["properties"];
    for member in ["input", "sessionId", "continuationToken", "dryRun", "asOf", "callId"] {
        assert!(members[member].is_object(), "{member}");
    }
}
