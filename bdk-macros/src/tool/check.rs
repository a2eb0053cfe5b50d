//! The rules that need the whole tool: the function, its parameters and its options together.

use super::{
    ir::{Effect, Input, OutputSchema, Owned, Predicate, Text, TimeArg, Tool},
    param,
    parse::{Options, predicates},
};
use crate::{
    args::{bad_name, hint},
    ctxt::Ctxt,
    docs::Docs,
    lent::{last_segment, ungroup},
    shown::shown,
    sig::{SigFn, free_function},
};
use syn::{FnArg, LitStr, Type, ext::IdentExt};

/// Makes the tool, and reports everything that is wrong with it.
pub(super) fn check(cx: &Ctxt, mut options: Options, f: &mut SigFn) -> Tool {
    free_function(cx, f, "a tool");
    if f.has_no_body() && !options.agent {
        cx.error(&f.sig.ident, "a tool needs a body: what it answers to the model");
    }
    let mut tool = std::mem::take(&mut options.tool);
    tool.inputs = inputs(cx, &options, f);
    two_contexts(cx, f);
    name(cx, &options, f, &mut tool);
    description(cx, &options, f, &mut tool);
    effect(cx, &options, &tool);
    results(cx, &options, f, &tool);
    whole_input(cx, &options, &mut tool);
    property_names(cx, &tool);
    tool.time_args = time_args(cx, &options, f, &tool);
    predicate_names(cx, f, &tool);
    tool
}

fn inputs(cx: &Ctxt, options: &Options, f: &mut SigFn) -> Vec<Input> {
    let mut inputs = std::mem::take(&mut f.sig.inputs);
    let read = inputs.iter_mut().filter_map(|input| match input {
        FnArg::Typed(parameter) => Some(param::read(cx, parameter, options.rename_all, |ty| f.erase_lifetimes(ty))),
        FnArg::Receiver(_) => None,
    });
    let read = read.collect();
    f.sig.inputs = inputs;
    read
}

fn two_contexts(cx: &Ctxt, f: &SigFn) {
    let contexts = f.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(parameter) => match ungroup(&parameter.ty) {
            Type::Reference(r) if last_segment(&r.elem).as_deref() == Some("ToolContext") => Some(&parameter.ty),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    });
    for second in contexts.skip(1) {
        cx.error(second, "two contexts: a call has one, so take one `&ToolContext`");
    }
}

fn name(cx: &Ctxt, options: &Options, f: &SigFn, tool: &mut Tool) {
    if options.name_given {
        return;
    }
    let ident = f.sig.ident.unraw();
    let name = ident.to_string();
    if let Some(message) = bad_name("a tool", &name) {
        cx.error(
            &f.sig.ident,
            format_args!("{message}; `#[tool(name = \"…\")]` names a tool otherwise than its function"),
        );
    }
    tool.name = Some(Text::Literal(LitStr::new(&name, ident.span())));
}

fn description(cx: &Ctxt, options: &Options, f: &SigFn, tool: &mut Tool) {
    if options.description_given {
        return;
    }
    tool.description = match Docs::of(&f.attrs) {
        Docs::Text(text) => Some(Text::Literal(text)),
        Docs::Expanded(expr) => Some(Text::Constant(expr)),
        Docs::Missing => {
            let name = f.sig.ident.unraw();
            cx.error(
                &f.sig.ident,
                format_args!("`{name}` has no description, and the model chooses tools by it: write a doc comment, or `#[tool(description = \"…\")]`"),
            );
            None
        }
    };
}

fn effect(cx: &Ctxt, options: &Options, tool: &Tool) {
    let read = matches!(tool.effect, Effect::Read);
    if let (Some(key), true) = (&options.dry_run_result, read) {
        cx.error(key, "a tool that only reads runs in a dry run too, so it needs no `dry_run_result`");
    }
    if let (Some(key), true) = (&options.destructive, read) {
        cx.error(key, "a tool that only reads destroys nothing: leave out `destructive`, or say `effect = \"write\"`");
    }
    // an effect that was given and is not right has its own message already
    let unknown = options.effect_given && matches!(tool.effect, Effect::Undeclared);
    if let (Some(key), Effect::Write | Effect::Undeclared, false) = (&options.attempts, &tool.effect, unknown) {
        cx.error(key, "only a read is tried again: add `effect = \"read\"`, or leave out `attempts`");
    }
}

fn results(cx: &Ctxt, options: &Options, f: &SigFn, tool: &Tool) {
    if !f.returns_impl() {
        return;
    }
    if let Some(key) = &options.dry_run_result {
        cx.error(key, "`dry_run_result` needs a result type with a name, not `impl …`");
    }
    if let (Some(key), OutputSchema::OfType) = (&options.output_schema, &tool.output_schema) {
        cx.error(
            key,
            "`output_schema` needs a result type with a name, not `impl …`, or a schema: `output_schema = …`",
        );
    }
}

/// `Input<T>` and `input_schema` stand alone. An alias of `Input` is found by its type, when rustc knows it.
fn whole_input(cx: &Ctxt, options: &Options, tool: &mut Tool) {
    let count = tool.owned().count();
    if let Some(key) = &options.input_schema {
        if count != 1 {
            let found = if count == 0 { "this tool takes none" } else { "this tool takes more" };
            cx.error(key, format_args!("`input_schema` describes one owned parameter, `input: Value`, and {found}"));
        }
        for input in &mut tool.inputs {
            if let Input::Owned(owned) = input {
                if let (Some(option), false) = (&owned.option, owned.whole) {
                    cx.error(
                        option,
                        "beside `input_schema` the input arrives untouched, so `#[arg]` has nothing to say",
                    );
                }
                owned.whole = true;
            }
        }
    } else if count > 1
        && let Some(input) = tool.owned().find(|p| p.whole)
    {
        cx.error(&input.ty, "`Input` is the whole input, so no other owned parameter can stand beside it");
    }
}

fn property_names(cx: &Ctxt, tool: &Tool) {
    let owned: Vec<&Owned> = tool.owned().filter(|p| !p.property.is_empty()).collect();
    for (i, parameter) in owned.iter().enumerate() {
        let same = |p: &&&Owned| p.property == parameter.property && p.binding != parameter.binding;
        // under `cfg` the two may never meet
        let Some(earlier) = owned[..i].iter().find(same) else { continue };
        if parameter.cfgs.is_empty() || earlier.cfgs.is_empty() {
            let message = format!("two parameters have the property name `{}`", parameter.property);
            cx.push(syn::Error::new(parameter.property_span, message));
        }
    }
}

fn time_args(cx: &Ctxt, options: &Options, f: &SigFn, tool: &Tool) -> Vec<TimeArg> {
    let whole = tool.input_schema.is_some() || tool.owned().any(|p| p.whole);
    let known: Vec<&str> = tool.owned().map(|p| p.property.as_str()).collect();
    let read = options.time_args.iter().filter_map(|literal| {
        let name = literal.value();
        let span = literal.span();
        let parameter = tool.owned().find(|p| p.property == name || p.binding == name);
        match parameter {
            // the names of a type's own fields are known at load
            _ if whole => Some(TimeArg { span, property: name, parameter: None }),
            Some(p) => {
                Some(TimeArg { span, property: p.property.clone(), parameter: Some((p.ty.clone(), p.cfgs.clone())) })
            }
            None => {
                let (name_of, hint) = (f.sig.ident.unraw(), hint(&name, &known, "parameters"));
                let alias = input_by_another_name(tool);
                cx.error(
                    literal,
                    format_args!("`time_args` names `{name}`, but `{name_of}` has no such parameter{hint}{alias}"),
                );
                None
            }
        }
    });
    read.collect()
}

/// What to write where the one parameter may be the whole input: the names of its fields are then known at load.
fn input_by_another_name(tool: &Tool) -> String {
    let mut owned = tool.owned();
    match (owned.next(), owned.next()) {
        (Some(only), None) if !only.plain && !only.newtype => {
            let ty = shown(&only.ty);
            format!("; if `{ty}` is another name of `Input`, write `Input({}): {ty}`", only.binding)
        }
        _ => String::new(),
    }
}

fn predicate_names(cx: &Ctxt, f: &SigFn, tool: &Tool) {
    let known: Vec<&str> = tool.owned().map(|p| p.binding.as_str()).collect();
    let lent: Vec<String> = f.sig.inputs.iter().filter_map(lent_name).collect();
    for (key, predicate) in predicates(tool) {
        let Predicate::Closure(closure) = predicate else { continue };
        for bind in &closure.binds {
            let name = bind.name.unraw().to_string();
            if known.contains(&name.as_str()) {
                continue;
            }
            if lent.contains(&name) {
                cx.error(
                    &bind.name,
                    format_args!("`{name}` is lent to the tool, and `{key}` sees only what the caller sent"),
                );
                continue;
            }
            let (tool, hint) = (f.sig.ident.unraw(), hint(&name, &known, "parameters"));
            cx.error(&bind.name, format_args!("`{key}` names `{name}`, but `{tool}` has no such parameter{hint}"));
        }
    }
}

fn lent_name(input: &FnArg) -> Option<String> {
    match input {
        FnArg::Typed(parameter) => match (ungroup(&parameter.ty), &*parameter.pat) {
            (Type::Reference(_), syn::Pat::Ident(ident)) => Some(ident.ident.unraw().to_string()),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    }
}
