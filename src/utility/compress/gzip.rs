//! The gzip format (RFC 1952): members one after the other, each with a header, a deflate stream, a checksum and a length.

use super::crc::Crc32;
use super::deflate::{Deflater, Inflater};
use super::stream::{Fault, Pull};
use crate::limit::{LimitError, Meter};
use crate::memory::{ToMetered, Vec};
use crate::utility::context::byte_queue::ByteQueue;
use std::sync::Arc;

/// What a header can tell.
#[derive(Clone, Debug, Default)]
pub(crate) struct GzipHeader {
    /// The file's name; empty when there is none.
    pub(crate) name: Vec<u8>,
    /// Seconds since the epoch; 0: unknown.
    pub(crate) time: u32,
}

/// Longest header that is read: names and comments have no bound in the format.
const HEADER_MAX: usize = 128 << 10;

const CHECKED: u8 = 2;
const EXTRA: u8 = 4;
const NAME: u8 = 8;
const COMMENT: u8 = 16;
const RESERVED: u8 = 0xe0;

/// The header at the start of `bytes` and its length; `None`: it goes on after them.
fn parse_header(bytes: &[u8]) -> Result<Option<(GzipHeader, usize)>, Fault> {
    let &[one, two, ref rest @ ..] = bytes else { return Ok(None) };
    if [one, two] != [0x1f, 0x8b] {
        return Err(match [one, two] {
            [0x1f, 0x9d] => Fault::NotSupported("the format of compress"),
            [0x1f, 0x1e | 0x9e | 0xa0] => Fault::NotSupported("an old format of pack or lzh"),
            _ => Fault::NotInFormat,
        });
    }
    let &[method, flags, a, b, c, d, _, _, ..] = rest else { return Ok(None) };
    if method != 8 {
        return Err(Fault::NotSupported("the method"));
    }
    if flags & RESERVED != 0 {
        return Err(Fault::NotSupported("a reserved flag"));
    }
    let mut header = GzipHeader { name: Vec::new(), time: u32::from_le_bytes([a, b, c, d]) };
    let mut at = 10;
    if flags & EXTRA != 0 {
        let Some(&[low, high]) = bytes.get(at..at + 2) else { return Ok(None) };
        at += 2 + usize::from(u16::from_le_bytes([low, high]));
    }
    for field in [NAME, COMMENT] {
        if flags & field == 0 {
            continue;
        }
        let text = bytes.get(at..).unwrap_or(&[]);
        let Some(end) = memchr::memchr(0, text) else { return Ok(None) };
        if field == NAME {
            header.name = text.get(..end).unwrap_or(&[]).to_metered();
        }
        at += end + 1;
    }
    if flags & CHECKED != 0 {
        let (Some(before), Some(&[low, high])) = (bytes.get(..at), bytes.get(at..at + 2)) else {
            return Ok(None);
        };
        let (stored, computed) = (u16::from_le_bytes([low, high]), Crc32::of(before) as u16);
        if stored != computed {
            return Err(Fault::HeaderChecksum { stored, computed });
        }
        at += 2;
    }
    Ok((at <= bytes.len()).then_some((header, at)))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum MemberState {
    Header,
    Body,
    Trailer,
    Ended,
}

/// Reads all members.
pub(crate) struct GzipDecoder {
    state: MemberState,
    pending: ByteQueue,
    inflater: Inflater,
    checksum: Crc32,
    /// The header of the member under way.
    pub(crate) header: GzipHeader,
    /// Members that were begun.
    pub(crate) members: u64,
    /// Bytes of the first header and of its trailer.
    pub(crate) header_length: u64,
    /// Bytes that came out of the member under way.
    pub(crate) made: u64,
    /// The checksum that stands after the member that ended last.
    pub(crate) stored_checksum: u32,
}

impl GzipDecoder {
    pub(crate) fn new() -> Self {
        Self {
            state: MemberState::Header,
            pending: ByteQueue::default(),
            inflater: Inflater::new(),
            checksum: Crc32::default(),
            header: GzipHeader::default(),
            members: 0,
            header_length: 0,
            made: 0,
            stored_checksum: 0,
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
        match self.state {
            MemberState::Header => self.pull_header(ended),
            MemberState::Body => self.pull_body(ended, out),
            MemberState::Trailer => self.pull_trailer(ended),
            MemberState::Ended => Ok(Pull::Ended),
        }
    }

    fn pull_header(&mut self, ended: bool) -> Result<Pull, Fault> {
        let is_first = self.members == 0;
        if !is_first {
            // Tapes are filled up with zeros.
            let zeros = self.pending.iter().take_while(|byte| **byte == 0).count();
            self.pending.remove_front(zeros);
            if self.pending.is_empty() {
                if ended {
                    self.state = MemberState::Ended;
                }
                return Ok(if ended { Pull::Ended } else { Pull::NeedsInput });
            }
        }
        match parse_header(&self.pending) {
            Ok(Some((header, length))) => {
                self.pending.remove_front(length);
                self.header = header;
                self.header_length = if is_first { length as u64 + 8 } else { 0 };
                self.members += 1;
                self.made = 0;
                self.checksum = Crc32::default();
                self.inflater.restart();
                self.state = MemberState::Body;
                Ok(Pull::Made)
            }
            Ok(None) if self.pending.len() > HEADER_MAX => Err(Fault::Corrupt),
            Ok(None) if !ended => Ok(Pull::NeedsInput),
            Err(fault) if is_first => Err(fault),
            Ok(None) if is_first || self.pending.starts_with(&[0x1f, 0x8b]) => Err(Fault::UnexpectedEnd),
            Err(fault @ Fault::HeaderChecksum { .. }) => Err(fault),
            Ok(None) | Err(_) => {
                self.state = MemberState::Ended;
                Err(Fault::TrailingGarbage)
            }
        }
    }

    fn pull_body(&mut self, ended: bool, out: &mut Vec<u8>) -> Result<Pull, Fault> {
        let before = out.len();
        let step = self.inflater.step(&self.pending, ended, out)?;
        let made = out.get(before..).unwrap_or(&[]);
        self.checksum.update(made);
        self.made += made.len() as u64;
        self.pending.remove_front(step.taken);
        if step.is_over {
            self.state = MemberState::Trailer;
        }
        Ok(if step.needs_input { Pull::NeedsInput } else { Pull::Made })
    }

    fn pull_trailer(&mut self, ended: bool) -> Result<Pull, Fault> {
        let Some(&[a, b, c, d, e, f, g, h]) = self.pending.get(..8) else {
            return if ended { Err(Fault::UnexpectedEnd) } else { Ok(Pull::NeedsInput) };
        };
        self.pending.remove_front(8);
        self.stored_checksum = u32::from_le_bytes([a, b, c, d]);
        self.state = MemberState::Header;
        let is_same = self.stored_checksum == self.checksum.value();
        let is_as_long = u32::from_le_bytes([e, f, g, h]) == self.made as u32;
        match (is_same, is_as_long) {
            (true, true) => Ok(Pull::Made),
            (false, true) => Err(Fault::Checksum),
            (true, false) => Err(Fault::Length),
            (false, false) => Err(Fault::ChecksumAndLength),
        }
    }
}

/// Writes one member.
pub(crate) struct GzipEncoder {
    deflater: Deflater,
    checksum: Crc32,
    length: u64,
    header: Vec<u8>,
}

impl GzipEncoder {
    pub(crate) fn new(meter: &Arc<Meter>, level: u8, header: &GzipHeader) -> Result<Self, LimitError> {
        let mut bytes: Vec<u8> = Vec::new();
        let extra = match level {
            1 => 4,
            9 => 2,
            _ => 0,
        };
        let flags = if header.name.is_empty() { 0 } else { NAME };
        bytes.extend_from_slice(&[0x1f, 0x8b, 8, flags]);
        bytes.extend_from_slice(&header.time.to_le_bytes());
        bytes.extend_from_slice(&[extra, 3]);
        if !header.name.is_empty() {
            bytes.extend_from_slice(&header.name);
            bytes.push(0);
        }
        let deflater = Deflater::new(meter, i32::from(level))?;
        Ok(Self { deflater, checksum: Crc32::default(), length: 0, header: bytes })
    }

    pub(crate) fn push(&mut self, input: &[u8], out: &mut Vec<u8>) {
        out.append(&mut self.header);
        self.checksum.update(input);
        self.length += input.len() as u64;
        self.deflater.push(input, out);
    }

    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.header);
        self.deflater.finish(out);
        out.extend_from_slice(&self.checksum.value().to_le_bytes());
        out.extend_from_slice(&(self.length as u32).to_le_bytes());
    }
}
