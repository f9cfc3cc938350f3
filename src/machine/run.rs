//! What the processes of one run share, and the requests that a process makes of the scheduler.

use super::link::{FindBuiltin, Link};
use super::lookup::Lookups;
use super::name::Names;
use super::process::Process;
use super::trap::Signal;
use crate::clock::{Timers, lock};
use crate::limit::{Meter, gauge};
use crate::memory::{Arc, Box, HashMap, Vec};
use crate::missing::{MissingKind, MissingList};
use crate::program::{CompileOptions, Program};
use crate::text::Text;
use crate::trace::Trace;
use crate::utility::regex::{Regex, RegexOptions, Syntax};
use crate::utility::{BoxFuture, CommandRunner, Context, ExitStatus, Session};
use crate::vfs::Errno;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, OnceLock};

/// Asked before each simple command runs: what a host allows.
pub trait CommandGate: Send + Sync {
    /// Whether the command may run; `Err` is the message that its caller sees (`name: message`, status 126).
    fn allow(&self, name: &[u8], args: &[Text]) -> Result<(), Text>;
}

/// A host's own command: gets the same context as a utility.
pub type HostCommand = std::sync::Arc<dyn Fn(Context) -> BoxFuture<ExitStatus> + Send + Sync>;

/// The services of a run.
pub(crate) struct Services {
    pub(crate) session: std::sync::Arc<Session>,
    pub(crate) meter: std::sync::Arc<Meter>,
    pub(crate) timers: std::sync::Arc<Timers>,
    pub(crate) names: std::sync::Arc<Names>,
    pub(crate) cache: std::sync::Arc<ProgramCache>,
    pub(crate) gate: Option<std::sync::Arc<dyn CommandGate>>,
    pub(crate) host_commands: std::sync::Arc<HashMap<Text, HostCommand>>,
    pub(crate) commands: std::sync::Arc<dyn CommandRunner>,
    pub(crate) missing: Arc<MissingList>,
    /// Who is told what scripts do; mostly nobody.
    pub(crate) trace: Option<std::sync::Arc<Trace>>,
}

/// Whom a signal reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recipients {
    Process(u32),
    /// A process and all that it started.
    Tree(u32),
    /// A process group, but for one process.
    Group(u32, Option<u32>),
    /// Everybody but one process.
    Others(u32),
}

/// A process that is alive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alive {
    pub(crate) pid: u32,
    pub(crate) group: u32,
    /// When it was started, on the session's monotonic clock.
    pub(crate) started: std::time::Duration,
}

impl Alive {
    pub(crate) fn of(process: &Process, session: &Session) -> Self {
        let ids = &process.shell.state.ids;
        Self { pid: ids.own, group: ids.group, started: session.clock.monotonic() }
    }
}

/// A run as its processes see it while they are polled.
pub(crate) struct Run {
    pub(crate) services: Services,
    /// Processes that were started and are not in the scheduler's table yet.
    pub(crate) spawned: Vec<(u32, Box<Process>)>,
    /// Signals to other processes.
    pub(crate) signals: Vec<(Recipients, Signal)>,
    /// Processes that are alive, for `kill`.
    pub(crate) alive: Vec<Alive>,
    next_pid: u32,
}

impl Run {
    pub(crate) fn new(services: Services) -> Self {
        Self { services, spawned: Vec::new(), signals: Vec::new(), alive: Vec::new(), next_pid: FIRST_PID }
    }

    /// Notes for the run's report that something could not be run, and why.
    pub(crate) fn note_missing(&self, name: &[u8], errno: Errno) {
        let kind = if errno == Errno::NotFound { MissingKind::File } else { MissingKind::NotExecutable };
        self.services.missing.note(kind, name);
    }

    /// The same of a command that was not found: no search found it, or its file is not there.
    pub(crate) fn note_not_found(&self, name: &[u8]) {
        let kind = if name.contains(&b'/') { MissingKind::File } else { MissingKind::Command };
        self.services.missing.note(kind, name);
    }

    /// A process number that was not used in this run.
    pub(crate) fn new_pid(&mut self) -> u32 {
        self.next_pid += 1;
        self.next_pid
    }

    pub(crate) fn is_alive(&self, pid: u32) -> bool {
        self.alive.iter().any(|alive| alive.pid == pid)
    }

    /// Starts a process; `parent` is told when it ends.
    pub(crate) fn spawn(&mut self, parent: u32, process: Box<Process>) {
        let alive = Alive::of(&process, &self.services.session);
        self.alive.push(alive);
        self.spawned.push((parent, process));
    }
}

/// The number of a run's first shell.
pub(crate) const FIRST_PID: u32 = 1000;

/// Programs by their source, and their links to the session's names. It belongs to one session, and holds no more than it
/// was made for.
#[derive(Debug)]
pub(crate) struct ProgramCache {
    inner: Mutex<Cached>,
    empty: OnceLock<(Arc<Program>, Arc<Link>)>,
    pub(crate) lookups: Lookups,
    /// Most bytes that are held.
    most: usize,
    find_builtin: FindBuiltin,
}

/// What a session keeps between its runs where its builder says nothing else.
pub(crate) const DEFAULT_KEPT_BYTES: usize = 1 << 20;

#[derive(Debug, Default)]
struct Cached {
    programs: HashMap<u64, (CompileOptions, Arc<Program>)>,
    /// Of the programs that are kept, by their addresses.
    links: HashMap<usize, Option<Arc<Link>>>,
    regexes: HashMap<(Text, bool), Regex>,
    /// What all of this holds, as the gauge measured it when it was made.
    bytes: usize,
}

impl Cached {
    /// Makes room for `more` bytes, if they can be kept at all: what was kept goes. What a run made that was refused memory
    /// may lack a part, and no other run may find it.
    fn make_room(&mut self, more: usize, most: usize) -> bool {
        if more > most || gauge::is_refused() {
            return false;
        }
        let is_full = self.programs.len() >= MAX_ENTRIES || self.regexes.len() >= MAX_REGEXES;
        if is_full || self.bytes.saturating_add(more) > most {
            *self = Self::default();
        }
        self.bytes += more;
        true
    }
}

/// Most programs and links that are kept.
const MAX_ENTRIES: usize = 256;
/// Most regexes that are kept.
const MAX_REGEXES: usize = 16;
/// Longest source of a regex that is kept.
const LONGEST_REGEX: usize = 1024;

/// What making something added to what the run holds.
pub(crate) struct Measured(i64);

impl Measured {
    pub(crate) fn start() -> Self {
        Self(gauge::live().0)
    }

    pub(crate) fn bytes(&self) -> usize {
        usize::try_from(gauge::live().0.saturating_sub(self.0)).unwrap_or(0)
    }
}

impl ProgramCache {
    /// A cache that holds at most so many bytes; links find their builtins with `find_builtin`.
    pub(crate) fn new(most: usize, find_builtin: FindBuiltin) -> Self {
        let lookups = Lookups::default();
        Self { inner: Mutex::default(), empty: OnceLock::new(), lookups, most, find_builtin }
    }

    /// What it holds.
    pub(crate) fn bytes(&self) -> usize {
        lock(&self.inner).bytes + self.lookups.bytes()
    }

    /// At the end of a run: what regexes have learnt of its texts is not kept, but for a little.
    pub(crate) fn trim(&self) {
        lock(&self.inner).regexes.values().for_each(Regex::trim);
    }

    /// A program that may be kept has grown: a part of it was compiled.
    pub(crate) fn add_bytes(&self, more: usize) {
        let mut inner = lock(&self.inner);
        inner.bytes = inner.bytes.saturating_add(more);
        if inner.bytes > self.most {
            *inner = Cached::default();
        }
    }

    fn key(source: &[u8], options: &CompileOptions) -> u64 {
        let mut hasher = FxHasher::default();
        source.hash(&mut hasher);
        options.hash(&mut hasher);
        hasher.finish()
    }

    /// The program of a source that was compiled with these options.
    pub(crate) fn get(&self, source: &[u8], options: &CompileOptions) -> Option<Arc<Program>> {
        let inner = lock(&self.inner);
        let (kept, program) = inner.programs.get(&Self::key(source, options))?;
        (kept == options && *program.source == *source).then(|| Arc::clone(program))
    }

    /// Keeps a program, which holds so many bytes.
    pub(crate) fn put(&self, options: &CompileOptions, program: &Arc<Program>, bytes: usize) {
        let mut inner = lock(&self.inner);
        if inner.make_room(bytes, self.most) {
            inner.links.insert(Arc::as_ptr(program) as usize, None);
            inner.programs.insert(Self::key(&program.source, options), (*options, Arc::clone(program)));
        }
    }

    /// The link of a program; one that is not kept (of a trap, of `eval`) is made anew.
    pub(crate) fn link_for(&self, program: &Arc<Program>, names: &Names, kept: bool) -> Arc<Link> {
        if kept { self.link(program, names) } else { Arc::new(Link::new(program, names, self.find_builtin)) }
    }

    /// What a shell has before it has something to run.
    pub(crate) fn empty_program(&self, names: &Names) -> (Arc<Program>, Arc<Link>) {
        let (program, link) = self.empty.get_or_init(|| {
            let program = Arc::new(Program::default());
            let link = Arc::new(Link::new(&program, names, self.find_builtin));
            (program, link)
        });
        (Arc::clone(program), Arc::clone(link))
    }

    /// The link of a program to the session's names.
    pub(crate) fn link(&self, program: &Arc<Program>, names: &Names) -> Arc<Link> {
        let key = Arc::as_ptr(program) as usize;
        let mut inner = lock(&self.inner);
        if let Some(Some(link)) = inner.links.get(&key) {
            return Arc::clone(link);
        }
        let measured = Measured::start();
        let link = Arc::new(Link::new(program, names, self.find_builtin));
        let bytes = measured.bytes();
        if let Some(kept) = inner.links.get_mut(&key).filter(|_| !gauge::is_refused()) {
            *kept = Some(Arc::clone(&link));
            inner.bytes = inner.bytes.saturating_add(bytes);
        }
        link
    }

    /// A compiled regex of `=~`; the last few are kept. `None`: it is not valid.
    pub(crate) fn regex(&self, source: &[u8], options: &RegexOptions) -> Option<Regex> {
        let key = (Text::from(source), options.ignore_case);
        if let Some(regex) = lock(&self.inner).regexes.get(&key) {
            return Some(regex.clone());
        }
        let measured = Measured::start();
        let regex = Regex::new(source, Syntax::Extended, options).ok()?;
        let bytes = measured.bytes();
        let mut inner = lock(&self.inner);
        if source.len() <= LONGEST_REGEX && inner.make_room(bytes, self.most) {
            inner.regexes.insert(key, regex.clone());
        }
        Some(regex)
    }
}
