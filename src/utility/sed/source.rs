//! The text of a script, or of a part of it, read byte by byte: what an `-e` says, or a file.

use super::error::{Fault, FaultPlace, ScriptError};
use crate::memory::{String, Vec};

/// Where a part of the script comes from.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// The number of the `-e`, from 1.
    Expression(usize),
    File(String),
}

/// A part of a script that is being read. No command but the text of `a`, `i`, `c` and `e` goes on in the next part.
#[derive(Debug)]
pub(super) struct Source {
    origin: Origin,
    text: Vec<u8>,
    at: usize,
}

impl Source {
    pub(super) fn new(origin: Origin, text: Vec<u8>) -> Self {
        Self { origin, text, at: 0 }
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.text
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

    /// A decimal number; one that is too large counts as the largest.
    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number: Option<u64> = None;
        while let Some(byte @ b'0'..=b'9') = self.peek() {
            self.at += 1;
            number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(u64::from(byte - b'0')));
        }
        number
    }

    /// The place up to which the part was read.
    fn place(&self) -> FaultPlace {
        match &self.origin {
            Origin::Expression(number) => FaultPlace::Expression(*number, self.at),
            Origin::File(name) => {
                let read = self.text.get(..self.at).unwrap_or(&[]);
                FaultPlace::File(name.clone(), 1 + memchr::memchr_iter(b'\n', read).count())
            }
        }
    }

    /// The place of what is wrong with a command as a whole, or is found when it runs: the line of a file, but no character
    /// of an expression.
    pub(super) fn line(&self) -> FaultPlace {
        match self.place() {
            FaultPlace::Expression(number, _) => FaultPlace::Expression(number, 0),
            file @ FaultPlace::File(..) => file,
        }
    }

    /// A fault found here.
    pub(super) fn fault(&self, fault: impl Into<Fault>) -> ScriptError {
        ScriptError::At { place: self.place(), fault: fault.into() }
    }
}
