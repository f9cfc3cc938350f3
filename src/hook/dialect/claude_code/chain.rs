//! One firing: which handlers run (R5, R13, R49), what each gets (3), what their answers come to.
//!
//! All that a handler gets is the same for all of one firing, so who runs is settled before the first starts. Nothing stops a firing
//! early (R50). R57 has no case here: matching cannot fail, and a payload always has a text.

use super::answer::ClaudeAnswer;
use super::bundle::ClaudeBundle;
use super::env_file::EnvFile;
use super::event::{EventName, Flag};
use super::fold::Fold;
use super::hook::{Background, Extra, Kind};
use super::payload::Payload;
use super::reader::OutcomeReader;
use super::rule::RuleCall;
use super::settings::HookSource;
use super::state::KeptState;
use super::{late, log, request};
use crate::hook::background;
use crate::hook::chain::{Fired, Firing};
use crate::hook::contract::{Absorbed, Bundle, Chain, Delivery, Flow, Order, Work};
use crate::hook::decision::{Decision, Reading, Verdict};
use crate::hook::dialect::result::DialectResult;
use crate::hook::event::{Event, Moment};
use crate::hook::hooks::{Hook, HookOf};
use crate::hook::id::HookId;
use crate::hook::matcher::Mismatch;
use crate::hook::record::{Effect, HookRecord, LogRecord, Phase};
use crate::hook::runner::{HookFuture, HookRunner};
use crate::hook::running::Pace;
use crate::hook::script::{Ended, ScriptOutcome};
use crate::hook::version::Part;
use crate::text::Text;
use rustc_hash::FxHashSet;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// Continuations in a row after which a stop goes through (R58).
const STOP_CAP: u64 = 8;
/// Variables of the session that hooks do not see (R21).
const HIDDEN: &[&[u8]] = &[b"OTEL_"];

pub(super) struct ClaudeChain<'a> {
    bundle: &'a ClaudeBundle,
    event: &'a Event,
    name: EventName,
    host: &'a dyn HookRunner,
    payload: Payload<'a>,
    /// The payload's text, once somebody needs it.
    text: Option<Text>,
    label: Arc<str>,
    /// In the order of the event's hooks.
    selection: Vec<(usize, Result<(), Mismatch>)>,
    running: usize,
    cwd: Option<Text>,
    env_files: Vec<(usize, EnvFile<'a>)>,
    env_text: String,
    fold: Fold<'a>,
    /// Whether continuations were counted.
    is_guarded: bool,
    opened: Duration,
}

impl<'a> ClaudeChain<'a> {
    fn new(bundle: &'a ClaudeBundle, event: &'a Event, name: EventName, host: &'a dyn HookRunner) -> Self {
        let mut payload = Payload::new(event, name, &bundle.settings);
        payload.hidden = bundle.lacking(Part::Payload, name);
        if name.is_stop() {
            let agent = agent_of(event);
            payload.continuing = host.state().with(|state: &mut KeptState| state.is_continuing(agent));
        }
        let label = payload.hook_name();
        Self {
            bundle,
            event,
            name,
            host,
            text: None,
            selection: Vec::new(),
            running: 0,
            cwd: None,
            payload,
            env_files: Vec::new(),
            env_text: String::new(),
            fold: Fold::new(name, label.clone(), host),
            label: label.into(),
            is_guarded: false,
            opened: host.now(),
        }
    }

    /// Whether it is a change that no hook can block.
    fn is_policy(&self) -> bool {
        self.name == EventName::ConfigChange
            && self.payload.text("source").as_deref() == Some("policy_settings")
    }

    fn text(&mut self) -> Text {
        self.text.get_or_insert_with(|| Text::from(self.payload.encode())).clone()
    }

    /// The time of one handler: its own, or what is left of a budget that all share (5.3). Handlers run together, so each
    /// has all of it.
    fn time(&self, hook: &Hook, extra: &Extra) -> Duration {
        match (self.name, extra.apart) {
            (_, Some(Background::Silent)) => Duration::MAX,
            (EventName::SessionEnd, _) if extra.has_timeout => hook.timeout.min(self.bundle.budget),
            (EventName::SessionEnd, _) => self.bundle.budget,
            _ => hook.timeout,
        }
    }

    /// R20 to R22.
    fn environment(&mut self, hook: usize, extra: &Extra) -> Vec<(Text, Text)> {
        let mut all = extra.variables.to_vec();
        let mut put =
            |name: &'static [u8], value: &str| all.push((Text::from_static(name), Text::from(value)));
        if let Some(level) = self.event.facts.get("effort").and_then(|effort| effort.get("level")?.as_str()) {
            put(b"CLAUDE_EFFORT", level);
        }
        let settings = &self.bundle.settings;
        if settings.variable("CLAUDE_CODE_REMOTE") == Some("true") {
            put(b"CLAUDE_CODE_REMOTE", "true");
        }
        if let Some(id) = settings.variable("CLAUDE_CODE_BRIDGE_SESSION_ID") {
            put(b"CLAUDE_CODE_BRIDGE_SESSION_ID", id);
        }
        if self.name.has(Flag::EnvFile)
            && extra.apart.is_none()
            && let Some(file) = EnvFile::new(self.host)
        {
            all.push((Text::from_static(b"CLAUDE_ENV_FILE"), file.path.clone()));
            self.env_files.push((hook, file));
        }
        all
    }

    /// Counts continuations and lets a stop through when there were too many (R58); once in a firing.
    fn guard_stop(&mut self) {
        if !self.name.is_stop() || std::mem::replace(&mut self.is_guarded, true) {
            return;
        }
        let agent = agent_of(self.event);
        let (goes_on, key) = (self.fold.keeps_going(), self.bundle.key());
        let cap = self.bundle.settings.number("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP").unwrap_or(STOP_CAP);
        let too_often = self.host.state().with(|state: &mut KeptState| {
            let too_often = goes_on && cap > 0 && state.continuations(agent, key) >= cap;
            if goes_on && !too_often {
                state.count_continuation(agent, key);
            } else {
                state.reset_continuations(agent, key);
            }
            too_often
        });
        if too_often {
            self.fold.override_stop(cap);
        }
    }

    /// What handlers said that nobody waited for (R54) goes with the prompt of the next turn.
    fn add_late(&mut self) {
        let all = late::take_late(self.host);
        let texts = all.into_iter().flat_map(|late| late.contexts.into_iter().chain(late.system_messages));
        self.fold.result.contexts.splice(0..0, texts);
    }
}

/// The agent whose stops are counted; the main agent's name is empty.
fn agent_of(event: &Event) -> &str {
    let is_sub = event.context.depth > 0 || matches!(event.moment, Moment::SubagentEnded { .. });
    event.context.agent_id.as_deref().filter(|_| is_sub).unwrap_or("")
}

/// What a firing says about the session whatever hooks there are.
fn note(bundle: &ClaudeBundle, event: &Event, host: &dyn HookRunner) {
    let calls_tool = event.tool_call().is_some();
    match &event.moment {
        Moment::ToolBatchStarting { calls } => {
            host.state().with(|state: &mut KeptState| state.batch = calls.len());
        }
        Moment::ToolBatchEnded { .. } => {
            host.state().with(|state: &mut KeptState| state.batch = 0);
        }
        _ if calls_tool || matches!(event.moment, Moment::PromptSubmitted { .. }) => {
            host.state()
                .peek(|state: &mut KeptState| state.reset_continuations(agent_of(event), bundle.key()));
        }
        _ => {}
    }
}

/// Tests that are not the handler's own.
fn applies(event: &Event, name: EventName, extra: &Extra, payload: &Payload<'_>) -> Result<(), Mismatch> {
    if let HookSource::Agent(agent) = &extra.source
        && event.context.agent_name.as_deref() != Some(&**agent)
    {
        return Err(Mismatch::Because(format!("it belongs to the agent `{agent}`")));
    }
    let launch = name == EventName::SessionStart && payload.text("source").as_deref() == Some("startup");
    if launch && matches!(extra.kind, Kind::Tool { .. }) {
        return Err(Mismatch::Never("no server is there when the session starts (R10)"));
    }
    Ok(())
}

/// R13: a rule on any other event never passes.
fn rule(extra: &Extra, call: Option<&RuleCall<'_>>) -> Result<(), Mismatch> {
    match (&extra.rule, call) {
        (None, _) => Ok(()),
        (Some(rule), Some(call)) if extra.event.evaluates_rules() => rule.test(call),
        (Some(_), _) => Err(Mismatch::Never("`if` is evaluated on events about tools only (R13)")),
    }
}

/// R23: the first directory that exists; `None` is the session's own.
fn directory(payload: &Payload<'_>, bundle: &ClaudeBundle, host: &dyn HookRunner) -> Option<Text> {
    let files = host.files()?;
    let settings = &bundle.settings;
    let wanted = [payload.cwd(), &settings.start_dir, &settings.project_dir, &settings.home, "/tmp"];
    let exists = |path: &&str| files.metadata(path.as_bytes()).is_ok_and(|metadata| metadata.is_directory());
    wanted.into_iter().find(exists).map(Text::from)
}

impl<'a> Chain<'a> for ClaudeChain<'a> {
    type Extra = Extra;
    type Terms = OutcomeReader;
    type Answer = ClaudeAnswer;

    fn event_name(&self) -> &'static str {
        self.name.name()
    }

    fn label(&self) -> Option<Arc<str>> {
        Some(Arc::clone(&self.label))
    }

    fn order(&self) -> Order {
        Order::Parallel
    }

    /// Who runs.
    async fn prepare(&mut self, pace: &mut Pace) {
        let (bundle, name, payload, host) = (self.bundle, self.name, &self.payload, self.host);
        bundle.register(host, pace).await;
        let value = payload.matched_value();
        let home = &bundle.settings.home;
        let call = self.event.tool_call();
        let call = call.map(|call| RuleCall::new(&call.name, &call.arguments, payload.cwd(), home));
        let mut classes = FxHashSet::default();
        let due = bundle.hooks.due(name.name());
        self.selection.reserve(due.len());
        for &index in due {
            let Some(HookOf { hook, extra, .. }) = bundle.hooks.get(index) else { continue };
            let mut selected = applies(self.event, name, extra, payload)
                .and_then(|()| extra.matcher.test(value.as_deref()))
                .and_then(|()| rule(extra, call.as_ref()));
            let is_spent = || host.state().with(|state: &mut KeptState| state.spent.contains(&hook.id));
            if selected.is_ok() && extra.once && is_spent() {
                selected = Err(Mismatch::Never("it says `once` and ran already"));
            }
            if selected.is_ok() && !classes.insert(extra.class) {
                selected = Err(Mismatch::Never("an equal handler runs already (R49)"));
            }
            self.running += usize::from(selected.is_ok());
            self.selection.push((index, selected));
            pace.look().await;
        }
        if self.running > 0 {
            let (label, running) = (&self.label, self.running);
            crate::hook::watch::show_if_watched(host, || log::execution_start(name, label, running));
            self.cwd = directory(payload, bundle, host);
        }
    }

    fn select(&mut self, of: HookOf<'a, Extra>) -> Result<(), Mismatch> {
        match self.selection.binary_search_by_key(&of.index, |(index, _)| *index) {
            Ok(place) => self.selection.get(place).map_or(Ok(()), |(_, selected)| selected.clone()),
            Err(_) => Err(Mismatch::Never("not a hook of this event")),
        }
    }

    fn deliver(&mut self, of: HookOf<'a, Extra>) -> Result<Delivery, Ended> {
        let HookOf { index, hook, extra } = of;
        if let Some(fault) = &extra.fault {
            return Err(Ended::NotStarted(fault.clone()));
        }
        let text = self.text();
        let work = match &extra.kind {
            Kind::Command => match extra.apart {
                None => Work::Run,
                Some(apart) => {
                    let name = self.label.as_ref().to_owned();
                    Work::Start(late::listener(hook.id.clone(), name, self.name, apart, extra.rewake.clone()))
                }
            },
            Kind::Http(handler) => {
                let bundle = self.bundle;
                let request = bundle.http.request(handler, &bundle.settings, text.to_vec());
                Work::Ask(request.map_err(Ended::NotStarted)?)
            }
            Kind::Tool { server, tool, input } => {
                Work::Ask(request::tool(server, tool, input, &text).map_err(Ended::NotStarted)?)
            }
            Kind::Model { prompt, model, agent, .. } => {
                let request = request::model(prompt, model.as_deref(), *agent, &text);
                Work::Ask(request.map_err(Ended::NotStarted)?)
            }
        };
        let environment = match extra.kind {
            Kind::Command => self.environment(index, extra),
            _ => Vec::new(),
        };
        Ok(Delivery {
            environment: crate::memory::Vec::from(environment).into(),
            stdin: text,
            payload_file: None,
            timeout: Some(self.time(hook, extra)),
            cwd: self.cwd.clone(),
            hidden: HIDDEN,
            work,
        })
    }

    fn terms(&self, of: HookOf<'a, Extra>) -> OutcomeReader {
        let result = match &self.event.moment {
            Moment::ToolCallEnded { result, .. } => result.clone(),
            _ => None,
        };
        let batch = self.host.state().with(|state: &mut KeptState| state.batch);
        OutcomeReader {
            event: self.name,
            teller: of.extra.kind.teller(),
            closes: of.extra.closes,
            timeout: self.time(of.hook, of.extra),
            tool: self.event.tool_call().map(|call| Arc::clone(&call.name)),
            result,
            can_block: !self.is_policy(),
            by_teammate: self.event.facts.contains_key("teammate_name"),
            can_defer: !self.bundle.settings.interactive && batch <= 1,
            is_late: of.extra.apart.is_some(),
            unread: self.bundle.lacking(Part::Output, self.name),
        }
    }

    fn read(reader: OutcomeReader, outcome: &ScriptOutcome) -> ClaudeAnswer {
        reader.read(outcome)
    }

    fn absorb(&mut self, of: HookOf<'a, Extra>, _: &ScriptOutcome, mut answer: ClaudeAnswer) -> Absorbed {
        let HookOf { index, hook, extra } = of;
        let worktree = self.event.facts.get("worktree_path").and_then(Value::as_str);
        answer.settle(self.payload.cwd(), worktree, self.host);
        let reading = reading(&answer);
        tracing::debug!(target: "hookbox::hook", hook = hook.id.as_str(), rule = answer.rule, "output read");
        if let Some(place) = self.env_files.iter().position(|(of, _)| *of == index) {
            let (_, file) = self.env_files.swap_remove(place);
            self.env_text.push_str(&file.take());
        }
        if extra.once && answer.error.is_none() && !answer.cancelled {
            self.host.state().with(|state: &mut KeptState| state.spent.insert(hook.id.clone()));
        }
        let (effect, warnings) = self.fold.absorb(&hook.id, answer);
        Absorbed { reading, effect, flow: Flow::Continue, warnings }
    }

    fn refuse(&mut self, hook: &HookId, reason: &str) -> Option<Flow> {
        let can_block = self.name.row().event.blocks && !self.is_policy();
        can_block.then(|| {
            self.fold.refuse(hook, reason);
            Flow::Continue
        })
    }

    fn undone(&mut self, hook: &HookId, effect: &Effect) -> Option<&'static str> {
        self.guard_stop();
        self.fold.undone(hook, effect)
    }

    fn logs(&mut self) -> Vec<LogRecord> {
        if self.running == 0 {
            return Vec::new();
        }
        let time = self.host.now().saturating_sub(self.opened);
        vec![log::execution_complete(self.name, &self.label, self.running, self.fold.counts, time)]
    }

    fn finish(mut self) -> (Decision, DialectResult) {
        self.guard_stop();
        if !self.env_text.is_empty() {
            self.fold.result.env_text = Some(std::mem::take(&mut self.env_text));
        }
        let prompt = match &self.event.moment {
            Moment::PromptSubmitted { message, .. } => Some(&**message),
            _ => None,
        };
        let blocks = self.fold.result.block.is_some() || self.fold.result.stop.is_some();
        if prompt.is_some() && !blocks {
            self.add_late();
        }
        if self.name == EventName::SessionEnd {
            for hook in background::cancel(self.host.state()) {
                crate::hook::watch::show_if_watched(self.host, || log::cancelled(&hook));
            }
        }
        let (decision, result) = self.fold.finish(prompt);
        (decision, DialectResult::ClaudeCode(Box::new(result)))
    }
}

/// The answer in the engine's words.
fn reading(answer: &ClaudeAnswer) -> Reading {
    let (verdict, reason) = if let Some(error) = &answer.error {
        (Verdict::Error, Some(error))
    } else if let Some(reason) = answer.stop.as_ref().or(answer.block.as_ref()) {
        (Verdict::Block, Some(reason))
    } else if let Some((permission, why)) = &answer.permission {
        (permission.verdict(), why.as_ref())
    } else if let Some(request) = &answer.specific.permission_request {
        (request.behavior.verdict(), request.message.as_ref())
    } else if answer.updated_input.is_some() || answer.updated_output.is_some() {
        (Verdict::Mutate, None)
    } else {
        (Verdict::NoOpinion, None)
    };
    Reading { reason: reason.cloned(), ..Reading::of(verdict, answer.rule) }
}

impl Bundle for ClaudeBundle {
    fn hooks(&self) -> &[Hook] {
        self.hooks.all()
    }

    fn fire<'a>(&'a self, firing: Firing<'a>) -> Option<HookFuture<'a, Fired>> {
        note(self, firing.event, firing.host);
        let name = EventName::of(&firing.event.moment)?;
        let chain = ClaudeChain::new(self, firing.event, name, firing.host);
        Some(firing.run(&self.hooks, chain))
    }

    fn log(&self, phase: Phase, record: &HookRecord) -> Vec<LogRecord> {
        log::records(phase, record)
    }
}
