//! `"30s"`, `"2m"`, `"1h30m"`, `"500ms"`, `"none"`.

/// In milliseconds; `"none"` is 0, and so no written duration is.
pub(crate) fn millis(text: &str) -> Result<u64, String> {
    if text == "none" {
        return Ok(0);
    }
    let bad = || format!("`{text}` is no duration: write `\"500ms\"`, `\"30s\"`, `\"2m\"`, `\"1h\"` or `\"none\"`");
    let mut rest = text.trim();
    let mut total: u64 = 0;
    if rest.is_empty() {
        return Err(bad());
    }
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, tail) = rest.split_at(digits);
        let letters = tail.len() - tail.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let (unit, tail) = tail.split_at(letters);
        let number: u64 = number.parse().map_err(|_| bad())?;
        let scale = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            _ => return Err(bad()),
        };
        total = number.checked_mul(scale).and_then(|ms| total.checked_add(ms)).ok_or_else(bad)?;
        rest = tail.trim_start();
    }
    match total {
        0 => Err(format!("`{text}` would end every call at once: write `\"none\"` for no deadline")),
        total => Ok(total),
    }
}

#[cfg(test)]
mod tests {
    use super::millis;

    #[test]
    fn durations_are_read_in_milliseconds() {
        for (text, ms) in [("30s", 30_000), ("2m", 120_000), ("1h30m", 5_400_000), ("500ms", 500), ("none", 0)] {
            assert_eq!(millis(text), Ok(ms), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in ["", "30", "s", "30 seconds", "-1s", "0s", "1.5s", "99999999999999999h"] {
            assert!(millis(text).is_err(), "{text}");
        }
    }
}
