//! An input that is decoded on the way, and the choice of the format.

use super::{Fault, GzipDecoder, GzipEncoder, GzipHeader, PIECE, Pull};
use crate::limit::{LimitError, Meter};
use crate::memory::{Box, Vec};
use crate::utility::context::byte_queue::ByteQueue;
use crate::utility::context::pace::tick_bytes;
use crate::utility::{Context, Input};
use std::sync::Arc;

/// A decoder of any format.
pub(crate) enum Decoder {
    /// What comes in goes out.
    Plain(ByteQueue),
    Gzip(Box<GzipDecoder>),
}

impl Decoder {
    pub(crate) fn plain() -> Self {
        Self::Plain(ByteQueue::default())
    }

    pub(crate) fn gzip() -> Self {
        Self::Gzip(Box::new(GzipDecoder::new()))
    }

    fn push(&mut self, bytes: &[u8]) {
        match self {
            Self::Plain(queue) => queue.push(bytes),
            Self::Gzip(decoder) => decoder.push(bytes),
        }
    }

    fn pull(&mut self, ended: bool, out: &mut Vec<u8>) -> Result<Pull, Fault> {
        match self {
            Self::Plain(queue) if queue.is_empty() => Ok(if ended { Pull::Ended } else { Pull::NeedsInput }),
            Self::Plain(queue) => {
                out.extend_from_slice(queue);
                queue.remove_front(queue.len());
                Ok(Pull::Made)
            }
            Self::Gzip(decoder) => decoder.pull(ended, out),
        }
    }
}

/// An encoder of any format.
pub(crate) enum Encoder {
    Plain,
    Gzip(Box<GzipEncoder>),
}

impl Encoder {
    /// Gzip as `gzip` makes of standard input.
    pub(crate) fn gzip(meter: &Arc<Meter>) -> Result<Self, LimitError> {
        Ok(Self::Gzip(Box::new(GzipEncoder::new(meter, 6, &GzipHeader::default())?)))
    }

    /// Appends what comes of `input`, which is a piece at most, to `out`.
    pub(crate) fn push(&mut self, input: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Plain => out.extend_from_slice(input),
            Self::Gzip(encoder) => encoder.push(input, out),
        }
    }

    /// Appends the end.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) {
        match self {
            Self::Plain => {}
            Self::Gzip(encoder) => encoder.finish(out),
        }
    }
}

/// Reads an input through a decoder.
pub(crate) struct Unpacker {
    input: Input,
    pub(crate) decoder: Decoder,
    out: Vec<u8>,
    used: usize,
    has_all: bool,
    is_over: bool,
    fault: Option<Fault>,
    /// Bytes that were read of the input.
    pub(crate) read: u64,
}

impl Unpacker {
    pub(crate) fn new(input: Input, decoder: Decoder) -> Self {
        Self {
            input,
            decoder,
            out: Vec::new(),
            used: 0,
            has_all: false,
            is_over: false,
            fault: None,
            read: 0,
        }
    }

    /// Decoded bytes that are there, after decoding more when there are none. Empty: the end.
    pub(crate) async fn fill(&mut self, ctx: &mut Context) -> Result<&[u8], Fault> {
        while self.used >= self.out.len() && !self.is_over {
            self.out.clear();
            self.used = 0;
            match self.decoder.pull(self.has_all, &mut self.out) {
                Ok(Pull::Made) => tick_bytes(&ctx.meter, 64 + 4 * self.out.len()).await?,
                Ok(Pull::Ended) => self.is_over = true,
                Ok(Pull::NeedsInput) => self.read_more(ctx).await?,
                Err(fault) => {
                    self.is_over = true;
                    self.fault = Some(fault);
                }
            }
        }
        // What was decoded before a fault is given first.
        if self.used >= self.out.len()
            && let Some(fault) = self.fault.take()
        {
            return Err(fault);
        }
        Ok(self.out.get(self.used..).unwrap_or(&[]))
    }

    async fn read_more(&mut self, ctx: &mut Context) -> Result<(), Fault> {
        ctx.check().await?;
        let block = self.input.fill().await?;
        let piece = block.get(..PIECE).unwrap_or(block);
        let count = piece.len();
        if count == 0 {
            self.has_all = true;
        }
        self.decoder.push(piece);
        self.input.consume(count);
        self.read += count as u64;
        Ok(())
    }

    /// What was read for a decoder that does not know the format is given as it is.
    pub(crate) fn pass_through(&mut self) {
        if let Decoder::Gzip(decoder) = &mut self.decoder {
            let mut queue = ByteQueue::default();
            queue.push(decoder.pending());
            self.decoder = Decoder::Plain(queue);
            self.is_over = false;
        }
    }

    /// The input, of which nothing was decoded.
    pub(crate) fn into_input(self) -> Input {
        self.input
    }

    /// Marks `count` decoded bytes as used.
    pub(crate) fn consume(&mut self, count: usize) {
        self.used = (self.used + count).min(self.out.len());
    }
}
