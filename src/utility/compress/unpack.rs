//! An input that is decoded on the way, and the choice of the format.

use super::{
    Bzip2Decoder, Bzip2Encoder, Check, Fault, Format, GzipDecoder, GzipEncoder, GzipHeader, LzmaAloneDecoder,
    LzmaAloneEncoder, PIECE, Pull, ReadOptions, Recogniser, XzDecoder, XzEncoder, XzOptions, ZstdDecoder,
    ZstdEncoder,
};
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
    Bzip2(Box<Bzip2Decoder>),
    Xz(Box<XzDecoder>),
    Zstd(Box<ZstdDecoder>),
    Any(Recogniser),
    LzmaAlone(Box<LzmaAloneDecoder>),
}

impl Decoder {
    pub(crate) fn plain() -> Self {
        Self::Plain(ByteQueue::default())
    }

    pub(crate) fn gzip() -> Self {
        Self::Gzip(Box::new(GzipDecoder::new()))
    }

    pub(crate) fn bzip2() -> Self {
        Self::Bzip2(Box::new(Bzip2Decoder::new()))
    }

    pub(crate) fn xz(options: XzOptions) -> Self {
        Self::Xz(Box::new(XzDecoder::new(options)))
    }

    /// The format of those that the first bytes show.
    pub(crate) fn any_of(formats: &'static [Format], options: ReadOptions) -> Self {
        Self::Any(Recogniser::new(formats, options))
    }

    fn of_format(format: Format, options: ReadOptions) -> Self {
        match format {
            Format::Gzip => Self::gzip(),
            Format::Xz => Self::xz(options.xz),
            Format::Zstd => Self::zstd(options),
            Format::Lzma => Self::lzma(),
        }
    }

    pub(crate) fn zstd(options: ReadOptions) -> Self {
        let mut decoder = ZstdDecoder::new();
        if let Some(most) = options.zstd_window_max {
            decoder.window_max = most;
        }
        decoder.ignores_checksum = options.zstd_ignores_checksum;
        Self::Zstd(Box::new(decoder))
    }

    pub(crate) fn lzma() -> Self {
        Self::LzmaAlone(Box::new(LzmaAloneDecoder::new()))
    }

    /// What was pushed and not used.
    fn pending(&self) -> &[u8] {
        match self {
            Self::Plain(queue) => queue,
            Self::Gzip(decoder) => decoder.pending(),
            Self::Bzip2(decoder) => decoder.pending(),
            Self::Any(decoder) => decoder.pending(),
            Self::Xz(decoder) => decoder.pending(),
            Self::LzmaAlone(decoder) => decoder.pending(),
            Self::Zstd(decoder) => decoder.pending(),
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        match self {
            Self::Plain(queue) => queue.push(bytes),
            Self::Gzip(decoder) => decoder.push(bytes),
            Self::Bzip2(decoder) => decoder.push(bytes),
            Self::Any(decoder) => decoder.push(bytes),
            Self::Xz(decoder) => decoder.push(bytes),
            Self::LzmaAlone(decoder) => decoder.push(bytes),
            Self::Zstd(decoder) => decoder.push(bytes),
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
            Self::Bzip2(decoder) => decoder.pull(ended, out),
            Self::Any(decoder) => match decoder.format(ended)? {
                None => Ok(Pull::NeedsInput),
                Some(format) => {
                    let mut known = Self::of_format(format, decoder.options);
                    known.push(decoder.pending());
                    *self = known;
                    Ok(Pull::Worked(1))
                }
            },
            Self::Xz(decoder) => decoder.pull(ended, out),
            Self::LzmaAlone(decoder) => decoder.pull(ended, out),
            Self::Zstd(decoder) => decoder.pull(ended, out),
        }
    }
}

/// An encoder of any format.
pub(crate) enum Encoder {
    Plain,
    Gzip(Box<GzipEncoder>),
    Bzip2(Box<Bzip2Encoder>),
    Xz(Box<XzEncoder>),
    Zstd(Box<ZstdEncoder>),
    LzmaAlone(Box<LzmaAloneEncoder>),
}

impl Encoder {
    /// Gzip as `gzip` makes of standard input.
    pub(crate) fn gzip(meter: &Arc<Meter>) -> Result<Self, LimitError> {
        Self::gzip_with(meter, 6, &GzipHeader::default())
    }

    pub(crate) fn gzip_with(meter: &Arc<Meter>, level: u8, header: &GzipHeader) -> Result<Self, LimitError> {
        Ok(Self::Gzip(Box::new(GzipEncoder::new(meter, level, header)?)))
    }

    pub(crate) fn xz(level: u8, check: Check) -> Self {
        Self::Xz(Box::new(XzEncoder::new(level, check)))
    }

    /// The same with blocks of that size.
    pub(crate) fn xz_in_blocks(level: u8, check: Check, size: Option<u64>) -> Self {
        let mut encoder = XzEncoder::new(level, check);
        encoder.block_size = size.unwrap_or(u64::MAX);
        Self::Xz(Box::new(encoder))
    }

    pub(crate) fn zstd(encoder: ZstdEncoder) -> Self {
        Self::Zstd(Box::new(encoder))
    }

    pub(crate) fn lzma(level: u8) -> Self {
        Self::LzmaAlone(Box::new(LzmaAloneEncoder::new(level)))
    }

    /// bzip2 with blocks of `level` times 100 kB.
    pub(crate) fn bzip2(level: u8) -> Self {
        Self::Bzip2(Box::new(Bzip2Encoder::new(level)))
    }

    /// Appends what comes of `input`, which is a piece at most, to `out`.
    pub(crate) async fn push(
        &mut self,
        meter: &Meter,
        input: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), LimitError> {
        match self {
            Self::Plain => out.extend_from_slice(input),
            Self::Gzip(encoder) => encoder.push(input, out),
            Self::Bzip2(encoder) => encoder.push(meter, input, out).await?,
            Self::Xz(encoder) => encoder.push(meter, input, out).await?,
            Self::LzmaAlone(encoder) => encoder.push(meter, input, out).await?,
            Self::Zstd(encoder) => encoder.push(meter, input, out).await?,
        }
        tick_bytes(meter, 8 * input.len()).await
    }

    /// Appends the end.
    pub(crate) async fn finish(&mut self, meter: &Meter, out: &mut Vec<u8>) -> Result<(), LimitError> {
        match self {
            Self::Plain => {}
            Self::Gzip(encoder) => encoder.finish(out),
            Self::Bzip2(encoder) => encoder.finish(meter, out).await?,
            Self::Xz(encoder) => encoder.finish(meter, out).await?,
            Self::LzmaAlone(encoder) => encoder.finish(meter, out).await?,
            Self::Zstd(encoder) => encoder.finish(meter, out).await?,
        }
        Ok(())
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
                Ok(Pull::Worked(work)) => tick_bytes(&ctx.meter, 64 + work).await?,
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
        let mut queue = ByteQueue::default();
        queue.push(self.decoder.pending());
        self.decoder = Decoder::Plain(queue);
        self.is_over = false;
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
