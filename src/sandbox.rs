//! `Sandbox`: what an embedder uses. The only place that joins the layers.

mod contain;
mod hook_runner;

pub use hook_runner::SandboxSource;

use crate::clock::{Clock, Random, Timers, lock};
use crate::hook::{HookHost, SessionState};
use crate::io::{Capture, Description, DescriptorTable, InputStream, OnExcess, OutputStream};
use crate::limit::{Limit, LimitError, Limits, Meter, Usage};
pub use crate::machine::{CommandGate, HostCommand};

use crate::machine::{
    CommandQueue, FIRST_PID, Halt, Names, Process, ProgramCache, Run, RunEnd, Scheduler, Services, Start,
    Template,
};
use crate::memory::HashMap;
use crate::text::Text;
use crate::utility::{self, Environment, Identity, Session};
use crate::vfs::{self, Base, Change, FileSystem, FsError, Snapshot};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};
use std::time::Duration;

/// Why a sandbox could not be made, or a run could not be done. What a script does is never one of these.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A folder of the host or a fixture could not be used; the message names it.
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

/// Builds a [`Sandbox`]. See [`Sandbox::builder`].
#[derive(Clone)]
pub struct SandboxBuilder {
    limits: Limits,
    clock: Option<Arc<Clock>>,
    random: Option<Arc<Random>>,
    identity: Identity,
    environment: Environment,
    cwd: Text,
    gate: Option<Arc<dyn CommandGate>>,
    commands: HashMap<Text, HostCommand>,
    files: Vec<(Text, Vec<u8>, u32)>,
    snapshot: Option<Snapshot>,
    file_system: Option<Arc<FileSystem>>,
    seeds: Vec<(Text, std::path::PathBuf)>,
    hook_host: Option<Arc<dyn HookHost>>,
    kept_bytes: usize,
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
    skipped: Vec<vfs::fixture::Skipped>,
}

/// What the runs of a session share beside its files. When it holds more than the session may keep, all of it starts over
/// behind the run that made it so; runs that are under way keep what they have.
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
            cache: Arc::new(ProgramCache::new(kept_bytes)),
            templates: <[Prepared; 2]>::default(),
        }
    }

    /// What is kept for the next run.
    fn bytes(&self) -> usize {
        self.names.bytes() + self.cache.bytes()
    }
}

/// What a run hands back to its session when it is over.
struct Kept {
    slot: Arc<Mutex<Arc<Shared>>>,
    own: Arc<Shared>,
    most: usize,
}

impl Kept {
    /// Lets the session start over if it would keep too much.
    fn trim(&self) {
        if self.own.bytes() > self.most {
            let mut slot = lock(&self.slot);
            if Arc::ptr_eq(&slot, &self.own) {
                *slot = Arc::new(Shared::new(self.most));
            }
        }
    }
}

/// The variables that runs start with: made at the second run, for a session that runs one script has no use for them.
#[derive(Default)]
struct Prepared {
    template: OnceLock<Option<Arc<Template>>>,
    used: AtomicBool,
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sandbox").field("cwd", &self.cwd).finish_non_exhaustive()
    }
}

/// The tree that every session starts with.
fn base() -> &'static Base {
    static BASE: LazyLock<Base> = LazyLock::new(|| {
        let mut names: Vec<&str> = utility::UTILITIES.iter().map(|utility| utility.name).collect();
        names.extend(["bash", "sh"]);
        names.extend(crate::machine::FILE_BUILTINS);
        Base::new(&names)
    });
    &BASE
}

/// Gives a folder and all below it to the session's user.
fn hand_over(fs: &FileSystem, path: &Text, identity: &Identity) -> Result<(), FsError> {
    let mut pending = vec![path.to_vec()];
    while let Some(path) = pending.pop() {
        fs.set_owner(&path, Some(identity.uid), Some(identity.gid), false)?;
        if fs.symlink_metadata(&path)?.is_directory() {
            let entries = fs.read_dir(&path)?;
            pending.extend(entries.iter().map(|entry| vfs::path::join(&path, &entry.name).into_std()));
        }
    }
    Ok(())
}

impl SandboxBuilder {
    /// What runs are allowed. Default: [`Limits::default_profile`].
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Most bytes that the session keeps from run to run beside its files: compiled programs, names, what was found along
    /// `PATH`. Default: 1 MiB.
    #[must_use]
    pub fn kept_bytes(mut self, bytes: usize) -> Self {
        self.kept_bytes = bytes;
        self
    }

    /// Who answers what hooks ask for beside scripts, and sees their records. Default: nobody.
    #[must_use]
    pub fn hook_host(mut self, host: Arc<dyn HookHost>) -> Self {
        self.hook_host = Some(host);
        self
    }

    /// The session's clock. Default: the host's.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = Some(Arc::new(clock));
        self
    }

    /// The session's random numbers. Default: from the host's.
    #[must_use]
    pub fn random(mut self, random: Random) -> Self {
        self.random = Some(Arc::new(random));
        self
    }

    /// A fixed clock (2026-01-01T00:00:00Z, moved only by sleeping) and fixed random numbers: the same run gives the same
    /// bytes.
    #[must_use]
    pub fn deterministic(self) -> Self {
        self.clock(Clock::fixed(Duration::from_hours(490_896))).random(Random::seeded(0))
    }

    /// User and host as scripts see them.
    #[must_use]
    pub fn identity(mut self, identity: Identity) -> Self {
        self.identity = identity;
        self
    }

    /// Sets a variable of every run's environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<Text>, value: impl Into<Text>) -> Self {
        self.environment.set(name.into(), value.into());
        self
    }

    /// The working directory of runs. Default: `/workspace`.
    #[must_use]
    pub fn cwd(mut self, path: impl Into<Text>) -> Self {
        self.cwd = path.into();
        self
    }

    /// Asked before each simple command.
    #[must_use]
    pub fn gate(mut self, gate: Arc<dyn CommandGate>) -> Self {
        self.gate = Some(gate);
        self
    }

    /// Adds a command of the host's own: it gets the same context as a utility. It stands in `/usr/local/bin`. If it panics,
    /// it ends with `NAME: crashed` and status 134.
    #[must_use]
    pub fn command(mut self, name: impl Into<Text>, command: HostCommand) -> Self {
        self.commands.insert(name.into(), contain::contained(command));
        self
    }

    /// Adds a file; missing directories are made.
    #[must_use]
    pub fn file(mut self, path: impl Into<Text>, content: impl Into<Vec<u8>>) -> Self {
        self.files.push((path.into(), content.into(), 0o644));
        self
    }

    /// Adds an executable file.
    #[must_use]
    pub fn script(mut self, path: impl Into<Text>, content: impl Into<Vec<u8>>) -> Self {
        self.files.push((path.into(), content.into(), 0o755));
        self
    }

    /// Copies a folder of the host into the session, with the modes of its files and folders. No link of the host is
    /// followed; [`Sandbox::skipped`] says what was left out.
    #[must_use]
    pub fn seed_dir(mut self, path: impl Into<Text>, folder: impl Into<std::path::PathBuf>) -> Self {
        self.seeds.push((path.into(), folder.into()));
        self
    }

    /// Starts as a fixture: its files, user, environment and working directory.
    ///
    /// # Errors
    /// Its entries contradict each other.
    pub fn fixture(mut self, fixture: &vfs::fixture::Fixture) -> Result<Self, vfs::fixture::FixtureError> {
        let specification = fixture.specification();
        if let Some(user) = &specification.user {
            self.identity = Identity {
                user: Text::from(user.name.as_str()),
                uid: user.uid,
                gid: user.gid,
                host: Text::from(user.host.as_str()),
            };
        }
        for (name, value) in &specification.environment {
            self.environment.set(Text::from(name.as_str()), Text::from(value.as_str()));
        }
        self.cwd = Text::from(specification.cwd());
        self.snapshot = Some(fixture.snapshot(base(), self.identity.uid, self.identity.gid)?);
        Ok(self)
    }

    /// Starts from a snapshot of another session instead of the base tree.
    #[must_use]
    pub fn snapshot(mut self, snapshot: Snapshot) -> Self {
        self.snapshot = Some(snapshot);
        self
    }

    /// Takes this file system as it is, with its own user, quota and clock, instead of making one.
    #[must_use]
    pub fn file_system(mut self, files: Arc<FileSystem>) -> Self {
        self.file_system = Some(files);
        self
    }

    /// Makes the sandbox.
    ///
    /// # Errors
    /// When a folder of the host can not be read, or the files do not fit into the limits.
    pub fn build(self) -> Result<Sandbox, Error> {
        let clock = self.clock.unwrap_or_else(|| Arc::new(Clock::system()));
        let random = self.random.unwrap_or_else(|| Arc::new(Random::from_host()));
        let options = vfs::Options {
            clock: Arc::clone(&clock),
            uid: self.identity.uid,
            gid: self.identity.gid,
            max_files: self.limits.files,
            max_bytes: self.limits.file_system_bytes,
        };
        let file_error = |path: &Text| {
            let path = path.to_string();
            move |error| Error::File { path, error }
        };
        let (mut snapshot, mut skipped) = (self.snapshot, Vec::new());
        if !self.commands.is_empty() || !self.seeds.is_empty() {
            // Root puts them in place; the session's user gets the result.
            let root = vfs::Options { uid: 0, gid: 0, ..options.clone() };
            // The folders of the base that are the user's stay so.
            let start = snapshot.unwrap_or_else(|| FileSystem::from_base(base(), options.clone()).snapshot());
            let fs = FileSystem::from_snapshot(&start, root);
            for name in self.commands.keys() {
                let path = Text::from([b"/usr/local/bin/".as_slice(), name].concat());
                let content = [vfs::COMMAND_MARK, name, b"\n"].concat();
                fs.write(&path, &content, 0o755).map_err(file_error(&path))?;
            }
            for (path, folder) in &self.seeds {
                let seeded = vfs::fixture::seed(&fs, folder, path);
                skipped.extend(seeded.map_err(|error| Error::Fixture(error.to_string()))?);
                hand_over(&fs, path, &self.identity).map_err(file_error(path))?;
            }
            snapshot = Some(fs.snapshot());
        }
        let fs = match (self.file_system, &snapshot) {
            (Some(files), _) => files,
            (None, Some(snapshot)) => Arc::new(FileSystem::from_snapshot(snapshot, options)),
            (None, None) => Arc::new(FileSystem::from_base(base(), options)),
        };
        for (path, content, mode) in &self.files {
            let path = Text::from(vfs::path::join(b"/", path));
            if let Some((directory, _)) = vfs::path::split_last(&path) {
                fs.create_dir_all(directory, 0o755).map_err(file_error(&path))?;
            }
            fs.write(&path, content, *mode).map_err(file_error(&path))?;
        }
        Ok(Sandbox {
            session: Arc::new(Session::new(fs, clock, random, self.identity)),
            limits: self.limits,
            environment: self.environment,
            cwd: self.cwd,
            gate: self.gate,
            host_commands: Arc::new(self.commands),
            shared: Arc::new(Mutex::new(Arc::new(Shared::new(self.kept_bytes)))),
            kept_bytes: self.kept_bytes,
            hook_host: self.hook_host,
            hook_state: SessionState::default(),
            renamed: OnceLock::new(),
            skipped,
        })
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The script ended.
    Exited,
    /// A limit ended it; what was written before stands.
    Limit(LimitError),
}

/// What a run did.
#[derive(Clone, Debug)]
pub struct Output {
    /// Standard output, unless it went to a stream.
    pub stdout: Vec<u8>,
    /// Standard error, unless it went to a stream.
    pub stderr: Vec<u8>,
    /// Exit status of the script, 0 to 255; of a run that a limit ended 124 (time) or 125.
    pub status: u8,
    /// How it ended.
    pub end: End,
    /// What it used; [`Usage::headroom`] says what was left.
    pub usage: Usage,
}

/// Where a stream of a run goes to.
pub enum Sink {
    /// Kept, up to the limit on output; more ends the run.
    Capture,
    /// Kept, up to the limit on output; more is dropped.
    CaptureDropping,
    /// Handed to the host as it is written.
    Stream(Box<dyn OutputStream>),
    /// Standard error only: into standard output, in the order of writing.
    SameAsStdout,
}

/// Where a run's standard input comes from.
pub enum Source {
    /// Bytes that are there.
    Bytes(Text),
    /// The host's stream.
    Stream(Box<dyn InputStream>),
}

/// A script to run: see [`Sandbox::start`].
pub struct Script {
    /// `-c TEXT`, or the text of a file.
    pub text: Arc<[u8]>,
    /// `$0`
    pub name: Text,
    /// `$1` and so on.
    pub args: Vec<Text>,
    /// Added to the sandbox's environment.
    pub environment: Environment,
    /// Start with an empty environment instead of the sandbox's.
    pub bare_environment: bool,
    /// Another working directory than the sandbox's.
    pub cwd: Option<Text>,
    /// Standard input.
    pub stdin: Source,
    /// Standard output.
    pub stdout: Sink,
    /// Standard error.
    pub stderr: Sink,
    /// Other limits than the sandbox's.
    pub limits: Option<Limits>,
    /// Runs as `sh`: bash in POSIX mode.
    pub posix: bool,
    /// The script's path for `BASH_SOURCE`; empty for a command string.
    pub path: Text,
}

impl Script {
    /// `bash -c text`, with nothing on standard input, output captured.
    pub fn command(text: impl AsRef<[u8]>) -> Self {
        Self::shared(Arc::from(text.as_ref()))
    }

    /// As [`Script::command`], for a text that is run again and again: it is not copied.
    pub fn shared(text: Arc<[u8]>) -> Self {
        Self {
            text,
            name: Text::from_static(b"bash"),
            args: Vec::new(),
            environment: Environment::default(),
            bare_environment: false,
            cwd: None,
            stdin: Source::Bytes(Text::EMPTY),
            stdout: Sink::Capture,
            stderr: Sink::Capture,
            limits: None,
            posix: false,
            path: Text::EMPTY,
        }
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
        let mut environment = Environment::default();
        for (name, value) in [
            ("HOME", "/home/agent"),
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("SHELL", "/bin/bash"),
            ("LANG", "C.UTF-8"),
        ] {
            environment.set(Text::from(name), Text::from(value));
        }
        SandboxBuilder {
            limits: Limits::default_profile(),
            clock: None,
            random: None,
            identity: Identity::default(),
            environment,
            cwd: Text::from_static(b"/workspace"),
            gate: None,
            commands: HashMap::default(),
            files: Vec::new(),
            snapshot: None,
            file_system: None,
            seeds: Vec::new(),
            hook_host: None,
            kept_bytes: crate::machine::DEFAULT_KEPT_BYTES,
        }
    }

    /// The program that a script is compiled to, as text.
    pub fn dump(script: &[u8]) -> String {
        crate::machine::dump(script).into_std()
    }

    /// What [`SandboxBuilder::seed_dir`] left out: what can not be read, and what is neither a file nor a folder.
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

    /// Runs a command string: `bash -c text`.
    ///
    /// # Errors
    /// Only when the run could not be done; what the script does is in the output.
    pub async fn run(&self, text: impl AsRef<[u8]>) -> Result<Output, Error> {
        Ok(self.start(Script::command(text)).await)
    }

    /// What runs share now.
    fn shared(&self) -> Arc<Shared> {
        Arc::clone(&lock(&self.shared))
    }

    /// Makes what the runs that follow start with.
    fn make_template(&self, run: &mut Run, environment: Environment) -> Option<Arc<Template>> {
        let start = Start { environment: environment.clone(), cwd: self.cwd.clone(), ..Start::default() };
        let mut process = Process::new_shell(run, FIRST_PID, start).ok()?;
        Template::of(&mut process, run, &environment)
    }

    /// Runs a script.
    pub fn start(&self, script: Script) -> Running {
        let shared = self.shared();
        let limits = script.limits.unwrap_or_else(|| self.limits.clone());
        let session = self.session.of_run();
        let meter = Meter::new(limits, Arc::clone(&session.clock));
        let queue = Arc::new(CommandQueue::default());
        let services = Services {
            session,
            meter: Arc::clone(&meter),
            timers: Arc::new(Timers::default()),
            names: Arc::clone(&shared.names),
            cache: Arc::clone(&shared.cache),
            gate: self.gate.clone(),
            host_commands: Arc::clone(&self.host_commands),
            commands: Arc::clone(&queue) as Arc<dyn crate::utility::CommandRunner>,
        };
        let sink = |sink: Sink| match sink {
            Sink::Capture => {
                let capture = Capture::new(&meter, Limit::OutputBytes, OnExcess::Fail);
                (Some(Arc::clone(&capture)), Description::capture(capture))
            }
            Sink::CaptureDropping => {
                let capture = Capture::new(&meter, Limit::OutputBytes, OnExcess::Discard);
                (Some(Arc::clone(&capture)), Description::capture(capture))
            }
            Sink::Stream(stream) => (None, Description::output(stream)),
            Sink::SameAsStdout => (None, Description::null()),
        };
        let same = matches!(script.stderr, Sink::SameAsStdout);
        let (stdout, out) = sink(script.stdout);
        let (stderr, err) = if same { (None, Arc::clone(&out)) } else { sink(script.stderr) };
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
            descriptors: DescriptorTable::standard(input, out, err),
            command_string: script.path.is_empty(),
            script: script.path,
            posix: script.posix,
            parent_pid: 0,
            umask: None,
            template,
        };
        let _entered = meter.enter();
        let mut run = Run::new(services);
        if prepared.used.swap(true, Ordering::Relaxed) && prepared.template.get().is_none() {
            let base = base.cloned().unwrap_or_default();
            let _ = prepared.template.set(self.make_template(&mut run, base));
        }
        let process = Process::new_shell(&mut run, FIRST_PID, start).and_then(|mut process| {
            process.start_main(&mut run, Arc::clone(&script.text), None)?;
            Ok(process)
        });
        let state = match process {
            Ok(process) => State::Running(Box::new(Scheduler::new(run, queue, process))),
            Err(Halt::Limit(error)) => State::Failed(error),
            Err(
                Halt::Exit(status)
                | Halt::Discard(status)
                | Halt::Unparsed(status)
                | Halt::Abandon(status)
                | Halt::Killed(status),
            ) => State::Ended(status),
        };
        let kept = Kept { slot: Arc::clone(&self.shared), own: shared, most: self.kept_bytes };
        Running { state, meter, stdout, stderr, kept }
    }
}

enum State {
    Running(Box<Scheduler>),
    /// Ended before its first operation: by a limit, or with a status.
    Failed(LimitError),
    Ended(u8),
}

/// A run in progress. Dropping it ends every process of the run.
pub struct Running {
    state: State,
    meter: Arc<Meter>,
    stdout: Option<Arc<Capture>>,
    stderr: Option<Arc<Capture>>,
    kept: Kept,
}

impl Running {
    /// The clock that the run lives by.
    pub(crate) fn clock(&self) -> &Arc<Clock> {
        self.meter.clock()
    }
}

impl Drop for Running {
    /// What the run holds is given back to its own meter.
    fn drop(&mut self) {
        let _entered = self.meter.enter();
        self.state = State::Ended(0);
        self.kept.trim();
    }
}

impl Future for Running {
    type Output = Output;

    fn poll(mut self: std::pin::Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> std::task::Poll<Output> {
        use std::task::Poll;
        let meter = Arc::clone(&self.meter);
        let _entered = meter.enter();
        let end = match &mut self.state {
            State::Failed(error) => RunEnd::Limit(*error),
            State::Ended(status) => RunEnd::Status(*status),
            State::Running(scheduler) => match std::pin::Pin::new(scheduler.as_mut()).poll(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(end) => end,
            },
        };
        // A refusal that came last is as good a limit as any other.
        let end = self.meter.failure().map_or(end, RunEnd::Limit);
        let (end, status) = match end {
            RunEnd::Status(status) => (End::Exited, status),
            RunEnd::Limit(error) => {
                (End::Limit(error), if error.limit == Limit::WallTime { 124 } else { 125 })
            }
        };
        let mut usage = self.meter.usage();
        let mut take = |capture: &Option<Arc<Capture>>, written: fn(&mut Usage) -> &mut u64| match capture {
            Some(capture) => {
                *written(&mut usage) = capture.written();
                capture.take().into_std()
            }
            None => Vec::new(),
        };
        let stdout = take(&self.stdout, |usage| &mut usage.stdout_bytes);
        let stderr = take(&self.stderr, |usage| &mut usage.stderr_bytes);
        Poll::Ready(Output { stdout, stderr, status, end, usage })
    }
}
