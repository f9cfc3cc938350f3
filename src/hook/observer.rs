//! Who is shown what hooks do ([`HookObserver`]).

use super::id::HookId;
use super::notice::Notice;
use super::record::{HookRecord, LogRecord};
use super::script::ScriptOutcome;

/// A host that wants to know what its hooks do. Called in the middle of a chain: be quick.
pub trait HookObserver: Send + Sync {
    /// A log event of the dialect.
    fn log(&self, record: &LogRecord);

    /// What a person should know: the warnings of a config, at its first firing in the session, and those of each firing.
    fn notice(&self, notice: &Notice) {
        let _ = notice;
    }

    /// A hook for which the firing did not wait has ended: its output, and what it used.
    fn ended_late(&self, hook: &HookId, outcome: &ScriptOutcome) {
        let _ = (hook, outcome);
    }

    /// The whole record of a hook, once it is finished; has standard error and all.
    fn audit(&self, record: &HookRecord) {
        let _ = record;
    }
}
