//! What servers write that is JSON and cannot be held, or not even that.

use super::{
    fault::{Asked, Fault, Reply},
    *,
};
use crate::connection::failed::Kind;

/// A server whose listing and whose calls' results are this text, over stdio.
fn stdio(page: &str, result: &str) -> Connections {
    let script = r#"
import json, sys
page, result = sys.argv[1], sys.argv[2]
for line in sys.stdin:
    asked = json.loads(line)
    method, id = asked["method"], asked.get("id")
    if method == "initialize": said = '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"py","version":"1"},"instructions":"\\ud83d"}'
    elif method == "tools/list": said = page
    elif method == "tools/call": said = result
    else: continue
    if said.startswith('"error"'): print('{"jsonrpc":"2.0","id":%d,%s}' % (id, said), flush=True)
    else: print('{"jsonrpc":"2.0","id":%d,"result":%s}' % (id, said), flush=True)
"#;
    only(Connection::stdio("python3").args(["-c", script, page, result]))
}

/// The same over HTTP, as JSON or as a stream.
async fn http(page: &str, result: &str, stream: bool) -> Connections {
    let (page, result) = (page.to_owned(), result.to_owned());
    let (url, _) = Fault::serve(move |asked: &Asked, _| {
        let said = match asked.method() {
            "tools/list" => &page,
            "tools/call" => &result,
            _ => return None,
        };
        let key = if said.starts_with("\"error\"") { "" } else { "\"result\":" };
        let message = format!(r#"{{"jsonrpc":"2.0","id":{},{key}{said}}}"#, asked.body["id"]);
        Some(match stream {
            true => Reply::Stream(format!("data: {message}\n\n")),
            false => Reply::Status(200, &[("content-type", "application/json")], message),
        })
    })
    .await;
    at(&url)
}
async fn all(page: &str, result: &str) -> [Connections; 3] {
    [stdio(page, result), http(page, result, false).await, http(page, result, true).await]
}

#[tokio::test]
async fn a_tool_that_cannot_be_read_is_left_out_at_once_and_its_siblings_work() {
    let deep = r#"{"items":"#.repeat(300) + "{}" + &"}".repeat(300);
    let tools = format!(
        r#"{{"tools":[{{"name":"a","inputSchema":{{}}}},{{"name":"cut","description":"\ud83d","inputSchema":{{}}}},
        {{"name":"huge","inputSchema":{{"default":1e999}}}},{{"name":"deep","inputSchema":{deep}}},
        {{"name":"b","inputSchema":{{}}}}],"_meta":{{"x":["\ud83d",1e999,{deep}]}},"nextCursor":null}}"#
    );
    let begun = Instant::now();
    for connections in all(&tools.replace('\n', ""), r#"{"content":[]}"#).await {
        let listing = connections.list("it").await.unwrap();
        assert_eq!(names(&connections).await, ["a", "b"]);
        assert_eq!(listing.warnings.len(), 3, "{:?}", listing.warnings);
        call(&connections, "a", json!({})).await.unwrap();
    }
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_result_and_an_error_that_cannot_be_held_are_told_as_near_as_they_can_be() {
    let result = r#"{"content":[{"type":"text","text":"so \ud83d"}],"structuredContent":{"n":1e999}}"#;
    for connections in all(r#"{"tools":[]}"#, result).await {
        let output = call(&connections, "a", json!({})).await.unwrap().into_output("it").unwrap();
        assert_eq!(output.content()[0]["text"], "so \u{fffd}");
        assert_eq!(output.structured_content(), Some(&json!({ "n": "1e999" })));
    }
    for connections in all(r#"{"tools":[]}"#, r#""error":{"code":-32603,"message":"so \ud83d","data":1e999}"#).await {
        let failed = call(&connections, "a", json!({})).await.unwrap_err();
        let expected = Kind::Server { code: -32603, message: "so \u{fffd}".to_owned() };
        assert_eq!(failed.kind, expected, "{failed}");
    }
    for (error, words) in
        [(r#""error":7"#, "an error that is none: \"7\""), (r#""error":null"#, "neither a result nor")]
    {
        for connections in all(r#"{"tools":[]}"#, error).await {
            let failed = call(&connections, "a", json!({})).await.unwrap_err();
            assert!(failed.kind == Kind::Unreadable && failed.words.contains(words), "{failed:?}");
        }
    }
}

#[tokio::test]
async fn a_listing_that_is_not_answered_in_time_says_nothing_of_what_may_be_done() {
    let (url, _) = Fault::serve(|asked, _| (asked.method() == "tools/list").then_some(Reply::Never)).await;
    let limits = Limits { list: Duration::from_millis(200), ..Limits::default() };
    let failed = with(Connection::http(&url), limits).list("it").await.unwrap_err();
    assert_eq!(failed.words, "connection `it`: its tools cannot be listed: it did not answer in time");
}
