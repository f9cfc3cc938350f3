//! The two events (7 of the contract): `hook_command` for a run, `hook_command_skipped` for what the gate refused. Both
//! `type` and `kind` say which it is. Reminders have two of ours.

use super::bundle::Extra;
use super::result::NOT_ALLOWLISTED;
use crate::hook::dialect::infer::reminder::due::{DueReminder, MOST_BYTES};
use crate::hook::matcher::Mismatch;
use crate::hook::record::{HookRecord, LogRecord, Phase, Selection};
use crate::hook::timestamp::time_text;
use serde_json::Value;

/// What the record gives at `phase`.
pub(super) fn record(phase: Phase, of: &HookRecord, extra: &Extra) -> Option<LogRecord> {
    match (phase, &of.selection) {
        (Phase::Considered, Selection::NotMatched(Mismatch::Refused { hint, mode, .. })) => {
            let fields = [
                ("mode", mode.as_str().into()),
                ("reason", NOT_ALLOWLISTED.into()),
                ("hint", hint.as_str().into()),
            ];
            Some(log("hook_command_skipped", of, extra, of.at, fields))
        }
        (Phase::Finished, Selection::Matched) => {
            let run = of.run.as_ref()?;
            let specific = run.reading.specific.as_ref();
            let field = |name| specific.and_then(|fields| fields.get(name)).cloned().unwrap_or(Value::Null);
            let names = ["turn", "exit_code", "duration_ms", "output", "error"];
            let at = of.at.saturating_add(run.duration);
            Some(log("hook_command", of, extra, at, names.map(|name| (name, field(name)))))
        }
        _ => None,
    }
}

/// `reminder`, for each that is due; the text is in the result.
pub(super) fn reminders(due: &[DueReminder], point: &'static str, turn: u64) -> Vec<LogRecord> {
    let log = |reminder: &DueReminder| {
        let fields = [
            ("type", "reminder".into()),
            ("name", reminder.name.as_str().into()),
            ("hook", point.into()),
            ("trigger", reminder.trigger.into()),
            ("turn", turn.into()),
        ];
        LogRecord::new("reminder", fields)
    };
    due.iter().map(log).collect()
}

/// `reminder_left_out`, for one that is due and has no room.
pub(super) fn left_out(name: &str, point: &'static str, turn: u64) -> LogRecord {
    let reason = format!("the reminders of this event are longer than {MOST_BYTES} bytes together");
    let fields = [
        ("type", "reminder_left_out".into()),
        ("name", name.into()),
        ("hook", point.into()),
        ("turn", turn.into()),
        ("reason", reason.into()),
    ];
    LogRecord::new("reminder_left_out", fields)
}

fn log<const N: usize>(
    name: &'static str,
    of: &HookRecord,
    extra: &Extra,
    at: std::time::Duration,
    more: [(&'static str, Value); N],
) -> LogRecord {
    let first = [
        ("type", name.into()),
        ("kind", name.into()),
        ("timestamp", time_text(at).into()),
        ("name", extra.name.as_str().into()),
        ("hook", of.event.into()),
        ("command", extra.command.as_str().into()),
    ];
    LogRecord::new(name, first.into_iter().chain(more))
}
