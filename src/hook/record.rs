//! Records: one for each hook that was considered. It says whether the hook was selected and why not, what ran, what came
//! out, which rule turned that into a verdict, and what the verdict did to the chain.
//!
//! A dialect's own log events are made from it ([`LogRecord`]) and go to the host's [`HookObserver`](super::HookObserver) and to `tracing`
//! (target `hookbox::hook`). Nothing is built when nobody listens.

use super::decision::{Block, Decision, Reading};
use super::event::EventContext;
use super::id::HookId;
use super::matcher::Mismatch;
use super::script::{Ended, ScriptOutcome};
use crate::limit::Usage;
use crate::missing::Missing;
use crate::visible;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

/// Where text stands in an explanation.
const INDENT: &str = "            ";

/// One hook considered for one event.
#[derive(Clone, Debug, PartialEq)]
pub struct HookRecord {
    /// Which hook.
    pub hook: HookId,
    /// Its place among the bundle's hooks; ids need not be unique.
    pub index: usize,
    /// When it was considered, by the session's clock: time since the Unix epoch.
    pub at: Duration,
    /// The event, by its name in the dialect.
    pub event: &'static str,
    /// The hook's name in the dialect's records, where it is not its id.
    pub label: Option<Arc<str>>,
    /// Session, turn, agent.
    pub context: Arc<EventContext>,
    /// The call, for events about one.
    pub tool_call_id: Option<Arc<str>>,
    /// Whether its matcher let it through.
    pub selection: Selection,
    /// What ran; `None` when nothing did.
    pub run: Option<RunRecord>,
    /// What that did to the chain.
    pub effect: Effect,
    /// What the engine or the dialect has to say about it.
    pub warnings: Vec<String>,
    /// Whether nothing of it was enforced; then [`HookRecord::effect`] is what it would have done.
    pub shadow: bool,
}

/// See [`HookRecord::selection`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// It was to run.
    Matched,
    /// Its matcher says no.
    NotMatched(Mismatch),
    /// An earlier hook ended the chain.
    NotReached,
}

/// One run of a hook.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    /// Exit status; -1 when there is none.
    pub status: i32,
    /// How it ended.
    pub end: Ended,
    /// Its output, up to the cap.
    pub stdout: Vec<u8>,
    /// Its messages, up to the cap.
    pub stderr: Vec<u8>,
    /// How long it took by the session's clock.
    pub duration: Duration,
    /// What it used.
    pub usage: Usage,
    /// Commands and scripts that it wanted to run and that were not there: what it should have done may not be done.
    pub missing: Vec<Missing>,
    /// What its output means, and by which rule.
    pub reading: Reading,
}

impl RunRecord {
    #[inline]
    pub(super) fn new(outcome: ScriptOutcome, reading: Reading) -> Self {
        let ScriptOutcome { status, stdout, stderr, end, usage, duration, missing } = outcome;
        Self { status, end, stdout, stderr, duration, usage, missing, reading }
    }
}

/// What a hook's verdict did to the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect {
    /// Nothing.
    None,
    /// These parts were rewritten.
    Rewrote(Vec<&'static str>),
    /// It wanted something that has no effect here; why.
    Ignored(&'static str),
    /// It ended the chain.
    Blocked {
        /// For the model and the audit.
        reason: String,
        /// For the end user.
        user_message: Option<String>,
    },
}

impl Effect {
    /// A block, put into what the chain comes to.
    pub(crate) fn block(
        decision: &mut Decision,
        hook: &HookId,
        reason: String,
        user_message: Option<String>,
    ) -> Self {
        let effect = Self::Blocked { reason: reason.clone(), user_message: user_message.clone() };
        decision.blocked = Some(Block { hook: hook.clone(), reason, user_message });
        effect
    }
}

/// A log event in a dialect's own shape.
#[derive(Clone, Debug, PartialEq)]
pub struct LogRecord {
    /// For example `hook.invoked`.
    pub name: Cow<'static, str>,
    /// Its fields, in the contract's order.
    pub fields: Map<String, Value>,
}

impl LogRecord {
    pub(super) fn new(
        name: impl Into<Cow<'static, str>>,
        fields: impl IntoIterator<Item = (&'static str, Value)>,
    ) -> Self {
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { name: name.into(), fields }
    }

    /// The name as `record` and the fields, in one object.
    pub fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("record".to_owned(), (*self.name).into());
        object.extend(self.fields.iter().map(|(name, value)| (name.clone(), value.clone())));
        Value::Object(object)
    }
}

/// At which moment of a hook's life a record is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The matcher was asked; nothing ran yet.
    Considered,
    /// Everything about this hook is known.
    Finished,
}

impl HookRecord {
    /// As one JSON object; output is text with U+FFFD for what is not UTF-8.
    pub fn to_json(&self) -> Value {
        let mut object = json!({
            "hook": self.hook, "event": self.event, "matched": self.selection == Selection::Matched,
        });
        let mut put = |name: &str, value: Value| {
            if let Some(object) = object.as_object_mut() {
                object.insert(name.to_owned(), value);
            }
        };
        match &self.selection {
            Selection::Matched => {}
            Selection::NotMatched(mismatch) => put("why_not", mismatch.to_string().into()),
            Selection::NotReached => put("why_not", "an earlier hook ended the chain".into()),
        }
        if let Some(run) = &self.run {
            put("run", run.to_json());
        }
        put("effect", self.effect.to_string().into());
        if !self.warnings.is_empty() {
            put("warnings", self.warnings.clone().into());
        }
        if self.shadow {
            put("shadow", true.into());
        }
        object
    }

    /// For people: some lines, the first with the hook's name, each ending in a newline. What a terminal would act on is
    /// shown as an escape.
    pub fn explain(&self) -> String {
        let mut text = format!("{} on {}\n", visible::line(self.hook.as_str()), self.event);
        match &self.selection {
            Selection::Matched => text.push_str("  matcher   passed\n"),
            Selection::NotMatched(mismatch) => {
                let why = visible::line(&mismatch.to_string()).into_owned();
                let _ = writeln!(text, "  matcher   not passed: {why}");
            }
            Selection::NotReached => text.push_str("  not run   an earlier hook ended the chain\n"),
        }
        if let Some(run) = &self.run {
            run.explain(&mut text);
            let would = if self.shadow && self.effect != Effect::None { "would be " } else { "" };
            let effect = visible::block(&self.effect.to_string(), INDENT);
            let _ = writeln!(text, "  effect    {would}{effect}");
        } else if self.effect != Effect::None {
            let _ = writeln!(text, "  effect    {}", visible::block(&self.effect.to_string(), INDENT));
        }
        for warning in &self.warnings {
            let _ = writeln!(text, "  warning   {}", visible::block(warning, INDENT));
        }
        text
    }
}

impl RunRecord {
    fn to_json(&self) -> Value {
        let reading = &self.reading;
        let missing: Vec<_> =
            self.missing.iter().map(|it| json!({"kind": it.kind.name(), "name": it.name})).collect();
        json!({
            "status": self.status, "end": self.end.to_string(),
            "stdout": String::from_utf8_lossy(&self.stdout), "stderr": String::from_utf8_lossy(&self.stderr),
            "duration_us": u64::try_from(self.duration.as_micros()).unwrap_or(u64::MAX),
            "commands": self.usage.commands, "operations": self.usage.operations, "missing": missing,
            "decision": reading.verdict.name(), "reason": reading.reason, "user_message": reading.user_message,
            "specific": reading.specific, "rule": reading.rule,
        })
    }

    fn explain(&self, text: &mut String) {
        let end = match &self.end {
            Ended::Exited => format!("exit status {}", self.status),
            other => visible::block(&other.to_string(), INDENT),
        };
        let _ = writeln!(
            text,
            "  ran       {end}, {:.3} ms, {} commands",
            self.duration.as_secs_f64() * 1000.0,
            self.usage.commands
        );
        for (name, bytes) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !bytes.is_empty() {
                let shown = String::from_utf8_lossy(bytes);
                let mut lines =
                    shown.lines().map(|line| visible::line(super::json::cut(line, 200)).into_owned());
                let _ = writeln!(text, "  {name}    {}", lines.next().unwrap_or_default());
                for line in lines.take(20) {
                    let _ = writeln!(text, "{INDENT}{line}");
                }
            }
        }
        for missing in &self.missing {
            let _ = writeln!(text, "  missing   {}", visible::line(&missing.to_string()));
        }
        let reason = self
            .reading
            .reason
            .as_deref()
            .map(|reason| format!(": {}", visible::block(reason, INDENT)))
            .unwrap_or_default();
        let _ = writeln!(text, "  decided   {}{reason}", self.reading.verdict.name());
        let _ = writeln!(text, "  by rule   {}", self.reading.rule);
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Rewrote(parts) => write!(f, "rewrote {}", parts.join(", ")),
            Self::Ignored(why) => write!(f, "ignored: {why}"),
            Self::Blocked { reason, .. } => write!(f, "blocked: {reason}"),
        }
    }
}
