//! Reads bzip2 streams, one behind the other.
//!
//! What was pushed stays in a queue, and `at` is the bit of it that is next, so that each step begins where a step before lacked
//! bits. A block goes through the states in their order: its symbols become bytes in the low byte of `links`, which then
//! get, above it, the place of the byte that follows, and are walked through.

use super::crc::{BlockCrc, combined};
use super::{BLOCK_MARK, END_MARK, GROUP, LEVEL_BYTES, RUN_A, RUN_B};
use crate::memory::{Box, Vec};
use crate::utility::compress::bits::HighBits;
use crate::utility::compress::stream::{Fault, PIECE, Pull};
use crate::utility::context::byte_queue::ByteQueue;

/// The longest code that a block may have.
const CODE_MAX: u32 = 20;
/// Bits that are looked up at once.
const LOOK: u32 = 10;
/// Symbols that are decoded in one step.
const SYMBOLS: usize = 8 << 10;
/// Selectors that a block needs; what stands behind them is read and not kept.
const SELECTORS_MAX: usize = 9 * LEVEL_BYTES / GROUP + 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Header,
    Block,
    Selectors,
    Lengths,
    Symbols,
    Invert,
    Output,
    Ended,
}

/// One prefix code.
#[derive(Clone, Debug)]
struct Code {
    lengths: [u8; 258],
    /// By the next `LOOK` bits: the symbol, and above its nine bits the length; 0 where the code is longer.
    look: [u16; 1 << LOOK],
    /// By the length: the first code that is longer, with `CODE_MAX` bits, and what is added to a code for its place.
    limits: [u32; CODE_MAX as usize + 2],
    offsets: [i32; CODE_MAX as usize + 2],
    symbols: [u16; 258],
}

impl Default for Code {
    fn default() -> Self {
        Self {
            lengths: [0; 258],
            look: [0; 1 << LOOK],
            limits: [0; CODE_MAX as usize + 2],
            offsets: [0; CODE_MAX as usize + 2],
            symbols: [0; 258],
        }
    }
}

impl Code {
    /// Makes the tables of the lengths of the first `count` symbols.
    fn build(&mut self, count: usize) {
        self.look = [0; 1 << LOOK];
        let (mut code, mut place) = (0u32, 0usize);
        for length in 1..=CODE_MAX {
            let first = code;
            let first_place = place;
            for (symbol, _) in
                self.lengths.iter().take(count).enumerate().filter(|(_, of)| u32::from(**of) == length)
            {
                if let Some(slot) = self.symbols.get_mut(place) {
                    *slot = symbol as u16;
                }
                if length <= LOOK {
                    let from = (code << (LOOK - length)) as usize;
                    let to = ((code + 1) << (LOOK - length)) as usize;
                    for entry in self.look.get_mut(from..to).into_iter().flatten() {
                        *entry = (length as u16) << 9 | symbol as u16;
                    }
                }
                place += 1;
                code += 1;
            }
            let at = length as usize;
            if let (Some(limit), Some(offset)) = (self.limits.get_mut(at), self.offsets.get_mut(at)) {
                *limit = code << (CODE_MAX - length);
                *offset = first_place as i32 - first as i32;
            }
            code <<= 1;
        }
    }

    /// The symbol at the start of 32 bits, and its length. `None`: there is none.
    fn symbol(&self, bits: u32) -> Option<(u16, u32)> {
        let entry = *self.look.get((bits >> (32 - LOOK)) as usize)?;
        if entry != 0 {
            return Some((entry & 511, u32::from(entry >> 9)));
        }
        let top = bits >> (32 - CODE_MAX);
        let length =
            (1..=CODE_MAX).find(|length| self.limits.get(*length as usize).is_some_and(|end| top < *end))?;
        let place = (bits >> (32 - length)) as i32 + self.offsets.get(length as usize)?;
        Some((*self.symbols.get(usize::try_from(place).ok()?)?, length))
    }
}

/// The bytes that occur, the one that was met last first.
#[derive(Clone, Debug)]
struct Recent([u8; 256]);

impl Recent {
    fn take(&mut self, place: usize) -> u8 {
        let byte = self.0.get(place).copied().unwrap_or(0);
        if place < self.0.len() {
            self.0.copy_within(..place, 1);
        }
        self.0[0] = byte;
        byte
    }
}

/// What is known of the block under way.
#[derive(Debug)]
struct Block {
    checksum: u32,
    origin: usize,
    recent: Recent,
    /// Symbols of the codes: of runs, of places, and the end.
    alphabet: usize,
    codes: [Code; 6],
    code_count: usize,
    selector_count: usize,
    selectors_read: usize,
    selector_order: [u8; 6],
    selectors: Vec<u8>,
    /// The code and symbol whose length is next; the length before it.
    code: usize,
    symbol: usize,
    length: Option<u8>,
    symbols_read: usize,
    run: usize,
    run_weight: usize,
    counts: [u32; 256],
    links: Vec<u32>,
    /// How far `Invert` and `Output` are.
    done: usize,
    next: u32,
    /// The byte that came last, and how often; at four the next one is a count.
    last: u8,
    repeated: u8,
    left: usize,
    made: BlockCrc,
}

/// See the module.
pub(crate) struct Bzip2Decoder {
    state: State,
    pending: ByteQueue,
    at: usize,
    level: usize,
    streams: u64,
    checksum: u32,
    block: Box<Block>,
}

impl Bzip2Decoder {
    pub(crate) fn new() -> Self {
        Self {
            state: State::Header,
            pending: ByteQueue::default(),
            at: 0,
            level: 9,
            streams: 0,
            checksum: 0,
            block: Box::new(Block {
                checksum: 0,
                origin: 0,
                recent: Recent([0; 256]),
                alphabet: 0,
                codes: std::array::from_fn(|_| Code::default()),
                code_count: 0,
                selector_count: 0,
                selectors_read: 0,
                selector_order: [0; 6],
                selectors: Vec::new(),
                code: 0,
                symbol: 0,
                length: None,
                symbols_read: 0,
                run: 0,
                run_weight: 1,
                counts: [0; 256],
                links: Vec::new(),
                done: 0,
                next: 0,
                last: 0,
                repeated: 0,
                left: 0,
                made: BlockCrc::default(),
            }),
        }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.pending.push(bytes);
    }

    /// What was pushed and not used.
    pub(crate) fn pending(&self) -> &[u8] {
        self.pending.get(self.at / 8..).unwrap_or(&[])
    }

    /// Appends a piece to `out`; `ended`: nothing more is pushed.
    pub(crate) fn pull(&mut self, ended: bool, out: &mut Vec<u8>) -> Result<Pull, Fault> {
        let mut bits = HighBits::new(&self.pending, self.at);
        let block = &mut *self.block;
        let step = match self.state {
            State::Header => {
                let pulled = self.pull_header(ended);
                return pulled;
            }
            State::Ended => return Ok(Pull::Ended),
            State::Block => match block.begin(&mut bits)? {
                Some(true) => Some((State::Selectors, 64)),
                Some(false) => return self.end_stream(ended),
                None => None,
            },
            State::Selectors => block
                .read_selectors(&mut bits)?
                .map(|over| (if over { State::Lengths } else { State::Selectors }, SYMBOLS)),
            State::Lengths => block
                .read_lengths(&mut bits)?
                .map(|over| (if over { State::Symbols } else { State::Lengths }, SYMBOLS)),
            State::Symbols => block
                .read_symbols(&mut bits, ended, self.level * LEVEL_BYTES)?
                .map(|over| (if over { State::Invert } else { State::Symbols }, 4 * SYMBOLS)),
            State::Invert => {
                let is_over = block.invert();
                Some((if is_over { State::Output } else { State::Invert }, 4 * PIECE))
            }
            State::Output => {
                let is_over = block.output(out);
                if is_over {
                    if block.made.value() != block.checksum {
                        return Err(Fault::Checksum);
                    }
                    self.checksum = combined(self.checksum, block.checksum);
                }
                Some((if is_over { State::Block } else { State::Output }, PIECE))
            }
        };
        // Whole bytes that were read leave the queue.
        let at = bits.at;
        self.pending.remove_front(at / 8);
        self.at = at % 8;
        match step {
            Some((state, work)) => {
                self.state = state;
                Ok(Pull::Worked(work))
            }
            None if ended => Err(Fault::UnexpectedEnd),
            None => Ok(Pull::NeedsInput),
        }
    }

    /// A stream begins at a byte.
    fn pull_header(&mut self, ended: bool) -> Result<Pull, Fault> {
        let is_first = self.streams == 0;
        match *self.pending {
            [b'B', b'Z', b'h', level @ b'1'..=b'9', ..] => {
                self.level = usize::from(level - b'0');
                self.pending.remove_front(4);
                self.streams += 1;
                self.checksum = 0;
                self.state = State::Block;
                Ok(Pull::Worked(1))
            }
            [] if ended && !is_first => {
                self.state = State::Ended;
                Ok(Pull::Ended)
            }
            ref rest if rest.len() < 4 && b"BZh".starts_with(rest.get(..3).unwrap_or(rest)) => {
                if !ended {
                    return Ok(Pull::NeedsInput);
                }
                Err(if is_first { Fault::UnexpectedEnd } else { Fault::TrailingGarbage })
            }
            _ => {
                self.state = State::Ended;
                Err(if is_first { Fault::NotInFormat } else { Fault::TrailingGarbage })
            }
        }
    }

    fn end_stream(&mut self, ended: bool) -> Result<Pull, Fault> {
        let mut bits = HighBits::new(&self.pending, self.at + 48);
        let Some(stored) = bits.take(32) else {
            return if ended { Err(Fault::UnexpectedEnd) } else { Ok(Pull::NeedsInput) };
        };
        let end = bits.at.div_ceil(8);
        self.pending.remove_front(end);
        self.at = 0;
        self.state = State::Header;
        if stored == self.checksum { Ok(Pull::Worked(1)) } else { Err(Fault::Checksum) }
    }
}

impl Block {
    /// Reads what stands before the selectors. `Some(false)`: it is the end of the stream.
    fn begin(&mut self, from: &mut HighBits) -> Result<Option<bool>, Fault> {
        let mut bits = *from;
        let (Some(high), Some(low)) = (bits.take(24), bits.take(24)) else { return Ok(None) };
        match u64::from(high) << 24 | u64::from(low) {
            END_MARK => return Ok(Some(false)),
            BLOCK_MARK => {}
            _ => return Err(Fault::Corrupt),
        }
        let Some(checksum) = bits.take(32) else { return Ok(None) };
        let (Some(is_random), Some(origin), Some(used)) = (bits.take(1), bits.take(24), bits.take(16)) else {
            return Ok(None);
        };
        if is_random == 1 {
            return Err(Fault::NotSupported("a randomised block"));
        }
        let mut count = 0;
        let mut recent = [0; 256];
        for high in (0..16u8).filter(|high| used >> (15 - high) & 1 == 1) {
            let Some(of_16) = bits.take(16) else { return Ok(None) };
            for low in (0..16u8).filter(|low| of_16 >> (15 - low) & 1 == 1) {
                if let Some(slot) = recent.get_mut(count) {
                    *slot = high << 4 | low;
                }
                count += 1;
            }
        }
        let (Some(codes), Some(selectors)) = (bits.take(3), bits.take(15)) else { return Ok(None) };
        if count == 0 || !(2..=6).contains(&codes) || selectors == 0 {
            return Err(Fault::Corrupt);
        }
        self.checksum = checksum;
        self.origin = origin as usize;
        self.recent = Recent(recent);
        self.alphabet = count + 2;
        self.code_count = codes as usize;
        self.selector_count = selectors as usize;
        self.selectors_read = 0;
        self.selector_order = [0, 1, 2, 3, 4, 5];
        self.selectors.clear();
        (self.code, self.symbol, self.length) = (0, 0, None);
        (self.symbols_read, self.run, self.run_weight) = (0, 0, 1);
        self.counts = [0; 256];
        self.links.clear();
        self.done = 0;
        *from = bits;
        Ok(Some(true))
    }

    /// Which code each group of symbols has. `Some(true)`: all are read; `None`: no bits are left.
    fn read_selectors(&mut self, bits: &mut HighBits) -> Result<Option<bool>, Fault> {
        while self.selectors_read < self.selector_count {
            let place = bits.peek().leading_ones() as usize;
            if place >= self.code_count {
                return Err(Fault::Corrupt);
            }
            if bits.left() < place + 1 {
                return Ok(None);
            }
            bits.at += place + 1;
            let selected = self.selector_order.get(place).copied().unwrap_or(0);
            self.selector_order.copy_within(..place, 1);
            self.selector_order[0] = selected;
            if self.selectors_read < SELECTORS_MAX {
                self.selectors.push(selected);
            }
            self.selectors_read += 1;
        }
        Ok(Some(true))
    }

    /// The lengths of all codes, each as a difference to the one before.
    fn read_lengths(&mut self, bits: &mut HighBits) -> Result<Option<bool>, Fault> {
        for _ in 0..SYMBOLS {
            let Some(code) = self.codes.get_mut(self.code).filter(|_| self.code < self.code_count) else {
                return Ok(Some(true));
            };
            let Some(length) = self.length else {
                let Some(length) = bits.take(5) else { return Ok(None) };
                self.length = Some(length as u8);
                continue;
            };
            if !(1..=CODE_MAX).contains(&length.into()) {
                return Err(Fault::Corrupt);
            }
            let next = bits.peek();
            let count = if next >> 31 == 0 { 1 } else { 2 };
            if bits.left() < count {
                return Ok(None);
            }
            bits.at += count;
            if count == 2 {
                self.length = Some(if next >> 30 & 1 == 0 { length + 1 } else { length - 1 });
                continue;
            }
            if let Some(slot) = code.lengths.get_mut(self.symbol) {
                *slot = length;
            }
            self.symbol += 1;
            if self.symbol == self.alphabet {
                code.build(self.alphabet);
                self.code += 1;
                self.symbol = 0;
                self.length = None;
            }
        }
        Ok(Some(false))
    }

    /// Some symbols. `Some(true)`: the block is over.
    fn read_symbols(&mut self, bits: &mut HighBits, ended: bool, most: usize) -> Result<Option<bool>, Fault> {
        let end = (self.alphabet - 1) as u16;
        let is_scarce = bits.left() < CODE_MAX as usize;
        if is_scarce && (!ended || bits.left() == 0) {
            return Ok(None);
        }
        for _ in 0..SYMBOLS {
            if bits.left() < CODE_MAX as usize && (!ended || bits.left() == 0) {
                return Ok(Some(false));
            }
            let selector = self.selectors.get(self.symbols_read / GROUP).ok_or(Fault::Corrupt)?;
            let code = self.codes.get(usize::from(*selector)).ok_or(Fault::Corrupt)?;
            let (symbol, length) = code.symbol(bits.peek()).ok_or(Fault::Corrupt)?;
            if bits.left() < length as usize {
                return Err(Fault::UnexpectedEnd);
            }
            bits.at += length as usize;
            self.symbols_read += 1;
            if symbol <= RUN_B {
                if self.run_weight > most {
                    return Err(Fault::Corrupt);
                }
                self.run += self.run_weight << u32::from(symbol != RUN_A);
                self.run_weight <<= 1;
                continue;
            }
            if self.run > 0 {
                let byte = self.recent.0[0];
                self.add(byte, self.run, most)?;
                (self.run, self.run_weight) = (0, 1);
            }
            if symbol == end {
                if self.origin >= self.links.len() {
                    return Err(Fault::Corrupt);
                }
                return Ok(Some(true));
            }
            let byte = self.recent.take(usize::from(symbol) - 1);
            self.add(byte, 1, most)?;
        }
        Ok(Some(false))
    }

    fn add(&mut self, byte: u8, count: usize, most: usize) -> Result<(), Fault> {
        if self.links.len() + count > most {
            return Err(Fault::Corrupt);
        }
        if count == 1 {
            self.links.push(byte.into());
        } else {
            self.links.resize_by(count, byte.into());
        }
        if let Some(slot) = self.counts.get_mut(usize::from(byte)) {
            *slot += count as u32;
        }
        Ok(())
    }

    /// Gives each byte the place of the one that follows it. `true`: all have it.
    fn invert(&mut self) -> bool {
        if self.done == 0 {
            let mut sum = 0;
            for count in &mut self.counts {
                sum += std::mem::replace(count, sum);
            }
        }
        let from = self.done;
        self.done = self.links.len().min(from + PIECE);
        for at in from..self.done {
            let byte = self.links.get(at).map_or(0, |link| link & 255);
            let Some(place) = self.counts.get_mut(byte as usize) else { continue };
            if let Some(link) = self.links.get_mut(*place as usize) {
                *link |= (at as u32) << 8;
            }
            *place += 1;
        }
        if self.done < self.links.len() {
            return false;
        }
        self.next = self.links.get(self.origin).map_or(0, |link| link >> 8);
        self.left = self.links.len();
        (self.last, self.repeated) = (0, 0);
        self.made = BlockCrc::default();
        true
    }

    /// Appends a piece. `true`: the block is over.
    fn output(&mut self, out: &mut Vec<u8>) -> bool {
        let before = out.len();
        while self.left > 0 && out.len() - before < PIECE {
            let link = self.links.get(self.next as usize).copied().unwrap_or(0);
            self.next = link >> 8;
            let byte = link as u8;
            self.left -= 1;
            if self.repeated == 4 {
                out.resize_by(byte.into(), self.last);
                self.repeated = 0;
                continue;
            }
            self.repeated = if byte == self.last && self.repeated > 0 { self.repeated + 1 } else { 1 };
            self.last = byte;
            out.push(byte);
        }
        self.made.update(out.get(before..).unwrap_or(&[]));
        self.left == 0
    }
}
