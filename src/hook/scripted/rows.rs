//! Rows of data: what hooks print on an event, and what must come of it; `tests/rows/NAME.jsonl` has a row in each line.
//!
//! | member | holds |
//! |---|---|
//! | `on`, `hook` | the event and members of its hook, or a list of them where a dialect's tests take that: config and payload are those that the dialect's tests have for them, unless they are given |
//! | `config`, `name` | what is loaded, as JSON or as the text of a file, and its name in messages, by which it is recognised too |
//! | `settings`, `options`, `save` | settings of the dialect; fields of the options beside them (`contributions` as pairs of origin and hooks, `script_bytes` as the limit); whether it is loaded to be saved |
//! | `event`, `events` | members of the payload, laid over those of the event; payloads that are fired one after another, in one session |
//! | `out`, `answers` | what the runs end with, and what the host answers when it is asked, in order: a text or JSON is printed with status 0; a list is status, output and messages, or how the run ended, with its message, what stood on standard error and its status |
//! | `session` | its `cwd`, its `variables`, its `files` by their paths, and whether a file can not be written or removed (`fails`) |
//! | `want` | what must be found, see [`found`]: of objects the members named, of lists all; a text that begins with `~` is to be found in one |
//!
//! `{"$repeat": [TEXT, N, ...]}` stands for a long text, anywhere in a row: each text as often as the number after it says; of something
//! else it is a list. `{"$join": [TEXT, ...]}` is texts one after another. What is wanted of a list may be `{"$any": WANT}` or
//! `{"$none": WANT}`, of a text `{"$characters": N}`, of a text or value `{"$written": JSON}`: that it reads so to the byte, of anything
//! `{"$all": [WANT, ...]}` or, with no other member, `{"$is": VALUE}`.
//!
//! A row may be a table: lines that begin with `[` are lists of values, and for each of them the row above is checked with those values
//! in the place of its `"$0"`, `"$1"`, ..., which are values or names of members; `"~$0"` is a part to be found.

use super::{Asked, Scripted, block_on, string, written_for};
use crate::clock::lock;
use crate::hook::contract::{Contribution, LoadOptions, Purpose};
use crate::hook::dialect::list::Dialect;
use crate::hook::hook_set::HookSet;
use crate::hook::hooks::Handler;
use crate::hook::outcome::Outcome;
use crate::hook::record::LogRecord;
use crate::hook::request::Request;
use crate::hook::runner::LateOutput;
use crate::hook::script::{Ended, ScriptOutcome, Shell};
use crate::limit::{Limit, LimitError, Limits};
use crate::text::Text;
use crate::vfs::{FileSystem, Options};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The members of a row.
const MEMBERS: [&str; 13] = [
    "on", "hook", "config", "name", "settings", "options", "save", "event", "events", "out", "answers",
    "session", "want",
];

/// Checks all rows of a file; `one` has config and payload for an event and members of its hook.
pub(crate) fn check(dialect: Dialect, rows: &str, one: impl Fn(&str, &Value) -> (Value, Value)) {
    let mut wrong = Vec::new();
    for (line, row) in filled(rows) {
        let Value::Object(row) = row else { continue };
        assert!(row.keys().all(|name| MEMBERS.contains(&name.as_str())), "{line}");
        let (config, payload) = row.get("on").map_or_else(Default::default, |on| {
            one(on.as_str().unwrap(), row.get("hook").unwrap_or(&Value::Null))
        });
        let config = row.get("config").unwrap_or(&config);
        let wanted = row.get("want").unwrap_or_else(|| panic!("{line}"));
        let found = run(dialect, &row, config, &payload);
        if !fits(wanted, &found) {
            wrong.push(format!("{line}\nfound {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The rows of a file with their lines; those of a table once for each list of its values.
pub(crate) fn filled(rows: &str) -> Vec<(String, Value)> {
    let read =
        |line: &str| -> Value { serde_json::from_str(line).unwrap_or_else(|why| panic!("{line}: {why}")) };
    let mut all = Vec::new();
    let mut lines = rows.lines().filter(|line| line.starts_with(['{', '['])).peekable();
    while let Some(line) = lines.next() {
        let row = read(line);
        if lines.peek().is_none_or(|next| next.starts_with('{')) {
            all.push((line.to_owned(), row.clone()));
        }
        while let Some(values) = lines.next_if(|next| next.starts_with('[')) {
            let mut row = row.clone();
            fill(&mut row, &read(values));
            all.push((format!("{line}\n{values}"), row));
        }
    }
    for (_, row) in &mut all {
        make_texts(row);
    }
    all
}

/// Puts items of a list in the place of `$0`, `$1`, ..., and members of an object in that of `$NAME`.
pub(crate) fn fill(row: &mut Value, values: &Value) {
    let of = |text: &str| {
        let name = text.strip_prefix('$')?;
        name.parse::<usize>().map_or_else(|_| values.get(name), |index| values.get(index)).cloned()
    };
    match row {
        Value::String(text) => {
            let part = text.strip_prefix('~').and_then(of).map(|part| format!("~{}", text_of(&part)).into());
            *row = of(text).or(part).unwrap_or_else(|| text.as_str().into());
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, values)),
        Value::Object(members) => {
            let member = |(name, mut value): (String, Value)| {
                fill(&mut value, values);
                (of(&name).as_ref().map_or(name, text_of), value)
            };
            *members = std::mem::take(members).into_iter().map(member).collect();
        }
        _ => {}
    }
}

/// Puts long texts and lists where they are asked for.
fn make_texts(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(make_texts);
            let list = |name: &str| members.get(name).and_then(Value::as_array).map(Vec::as_slice);
            let count = |count: &Value| usize::try_from(count.as_u64().unwrap()).unwrap();
            match (list("$repeat"), list("$join")) {
                (Some([item @ (Value::Object(_) | Value::Array(_)), times]), _) => {
                    *value = vec![item.clone(); count(times)].into();
                }
                (Some(parts), _) => {
                    let part = |part: &[Value]| part[0].as_str().unwrap().repeat(count(&part[1]));
                    *value = parts.chunks(2).map(part).collect::<String>().into();
                }
                (None, Some(texts)) => {
                    *value = texts.iter().map(|text| text.as_str().unwrap()).collect::<String>().into();
                }
                (None, None) => {}
            }
        }
        Value::Array(items) => items.iter_mut().for_each(make_texts),
        _ => {}
    }
}

/// Loads and fires as a row says.
fn run(dialect: Dialect, row: &Map<String, Value>, config: &Value, payload: &Value) -> Value {
    let text = text_of(config);
    let options = options(dialect, row);
    let detected = Dialect::detect(&options.name, text.as_bytes())
        .map_or_else(|why| why.to_string(), |found| found.name().to_owned());
    let hooks = match HookSet::load(dialect, text.as_bytes(), &options) {
        Ok(hooks) => hooks,
        Err(error) => {
            let to_save = LoadOptions { purpose: Purpose::Save, ..options };
            let problems = || error.problems.iter();
            return json!({
                "detected": detected,
                "problems": problems().map(|problem| &problem.message).collect::<Vec<_>>(),
                "places": problems().map(ToString::to_string).collect::<Vec<_>>(),
                "shown": problems().map(crate::document::ConfigProblem::show).collect::<Vec<_>>(),
                "saved_alike": HookSet::load(dialect, text.as_bytes(), &to_save).err() == Some(error.clone()),
            });
        }
    };
    let list = |name: &str| row.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let session = row.get("session").unwrap_or(&Value::Null);
    let variables = session.get("variables").and_then(Value::as_object).cloned().unwrap_or_default();
    let fails = |what: &str| session.get("fails").is_some_and(|fails| fails == what);
    let host = Scripted {
        answers: list("answers").iter().map(outcome).collect::<std::collections::VecDeque<_>>().into(),
        directory: session.get("cwd").map(|cwd| Text::from(text_of(cwd))),
        variables: variables
            .iter()
            .map(|(name, value)| (Text::from(name.as_str()), Text::from(text_of(value))))
            .collect(),
        file_system: session.get("files").and_then(Value::as_object).map(file_system),
        write_fails: fails("write"),
        remove_fails: fails("remove"),
        ..Scripted::new(list("out").iter().map(outcome))
    };
    let over = |more: &Value| match (payload, more) {
        (Value::Object(members), Value::Object(more)) => {
            let mut members = members.clone();
            members.extend(more.clone());
            Value::Object(members)
        }
        _ => more.clone(),
    };
    let events = match (row.get("events"), row.get("event")) {
        (Some(_), _) => list("events").iter().map(over).collect(),
        (None, Some(event)) => vec![over(event)],
        (None, None) if payload.is_null() => Vec::new(),
        (None, None) => vec![payload.clone()],
    };
    let mut all = loaded(&hooks);
    all.insert("detected".to_owned(), detected.into());
    let mut firings = Vec::new();
    for event in &events {
        firings.push(Value::Object(match hooks.read_event(event) {
            Ok(event) => found(&host, &block_on(hooks.fire(&host, &event))),
            Err(error) => Map::from_iter([("event_error".to_owned(), error.to_string().into())]),
        }));
    }
    if let Some(Value::Object(last)) = firings.last() {
        all.extend(last.clone());
    }
    all.insert("firings".to_owned(), firings.into());
    Value::Object(all)
}

fn file_system(files: &Map<String, Value>) -> Arc<FileSystem> {
    let system = FileSystem::new(Options { uid: 0, gid: 0, ..Options::default() });
    for (path, text) in files {
        let (directory, _) = path.rsplit_once('/').unwrap();
        if !directory.is_empty() {
            system.create_dir_all(directory.as_bytes(), 0o755).unwrap();
        }
        system.write(path.as_bytes(), text_of(text).as_bytes(), 0o644).unwrap();
    }
    Arc::new(system)
}

fn options(dialect: Dialect, row: &Map<String, Value>) -> LoadOptions {
    let given = row.get("options").and_then(Value::as_object).cloned().unwrap_or_default();
    let flag = |name: &str, usual: bool| given.get(name).and_then(Value::as_bool).unwrap_or(usual);
    let contribution = |pair: &Value| Contribution {
        origin: pair[0].as_str().unwrap().to_owned(),
        hooks: pair[1].as_array().unwrap().clone(),
    };
    let contributions = given.get("contributions").and_then(Value::as_array);
    let limits = |bytes: &Value| {
        let mut limits = Limits::hook();
        limits.script_bytes = bytes.as_u64().unwrap();
        limits
    };
    LoadOptions {
        purpose: if row.contains_key("save") { Purpose::Save } else { Purpose::Run },
        settings: row.get("settings").and_then(Value::as_object).cloned().unwrap_or_default(),
        contract: Some(
            given
                .get("contract")
                .map_or_else(|| written_for(dialect), |name| name.as_str().unwrap().parse().unwrap()),
        ),
        contributions: contributions.into_iter().flatten().map(contribution).collect(),
        may_assign_high_risk: flag("may_assign_high_risk", true),
        declarative_bundles: flag("declarative_bundles", true),
        fail_closed: flag("fail_closed", false),
        limits: given.get("script_bytes").map(limits),
        variable_prefix: given.get("variable_prefix").map(text_of),
        ..LoadOptions::new(row.get("name").map_or_else(|| "hooks".to_owned(), text_of))
    }
}

/// A text as it is, JSON as it is written.
fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

pub(crate) fn outcome(out: &Value) -> ScriptOutcome {
    let Value::Array(parts) = out else { return ScriptOutcome::exited(0, text_of(out), "") };
    let text = |place: usize| parts.get(place).map(text_of).unwrap_or_default();
    let status = |place: usize| i32::try_from(parts.get(place)?.as_i64()?).ok();
    match parts.first() {
        Some(Value::String(end)) => {
            let end = match end.as_str() {
                "timed_out" => Ended::TimedOut,
                "output_exceeded" => Ended::OutputExceeded,
                "syntax" => Ended::Syntax(text(1)),
                "not_started" => Ended::NotStarted(text(1)),
                "limit" => Ended::Limit(LimitError { limit: Limit::Commands, allowed: 1, line: None }),
                other => panic!("{other}"),
            };
            let ended = ScriptOutcome { stderr: text(2).into_bytes(), ..ScriptOutcome::ended(end) };
            ScriptOutcome { status: status(3).unwrap_or(ended.status), ..ended }
        }
        _ => ScriptOutcome::exited(status(0).unwrap(), text(1), text(2)),
    }
}

/// A script under its shell's name, a program as the list of its words, else the kind.
fn handler(handler: &Handler) -> Value {
    match handler {
        Handler::Script { script, shell: Shell::Sh } => json!({"sh": string(script.source())}),
        Handler::Script { script, shell: Shell::Bash } => json!({"bash": string(script.source())}),
        Handler::Program { name, arguments } => {
            std::iter::once(name).chain(arguments).map(|word| string(word)).collect()
        }
        Handler::Other(kind) => json!(kind),
    }
}

/// What a config came to. Notices are there with their places, and without them (`told`).
fn loaded(hooks: &HookSet) -> Map<String, Value> {
    let notices = hooks.notices().iter();
    let all = hooks.hooks().iter();
    let of = json!({
        "hooks": hooks.hooks().len(),
        "ids": all.clone().map(|hook| hook.id.as_str()).collect::<Vec<_>>(),
        "handlers": all.clone().map(|hook| handler(&hook.handler)).collect::<Vec<_>>(),
        "hook_events": all.clone().map(|hook| hook.event).collect::<Vec<_>>(),
        "captures": all.clone().map(|hook| format!("{:?}", hook.capture)).collect::<Vec<_>>(),
        "timeouts_ms": all.map(|hook| u64::try_from(hook.timeout.as_millis()).unwrap()).collect::<Vec<_>>(),
        "notices": notices.clone().map(ToString::to_string).collect::<Vec<_>>(),
        "told": notices.clone().map(|notice| &notice.problem.message).collect::<Vec<_>>(),
        "kinds": notices.clone().map(|notice| notice.kind.name()).collect::<Vec<_>>(),
        "notice_logs": notices.map(|notice| notice.log.as_ref().map(LogRecord::to_json)).collect::<Vec<_>>(),
    });
    of.as_object().unwrap().clone()
}

/// What a firing came to. Runs, requests, late outputs and logs are those of the session so far.
pub(crate) fn found(host: &Scripted, outcome: &Outcome) -> Map<String, Value> {
    let result = serde_json::to_value(&outcome.dialect_result).unwrap();
    let records = outcome.records.iter();
    let readings = || records.clone().filter_map(|record| record.run.as_ref().map(|run| &run.reading));
    let runs = host.runs();
    let all = json!({
        "decision": outcome.decision,
        "proceeds": outcome.decision.proceeds(),
        "blocked": outcome.decision.blocked.as_ref().map(|block| &block.reason),
        "blocked_by": outcome.decision.blocked.as_ref().map(|block| &block.hook),
        "result": result.as_object().and_then(|result| result.values().next()),
        "verdicts": readings().map(|reading| reading.verdict.name()).collect::<Vec<_>>(),
        "reasons": readings().map(|reading| &reading.reason).collect::<Vec<_>>(),
        "warnings": records.clone().flat_map(|record| &record.warnings).collect::<Vec<_>>(),
        "ran": records.clone().filter(|record| record.run.is_some()).map(|record| &record.hook).collect::<Vec<_>>(),
        "records": records.clone().map(crate::hook::record::HookRecord::to_json).collect::<Vec<_>>(),
        "explained": records.map(crate::hook::record::HookRecord::explain).collect::<String>(),
        "runs": runs.len(),
        "stdin": runs.iter().map(|run| serde_json::from_str(&run.stdin).unwrap_or(Value::from(run.stdin.as_str()))).collect::<Vec<Value>>(),
        "asked": runs.iter().map(asked).collect::<Vec<_>>(),
        "requests": lock(&host.requests).iter().map(Request::to_json).collect::<Vec<_>>(),
        "headers": lock(&host.requests).iter().filter_map(headers).collect::<Vec<_>>(),
        "late": lock(&host.late).iter().map(late).collect::<Vec<_>>(),
        "logs": host.log_lines(),
        "log": lock(&host.logs).iter().map(LogRecord::to_json).collect::<Vec<_>>(),
        "audited": lock(&host.audited).len(),
        "files": *lock(&host.files),
    });
    all.as_object().unwrap().clone()
}

/// What an HTTP request has, as pairs of names and values.
fn headers(request: &Request) -> Option<Value> {
    let Request::Http(request) = request else { return None };
    Some(json!(request.headers))
}

/// What was said after a firing.
fn late(late: &LateOutput) -> Value {
    json!({
        "hook": late.hook, "contexts": late.contexts, "system_messages": late.system_messages,
        "wake": late.wake,
    })
}

/// What a run was given.
fn asked(run: &Asked) -> Value {
    json!({
        "source": run.source,
        "stdin": run.stdin,
        "cwd": run.cwd,
        "timeout_ms": u64::try_from(run.timeout.as_millis()).unwrap_or(u64::MAX),
        "environment": run.environment.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
        "variables": run.environment.len(),
        "files": run.files,
    })
}

/// Whether what is wanted is there; what is absent is `null`.
pub(crate) fn fits(wanted: &Value, found: &Value) -> bool {
    let operator = wanted.as_object().and_then(|members| members.iter().next());
    if let Some((name, of)) = operator.filter(|(name, _)| name.starts_with('$')) {
        let items = found.as_array().into_iter().flatten();
        return match name.as_str() {
            "$is" => of == found,
            "$all" => of.as_array().unwrap().iter().all(|wanted| fits(wanted, found)),
            "$any" => items.clone().any(|found| fits(of, found)),
            "$none" => found.is_array() && !items.clone().any(|found| fits(of, found)),
            "$written" => {
                let written = of.to_string();
                text_of(found) == written
            }
            "$characters" => found.as_str().is_some_and(|found| *of == found.chars().count()),
            other => panic!("{other}"),
        };
    }
    match (wanted, found) {
        (Value::Object(wanted), Value::Object(found)) => {
            wanted.iter().all(|(name, wanted)| fits(wanted, found.get(name).unwrap_or(&Value::Null)))
        }
        (Value::Array(wanted), Value::Array(found)) => {
            wanted.len() == found.len() && wanted.iter().zip(found).all(|(wanted, found)| fits(wanted, found))
        }
        (Value::String(wanted), Value::String(found)) => {
            wanted.strip_prefix('~').map_or(wanted == found, |part| found.contains(part))
        }
        _ => wanted == found,
    }
}
