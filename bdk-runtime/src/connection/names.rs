//! The names under which the tools of connections stand beside the bot's own.

use std::collections::{HashMap, HashSet};

/// How long a name is at most, in bytes and in characters: providers take no longer one.
const LONGEST: usize = 64;
/// So many names of a connection are remembered beside those that are in use: a server may list others each time.
const FORMER: usize = 10_000;

/// The names that were given so far. Each stays its tool's, also while the tool is not there: whoever knows a name never
/// reaches another server by it.
#[derive(Default)]
pub(crate) struct Names(HashMap<Key, String>);

/// A connection, and the server's own name for a tool.
type Key = (Box<str>, Box<str>);

impl Names {
    /// A name for each of these tools, given by connection and the server's own name, in this order: by connection, then by name.
    ///
    /// What has a name keeps it. A server's own name stays where it is legal and nobody has it; the bot's own tools, which `taken`
    /// knows, come first. All others get `_2`, `_3` and so on, in their order: so the names of tools that are heard of together
    /// depend on which they are, and not on who was heard first.
    pub(crate) fn of(&mut self, tools: &[(&str, &str)], taken: impl Fn(&str) -> bool) -> Vec<String> {
        debug_assert!(tools.is_sorted(), "the order is what makes the names");
        let keys: Vec<Key> = tools.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect();
        self.forget(&keys);
        self.0.retain(|_, name| !taken(name));
        let mut given: HashSet<String> = self.0.values().cloned().collect();
        for (key, (_, own)) in keys.iter().zip(tools).filter(|(key, _)| !self.0.contains_key(*key)).collect::<Vec<_>>()
        {
            if legal(own) == *own && !taken(own) && given.insert((*own).to_owned()) {
                self.0.insert(key.clone(), (*own).to_owned());
            }
        }
        let mut names = Vec::with_capacity(tools.len());
        for (key, (_, own)) in keys.into_iter().zip(tools) {
            let made = || free(&legal(own), |name| !taken(name) && given.insert(name.to_owned()));
            names.push(self.0.entry(key).or_insert_with(made).clone());
        }
        names
    }
}

impl Names {
    /// Lets go of the former names of connections that have too many: nobody can make it forget another's.
    fn forget(&mut self, keys: &[Key]) {
        let known: HashSet<&Key> = keys.iter().collect();
        let mut former: HashMap<&str, usize> = HashMap::new();
        for key in self.0.keys().filter(|key| !known.contains(key)) {
            *former.entry(&*key.0).or_default() += 1;
        }
        let many: HashSet<String> =
            former.into_iter().filter(|(_, count)| *count > FORMER).map(|(name, _)| name.to_owned()).collect();
        if !many.is_empty() {
            self.0.retain(|key, _| known.contains(key) || !many.contains(&*key.0));
        }
    }
}

/// The first of `base`, `base_2`, `base_3` and so on that `takes` takes.
fn free(base: &str, mut takes: impl FnMut(&str) -> bool) -> String {
    let mut name = base.to_owned();
    for n in 2_u64.. {
        if takes(&name) {
            break;
        }
        let suffix = format!("_{n}");
        let cut = base.len().min(LONGEST - suffix.len());
        name = format!("{}{suffix}", &base[..cut]);
    }
    name
}

/// The name with what no name may have replaced, and cut. ASCII alone is left.
pub(super) fn legal(name: &str) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    name.chars().map(legal).take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn named(tools: &[(&str, &str)], taken: &[&str]) -> Vec<String> {
        Names::default().of(tools, |name| taken.contains(&name))
    }

    #[test]
    fn a_name_once_given_stays_with_its_tool_and_is_never_anothers() {
        let mut names = Names::default();
        let mut of = |tools: &[(&str, &str)], taken: &[&str]| names.of(tools, |name| taken.contains(&name));
        assert_eq!(of(&[("beta", "order")], &[]), ["order"]);
        assert_eq!(of(&[("alpha", "order"), ("beta", "order")], &[]), ["order_2", "order"]);
        // also while it is away
        assert_eq!(of(&[("alpha", "order")], &[]), ["order_2"]);
        assert_eq!(of(&[("alpha", "new"), ("gamma", "order")], &[]), ["new", "order_3"]);
        // but what is the bot's is the bot's
        assert_eq!(of(&[("alpha", "order"), ("beta", "order")], &["order"]), ["order_2", "order_4"]);
    }

    #[test]
    fn names_of_what_is_gone_are_not_kept_for_ever() {
        let mut names = Names::default();
        names.of(&[("quiet", "x")], |_| false);
        for round in 0..5 {
            let tools: Vec<String> = (0..FORMER).map(|n| format!("t{round}_{n:05}")).collect();
            let tools: Vec<(&str, &str)> = tools.iter().map(|name| ("a", &**name)).collect();
            names.of(&tools, |_| false);
        }
        assert!(names.0.contains_key(&("quiet".into(), "x".into())), "another's was forgotten");
        assert!(names.0.len() <= 3 * FORMER, "{}", names.0.len());
    }

    #[test]
    fn authored_names_are_kept_and_the_others_get_numbers_in_their_order() {
        let tools = [("a", "search v2"), ("a", "search.v2"), ("a", "search_v2"), ("b", "search.v2"), ("b", "stock")];
        let given = named(&tools, &["search_v2"]);
        assert_eq!(given, ["search_v2_2", "search_v2_3", "search_v2_4", "search_v2_5", "stock"]);
    }

    #[test]
    fn a_legal_name_of_its_own_wins_over_one_that_was_made() {
        let tools = [("a", "x y"), ("a", "x_y"), ("a", "x_y_2"), ("b", "x_y")];
        assert_eq!(named(&tools, &[]), ["x_y_3", "x_y", "x_y_2", "x_y_4"]);
    }

    #[test]
    fn names_are_cut_and_differ_all_the_same() {
        let long = "é".repeat(70);
        let tools = [("a", &*long), ("b", &*long), ("c", &*long)];
        let given = named(&tools, &[]);
        assert_eq!(given[0], "_".repeat(64));
        assert_eq!(given[1], format!("{}_2", "_".repeat(62)));
        assert_eq!(given[2], format!("{}_3", "_".repeat(62)));
    }

    proptest! {
        #[test]
        fn every_tool_gets_a_legal_name_of_its_own(
            tools in proptest::collection::btree_set(("[ab]", "[a_. é-]{1,3}|[a.]{63,70}"), 0..40),
            taken in proptest::collection::hash_set("[a_]{1,3}", 0..5),
        ) {
            let tools: Vec<(&str, &str)> = tools.iter().map(|(c, t)| (&**c, &**t)).collect();
            let given = Names::default().of(&tools, |name| taken.contains(name));
            let all: HashSet<&String> = given.iter().collect();
            prop_assert_eq!(all.len(), tools.len());
            for name in &given {
                prop_assert!(!name.is_empty() && name.len() <= LONGEST && legal(name) == *name && !taken.contains(name), "{}", name);
            }
        }
    }
}
