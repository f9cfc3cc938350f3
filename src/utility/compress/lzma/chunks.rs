//! LZMA2: LZMA in chunks of at most 64 kB, each with its lengths, and what could not be compressed as it is.

use super::decode::{LzmaDecoder, Stop};
use super::encode::LzmaEncoder;
use super::model::Properties;
use super::range_decoder::{RangeDecoder, Source};
use crate::limit::{LimitError, Meter};
use crate::memory::{Box, Vec};
use crate::utility::compress::stream::{Fault, PIECE};
use crate::utility::compress::window::Window;
use crate::utility::context::byte_queue::ByteQueue;

/// The most coded bytes of a chunk, and of one that is stored.
const CHUNK: usize = 1 << 16;
/// Coded bytes after which a chunk is ended: the symbol under way still fits.
const CHUNK_FULL: u64 = CHUNK as u64 - 64;
/// Bytes after which a chunk is ended. They are still in the window then.
const CHUNK_BYTES: usize = 128 << 10;

/// What a decoder did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chunked {
    Made,
    NeedsInput,
    /// The mark of the end was read.
    Ended,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Header,
    Stored {
        left: usize,
    },
    /// Of the chunk at the front of the queue, `used` coded bytes were read.
    Coded {
        left: usize,
        coded: usize,
        used: usize,
    },
}

/// Reads the chunks of one stream.
#[derive(Debug)]
pub(crate) struct ChunkDecoder {
    state: State,
    lzma: Box<LzmaDecoder>,
    needs_window_reset: bool,
    needs_properties: bool,
    needs_reset: bool,
}

impl ChunkDecoder {
    pub(crate) fn new(window: u64) -> Self {
        Self {
            state: State::Header,
            lzma: Box::new(LzmaDecoder::new(Properties::USUAL, Window::new(window))),
            needs_window_reset: true,
            needs_properties: true,
            needs_reset: true,
        }
    }

    /// Takes from the queue and appends a piece to `out`. Also returns how many bytes were taken.
    pub(crate) fn step(
        &mut self,
        queue: &mut ByteQueue,
        out: &mut Vec<u8>,
    ) -> Result<(Chunked, usize), Fault> {
        match self.state {
            State::Header => self.header(queue),
            State::Stored { left } => {
                let count = left.min(queue.len()).min(self.lzma.window.room());
                if count == 0 {
                    return Ok((Chunked::NeedsInput, 0));
                }
                self.lzma.window.extend(queue.get(..count).unwrap_or(&[]));
                self.lzma.position += count as u64;
                self.lzma.window.take(out);
                queue.remove_front(count);
                self.state = if count == left { State::Header } else { State::Stored { left: left - count } };
                Ok((Chunked::Made, count))
            }
            State::Coded { left, coded, used } => self.coded(queue, left, coded, used, out),
        }
    }

    fn header(&mut self, queue: &mut ByteQueue) -> Result<(Chunked, usize), Fault> {
        let Some(&control) = queue.first() else { return Ok((Chunked::NeedsInput, 0)) };
        if control == 0 {
            queue.remove_front(1);
            return Ok((Chunked::Ended, 1));
        }
        if control == 1 || control >= 0xe0 {
            self.needs_window_reset = false;
            self.needs_properties = true;
            self.lzma.window.reset();
            self.lzma.position = 0;
        } else if self.needs_window_reset || (3..0x80).contains(&control) {
            return Err(Fault::Corrupt);
        }
        let has_properties = control >= 0xc0;
        let length = match control {
            0..0x80 => 3,
            _ => 5 + usize::from(has_properties),
        };
        let Some(header) = queue.get(..length) else { return Ok((Chunked::NeedsInput, 0)) };
        let &[_, high, low, ref rest @ ..] = header else { return Ok((Chunked::NeedsInput, 0)) };
        let sixteen = |high, low| usize::from(u16::from_be_bytes([high, low]));
        if control < 0x80 {
            self.state = State::Stored { left: sixteen(high, low) + 1 };
            queue.remove_front(length);
            return Ok((Chunked::Made, length));
        }
        let left = (usize::from(control & 0x1f) << 16) + sixteen(high, low) + 1;
        let &[high, low, ref rest @ ..] = rest else { return Ok((Chunked::NeedsInput, 0)) };
        let coded = sixteen(high, low) + 1;
        if let Some(byte) = rest.first() {
            let properties = Properties::parse(*byte).ok_or(Fault::Corrupt)?;
            self.lzma.model.reset(properties);
            (self.needs_properties, self.needs_reset) = (false, false);
        } else if self.needs_properties || (control < 0xa0 && self.needs_reset) {
            return Err(Fault::Corrupt);
        } else if control >= 0xa0 {
            let properties = self.lzma.model.properties;
            self.lzma.model.reset(properties);
            self.needs_reset = false;
        }
        self.state = State::Coded { left, coded, used: 0 };
        queue.remove_front(length);
        Ok((Chunked::Made, length))
    }

    fn coded(
        &mut self,
        queue: &mut ByteQueue,
        left: usize,
        coded: usize,
        used: usize,
        out: &mut Vec<u8>,
    ) -> Result<(Chunked, usize), Fault> {
        // A chunk is small: it is decoded when all of it is there.
        let Some(bytes) = queue.get(..coded) else { return Ok((Chunked::NeedsInput, 0)) };
        let mut source = Source { bytes, at: used };
        if used == 0 {
            if coded < RangeDecoder::START {
                return Err(Fault::Corrupt);
            }
            self.lzma.coder = RangeDecoder::start(&mut source).ok_or(Fault::Corrupt)?;
        }
        let most = left.min(PIECE);
        let stop = self.lzma.run(&mut source, most, 0)?;
        self.lzma.window.take(out);
        if source.at > coded || stop != Stop::Made {
            return Err(Fault::Corrupt);
        }
        if most < left {
            self.state = State::Coded { left: left - most, coded, used: source.at };
            return Ok((Chunked::Made, 0));
        }
        self.lzma.coder.normalise(&mut source);
        if source.at != coded || !self.lzma.coder.is_over() || self.lzma.is_within_match() {
            return Err(Fault::Corrupt);
        }
        queue.remove_front(coded);
        self.state = State::Header;
        Ok((Chunked::Made, coded))
    }
}

/// What a chunk that follows has to begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reset {
    None,
    State,
    /// And the properties are told.
    Properties,
    /// And the window is emptied.
    All,
}

/// Writes the chunks of one stream.
#[derive(Debug)]
pub(crate) struct ChunkEncoder {
    lzma: Box<LzmaEncoder>,
    reset: Reset,
    /// Bytes of the chunk under way.
    taken: usize,
}

impl ChunkEncoder {
    pub(crate) fn new(meter: &Meter, level: u8) -> Result<Self, LimitError> {
        Ok(Self { lzma: Box::new(LzmaEncoder::new(meter, level)?), reset: Reset::All, taken: 0 })
    }

    pub(crate) async fn push(
        &mut self,
        meter: &Meter,
        input: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), LimitError> {
        self.lzma.matcher.push(input);
        self.run(meter, false, out).await
    }

    pub(crate) async fn finish(&mut self, meter: &Meter, out: &mut Vec<u8>) -> Result<(), LimitError> {
        self.run(meter, true, out).await?;
        if self.taken > 0 {
            self.end_chunk(out);
        }
        out.push(0);
        Ok(())
    }

    async fn run(&mut self, meter: &Meter, ended: bool, out: &mut Vec<u8>) -> Result<(), LimitError> {
        loop {
            let taken = self.lzma.run(meter, ended, CHUNK_BYTES - self.taken, CHUNK_FULL).await?;
            self.taken += taken;
            let is_full = self.taken >= CHUNK_BYTES || self.lzma.coder.length() >= CHUNK_FULL;
            if !is_full {
                return Ok(());
            }
            self.end_chunk(out);
        }
    }

    fn end_chunk(&mut self, out: &mut Vec<u8>) {
        let taken = std::mem::take(&mut self.taken);
        self.lzma.coder.finish();
        let coded = self.lzma.coder.bytes.len();
        if coded < taken && coded <= CHUNK {
            let control = match self.reset {
                Reset::None => 0x80,
                Reset::State => 0xa0,
                Reset::Properties => 0xc0,
                Reset::All => 0xe0,
            };
            let size = (taken - 1) as u32;
            out.push(control | (size >> 16) as u8);
            out.extend_from_slice(&(size as u16).to_be_bytes());
            out.extend_from_slice(&((coded - 1) as u16).to_be_bytes());
            if control >= 0xc0 {
                out.push(Properties::USUAL.byte());
            }
            out.extend_from_slice(&self.lzma.coder.bytes);
            self.reset = Reset::None;
        } else {
            for piece in self.lzma.matcher.last(taken).chunks(CHUNK) {
                out.push(if self.reset == Reset::All { 1 } else { 2 });
                out.extend_from_slice(&((piece.len() - 1) as u16).to_be_bytes());
                out.extend_from_slice(piece);
                self.reset = match self.reset {
                    Reset::All | Reset::Properties => Reset::Properties,
                    Reset::State | Reset::None => Reset::State,
                };
            }
            self.lzma.reset();
        }
        self.lzma.coder.restart();
    }
}
