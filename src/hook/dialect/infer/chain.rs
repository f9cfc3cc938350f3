//! One firing (3 to 5 of the contract): every due hook passes the gate or is skipped, runs, and is recorded. Nothing stops
//! the next one.

use super::bundle::{Extra, InferBundle};
use super::event::Point;
use super::result::{InferRecord, InferResult, NOT_ALLOWLISTED};
use super::{log, payload};
use crate::hook::chain::{Fired, Firing};
use crate::hook::contract::{Absorbed, Bundle, Chain, Delivery, Flow};
use crate::hook::decision::{Decision, Reading, Verdict};
use crate::hook::dialect::infer::reminder::due::Sessions;
use crate::hook::dialect::result::DialectResult;
use crate::hook::event::{Event, Moment};
use crate::hook::hooks::{Hook, HookOf};
use crate::hook::id::HookId;
use crate::hook::json::{Json, cut};
use crate::hook::matcher::Mismatch;
use crate::hook::record::{Effect, HookRecord, LogRecord, Phase};
use crate::hook::runner::{HookFuture, HookRunner};
use crate::hook::script::{Ended, ScriptOutcome};
use crate::text::Text;
use serde::Serialize;
use std::time::Duration;

/// Bytes of output in a record (R19).
const SHOWN_BYTES: usize = 4096;
const TRUNCATED: &str = "\n... (truncated)";

/// What reading depends on beside the outcome.
pub(super) struct Terms {
    turn: u64,
    timeout: Duration,
}

/// What a run came to.
#[derive(Serialize)]
pub(super) struct Ran {
    turn: u64,
    exit_code: i32,
    duration_ms: u64,
    output: String,
    error: String,
}

pub(super) struct InferChain<'a> {
    bundle: &'a InferBundle,
    event: &'a Event,
    point: Point,
    payload: Text,
    result: InferResult,
    /// Reminders that are due and had no room.
    left_out: Vec<String>,
}

impl<'a> InferChain<'a> {
    fn new(bundle: &'a InferBundle, event: &'a Event, point: Point, host: &'a dyn HookRunner) -> Self {
        let mut chain = Self {
            bundle,
            event,
            point,
            payload: payload::text(event, point),
            result: InferResult::default(),
            left_out: Vec::new(),
        };
        if !bundle.reminders.is_empty() && not_dispatched(event).is_none() {
            let mode = chain.mode();
            let due = host.state().with(|all: &mut Sessions| all.due(&bundle.reminders, event, point, mode));
            (chain.result.reminders, chain.left_out) = (due.reminders, due.left_out);
        }
        chain
    }

    /// The mode in force at this moment (R31).
    fn mode(&self) -> &'a str {
        self.event.context.permission_mode.as_deref().unwrap_or(&self.bundle.mode)
    }
}

/// Why the point is not dispatched at all: no call of the batch is left, or the run did not finish normally (2).
fn not_dispatched(event: &Event) -> Option<&'static str> {
    match &event.moment {
        Moment::ToolBatchStarting { calls } if calls.is_empty() => {
            Some("2: every call of the batch was refused")
        }
        Moment::SessionEnded { reason } if !is_normal(reason) => Some("2: the run did not finish normally"),
        _ => None,
    }
}

/// Whether a reason for the end of a session is that the run finished: not that it was stopped, failed, or ran out of turns.
fn is_normal(reason: &str) -> bool {
    let reason = reason.to_ascii_lowercase();
    let others =
        ["cancel", "abort", "interrupt", "kill", "error", "fail", "limit", "max_turns", "max_iterations"];
    !others.iter().any(|other| reason.contains(other))
}

impl<'a> Chain<'a> for InferChain<'a> {
    type Extra = Extra;
    type Terms = Terms;
    type Answer = Ran;

    fn event_name(&self) -> &'static str {
        self.point.name()
    }

    fn select(&mut self, of: HookOf<'a, Extra>) -> Result<(), Mismatch> {
        if let Some(why) = not_dispatched(self.event) {
            return Err(Mismatch::Never(why));
        }
        let mode = self.mode();
        let Err(hint) = self.bundle.allow_list.check_verdict(&of.extra.verdict, mode) else { return Ok(()) };
        let (name, command) = (of.extra.name.clone(), of.extra.command.clone());
        tracing::warn!(target: "hookbox::hook", name, hook = self.point.name(), command, mode, reason = NOT_ALLOWLISTED, hint, "hook skipped");
        self.result.records.push(InferRecord::Skipped {
            name,
            hook: self.point.name(),
            command,
            mode: mode.to_owned(),
            reason: NOT_ALLOWLISTED,
            hint: hint.clone(),
        });
        Err(Mismatch::Refused { reason: NOT_ALLOWLISTED, hint, mode: mode.to_owned() })
    }

    fn deliver(&mut self, of: HookOf<'a, Extra>) -> Result<Delivery, Ended> {
        of.hook.check_size()?;
        let cwd = self.event.context.cwd.as_deref().map(Text::from);
        Ok(Delivery { stdin: self.payload.clone(), cwd, ..Delivery::default() })
    }

    fn terms(&self, of: HookOf<'a, Extra>) -> Terms {
        Terms { turn: payload::turn(self.event), timeout: of.hook.timeout }
    }

    fn read(Terms { turn, timeout }: Terms, outcome: &ScriptOutcome) -> Ran {
        let (exit_code, error) = exit(outcome, timeout.as_secs());
        let duration_ms = u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX);
        Ran { turn, exit_code, duration_ms, output: output(outcome), error }
    }

    fn absorb(&mut self, of: HookOf<'a, Extra>, _: &ScriptOutcome, ran: Ran) -> Absorbed {
        let verdict = if ran.exit_code == -1 { Verdict::Error } else { Verdict::NoOpinion };
        let reading = Reading {
            reason: (!ran.error.is_empty()).then(|| ran.error.clone()),
            specific: serde_json::to_value(&ran).ok().map(Json::from),
            ..Reading::of(verdict, "R16: recorded and nothing else")
        };
        let Ran { turn, exit_code, duration_ms, output, error } = ran;
        self.result.records.push(InferRecord::Ran {
            name: of.extra.name.clone(),
            hook: self.point.name(),
            command: of.extra.command.clone(),
            turn,
            exit_code,
            duration_ms,
            output,
            error,
        });
        Absorbed { reading, effect: Effect::None, flow: Flow::Continue, warnings: Vec::new() }
    }

    /// No event of this dialect can be blocked.
    fn refuse(&mut self, _: &HookId, _: &str) -> Option<Flow> {
        None
    }

    fn logs(&mut self) -> Vec<LogRecord> {
        let (point, turn) = (self.point.name(), payload::turn(self.event));
        let mut logs = log::reminders(&self.result.reminders, point, turn);
        logs.extend(self.left_out.iter().map(|name| log::left_out(name, point, turn)));
        logs
    }

    fn finish(self) -> (Decision, DialectResult) {
        let contexts = self.result.reminders.iter().map(|reminder| reminder.text.clone()).collect();
        (Decision { contexts, ..Decision::default() }, DialectResult::Infer(self.result))
    }
}

/// R17, R18. A script that is not valid ends as bash ends it: with status 2 and a message.
fn exit(outcome: &ScriptOutcome, seconds: u64) -> (i32, String) {
    match &outcome.end {
        Ended::Exited if outcome.status == 0 => (0, String::new()),
        Ended::Exited => (outcome.status, format!("exit status {}", outcome.status)),
        Ended::Syntax(_) => (2, "exit status 2".to_owned()),
        Ended::TimedOut => (-1, format!("timed out after {seconds}s")),
        other => (-1, other.to_string()),
    }
}

/// R19, R20.
fn output(outcome: &ScriptOutcome) -> String {
    // Four bytes of text for three of rubbish at most: enough is looked at.
    let shown = |bytes: &[u8]| {
        let start = bytes.get(..SHOWN_BYTES.saturating_add(4)).unwrap_or(bytes);
        String::from_utf8_lossy(start).into_owned()
    };
    let mut text = shown(&outcome.stdout);
    if text.len() <= SHOWN_BYTES {
        text.push_str(&shown(&outcome.stderr)); // empty but for a script that is not valid
    }
    if text.len() > SHOWN_BYTES {
        text.truncate(cut(&text, SHOWN_BYTES).len());
        text.push_str(TRUNCATED);
    }
    text
}

impl Bundle for InferBundle {
    fn hooks(&self) -> &[Hook] {
        self.hooks.all()
    }

    fn fire<'a>(&'a self, firing: Firing<'a>) -> Option<HookFuture<'a, Fired>> {
        let point = Point::of(&firing.event.moment)?;
        let chain = InferChain::new(self, firing.event, point, firing.host);
        Some(firing.run(&self.hooks, chain))
    }

    fn log(&self, phase: Phase, record: &HookRecord) -> Vec<LogRecord> {
        let of = self.hooks.get(record.index);
        of.and_then(|of| log::record(phase, record, of.extra)).into_iter().collect()
    }
}
