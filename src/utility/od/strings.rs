//! `od -S`: runs of printable characters that end with NUL, each with its offset.

use super::{OdOptions, address};
use crate::memory::{Vec, format};
use crate::utility::prelude::*;

/// Finds strings in bytes that come one after another.
pub(super) struct Strings {
    least: usize,
    /// The offset after the last byte.
    address: u64,
    end: Option<u64>,
    run: Vec<u8>,
    is_over: bool,
}

impl Strings {
    pub(super) fn new(settings: &OdOptions, least: usize) -> Self {
        let end = (settings.limit != u64::MAX).then(|| settings.skip.saturating_add(settings.limit));
        let mut strings = Self { least, address: settings.skip, end, run: Vec::new(), is_over: false };
        strings.start();
        strings
    }

    /// Begins a string, unless what is left has no room for one.
    fn start(&mut self) {
        self.run.clear();
        self.is_over = self.end.is_some_and(|end| end.wrapping_sub(self.least as u64) <= self.address);
    }

    /// Whether nothing more is printed, whatever comes.
    pub(super) const fn is_over(&self) -> bool {
        self.is_over
    }

    /// Takes a byte.
    pub(super) fn take(&mut self, byte: u8, settings: &OdOptions, out: &mut Output) {
        self.address = self.address.saturating_add(1);
        let is_whole = self.run.len() >= self.least;
        if byte == 0 && is_whole {
            self.print(settings, out);
        } else if !matches!(byte, 0x20..0x7f) {
            self.start();
        } else {
            self.run.push(byte);
            // At the limit a string needs no end; the real program takes its length and one for the NUL all the same.
            if self.run.len() >= self.least && self.end.is_some_and(|end| self.address >= end) {
                self.print(settings, out);
            }
        }
    }

    fn print(&mut self, settings: &OdOptions, out: &mut Output) {
        let start = self.address.wrapping_sub(self.run.len() as u64).wrapping_sub(1);
        if settings.radix != b'n' {
            out.push(format!("{} ", address(settings.radix, start)).as_bytes());
        }
        out.push(&self.run);
        out.push(b"\n");
        self.start();
    }
}
