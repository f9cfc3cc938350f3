//! Reads frames, one behind the other.

use super::literals;
use super::prefix::PrefixTable;
use super::sequences::{Reading, Sequence, Tables};
use super::xxhash::XxHash;
use super::{BLOCK, FIRST_DISTANCES, FRAME_MARK, SKIPPED_MARK};
use crate::memory::{Box, Vec};
use crate::utility::compress::stream::{Fault, Pull};
use crate::utility::compress::window::Window;
use crate::utility::context::byte_queue::ByteQueue;

/// The largest window that is allowed unless more is asked for.
const WINDOW_MAX: u64 = 128 << 20;
/// Sequences that are done in one step.
const SEQUENCES: usize = 2048;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Frame,
    /// A frame that is passed by.
    Skip {
        left: u64,
    },
    Block,
    Raw {
        left: usize,
    },
    Run {
        left: usize,
        byte: u8,
    },
    Coded {
        size: usize,
    },
    /// The sequences of a block at the front of the queue.
    Sequences {
        size: usize,
        section: usize,
    },
    Checksum,
    Ended,
}

/// What the frames told.
#[derive(Clone, Debug, Default)]
pub(crate) struct ZstdTotals {
    pub(crate) frames: u64,
    pub(crate) skipped: u64,
    /// The sum of the sizes that frames tell; `None`: one of them tells none.
    pub(crate) told: Option<u64>,
    pub(crate) window: u64,
    pub(crate) has_checksum: bool,
}

/// A frame under way.
#[derive(Debug, Default)]
struct Frame {
    window: Window,
    block_max: usize,
    told: Option<u64>,
    made: u64,
    has_checksum: bool,
    is_last: bool,
    hash: XxHash,
    code: Option<PrefixTable>,
    tables: Tables,
    distances: [usize; 3],
    literals: Vec<u8>,
    literals_used: usize,
    reading: Reading,
    /// What of the sequence under way is not made yet.
    sequence: Sequence,
    distance: usize,
    block_made: usize,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct ZstdDecoder {
    state: State,
    pending: ByteQueue,
    frame: Box<Frame>,
    pub(crate) window_max: u64,
    pub(crate) ignores_checksum: bool,
    pub(crate) totals: ZstdTotals,
}

impl ZstdDecoder {
    pub(crate) fn new() -> Self {
        Self {
            state: State::Frame,
            pending: ByteQueue::default(),
            frame: Box::new(Frame::default()),
            window_max: WINDOW_MAX,
            ignores_checksum: false,
            totals: ZstdTotals { told: Some(0), ..ZstdTotals::default() },
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
        let before = out.len();
        let pulled = match self.state {
            State::Frame => self.start_frame(ended)?,
            State::Skip { left } => {
                let count = self.pending.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                self.pending.remove_front(count);
                let left = left - count as u64;
                self.state = if left == 0 { State::Frame } else { State::Skip { left } };
                if left > 0 && count == 0 { Pull::NeedsInput } else { Pull::Worked(1) }
            }
            State::Block => self.start_block()?,
            State::Raw { left } => {
                let count = left.min(self.pending.len()).min(self.frame.window.room());
                self.frame.window.extend(self.pending.get(..count).unwrap_or(&[]));
                self.pending.remove_front(count);
                self.go_on(State::Raw { left: left - count }, left == count);
                if count == 0 && left > 0 { Pull::NeedsInput } else { Pull::Made }
            }
            State::Run { left, byte } => {
                let count = left.min(self.frame.window.room());
                for _ in 0..count {
                    self.frame.window.push(byte);
                }
                self.go_on(State::Run { left: left - count, byte }, left == count);
                Pull::Made
            }
            State::Coded { size } => self.start_coded(size)?,
            State::Sequences { size, section } => self.sequences(size, section)?,
            State::Checksum => self.checksum()?,
            State::Ended => Pull::Ended,
        };
        let frame = &mut *self.frame;
        frame.window.take(out);
        let made = out.get(before..).unwrap_or(&[]);
        if frame.has_checksum && !self.ignores_checksum {
            frame.hash.update(made);
        }
        frame.made += made.len() as u64;
        if frame.told.is_some_and(|told| frame.made > told) {
            return Err(Fault::Corrupt);
        }
        if pulled == Pull::NeedsInput && ended { Err(Fault::UnexpectedEnd) } else { Ok(pulled) }
    }

    fn start_frame(&mut self, ended: bool) -> Result<Pull, Fault> {
        let is_first = self.totals.frames + self.totals.skipped == 0;
        if self.pending.is_empty() && ended && !is_first {
            self.state = State::Ended;
            return Ok(Pull::Ended);
        }
        let Some(mark) = self.pending.first_chunk::<4>() else {
            return if ended && !self.pending.is_empty() {
                Err(Fault::NotInFormat)
            } else {
                Ok(Pull::NeedsInput)
            };
        };
        let mark = u32::from_le_bytes(*mark);
        if mark & !15 == SKIPPED_MARK {
            let Some(&[a, b, c, d]) = self.pending.get(4..8) else { return Ok(Pull::NeedsInput) };
            self.totals.skipped += 1;
            self.pending.remove_front(8);
            self.state = State::Skip { left: u32::from_le_bytes([a, b, c, d]).into() };
            return Ok(Pull::Worked(1));
        }
        if mark != FRAME_MARK {
            return Err(if is_first { Fault::NotInFormat } else { Fault::TrailingGarbage });
        }
        let Some(&flags) = self.pending.get(4) else { return Ok(Pull::NeedsInput) };
        let is_single = flags >> 5 & 1 == 1;
        let names = [0, 1, 2, 4][usize::from(flags & 3)];
        let sizes = match flags >> 6 {
            0 => usize::from(is_single),
            1 => 2,
            2 => 4,
            _ => 8,
        };
        let windows = usize::from(!is_single);
        let length = 5 + windows + names + sizes;
        let Some(header) = self.pending.get(..length) else { return Ok(Pull::NeedsInput) };
        if flags & 8 != 0 {
            return Err(Fault::NotSupported("a reserved flag"));
        }
        let number = |from: usize, count: usize| {
            let bytes = header.get(from..from + count).unwrap_or(&[]);
            bytes.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte))
        };
        if number(5 + windows, names) != 0 {
            return Err(Fault::NotSupported("a dictionary"));
        }
        let told = number(5 + windows + names, sizes) + if sizes == 2 { 256 } else { 0 };
        let told = (sizes > 0).then_some(told);
        let described = number(5, windows);
        let base = 1u64 << (10 + (described >> 3));
        let window = if is_single { told.unwrap_or(0) } else { base + base / 8 * (described & 7) };
        self.totals.window = self.totals.window.max(window);
        if window > self.window_max {
            return Err(Fault::WindowTooLarge(window));
        }
        self.totals.frames += 1;
        self.totals.told = self.totals.told.zip(told).map(|(sum, told)| sum.saturating_add(told));
        self.totals.has_checksum |= flags & 4 != 0;
        *self.frame = Frame {
            window: Window::new(window),
            block_max: BLOCK.min(usize::try_from(window).unwrap_or(BLOCK)),
            told,
            has_checksum: flags & 4 != 0,
            distances: FIRST_DISTANCES,
            ..Frame::default()
        };
        self.pending.remove_front(length);
        self.state = State::Block;
        Ok(Pull::Worked(1 << 10))
    }

    /// The same block, or the next one.
    fn go_on(&mut self, state: State, is_over: bool) {
        self.state = match (is_over, self.frame.is_last, self.frame.has_checksum) {
            (false, ..) => state,
            (true, false, _) => State::Block,
            (true, true, true) => State::Checksum,
            (true, true, false) => State::Frame,
        };
    }

    fn start_block(&mut self) -> Result<Pull, Fault> {
        let Some(&[a, b, c]) = self.pending.get(..3) else { return Ok(Pull::NeedsInput) };
        let head = u32::from_le_bytes([a, b, c, 0]);
        // One byte stands for all those of a run.
        let byte = self.pending.get(3).copied();
        let is_run = head >> 1 & 3 == 1;
        if is_run && byte.is_none() {
            return Ok(Pull::NeedsInput);
        }
        self.pending.remove_front(if is_run { 4 } else { 3 });
        let frame = &mut *self.frame;
        frame.is_last = head & 1 == 1;
        let size = (head >> 3) as usize;
        if size > frame.block_max {
            return Err(Fault::Corrupt);
        }
        match head >> 1 & 3 {
            0 => self.go_on(State::Raw { left: size }, size == 0),
            1 => self.go_on(State::Run { left: size, byte: byte.unwrap_or(0) }, size == 0),
            2 => self.state = State::Coded { size },
            _ => return Err(Fault::Corrupt),
        }
        Ok(Pull::Worked(1))
    }

    fn start_coded(&mut self, size: usize) -> Result<Pull, Fault> {
        let Some(block) = self.pending.get(..size) else { return Ok(Pull::NeedsInput) };
        let frame = &mut *self.frame;
        let used = literals::read(block, &mut frame.code, &mut frame.literals)?;
        let section = block.get(used..).unwrap_or(&[]);
        frame.reading = frame.tables.start(section)?;
        frame.literals_used = 0;
        frame.sequence = Sequence::default();
        frame.block_made = 0;
        let section = used + frame.reading.start;
        self.state = State::Sequences { size, section };
        Ok(Pull::Worked(4 * self.frame.literals.len() + 4096))
    }

    fn sequences(&mut self, size: usize, section: usize) -> Result<Pull, Fault> {
        let bytes = self.pending.get(section..size).ok_or(Fault::Corrupt)?;
        let is_over = self.frame.run(bytes)?;
        if is_over {
            self.pending.remove_front(size);
        }
        self.go_on(State::Sequences { size, section }, is_over);
        Ok(Pull::Worked(16 * SEQUENCES))
    }

    fn checksum(&mut self) -> Result<Pull, Fault> {
        let Some(stored) = self.pending.first_chunk::<4>() else { return Ok(Pull::NeedsInput) };
        let is_same = u32::from_le_bytes(*stored) == self.frame.hash.value() as u32;
        self.pending.remove_front(4);
        self.state = State::Frame;
        if is_same || self.ignores_checksum { Ok(Pull::Worked(1)) } else { Err(Fault::Checksum) }
    }
}

impl Frame {
    /// Makes bytes until there is no room for more. `true`: the block is over.
    fn run(&mut self, bytes: &[u8]) -> Result<bool, Fault> {
        for _ in 0..SEQUENCES {
            let literals = self.sequence.literals.min(self.window.room());
            if literals > 0 {
                let end = self.literals_used + literals;
                let piece = self.literals.get(self.literals_used..end).ok_or(Fault::Corrupt)?;
                self.window.extend(piece);
                self.literals_used = end;
                self.sequence.literals -= literals;
            }
            if self.sequence.literals == 0 && self.sequence.length > 0 {
                if !self.window.reaches(self.distance) {
                    return Err(Fault::Corrupt);
                }
                let count = self.sequence.length.min(self.window.room());
                self.window.repeat(self.distance, count);
                self.sequence.length -= count;
            }
            if self.sequence.literals > 0 || self.sequence.length > 0 {
                return Ok(false);
            }
            if self.reading.count == 0 {
                let rest = self.literals.len() - self.literals_used.min(self.literals.len());
                if rest == 0 {
                    return Ok(true);
                }
                self.sequence = Sequence { literals: rest, ..Sequence::default() };
                self.count(rest)?;
                continue;
            }
            self.sequence = self.tables.next(bytes, &mut self.reading)?;
            self.distance = self.distance_of(self.sequence)?;
            self.count(self.sequence.literals + self.sequence.length)?;
        }
        Ok(false)
    }

    /// A block may not become larger than is allowed.
    fn count(&mut self, made: usize) -> Result<(), Fault> {
        self.block_made += made;
        if self.block_made > self.block_max { Err(Fault::Corrupt) } else { Ok(()) }
    }

    /// How far back the match begins, which becomes the last distance.
    fn distance_of(&mut self, sequence: Sequence) -> Result<usize, Fault> {
        let [one, two, three] = self.distances;
        let new = sequence.offset as usize;
        if new > 3 {
            self.distances = [new - 3, one, two];
            return Ok(new - 3);
        }
        self.distances = match new + usize::from(sequence.literals == 0) {
            1 => [one, two, three],
            2 => [two, one, three],
            3 => [three, one, two],
            _ => [one - 1, one, two],
        };
        if self.distances[0] == 0 { Err(Fault::Corrupt) } else { Ok(self.distances[0]) }
    }
}
