//! cases.md 24: what reqwest and hyper report of a server in trouble is known as transient, whatever version a bot uses.

use bdk_tests::run;
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    thread,
    time::Duration,
};

const KITCHEN: &str = env!("CARGO_BIN_EXE_kitchen");

/// Lets `fetch` ask a server that does this with each connection, in order; the last one for all that follow.
fn fetch(script: Vec<fn(&mut TcpStream)>) -> Value {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        for (i, stream) in listener.incoming().enumerate() {
            let mut stream = stream.expect("a connection");
            let act = script[i.min(script.len() - 1)];
            thread::spawn(move || act(&mut stream));
        }
    });
    ask(&url)
}

fn ask(url: &str) -> Value {
    run(KITCHEN, &["call", "fetch", "--input", &json!({ "url": url }).to_string()]).json()
}

fn answer(stream: &mut TcpStream, status: &str) {
    let mut request = [0; 4096];
    let _ = stream.read(&mut request);
    let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 4\r\nConnection: close\r\n\r\npage");
}

fn fine(stream: &mut TcpStream) {
    answer(stream, "200 OK");
}
fn busy(stream: &mut TcpStream) {
    answer(stream, "503 Service Unavailable");
}
fn many(stream: &mut TcpStream) {
    answer(stream, "429 Too Many Requests");
}
fn absent(stream: &mut TcpStream) {
    answer(stream, "404 Not Found");
}
/// Reads the request and closes without a word.
fn hang_up(stream: &mut TcpStream) {
    let _ = stream.read(&mut [0; 4096]);
}
/// Promises more than it sends.
fn half(stream: &mut TcpStream) {
    let _ = stream.read(&mut [0; 4096]);
    let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\npa");
}
/// Says nothing for longer than the client waits.
fn silent(stream: &mut TcpStream) {
    thread::sleep(Duration::from_secs(5));
    let _ = stream.flush();
}

#[test]
fn a_server_in_trouble_is_asked_again() {
    for (what, trouble) in [
        ("503", busy as fn(&mut TcpStream)),
        ("429", many),
        ("hangs up", hang_up),
        ("half an answer", half),
        ("silent", silent),
    ] {
        let answer = fetch(vec![trouble, trouble, fine]);
        assert_eq!((&answer["result"], &answer["attempts"]), (&json!("page"), &json!(3)), "{what}: {answer}");
    }
}

#[test]
fn a_server_that_is_not_there_is_asked_three_times() {
    let gone = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let answer = ask(&format!("http://{gone}/"));
    assert_eq!(answer["attempts"], 3, "{answer}");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
    assert!(text.contains("failed after 3 attempts"), "{text}");
}

#[test]
fn an_answer_that_says_no_is_an_answer() {
    let answer = fetch(vec![absent]);
    assert_eq!((&answer["attempts"], &answer["error"]["code"]), (&json!(1), &json!("failed")), "{answer}");
}
