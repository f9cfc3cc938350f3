//! `--compressed`: what is sent as gzip or deflate, decoded as it comes.

use super::failure::Failure;
use crate::memory::Vec;

/// Whether there is a decoder: it comes with the feature `programs`.
pub(super) const IS_THERE: bool = cfg!(feature = "programs");

/// The codings that are asked for.
pub(super) const ACCEPTED: &str = "deflate, gzip";

#[cfg(feature = "programs")]
pub(super) use stream::Decoder;

#[cfg(not(feature = "programs"))]
pub(super) enum Decoder {}

#[cfg(not(feature = "programs"))]
impl Decoder {
    #[expect(clippy::unnecessary_wraps, reason = "where there are decoders it can fail")]
    pub(super) fn of(_: &[u8]) -> Result<Option<Self>, Failure> {
        Ok(None)
    }

    pub(super) fn take(&mut self, _: &mut &[u8], _: &mut Vec<u8>) -> Result<(), Failure> {
        match *self {}
    }

    pub(super) fn end(&self) -> Result<(), Failure> {
        match *self {}
    }
}

#[cfg(feature = "programs")]
mod stream {
    use super::{Failure, Vec};
    use crate::memory::Box;
    use miniz_oxide::inflate::stream::{InflateState, inflate};
    use miniz_oxide::{DataFormat, MZError, MZFlush, MZStatus};

    /// Decoded at a time.
    const PIECE: usize = 32 << 10;
    /// Of the fixed part of a gzip header.
    const FIXED: usize = 10;

    /// A body that is decoded.
    pub(in super::super) struct Decoder {
        state: Box<InflateState>,
        header: Header,
        has_ended: bool,
    }

    /// How much of the header of gzip was read.
    enum Header {
        /// Zlib, or bare data: it is known at the first byte.
        Unknown,
        /// The bytes so far.
        Gzip(Vec<u8>),
        Done,
    }

    fn bad() -> Failure {
        Failure::new(61, "Error while processing content unencoding: invalid block type")
    }

    fn bad_header() -> Failure {
        Failure::new(61, "Error while processing content unencoding: incorrect header check")
    }

    impl Decoder {
        /// Of that content coding; `None` for one that changes nothing.
        pub(in super::super) fn of(coding: &[u8]) -> Result<Option<Self>, Failure> {
            let is = |name: &str| coding.trim_ascii().eq_ignore_ascii_case(name.as_bytes());
            let header = if is("gzip") || is("x-gzip") {
                Header::Gzip(Vec::new())
            } else if is("deflate") {
                Header::Unknown
            } else if coding.trim_ascii().is_empty() || is("identity") {
                return Ok(None);
            } else {
                let what = "Unrecognized content encoding type. libcurl understands deflate, gzip content encodings.";
                return Err(Failure::new(61, what));
            };
            Ok(Some(Self { state: Box::new(InflateState::new(DataFormat::Raw)), header, has_ended: false }))
        }

        /// Decodes a piece of what is left in `input`; `output` gets it. To be called until both are empty.
        pub(in super::super) fn take(
            &mut self,
            input: &mut &[u8],
            output: &mut Vec<u8>,
        ) -> Result<(), Failure> {
            self.begin(input)?;
            output.clear();
            if self.has_ended {
                // Sum and length of gzip.
                *input = &[];
                return Ok(());
            }
            if matches!(self.header, Header::Gzip(_) | Header::Unknown) {
                return Ok(());
            }
            output.resize(PIECE, 0);
            let result = inflate(&mut self.state, input, output, MZFlush::None);
            output.truncate(result.bytes_written);
            *input = input.get(result.bytes_consumed..).unwrap_or_default();
            match result.status {
                Ok(MZStatus::StreamEnd) => self.has_ended = true,
                Ok(_) | Err(MZError::Buf) => {}
                Err(_) => return Err(bad()),
            }
            Ok(())
        }

        /// Reads what comes before the data.
        fn begin(&mut self, input: &mut &[u8]) -> Result<(), Failure> {
            match &mut self.header {
                Header::Done => {}
                Header::Unknown => {
                    let Some(first) = input.first() else { return Ok(()) };
                    // Servers that say deflate send zlib, or the bare data.
                    let is_zlib = first & 0x0f == 8;
                    let format = if is_zlib { DataFormat::Zlib } else { DataFormat::Raw };
                    self.state = Box::new(InflateState::new(format));
                    self.header = Header::Done;
                }
                Header::Gzip(bytes) => {
                    while let Some((first, rest)) = input.split_first() {
                        bytes.push(*first);
                        *input = rest;
                        match gzip_header(bytes) {
                            Ok(true) => {
                                self.header = Header::Done;
                                break;
                            }
                            Ok(false) => {}
                            Err(()) => return Err(bad_header()),
                        }
                    }
                }
            }
            Ok(())
        }

        /// At the end of the body.
        pub(in super::super) fn end(&self) -> Result<(), Failure> {
            let is_empty = matches!(&self.header, Header::Unknown)
                || matches!(&self.header, Header::Gzip(bytes) if bytes.is_empty());
            if self.has_ended || is_empty { Ok(()) } else { Err(bad()) }
        }
    }

    /// Whether a header (RFC 1952 2.3) is whole; its names and extras are bounded.
    fn gzip_header(bytes: &[u8]) -> Result<bool, ()> {
        const MOST: usize = 4 << 10;
        if bytes.len() > MOST || !bytes.iter().zip([0x1f, 0x8b, 8]).all(|(byte, wanted)| *byte == wanted) {
            return Err(());
        }
        let Some(flags) = bytes.get(3).filter(|_| bytes.len() >= FIXED) else { return Ok(false) };
        let mut at = FIXED;
        if flags & 4 != 0 {
            let Some([low, high]) = bytes.get(at..at + 2).and_then(|length| length.first_chunk()) else {
                return Ok(false);
            };
            at += 2 + usize::from(u16::from_le_bytes([*low, *high]));
        }
        for flag in [8, 16] {
            if flags & flag != 0 {
                let Some(end) = bytes.get(at..).and_then(|rest| memchr::memchr(0, rest)) else {
                    return Ok(false);
                };
                at += end + 1;
            }
        }
        if flags & 2 != 0 {
            at += 2;
        }
        Ok(bytes.len() >= at)
    }
}
