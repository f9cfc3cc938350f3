//! The current record and its fields. Fields are found when one is asked for; an assignment to one makes the record be
//! built anew when that is asked for.
//!
//! What may take long (splitting, and building a record of many fields) counts its steps on a [`Pace`].

use super::function::skip_characters;
use super::value::Value;
use crate::character::unit_at;
use crate::limit::gauge;
use crate::memory::Vec;
use crate::text::Text;
use crate::utility::context::pace::Pace;
use crate::utility::context::pace::yield_now;
use crate::utility::regex::{Regex, RegexError};

/// How text falls into fields.
#[derive(Clone, Debug)]
pub(super) enum Splitter {
    /// Runs of blanks and newlines; those at both ends do not count.
    Blanks,
    Byte(u8),
    Regex(Regex),
    /// Every character is a field.
    Characters,
    /// Characters that are skipped before a field, and those that it has.
    Widths(Vec<(usize, usize)>),
    /// What matches is a field.
    Matches(Regex),
}

/// `[start, end)` in bytes.
pub(super) type Piece = (usize, usize);

/// Bytes of a text that are split without counting.
const BLOCK: usize = 1 << 12;

/// Finds the fields of a text.
pub(super) async fn split(
    text: &[u8],
    splitter: &Splitter,
    newline_splits: bool,
    pieces: &mut Vec<Piece>,
    pace: &mut Pace<'_>,
) -> Result<(), RegexError> {
    pieces.clear();
    if let Splitter::Regex(regex) = splitter {
        return split_by_regex(text, regex, pieces, pace).await;
    }
    if let Splitter::Matches(regex) = splitter {
        return split_into_matches(text, regex, pieces, pace).await;
    }
    if let Splitter::Widths(widths) = splitter {
        let mut at = 0;
        for &(skip, width) in widths {
            // What is left may all be skipped: the field is there, and empty.
            if at >= text.len() {
                break;
            }
            let start = skip_characters(text, at, skip);
            at = skip_characters(text, start, width);
            pieces.push((start, at));
            if pace.count((at - start) as u64)? {
                yield_now().await;
            }
        }
        return Ok(());
    }
    if text.is_empty() {
        return Ok(());
    }
    // The field that has begun, and where to go on.
    let mut start = 0;
    let mut at = 0;
    while at < text.len() {
        let end = at.saturating_add(BLOCK).min(text.len());
        match splitter {
            Splitter::Byte(separator) => {
                let block = text.get(at..end).unwrap_or(&[]);
                let second = if newline_splits { b'\n' } else { *separator };
                for found in memchr::memchr2_iter(*separator, second, block) {
                    pieces.push((start, at + found));
                    start = at + found + 1;
                }
                at = end;
            }
            Splitter::Characters => {
                while at < end
                    && let Some((_, length)) = unit_at(text, at)
                {
                    pieces.push((at, at + length));
                    at += length;
                }
            }
            Splitter::Blanks | Splitter::Regex(_) | Splitter::Widths(_) | Splitter::Matches(_) => {
                while at < end {
                    let Some(piece) = next_word(text, at) else {
                        at = text.len();
                        break;
                    };
                    pieces.push(piece);
                    at = piece.1;
                }
            }
        }
        if gauge::is_refused() {
            break;
        }
        if text.len() > BLOCK && pace.count(BLOCK as u64 / 2)? {
            yield_now().await;
        }
    }
    if let Splitter::Byte(_) = splitter {
        pieces.push((start, text.len()));
    }
    Ok(())
}

/// `FPAT`: an empty match counts, unless it is right after a field.
async fn split_into_matches(
    text: &[u8],
    regex: &Regex,
    pieces: &mut Vec<Piece>,
    pace: &mut Pace<'_>,
) -> Result<(), RegexError> {
    let mut at = 0;
    let mut last_end = None;
    while !text.is_empty()
        && at <= text.len()
        && let Some((start, end)) = regex.find_at(text, at, pace).await?
    {
        if pace.count(1)? {
            yield_now().await;
        }
        if start < end {
            pieces.push((start, end));
            (last_end, at) = (Some(end), end);
        } else {
            if last_end != Some(start) {
                pieces.push((start, start));
            }
            at = start + unit_at(text, start).map_or(1, |(_, length)| length);
        }
        if end == text.len() {
            break;
        }
    }
    Ok(())
}

async fn split_by_regex(
    text: &[u8],
    regex: &Regex,
    pieces: &mut Vec<Piece>,
    pace: &mut Pace<'_>,
) -> Result<(), RegexError> {
    if text.is_empty() {
        return Ok(());
    }
    let mut start = 0;
    let mut from = 0;
    while let Some((at, end)) = regex.find_at(text, from, pace).await? {
        if pace.count(1)? {
            yield_now().await;
        }
        if at == end {
            if at >= text.len() {
                break;
            }
            from = at + unit_at(text, at).map_or(1, |(_, length)| length);
            continue;
        }
        pieces.push((start, at));
        (start, from) = (end, end);
    }
    pieces.push((start, text.len()));
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

/// What an operation needs of the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// The whole, built from its fields where these were changed.
    Text,
    /// The field of this number; 0 is the whole.
    Field(usize),
    /// Fields that can be assigned to.
    OwnFields,
}

/// From so many bytes on, a record is large: it is split and built in turns with others.
const LARGE_BYTES: usize = 1 << 15;
/// From so many fields on as well.
const LARGE_COUNT: usize = 1 << 11;

/// The current record.
#[derive(Debug, Default)]
pub(super) struct Record {
    bytes: Vec<u8>,
    /// The record as a value, once it was asked for; the value of a large one is all there is of it.
    shared: Option<Text>,
    pieces: Vec<Piece>,
    pub(super) is_split: bool,
    /// The fields, once one was assigned to.
    owned: Option<Vec<Value>>,
    /// The fields were changed since the record was built.
    pub(super) is_stale: bool,
    kind: Kind,
    /// `NF` was assigned to, and what was assigned is its value still.
    pub(super) has_count_of_own: bool,
}

/// What the record as a whole is as a value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Kind {
    /// There was none yet.
    #[default]
    Nothing,
    /// It was read: a number if it looks like one.
    Input,
    /// It was assigned or built from its fields.
    Text,
    /// A number was assigned.
    Number(f64),
}

impl Record {
    pub(super) fn set(&mut self, text: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(text);
        self.forget();
    }

    /// Makes the record what was assigned to `$0`, whose text is given.
    pub(super) fn assign(&mut self, value: &Value, text: &[u8]) {
        self.set(text);
        self.kind = match value {
            Value::Number(number) => Kind::Number(*number),
            Value::Text(_) => Kind::Text,
            _ => Kind::Input,
        };
    }

    /// Takes the record that `line` holds, in exchange for the old one.
    pub(super) fn take(&mut self, line: &mut Vec<u8>) {
        std::mem::swap(&mut self.bytes, line);
        self.forget();
    }

    /// Forgets what was known of the old record.
    fn forget(&mut self) {
        self.shared = None;
        self.pieces.clear();
        self.pieces.shrink_to(KEPT);
        self.is_split = false;
        self.owned = None;
        self.is_stale = false;
        self.kind = Kind::Input;
        self.has_count_of_own = false;
    }

    /// Finds all fields.
    pub(super) async fn split(
        &mut self,
        splitter: &Splitter,
        newline_splits: bool,
        pace: &mut Pace<'_>,
    ) -> Result<(), RegexError> {
        let text = self.shared.as_deref().unwrap_or(&self.bytes);
        split(text, splitter, newline_splits, &mut self.pieces, pace).await?;
        self.is_split = true;
        Ok(())
    }

    /// `$0` as a value; the record is up to date.
    pub(super) fn whole(&mut self) -> Text {
        let bytes = &mut self.bytes;
        let shared = self.shared.get_or_insert_with(|| {
            // A large record is handed over, not copied, unless its buffer is much larger yet.
            if bytes.len() >= LARGE_BYTES && bytes.capacity() / 2 <= bytes.len() {
                Text::from(std::mem::take(bytes))
            } else {
                Text::from(bytes.as_slice())
            }
        });
        shared.clone()
    }

    /// As [`Record::whole`], with the type that `$0` has.
    pub(super) fn value(&mut self) -> Value {
        match self.kind {
            Kind::Nothing => Value::Input(self.whole()),
            Kind::Input => Value::input(self.whole()),
            Kind::Text => Value::Text(self.whole()),
            Kind::Number(number) => Value::Number(number),
        }
    }

    /// The record's text; it is up to date.
    pub(super) fn text(&self) -> &[u8] {
        self.shared.as_deref().unwrap_or(&self.bytes)
    }

    /// Splits a record at blanks as far as field `number`.
    pub(super) fn split_words_to(&mut self, number: usize) {
        let mut at = self.pieces.last().map_or(0, |piece| piece.1);
        for _ in self.pieces.len()..number {
            let Some(piece) = next_word(self.shared.as_deref().unwrap_or(&self.bytes), at) else {
                self.is_split = true;
                break;
            };
            self.pieces.push(piece);
            at = piece.1;
        }
    }

    /// The bytes of field `number`, from 1, where they are found without waiting and were not assigned.
    pub(super) fn known_field(&mut self, number: usize, splitter: &Splitter) -> Option<&[u8]> {
        if number == 0 || self.owned.is_some() {
            return None;
        }
        if !self.has_found(number) {
            if !matches!(splitter, Splitter::Blanks) {
                return None;
            }
            self.split_words_to(number);
        }
        let &(start, end) = self.pieces.get(number - 1)?;
        self.text().get(start..end)
    }

    /// Whether field `number` is known.
    pub(super) fn has_found(&self, number: usize) -> bool {
        self.owned.is_some() || self.is_split || self.pieces.len() >= number
    }

    pub(super) fn count(&self) -> usize {
        self.owned.as_ref().map_or(self.pieces.len(), Vec::len)
    }

    /// Field `number`, from 1; the fields are split. One that is not there compares as the empty string.
    pub(super) fn field(&self, number: usize) -> Value {
        const NOTHING: Value = Value::Input(Text::EMPTY);
        let Some(index) = number.checked_sub(1) else { return NOTHING };
        if let Some(owned) = &self.owned {
            return owned.get(index).cloned().unwrap_or(NOTHING);
        }
        let Some(&(start, end)) = self.pieces.get(index) else { return NOTHING };
        Value::input(self.text().get(start..end).unwrap_or(&[]))
    }

    /// See [`LARGE_BYTES`].
    pub(super) fn is_large(&self) -> bool {
        self.bytes.len() >= LARGE_BYTES
            || self.bytes.is_empty() && self.text().len() >= LARGE_BYTES
            || self.owned.as_ref().is_some_and(|owned| owned.len() >= LARGE_COUNT)
    }

    pub(super) fn has(&self, need: Need) -> bool {
        match need {
            Need::Text | Need::Field(0) => !self.is_stale,
            Need::Field(number) => self.has_found(number),
            Need::OwnFields => self.owned.is_some(),
        }
    }

    /// Makes every field a value of its own; it is done before a field or `NF` is assigned to.
    pub(super) async fn own(&mut self, pace: &mut Pace<'_>) -> Result<(), RegexError> {
        if self.owned.is_none() {
            let mut owned = Vec::with_capacity(self.pieces.len());
            for number in 1..=self.pieces.len() {
                owned.push(self.field(number));
                if pace.count(4)? {
                    yield_now().await;
                }
            }
            self.owned = Some(owned);
        }
        Ok(())
    }

    /// Assigns to a field; those between the last one and it become empty.
    pub(super) fn set_field(&mut self, number: usize, value: Value) {
        self.reach(number);
        let Some(owned) = &mut self.owned else { return };
        if let Some(slot) = number.checked_sub(1).and_then(|index| owned.get_mut(index)) {
            *slot = value;
        }
        self.is_stale = true;
    }

    /// Makes the fields up to that one, which are their own.
    pub(super) fn reach(&mut self, number: usize) {
        if let Some(owned) = self.owned.as_mut().filter(|owned| owned.len() < number) {
            owned.resize(number, Value::Input(Text::EMPTY));
            self.has_count_of_own = false;
        }
    }

    /// Sets `NF`.
    pub(super) fn set_count(&mut self, count: usize) {
        let Some(owned) = &mut self.owned else { return };
        owned.resize(count, Value::Input(Text::EMPTY));
        owned.truncate(count);
        self.is_stale = true;
        self.has_count_of_own = true;
    }

    /// Builds the record from its fields.
    pub(super) async fn rebuild(
        &mut self,
        separator: &[u8],
        format: &[u8],
        pace: &mut Pace<'_>,
    ) -> Result<(), RegexError> {
        self.is_stale = false;
        self.shared = None;
        let Some(owned) = &self.owned else { return Ok(()) };
        let mut bytes = Vec::new();
        let mut text = Vec::new();
        for (index, value) in owned.iter().enumerate() {
            if index > 0 {
                bytes.extend_from_slice(separator);
            }
            bytes.extend_from_slice(value.bytes(format, &mut text));
            if !gauge::admit_value(bytes.len()) {
                break;
            }
            if pace.count(4)? {
                yield_now().await;
            }
        }
        self.bytes = bytes;
        self.kind = Kind::Text;
        Ok(())
    }
}

/// Places of fields that are kept for the next record.
const KEPT: usize = 1 << 12;
