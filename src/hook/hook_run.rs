//! One run of a hook: deposits its payload, starts what it runs (a script, a program, a request to the host, a run that nobody
//! waits for), and waits for the outcome. What was deposited is removed when the hook is over or given up.

use super::background::{self, Late};
use super::contract::{Delivery, Work};
use super::hooks::{Handler, Hook};
use super::reading;
use super::request::Request;
use super::runner::{HookFuture, HookRunner};
use super::script::{Command, Ended, ScriptOutcome, ScriptRequest};
use crate::text::Text;
use crate::vfs::WithdrawError;
use std::time::Duration;

/// A hook that was begun.
pub(super) struct Begun<'a> {
    work: Waiting<'a>,
    /// Removed when the hook is over, and when this is dropped on the way.
    file: Option<PayloadFile<'a>>,
    warnings: Vec<String>,
}

enum Waiting<'a> {
    Over(Box<ScriptOutcome>),
    For(HookFuture<'a, ScriptOutcome>),
}

impl<'a> Begun<'a> {
    fn over(outcome: impl Into<Box<ScriptOutcome>>) -> Self {
        Self { work: Waiting::Over(outcome.into()), file: None, warnings: Vec::new() }
    }

    fn waits(run: HookFuture<'a, ScriptOutcome>) -> Self {
        Self { work: Waiting::For(run), file: None, warnings: Vec::new() }
    }

    /// Waits; the outcome, and what there is to warn of.
    pub(super) async fn outcome(mut self) -> (ScriptOutcome, Vec<String>) {
        let outcome = match self.work {
            Waiting::Over(outcome) => *outcome,
            Waiting::For(run) => run.await,
        };
        if let Some(file) = self.file.take() {
            file.remove(&mut self.warnings);
        }
        (outcome, self.warnings)
    }
}

/// Deposits the payload file and starts the hook.
pub(super) fn begin<'a>(
    host: &'a dyn HookRunner,
    hook: &'a Hook,
    delivery: Result<Delivery, Ended>,
) -> Begun<'a> {
    let delivery = match delivery {
        Ok(delivery) => delivery,
        Err(end) => return Begun::over(ScriptOutcome::ended(end)),
    };
    let timeout = delivery.timeout.unwrap_or(hook.timeout);
    let late = match delivery.work {
        Work::Known(outcome) => return Begun::over(outcome),
        Work::Ask(request) => return Begun::waits(Box::pin(ask(host, request, timeout))),
        Work::Run => None,
        Work::Start(late) => Some(late),
    };
    let command = match &hook.handler {
        Handler::Script { script, shell } => Command::Script { script, shell: *shell },
        Handler::Program { name, arguments } => Command::Program { name, arguments },
        Handler::Other(kind) => {
            let end = Ended::NotStarted(format!("{kind} hooks do not run in a shell"));
            return Begun::over(ScriptOutcome::ended(end));
        }
    };
    let mut warnings = Vec::new();
    let file =
        delivery.payload_file.and_then(|path| PayloadFile::write(host, path, &delivery.stdin, &mut warnings));
    let request = ScriptRequest {
        command,
        environment: delivery.environment,
        inherit_environment: hook.inherit_environment,
        hidden: delivery.hidden,
        cwd: delivery.cwd.or_else(|| hook.cwd.clone()),
        stdin: delivery.stdin,
        timeout,
        limits: &hook.limits,
        capture: hook.capture,
        identity: hook.identity.as_ref(),
    };
    let begun = match late {
        None => Begun::waits(host.run(request)),
        Some(late) => start(host, hook, request, late),
    };
    Begun { file, warnings, ..begun }
}

/// What an output that nobody waits for is read to: its tree, and the texts in it.
const LATE_TREES: u64 = 2;

/// Starts what nobody waits for. A session that cannot do that runs it now; for the chain that is the same.
fn start<'a>(host: &'a dyn HookRunner, hook: &'a Hook, request: ScriptRequest<'a>, late: Late) -> Begun<'a> {
    let place =
        reading::ReadingPlace { stays: host.stays(), live_bytes: hook.limits.live_bytes, trees: LATE_TREES };
    match host.start(request.clone()) {
        Some(run) => match background::add(host, hook.id.clone(), place, run, late) {
            Ok(()) => Begun::over(ScriptOutcome::exited(0, "", "")),
            Err(end) => Begun::over(ScriptOutcome::ended(end)),
        },
        None => Begun::waits(Box::pin(async move {
            let ran = late.wait(host.run(request), place).await;
            late.say(&hook.id, ran, host);
            ScriptOutcome::exited(0, "", "")
        })),
    }
}

/// Asks the host; the answer's time is that of the session's clock.
async fn ask(host: &dyn HookRunner, request: Request, timeout: Duration) -> ScriptOutcome {
    let started = host.now();
    let outcome = host.request(request, timeout).await;
    ScriptOutcome { duration: host.now().saturating_sub(started), ..outcome }
}

/// A payload file in the session; removed on drop.
struct PayloadFile<'a> {
    host: &'a dyn HookRunner,
    path: Option<Text>,
}

impl<'a> PayloadFile<'a> {
    fn write(
        host: &'a dyn HookRunner,
        path: Text,
        content: &Text,
        warnings: &mut Vec<String>,
    ) -> Option<Self> {
        match host.deposit_file(&path, content) {
            Ok(()) => Some(Self { host, path: Some(path) }),
            Err(error) => {
                warnings.push(format!("payload file {path} could not be written: {error}"));
                None
            }
        }
    }

    fn remove(mut self, warnings: &mut Vec<String>) {
        let Some(path) = self.path.take() else { return };
        warnings.extend(match self.host.withdraw_file(&path) {
            Ok(()) => None,
            Err(WithdrawError::Write(error)) => {
                Some(format!("payload file {path} could not be written: {error}"))
            }
            Err(WithdrawError::Remove(error)) => {
                Some(format!("payload file {path} could not be removed: {error}"))
            }
        });
    }
}

impl Drop for PayloadFile<'_> {
    fn drop(&mut self) {
        if let Some(path) = self.path.take() {
            // The run was dropped: nobody is left to be told.
            let _ = self.host.withdraw_file(&path);
        }
    }
}
