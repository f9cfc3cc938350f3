//! Records from an input: lines, paragraphs, or what a regular expression separates.

use crate::memory::Vec;
use crate::utility::context::pace::{Pace, tick_bytes};
use crate::utility::context::ticker::stopped;
use crate::utility::prelude::*;
use crate::utility::regex::Regex;

/// What ends a record.
#[derive(Clone, Debug)]
pub(super) enum Separator {
    Byte(u8),
    /// One or more empty lines.
    Paragraph,
    Regex(Regex),
}

/// Reads records.
#[derive(Debug)]
pub(super) struct RecordReader {
    input: Input,
    buffer: Vec<u8>,
    start: usize,
    has_ended: bool,
}

/// A record and what ended it, as places in the reader's buffer.
#[derive(Clone, Copy, Debug)]
struct Found {
    end: usize,
    next: usize,
}

impl RecordReader {
    pub(super) const fn new(input: Input) -> Self {
        Self { input, buffer: Vec::new(), start: 0, has_ended: false }
    }

    /// The next record that ends with `byte`, if it was read as a whole and is shorter than `most` bytes.
    pub(super) fn next_buffered(&mut self, byte: u8, most: usize) -> Option<&[u8]> {
        let rest = self.buffer.get(self.start..)?;
        let length = memchr::memchr(byte, rest).filter(|&length| length < most)?;
        let start = self.start;
        self.start += length + 1;
        self.buffer.get(start..start + length)
    }

    /// The next record and its separator, or `None` at the end. The inner error is one of reading.
    pub(super) async fn next(
        &mut self,
        ctx: &Context,
        separator: &Separator,
    ) -> Result<Result<Option<(&[u8], &[u8])>, Errno>, UtilityError> {
        let mut searched = 0;
        let mut wanted = 0;
        let found = loop {
            if matches!(separator, Separator::Paragraph) {
                let rest = self.buffer.get(self.start..).unwrap_or(&[]);
                self.start += rest.iter().take_while(|&&byte| byte == b'\n').count();
            }
            let rest = self.buffer.get(self.start..).unwrap_or(&[]);
            // The byte before is looked at, so that `^` matches at the beginning of the input alone.
            let behind = usize::from(self.start > 0);
            let with_byte_before = self.buffer.get(self.start - behind..).unwrap_or(&[]);
            let is_regex = matches!(separator, Separator::Regex(_));
            let found = if !is_regex || rest.len() >= wanted || self.has_ended {
                // An expression starts over with each attempt: so the next one waits for twice as much.
                wanted = rest.len().saturating_mul(2);
                find(ctx, rest, (with_byte_before, behind), separator, &mut searched, self.has_ended).await?
            } else {
                None
            };
            if let Some(found) = found {
                break found;
            }
            if self.has_ended {
                if rest.is_empty() {
                    return Ok(Ok(None));
                }
                let end = match separator {
                    Separator::Paragraph => {
                        rest.iter().rposition(|&byte| byte != b'\n').map_or(0, |last| last + 1)
                    }
                    Separator::Regex(_) | Separator::Byte(_) => rest.len(),
                };
                break Found { end, next: rest.len() };
            }
            let before = self.buffer.len();
            if let Err(errno) = self.fill().await? {
                return Ok(Err(errno));
            }
            // A file is always ready, and a record may be long.
            tick_bytes(&ctx.meter, self.buffer.len().saturating_sub(before) / 4).await?;
        };
        let start = self.start;
        self.start += found.next;
        let record = self.buffer.get(start..start + found.end).unwrap_or(&[]);
        Ok(Ok(Some((record, self.buffer.get(start + found.end..start + found.next).unwrap_or(&[])))))
    }

    /// Appends what can be read.
    async fn fill(&mut self) -> Result<Result<(), Errno>, UtilityError> {
        if self.start > 1 {
            self.buffer.remove_front(self.start - 1);
            self.start = 1;
        }
        let count = match self.input.fill().await {
            Ok(bytes) => {
                let before = self.buffer.len();
                self.buffer.extend_from_slice(bytes);
                self.buffer.len() - before
            }
            Err(FsError::Errno(errno)) => return Ok(Err(errno)),
            Err(FsError::Limit(limit)) => return Err(limit.into()),
        };
        self.input.consume(count);
        self.has_ended = count == 0;
        Ok(Ok(()))
    }
}

/// The end of the record that `rest` begins with. `searched` says up to where there is none.
async fn find(
    ctx: &Context,
    rest: &[u8],
    (with_byte_before, behind): (&[u8], usize),
    separator: &Separator,
    searched: &mut usize,
    has_ended: bool,
) -> Result<Option<Found>, UtilityError> {
    match separator {
        Separator::Byte(byte) => {
            let unsearched = rest.get(*searched..).unwrap_or(&[]);
            let found = memchr::memchr(*byte, unsearched).map(|at| *searched + at);
            *searched = rest.len();
            Ok(found.map(|end| Found { end, next: end + 1 }))
        }
        Separator::Paragraph => {
            let from = searched.saturating_sub(1);
            let unsearched = rest.get(from..).unwrap_or(&[]);
            let found = memchr::memmem::find(unsearched, b"\n\n").map(|at| from + at);
            *searched = rest.len();
            let Some(end) = found else { return Ok(None) };
            let newlines = rest.iter().skip(end).take_while(|&&byte| byte == b'\n').count();
            if end + newlines == rest.len() && !has_ended {
                *searched = end;
                return Ok(None);
            }
            Ok(Some(Found { end, next: end + newlines }))
        }
        Separator::Regex(regex) => {
            let mut from = 0;
            loop {
                let found =
                    regex.find_at(with_byte_before, from + behind, &mut Pace::Shared(&ctx.meter)).await;
                let found = found.map_err(|_| stopped(&ctx.meter))?;
                match found.map(|(end, next)| (end - behind, next - behind)) {
                    // A match at the end may go on in what is not read yet.
                    Some((_, next)) if next >= rest.len() && !has_ended => return Ok(None),
                    Some((end, next)) if end < next => return Ok(Some(Found { end, next })),
                    Some((end, _)) if end < rest.len() => from = end + 1,
                    _ => return Ok(None),
                }
            }
        }
    }
}
