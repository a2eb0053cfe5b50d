//! What the notes say: a tool of this bot's own, which reads by another server.

use crate::{
    clients::files::{self, ReadTextFileArgs},
    connections::folder,
};
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
    // the client is what `mcp lock` made of the server's schemas: the compiler checks the call
    let file = files::read_text_file(&ctx.host.mcp, ReadTextFileArgs::new(whole.to_string_lossy())).await?;
    let headings = file
        .content
        .lines()
        .filter_map(|line| line.strip_prefix('#'))
        .map(|h| h.trim_start_matches('#').trim().to_owned());
    Ok(Outline { path: path.display().to_string(), headings: headings.collect() })
}
