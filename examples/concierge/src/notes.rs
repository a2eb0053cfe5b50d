//! What the notes say: a tool of this bot's own, which reads by another server.

use crate::connections::folder;
use bdk::prelude::*;

/// The headings of a note.
#[derive(Serialize)]
struct Outline {
    /// The note's path in the folder.
    path: String,
    /// Its headings, in their order.
    headings: Vec<String>,
}

/// Say what a Markdown note is about: its headings, without the text below them.
#[tool(effect = "read")]
async fn outline_note(
    /// Where it is, relative to the folder, such as `README.md`.
    path: PathBuf,
    ctx: &ToolContext,
) -> Result<Outline> {
    let whole = std::path::absolute(folder())?.join(&path);
    let answer = ctx.host.mcp.call_tool("files", "read_text_file", json!({ "path": whole })).await?;
    let text: String = answer.content().iter().filter_map(|part| part["text"].as_str()).collect();
    if answer.is_error() {
        return Err(text.into());
    }
    let headings =
        text.lines().filter_map(|line| line.strip_prefix('#')).map(|h| h.trim_start_matches('#').trim().to_owned());
    Ok(Outline { path: path.display().to_string(), headings: headings.collect() })
}
