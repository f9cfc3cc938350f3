//! The format of `seq -f`: text with one `%e`, `%f` or `%g` directive.

use crate::memory::{Vec, format};
use crate::utility::UtilityError;
use crate::utility::format::float::{format_float, split_digits};
use crate::utility::format::quote::quote;

#[derive(Clone, Debug)]
pub(super) struct Format {
    before: Vec<u8>,
    after: Vec<u8>,
    minus: bool,
    plus: bool,
    space: bool,
    zero: bool,
    alternate: bool,
    width: usize,
    precision: usize,
    conversion: u8,
}

impl Format {
    pub(super) fn parse(text: &[u8]) -> Result<Self, UtilityError> {
        let bad = |what: &str| UtilityError::failed(format!("format {} {what}", quote(text)));
        let (before, rest) = take_literal(text);
        let Some(rest) = rest else { return Err(bad("has no % directive")) };
        let flags = rest.iter().take_while(|byte| b"-+ 0#'".contains(byte)).count();
        let (flags, rest) = rest.split_at_checked(flags).unwrap_or((rest, &[]));
        let (width, rest) = split_digits(rest);
        let (precision, rest) = match rest.strip_prefix(b".") {
            Some(after) => {
                let (digits, rest) = split_digits(after);
                (number(digits), rest)
            }
            None => (6, rest),
        };
        let rest = rest.strip_prefix(b"L").unwrap_or(rest);
        let Some((&conversion, rest)) = rest.split_first() else { return Err(bad("ends in %")) };
        if !b"eEfFgG".contains(&conversion) {
            return Err(bad(&format!("has unknown %{} directive", char::from(conversion))));
        }
        let (after, more) = take_literal(rest);
        if more.is_some() {
            return Err(bad("has too many % directives"));
        }
        let has = |flag| flags.contains(&flag);
        Ok(Self {
            before,
            after,
            minus: has(b'-'),
            plus: has(b'+'),
            space: has(b' '),
            zero: has(b'0'),
            alternate: has(b'#'),
            width: number(width),
            precision,
            conversion,
        })
    }

    pub(super) fn append(&self, value: f64, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.before);
        let text = format_float(value, self.conversion, self.precision, self.alternate);
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None if self.plus => ("+", text.as_str()),
            None if self.space => (" ", text.as_str()),
            None => ("", text.as_str()),
        };
        let padding = self.width.saturating_sub(sign.len() + digits.len());
        let zeros = self.zero && !self.minus && value.is_finite();
        let pad = |out: &mut Vec<u8>, byte| out.resize_by(padding, byte);
        if !self.minus && !zeros {
            pad(out, b' ');
        }
        out.extend_from_slice(sign.as_bytes());
        if zeros {
            pad(out, b'0');
        }
        out.extend_from_slice(digits.as_bytes());
        if self.minus {
            pad(out, b' ');
        }
        out.extend_from_slice(&self.after);
    }
}

fn number(digits: &[u8]) -> usize {
    let add = |value: usize, digit: &u8| value.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
    digits.iter().fold(0, add)
}

/// Text up to a directive, `%%` being a percent sign, and what follows the directive's `%`.
fn take_literal(text: &[u8]) -> (Vec<u8>, Option<&[u8]>) {
    let mut literal = Vec::new();
    let mut rest = text;
    loop {
        match rest {
            [] => return (literal, None),
            [b'%', b'%', tail @ ..] => {
                literal.push(b'%');
                rest = tail;
            }
            [b'%', tail @ ..] => return (literal, Some(tail)),
            [byte, tail @ ..] => {
                literal.push(*byte);
                rest = tail;
            }
        }
    }
}
