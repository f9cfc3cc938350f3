//! One firing (A5 of the contract): which rules are selected, what their hooks get, and what it all comes to.
//!
//! Hooks run in rule order until one blocks, refuses, denies or forces a turn (G15). Nothing that a hook says changes the
//! payload of the next, so the payload is written once. The count of turns forced in a row is kept in the session (G18).

use super::bundle::{AgentaoBundle, Extra};
use super::event::EventName;
use super::log;
use super::matcher::Subject;
use super::output::{self, AgentaoAnswer, Meaning, Terms};
use super::payload::{self, PERMISSION, STOP_ACTIVE};
use super::result::{
    AgentaoResult, Attachment, Folded, LifecycleResult, PreToolUseResult, StopHookResult, StopOutcome,
    ToolDecision, UserPromptSubmitResult, blocked_marker,
};
use crate::hook::chain::{Fired, Firing};
use crate::hook::contract::{Absorbed, Bundle, Chain, Delivery, Flow, Work};
use crate::hook::decision::{Decision, Verdict};
use crate::hook::dialect::result::DialectResult;
use crate::hook::event::{Event, Moment};
use crate::hook::hooks::{Hook, HookOf};
use crate::hook::id::HookId;
use crate::hook::matcher::Mismatch;
use crate::hook::outcome_list::OutcomeList;
use crate::hook::record::{Effect, LogRecord};
use crate::hook::runner::{HookFuture, HookRunner};
use crate::hook::running::Pace;
use crate::hook::script::{Ended, ScriptOutcome};
use crate::hook::timestamp::{random_uuid, time_text};
use crate::text::Text;
use std::collections::HashMap;

/// What the model is told of a call that a hook denied in Claude Code's words.
const DENIED: &str = "Tool execution blocked by a PreToolUse hook";

/// Turns forced in a row, by session id.
#[derive(Debug, Default)]
struct ForcedTurns(HashMap<String, u64>);

/// Sessions that are counted at most.
const MOST_SESSIONS: usize = 1024;

pub(super) struct AgentaoChain<'a> {
    bundle: &'a AgentaoBundle,
    event: &'a Event,
    name: EventName,
    host: &'a dyn HookRunner,
    /// Turns forced before this one; 0 for events other than `Stop`.
    forced_turns: u64,
    payload: Option<Text>,
    messages: OutcomeList<Attachment>,
    folded: Folded,
    decision: Decision,
}

impl<'a> AgentaoChain<'a> {
    fn new(bundle: &'a AgentaoBundle, event: &'a Event, name: EventName, host: &'a dyn HookRunner) -> Self {
        Self {
            bundle,
            event,
            name,
            host,
            forced_turns: forced_turns(event, name, host),
            payload: None,
            messages: OutcomeList::default(),
            folded: Folded::default(),
            decision: Decision::default(),
        }
    }

    fn test(&self, extra: &Extra) -> Result<(), Mismatch> {
        let is_denied = || self.event.facts.get(PERMISSION).is_some_and(|decision| decision == "deny");
        if self.name == EventName::PreToolUse && is_denied() {
            return Err(Mismatch::Never("G20: the call is denied already"));
        }
        let subject = match &self.event.moment {
            Moment::ToolCallStarting(call) | Moment::ToolCallEnded { call, .. } => Subject::Tool(&call.name),
            Moment::CompactionStarting { .. } => Subject::Trigger(payload::trigger(self.event)),
            _ => Subject::Nothing,
        };
        extra.matcher.test(subject)
    }

    fn payload(&mut self) -> Text {
        let stop_active = self
            .event
            .facts
            .get(STOP_ACTIVE)
            .and_then(serde_json::Value::as_bool)
            .unwrap_or(self.forced_turns > 0);
        let (event, name, flat) = (self.event, self.name, self.bundle.settings.flat_superset);
        self.payload.get_or_insert_with(|| payload::text(event, name, flat, stop_active)).clone()
    }

    fn attach(&mut self, extra: &Extra, meaning: &mut Meaning) {
        for (attachment_type, payload) in std::mem::take(&mut meaning.attachments) {
            self.messages.push(Attachment {
                attachment_type,
                payload,
                hook_name: std::sync::Arc::clone(&extra.label),
                hook_event: self.name.name(),
                tool_use_id: "",
                uuid: random_uuid(|| self.host.random_u64()),
                timestamp: time_text(self.host.now()),
            });
        }
    }

    fn absorb_prompt(&mut self, hook: &Hook, meaning: Meaning) -> (Effect, Flow) {
        let added = !meaning.contexts.is_empty();
        if added {
            self.decision.rewritten_by.push(hook.id.clone());
        }
        self.folded.prompt.additional_contexts.extend(meaning.contexts);
        let Some(reason) = meaning.blocking_error.clone().or_else(|| meaning.stop_reason.clone()) else {
            let effect = if added { Effect::Rewrote(vec!["message"]) } else { Effect::None };
            return (effect, Flow::Continue);
        };
        self.folded.prompt.blocking_error = meaning.blocking_error;
        self.folded.prompt.prevent_continuation = meaning.prevent_continuation;
        self.folded.prompt.stop_reason = meaning.stop_reason;
        (self.block(&hook.id, reason, self.folded.prompt.marker()), Flow::Stop)
    }

    fn absorb_tool(&mut self, hook: &Hook, verdict: Verdict, meaning: Meaning) -> (Effect, Flow) {
        self.folded.tool.additional_contexts.extend(meaning.contexts);
        match verdict {
            Verdict::Block => {
                let shown =
                    meaning.blocking_error.as_deref().map_or_else(|| DENIED.to_owned(), blocked_marker);
                let reason = meaning.blocking_error.or(meaning.reason);
                self.folded.tool.decision = Some(ToolDecision::Deny);
                self.folded.tool.reason.clone_from(&reason);
                let reason = reason.unwrap_or_else(|| DENIED.to_owned());
                (self.block(&hook.id, reason, Some(shown)), Flow::Stop)
            }
            Verdict::Ask if self.folded.tool.decision.is_none() => {
                self.folded.tool.decision = Some(ToolDecision::Ask);
                self.folded.tool.reason = meaning.reason;
                (Effect::None, Flow::Continue)
            }
            Verdict::Ask => (Effect::Ignored("G13: the first ask stands"), Flow::Continue),
            _ => (Effect::None, Flow::Continue),
        }
    }

    fn absorb_stop(&mut self, hook: &Hook, meaning: Meaning) -> (Effect, Flow) {
        let Meaning { contexts, blocking_error, stop_reason, follow_up_message, system_message, .. } =
            meaning;
        let stop = &mut self.folded.stop;
        stop.additional_contexts.extend(contexts);
        stop.stop_reason = stop_reason.or(stop.stop_reason.take());
        stop.system_message = system_message.or(stop.system_message.take());
        stop.suppress_output |= meaning.suppress_output;
        stop.force_continue = meaning.force_continue;
        stop.follow_up_message = follow_up_message;
        stop.blocking_error = blocking_error;
        let Some(reason) = stop.blocking_error.clone().or_else(|| stop.follow_up_message.clone()) else {
            return (Effect::None, Flow::Continue);
        };
        if stop.blocking_error.is_none() && self.is_capped() {
            return (Effect::Ignored("G18: the turn was forced too often"), Flow::Stop);
        }
        (self.block(&hook.id, reason, None), Flow::Stop)
    }

    fn block(&mut self, hook: &HookId, reason: String, user_message: Option<String>) -> Effect {
        Effect::block(&mut self.decision, hook, reason, user_message)
    }

    const fn is_capped(&self) -> bool {
        self.forced_turns >= self.bundle.settings.stop_reentry_cap
    }

    /// What a `Stop` came to, and the count for the next one.
    fn settle_stop(&mut self) {
        let at_max_iter = log::is_at_max_iter(self.event);
        let forced = self.folded.stop.force_continue;
        self.folded.stop.outcome = match (&self.folded.stop.blocking_error, forced) {
            (None, true) if self.is_capped() => StopOutcome::ReentryCapped,
            (None, true) if at_max_iter => StopOutcome::ContinueAtMaxIter,
            (None, true) => StopOutcome::Continue,
            (Some(_), _) => StopOutcome::Block,
            (None, false) => StopOutcome::Allow,
        };
        self.folded.stop.force_continue = forced && !self.is_capped();
        let turns = if self.folded.stop.force_continue { self.forced_turns.saturating_add(1) } else { 0 };
        let session = &self.event.context.session_id;
        self.host.state().with(|all: &mut ForcedTurns| all.set(session, turns));
        self.folded.stop.settle();
    }
}

impl ForcedTurns {
    fn set(&mut self, session: &str, turns: u64) {
        if turns == 0 {
            self.0.remove(session);
            return;
        }
        if self.0.len() >= MOST_SESSIONS && !self.0.contains_key(session) {
            self.0.clear();
        }
        self.0.insert(session.to_owned(), turns);
    }
}

/// G18: a new message of the user, or a host that says so, begins anew.
fn forced_turns(event: &Event, name: EventName, host: &dyn HookRunner) -> u64 {
    let session = event.context.session_id.as_str();
    let says_first = event.facts.get(STOP_ACTIVE).is_some_and(|active| active == false);
    host.state().with(|all: &mut ForcedTurns| match name {
        EventName::Stop if !says_first => all.0.get(session).copied().unwrap_or(0),
        EventName::Stop | EventName::UserPromptSubmit => {
            all.set(session, 0);
            0
        }
        _ => 0,
    })
}

/// `{userMessage}` in a prompt handler's text replaced; `None` when that is more than a stream may hold.
fn filled_in(prompt: &str, message: &str, most: u64) -> Option<Vec<u8>> {
    let places = prompt.matches("{userMessage}").count();
    let length = places.saturating_mul(message.len()).saturating_add(prompt.len());
    (length as u64 <= most).then(|| prompt.replace("{userMessage}", message).into_bytes())
}

impl<'a> Chain<'a> for AgentaoChain<'a> {
    /// The object, its texts as an attachment, and both in the record, which has the texts once more.
    const TREES: u64 = 5;
    type Extra = Extra;
    type Terms = Terms;
    type Answer = AgentaoAnswer;

    async fn prepare(&mut self, pace: &mut Pace) {
        let bundle = self.bundle;
        for &index in bundle.hooks.due(self.name.name()) {
            let matched = bundle.hooks.get(index).is_some_and(|of| self.test(of.extra).is_ok());
            self.folded.matched += usize::from(matched);
            pace.look().await;
        }
    }

    fn event_name(&self) -> &'static str {
        self.name.name()
    }

    fn select(&mut self, of: HookOf<'a, Extra>) -> Result<(), Mismatch> {
        self.test(of.extra)
    }

    fn deliver(&mut self, of: HookOf<'a, Extra>) -> Result<Delivery, Ended> {
        if let (Some(prompt), Moment::PromptSubmitted { message, .. }) =
            (&of.extra.prompt, &self.event.moment)
        {
            let text = filled_in(prompt, message, of.hook.capture.stdout).ok_or(Ended::OutputExceeded)?;
            let work = Work::Known(Box::new(ScriptOutcome::exited(0, text, "")));
            return Ok(Delivery { work, ..Delivery::default() });
        }
        of.hook.check_size()?;
        let cwd = self.event.context.cwd.as_deref().map(Text::from);
        Ok(Delivery { stdin: self.payload(), cwd, ..Delivery::default() })
    }

    fn terms(&self, of: HookOf<'a, Extra>) -> Terms {
        Terms {
            event: self.name,
            is_prompt: of.extra.prompt.is_some(),
            timeout: of.hook.timeout,
            strict: self.bundle.settings.strict_agentao,
        }
    }

    fn read(terms: Terms, outcome: &ScriptOutcome) -> AgentaoAnswer {
        output::read(terms, outcome)
    }

    fn absorb(&mut self, of: HookOf<'a, Extra>, _: &ScriptOutcome, answer: AgentaoAnswer) -> Absorbed {
        let AgentaoAnswer { reading, mut meaning } = answer;
        self.attach(of.extra, &mut meaning);
        self.folded.printed.add(&meaning.output, self.bundle.settings.capture_plugin_hook_output_full);
        let warnings = meaning.warning.take().into_iter().collect();
        let (effect, flow) = match self.name {
            EventName::UserPromptSubmit => self.absorb_prompt(of.hook, meaning),
            EventName::PreToolUse => self.absorb_tool(of.hook, reading.verdict, meaning),
            EventName::Stop => self.absorb_stop(of.hook, meaning),
            _ => (Effect::None, Flow::Continue),
        };
        Absorbed { reading, effect, flow, warnings }
    }

    fn refuse(&mut self, hook: &HookId, reason: &str) -> Option<Flow> {
        let reason = reason.to_owned();
        let shown = match self.name {
            EventName::UserPromptSubmit => {
                self.folded.prompt.blocking_error = Some(reason.clone());
                self.folded.prompt.marker()
            }
            EventName::PreToolUse => {
                self.folded.tool.decision = Some(ToolDecision::Deny);
                self.folded.tool.reason = Some(reason.clone());
                Some(blocked_marker(&reason))
            }
            EventName::Stop if !self.is_capped() => {
                self.folded.stop.force_continue = true;
                self.folded.stop.follow_up_message = Some(reason.clone());
                None
            }
            _ => return None,
        };
        self.block(hook, reason, shown);
        Some(Flow::Stop)
    }

    fn logs(&mut self) -> Vec<LogRecord> {
        if self.name == EventName::Stop {
            self.settle_stop();
        }
        log::records(
            self.event,
            self.name,
            &self.folded,
            self.bundle.settings.capture_plugin_hook_output_full,
        )
    }

    fn finish(mut self) -> (Decision, DialectResult) {
        let messages = std::mem::take(&mut self.messages);
        let matched_rule_count = self.folded.matched;
        let result = match self.name {
            EventName::UserPromptSubmit => {
                let result = UserPromptSubmitResult { messages, matched_rule_count, ..self.folded.prompt };
                self.decision.contexts.clone_from(&result.additional_contexts);
                if let (Moment::PromptSubmitted { message, .. }, false, true) =
                    (&self.event.moment, result.additional_contexts.is_empty(), self.decision.proceeds())
                {
                    self.decision.message = Some(result.message(message));
                }
                AgentaoResult::UserPromptSubmit(result)
            }
            EventName::PreToolUse => {
                let asks = self.folded.tool.decision == Some(ToolDecision::Ask);
                self.decision.permission = asks.then_some(Verdict::Ask);
                AgentaoResult::PreToolUse(PreToolUseResult {
                    matched_rule_count,
                    messages,
                    ..self.folded.tool
                })
            }
            EventName::Stop => {
                let result = StopHookResult { messages, matched_rule_count, ..self.folded.stop };
                self.decision.contexts.clone_from(&result.additional_contexts);
                if !result.suppress_output {
                    self.decision.system_messages.extend(result.system_message.clone());
                }
                AgentaoResult::Stop(result)
            }
            _ => AgentaoResult::Lifecycle(LifecycleResult { matched_rule_count, messages }),
        };
        (self.decision, DialectResult::Agentao(result))
    }
}

impl Bundle for AgentaoBundle {
    fn hooks(&self) -> &[Hook] {
        self.hooks.all()
    }

    fn fire<'a>(&'a self, firing: Firing<'a>) -> Option<HookFuture<'a, Fired>> {
        let name = EventName::at(&firing.event.moment)?;
        let chain = AgentaoChain::new(self, firing.event, name, firing.host);
        Some(firing.run(&self.hooks, chain))
    }
}
