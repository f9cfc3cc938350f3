//! Loaded records, and what lives from firing to firing.

use super::shared::Shared;
use crate::hook::dialect::goclaw::config::record::Row;
use crate::hook::dialect::goclaw::config::settings::GoclawSettings;
use crate::hook::hooks::Hooks;
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
