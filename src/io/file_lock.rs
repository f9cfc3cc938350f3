//! Locks of whole files, as `flock` takes them: advisory, shared or exclusive, held by an open file description until it is
//! unlocked or closed for the last time.

use crate::clock::lock;
use crate::memory::{HashMap, Vec};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// The locks of a session, by inode number, and who waits for one to be given back.
#[derive(Debug, Default)]
pub(crate) struct FileLocks(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    held: HashMap<u64, Holders>,
    waiting: Vec<Waker>,
}

#[derive(Clone, Copy, Debug)]
struct Holders {
    is_exclusive: bool,
    count: u32,
}

/// A lock that is held; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct FileLock {
    locks: Arc<FileLocks>,
    inode: u64,
}

impl FileLocks {
    /// Takes a lock, or registers the waker of `cx`.
    pub(crate) fn poll_lock(
        self: &Arc<Self>,
        inode: u64,
        is_exclusive: bool,
        cx: &mut Context<'_>,
    ) -> Poll<FileLock> {
        let mut table = lock(&self.0);
        match table.held.get_mut(&inode) {
            Some(holders) if is_exclusive || holders.is_exclusive => {
                // Whoever is polled again and again waits once.
                if !table.waiting.iter().any(|waiting| waiting.will_wake(cx.waker())) {
                    table.waiting.push(cx.waker().clone());
                }
                return Poll::Pending;
            }
            Some(holders) => holders.count += 1,
            None => {
                table.held.insert(inode, Holders { is_exclusive, count: 1 });
            }
        }
        Poll::Ready(FileLock { locks: Arc::clone(self), inode })
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        let mut table = lock(&self.locks.0);
        if let Some(holders) = table.held.get_mut(&self.inode) {
            holders.count -= 1;
            if holders.count == 0 {
                table.held.remove(&self.inode);
            }
        }
        let waiting = std::mem::take(&mut table.waiting);
        drop(table);
        for waker in waiting {
            waker.wake();
        }
    }
}
