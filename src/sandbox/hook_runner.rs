//! Hooks run in a sandbox: [`HookRunner`] over the shell.
//!
//! The text of a hook's script is checked once and shared from run to run, so that the sandbox's program cache finds its
//! compiled form.

use super::{End, Output, Running, Sandbox, Script, Shared, Sink, Source};
use crate::clock::RealSleep;
use crate::hook::runner::unanswered;
use crate::hook::{
    Capture, Command, Ended, Excess, HookFuture, HookHost, HookIdentity, HookObserver, HookRunner,
    HookScript, LateOutput, Request, ScriptOutcome, ScriptRequest, SessionState, Shell,
};
use crate::limit::{Limit, Limits};
use crate::syntax::{NoAliases, ParseOptions, Parser, is_well_formed};
use crate::text::Text;
use crate::utility::{Environment, Identity, Session};
use crate::vfs::{Errno, FileSystem, FsError, WithdrawError, path};
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock};
use std::task::Poll;
use std::time::Duration;

/// A hook's text in the form that a run takes.
struct Prepared {
    text: Arc<[u8]>,
    /// Why it is not a script.
    fault: Option<String>,
}

impl Prepared {
    /// A hook is read as a whole before it runs, so that a broken one has done nothing: bash would run the lines before the
    /// error. What only `shopt -s extglob` makes valid is not an error here.
    fn new(source: &Text, depth: u64) -> Self {
        let text: Arc<[u8]> = Arc::from(source.as_bytes());
        let fault = |extglob| {
            let depth = u32::try_from(depth).unwrap_or(u32::MAX);
            let options = ParseOptions { extglob, depth, ..ParseOptions::default() };
            if is_well_formed(&text, &options) {
                return None;
            }
            let mut parser = Parser::new(Arc::clone(&text).into(), 1);
            loop {
                match parser.next_command(&options, &NoAliases) {
                    Ok(Some(_)) => {}
                    Ok(None) => return None,
                    Err(error) => return Some(error),
                }
            }
        };
        let fault = fault(false).filter(|_| fault(true).is_some()).filter(|error| error.limit().is_none());
        let fault = fault.map(|error| format!("bash: line {}: {}", error.line(), error.message().join(": ")));
        Self { text, fault }
    }

    /// Uses what is kept of a script; prepares it first, if nothing is.
    fn of<R>(script: &HookScript, depth: u64, used: impl FnOnce(&Self) -> R) -> R {
        if let Some(prepared) = script.compiled() {
            return used(prepared);
        }
        let prepared = Arc::new(Self::new(script.source(), depth));
        script.keep(prepared.clone());
        used(&prepared)
    }
}

impl HookRunner for Sandbox {
    fn run<'a>(&'a self, request: ScriptRequest<'a>) -> HookFuture<'a, ScriptOutcome> {
        self.begin(request)
    }

    fn start(&self, request: ScriptRequest<'_>) -> Option<HookFuture<'static, ScriptOutcome>> {
        Some(self.begin(request))
    }

    fn stays(&self) -> bool {
        self.stays
    }

    fn deliver_late(&self, late: &LateOutput) -> bool {
        self.hook_host.as_ref().is_some_and(|host| host.deliver_late(late))
    }

    fn write_file(&self, name: &[u8], content: &Text) -> Result<(), FsError> {
        match self.fs().write(name, content, 0o644) {
            Err(error) if error.errno() == Some(Errno::NotFound) => {
                if let Some((directory, _)) = path::split_last(name) {
                    self.fs().create_dir_all(directory, 0o755)?;
                }
                self.fs().write(name, content, 0o644)
            }
            result => result,
        }
    }

    fn remove_file(&self, path: &[u8]) -> Result<(), FsError> {
        self.fs().remove_file(path)
    }

    fn deposit_file(&self, path: &Text, content: &Text) -> Result<(), FsError> {
        self.fs().deposit(path, content, 0o644)
    }

    fn withdraw_file(&self, path: &[u8]) -> Result<(), WithdrawError> {
        self.fs().withdraw(path)
    }

    fn now(&self) -> Duration {
        self.session().clock.now()
    }

    fn random_u64(&self) -> u64 {
        self.session().random.next_u64()
    }

    fn request(&self, request: Request, timeout: Duration) -> HookFuture<'_, ScriptOutcome> {
        let Some(host) = &self.hook_host else {
            return match (request, &self.session().network) {
                (Request::Http(request), Some(network)) => {
                    Box::pin(async move { crate::hook::http::post(network, &request, timeout).await })
                }
                (request, _) => Box::pin(std::future::ready(unanswered(&request))),
            };
        };
        Box::pin(async move {
            let mut answer = host.request(request, timeout);
            if self.session().clock.is_virtual() {
                return answer.await; // such time only passes where a script waits
            }
            let mut over = RealSleep::of(timeout);
            poll_fn(|context| match answer.as_mut().poll(context) {
                Poll::Ready(outcome) => Poll::Ready(outcome),
                Poll::Pending => {
                    Pin::new(&mut over).poll(context).map(|()| ScriptOutcome::ended(Ended::TimedOut))
                }
            })
            .await
        })
    }

    fn state(&self) -> &SessionState {
        &self.hook_state
    }

    fn cwd(&self) -> Option<&Text> {
        Some(&self.cwd)
    }

    fn variable(&self, name: &[u8]) -> Option<&Text> {
        self.environment.get(name)
    }

    fn files(&self) -> Option<&Arc<FileSystem>> {
        Some(self.fs())
    }

    fn observer(&self) -> Option<&dyn HookObserver> {
        self.hook_host.as_deref().and_then(HookHost::observer)
    }
}

/// The outcome of a text that does not parse; `None` where it does.
fn fault(request: &ScriptRequest<'_>) -> Option<ScriptOutcome> {
    let Command::Script { script, .. } = request.command else { return None };
    let fault = Prepared::of(script, request.limits.syntax_depth, |prepared| prepared.fault.clone())?;
    let stderr = format!("{fault}\n").into_bytes();
    Some(ScriptOutcome { status: 2, stderr, ..ScriptOutcome::ended(Ended::Syntax(fault)) })
}

fn script(request: ScriptRequest<'_>) -> Script {
    let mut run = match request.command {
        Command::Script { script, shell } => {
            let text =
                Prepared::of(script, request.limits.syntax_depth, |prepared| Arc::clone(&prepared.text));
            Script {
                name: Text::from_static(shell.name().as_bytes()),
                posix: shell == Shell::Sh,
                ..Script::shared(text)
            }
        }
        Command::Program { name, arguments } => {
            let mut args = vec![name.clone()];
            args.extend_from_slice(arguments);
            Script { args, ..Script::command(br#"exec "$@""#) }
        }
    };
    run.environment = request.environment;
    run.bare_environment = !request.inherit_environment;
    run.cwd = request.cwd;
    run.stdin = Source::Bytes(request.stdin);
    let sink = || match request.capture.excess {
        Excess::Fail => Sink::Capture,
        Excess::Discard => Sink::CaptureDropping,
    };
    run.stdout = sink();
    run.stderr = if request.capture.merge { Sink::SameAsStdout } else { sink() };
    let capture = request.capture;
    run.limits = Some(Limits {
        wall_time_ms: u64::try_from(request.timeout.as_millis()).unwrap_or(u64::MAX),
        output_bytes: capture.stdout.max(capture.stderr).min(capture.total),
        ..request.limits.clone()
    });
    run
}

fn outcome(output: Output, capture: Capture, duration: Duration) -> ScriptOutcome {
    let Output { stdout, stderr, status, end, usage, missing } = output;
    let total = (stdout.len() as u64).saturating_add(stderr.len() as u64);
    let end = match end {
        End::Limit(error) if error.limit == Limit::WallTime => Ended::TimedOut,
        End::Limit(error) if error.limit == Limit::OutputBytes => Ended::OutputExceeded,
        End::Limit(error) => Ended::Limit(error),
        End::Exited if capture.excess == Excess::Fail && total > capture.total => Ended::OutputExceeded,
        End::Exited => Ended::Exited,
    };
    let status = if end == Ended::Exited { i32::from(status) } else { -1 };
    ScriptOutcome { status, stdout, stderr, end, usage, duration, missing }
}

impl Sandbox {
    /// Starts a hook; the future does nothing unless polled.
    fn begin(&self, request: ScriptRequest<'_>) -> HookFuture<'static, ScriptOutcome> {
        if let Some(fault) = fault(&request) {
            return Box::pin(std::future::ready(fault));
        }
        let capture = request.capture;
        let running = self.running(request);
        // The run's own: what goes on beside it does not count.
        let clock = running.clock();
        let started = clock.is_virtual().then(|| (Arc::clone(clock), clock.monotonic()));
        Box::pin(async move {
            let output = running.await;
            let duration = match started {
                Some((clock, started)) => clock.monotonic().saturating_sub(started),
                None => Duration::from_micros(output.usage.wall_time_us),
            };
            outcome(output, capture, duration)
        })
    }

    fn running(&self, request: ScriptRequest<'_>) -> Running {
        let hidden = request.hidden;
        let names = request.identity.filter(|names| !self.is_known_as(names));
        let mut script = script(request);
        let is_hidden = |name: &Text| hidden.iter().any(|prefix| name.starts_with(prefix));
        if !script.bare_environment && self.environment.iter().any(|(name, _)| is_hidden(name)) {
            let mut environment = Environment::default();
            let inherited = self.environment.iter().filter(|(name, _)| !is_hidden(name));
            for (name, value) in inherited.chain(script.environment.iter()) {
                environment.set(name.clone(), value.clone());
            }
            script.environment = environment;
            script.bare_environment = true;
        }
        let Some(names) = names else { return self.start(script) };
        let renamed = self.renamed.get_or_init(|| Box::new(self.known_as(names)));
        if renamed.is_known_as(names) {
            return renamed.start(script);
        }
        // The hooks of a session have one pair of names; another costs a sandbox each time.
        self.known_as(names).start(script)
    }

    fn is_known_as(&self, names: &HookIdentity) -> bool {
        let identity = &self.session().identity;
        identity.user == names.user && identity.host == names.host
    }

    /// This sandbox under other names of user and host; everything else is shared but the queues of FIFOs.
    fn known_as(&self, names: &HookIdentity) -> Self {
        let old = self.session();
        let shared = self.shared();
        let identity =
            Identity { user: names.user.clone(), host: names.host.clone(), ..old.identity.clone() };
        let (fs, clock, random) = (Arc::clone(&old.fs), Arc::clone(&old.clock), Arc::clone(&old.random));
        Self {
            session: Arc::new(Session::new(fs, clock, random, identity).with_network(old.network.clone())),
            limits: self.limits.clone(),
            environment: self.environment.clone(),
            cwd: self.cwd.clone(),
            gate: self.gate.clone(),
            host_commands: Arc::clone(&self.host_commands),
            // `HOSTNAME` is among what the templates hold.
            shared: Arc::new(Mutex::new(Arc::new(Shared {
                names: Arc::clone(&shared.names),
                cache: Arc::clone(&shared.cache),
                templates: Default::default(),
            }))),
            kept_bytes: self.kept_bytes,
            hook_host: None,
            hook_state: SessionState::default(),
            renamed: OnceLock::new(),
            #[cfg(feature = "host-files")]
            skipped: Vec::new(),
            stays: self.stays,
            trace: self.trace.clone(),
        }
    }
}
