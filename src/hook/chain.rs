//! One firing: selects, delivers, runs (`hook_run.rs`), reads and folds, as the dialect's [`Chain`] says. A hook's turn is all
//! here, the same for every dialect.
//!
//! In sequence, each hook goes through all steps before the next one is looked at. In parallel, all selected hooks get their
//! payload first and run together, as many as may (`running.rs`); their outputs are read and folded in config order, so that the
//! result does not depend on which one was faster.

use super::background;
use super::contract::{Absorbed, Bundle, Chain, Flow, Order};
use super::decision::{Decision, Verdict};
use super::event::Event;
use super::event_table::EventRow;
use super::fail_closed::{self, FailClosed};
use super::hook_run::{Begun, begin};
use super::hooks::{HookOf, Hooks};
use super::id::HookId;
use super::outcome::Outcome;
use super::outcome_list::OutcomeList;
use super::reading;
use super::record::{Effect, HookRecord, LogRecord, Phase, RunRecord, Selection};
use super::runner::{HookFuture, HookRunner};
use super::running::{Pace, Running};
use super::script::ScriptOutcome;
use super::shadow::{self, Shadow, Watched};
use super::warning::{self, Warnings};
use super::watch::{is_watched, show};
use crate::hook::dialect::result::DialectResult;
use std::borrow::Cow;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

/// What is fired: a loaded config with what its host wants of it.
#[derive(Clone, Copy)]
pub(super) struct FiredConfig<'a> {
    pub(super) bundle: &'a dyn Bundle,
    /// The dialect's.
    pub(super) events: &'static [EventRow],
    pub(super) warnings: &'a Warnings,
    /// Set where the host fails closed.
    pub(super) fail_closed: Option<&'a FailClosed>,
}

/// Fires.
pub(super) fn fire<'a>(
    config: FiredConfig<'a>,
    session: &'a dyn HookRunner,
    event: &'a Event,
) -> HookFuture<'a, Outcome> {
    Box::pin(fire_in(config, session, session, event))
}

/// Fires in shadow mode: the session is wrapped, and the result put where nobody enforces it.
pub(super) fn fire_shadow<'a>(
    config: FiredConfig<'a>,
    session: &'a dyn HookRunner,
    event: &'a Event,
) -> HookFuture<'a, Outcome> {
    Box::pin(async move {
        let watched = Watched::new(session);
        let mut outcome = fire_in(config, session, &watched, event).await;
        outcome.logs.iter_mut().for_each(shadow::mark);
        let decision = std::mem::take(&mut outcome.decision);
        let dialect_result = outcome.dialect_result.take();
        outcome.shadow = Some(Box::new(Shadow { decision, dialect_result }));
        outcome
    })
}

/// `session` is what goes on beside, `host` what the hooks run in: the same, or its wrapping.
async fn fire_in(
    config: FiredConfig<'_>,
    session: &dyn HookRunner,
    host: &dyn HookRunner,
    event: &Event,
) -> Outcome {
    let FiredConfig { bundle, events, warnings, .. } = config;
    let mut pace = Pace::new();
    warnings.show(host, &mut pace).await;
    let config_notices = Arc::clone(&warnings.all);
    let now = event.at_ms.map_or_else(|| host.now(), Duration::from_millis);
    let firing = Firing { event, host, now, session, config, pace };
    let Some(fired) = bundle.fire(firing) else {
        return Outcome {
            decision: Decision::default(),
            dialect_result: None,
            records: OutcomeList::default(),
            logs: OutcomeList::default(),
            notices: OutcomeList::default(),
            config_notices,
            shadow: None,
        };
    };
    let Fired { decision, result, records, logs } = fired.await;
    let mut pace = Pace::new();
    let mut notices = OutcomeList::default();
    for record in &records {
        warning::of_record(bundle, events, record, &mut notices);
        pace.look().await;
    }
    for notice in &notices {
        pace.look().await;
        let hook = notice.hook.as_ref().map(HookId::as_str);
        tracing::warn!(target: "hookbox::hook", hook, "{notice}");
        if let Some(observer) = host.observer() {
            observer.notice(notice);
        }
    }
    Outcome { decision, dialect_result: Some(result), records, logs, notices, config_notices, shadow: None }
}

/// One firing, from the moment when the engine has an event until its dialect has opened a chain for it.
pub(crate) struct Firing<'a> {
    /// What happened.
    pub(crate) event: &'a Event,
    /// What the hooks run in.
    pub(crate) host: &'a dyn HookRunner,
    /// The event's time since the Unix epoch.
    pub(crate) now: Duration,
    session: &'a dyn HookRunner,
    config: FiredConfig<'a>,
    pace: Pace,
}

/// What a chain that was run came to.
#[derive(Debug)]
pub(crate) struct Fired {
    decision: Decision,
    result: DialectResult,
    records: OutcomeList<HookRecord>,
    logs: OutcomeList<LogRecord>,
}

impl<'a> Firing<'a> {
    /// Runs a chain over the hooks of its event.
    pub(crate) fn run<C: Chain<'a> + 'a>(
        self,
        hooks: &'a Hooks<C::Extra>,
        chain: C,
    ) -> HookFuture<'a, Fired> {
        Box::pin(async move {
            let Self { event, host, session, config, mut pace, .. } = self;
            pace.look().await;
            let given_way = Arc::clone(&pace.given_way);
            let mut turns = Turns { config, host, event, name: chain.event_name(), hooks, chain };
            turns.chain.prepare(&mut pace).await;
            let order = turns.chain.order();
            let mut records = match order {
                Order::Sequential => {
                    background::beside(session, &given_way, pin!(turns.sequential(pace))).await
                }
                Order::Parallel => background::beside(session, &given_way, pin!(turns.parallel(pace))).await,
            };
            turns.close(&records);
            let mut pace = Pace::new();
            if order == Order::Parallel {
                turns.settle(&mut records, &mut pace).await;
            }
            let logs = OutcomeList::from(turns.chain.logs());
            for log in &logs {
                show(host, log);
                pace.look().await;
            }
            let (decision, result) = turns.chain.finish();
            Fired { decision, result, records, logs }
        })
    }
}

/// The turns of the hooks of one firing.
struct Turns<'a, C: Chain<'a>> {
    config: FiredConfig<'a>,
    host: &'a dyn HookRunner,
    event: &'a Event,
    name: &'static str,
    hooks: &'a Hooks<C::Extra>,
    chain: C,
}

impl<'a, C: Chain<'a>> Turns<'a, C> {
    async fn sequential(&mut self, mut pace: Pace) -> OutcomeList<HookRecord> {
        let due = self.due();
        let mut records = OutcomeList::with_capacity(due.len());
        let mut flow = Flow::Continue;
        // What a hook took is known: the clock is read once.
        let mut now = self.host.now();
        for &index in due.iter() {
            let Some(of) = self.hooks.get(index) else { continue };
            if flow == Flow::Stop {
                let record = self.record(of, now, Selection::NotReached);
                report(self.config.bundle, self.host, Phase::Finished, &record);
                records.push(record);
                continue;
            }
            let mut record = self.consider(of, now);
            pace.look().await;
            if record.selection == Selection::Matched {
                let begun = self.begin(of);
                pace.look().await;
                let (outcome, warnings) = begun.outcome().await;
                pace.look().await;
                now = now.saturating_add(outcome.duration);
                record.warnings = warnings;
                flow = self.fold(of, outcome, &mut record).await;
            }
            flow = self.refuse_unclear(&mut record).unwrap_or(flow);
            report(self.config.bundle, self.host, Phase::Finished, &record);
            records.push(record);
        }
        records
    }

    async fn parallel(&mut self, mut pace: Pace) -> OutcomeList<HookRecord> {
        let due = self.due();
        let mut records = OutcomeList::with_capacity(due.len());
        let mut runs = Running::new(&pace);
        let mut started = Vec::new();
        for &index in due.iter() {
            let Some(of) = self.hooks.get(index) else { continue };
            let mut record = self.consider(of, self.host.now());
            pace.look().await;
            if record.selection == Selection::Matched {
                started.push((of, records.len()));
                runs.make_room().await;
                runs.add(Box::pin(self.begin(of).outcome()));
                pace.look().await;
            } else {
                self.refuse_unclear(&mut record);
                report(self.config.bundle, self.host, Phase::Finished, &record);
            }
            records.push(record);
        }
        for ((of, place), ran) in started.into_iter().zip(runs.join().await) {
            let (Some(record), Some((outcome, warnings))) = (records.get_mut(place), ran) else { continue };
            record.warnings = warnings;
            self.fold(of, outcome, record).await;
            self.refuse_unclear(record);
            pace.look().await;
        }
        records
    }

    /// Shows the records of hooks that ran together, once it is known what each came to beside the others.
    async fn settle(&mut self, records: &mut OutcomeList<HookRecord>, pace: &mut Pace) {
        for place in 0..records.len() {
            let Some(record) = records.get_mut(place).filter(|record| record.run.is_some()) else { continue };
            if let Some(why) = self.chain.undone(&record.hook, &record.effect) {
                record.effect = Effect::Ignored(why);
            }
            report(self.config.bundle, self.host, Phase::Finished, record);
            pace.look().await;
        }
    }

    fn due(&self) -> Cow<'a, [usize]> {
        self.chain.due().map_or_else(|| Cow::Borrowed(self.hooks.due(self.name)), Cow::Owned)
    }

    fn consider(&mut self, of: HookOf<'a, C::Extra>, at: Duration) -> HookRecord {
        let selection = match self.chain.select(of) {
            Ok(()) => Selection::Matched,
            Err(mismatch) => Selection::NotMatched(mismatch),
        };
        let mut record = self.record(of, at, selection);
        record.label = self.chain.label();
        self.config.warnings.explain(&mut record);
        report(self.config.bundle, self.host, Phase::Considered, &record);
        record
    }

    fn record(&self, of: HookOf<'a, C::Extra>, at: Duration, selection: Selection) -> HookRecord {
        HookRecord {
            hook: of.hook.id.clone(),
            index: of.index,
            at,
            event: self.name,
            label: None,
            context: self.event.context.clone(),
            tool_call_id: self.event.tool_call().map(|call| call.id.clone()),
            selection,
            run: None,
            effect: Effect::None,
            warnings: Vec::new(),
            shadow: self.host.is_shadow(),
        }
    }

    /// Where the host fails closed, a finished hook without a clear answer blocks; what that does to those after it.
    fn refuse_unclear(&mut self, record: &mut HookRecord) -> Option<Flow> {
        self.config.fail_closed.filter(|all| all.holds_of(&record.hook))?;
        let reason = fail_closed::why_unclear(self.config.bundle, self.config.events, record)?;
        let flow = self.chain.refuse(&record.hook, &reason)?;
        record.effect = Effect::Blocked { reason, user_message: None };
        Some(flow)
    }

    /// Where the host fails closed, an event for which the config left an entry out is blocked, if no hook did that.
    fn close(&mut self, records: &[HookRecord]) {
        let Some((hook, reason)) = self.config.fail_closed.and_then(|all| all.left_out(self.name)) else {
            return;
        };
        if !records.iter().any(|record| matches!(record.effect, Effect::Blocked { .. })) {
            let _ = self.chain.refuse(&hook, &reason);
        }
    }

    /// Has the hook delivered, and starts it.
    fn begin(&mut self, of: HookOf<'a, C::Extra>) -> Begun<'a> {
        let delivery = self.chain.deliver(of);
        begin(self.host, of.hook, delivery)
    }

    /// Has the outcome read, lets the chain take the meaning in, and fills the record.
    async fn fold(
        &mut self,
        of: HookOf<'a, C::Extra>,
        outcome: ScriptOutcome,
        record: &mut HookRecord,
    ) -> Flow {
        let terms = self.chain.terms(of);
        let place = reading::ReadingPlace {
            stays: self.host.stays(),
            live_bytes: of.hook.limits.live_bytes,
            trees: C::TREES,
        };
        let (answer, outcome) = reading::of(outcome, place, move |outcome| C::read(terms, outcome)).await;
        let Absorbed { reading, effect, flow, warnings } = self.chain.absorb(of, &outcome, answer);
        if reading.verdict == Verdict::Error {
            tracing::debug!(target: "hookbox::hook", hook = record.hook.as_str(), reason = reading.reason.as_deref(), "hook failed");
        }
        record.effect = effect;
        record.warnings.extend(warnings);
        record.run = Some(RunRecord::new(outcome, reading));
        flow
    }
}

/// Shows a record to who listens: the host's observer, `tracing`.
pub(super) fn report(bundle: &dyn Bundle, host: &dyn HookRunner, phase: Phase, record: &HookRecord) {
    if !is_watched(host) {
        return;
    }
    for log in bundle.log(phase, record) {
        show(host, &log);
    }
    if let (Phase::Finished, Some(observer)) = (phase, host.observer()) {
        observer.audit(record);
    }
}

#[cfg(test)]
mod tests {
    //! Parallel chains, over a dialect made for the test.

    use super::*;
    use crate::hook::contract::Delivery;
    use crate::hook::decision::Reading;
    use crate::hook::dialect::everruns::EverrunsResult;
    use crate::hook::event::{EventContext, Moment};
    use crate::hook::hooks::{Handler, Hook};
    use crate::hook::matcher::Mismatch;
    use crate::hook::runner::HookRunner;
    use crate::hook::script::{Capture, Command, Ended, Excess, HookScript, ScriptRequest, Shell};
    use crate::hook::state::SessionState;
    use crate::limit::Limits;
    use crate::text::Text;
    use crate::vfs::FsError;
    use std::future::poll_fn;
    use std::sync::Mutex;
    use std::task::Poll;
    use std::task::Waker;

    struct Three(Hooks<()>);
    struct Folding(Vec<String>);

    impl Bundle for Three {
        fn hooks(&self) -> &[Hook] {
            self.0.all()
        }
        fn fire<'a>(&'a self, firing: Firing<'a>) -> Option<HookFuture<'a, Fired>> {
            Some(firing.run(&self.0, Folding(Vec::new())))
        }
        fn log(&self, _: Phase, _: &HookRecord) -> Vec<LogRecord> {
            Vec::new()
        }
    }

    impl<'a> Chain<'a> for Folding {
        type Extra = ();
        type Terms = ();
        type Answer = String;
        fn event_name(&self) -> &'static str {
            "e"
        }
        fn order(&self) -> Order {
            Order::Parallel
        }
        fn select(&mut self, of: HookOf<'a, ()>) -> Result<(), Mismatch> {
            if of.index == 1 { Err(Mismatch::Never("not this one")) } else { Ok(()) }
        }
        fn deliver(&mut self, _: HookOf<'a, ()>) -> Result<Delivery, Ended> {
            Ok(Delivery::default())
        }
        fn terms(&self, _: HookOf<'a, ()>) {}
        fn read((): (), outcome: &ScriptOutcome) -> String {
            String::from_utf8_lossy(&outcome.stdout).into_owned()
        }
        fn absorb(&mut self, _: HookOf<'a, ()>, _: &ScriptOutcome, answer: String) -> Absorbed {
            let reading = Reading::because(Verdict::Block, answer.clone(), "r");
            self.0.push(answer);
            Absorbed { reading, effect: Effect::None, flow: Flow::Stop, warnings: Vec::new() }
        }
        fn refuse(&mut self, _: &HookId, _: &str) -> Option<Flow> {
            None
        }
        fn finish(self) -> (Decision, DialectResult) {
            let decision = Decision { contexts: self.0, ..Decision::default() };
            (decision, DialectResult::Everruns(EverrunsResult::Lifecycle))
        }
    }

    /// The first run is ready only after the second one was started.
    #[derive(Default)]
    struct Late(Mutex<(usize, Option<Waker>)>, SessionState);

    impl HookRunner for Late {
        fn run<'a>(&'a self, request: ScriptRequest<'a>) -> HookFuture<'a, ScriptOutcome> {
            let Command::Script { script, .. } = request.command else { panic!() };
            let source = script.source().to_vec();
            Box::pin(async move {
                crate::clock::lock(&self.0).0 += 1;
                poll_fn(|context| {
                    let mut state = crate::clock::lock(&self.0);
                    if state.0 == 2 {
                        state.1.take().into_iter().for_each(Waker::wake);
                        return Poll::Ready(());
                    }
                    state.1 = Some(context.waker().clone());
                    Poll::Pending
                })
                .await;
                ScriptOutcome::exited(0, source, "")
            })
        }
        fn write_file(&self, _: &[u8], _: &Text) -> Result<(), FsError> {
            Ok(())
        }
        fn remove_file(&self, _: &[u8]) -> Result<(), FsError> {
            Ok(())
        }
        fn now(&self) -> Duration {
            Duration::ZERO
        }
        fn random_u64(&self) -> u64 {
            0
        }
        fn state(&self) -> &SessionState {
            &self.1
        }
    }

    fn hook(name: &str) -> Hook {
        let unbounded = u64::MAX;
        let capture = Capture {
            stdout: unbounded,
            stderr: unbounded,
            total: unbounded,
            merge: false,
            excess: Excess::Fail,
        };
        Hook {
            id: name.into(),
            event: "e",
            handler: Handler::Script { script: HookScript::new(name), shell: Shell::Sh },
            timeout: Duration::from_secs(1),
            limits: Limits::hook().into(),
            capture,
            cwd: None,
            inherit_environment: true,
            identity: None,
            description: None,
        }
    }

    #[test]
    fn parallel_hooks_run_together_and_fold_in_order() {
        let bundle = Three(Hooks::new(["a", "b", "c"].map(|name| (hook(name), ()))));
        let event = Event::new(EventContext::default(), Moment::TurnStarted);
        let host = Late::default();
        let outcome = tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(fire(
            FiredConfig { bundle: &bundle, events: &[], warnings: &Warnings::default(), fail_closed: None },
            &host,
            &event,
        ));
        assert_eq!(outcome.decision.contexts, ["a", "c"]);
        let ran: Vec<_> = outcome.records.iter().map(|record| record.run.is_some()).collect();
        assert_eq!(ran, [true, false, true]);
    }
}
