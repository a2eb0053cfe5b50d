//! A value as JSON, there and back, and what is said where it is none. The value itself is nobody's to read in an error.

use crate::{
    Error,
    host::shown,
    tool::{EncodeFault, FaultKind, Output, decode, path_text},
};
use serde::de::DeserializeOwned;

/// How many bytes the JSON of a value has at most.
const VALUE: usize = 1024 * 1024;

pub(super) type Encoded = Result<Output, EncodeFault>;

/// Reads a value that was kept.
pub(super) fn read<T: DeserializeOwned>(key: &str, text: &str) -> Result<T, Error> {
    match serde_json::from_str(text) {
        Ok(value) => Ok(value),
        Err(_) => misread(key, text),
    }
}

/// serde_json does not say where, and repeats what is there: read again, by what does neither.
#[cold]
#[inline(never)]
fn misread<T: DeserializeOwned>(key: &str, text: &str) -> Result<T, Error> {
    let value: serde_json::Value = serde_json::from_str(text)
        .map_err(|_| Error::new(format!("the value of the key {} is no JSON (any more): put it anew", shown(key))))?;
    decode(&value).map_err(|fault| no_such_type(key, std::any::type_name::<T>(), &path_text(&fault.path), &fault.kind))
}

fn no_such_type(key: &str, ty: &str, path: &str, kind: &FaultKind) -> Error {
    let listed = |known: &[&str]| known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let why = match kind {
        FaultKind::Invalid { expected, .. } => format!("expected {expected}"),
        FaultKind::UnknownVariant { known, .. } => format!("it is none of {}", listed(known)),
        FaultKind::UnknownField { known, .. } => format!("it has a property that is none of {}", listed(known)),
        FaultKind::Missing(name) => format!("the property `{name}` is missing"),
        FaultKind::Duplicate(name) => format!("the property `{name}` came twice"),
        FaultKind::Custom(_) => "the type does not take it".to_owned(),
    };
    let at = if path.is_empty() { String::new() } else { format!("at `{path}`: ") };
    Error::new(format!(
        "the value of the key {} is no `{ty}`: {at}{why}. It was put as another type: read it as that, or put it anew",
        shown(key)
    ))
}

/// A value's JSON.
pub(super) fn json(key: &str, value: Encoded) -> Result<String, Error> {
    let text = match value {
        Ok(Output::Json(json)) => json.text,
        Ok(Output::Text(text)) => serde_json::Value::String(text).to_string(),
        // what `encode` gives else is a unit
        Ok(Output::Unit | Output::Envelope(_)) => "null".to_owned(),
        Err(fault) => {
            let at =
                if fault.path.is_empty() { "it".to_owned() } else { format!("`{}` in it", path_text(&fault.path)) };
            let why = fault.message;
            return Err(Error::new(format!("the value for the key {} was not put: {at} {why}", shown(key))));
        }
    };
    if text.len() > VALUE {
        return Err(Error::new(format!(
            "the value for the key {} has {} bytes of JSON, and a value {VALUE} at most: keep what is large in `host.files`",
            shown(key),
            text.len()
        )));
    }
    Ok(text)
}
