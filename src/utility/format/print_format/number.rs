//! Arguments of `printf` as numbers.

use super::{Dialect, Formatter};
use crate::character;
use crate::text::Text;
use crate::utility::format::extended::Extended;

impl Formatter<'_> {
    /// `'c` and `"c`: the value of a character.
    fn character_value(&mut self, arg: &[u8]) -> Option<u64> {
        let [b'\'' | b'"', rest @ ..] = arg else { return None };
        let Some((unit, length)) = character::unit_at(rest, 0) else {
            if self.dialect == Dialect::Gnu {
                return None;
            }
            return Some(0);
        };
        if self.dialect == Dialect::Gnu
            && let Some(more) = rest.get(length..).filter(|more| !more.is_empty())
        {
            let more = Text::from(more);
            self.around.report(
                self.out,
                &format_args!("warning: {more}: character(s) following character constant have been ignored"),
            );
        }
        Some(match character::character(unit) {
            Some(character) => u64::from(u32::from(character)),
            None => u64::from(rest.first().copied().unwrap_or(0)),
        })
    }

    /// An argument as an integer, not clamped. What is wrong is said.
    pub(super) fn integer(&mut self, arg: &[u8]) -> Integer {
        if let Some(magnitude) = self.character_value(arg) {
            return Integer { magnitude, ..Integer::default() };
        }
        let parsed = parse_integer(arg);
        if parsed.overflow {
            self.out_of_range(arg);
        } else if parsed.length < arg.len() || (self.dialect == Dialect::Gnu && parsed.length == 0) {
            self.not_a_number(arg, parsed.length);
        }
        Integer { magnitude: parsed.magnitude, negative: parsed.negative, overflow: parsed.overflow }
    }

    /// An integer within the range of its conversion.
    pub(super) fn clamp(&mut self, integer: Integer, signed: bool, arg: Option<&Text>) -> (u64, bool) {
        let Integer { magnitude, negative, overflow } = integer;
        let most = if negative { i64::MIN.unsigned_abs() } else { i64::MAX.unsigned_abs() };
        if !signed {
            return (if negative && !overflow { magnitude.wrapping_neg() } else { magnitude }, false);
        }
        if magnitude > most {
            if !overflow && let Some(arg) = arg {
                self.out_of_range(arg);
            }
            return (most, negative);
        }
        (magnitude, negative && magnitude != 0)
    }

    pub(super) fn float(&mut self, arg: &[u8]) -> Extended {
        if let Some(value) = self.character_value(arg) {
            return Extended::from_integer(value);
        }
        let parsed = Extended::parse(arg);
        if parsed.out_of_range {
            self.out_of_range(arg);
        } else if parsed.length < arg.len() || (self.dialect == Dialect::Gnu && parsed.length == 0) {
            self.not_a_number(arg, parsed.length);
        }
        parsed.value
    }

    pub(super) fn out_of_range(&mut self, arg: &[u8]) {
        match self.dialect {
            Dialect::Bash => {
                let shown = Text::from(arg);
                self.around
                    .report(self.out, &format_args!("warning: {shown}: Numerical result out of range"));
            }
            Dialect::Gnu => {
                let shown = crate::utility::format::quote::quote(arg);
                self.fail(&format_args!("{shown}: Numerical result out of range"));
            }
        }
    }

    /// `used`: bytes that make a number.
    fn not_a_number(&mut self, arg: &[u8], used: usize) {
        if self.dialect == Dialect::Gnu {
            let shown = crate::utility::format::quote::quote(arg);
            let what = if used == 0 { "expected a numeric value" } else { "value not completely converted" };
            self.fail(&format_args!("{shown}: {what}"));
            return;
        }
        let kind = match arg {
            [b'0', digit, ..] if digit.is_ascii_digit() => "octal ",
            [b'0', b'x', ..] => "hex ",
            _ => "",
        };
        let shown = Text::from(arg);
        self.fail(&format_args!("{shown}: invalid {kind}number"));
    }
}

/// An argument that is an integer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Integer {
    /// The largest when it does not fit.
    pub(super) magnitude: u64,
    pub(super) negative: bool,
    /// It did not fit, which was said.
    pub(super) overflow: bool,
}

/// An integer as `strtoimax` with base 0 reads it.
struct Parsed {
    magnitude: u64,
    negative: bool,
    overflow: bool,
    length: usize,
}

fn parse_integer(text: &[u8]) -> Parsed {
    let blanks = text.iter().take_while(|byte| byte.is_ascii_whitespace() || **byte == 0x0b).count();
    let mut at = blanks;
    let negative = text.get(at) == Some(&b'-');
    at += usize::from(matches!(text.get(at), Some(b'-' | b'+')));
    let base = match text.get(at..).unwrap_or(&[]) {
        [b'0', b'x' | b'X', digit, ..] if digit.is_ascii_hexdigit() => {
            at += 2;
            16
        }
        [b'0', ..] => 8,
        _ => 10,
    };
    let first = at;
    let (mut magnitude, mut overflow) = (0_u64, false);
    while let Some(digit) = text.get(at).and_then(|byte| char::from(*byte).to_digit(base)) {
        match magnitude.checked_mul(u64::from(base)).and_then(|value| value.checked_add(u64::from(digit))) {
            Some(value) if !overflow => magnitude = value,
            _ => {
                magnitude = u64::MAX;
                overflow = true;
            }
        }
        at += 1;
    }
    Parsed { magnitude, negative, overflow, length: if at == first { 0 } else { at } }
}
