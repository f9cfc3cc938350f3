//! Sizes for people: `1.5K`, `12M` (`ls -h`, `du -h`, `df -h`). Rounded up.
use crate::memory::{String, ToDecimal, format};

/// Formats `size` in units of powers of `base` (1024 or 1000).
pub(crate) fn human_size(size: u64, base: u64) -> String {
    let letters = if base == 1000 { "kMGTPE" } else { "KMGTPE" };
    let size = u128::from(size);
    let base = u128::from(base);
    let mut unit = base;
    if size < base {
        return size.to_decimal();
    }
    for letter in letters.chars() {
        let tenths = (size * 10).div_ceil(unit);
        if tenths < 100 {
            return format!("{}.{}{letter}", tenths / 10, tenths % 10);
        }
        let whole = size.div_ceil(unit);
        if whole < base {
            return format!("{whole}{letter}");
        }
        unit *= base;
    }
    size.to_decimal()
}

/// A number with an optional unit, as `-B`, `truncate -s` and `-n` of some utilities take it: `10K`, `1MB`, `2GiB`.
pub(crate) fn parse_size(text: &[u8]) -> Option<u64> {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, suffix) = text.split_at_checked(count)?;
    let value: u64 = if digits.is_empty() && !suffix.is_empty() {
        1
    } else {
        std::str::from_utf8(digits).ok()?.parse().ok()?
    };
    let (letter, base) = match suffix {
        [] => return Some(value),
        [letter] | [letter, b'i', b'B'] => (letter, 1024_u64),
        [letter, b'B'] => (letter, 1000),
        _ => return None,
    };
    let power = match letter.to_ascii_uppercase() {
        b'K' => 1,
        b'M' => 2,
        b'G' => 3,
        b'T' => 4,
        b'P' => 5,
        b'E' => 6,
        _ => return None,
    };
    value.checked_mul(base.checked_pow(power)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_up() {
        let rows = [
            (0, "0"),
            (1023, "1023"),
            (1024, "1.0K"),
            (1025, "1.1K"),
            (10_240, "10K"),
            (10_241, "11K"),
            (123_456, "121K"),
            (1_048_575, "1.0M"),
        ];
        for (size, want) in rows {
            assert_eq!(human_size(size, 1024), want);
        }
        assert_eq!(human_size(123_456, 1000), "124k");
        assert_eq!(human_size(u64::MAX, 1024), "16E");
    }

    #[test]
    fn sizes_with_units() {
        assert_eq!(parse_size(b"10K"), Some(10_240));
        assert_eq!(parse_size(b"1MB"), Some(1_000_000));
        assert_eq!(parse_size(b"2GiB"), Some(2 << 30));
        assert_eq!(parse_size(b"x"), None);
        assert_eq!(parse_size(b""), None);
    }
}
