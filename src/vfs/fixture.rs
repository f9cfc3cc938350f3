//! Fixtures: a folder of the host becomes a session's file system.
//!
//! `FOLDER/tree/**` are the files; `FOLDER/fixture.yaml` says what a folder can not say (modes, links, times, owners, the
//! user, the environment) and may name a sibling fixture whose files lie below (`specification.rs`). Files are put into a
//! base tree with root's rights, owners and times are set, and the result is handed to the session's user as a snapshot.
//!
//! With [`seed`], any folder of the host is copied in. This is the only place that reads host files for a session: it
//! copies before a script runs, follows no symbolic link of the host, and takes regular files, directories and links only.

mod specification;

pub use specification::{FixtureUser, Specification};

use super::{Base, FileSystem, FsError, Options, Snapshot, path};
use crate::clock::Clock;
use crate::text::Text;
use specification::{Entry, Node, Owner};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A fixture that can not be used.
#[derive(Debug, thiserror::Error)]
pub enum FixtureError {
    /// The host does not give it.
    #[error("{}: {cause}", .path.display())]
    Host {
        /// Which file or folder.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// It is neither a file, a folder nor a symbolic link.
    #[error("{}: not a file, folder or symbolic link", .0.display())]
    Kind(PathBuf),
    /// `fixture.yaml` is wrong; the message has line and column.
    #[error("{}: {message}", .path.display())]
    Specification {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// The session's file system does not take it.
    #[error("{}: {cause}", bstr::BStr::new(.path))]
    Session {
        /// The path in the session.
        path: Vec<u8>,
        /// Why.
        cause: FsError,
    },
}

/// Fixtures below a fixture.
const MOST_LAYERS: usize = 8;

/// A fixture, read from the host; the default is one without files.
#[derive(Clone, Debug, Default)]
pub struct Fixture {
    specification: Specification,
    entries: BTreeMap<Vec<u8>, Entry>,
}

impl Fixture {
    /// Reads the fixture in `folder`, with those that it extends.
    ///
    /// # Errors
    /// The folder has neither `tree` nor `fixture.yaml`, or one of them can not be read.
    pub fn load(folder: &Path) -> Result<Self, FixtureError> {
        let mut layers = vec![(folder.to_owned(), Specification::read(folder)?)];
        while let Some(below) = layers.last().and_then(|(folder, specification)| specification.below(folder))
        {
            if layers.len() >= MOST_LAYERS {
                let message = format!("`extends` goes on for more than {MOST_LAYERS} fixtures");
                return Err(FixtureError::Specification { path: below, message });
            }
            let specification = Specification::read(&below)?;
            layers.push((below, specification));
        }
        let mut entries = BTreeMap::new();
        let mut merged = Specification::default();
        for (folder, specification) in layers.into_iter().rev() {
            let tree = folder.join("tree");
            if tree.is_dir() {
                read_folder(&tree, specification.root().as_bytes(), specification.modified(), &mut entries)?;
            }
            specification.add_entries(&folder, &mut entries)?;
            merged = specification.over(merged);
        }
        Ok(Self { specification: merged, entries })
    }

    /// What `fixture.yaml` says beside the files; of layers, the upper one wins.
    pub const fn specification(&self) -> &Specification {
        &self.specification
    }

    /// Adds a file or replaces one.
    pub fn add_file(&mut self, path: &[u8], content: &[u8], mode: u32) {
        let path = path::normalise(path).into_std();
        let (node, owner) = (Node::File(Arc::new(content.to_vec())), Owner::of(&path));
        self.entries.insert(path, Entry { node, mode, owner, modified: self.specification.clock() });
    }

    /// The files over `base`, those of the user owned by `uid` and `gid`.
    ///
    /// # Errors
    /// Two entries contradict each other (a file in the place of a directory), or a name is too long.
    pub fn snapshot(&self, base: &Base, uid: u32, gid: u32) -> Result<Snapshot, FixtureError> {
        let clock = Arc::new(Clock::fixed(self.specification.clock()));
        let root = Options { clock, uid: 0, gid: 0, max_files: u64::MAX, max_bytes: u64::MAX };
        let fs = FileSystem::from_base(base, root);
        for home in [b"/workspace".as_slice(), b"/home/agent"] {
            fs.set_owner(home, Some(uid), Some(gid), true).map_err(|cause| session(home, cause))?;
        }
        for (path, entry) in &self.entries {
            put(&fs, path, entry, uid, gid).map_err(|cause| session(path, cause))?;
        }
        for (path, entry) in self.entries.iter().rev() {
            if !matches!(entry.node, Node::Absent) {
                fs.set_times(path, Some(entry.modified), Some(entry.modified), false)
                    .map_err(|cause| session(path, cause))?;
            }
        }
        Ok(fs.snapshot())
    }

    /// A session's file system that starts as this fixture over `base`.
    ///
    /// # Errors
    /// See [`Fixture::snapshot`].
    pub fn file_system(&self, base: &Base, options: Options) -> Result<FileSystem, FixtureError> {
        let snapshot = self.snapshot(base, options.uid, options.gid)?;
        let fs = FileSystem::from_base(base, options);
        fs.restore(&snapshot);
        Ok(fs)
    }
}

/// Copies the host's folder `from` to the directory `to` of a session, as the session's user; modes keep only whether a
/// file is executable.
///
/// # Errors
/// A file can not be read, or the session does not take it (its quota, say).
pub fn seed(fs: &FileSystem, from: &Path, to: &[u8]) -> Result<(), FixtureError> {
    let mut entries = BTreeMap::new();
    let to = path::normalise(to);
    fs.create_dir_all(&to, 0o755).map_err(|cause| session(&to, cause))?;
    read_folder(from, &to, Duration::ZERO, &mut entries)?;
    for (path, entry) in &entries {
        write(fs, path, &entry.node, entry.mode).map_err(|cause| session(path, cause))?;
    }
    Ok(())
}

fn session(path: &[u8], cause: FsError) -> FixtureError {
    FixtureError::Session { path: path.to_vec(), cause }
}

fn host(path: &Path) -> impl FnOnce(std::io::Error) -> FixtureError {
    let path = path.to_owned();
    move |cause| FixtureError::Host { path, cause }
}

/// Reads all that is below `folder`; folders are a work list, not a recursion.
fn read_folder(
    folder: &Path,
    at: &[u8],
    modified: Duration,
    entries: &mut BTreeMap<Vec<u8>, Entry>,
) -> Result<(), FixtureError> {
    let mut folders = vec![(folder.to_owned(), path::normalise(at).into_std())];
    while let Some((folder, at)) = folders.pop() {
        for item in std::fs::read_dir(&folder).map_err(host(&folder))? {
            let item = item.map_err(host(&folder))?;
            let (from, to) = (item.path(), path::join(&at, item.file_name().as_encoded_bytes()).into_std());
            let metadata = std::fs::symlink_metadata(&from).map_err(host(&from))?;
            let kind = metadata.file_type();
            let (node, mode) = if kind.is_dir() {
                folders.push((from, to.clone()));
                (Node::Directory, 0o755)
            } else if kind.is_symlink() {
                let target = std::fs::read_link(&from).map_err(host(&from))?;
                (Node::Link(Text::from(target.as_os_str().as_encoded_bytes())), 0o777)
            } else if kind.is_file() {
                let content = std::fs::read(&from).map_err(host(&from))?;
                (Node::File(Arc::new(content)), if is_executable(&metadata) { 0o755 } else { 0o644 })
            } else {
                return Err(FixtureError::Kind(from));
            };
            let owner = Owner::of(&to);
            entries.insert(to, Entry { node, mode, owner, modified });
        }
    }
    Ok(())
}

#[cfg(unix)]
fn is_executable(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &std::fs::Metadata) -> bool {
    false
}

/// Puts one entry in with root's rights.
fn put(fs: &FileSystem, path: &[u8], entry: &Entry, uid: u32, gid: u32) -> Result<(), FsError> {
    if let Some((parent, _)) = path::split_last(path)
        && !parent.is_empty()
    {
        fs.create_dir_all(parent, 0o755)?;
    }
    write(fs, path, &entry.node, entry.mode)?;
    if matches!(entry.node, Node::Absent) {
        return Ok(());
    }
    if !matches!(entry.node, Node::Link(_)) {
        fs.set_mode(path, entry.mode)?;
    }
    let (uid, gid) = if entry.owner == Owner::User { (uid, gid) } else { (0, 0) };
    fs.set_owner(path, Some(uid), Some(gid), false)
}

/// Writes one entry; what a lower layer left in a file's place is replaced.
fn write(fs: &FileSystem, path: &[u8], node: &Node, mode: u32) -> Result<(), FsError> {
    match node {
        Node::Directory => fs.create_dir_all(path, mode),
        Node::File(content) => fs.write(path, content, mode),
        Node::Link(target) => {
            let _ = fs.remove_file(path);
            fs.symlink(target, path)
        }
        Node::HardLink(existing) => fs.hard_link(existing, path),
        Node::Fifo => fs.make_fifo(path, mode),
        Node::Absent => match fs.remove_file(path) {
            Err(error) if error.errno() != Some(super::Errno::NotFound) => fs.remove_dir(path),
            _ => Ok(()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vfs::FileKind;

    fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("vfs-fixtures")
    }

    fn session_of(name: &str) -> FileSystem {
        let fixture = Fixture::load(&folder().join(name)).unwrap();
        fixture.file_system(&Base::new(&["cat"]), Options::default()).unwrap()
    }

    #[test]
    fn every_fixture_of_the_repository_loads() {
        let mut names: Vec<_> =
            std::fs::read_dir(folder()).unwrap().map(|item| item.unwrap().file_name()).collect();
        names.sort();
        assert!(names.len() >= 4);
        for name in names {
            let fixture = Fixture::load(&folder().join(&name)).unwrap();
            fixture.snapshot(&Base::new(&[]), 1000, 1000).unwrap();
        }
    }

    #[test]
    fn a_rust_project_looks_like_one() {
        let fs = session_of("rust-project");
        assert!(fs.read(b"/workspace/Cargo.toml").unwrap().starts_with(b"[package]"));
        let script = fs.metadata(b"/workspace/scripts/check.sh").unwrap();
        assert_eq!((script.mode, script.uid), (0o755, 1000));
        assert_eq!(fs.read_link(b"/workspace/docs/latest").unwrap(), b"guide.md");
        assert_eq!(fs.symlink_metadata(b"/workspace/docs/latest").unwrap().kind, FileKind::Symlink);
        let (a, b) =
            (fs.metadata(b"/workspace/LICENSE").unwrap(), fs.metadata(b"/workspace/crates/LICENSE").unwrap());
        assert_eq!((a.inode, a.links), (b.inode, 2));
        assert_eq!(fs.metadata(b"/workspace/target").unwrap().mode, 0o700);
        assert_eq!(script.modified, Duration::from_millis(1_779_971_696_789));
        fs.write(b"/workspace/src/new.rs", b"", 0o644).unwrap();
    }

    #[test]
    fn one_fixture_can_lie_on_another() {
        let fs = session_of("everruns");
        assert!(fs.metadata(b"/workspace/.hooks").is_err());
        assert!(fs.metadata(b"/workspace").unwrap().is_directory());
    }

    #[test]
    fn a_missing_fixture_is_told_with_its_path() {
        let error = Fixture::load(&folder().join("nope")).unwrap_err().to_string();
        assert!(error.contains("nope"), "{error}");
    }

    #[test]
    fn a_folder_is_copied_as_the_user() {
        let fs = FileSystem::new(Options::default());
        seed(&fs, &folder().join("node-project/tree"), b"/workspace/app").unwrap();
        assert!(fs.read(b"/workspace/app/package.json").unwrap().starts_with(b"{"));
        assert!(seed(&fs, &folder().join("node-project/tree"), b"/etc").is_err());
    }
}
