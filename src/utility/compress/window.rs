//! What was decoded last, which later matches point back into.

use super::stream::PIECE;
use crate::memory::Vec;

/// The most of a match that is copied at once.
const STRETCH: usize = 256;

/// A ring that grows up to its size, so that a short stream does not pay for the window that its header declares.
#[derive(Debug, Default)]
pub(crate) struct Window {
    bytes: Vec<u8>,
    size: usize,
    /// Where the next byte goes.
    at: usize,
    /// How far matches may reach back.
    filled: usize,
    /// Bytes at the end that were not taken yet.
    new: usize,
}

impl Window {
    /// A window of so many bytes, and of no fewer than are taken at once.
    pub(crate) fn new(size: u64) -> Self {
        let size = usize::try_from(size).unwrap_or(usize::MAX).max(2 * PIECE);
        Self { size, ..Self::default() }
    }

    /// Forgets what matches may reach.
    pub(crate) fn reset(&mut self) {
        self.filled = 0;
    }

    /// How far matches may reach back.
    pub(crate) fn filled(&self) -> usize {
        self.filled
    }

    /// How many bytes may be added before they have to be taken.
    pub(crate) fn room(&self) -> usize {
        PIECE.saturating_sub(self.new)
    }

    #[inline]
    pub(crate) fn push(&mut self, byte: u8) {
        if self.at == self.bytes.len() && self.at < self.size {
            self.bytes.push(byte);
        } else {
            if self.at >= self.bytes.len() {
                self.at = 0;
            }
            if let Some(slot) = self.bytes.get_mut(self.at) {
                *slot = byte;
            }
        }
        self.at += 1;
        self.filled = (self.filled + 1).min(self.size);
        self.new += 1;
    }

    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.push(*byte);
        }
    }

    /// The byte that is `distance` before the next one, which is 1 or more.
    #[inline]
    pub(crate) fn back(&self, distance: usize) -> u8 {
        let place = match self.at.checked_sub(distance) {
            Some(place) => place,
            None => (self.at + self.bytes.len()).wrapping_sub(distance),
        };
        self.bytes.get(place).copied().unwrap_or(0)
    }

    /// Whether a match may reach so far.
    #[inline]
    pub(crate) fn reaches(&self, distance: usize) -> bool {
        (1..=self.filled).contains(&distance) && distance <= self.bytes.len()
    }

    /// Repeats `count` bytes of those that begin `distance` before the next one.
    pub(crate) fn repeat(&mut self, distance: usize, count: usize) {
        // What lies in one piece, and goes into one, is copied at once.
        let mut left = count;
        while left > 0 {
            let from = self.at.checked_sub(distance);
            let many = left.min(distance).min(STRETCH);
            match from {
                Some(from) if many > 8 && self.at + many <= self.size && self.is_in_one(many) => {
                    if self.at == self.bytes.len() {
                        self.bytes.extend_from_within(from..from + many);
                    } else {
                        self.bytes.copy_within(from..from + many, self.at);
                    }
                    self.at += many;
                    self.filled = (self.filled + many).min(self.size);
                    self.new += many;
                    left -= many;
                }
                _ => {
                    let byte = self.back(distance);
                    self.push(byte);
                    left -= 1;
                }
            }
        }
    }

    /// Whether so many bytes go to the end of the ring, or over bytes that are there.
    fn is_in_one(&self, many: usize) -> bool {
        self.at == self.bytes.len() || self.at + many <= self.bytes.len()
    }

    /// Appends what is new to `out`.
    pub(crate) fn take(&mut self, out: &mut Vec<u8>) {
        if self.new <= self.at {
            out.extend_from_slice(self.bytes.get(self.at - self.new..self.at).unwrap_or(&[]));
        } else {
            let wrapped = self.new - self.at;
            let from = self.bytes.len().saturating_sub(wrapped);
            out.extend_from_slice(self.bytes.get(from..).unwrap_or(&[]));
            out.extend_from_slice(self.bytes.get(..self.at).unwrap_or(&[]));
        }
        self.new = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_reach_back_around_the_ring() {
        let mut window = Window::new(1);
        let (mut out, mut want): (Vec<u8>, std::vec::Vec<u8>) = (Vec::new(), std::vec::Vec::new());
        for round in 0..9000usize {
            let byte = (round % 251) as u8;
            window.push(byte);
            want.push(byte);
            let distance = 1 + round * 7919 % window.filled();
            let count = 1 + round % 40;
            assert!(window.reaches(distance) && !window.reaches(2 * PIECE + 1));
            window.repeat(distance, count);
            for _ in 0..count {
                want.push(want[want.len() - distance]);
            }
            if window.room() < 100 {
                window.take(&mut out);
            }
        }
        window.take(&mut out);
        assert_eq!(out, want);
    }
}
