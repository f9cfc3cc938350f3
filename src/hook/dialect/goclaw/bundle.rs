//! Loaded records, and what lives from firing to firing.

use super::event::EventName;
use super::shared::Shared;
use super::{chain, log};
use crate::hook::chain::{Fired, Firing};
use crate::hook::contract::Bundle;
use crate::hook::dialect::goclaw::config::record::Row;
use crate::hook::dialect::goclaw::config::settings::GoclawSettings;
use crate::hook::hooks::{Hook, Hooks};
use crate::hook::record::{HookRecord, LogRecord, Phase};
use crate::hook::runner::HookFuture;
use std::sync::Arc;

/// Loaded records.
pub(super) struct GoclawBundle {
    /// In the order of resolution: priority, then age.
    pub(super) hooks: Hooks<Row>,
    pub(super) settings: GoclawSettings,
    pub(super) shared: Arc<Shared>,
    /// The rows could not be read; why (R28).
    pub(super) resolve_error: Option<String>,
    /// One row is tried (R60): no filter, no breaker, no audit row.
    pub(super) dry: bool,
}

impl Bundle for GoclawBundle {
    fn is_empty(&self) -> bool {
        self.resolve_error.is_none() && self.hooks.iter().all(|of| of.extra.shipped)
    }

    fn hooks(&self) -> &[Hook] {
        self.hooks.all()
    }

    fn fire<'a>(&'a self, firing: Firing<'a>) -> Option<HookFuture<'a, Fired>> {
        let name = EventName::at(&firing.event.moment)?;
        let chain = chain::GoclawChain::new(self, firing.event, name, firing.now, firing.host);
        Some(firing.run(&self.hooks, chain))
    }

    fn log(&self, phase: Phase, record: &HookRecord) -> Vec<LogRecord> {
        log::records(phase, record)
    }
}
