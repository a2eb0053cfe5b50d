//! The tools. Each says what the model reads of it and which input it takes, and hands on to [`crate::git`].

mod blame;
mod churn;
mod diff;
mod history;
mod tag;
mod todos;
