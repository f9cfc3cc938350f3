//! The sequences of a block: so many literals, and then a match (RFC 8878, 3.1.1.3.2).

use super::bits::{BackBits, BitWriter};
use super::state_code::{State, StateTable, StateWriter};
use crate::memory::Vec;
use crate::utility::compress::stream::Fault;

/// The codes of a kind: the least value of each, the bits that are added, how often each occurs where nothing is told, and the
/// greatest accuracy of a code that is told.
struct Kind {
    bases: &'static [u32],
    bits: &'static [u8],
    counts: &'static [i16],
    log: u32,
    log_max: u32,
    symbols: usize,
}

const LITERALS: Kind = Kind {
    bases: &[
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 28, 32, 40, 48, 64, 128,
        256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536,
    ],
    bits: &[
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12,
        13, 14, 15, 16,
    ],
    counts: &[
        4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1,
        -1, -1, -1,
    ],
    log: 6,
    log_max: 9,
    symbols: 36,
};

const MATCHES: Kind = Kind {
    bases: &[
        3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
        30, 31, 32, 33, 34, 35, 37, 39, 41, 43, 47, 51, 59, 67, 83, 99, 131, 259, 515, 1027, 2051, 4099,
        8195, 16387, 32771, 65539,
    ],
    bits: &[
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1,
        1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
    ],
    counts: &[
        1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
        1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
    ],
    log: 6,
    log_max: 9,
    symbols: 53,
};

/// Of an offset, the code is the number of its bits less one.
const OFFSETS: Kind = Kind {
    bases: &[],
    bits: &[],
    counts: &[1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
    log: 5,
    log_max: 8,
    symbols: 32,
};

impl Kind {
    /// The code of a value, and what is added to it.
    fn code(&self, value: u32) -> (u8, u64) {
        let code = self.bases.partition_point(|base| *base <= value).saturating_sub(1);
        let base = self.bases.get(code).copied().unwrap_or(0);
        (code as u8, u64::from(value - base))
    }

    fn added(&self, code: u8) -> u32 {
        self.bits.get(usize::from(code)).copied().unwrap_or(0).into()
    }

    /// The value of a code with the bits that are read.
    fn value(&self, code: u8, bits: &mut BackBits) -> Result<usize, Fault> {
        let base = self.bases.get(usize::from(code)).ok_or(Fault::Corrupt)?;
        Ok(*base as usize + bits.take(self.added(code)) as usize)
    }

    /// The table for a mode.
    fn read(&self, mode: u8, bytes: &mut &[u8], table: &mut Option<StateTable>) -> Result<(), Fault> {
        match mode {
            0 => *table = Some(StateTable::of_counts(self.counts, self.log)?),
            1 => {
                let (symbol, rest) = bytes.split_first().ok_or(Fault::Corrupt)?;
                if usize::from(*symbol) >= self.symbols {
                    return Err(Fault::Corrupt);
                }
                *table = Some(StateTable::of_one(*symbol));
                *bytes = rest;
            }
            2 => {
                let (parsed, used) = StateTable::parse(bytes, self.log_max, self.symbols)?;
                *table = Some(parsed);
                *bytes = bytes.get(used..).unwrap_or(&[]);
            }
            _ if table.is_none() => return Err(Fault::Corrupt),
            _ => {}
        }
        Ok(())
    }
}

/// So many literals, and then a match. An offset of three or less is one of the last distances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sequence {
    pub(super) literals: usize,
    pub(super) length: usize,
    pub(super) offset: u32,
}

/// The tables of the block before, which may be used again.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    literals: Option<StateTable>,
    offsets: Option<StateTable>,
    matches: Option<StateTable>,
}

/// Where the reading of sequences stands: between two steps their bytes are elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reading {
    pub(super) count: usize,
    /// Where the bits begin.
    pub(super) start: usize,
    left: i64,
    states: [State; 3],
}

impl Tables {
    /// Reads how many sequences there are, and their codes.
    pub(super) fn start(&mut self, section: &[u8]) -> Result<Reading, Fault> {
        let (count, mut rest) = match *section {
            [] => return Err(Fault::Corrupt),
            [0, ref rest @ ..] => {
                return if rest.is_empty() { Ok(Reading::default()) } else { Err(Fault::Corrupt) };
            }
            [low @ 1..128, ref rest @ ..] => (usize::from(low), rest),
            [255, low, high, ref rest @ ..] => (usize::from(u16::from_le_bytes([low, high])) + 0x7f00, rest),
            [high @ 128..=255, low, ref rest @ ..] => (usize::from(high - 128) << 8 | usize::from(low), rest),
            _ => return Err(Fault::Corrupt),
        };
        let (modes, behind) = rest.split_first().ok_or(Fault::Corrupt)?;
        rest = behind;
        if modes & 3 != 0 {
            return Err(Fault::Corrupt);
        }
        LITERALS.read(modes >> 6, &mut rest, &mut self.literals)?;
        OFFSETS.read(modes >> 4 & 3, &mut rest, &mut self.offsets)?;
        MATCHES.read(modes >> 2 & 3, &mut rest, &mut self.matches)?;
        let mut bits = BackBits::new(rest).ok_or(Fault::Corrupt)?;
        let (Some(literals), Some(offsets), Some(matches)) = (&self.literals, &self.offsets, &self.matches)
        else {
            return Err(Fault::Corrupt);
        };
        let states = [literals.start(&mut bits), offsets.start(&mut bits), matches.start(&mut bits)];
        if bits.left < 0 {
            return Err(Fault::Corrupt);
        }
        Ok(Reading { count, start: section.len() - rest.len(), left: bits.left, states })
    }

    /// The next sequence; `reading.count` is not zero.
    pub(super) fn next(&self, bytes: &[u8], reading: &mut Reading) -> Result<Sequence, Fault> {
        let mut bits = BackBits::new(bytes).ok_or(Fault::Corrupt)?;
        bits.left = reading.left;
        let [literal, offset, length] = reading.states;
        if offset.symbol > 31 {
            return Err(Fault::Corrupt);
        }
        let low = bits.take(offset.symbol.into());
        let sequence = Sequence {
            offset: (1 << offset.symbol) + low as u32,
            length: MATCHES.value(length.symbol, &mut bits)?,
            literals: LITERALS.value(literal.symbol, &mut bits)?,
        };
        reading.count -= 1;
        if reading.count > 0
            && let (Some(literals), Some(offsets), Some(matches)) =
                (&self.literals, &self.offsets, &self.matches)
        {
            let literal = literals.next(literal, &mut bits);
            let length = matches.next(length, &mut bits);
            reading.states = [literal, offsets.next(offset, &mut bits), length];
        }
        reading.left = bits.left;
        let is_wrong = if reading.count == 0 { bits.left != 0 } else { bits.left < 0 };
        if is_wrong { Err(Fault::Corrupt) } else { Ok(sequence) }
    }
}

/// Writes sequences by the codes for which nothing is told.
#[derive(Clone, Debug)]
pub(super) struct SequenceWriter {
    literals: StateWriter,
    offsets: StateWriter,
    matches: StateWriter,
}

impl SequenceWriter {
    pub(super) fn new() -> Self {
        let of = |kind: &Kind| StateWriter::of_counts(kind.counts, kind.log);
        Self { literals: of(&LITERALS), offsets: of(&OFFSETS), matches: of(&MATCHES) }
    }

    /// Appends the sequences of a block, the last one first, as a reader goes back through them.
    pub(super) fn write(&self, sequences: &[Sequence], out: &mut Vec<u8>) {
        let count = sequences.len();
        match count {
            0..128 => out.push(count as u8),
            128..0x7f00 => out.extend_from_slice(&[128 + (count >> 8) as u8, count as u8]),
            _ => {
                out.push(255);
                out.extend_from_slice(&((count - 0x7f00) as u16).to_le_bytes());
            }
        }
        let Some((last, before)) = sequences.split_last() else { return };
        out.push(0);
        let mut writer = BitWriter::default();
        let mut states: Option<[u32; 3]> = None;
        for sequence in std::iter::once(last).chain(before.iter().rev()) {
            let (literal, literal_low) = LITERALS.code(sequence.literals as u32);
            let (length, length_low) = MATCHES.code(sequence.length as u32);
            let offset = sequence.offset.max(1).ilog2();
            states = Some(match states {
                None => [
                    self.literals.start(literal),
                    self.offsets.start(offset as u8),
                    self.matches.start(length),
                ],
                Some([one, two, three]) => {
                    let two = self.offsets.put(two, offset as u8, &mut writer);
                    let three = self.matches.put(three, length, &mut writer);
                    [self.literals.put(one, literal, &mut writer), two, three]
                }
            });
            writer.put(literal_low, LITERALS.added(literal));
            writer.put(length_low, MATCHES.added(length));
            writer.put(u64::from(sequence.offset), offset);
        }
        if let Some([one, two, three]) = states {
            self.matches.finish(three, &mut writer);
            self.offsets.finish(two, &mut writer);
            self.literals.finish(one, &mut writer);
        }
        out.extend_from_slice(&writer.finish());
    }
}
