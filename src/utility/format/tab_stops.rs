//! Tab stops of `expand` and `unexpand`: `N`, a list of positions, and `/N` or `+N` for what follows the last of them.

use super::count::parse_digits;
use super::quote::quote;
use crate::memory::{JoinMetered, String, Vec, format};
use crate::text::Text;
use crate::utility::UtilityError;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct TabStops {
    positions: Vec<u64>,
    /// After the positions: multiples of this.
    extend: u64,
    /// After the positions: this far from the last of them.
    increment: u64,
}

/// Makes `-2` and `-6` of `-2,6`: digits are an option, and commas separate several.
pub(crate) fn separate_lists(args: &mut Vec<Text>) {
    let mut out: Vec<Text> = Vec::new();
    let mut is_value = false;
    let mut rest = std::mem::take(args).into_iter();
    for arg in rest.by_ref() {
        if arg.as_bytes() == b"--" {
            out.push(arg);
            break;
        }
        let list = arg.strip_prefix(b"-").filter(|list| {
            !is_value
                && list.first().is_some_and(u8::is_ascii_digit)
                && list.contains(&b',')
                && list.iter().all(|byte| byte.is_ascii_digit() || *byte == b',')
        });
        is_value = matches!(arg.as_bytes(), b"-t" | b"--tabs");
        match list {
            None => out.push(arg),
            Some(list) => {
                for item in list.split(|&byte| byte == b',').filter(|item| !item.is_empty()) {
                    out.push(Text::from([b"-", item].concat_metered()));
                }
            }
        }
    }
    out.extend(rest);
    *args = out;
}

impl TabStops {
    /// Reads the lists of `--tabs` and `-NUM`.
    pub(crate) fn parse<'t>(lists: impl Iterator<Item = &'t Text>) -> Result<Self, UtilityError> {
        let mut stops = Self::default();
        let failed = |text: String| Err(UtilityError::failed(text));
        for list in lists {
            for item in list.split(|byte| matches!(byte, b',' | b' ' | b'\t')).filter(|item| !item.is_empty())
            {
                let (kind, digits) = match item {
                    [kind @ (b'/' | b'+'), digits @ ..] => (*kind, digits),
                    digits => (0, digits),
                };
                let wrong = digits.iter().position(|byte| !byte.is_ascii_digit());
                if let Some(wrong) = wrong {
                    let rest = digits.get(wrong..).unwrap_or(&[]);
                    return failed(format!("tab size contains invalid character(s): {}", quote(rest)));
                }
                let Some(number) = parse_digits(digits) else { continue };
                if number == u64::MAX {
                    return failed(format!("tab stop is too large {}", quote(digits)));
                }
                match kind {
                    b'/' | b'+' => {
                        let size = if kind == b'/' { &mut stops.extend } else { &mut stops.increment };
                        if *size > 0 {
                            let kind = char::from(kind);
                            return failed(format!("'{kind}' specifier only allowed with the last value"));
                        }
                        *size = number;
                    }
                    _ => stops.positions.push(number),
                }
            }
        }
        let mut last = 0;
        for &number in &stops.positions {
            if number == 0 {
                return failed("tab size cannot be 0".into());
            }
            if number <= last {
                return failed("tab sizes must be ascending".into());
            }
            last = number;
        }
        if stops.extend > 0 && stops.increment > 0 {
            return failed("'/' specifier is mutually exclusive with '+'".into());
        }
        if let ([only], 0, 0) = (stops.positions.as_slice(), stops.extend, stops.increment) {
            stops.extend = *only;
            stops.positions.clear();
        } else if stops.positions.is_empty() && stops.increment > 0 {
            stops.extend = std::mem::take(&mut stops.increment);
        } else if stops.positions.is_empty() && stops.extend == 0 {
            stops.extend = 8;
        }
        Ok(stops)
    }

    /// The first stop after `column`; `None` after the last one.
    pub(crate) fn next(&self, column: u64) -> Option<u64> {
        let index = self.positions.partition_point(|position| *position <= column);
        if let Some(position) = self.positions.get(index) {
            return Some(*position);
        }
        let last = self.positions.last().copied().unwrap_or(0);
        if self.extend > 0 {
            return Some(column - column % self.extend + self.extend);
        }
        (self.increment > 0).then(|| column - (column - last) % self.increment + self.increment)
    }
}
