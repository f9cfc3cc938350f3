//! Deflate streams (RFC 1951) in pieces: inflated by `miniz_oxide`, deflated by `zlib-rs`, which takes half of the other's
//! time for that.

use super::stream::Fault;
use crate::limit::{LimitError, Meter};
use crate::memory::{Box, Vec, vec};
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_HAS_MORE_INPUT;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};
use std::sync::Arc;
use zlib_rs::{Deflate, DeflateFlush, Status};

/// The window that a back-reference may reach into.
const WINDOW: usize = 32 << 10;

/// What one step of an inflater did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inflated {
    /// Bytes of the input that were used.
    pub(crate) taken: usize,
    /// Whether the stream is over.
    pub(crate) is_over: bool,
    /// Whether it goes on with more input only.
    pub(crate) needs_input: bool,
}

/// Inflates one stream.
pub(crate) struct Inflater {
    // The state is large: it does not live in a future.
    state: Box<DecompressorOxide>,
    window: Vec<u8>,
    at: usize,
}

impl Inflater {
    pub(crate) fn new() -> Self {
        Self { state: Box::new(DecompressorOxide::new()), window: vec![0; WINDOW], at: 0 }
    }

    /// Begins another stream.
    pub(crate) fn restart(&mut self) {
        self.state.init();
        self.at = 0;
    }

    /// Takes from `input`, and appends at most a window to `out`.
    pub(crate) fn step(&mut self, input: &[u8], ended: bool, out: &mut Vec<u8>) -> Result<Inflated, Fault> {
        if self.window.len() < WINDOW {
            return Err(Fault::Corrupt);
        }
        let more = if ended { 0 } else { TINFL_FLAG_HAS_MORE_INPUT };
        let (status, taken, made) = decompress(&mut self.state, input, &mut self.window, self.at, more);
        out.extend_from_slice(self.window.get(self.at..self.at + made).unwrap_or(&[]));
        self.at = (self.at + made) % WINDOW;
        let (is_over, needs_input) = match status {
            TINFLStatus::Done => (true, false),
            TINFLStatus::HasMoreOutput => (false, false),
            TINFLStatus::NeedsMoreInput if !ended => (false, true),
            TINFLStatus::NeedsMoreInput | TINFLStatus::FailedCannotMakeProgress => {
                return Err(Fault::UnexpectedEnd);
            }
            _ => return Err(Fault::Corrupt),
        };
        Ok(Inflated { taken, is_over, needs_input })
    }
}

/// What a compressor allocates: its window, hash chains, and the block under way.
const COMPRESSOR_BYTES: u64 = 400 << 10;

/// Deflates one stream.
pub(crate) struct Deflater {
    state: Deflate,
    room: Vec<u8>,
    _charge: crate::limit::Charge,
}

impl Deflater {
    /// A compressor of that level, 0 to 9.
    pub(crate) fn new(meter: &Arc<Meter>, level: i32) -> Result<Self, LimitError> {
        let charge = meter.charge(COMPRESSOR_BYTES)?;
        Ok(Self { state: Deflate::new(level, false, 15), room: vec![0; 16 << 10], _charge: charge })
    }

    /// Appends what comes of `input` to `out`.
    pub(crate) fn push(&mut self, input: &[u8], out: &mut Vec<u8>) {
        self.run(input, DeflateFlush::NoFlush, out);
    }

    /// Appends the end of the stream.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) {
        self.run(&[], DeflateFlush::Finish, out);
    }

    fn run(&mut self, input: &[u8], flush: DeflateFlush, out: &mut Vec<u8>) {
        let mut rest = input;
        loop {
            let before = (self.state.total_in(), self.state.total_out());
            let status = self.state.compress(rest, &mut self.room, flush);
            let taken = (self.state.total_in() - before.0) as usize;
            let made = (self.state.total_out() - before.1) as usize;
            out.extend_from_slice(self.room.get(..made).unwrap_or(&[]));
            rest = rest.get(taken..).unwrap_or(&[]);
            let is_over = !matches!(status, Ok(Status::Ok)) || (made == 0 && taken == 0);
            if is_over || (rest.is_empty() && flush == DeflateFlush::NoFlush && made < self.room.len()) {
                return;
            }
        }
    }
}
