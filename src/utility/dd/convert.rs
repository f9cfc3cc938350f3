//! Conversions of `dd`: characters first, then pairs of bytes, then lines and records.

use super::settings::{DdOptions, Lines, Set};
use super::table;
use crate::limit::LimitError;
use crate::memory::{Box, Vec};
use crate::utility::prelude::*;

pub(super) struct Converter {
    lines: Option<Lines>,
    record: u64,
    swaps: bool,
    /// What each byte becomes.
    map: Option<Box<[u8; 256]>>,
    /// The first of a pair whose second byte is still to come.
    held: Option<u8>,
    /// Where the record or line at hand stands.
    column: u64,
    /// Blanks that end a record unless something follows.
    blanks: u64,
    pub(super) truncated: u64,
    newline: u8,
    blank: u8,
}

impl Converter {
    pub(super) fn new(settings: &DdOptions) -> Self {
        let mut map = Box::new(std::array::from_fn(|byte| byte as u8));
        for byte in map.iter_mut() {
            // To ASCII before the case is changed, from it after that.
            let ascii = if settings.set == Some(Set::Ascii) { look_up(&table::ASCII, *byte) } else { *byte };
            let cased = match settings.case {
                Some(true) => ascii.to_ascii_uppercase(),
                Some(false) => ascii.to_ascii_lowercase(),
                None => ascii,
            };
            *byte = match settings.set {
                Some(Set::Ebcdic) => look_up(&table::EBCDIC, cased),
                Some(Set::Ibm) => look_up(&table::IBM, cased),
                _ => cased,
            };
        }
        // Lines of EBCDIC have its newline and its blank.
        let shown = |byte: u8| match settings.set {
            Some(Set::Ebcdic) => look_up(&table::EBCDIC, byte),
            Some(Set::Ibm) => look_up(&table::IBM, byte),
            _ => byte,
        };
        Self {
            lines: settings.lines,
            record: settings.record,
            swaps: settings.swaps,
            map: (settings.set.is_some() || settings.case.is_some()).then_some(map),
            held: None,
            column: 0,
            blanks: 0,
            truncated: 0,
            newline: shown(b'\n'),
            blank: shown(b' '),
        }
    }

    /// Converts a block, and appends what comes of it.
    pub(super) async fn convert(
        &mut self,
        ctx: &mut Context,
        block: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<(), LimitError> {
        if let Some(map) = &self.map {
            for byte in block.iter_mut() {
                *byte = look_up(map, *byte);
            }
        }
        if !self.swaps && self.lines.is_none() {
            out.extend_from_slice(block);
            return Ok(());
        }
        for portion in block.chunks(4096) {
            for &byte in portion {
                if !self.swaps {
                    self.put(byte, out);
                } else if let Some(first) = self.held.take() {
                    self.put(byte, out);
                    self.put(first, out);
                } else {
                    self.held = Some(byte);
                }
            }
            ctx.tick().await?;
        }
        Ok(())
    }

    /// What comes after the last block.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        if let Some(held) = self.held.take() {
            self.put(held, out);
        }
        match self.lines {
            Some(Lines::Block) if self.column > 0 => self.fill(out),
            Some(Lines::Unblock) if self.column > 0 => out.push(self.newline),
            _ => {}
        }
    }

    fn put(&mut self, byte: u8, out: &mut Vec<u8>) {
        match self.lines {
            None => out.push(byte),
            Some(Lines::Block) => self.put_in_record(byte, out),
            Some(Lines::Unblock) => self.put_in_line(byte, out),
        }
    }

    fn put_in_record(&mut self, byte: u8, out: &mut Vec<u8>) {
        if byte == self.newline {
            if self.column < self.record {
                self.fill(out);
            }
            self.column = 0;
            return;
        }
        if self.column == self.record {
            self.truncated += 1;
        } else if self.column < self.record {
            out.push(byte);
        }
        self.column += 1;
    }

    /// Blanks up to the end of the record.
    fn fill(&self, out: &mut Vec<u8>) {
        let missing = usize::try_from(self.record.saturating_sub(self.column)).unwrap_or(usize::MAX);
        let length = out.len().saturating_add(missing);
        out.resize(length, self.blank);
    }

    fn put_in_line(&mut self, byte: u8, out: &mut Vec<u8>) {
        if self.column == self.record {
            out.push(self.newline);
            (self.column, self.blanks) = (0, 0);
        }
        self.column += 1;
        if byte == self.blank {
            self.blanks += 1;
            return;
        }
        let blanks = usize::try_from(std::mem::take(&mut self.blanks)).unwrap_or(usize::MAX);
        let length = out.len().saturating_add(blanks);
        out.resize(length, self.blank);
        out.push(byte);
    }
}

fn look_up(table: &[u8; 256], byte: u8) -> u8 {
    table.get(usize::from(byte)).copied().unwrap_or(byte)
}
