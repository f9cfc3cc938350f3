//! One firing (3, 4.4 and 5 of the contract): which hooks run, what they get, and what a verdict or a failure does.

use super::builtin;
use super::event::EventName;
use super::fold::{Fold, Permission, merged};
use super::lane::{Lanes, Pass};
use super::output::{self, Terms};
use super::payload::{self, Current};
use super::{Action, DockerAgentBundle, Extra, OnError, expand, log, model};
use crate::hook::decision::{Decision, DialectResult, Reading, Verdict};
use crate::hook::dialect::{Absorbed, Chain, Delivery, Flow, Handler, Hook, Order, Work};
use crate::hook::event::Event;
use crate::hook::json::Json;
use crate::hook::matcher::Mismatch;
use crate::hook::record::{Effect, LogRecord};
use crate::hook::runner::{Ended, HookRunner, ScriptOutcome};
use crate::text::Text;
use rustc_hash::FxHashSet;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

pub(super) struct DockerAgentChain<'a> {
    bundle: &'a DockerAgentBundle,
    event: &'a Event,
    name: EventName,
    now: Duration,
    host: &'a dyn HookRunner,
    agent: Option<&'a str>,
    tool: String,
    lanes: Lanes,
    /// Pass and number of hooks that were selected (R20).
    selected: FxHashSet<(Pass, usize)>,
    /// The payload for what was rewritten so far, and its text.
    payload: Option<Arc<Map<String, Value>>>,
    payload_text: Option<Text>,
    fold: Fold,
    /// Hooks that were looked at, and that ran.
    considered: usize,
    ran: usize,
}

impl<'a> DockerAgentChain<'a> {
    pub(super) fn new(
        bundle: &'a DockerAgentBundle,
        event: &'a Event,
        name: EventName,
        now: Duration,
        host: &'a dyn HookRunner,
    ) -> Self {
        let fact = |key: &str| event.facts.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let of_call = event.tool_call().map(|call| &*call.name);
        Self {
            bundle,
            event,
            name,
            now,
            host,
            agent: bundle.agent(event),
            tool: fact("tool_name").or(of_call).unwrap_or_default().to_owned(),
            lanes: Lanes::new(event, name),
            selected: FxHashSet::default(),
            payload: None,
            payload_text: None,
            fold: Fold::new(name),
            considered: 0,
            ran: 0,
        }
    }

    fn parts(&self, hook: usize) -> Option<(&'a Hook, &'a Extra)> {
        self.bundle.hooks.get(hook).zip(self.bundle.extras.get(hook))
    }

    /// The call's arguments as the event has them.
    fn own_input(&self) -> Option<&Json> {
        self.event.tool_call().map(|call| &call.arguments)
    }

    /// What the platform's runtime calls the working directory.
    fn runtime_directory(&self) -> Option<Text> {
        let of_event = self.event.context.cwd.as_deref().filter(|cwd| !cwd.is_empty());
        of_event.map(Text::from).or_else(|| self.host.cwd().cloned())
    }

    /// R9; the error is why there is none.
    fn directory(&self, extra: &Extra) -> Result<Option<Text>, String> {
        let tree = self.event.facts.get("worktree_path").and_then(Value::as_str);
        let is_created = |tree: &&str| self.name == EventName::WorktreeCreate && !tree.is_empty();
        let tree = tree.filter(is_created).map(Text::from);
        let is_tree = tree.is_some();
        // A directory of another machine, in a payload that was recorded there, is not this session's.
        let of_session = || self.host.cwd().cloned();
        let base = match tree.or_else(|| self.runtime_directory()) {
            Some(base) if is_tree || self.is_directory(&base) => Some(base),
            Some(base) => of_session().or(Some(base)),
            None => None,
        };
        let directory = match &extra.working_dir {
            None => base,
            Some(text) => {
                let base = base.unwrap_or_else(|| Text::from_static(b"/"));
                Some(Text::from(expand::directory(text, &base, self.host)))
            }
        };
        match directory {
            Some(directory) if (is_tree || extra.working_dir.is_some()) && !self.is_directory(&directory) => {
                Err(format!("{}: no such directory", directory.to_string_lossy()))
            }
            other => Ok(other),
        }
    }

    /// Where the session has no files to ask, every directory is taken.
    fn is_directory(&self, at: &[u8]) -> bool {
        self.host.files().is_none_or(|files| files.metadata(at).is_ok_and(|metadata| metadata.is_directory()))
    }

    /// R21: with the rewrites so far.
    fn payload(&mut self) -> Arc<Map<String, Value>> {
        if let Some(payload) = &self.payload {
            return Arc::clone(payload);
        }
        let merge = self.bundle.settings.merge_updated_input;
        let input = self.fold.input().map(|input| merged(input.clone(), self.own_input(), merge));
        let current = Current {
            input: input.map(|input| Json::from(Value::Object(input))),
            response: self.fold.response().cloned(),
            messages: self.fold.messages().cloned(),
        };
        let payload = Arc::new(payload::value(self.event, self.name, &current, self.host.cwd()));
        self.payload = Some(Arc::clone(&payload));
        payload
    }

    fn payload_text(&mut self) -> Text {
        if let Some(text) = &self.payload_text {
            return text.clone();
        }
        let text = payload::text(&self.payload());
        self.payload_text = Some(text.clone());
        text
    }

    /// R10: what the hook adds to the session's environment.
    fn environment(&self, extra: &Extra) -> Vec<(Text, Text)> {
        let pairs = extra.environment.iter();
        pairs
            .map(|(name, value)| (Text::from(name.as_str()), Text::from(expand::value(value, self.host))))
            .collect()
    }

    fn command(&mut self, hook: &Hook, extra: &Extra) -> Result<Delivery, String> {
        if let Handler::Script { script, .. } = &hook.handler
            && script.source().len() as u64 > hook.limits.script_bytes
        {
            return Err(format!("the command is longer than {} bytes", hook.limits.script_bytes));
        }
        let environment = self.environment(extra);
        let cwd = self.directory(extra)?;
        Ok(Delivery {
            environment: crate::memory::Vec::from(environment).into(),
            stdin: self.payload_text(),
            cwd,
            ..Delivery::default()
        })
    }

    fn builtin(&mut self, extra: &Extra, name: &str, args: &[String]) -> Result<Work, String> {
        let payload = self.payload();
        let cwd = self.directory(extra)?.unwrap_or_else(|| Text::from_static(b"/"));
        Ok(builtin::work(&builtin::Call {
            name,
            args,
            event: self.name,
            payload: &payload,
            cwd: &cwd,
            environment: &self.environment(extra),
            has_directory: extra.working_dir.is_some(),
            now: self.now,
            host: self.host,
            settings: &self.bundle.settings,
            redactor: self.bundle.redactor.as_ref(),
            category: self.event.facts.get("tool_category").and_then(Value::as_str),
        }))
    }

    fn work(&mut self, hook: &Hook, extra: &Extra) -> Result<Delivery, String> {
        let work = match &extra.action {
            Action::Command => return self.command(hook, extra),
            Action::Builtin { name, args } => self.builtin(extra, name, args)?,
            action @ Action::Model { .. } => {
                let payload = self.payload();
                model::request(action, &payload).map_or(Ok(Work::Run), |request| request.map(Work::Ask))?
            }
        };
        Ok(Delivery { work, ..Delivery::default() })
    }

    fn terms(&self, hook: &'a Hook, extra: &'a Extra) -> Terms<'a> {
        let settings = &self.bundle.settings;
        Terms {
            event: self.name,
            preempt: extra.preempt,
            strict: extra.strict,
            lenient: settings.lenient_exit_codes,
            context: self.name.takes_context(settings.legacy_context_events),
            display: &extra.display,
            timeout: hook.timeout,
            capture: hook.capture,
        }
    }

    /// 5.3, R25.
    fn failed(&mut self, hook: &Hook, extra: &Extra, reading: &Reading) -> Absorbed {
        let cause = reading.reason.as_deref().unwrap_or("unknown cause");
        let text =
            format!("{} hook failed to execute: hook \"{}\": {cause}", self.name.name(), extra.display);
        let closes = extra.on_error == OnError::Block && self.name.can_block();
        if self.name.fails_closed() || closes {
            self.fold.block(&hook.id, &extra.display, &text);
            self.fold.fail_closed();
            let effect = Effect::Blocked { reason: text.clone(), user_message: None };
            return Absorbed { effect, flow: Flow::Continue, warning: Some(text) };
        }
        if extra.on_error == OnError::Ignore {
            return Absorbed {
                effect: Effect::Ignored("5.3: on_error is ignore"),
                flow: Flow::Continue,
                warning: None,
            };
        }
        self.fold.warn(&text);
        let effect = Effect::Ignored("5.3: a failure is told to the user and changes nothing");
        Absorbed { effect, flow: Flow::Continue, warning: Some(text) }
    }

    /// 4.4.
    fn judged(&mut self, hook: &Hook, extra: &Extra, reading: &Reading) -> Effect {
        let reason = reading.reason.as_deref().unwrap_or_default();
        match reading.verdict {
            Verdict::Block => {
                self.fold.block(&hook.id, &extra.display, reason);
                Effect::Blocked { reason: reason.to_owned(), user_message: reading.user_message.clone() }
            }
            Verdict::Allow if extra.preempt => Effect::Ignored("R30: an allow of stage 0 is advisory"),
            Verdict::Allow | Verdict::Ask if self.name.takes_permission() => {
                let permission =
                    if reading.verdict == Verdict::Ask { Permission::Ask } else { Permission::Allow };
                self.fold.permit(permission, reason);
                if extra.preempt && permission == Permission::Ask {
                    self.fold.force_prompt();
                }
                Effect::None
            }
            _ => Effect::None,
        }
    }
}

impl Chain for DockerAgentChain<'_> {
    fn event_name(&self) -> &'static str {
        self.name.name()
    }

    fn order(&self) -> Order {
        // The last hook of a session takes files away that the others may read.
        let in_turn = self.name.is_sequential() || self.name == EventName::SessionEnd;
        if in_turn { Order::Sequential } else { Order::Parallel }
    }

    fn select(&mut self, hook: usize) -> Result<(), Mismatch> {
        let Some((_, extra)) = self.parts(hook) else { return Err(Mismatch::Never("no such hook")) };
        self.considered += 1;
        let (rewritten, blocked) = (self.fold.input().is_some(), self.fold.blocks());
        let pass = self.lanes.enter(extra.preempt, rewritten, blocked);
        if extra.agent.as_deref().is_some_and(|agent| Some(agent) != self.agent) {
            return Err(Mismatch::Never("the hook is another agent's"));
        }
        if let Some(matcher) = &extra.matcher
            && !matcher.regex.is_match(&self.tool)
        {
            return Err(Mismatch::Name { wanted: matcher.text.to_string(), found: self.tool.clone() });
        }
        if !self.selected.insert((pass.map_err(Mismatch::Never)?, extra.twin)) {
            return Err(Mismatch::Never("R20: equal to a hook before it"));
        }
        Ok(())
    }

    fn deliver(&mut self, hook: usize, _: &dyn HookRunner) -> Result<Delivery, Ended> {
        let Some((hook, extra)) = self.parts(hook) else {
            return Err(Ended::NotStarted("no such hook".to_owned()));
        };
        self.work(hook, extra).map_err(Ended::NotStarted)
    }

    fn read(&self, hook: usize, outcome: &ScriptOutcome) -> Reading {
        let Some((hook, extra)) = self.parts(hook) else {
            return output::failure(outcome, "no such hook", "4.1: could not run");
        };
        let terms = self.terms(hook, extra);
        match &extra.action {
            Action::Command => output::read(terms, outcome),
            Action::Model { judges, .. } => model::read(terms, *judges, outcome),
            Action::Builtin { name, .. } => match builtin::answer(name, outcome) {
                None => output::read(terms, outcome),
                Some(Ok(outcome)) => output::read(terms, &outcome),
                Some(Err(reading)) => reading,
            },
        }
    }

    fn absorb(&mut self, hook: usize, reading: &Reading) -> Absorbed {
        let Some((hook, extra)) = self.parts(hook) else {
            return Absorbed { effect: Effect::None, flow: Flow::Continue, warning: None };
        };
        self.ran += 1;
        let parts = self.fold.take(&hook.id, reading);
        if !parts.is_empty() {
            (self.payload, self.payload_text) = (None, None);
        }
        let mut absorbed = if reading.verdict == Verdict::Error {
            self.failed(hook, extra, reading)
        } else {
            let effect = self.judged(hook, extra, reading);
            Absorbed { effect, flow: Flow::Continue, warning: notice(self.name, extra, reading) }
        };
        if extra.preempt {
            let came_to = if self.fold.blocks() { Some(Permission::Deny) } else { self.fold.permission() };
            self.lanes.stage_zero(came_to);
        }
        if absorbed.effect == Effect::None && !parts.is_empty() {
            absorbed.effect = Effect::Rewrote(parts);
        } else if absorbed.effect == Effect::None && ignored(reading) {
            absorbed.effect = Effect::Ignored("R17: not supported on this event");
        }
        absorbed
    }

    fn logs(&mut self) -> Vec<LogRecord> {
        if self.considered == 0 {
            return Vec::new();
        }
        let result = self.fold.result(self.own_input(), self.bundle.settings.merge_updated_input);
        let with_content = self.bundle.settings.capture_content;
        vec![log::of_firing(self.name, self.ran, &result, with_content)]
    }

    fn finish(self: Box<Self>) -> (Decision, DialectResult) {
        let result = self.fold.result(self.own_input(), self.bundle.settings.merge_updated_input);
        (self.fold.decision(&result), DialectResult::DockerAgent(Box::new(result)))
    }
}

fn ignored(reading: &Reading) -> bool {
    reading.specific.as_ref().is_some_and(|specific| specific.get("ignored").is_some())
}

/// What the record should say beside the verdict: R17, R33, and what lenience let pass.
fn notice(event: EventName, extra: &Extra, reading: &Reading) -> Option<String> {
    if let Action::Builtin { name, .. } = &extra.action
        && let Some(warning) = builtin::warning(name, event)
    {
        return Some(warning);
    }
    if let Some(Value::Array(fields)) = reading.specific.as_ref().and_then(|specific| specific.get("ignored"))
    {
        let names: Vec<_> = fields.iter().filter_map(Value::as_str).collect();
        return Some(format!("ignored on {}: {}", event.name(), names.join(", ")));
    }
    let is_lenient = reading.verdict == Verdict::NoOpinion && reading.reason.is_some();
    reading.reason.clone().filter(|_| is_lenient)
}
