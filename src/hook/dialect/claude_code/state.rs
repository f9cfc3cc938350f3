//! What the dialect keeps of a session between firings.

use crate::hook::id::HookId;
use crate::hook::runner::LateOutput;
use rustc_hash::{FxHashMap, FxHashSet};

/// Agents whose stop hooks are counted, late outputs that wait for a turn, configs that were shown.
const MOST: usize = 1024;

/// One session's.
#[derive(Debug, Default)]
pub(super) struct KeptState {
    /// How often in a row the stop hooks of a config made an agent go on, by the agent's id and the config (R58). The main
    /// agent's id is empty.
    continuations: FxHashMap<(String, usize), u64>,
    /// Hooks with `once` that had their run.
    pub(super) spent: FxHashSet<HookId>,
    late: Vec<LateOutput>,
    /// Files made for long texts.
    pub(super) files: u64,
    /// Calls of the batch that is under way, where the host tells.
    pub(super) batch: usize,
    /// Configs whose hooks were shown.
    registered: FxHashSet<usize>,
}

impl KeptState {
    /// Whether the agent goes on because of a stop hook, of whatever config.
    pub(super) fn is_continuing(&self, agent: &str) -> bool {
        self.continuations.keys().any(|(known, _)| known == agent)
    }

    pub(super) fn continuations(&self, agent: &str, config: usize) -> u64 {
        self.continuations.get(&(agent.to_owned(), config)).copied().unwrap_or(0)
    }

    pub(super) fn count_continuation(&mut self, agent: &str, config: usize) {
        let key = (agent.to_owned(), config);
        if self.continuations.len() < MOST || self.continuations.contains_key(&key) {
            let count = self.continuations.entry(key).or_default();
            *count = count.saturating_add(1);
        }
    }

    pub(super) fn reset_continuations(&mut self, agent: &str, config: usize) {
        if !self.continuations.is_empty() {
            self.continuations.remove(&(agent.to_owned(), config));
        }
    }

    /// Whether a config's hooks are to be shown: the first time.
    pub(super) fn register(&mut self, config: usize) -> bool {
        self.registered.len() < MOST && self.registered.insert(config)
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
