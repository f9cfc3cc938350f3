//! The names of the files of `csplit`: a prefix and a number, in a form of C's `printf` where `-b` gives one.

use crate::memory::{JoinMetered, Vec, format};
use crate::utility::UtilityError;
use crate::utility::format::specification::Specification;

/// Makes names.
pub(super) struct Names {
    prefix: Vec<u8>,
    before: Vec<u8>,
    after: Vec<u8>,
    specification: Specification,
    letter: u8,
}

/// The most digits of a number.
const WIDEST: usize = 4096;

impl Names {
    pub(super) fn of_digits(prefix: &[u8], digits: usize) -> Result<Self, UtilityError> {
        let specification = Specification { zero: true, width: digits, ..Specification::default() };
        Self { prefix: prefix.into(), before: Vec::new(), after: Vec::new(), specification, letter: b'u' }
            .checked()
    }

    /// With the suffix of `-b`, which has one conversion.
    pub(super) fn of_format(prefix: &[u8], suffix: &[u8]) -> Result<Self, UtilityError> {
        let failed = |words: &str| UtilityError::failed(words);
        let mut texts = [Vec::new(), Vec::new()];
        let mut found = None;
        let mut rest = suffix;
        while let Some((&byte, tail)) = rest.split_first() {
            rest = tail;
            let text = &mut texts[usize::from(found.is_some())];
            if byte != b'%' {
                text.push(byte);
                continue;
            }
            if let Some(after) = rest.strip_prefix(b"%") {
                text.push(b'%');
                rest = after;
                continue;
            }
            if found.is_some() {
                return Err(failed("too many % conversion specifications in suffix"));
            }
            let has_thousands =
                rest.iter().take_while(|byte| b"-0'#".contains(byte)).any(|byte| *byte == b'\'');
            let (specification, after) = Specification::read(rest, b"-0'#");
            let Some((&letter, after)) = after.split_first() else {
                return Err(failed("missing conversion specifier in suffix"));
            };
            let wrong_flag = match letter {
                b'd' | b'i' | b'u' => specification.alternate.then_some('#'),
                b'o' | b'x' | b'X' => has_thousands.then_some('\''),
                other => {
                    let shown = bstr::BStr::new(std::slice::from_ref(&other));
                    return Err(UtilityError::failed(if matches!(other, 0x20..0x7f) {
                        format!("invalid conversion specifier in suffix: {shown}")
                    } else {
                        format!("invalid conversion specifier in suffix: \\{other:03o}")
                    }));
                }
            };
            if let Some(flag) = wrong_flag {
                let letter = char::from(letter);
                return Err(UtilityError::failed(format!(
                    "invalid flags in conversion specification: %{flag}{letter}"
                )));
            }
            found = Some((specification, letter));
            rest = after;
        }
        let [before, after] = texts;
        let (specification, letter) =
            found.ok_or_else(|| failed("missing % conversion specification in suffix"))?;
        Self { prefix: prefix.into(), before, after, specification, letter }.checked()
    }

    fn checked(self) -> Result<Self, UtilityError> {
        let widest = self.specification.width.max(self.specification.precision.unwrap_or(0));
        if widest > WIDEST {
            return Err(UtilityError::failed(format!("the number of a file cannot have {widest} digits")));
        }
        Ok(self)
    }

    /// The name of a file.
    pub(super) fn name(&self, number: u64) -> Vec<u8> {
        let field = self.specification;
        let is_marked = field.alternate && number != 0;
        let digits = match self.letter {
            b'o' if is_marked => format!("0{number:o}"),
            b'o' => format!("{number:o}"),
            b'x' => format!("{number:x}"),
            b'X' => format!("{number:X}"),
            _ => format!("{number}"),
        };
        let lead: &[u8] = match self.letter {
            b'x' if is_marked => b"0x",
            b'X' if is_marked => b"0X",
            _ => b"",
        };
        let mut shown = Vec::new();
        match field.precision {
            None => field.put(lead, digits.as_bytes(), field.zero, &mut shown),
            Some(least) => {
                let mut text = Vec::new();
                text.resize_by(least.saturating_sub(digits.len()), b'0');
                text.extend_from_slice(digits.as_bytes());
                field.put(lead, &text, false, &mut shown);
            }
        }
        [self.prefix.as_slice(), &self.before, &shown, &self.after].concat_metered()
    }
}
