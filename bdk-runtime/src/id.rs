//! Ids: short, unlike each other, no secrets.

/// 20 characters of a–z and 0–9: 100 bits, so that two ids never meet by chance.
pub(crate) fn random() -> String {
    let mut out = String::with_capacity(20);
    push(&mut out);
    out
}

/// `tool_<name>_<random>`, in one allocation.
pub(crate) fn call_id(tool: &str) -> String {
    let mut out = String::with_capacity(5 + tool.len() + 1 + 20);
    out.push_str("tool_");
    out.push_str(tool);
    out.push('_');
    push(&mut out);
    out
}

fn push(out: &mut String) {
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz012345";
    for mut bits in [fastrand::u64(..), fastrand::u64(..)] {
        for _ in 0..10 {
            out.push(char::from(ALPHABET[(bits & 31) as usize]));
            bits >>= 5;
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_call_id_names_its_tool_and_is_like_no_other() {
        let (a, b) = (super::call_id("add"), super::call_id("add"));
        assert!(a.starts_with("tool_add_") && a.len() == "tool_add_".len() + 20, "{a}");
        assert_ne!(a, b);
    }
}
