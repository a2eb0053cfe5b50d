//! What a tool says and asks in a `call` of this process: whoever sits at the terminal reads it, and answers.

use super::{output::note, shown::plain};
use crate::{
    Timestamp,
    call::line::{Abilities, Ask, Line, LogLevel, Request, Speech},
};
use serde_json::{Map, Number, Value, json};
use std::{
    io::{self, BufRead, IsTerminal, Write},
    sync::Arc,
};
use tokio::sync::mpsc;

/// A line to whoever sits at the terminal; `None` where nobody does.
pub(super) fn line() -> Option<(Arc<Line>, mpsc::Receiver<Speech>)> {
    let somebody = io::stdin().is_terminal() && io::stderr().is_terminal();
    let abilities = Abilities { form: true, url: true, ..Abilities::default() };
    somebody.then(|| Line::new(abilities, true, Some(LogLevel::Info), Map::new()))
}

/// Shows what is said, and asks what is asked, for as long as the call goes on.
pub(super) async fn attend(heard: Option<&mut mpsc::Receiver<Speech>>) {
    let Some(heard) = heard else { return std::future::pending().await };
    while let Some(speech) = heard.recv().await {
        match speech {
            Speech::Progress { done, total, message } => {
                let of = total.map_or_else(String::new, |total| format!("/{total}"));
                note(format_args!("[{done}{of}] {}", plain(message.as_deref().unwrap_or_default())));
            }
            Speech::Log { level, message } => note(format_args!("{}: {}", level.as_str(), plain(&message))),
            Speech::Ask(Ask { requests, reply }) => {
                // a thread that waits for the keyboard; when the call ends first, the process does not wait for it
                let asked = tokio::task::spawn_blocking(move || {
                    let mut person = Person { input: io::stdin().lock(), output: io::stderr() };
                    requests.iter().map(|request| person.answer(request)).collect::<io::Result<Vec<Value>>>()
                });
                let answers = match asked.await {
                    Ok(Ok(answers)) => Ok(answers),
                    Ok(Err(error)) => Err(format!("the terminal cannot be read: {error}")),
                    Err(_) => Err("nobody answers any more".to_owned()),
                };
                let _ = reply.send(answers);
            }
        }
    }
    std::future::pending::<()>().await;
}

struct Person<I, O> {
    input: I,
    output: O,
}

impl<I: BufRead, O: Write> Person<I, O> {
    /// Puts a question, and gives the answer as an MCP client would.
    fn answer(&mut self, request: &Request) -> io::Result<Value> {
        let text = |name: &str| plain(request.params[name].as_str().unwrap_or_default());
        writeln!(self.output, "{}", text("message"))?;
        if request.params["mode"] == "url" {
            writeln!(self.output, "Open this address: {}", text("url"))?;
            return self.yes_or_no("Do you agree to open it?");
        }
        let schema = &request.params["requestedSchema"];
        let fields = schema["properties"].as_object().filter(|fields| !fields.is_empty());
        let Some(fields) = fields else { return self.yes_or_no("Yes or no?") };
        let required = |name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|r| r == name));
        let mut content = Map::new();
        for (name, field) in fields {
            match self.field(name, field, required(name))? {
                Some(Some(value)) => drop(content.insert(name.clone(), value)),
                Some(None) => {}
                None => return Ok(json!({ "action": "cancel" })),
            }
        }
        Ok(json!({ "action": "accept", "content": content }))
    }

    fn yes_or_no(&mut self, what: &str) -> io::Result<Value> {
        // a slip of the finger is asked again, once; who then says neither does not say yes
        for again in [true, false] {
            let Some(line) = self.prompt(&format!("{what} [y/N] "))? else { return Ok(json!({ "action": "cancel" })) };
            match line.to_ascii_lowercase().as_str() {
                "y" | "yes" => return Ok(json!({ "action": "accept", "content": {} })),
                "" | "n" | "no" => break,
                _ if again => writeln!(self.output, "  expected y or n")?,
                _ => {}
            }
        }
        Ok(json!({ "action": "decline" }))
    }

    /// Asks until there is an answer that fits, or nothing where nothing is one. `None`: the person gives up.
    fn field(&mut self, name: &str, field: &Value, required: bool) -> io::Result<Option<Option<Value>>> {
        let mut prompt = format!("  {}", plain(field["title"].as_str().unwrap_or(name)));
        if let Some(description) = field["description"].as_str() {
            prompt.push_str(&format!(" ({})", plain(description)));
        }
        let options = options(field);
        if !options.is_empty() {
            prompt.push_str(&format!(" {{{}}}", options.join(", ")));
        }
        if let Some(example) = field["format"].as_str().and_then(example) {
            prompt.push_str(&format!(" {{such as {example}}}"));
        }
        if !required && field.get("default").is_none() {
            prompt.push_str(" [may stay empty]");
        }
        if let Some(default) = field.get("default") {
            let default = default.as_str().map_or_else(|| default.to_string(), str::to_owned);
            prompt.push_str(&format!(" [{}]", plain(&default)));
        }
        prompt.push_str(": ");
        loop {
            let Some(line) = self.prompt(&prompt)? else { return Ok(None) };
            if line.is_empty() {
                match field.get("default") {
                    Some(default) => return Ok(Some(Some(default.clone()))),
                    None if !required => return Ok(Some(None)),
                    None => writeln!(self.output, "  it is needed (Ctrl-D gives up)")?,
                }
                continue;
            }
            match read(&line, field, &options) {
                Ok(value) => return Ok(Some(Some(value))),
                Err(expected) => writeln!(self.output, "  expected {expected}")?,
            }
        }
    }

    fn prompt(&mut self, prompt: &str) -> io::Result<Option<String>> {
        self.output.write_all(prompt.as_bytes())?;
        self.output.flush()?;
        let mut line = String::new();
        if self.input.read_line(&mut line)? == 0 {
            // whatever is printed next has a line of its own
            writeln!(self.output)?;
            return Ok(None);
        }
        Ok(Some(line.trim().to_owned()))
    }
}

/// The values that a choice, or a list of choices, may have.
fn options(field: &Value) -> Vec<String> {
    let of = |schema: &Value| -> Vec<String> {
        let text = |value: &Value| value.as_str().map(plain);
        let titled = schema["oneOf"].as_array().or(schema["anyOf"].as_array());
        match (schema["enum"].as_array(), titled) {
            (Some(values), _) => values.iter().filter_map(text).collect(),
            (None, Some(titled)) => titled.iter().filter_map(|one| text(&one["const"])).collect(),
            (None, None) => Vec::new(),
        }
    };
    let own = of(field);
    if own.is_empty() { of(&field["items"]) } else { own }
}

/// A text of this format.
fn example(format: &str) -> Option<&'static str> {
    match format {
        "date-time" => Some("2026-01-31T09:30:00Z"),
        "date" => Some("2026-01-31"),
        "email" => Some("ada@example.com"),
        "uri" => Some("https://example.com/"),
        _ => None,
    }
}

/// Whether a text is of its format, as far as it can be known. A form is judged as a whole by whoever asked, when all of it
/// is filled in: what is told here need not be typed again.
fn fits(text: &str, format: &str) -> bool {
    match format {
        "date-time" => text.parse::<Timestamp>().is_ok(),
        "date" => text.parse::<jiff::civil::Date>().is_ok(),
        "email" => text.contains('@'),
        "uri" => url::Url::parse(text).is_ok(),
        _ => true,
    }
}

/// What was typed, as the field's type; the error says what was expected.
fn read(line: &str, field: &Value, options: &[String]) -> Result<Value, String> {
    let known = |text: &str| options.is_empty() || options.iter().any(|option| option == text);
    match field["type"].as_str() {
        Some("boolean") => match line.to_ascii_lowercase().as_str() {
            "y" | "yes" | "true" => Ok(true.into()),
            "n" | "no" | "false" => Ok(false.into()),
            _ => Err("y or n".to_owned()),
        },
        Some("integer") => line.parse::<i64>().map(Value::from).map_err(|_| "a whole number".to_owned()),
        Some("number") => {
            let number = line.parse::<f64>().ok().and_then(Number::from_f64);
            number.map(Value::Number).ok_or_else(|| "a number".to_owned())
        }
        Some("array") => {
            let items: Vec<&str> = line.split(',').map(str::trim).filter(|item| !item.is_empty()).collect();
            if items.iter().all(|item| known(item)) {
                Ok(items.into())
            } else {
                Err(format!("some of {}, with commas between them", options.join(", ")))
            }
        }
        _ if known(line) => match field["format"].as_str().filter(|format| !fits(line, format)) {
            Some(format) => Err(format!("a {format} such as {}", example(format).unwrap_or_default())),
            None => Ok(line.into()),
        },
        _ => Err(format!("one of {}", options.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(params: Value, typed: &str) -> (Value, String) {
        let mut person = Person { input: typed.as_bytes(), output: Vec::new() };
        let request = Request { key: "q".into(), method: "elicitation/create".into(), params };
        let answer = person.answer(&request).expect("a pipe reads");
        (answer, String::from_utf8(person.output).expect("text"))
    }
    fn form(fields: &Value, required: &[&str]) -> Value {
        json!({ "message": "Who?", "requestedSchema": { "type": "object", "properties": fields, "required": required } })
    }

    #[test]
    fn a_yes_is_a_yes_and_whatever_else_is_none() {
        let plain = form(&json!({}), &[]);
        assert_eq!(asked(plain.clone(), "y\n").0, json!({ "action": "accept", "content": {} }));
        for no in ["n\n", "\n", "yeah\nyeah\ny\n", "maybe\n\n"] {
            assert_eq!(asked(plain.clone(), no).0, json!({ "action": "decline" }));
        }
        let (answer, shown) = asked(plain.clone(), "yeah\nyes\n");
        assert_eq!(answer["action"], "accept");
        assert_eq!(shown, "Who?\nYes or no? [y/N]   expected y or n\nYes or no? [y/N] ");
        let (answer, shown) = asked(plain, "");
        assert_eq!(answer, json!({ "action": "cancel" }));
        assert!(shown.ends_with("[y/N] \n"), "{shown}");
        let link = json!({ "mode": "url", "message": "Pay", "url": "https://pay.example.com" });
        let (answer, shown) = asked(link, "yes\n");
        assert_eq!(answer["action"], "accept");
        assert!(shown.contains("https://pay.example.com"), "{shown}");
    }

    #[test]
    fn a_form_is_asked_field_by_field_until_each_answer_fits() {
        let fields = json!({
            "name": { "type": "string" },
            "age": { "type": "integer", "description": "in years" },
            "meal": { "type": "string", "enum": ["pasta", "rice"], "default": "rice" },
            "extras": { "type": "array", "items": { "anyOf": [{ "const": "nuts" }, { "const": "oil" }] } },
            "note": { "type": "string" },
            "window": { "type": "boolean" },
            "until": { "type": "string", "format": "date-time" },
        });
        let (answer, shown) = asked(
            form(&fields, &["name", "age"]),
            "\nAda\nold\n36\n\nnuts, salt\nnuts, oil\n\ny\ntomorrow\n2026-02-01T00:00:00Z\n",
        );
        let content = json!({ "name": "Ada", "age": 36, "meal": "rice", "extras": ["nuts", "oil"], "window": true, "until": "2026-02-01T00:00:00Z" });
        assert_eq!(answer, json!({ "action": "accept", "content": content }));
        for words in [
            "it is needed",
            "  name: ",
            "age (in years): ",
            "expected a whole number",
            "{pasta, rice} [rice]: ",
            "some of nuts, oil",
            "note [may stay empty]: ",
            "until {such as 2026-01-31T09:30:00Z} [may stay empty]: ",
            "expected a date-time such as 2026-01-31T09:30:00Z",
        ] {
            assert!(shown.contains(words), "{words}: {shown}");
        }
    }
}
