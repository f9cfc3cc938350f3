//! Writes one bzip2 stream.

use super::crc::{BlockCrc, combined};
use super::sort::rotations;
use super::{BLOCK_MARK, END_MARK, GROUP, LEVEL_BYTES, RUN_A, RUN_B};
use crate::limit::{LimitError, Meter};
use crate::memory::{Vec, vec};
use crate::utility::compress::bits::HighBitWriter;
use crate::utility::compress::huffman::code_lengths;
use crate::utility::compress::stream::room;
use crate::utility::context::pace::tick_bytes;

/// The longest code that is written. Readers take three bits more.
const CODE_MAX: u8 = 17;
/// How often the codes are fitted to the groups that chose them.
const FITS: usize = 4;
/// What does not fit into a block any more after its last byte: a run of 255 takes five bytes.
const RESERVE: usize = 19;
/// Symbols that are dealt with between two looks at the meter.
const STRETCH: usize = 4 << 10;

/// See the module.
pub(crate) struct Bzip2Encoder {
    level: usize,
    writer: HighBitWriter,
    block: Vec<u8>,
    crc: BlockCrc,
    stream_crc: u32,
    /// The byte that came last, and how often: it is not in the block yet.
    run: Option<(u8, u16)>,
    is_begun: bool,
}

impl Bzip2Encoder {
    /// Blocks of `level` times 100 kB, 1 to 9.
    pub(crate) fn new(level: u8) -> Self {
        Self {
            level: level.clamp(1, 9).into(),
            writer: HighBitWriter::default(),
            block: Vec::new(),
            crc: BlockCrc::default(),
            stream_crc: 0,
            run: None,
            is_begun: false,
        }
    }

    pub(crate) async fn push(
        &mut self,
        meter: &Meter,
        input: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), LimitError> {
        self.begin(out);
        let full = self.level * LEVEL_BYTES - RESERVE;
        for piece in input.chunks(STRETCH) {
            for &byte in piece {
                match &mut self.run {
                    Some((last, count)) if *last == byte && *count < 255 => *count += 1,
                    _ => {
                        self.end_run();
                        // A run that is under way belongs to the block that it began in.
                        if self.block.len() >= full {
                            self.end_block(meter, out).await?;
                        }
                        self.run = Some((byte, 1));
                    }
                }
            }
            tick_bytes(meter, 4 * piece.len()).await?;
        }
        Ok(())
    }

    pub(crate) async fn finish(&mut self, meter: &Meter, out: &mut Vec<u8>) -> Result<(), LimitError> {
        self.begin(out);
        self.end_run();
        if !self.block.is_empty() {
            self.end_block(meter, out).await?;
        }
        self.put_mark(END_MARK, out);
        self.writer.put(self.stream_crc, 32, out);
        self.writer.align(out);
        Ok(())
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        if !self.is_begun {
            self.is_begun = true;
            out.extend_from_slice(&[b'B', b'Z', b'h', b'0' + self.level as u8]);
        }
    }

    fn put_mark(&mut self, mark: u64, out: &mut Vec<u8>) {
        self.writer.put((mark >> 24) as u32, 24, out);
        self.writer.put((mark & 0xff_ffff) as u32, 24, out);
    }

    /// Four equal bytes are followed by how many more there are.
    fn end_run(&mut self) {
        let Some((byte, count)) = self.run.take() else { return };
        let bytes = [byte; 255];
        self.crc.update(bytes.get(..count.into()).unwrap_or(&[]));
        self.block.extend_from_slice(bytes.get(..count.min(4).into()).unwrap_or(&[]));
        if count >= 4 {
            self.block.push((count - 4) as u8);
        }
    }

    async fn end_block(&mut self, meter: &Meter, out: &mut Vec<u8>) -> Result<(), LimitError> {
        let crc = std::mem::take(&mut self.crc).value();
        self.stream_crc = combined(self.stream_crc, crc);
        let order = rotations(meter, &self.block).await?;
        let origin = order.iter().position(|at| *at == 0).unwrap_or(0);
        self.put_mark(BLOCK_MARK, out);
        self.writer.put(crc, 32, out);
        self.writer.put(0, 1, out);
        self.writer.put(origin as u32, 24, out);
        let used = self.put_used(out);
        let symbols = symbols(meter, &self.block, &order, &used).await?;
        self.block.clear();
        drop(order);
        self.put_symbols(meter, &symbols, used.len() + 2, out).await
    }

    /// Writes which bytes occur, and returns them.
    fn put_used(&mut self, out: &mut Vec<u8>) -> Vec<u8> {
        let mut occurs = [false; 256];
        for byte in &self.block {
            if let Some(slot) = occurs.get_mut(usize::from(*byte)) {
                *slot = true;
            }
        }
        let mask = |part: &[bool]| part.iter().fold(0, |mask, is_used| mask << 1 | u32::from(*is_used));
        let sixteens: Vec<u32> = occurs.chunks(16).map(mask).collect();
        let high = sixteens.iter().fold(0, |all, of_16| all << 1 | u32::from(*of_16 != 0));
        self.writer.put(high, 16, out);
        for of_16 in sixteens.iter().filter(|of_16| **of_16 != 0) {
            self.writer.put(*of_16, 16, out);
        }
        (0..=255u8).filter(|byte| occurs.get(usize::from(*byte)) == Some(&true)).collect()
    }

    /// Writes the codes and the symbols.
    async fn put_symbols(
        &mut self,
        meter: &Meter,
        symbols: &[u16],
        alphabet: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), LimitError> {
        let (codes, selectors) = fit_codes(meter, symbols, alphabet).await?;
        self.writer.put(codes.len() as u32, 3, out);
        self.writer.put(selectors.len() as u32, 15, out);
        let mut recent = [0, 1, 2, 3, 4, 5];
        for selector in &selectors {
            let place = recent.iter().position(|one| one == selector).unwrap_or(0);
            recent.copy_within(..place, 1);
            recent[0] = *selector;
            self.writer.put(((1 << place) - 1) << 1, place as u32 + 1, out);
        }
        for code in &codes {
            self.put_lengths(code, out);
        }
        let values: Vec<Vec<u32>> = codes.iter().map(|lengths| code_values(lengths)).collect();
        for (group, selector) in symbols.chunks(GROUP).zip(&selectors) {
            let chosen = usize::from(*selector);
            let (Some(lengths), Some(values)) = (codes.get(chosen), values.get(chosen)) else { continue };
            for symbol in group {
                let at = usize::from(*symbol);
                if let (Some(length), Some(value)) = (lengths.get(at), values.get(at)) {
                    self.writer.put(*value, u32::from(*length), out);
                }
            }
            tick_bytes(meter, 8 * GROUP).await?;
        }
        Ok(())
    }

    /// Each length as steps from the one before.
    fn put_lengths(&mut self, lengths: &[u8], out: &mut Vec<u8>) {
        let mut current = lengths.first().copied().unwrap_or(1);
        self.writer.put(current.into(), 5, out);
        for length in lengths {
            while current != *length {
                let (step, next) = if current < *length { (0b10, current + 1) } else { (0b11, current - 1) };
                self.writer.put(step, 2, out);
                current = next;
            }
            self.writer.put(0, 1, out);
        }
    }
}

/// The last bytes of the rotations as places in a list where what was met moves to the front; runs of the first place become
/// digits.
async fn symbols(meter: &Meter, block: &[u8], order: &[u32], used: &[u8]) -> Result<Vec<u16>, LimitError> {
    let mut recent: Vec<u8> = Vec::from(used);
    let mut symbols: Vec<u16> = Vec::new();
    let mut run = 0usize;
    for stretch in order.chunks(STRETCH) {
        for at in stretch {
            let before = (*at as usize).checked_sub(1).unwrap_or(block.len() - 1);
            let byte = block.get(before).copied().unwrap_or(0);
            let place = recent.iter().position(|one| *one == byte).unwrap_or(0);
            if place == 0 {
                run += 1;
                continue;
            }
            push_run(&mut symbols, &mut run);
            recent.copy_within(..place, 1);
            if let Some(first) = recent.first_mut() {
                *first = byte;
            }
            symbols.push(place as u16 + 1);
        }
        tick_bytes(meter, 16 * stretch.len()).await?;
    }
    push_run(&mut symbols, &mut run);
    symbols.push(used.len() as u16 + 1);
    meter.check()?;
    Ok(symbols)
}

/// A number in digits of one and two, the lowest first.
fn push_run(symbols: &mut Vec<u16>, run: &mut usize) {
    while *run > 0 {
        symbols.push(if *run % 2 == 1 { RUN_A } else { RUN_B });
        *run = (*run - 1) / 2;
    }
}

/// Some codes, and which of them each group of symbols has.
async fn fit_codes(
    meter: &Meter,
    symbols: &[u16],
    alphabet: usize,
) -> Result<(Vec<Vec<u8>>, Vec<u8>), LimitError> {
    let count = match symbols.len() {
        0..200 => 2,
        200..600 => 3,
        600..1200 => 4,
        1200..2400 => 5,
        _ => 6,
    };
    let groups = symbols.len().div_ceil(GROUP);
    let mut selectors: Vec<u8> = room(meter, 0, groups)?;
    let mut codes: Vec<Vec<u8>> = first_codes(symbols, alphabet, count);
    for _ in 0..FITS {
        let mut counts: Vec<Vec<u32>> = (0..count).map(|_| vec![0u32; alphabet]).collect();
        for (group, selector) in symbols.chunks(GROUP).zip(selectors.iter_mut()) {
            let cost = |code: &Vec<u8>| -> u32 {
                group
                    .iter()
                    .map(|symbol| u32::from(code.get(usize::from(*symbol)).copied().unwrap_or(0)))
                    .sum()
            };
            let best =
                codes.iter().enumerate().min_by_key(|(_, code)| cost(code)).map_or(0, |(index, _)| index);
            *selector = best as u8;
            if let Some(counts) = counts.get_mut(best) {
                for symbol in group {
                    if let Some(count) = counts.get_mut(usize::from(*symbol)) {
                        *count += 1;
                    }
                }
            }
            tick_bytes(meter, 8 * GROUP).await?;
        }
        for (code, counts) in codes.iter_mut().zip(&mut counts) {
            // Every symbol has a code, so that a group may choose any.
            for count in counts.iter_mut() {
                *count = *count * 16 + 1;
            }
            *code = code_lengths(counts, CODE_MAX);
            tick_bytes(meter, 64 * alphabet).await?;
        }
    }
    Ok((codes, selectors))
}

/// Codes that each prefer a stretch of the symbols, such that the stretches occur equally often.
fn first_codes(symbols: &[u16], alphabet: usize, count: usize) -> Vec<Vec<u8>> {
    let mut counts = vec![0usize; alphabet];
    for symbol in symbols {
        if let Some(count) = counts.get_mut(usize::from(*symbol)) {
            *count += 1;
        }
    }
    let mut first = 0;
    let mut left = symbols.len();
    let mut codes = Vec::new();
    for index in 0..count {
        let share = left / (count - index);
        let (mut end, mut sum) = (first, 0);
        while end < alphabet && (sum < share || index + 1 == count) {
            sum += counts.get(end).copied().unwrap_or(0);
            end += 1;
        }
        left -= sum.min(left);
        codes.push((0..alphabet).map(|at| if (first..end).contains(&at) { 1 } else { 15 }).collect());
        first = end;
    }
    codes
}

/// The codes of lengths: in the order of the lengths, and then of the symbols.
fn code_values(lengths: &[u8]) -> Vec<u32> {
    let mut values = vec![0u32; lengths.len()];
    let mut code = 0;
    for length in 1..=CODE_MAX {
        for (value, _) in values.iter_mut().zip(lengths).filter(|(_, of)| **of == length) {
            *value = code;
            code += 1;
        }
        code <<= 1;
    }
    values
}
