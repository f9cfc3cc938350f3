//! Lines and their fields, measured when they are read.

use super::settings::{Mode, Separators, Settings};
use crate::character::{blocks, offset_of};
use crate::limit::{LimitError, Meter};
use crate::memory::{Vec, format};
use crate::utility::context::pace::{append, tick_bytes};
use crate::utility::format::width::width;
use crate::utility::prelude::*;
use std::io::Write as _;

/// A stretch of the text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Field {
    start: usize,
    end: usize,
    /// How many columns it takes.
    pub(super) columns: usize,
}

#[derive(Default)]
pub(super) struct Lines {
    text: Vec<u8>,
    fields: Vec<Field>,
    /// Where the fields of each line end.
    ends: Vec<usize>,
    /// The most fields that a line has.
    pub(super) columns: usize,
}

/// Bytes that are looked at between two looks at the clock.
const BLOCK: usize = 1 << 13;

/// What the C library calls space.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// How many columns `text` takes; a control character and the colours that may follow it take none.
pub(super) async fn measure(meter: &Meter, text: &[u8], plain: bool) -> Result<usize, LimitError> {
    let (mut at, mut counted, mut columns) = (0, 0, 0);
    let mut colours = !plain;
    while let Some(&byte) = text.get(at) {
        if at - counted >= BLOCK {
            tick_bytes(meter, at - counted).await?;
            counted = at;
        }
        if byte.is_ascii_control() {
            at += 1;
            if colours && text.get(at) == Some(&b'[') {
                let rest = text.get(at..).unwrap_or(&[]);
                match memchr::memchr(b'm', rest) {
                    Some(offset) => at += offset + 1,
                    None => colours = false,
                }
            }
        } else if byte.is_ascii() {
            columns += 1;
            at += 1;
        } else {
            let (character, length) = bstr::decode_utf8(text.get(at..).unwrap_or(&[]));
            columns += character.and_then(width).unwrap_or(0);
            at += length.max(1);
        }
    }
    Ok(columns)
}

impl Lines {
    pub(super) fn count(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn fields(&self, line: usize) -> &[Field] {
        let start = line.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.ends.get(line).and_then(|end| self.fields.get(start..*end)).unwrap_or(&[])
    }

    pub(super) fn bytes(&self, field: &Field) -> &[u8] {
        self.text.get(field.start..field.end).unwrap_or(&[])
    }

    /// The field of a line in a column; `None` if it has none.
    pub(super) fn field(&self, line: usize, column: usize) -> Option<&[u8]> {
        self.fields(line).get(column).map(|field| self.bytes(field))
    }

    pub(super) fn first_field(&self, line: usize) -> &[u8] {
        self.field(line, 0).unwrap_or(&[])
    }

    /// Reads the lines that are not blank.
    pub(super) async fn read(
        &mut self,
        ctx: &mut Context,
        mut input: crate::utility::Input,
        settings: &Settings,
    ) -> Result<(), UtilityError> {
        loop {
            ctx.tick().await?;
            let line = match input.next_line(b'\n').await {
                Ok(Some(line)) => line,
                Ok(None) => return Ok(()),
                Err(FsError::Errno(errno)) => {
                    return Err(UtilityError::failed(format!("read failed: {}", errno.message())));
                }
                Err(FsError::Limit(limit)) => return Err(limit.into()),
            };
            let (body, _) = split_delimiter(line, b'\n');
            let end = memchr::memchr(0, body).unwrap_or(body.len());
            let body = body.get(..end).unwrap_or(body);
            if body.iter().all(|byte| is_blank(*byte)) {
                if settings.keep_empty {
                    self.ends.push(self.fields.len());
                }
                continue;
            }
            let start = self.text.len();
            self.add_text(&ctx.meter, body).await?;
            if settings.mode == Mode::Table {
                self.split(ctx, start, settings).await?;
            } else {
                let columns = measure(&ctx.meter, self.text.get(start..).unwrap_or(&[]), true).await?;
                self.fields.push(Field { start, end: self.text.len(), columns });
            }
            self.ends.push(self.fields.len());
        }
    }

    /// Appends a line; one with bytes that are no characters is written with escapes.
    async fn add_text(&mut self, meter: &Meter, line: &[u8]) -> Result<(), LimitError> {
        let mut valid = true;
        for block in blocks(line, BLOCK) {
            valid &= std::str::from_utf8(block).is_ok();
            tick_bytes(meter, block.len() / 4).await?;
        }
        if valid {
            return append(meter, &mut self.text, line).await;
        }
        let (mut at, mut counted) = (0, 0);
        while let Some(rest) = line.get(at..).filter(|rest| !rest.is_empty()) {
            if at - counted >= BLOCK {
                tick_bytes(meter, at - counted).await?;
                counted = at;
            }
            let (character, length) = bstr::decode_utf8(rest);
            if character.is_none() || rest.starts_with(b"\\x") {
                let byte = rest.first().copied().unwrap_or(0);
                // Writing to what is in memory does not fail.
                let mut escape = [0; 4];
                let _ = write!(escape.as_mut_slice(), "\\x{byte:02x}");
                self.text.extend_from_slice(&escape);
                at += 1;
            } else {
                let length = length.max(1);
                self.text.extend_from_slice(rest.get(..length).unwrap_or(rest));
                at += length;
            }
        }
        Ok(())
    }

    /// Adds the fields of the line that begins at `start`.
    async fn split(
        &mut self,
        ctx: &mut Context,
        start: usize,
        settings: &Settings,
    ) -> Result<(), UtilityError> {
        let first = self.fields.len();
        let separators = &settings.separators;
        // Where the rest of the line begins, in characters, as the real program counts it for the last column that `-l`
        // lets it have: a field and one separator each.
        let (mut passed, mut at, mut open) = (0, start, true);
        loop {
            let number = self.fields.len() - first;
            let is_last = settings.limit == Some(number + 1);
            let field = if is_last {
                self.rest(&ctx.meter, start, first, passed).await?
            } else if open {
                next_field(&ctx.meter, &self.text, &mut at, &mut open, separators).await?
            } else {
                None
            };
            let Some((from, to)) = field else { break };
            if number == 0 && separators.greedy && !is_last {
                passed = from - start;
            }
            let (columns, characters) = {
                let bytes = self.text.get(from..to).unwrap_or(&[]);
                let mut characters = 0;
                if settings.limit.is_some() {
                    for block in blocks(bytes, BLOCK) {
                        characters += crate::character::count(block);
                        tick_bytes(&ctx.meter, block.len()).await?;
                    }
                }
                (measure(&ctx.meter, bytes, settings.json).await?, characters)
            };
            passed += characters + 1;
            if settings.json && number >= settings.names.as_ref().map_or(0, Vec::len) {
                return Err(UtilityError::failed(format!(
                    "line {}: for JSON the name of the column {} is required",
                    self.ends.len() + 1 + usize::from(number > 0),
                    number + 1
                )));
            }
            self.fields.push(Field { start: from, end: to, columns });
            ctx.tick().await?;
            if is_last {
                break;
            }
        }
        self.columns = self.columns.max(self.fields.len() - first);
        Ok(())
    }

    /// What is left of the line after `passed` characters, up to the next end of a field.
    async fn rest(
        &self,
        meter: &Meter,
        start: usize,
        first: usize,
        passed: usize,
    ) -> Result<Option<(usize, usize)>, LimitError> {
        let line = self.text.get(start..).unwrap_or(&[]);
        let mut left = passed;
        let mut from = start;
        for block in blocks(line, BLOCK) {
            let characters = crate::character::count(block);
            tick_bytes(meter, block.len()).await?;
            if left < characters {
                from += offset_of(block, left);
                let ends = self.fields.get(first..).unwrap_or(&[]).iter().rev().map(|field| field.end);
                let to = ends.take_while(|end| *end >= from).last().unwrap_or(self.text.len());
                return Ok(Some((from, to)));
            }
            left -= characters;
            from += block.len();
        }
        Ok(None)
    }
}

/// The next field of a line that goes from `at` to the end of `text`; `open` says whether one may follow.
async fn next_field(
    meter: &Meter,
    text: &[u8],
    at: &mut usize,
    open: &mut bool,
    separators: &Separators,
) -> Result<Option<(usize, usize)>, LimitError> {
    let mut counted = *at;
    let mut from = *at;
    loop {
        if *at - counted >= BLOCK {
            tick_bytes(meter, *at - counted).await?;
            counted = *at;
        }
        let (length, separates) = separators.look(text.get(*at..).unwrap_or(&[]));
        if length == 0 {
            *open = false;
            return Ok((!separators.greedy || from < *at).then_some((from, *at)));
        }
        if separates {
            if separators.greedy && from == *at {
                *at += length;
                from = *at;
                continue;
            }
            let to = *at;
            *at += length;
            return Ok(Some((from, to)));
        }
        *at += length;
    }
}
