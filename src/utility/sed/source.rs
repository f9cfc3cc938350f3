//! The text of a script: expressions and files joined by newlines, read byte by byte.

use super::error::{Fault, Place, ScriptError};
use crate::memory::{String, Vec};

/// Where a part of the script comes from.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// The number of the `-e`, from 1.
    Expression(usize),
    File(String),
}

#[derive(Debug)]
struct Segment {
    origin: Origin,
    start: usize,
    end: usize,
}

/// A script that is being read.
#[derive(Debug, Default)]
pub(super) struct Source {
    text: Vec<u8>,
    segments: Vec<Segment>,
    at: usize,
}

impl Source {
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Adds an expression or the content of a file.
    pub(super) fn push(&mut self, origin: Origin, text: &[u8]) {
        if !self.segments.is_empty() {
            self.text.push(b'\n');
        }
        let start = self.text.len();
        let body =
            if matches!(origin, Origin::File(_)) { text.strip_suffix(b"\n").unwrap_or(text) } else { text };
        self.text.extend_from_slice(body);
        self.segments.push(Segment { origin, start, end: self.text.len() });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// The next byte, which is taken.
    pub(super) fn next(&mut self) -> Option<u8> {
        let byte = *self.text.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Gives the last byte back.
    pub(super) fn back(&mut self) {
        self.at = self.at.saturating_sub(1);
    }

    pub(super) fn take_if(&mut self, wanted: u8) -> bool {
        let is_next = self.peek() == Some(wanted);
        self.at += usize::from(is_next);
        is_next
    }

    pub(super) fn take_while(&mut self, mut is_wanted: impl FnMut(u8) -> bool) -> &[u8] {
        let start = self.at;
        while self.peek().is_some_and(&mut is_wanted) {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or(&[])
    }

    /// Skips spaces and tabs.
    pub(super) fn skip_blanks(&mut self) {
        self.take_while(|byte| matches!(byte, b' ' | b'\t'));
    }

    pub(super) fn skip_spaces(&mut self) {
        self.take_while(|byte| byte.is_ascii_whitespace() || byte == 0x0b);
    }

    /// A decimal number; one that is too large counts as the largest.
    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number: Option<u64> = None;
        while let Some(byte @ b'0'..=b'9') = self.peek() {
            self.at += 1;
            number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(u64::from(byte - b'0')));
        }
        number
    }

    /// A fault found here.
    pub(super) fn fault(&self, fault: impl Into<Fault>) -> ScriptError {
        let segment = self.segments.iter().rev().find(|segment| segment.start <= self.at);
        let place = match segment.map(|segment| (&segment.origin, segment)) {
            Some((Origin::Expression(number), segment)) => {
                Place::Expression(*number, self.at.min(segment.end) - segment.start)
            }
            Some((Origin::File(name), segment)) => {
                let read = self.text.get(segment.start..self.at.min(segment.end)).unwrap_or(&[]);
                Place::File(name.clone(), 1 + memchr::memchr_iter(b'\n', read).count())
            }
            None => Place::Expression(0, 0),
        };
        ScriptError::At { place, fault: fault.into() }
    }

    /// A fault of the script as a whole.
    pub(super) fn whole_fault(&self, fault: Fault) -> ScriptError {
        let place = match self.segments.last().map(|segment| &segment.origin) {
            Some(Origin::File(name)) => Place::File(name.clone(), 0),
            Some(Origin::Expression(number)) => Place::Expression(*number, 0),
            None => Place::Expression(0, 0),
        };
        ScriptError::At { place, fault }
    }
}
