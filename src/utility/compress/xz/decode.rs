//! Reads streams of xz, one behind the other.

use super::check::{Check, Checking};
use super::number;
use super::{FOOTER_MARK, HEADER_MARK, LZMA2};
use crate::memory::{Box, Vec};
use crate::utility::compress::crc::Crc32;
use crate::utility::compress::lzma::{ChunkDecoder, Chunked};
use crate::utility::compress::stream::{Fault, Pull};
use crate::utility::context::byte_queue::ByteQueue;

/// Bytes of the header and of the footer of a stream.
const FRAME: usize = 12;

#[derive(Debug)]
enum State {
    StreamHeader,
    BlockHeader,
    Block(Box<Block>),
    Index { left: u64, is_started: bool },
    IndexEnd,
    Footer,
    Padding,
    Ended,
}

/// A block under way.
#[derive(Debug)]
struct Block {
    chunks: ChunkDecoder,
    check: Checking,
    header_length: u64,
    /// What the header tells of the lengths.
    told: [Option<u64>; 2],
    coded: u64,
    made: u64,
    is_coded: bool,
}

/// What identifies the blocks in order; the index has to tell the same.
#[derive(Clone, Debug, Default)]
struct Blocks {
    count: u64,
    sum: Crc32,
    lengths: [u64; 2],
}

impl Blocks {
    fn add(&mut self, unpadded: u64, made: u64) {
        self.count += 1;
        for (total, length) in self.lengths.iter_mut().zip([unpadded, made]) {
            *total = total.saturating_add(length);
            self.sum.update(&length.to_le_bytes());
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        self.count == other.count && self.sum.value() == other.sum.value() && self.lengths == other.lengths
    }
}

/// What `xz --list` tells.
#[derive(Clone, Debug, Default)]
pub(crate) struct XzTotals {
    pub(crate) streams: u64,
    pub(crate) blocks: u64,
    pub(crate) made: u64,
    pub(crate) padding: u64,
    /// By the number of the check: whether a stream has it.
    pub(crate) checks: [bool; 16],
    /// The most that a window takes.
    pub(crate) window: u64,
}

/// How streams are read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct XzOptions {
    /// Ends after the first stream, and leaves what follows.
    pub(crate) is_single: bool,
    /// A window that is greater than this is refused.
    pub(crate) window_max: Option<u64>,
    /// The check is not looked at.
    pub(crate) ignores_check: bool,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct XzDecoder {
    state: State,
    pending: ByteQueue,
    check: Check,
    blocks: Blocks,
    indexed: Blocks,
    index_sum: Crc32,
    index_length: u64,
    options: XzOptions,
    pub(crate) totals: XzTotals,
}

impl XzDecoder {
    pub(crate) fn new(options: XzOptions) -> Self {
        Self {
            state: State::StreamHeader,
            pending: ByteQueue::default(),
            check: Check::None,
            blocks: Blocks::default(),
            indexed: Blocks::default(),
            index_sum: Crc32::default(),
            index_length: 0,
            options,
            totals: XzTotals::default(),
        }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.pending.push(bytes);
    }

    /// What was pushed and not used.
    pub(crate) fn pending(&self) -> &[u8] {
        &self.pending
    }

    /// Appends a piece to `out`; `ended`: nothing more is pushed.
    pub(crate) fn pull(&mut self, ended: bool, out: &mut Vec<u8>) -> Result<Pull, Fault> {
        let pulled = match &mut self.state {
            State::StreamHeader => self.stream_header(ended)?,
            State::BlockHeader => self.block_header()?,
            State::Block(_) => self.block(out)?,
            State::Index { .. } => self.index()?,
            State::IndexEnd => self.index_end()?,
            State::Footer => self.footer()?,
            State::Padding => return self.padding(ended),
            State::Ended => Pull::Ended,
        };
        if pulled == Pull::NeedsInput && ended { Err(Fault::UnexpectedEnd) } else { Ok(pulled) }
    }

    fn stream_header(&mut self, ended: bool) -> Result<Pull, Fault> {
        let is_first = self.totals.streams == 0;
        // What follows a stream is looked at when it is as long as a header.
        let known = if is_first { self.pending.len() } else { self.pending.len() / FRAME * FRAME };
        let known = known.min(HEADER_MARK.len());
        if self.pending.get(..known) != HEADER_MARK.get(..known) {
            return Err(if is_first { Fault::NotInFormat } else { Fault::Corrupt });
        }
        let Some(&[.., zero, kind, a, b, c, d]) = self.pending.get(..FRAME) else {
            return if ended && is_first && known < HEADER_MARK.len() {
                Err(if known == 0 { Fault::UnexpectedEnd } else { Fault::NotInFormat })
            } else {
                Ok(Pull::NeedsInput)
            };
        };
        if Crc32::of(&[zero, kind]) != u32::from_le_bytes([a, b, c, d]) {
            return Err(Fault::Corrupt);
        }
        if zero != 0 || kind > 15 {
            return Err(Fault::NotSupported("options"));
        }
        self.check = Check::of_id(kind);
        self.pending.remove_front(FRAME);
        self.totals.streams += 1;
        if let Some(slot) = self.totals.checks.get_mut(usize::from(kind)) {
            *slot = true;
        }
        self.blocks = Blocks::default();
        self.state = State::BlockHeader;
        Ok(Pull::Worked(1))
    }

    fn block_header(&mut self) -> Result<Pull, Fault> {
        let Some(&size) = self.pending.first() else { return Ok(Pull::NeedsInput) };
        if size == 0 {
            self.index_sum = Crc32::default();
            self.index_length = 0;
            self.indexed = Blocks::default();
            self.state = State::Index { left: 0, is_started: false };
            return Ok(Pull::Worked(1));
        }
        let length = (usize::from(size) + 1) * 4;
        let Some(header) = self.pending.get(..length) else { return Ok(Pull::NeedsInput) };
        let (body, sum) = header.split_at_checked(length - 4).ok_or(Fault::Corrupt)?;
        if sum != Crc32::of(body).to_le_bytes() {
            return Err(Fault::Corrupt);
        }
        let flags = body.get(1).copied().unwrap_or(0);
        let mut rest = body.get(2..).unwrap_or(&[]);
        let mut next = || {
            let (value, count) = number::parse(rest).ok().flatten().ok_or(Fault::Corrupt)?;
            rest = rest.get(count..).unwrap_or(&[]);
            Ok::<u64, Fault>(value)
        };
        let mut told = [None, None];
        for (slot, flag) in told.iter_mut().zip([0x40, 0x80]) {
            if flags & flag != 0 {
                *slot = Some(next()?);
            }
        }
        let (filter, properties) = (next()?, next()?);
        if flags & 0x3f != 0 || filter != u64::from(LZMA2) || properties != 1 {
            return Err(Fault::NotSupported("options"));
        }
        let window = match rest.split_first() {
            Some((bits @ 0..40, padding)) if padding.iter().all(|byte| *byte == 0) => {
                (2 | u64::from(bits & 1)) << (bits / 2 + 11)
            }
            Some((40, padding)) if padding.iter().all(|byte| *byte == 0) => u64::from(u32::MAX),
            _ => return Err(Fault::NotSupported("options")),
        };
        self.totals.window = self.totals.window.max(window);
        if self.options.window_max.is_some_and(|most| window > most) {
            return Err(Fault::WindowTooLarge(window));
        }
        self.pending.remove_front(length);
        self.state = State::Block(Box::new(Block {
            chunks: ChunkDecoder::new(window),
            check: Checking::new(if self.options.ignores_check { Check::None } else { self.check }),
            header_length: length as u64,
            told,
            coded: 0,
            made: 0,
            is_coded: false,
        }));
        Ok(Pull::Worked(1 << 12))
    }

    fn block(&mut self, out: &mut Vec<u8>) -> Result<Pull, Fault> {
        let State::Block(block) = &mut self.state else { return Err(Fault::Corrupt) };
        if !block.is_coded {
            let before = out.len();
            let (chunked, taken) = block.chunks.step(&mut self.pending, out)?;
            let made = out.get(before..).unwrap_or(&[]);
            block.check.update(made);
            block.coded += taken as u64;
            block.made += made.len() as u64;
            let is_longer = |length: u64, told: Option<u64>| told.is_some_and(|told| length > told);
            if is_longer(block.coded, block.told[0]) || is_longer(block.made, block.told[1]) {
                return Err(Fault::Corrupt);
            }
            block.is_coded = chunked == Chunked::Ended;
            return Ok(match chunked {
                Chunked::NeedsInput => Pull::NeedsInput,
                Chunked::Made | Chunked::Ended => Pull::Made,
            });
        }
        let padding = (4 - (block.coded % 4) as usize) % 4;
        let length = padding + self.check.length();
        let Some(end) = self.pending.get(..length) else { return Ok(Pull::NeedsInput) };
        let (padding, stored) = end.split_at_checked(padding).ok_or(Fault::Corrupt)?;
        let is_other = |length: u64, told: Option<u64>| told.is_some_and(|told| length != told);
        let check = std::mem::replace(&mut block.check, Checking::None).finish();
        if padding.iter().any(|byte| *byte != 0)
            || is_other(block.coded, block.told[0])
            || is_other(block.made, block.told[1])
            || check.is_some_and(|computed| computed.as_slice() != stored)
        {
            return Err(Fault::Corrupt);
        }
        let unpadded = block.header_length + block.coded + self.check.length() as u64;
        self.blocks.add(unpadded, block.made);
        self.totals.blocks += 1;
        self.totals.made = self.totals.made.saturating_add(block.made);
        self.pending.remove_front(length);
        self.state = State::BlockHeader;
        Ok(Pull::Worked(1))
    }

    /// A part of the index, which has the lengths of all blocks.
    fn index(&mut self) -> Result<Pull, Fault> {
        let State::Index { left, is_started } = &mut self.state else { return Err(Fault::Corrupt) };
        let mut used = 0;
        if !*is_started {
            let Some(rest) = self.pending.get(1..) else { return Ok(Pull::NeedsInput) };
            match number::parse(rest) {
                Ok(Some((count, length))) => {
                    (*left, *is_started) = (count, true);
                    used = 1 + length;
                }
                Ok(None) => return Ok(Pull::NeedsInput),
                Err(()) => return Err(Fault::Corrupt),
            }
            if *left != self.blocks.count {
                return Err(Fault::Corrupt);
            }
        }
        let mut records = 0;
        while *left > 0 && records < 1000 {
            let rest = self.pending.get(used..).unwrap_or(&[]);
            let first = number::parse(rest).map_err(|()| Fault::Corrupt)?;
            let Some((unpadded, one)) = first else { break };
            let second = number::parse(rest.get(one..).unwrap_or(&[])).map_err(|()| Fault::Corrupt)?;
            let Some((made, two)) = second else { break };
            self.indexed.add(unpadded, made);
            used += one + two;
            *left -= 1;
            records += 1;
        }
        self.index_sum.update(self.pending.get(..used).unwrap_or(&[]));
        self.index_length += used as u64;
        self.pending.remove_front(used);
        if *left == 0 {
            self.state = State::IndexEnd;
        } else if used == 0 {
            return Ok(Pull::NeedsInput);
        }
        Ok(Pull::Worked(64 * records))
    }

    fn index_end(&mut self) -> Result<Pull, Fault> {
        let padding = (4 - (self.index_length % 4) as usize) % 4;
        let Some(end) = self.pending.get(..padding + 4) else { return Ok(Pull::NeedsInput) };
        let (zeros, stored) = end.split_at_checked(padding).ok_or(Fault::Corrupt)?;
        self.index_sum.update(zeros);
        if zeros.iter().any(|byte| *byte != 0)
            || self.index_sum.value().to_le_bytes() != stored
            || !self.indexed.is_same(&self.blocks)
        {
            return Err(Fault::Corrupt);
        }
        self.index_length += padding as u64 + 4;
        self.pending.remove_front(padding + 4);
        self.state = State::Footer;
        Ok(Pull::Worked(1))
    }

    fn footer(&mut self) -> Result<Pull, Fault> {
        let Some(footer) = self.pending.first_chunk::<FRAME>() else { return Ok(Pull::NeedsInput) };
        let [a, b, c, d, ref flags @ .., y, z] = *footer;
        let [e, f, g, h, zero, kind] = *flags;
        let length = (u64::from(u32::from_le_bytes([e, f, g, h])) + 1) * 4;
        if [y, z] != FOOTER_MARK
            || Crc32::of(flags) != u32::from_le_bytes([a, b, c, d])
            || [zero, kind] != [0, self.check.id()]
            || length != self.index_length
        {
            return Err(Fault::Corrupt);
        }
        self.pending.remove_front(FRAME);
        self.state = if self.options.is_single { State::Ended } else { State::Padding };
        Ok(Pull::Worked(1))
    }

    /// Zeros up to the next stream, four at a time.
    fn padding(&mut self, ended: bool) -> Result<Pull, Fault> {
        let zeros = self.pending.iter().take_while(|byte| **byte == 0).count();
        let is_last = zeros == self.pending.len();
        let whole = zeros / 4 * 4;
        self.totals.padding += whole as u64;
        self.pending.remove_front(whole);
        if !is_last {
            if zeros % 4 != 0 {
                return Err(Fault::Corrupt);
            }
            self.state = State::StreamHeader;
            return Ok(Pull::Worked(zeros));
        }
        if !ended {
            return Ok(Pull::NeedsInput);
        }
        if zeros % 4 != 0 {
            return Err(Fault::Corrupt);
        }
        self.state = State::Ended;
        Ok(Pull::Ended)
    }
}
