//! The chances of all bits of LZMA, and the state that tells what kinds of symbols came last.

use crate::memory::{Vec, vec};

/// Bits of a chance, and what stands for one half.
pub(super) const CHANCE_BITS: u32 = 11;
const HALF: u16 = 1 << (CHANCE_BITS - 1);
/// How fast chances adapt.
pub(super) const ADAPT: u32 = 5;

/// Chances of the bits of one byte, with and without a byte to compare with.
const LITERAL: usize = 0x300;
pub(super) const STATES: usize = 12;
const POSITIONS: usize = 16;
/// The least and the greatest length of a match.
pub(super) const MATCH_MIN: usize = 2;
pub(super) const MATCH_MAX: usize = 273;
/// Slots of distances from here on have bits that are coded one by one.
pub(super) const SLOT_MODELLED: u32 = 4;
pub(super) const SLOT_ALIGNED: u32 = 14;
pub(super) const ALIGN_BITS: u32 = 4;

/// `lc`, `lp` and `pb` of the format: bits of the byte before, of the position that literals depend on, and of the position that
/// all else depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Properties {
    pub(super) literal_context: u32,
    pub(super) literal_position: u32,
    pub(super) position: u32,
}

impl Properties {
    /// What encoders use unless they are told otherwise.
    pub(super) const USUAL: Self = Self { literal_context: 3, literal_position: 0, position: 2 };

    /// As one byte has them; `None`: it is none, or too much for what reads xz.
    pub(super) fn parse(byte: u8) -> Option<Self> {
        let byte = u32::from(byte);
        let (position, rest) = (byte / 45, byte % 45);
        let properties = Self { literal_context: rest % 9, literal_position: rest / 9, position };
        (byte < 225 && properties.literal_context + properties.literal_position <= 4).then_some(properties)
    }

    pub(super) const fn byte(self) -> u8 {
        ((self.position * 5 + self.literal_position) * 9 + self.literal_context) as u8
    }
}

/// The chances of a length.
#[derive(Clone, Debug)]
pub(super) struct Lengths {
    pub(super) is_longer: [u16; 2],
    pub(super) low: [[u16; 8]; POSITIONS],
    pub(super) middle: [[u16; 8]; POSITIONS],
    pub(super) high: [u16; 256],
}

impl Lengths {
    const NEW: Self = Self {
        is_longer: [HALF; 2],
        low: [[HALF; 8]; POSITIONS],
        middle: [[HALF; 8]; POSITIONS],
        high: [HALF; 256],
    };
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) properties: Properties,
    pub(super) state: usize,
    /// The last four distances, less one.
    pub(super) distances: [u32; 4],
    pub(super) is_match: [[u16; POSITIONS]; STATES],
    pub(super) is_repeated: [u16; STATES],
    /// Whether it is another distance than the first, the second, the third.
    pub(super) is_other: [[u16; STATES]; 3],
    pub(super) is_long: [[u16; POSITIONS]; STATES],
    pub(super) slots: [[u16; 64]; 4],
    pub(super) special: [u16; 128],
    pub(super) align: [u16; 1 << ALIGN_BITS],
    pub(super) match_length: Lengths,
    pub(super) repeated_length: Lengths,
    literals: Vec<u16>,
}

impl Model {
    pub(super) fn new(properties: Properties) -> Self {
        let sets = 1 << (properties.literal_context + properties.literal_position);
        Self {
            properties,
            state: 0,
            distances: [0; 4],
            is_match: [[HALF; POSITIONS]; STATES],
            is_repeated: [HALF; STATES],
            is_other: [[HALF; STATES]; 3],
            is_long: [[HALF; POSITIONS]; STATES],
            slots: [[HALF; 64]; 4],
            special: [HALF; 128],
            align: [HALF; 1 << ALIGN_BITS],
            match_length: Lengths::NEW,
            repeated_length: Lengths::NEW,
            literals: vec![HALF; sets * LITERAL],
        }
    }

    /// As at the start.
    pub(super) fn reset(&mut self, properties: Properties) {
        *self = Self::new(properties);
    }

    /// The part of a position that chances depend on.
    pub(super) fn position(&self, position: u64) -> usize {
        (position & ((1 << self.properties.position) - 1)) as usize
    }

    /// The chances of a byte that follows `before`.
    pub(super) fn literal(&mut self, position: u64, before: u8) -> &mut [u16] {
        let Properties { literal_context, literal_position, .. } = self.properties;
        let place = position & ((1 << literal_position) - 1);
        let set = (place as usize) << literal_context | usize::from(before) >> (8 - literal_context);
        self.literals.get_mut(set * LITERAL..(set + 1) * LITERAL).unwrap_or(&mut [])
    }

    /// Whether the last symbol was a byte of its own.
    pub(super) const fn follows_literal(&self) -> bool {
        self.state < 7
    }

    pub(super) fn after_literal(&mut self) {
        self.state = match self.state {
            0..4 => 0,
            4..10 => self.state - 3,
            _ => self.state - 6,
        };
    }

    pub(super) fn after_match(&mut self) {
        self.state = if self.follows_literal() { 7 } else { 10 };
    }

    pub(super) fn after_repeated(&mut self) {
        self.state = if self.follows_literal() { 8 } else { 11 };
    }

    pub(super) fn after_single(&mut self) {
        self.state = if self.follows_literal() { 9 } else { 11 };
    }

    /// Puts the distance of that place in front.
    pub(super) fn use_distance(&mut self, place: usize) {
        let distance = self.distances.get(place).copied().unwrap_or(0);
        if place < self.distances.len() {
            self.distances.copy_within(..place, 1);
        }
        self.distances[0] = distance;
    }

    pub(super) fn new_distance(&mut self, distance: u32) {
        self.distances.copy_within(..3, 1);
        self.distances[0] = distance;
    }
}
