//! Buffered input and output of a utility over open file descriptions.

use super::pace::Quick;
use super::pace::yield_now;
use crate::io::Description;
use crate::limit::{Meter, gauge};
use crate::memory::{Arc, Vec};
use crate::utility::UtilityError;
use crate::vfs::{Errno, FsError};
use std::future::poll_fn;
use std::task::{Context, Poll, Waker};

/// Most bytes taken from a description at a time.
const BLOCK: usize = 64 * 1024;

/// Buffered reader. What was read ahead and not used is given back to a seekable description when the input is dropped,
/// so that the next reader of the same descriptor goes on where this one stopped.
#[derive(Debug)]
pub struct Input {
    description: Arc<Description>,
    buffer: Vec<u8>,
    start: usize,
    ended: bool,
    /// Of the run.
    meter: std::sync::Arc<Meter>,
}

/// Bytes of an input from which on what is done with all of it may take long.
const LONG: usize = 16 << 10;

impl Input {
    /// Reads from `description`.
    pub(crate) fn new(description: Arc<Description>, meter: &std::sync::Arc<Meter>) -> Self {
        Self { description, buffer: Vec::new(), start: 0, ended: false, meter: std::sync::Arc::clone(meter) }
    }

    /// The description below.
    pub(crate) const fn description(&self) -> &Arc<Description> {
        &self.description
    }

    /// Bytes that are buffered, after reading more when there are none. Empty: end of input.
    pub async fn fill(&mut self) -> Result<&[u8], FsError> {
        if self.start >= self.buffer.len() && !self.ended {
            self.buffer.clear();
            self.start = 0;
            self.read_more().await?;
        }
        Ok(self.buffer.get(self.start..).unwrap_or(&[]))
    }

    /// What is buffered and not used.
    pub(crate) fn buffered(&self) -> &[u8] {
        self.buffer.get(self.start..).unwrap_or(&[])
    }

    /// Shows the next bytes, `most` at most, to `look`, and marks them as used; how many they are, 0 at end of input. They are
    /// not copied for it.
    pub(crate) async fn show(
        &mut self,
        most: usize,
        look: &mut (dyn FnMut(&[u8]) + Send),
    ) -> Result<usize, FsError> {
        let buffered = self.buffer.get(self.start..).unwrap_or(&[]);
        if !buffered.is_empty() {
            let shown = buffered.get(..most).unwrap_or(buffered);
            look(shown);
            self.start += shown.len();
            return Ok(shown.len());
        }
        if self.ended {
            return Ok(0);
        }
        let description = &self.description;
        let count = poll_fn(|cx| {
            description.poll_read(cx, &mut |bytes| {
                let shown = bytes.get(..most).unwrap_or(bytes);
                look(shown);
                shown.len()
            })
        })
        .await?;
        self.ended = count == 0;
        Ok(count)
    }

    /// Marks `count` buffered bytes as used.
    pub fn consume(&mut self, count: usize) {
        self.start = (self.start + count).min(self.buffer.len());
    }

    /// Forgets what is buffered and that the end was met, after the description's offset was moved.
    pub(crate) fn restart(&mut self) {
        self.buffer.clear();
        self.start = 0;
        self.ended = false;
    }

    /// Appends what can be read now to the buffer; sets `ended` at end of input.
    async fn read_more(&mut self) -> Result<(), FsError> {
        // What is long is read in turns with others: each block uses the fuel of its copy.
        if !self.buffer.is_empty() && gauge::burn(0) {
            yield_now().await;
        }
        self.read_up_to(None).await
    }

    /// As `read_more`, not past a `delimiter`.
    async fn read_up_to(&mut self, delimiter: Option<u8>) -> Result<(), FsError> {
        let Self { description, buffer, .. } = self;
        let count = poll_fn(|cx| {
            description.poll_read(cx, &mut |bytes| {
                let taken = bytes.get(..bytes.len().min(BLOCK)).unwrap_or(bytes);
                let found = delimiter.and_then(|delimiter| memchr::memchr(delimiter, taken));
                let taken = found.and_then(|end| taken.get(..=end)).unwrap_or(taken);
                // Where the buffer is refused the room nothing is taken, which ends the input: the run is over.
                let before = buffer.len();
                buffer.extend_from_slice(taken);
                buffer.len() - before
            })
        })
        .await?;
        if count == 0 {
            self.ended = true;
        }
        Ok(())
    }

    /// The next line with its `delimiter` (the last one may lack it), or `None` at end of input. The slice is valid until
    /// the next call.
    pub async fn next_line(&mut self, delimiter: u8) -> Result<Option<&[u8]>, FsError> {
        let mut searched = self.start;
        loop {
            let unsearched = self.buffer.get(searched..).unwrap_or(&[]);
            if let Some(found) = memchr::memchr(delimiter, unsearched) {
                let (start, end) = (self.start, searched + found + 1);
                self.start = end;
                return Ok(self.buffer.get(start..end));
            }
            if self.ended {
                let start = self.start;
                self.start = self.buffer.len();
                return Ok(self.buffer.get(start..).filter(|line| !line.is_empty()));
            }
            // Keep what is unread at the front, so that the buffer is as long as the longest line at most.
            if self.start > 0 {
                self.buffer.remove_front(self.start);
                self.start = 0;
            }
            searched = self.buffer.len();
            self.read_more().await?;
        }
    }

    /// Whole lines that are buffered, after reading more when there is none: up to and with the last `delimiter`, or to
    /// the end of input. Empty: end of input.
    pub(crate) async fn fill_lines(&mut self, delimiter: u8) -> Result<&[u8], FsError> {
        let mut searched = self.start;
        loop {
            let unsearched = self.buffer.get(searched..).unwrap_or(&[]);
            if let Some(found) = memchr::memrchr(delimiter, unsearched) {
                return Ok(self.buffer.get(self.start..=searched + found).unwrap_or(&[]));
            }
            if self.ended {
                return Ok(self.buffer.get(self.start..).unwrap_or(&[]));
            }
            if self.start > 0 {
                self.buffer.remove_front(self.start);
                self.start = 0;
            }
            searched = self.buffer.len();
            self.read_more().await?;
        }
    }

    /// As [`Input::next_line`], taking nothing from the description that is not of the line.
    pub(crate) async fn next_line_unbuffered(&mut self, delimiter: u8) -> Result<Option<&[u8]>, FsError> {
        if self.start < self.buffer.len() {
            return self.next_line(delimiter).await;
        }
        self.buffer.clear();
        self.start = 0;
        while !self.ended && self.buffer.last() != Some(&delimiter) {
            self.read_up_to(Some(delimiter)).await?;
        }
        self.start = self.buffer.len();
        Ok(Some(self.buffer.as_slice()).filter(|line| !line.is_empty()))
    }

    /// Everything that is left. Who reads much at once is about to do something long with it: it is given when that may be.
    pub async fn read_to_end(&mut self) -> Result<Vec<u8>, FsError> {
        while !self.ended {
            self.read_more().await?;
        }
        let mut bytes = std::mem::take(&mut self.buffer);
        if self.start > 0 {
            bytes.remove_front(self.start);
        }
        self.start = 0;
        while bytes.len() >= LONG && !self.meter.may_take_long() {
            yield_now().await;
        }
        Ok(bytes)
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        let unused = self.buffer.len().saturating_sub(self.start);
        if unused > 0 {
            self.description.unread(unused as u64);
        }
    }
}

/// Buffered writer.
#[derive(Debug)]
pub struct Output {
    description: Option<Arc<Description>>,
    buffer: Vec<u8>,
}

impl Output {
    /// Writes to `description`; `None` is a closed descriptor: every write fails with `EBADF`.
    pub(crate) const fn new(description: Option<Arc<Description>>) -> Self {
        Self { description, buffer: Vec::new() }
    }

    /// The description below.
    pub(crate) const fn description(&self) -> Option<&Arc<Description>> {
        self.description.as_ref()
    }

    /// Writes `bytes`, through a buffer. Waits while the reader is slower.
    ///
    /// What is long is handed on as it is, and in stretches between which others run.
    pub fn write(&mut self, bytes: &[u8]) -> impl Future<Output = Result<(), UtilityError>> + Send {
        let is_long = bytes.len() >= BLOCK;
        if !is_long {
            self.push(bytes);
            if self.buffer.len() < BLOCK / 2 {
                return Quick::done(Ok(()));
            }
        }
        Quick::slow(async move {
            self.flush().await?;
            if is_long { self.hand_on(bytes).await } else { Ok(()) }
        })
    }

    /// Puts `bytes` into the buffer without waiting; [`Output::write`] is the one for loops.
    pub fn push(&mut self, bytes: &[u8]) {
        let needed = self.buffer.len().saturating_add(bytes.len());
        if needed > self.buffer.capacity() {
            // Past a block it grows by no more than what is needed, for it is handed on before long.
            let capacity = needed.max((self.buffer.capacity() * 2).min(BLOCK)).max(64);
            self.buffer.reserve_exact(capacity - self.buffer.len());
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Bytes in the buffer.
    pub(crate) fn buffered(&self) -> usize {
        self.buffer.len()
    }

    /// Whether the buffer is so large that it should be flushed.
    pub(crate) fn is_full(&self) -> bool {
        self.buffer.len() >= BLOCK / 2
    }

    /// Flushes when the buffer is large.
    pub(crate) fn flush_if_full(&mut self) -> impl Future<Output = Result<(), UtilityError>> + Send {
        if self.is_full() { Quick::slow(self.flush()) } else { Quick::done(Ok(())) }
    }

    /// Hands everything on.
    pub async fn flush(&mut self) -> Result<(), UtilityError> {
        // What is cancelled or fails on the way is not written again.
        let mut buffer = std::mem::take(&mut self.buffer);
        let written = self.hand_on(&buffer).await;
        buffer.clear();
        self.buffer = buffer;
        written
    }

    /// Hands on `bytes`.
    async fn hand_on(&self, bytes: &[u8]) -> Result<(), UtilityError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let Some(description) = &self.description else {
                return Err(UtilityError::Write(Errno::BadDescriptor));
            };
            let block = rest.get(..BLOCK).unwrap_or(rest);
            match poll_fn(|cx| description.poll_write(cx, block)).await {
                Ok(count) => rest = rest.get(count..).unwrap_or(&[]),
                Err(FsError::Errno(errno)) => return Err(UtilityError::Write(errno)),
                Err(FsError::Limit(limit)) => return Err(UtilityError::Limit(limit)),
            }
            if !rest.is_empty() && gauge::burn(0) {
                yield_now().await;
            }
        }
        Ok(())
    }

    /// Writes what can be written without waiting; the rest stays in the buffer. Errors are left to the next flush.
    pub(crate) fn flush_now(&mut self) {
        let Some(description) = &self.description else { return };
        let mut cx = Context::from_waker(Waker::noop());
        let mut done = 0;
        while let Some(rest) = self.buffer.get(done..).filter(|rest| !rest.is_empty()) {
            match description.poll_write(&mut cx, rest) {
                Poll::Ready(Ok(count)) => done += count,
                Poll::Ready(Err(_)) | Poll::Pending => break,
            }
        }
        self.buffer.remove_front(done);
    }
}
