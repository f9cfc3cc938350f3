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
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    bytes: VecDeque<u8>,
    readers: usize,
    writers: usize,
    /// A FIFO waits for its first peer instead of reporting end-of-file or a broken pipe.
    awaits_reader: bool,
    awaits_writer: bool,
    waiting: Vec<Waker>,
}

impl State {
    fn wait(&mut self, cx: &Context<'_>) {
        if !self.waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
            self.waiting.push(cx.waker().clone());
        }
    }
}

impl Pipe {
    fn new(fifo: bool) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State {
                bytes: VecDeque::new(),
                readers: 0,
                writers: 0,
                awaits_reader: fifo,
                awaits_writer: fifo,
                waiting: Vec::new(),
            }),
        })
    }

    /// A pipe that outlives its ends: a FIFO of the file system.
    pub(crate) fn fifo() -> Arc<Self> {
        Self::new(true)
    }

    pub(crate) fn reader(this: &Arc<Self>) -> PipeReader {
        this.change(|state| {
            state.readers += 1;
            state.awaits_reader = false;
        });
        PipeReader(Arc::clone(this))
    }

    pub(crate) fn writer(this: &Arc<Self>) -> PipeWriter {
        this.change(|state| {
            state.writers += 1;
            state.awaits_writer = false;
        });
        PipeWriter(Arc::clone(this))
    }

    /// Changes the state and wakes everybody who waits.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = lock(&self.state);
        let result = change(&mut state);
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
        result
    }
}

/// The two ends of a new pipe.
pub(crate) fn pipe() -> (PipeReader, PipeWriter) {
    let pipe = Pipe::new(false);
    let state = Arc::clone(&pipe);
    {
        let mut state = lock(&state.state);
        state.readers = 1;
        state.writers = 1;
    }
    (PipeReader(Arc::clone(&pipe)), PipeWriter(pipe))
}

/// The end that reads; dropping it is closing it.
#[derive(Debug)]
pub(crate) struct PipeReader(Arc<Pipe>);

/// The end that writes; dropping it is closing it.
#[derive(Debug)]
pub(crate) struct PipeWriter(Arc<Pipe>);

impl PipeReader {
    /// Shows what is there to `consume`, which says how many bytes it took. An empty slice is end-of-file.
    pub(crate) fn poll_read(
        &self,
        cx: &mut Context<'_>,
        consume: &mut dyn FnMut(&[u8]) -> usize,
    ) -> Poll<Result<usize, FsError>> {
        let mut state = lock(&self.0.state);
        if state.bytes.is_empty() {
            if state.writers == 0 && !state.awaits_writer {
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
    /// Writes as much of `bytes` as there is room for: at least one byte, or it waits.
    ///
    /// # Errors
    /// `EPIPE` when no reader is left.
    pub(crate) fn poll_write(&self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize, FsError>> {
        let mut state = lock(&self.0.state);
        if state.readers == 0 && !state.awaits_reader {
            return Poll::Ready(Err(Errno::BrokenPipe.into()));
        }
        let room = CAPACITY.saturating_sub(state.bytes.len());
        if (room == 0 || state.readers == 0) && !bytes.is_empty() {
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
        self.0.change(|state| state.readers -= 1);
    }
}

impl Drop for PipeWriter {
    fn drop(&mut self) {
        self.0.change(|state| state.writers -= 1);
    }
}
