//! `FileSystem`, what a session holds, and its snapshots.
//!
//! All state is behind one mutex that is held for one operation, never while a caller's closure runs. A snapshot is a clone
//! of the state: a few pointers and counters.

use super::errno::{Errno, FsError, Result};
use super::location::Location;
use super::options::{FsUsage, Options};
use super::stored::share;
use super::tree::{Quota, TreeState, User};
use crate::clock::{Clock, lock};
use crate::limit::fault::{self, Fault};
use crate::limit::{gauge, worker};
use crate::memory::{HashMap, Vec};
use crate::text::Text;
use crate::trace::{Trace, Used};
use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// Fuel of finding a file.
const OPERATION_FUEL: i64 = 4;

/// A session's file system. Shared by `Arc`; every operation takes `&self`. Paths are absolute.
///
/// Errors of all operations are those of the system calls on Linux, and [`super::FsError::Limit`] when the quota is reached.
pub struct FileSystem {
    pub(super) shared: Arc<Shared>,
}

/// What a [`FileSystem`] shares with its open files.
pub(super) struct Shared {
    pub(super) clock: Arc<Clock>,
    pub(super) live: Mutex<Live>,
    /// How many directories were moved or removed: see [`super::place`].
    pub(super) moves: AtomicU64,
    /// Who is told which files runs use; mostly nobody.
    trace: OnceLock<Arc<Trace>>,
}

/// The state and what belongs to no snapshot.
pub(super) struct Live {
    pub(super) state: TreeState,
    /// How often each file is open. Those of them that have no link left are freed when they are closed.
    pub(super) open: HashMap<Location, u32>,
    /// Whether there may be such ones.
    pub(super) has_orphans: bool,
    /// Files that were opened in an earlier epoch are gone; see [`FileSystem::restore`].
    pub(super) epoch: u64,
    /// Files that are written before anything else is done.
    pub(super) deposits: Vec<Deposit>,
    /// Deposits that could not be written.
    pub(super) refused: Vec<(Text, FsError)>,
    /// Snapshots of the same line of history have the same `Arc`: in them, one location is one file.
    line: Arc<()>,
}

/// A file that is not written yet.
pub(super) struct Deposit {
    pub(super) path: Text,
    pub(super) content: Text,
    pub(super) mode: u16,
}

/// A file system at one moment. Costs a few pointers; shares everything with its file system until that is written.
#[derive(Clone)]
pub struct Snapshot {
    pub(super) state: TreeState,
    line: Arc<()>,
}

impl Snapshot {
    pub(super) fn new(state: TreeState) -> Self {
        Self { state, line: share(()) }
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").field("usage", &self.state.usage()).finish_non_exhaustive()
    }
}

impl fmt::Debug for FileSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileSystem").field("usage", &self.usage()).finish_non_exhaustive()
    }
}

impl Shared {
    pub(super) fn live(&self) -> MutexGuard<'_, Live> {
        let mut live = lock(&self.live);
        if !live.deposits.is_empty() {
            self.write_deposits(&mut live);
        }
        live
    }

    /// The state for an operation that somebody asked for: it costs fuel, and a test can make it fail. A run that was refused
    /// memory does nothing to files any more: the name or the text that it would use may lack what was refused. Neither does
    /// one whose time is over: nobody may wait for it any longer.
    pub(super) fn operate(&self) -> Result<MutexGuard<'_, Live>> {
        let owes = gauge::burn(OPERATION_FUEL);
        if gauge::is_refused() || (owes || worker::is_current()) && gauge::is_time_over() {
            return Err(Errno::InputOutput.into());
        }
        if fault::is_due(Fault::FileOperation) {
            return Err(Errno::InputOutput.into());
        }
        Ok(self.live())
    }

    /// Tells the trace of a file that a run uses; what the host does itself is not told, and neither are the programs of the
    /// sandbox and what is below `/dev` and `/proc`.
    #[inline]
    pub(super) fn tell_trace(&self, what: Used, path: &[u8]) {
        if let Some(trace) = self.trace.get() {
            let own: [&[u8]; 4] = [b"/usr/bin/", b"/bin/", b"/dev/", b"/proc/"];
            if gauge::is_in_run() && !own.iter().any(|folder| path.starts_with(folder)) {
                trace.used(what, path);
            }
        }
    }

    /// Nanoseconds since the Unix epoch.
    pub(super) fn now(&self) -> u64 {
        nanoseconds(self.clock.now())
    }
}

pub(super) fn nanoseconds(time: std::time::Duration) -> u64 {
    time.as_secs().saturating_mul(1_000_000_000).saturating_add(u64::from(time.subsec_nanos()))
}

impl Live {
    /// Frees a file without a name, or keeps it until it is closed.
    pub(super) fn release(&mut self, at: Location) {
        if self.open.contains_key(&at) {
            self.has_orphans = true;
        } else {
            self.state.free(at);
        }
    }

    /// The state without files that have no name.
    fn named_state(&self) -> TreeState {
        let mut state = self.state.clone();
        for &at in self.open.keys() {
            if state.inode(at).is_ok_and(|inode| inode.links == 0) {
                state.free(at);
            }
        }
        state
    }
}

impl FileSystem {
    /// A file system that starts as `snapshot`, which it shares; what that holds does not count towards the quota.
    pub fn from_snapshot(snapshot: &Snapshot, options: Options) -> Self {
        let Options { clock, uid, gid, max_files, max_bytes } = options;
        let mut state = snapshot.state.clone();
        state.user = User { uid, gid };
        state.quota = Quota { files: max_files, bytes: max_bytes };
        state.given = state.used();
        Self::from_state(state, clock)
    }

    /// A number that changes with everything that is written, for who keeps what was found in the files. `None`: there
    /// are mounts, whose changes are not all seen.
    pub(crate) fn version(&self) -> Option<u64> {
        // What waits to be written is not a command.
        let live = lock(&self.shared.live);
        live.state.mounts.is_empty().then_some(live.state.changes)
    }

    pub(super) fn from_state(state: TreeState, clock: Arc<Clock>) -> Self {
        let live = Live {
            state,
            open: HashMap::default(),
            has_orphans: false,
            epoch: 0,
            deposits: Vec::new(),
            refused: Vec::new(),
            line: share(()),
        };
        Self {
            shared: share(Shared {
                clock,
                live: Mutex::new(live),
                moves: AtomicU64::new(0),
                trace: OnceLock::new(),
            }),
        }
    }

    /// From now on `trace` is told which files runs use.
    #[cfg_attr(not(feature = "tools"), allow(dead_code, reason = "only cases trace"))]
    pub(crate) fn trace_to(&self, trace: Arc<Trace>) {
        // A file system belongs to one session, which is traced from its start.
        let _ = self.shared.trace.set(trace);
    }

    /// What is used of the quota.
    pub fn usage(&self) -> FsUsage {
        self.shared.live().state.usage()
    }

    /// Whether it has a file that takes long to read at once. Those of foreign file systems are not known.
    pub(crate) fn has_large_file(&self) -> bool {
        self.shared.live().state.has_large_file()
    }

    /// The most that [`FsUsage::memory`] was since the last call.
    pub fn take_peak_memory(&self) -> u64 {
        self.shared.live().state.take_peak()
    }

    /// The file system as it is now.
    pub fn snapshot(&self) -> Snapshot {
        let live = self.shared.live();
        Snapshot { state: live.named_state(), line: Arc::clone(&live.line) }
    }

    /// A file system of its own that starts as this one is now; a write to either is not seen in the other. Open files stay
    /// with the original. Mounted foreign file systems are not copied: both see the same.
    #[must_use]
    pub fn fork(&self) -> Self {
        let state = self.shared.live().named_state();
        Self::from_state(state, Arc::clone(&self.shared.clock))
    }

    /// Does something with root's rights and keeps what it did; `act` gets the file system of root, and the user and group of
    /// this one. Whoever else writes meanwhile is not seen, and lost: this is for what a session starts with.
    ///
    /// # Errors
    /// Those of `act`; then nothing has changed.
    pub(crate) fn with_root<T, E>(
        &self,
        act: impl FnOnce(&Self, (u32, u32)) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let (mut state, line) = {
            let live = self.shared.live();
            (live.named_state(), Arc::clone(&live.line))
        };
        let User { uid, gid } = std::mem::replace(&mut state.user, User { uid: 0, gid: 0 });
        let root = Self::from_state(state, Arc::clone(&self.shared.clock));
        root.shared.live().line = line;
        let done = act(&root, (uid, gid))?;
        self.restore(&root.snapshot());
        Ok(done)
    }

    /// Makes the file system what it was when the snapshot was taken; user and quota stay.
    ///
    /// Files that are open now and were there then show their old content; the others live on without a name. After a
    /// snapshot of another file system, or one taken before the last restore of such a one, nothing says which file is
    /// which: files that are open now then fail with `EIO`.
    pub fn restore(&self, snapshot: &Snapshot) {
        let mut live = self.shared.live();
        self.shared.moves.fetch_add(1, Relaxed);
        let live = &mut *live;
        let mut state = snapshot.state.clone();
        (state.user, state.quota) = (live.state.user, live.state.quota);
        state.changes = live.state.changes.wrapping_add(1);
        let same_mounts = state.mounts.len() == live.state.mounts.len()
            && state.mounts.iter().zip(&live.state.mounts).all(|(old, new)| old.is_same(new));
        if same_mounts && Arc::ptr_eq(&live.line, &snapshot.line) {
            live.keep_open_files(&mut state);
        } else {
            live.epoch += 1;
            live.open.clear();
            live.line = share(());
        }
        live.state = state;
    }
}

impl Live {
    /// Moves the open files that `state` lacks into it, as files without a name, and goes on with our inode ids.
    fn keep_open_files(&mut self, state: &mut TreeState) {
        state.root.next = state.root.next.max(self.state.root.next);
        for (new, old) in state.mounts.iter_mut().zip(&self.state.mounts) {
            if let (Some(new), Some(old)) = (new.tree_mut(), old.tree()) {
                new.next = new.next.max(old.next);
            }
        }
        for &at in self.open.keys() {
            if state.inode(at).is_ok() {
                continue;
            }
            let Some(inode) = self.state.tree(at).ok().and_then(|tree| tree.table.get_shared(at.id())) else {
                continue;
            };
            let mut inode = Arc::clone(inode);
            Arc::make_mut(&mut inode).links = 0;
            if let Ok(tree) = state.tree_mut(at) {
                tree.table.insert(at.id(), inode);
                self.has_orphans = true;
            }
        }
    }
}
