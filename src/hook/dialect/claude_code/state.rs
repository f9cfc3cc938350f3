//! What the dialect keeps of a session between firings.

use crate::hook::record::HookId;
use crate::hook::runner::LateOutput;
use rustc_hash::{FxHashMap, FxHashSet};

/// Agents whose stop hooks are counted at the same time, and late outputs that wait for a turn.
const MOST: usize = 1024;

/// One session's.
#[derive(Debug, Default)]
pub(super) struct State {
    /// How often in a row stop hooks made an agent go on, by its id; the main agent's is empty (R58).
    continuations: FxHashMap<String, u64>,
    /// Hooks with `once` that had their run.
    pub(super) spent: FxHashSet<HookId>,
    late: Vec<LateOutput>,
    /// Files made for long texts.
    pub(super) files: u64,
    /// Calls of the batch that is under way, where the host tells.
    pub(super) batch: usize,
    /// Whether the hooks' registration was shown.
    pub(super) registered: bool,
}

impl State {
    pub(super) fn continuations(&self, agent: &str) -> u64 {
        self.continuations.get(agent).copied().unwrap_or(0)
    }

    pub(super) fn count_continuation(&mut self, agent: &str) {
        if self.continuations.len() < MOST || self.continuations.contains_key(agent) {
            let count = self.continuations.entry(agent.to_owned()).or_default();
            *count = count.saturating_add(1);
        }
    }

    pub(super) fn reset_continuations(&mut self, agent: &str) {
        self.continuations.remove(agent);
    }

    /// Keeps an output for the next turn; the oldest goes when there are too many.
    pub(super) fn keep(&mut self, late: LateOutput) {
        if self.late.len() >= MOST {
            self.late.remove(0);
        }
        self.late.push(late);
    }

    pub(super) fn take_late(&mut self) -> Vec<LateOutput> {
        std::mem::take(&mut self.late)
    }
}
