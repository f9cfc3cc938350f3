//! A sink that keeps what is written to it: a run's standard output, a command substitution.

use crate::clock::lock;
use crate::limit::{Limit, Meter};
use crate::memory::{Arc, Vec};
use crate::vfs::FsError;
use std::sync::Mutex;

/// What happens to output past the cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnExcess {
    /// The run ends with the limit's error.
    Fail,
    /// It is dropped, and counted.
    Discard,
}

/// Collects bytes in memory, charged to the meter.
#[derive(Debug)]
pub struct Capture {
    meter: std::sync::Arc<Meter>,
    limit: Limit,
    cap: u64,
    on_excess: OnExcess,
    state: Mutex<Collected>,
}

#[derive(Debug)]
struct Collected {
    bytes: Vec<u8>,
    written: u64,
}

impl Capture {
    /// A sink whose cap is the run's `limit`.
    pub fn new(meter: &std::sync::Arc<Meter>, limit: Limit, on_excess: OnExcess) -> Arc<Self> {
        let state = Mutex::new(Collected { bytes: Vec::new(), written: 0 });
        Arc::new(Self {
            meter: std::sync::Arc::clone(meter),
            limit,
            cap: meter.limits().get(limit),
            on_excess,
            state,
        })
    }

    /// Appends `bytes`; never waits.
    pub fn write(&self, bytes: &[u8]) -> Result<(), FsError> {
        let mut state = lock(&self.state);
        let room = self.cap.saturating_sub(state.bytes.len() as u64);
        let kept = if bytes.len() as u64 > room {
            if self.on_excess == OnExcess::Fail {
                return Err(self.meter.fail(self.limit).into());
            }
            bytes.get(..room as usize).unwrap_or(bytes)
        } else {
            bytes
        };
        state.written += bytes.len() as u64;
        state.bytes.extend_from_slice(kept);
        Ok(())
    }

    /// Takes what was collected.
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut lock(&self.state).bytes)
    }

    /// Bytes written so far, those that were discarded included.
    pub fn written(&self) -> u64 {
        lock(&self.state).written
    }
}
