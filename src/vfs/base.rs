//! The tree that a new session starts with, built once and shared by all sessions.

use super::blocks::Blocks;
use super::device::Device;
use super::directory::Directory;
use super::file_system::{FileSystem, Snapshot};
use super::inode::Body;
use super::location::Location;
use super::options::{FsUsage, Options};
use super::resolve::Follow;
use super::stored::{Name, StoredVec};
use super::table::next_leaf;
use super::tree::{Quota, Tree, TreeState, User};
use std::sync::LazyLock;

/// The start of the file that stands for a command in `/usr/bin`; the command's name and a newline follow.
pub(crate) const COMMAND_MARK: &[u8] = b"#!hookbox ";
/// The user and group id of the session's user, unless it is told otherwise.
const AGENT: u32 = 1000;

/// A tree to start sessions with: folders, devices, and a file for each command.
#[derive(Clone, Debug)]
pub struct Base {
    pub(super) state: TreeState,
    homes: [Location; 2],
    passwd: Location,
}

impl Base {
    /// The base tree. `commands` become executable files in `/usr/bin` whose content is `#!hookbox NAME` and a newline. All
    /// of it is as old as the epoch and belongs to root, but `/home/agent` and `/workspace`.
    pub fn new(commands: &[&str]) -> Self {
        let everything = Quota { files: u64::MAX, bytes: u64::MAX };
        let mut builder = Builder {
            state: TreeState {
                root: Tree::new(0o755, 0, 0, 0),
                mounts: StoredVec::new(),
                user: User { uid: 0, gid: 0 },
                quota: everything,
                given: FsUsage::default(),
                changes: 0,
            },
        };
        for (path, mode) in DIRECTORIES {
            builder.directory(path, *mode);
        }
        for (path, target) in LINKS {
            builder.add(path, Body::Symlink(Name::from(target.as_bytes())), 0o777);
        }
        for (path, device) in DEVICES {
            builder.add(path, Body::Device(*device), 0o666);
        }
        for (path, text) in FILES {
            builder.file(path, StoredVec::from(text.as_bytes()), 0o644);
        }
        for command in commands {
            let content = [COMMAND_MARK, command.as_bytes(), b"\n"].concat();
            builder.file(&format!("/usr/bin/{command}"), content, 0o755);
        }
        // Inodes that a session changes first, and its own after them, lie in one node of the table: nothing else is copied.
        builder.state.root.next = next_leaf(builder.state.root.next);
        for (path, mode) in WRITABLE {
            builder.directory(path, *mode);
        }
        builder.state.root.descriptors = builder.find("/proc/self/fd").id();
        let homes = [builder.find("/home/agent"), builder.find("/workspace")];
        let passwd = builder.find("/etc/passwd");
        for home in homes {
            own(&mut builder.state, home, User { uid: AGENT, gid: AGENT });
        }
        Self { state: builder.state, homes, passwd }
    }

    /// The base tree without commands.
    pub(super) fn shared() -> &'static Self {
        static BASE: LazyLock<Base> = LazyLock::new(|| Base::new(&[]));
        &BASE
    }

    /// The tree as a snapshot, to compare a session's with.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.state.clone())
    }

    /// Hands the user's directories over to `state.user`, a clone of this base's.
    pub(super) fn give_to_user(&self, state: &mut TreeState) {
        let user = state.user;
        if user == (User { uid: AGENT, gid: AGENT }) {
            return;
        }
        for home in self.homes {
            own(state, home, user);
        }
        if user.uid != 0 {
            let User { uid, gid } = user;
            let text = format!("{ROOT_ACCOUNT}agent:x:{uid}:{gid}:agent:/home/agent:/bin/bash\n");
            if let Ok(mut inode) = state.inode_mut(self.passwd) {
                inode.body = Body::File(Blocks::from(text.into_bytes()));
            }
        }
    }
}

fn own(state: &mut TreeState, at: Location, user: User) {
    if let Ok(mut inode) = state.inode_mut(at) {
        (inode.uid, inode.gid) = (user.uid, user.gid);
    }
}

struct Builder {
    state: TreeState,
}

impl Builder {
    fn add(&mut self, path: &str, body: Body, mode: u16) {
        let Ok(found) = self.state.walk(path.as_bytes(), Follow::Always) else { return };
        let (parent, name) = (found.parent, Name::from(found.name));
        if found.target.is_none() {
            // Cannot fail: the parent was found and the quota is without bounds.
            let _ = self.state.create(parent, name, body, mode, 0);
        }
    }

    fn directory(&mut self, path: &str, mode: u16) {
        self.add(path, Body::Directory(Box::new(Directory::new(0, Name::EMPTY))), mode);
    }

    fn file(&mut self, path: &str, content: StoredVec<u8>, mode: u16) {
        self.add(path, Body::File(Blocks::from(content)), mode);
    }

    fn find(&self, path: &str) -> Location {
        let found = self.state.walk(path.as_bytes(), Follow::Always);
        found.ok().and_then(|found| found.target).unwrap_or(Location::ROOT)
    }
}

const DIRECTORIES: &[(&str, u16)] = &[
    ("/usr", 0o755),
    ("/usr/bin", 0o755),
    ("/usr/sbin", 0o755),
    ("/usr/lib", 0o755),
    ("/usr/share", 0o755),
    ("/usr/local", 0o755),
    ("/usr/local/bin", 0o755),
    ("/etc", 0o755),
    ("/dev", 0o755),
    ("/home", 0o755),
    ("/proc", 0o555),
    ("/proc/self", 0o555),
    ("/proc/self/fd", 0o555),
    ("/root", 0o700),
    ("/run", 0o755),
    ("/var", 0o755),
    ("/var/log", 0o755),
];

/// Where a session writes.
const WRITABLE: &[(&str, u16)] =
    &[("/home/agent", 0o755), ("/tmp", 0o1777), ("/var/tmp", 0o1777), ("/workspace", 0o755)];

const LINKS: &[(&str, &str)] = &[
    ("/bin", "usr/bin"),
    ("/sbin", "usr/sbin"),
    ("/lib", "usr/lib"),
    ("/dev/fd", "/proc/self/fd"),
    ("/dev/stdin", "/proc/self/fd/0"),
    ("/dev/stdout", "/proc/self/fd/1"),
    ("/dev/stderr", "/proc/self/fd/2"),
];

const DEVICES: &[(&str, Device)] = &[
    ("/dev/null", Device::Null),
    ("/dev/zero", Device::Zero),
    ("/dev/full", Device::Full),
    ("/dev/random", Device::Random),
    ("/dev/urandom", Device::Random),
    ("/dev/tty", Device::Tty),
];

const ROOT_ACCOUNT: &str = "root:x:0:0:root:/root:/bin/bash\n";

const FILES: &[(&str, &str)] = &[
    ("/etc/passwd", "root:x:0:0:root:/root:/bin/bash\nagent:x:1000:1000:agent:/home/agent:/bin/bash\n"),
    ("/etc/group", "root:x:0:\nagent:x:1000:\n"),
    ("/etc/hostname", "hookbox\n"),
    ("/etc/hosts", "127.0.0.1 localhost hookbox\n"),
    ("/etc/os-release", "PRETTY_NAME=\"hookbox\"\nNAME=\"hookbox\"\nID=hookbox\n"),
];

impl FileSystem {
    /// A file system that holds the base tree with no commands in it.
    pub fn new(options: Options) -> Self {
        Self::from_base(Base::shared(), options)
    }

    /// A file system that starts as `base`, which it shares. `/home/agent` and `/workspace` belong to the session's user.
    pub(crate) fn from_base(base: &Base, options: Options) -> Self {
        let Options { clock, uid, gid, max_files, max_bytes } = options;
        let mut state = base.state.clone();
        state.user = User { uid, gid };
        state.quota = Quota { files: max_files, bytes: max_bytes };
        base.give_to_user(&mut state);
        state.given = state.used();
        Self::from_state(state, clock)
    }
}
