//! One firing (4.2, 4.4 and 5 of the contract): what the hooks changed so far, and what their verdicts do.

use super::bundle::{EverrunsBundle, Extra, OnError};
use super::event::EventName;
use super::payload::{BASE, Envelope, file_path};
use super::result::{EverrunsResult, PostTool, PromptGate, ToolGate};
use super::{log, output};
use crate::hook::chain::{Fired, Firing};
use crate::hook::contract::{Absorbed, Bundle, Chain, Delivery, Flow};
use crate::hook::decision::{Block, Decision, Reading, Verdict};
use crate::hook::dialect::result::DialectResult;
use crate::hook::event::{Event, Moment, ToolCall};
use crate::hook::hooks::{Hook, HookOf};
use crate::hook::id::HookId;
use crate::hook::json::Json;
use crate::hook::matcher::Mismatch;
use crate::hook::record::{Effect, HookRecord, LogRecord, Phase};
use crate::hook::runner::{HookFuture, HookRunner};
use crate::hook::script::{Ended, ScriptOutcome};
use crate::text::Text;
use crate::utility::Environment;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// What a verdict did, and what to warn of.
type Did = (Effect, Flow, Option<String>);

pub(super) struct EverrunsChain<'a> {
    bundle: &'a EverrunsBundle,
    event: &'a Event,
    host: &'a dyn HookRunner,
    name: EventName,
    envelope: Envelope,
    /// The event's moment with what hooks changed so far.
    moment: Moment,
    /// Variables that all hooks of the chain have alike.
    environment: Arc<crate::memory::Vec<(Text, Text)>>,
    decision: Decision,
    /// When the first payload was delivered.
    delivered: Option<Duration>,
}

impl<'a> EverrunsChain<'a> {
    fn new(bundle: &'a EverrunsBundle, name: EventName, firing: &Firing<'a>) -> Self {
        let (event, host, now) = (firing.event, firing.host, firing.now);
        Self {
            bundle,
            event,
            host,
            name,
            envelope: Envelope::new(name, now),
            moment: event.moment.clone(),
            environment: Arc::new(common_environment(bundle, event, name).into()),
            decision: Decision::default(),
            delivered: None,
        }
    }

    /// R19 to R21.
    fn environment(&self, hook: &Hook, extra: &Extra, payload: Text, path: Text) -> Environment {
        let [payload_json, payload_path, _, id, ..] = &self.bundle.variables.0;
        let own = crate::memory::vec![
            (payload_json.clone(), payload),
            (payload_path.clone(), path),
            (id.clone(), Text::from(hook.id.as_str())),
        ];
        let mut all = Environment::sharing(Arc::clone(&self.environment), own);
        for (name, value) in &extra.environment {
            all.set(name.clone(), value.clone());
        }
        all
    }

    fn block(&mut self, hook: &HookId, reason: String, user_message: Option<String>) -> Did {
        (Effect::block(&mut self.decision, hook, reason, user_message), Flow::Stop, None)
    }

    fn blocked(&mut self, hook: &Hook, reading: &Reading) -> Did {
        let reason = reading.reason.clone().unwrap_or_default();
        if self.name.row().blocks {
            return self.block(&hook.id, reason, reading.user_message.clone());
        }
        let warning = format!("block ignored, {} can not be blocked: {reason}", self.name.name());
        ignored("R42, R44: this event can not be blocked", Some(warning))
    }

    /// 4.4: what an executor error does.
    fn failed(&mut self, hook: &Hook, policy: OnError, reading: &Reading) -> Did {
        let message = reading.reason.as_deref().unwrap_or("hook failed");
        match (policy, &mut self.moment) {
            (OnError::Block, _) if self.name.row().blocks => {
                self.block(&hook.id, format!("hook {} errored: {message}", hook.id), None)
            }
            (OnError::Block, Moment::ToolCallEnded { error, .. }) => {
                *error = Some(format!("hook {}: {message}", hook.id));
                self.changed(hook, vec!["error"])
            }
            (OnError::Block, _) => ignored("4.4: an error changes nothing on this event", None),
            (OnError::Warn, _) => ignored("4.4: on_error is warn", Some(message.to_owned())),
            (OnError::Allow, _) => ignored("4.4: on_error is allow", None),
        }
    }

    fn changed(&mut self, hook: &Hook, parts: Vec<&'static str>) -> Did {
        self.envelope.changed();
        self.decision.rewritten_by.push(hook.id.clone());
        (Effect::Rewrote(parts), Flow::Continue, None)
    }

    /// 4.2: what a patch does.
    fn patched(&mut self, hook: &Hook, patch: Option<&Value>) -> Did {
        let member = |name: &str| patch.and_then(|patch| patch.get(name));
        let mut parts = Vec::new();
        match &mut self.moment {
            Moment::ToolCallStarting(call) => {
                if let Some(Value::Object(arguments)) = member("arguments") {
                    merge(&mut call.arguments, arguments);
                    parts.push("arguments");
                }
            }
            Moment::PromptSubmitted { message, .. } => {
                if let Some(Value::String(text)) = member("message") {
                    *message = Arc::from(text.as_str());
                    parts.push("message");
                }
            }
            Moment::ToolCallEnded { result, error, .. } => {
                if let Some(new) = member("result") {
                    *result = Some(Json::from(new.clone()));
                    parts.push("result");
                }
                if let Some(Value::String(text)) = member("error") {
                    *error = Some(text.clone());
                    parts.push("error");
                }
                if let Some(Value::String(text)) = member("additional_context") {
                    *result = Some(with_context(result.take(), text));
                    self.decision.contexts.push(text.clone());
                    parts.push("hook_context");
                }
            }
            _ => {
                let warning = format!("patch ignored, {} changes nothing", self.name.name());
                return ignored("R44: this event changes nothing", Some(warning));
            }
        }
        if parts.is_empty() {
            return ignored("R37: the patch has none of the accepted keys", None);
        }
        self.changed(hook, parts)
    }
}

/// R19 and those of R20 that do not depend on the hook.
fn common_environment(bundle: &EverrunsBundle, event: &Event, name: EventName) -> Vec<(Text, Text)> {
    let [_, _, event_name, _, session, turn, tool, call_id, _] = &bundle.variables.0;
    let mut all = Vec::with_capacity(BASE.len() + 5);
    all.extend(BASE.map(|(name, value)| (Text::from_static(name), Text::from_static(value))));
    all.push((event_name.clone(), Text::from_static(name.name().as_bytes())));
    all.push((session.clone(), Text::from(event.context.session_id.as_str())));
    all.extend(event.context.turn_id.as_deref().map(|id| (turn.clone(), Text::from(id))));
    if let Some(of) = event.tool_call() {
        all.push((tool.clone(), Text::from(&*of.name)));
        all.push((call_id.clone(), Text::from(&*of.id)));
    }
    all
}

fn ignored(why: &'static str, warning: Option<String>) -> Did {
    (Effect::Ignored(why), Flow::Continue, warning)
}

/// A shallow merge; arguments that are not an object are replaced.
fn merge(arguments: &mut Json, patch: &Map<String, Value>) {
    match arguments.make_mut() {
        Value::Object(object) => {
            object.extend(patch.iter().map(|(name, value)| (name.clone(), value.clone())));
        }
        other => *other = Value::Object(patch.clone()),
    }
}

/// `result` with the key `hook_context` (4.2).
fn with_context(result: Option<Json>, text: &str) -> Json {
    let mut object = match result.map(Json::into_value) {
        None => Map::new(),
        Some(Value::Object(object)) => object,
        Some(other) => Map::from_iter([("value".to_owned(), other)]),
    };
    object.insert("hook_context".to_owned(), text.into());
    Json::from(Value::Object(object))
}

impl<'a> Chain<'a> for EverrunsChain<'a> {
    type Extra = Extra;
    /// Time and bytes of output.
    type Terms = (Duration, u64);
    type Answer = Reading;

    fn event_name(&self) -> &'static str {
        self.name.name()
    }

    fn select(&mut self, of: HookOf<'a, Extra>) -> Result<(), Mismatch> {
        let Some(call) = self.event.tool_call() else { return Ok(()) };
        let current = self.moment.tool_call().unwrap_or(call);
        of.extra.matcher.test(&call.name, &current.arguments)
    }

    fn deliver(&mut self, of: HookOf<'a, Extra>) -> Result<Delivery, Ended> {
        of.hook.check_size()?;
        let payload = self.envelope.text(self.event, &self.moment, &of.extra.id_json);
        let now = *self.delivered.get_or_insert_with(|| self.host.now());
        let path = file_path(&of.extra.safe_id, now, self.host);
        Ok(Delivery {
            environment: self.environment(of.hook, of.extra, payload.clone(), path.clone()),
            stdin: payload,
            payload_file: Some(path),
            ..Delivery::default()
        })
    }

    fn terms(&self, of: HookOf<'a, Extra>) -> Self::Terms {
        (of.hook.timeout, of.hook.capture.total)
    }

    fn read((timeout, cap): Self::Terms, outcome: &ScriptOutcome) -> Reading {
        output::read(outcome, timeout, cap)
    }

    fn absorb(&mut self, of: HookOf<'a, Extra>, _: &ScriptOutcome, reading: Reading) -> Absorbed {
        let (effect, flow, warning) = match reading.verdict {
            Verdict::Block => self.blocked(of.hook, &reading),
            Verdict::Error => self.failed(of.hook, of.extra.on_error, &reading),
            Verdict::Mutate => self.patched(of.hook, reading.specific.as_deref()),
            _ if reading.specific.is_some() => ignored("R36: a patch needs decision mutate", None),
            _ => (Effect::None, Flow::Continue, None),
        };
        Absorbed { reading, effect, flow, warnings: warning.into_iter().collect() }
    }

    fn refuse(&mut self, hook: &HookId, reason: &str) -> Option<Flow> {
        self.name.row().blocks.then(|| self.block(hook, reason.to_owned(), None).1)
    }

    fn finish(mut self) -> (Decision, DialectResult) {
        let changed = !self.decision.rewritten_by.is_empty();
        let mutated_by = self.decision.rewritten_by.clone();
        let blocked = self.decision.blocked.clone();
        let result = match self.moment {
            Moment::ToolCallStarting(ToolCall { arguments, .. }) => {
                self.decision.arguments = changed.then(|| arguments.clone());
                EverrunsResult::Tool(match blocked {
                    None => ToolGate::Proceed { arguments, mutated_by },
                    Some(Block { hook, reason, user_message }) => {
                        ToolGate::Blocked { hook, reason, user_message, arguments }
                    }
                })
            }
            Moment::PromptSubmitted { message, .. } => {
                let message = message.as_ref().to_owned();
                self.decision.message = changed.then(|| message.clone());
                EverrunsResult::Prompt(match blocked {
                    None => PromptGate::Proceed { message, mutated: changed },
                    Some(Block { hook, reason, user_message }) => {
                        PromptGate::Blocked { hook, reason, user_message }
                    }
                })
            }
            Moment::ToolCallEnded { result, error, .. } => {
                if changed {
                    self.decision.result.clone_from(&result);
                    self.decision.error.clone_from(&error);
                }
                EverrunsResult::Post(PostTool { result: result.unwrap_or_default(), error })
            }
            _ => EverrunsResult::Lifecycle,
        };
        (self.decision, DialectResult::Everruns(result))
    }
}

impl Bundle for EverrunsBundle {
    fn hooks(&self) -> &[Hook] {
        self.hooks.all()
    }

    fn fire<'a>(&'a self, firing: Firing<'a>) -> Option<HookFuture<'a, Fired>> {
        let name = EventName::at(&firing.event.moment)?;
        let chain = EverrunsChain::new(self, name, &firing);
        Some(firing.run(&self.hooks, chain))
    }

    fn log(&self, phase: Phase, record: &HookRecord) -> Vec<LogRecord> {
        log::records(phase, record)
    }
}
