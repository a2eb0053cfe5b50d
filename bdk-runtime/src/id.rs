//! Ids: short, unlike each other, no secrets.

/// `tool_<name>_<random>`, in one allocation.
pub(crate) fn call_id(tool: &str) -> String {
    let mut out = String::with_capacity(5 + tool.len() + 1 + 20);
    out.push_str("tool_");
    out.push_str(tool);
    out.push('_');
    push(&mut out);
    out
}

/// 20 characters of a–z and 0–9: 100 bits, so that two ids never meet by chance.
pub(crate) fn random() -> String {
    let mut out = String::with_capacity(20);
    push(&mut out);
    out
}

/// A session's id: `ses_<random>`. Nobody can guess one: where everybody may call, whoever knows it may use it.
pub(crate) fn session_id() -> String {
    unguessable(SESSION)
}

/// An artifact's id: `art_<random>`. Nobody can guess one either.
pub(crate) fn artifact_id() -> String {
    unguessable(ARTIFACT)
}

fn unguessable(prefix: &str) -> String {
    let mut out = String::with_capacity(prefix.len() + 20);
    out.push_str(prefix);
    // the system's randomness; between the upper 48 bits and the lower 62 stand those that are the same in every one
    let (upper, lower) = uuid::Uuid::new_v4().as_u64_pair();
    push_bits(&mut out, upper >> 16, 8);
    push_bits(&mut out, lower, 12);
    out
}

const SESSION: &str = "ses_";
const ARTIFACT: &str = "art_";

/// Whether it looks like a session's id.
pub(crate) fn is_session(id: &str) -> bool {
    is_of_us(id, SESSION)
}

/// Whether it looks like an artifact's id.
#[cfg(feature = "http")]
pub(crate) fn is_artifact(id: &str) -> bool {
    is_of_us(id, ARTIFACT)
}

fn is_of_us(id: &str, prefix: &str) -> bool {
    let of_us = |b: u8| b.is_ascii_lowercase() || matches!(b, b'0'..=b'5');
    id.strip_prefix(prefix).is_some_and(|random| random.len() == 20 && random.bytes().all(of_us))
}

/// What nobody can guess: 122 bits of the system's randomness, as 32 hexadecimal digits.
pub(crate) fn secret() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

fn push(out: &mut String) {
    push_bits(out, fastrand::u64(..), 10);
    push_bits(out, fastrand::u64(..), 10);
}

/// So many characters of the lowest bits, five each.
fn push_bits(out: &mut String, mut bits: u64, characters: usize) {
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz012345";
    for _ in 0..characters {
        out.push(char::from(ALPHABET[(bits & 31) as usize]));
        bits >>= 5;
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

    #[test]
    fn a_session_s_id_is_known_by_its_looks() {
        let (a, b) = (super::session_id(), super::session_id());
        assert!(super::is_session(&a) && super::is_session(&b) && a != b, "{a} {b}");
        for no in ["", "ses_", "ses_abc", "ses_../../../../etc/xxxxx", "tool_add_abcdefghij0123450123"] {
            assert!(!super::is_session(no), "{no}");
        }
    }
}
