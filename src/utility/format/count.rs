//! Numbers that the GNU core utilities take as option-arguments: decimal digits with a multiplier (`5`, `2k`, `1MB`, `4GiB`).

use super::quote::quote;
use crate::memory::format;
use crate::utility::UtilityError;

/// Why a number was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CountError {
    /// Not a number, or an unknown suffix.
    Invalid,
    /// More than 64 bits.
    TooLarge,
}

impl CountError {
    /// `what: ‘text’`, with the reason after it where the real utilities give one.
    pub(crate) fn about(self, what: &str, text: &[u8]) -> UtilityError {
        let reason = match self {
            Self::Invalid => "",
            Self::TooLarge => ": Value too large for defined data type",
        };
        UtilityError::failed(format!("{what}: {}{reason}", quote(text)))
    }
}

/// Digits alone, saturating.
pub(crate) fn parse_digits(text: &[u8]) -> Option<u64> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(
        text.iter()
            .fold(0_u64, |value, digit| value.saturating_mul(10).saturating_add(u64::from(digit - b'0'))),
    )
}

/// As [`parse_digits`], with what C's `strtoumax` takes before the digits: white space, a plus sign.
pub(crate) fn parse_unsigned(text: &[u8]) -> Option<u64> {
    let text = text.trim_ascii_start();
    parse_digits(text.strip_prefix(b"+").unwrap_or(text))
}

/// Digits, then a multiplier: `b` 512, `k K m M G T P E Z Y` powers of 1024 (also `KiB`), `kB MB ...` powers of 1000.
pub(crate) fn parse_count(text: &[u8]) -> Result<u64, CountError> {
    let text = text.trim_ascii_start();
    let text = text.strip_prefix(b"+").unwrap_or(text);
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, suffix) = text.split_at_checked(digits).ok_or(CountError::Invalid)?;
    let number = match number {
        [] if suffix.first().is_some_and(u8::is_ascii_alphabetic) => Some(1),
        [] => return Err(CountError::Invalid),
        _ => std::str::from_utf8(number).ok().and_then(|digits| digits.parse::<u64>().ok()),
    };
    let factor = multiplier(suffix)?;
    number.zip(factor).and_then(|(number, factor)| number.checked_mul(factor)).ok_or(CountError::TooLarge)
}

/// `None`: more than 64 bits.
fn multiplier(suffix: &[u8]) -> Result<Option<u64>, CountError> {
    let (letter, base) = match suffix {
        [] => return Ok(Some(1)),
        b"b" => return Ok(Some(512)),
        [letter] | [letter, b'i', b'B'] => (*letter, 1024_u64),
        [letter, b'B'] => (*letter, 1000),
        _ => return Err(CountError::Invalid),
    };
    let power = match letter {
        b'k' | b'K' => 1,
        b'm' | b'M' => 2,
        b'G' => 3,
        b'T' => 4,
        b'P' => 5,
        b'E' => 6,
        b'Z' => 7,
        b'Y' => 8,
        _ => return Err(CountError::Invalid),
    };
    Ok(base.checked_pow(power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_multipliers() {
        for (text, want) in [
            (b"12".as_slice(), Ok(12)),
            (b"2b", Ok(1024)),
            (b"1k", Ok(1024)),
            (b"1kB", Ok(1000)),
            (b"1KiB", Ok(1024)),
            (b"x", Err(CountError::Invalid)),
            (b"", Err(CountError::Invalid)),
            (b"-1", Err(CountError::Invalid)),
            (b"1Q", Err(CountError::Invalid)),
            (b"1Y", Err(CountError::TooLarge)),
            (b"99999999999999999999", Err(CountError::TooLarge)),
        ] {
            assert_eq!(parse_count(text), want, "{}", bstr::BStr::new(text));
        }
    }
}
