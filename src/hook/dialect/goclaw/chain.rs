//! One firing (5 of the contract): who is asked, how long it may take, what answers do, and the audit row of each.
//!
//! On a blocking event hooks run in sequence within 10 s and the first block ends it: a block, an error, a timeout that is
//! not let through, a budget that is used up. On the others all run together and nothing they say changes the outcome.

use super::audit::{Execution, input_hash, shown_error};
use super::bundle::GoclawBundle;
use super::event::EventName;
use super::flight::{Flight, Rewrote};
use super::keeper::TokenBudget;
use super::output::{self, Decided, GoclawAnswer, Terms, Way};
use super::payload::Payload;
use super::result::GoclawResult;
use super::shared::{Gate, Month};
use super::{log, prompt};
use crate::hook::chain::{Fired, Firing};
use crate::hook::contract::{Absorbed, Bundle, Chain, Delivery, Flow, Order};
use crate::hook::decision::{Block, Decision, Reading, Verdict};
use crate::hook::dialect::goclaw::config::record::{HandlerConfig, OnTimeout, Row};
use crate::hook::dialect::goclaw::config::settings::{BreakerMode, ConditionErrors};
use crate::hook::dialect::result::DialectResult;
use crate::hook::event::Event;
use crate::hook::hooks::{Hook, HookOf};
use crate::hook::id::HookId;
use crate::hook::json::Json;
use crate::hook::matcher::Mismatch;
use crate::hook::record::{Effect, HookRecord, LogRecord, Phase};
use crate::hook::runner::{HookFuture, HookRunner};
use crate::hook::running::Pace;
use crate::hook::script::{Ended, ScriptOutcome};
use crate::hook::timestamp::{random_uuid, timestamp};
use crate::hook::word::Word;
use crate::text::Text;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::time::Duration;

/// R27.
const CHAIN_BUDGET: Duration = Duration::from_secs(10);
/// R35.
const DEEPEST: u32 = 3;
/// Longest decision of a model that is remembered, in bytes.
const LONGEST_REMEMBERED: usize = 4 << 10;

pub(super) struct GoclawChain<'a> {
    pub(super) bundle: &'a GoclawBundle,
    pub(super) host: &'a dyn HookRunner,
    pub(super) payload: Payload,
    pub(super) flights: FxHashMap<usize, Flight>,
    event: &'a Event,
    /// By the session's clock.
    started: Duration,
    /// The event's time.
    at: Duration,
    /// Why no hook is asked (R28, R35).
    failure: Option<String>,
    due: Vec<usize>,
    pub(super) encoded: Option<Text>,
    /// Why conditions of hooks that run have no value.
    undecided: FxHashMap<usize, String>,
    blocked: Option<(Option<HookId>, String)>,
    pub(super) contexts: Vec<String>,
    pub(super) rewritten_by: Vec<HookId>,
    pub(super) rewrote: Rewrote,
    pub(super) proposed: Option<Json>,
}

impl<'a> GoclawChain<'a> {
    fn new(
        bundle: &'a GoclawBundle,
        event: &'a Event,
        name: EventName,
        at: Duration,
        host: &'a dyn HookRunner,
    ) -> Self {
        prompt::note_turn(event, EventName::starts_turn(&event.moment), host);
        Self {
            bundle,
            host,
            payload: Payload::new(event, name, host),
            flights: FxHashMap::default(),
            event,
            started: host.now(),
            at,
            failure: None,
            due: Vec::new(),
            encoded: None,
            undecided: FxHashMap::default(),
            blocked: None,
            contexts: Vec::new(),
            rewritten_by: Vec::new(),
            rewrote: Rewrote::default(),
            proposed: None,
        }
    }

    /// What an answer does to the chain.
    fn absorb_answer(&mut self, hook: &Hook, row: &Row, answer: GoclawAnswer) -> Did {
        if self.payload.name.row().blocks {
            return self.gate(hook, row, answer);
        }
        let effect = match answer.decided {
            Decided::Allow => Effect::None,
            _ => Effect::Ignored("R24: this event can not be blocked"),
        };
        if answer.decided == Decided::Allow {
            self.contexts.extend(answer.context);
        }
        (effect, Flow::Continue, Vec::new())
    }

    fn fail(&mut self, why: String) {
        if self.payload.name.row().blocks {
            self.blocked = Some((None, why.clone()));
        }
        self.failure = Some(why);
    }

    /// The time of things that happen now, on the scale of the event's.
    pub(super) fn now(&self) -> Duration {
        self.at.saturating_add(self.host.now().saturating_sub(self.started))
    }

    /// Of the chain's budget; `None` where there is none.
    pub(super) fn time_left(&self) -> Option<Duration> {
        let used = self.host.now().saturating_sub(self.started);
        self.payload.name.row().blocks.then(|| CHAIN_BUDGET.saturating_sub(used))
    }

    /// Tenant, month and size of the token budget, where there is one.
    pub(super) fn budget(&self) -> Option<(&str, Month, u64)> {
        let total = self.bundle.settings.monthly_tokens?;
        let tenant = self.payload.context.org_id.as_deref().filter(|tenant| !tenant.is_empty())?;
        let date = jiff::tz::Offset::UTC.to_datetime(timestamp(self.now()));
        Some((tenant, (date.year(), date.month()), total))
    }

    /// The payload with what was rewritten so far.
    pub(super) fn encoded(&mut self) -> Text {
        self.encoded.get_or_insert_with(|| Text::from(self.payload.encode())).clone()
    }

    /// R39 and R40, after the model has answered.
    fn decided(&self, key: [u8; 32], warning: Option<String>, mut answer: GoclawAnswer) -> GoclawAnswer {
        answer.logs.extend(warning.map(|why| (log::BUDGET_PRECHECK, why)));
        if let Some((tenant, month, total)) = self.budget() {
            match self.bundle.shared.spend(tenant, month, total, answer.tokens) {
                Err(why) => answer.logs.push((log::BUDGET_DEDUCT, why)),
                Ok(TokenBudget { left: before, total }) => {
                    let left = before.saturating_sub(answer.tokens);
                    if left.saturating_mul(5) < total {
                        let text = format!("tenant {tenant} has {left} of {total} tokens left this month");
                        answer.logs.push((log::WARNING, text));
                    }
                    if before < answer.tokens {
                        let over = GoclawAnswer::of(Decided::Block, "budget exceeded", "R40: budget");
                        return GoclawAnswer { logs: answer.logs, tokens: answer.tokens, ..over };
                    }
                }
            }
        }
        if let Some(reply) = answer.reply.take_if(|reply| reply.len() <= LONGEST_REMEMBERED) {
            self.bundle.shared.remember(key, self.now(), reply);
        }
        answer
    }

    /// The audit row and the span, for the record.
    fn account(&self, hook: &Hook, row: &Row, outcome: &ScriptOutcome, answer: &GoclawAnswer) -> Value {
        let duration_ms = u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX);
        let failed = matches!(answer.decided, Decided::Error | Decided::Timeout);
        let error = failed.then(|| shown_error(&answer.reason));
        let fact = |name: &str| self.event.facts.get(name);
        let span = log::span(answer.decided.name(), error.as_deref(), duration_ms, fact("parentSpanId"));
        let mut account = json!({"handler_type": row.kind.name(), "span": span, "logs": answer.logs});
        if self.bundle.dry {
            account["input"] = json!(answer.input);
            return account;
        }
        let dedup_key = format!("{}:{}", hook.id, self.payload.event_id);
        let mut key = [0; 16];
        key.iter_mut().zip(Sha256::digest(dedup_key.as_bytes())).for_each(|(to, from)| *to = from);
        if self.bundle.shared.is_new_row(key) {
            let execution = Execution {
                id: random_uuid(|| self.host.random_u64()),
                hook_id: Some(hook.id.as_str().to_owned()),
                session_id: self.payload.context.session_id.clone(),
                event: self.payload.name.name().to_owned(),
                input_hash: input_hash(&self.payload.tool_name, &self.payload.tool_input),
                decision: answer.decided.name().to_owned(),
                duration_ms,
                retry: 0,
                dedup_key,
                error,
                error_detail: None,
                metadata: metadata(row, outcome, answer, fact("traceId")),
                created_at: timestamp(self.now()).to_string(),
            };
            account["execution"] = json!(execution);
        }
        account
    }

    fn block(&mut self, hook: &Hook, reason: String) -> (Effect, Flow) {
        let user_message = Some(self.wording());
        let effect = Effect::Blocked { reason: reason.clone(), user_message };
        self.blocked = Some((Some(hook.id.clone()), reason));
        (effect, Flow::Stop)
    }

    /// How the agent loop words a block (9 of the contract).
    fn wording(&self) -> String {
        let context = &self.payload.context;
        match self.payload.name {
            EventName::SubagentStart => {
                let agent = context.agent_name.as_deref().or(context.agent_id.as_deref()).unwrap_or("");
                format!("delegation to \"{agent}\" blocked by hook policy")
            }
            EventName::UserPromptSubmit => "hook blocked user_prompt_submit".to_owned(),
            event => format!("Hook blocked: {}", event.name()),
        }
    }

    /// R31: what the breaker makes of a block or timeout.
    fn count(&self, hook: &Hook) -> Option<String> {
        let hold = self.bundle.settings.breaker_mode == BreakerMode::Hold;
        let trips = self.bundle.shared.count_failure(&hook.id, self.now(), hold);
        let then = match self.bundle.shared.gate(&hook.id) {
            Gate::Off => "it is disabled, its gate is open",
            Gate::On | Gate::Tripped => "it keeps blocking until it is enabled again",
        };
        trips.then(|| format!("{}: five blocks within 60 s: {then}", log::CIRCUIT_BREAKER))
    }

    /// A verdict on a blocking event.
    fn gate(&mut self, hook: &Hook, row: &Row, answer: GoclawAnswer) -> Did {
        let mut warnings = Vec::new();
        if matches!(answer.decided, Decided::Block | Decided::Timeout) {
            warnings.extend(self.count(hook));
        }
        let blocks = match answer.decided {
            Decided::Allow => false,
            Decided::Block | Decided::Error => true,
            Decided::Timeout => row.on_timeout == OnTimeout::Block,
        };
        let (effect, flow) = if blocks {
            self.block(hook, answer.reason)
        } else {
            let effect = self.apply(hook, row, answer, &mut warnings);
            if self.time_left() == Some(Duration::ZERO) {
                self.block(hook, format!("hook: chain budget of {} ms is used up", CHAIN_BUDGET.as_millis()))
            } else {
                (effect, Flow::Continue)
            }
        };
        (effect, flow, warnings)
    }
}

fn metadata(
    row: &Row,
    outcome: &ScriptOutcome,
    answer: &GoclawAnswer,
    trace: Option<&Value>,
) -> Map<String, Value> {
    let model = match &row.handler {
        HandlerConfig::Prompt { model, .. } => Some(model.as_str()),
        _ => None,
    };
    let all = [
        ("matcher_matched", Some(true.into())),
        ("cel_eval_result", row.condition.as_ref().map(|_| true.into())),
        ("stdout_len", Some(outcome.stdout.len().into())),
        ("http_status", answer.http_status.map(Value::from)),
        ("prompt_model", model.map(Value::from)),
        ("prompt_tokens", model.map(|_| answer.tokens.into())),
        ("trace_id", trace.cloned()),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// What an answer did, and what to warn of.
type Did = (Effect, Flow, Vec<String>);

impl<'a> Chain<'a> for GoclawChain<'a> {
    type Extra = Row;
    type Terms = Terms;
    type Answer = GoclawAnswer;

    fn event_name(&self) -> &'static str {
        self.payload.name.name()
    }

    fn order(&self) -> Order {
        if self.payload.name.row().blocks { Order::Sequential } else { Order::Parallel }
    }

    /// R6, R28, R35.
    async fn prepare(&mut self, pace: &mut Pace) {
        let bundle = self.bundle;
        if let Some(why) = &bundle.resolve_error {
            self.due = vec![0];
            let is_too_deep = self.event.context.depth > DEEPEST;
            let why = format!("hooks: resolve failed: {why}");
            self.fail(if is_too_deep { log::TOO_DEEP.to_owned() } else { why });
            return;
        }
        if bundle.dry {
            self.due = vec![0];
            return;
        }
        for &index in bundle.hooks.due(self.payload.name.name()) {
            let Some(HookOf { hook, extra: row, .. }) = bundle.hooks.get(index) else { continue };
            if row.hidden_from(&self.event.context).is_none() && bundle.shared.gate(&hook.id) != Gate::Off {
                self.due.push(index);
            }
            pace.look().await;
        }
        if self.event.context.depth > DEEPEST {
            self.fail(log::TOO_DEEP.to_owned());
        }
    }

    fn due(&self) -> Option<Vec<usize>> {
        Some(self.due.clone())
    }

    fn select(&mut self, of: HookOf<'a, Row>) -> Result<(), Mismatch> {
        if self.failure.is_some() {
            let first = self.due.first() == Some(&of.index);
            return Err(Mismatch::Never(match (first, &self.bundle.resolve_error) {
                (true, None) => log::TOO_DEEP,
                (true, Some(_)) if self.event.context.depth <= DEEPEST => log::UNRESOLVED,
                (true, Some(_)) => log::TOO_DEEP,
                (false, _) => log::NOT_ASKED,
            }));
        }
        if self.bundle.dry {
            return Ok(());
        }
        let runs = self.bundle.settings.condition_errors == ConditionErrors::Run;
        let payload = &self.payload;
        let undecided =
            of.extra.test(&payload.tool_name, &payload.tool_input, payload.context.depth, runs)?;
        if let Some(why) = undecided {
            self.undecided.insert(of.index, why);
        }
        Ok(())
    }

    fn deliver(&mut self, of: HookOf<'a, Row>) -> Result<Delivery, Ended> {
        self.start(of.index, of.hook, of.extra)
    }

    fn terms(&self, of: HookOf<'a, Row>) -> Terms {
        let flight = self.flights.get(&of.index);
        Terms {
            // Every hook that is read was started.
            timeout: flight.map_or(of.hook.timeout, |flight| flight.timeout),
            way: flight.map(|flight| flight.way.clone()),
            url: match &of.extra.handler {
                HandlerConfig::Http { url, .. } => Arc::clone(url),
                _ => Arc::default(),
            },
            cap: of.hook.capture.stdout,
            blocks: self.payload.name.row().blocks,
        }
    }

    fn read(terms: Terms, outcome: &ScriptOutcome) -> GoclawAnswer {
        output::read(terms, outcome)
    }

    fn absorb(&mut self, of: HookOf<'a, Row>, outcome: &ScriptOutcome, answer: GoclawAnswer) -> Absorbed {
        let answer = match self.flights.remove(&of.index).map(|flight| flight.way) {
            Some(Way::Prompt { key, warning }) if answer.decided != Decided::Timeout => {
                self.decided(key, warning, answer)
            }
            _ => answer,
        };
        let verdict = match answer.decided {
            Decided::Allow => Verdict::Allow,
            Decided::Block => Verdict::Block,
            Decided::Error | Decided::Timeout => Verdict::Error,
        };
        let reading = Reading {
            reason: (!answer.reason.is_empty()).then(|| answer.reason.clone()),
            specific: Some(Json::from(self.account(of.hook, of.extra, outcome, &answer))),
            ..Reading::of(verdict, answer.rule)
        };
        let unread = answer.unread.map(str::to_owned);
        let (effect, flow, mut warnings) = self.absorb_answer(of.hook, of.extra, answer);
        match self.undecided.remove(&of.index) {
            Some(why) => warnings = vec![why],
            None if warnings.is_empty() => warnings.extend(unread),
            None => {}
        }
        Absorbed { reading, effect, flow, warnings }
    }

    fn refuse(&mut self, hook: &HookId, reason: &str) -> Option<Flow> {
        let can_block = self.payload.name.row().blocks;
        can_block.then(|| {
            self.blocked.get_or_insert_with(|| (Some(hook.clone()), reason.to_owned()));
            Flow::Stop
        })
    }

    fn finish(self) -> (Decision, DialectResult) {
        let blocks = self.blocked.is_some();
        let user_message = blocks.then(|| self.wording());
        let Payload { tool_input, raw_input, .. } = self.payload;
        let updated_tool_input = (self.rewrote.tool_input && !blocks).then_some(tool_input);
        let updated_raw_input = (self.rewrote.raw_input && !blocks).then(|| raw_input.as_ref().to_owned());
        let (hook, reason) = self.blocked.unwrap_or_default();
        let result = GoclawResult {
            decision: if blocks { "block" } else { "allow" },
            hook: hook.clone(),
            reason: reason.clone(),
            contexts: self.contexts.clone(),
            updated_tool_input: updated_tool_input.clone(),
            updated_raw_input: updated_raw_input.clone(),
            proposed_input: self.proposed,
            error: self.failure,
        };
        let block = || Block { hook: hook.unwrap_or_else(|| HookId::from("goclaw")), reason, user_message };
        let decision = Decision {
            blocked: blocks.then(block),
            arguments: updated_tool_input,
            message: updated_raw_input,
            contexts: self.contexts,
            rewritten_by: if blocks { Vec::new() } else { self.rewritten_by },
            ..Decision::default()
        };
        (decision, DialectResult::Goclaw(result))
    }
}

impl Bundle for GoclawBundle {
    fn is_empty(&self) -> bool {
        self.resolve_error.is_none() && self.hooks.iter().all(|of| of.extra.shipped)
    }

    fn hooks(&self) -> &[Hook] {
        self.hooks.all()
    }

    fn absent(&self, event: &Event) -> Vec<(HookId, &'static str)> {
        let Some(name) = EventName::at(&event.moment) else { return Vec::new() };
        let due = self.hooks.due(name.name()).iter().filter_map(|&index| self.hooks.get(index));
        let own = due.filter(|of| !of.extra.shipped && !self.dry);
        let why = |HookOf { hook, extra: row, .. }: HookOf<'_, Row>| {
            let is_off = self.shared.gate(&hook.id) == Gate::Off;
            let why = row.hidden_from(&event.context).or(match (is_off, row.enabled) {
                (true, true) => Some("its circuit breaker disabled it (R31)"),
                (true, false) => Some("it is disabled"),
                (false, _) => None,
            });
            Some((hook.id.clone(), why?))
        };
        own.filter_map(why).collect()
    }

    fn fire<'a>(&'a self, firing: Firing<'a>) -> Option<HookFuture<'a, Fired>> {
        let name = EventName::at(&firing.event.moment)?;
        let chain = GoclawChain::new(self, firing.event, name, firing.now, firing.host);
        Some(firing.run(&self.hooks, chain))
    }

    fn log(&self, phase: Phase, record: &HookRecord) -> Vec<LogRecord> {
        log::records(phase, record)
    }
}
