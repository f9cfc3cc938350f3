//! The current record and its fields. Fields are found when one is asked for; an assignment to one makes the record be
//! built anew when that is asked for.

use crate::memory::Vec;
use super::text::Str;
use super::value::Value;
use crate::character::unit_at;
use crate::limit::{LimitError, Meter};
use crate::pattern::Ticker;
use crate::utility::charged::ChargedVec;
use crate::utility::regex::{Regex, RegexError};
use std::sync::Arc;

/// How text falls into fields.
#[derive(Clone, Debug)]
pub(super) enum Splitter {
    /// Runs of blanks and newlines; those at both ends do not count.
    Blanks,
    Byte(u8),
    Regex(Regex),
    /// Every character is a field.
    Characters,
}

/// `[start, end)` in bytes.
pub(super) type Piece = (usize, usize);

/// Finds the fields of a text.
pub(super) fn split(
    text: &[u8],
    splitter: &Splitter,
    newline_splits: bool,
    ticker: &mut dyn Ticker,
    pieces: &mut ChargedVec<Piece>,
) -> Result<(), SplitError> {
    pieces.clear();
    match splitter {
        Splitter::Blanks => {
            let mut at = 0;
            while let Some(piece) = next_word(text, at) {
                pieces.push(piece)?;
                at = piece.1;
            }
        }
        Splitter::Characters => {
            let mut at = 0;
            while let Some((_, length)) = unit_at(text, at) {
                pieces.push((at, at + length))?;
                at += length;
            }
        }
        _ if text.is_empty() => {}
        Splitter::Byte(separator) if newline_splits => {
            let is_separator = |byte: &u8| byte == separator || *byte == b'\n';
            split_by(text, is_separator, pieces)?;
        }
        Splitter::Byte(separator) => {
            let mut start = 0;
            for end in memchr::memchr_iter(*separator, text) {
                pieces.push((start, end))?;
                start = end + 1;
            }
            pieces.push((start, text.len()))?;
        }
        Splitter::Regex(regex) => {
            let mut start = 0;
            let mut from = 0;
            while let Some((at, end)) = regex.find_at_ticked(text, from, ticker)? {
                if at == end {
                    if at >= text.len() {
                        break;
                    }
                    from = at + unit_at(text, at).map_or(1, |(_, length)| length);
                    continue;
                }
                pieces.push((start, at))?;
                (start, from) = (end, end);
            }
            pieces.push((start, text.len()))?;
        }
    }
    Ok(())
}

/// The next run of other characters than blanks and newlines.
fn next_word(text: &[u8], at: usize) -> Option<Piece> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n');
    let rest = text.get(at..)?;
    let start = at + rest.iter().position(|byte| !is_blank(byte))?;
    let length = text.get(start..)?.iter().position(is_blank);
    Some((start, length.map_or(text.len(), |length| start + length)))
}

fn split_by(
    text: &[u8],
    is_separator: impl Fn(&u8) -> bool,
    pieces: &mut ChargedVec<Piece>,
) -> Result<(), LimitError> {
    let mut start = 0;
    for (end, _) in text.iter().enumerate().filter(|(_, byte)| is_separator(byte)) {
        pieces.push((start, end))?;
        start = end + 1;
    }
    pieces.push((start, text.len()))
}

/// Why a text was not split.
#[derive(Debug)]
pub(super) enum SplitError {
    Limit(LimitError),
    Regex(RegexError),
}

impl From<LimitError> for SplitError {
    fn from(limit: LimitError) -> Self {
        Self::Limit(limit)
    }
}

impl From<RegexError> for SplitError {
    fn from(error: RegexError) -> Self {
        Self::Regex(error)
    }
}

/// The current record.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) bytes: ChargedVec<u8>,
    /// The record as a value, once it was asked for.
    shared: Option<Str>,
    pieces: ChargedVec<Piece>,
    pub(super) is_split: bool,
    /// The fields, once one was assigned to.
    owned: Option<ChargedVec<Value>>,
    /// The fields were changed since the record was built.
    pub(super) is_stale: bool,
    meter: Arc<Meter>,
}

impl Record {
    pub(super) fn new(meter: &Arc<Meter>) -> Self {
        Self {
            bytes: ChargedVec::new(meter),
            shared: None,
            pieces: ChargedVec::new(meter),
            is_split: false,
            owned: None,
            is_stale: false,
            meter: Arc::clone(meter),
        }
    }

    pub(super) fn set(&mut self, text: &[u8]) -> Result<(), LimitError> {
        self.bytes.clear();
        self.pieces.clear();
        self.shared = None;
        self.is_split = false;
        self.owned = None;
        self.is_stale = false;
        self.bytes.extend(text)
    }

    pub(super) fn split(
        &mut self,
        splitter: &Splitter,
        newline_splits: bool,
        ticker: &mut dyn Ticker,
    ) -> Result<(), SplitError> {
        split(&self.bytes, splitter, newline_splits, ticker, &mut self.pieces)?;
        self.is_split = true;
        Ok(())
    }

    /// `$0` as a value; the record is up to date.
    pub(super) fn whole(&mut self) -> Result<Str, LimitError> {
        if let Some(shared) = &self.shared {
            return Ok(shared.clone());
        }
        let text = Str::new(&self.bytes, &self.meter)?;
        self.shared = Some(text.clone());
        Ok(text)
    }

    /// Splits as far as field `number`, where the splitter can stop there.
    pub(super) fn split_to(
        &mut self,
        number: usize,
        splitter: &Splitter,
        newline_splits: bool,
        ticker: &mut dyn Ticker,
    ) -> Result<(), SplitError> {
        if self.is_split || self.pieces.len() >= number {
            return Ok(());
        }
        if !matches!(splitter, Splitter::Blanks) {
            return self.split(splitter, newline_splits, ticker);
        }
        let mut at = self.pieces.last().map_or(0, |piece| piece.1);
        while self.pieces.len() < number {
            let Some(piece) = next_word(&self.bytes, at) else {
                self.is_split = true;
                break;
            };
            self.pieces.push(piece)?;
            at = piece.1;
        }
        Ok(())
    }

    /// Takes the record that `line` holds, in exchange for the old one.
    pub(super) fn take(&mut self, line: &mut ChargedVec<u8>) {
        std::mem::swap(&mut self.bytes, line);
        self.shared = None;
        self.pieces.clear();
        self.is_split = false;
        self.owned = None;
        self.is_stale = false;
    }

    pub(super) fn count(&self) -> usize {
        self.owned.as_ref().map_or(self.pieces.len(), |owned| owned.len())
    }

    /// Field `number`, from 1; the fields are split.
    pub(super) fn field(&self, number: usize) -> Result<Value, LimitError> {
        let Some(index) = number.checked_sub(1) else { return Ok(Value::Unset) };
        if let Some(owned) = &self.owned {
            return Ok(owned.get(index).cloned().unwrap_or(Value::Unset));
        }
        let Some(&(start, end)) = self.pieces.get(index) else { return Ok(Value::Unset) };
        Ok(Value::Input(Str::new(self.bytes.get(start..end).unwrap_or(&[]), &self.meter)?))
    }

    fn own(&mut self) -> Result<&mut ChargedVec<Value>, LimitError> {
        if self.owned.is_none() {
            let mut owned = ChargedVec::new(&self.meter);
            owned.reserve(self.pieces.len())?;
            for number in 1..=self.pieces.len() {
                owned.push(self.field(number)?)?;
            }
            self.owned = Some(owned);
        }
        Ok(self.owned.get_or_insert_with(|| ChargedVec::new(&self.meter)))
    }

    pub(super) fn set_field(&mut self, number: usize, value: Value) -> Result<(), LimitError> {
        let empty = || Value::Input(Str::EMPTY);
        let owned = self.own()?;
        while owned.len() < number {
            owned.push(empty())?;
        }
        if let Some(slot) = number.checked_sub(1).and_then(|index| owned.get_mut(index)) {
            *slot = value;
        }
        self.is_stale = true;
        Ok(())
    }

    /// Sets `NF`.
    pub(super) fn set_count(&mut self, count: usize) -> Result<(), LimitError> {
        let owned = self.own()?;
        owned.truncate(count);
        while owned.len() < count {
            owned.push(Value::Input(Str::EMPTY))?;
        }
        self.is_stale = true;
        Ok(())
    }

    /// Builds the record from its fields.
    pub(super) fn rebuild(&mut self, separator: &[u8], format: &[u8]) -> Result<(), LimitError> {
        self.is_stale = false;
        self.shared = None;
        let Some(owned) = &self.owned else { return Ok(()) };
        let mut bytes = ChargedVec::new(&self.meter);
        let mut text = Vec::new();
        for (index, value) in owned.iter().enumerate() {
            if index > 0 {
                bytes.extend(separator)?;
            }
            bytes.extend(value.bytes(format, &mut text))?;
        }
        self.meter.check_value(bytes.len() as u64)?;
        self.bytes = bytes;
        Ok(())
    }
}
