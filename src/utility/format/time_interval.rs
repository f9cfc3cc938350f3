//! Time intervals as operands: `1.5`, `10s`, `2m`, `1h`, `3d`, `infinity` (sleep, timeout).

use crate::memory::ToMetered;
use std::time::Duration;

/// Parses an interval; `None` when it is none. What is too long to be told from forever is the longest duration.
pub(crate) fn parse(text: &[u8]) -> Option<Duration> {
    let text = std::str::from_utf8(text).ok()?;
    let (number, factor) = match text.as_bytes().last()? {
        b's' => (text.strip_suffix('s')?, 1.0),
        b'm' => (text.strip_suffix('m')?, 60.0),
        b'h' => (text.strip_suffix('h')?, 3_600.0),
        b'd' => (text.strip_suffix('d')?, 86_400.0),
        _ => (text, 1.0),
    };
    let mut lower = number.to_metered();
    lower.make_ascii_lowercase();
    let unsigned = lower.strip_prefix('+').unwrap_or(&lower);
    if matches!(unsigned, "inf" | "infinity") {
        return Some(Duration::MAX);
    }
    if !unsigned.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'-' | b'+')) {
        return None;
    }
    let seconds = number.trim_start().parse::<f64>().ok().filter(|&value| value >= 0.0)? * factor;
    Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_units() {
        assert_eq!(parse(b"1.5"), Some(Duration::from_millis(1500)));
        assert_eq!(parse(b"2m"), Some(Duration::from_mins(2)));
        assert_eq!(parse(b".1s"), Some(Duration::from_millis(100)));
        assert_eq!(parse(b"1e400"), Some(Duration::MAX));
        assert_eq!(parse(b"infinity"), Some(Duration::MAX));
        for bad in [&b""[..], b"x", b"-1", b"1x", b"s", b"nan"] {
            assert_eq!(parse(bad), None, "{bad:?}");
        }
    }
}
