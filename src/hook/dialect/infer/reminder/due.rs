//! Which reminders are due at a point, and their texts.
//!
//! What an event alone does not tell is kept in the session: what was told already, the mode of the turn before, how often
//! the same call failed in a row, how often a reminder of stalled to-dos was given since they last changed. The table of the
//! triggers is [`Now::is_due`].

use super::{Reminder, Trigger};
use crate::hook::dialect::infer::event::Point;
use crate::hook::dialect::infer::payload;
use crate::hook::event::{Event, Moment, ToolCall, ToolCallSummary};
use crate::hook::json::cut;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use serde::Serialize;
use serde_json::Value;
use std::hash::Hasher;

/// Sessions that are kept apart at most.
const MOST_SESSIONS: usize = 1024;
/// Calls of a batch that are remembered at most.
const MOST_CALLS: usize = 1024;
/// Bytes of a text with its placeholders filled in.
const MOST_BYTES: usize = 64 << 10;
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

/// What was before, in one session.
#[derive(Debug, Default)]
struct Past {
    /// Names of reminders that come once, and came.
    told: FxHashSet<String>,
    mode: Option<String>,
    /// The calls of the batch that runs: id, and name with arguments.
    calls: FxHashMap<String, String>,
    /// The call that failed last, and how often in a row.
    failing: Option<(String, u64)>,
    todos: Vec<String>,
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
    todos: Vec<String>,
    strikes: u64,
}

impl Sessions {
    /// The reminders that are due, in the order of the file.
    pub(in crate::hook::dialect::infer) fn due(
        &mut self,
        all: &[Reminder],
        event: &Event,
        point: Point,
        mode: &str,
    ) -> Vec<DueReminder> {
        let session = &event.context.session_id;
        if self.0.len() >= MOST_SESSIONS && !self.0.contains_key(session) {
            self.0.clear();
        }
        let past = self.0.entry(session.clone()).or_default();
        let now = past.note(event, point, mode);
        let mut due = Vec::new();
        for reminder in all.iter().filter(|reminder| reminder.point == point) {
            if !now.is_due(reminder, &past.told) {
                continue;
            }
            match reminder.trigger {
                Trigger::Once | Trigger::OnceAfter | Trigger::TurnsBeforeMax => {
                    past.told.insert(reminder.name.clone());
                }
                Trigger::OnStalledTodos => past.strikes = now.strikes.saturating_add(1),
                _ => {}
            }
            let place = match reminder.trigger {
                Trigger::OnRepeatedFailure => "tool_result",
                _ => "conversation",
            };
            due.push(DueReminder {
                name: reminder.name.clone(),
                trigger: reminder.trigger.name(),
                place,
                text: now.text(reminder),
            });
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
            self.calls = calls.map(|call| (call.id.to_string(), key(call))).collect();
        }
        let calls = match &event.moment {
            Moment::ToolBatchEnded { calls } => calls.as_slice(),
            _ => &[],
        };
        let repeated = self.repeated(calls);
        let todos = texts(event.facts.get("open_todos"));
        if point == Point::PostStream && todos != self.todos {
            self.todos.clone_from(&todos);
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
        }
    }

    /// The call that failed most often in a row when the batch was over, and how often.
    fn repeated(&mut self, calls: &[ToolCallSummary]) -> Option<(String, u64)> {
        let mut most: Option<(String, u64)> = None;
        for call in calls {
            let key = self.calls.get(&call.tool_call_id).unwrap_or(&call.tool_name).clone();
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
    fn is_due(&self, reminder: &Reminder, told: &FxHashSet<String>) -> bool {
        let is_new = !told.contains(&reminder.name);
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

    /// Placeholders are replaced once, from left to right; what they bring is not looked at again.
    fn text(&self, reminder: &Reminder) -> String {
        let mut out = String::new();
        let mut rest = reminder.text.as_str();
        while let Some((before, behind)) = rest.split_once('{') {
            out.push_str(before);
            let known =
                behind.split_once('}').and_then(|(name, after)| Some((self.value(name, reminder)?, after)));
            match known {
                Some((value, after)) => {
                    out.push_str(&value);
                    rest = after;
                }
                None => {
                    out.push('{');
                    rest = behind;
                }
            }
            if out.len() > MOST_BYTES {
                break;
            }
        }
        out.push_str(rest);
        cut(&out, MOST_BYTES).to_owned()
    }

    fn value(&self, name: &str, reminder: &Reminder) -> Option<String> {
        Some(match name {
            "prev_mode" => self.before.clone().unwrap_or_default(),
            "new_mode" => self.mode.to_owned(),
            "guidance" => {
                let found = reminder.guidance.iter().find(|(mode, _)| mode == self.mode);
                found.map(|(_, text)| text.clone()).unwrap_or_default()
            }
            "tool_name" => match &self.repeated {
                Some((tool, _)) => tool.clone(),
                None => self.failed.unwrap_or_default().to_owned(),
            },
            "count" => self.repeated.as_ref().map(|(_, count)| count.to_string()).unwrap_or_default(),
            "todo_list" => {
                let lines: Vec<_> = self.todos.iter().map(|todo| format!("- {todo}")).collect();
                lines.join("\n")
            }
            _ => return None,
        })
    }
}

/// What tells one call from another: the name, and the arguments by their hash and length.
fn key(call: &ToolCall) -> String {
    let arguments = call.arguments.to_string();
    let mut hasher = FxHasher::default();
    hasher.write(arguments.as_bytes());
    format!("{} {:x} {}", call.name, hasher.finish(), arguments.len())
}

/// A list of texts, or of objects with `content`.
fn texts(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let text = |item: &Value| item.as_str().or_else(|| item.get("content")?.as_str()).map(str::to_owned);
    items.iter().take(MOST_CALLS).filter_map(text).collect()
}
