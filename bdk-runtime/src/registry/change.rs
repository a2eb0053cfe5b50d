//! What a running bot gets and loses: each change makes another registry, which shares all tools with the one before.

use super::{Problem, Registry, Severity, Tool, by_names, check, no_handler};
use crate::{
    Error,
    bot::Identity,
    tool::{At, ToolDefinition},
};
use std::{panic::Location, sync::Arc};

impl Registry {
    /// The registry with more tools, which have passed the checks of a start: all of them, or none. `from` is where the
    /// author added them.
    pub(crate) fn with_tools(
        &self,
        definitions: impl IntoIterator<Item = ToolDefinition>,
        from: &'static Location<'static>,
    ) -> Result<Self, Error> {
        // the module is known at compile time alone, by a macro
        let at = At { file: from.file(), line: from.line(), module: "", krate: Identity::get().name };
        let mut tools = self.tools.clone();
        let mut problems = Vec::new();
        for mut definition in definitions {
            let name = definition.name.clone();
            match definition.body.take() {
                Some(body) => {
                    let mut tool = Tool::data(name, definition, body, at);
                    tool.added = true;
                    check::tool(&tool, &mut problems);
                    tools.push(Arc::new(tool));
                }
                None => problems.push(no_handler(&name, at)),
            }
        }
        // stable, so that of two with one name the one that was there comes first
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        let twins = tools.windows(2).filter(|pair| pair[0].name == pair[1].name);
        problems.extend(twins.map(|pair| {
            let why =
                format!("there is a tool `{}` already, from {}: give this one another name", pair[0].name, pair[0].at);
            Problem::error("duplicate_tool", Some(at), why)
        }));
        let errors: Vec<String> =
            problems.into_iter().filter(|p| p.severity == Severity::Error).map(|p| p.message).collect();
        if errors.is_empty() { Ok(self.of(tools)) } else { Err(Error::new(errors.join("\n"))) }
    }

    /// The registry with these tools of other servers in the place of those that it had.
    #[cfg(feature = "connections")]
    pub(crate) fn with_remote(&self, remote: Vec<Tool>) -> Self {
        let own = self.tools.iter().filter(|tool| !tool.is_remote()).cloned();
        let mut tools: Vec<Arc<Tool>> = own.chain(remote.into_iter().map(Arc::new)).collect();
        tools.sort_by(|a, b| a.name.cmp(&b.name));
        self.of(tools)
    }

    /// What would stop a start with this tool.
    #[cfg(feature = "connections")]
    pub(crate) fn fault_of(&self, tool: &Tool) -> Option<String> {
        let mut problems = Vec::new();
        check::tool(tool, &mut problems);
        problems.into_iter().find(|p| p.severity == Severity::Error).map(|p| p.message)
    }

    /// The registry without an added tool; `None` where it has no such tool.
    pub(crate) fn without_tool(&self, name: &str) -> Result<Option<Self>, Error> {
        let Some(tool) = self.find(name) else { return Ok(None) };
        if let Some(connection) = tool.connection() {
            return Err(Error::new(format!(
                "`{name}` is a tool of the connection `{connection}`, and comes and goes with it"
            )));
        }
        if !tool.added {
            return Err(Error::new(format!(
                "`{name}` is part of this binary ({}): only a tool that was added while the bot ran can be removed",
                tool.at
            )));
        }
        Ok(Some(self.of(self.tools.iter().filter(|other| &*other.name != name).cloned().collect())))
    }

    /// The same bot with these tools, sorted by name.
    fn of(&self, tools: Vec<Arc<Tool>>) -> Self {
        Self {
            by_name: by_names(&tools),
            tools,
            connections: self.connections.clone(),
            alone: self.alone,
            providers: self.providers.clone(),
            problems: self.problems.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Effect, ToolContext, ToolDefinition, bot::Bot, registry::Registry};
    use serde_json::{Value, json};
    use std::{panic::Location, sync::Arc};

    fn bot() -> Bot {
        Bot::with(Registry::linked())
    }
    fn tool(name: &str) -> ToolDefinition {
        ToolDefinition::new(name)
            .description("Say yes.")
            .effect(Effect::Read)
            .handler(async |_input: Value, _ctx: ToolContext| Ok("yes"))
    }
    fn add(bot: &Bot, tool: ToolDefinition) -> Result<(), String> {
        bot.change(|registry| registry.with_tools([tool], Location::caller()).map(Some))
            .map(drop)
            .map_err(|e| e.to_string())
    }
    fn remove(bot: &Bot, name: &str) -> bool {
        bot.change(|registry| registry.without_tool(name)).unwrap()
    }

    #[test]
    fn a_change_is_told_and_a_refused_one_is_none() {
        let bot = bot();
        let mut changes = bot.tools_changed();
        changes.mark_unchanged();
        add(&bot, tool("late")).unwrap();
        assert!(changes.has_changed().unwrap());
        assert_eq!(*changes.borrow_and_update(), 1);
        assert!(add(&bot, tool("late")).is_err());
        assert!(!remove(&bot, "nobody"));
        assert!(!changes.has_changed().unwrap());
        assert!(remove(&bot, "late"));
        assert_eq!(*changes.borrow_and_update(), 2);
    }

    #[test]
    fn who_holds_a_registry_sees_it_whole_and_the_next_one_shares_its_tools() {
        let bot = bot();
        for name in ["m", "a", "z"] {
            add(&bot, tool(name)).unwrap();
        }
        let before = bot.registry();
        assert!(before.tools().iter().map(|t| t.name()).is_sorted());
        assert!(remove(&bot, "m"));
        let after = bot.registry();
        assert!(before.find("m").is_some() && after.find("m").is_none());
        assert_eq!(before.tools().len(), after.tools().len() + 1);
        assert!(Arc::ptr_eq(before.find("z").unwrap(), after.find("z").unwrap()));
    }

    #[test]
    fn an_added_tool_passes_the_checks_of_a_start() {
        let bot = bot();
        add(&bot, tool("twin")).unwrap();
        let both = bot.change(|registry| registry.with_tools([tool("a"), tool("a")], Location::caller()).map(Some));
        assert!(both.is_err() && bot.find("a").is_none());
        let schema = |schema| tool("x").input_schema(schema);
        for (tool, words) in [
            (tool("twin"), "already"),
            (tool("no name"), "`no name`"),
            (ToolDefinition::new("idle").description("Idle."), "handler"),
            (tool("wordless").description(" "), "description"),
            (schema(json!({ "type": "string" })), "object"),
            (schema(json!({ "type": "object", "properties": { "a": { "type": "text" } } })), "input schema of `x`"),
            (tool("x").time_args(["since"]), "`since`"),
            (tool("x").effect(Effect::Write).attempts(2), "attempts"),
        ] {
            let error = add(&bot, tool).unwrap_err();
            assert!(error.contains(words), "{words}: {error}");
        }
        assert!(bot.find("x").is_none());
    }

    #[test]
    fn changes_at_once_are_all_kept() {
        let bot = bot();
        let had = bot.registry().tools().len();
        std::thread::scope(|scope| {
            for i in 0..8 {
                let bot = &bot;
                scope.spawn(move || add(bot, tool(&format!("t{i}"))).unwrap());
            }
        });
        assert_eq!(bot.registry().tools().len(), had + 8);
    }
}
