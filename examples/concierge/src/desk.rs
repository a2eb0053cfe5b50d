//! The desk: tools that work where the agent does, in the session's folder. They run in a process of their own, which the bot starts from
//! this very binary.

use bdk::prelude::*;
use std::{fs, io::ErrorKind};

/// What lies on the desk during a session.
#[connection]
fn desk() -> impl IntoConnection {
    Connection::authored().advertise_tools()
}

/// Put a slip of paper on the desk.
#[tool(effect = "write")]
fn leave_slip(
    /// What it is called.
    #[arg(length(min = 1, max = 40), pattern = "^[a-z-]+$")]
    name: String,
    text: String,
) -> Result<()> {
    Ok(fs::write(name + ".txt", text)?)
}

/// Read what lies on the desk: each slip with its text.
#[tool(effect = "read")]
fn look_at_desk() -> Result<Vec<(String, String)>> {
    let mut slips = Vec::new();
    for entry in fs::read_dir(".")? {
        let path = entry?.path();
        if path.is_dir() {
            continue;
        }
        match fs::read_to_string(&path) {
            Ok(text) => slips.push((path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), text)),
            // taken away meanwhile
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
    }
    slips.sort();
    Ok(slips)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[bdk::test]
    async fn in_a_test_they_run_in_its_process() {
        let looked = TestBot::new().call_tool("look_at_desk", json!({})).await;
        assert!(!looked.is_error, "{looked:?}");
        let slip = json!({ "name": "milk", "text": "two bottles" });
        assert!(TestBot::new().dry_run().call_tool("leave_slip", slip).await.stubbed);
    }
}
