//! All that a case may expect.
//!
//! Of loading (`load`): `hooks` (ids), `notices` (texts, without the file's name), `error` (lines).
//!
//! Of a step (`expect`):
//!
//! | | |
//! |---|---|
//! | `decision` | `proceed` or `blocked` |
//! | `hook`, `reason`, `user_message` | of the block, else null |
//! | `arguments`, `message`, `result`, `error` | after all rewrites |
//! | `contexts`, `rewritten_by` | in order |
//! | `gate` | the result in the dialect's shape |
//! | `gate_has` | the same, but members may be left out |
//! | `shadow` | in shadow mode what would have been enforced: `proceed`, `decision`, `result`; else null |
//! | `ran`, `not_matched`, `not_reached` | ids in chain order |
//! | `runs` | of each run `hook`, `status`, `end`, `stdout`, `stderr`, `decision`, `reason`, `rule`, `effect`, `warnings`, `missing` |
//! | `notices` | what was left out of the config, and what hooks of this firing lacked or failed in: texts |
//! | `log` | `name hook_id` of each log record, those of the firing as a whole last |
//! | `records` | the log records whole |
//! | `requests` | what the host was asked since the last step: `kind` and what that kind has |
//! | `changes` | what differs from the session's start, for example `+ /workspace/new`, `- /workspace/old`, `~ /workspace/file` |
//! | `files` | path → text, null where there is nothing, a list of names of a directory, or an object with `kind`, `mode`, `link`, `text` |

use crate::hook::error::ConfigError;
use crate::hook::event::{Event, Moment};
use crate::hook::hook_set::HookSet;
use crate::hook::outcome::Outcome;
use crate::hook::record::{HookRecord, Selection};
use crate::vfs::{Change, ChangeKind, FileKind, FileSystem, Snapshot, diff, path};
use serde_json::{Map, Value, json};

pub(super) fn of_load(loaded: &Result<HookSet, ConfigError>) -> Value {
    match loaded {
        Err(error) => {
            let lines: Vec<_> = error.problems.iter().map(ToString::to_string).collect();
            json!({"error": lines})
        }
        Ok(hooks) => {
            let ids: Vec<_> = hooks.hooks().iter().map(|hook| hook.id.as_str()).collect();
            let notices: Vec<_> = hooks.notices().iter().map(ToString::to_string).collect();
            json!({"hooks": ids, "notices": notices, "error": null})
        }
    }
}

pub(super) fn of_step(
    hooks: &HookSet,
    event: &Event,
    outcome: &Outcome,
    (files, before): (&FileSystem, &Snapshot),
    expected: &Map<String, Value>,
) -> Value {
    let decision = &outcome.decision;
    let block = decision.blocked.as_ref();
    let ids = |wanted: fn(&HookRecord) -> bool| {
        outcome
            .records
            .iter()
            .filter(|record| wanted(record))
            .map(|record| record.hook.to_string())
            .collect::<Vec<_>>()
    };
    let of_hooks = outcome.records.iter().flat_map(|record| hooks.log_records(record));
    let logs: Vec<_> = of_hooks.chain(outcome.logs.iter().cloned()).collect();
    let lines = logs.iter().map(|log| {
        let id = log.fields.get("hook_id").and_then(Value::as_str).unwrap_or("");
        format!("{} {id}", log.name).trim_end().to_owned()
    });
    let (message, result, error) = match &event.moment {
        Moment::PromptSubmitted { message, .. } => (Some(message.as_ref().to_owned()), None, None),
        Moment::ToolCallEnded { result, error, .. } => (None, result.clone(), error.clone()),
        _ => (None, None, None),
    };
    let result = decision.result.clone().or(result);
    json!({
        "decision": if block.is_some() { "blocked" } else { "proceed" },
        "hook": block.map(|block| &block.hook),
        "reason": block.map(|block| &block.reason),
        "user_message": block.and_then(|block| block.user_message.as_ref()),
        "arguments": decision.arguments.as_ref().or_else(|| event.tool_call().map(|call| &call.arguments)),
        "message": decision.message.clone().or(message),
        "result": result,
        "error": decision.error.clone().or(error),
        "contexts": decision.contexts,
        "rewritten_by": decision.rewritten_by,
        "gate": outcome.dialect_result,
        "gate_has": expected.get("gate_has").map(|_| &outcome.dialect_result),
        "shadow": outcome.shadow.as_ref().map(|shadow| shadow.to_json()),
        "ran": ids(|record| record.run.is_some()),
        "not_matched": ids(|record| matches!(record.selection, Selection::NotMatched(_))),
        "not_reached": ids(|record| record.selection == Selection::NotReached),
        "notices": outcome.warnings().map(ToString::to_string).collect::<Vec<_>>(),
        "runs": outcome.records.iter().filter_map(run).collect::<Vec<_>>(),
        "log": lines.collect::<Vec<_>>(),
        "records": logs.iter().map(crate::hook::record::LogRecord::to_json).collect::<Vec<_>>(),
        "changes": expected.get("changes").map(|_| change_lines(&diff(before, &files.snapshot()))),
        "files": expected.get("files").and_then(Value::as_object).map(|wanted| all_files(files, wanted)),
    })
}

fn run(record: &HookRecord) -> Option<Value> {
    let run = record.run.as_ref()?;
    Some(json!({
        "hook": record.hook, "status": run.status, "end": run.end.to_string(),
        "stdout": String::from_utf8_lossy(&run.stdout), "stderr": String::from_utf8_lossy(&run.stderr),
        "decision": run.reading.verdict.name(), "reason": run.reading.reason, "rule": run.reading.rule,
        "effect": record.effect.to_string(), "warnings": record.warnings,
        "missing": run.missing.iter().map(ToString::to_string).collect::<Vec<_>>(),
    }))
}

/// `+` added, `-` removed, `~` changed, `m` only mode or owner changed; sorted by path.
pub(crate) fn change_lines(changes: &[Change]) -> Vec<String> {
    let line = |change: &Change| {
        let mark = match change.kind {
            ChangeKind::Added => '+',
            ChangeKind::Removed => '-',
            ChangeKind::MetadataChanged => 'm',
            _ => '~',
        };
        format!("{mark} {}", String::from_utf8_lossy(&change.path))
    };
    changes.iter().map(line).collect()
}

fn all_files(files: &FileSystem, wanted: &Map<String, Value>) -> Value {
    let file = |(name, wanted): (&String, &Value)| (name.clone(), file(files, name, wanted));
    Value::Object(wanted.iter().map(file).collect())
}

fn file(files: &FileSystem, name: &str, wanted: &Value) -> Value {
    let at = path::join(b"/workspace", name.as_bytes());
    let text = || files.read(&at).ok().map(|content| String::from_utf8_lossy(&content).into_owned());
    let of_file = ["kind", "mode", "link", "text"];
    match wanted {
        Value::Array(_) => match files.read_dir(&at) {
            Ok(entries) => {
                let mut names: Vec<_> =
                    entries.iter().map(|entry| entry.name.to_string_lossy().into_owned()).collect();
                names.sort();
                names.retain(|name| name != "." && name != "..");
                names.into()
            }
            Err(_) => Value::Null,
        },
        Value::Object(wanted) if wanted.keys().any(|key| of_file.contains(&key.as_str())) => {
            let Ok(metadata) = files.symlink_metadata(&at) else { return Value::Null };
            let kind = match metadata.kind {
                FileKind::Regular => "file",
                FileKind::Directory => "directory",
                FileKind::Symlink => "link",
                FileKind::Fifo => "fifo",
                FileKind::CharDevice => "device",
            };
            let link = files.read_link(&at).ok().map(|target| target.to_string_lossy().into_owned());
            json!({"kind": kind, "mode": format!("{:04o}", metadata.mode), "link": link, "text": text()})
        }
        _ => text().map_or(Value::Null, Value::String),
    }
}
