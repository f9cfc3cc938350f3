//! Building a sandbox: what its session starts with.

use super::entry::Entry;
use super::{Error, Sandbox, Shared};
use crate::clock::{Clock, Random};
use crate::hook::{HookHost, SessionState};
use crate::limit::Limits;
use crate::machine::{CommandGate, HostCommand};
use crate::memory::HashMap;
use crate::network::Network;
use crate::text::Text;
use crate::trace::Trace;
use crate::utility::{self, Environment, Identity, Session};
use crate::vfs::{self, Base, FileSystem, Snapshot};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};
use std::time::Duration;

/// Builds a [`Sandbox`]. See [`Sandbox::builder`].
#[derive(Clone)]
pub struct SandboxBuilder {
    limits: Limits,
    pub(super) clock: Option<Arc<Clock>>,
    pub(super) random: Option<Arc<Random>>,
    identity: Identity,
    environment: Environment,
    cwd: Text,
    gate: Option<Arc<dyn CommandGate>>,
    commands: HashMap<Text, HostCommand>,
    entries: Vec<(Text, Entry)>,
    snapshot: Option<Snapshot>,
    file_system: Option<Arc<FileSystem>>,
    #[cfg(feature = "host-files")]
    seeds: Vec<(Text, std::path::PathBuf)>,
    pub(super) hook_host: Option<Arc<dyn HookHost>>,
    pub(super) network: Option<Network>,
    kept_bytes: usize,
    stays: bool,
    /// Who is told what scripts do.
    pub(super) trace: Option<Arc<Trace>>,
}

/// The tree that every session starts with.
pub(super) fn base() -> &'static Base {
    static BASE: LazyLock<Base> = LazyLock::new(|| {
        let mut names: Vec<&str> = utility::UTILITIES.iter().map(|utility| utility.name).collect();
        names.extend(["bash", "sh"]);
        names.extend(crate::machine::FILE_BUILTINS);
        Base::new(&names)
    });
    &BASE
}

impl SandboxBuilder {
    pub(super) fn new() -> Self {
        let mut environment = Environment::default();
        for (name, value) in [
            ("HOME", "/home/agent"),
            ("PATH", "/usr/local/bin:/usr/bin:/bin"),
            ("SHELL", "/bin/bash"),
            ("LANG", "C.UTF-8"),
        ] {
            environment.set(Text::from(name), Text::from(value));
        }
        Self {
            limits: Limits::default_profile(),
            clock: None,
            random: None,
            identity: Identity::default(),
            environment,
            cwd: Text::from_static(b"/workspace"),
            gate: None,
            commands: HashMap::default(),
            entries: Vec::new(),
            snapshot: None,
            file_system: None,
            #[cfg(feature = "host-files")]
            seeds: Vec::new(),
            hook_host: None,
            network: None,
            kept_bytes: crate::machine::DEFAULT_KEPT_BYTES,
            stays: false,
            trace: None,
        }
    }

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

    /// Whether a run that has been at work for 0.4 ms may go on at one of the few threads that the crate has, while the host's
    /// future waits for it. Default: yes. Without, a run yields to the executor after each slice of that length, but a step
    /// that cannot be cut keeps it for longer. Tests that pause tokio's clock want it so: a runtime that has nothing to do but to
    /// wait for a thread moves that clock on.
    #[must_use]
    pub fn threads(mut self, may_have: bool) -> Self {
        self.stays = !may_have;
        self
    }

    /// Who answers what hooks ask for beside scripts, and sees their records. Default: nobody.
    #[must_use]
    pub fn hook_host(mut self, host: Arc<dyn HookHost>) -> Self {
        self.hook_host = Some(host);
        self
    }

    /// Whom the session may ask over the network: `curl`, and hooks that ask over HTTP where [`SandboxBuilder::hook_host`] is
    /// not set. Default: nobody.
    #[must_use]
    pub fn network(mut self, network: Network) -> Self {
        self.network = Some(network);
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
        self.commands.insert(name.into(), super::contain::contained(command));
        self
    }

    /// Adds a file of the session's user with mode `0o644`, wherever it lies. As for all entries, missing directories are made
    /// (mode `0o755`, of the same owner), and a path that is not absolute begins at `/`.
    #[must_use]
    pub fn file(self, path: impl Into<Text>, content: impl Into<Vec<u8>>) -> Self {
        self.entry(path, Entry::file(content))
    }

    /// Adds an executable file: as [`SandboxBuilder::file`], with mode `0o755`.
    #[must_use]
    pub fn script(self, path: impl Into<Text>, content: impl Into<Vec<u8>>) -> Self {
        self.entry(path, Entry::file(content).mode(0o755))
    }

    /// Adds a folder of the session's user with mode `0o755`.
    #[must_use]
    pub fn folder(self, path: impl Into<Text>) -> Self {
        self.entry(path, Entry::folder())
    }

    /// Adds a symbolic link at `path` that leads to `target`.
    #[must_use]
    pub fn link(self, path: impl Into<Text>, target: impl Into<Text>) -> Self {
        self.entry(path, Entry::link(target))
    }

    /// Adds a file, a folder or a link with the owner and the mode of your choice. Entries are put in by root, in the order of
    /// the calls, over what is there already; a folder that is there gets the owner and the mode. They count towards the
    /// limits on files. Over [`SandboxBuilder::file_system`], no other session may write meanwhile.
    ///
    /// ```
    /// use hookbox::sandbox::{Entry, Sandbox};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let sandbox = Sandbox::builder()
    ///     .file("/home/dev/project/.claude/settings.json", "{}")
    ///     .script("/home/dev/project/hooks/guard.sh", "#!/bin/bash\nexit 2\n")
    ///     .link("/home/dev/current", "project")
    ///     .entry("/etc/policy.conf", Entry::file("deny rm\n").mode(0o640).owner(0, 1000))
    ///     .entry("/srv/inbox", Entry::folder().mode(0o1777).owner(0, 0))
    ///     .build()?;
    /// let output = sandbox.run("cat /etc/policy.conf; stat -c '%a %u' /srv/inbox /home/dev/current/hooks").await;
    /// assert_eq!(output.stdout, b"deny rm\n1777 0\n755 1000\n");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// [`SandboxBuilder::build`] fails where something is in the way (a file in the place of a folder) or a limit is reached.
    #[must_use]
    pub fn entry(mut self, path: impl Into<Text>, entry: Entry) -> Self {
        self.entries.push((path.into(), entry));
        self
    }

    /// Copies a folder of the host to `path` in the session, wherever that lies, with the modes of its files and folders; all of
    /// it is the session's user's. No link of the host is followed; FIFOs, sockets, devices and what cannot be read are
    /// left out; [`Sandbox::skipped`] says what was left out.
    #[cfg(feature = "host-files")]
    #[must_use]
    pub fn seed_dir(mut self, path: impl Into<Text>, folder: impl Into<std::path::PathBuf>) -> Self {
        self.seeds.push((path.into(), folder.into()));
        self
    }

    /// Starts as a fixture: its files, user, environment and working directory.
    ///
    /// # Errors
    /// Its entries contradict each other.
    #[cfg(feature = "host-files")]
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
    /// When a folder of the host cannot be read, or the files do not fit into the limits.
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
        let mut snapshot = self.snapshot;
        #[cfg(feature = "host-files")]
        let (mut skipped, has_seeds) = (Vec::new(), !self.seeds.is_empty());
        #[cfg(not(feature = "host-files"))]
        let has_seeds = false;
        if !self.commands.is_empty() || has_seeds {
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
            #[cfg(feature = "host-files")]
            for (path, folder) in &self.seeds {
                let owner = (self.identity.uid, self.identity.gid);
                let seeded = vfs::fixture::seed_to(&fs, folder, path, Some(owner));
                skipped.extend(seeded.map_err(|error| Error::Fixture(error.to_string()))?);
            }
            snapshot = Some(fs.snapshot());
        }
        let fs = match (self.file_system, &snapshot) {
            (Some(files), _) => files,
            (None, Some(snapshot)) => Arc::new(FileSystem::from_snapshot(snapshot, options)),
            (None, None) => Arc::new(FileSystem::from_base(base(), options)),
        };
        if !self.entries.is_empty() {
            fs.with_root(|root, user| {
                self.entries.iter().try_for_each(|(path, entry)| {
                    let path = Text::from(vfs::path::normalise(path));
                    entry.put(root, &path, user).map_err(file_error(&path))
                })
            })?;
        }
        Ok(Sandbox {
            session: Arc::new(Session::new(fs, clock, random, self.identity).with_network(self.network)),
            limits: self.limits,
            environment: self.environment,
            cwd: self.cwd,
            gate: self.gate,
            host_commands: Arc::new(self.commands),
            shared: Arc::new(Mutex::new(Arc::new(Shared::new(self.kept_bytes)))),
            kept_bytes: self.kept_bytes,
            stays: self.stays,
            trace: self.trace,
            hook_host: self.hook_host,
            hook_state: SessionState::default(),
            renamed: OnceLock::new(),
            #[cfg(feature = "host-files")]
            skipped,
        })
    }
}
