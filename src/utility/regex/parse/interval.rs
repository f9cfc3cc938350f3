//! Intervals of BRE and ERE (POSIX XBD 9.3.6), and what stands in their place.

use super::{GREATEST_COUNT, Parser};
use crate::utility::regex::{Dialect, RegexError};

impl Parser<'_> {
    /// Reads the rest of an interval; `None` if it is none and its `{` stands for itself.
    pub(super) fn interval(&mut self) -> Result<Option<(u32, Option<u32>)>, RegexError> {
        let start = self.at;
        let found = self.interval_content();
        let may_be_literal = self.is_extended && matches!(self.options.dialect, Dialect::Grep | Dialect::Awk);
        match found {
            Err(RegexError::UnmatchedInterval) if may_be_literal => {
                self.at = start;
                Ok(None)
            }
            Err(error) => Err(error),
            Ok(counts) => Ok(Some(counts)),
        }
    }

    pub(super) fn interval_content(&mut self) -> Result<(u32, Option<u32>), RegexError> {
        let is_lenient = self.is_extended && matches!(self.options.dialect, Dialect::Grep | Dialect::Awk);
        if !is_lenient {
            return self.strict_interval();
        }
        let rest = self.source.get(self.at..).unwrap_or_default();
        let first = self.count();
        let counts = if self.source.get(self.at) == Some(&b',') {
            self.at += 1;
            let second = self.count();
            if self.source.get(self.at) == Some(&b',') {
                return Err(RegexError::IntervalContent);
            }
            (first.unwrap_or(0), second)
        } else {
            match first {
                Some(count) => (count, Some(count)),
                None if rest.starts_with(b"}") => return Err(RegexError::IntervalContent),
                None => return Err(RegexError::UnmatchedInterval),
            }
        };
        if self.source.get(self.at) != Some(&b'}') {
            return Err(RegexError::UnmatchedInterval);
        }
        self.at += 1;
        if counts.1.is_some_and(|most| most < counts.0) {
            return Err(RegexError::IntervalContent);
        }
        if counts.0.max(counts.1.unwrap_or(0)) > GREATEST_COUNT {
            return Err(RegexError::TooBig);
        }
        Ok(counts)
    }

    /// Reads up to the end of an interval. As in glibc, one that the text ends in has no end, whatever stands in it; a
    /// comma too many is wrong content.
    fn strict_interval(&mut self) -> Result<(u32, Option<u32>), RegexError> {
        let least = self.interval_number()?;
        let rest = self.source.get(self.at..).unwrap_or_default();
        let counts = if rest.starts_with(b",") || rest.starts_with(b"\\,") {
            // As in glibc, the comma may be escaped.
            self.has_escaped_comma |= rest.starts_with(b"\\");
            self.at += if rest.starts_with(b"\\") { 2 } else { 1 };
            let least = least?;
            (least.unwrap_or(0), self.interval_number()??)
        } else {
            let count = least?.ok_or(RegexError::IntervalContent)?;
            (count, Some(count))
        };
        let end = self.interval_end();
        if !self.source.get(self.at..).is_some_and(|rest| rest.starts_with(end))
            || counts.1.is_some_and(|most| most < counts.0)
        {
            return Err(RegexError::IntervalContent);
        }
        self.at += end.len();
        if counts.0.max(counts.1.unwrap_or(0)) > GREATEST_COUNT {
            return Err(RegexError::TooBig);
        }
        Ok(counts)
    }

    fn interval_end(&self) -> &'static [u8] {
        if self.is_extended { b"}" } else { b"\\}" }
    }

    /// The number, if there is one, before the next comma or the interval's end; the inner error is of one that is none, the
    /// outer one of a text that ends before.
    fn interval_number(&mut self) -> Result<Result<Option<u32>, RegexError>, RegexError> {
        let mut until = self.at;
        loop {
            let rest = self.source.get(until..).unwrap_or_default();
            match rest {
                [] => return Err(RegexError::UnmatchedInterval),
                [b',', ..] | [b'\\', b',', ..] => break,
                rest if rest.starts_with(self.interval_end()) => break,
                [b'\\', _, ..] => until += 2,
                _ => until += 1,
            }
        }
        let number = self.count();
        let is_wrong = self.at != until;
        self.at = until;
        Ok(if is_wrong { Err(RegexError::IntervalContent) } else { Ok(number) })
    }

    fn count(&mut self) -> Option<u32> {
        let mut count = None;
        while let Some(digit @ b'0'..=b'9') = self.source.get(self.at) {
            count = Some(count.unwrap_or(0_u32).saturating_mul(10).saturating_add(u32::from(digit - b'0')));
            self.at += 1;
        }
        count
    }
}
