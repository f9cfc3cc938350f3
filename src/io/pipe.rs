//! Bounded in-memory pipe. A write into a full pipe waits, a read from an empty one waits while a writer lives, and a
//! write that no one can read is a broken pipe. POSIX XSH `pipe`, XBD 3.268.

use crate::clock::lock;
use crate::memory::{Arc, Vec, VecDeque};
use crate::vfs::{Errno, FsError};
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

/// Bytes that a pipe holds before writers wait; Linux's default.
const CAPACITY: usize = 64 * 1024;

#[derive(Debug)]
pub(crate) struct Pipe {
    state: Mutex<PipeState>,
}

#[derive(Debug)]
struct PipeState {
    bytes: VecDeque<u8>,
    readers: Ends,
    writers: Ends,
    waiting: Vec<Waker>,
}

/// The ends of one side.
#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    open: usize,
    /// Those that were ever opened.
    opened: u64,
}

impl Ends {
    fn open(&mut self) {
        self.open += 1;
        self.opened += 1;
    }

    /// What an end of the other side waits for that is opened now: the next one of these, unless there is one.
    fn awaited(self) -> Option<u64> {
        (self.open == 0).then_some(self.opened)
    }

    /// Whether who waits for `awaited` has to wait on.
    fn are_missing(self, awaited: Option<u64>) -> bool {
        awaited == Some(self.opened)
    }
}

impl PipeState {
    fn wait(&mut self, cx: &Context<'_>) {
        if !self.waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
            self.waiting.push(cx.waker().clone());
        }
    }
}

impl Pipe {
    /// A pipe that outlives its ends: a FIFO of the file system.
    pub(crate) fn fifo() -> Arc<Self> {
        let (readers, writers) = (Ends::default(), Ends::default());
        Arc::new(Self {
            state: Mutex::new(PipeState { bytes: VecDeque::new(), readers, writers, waiting: Vec::new() }),
        })
    }

    pub(crate) fn reader(this: &Arc<Self>) -> PipeReader {
        let awaited = this.change(|state| {
            state.readers.open();
            state.writers.awaited()
        });
        PipeReader { pipe: Arc::clone(this), awaited }
    }

    pub(crate) fn writer(this: &Arc<Self>) -> PipeWriter {
        let awaited = this.change(|state| {
            state.writers.open();
            state.readers.awaited()
        });
        PipeWriter { pipe: Arc::clone(this), awaited }
    }

    /// Changes the state and wakes everybody who waits.
    fn change<T>(&self, change: impl FnOnce(&mut PipeState) -> T) -> T {
        let mut state = lock(&self.state);
        let result = change(&mut state);
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
        result
    }
}

/// Another reader and another writer of a pipe, as the FIFO opened for reading and writing.
fn both_ends(pipe: &Arc<Pipe>) -> (PipeReader, PipeWriter) {
    (Pipe::reader(pipe), Pipe::writer(pipe))
}

/// The two ends of a new pipe.
pub(crate) fn pipe() -> (PipeReader, PipeWriter) {
    let pipe = Pipe::fifo();
    {
        let mut state = lock(&pipe.state);
        state.readers.open();
        state.writers.open();
    }
    (PipeReader { pipe: Arc::clone(&pipe), awaited: None }, PipeWriter { pipe, awaited: None })
}

/// The end that reads; dropping it is closing it.
#[derive(Debug)]
pub(crate) struct PipeReader {
    pipe: Arc<Pipe>,
    /// Where it is the first of a FIFO: which writer it waits for, instead of reading end-of-file.
    awaited: Option<u64>,
}

/// The end that writes; dropping it is closing it.
#[derive(Debug)]
pub(crate) struct PipeWriter {
    pipe: Arc<Pipe>,
    /// Where it is the first of a FIFO: which reader it waits for, instead of writing into a broken pipe.
    awaited: Option<u64>,
}

impl PipeReader {
    pub(crate) fn both_ends(&self) -> (Self, PipeWriter) {
        both_ends(&self.pipe)
    }

    /// Waits for a writer to open the FIFO, as `open` does (XSH `open`); not for its bytes, and not for it to be open still.
    pub(crate) fn poll_opened(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = lock(&self.pipe.state);
        if state.writers.are_missing(self.awaited) {
            state.wait(cx);
            return Poll::Pending;
        }
        Poll::Ready(())
    }

    /// Shows what is there to `consume`, which says how many bytes it took. An empty slice is end-of-file.
    #[inline]
    pub(crate) fn poll_read(
        &self,
        cx: &mut Context<'_>,
        consume: &mut dyn FnMut(&[u8]) -> usize,
    ) -> Poll<Result<usize, FsError>> {
        let mut state = lock(&self.pipe.state);
        if state.bytes.is_empty() {
            if state.writers.open == 0 && !state.writers.are_missing(self.awaited) {
                return Poll::Ready(Ok(consume(&[])));
            }
            state.wait(cx);
            return Poll::Pending;
        }
        let slice = state.bytes.as_slices().0;
        let taken = consume(slice).min(slice.len());
        state.bytes.drain(..taken);
        let waiting = if taken > 0 { std::mem::take(&mut state.waiting) } else { Vec::new() };
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
        Poll::Ready(Ok(taken))
    }
}

impl PipeWriter {
    pub(crate) fn both_ends(&self) -> (PipeReader, Self) {
        both_ends(&self.pipe)
    }

    /// Waits for a reader to open the FIFO.
    pub(crate) fn poll_opened(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = lock(&self.pipe.state);
        if state.readers.are_missing(self.awaited) {
            state.wait(cx);
            return Poll::Pending;
        }
        Poll::Ready(())
    }

    /// Writes as much of `bytes` as there is room for: at least one byte, or it waits.
    ///
    /// # Errors
    /// `EPIPE` when no reader is left.
    pub(crate) fn poll_write(&self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize, FsError>> {
        let mut state = lock(&self.pipe.state);
        if state.readers.open == 0 && !state.readers.are_missing(self.awaited) {
            return Poll::Ready(Err(Errno::BrokenPipe.into()));
        }
        let room = CAPACITY.saturating_sub(state.bytes.len());
        if (room == 0 || state.readers.open == 0) && !bytes.is_empty() {
            state.wait(cx);
            return Poll::Pending;
        }
        let count = room.min(bytes.len());
        state.bytes.extend_from_slice(bytes.get(..count).unwrap_or(bytes));
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
        Poll::Ready(Ok(count))
    }
}

impl Drop for PipeReader {
    fn drop(&mut self) {
        self.pipe.change(|state| state.readers.open -= 1);
    }
}

impl Drop for PipeWriter {
    fn drop(&mut self) {
        self.pipe.change(|state| state.writers.open -= 1);
    }
}
