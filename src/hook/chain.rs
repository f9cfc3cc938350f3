//! One firing: selects, delivers, runs, reads and folds, as the dialect's [`Chain`] says.
//!
//! In sequence, each hook goes through all steps before the next one is looked at. In parallel, all selected hooks get their
//! payload first and run together; their outputs are read and folded in config order, so that the result does not depend on
//! which one was faster.

use super::decision::{Decision, Verdict};
use super::dialect::{Bundle, Chain, Delivery, Flow, Handler, Hook, Order};
use super::event::Event;
use super::record::{Effect, HookRecord, Phase, RunRecord, Selection};
use super::runner::{Command, HookFuture, HookRunner, ScriptOutcome, ScriptRequest};
use super::{Outcome, report};
use crate::text::Text;
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

pub(super) async fn fire(bundle: &dyn Bundle, host: &dyn HookRunner, event: &Event) -> Outcome {
    let now = event.at_ms.map_or_else(|| host.now(), Duration::from_millis);
    let Some(mut chain) = bundle.open(event, now) else {
        return Outcome { decision: Decision::default(), dialect_result: None, records: Vec::new() };
    };
    let firing = Firing { bundle, host, event, name: chain.event_name() };
    let records = match chain.order() {
        Order::Sequential => firing.sequential(chain.as_mut()).await,
        Order::Parallel => firing.parallel(chain.as_mut()).await,
    };
    let (decision, dialect_result) = chain.finish();
    Outcome { decision, dialect_result: Some(dialect_result), records }
}

struct Firing<'a> {
    bundle: &'a dyn Bundle,
    host: &'a dyn HookRunner,
    event: &'a Event,
    name: &'static str,
}

impl<'a> Firing<'a> {
    async fn sequential(&self, chain: &mut dyn Chain) -> Vec<HookRecord> {
        let due = self.bundle.due(self.name);
        let mut records = Vec::with_capacity(due.len());
        let mut flow = Flow::Continue;
        for &index in due {
            let Some(hook) = self.bundle.hook(index) else { continue };
            if flow == Flow::Stop {
                let record = self.record(hook, Selection::NotReached);
                report(self.bundle, self.host, Phase::Finished, &record);
                records.push(record);
                continue;
            }
            let mut record = self.consider(hook, index, chain);
            if record.selection == Selection::Matched {
                let delivery = chain.deliver(index, self.host);
                let (outcome, warnings) = execute(self.host, hook, delivery).await;
                record.warnings = warnings;
                flow = fold(chain, index, outcome, &mut record);
            }
            report(self.bundle, self.host, Phase::Finished, &record);
            records.push(record);
        }
        records
    }

    async fn parallel(&self, chain: &mut dyn Chain) -> Vec<HookRecord> {
        let mut records = Vec::new();
        let mut runs: Vec<HookFuture<'a, (ScriptOutcome, Vec<String>)>> = Vec::new();
        let mut started = Vec::new();
        for &index in self.bundle.due(self.name) {
            let Some(hook) = self.bundle.hook(index) else { continue };
            let record = self.consider(hook, index, chain);
            if record.selection == Selection::Matched {
                started.push((index, records.len()));
                runs.push(Box::pin(execute(self.host, hook, chain.deliver(index, self.host))));
            } else {
                report(self.bundle, self.host, Phase::Finished, &record);
            }
            records.push(record);
        }
        for ((index, place), (outcome, warnings)) in started.into_iter().zip(join(runs).await) {
            let Some(record) = records.get_mut(place) else { continue };
            record.warnings = warnings;
            fold(chain, index, outcome, record);
            report(self.bundle, self.host, Phase::Finished, record);
        }
        records
    }

    fn consider(&self, hook: &Hook, index: usize, chain: &mut dyn Chain) -> HookRecord {
        let selection = match chain.select(index) {
            Ok(()) => Selection::Matched,
            Err(mismatch) => Selection::NotMatched(mismatch),
        };
        let record = self.record(hook, selection);
        report(self.bundle, self.host, Phase::Considered, &record);
        record
    }

    fn record(&self, hook: &Hook, selection: Selection) -> HookRecord {
        HookRecord {
            hook: hook.id.clone(),
            event: self.name,
            context: self.event.context.clone(),
            tool_call_id: self.event.tool_call().map(|call| call.id.clone()),
            selection,
            run: None,
            effect: Effect::None,
            warnings: Vec::new(),
        }
    }
}

/// Reads the outcome, lets the chain take it in, and fills the record.
fn fold(chain: &mut dyn Chain, index: usize, outcome: ScriptOutcome, record: &mut HookRecord) -> Flow {
    let reading = chain.read(index, &outcome);
    let failed = reading.verdict == Verdict::Error;
    let absorbed = chain.absorb(index, &reading);
    if failed {
        tracing::debug!(target: "hookbox::hook", hook = record.hook.as_str(), reason = reading.reason.as_deref(), "hook failed");
    }
    record.effect = absorbed.effect;
    record.warnings.extend(absorbed.warning);
    record.run = Some(RunRecord::new(outcome, reading));
    absorbed.flow
}

/// Writes the payload file, runs, removes the file; also when the future is dropped on the way.
async fn execute(
    host: &dyn HookRunner,
    hook: &Hook,
    delivery: Result<Delivery, ScriptOutcome>,
) -> (ScriptOutcome, Vec<String>) {
    let delivery = match delivery {
        Ok(delivery) => delivery,
        Err(outcome) => return (outcome, Vec::new()),
    };
    let mut warnings = Vec::new();
    let file = delivery.payload_file.and_then(|path| PayloadFile::write(host, path, &delivery.stdin, &mut warnings));
    let Handler::Script { script, shell } = &hook.handler;
    let outcome = host
        .run(ScriptRequest {
            command: Command::Script { script, shell: *shell },
            environment: delivery.environment,
            inherit_environment: hook.inherit_environment,
            cwd: hook.cwd.as_ref(),
            stdin: delivery.stdin,
            timeout: delivery.timeout.unwrap_or(hook.timeout),
            limits: &hook.limits,
            capture: hook.capture,
            identity: hook.identity.as_ref(),
        })
        .await;
    if let Some(file) = file {
        file.remove(&mut warnings);
    }
    (outcome, warnings)
}

/// A payload file in the session; removed on drop.
struct PayloadFile<'a> {
    host: &'a dyn HookRunner,
    path: Option<Text>,
}

impl<'a> PayloadFile<'a> {
    fn write(host: &'a dyn HookRunner, path: Text, content: &Text, warnings: &mut Vec<String>) -> Option<Self> {
        match host.write_file(&path, content) {
            Ok(()) => Some(Self { host, path: Some(path) }),
            Err(error) => {
                warnings.push(format!("payload file {path} could not be written: {error}"));
                None
            }
        }
    }

    fn remove(mut self, warnings: &mut Vec<String>) {
        if let Some(path) = self.path.take()
            && let Err(error) = self.host.remove_file(&path)
        {
            warnings.push(format!("payload file {path} could not be removed: {error}"));
        }
    }
}

impl Drop for PayloadFile<'_> {
    fn drop(&mut self) {
        if let Some(path) = self.path.take() {
            // The run was dropped: nobody is left to be told.
            let _ = self.host.remove_file(&path);
        }
    }
}

/// All results in order, once the last one is there.
async fn join<T>(futures: Vec<HookFuture<'_, T>>) -> Vec<T> {
    let mut waiting: Vec<_> = futures.into_iter().map(|future| (Some(future), None)).collect();
    poll_fn(|context| {
        let mut pending = false;
        for (future, result) in &mut waiting {
            if let Some(running) = future {
                match running.as_mut().poll(context) {
                    Poll::Ready(value) => (*future, *result) = (None, Some(value)),
                    Poll::Pending => pending = true,
                }
            }
        }
        if pending { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
    waiting.into_iter().filter_map(|(_, result)| result).collect()
}
