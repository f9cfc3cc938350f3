//! Finite state entropy codes: the state says the symbol, and with some bits the next state (RFC 8878, 4.1).

use super::bits::{BackBits, BitWriter, FrontBits};
use crate::memory::{Vec, vec};
use crate::utility::compress::stream::Fault;

/// A state of a reader: its symbol, and the next state less what `bits` bits add.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct State {
    pub(super) symbol: u8,
    bits: u8,
    base: u16,
}

/// The states of a reader.
#[derive(Clone, Debug, Default)]
pub(super) struct StateTable {
    states: Vec<State>,
    pub(super) log: u32,
}

impl StateTable {
    /// A code of one symbol.
    pub(super) fn of_one(symbol: u8) -> Self {
        Self { states: vec![State { symbol, bits: 0, base: 0 }], log: 0 }
    }

    /// The table of counts, which add up to a power of two; -1 is less than one.
    pub(super) fn of_counts(counts: &[i16], log: u32) -> Result<Self, Fault> {
        let symbols = spread(counts, log).ok_or(Fault::Corrupt)?;
        let mut next: Vec<u32> = counts.iter().map(|count| u32::from(count.unsigned_abs())).collect();
        let mut states = Vec::new();
        for symbol in &symbols {
            let next = next.get_mut(usize::from(*symbol)).ok_or(Fault::Corrupt)?;
            let bits = log - next.checked_ilog2().ok_or(Fault::Corrupt)?;
            let base = (*next << bits).checked_sub(1 << log).ok_or(Fault::Corrupt)?;
            *next += 1;
            states.push(State { symbol: *symbol, bits: bits as u8, base: base as u16 });
        }
        Ok(Self { states, log })
    }

    /// Reads counts. Also returns how many bytes they took.
    pub(super) fn parse(bytes: &[u8], log_max: u32, symbols: usize) -> Result<(Self, usize), Fault> {
        let mut bits = FrontBits::new(bytes);
        let log = bits.peek(4) + 5;
        bits.at += 4;
        if log > log_max {
            return Err(Fault::Corrupt);
        }
        let mut left = 1i32 << log;
        let mut counts: Vec<i16> = Vec::new();
        while left > 0 {
            if counts.len() >= symbols || bits.used().is_none() {
                return Err(Fault::Corrupt);
            }
            // Values up to `left + 1`, of which the lowest have a bit less.
            let width = (left + 1).ilog2() + 1;
            let short = (1 << width) - 1 - (left + 1);
            let low = bits.peek(width - 1) as i32;
            let value = if low < short {
                bits.at += width as usize - 1;
                low
            } else {
                let whole = bits.peek(width) as i32;
                bits.at += width as usize;
                if whole < 1 << (width - 1) { whole } else { whole - short }
            };
            let count = value - 1;
            left -= count.abs();
            counts.push(count as i16);
            // Zeros are followed by how many more there are, in threes.
            let mut zeros = if count == 0 { 3 } else { 0 };
            while zeros == 3 {
                zeros = bits.peek(2);
                bits.at += 2;
                counts.resize_by(zeros as usize, 0);
                if counts.len() > symbols {
                    return Err(Fault::Corrupt);
                }
            }
        }
        let used = bits.used().filter(|_| left == 0 && counts.len() <= symbols).ok_or(Fault::Corrupt)?;
        Ok((Self::of_counts(&counts, log)?, used))
    }

    /// The first state of a stream.
    pub(super) fn start(&self, bits: &mut BackBits) -> State {
        let index = bits.take(self.log);
        self.states.get(index as usize).copied().unwrap_or_default()
    }

    pub(super) fn next(&self, state: State, bits: &mut BackBits) -> State {
        let index = usize::from(state.base) + bits.take(state.bits.into()) as usize;
        self.states.get(index).copied().unwrap_or_default()
    }
}

/// The symbol of each state: those of -1 at the end, the others in steps that visit every place.
fn spread(counts: &[i16], log: u32) -> Option<Vec<u8>> {
    let size = 1usize << log;
    let mut symbols = vec![0u8; size];
    let mut end = size;
    for (symbol, _) in counts.iter().enumerate().filter(|(_, count)| **count == -1) {
        end = end.checked_sub(1)?;
        *symbols.get_mut(end)? = symbol as u8;
    }
    let step = (size >> 1) + (size >> 3) + 3;
    let mut at = 0;
    for (symbol, count) in counts.iter().enumerate() {
        for _ in 0..(*count).max(0) {
            *symbols.get_mut(at)? = symbol as u8;
            loop {
                at = (at + step) & (size - 1);
                if at < end || end == 0 {
                    break;
                }
            }
        }
    }
    Some(symbols)
}

/// How a symbol leads a writer from state to state.
#[derive(Clone, Copy, Debug, Default)]
struct Change {
    bits: u32,
    find: i32,
}

/// The states of a writer.
#[derive(Clone, Debug, Default)]
pub(super) struct StateWriter {
    changes: Vec<Change>,
    states: Vec<u16>,
    log: u32,
}

impl StateWriter {
    pub(super) fn of_counts(counts: &[i16], log: u32) -> Self {
        let symbols = spread(counts, log).unwrap_or_default();
        let size = 1u32 << log;
        let mut places: Vec<u32> = Vec::new();
        let mut changes = Vec::new();
        let mut total = 0u32;
        for count in counts {
            places.push(total);
            let many = u32::from(count.unsigned_abs());
            let change = match many {
                0 => Change::default(),
                1 => Change { bits: (log << 16).wrapping_sub(size), find: total as i32 - 1 },
                _ => {
                    let most = log - (many - 1).ilog2();
                    Change { bits: (most << 16).wrapping_sub(many << most), find: total as i32 - many as i32 }
                }
            };
            changes.push(change);
            total += many;
        }
        let mut states = vec![0u16; symbols.len()];
        for (state, symbol) in (size..).zip(&symbols) {
            let Some(place) = places.get_mut(usize::from(*symbol)) else { continue };
            if let Some(slot) = states.get_mut(*place as usize) {
                *slot = state as u16;
            }
            *place += 1;
        }
        Self { changes, states, log }
    }

    fn change(&self, symbol: u8) -> Change {
        self.changes.get(usize::from(symbol)).copied().unwrap_or_default()
    }

    fn state(&self, index: u32, change: Change) -> u32 {
        let place = usize::try_from(i64::from(index) + i64::from(change.find)).unwrap_or(usize::MAX);
        self.states.get(place).map_or(1 << self.log, |state| u32::from(*state))
    }

    /// The state that the last symbol is written in.
    pub(super) fn start(&self, symbol: u8) -> u32 {
        let change = self.change(symbol);
        let bits = change.bits.wrapping_add(1 << 15) >> 16;
        let value = (bits << 16).wrapping_sub(change.bits);
        self.state(value >> bits, change)
    }

    /// Writes what leads back to this state, and returns that of the symbol before.
    pub(super) fn put(&self, state: u32, symbol: u8, out: &mut BitWriter) -> u32 {
        let change = self.change(symbol);
        let bits = state.wrapping_add(change.bits) >> 16;
        out.put(state.into(), bits);
        self.state(state >> bits, change)
    }

    /// Writes the state that a reader starts in.
    pub(super) fn finish(&self, state: u32, out: &mut BitWriter) {
        out.put(state.into(), self.log);
    }
}
