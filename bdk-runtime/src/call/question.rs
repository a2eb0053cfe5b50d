//! What a tool may ask its caller: a yes or no, a form, a link to open, or any other request that the caller's protocol knows.

mod form;

use super::{Answer, line::Abilities, line::Request};
use crate::{Error, id, tool::Param};
use form::Form;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// The request that asks a person.
pub(crate) const ELICIT: &str = "elicitation/create";

/// Something to ask whoever called: see [`ToolContext::ask`](crate::ToolContext::ask).
///
/// A text alone is a question for yes or no: accepted or declined. With fields it is a form.
///
/// ```
/// use bdk::{Error, Question, ToolContext};
///
/// async fn book(ctx: &ToolContext) -> Result<String, Error> {
///     if !ctx.ask("Book the last seat?").await?.accepted() {
///         return Ok("Not booked.".into());
///     }
///     let seat = ctx.ask(Question::new("Whose seat is it?").text("name").choice("meal", ["pasta", "rice"]).optional()).await?;
///     let seat = seat.value::<serde_json::Value>()?;
///     Ok(format!("Booked for {}.", seat["name"]))
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Question {
    kind: Kind,
    id: Option<String>,
    /// What is wrong with it: told when it is asked, so that building one needs no `?`.
    fault: Option<String>,
}

#[derive(Debug, Clone)]
enum Kind {
    Form { message: String, form: Form },
    Url { message: String, url: String },
    Request { method: String, params: Value },
}

impl Question {
    fn of_kind(kind: Kind) -> Self {
        let fault = fault(&kind);
        Self { kind, id: None, fault }
    }
    /// A question for yes or no, and with fields a form.
    pub fn new(message: impl Into<String>) -> Self {
        Self::of_kind(Kind::Form { message: message.into(), form: Form::default() })
    }
    /// A form with the fields of a struct; each must be a text, a number, a `bool`, an enum of plain names or a list of such an
    /// enum's (`Vec<Meal>`), or an `Option` of one of these. MCP has no field for anything else, such as a list of texts. Doc
    /// comments are the fields' descriptions. The answer is read with [`Answer::value`].
    ///
    /// ```
    /// use bdk::{Error, Question, ToolContext};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Seat {
    ///     /// As it stands in the passport.
    ///     name: String,
    ///     row: Option<u8>,
    /// }
    ///
    /// async fn seat(ctx: &ToolContext) -> Result<Seat, Error> {
    ///     ctx.ask(Question::of::<Seat>("Where do you want to sit?")).await?.value()
    /// }
    /// ```
    pub fn of<T: DeserializeOwned + JsonSchema + Send + 'static>(message: impl Into<String>) -> Self {
        Self::of_param(message.into(), &Param::new::<T>("form", "", false, true))
    }
    fn of_param(message: String, param: &Param) -> Self {
        let (form, fault) = match Form::of(param) {
            Ok(form) => (form, None),
            Err(fault) => (Form::default(), Some(fault)),
        };
        let made = Self::of_kind(Kind::Form { message, form });
        Self { fault: fault.or(made.fault), ..made }
    }
    /// A link for a person to open (`https://…` or `http://…`): to sign in, to pay. Accepted means that they agreed to open it, not that they are done there.
    pub fn url(message: impl Into<String>, url: impl Into<String>) -> Self {
        Self::of_kind(Kind::Url { message: message.into(), url: url.into() })
    }
    /// Any other request that the caller's protocol knows: `sampling/createMessage`, `roots/list`. Its answer comes as it is,
    /// in [`Answer::Accepted`].
    ///
    /// ```
    /// use bdk::{Error, Question, ToolContext};
    /// use serde_json::{Value, json};
    ///
    /// async fn title(text: String, ctx: &ToolContext) -> Result<Value, Error> {
    ///     let messages = json!([{ "role": "user", "content": { "type": "text", "text": format!("A title for: {text}") } }]);
    ///     let request = Question::request("sampling/createMessage", json!({ "messages": messages, "maxTokens": 50 }));
    ///     ctx.ask(request).await?.value()
    /// }
    /// ```
    pub fn request(method: impl Into<String>, params: Value) -> Self {
        Self::of_kind(Kind::Request { method: method.into(), params })
    }
    /// A field for a line of text.
    #[must_use]
    pub fn text(self, name: impl Into<String>) -> Self {
        self.field(name, json!({ "type": "string" }))
    }
    /// A field for a whole number.
    #[must_use]
    pub fn integer(self, name: impl Into<String>) -> Self {
        self.field(name, json!({ "type": "integer" }))
    }
    /// A field for a number.
    #[must_use]
    pub fn number(self, name: impl Into<String>) -> Self {
        self.field(name, json!({ "type": "number" }))
    }
    /// A field for yes or no.
    #[must_use]
    pub fn boolean(self, name: impl Into<String>) -> Self {
        self.field(name, json!({ "type": "boolean" }))
    }
    /// A field for one of these.
    #[must_use]
    pub fn choice<S: Into<String>>(self, name: impl Into<String>, options: impl IntoIterator<Item = S>) -> Self {
        let options: Vec<String> = options.into_iter().map(Into::into).collect();
        self.field(name, json!({ "type": "string", "enum": options }))
    }
    /// A field as JSON Schema has it: with a `title`, a `description`, a `default`, bounds.
    ///
    /// ```
    /// # use bdk::Question;
    /// # use serde_json::json;
    /// let question = Question::new("Who gets the receipt?")
    ///     .field("mail", json!({ "type": "string", "format": "email", "title": "E-mail", "default": "office@example.com" }));
    /// # let _ = question;
    /// ```
    #[must_use]
    pub fn field(mut self, name: impl Into<String>, schema: Value) -> Self {
        let added = match &mut self.kind {
            Kind::Form { form, .. } => form.add(name.into(), schema, true),
            _ => Err("a link and a request have no fields".to_owned()),
        };
        self.fault = self.fault.or(added.err());
        self
    }
    /// The field before this may be left out.
    #[must_use]
    pub fn optional(mut self) -> Self {
        let done = match &mut self.kind {
            Kind::Form { form, .. } => form.last_is_optional(),
            _ => Err("a link and a request have no fields".to_owned()),
        };
        self.fault = self.fault.or(done.err());
        self
    }
    /// The key under which it is asked, and under which an answer may come with the call. Default: made from what is asked.
    #[must_use]
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// What is wrong with it.
    pub(super) fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }
    /// The key that its author gave.
    pub(super) fn given_id(&self) -> Option<&str> {
        self.id.as_deref()
    }
    /// The key of a question without one: the same for the same words, in every process, so that an answer is taken for no
    /// other question than the one it was given to.
    pub(super) fn made_id(&self) -> String {
        let words = match &self.kind {
            Kind::Form { message, form } => json!([message, form.schema()]),
            Kind::Url { message, url } => json!([message, url]),
            Kind::Request { method, params } => json!([method, params]),
        };
        // FNV-1a
        let hash = words
            .to_string()
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        format!("ask_{hash:016x}")
    }
    /// What the caller lacks for it: the capability, as MCP names it, and what it is in words.
    pub(super) fn lacked_by(&self, abilities: Abilities) -> Option<(&'static str, &'static str)> {
        let (able, capability, words) = match &self.kind {
            Kind::Form { .. } => (abilities.form, "elicitation", "`elicitation`"),
            Kind::Url { .. } => (abilities.url, "elicitation", "`elicitation` with links (`url`)"),
            Kind::Request { method, .. } => match method.as_str() {
                "sampling/createMessage" => (abilities.sampling, "sampling", "`sampling`"),
                "roots/list" => (abilities.roots, "roots", "`roots`"),
                _ => (true, "", ""),
            },
        };
        (!able).then_some((capability, words))
    }
    /// As it is sent. What every version of MCP takes: a form names no `mode`.
    pub(super) fn to_request(&self, key: String) -> Request {
        let (method, params) = match &self.kind {
            Kind::Form { message, form } => (ELICIT, json!({ "message": message, "requestedSchema": form.wire() })),
            Kind::Url { message, url } => {
                (ELICIT, json!({ "mode": "url", "message": message, "url": url, "elicitationId": id::random() }))
            }
            Kind::Request { method, params } => (method.as_str(), params.clone()),
        };
        Request { key, method: method.to_owned(), params }
    }
    /// Reads what came back.
    ///
    /// # Errors
    /// When it is no answer to this question.
    pub(super) fn read(&self, mut raw: Value) -> Result<Answer, Error> {
        let form = match &self.kind {
            Kind::Request { .. } => return Ok(Answer::Accepted(raw)),
            Kind::Form { form, .. } => Some(form),
            Kind::Url { .. } => None,
        };
        match raw.get("action").and_then(Value::as_str) {
            Some("accept") => {}
            Some("decline") => return Ok(Answer::Declined),
            Some("cancel") => return Ok(Answer::Cancelled),
            _ => {
                return Err(Error::unavailable(
                    "the caller's answer is none: it has no `action` that is `accept`, `decline` or `cancel`",
                ));
            }
        }
        let content = raw.get_mut("content").map(Value::take).filter(|c| !c.is_null());
        let content = content.unwrap_or_else(|| Value::Object(Map::new()));
        match form {
            Some(form) => form.read(content).map(Answer::Accepted).map_err(|faults| {
                Error::unavailable(format!("the caller's answer does not fit the form that was asked: {faults}"))
            }),
            None => Ok(Answer::Accepted(content)),
        }
    }
}

/// What is wrong with a question from the start.
fn fault(kind: &Kind) -> Option<String> {
    let (Kind::Form { message, .. } | Kind::Url { message, .. }) = kind else { return None };
    if message.trim().is_empty() {
        return Some("its message is empty, and a person would not know what is asked".to_owned());
    }
    let Kind::Url { url, .. } = kind else { return None };
    let opens = url::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    (!opens).then(|| format!("`{url}` is no address that a person could open: write it whole, `https://…`"))
}

/// For yes or no.
impl From<&str> for Question {
    fn from(message: &str) -> Self {
        Self::new(message)
    }
}

/// For yes or no.
impl From<String> for Question {
    fn from(message: String) -> Self {
        Self::new(message)
    }
}

#[cfg(test)]
mod tests;
