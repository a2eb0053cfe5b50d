//! The variables that connections name and that are nowhere: the bot starts without them, and the connection does not open.

use crate::{
    connection::Declared,
    env_files,
    registry::{Problem, Registry},
};

/// A warning for each, with the connection that names it.
pub(super) fn unset(registry: &Registry) -> Vec<Problem> {
    let named =
        registry.connections().iter().flat_map(|one| one.spec.variables().into_iter().map(move |name| (one, name)));
    named.filter_map(|(one, name)| warning(one, &name)).collect()
}

fn warning(one: &Declared, name: &str) -> Option<Problem> {
    if std::env::var_os(name).is_some() {
        return None;
    }
    match env_files::find(name) {
        Ok(Some(_)) => None,
        Ok(None) => {
            let why = format!(
                "the connection `{}` needs `{name}`, which is set nowhere: set it in the environment, or as a line `{name}=…` in \
                 `.env.local` or `.env` in the folder the bot runs in",
                one.name
            );
            Some(Problem::warning("variable_unset", Some(one.at), why))
        }
        // one for all who would look there
        Err(error) => Some(Problem::warning("env_file", None, error.to_string())),
    }
}
