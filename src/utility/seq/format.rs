//! The format of `seq -f`: text with one `%e`, `%f` or `%g` directive.

use crate::memory::{Vec, format};
use crate::utility::UtilityError;
use crate::utility::format::float::format_float;
use crate::utility::format::quote::quote;
use crate::utility::format::specification::Specification;

#[derive(Clone, Debug)]
pub(super) struct Format {
    before: Vec<u8>,
    after: Vec<u8>,
    specification: Specification,
    conversion: u8,
}

impl Format {
    pub(super) fn parse(text: &[u8]) -> Result<Self, UtilityError> {
        let bad = |what: &str| UtilityError::failed(format!("format {} {what}", quote(text)));
        let (before, rest) = take_literal(text);
        let Some(rest) = rest else { return Err(bad("has no % directive")) };
        let (specification, rest) = Specification::read(rest, b"-+ 0#'");
        let rest = rest.strip_prefix(b"L").unwrap_or(rest);
        let Some((&conversion, rest)) = rest.split_first() else { return Err(bad("ends in %")) };
        if !b"eEfFgG".contains(&conversion) {
            return Err(bad(&format!("has unknown %{} directive", char::from(conversion))));
        }
        let (after, more) = take_literal(rest);
        if more.is_some() {
            return Err(bad("has too many % directives"));
        }
        Ok(Self { before, after, specification, conversion })
    }

    pub(super) fn append(&self, value: f64, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.before);
        let Self { specification, conversion, .. } = self;
        let precision = specification.precision.unwrap_or(6);
        let text = format_float(value, *conversion, precision, specification.alternate);
        let digits = text.strip_prefix('-').unwrap_or(&text);
        let sign = specification.sign(digits.len() < text.len());
        let zeros = specification.zero && value.is_finite();
        specification.put(sign, digits.as_bytes(), zeros, out);
        out.extend_from_slice(&self.after);
    }
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
