//! What there is, as JSON: made when first asked for, and kept as bytes until the tools change.

use super::openapi;
use crate::{
    bot::Bot,
    registry::{Made, Registry},
};
use bytes::Bytes;
use serde_json::{Value, json};

/// How many tools a page of the listing has at most.
const PAGE: usize = 1000;

/// The bot as its routes show it.
pub(super) struct Surface {
    bot: Bot,
    prefix: String,
    public_url: Option<String>,
    /// Whether callers show a token, and whether they may do without.
    security: Security,
    tools: Made<Bytes>,
    openapi: Made<Bytes>,
}

/// What the OpenAPI document says of authentication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Security {
    pub(super) bearer: bool,
    pub(super) anonymous: bool,
}

impl Surface {
    pub(super) fn new(bot: Bot, prefix: String, public_url: Option<String>, security: Security) -> Self {
        Self { bot, prefix, public_url, security, tools: Made::new(), openapi: Made::new() }
    }
    pub(super) fn bot(&self) -> &Bot {
        &self.bot
    }
    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// A page of the tools: those behind the name that the cursor is.
    pub(super) async fn tools(&self, cursor: Option<&str>) -> Bytes {
        self.bot.connect().await;
        let registry = self.bot.registry();
        match cursor {
            None => self.tools.of(&registry, || self.page(&registry, 0)),
            Some(cursor) => self.page(&registry, registry.tools().partition_point(|tool| tool.name() <= cursor)),
        }
    }
    fn page(&self, registry: &Registry, from: usize) -> Bytes {
        let rest = registry.tools().get(from..).unwrap_or_default();
        let page = &rest[..rest.len().min(PAGE)];
        let tools: Vec<Value> = page.iter().map(|tool| tool.listing(self.bot.slug())).collect();
        let mut out = json!({ "ok": true, "tools": tools });
        if page.len() < rest.len()
            && let Some(last) = page.last()
        {
            out["nextCursor"] = last.name().into();
        }
        bytes(&out)
    }

    pub(super) fn openapi(&self) -> Bytes {
        let registry = self.bot.registry();
        self.openapi.of(&registry, || {
            let base = self.public_url.as_deref().unwrap_or_default().trim_end_matches('/');
            bytes(&openapi::document(&self.bot, &registry, &format!("{base}{}", self.prefix), self.security))
        })
    }

    pub(super) async fn info(&self) -> Bytes {
        self.bot.connect().await;
        let mut out = json!({ "ok": true });
        if let (Some(out), Value::Object(info)) = (out.as_object_mut(), info(&self.bot)) {
            out.extend(info);
        }
        bytes(&out)
    }

    pub(super) fn agents(&self) -> Bytes {
        let agent = json!({ "slug": self.bot.slug(), "name": self.bot.identity().name, "path": self.prefix });
        bytes(&json!({ "ok": true, "agents": [agent] }))
    }

    pub(super) fn index(&self, routes: &[String]) -> Bytes {
        bytes(&json!({ "ok": true, "name": self.bot.identity().name, "routes": routes }))
    }
}

/// The bot's surface: who it is, and how many tools each of its crates brought.
pub(crate) fn info(bot: &Bot) -> Value {
    let registry = bot.registry();
    json!({
        "name": bot.identity().name,
        "version": bot.identity().version,
        "bdk": env!("CARGO_PKG_VERSION"),
        "agents": [{ "slug": bot.slug(), "tools": registry.tools().iter().map(|tool| tool.name()).collect::<Vec<_>>() }],
        "crates": registry.crates(),
    })
}

fn bytes(value: &Value) -> Bytes {
    value.to_string().into()
}
