//! A session and its runs. A [`Sandbox`] is built once for each agent session, a run is one future, and its [`Output`] has all
//! that the script did.
//!
//! ```
//! use hookbox::sandbox::{End, Sandbox};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), hookbox::sandbox::Error> {
//! let sandbox = Sandbox::builder().file("/workspace/names", "b\na\n").build()?;
//! let output = sandbox.run("sort names; exit 3").await;
//! assert_eq!((output.stdout.as_slice(), output.status, output.end), (b"a\nb\n".as_slice(), 3, End::Exited));
//! # Ok(())
//! # }
//! ```
//!
//! This is the only module that joins the layers: it implements the machine's services for a run, and the `HookRunner` of `hook` over the machine.
//!
//! [`SandboxBuilder`] (`builder.rs`) makes the file system and the environment. [`Sandbox::start`] turns a [`Script`] into a
//! [`Running`] future (`run.rs`): it makes a meter, a scheduler and the first shell, polls them, and moves a run that takes
//! long to a thread of the crate. `hook_runner.rs` runs hooks as such scripts; `contain.rs` and `entry.rs` are what a host
//! sees of files.
//!
//! Invariants: runs of one session share the files and what is kept from run to run (`Shared`: names, compiled programs),
//! which is bounded; they share nothing with other sessions. What a script does is never an `Err`. Dropping a run ends every
//! process in it. What is new for embedders is a method of the builder or a field of [`Script`] or [`Output`].

mod builder;
mod contain;
mod entry;
mod hook_runner;
mod run;
#[cfg(feature = "tools")]
mod session_source;
#[cfg(test)]
mod tests;

pub use builder::SandboxBuilder;
pub use entry::Entry;
pub use run::{End, Output, Running, Script, Sink, Source};
#[cfg(feature = "tools")]
pub use session_source::SandboxSource;

use crate::clock::{Timers, lock};
pub use crate::environment::Environment;
use crate::hook::{HookHost, SessionState};
use crate::io::{Capture, Description, DescriptorTable, OnExcess};
pub use crate::io::{InputStream, OutputStream};
use crate::limit::{Limit, Limits, Meter, dispose, gauge};
pub use crate::machine::CommandGate;
use crate::machine::{
    CommandQueue, FIRST_PID, Halt, HostCommand, Measured, Names, Process, ProgramCache, Run, Scheduler,
    Services, Start, Template,
};
use crate::memory::{self, Bytes, HashMap};
use crate::missing::MissingList;
pub use crate::missing::{Missing, MissingKind};
use crate::text::Text;
use crate::trace::Trace;
pub use crate::utility::Identity;
use crate::utility::Session;
use crate::vfs::{self, Change, FileSystem, FsError, Snapshot};
use run::RunState;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// Why a sandbox could not be made, or a run could not be done. What a script does is never one of these.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A folder of the host or a fixture could not be used; the message names it.
    #[cfg(feature = "host-files")]
    #[error("{0}")]
    Fixture(String),
    /// The session's file system refused.
    #[error("{path}: {error}")]
    File {
        /// The path in the session.
        path: String,
        /// Why.
        error: FsError,
    },
}

/// An agent session: a file system, limits, and a shell to run scripts with.
///
/// Cheap to make (a few microseconds), and independent of every other sandbox: nothing of it is kept in process-wide
/// state. Runs of one sandbox share its file system; several may go on at the same time.
pub struct Sandbox {
    session: Arc<Session>,
    limits: Limits,
    environment: Environment,
    cwd: Text,
    gate: Option<Arc<dyn CommandGate>>,
    host_commands: Arc<HashMap<Text, HostCommand>>,
    shared: Arc<Mutex<Arc<Shared>>>,
    kept_bytes: usize,
    hook_host: Option<Arc<dyn HookHost>>,
    hook_state: SessionState,
    /// This sandbox under the names that the hooks of a dialect were promised.
    renamed: OnceLock<Box<Sandbox>>,
    #[cfg(feature = "host-files")]
    skipped: Vec<vfs::fixture::Skipped>,
    /// Runs stay where the host polls them.
    stays: bool,
    /// Who is told what scripts do.
    trace: Option<Arc<Trace>>,
}

/// What a session holds beside what its names and programs weigh: 14 KiB after one script of nothing, 18 KiB more in tables of
/// long names were measured.
const EMPTY_BYTES: usize = 48 << 10;

/// What the runs of a session share beside its files. When it holds more than the session may keep, all of it starts over
/// after the run that made it so; runs that are under way keep what they have.
struct Shared {
    names: Arc<Names>,
    cache: Arc<ProgramCache>,
    /// What runs start with: over the sandbox's environment, and over an empty one.
    templates: [Prepared; 2],
}

impl Shared {
    fn new(kept_bytes: usize) -> Self {
        Self {
            names: Arc::default(),
            cache: Arc::new(ProgramCache::new(kept_bytes, crate::machine::find_builtin_id)),
            templates: <[Prepared; 2]>::default(),
        }
    }

    /// What is kept for the next run.
    fn bytes(&self) -> usize {
        let templates = self.templates.iter().map(|prepared| prepared.bytes.load(Ordering::Relaxed));
        EMPTY_BYTES + self.names.bytes() + self.cache.bytes() + templates.sum::<usize>()
    }
}

/// What a run hands back to its session when it is over.
struct Kept {
    slot: Arc<Mutex<Arc<Shared>>>,
    /// None once it was handed back.
    own: Option<Arc<Shared>>,
    most: usize,
}

impl Kept {
    /// Lets the session start over if it would keep too much.
    fn hand_back(&mut self, meter: &Arc<Meter>) {
        let Some(own) = self.own.take() else { return };
        own.cache.trim();
        let bytes = own.bytes();
        if bytes > self.most {
            let mut slot = lock(&self.slot);
            if Arc::ptr_eq(&slot, &own) {
                *slot = Arc::new(Shared::new(self.most));
            }
            drop(slot);
            dispose(meter, bytes, own);
        }
    }
}

/// The variables that runs start with: made at the second run, for a session that runs one script has no use for them.
#[derive(Default)]
struct Prepared {
    template: OnceLock<Option<memory::Arc<Template>>>,
    /// What the template holds.
    bytes: AtomicUsize,
    used: AtomicBool,
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sandbox").field("cwd", &self.cwd).finish_non_exhaustive()
    }
}

impl Sandbox {
    /// Whether every session has a command of this name: a builtin, a utility or the shell itself.
    pub fn has_command(name: &str) -> bool {
        matches!(name, "bash" | "sh")
            || crate::machine::find_builtin(name.as_bytes()).is_some()
            || crate::utility::find(name.as_bytes()).is_some()
    }

    /// A builder with the defaults: base tree, host clock, default limits, `/workspace`.
    pub fn builder() -> SandboxBuilder {
        SandboxBuilder::new()
    }

    /// The program that a script is compiled to, as text.
    pub(crate) fn dump(script: &[u8]) -> String {
        crate::machine::dump(script).into_std()
    }

    /// What [`SandboxBuilder::seed_dir`] left out: what cannot be read, and what is neither a file nor a folder.
    #[cfg(feature = "host-files")]
    pub fn skipped(&self) -> &[vfs::fixture::Skipped] {
        &self.skipped
    }

    /// The session's file system.
    pub fn fs(&self) -> &Arc<FileSystem> {
        &self.session.fs
    }

    /// The session.
    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// What runs are allowed.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What changed in the files since a snapshot.
    pub fn diff(&self, before: &Snapshot) -> Vec<Change> {
        vfs::diff(before, &self.session.fs.snapshot())
    }

    /// Runs a command string: `bash -c text`. Whatever the script does is in the output; a run cannot fail.
    pub fn run(&self, text: impl AsRef<[u8]>) -> Running {
        self.start(Script::command(text))
    }

    /// What runs share now.
    fn shared(&self) -> Arc<Shared> {
        Arc::clone(&lock(&self.shared))
    }

    /// Makes what the runs that follow start with.
    fn make_template(&self, run: &mut Run, environment: &Environment) -> Option<memory::Arc<Template>> {
        let start = Start { environment: environment.clone(), cwd: self.cwd.clone(), ..Start::default() };
        let mut process = Process::new_shell(run, FIRST_PID, start).ok()?;
        Template::of(&mut process, run, environment)
    }

    /// Runs a script. The run is a future; dropping it ends every process in it.
    pub fn start(&self, script: Script) -> Running {
        let shared = self.shared();
        let is_long = script.is_long();
        let limits = script.limits.unwrap_or_else(|| self.limits.clone());
        let session = self.session.of_run();
        let meter = Meter::new(limits, Arc::clone(&session.clock));
        if !self.stays {
            meter.set_on_host();
        }
        if is_long || session.fs.has_large_file() {
            meter.request_worker();
        }
        let _entered = meter.enter();
        let queue = Arc::new(CommandQueue::default());
        let missing = crate::memory::Arc::new(MissingList::default());
        let services = Services {
            session,
            meter: Arc::clone(&meter),
            timers: Arc::new(Timers::default()),
            names: Arc::clone(&shared.names),
            cache: Arc::clone(&shared.cache),
            gate: self.gate.clone(),
            host_commands: Arc::clone(&self.host_commands),
            commands: Arc::clone(&queue) as Arc<dyn crate::utility::CommandRunner>,
            missing: missing.clone(),
            trace: self.trace.clone(),
        };
        let sink = |sink: Sink| match sink {
            Sink::Capture => {
                let capture = Capture::new(&meter, Limit::OutputBytes, OnExcess::Fail);
                (Some(capture.clone()), Description::capture(capture))
            }
            Sink::CaptureDropping => {
                let capture = Capture::new(&meter, Limit::OutputBytes, OnExcess::Discard);
                (Some(capture.clone()), Description::capture(capture))
            }
            Sink::Stream(stream) => (None, Description::output(stream)),
            Sink::SameAsStdout => (None, Description::null()),
        };
        let same = matches!(script.stderr, Sink::SameAsStdout);
        let (stdout, out) = sink(script.stdout);
        let (stderr, err) = if same { (None, out.clone()) } else { sink(script.stderr) };
        let input = match script.stdin {
            Source::Bytes(bytes) => Description::memory(bytes),
            Source::Stream(stream) => Description::input(stream),
        };
        let prepared = &shared.templates[usize::from(script.bare_environment)];
        let template = prepared.template.get().cloned().flatten();
        let base = if script.bare_environment { None } else { Some(&self.environment) };
        let environment = match base {
            Some(base) if template.is_none() => base.with(&script.environment),
            _ => script.environment,
        };
        let start = Start {
            arg0: script.name,
            args: script.args.into(),
            environment,
            cwd: script.cwd.unwrap_or_else(|| self.cwd.clone()),
            place: None,
            descriptors: DescriptorTable::standard(input, out, err),
            command_string: script.path.is_empty(),
            script: script.path,
            posix: script.posix,
            parent_pid: 0,
            group: None,
            umask: None,
            template,
        };
        let mut run = Run::new(services);
        if prepared.used.swap(true, Ordering::Relaxed) && prepared.template.get().is_none() {
            let base = base.cloned().unwrap_or_default();
            let measured = Measured::start();
            let template = self.make_template(&mut run, &base);
            prepared.bytes.store(measured.bytes(), Ordering::Relaxed);
            // One that was refused memory may lack a part.
            let _ = prepared.template.set(template.filter(|_| !gauge::is_refused()));
        }
        let process = Process::new_shell(&mut run, FIRST_PID, start).and_then(|mut process| {
            let Process { control, shell, .. } = &mut *process;
            control.start_main(shell, &mut run, &Bytes::from(script.text))?;
            Ok(process)
        });
        let state = match process {
            Ok(process) => RunState::Running(Box::new(Scheduler::new(run, queue, process))),
            Err(Halt::Limit(error)) => RunState::Failed(error),
            Err(
                Halt::Exit(status)
                | Halt::Fatal(status)
                | Halt::Failed { status, .. }
                | Halt::Discard(status)
                | Halt::Unparsed(status)
                | Halt::Abandon(status)
                | Halt::Killed(status),
            ) => RunState::Ended(status),
        };
        let kept = Kept { slot: Arc::clone(&self.shared), own: Some(shared), most: self.kept_bytes };
        Running { state, meter, stdout, stderr, missing, kept, alarm: None }
    }
}
