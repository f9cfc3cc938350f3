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
use rustc_hash::FxHashMap;
use serde_json::Value;
use text::ReminderText;

const PARSE_FAILED: &str = "failed to parse reminders config: ";
/// Reminders of one list at most: each is looked at in each event.
const MOST_REMINDERS: usize = 1000;

/// When a reminder is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trigger {
    Always,
    Interval,
    OnceAfter,
    TurnsBeforeMax,
    Once,
    OnFailure,
    OnModeChange,
    OnRepeatedFailure,
    OnTruncation,
    OnStalledTodos,
}

impl Trigger {
    const ALL: [Self; 10] = [
        Self::Always,
        Self::Interval,
        Self::OnceAfter,
        Self::TurnsBeforeMax,
        Self::Once,
        Self::OnFailure,
        Self::OnModeChange,
        Self::OnRepeatedFailure,
        Self::OnTruncation,
        Self::OnStalledTodos,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Interval => "interval",
            Self::OnceAfter => "once_after",
            Self::TurnsBeforeMax => "turns_before_max",
            Self::Once => "once",
            Self::OnFailure => "on_failure",
            Self::OnModeChange => "on_mode_change",
            Self::OnRepeatedFailure => "on_repeated_failure",
            Self::OnTruncation => "on_truncation",
            Self::OnStalledTodos => "on_stalled_todos",
        }
    }

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
    let file = File { source: &source };
    if matches!(node.kind, NodeKind::Null) {
        return Ok(Vec::new());
    }
    if !node.is_object() {
        return Err(file.wrong_type(&node, "config", "a mapping"));
    }
    if !file.flag(&node, "enabled")? {
        return Ok(Vec::new());
    }
    let own = file.list(node.get("reminders"))?;
    if !file.flag(&node, "merge")? {
        return Ok(own);
    }
    let shipped_source = Source::new("default_reminders", b"");
    let shipped = shipped.map(Node::from_value);
    let mut all = File { source: &shipped_source }.list(shipped.as_ref())?;
    for reminder in own {
        match all.iter_mut().find(|known| known.name == reminder.name) {
            Some(known) => *known = reminder,
            None => all.push(reminder),
        }
    }
    Ok(all)
}

/// A file being read.
struct File<'a> {
    source: &'a Source<'a>,
}

impl File<'_> {
    fn wrong_type(&self, node: &Node, path: &str, expected: &str) -> ConfigProblem {
        self.source
            .problem(node.at, format!("{PARSE_FAILED}{path}: expected {expected}, found {}", node.describe()))
    }

    fn flag(&self, node: &Node, name: &str) -> Result<bool, ConfigProblem> {
        match node.get(name).map(|value| (&value.kind, value)) {
            None | Some((NodeKind::Null, _)) => Ok(false),
            Some((NodeKind::Bool(flag), _)) => Ok(*flag),
            Some((_, other)) => Err(self.wrong_type(other, name, "a boolean")),
        }
    }

    fn list(&self, list: Option<&Node>) -> Result<Vec<Reminder>, ConfigProblem> {
        let Some(list) = list else { return Ok(Vec::new()) };
        let entries = list.as_array().ok_or_else(|| self.wrong_type(list, "reminders", "a list"))?;
        if entries.len() > MOST_REMINDERS {
            let message = format!("{PARSE_FAILED}reminders: more than {MOST_REMINDERS} of them");
            return Err(self.source.problem(list.at, message));
        }
        entries.iter().enumerate().map(|(index, entry)| self.reminder(index, entry)).collect()
    }

    fn reminder(&self, index: usize, node: &Node) -> Result<Reminder, ConfigProblem> {
        let place = format!("reminders[{index}]");
        if !node.is_object() {
            return Err(self.wrong_type(node, &place, "a mapping"));
        }
        let text = |field: &str| match node.get(field).map(|value| (&value.kind, value)) {
            None | Some((NodeKind::Null, _)) => Ok(""),
            Some((NodeKind::String(text), _)) => Ok(text.as_str()),
            Some((_, other)) => Err(self.wrong_type(other, &format!("{place}.{field}"), "a string")),
        };
        let number = |field: &str, default: u64| match node.get(field).map(|value| (&value.kind, value)) {
            None | Some((NodeKind::Null, _)) => Ok(default),
            Some((NodeKind::Number(number), other)) => number
                .as_u64()
                .ok_or_else(|| self.wrong_type(other, &format!("{place}.{field}"), "a number from 0")),
            Some((_, other)) => Err(self.wrong_type(other, &format!("{place}.{field}"), "a number from 0")),
        };
        let name = text("name")?.to_owned();
        let problem = |message: String| {
            let of = if name.trim().is_empty() { place.clone() } else { format!("{place} ({name})") };
            self.source.problem(node.at, format!("{of}: {message}"))
        };
        if name.trim().is_empty() {
            return Err(problem("name is required".to_owned()));
        }
        let words = text("text")?.to_owned();
        if words.trim().is_empty() {
            return Err(problem("text is required".to_owned()));
        }
        let hook = Some(text("hook")?).filter(|hook| !hook.is_empty()).unwrap_or(Point::PreStream.name());
        let point = Point::from_name(hook).ok_or_else(|| {
            problem(format!("unknown hook \"{hook}\" (valid: [{}])", Point::all_names().replace(", ", " ")))
        })?;
        let wanted = Some(text("trigger")?).filter(|word| !word.is_empty()).unwrap_or(Trigger::Always.name());
        let trigger = Trigger::ALL.into_iter().find(|trigger| trigger.name() == wanted).ok_or_else(|| {
            let all = Trigger::ALL.map(Trigger::name).join(" ");
            problem(format!("unknown trigger \"{wanted}\" (valid: [{all}])"))
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
        let guidance = self.guidance(&place, node.get("guidance"))?;
        let text = ReminderText::new(words);
        Ok(Reminder { name, text, point, trigger, interval, threshold, guidance, only_without_todos })
    }

    fn guidance(&self, place: &str, node: Option<&Node>) -> Result<FxHashMap<String, String>, ConfigProblem> {
        let Some(node) = node.filter(|node| !matches!(node.kind, NodeKind::Null)) else {
            return Ok(FxHashMap::default());
        };
        if !node.is_object() {
            return Err(self.wrong_type(node, &format!("{place}.guidance"), "a mapping of modes to texts"));
        }
        let mut texts = FxHashMap::default();
        for member in node.members() {
            let Some(text) = member.value.as_str() else {
                let path = format!("{place}.guidance.{}", member.name);
                return Err(self.wrong_type(&member.value, &path, "a string"));
            };
            texts.entry(member.name.clone()).or_insert_with(|| text.to_owned());
        }
        Ok(texts)
    }
}
