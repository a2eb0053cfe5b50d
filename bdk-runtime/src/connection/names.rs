//! The names under which the tools of connections stand beside the bot's own.

use std::collections::HashSet;

/// How long a name is at most, in bytes and in characters: providers take no longer one.
const LONGEST: usize = 64;

/// A name for each of these tools, given by connection and the server's own name, in this order: by connection, then by name.
///
/// A server's own name stays where it is legal and nobody has it; the bot's own tools, which `taken` knows, come first. All
/// others get `_2`, `_3` and so on, in their order: so a name depends on which tools there are, and not on who was heard first.
pub(crate) fn names(tools: &[(&str, &str)], taken: impl Fn(&str) -> bool) -> Vec<String> {
    debug_assert!(tools.is_sorted(), "the order is what makes the names");
    let mut given = HashSet::new();
    let mut names = vec![String::new(); tools.len()];
    for (name, (_, own)) in names.iter_mut().zip(tools) {
        if legal(own) == *own && !taken(own) && given.insert((*own).to_owned()) {
            (*own).clone_into(name);
        }
    }
    for (name, (_, own)) in names.iter_mut().zip(tools).filter(|(name, _)| name.is_empty()) {
        let base = legal(own);
        let mut free = base.clone();
        for n in 2_u64.. {
            if !taken(&free) && given.insert(free.clone()) {
                break;
            }
            let suffix = format!("_{n}");
            let cut = base.len().min(LONGEST - suffix.len());
            free = format!("{}{suffix}", &base[..cut]);
        }
        *name = free;
    }
    names
}

/// The name with what no name may have replaced, and cut. ASCII alone is left.
fn legal(name: &str) -> String {
    let legal = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
    name.chars().map(legal).take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn named(tools: &[(&str, &str)], taken: &[&str]) -> Vec<String> {
        names(tools, |name| taken.contains(&name))
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
            let given = names(&tools, |name| taken.contains(name));
            let all: HashSet<&String> = given.iter().collect();
            prop_assert_eq!(all.len(), tools.len());
            for name in &given {
                prop_assert!(!name.is_empty() && name.len() <= LONGEST && legal(name) == *name && !taken.contains(name), "{}", name);
            }
        }
    }
}
