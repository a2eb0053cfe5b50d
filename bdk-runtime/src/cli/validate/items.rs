//! What one source file declares, as far as reading its tokens shows it: the attributed functions and the modules.

use super::lexer::{Kind, Token, tokens};

/// The attributes that register something.
const ATTRIBUTES: [&str; 4] = ["tool", "tools", "provide", "connection"];

/// What a file declares.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct File {
    pub(super) items: Vec<Item>,
    pub(super) modules: Vec<Module>,
    /// Whether `extension!` stands in it.
    pub(super) extension: bool,
}

/// One attributed function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) name: String,
    /// The first line of its attributes, and the line of its name.
    pub(super) lines: (u32, u32),
    /// The conditions it stands under, as written in `#[cfg(…)]`.
    pub(super) cfg: Vec<String>,
}

/// One `mod name;`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Module {
    /// Names of the inline modules around it, and its own.
    pub(super) path: Vec<String>,
    /// `#[path = "…"]`.
    pub(super) file: Option<String>,
    pub(super) cfg: Vec<String>,
}

/// Reads a file. `bdk` is what its crate calls bdk.
pub(super) fn read(source: &str, bdk: &str) -> File {
    let tokens = tokens(source);
    let mut reader = Reader { tokens: &tokens, at: 0, bdk, pending: Vec::new(), blocks: Vec::new(), found: Vec::new() };
    let mut file = File::default();
    let mut foreign = Vec::new();
    while reader.at < tokens.len() {
        reader.step(&mut file, &mut foreign);
    }
    // after `use rmcp::tool;` a bare `#[tool]` is another crate's
    let ours = |found: &Found<'_>| found.qualified || !foreign.contains(&found.attribute);
    file.items = reader.found.into_iter().filter(ours).map(|found| found.item).collect();
    file
}

struct Found<'a> {
    item: Item,
    attribute: &'a str,
    /// Written with a path: `#[bdk::tool]`.
    qualified: bool,
}

struct Attribute<'a> {
    path: Vec<&'a str>,
    line: u32,
    cfg: Option<String>,
    /// The text after `=`, of `#[path = "…"]`.
    text: Option<&'a str>,
}

#[derive(Default)]
struct Block {
    module: Option<String>,
    cfg: Vec<String>,
}

struct Reader<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
    bdk: &'t str,
    /// The attributes of the item that comes next.
    pending: Vec<Attribute<'a>>,
    blocks: Vec<Block>,
    found: Vec<Found<'a>>,
}

impl<'a> Reader<'_, 'a> {
    fn peek(&self, ahead: usize) -> Option<&Kind<'a>> {
        self.tokens.get(self.at + ahead).map(|t| &t.kind)
    }
    fn word(&self, ahead: usize) -> Option<&'a str> {
        match self.peek(ahead) {
            Some(Kind::Word(word)) => Some(word),
            _ => None,
        }
    }
    fn mark(&self, ahead: usize, mark: char) -> bool {
        self.peek(ahead) == Some(&Kind::Mark(mark))
    }
    fn opens(&self, ahead: usize) -> bool {
        ['(', '[', '{'].iter().any(|c| self.mark(ahead, *c))
    }

    fn step(&mut self, file: &mut File, foreign: &mut Vec<&'a str>) {
        match (self.peek(0), self.word(1)) {
            (Some(Kind::Mark('#')), _) if self.mark(1, '[') || (self.mark(1, '!') && self.mark(2, '[')) => {
                self.attribute();
            }
            (Some(Kind::Word("mod")), Some(name)) if self.mark(2, ';') || self.mark(2, '{') => self.module(name, file),
            (Some(Kind::Word("use")), _) => self.import(foreign),
            (Some(Kind::Word("fn")), Some(name)) => self.function(name),
            (Some(Kind::Word("macro_rules")), _) if self.mark(1, '!') => {
                self.at += 3;
                self.skip_group();
            }
            // what stands in a macro call is not yet an item: its lines are the call's
            (Some(Kind::Word(word)), _) if self.mark(1, '!') && self.opens(2) => {
                file.extension |= *word == "extension";
                self.at += 2;
                self.skip_group();
                self.pending.clear();
            }
            (Some(Kind::Mark('{')), _) => {
                self.at += 1;
                let cfg = self.pending_cfg();
                self.blocks.push(Block { module: None, cfg });
                self.pending.clear();
            }
            (Some(Kind::Mark('}')), _) => {
                self.at += 1;
                self.blocks.pop();
                self.pending.clear();
            }
            (Some(Kind::Mark(';')), _) => {
                self.at += 1;
                self.pending.clear();
            }
            _ => self.at += 1,
        }
    }

    /// `#[…]` or `#![…]`.
    fn attribute(&mut self) {
        let line = self.tokens[self.at].line;
        let inner = self.mark(1, '!');
        self.at += if inner { 2 } else { 1 };
        let from = self.at + 1;
        self.skip_group();
        let body = &self.tokens[from.min(self.at)..self.at.saturating_sub(1).max(from.min(self.at))];
        let mut path = Vec::new();
        let mut rest = body;
        while let [first, tail @ ..] = rest {
            match &first.kind {
                Kind::Word(word) => path.push(*word),
                Kind::Mark(':') => {}
                _ => break,
            }
            rest = tail;
        }
        let cfg = (path == ["cfg"]).then(|| written(rest.get(1..rest.len().saturating_sub(1)).unwrap_or_default()));
        let text = match rest {
            [eq, Token { kind: Kind::Text(text), .. }] if eq.kind == Kind::Mark('=') => Some(*text),
            _ => None,
        };
        match (inner, cfg) {
            (true, Some(cfg)) => {
                if self.blocks.is_empty() {
                    self.blocks.push(Block::default());
                }
                if let Some(block) = self.blocks.last_mut() {
                    block.cfg.push(cfg);
                }
            }
            (true, None) => {}
            (false, cfg) => self.pending.push(Attribute { path, line, cfg, text }),
        }
    }

    fn pending_cfg(&self) -> Vec<String> {
        self.pending.iter().filter_map(|a| a.cfg.clone()).collect()
    }
    /// All conditions that the next item stands under.
    fn cfg(&self) -> Vec<String> {
        self.blocks.iter().flat_map(|b| b.cfg.iter().cloned()).chain(self.pending_cfg()).collect()
    }

    fn module(&mut self, name: &str, file: &mut File) {
        let declared = self.mark(2, ';');
        self.at += 3;
        if declared {
            let path = self.blocks.iter().filter_map(|b| b.module.clone()).chain([name.to_owned()]).collect();
            let by_hand = self.pending.iter().find(|a| a.path == ["path"]).and_then(|a| a.text);
            file.modules.push(Module { path, file: by_hand.map(str::to_owned), cfg: self.cfg() });
        } else {
            let cfg = self.pending_cfg();
            self.blocks.push(Block { module: Some(name.to_owned()), cfg });
        }
        self.pending.clear();
    }

    /// Notes a `use` that brings another crate's attribute of our name into scope.
    fn import(&mut self, foreign: &mut Vec<&'a str>) {
        self.at += 1;
        let mut words = Vec::new();
        while self.at < self.tokens.len() && !self.mark(0, ';') {
            words.extend(self.word(0));
            self.at += 1;
        }
        self.pending.clear();
        if let Some((first, rest)) = words.split_first()
            && ![self.bdk, "bdk", "crate", "self", "super"].contains(first)
        {
            foreign.extend(rest.iter().copied().filter(|w| ATTRIBUTES.contains(w)));
        }
    }

    fn function(&mut self, name: &str) {
        let line = self.tokens[self.at + 1].line;
        self.at += 2;
        let bdk = self.bdk;
        let attribute = self.pending.iter().find_map(|a| match a.path.as_slice() {
            [name] if ATTRIBUTES.contains(name) => Some((*name, false)),
            [krate, name] if ATTRIBUTES.contains(name) && (*krate == bdk || *krate == "bdk") => Some((*name, true)),
            _ => None,
        });
        if let Some((attribute, qualified)) = attribute
            && !self.is_method()
        {
            let first = self.pending.iter().map(|a| a.line).min().unwrap_or(line);
            let item = Item { name: name.to_owned(), lines: (first, line), cfg: self.cfg() };
            self.found.push(Found { item, attribute, qualified });
        }
    }

    /// Whether the parameters begin with `self`: then the attribute is another crate's.
    fn is_method(&self) -> bool {
        let mut ahead = 0;
        while self.peek(ahead).is_some() && !self.mark(ahead, '(') && !self.mark(ahead, '{') {
            ahead += 1;
        }
        ahead += 1;
        while self.mark(ahead, '&') || self.word(ahead) == Some("mut") || self.peek(ahead) == Some(&Kind::Other) {
            ahead += 1;
        }
        self.word(ahead) == Some("self")
    }

    /// Passes over a bracketed group that begins here.
    fn skip_group(&mut self) {
        let mut depth = 0_u32;
        while let Some(kind) = self.peek(0) {
            match kind {
                Kind::Mark('(' | '[' | '{') => depth += 1,
                Kind::Mark(')' | ']' | '}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }
}

/// Tokens as their author would write them in a `cfg`.
fn written(tokens: &[Token<'_>]) -> String {
    let mut out = String::new();
    for token in tokens {
        match &token.kind {
            Kind::Word(word) => out.push_str(word),
            Kind::Text(text) => {
                out.push('"');
                out.push_str(text);
                out.push('"');
            }
            Kind::Mark('=') => out.push_str(" = "),
            Kind::Mark(',') => out.push_str(", "),
            Kind::Mark(c) => out.push(*c),
            Kind::Other => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(source: &str) -> Vec<String> {
        read(source, "bdk").items.into_iter().map(|i| i.name).collect()
    }

    #[test]
    fn attributed_functions_are_found_with_their_lines() {
        let source = "use bdk::prelude::*;\n/// Doc with #[tool] in it.\n#[tool(\n    effect = \"read\"\n)]\n#[allow(dead_code)]\npub async fn look(a: u32) {}\n#[bdk::provide] fn db() -> Db { Db }\n#[tools]\nfn made() {}\nfn plain() {}\n#[connection(host)]\nfn linear() {}";
        let items = read(source, "bdk").items;
        let found: Vec<_> = items.iter().map(|i| (i.name.as_str(), i.lines)).collect();
        assert_eq!(found, [("look", (3, 7)), ("db", (8, 8)), ("made", (9, 10)), ("linear", (12, 13))]);
    }

    #[test]
    fn comments_strings_macros_and_other_crates_attributes_are_not_ours() {
        assert_eq!(
            names("// #[tool] fn a() {}\n/* #[tool] fn b() {} */ const S: &str = \"#[tool] fn c() {}\";"),
            [""; 0]
        );
        assert_eq!(names("macro_rules! m { () => { #[tool] fn a() {} } } m! { #[tool] fn b() {} }"), [""; 0]);
        assert_eq!(names("use rmcp::{tool, Json}; #[tool] fn theirs() {} #[bdk::tool] fn ours() {}"), ["ours"]);
        assert_eq!(names("impl S { #[tool] async fn method(&'a mut self, x: u32) {} }"), [""; 0]);
        assert_eq!(names("#[other::tool] fn theirs() {}"), [""; 0]);
    }

    #[test]
    fn a_renamed_bdk_is_known_by_its_name() {
        let items = read("#[kit::tool] fn ours() {}", "kit").items;
        assert_eq!(items.len(), 1);
    }

    #[test]
    fn conditions_are_those_of_the_item_and_of_all_around_it() {
        let source =
            "#[cfg(feature = \"gpu\")] mod gpu { #[cfg(all(unix, not(test)))] #[tool] fn a() {} } #[tool] fn b() {}";
        let items = read(source, "bdk").items;
        assert_eq!(items[0].cfg, ["feature = \"gpu\"", "all(unix, not(test))"]);
        assert!(items[1].cfg.is_empty());
        assert_eq!(read("#![cfg(unix)] #[tool] fn a() {}", "bdk").items[0].cfg, ["unix"]);
    }

    #[test]
    fn modules_in_other_files_are_found_with_the_modules_around_them() {
        let file = read(
            "mod a; pub mod b { #[path = \"x/y.rs\"] mod c; } #[cfg(test)] mod tests; bdk::extension!(\"jev\");",
            "bdk",
        );
        let module = |path: &[&str], file: Option<&str>, cfg: &[&str]| Module {
            path: path.iter().map(|s| (*s).to_owned()).collect(),
            file: file.map(str::to_owned),
            cfg: cfg.iter().map(|s| (*s).to_owned()).collect(),
        };
        assert_eq!(
            file.modules,
            [module(&["a"], None, &[]), module(&["b", "c"], Some("x/y.rs"), &[]), module(&["tests"], None, &["test"])]
        );
        assert!(file.extension);
    }
}
