//! What a tool may return.
use bdk::prelude::*;

struct Report;

/// An error of the author's that is none.
#[derive(Debug)]
struct NoError;

type Answer<T> = std::result::Result<T, NoError>;

/// Not `Serialize`.
#[tool]
fn plain() -> Report { // MISTAKE
    Report
}

/// Not `Serialize`, in a `Result`.
#[tool]
async fn in_a_result() -> Result<Report> { // MISTAKE
    Ok(Report)
}

/// Not `Serialize`, in a list.
#[tool]
async fn in_a_list() -> Vec<Report> { // MISTAKE
    vec![Report]
}

/// No error type.
#[tool]
async fn no_error() -> Result<u32, NoError> { // MISTAKE
    Err(NoError)
}

/// No error type, by another name.
#[tool]
fn alias() -> Answer<u32> { // MISTAKE
    Err(NoError)
}

/// A future from a plain function.
#[tool]
fn future() -> std::future::Ready<u32> { // MISTAKE
    std::future::ready(7)
}

/// The envelope inside of another type.
#[tool]
fn envelope() -> Option<ToolOutput> { // MISTAKE
    None
}

fn main() {}
