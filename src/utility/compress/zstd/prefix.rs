//! Prefix codes of literals: their weights, and the streams (RFC 8878, 4.2).

use super::bits::{BackBits, BitWriter};
use super::state_code::StateTable;
use crate::memory::{Vec, vec};
use crate::utility::compress::huffman::code_lengths;
use crate::utility::compress::stream::Fault;

/// The longest code.
const CODE_MAX: u32 = 11;
/// The greatest accuracy of the code of weights.
const WEIGHTS_LOG: u32 = 6;

/// For the next bits, as many as the longest code has: the symbol and the length of its code.
#[derive(Clone, Debug, Default)]
pub(super) struct PrefixTable {
    entries: Vec<(u8, u8)>,
    log: u32,
}

impl PrefixTable {
    /// Reads the description of a code. Also returns how many bytes it took.
    pub(super) fn parse(bytes: &[u8]) -> Result<(Self, usize), Fault> {
        let (&head, rest) = bytes.split_first().ok_or(Fault::Corrupt)?;
        let head = usize::from(head);
        let (weights, used) = if head >= 128 {
            let count = head - 127;
            let packed = rest.get(..count.div_ceil(2)).ok_or(Fault::Corrupt)?;
            let halves = packed.iter().flat_map(|byte| [byte >> 4, byte & 15]);
            (halves.take(count).collect(), packed.len())
        } else {
            (coded_weights(rest.get(..head).ok_or(Fault::Corrupt)?)?, head)
        };
        Ok((Self::of_weights(weights)?, used + 1))
    }

    /// The last weight is not told: it makes the sum a power of two.
    fn of_weights(mut weights: Vec<u8>) -> Result<Self, Fault> {
        if weights.iter().any(|weight| u32::from(*weight) > CODE_MAX) {
            return Err(Fault::Corrupt);
        }
        let share = |weight: u8| if weight == 0 { 0u32 } else { 1 << (weight - 1) };
        let sum: u32 = weights.iter().map(|weight| share(*weight)).sum();
        let log = sum.checked_ilog2().ok_or(Fault::Corrupt)? + 1;
        let last = (1 << log) - sum;
        if log > CODE_MAX || !last.is_power_of_two() || weights.len() > 255 {
            return Err(Fault::Corrupt);
        }
        weights.push(last.ilog2() as u8 + 1);
        let mut entries = Vec::new();
        for weight in 1..=log as u8 {
            for (symbol, _) in weights.iter().enumerate().filter(|(_, of)| **of == weight) {
                let length = log as u8 + 1 - weight;
                entries.resize_by(share(weight) as usize, (symbol as u8, length));
            }
        }
        Ok(Self { entries, log })
    }

    /// Appends `count` symbols of a stream.
    pub(super) fn read(&self, bytes: &[u8], count: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
        let mut bits = BackBits::new(bytes).ok_or(Fault::Corrupt)?;
        for _ in 0..count {
            let (symbol, length) =
                self.entries.get(bits.peek(self.log) as usize).copied().ok_or(Fault::Corrupt)?;
            bits.skip(length.into());
            out.push(symbol);
        }
        if bits.left == 0 { Ok(()) } else { Err(Fault::Corrupt) }
    }
}

/// Weights that are coded themselves: by two states that take turns.
fn coded_weights(bytes: &[u8]) -> Result<Vec<u8>, Fault> {
    let (table, used) = StateTable::parse(bytes, WEIGHTS_LOG, 256)?;
    let mut bits = BackBits::new(bytes.get(used..).unwrap_or(&[])).ok_or(Fault::Corrupt)?;
    let mut weights: Vec<u8> = Vec::new();
    let (mut one, mut two) = (table.start(&mut bits), table.start(&mut bits));
    if bits.left < 0 {
        return Err(Fault::Corrupt);
    }
    while weights.len() < 255 {
        weights.push(one.symbol);
        one = table.next(one, &mut bits);
        if bits.left < 0 {
            weights.push(two.symbol);
            return Ok(weights);
        }
        std::mem::swap(&mut one, &mut two);
    }
    Err(Fault::Corrupt)
}

/// A code that is written.
#[derive(Clone, Debug)]
pub(super) struct PrefixWriter {
    /// Value and length for each symbol.
    codes: Vec<(u16, u8)>,
    weights: Vec<u8>,
}

impl PrefixWriter {
    /// The code for symbols that occur so often; `None`: it could not be told as plain weights.
    pub(super) fn of_counts(counts: &[u32; 256]) -> Option<Self> {
        let last = counts.iter().rposition(|count| *count > 0)?;
        if !(1..=128).contains(&last) || counts.iter().filter(|count| **count > 0).count() < 2 {
            return None;
        }
        let lengths = code_lengths(counts.get(..=last)?, CODE_MAX as u8);
        let log = *lengths.iter().max()?;
        let weights: Vec<u8> =
            lengths.iter().map(|length| if *length == 0 { 0 } else { log + 1 - length }).collect();
        let mut codes = vec![(0u16, 0u8); weights.len()];
        let mut place = 0u16;
        for weight in 1..=log {
            for (code, _) in codes.iter_mut().zip(&weights).filter(|(_, of)| **of == weight) {
                *code = (place >> (weight - 1), log + 1 - weight);
                place += 1 << (weight - 1);
            }
        }
        Some(Self { codes, weights })
    }

    /// Appends the description: four bits a weight, without the last one.
    pub(super) fn describe(&self, out: &mut Vec<u8>) {
        let told = self.weights.get(..self.weights.len().saturating_sub(1)).unwrap_or(&[]);
        out.push(127 + told.len() as u8);
        for pair in told.chunks(2) {
            let high = pair.first().copied().unwrap_or(0);
            out.push(high << 4 | pair.get(1).copied().unwrap_or(0));
        }
    }

    /// One stream of the symbols.
    pub(super) fn stream(&self, symbols: &[u8]) -> Vec<u8> {
        let mut writer = BitWriter::default();
        for symbol in symbols.iter().rev() {
            let (value, length) = self.codes.get(usize::from(*symbol)).copied().unwrap_or_default();
            writer.put(value.into(), length.into());
        }
        writer.finish()
    }
}
