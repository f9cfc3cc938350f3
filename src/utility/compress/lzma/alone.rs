//! The files of the program `lzma`: properties, the size of the window, the length or -1, and one stream.

use super::decode::{LzmaDecoder, SYMBOL_BYTES, Stop};
use super::encode::{LzmaEncoder, window_of_level};
use super::model::Properties;
use super::range_decoder::{RangeDecoder, Source};
use crate::limit::{LimitError, Meter};
use crate::memory::{Box, Vec};
use crate::utility::compress::stream::{Fault, Pull};
use crate::utility::compress::window::Window;
use crate::utility::context::byte_queue::ByteQueue;

/// Bytes of the header.
const HEADER: usize = 13;
/// Files whose header tells a greater length are none.
const LENGTH_MAX: u64 = 1 << 38;

/// Whether bytes may be the start of such a file: nothing but likely values tells it.
pub(crate) fn is_lzma_alone(bytes: &[u8]) -> bool {
    parse(bytes).is_some()
}

/// Properties, window and length of a header.
fn parse(bytes: &[u8]) -> Option<(Properties, u32, Option<u64>)> {
    let &[first, a, b, c, d, e, f, g, h, i, j, k, l] = bytes.first_chunk::<HEADER>()?;
    let properties = Properties::parse(first)?;
    let window = u32::from_le_bytes([a, b, c, d]);
    let length = u64::from_le_bytes([e, f, g, h, i, j, k, l]);
    // Writers use powers of two, and one and a half of them.
    let top =
        window.checked_ilog2().map_or(0, |bits| window >> bits.saturating_sub(1) << bits.saturating_sub(1));
    let is_likely = window == u32::MAX || top == window;
    let length = (length != u64::MAX).then_some(length);
    (is_likely && length.is_none_or(|length| length < LENGTH_MAX)).then_some((properties, window, length))
}

/// See the module.
#[derive(Debug)]
pub(crate) struct LzmaAloneDecoder {
    pending: ByteQueue,
    /// `None`: the header was not read.
    lzma: Option<Box<LzmaDecoder>>,
    left: Option<u64>,
    is_started: bool,
    is_over: bool,
}

impl LzmaAloneDecoder {
    pub(crate) fn new() -> Self {
        Self { pending: ByteQueue::default(), lzma: None, left: None, is_started: false, is_over: false }
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
        let scarce = |ended| if ended { Err(Fault::UnexpectedEnd) } else { Ok(Pull::NeedsInput) };
        if self.is_over {
            return match (self.pending.is_empty(), ended) {
                (false, _) => Err(Fault::Corrupt),
                (true, true) => Ok(Pull::Ended),
                (true, false) => Ok(Pull::NeedsInput),
            };
        }
        let Some(lzma) = &mut self.lzma else {
            if self.pending.len() < HEADER {
                return match scarce(ended) {
                    Err(_) => Err(Fault::NotInFormat),
                    more => more,
                };
            }
            let (properties, window, length) = parse(&self.pending).ok_or(Fault::NotInFormat)?;
            self.pending.remove_front(HEADER);
            self.left = length;
            self.lzma = Some(Box::new(LzmaDecoder::new(properties, Window::new(window.into()))));
            return Ok(Pull::Worked(1 << 12));
        };
        let mut source = Source { bytes: &self.pending, at: 0 };
        if !self.is_started {
            if source.bytes.len() < RangeDecoder::START {
                return scarce(ended);
            }
            lzma.coder = RangeDecoder::start(&mut source).ok_or(Fault::Corrupt)?;
            self.is_started = true;
        }
        let room = lzma.window.room();
        // Behind all bytes there may still be the mark of the end.
        let wants_end = self.left == Some(0);
        if wants_end && lzma.coder.is_over() {
            let used = source.at;
            self.pending.remove_front(used);
            self.is_over = true;
            return Ok(Pull::Worked(1));
        }
        let left = self.left.filter(|left| *left > 0);
        let most = match left {
            Some(left) => usize::try_from(left).unwrap_or(usize::MAX).min(room),
            None if wants_end => 1,
            None => room,
        };
        let before = lzma.position;
        let stop = lzma.run(&mut source, most, if ended { 0 } else { SYMBOL_BYTES })?;
        let made = lzma.position - before;
        lzma.window.take(out);
        let is_lacking = source.at > source.bytes.len();
        if wants_end && made > 0 {
            return Err(if is_lacking { Fault::UnexpectedEnd } else { Fault::Corrupt });
        }
        if let Some(left) = &mut self.left {
            *left -= made;
        }
        if stop == Stop::EndMark || self.left == Some(0) {
            lzma.coder.normalise(&mut source);
        }
        let used = source.at;
        self.pending.remove_front(used);
        if is_lacking {
            return Err(Fault::UnexpectedEnd);
        }
        match stop {
            Stop::EndMark if self.left.is_some_and(|left| left > 0) => return Err(Fault::Corrupt),
            Stop::EndMark => self.is_over = true,
            Stop::Made => {}
            Stop::NeedsInput if made == 0 => return Ok(Pull::NeedsInput),
            Stop::NeedsInput => {}
        }
        Ok(Pull::Made)
    }
}

/// See the module.
#[derive(Debug)]
pub(crate) struct LzmaAloneEncoder {
    level: u8,
    lzma: Option<Box<LzmaEncoder>>,
}

impl LzmaAloneEncoder {
    pub(crate) fn new(level: u8) -> Self {
        Self { level, lzma: None }
    }

    fn begin(&mut self, meter: &Meter, out: &mut Vec<u8>) -> Result<(), LimitError> {
        if self.lzma.is_none() {
            out.push(Properties::USUAL.byte());
            out.extend_from_slice(&(window_of_level(self.level) as u32).to_le_bytes());
            out.extend_from_slice(&[0xff; 8]);
            self.lzma = Some(Box::new(LzmaEncoder::new(meter, self.level)?));
        }
        Ok(())
    }

    pub(crate) async fn push(
        &mut self,
        meter: &Meter,
        input: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), LimitError> {
        self.begin(meter, out)?;
        let Some(lzma) = &mut self.lzma else { return Ok(()) };
        lzma.matcher.push(input);
        lzma.run(meter, false, usize::MAX, u64::MAX).await?;
        out.append(&mut lzma.coder.bytes);
        Ok(())
    }

    pub(crate) async fn finish(&mut self, meter: &Meter, out: &mut Vec<u8>) -> Result<(), LimitError> {
        self.begin(meter, out)?;
        let Some(lzma) = &mut self.lzma else { return Ok(()) };
        lzma.run(meter, true, usize::MAX, u64::MAX).await?;
        lzma.put_end_mark();
        lzma.coder.finish();
        out.append(&mut lzma.coder.bytes);
        Ok(())
    }
}
