//! Outputs: what a process has printed and no description has taken yet.

use crate::io::Description;
use crate::memory::{Vec, VecDeque};
use std::sync::Arc;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    /// Output of the builtin that runs.
    pub(crate) builtin: Vec<u8>,
    /// The builtin that runs could not write its output.
    pub(crate) failed: bool,
    /// Output that a description has not taken yet, in order.
    pub(crate) unwritten: VecDeque<(Arc<Description>, Vec<u8>)>,
}
