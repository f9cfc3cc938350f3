//! FIFOs of a session's file system: the pipe behind each FIFO inode while somebody has it open.

use super::pipe::Pipe;
use crate::clock::lock;
use crate::memory::{Arc, HashMap, Weak};
use std::sync::Mutex;

/// The open FIFOs of a session, by inode number.
#[derive(Debug, Default)]
pub(crate) struct FifoTable {
    pipes: Mutex<HashMap<u64, Weak<Pipe>>>,
}

impl FifoTable {
    /// The pipe behind the FIFO with that inode; a new one when nobody has it open.
    pub(crate) fn pipe(&self, inode: u64) -> Arc<Pipe> {
        let mut pipes = lock(&self.pipes);
        if let Some(pipe) = pipes.get(&inode).and_then(Weak::upgrade) {
            return pipe;
        }
        pipes.retain(|_, pipe| pipe.strong_count() > 0);
        let pipe = Pipe::fifo();
        pipes.insert(inode, Arc::downgrade(&pipe));
        pipe
    }
}
