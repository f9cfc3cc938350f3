//! Symbols of LZMA to bytes, as many at once as fit into a piece.

use super::model::{ALIGN_BITS, Lengths, MATCH_MIN, Model, Properties, SLOT_ALIGNED, SLOT_MODELLED};
use super::range_decoder::{RangeDecoder, Source};
use crate::utility::compress::stream::Fault;
use crate::utility::compress::window::Window;

/// Bytes that one symbol takes at most.
pub(super) const SYMBOL_BYTES: usize = 24;

/// Why [`LzmaDecoder::run`] stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// As much as was asked for was made.
    Made,
    /// The next symbol may need bytes that are not there.
    NeedsInput,
    /// The mark of the end was read.
    EndMark,
}

/// See the module.
#[derive(Debug)]
pub(super) struct LzmaDecoder {
    pub(super) model: Model,
    pub(super) window: Window,
    pub(super) coder: RangeDecoder,
    /// Bytes of the match under way that are not made yet.
    match_left: usize,
    /// Bytes since the last reset of the window.
    pub(super) position: u64,
}

impl LzmaDecoder {
    pub(super) fn new(properties: Properties, window: Window) -> Self {
        Self {
            model: Model::new(properties),
            window,
            coder: RangeDecoder::default(),
            match_left: 0,
            position: 0,
        }
    }

    /// Whether a match goes on.
    pub(super) const fn is_within_match(&self) -> bool {
        self.match_left > 0
    }

    /// Makes `most` bytes at most. Of the source, `reserve` bytes must be there before a symbol is begun.
    pub(super) fn run(&mut self, source: &mut Source, most: usize, reserve: usize) -> Result<Stop, Fault> {
        let mut left = most;
        loop {
            if self.match_left > 0 {
                let count = self.match_left.min(left);
                let distance = self.model.distances[0] as usize + 1;
                self.window.repeat(distance, count);
                self.match_left -= count;
                self.position += count as u64;
                left -= count;
            }
            if left == 0 {
                return Ok(Stop::Made);
            }
            if source.bytes.len() < source.at + reserve {
                return Ok(Stop::NeedsInput);
            }
            let position = self.model.position(self.position);
            let state = self.model.state;
            let is_match = self.model.is_match.get_mut(state).and_then(|of| of.get_mut(position));
            if self.coder.bit(source, is_match) == 0 {
                let byte = self.literal(source);
                self.window.push(byte);
                self.position += 1;
                left -= 1;
                continue;
            }
            if self.coder.bit(source, self.model.is_repeated.get_mut(state)) == 0 {
                if self.new_match(source, position) {
                    return Ok(Stop::EndMark);
                }
            } else {
                self.repeated_match(source, position, state);
            }
            if !self.window.reaches(self.model.distances[0] as usize + 1) {
                return Err(Fault::Corrupt);
            }
        }
    }

    fn literal(&mut self, source: &mut Source) -> u8 {
        let before = if self.window.filled() > 0 { self.window.back(1) } else { 0 };
        let compares = !self.model.follows_literal();
        let matched = if compares { self.window.back(self.model.distances[0] as usize + 1) } else { 0 };
        let chances = self.model.literal(self.position, before);
        let mut symbol = 1;
        if compares {
            let mut of_match = usize::from(matched);
            let mut offset = 0x100;
            while symbol < 0x100 {
                of_match <<= 1;
                let expected = of_match & offset;
                let bit = self.coder.bit(source, chances.get_mut(offset + expected + symbol));
                symbol = symbol << 1 | bit;
                // After the first bit that differs, the match says nothing more.
                offset &= if bit == 1 { of_match } else { !of_match };
            }
        } else {
            while symbol < 0x100 {
                symbol = symbol << 1 | self.coder.bit(source, chances.get_mut(symbol));
            }
        }
        self.model.after_literal();
        symbol as u8
    }

    /// `true`: it is the mark of the end.
    fn new_match(&mut self, source: &mut Source, position: usize) -> bool {
        let length = length(&mut self.coder, source, &mut self.model.match_length, position);
        self.match_left = length;
        let of_length = (length - MATCH_MIN).min(3);
        let slots = self.model.slots.get_mut(of_length).map_or(&mut [][..], |slots| slots);
        let slot = self.coder.tree(source, slots, 6) as u32;
        let mut distance = slot;
        if slot >= SLOT_MODELLED {
            let bits = (slot >> 1) - 1;
            distance = (2 | slot & 1) << bits;
            if slot < SLOT_ALIGNED {
                let from = (distance - slot) as usize;
                distance += self.coder.tree_from_low(source, &mut self.model.special, from, bits);
            } else {
                let high = self.coder.direct(source, bits - ALIGN_BITS) << ALIGN_BITS;
                let low = self.coder.tree_from_low(source, &mut self.model.align, 1, ALIGN_BITS);
                distance = distance.wrapping_add(high).wrapping_add(low);
            }
        }
        self.model.new_distance(distance);
        self.model.after_match();
        if distance == u32::MAX {
            self.match_left = 0;
            return true;
        }
        false
    }

    fn repeated_match(&mut self, source: &mut Source, position: usize, state: usize) {
        let mut place = 0;
        while place < 3 {
            let chance = self.model.is_other.get_mut(place).and_then(|of| of.get_mut(state));
            if self.coder.bit(source, chance) == 0 {
                break;
            }
            place += 1;
        }
        if place == 0 {
            let chance = self.model.is_long.get_mut(state).and_then(|of| of.get_mut(position));
            if self.coder.bit(source, chance) == 0 {
                self.model.after_single();
                self.match_left = 1;
                return;
            }
        }
        self.model.use_distance(place);
        self.match_left = length(&mut self.coder, source, &mut self.model.repeated_length, position);
        self.model.after_repeated();
    }
}

fn length(coder: &mut RangeDecoder, source: &mut Source, lengths: &mut Lengths, position: usize) -> usize {
    let [one, two] = &mut lengths.is_longer;
    if coder.bit(source, Some(one)) == 0 {
        let low = lengths.low.get_mut(position).map_or(&mut [][..], |low| low);
        return MATCH_MIN + coder.tree(source, low, 3);
    }
    if coder.bit(source, Some(two)) == 0 {
        let middle = lengths.middle.get_mut(position).map_or(&mut [][..], |middle| middle);
        return MATCH_MIN + 8 + coder.tree(source, middle, 3);
    }
    MATCH_MIN + 16 + coder.tree(source, &mut lengths.high, 8)
}
