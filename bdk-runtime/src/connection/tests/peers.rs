//! Servers that others made, as `tests/run` installs them. One that is missing fails its test: a test that is left out tells nothing.

use super::*;
use crate::connection::spec::StdioConnection;
use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

fn installed(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/peers").join(path);
    assert!(path.exists(), "{} is not there: `tests/run` installs what the tests talk to", path.display());
    path.to_str().unwrap().to_owned()
}
fn node() -> String {
    let arch = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
    installed(&format!("npm/node_modules/node-linux-{arch}/bin/node"))
}
fn script(package: &str) -> String {
    installed(&format!("npm/node_modules/@modelcontextprotocol/{package}/dist/index.js"))
}
fn of_npm(package: &str) -> Connection<StdioConnection> {
    Connection::stdio(node()).args([script(package)])
}
fn of_pypi(module: &str) -> Connection<StdioConnection> {
    Connection::stdio(installed("python/bin/python")).args(["-m", module])
}
fn folder(of: &tempfile::TempDir) -> PathBuf {
    of.path().canonicalize().unwrap()
}

#[tokio::test]
async fn the_everything_server_over_pipes() {
    let connections = only(of_npm("server-everything").args(["stdio"]));
    assert!(names(&connections).await.contains(&"echo".to_owned()));
    assert_eq!(said(&connections, "echo", json!({ "message": "ä" })).await.unwrap(), "Echo: ä");
    let failed = call(&connections, "no_such_tool", json!({})).await;
    assert!(failed.map_or(true, |called| called.is_error));
    connections.close().await;
}

/// Ended with its test.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn the_everything_server_over_http() {
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let mut command = Command::new(node());
    command.args([script("server-everything"), "streamableHttp".to_owned()]).env("PORT", port.to_string());
    let _serving = Serving(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let limits = Limits { failures: u32::MAX, ..Limits::default() };
    let connections = with(Connection::http(format!("http://127.0.0.1:{port}/mcp")), limits);
    let begun = Instant::now();
    while let Err(failed) = connections.list("it").await {
        assert!(failed.transient && begun.elapsed() < Duration::from_secs(60), "{failed}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    for n in 0..5 {
        assert_eq!(
            said(&connections, "echo", json!({ "message": n.to_string() })).await.unwrap(),
            format!("Echo: {n}")
        );
    }
    connections.close().await;
}

#[tokio::test]
async fn the_filesystem_server() {
    let of = tempfile::tempdir().unwrap();
    std::fs::write(folder(&of).join("note.txt"), "remember the milk").unwrap();
    let connections = only(of_npm("server-filesystem").args([folder(&of).to_str().unwrap()]));
    let listing = connections.list("it").await.unwrap();
    let read = listing.tools.iter().find(|tool| tool.name == "read_text_file").unwrap();
    assert_eq!(read.annotations.read_only, Some(true));
    let path = folder(&of).join("note.txt");
    assert_eq!(said(&connections, "read_text_file", json!({ "path": path })).await.unwrap(), "remember the milk");
    assert!(call(&connections, "read_text_file", json!({ "path": "/etc/passwd" })).await.unwrap().is_error);
}

#[tokio::test]
async fn the_memory_server() {
    let of = tempfile::tempdir().unwrap();
    let file = folder(&of).join("memory.jsonl");
    let connections = only(of_npm("server-memory").env("MEMORY_FILE_PATH", file.to_str().unwrap()));
    let entity = json!({ "entities": [{ "name": "Ada", "entityType": "person", "observations": ["counts"] }] });
    call(&connections, "create_entities", entity).await.unwrap();
    connections.close().await;
    assert!(std::fs::read_to_string(file).unwrap().contains("Ada"));
}

#[tokio::test]
async fn the_time_server() {
    let connections = only(of_pypi("mcp_server_time").args(["--local-timezone", "Europe/Berlin"]));
    assert!(names(&connections).await.contains(&"convert_time".to_owned()));
    let told = said(&connections, "get_current_time", json!({ "timezone": "Asia/Tokyo" })).await.unwrap();
    assert!(told.as_str().unwrap().contains("Asia/Tokyo"), "{told}");
}

#[tokio::test]
async fn the_git_server() {
    let of = tempfile::tempdir().unwrap();
    let path = folder(&of);
    assert!(Command::new("git").args(["init", "-q"]).current_dir(&path).status().unwrap().success());
    let connections = only(of_pypi("mcp_server_git").args(["--repository", path.to_str().unwrap()]));
    let told = said(&connections, "git_status", json!({ "repo_path": path })).await.unwrap();
    assert!(told.as_str().unwrap().contains("No commits yet"), "{told}");
}
