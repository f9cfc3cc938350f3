//! What lives from firing to firing and is the same for all sessions of a config: which hooks are on, the circuit breaker
//! (6.1 of the contract), remembered decisions (R39), token budgets (R40), audit rows already written, and how many scripts
//! run (R54). Every table has a bound.

use super::keeper::{Keeper, TokenBudget};
use crate::clock::lock;
use crate::hook::id::HookId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// R31.
const WINDOW: Duration = Duration::from_mins(1);
const TRIPS_AT: usize = 5;
/// R39.
const REMEMBERED_FOR: Duration = Duration::from_mins(1);
const MOST_REMEMBERED: usize = 1_000;
/// R54.
const MOST_SCRIPTS: usize = 10;
const MOST_SCRIPTS_OF_TENANT: usize = 3;
/// Audit rows that are known not to be written again; the oldest are forgotten.
const MOST_ROWS: usize = 65_536;
/// Tenants with a budget; those of past months go first.
const MOST_BUDGETS: usize = 65_536;

/// See the module.
#[derive(Default)]
pub(super) struct Shared {
    inner: Mutex<Inner>,
    keeper: Option<Arc<dyn Keeper>>,
}

#[derive(Debug, Default)]
struct Inner {
    hooks: FxHashMap<HookId, HookState>,
    remembered: FxHashMap<[u8; 32], (Duration, String)>,
    budgets: FxHashMap<(String, Month), u64>,
    rows: FxHashSet<[u8; 16]>,
    rows_in_order: VecDeque<[u8; 16]>,
    scripts: FxHashMap<String, usize>,
}

#[derive(Debug, Default)]
struct HookState {
    enabled: bool,
    tripped: bool,
    /// Blocks and timeouts within the window, oldest first.
    failures: VecDeque<Duration>,
}

/// Year and month, UTC.
pub(super) type Month = (i16, i8);

/// Whether a hook may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gate {
    On,
    Off,
    /// The breaker has tripped and the row is enabled all the same (R32, R34).
    Tripped,
}

impl Shared {
    /// Takes in hooks that are not known yet; what is known stays as it is.
    pub(super) fn adopt<'a>(&self, hooks: impl Iterator<Item = (&'a HookId, bool)>) {
        let mut inner = lock(&self.inner);
        for (id, enabled) in hooks {
            let fresh = || HookState { enabled, ..HookState::default() };
            inner.hooks.entry(id.clone()).or_insert_with(fresh);
        }
    }

    /// With somebody to write to.
    pub(super) fn kept_by(keeper: Option<Arc<dyn Keeper>>) -> Self {
        Self { inner: Mutex::default(), keeper }
    }

    /// Turns a hook on or off; on forgets what the breaker counted (R33).
    pub(super) fn set_enabled(&self, hook: &HookId, enabled: bool) {
        if let Some(state) = lock(&self.inner).hooks.get_mut(hook) {
            *state = HookState { enabled, ..HookState::default() };
        }
    }

    /// Forgets a hook.
    pub(super) fn forget(&self, hook: &HookId) {
        lock(&self.inner).hooks.remove(hook);
    }

    /// Whether the row says that the hook runs.
    pub(super) fn is_enabled(&self, hook: &HookId) -> bool {
        lock(&self.inner).hooks.get(hook).is_some_and(|state| state.enabled)
    }

    pub(super) fn gate(&self, hook: &HookId) -> Gate {
        match lock(&self.inner).hooks.get(hook) {
            Some(HookState { enabled: true, tripped: true, .. }) => Gate::Tripped,
            Some(HookState { enabled: true, .. }) => Gate::On,
            _ => Gate::Off,
        }
    }

    /// Counts a block or timeout on a blocking event; whether the hook trips by it. `hold` leaves it enabled, and so does a
    /// keeper that cannot write it down (R32).
    pub(super) fn count_failure(&self, hook: &HookId, now: Duration, hold: bool) -> bool {
        let mut inner = lock(&self.inner);
        let Some(state) = inner.hooks.get_mut(hook).filter(|state| !state.tripped) else { return false };
        state.failures.retain(|then| now.saturating_sub(*then) < WINDOW);
        state.failures.push_back(now);
        if state.failures.len() < TRIPS_AT {
            return false;
        }
        state.failures.clear();
        state.tripped = true;
        drop(inner);
        let written =
            !hold && self.keeper.as_ref().is_none_or(|keeper| keeper.set_enabled(hook, false).is_ok());
        if written && let Some(state) = lock(&self.inner).hooks.get_mut(hook) {
            state.enabled = false;
        }
        true
    }

    /// A decision that is not older than a minute.
    pub(super) fn remembered(&self, key: &[u8; 32], now: Duration) -> Option<String> {
        let inner = lock(&self.inner);
        let (then, reply) = inner.remembered.get(key)?;
        (now.saturating_sub(*then) < REMEMBERED_FOR).then(|| reply.clone())
    }

    pub(super) fn remember(&self, key: [u8; 32], now: Duration, reply: String) {
        let mut inner = lock(&self.inner);
        if inner.remembered.len() >= MOST_REMEMBERED && !inner.remembered.contains_key(&key) {
            inner.remembered.clear();
        }
        inner.remembered.insert(key, (now, reply));
    }

    /// What a tenant has in a month: by the keeper, else by our own count from `total` down.
    pub(super) fn budget(&self, tenant: &str, month: Month, total: u64) -> Result<TokenBudget, String> {
        if let Some(keeper) = &self.keeper
            && let Some(budget) = keeper.budget(tenant, month.0, month.1)?
        {
            return Ok(budget);
        }
        let left = lock(&self.inner).budgets.get(&(tenant.to_owned(), month)).copied().unwrap_or(total);
        Ok(TokenBudget { left, total })
    }

    /// Takes `tokens` off; the budget before that.
    pub(super) fn spend(
        &self,
        tenant: &str,
        month: Month,
        total: u64,
        tokens: u64,
    ) -> Result<TokenBudget, String> {
        if let Some(keeper) = &self.keeper
            && let Some(budget) = keeper.spend(tenant, month.0, month.1, tokens)?
        {
            return Ok(budget);
        }
        let mut inner = lock(&self.inner);
        if inner.budgets.len() >= MOST_BUDGETS {
            inner.budgets.retain(|(_, of), _| *of == month);
        }
        let left = inner.budgets.entry((tenant.to_owned(), month)).or_insert(total);
        let before = *left;
        *left = left.saturating_sub(tokens);
        Ok(TokenBudget { left: before, total })
    }

    /// Whether a row with this key was not written before.
    pub(super) fn is_new_row(&self, key: [u8; 16]) -> bool {
        let mut inner = lock(&self.inner);
        if !inner.rows.insert(key) {
            return false;
        }
        inner.rows_in_order.push_back(key);
        if inner.rows_in_order.len() > MOST_ROWS
            && let Some(oldest) = inner.rows_in_order.pop_front()
        {
            inner.rows.remove(&oldest);
        }
        true
    }

    /// A place for one more script, given back on drop; `None` when all are taken.
    pub(super) fn script_place(self: &Arc<Self>, tenant: &str) -> Option<ScriptPlace> {
        let mut inner = lock(&self.inner);
        let all: usize = inner.scripts.values().sum();
        let of_tenant = inner.scripts.get(tenant).copied().unwrap_or(0);
        if all >= MOST_SCRIPTS || of_tenant >= MOST_SCRIPTS_OF_TENANT {
            return None;
        }
        inner.scripts.insert(tenant.to_owned(), of_tenant.saturating_add(1));
        drop(inner);
        Some(ScriptPlace { shared: Arc::clone(self), tenant: tenant.to_owned() })
    }
}

/// See [`Shared::script_place`].
pub(super) struct ScriptPlace {
    shared: Arc<Shared>,
    tenant: String,
}

impl Drop for ScriptPlace {
    fn drop(&mut self) {
        let mut inner = lock(&self.shared.inner);
        if let Some(count) = inner.scripts.get_mut(&self.tenant) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                inner.scripts.remove(&self.tenant);
            }
        }
    }
}
