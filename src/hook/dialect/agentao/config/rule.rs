//! One rule: its type and event, its text, matcher and time, in the order of the contract's table of warnings. The first
//! fault of a rule is the one that is told.

use super::{Loader, RulePlace, python_text, python_type};
use crate::document::{Node, NodeKind};
use crate::hook::dialect::agentao::bundle::Extra;
use crate::hook::dialect::agentao::event::EventName;
use crate::hook::dialect::agentao::matcher::Matcher;
use crate::hook::hooks::{Handler, Hook};
use crate::hook::script::{Capture, Shell};
use std::sync::Arc;
use std::time::Duration;

/// Seconds.
const DEFAULT_TIMEOUT: u64 = 60;
/// Some thirty years: longer is not told apart from it.
const LONGEST_TIMEOUT: u64 = 1_000_000_000;
/// Bytes of each stream (G17).
pub(super) const STREAM_BYTES: u64 = 1 << 20;
const FIELDS: [&str; 5] = ["type", "command", "prompt", "matcher", "timeout"];

/// How a rule is matched.
#[derive(Clone, Copy)]
pub(super) enum Matchers<'n> {
    /// By an object of its own.
    Flat,
    /// By its group's matcher.
    Group(Option<&'n Node>),
}

/// What a rule runs.
enum Text<'n> {
    Command(&'n str),
    Prompt(&'n str),
}

/// Where it is, and what is wrong.
type Fault = (Option<usize>, String);

impl Loader<'_> {
    pub(super) fn rule(&mut self, place: &RulePlace<'_>, entry: &Node, matchers: Matchers<'_>) {
        let event = place.event.name();
        let read = text(place.event, entry).and_then(|text| {
            let matcher = match matchers {
                Matchers::Flat => self.flat_matcher(place, entry)?,
                Matchers::Group(matcher) => self.group_matcher(place, matcher)?,
            };
            Ok((text, matcher))
        });
        let (text, matcher) = match read {
            Ok(read) => read,
            Err((at, message)) => {
                self.fault(place.source, at, Some(place.id()), message);
                return;
            }
        };
        let timeout = match timeout(entry) {
            Ok(seconds) => seconds,
            Err(value) => {
                let shown = python_text(value);
                let message = format!("Invalid timeout value '{shown}' under '{event}' — using default 60s");
                self.warning(place, value.at, message);
                DEFAULT_TIMEOUT
            }
        };
        for member in entry.members().iter().filter(|member| !FIELDS.contains(&member.name.as_str())) {
            let message = format!("Unknown field '{}' under '{event}' — ignored", member.name);
            self.warning(place, member.at, message);
        }
        let (hook, extra) = self.parts(place, &text, matcher, timeout);
        self.add(hook, extra);
    }

    fn parts(&self, place: &RulePlace<'_>, text: &Text<'_>, matcher: Matcher, timeout: u64) -> (Hook, Extra) {
        let (handler, label, prompt) = match *text {
            Text::Command(command) => {
                (Handler::script(command.to_owned(), Shell::Sh), Arc::from(command), None)
            }
            Text::Prompt(prompt) => {
                (Handler::Other("prompt"), Arc::from("prompt_hook"), Some(prompt.to_owned()))
            }
        };
        let time = Duration::from_secs(timeout);
        let capture = Capture::of_each(STREAM_BYTES);
        let hook = Hook::new(place.id(), place.event.name(), handler, time, &self.loading.limits, capture);
        (hook, Extra { matcher, label, prompt })
    }

    /// G5, G6: only the key that the event has is looked at.
    fn flat_matcher(&mut self, place: &RulePlace<'_>, entry: &Node) -> Result<Matcher, Fault> {
        let Some(matcher) = entry.get("matcher") else { return Ok(Matcher::All) };
        if !matcher.is_object() {
            let message = format!(
                "Hook rule under '{}' has non-object matcher of type {}; matcher must be an object like \
                 {{\"trigger\": \"manual|auto\"}} — rule skipped.",
                place.event.name(),
                python_type(matcher)
            );
            return Err((matcher.at, message));
        }
        let keys: &[&str] = match place.event {
            event if event.row().tool => &["tool_name", "toolName"],
            EventName::PreCompact => &["trigger"],
            _ => &[],
        };
        let Some((key, value)) = keys.iter().find_map(|key| Some((key, matcher.get(key)?))) else {
            return Ok(Matcher::All);
        };
        let Some(pattern) = value.as_str() else {
            let message = format!("matcher `{key}` is not a string, the rule never fires");
            self.warning(place, value.at, message);
            return Ok(Matcher::Never("G6: a pattern that is not a string never matches"));
        };
        let (matcher, warning) = match place.event {
            EventName::PreCompact => Matcher::whole(pattern, &mut self.loading.regexes),
            _ => Matcher::tool(pattern, &mut self.loading.regexes),
        };
        if let Some(message) = warning {
            self.warning(place, value.at, message);
        }
        Ok(matcher)
    }

    /// G2: a string, as Claude Code reads it; ignored where the event has nothing to match.
    fn group_matcher(&mut self, place: &RulePlace<'_>, matcher: Option<&Node>) -> Result<Matcher, Fault> {
        let event = place.event;
        let Some(matcher) = matcher else { return Ok(Matcher::All) };
        let Some(text) = matcher.as_str() else {
            let kind = python_type(matcher);
            let message = format!(
                "Hook group under '{}' has a matcher of type {kind}; the matcher of a group must be a string — rule skipped.",
                event.name()
            );
            return Err((matcher.at, message));
        };
        if !event.row().tool && event != EventName::PreCompact {
            return Ok(Matcher::All);
        }
        let (compiled, warning) = Matcher::group(text, &mut self.loading.regexes);
        if let Some(message) = warning {
            self.warning(place, matcher.at, message);
        }
        Ok(compiled)
    }
}

/// G4.
fn text(event: EventName, entry: &Node) -> Result<Text<'_>, Fault> {
    let name = event.name();
    if !entry.is_object() {
        return Err((entry.at, format!("Hook entry under '{name}' is not an object — skipped")));
    }
    let kind = entry.get("type");
    let at = kind.and_then(|kind| kind.at).or(entry.at);
    let shown = kind.map(python_text).unwrap_or_default();
    let field = match kind.and_then(Node::as_str) {
        Some("command") => "command",
        Some("prompt") if event == EventName::UserPromptSubmit => "prompt",
        Some("prompt") => {
            let message = format!(
                "Hook type 'prompt' is not supported for event '{name}' — skipped. (Allowed for this event: ['command'])"
            );
            return Err((at, message));
        }
        Some("http" | "agent") => {
            return Err((at, format!("Hook type '{shown}' under '{name}' is not supported — skipped")));
        }
        _ => return Err((at, format!("Unknown hook type '{shown}' under '{name}' — skipped"))),
    };
    let value = entry.get(field);
    let Some(text) = value.and_then(Node::as_str).filter(|text| !text.trim().is_empty()) else {
        let at = value.and_then(|value| value.at).or(entry.at);
        return Err((at, format!("Hook type '{field}' under '{name}' has no {field} text — skipped")));
    };
    Ok(if field == "command" { Text::Command(text) } else { Text::Prompt(text) })
}

/// Seconds, as `int` of Python reads them: of a number the whole part, of a text its digits. The error is what is not a number,
/// or not above 0.
fn timeout(entry: &Node) -> Result<u64, &Node> {
    let Some(value) = entry.get("timeout") else { return Ok(DEFAULT_TIMEOUT) };
    let seconds = match &value.kind {
        NodeKind::Number(number) => {
            number.as_u64().or_else(|| Some(number.as_f64().filter(|float| *float >= 1.0)? as u64))
        }
        NodeKind::String(text) => python_int(text.trim()),
        NodeKind::Bool(true) => Some(1),
        _ => None,
    };
    match seconds {
        Some(seconds) if seconds > 0 => Ok(seconds.min(LONGEST_TIMEOUT)),
        _ => Err(value),
    }
}

/// Digits, single underscores between them, a sign before them; a number too large to be told is the largest.
fn python_int(text: &str) -> Option<u64> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    let is_group = |group: &str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit());
    digits.split('_').all(is_group).then(|| digits.replace('_', "").parse().unwrap_or(u64::MAX))
}
