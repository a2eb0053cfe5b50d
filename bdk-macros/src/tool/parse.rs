//! The options of `#[tool(…)]`, each by itself: what is wrong with one value alone is told here.

use super::{
    ir::{Effect, OutputSchema, Predicate, Text, Tool},
    predicate,
    table::TOOL,
};
use crate::{
    args::{Case, Opt, Value, bad_name, hint, literal, millis, nearest},
    ctxt::Ctxt,
};
use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{Expr, ExprLit, ExprUnary, Lit, LitStr, UnOp};

/// What was read, and the keys that later rules point at.
#[derive(Default)]
pub(super) struct Options {
    pub(super) tool: Tool,
    pub(super) rename_all: Option<Case>,
    pub(super) time_args: Vec<LitStr>,
    pub(super) dry_run_result: Option<Ident>,
    pub(super) attempts: Option<Ident>,
    pub(super) destructive: Option<Ident>,
    pub(super) input_schema: Option<Ident>,
    pub(super) output_schema: Option<Ident>,
    /// Given, though perhaps not right: nothing more is then said of it.
    pub(super) effect_given: bool,
    pub(super) name_given: bool,
    pub(super) description_given: bool,
    pub(super) agent: bool,
}

/// Reads the options. `execution` and `script` are refused here, once.
pub(super) fn parse(cx: &Ctxt, args: TokenStream) -> Options {
    let mut options = Options::default();
    for opt in TOOL.parse(cx, args) {
        option(cx, &mut options, opt);
    }
    options
}

fn option(cx: &Ctxt, options: &mut Options, opt: Opt) {
    let tool = &mut options.tool;
    match opt.name().as_str() {
        "name" => {
            options.name_given = true;
            tool.name = text(cx, &opt);
            if let Some(Text::Literal(name)) = &tool.name
                && let Some(message) = bad_name("a tool", &name.value())
            {
                cx.error(name, message);
            }
        }
        "title" => tool.title = opt.expr(cx).cloned(),
        "description" => {
            options.description_given = true;
            tool.description = text(cx, &opt);
            if let Some(Text::Literal(text)) = &tool.description
                && text.value().trim().is_empty()
            {
                cx.error(text, "the description is empty, and the model chooses tools by it: say what the tool does");
            }
        }
        "effect" => {
            options.effect_given = true;
            if let Some(effect) = opt.expr(cx).and_then(|expr| effect(cx, expr)) {
                tool.effect = effect;
            }
        }
        "dry_run_result" => {
            tool.dry_run_result = opt.expr(cx).and_then(|expr| predicate::parse(cx, "dry_run_result", expr));
            options.dry_run_result = Some(opt.key);
        }
        "check" => tool.check = opt.expr(cx).and_then(|expr| predicate::parse(cx, "check", expr)),
        "time_args" => options.time_args = time_args(cx, &opt),
        "output_schema" => {
            tool.output_schema = match &opt.value {
                Value::Flag => OutputSchema::OfType,
                _ => opt.expr(cx).cloned().map_or(OutputSchema::None, |expr| OutputSchema::Given(Box::new(expr))),
            };
            options.output_schema = Some(opt.key);
        }
        "input_schema" => {
            tool.input_schema = opt.expr(cx).cloned();
            options.input_schema = Some(opt.key);
        }
        "unknown_fields" => match opt.text(cx) {
            Some(text) if text.value() == "ignore" => tool.ignore_unknown = true,
            Some(text) => cx.error(
                text,
                "unknown properties are refused by default; the one other thing to say is `unknown_fields = \"ignore\"`",
            ),
            None => {}
        },
        "timeout" => {
            if let Some(text) = opt.text(cx) {
                match millis(&text.value()) {
                    Ok(ms) => tool.timeout_ms = Some(ms),
                    Err(message) => cx.error(text, message),
                }
            }
        }
        "attempts" => {
            tool.attempts = attempts(cx, &opt);
            options.attempts = Some(opt.key);
        }
        "idempotent" => tool.idempotent = opt.flag(cx),
        "destructive" => {
            tool.destructive = opt.flag(cx);
            options.destructive = Some(opt.key);
        }
        "open_world" => tool.open_world = opt.flag(cx),
        "needs_approval" => tool.needs_approval = opt.flag(cx),
        "rename_all" => options.rename_all = rename_all(cx, &opt),
        "execution" | "script" => {
            if !options.agent {
                cx.error(&opt.key, "agent tools are not yet there: leave out `execution` and `script`, and it runs in the bot");
            }
            options.agent = true;
        }
        "crate" => tool.krate = opt.krate(cx).unwrap_or_default(),
        _ => {}
    }
}

/// A string literal, or any expression that rustc may find to be a `&'static str`.
fn text(cx: &Ctxt, opt: &Opt) -> Option<Text> {
    let expr = opt.expr(cx)?;
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(Text::Literal(text.clone())),
        Expr::Lit(_) => {
            opt.misused(cx);
            None
        }
        other => Some(Text::Constant(other.to_token_stream())),
    }
}

fn effect(cx: &Ctxt, expr: &Expr) -> Option<Effect> {
    if let Some(word) = literal(expr) {
        return match word.value().as_str() {
            "read" => Some(Effect::Read),
            "write" => Some(Effect::Write),
            other => {
                let near = nearest(&other.to_lowercase(), ["read", "write"]);
                let near = near.map(|near| format!("; did you mean `\"{near}\"`?")).unwrap_or_default();
                cx.error(word, format_args!("an effect is `\"read\"` or `\"write\"`, not `\"{other}\"`{near}"));
                None
            }
        };
    }
    if let Expr::Path(path) = expr {
        let segments: Vec<String> = path.path.segments.iter().map(|s| s.ident.to_string()).collect();
        if let [.., of, word @ ("Read" | "Write")] = segments.iter().map(String::as_str).collect::<Vec<_>>()[..]
            && of == "Effect"
        {
            let word = word.to_lowercase();
            cx.error(expr, format_args!("a fixed effect is written as a word: `effect = \"{word}\"`"));
            return None;
        }
    }
    predicate::parse(cx, "effect", expr).map(|predicate| Effect::By(Box::new(predicate)))
}

fn time_args(cx: &Ctxt, opt: &Opt) -> Vec<LitStr> {
    let Some(Expr::Array(array)) = opt.expr(cx) else {
        if matches!(opt.value, Value::Expr(_)) {
            opt.misused(cx);
        }
        return Vec::new();
    };
    let mut names: Vec<LitStr> = Vec::new();
    for element in &array.elems {
        match literal(element) {
            None => cx.error(element, "`time_args` takes the names of parameters as strings, such as `\"since\"`"),
            Some(name) if names.iter().any(|n| n.value() == name.value()) => {
                cx.error(name, format_args!("`time_args` names `{}` twice", name.value()));
            }
            Some(name) => names.push(name.clone()),
        }
    }
    names
}

fn attempts(cx: &Ctxt, opt: &Opt) -> Option<u32> {
    match opt.expr(cx)? {
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => match int.base10_parse::<u32>() {
            Ok(0) => {
                cx.error(int, "`attempts` counts the first try too, so the least is 1");
                None
            }
            Ok(n) => Some(n),
            Err(_) => {
                cx.error(int, "`attempts` is a small whole number, such as `attempts = 5`");
                None
            }
        },
        negative @ Expr::Unary(ExprUnary { op: UnOp::Neg(_), .. }) => {
            cx.error(negative, "`attempts` counts the first try too, so the least is 1");
            None
        }
        _ => {
            opt.misused(cx);
            None
        }
    }
}

fn rename_all(cx: &Ctxt, opt: &Opt) -> Option<Case> {
    let text = opt.text(cx)?;
    let case = Case::named(&text.value());
    if case.is_none() {
        let names: Vec<&str> = Case::ALL.iter().map(|(name, _)| *name).collect();
        cx.error(text, format_args!("unknown case `{}`{}", text.value(), hint(&text.value(), &names, "cases")));
    }
    case
}

/// Which predicates there are, with the option they belong to.
pub(super) fn predicates(tool: &Tool) -> impl Iterator<Item = (&'static str, &Predicate)> {
    let effect = match &tool.effect {
        Effect::By(predicate) => Some(("effect", &**predicate)),
        _ => None,
    };
    let dry = tool.dry_run_result.as_ref().map(|p| ("dry_run_result", p));
    let check = tool.check.as_ref().map(|p| ("check", p));
    effect.into_iter().chain(dry).chain(check)
}
