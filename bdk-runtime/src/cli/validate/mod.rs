//! `validate`: everything that is wrong with a bot, and what vanished from it.

#[cfg(feature = "connections")]
mod connect;
mod items;
mod lexer;
#[cfg(feature = "connections")]
mod locked;
mod missing;
mod package;
mod providers;
mod variables;

pub(super) use providers::Provider;

use super::{
    args::ValidateArgs,
    output::{self, Stop},
    tools::by_crate,
};
use crate::{
    bot::Identity,
    registry::{Problem, Registry, Severity, Tool},
    tool::schema::{self, Lint},
};
use serde_json::{Value, json};
use std::{fmt::Write, panic::AssertUnwindSafe, process::ExitCode};

/// Checks the bot, its schemas and its sources.
#[cfg_attr(
    not(feature = "connections"),
    allow(clippy::unused_async, reason = "without connections there is nobody to wait for")
)]
pub(super) async fn run(args: ValidateArgs) -> Result<ExitCode, Stop> {
    let (mut providers, as_json) = (args.providers, args.json.json);
    let registry = Registry::linked();
    let mut problems = registry.problems().to_vec();
    if cfg!(panic = "abort") {
        problems.push(Problem::error("panic_abort", None, crate::bot::ABORTS));
    }
    let tools: Vec<(&Tool, Value)> =
        registry.every_tool().filter_map(|tool| Some((&**tool, schemas(tool, &mut problems)?))).collect();
    providers.sort();
    providers.dedup();
    providers.into_iter().for_each(|provider| providers::check(provider, &tools, &mut problems));
    let packages = package::at_hand(Identity::get().name, super::program().as_deref());
    problems.extend(variables::unset(&registry));
    #[cfg(feature = "connections")]
    problems.extend(locked::check(&registry, called(&packages)));
    problems.extend(missing::find(&packages, &missing::registered()));
    // what is wrong with how they are declared is told first
    #[cfg(feature = "connections")]
    let tried = match args.connect && registry.errors().next().is_none() {
        true => Some(connect::all(&registry, &mut problems).await?),
        false => None,
    };
    problems.sort();
    problems.dedup();

    let errors = problems.iter().filter(|p| p.severity == Severity::Error).count();
    let fine = errors == 0;
    if as_json {
        #[cfg_attr(not(feature = "connections"), expect(unused_mut, reason = "nothing is tried"))]
        let mut report = json!({
            "ok": fine,
            "problems": problems,
            "tools": registry.tools().len(),
            "crates": registry.crates(),
            "connections": registry.connections().len(),
            "sources": packages.iter().map(|p| &p.name).collect::<Vec<_>>(),
        });
        #[cfg(feature = "connections")]
        if let Some(tried) = tried {
            report["connected"] = tried.iter().map(connect::Tried::json).collect();
        }
        output::print(format!("{report:#}\n"))?;
    } else {
        let mut text = String::new();
        for problem in &problems {
            let _ = writeln!(text, "{}", output::problem(problem));
        }
        #[cfg(feature = "connections")]
        text.extend(tried.iter().flatten().map(connect::Tried::text));
        let warnings = problems.len() - errors;
        let _ = writeln!(text, "{}: {}, {}", by_crate(&registry), count(errors, "error"), count(warnings, "warning"));
        if packages.is_empty() {
            text.push_str("(its sources are not here, so that nothing is said of what is missing from it)\n");
        }
        output::print_styled(&text)?;
    }
    Ok(if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What the bot calls bdk.
#[cfg(feature = "connections")]
fn called(packages: &[package::Package]) -> &str {
    packages.first().map_or("bdk", |own| &own.bdk)
}
/// The same, for who has not looked for the sources.
#[cfg(all(feature = "connections", feature = "mcp"))]
pub(super) fn bdk_of() -> String {
    called(&package::at_hand(Identity::get().name, super::program().as_deref())).to_owned()
}

/// Makes a tool's schemas and its validator, which a running bot does when they are first needed, and checks them. Gives
/// the input schema, where it could be made.
fn schemas(tool: &Tool, problems: &mut Vec<Problem>) -> Option<Value> {
    let told = |problem: &Problem| problem.code == "input_schema" && problem.place == Some(tool.at().to_string());
    if problems.iter().any(told) {
        return None;
    }
    // they run the author's code: a `JsonSchema` of their own, an expression
    let made = std::panic::catch_unwind(AssertUnwindSafe(|| (tool.input_schema().clone(), tool.output_schema())));
    let Ok((input, output)) = made else {
        let why = format!("making the schemas of `{}` panics, as told above", tool.name());
        problems.push(Problem::error("schema", Some(tool.at()), why));
        return None;
    };
    for misfit in schema::misfits(tool.params(), &input) {
        problems.push(Problem::error("misfit", Some(tool.at()), format!("`{}`: {misfit}", tool.name())));
    }
    let lints = |which: &'static str, schema: &Value| {
        schema::lint(schema).into_iter().map(move |lint| (which, lint)).collect::<Vec<_>>()
    };
    for (which, Lint { path, message }) in
        lints("input", &input).into_iter().chain(output.iter().flat_map(|o| lints("output", o)))
    {
        let at = if path.is_empty() { String::new() } else { format!(" at `{path}`") };
        let why = format!("the {which} schema of `{}`{at}: {message}", tool.name());
        problems.push(Problem::warning("schema_lint", Some(tool.at()), why));
    }
    Some(input)
}

/// `no errors`, `1 warning`.
fn count(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}
