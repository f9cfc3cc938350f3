//! Reminders (9.1 of the contract): texts that are due at the eight points, kept apart from commands. They come as the
//! setting `reminders`; what is due is told in [`InferResult::reminders`](super::result::InferResult::reminders) and among the
//! decision's contexts, and the host puts it in its place.
//!
//! This file reads `reminders.yaml`, first problem first; `reminder/due.rs` tells what is due. Where the contract is silent:
//! reminders are off until `enabled` says otherwise, as commands are; with `merge` those that the host ships
//! (`default_reminders`) stay, and one of the file takes the place of the shipped one of its name.

pub(super) mod due;
mod text;

use super::event::Point;
use crate::document::{Node, NodeKind, Source};
use crate::hook::error::ConfigProblem;
use crate::hook::field::{Fault, Fields, whole};
use crate::hook::word::{Word, words};
use rustc_hash::FxHashMap;
use serde_json::Value;
use text::ReminderText;

const PARSE_FAILED: &str = "failed to parse reminders config: ";
/// Reminders of one list at most: each is looked at in each event.
const MOST_REMINDERS: usize = 1000;

words! {
    /// When a reminder is due.
    pub(super) enum Trigger {
        Always "always",
        Interval "interval",
        OnceAfter "once_after",
        TurnsBeforeMax "turns_before_max",
        Once "once",
        OnFailure "on_failure",
        OnModeChange "on_mode_change",
        OnRepeatedFailure "on_repeated_failure",
        OnTruncation "on_truncation",
        OnStalledTodos "on_stalled_todos",
    }
}

impl Trigger {
    /// The point that it is bound to.
    const fn point(self) -> Option<Point> {
        match self {
            Self::OnFailure | Self::OnRepeatedFailure => Some(Point::PostTool),
            Self::OnModeChange => Some(Point::PreStream),
            Self::OnTruncation | Self::OnStalledTodos => Some(Point::PostStream),
            _ => None,
        }
    }

    const fn needs_threshold(self) -> bool {
        matches!(self, Self::OnceAfter | Self::TurnsBeforeMax | Self::OnRepeatedFailure)
    }
}

/// A reminder.
#[derive(Clone, Debug)]
pub(super) struct Reminder {
    pub(super) name: String,
    pub(super) text: ReminderText,
    pub(super) point: Point,
    pub(super) trigger: Trigger,
    pub(super) interval: u64,
    /// 0 where nothing is said.
    pub(super) threshold: u64,
    /// Texts by mode.
    pub(super) guidance: FxHashMap<String, String>,
    /// `when: todos_empty`
    pub(super) only_without_todos: bool,
}

/// Reads the settings `reminders` (the text of a file, or its content) and `default_reminders` (a list).
///
/// # Errors
/// The first problem.
pub(super) fn read(given: Option<&Value>, shipped: Option<&Value>) -> Result<Vec<Reminder>, ConfigProblem> {
    let (node, source);
    match given {
        None => return Ok(Vec::new()),
        Some(Value::String(text)) => {
            source = Source::new("reminders", text.as_bytes());
            node = source.yaml(PARSE_FAILED)?;
        }
        Some(content) => {
            source = Source::new("reminders", b"");
            node = Node::from_value(content);
        }
    }
    let (own, merges) = file(&node).map_err(|fault| fault.of(&source))?;
    if !merges {
        return Ok(own);
    }
    let shipped = shipped.map(Node::from_value);
    let problem = |fault: Fault| fault.of(&Source::new("default_reminders", b""));
    let mut all = list(shipped.as_ref()).map_err(problem)?;
    for reminder in own {
        match all.iter_mut().find(|known| known.name == reminder.name) {
            Some(known) => *known = reminder,
            None => all.push(reminder),
        }
    }
    Ok(all)
}

/// The reminders of a file, and whether those that the host ships stay.
fn file(node: &Node) -> Result<(Vec<Reminder>, bool), Fault> {
    let fields = Fields { node, prefix: PARSE_FAILED };
    if !matches!(node.kind, NodeKind::Null | NodeKind::Object(_)) {
        return Err(fields.wrong_type(node, "config", "a mapping"));
    }
    if fields.boolean("enabled")? != Some(true) {
        return Ok((Vec::new(), false));
    }
    Ok((list(node.get("reminders"))?, fields.boolean("merge")? == Some(true)))
}

fn list(list: Option<&Node>) -> Result<Vec<Reminder>, Fault> {
    let Some(list) = list else { return Ok(Vec::new()) };
    let path = format!("{PARSE_FAILED}reminders");
    let entries = list.as_array().ok_or_else(|| Fault::wrong_type(list, &path, "a list"))?;
    if entries.len() > MOST_REMINDERS {
        return Err(Fault::new(list.at, format!("{path}: more than {MOST_REMINDERS} of them")));
    }
    entries.iter().enumerate().map(|(index, entry)| reminder(index, entry)).collect()
}

fn reminder(index: usize, node: &Node) -> Result<Reminder, Fault> {
    let place = format!("reminders[{index}]");
    if !node.is_object() {
        return Err(Fault::wrong_type(node, &format!("{PARSE_FAILED}{place}"), "a mapping"));
    }
    let fields = Fields { node, prefix: &format!("{PARSE_FAILED}{place}.") };
    let text = |field: &str| Ok::<_, Fault>(fields.text(field)?.unwrap_or_default());
    let number = |field: &str, default: u64| {
        let Some(value) = node.get(field) else { return Ok(default) };
        let number = whole(value).and_then(|number| u64::try_from(number).ok());
        number.ok_or_else(|| fields.wrong_type(value, field, "a number from 0"))
    };
    let name = text("name")?;
    let problem = |message: String| {
        let of = if name.trim().is_empty() { place.clone() } else { format!("{place} ({name})") };
        Fault::new(node.at, format!("{of}: {message}"))
    };
    if name.trim().is_empty() {
        return Err(problem("name is required".to_owned()));
    }
    let words = text("text")?;
    if words.trim().is_empty() {
        return Err(problem("text is required".to_owned()));
    }
    let hook = Some(text("hook")?).filter(|hook| !hook.is_empty()).unwrap_or(Point::PreStream.name());
    let point = Point::from_name(hook).ok_or_else(|| {
        problem(format!("unknown hook \"{hook}\" (valid: [{}])", Point::all_names().replace(", ", " ")))
    })?;
    let wanted = Some(text("trigger")?).filter(|word| !word.is_empty()).unwrap_or(Trigger::Always.name());
    let trigger = Trigger::from_name(wanted).ok_or_else(|| {
        problem(format!("unknown trigger \"{wanted}\" (valid: [{}])", Trigger::NAMES.join(" ")))
    })?;
    let (interval, threshold) = (number("interval", 10)?, number("threshold", 0)?);
    if let Some(bound) = trigger.point().filter(|bound| *bound != point) {
        return Err(problem(format!("trigger \"{wanted}\" needs hook {}", bound.name())));
    }
    if trigger.needs_threshold() && threshold == 0 {
        return Err(problem(format!("trigger \"{wanted}\" needs threshold > 0")));
    }
    if trigger == Trigger::Interval && interval == 0 {
        return Err(problem("interval must be > 0".to_owned()));
    }
    let only_without_todos = match text("when")? {
        "" => false,
        "todos_empty" => true,
        other => return Err(problem(format!("unknown when \"{other}\" (valid: [todos_empty])"))),
    };
    if let Some(other) = node.get("guidance").filter(|guidance| !guidance.is_object()) {
        return Err(fields.wrong_type(other, "guidance", "a mapping of modes to texts"));
    }
    let mut guidance = FxHashMap::default();
    for (member, text) in fields.text_members("guidance")? {
        guidance.entry(member.name.clone()).or_insert_with(|| text.to_owned());
    }
    let (name, text) = (name.to_owned(), ReminderText::new(words.to_owned()));
    Ok(Reminder { name, text, point, trigger, interval, threshold, guidance, only_without_todos })
}
