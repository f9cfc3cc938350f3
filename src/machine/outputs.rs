//! Outputs: what a process has printed and no description has taken yet.

use super::halt::Halt;
use crate::io::Description;
use crate::memory::{Arc, ToMetered, Vec, VecDeque};
use crate::vfs::{Errno, FsError};
use std::task::{Context, Poll, Waker};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    /// Output of the builtin that runs.
    pub(crate) builtin: Vec<u8>,
    /// The builtin that runs could not write its output.
    pub(crate) failed: bool,
    /// Output that a description has not taken yet, in order.
    unwritten: VecDeque<(Arc<Description>, Vec<u8>)>,
}

/// Writes as many bytes as a description takes now: their number, and `Pending` if it takes no more for now.
pub(crate) fn write_to(
    description: &Description,
    cx: &mut Context<'_>,
    bytes: &[u8],
) -> (usize, Poll<Result<(), FsError>>) {
    let mut written = 0_usize;
    while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
        match description.poll_write(cx, rest) {
            Poll::Ready(Ok(count)) => written = written.saturating_add(count),
            Poll::Ready(Err(error)) => return (written, Poll::Ready(Err(error))),
            Poll::Pending => return (written, Poll::Pending),
        }
    }
    (written, Poll::Ready(Ok(())))
}

impl Outputs {
    /// Whether something has to be written before the next operation.
    pub(crate) fn has_unwritten(&self) -> bool {
        !self.unwritten.is_empty()
    }

    /// Writes what is left; a broken pipe kills the process.
    pub(crate) fn flush(&mut self, cx: &mut Context<'_>) -> Result<Poll<()>, Halt> {
        while let Some((description, bytes)) = self.unwritten.front_mut() {
            let (written, end) = write_to(description, cx, bytes);
            match end {
                Poll::Pending => {
                    bytes.drain(..written);
                    return Ok(Poll::Pending);
                }
                Poll::Ready(Ok(())) => {
                    self.unwritten.pop_front();
                }
                Poll::Ready(Err(error)) => {
                    self.unwritten.clear();
                    return match error {
                        FsError::Limit(limit) => Err(limit.into()),
                        FsError::Errno(Errno::BrokenPipe) => Err(Halt::Killed(141)),
                        FsError::Errno(_) => Ok(Poll::Ready(())),
                    };
                }
            }
        }
        Ok(Poll::Ready(()))
    }

    /// Writes bytes to a description; the rest is kept, to be written before the next operation.
    pub(crate) fn write(&mut self, description: Arc<Description>, bytes: &[u8]) {
        let mut rest = bytes;
        if self.unwritten.is_empty() {
            let (written, end) = write_to(&description, &mut Context::from_waker(Waker::noop()), bytes);
            if matches!(end, Poll::Ready(Err(_))) {
                return;
            }
            rest = bytes.get(written..).unwrap_or(&[]);
        }
        if !rest.is_empty() {
            self.unwritten.push_back((description, rest.to_metered()));
        }
    }

    /// A builtin's output goes out line by line: writes the lines of `out` that are complete.
    pub(crate) fn write_lines(&mut self, description: Option<&Arc<Description>>, out: &mut Vec<u8>) {
        let Some(end) = memchr::memrchr(b'\n', out) else { return };
        let Some(description) = description else { return };
        let rest = out.split_off(end.saturating_add(1));
        self.write(Arc::clone(description), out);
        *out = rest;
    }
}
