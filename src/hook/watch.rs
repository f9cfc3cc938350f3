//! Shows log records to who watches: the host's observer and `tracing` (target `hookbox::hook`). Nothing is made when nobody
//! does.

use super::record::LogRecord;
use super::runner::HookRunner;
use super::shadow;

/// Whether anybody sees log records.
pub(super) fn is_watched(host: &dyn HookRunner) -> bool {
    host.observer().is_some() || tracing::enabled!(target: "hookbox::hook", tracing::Level::INFO)
}

/// Shows one log record, made only when somebody sees it.
pub(super) fn show_if_watched(host: &dyn HookRunner, log: impl FnOnce() -> LogRecord) {
    if is_watched(host) {
        show(host, &log());
    }
}

/// Shows one log record.
pub(super) fn show(host: &dyn HookRunner, log: &LogRecord) {
    let marked = host.is_shadow().then(|| {
        let mut log = log.clone();
        shadow::mark(&mut log);
        log
    });
    let log = marked.as_ref().unwrap_or(log);
    if tracing::enabled!(target: "hookbox::hook", tracing::Level::INFO) {
        let fields = serde_json::to_string(&log.fields).unwrap_or_default();
        tracing::info!(target: "hookbox::hook", record = &*log.name, fields = fields.as_str());
    }
    if let Some(observer) = host.observer() {
        observer.log(log);
    }
}
