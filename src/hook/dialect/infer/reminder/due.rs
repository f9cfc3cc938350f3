//! Which reminders are due at a point, and their texts.
//!
//! What an event alone does not tell is kept in the session: what was told already, the mode of the turn before, how often
//! the same call failed in a row, how often a reminder of stalled to-dos was given since they last changed. The table of the
//! triggers is [`Now::is_due`].

use super::text::Placeholder;
use super::{Reminder, Trigger};
use crate::hook::dialect::infer::event::Point;
use crate::hook::dialect::infer::payload;
use crate::hook::event::{Event, Moment, ToolCall, ToolCallSummary};
use crate::hook::word::Word as _;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use serde::Serialize;
use serde_json::Value;
use std::cell::OnceCell;
use std::hash::{Hash, Hasher as _};

/// Sessions that are kept apart at most.
const MOST_SESSIONS: usize = 1024;
/// Calls of a batch that are remembered at most.
const MOST_CALLS: usize = 1024;
/// Bytes of all texts that one event brings. A text that has no room any more is left out, and told of.
pub(in crate::hook::dialect::infer) const MOST_BYTES: usize = 256 << 10;
/// Strikes of stalled to-dos where the reminder says nothing.
const STRIKES: u64 = 3;

/// A reminder that is due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DueReminder {
    /// Its name.
    pub name: String,
    /// Why it is due.
    pub trigger: &'static str,
    /// Where it belongs: `conversation`, or `tool_result`, at the end of it.
    pub place: &'static str,
    /// Its text, placeholders filled in.
    pub text: String,
}

/// What is kept of all sessions of a host.
#[derive(Debug, Default)]
pub(in crate::hook::dialect::infer) struct Sessions(FxHashMap<String, Past>);

/// What comes of an event.
#[derive(Debug, Default)]
pub(in crate::hook::dialect::infer) struct AllDue {
    pub(in crate::hook::dialect::infer) reminders: Vec<DueReminder>,
    /// Names of those that had no room ([`MOST_BYTES`]).
    pub(in crate::hook::dialect::infer) left_out: Vec<String>,
}

/// What was before, in one session. Texts of events are kept by their hashes: a session's past is small.
#[derive(Debug, Default)]
struct Past {
    /// Names of reminders that come once, and came.
    told: FxHashSet<u64>,
    mode: Option<String>,
    /// The calls of the batch that runs: id, and name with arguments.
    calls: FxHashMap<u64, u64>,
    /// The call that failed last, and how often in a row.
    failing: Option<(u64, u64)>,
    todos: u64,
    /// Reminders of stalled to-dos since these changed.
    strikes: u64,
}

/// What an event says, together with what was before.
struct Now<'a> {
    turn: u64,
    max_turns: Option<u64>,
    mode: &'a str,
    before: Option<String>,
    failed: Option<&'a str>,
    repeated: Option<(String, u64)>,
    truncated: bool,
    todos: Vec<&'a str>,
    strikes: u64,
    /// `{todo_list}` and `{count}`, once a text needs them.
    todo_list: OnceCell<String>,
    count: OnceCell<String>,
}

impl Sessions {
    /// The reminders that are due, in the order of the file.
    pub(in crate::hook::dialect::infer) fn due(
        &mut self,
        all: &[Reminder],
        event: &Event,
        point: Point,
        mode: &str,
    ) -> AllDue {
        let session = &event.context.session_id;
        if self.0.len() >= MOST_SESSIONS && !self.0.contains_key(session) {
            self.0.clear();
        }
        let past = self.0.entry(session.clone()).or_default();
        let now = past.note(event, point, mode);
        let (mut due, mut room) = (AllDue::default(), MOST_BYTES);
        for reminder in all.iter().filter(|reminder| reminder.point == point) {
            if !now.is_due(reminder, &past.told) {
                continue;
            }
            let Some(text) = now.text(reminder, room) else {
                due.left_out.push(reminder.name.clone());
                continue;
            };
            room = room.saturating_sub(text.len());
            match reminder.trigger {
                Trigger::Once | Trigger::OnceAfter | Trigger::TurnsBeforeMax => {
                    past.told.insert(hash(&reminder.name));
                }
                Trigger::OnStalledTodos => past.strikes = now.strikes.saturating_add(1),
                _ => {}
            }
            let place = match reminder.trigger {
                Trigger::OnRepeatedFailure => "tool_result",
                _ => "conversation",
            };
            let (name, trigger) = (reminder.name.clone(), reminder.trigger.name());
            due.reminders.push(DueReminder { name, trigger, place, text });
        }
        due
    }
}

impl Past {
    fn note<'a>(&mut self, event: &'a Event, point: Point, mode: &'a str) -> Now<'a> {
        let number = |name: &str| event.facts.get(name).and_then(Value::as_u64);
        let before = self.mode.clone();
        if point == Point::PreStream {
            self.mode = Some(mode.to_owned());
        }
        if let Moment::ToolBatchStarting { calls } = &event.moment {
            let calls = calls.iter().take(MOST_CALLS);
            self.calls = calls.map(|call| (hash(&*call.id), key(call))).collect();
        }
        let calls = match &event.moment {
            Moment::ToolBatchEnded { calls } => calls.as_slice(),
            _ => &[],
        };
        let repeated = self.repeated(calls);
        let todos = texts(event.facts.get("open_todos"));
        let known = hash(&todos);
        if point == Point::PostStream && known != self.todos {
            self.todos = known;
            self.strikes = 0;
        }
        let failed = calls.iter().find(|call| !call.success).map(|call| call.tool_name.as_str());
        let told = event.facts.get("failed").and_then(Value::as_bool) == Some(true);
        Now {
            turn: payload::turn(event),
            max_turns: number("max_turns"),
            mode,
            before,
            failed: failed.or(told.then_some("")),
            repeated,
            truncated: event.facts.get("finish_reason").and_then(Value::as_str) == Some("length"),
            todos,
            strikes: number("stalled_strikes").unwrap_or(self.strikes),
            todo_list: OnceCell::new(),
            count: OnceCell::new(),
        }
    }

    /// The call that failed most often in a row when the batch was over, and how often.
    fn repeated(&mut self, calls: &[ToolCallSummary]) -> Option<(String, u64)> {
        let mut most: Option<(String, u64)> = None;
        for call in calls {
            let known = self.calls.get(&hash(call.tool_call_id.as_str())).copied();
            let key = known.unwrap_or_else(|| hash(call.tool_name.as_str()));
            let known = self.failing.take().filter(|(last, _)| *last == key);
            if call.success {
                continue;
            }
            let count = known.map_or(1, |(_, count)| count.saturating_add(1));
            self.failing = Some((key, count));
            if most.as_ref().is_none_or(|(_, most)| count >= *most) {
                most = Some((call.tool_name.clone(), count));
            }
        }
        most
    }
}

impl Now<'_> {
    fn is_due(&self, reminder: &Reminder, told: &FxHashSet<u64>) -> bool {
        let is_new = !told.contains(&hash(&reminder.name));
        let threshold = reminder.threshold;
        if reminder.only_without_todos && !self.todos.is_empty() {
            return false;
        }
        match reminder.trigger {
            Trigger::Always => true,
            Trigger::Interval => self.turn > 0 && self.turn.is_multiple_of(reminder.interval),
            Trigger::OnceAfter => is_new && self.turn >= threshold,
            Trigger::TurnsBeforeMax => {
                is_new && self.max_turns.is_some_and(|max| max.saturating_sub(self.turn) <= threshold)
            }
            Trigger::Once => is_new,
            Trigger::OnFailure => self.failed.is_some(),
            Trigger::OnModeChange => self.before.as_deref().is_some_and(|before| before != self.mode),
            Trigger::OnRepeatedFailure => {
                self.repeated.as_ref().is_some_and(|(_, count)| *count >= threshold)
            }
            Trigger::OnTruncation => self.truncated,
            Trigger::OnStalledTodos => {
                let most = if threshold == 0 { STRIKES } else { threshold };
                !self.todos.is_empty() && self.strikes < most
            }
        }
    }

    /// The text with its placeholders filled in; `None` where that is longer than `room`.
    fn text(&self, reminder: &Reminder, room: usize) -> Option<String> {
        let parts = || reminder.text.parts(|placeholder| self.value(placeholder, reminder));
        let mut length: usize = 0;
        for part in parts() {
            length = length.saturating_add(part.len());
            if length > room {
                return None;
            }
        }
        let mut out = String::with_capacity(length);
        out.extend(parts());
        Some(out)
    }

    fn value<'s>(&'s self, placeholder: Placeholder, reminder: &'s Reminder) -> &'s str {
        match placeholder {
            Placeholder::PreviousMode => self.before.as_deref().unwrap_or(""),
            Placeholder::NewMode => self.mode,
            Placeholder::Guidance => reminder.guidance.get(self.mode).map_or("", String::as_str),
            Placeholder::ToolName => match &self.repeated {
                Some((tool, _)) => tool,
                None => self.failed.unwrap_or(""),
            },
            Placeholder::Count => self.count.get_or_init(|| {
                self.repeated.as_ref().map(|(_, count)| count.to_string()).unwrap_or_default()
            }),
            Placeholder::TodoList => self.todo_list.get_or_init(|| {
                let lines: Vec<_> = self.todos.iter().map(|todo| format!("- {todo}")).collect();
                lines.join("\n")
            }),
        }
    }
}

/// What tells one call from another: its name and its arguments.
fn key(call: &ToolCall) -> u64 {
    let arguments = call.arguments.to_string();
    hash(&(&*call.name, arguments.as_str()))
}

fn hash(of: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    hasher.finish()
}

/// A list of texts, or of objects with `content`.
fn texts(value: Option<&Value>) -> Vec<&str> {
    let items = value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let items = items.iter().take(MOST_CALLS);
    items.filter_map(|item| item.as_str().or_else(|| item.get("content")?.as_str())).collect()
}
