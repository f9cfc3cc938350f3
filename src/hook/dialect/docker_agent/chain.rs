//! One firing (3, 4.4 and 5 of the contract): which hooks run, what they get, and what a verdict or a failure does.

use super::bundle::{Action, DockerAgentBundle, Extra, OnError};
use super::event::EventName;
use super::fold::Fold;
use super::lane::{Lanes, Pass};
use super::output::{self, DockerAgentAnswer, OutputSource, Terms};
use super::payload::Payload;
use super::result::Permission;
use super::{builtin, expand, guard, log, model};
use crate::hook::chain::{Fired, Firing};
use crate::hook::contract::{Absorbed, Bundle, Chain, Delivery, Flow, Order, Work};
use crate::hook::decision::{Decision, Reading, Verdict};
use crate::hook::dialect::result::DialectResult;
use crate::hook::event::Event;
use crate::hook::hooks::{Hook, HookOf};
use crate::hook::id::HookId;
use crate::hook::json::Json;
use crate::hook::matcher::Mismatch;
use crate::hook::record::{Effect, HookRecord, LogRecord, Phase};
use crate::hook::runner::{HookFuture, HookRunner};
use crate::hook::script::{Ended, ScriptOutcome};
use crate::hook::version::Part;
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
    tool: &'a str,
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

impl DockerAgentChain<'_> {
    /// On what rewritten arguments are laid: those so far, else the call's own where the setting asks for that.
    fn input(&self) -> Option<Json> {
        let own = || self.event.tool_call().map(|call| call.arguments.clone());
        self.fold
            .rewrites
            .input
            .clone()
            .or_else(|| own().filter(|_| self.bundle.settings.merge_updated_input))
    }

    /// R9; the error is why there is none.
    fn directory(&self, extra: &Extra) -> Result<Option<Text>, String> {
        let tree = self.event.facts.get("worktree_path").and_then(Value::as_str);
        let is_created = |tree: &&str| self.name == EventName::WorktreeCreate && !tree.is_empty();
        let tree = tree.filter(is_created).map(Text::from);
        let is_told = tree.is_some() || extra.working_dir.is_some();
        let of_event = self.event.context.cwd.as_deref().filter(|cwd| !cwd.is_empty()).map(Text::from);
        // A directory of another machine, in a payload that was recorded there, is not this session's.
        let is_here = |at: &Text| self.is_directory(at);
        let base = tree.or_else(|| of_event.clone().filter(is_here));
        let base = base.or_else(|| self.host.cwd().cloned()).or(of_event);
        let directory = match &extra.working_dir {
            None => base,
            Some(text) => {
                let base = base.unwrap_or_else(|| Text::from_static(b"/"));
                Some(Text::from(expand::directory(text, &base, self.host)))
            }
        };
        match directory {
            Some(at) if is_told && !self.is_directory(&at) => {
                Err(format!("{}: no such directory", at.to_string_lossy()))
            }
            other => Ok(other),
        }
    }

    /// Where the session has no files to ask, every directory is taken.
    fn is_directory(&self, at: &[u8]) -> bool {
        self.host.files().is_none_or(|files| files.metadata(at).is_ok_and(|metadata| metadata.is_directory()))
    }

    /// With the rewrites so far.
    fn current(&self) -> Payload<'_> {
        Payload {
            event: self.event,
            name: self.name,
            rewrites: &self.fold.rewrites,
            cwd: self.host.cwd(),
            shows_category: self.bundle.contract.since(Part::Payload, "tool_category").is_none(),
        }
    }

    /// For what looks at its members.
    fn payload(&mut self) -> Arc<Map<String, Value>> {
        let payload = self.payload.take().unwrap_or_else(|| Arc::new(self.current().value()));
        Arc::clone(self.payload.insert(payload))
    }

    fn payload_text(&mut self) -> Text {
        let text = self.payload_text.take().unwrap_or_else(|| self.current().text());
        self.payload_text.insert(text).clone()
    }

    /// R10: what the hook adds to the session's environment.
    fn environment(&self, extra: &Extra) -> Vec<(Text, Text)> {
        let pairs = extra.environment.iter();
        pairs
            .map(|(name, value)| (Text::from(name.as_str()), Text::from(expand::value(value, self.host))))
            .collect()
    }

    fn command(&mut self, hook: &Hook, extra: &Extra) -> Result<Delivery, String> {
        hook.check_size().map_err(|end| format!("the {end}"))?;
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
        let (payload, cwd) = (self.payload(), self.directory(extra)?);
        Ok(builtin::work(&builtin::BuiltinCall {
            name,
            args,
            event: self.name,
            fired: self.event,
            payload: &payload,
            cwd: cwd.as_deref().unwrap_or(b"/"),
            environment: &self.environment(extra),
            has_directory: extra.working_dir.is_some(),
            now: self.now,
            host: self.host,
            bundle: self.bundle,
        }))
    }

    fn work(&mut self, hook: &Hook, extra: &Extra) -> Result<Delivery, String> {
        let work = match &extra.action {
            Action::Command => return self.command(hook, extra),
            Action::Builtin { name, args } => match self.builtin(extra, name, args)? {
                Work::Run => return self.command(hook, extra),
                work => work,
            },
            Action::Evaluator(evaluator) => {
                let category = builtin::told_category(self.event).unwrap_or_default();
                Work::Ask(evaluator.request(self.name, &self.payload(), category))
            }
            Action::Model { model, template, system, schema } => {
                let payload = self.payload();
                Work::Ask(model::request(model, system.as_deref(), template, *schema, &payload)?)
            }
        };
        Ok(Delivery { work, ..Delivery::default() })
    }

    /// 5.3, R25.
    fn failed(&mut self, hook: &Hook, extra: &Extra, reading: &Reading) -> (Effect, Option<String>) {
        let (event, display) = (self.name, &extra.display);
        let text = if event.is_guard() {
            guard::refusal(event, display)
        } else {
            let cause = reading.reason.as_deref().unwrap_or("unknown cause");
            format!("{} hook failed to execute: hook \"{display}\": {cause}", event.name())
        };
        if event.fails_closed() || extra.on_error == OnError::Block && event.can_block() {
            self.fold.fail_closed(&hook.id, display, &text);
            return (Effect::Blocked { reason: text.clone(), user_message: None }, Some(text));
        }
        if extra.on_error == OnError::Ignore {
            return (Effect::Ignored("5.3: on_error is ignore"), None);
        }
        self.fold.warn(&text);
        (Effect::Ignored("5.3: a failure is told to the user and changes nothing"), Some(text))
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
                self.fold.prompt_forced |= extra.preempt && permission == Permission::Ask;
                Effect::None
            }
            _ => Effect::None,
        }
    }

    /// What the record should say beside the verdict: R17, R33, and what lenience let pass.
    fn notice(&self, extra: &Extra, reading: &Reading, ignored: &[&'static str]) -> Option<String> {
        if let Action::Builtin { name, .. } = &extra.action
            && let Some(warning) = builtin::warning(name, self.name, self.bundle.contract)
        {
            return Some(warning);
        }
        if !ignored.is_empty() {
            return Some(format!("ignored on {}: {}", self.name.name(), ignored.join(", ")));
        }
        let is_lenient = reading.verdict == Verdict::NoOpinion && reading.reason.is_some();
        reading.reason.clone().filter(|_| is_lenient)
    }
}

impl<'a> Chain<'a> for DockerAgentChain<'a> {
    type Extra = Extra;
    type Terms = Terms;
    type Answer = DockerAgentAnswer;

    fn event_name(&self) -> &'static str {
        self.name.name()
    }

    fn order(&self) -> Order {
        // The last hook of a session takes files away that the others may read.
        let in_turn = self.name.is_sequential() || self.name == EventName::SessionEnd;
        if in_turn { Order::Sequential } else { Order::Parallel }
    }

    fn select(&mut self, of: HookOf<'a, Extra>) -> Result<(), Mismatch> {
        let extra = of.extra;
        self.considered += 1;
        let (rewritten, blocked) = (self.fold.rewrites.input.is_some(), self.fold.blocks());
        let pass = self.lanes.enter(extra.preempt, rewritten, blocked);
        if extra.agent.as_deref().is_some_and(|agent| Some(agent) != self.agent) {
            return Err(Mismatch::Never("the hook is another agent's"));
        }
        if let Some(matcher) = &extra.matcher
            && !matcher.regex.is_match(self.tool)
        {
            return Err(Mismatch::Name { wanted: matcher.text.to_string(), found: self.tool.to_owned() });
        }
        if !self.selected.insert((pass.map_err(Mismatch::Never)?, extra.twin)) {
            return Err(Mismatch::Never("R20: equal to a hook before it"));
        }
        Ok(())
    }

    fn deliver(&mut self, of: HookOf<'a, Extra>) -> Result<Delivery, Ended> {
        self.work(of.hook, of.extra).map_err(Ended::NotStarted)
    }

    fn terms(&self, of: HookOf<'a, Extra>) -> Terms {
        let settings = &self.bundle.settings;
        Terms {
            event: self.name,
            source: match &of.extra.action {
                Action::Command => OutputSource::Command,
                Action::Model { schema, .. } => OutputSource::Model(*schema),
                Action::Evaluator(evaluator) => OutputSource::Evaluator(evaluator.clone()),
                Action::Builtin { name, .. } => OutputSource::Builtin(Arc::clone(name)),
            },
            preempt: of.extra.preempt,
            strict: of.extra.strict || self.name.routes(),
            knows_transitions: self.bundle.contract.since(Part::Way, "strict_transition").is_none(),
            lenient: settings.lenient_exit_codes,
            context: self.name.takes_context(settings.legacy_context_events),
            display: Arc::clone(&of.extra.display),
            input: self.input(),
            timeout: of.hook.timeout,
            capture: of.hook.capture,
        }
    }

    fn read(terms: Terms, outcome: &ScriptOutcome) -> DockerAgentAnswer {
        match &terms.source {
            OutputSource::Evaluator(evaluator) => evaluator.read_answer(&terms, outcome),
            OutputSource::Model(schema) => model::read(&terms, *schema, outcome),
            _ if terms.event.is_guard() => guard::read(&terms, outcome),
            OutputSource::Command => output::read(&terms, outcome),
            OutputSource::Builtin(name) => builtin::read(name, &terms, outcome),
        }
    }

    fn absorb(&mut self, of: HookOf<'a, Extra>, _: &ScriptOutcome, answer: DockerAgentAnswer) -> Absorbed {
        let DockerAgentAnswer { reading, said } = answer;
        self.ran += 1;
        let ignored = said.ignored.clone();
        let parts = self.fold.take(&of.hook.id, &reading, said);
        if let Some(why) = self.fold.conflict(&of.hook.id, &of.extra.display) {
            let effect = Effect::Blocked { reason: why.clone(), user_message: None };
            return Absorbed { reading, effect, flow: Flow::Continue, warnings: vec![why] };
        }
        if !parts.is_empty() {
            (self.payload, self.payload_text) = (None, None);
        }
        let (mut effect, warning) = if reading.verdict == Verdict::Error {
            self.failed(of.hook, of.extra, &reading)
        } else {
            (self.judged(of.hook, of.extra, &reading), self.notice(of.extra, &reading, &ignored))
        };
        if of.extra.preempt {
            self.lanes.stage_zero =
                if self.fold.blocks() { Some(Permission::Deny) } else { self.fold.permission() };
        }
        if effect == Effect::None && !parts.is_empty() {
            effect = Effect::Rewrote(parts);
        } else if effect == Effect::None && !ignored.is_empty() {
            effect = Effect::Ignored("R17: not supported on this event");
        }
        Absorbed { reading, effect, flow: Flow::Continue, warnings: warning.into_iter().collect() }
    }

    fn refuse(&mut self, hook: &HookId, reason: &str) -> Option<Flow> {
        self.name.can_block().then(|| {
            self.fold.fail_closed(hook, hook.as_str(), reason);
            Flow::Continue
        })
    }

    fn logs(&mut self) -> Vec<LogRecord> {
        if self.considered == 0 {
            return Vec::new();
        }
        vec![log::of_firing(self.name, self.ran, &self.fold, self.bundle.settings.capture_content)]
    }

    fn finish(self) -> (Decision, DialectResult) {
        let (decision, result) = self.fold.finish();
        (decision, DialectResult::DockerAgent(Box::new(result)))
    }
}

impl Bundle for DockerAgentBundle {
    fn is_empty(&self) -> bool {
        self.own_hooks == 0
    }

    fn hooks(&self) -> &[Hook] {
        self.hooks.all()
    }

    fn fire<'a>(&'a self, firing: Firing<'a>) -> Option<HookFuture<'a, Fired>> {
        let name = EventName::of(firing.event)?;
        let Firing { event, host, now, .. } = firing;
        let tool = event.facts.get("tool_name").and_then(Value::as_str).filter(|tool| !tool.is_empty());
        let tool = tool.or_else(|| event.tool_call().map(|call| &*call.name)).unwrap_or_default();
        let chain = DockerAgentChain {
            bundle: self,
            event,
            name,
            now,
            host,
            agent: self.agent(event),
            tool,
            lanes: Lanes::new(event, name),
            selected: FxHashSet::default(),
            payload: None,
            payload_text: None,
            fold: Fold::new(name),
            considered: 0,
            ran: 0,
        };
        Some(firing.run(&self.hooks, chain))
    }

    fn log(&self, phase: Phase, record: &HookRecord) -> Vec<LogRecord> {
        log::of_hook(self, phase, record)
    }
}
