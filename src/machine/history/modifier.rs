//! Modifiers after an event: `:h`, `:t`, `:r`, `:e`, `:p`, `:q`, `:x`, `:s/a/b/`, `:&` with `g`, `a` and `G`. Bash manual
//! 9.3.3.

use super::expand::{Expander, HistoryError, Stopped, part};
use super::word;
use crate::machine::quote;
use crate::memory::{ToMetered, Vec, vec};

/// `s/a/b/`: what is replaced by what.
#[derive(Clone, Debug, Default)]
pub(super) struct Substitution {
    old: Vec<u8>,
    new: Vec<u8>,
}

/// How often it replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Often {
    Once,
    /// `g`, `a`
    Everywhere,
    /// `G`
    InEachWord,
}

impl Expander<'_> {
    /// Applies the modifiers at `at`: the text, whether it is only shown, and where the line goes on.
    pub(super) fn modified(
        &mut self,
        line: &[u8],
        mut text: Vec<u8>,
        mut at: usize,
    ) -> Result<(Vec<u8>, bool, usize), Stopped> {
        let start = at;
        let (mut shown, mut quoting) = (false, None);
        let mut often = Often::Once;
        while line.get(at) == Some(&b':') {
            match line.get(at + 1) {
                Some(b'g' | b'a') => (often, at) = (Often::Everywhere, at + 1),
                Some(b'G') => (often, at) = (Often::InEachWord, at + 1),
                _ => {}
            }
            let letter = line.get(at + 1).copied();
            at += 2;
            match letter {
                Some(letter @ (b'q' | b'x')) => quoting = Some(letter),
                Some(b'p') => shown = true,
                Some(b'h') => cut_at(&mut text, b'/', false),
                Some(b't') => cut_at(&mut text, b'/', true),
                Some(b'r') => cut_at(&mut text, b'.', false),
                Some(b'e') => {
                    if let Some(dot) = memchr::memrchr(b'.', &text) {
                        text = text.get(dot..).unwrap_or(&[]).to_metered();
                    }
                }
                Some(letter @ (b's' | b'&')) => {
                    if letter == b's' && at < line.len() {
                        at = self.read_substitution(line, at);
                    } else if letter == b's' {
                        continue;
                    }
                    let substitution = &self.remembered.substitution;
                    if substitution.old.is_empty() {
                        return Err(HistoryError::NoPreviousSubstitution(part(line, start, at)).into());
                    }
                    let replaced = self.substituted(&text, often)?;
                    text = replaced.ok_or_else(|| HistoryError::SubstitutionFailed(part(line, start, at)))?;
                    if often == Often::Everywhere {
                        often = Often::Once;
                    }
                }
                _ => return Err(HistoryError::UnknownModifier(part(line, at - 1, at)).into()),
            }
            self.meter.check_value(text.len() as u64)?;
            self.pace(text.len())?;
        }
        let text = match quoting {
            Some(b'q') => quote::single(&text),
            Some(_) => quoted_words(&text),
            None => text,
        };
        Ok((text, shown, at))
    }

    /// Reads `/old/new/` with any delimiter; what `old` leaves empty stays as it was.
    fn read_substitution(&mut self, line: &[u8], at: usize) -> usize {
        let length = crate::character::unit_at(line, at).map_or(1, |(_, length)| length);
        let delimiter = line.get(at..at + length).unwrap_or(&[]);
        let (old, at) = side(line, at + length, delimiter);
        let (new, at) = side(line, at, delimiter);
        let remembered = &mut *self.remembered;
        if !old.is_empty() {
            remembered.substitution.old = old;
        } else if remembered.substitution.old.is_empty() {
            remembered.substitution.old.clone_from(&remembered.search);
        }
        remembered.substitution.new = with_old(&new, &remembered.substitution.old);
        at
    }

    /// The text with the replacement; `None`: there was nothing to replace.
    fn substituted(&self, text: &[u8], often: Often) -> Result<Option<Vec<u8>>, Stopped> {
        let Substitution { old, new } = &self.remembered.substitution;
        let mut out = Vec::new();
        let mut rest = 0;
        let mut from = 0;
        let finder = memchr::memmem::Finder::new(old.as_slice());
        while let Some(at) = text.get(from..).and_then(|tail| finder.find(tail)).map(|at| at + from) {
            out.extend_from_slice(text.get(rest..at).unwrap_or(&[]));
            out.extend_from_slice(new);
            self.meter.check_value(out.len() as u64)?;
            self.pace(at - rest + new.len())?;
            rest = at + old.len();
            from = match often {
                Often::Once => break,
                Often::Everywhere => rest,
                Often::InEachWord => word_end_after(text, from, at).max(rest),
            };
        }
        if rest == 0 {
            return Ok(None);
        }
        out.extend_from_slice(text.get(rest..).unwrap_or(&[]));
        Ok(Some(out))
    }
}

/// The end of the word that the byte at `place` is in, when words are counted from `from`.
fn word_end_after(text: &[u8], from: usize, place: usize) -> usize {
    let mut end = from;
    while end <= place {
        let blanks = text.iter().skip(end).take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n')).count();
        let start = end + blanks;
        end = word::word_end(text, start).max(start + 1);
    }
    end
}

/// Cuts a text at the last of a byte: what is after it (`tail`) or before it stays.
fn cut_at(text: &mut Vec<u8>, byte: u8, tail: bool) {
    let Some(at) = memchr::memrchr(byte, text) else { return };
    if tail {
        *text = text.get(at + 1..).unwrap_or(&[]).to_metered();
    } else {
        text.truncate(at);
    }
}

/// One side of a substitution, and where the next begins: a backslash quotes the delimiter.
fn side(line: &[u8], start: usize, delimiter: &[u8]) -> (Vec<u8>, usize) {
    let mut out = Vec::new();
    let mut at = start;
    while let Some(&byte) = line.get(at) {
        let rest = line.get(at..).unwrap_or(&[]);
        if rest.starts_with(delimiter) {
            return (out, at + delimiter.len());
        }
        if byte == b'\\' && rest.get(1..).is_some_and(|rest| rest.starts_with(delimiter)) {
            out.extend_from_slice(delimiter);
            at += 1 + delimiter.len();
            continue;
        }
        out.push(byte);
        at += 1;
    }
    (out, at)
}

/// A replacement whose `&` are what is replaced.
fn with_old(new: &[u8], old: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut bytes = new.iter().peekable();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'\\' if bytes.peek() == Some(&&b'&') => {
                out.push(b'&');
                bytes.next();
            }
            b'&' => out.extend_from_slice(old),
            _ => out.push(byte),
        }
    }
    out
}

/// `:x`: in single quotes, but for the blanks.
fn quoted_words(text: &[u8]) -> Vec<u8> {
    let mut out = vec![b'\''];
    for &byte in text {
        match byte {
            b'\'' => out.extend_from_slice(b"'\\''"),
            b' ' | b'\t' | b'\n' => out.extend_from_slice(&[b'\'', byte, b'\'']),
            _ => out.push(byte),
        }
    }
    out.push(b'\'');
    out
}
