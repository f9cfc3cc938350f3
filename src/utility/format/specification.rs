//! What stands between the `%` of a directive and its letter, as C's `printf` has it: flags, width, precision. `awk`, `find`,
//! `printf`, `seq` and `stat` have it; what the letters mean is theirs. `numfmt` reads its own, which has a sign in its width.

use super::float::split_digits;
use crate::memory::Vec;

/// Flags, width and precision.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Specification {
    /// `-`
    pub(crate) left: bool,
    /// `+`
    pub(crate) plus: bool,
    /// A blank in place of the plus sign.
    pub(crate) blank: bool,
    /// `#`
    pub(crate) alternate: bool,
    /// `0`
    pub(crate) zero: bool,
    pub(crate) width: usize,
    pub(crate) precision: Option<usize>,
}

impl Specification {
    /// Flags, digits and a point with digits at the front of a text, and what is after them. `flags` are those that the tool
    /// knows.
    pub(crate) fn read<'t>(text: &'t [u8], flags: &[u8]) -> (Self, &'t [u8]) {
        let mut specification = Self::default();
        let rest = specification.take_flags(text, flags);
        let (width, mut rest) = split_digits(rest);
        specification.width = number(width);
        if let Some(tail) = rest.strip_prefix(b".") {
            let (precision, tail) = split_digits(tail);
            specification.precision = Some(number(precision));
            rest = tail;
        }
        (specification, rest)
    }

    /// Takes the flags at the front; what is after them.
    pub(crate) fn take_flags<'t>(&mut self, text: &'t [u8], flags: &[u8]) -> &'t [u8] {
        let mut rest = text;
        while let Some((flag, tail)) = rest.split_first().filter(|(flag, _)| flags.contains(flag)) {
            match flag {
                b'-' => self.left = true,
                b'+' => self.plus = true,
                b' ' => self.blank = true,
                b'#' => self.alternate = true,
                b'0' => self.zero = true,
                // Digits are not grouped in the locale C.
                _ => {}
            }
            rest = tail;
        }
        rest
    }

    /// The sign of a number.
    pub(crate) const fn sign(&self, is_negative: bool) -> &'static [u8] {
        match (is_negative, self.plus, self.blank) {
            (true, ..) => b"-",
            (false, true, _) => b"+",
            (false, false, true) => b" ",
            (false, false, false) => b"",
        }
    }

    /// Appends a text in the width. `zeros` fill it after `lead` (a sign, `0x`) unless it goes to the left.
    pub(crate) fn put(&self, lead: &[u8], text: &[u8], zeros: bool, out: &mut Vec<u8>) {
        let padding = self.width.saturating_sub(lead.len() + text.len());
        if !self.left && !zeros {
            out.resize_by(padding, b' ');
        }
        out.extend_from_slice(lead);
        if !self.left && zeros {
            out.resize_by(padding, b'0');
        }
        out.extend_from_slice(text);
        if self.left {
            out.resize_by(padding, b' ');
        }
    }
}

/// The value of decimal digits; the largest one where it is too large.
fn number(digits: &[u8]) -> usize {
    let add = |value: usize, digit: &u8| value.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
    digits.iter().fold(0, add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_put_into_their_width() {
        for (text, lead, zeros, want) in [
            ("5d", "+", false, "   +7"),
            ("05d", "+", true, "+0007"),
            ("-05d", "+", true, "+7   "),
            ("1d", "", false, "7"),
        ] {
            let (specification, rest) = Specification::read(text.as_bytes(), b"-0");
            let mut out = Vec::new();
            specification.put(lead.as_bytes(), b"7", zeros, &mut out);
            assert_eq!((&*out, rest), (want.as_bytes(), &b"d"[..]), "{text}");
        }
        let (specification, rest) = Specification::read(b"+.x", b"-+ ");
        assert_eq!(
            (specification.sign(false), specification.precision, rest),
            (&b"+"[..], Some(0), &b"x"[..])
        );
    }
}
