//! Aliases. POSIX XCU 2.3.1; bash manual 6.6.
//!
//! An alias's text replaces its name in the source itself, so quotes and reserved words in it can be completed by what
//! follows. That copies the rest of the source each time; a budget bounds what one command may copy.

use super::byte::is_metacharacter;
use super::error::{COPY_BUDGET, ParseErrorKind};
use super::lexer::{Parsed, Reader};
use crate::memory::{Bytes, Vec};
use crate::text::Text;

/// An alias whose text is being read, in which its own name stands for itself.
#[derive(Clone, Debug)]
pub(super) struct ActiveAlias {
    name: Text,
    /// How many bytes of the source are after its text.
    rest: usize,
}

impl Reader<'_> {
    /// Replaces the alias at the cursor, where a command word begins, as often as there is one.
    pub(super) fn expand_aliases(&mut self) -> Parsed<()> {
        if !self.options.expand_aliases {
            return Ok(());
        }
        while self.expand_alias()? {
            self.skip_blanks();
        }
        Ok(())
    }

    /// The same for a word after an alias whose text ended in a blank.
    pub(super) fn expand_next_alias(&mut self) -> Parsed<()> {
        if self.alias_blank == usize::MAX || self.rest() >= self.alias_blank {
            return Ok(());
        }
        self.alias_blank = usize::MAX;
        self.expand_aliases()
    }

    fn rest(&self) -> usize {
        self.input.end.saturating_sub(self.pos())
    }

    fn expand_alias(&mut self) -> Parsed<bool> {
        let start = self.pos();
        let mut end = start;
        while let Some(byte) = self.byte_at(end).filter(|&byte| !is_metacharacter(byte)) {
            if matches!(byte, b'\'' | b'"' | b'\\' | b'$' | b'`' | b'/') {
                return Ok(false);
            }
            end += 1;
        }
        let rest = self.rest();
        self.active_aliases.retain(|active| active.rest < rest);
        let name = self.slice(start, end);
        if end == start || self.active_aliases.iter().any(|active| active.name == *name) {
            return Ok(false);
        }
        let Some(text) = self.aliases.alias(name) else { return Ok(false) };
        let name = Text::from(name);
        self.splice(start, end, &text)?;
        let rest = self.input.end.saturating_sub(start + text.len());
        self.active_aliases.push(ActiveAlias { name, rest });
        if matches!(text.last(), Some(b' ' | b'\t')) {
            self.alias_blank = rest + 1;
        }
        Ok(true)
    }

    fn splice(&mut self, start: usize, end: usize, text: &[u8]) -> Parsed<()> {
        let length = self.input.source.len() + text.len();
        self.alias_copied += length as u64;
        if self.alias_copied > COPY_BUDGET || length > u32::MAX as usize {
            return Err(self.error(ParseErrorKind::AliasTooLong));
        }
        let mut source = Vec::with_capacity(length);
        source.extend_from_slice(self.slice(0, start));
        source.extend_from_slice(text);
        source.extend_from_slice(self.input.source.get(end..).unwrap_or(&[]));
        self.input.end = (self.input.end + text.len()).saturating_sub(end - start);
        self.input.source = Bytes::from(source);
        // Positions after the splice have moved.
        self.salvage.clear();
        self.closes.clear();
        Ok(())
    }
}
