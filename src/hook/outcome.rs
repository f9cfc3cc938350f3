//! What one firing came to ([`Outcome`]): the decision, the dialect's own result, and the records behind both.

use super::decision::Decision;
use super::notice::Notice;
use super::outcome_list::OutcomeList;
use super::record::{HookRecord, LogRecord};
use super::shadow::Shadow;
use crate::hook::dialect::result::DialectResult;
use serde_json::Value;
use std::sync::Arc;

/// What one firing came to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// In our own words; in shadow mode one that changes nothing.
    pub decision: Decision,
    /// In the dialect's shape; `None` when the dialect has no such event, and in shadow mode.
    pub dialect_result: Option<DialectResult>,
    /// One for each hook of the event, in chain order.
    pub records: OutcomeList<HookRecord>,
    /// The dialect's log events about the firing as a whole.
    pub logs: OutcomeList<LogRecord>,
    /// What hooks of this firing lacked, and which failed and stopped nothing.
    pub notices: OutcomeList<Notice>,
    /// What the config left out, muted or warned of; see [`HookSet::notices`](super::HookSet::notices).
    pub config_notices: Arc<[Notice]>,
    /// In shadow mode, what would have been enforced.
    pub shadow: Option<Box<Shadow>>,
}

impl Outcome {
    /// Everything that may have kept a hook from guarding: of the config, then of this firing.
    pub fn warnings(&self) -> impl Iterator<Item = &Notice> {
        self.config_notices.iter().chain(self.notices.iter())
    }

    /// As one JSON object: `proceed`, `decision`, `result`, `notices` (those of [`Outcome::warnings`]), `records`; in
    /// shadow mode also `shadow`.
    pub fn to_json(&self) -> Value {
        let notices: Vec<_> = self.warnings().map(Notice::to_json).collect();
        let records: Vec<_> = self.records.iter().map(HookRecord::to_json).collect();
        let mut value = serde_json::json!({
            "proceed": self.decision.proceeds(),
            "decision": self.decision,
            "result": self.dialect_result,
            "notices": notices,
            "records": records,
        });
        if let (Some(shadow), Some(object)) = (&self.shadow, value.as_object_mut()) {
            object.insert("shadow".to_owned(), shadow.to_json());
        }
        value
    }
}
