//! A finished call as MCP has it: the result of a `tools/call`.

use super::Done;
use crate::tool::Output;

impl Done {
    /// What it says to whoever reads a text: of a call that failed, which tool it was, and why.
    pub(crate) fn words(&self) -> String {
        let Output::Envelope(envelope) = &self.output else { return String::new() };
        envelope.content().iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
    }
    /// Writes the result object: content, structured content where the value is an object, and in `_meta` the call's id and
    /// what beside the text says why it failed. `complete`: as 2026-07-28 has it, with its `resultType`, and with structured
    /// content of any type where the tool advertises an output schema: not where a dry run may stub it by a text.
    pub(crate) fn write_mcp(&self, out: &mut Vec<u8>, complete: bool) -> serde_json::Result<()> {
        let tool = self.state.tool();
        let advertised = tool.has_output_schema() && !(self.state.options.dry_run && tool.may_be_acknowledged());
        // such a client refuses a result without what its schema describes
        let described = complete && !self.is_error() && advertised;
        out.push(b'{');
        if complete {
            out.extend_from_slice(b"\"resultType\":\"complete\",");
        }
        out.extend_from_slice(b"\"content\":");
        match &self.output {
            Output::Unit => {
                out.extend_from_slice(br#"[{"type":"text","text":"Done."}]"#);
                if described {
                    write_structured(out, b"null");
                }
            }
            Output::Text(text) => {
                write_text(out, text)?;
                if described {
                    write_structured(out, &serde_json::to_vec(text)?);
                }
            }
            Output::Json(json) => {
                write_text(out, &json.text)?;
                if json.object || described {
                    write_structured(out, json.text.as_bytes());
                }
            }
            Output::Envelope(envelope) => {
                serde_json::to_writer(&mut *out, envelope.content())?;
                match envelope.structured_content() {
                    // a client of any version takes an object there, and one before 2026-07-28 nothing else
                    Some(structured) if complete || structured.is_object() => {
                        write_structured(out, structured.to_string().as_bytes());
                    }
                    None if !self.is_error() && advertised => {
                        let (tool, call_id) = (tool.name(), self.call_id());
                        tracing::warn!(
                            target: "bdk::call",
                            call_id,
                            tool,
                            "the tool advertises an output schema and its result has no structured content, which clients refuse: add `.structured(…)`"
                        );
                    }
                    _ => {}
                }
            }
        }
        if self.is_error() {
            out.extend_from_slice(b",\"isError\":true");
        }
        out.extend_from_slice(b",\"_meta\":{\"bdk/callId\":\"");
        // no character of a call's id has to be escaped
        out.extend_from_slice(self.call_id().as_bytes());
        out.push(b'"');
        if self.stubbed() {
            out.extend_from_slice(b",\"bdk/stubbed\":true");
        }
        if let Some(error) = &self.error {
            out.extend_from_slice(b",\"bdk/error\":");
            serde_json::to_writer(&mut *out, error)?;
        }
        out.extend_from_slice(b"}}");
        Ok(())
    }
}

fn write_text(out: &mut Vec<u8>, text: &str) -> serde_json::Result<()> {
    out.reserve(text.len() + text.len() / 8 + 64);
    out.extend_from_slice(b"[{\"type\":\"text\",\"text\":");
    serde_json::to_writer(&mut *out, text)?;
    out.extend_from_slice(b"}]");
    Ok(())
}

fn write_structured(out: &mut Vec<u8>, json: &[u8]) {
    out.reserve(json.len() + 128);
    out.extend_from_slice(b",\"structuredContent\":");
    let from = out.len();
    out.extend_from_slice(json);
    // A message is one line on every transport, and a raw value may be laid out in several: between its tokens one white
    // space is as good as another, and in its texts no line breaks.
    if json.contains(&b'\n') || json.contains(&b'\r') {
        out[from..].iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    }
}
