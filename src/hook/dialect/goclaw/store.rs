//! The records in a store, and the calls that manage them (7.1 of the contract). Transport, roles of people and durable
//! storage are the host's: it passes the caller with each request, and gives a [`Keeper`] that writes things down.
//!
//! A change makes a new [`HookSet`]; counters, caches and budgets go on from one to the next. A firing under way keeps the
//! records that it began with.

mod call;
#[cfg(test)]
mod tests;
mod trial;

pub use call::{Caller, Role};
pub use trial::Trial;

use super::audit::Execution;
use super::keeper::Keeper;
use super::shared::Shared;
use super::{config, log};
use crate::clock::{Clock, Random, lock};
use crate::document::Source;
use crate::hook::contract::{LoadOptions, Loaded, Purpose};
use crate::hook::dialect::list::Dialect;
use crate::hook::error::ConfigError;
use crate::hook::hook_set::HookSet;
use crate::hook::id::HookId;
use crate::hook::record::{HookRecord, LogRecord};
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// Audit rows that are kept for `hooks.history`.
const MOST_HISTORY: usize = 10_000;

/// Records, what was counted about them, and their history. Shared between sessions.
pub struct Store {
    options: LoadOptions,
    clock: Arc<Clock>,
    random: Arc<Random>,
    keeper: Option<Arc<dyn Keeper>>,
    shared: Arc<Shared>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    rows: Vec<Row>,
    /// Of the rows as they are; none after a change.
    hooks: Option<Arc<HookSet>>,
    history: VecDeque<(u64, Execution)>,
    written: u64,
}

/// A record as JSON; `enabled` is that of the shared state.
type Row = Map<String, Value>;

impl Store {
    /// A store of the records in `text` (any shape that a config may have) and those that ship with the platform.
    ///
    /// # Errors
    /// One of them is not valid.
    pub fn open(
        text: &[u8],
        options: LoadOptions,
        clock: Arc<Clock>,
        random: Arc<Random>,
        keeper: Option<Arc<dyn Keeper>>,
    ) -> Result<Self, ConfigError> {
        let source = Source::new(&options.name, text);
        let node = source.json("hook: ")?;
        config::load(&source, &options)?;
        let shared = Arc::new(Shared::kept_by(keeper.clone()));
        let store = Self { options, clock, random, keeper, shared, inner: Mutex::default() };
        let mut rows = Vec::new();
        let shipped = config::builtin::records();
        for node in config::records(&node).iter().chain(&shipped) {
            if let Value::Object(mut row) = node.to_value() {
                if id_of(&row).as_str().is_empty() {
                    row.insert("id".to_owned(), store.uuid().into());
                }
                if !rows.iter().any(|known| id_of(known) == id_of(&row)) {
                    rows.push(row);
                }
            }
        }
        lock(&store.inner).rows = rows;
        store.hooks();
        Ok(store)
    }

    /// The hooks as they are now.
    pub fn hooks(&self) -> Arc<HookSet> {
        let mut inner = lock(&self.inner);
        if let Some(hooks) = &inner.hooks {
            return Arc::clone(hooks);
        }
        let hooks = Arc::new(self.compile(&inner.rows));
        inner.hooks = Some(Arc::clone(&hooks));
        hooks
    }

    /// Adds a finished record's audit row to the history and gives it to the keeper; to be called by the host's observer.
    ///
    /// # Errors
    /// The keeper could not write it; the log record for that.
    pub fn keep(&self, record: &HookRecord) -> Result<(), LogRecord> {
        let Some(mut row) = Execution::of(record) else { return Ok(()) };
        row.error_detail = row.error_detail.and_then(|text| self.encrypt(&text));
        let written = self.keeper.as_ref().map_or(Ok(()), |keeper| keeper.write(&row));
        let mut inner = lock(&self.inner);
        inner.written = inner.written.saturating_add(1);
        let number = inner.written;
        inner.history.push_back((number, row));
        if inner.history.len() > MOST_HISTORY {
            inner.history.pop_front();
        }
        written.map_err(|why| log::message(log::AUDIT_WRITE_FAILED, &record.hook, &why))
    }

    /// Every row was checked when it came in; should one not load, nothing is let through (R28).
    fn compile(&self, rows: &[Row]) -> HookSet {
        let text = serde_json::to_vec(rows).unwrap_or_default();
        let options = LoadOptions { purpose: Purpose::Run, ..self.options.clone() };
        let source = Source::new(&options.name, &text);
        let (bundle, notices) = config::read(&source, &options, Arc::clone(&self.shared))
            .unwrap_or_else(|error| config::unresolved(&options, &error.to_string()));
        let loaded = Loaded { bundle: Box::new(bundle), notices };
        HookSet::of(Dialect::Goclaw, loaded, &options)
    }

    fn uuid(&self) -> String {
        crate::hook::timestamp::random_uuid(|| self.random.next_u64())
    }

    fn time(&self) -> String {
        crate::hook::timestamp::timestamp(self.clock.now()).to_string()
    }
}

fn id_of(row: &Row) -> HookId {
    HookId::from(row.get("id").and_then(Value::as_str).unwrap_or(""))
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("rows", &lock(&self.inner).rows.len()).finish_non_exhaustive()
    }
}
