//! `ByteQueue`: bytes that come in at one end and go out at the other; both cost time in the bytes moved alone.

use crate::memory::Vec;
use std::ops::Deref;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct ByteQueue {
    bytes: Vec<u8>,
    start: usize,
}

impl ByteQueue {
    pub(crate) fn push(&mut self, more: &[u8]) {
        if self.start > self.bytes.len() / 2 {
            self.bytes.remove_front(self.start);
            self.start = 0;
        }
        self.bytes.extend_from_slice(more);
    }

    pub(crate) fn remove_front(&mut self, count: usize) {
        self.start = self.start.saturating_add(count).min(self.bytes.len());
    }
}

impl Deref for ByteQueue {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        self.bytes.get(self.start..).unwrap_or(&[])
    }
}
