//! The option tables of `#[tool(…)]` and `#[arg(…)]`.

use crate::args::Table;

pub(super) const TOOL: Table = Table {
    of: "#[tool]",
    keys: &[
        ("effect", "effect = \"read\""),
        ("name", "name = \"find_orders\""),
        ("title", "title = \"Find orders\""),
        ("description", "description = \"…\""),
        ("dry_run_result", "dry_run_result = |version| …"),
        ("check", "check = |since, until| …"),
        ("time_args", "time_args = [\"since\", \"until\"]"),
        ("output_schema", "output_schema"),
        ("input_schema", "input_schema = json!({ … })"),
        ("unknown_fields", "unknown_fields = \"ignore\""),
        ("timeout", "timeout = \"30s\""),
        ("attempts", "attempts = 5"),
        ("idempotent", "idempotent"),
        ("destructive", "destructive"),
        ("open_world", "open_world"),
        ("needs_approval", "needs_approval"),
        ("rename_all", "rename_all = \"camelCase\""),
        ("execution", "execution = \"agent\""),
        ("script", "script = include_str!(\"…\")"),
        ("crate", "crate = ::bdk"),
    ],
    elsewhere: &[
        ("read", "write `effect = \"read\"`"),
        ("read_only", "write `effect = \"read\"`"),
        ("readonly", "write `effect = \"read\"`"),
        ("write", "write `effect = \"write\"`"),
        ("desc", "write a doc comment, or `description = \"…\"`"),
        ("annotations", "write `effect`, `idempotent`, `destructive`, `open_world` and `title` themselves"),
        ("approval", "write `needs_approval`"),
        ("confirm", "write `needs_approval`"),
        ("retry", "write `attempts = 5`"),
        ("retries", "write `attempts = 5`, which counts the first try too"),
        ("deny_unknown_fields", "unknown properties are refused anyway; `unknown_fields = \"ignore\"` lets them pass"),
        ("parameters", "the function's own parameters are the input; `input_schema` is for plain JSON Schema"),
    ],
};

pub(super) const ARG: Table = Table {
    of: "#[arg]",
    keys: &[
        ("name", "name = \"prUrl\""),
        ("default", "default = 7"),
        ("range", "range(min = 1, max = 14)"),
        ("length", "length(min = 1, max = 40)"),
        ("pattern", "pattern = \"^[a-z]+$\""),
        ("format", "format = \"email\""),
        ("inner", "inner(length(min = 1))"),
        ("extend", "extend(\"key\" = json)"),
        ("coerce", "coerce"),
        ("preprocess", "preprocess = path::to::function"),
    ],
    elsewhere: &[
        ("rename", "write `name = \"…\"`"),
        ("description", "write a doc comment on the parameter"),
        ("doc", "write a doc comment on the parameter"),
        ("desc", "write a doc comment on the parameter"),
        ("regex", "write `pattern = \"…\"`"),
        ("min", "write `range(min = …)` for a number, `length(min = …)` for a text or a list"),
        ("max", "write `range(max = …)` for a number, `length(max = …)` for a text or a list"),
        ("email", "write `format = \"email\"`"),
        ("url", "take a `Url`, or write `format = \"uri\"`"),
        ("title", "write `extend(\"title\" = \"…\")`"),
        ("example", "write `extend(\"examples\" = [\"…\"])`"),
        ("examples", "write `extend(\"examples\" = [\"…\"])`"),
        ("required", "a parameter is required unless it is an `Option` or has a `default`"),
        ("optional", "take an `Option`"),
    ],
};

/// What `inner(…)` takes: the rules, without what is said of a property.
pub(super) const INNER: Table = Table {
    of: "inner(…)",
    keys: &[
        ("range", "range(min = 1, max = 14)"),
        ("length", "length(min = 1, max = 40)"),
        ("pattern", "pattern = \"^[a-z]+$\""),
        ("format", "format = \"email\""),
        ("inner", "inner(length(min = 1))"),
        ("extend", "extend(\"key\" = json)"),
    ],
    elsewhere: &[],
};

pub(super) const RANGE: Table = Table {
    of: "range(…)",
    keys: &[
        ("min", "min = 1"),
        ("max", "max = 14"),
        ("exclusive_min", "exclusive_min = 0"),
        ("exclusive_max", "exclusive_max = 1"),
    ],
    elsewhere: &[],
};

pub(super) const LENGTH: Table =
    Table {
        of: "length(…)", keys: &[("min", "min = 1"), ("max", "max = 40"), ("equal", "equal = 8")], elsewhere: &[]
    };
