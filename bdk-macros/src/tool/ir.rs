//! A tool, read and found right: plain data between `check` and `expand`.

use crate::{krate::Krate, lent::Lent};
use proc_macro2::{Span, TokenStream};
use syn::{Attribute, Expr, Ident, LitStr, Pat, Type};

/// One `#[tool]`.
#[derive(Default)]
pub(crate) struct Tool {
    pub(crate) krate: Krate,
    pub(crate) name: Option<Text>,
    pub(crate) title: Option<Expr>,
    pub(crate) description: Option<Text>,
    pub(crate) effect: Effect,
    pub(crate) dry_run_result: Option<Predicate>,
    pub(crate) check: Option<Predicate>,
    pub(crate) time_args: Vec<TimeArg>,
    pub(crate) output_schema: OutputSchema,
    pub(crate) input_schema: Option<Expr>,
    pub(crate) ignore_unknown: bool,
    pub(crate) timeout_ms: Option<u64>,
    pub(crate) attempts: Option<u32>,
    pub(crate) idempotent: bool,
    pub(crate) destructive: bool,
    pub(crate) open_world: bool,
    pub(crate) needs_approval: bool,
    pub(crate) inputs: Vec<Input>,
}

impl Tool {
    /// The parameters that come from the caller.
    pub(crate) fn owned(&self) -> impl Iterator<Item = &Owned> {
        self.inputs.iter().filter_map(|input| match input {
            Input::Owned(owned) => Some(&**owned),
            Input::Lent(_) => None,
        })
    }
    /// The parameters that the runtime lends.
    pub(crate) fn lent(&self) -> impl Iterator<Item = &Lent> {
        self.inputs.iter().filter_map(|input| match input {
            Input::Lent(lent) => Some(lent),
            Input::Owned(_) => None,
        })
    }
}

/// A `&'static str`.
pub(crate) enum Text {
    /// Known here.
    Literal(LitStr),
    /// Known to rustc.
    Constant(TokenStream),
}

/// What is declared of a tool's effect.
#[derive(Default)]
pub(crate) enum Effect {
    #[default]
    Undeclared,
    Read,
    Write,
    By(Box<Predicate>),
}

/// What is advertised of a tool's result.
#[derive(Default)]
pub(crate) enum OutputSchema {
    #[default]
    None,
    /// The flag.
    OfType,
    Given(Box<Expr>),
}

/// A name of `time_args`.
pub(crate) struct TimeArg {
    pub(crate) span: Span,
    /// The property's name.
    pub(crate) property: String,
    /// The parameter's type, where it is known to be one.
    pub(crate) parameter: Option<(TokenStream, Vec<Attribute>)>,
}

/// One parameter.
pub(crate) enum Input {
    Owned(Box<Owned>),
    Lent(Lent),
}

/// A parameter that comes from the caller.
pub(crate) struct Owned {
    /// The property's name.
    pub(crate) property: String,
    /// Where an error about the property's name belongs.
    pub(crate) property_span: Span,
    /// What predicates call it: its identifier, or the property's name of a destructured one.
    pub(crate) binding: String,
    pub(crate) ty: TokenStream,
    pub(crate) doc: Option<TokenStream>,
    pub(crate) cfgs: Vec<Attribute>,
    /// The first option of its `#[arg(…)]`.
    pub(crate) option: Option<Ident>,
    /// `Input(q)`: predicates are lent what is in it.
    pub(crate) newtype: bool,
    /// Of a type that nobody would call an `Input` by: rustc need not be asked.
    pub(crate) plain: bool,
    /// The whole input, by its type's name or by `input_schema`.
    pub(crate) whole: bool,
    pub(crate) default: Option<Default>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) coerce: bool,
    pub(crate) preprocess: Option<Expr>,
}

/// `#[arg(default …)]`
pub(crate) enum Default {
    /// The type's own.
    OfType(Span),
    Given(Box<Expr>),
}

/// What `#[arg(…)]` adds to a schema.
pub(crate) enum Rule {
    Bound(&'static str, Expr),
    MinLen(Expr),
    MaxLen(Expr),
    Pattern(Expr),
    Format(Expr),
    Inner(Vec<Self>),
    Extend(LitStr, TokenStream),
}

/// A function over some of the tool's own parameters.
pub(crate) enum Predicate {
    Closure(Box<Closure>),
    /// Takes all owned parameters, in order.
    Path(Box<Expr>),
}

/// A closure whose parameters are found by name.
pub(crate) struct Closure {
    pub(crate) span: Span,
    pub(crate) binds: Vec<Bind>,
    pub(crate) output: Option<Type>,
    pub(crate) body: Expr,
}

/// One parameter of such a closure.
pub(crate) struct Bind {
    pub(crate) pat: Pat,
    pub(crate) name: Ident,
    pub(crate) ty: Option<Type>,
    pub(crate) cfgs: Vec<Attribute>,
}
