//! Bytes to symbols of LZMA. A match is taken unless the next byte begins a better one.

use super::model::{
    ALIGN_BITS, Lengths, MATCH_MAX, MATCH_MIN, Model, Properties, SLOT_ALIGNED, SLOT_MODELLED,
};
use super::range_encoder::RangeEncoder;
use crate::limit::{LimitError, Meter};
use crate::utility::compress::matcher::{Effort, Match, Matcher};
use crate::utility::context::pace::tick_bytes;

/// How far back matches of a level reach. Beside it stand five times as many bytes, so that the highest levels do not reach as
/// far as those of the real program.
pub(crate) const fn window_of_level(level: u8) -> usize {
    match level {
        0 => 256 << 10,
        1..4 => 512 << 10,
        4..7 => 1 << 20,
        _ => 2 << 20,
    }
}

/// Bytes that an encoder of that level allocates at most.
pub(crate) const fn memory_of_level(level: u8) -> u64 {
    // Twice the window, four bytes a place for the chains, the tables and the chunk under way.
    6 * window_of_level(level) as u64 + (2 << 20)
}

const fn effort(level: u8) -> Effort {
    let (depth, nice) = match level {
        0 => (4, 16),
        1 => (8, 32),
        2 => (12, 64),
        3..6 => (24, 64),
        6 => (48, 128),
        7 => (64, 192),
        _ => (96, MATCH_MAX),
    };
    Effort { window: window_of_level(level), depth, nice }
}

/// Work between two looks at the meter.
const STRETCH: usize = 2 << 10;

/// What comes next.
enum Choice {
    Literal,
    /// The byte at the last distance.
    Single,
    /// One of the last distances.
    Repeated {
        place: usize,
        length: usize,
    },
    New(Match),
}

/// See the module.
#[derive(Debug)]
pub(super) struct LzmaEncoder {
    pub(super) model: Model,
    pub(super) matcher: Matcher,
    pub(super) coder: RangeEncoder,
    pub(super) position: u64,
    /// What was found for the place where the matcher stands.
    found: Option<Match>,
}

impl LzmaEncoder {
    pub(super) fn new(meter: &Meter, level: u8) -> Result<Self, LimitError> {
        Ok(Self {
            model: Model::new(Properties::USUAL),
            matcher: Matcher::new(meter, effort(level))?,
            coder: RangeEncoder::default(),
            position: 0,
            found: None,
        })
    }

    /// Forgets all chances.
    pub(super) fn reset(&mut self) {
        self.model.reset(Properties::USUAL);
    }

    /// Codes as long as `most` bytes were not taken, so many came out, or more must be known: `ended`, no more will be. Returns
    /// how many were taken.
    pub(super) async fn run(
        &mut self,
        meter: &Meter,
        ended: bool,
        most: usize,
        most_coded: u64,
    ) -> Result<usize, LimitError> {
        let mut taken = 0;
        let mut work = 0;
        let reserve = if ended { 1 } else { 2 * MATCH_MAX };
        while self.matcher.ahead() >= reserve && taken < most && self.coder.length() < most_coded {
            let choice = self.choose(most - taken);
            let before = taken;
            taken += self.put(&choice);
            work += 8 * (taken - before).min(16) + 4 * self.matcher.take_work();
            if work >= STRETCH {
                tick_bytes(meter, work).await?;
                work = 0;
            }
        }
        tick_bytes(meter, work).await?;
        Ok(taken)
    }

    fn choose(&mut self, most: usize) -> Choice {
        let most = most.min(MATCH_MAX);
        let found = match self.found.take() {
            Some(found) => found,
            None => self.matcher.find(most),
        };
        let (mut place, mut repeated) = (0, 0);
        for (index, distance) in self.model.distances.into_iter().enumerate() {
            let length = self.matcher.length_at(distance as usize + 1, most);
            if length > repeated {
                (place, repeated) = (index, length);
            }
        }
        let is_near = found.length > 3 || found.distance < 1 << 12;
        let new = if is_near { found.length.min(most) } else { 0 };
        let is_as_good = match found.distance {
            0..0x200 => repeated + 1 >= new,
            0x200..0x8000 => repeated + 2 >= new,
            _ => repeated + 3 >= new,
        };
        if repeated >= MATCH_MIN && is_as_good {
            return Choice::Repeated { place, length: repeated };
        }
        if new >= 3 {
            return if self.is_better_later(new, most) {
                Choice::Literal
            } else {
                Choice::New(found.cut(new))
            };
        }
        let is_same = self.matcher.length_at(self.model.distances[0] as usize + 1, 1) == 1;
        if is_same { Choice::Single } else { Choice::Literal }
    }

    /// Whether the next byte begins a match that is longer, so that this one is coded alone.
    fn is_better_later(&mut self, length: usize, most: usize) -> bool {
        if length >= 64 || most <= length + 1 || self.matcher.ahead() < 2 {
            return false;
        }
        // What is looked for is at the place behind the next byte.
        self.matcher.advance(1);
        let later = self.matcher.find(most - 1);
        self.found = Some(later);
        later.length > length + 1
    }

    /// Codes it; how many bytes it stands for.
    fn put(&mut self, choice: &Choice) -> usize {
        let position = self.model.position(self.position);
        let state = self.model.state;
        // The matcher stands behind the byte if what follows it was looked at.
        let passed = usize::from(self.found.is_some());
        let is_match = self.model.is_match.get_mut(state).and_then(|of| of.get_mut(position));
        if matches!(choice, Choice::Literal) {
            self.coder.bit(is_match, 0);
            self.put_literal(passed);
            self.matcher.advance(1 - passed);
            self.position += 1;
            return 1;
        }
        self.found = None;
        self.coder.bit(is_match, 1);
        let length = match *choice {
            Choice::Literal | Choice::Single => 1,
            Choice::Repeated { length, .. } | Choice::New(Match { length, .. }) => length,
        };
        match *choice {
            Choice::New(Match { length, distance }) => {
                self.coder.bit(self.model.is_repeated.get_mut(state), 0);
                self.put_match(length, (distance - 1) as u32, position);
            }
            Choice::Repeated { place, length } => self.put_repeated(place, Some(length), position, state),
            Choice::Literal | Choice::Single => self.put_repeated(0, None, position, state),
        }
        self.matcher.advance(length - passed);
        self.position += length as u64;
        length
    }

    fn put_literal(&mut self, passed: usize) {
        let byte = usize::from(self.matcher.back(passed));
        let before = self.matcher.back(passed + 1);
        let mut of_match = usize::from(self.matcher.back(passed + self.model.distances[0] as usize + 1));
        let compares = !self.model.follows_literal();
        let chances = self.model.literal(self.position, before);
        let (mut symbol, mut offset) = (1, if compares { 0x100 } else { 0 });
        for shift in (0..8).rev() {
            let bit = byte >> shift & 1;
            of_match <<= 1;
            self.coder.bit(chances.get_mut(offset + (of_match & offset) + symbol), bit);
            symbol = symbol << 1 | bit;
            offset &= if bit == 1 { of_match } else { !of_match };
        }
        self.model.after_literal();
    }

    /// A match of a distance less one.
    pub(super) fn put_match(&mut self, length: usize, distance: u32, position: usize) {
        put_length(&mut self.coder, &mut self.model.match_length, position, length);
        let of_length = (length - MATCH_MIN).min(3);
        let slot = if distance < SLOT_MODELLED {
            distance
        } else {
            let top = distance.ilog2();
            2 * top + (distance >> (top - 1) & 1)
        };
        let slots = self.model.slots.get_mut(of_length).map_or(&mut [][..], |slots| slots);
        self.coder.tree(slots, 6, slot as usize);
        if slot >= SLOT_MODELLED {
            let bits = (slot >> 1) - 1;
            let start = (2 | slot & 1) << bits;
            let rest = distance - start;
            if slot < SLOT_ALIGNED {
                self.coder.tree_from_low(&mut self.model.special, (start - slot) as usize, bits, rest);
            } else {
                self.coder.direct(bits - ALIGN_BITS, rest >> ALIGN_BITS);
                self.coder.tree_from_low(&mut self.model.align, 1, ALIGN_BITS, rest);
            }
        }
        self.model.new_distance(distance);
        self.model.after_match();
    }

    /// A match at one of the last distances; no length: a single byte at the last one.
    fn put_repeated(&mut self, place: usize, length: Option<usize>, position: usize, state: usize) {
        self.coder.bit(self.model.is_repeated.get_mut(state), 1);
        for (index, chances) in self.model.is_other.iter_mut().enumerate().take(place + 1) {
            self.coder.bit(chances.get_mut(state), usize::from(index < place));
        }
        if place == 0 {
            let chance = self.model.is_long.get_mut(state).and_then(|of| of.get_mut(position));
            self.coder.bit(chance, usize::from(length.is_some()));
        }
        let Some(length) = length else { return self.model.after_single() };
        self.model.use_distance(place);
        put_length(&mut self.coder, &mut self.model.repeated_length, position, length);
        self.model.after_repeated();
    }

    /// The mark that ends a stream whose length nobody tells.
    pub(super) fn put_end_mark(&mut self) {
        let position = self.model.position(self.position);
        let state = self.model.state;
        let is_match = self.model.is_match.get_mut(state).and_then(|of| of.get_mut(position));
        self.coder.bit(is_match, 1);
        self.coder.bit(self.model.is_repeated.get_mut(state), 0);
        self.put_match(MATCH_MIN, u32::MAX, position);
    }
}

fn put_length(coder: &mut RangeEncoder, lengths: &mut Lengths, position: usize, length: usize) {
    let rest = length.saturating_sub(MATCH_MIN);
    let [one, two] = &mut lengths.is_longer;
    coder.bit(Some(one), usize::from(rest >= 8));
    if rest < 8 {
        let low = lengths.low.get_mut(position).map_or(&mut [][..], |low| low);
        return coder.tree(low, 3, rest);
    }
    coder.bit(Some(two), usize::from(rest >= 16));
    if rest < 16 {
        let middle = lengths.middle.get_mut(position).map_or(&mut [][..], |middle| middle);
        return coder.tree(middle, 3, rest - 8);
    }
    coder.tree(&mut lengths.high, 8, rest - 16);
}
