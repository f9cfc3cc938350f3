//! Fixtures: a folder of the host becomes a session's file system.
//!
//! ```
//! use hookbox::sandbox::Sandbox;
//! use hookbox::vfs::fixture::Fixture;
//! use std::path::Path;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let fixture = Fixture::load(Path::new("vfs-fixtures/rust-project"))?;
//! let sandbox = Sandbox::builder().fixture(&fixture)?.build()?;
//! assert_eq!(sandbox.run("ls Cargo.toml").await.stdout, b"Cargo.toml\n");
//! # Ok(())
//! # }
//! ```
//!
//! What cannot be read, contradicts itself or does not fit into the limits is a [`FixtureError`]. Sizes are bytes, modes the bits of
//! `chmod`.
//!
//! `FOLDER/tree/**` are the files; `FOLDER/fixture.yaml` says what a folder cannot say (modes, links, times, owners, the
//! user, the environment) and may name a sibling fixture whose files lie below (`specification.rs`). Files are put into a
//! base tree with root's rights, owners and times are set, and the result is handed to the session's user as a snapshot.
//!
//! With [`seed`], any folder of the host is copied in, with its modes; what cannot be copied is left out and told. Both
//! copy before a script runs, take regular files, directories and links only, and never leave the folder: `host.rs` opens
//! all that belongs to the host.

#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "the command writes, too"))]
pub(crate) mod host;
mod specification;

pub use host::HostRefusal;
pub(crate) use specification::Specification;

use super::base::Base;
use super::errno::FsError;
use super::file_system::{FileSystem, Snapshot};
use super::options::{FsUsage, Options};
use super::path;
use crate::clock::Clock;
use crate::limit::{Limit, LimitError, Limits};
use crate::text::Text;
use host::{HostFile, HostFolder, HostKind};
use specification::{Entry, Node, Owner};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A fixture that cannot be used.
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
    /// A fixture is named by something that is not a name.
    #[error("fixture `{0}`: must be the name of a fixture beside this one")]
    Name(String),
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
    /// The folder has neither `tree` nor `fixture.yaml`, one of them cannot be read or is a link, or there is more than a
    /// session has room for under [`Limits::default_profile`].
    pub fn load(folder: &Path) -> Result<Self, FixtureError> {
        Self::load_within(folder, &Limits::default_profile())
    }

    /// As [`Fixture::load`], with the room that `limits` give a session.
    ///
    /// # Errors
    /// As those of [`Fixture::load`].
    pub(crate) fn load_within(folder: &Path, limits: &Limits) -> Result<Self, FixtureError> {
        Self::read(HostFolder::open(folder).map_err(at_host(folder))?, limits)
    }

    /// Reads the fixture `name` beside the one in `folder`.
    ///
    /// # Errors
    /// `name` is a path, and those of [`Fixture::load`].
    pub fn load_beside(folder: &Path, name: &str) -> Result<Self, FixtureError> {
        Self::read_beside(&HostFolder::open(folder).map_err(at_host(folder))?, name)
    }

    /// The fixture in an open folder.
    #[cfg(feature = "cli")]
    pub(crate) fn read_own(folder: &HostFolder) -> Result<Self, FixtureError> {
        Self::read(folder.again().map_err(at_host(folder.own_path()))?, &Limits::default_profile())
    }

    pub(crate) fn read_beside(folder: &HostFolder, name: &str) -> Result<Self, FixtureError> {
        if !is_plain_name(name) {
            return Err(FixtureError::Name(name.to_owned()));
        }
        Self::read(beside(folder, name)?, &Limits::default_profile())
    }

    fn read(folder: HostFolder, limits: &Limits) -> Result<Self, FixtureError> {
        let specification = Specification::read(&folder)?;
        let mut layers = vec![(folder, specification)];
        while let Some((folder, name)) =
            layers.last().and_then(|(folder, specification)| Some((folder, specification.below()?)))
        {
            let below = beside(folder, name)?;
            if layers.len() >= MOST_LAYERS {
                let message = format!("`extends` goes on for more than {MOST_LAYERS} fixtures");
                return Err(FixtureError::Specification { path: below.own_path().to_owned(), message });
            }
            let specification = Specification::read(&below)?;
            layers.push((below, specification));
        }
        let allowed = FsUsage { files: limits.files, bytes: limits.file_system_bytes, memory: 0 };
        let mut loading = Loading { allowed, used: FsUsage::default(), entries: BTreeMap::new() };
        let mut merged = Specification::default();
        for (folder, specification) in layers.into_iter().rev() {
            let tree = |cause| FixtureError::Host { path: folder.path("tree"), cause };
            if folder.kind("tree").map_err(tree)?.is_some() {
                walk(&folder.folder("tree").map_err(tree)?, &mut Layer(&mut loading, &specification))?;
            }
            specification.add_entries(&folder.path("fixture.yaml"), &mut loading.entries)?;
            merged = specification.over(merged);
        }
        Ok(Self { specification: merged, entries: loading.entries })
    }

    /// What `fixture.yaml` says beside the files; of layers, the upper one wins.
    pub(crate) const fn specification(&self) -> &Specification {
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

/// Something in a seed folder that was left out.
#[derive(Debug)]
pub struct Skipped {
    /// Of the host.
    pub path: PathBuf,
    /// Why: it cannot be read, or it is neither a file nor a folder.
    pub cause: std::io::Error,
}

impl std::fmt::Display for Skipped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}: not copied", self.path.display(), self.cause)
    }
}

/// Copies the host's folder `from` to the directory `to` of a session, as the session's user, with the modes of its files and
/// folders, its own included where the directory is the user's. Gives what was left out.
///
/// # Errors
/// The folder cannot be read, or the session does not take what is in it: its quota, which is asked before a file is read,
/// or the user's rights in what lies above.
pub fn seed(fs: &FileSystem, from: &Path, to: &[u8]) -> Result<Vec<Skipped>, FixtureError> {
    seed_to(fs, from, to, None)
}

/// As [`seed`], with root's rights: what is copied belongs to the session's user, wherever it lies.
///
/// # Errors
/// Those of [`seed`].
#[cfg(feature = "cli")]
pub(crate) fn seed_anywhere(fs: &FileSystem, from: &Path, to: &[u8]) -> Result<Vec<Skipped>, FixtureError> {
    fs.with_root(|root, owner| seed_to(root, from, to, Some(owner)))
}

/// Copies with the rights of the file system's user, for `owner`.
pub(crate) fn seed_to(
    fs: &FileSystem,
    from: &Path,
    to: &[u8],
    owner: Option<(u32, u32)>,
) -> Result<Vec<Skipped>, FixtureError> {
    let folder = HostFolder::open(from).map_err(at_host(from))?;
    let mode = folder.mode().map_err(at_host(from))?;
    let to = path::normalise(to).into_std();
    let mut seeding = Seeding { fs, to: &to, owner, folders: Vec::new(), skipped: Vec::new() };
    seeding.add_root(mode).map_err(|cause| session(&to, cause))?;
    walk(&folder, &mut seeding)?;
    // Folders last, those below first: what is in them is there by now.
    for (path, mode) in seeding.folders.iter().rev() {
        fs.set_mode(path, *mode).map_err(|cause| session(path, cause))?;
    }
    for skipped in &seeding.skipped {
        tracing::warn!(target: "hookbox::seed", "{skipped}");
    }
    Ok(seeding.skipped)
}

fn session(path: &[u8], cause: FsError) -> FixtureError {
    FixtureError::Session { path: path.to_vec(), cause }
}

fn at_host(path: &Path) -> impl FnOnce(std::io::Error) -> FixtureError {
    let path = path.to_owned();
    move |cause| FixtureError::Host { path, cause }
}

/// Whether this can be nothing but the name of something in one folder.
fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\\', '\0']) && name != "." && name != ".."
}

fn beside(folder: &HostFolder, name: &str) -> Result<HostFolder, FixtureError> {
    let above = folder.above().map_err(at_host(&folder.path("..")))?;
    above.folder(name).map_err(at_host(&above.path(name)))
}

/// What [`walk`] finds.
enum Found {
    Folder(u32),
    Link(Vec<u8>),
    File(HostFile),
}

/// Who takes what [`walk`] finds; places are relative to the folder that is walked.
trait Taker {
    /// What is allowed in all, and what is left of it.
    fn room(&self) -> (FsUsage, FsUsage);

    /// The session's path of a place.
    fn target(&self, place: &Path) -> Vec<u8>;

    fn take(&mut self, target: Vec<u8>, found: Found) -> Result<(), FixtureError>;

    /// Something cannot be taken.
    fn skip(&mut self, skipped: Skipped) -> Result<(), FixtureError>;
}

/// Shows all that is below `root` to `taker`, a folder before what is in it, names in order. Folders are a work list, not a
/// recursion, and one at a time is open.
fn walk(root: &HostFolder, taker: &mut dyn Taker) -> Result<(), FixtureError> {
    let mut pending = vec![PathBuf::new()];
    while let Some(at) = pending.pop() {
        let is_root = at.as_os_str().is_empty();
        let opened = if is_root { None } else { Some(root.folder(&at)) };
        let most = taker.room().1.files;
        let names = match &opened {
            None => root.names(most),
            Some(Ok(folder)) => folder.names(most),
            Some(Err(_)) => Ok(Vec::new()),
        };
        let (folder, names) = match (&opened, names) {
            (None, Ok(names)) => (root, names),
            (Some(Ok(folder)), Ok(names)) => (folder, names),
            (None, Err(cause)) => return Err(at_host(root.own_path())(cause)),
            (Some(_), Err(cause)) => {
                taker.skip(Skipped { path: root.path(&at), cause })?;
                continue;
            }
            (Some(Err(_)), Ok(_)) => {
                if let Some(Err(cause)) = opened {
                    taker.skip(Skipped { path: root.path(&at), cause })?;
                }
                continue;
            }
        };
        let mut folders = Vec::new();
        for name in names {
            let place = at.join(&name);
            let (allowed, left) = taker.room();
            let target = taker.target(&place);
            if left.files == 0 {
                return Err(session(&target, no_room(Limit::Files, allowed.files)));
            }
            match find(folder, &name, left.bytes) {
                Ok(found) => {
                    if matches!(found, Found::Folder(_)) {
                        folders.push(place);
                    }
                    taker.take(target, found)?;
                }
                Err(cause) if matches!(HostRefusal::of(&cause), Some(HostRefusal::TooLarge(_))) => {
                    return Err(session(&target, no_room(Limit::FileSystemBytes, allowed.bytes)));
                }
                Err(cause) => taker.skip(Skipped { path: folder.path(&name), cause })?,
            }
        }
        pending.extend(folders.into_iter().rev());
    }
    Ok(())
}

fn no_room(limit: Limit, allowed: u64) -> FsError {
    FsError::Limit(LimitError { limit, allowed, line: None })
}

fn find(folder: &HostFolder, name: &OsStr, most: u64) -> std::io::Result<Found> {
    Ok(match folder.kind(name)? {
        Some(HostKind::Folder) => Found::Folder(folder.folder(name)?.mode()?),
        Some(HostKind::Link) => Found::Link(host::to_bytes(&folder.read_link(name)?).to_vec()),
        _ => Found::File(folder.read(name, most)?),
    })
}

fn target(at: &[u8], place: &Path) -> Vec<u8> {
    path::join(at, host::to_bytes(place.as_os_str())).into_std()
}

/// A seed on its way into a session.
struct Seeding<'a> {
    fs: &'a FileSystem,
    to: &'a [u8],
    /// Whose all of it is; `None` is the file system's user.
    owner: Option<(u32, u32)>,
    /// Those that were made, and their modes.
    folders: Vec<(Vec<u8>, u32)>,
    skipped: Vec<Skipped>,
}

impl Seeding<'_> {
    /// The folder that all goes to. The root directory stays whose it is.
    fn add_root(&mut self, mode: u32) -> Result<(), FsError> {
        let path = self.to.to_vec();
        if path == b"/" {
            return Ok(());
        }
        let owner = self.owner.map_or_else(|| self.fs.shared.live().state.user.uid, |(uid, _)| uid);
        let is_users = |found: super::Metadata| found.is_directory() && found.uid == owner;
        if self.fs.metadata(&path).is_ok_and(is_users) {
            self.folders.push((path.clone(), mode));
        } else {
            self.add_folder(path.clone(), mode)?;
        }
        self.hand_over(&path)
    }

    /// A folder that is there keeps its mode. Root, or the user, must be able to write into it until all is there.
    fn add_folder(&mut self, path: Vec<u8>, mode: u32) -> Result<(), FsError> {
        if self.fs.metadata(&path).is_ok_and(|found| found.is_directory()) {
            return Ok(());
        }
        self.fs.create_dir_all(&path, 0o755)?;
        self.folders.push((path, mode));
        Ok(())
    }

    fn hand_over(&self, path: &[u8]) -> Result<(), FsError> {
        let Some((uid, gid)) = self.owner else { return Ok(()) };
        self.fs.set_owner(path, Some(uid), Some(gid), false)
    }
}

impl Taker for Seeding<'_> {
    fn room(&self) -> (FsUsage, FsUsage) {
        let live = self.fs.shared.live();
        let (quota, used) = (live.state.quota, live.state.usage());
        let allowed = FsUsage { files: quota.files, bytes: quota.bytes, memory: 0 };
        // What is left out needs no room in the session, but some here.
        let files = allowed.files.saturating_sub(used.files).saturating_sub(self.skipped.len() as u64);
        (allowed, FsUsage { files, bytes: allowed.bytes.saturating_sub(used.memory), memory: 0 })
    }

    fn target(&self, place: &Path) -> Vec<u8> {
        target(self.to, place)
    }

    fn take(&mut self, target: Vec<u8>, found: Found) -> Result<(), FixtureError> {
        let taken = match found {
            Found::Folder(mode) => self.add_folder(target.clone(), mode),
            Found::Link(to) => write(self.fs, &target, &Node::Link(Text::from(to)), 0o777),
            Found::File(file) => self
                .fs
                .write_content(&target, file.content.into(), file.mode)
                .and_then(|()| self.fs.set_mode(&target, file.mode)),
        };
        taken.and_then(|()| self.hand_over(&target)).map_err(|cause| session(&target, cause))
    }

    fn skip(&mut self, skipped: Skipped) -> Result<(), FixtureError> {
        self.skipped.push(skipped);
        Ok(())
    }
}

/// The trees of a fixture and of those that it extends.
struct Loading {
    allowed: FsUsage,
    used: FsUsage,
    entries: BTreeMap<Vec<u8>, Entry>,
}

/// One of them. Of modes it is kept only whether a file is executable, as version control keeps it.
struct Layer<'a>(&'a mut Loading, &'a Specification);

impl Taker for Layer<'_> {
    fn room(&self) -> (FsUsage, FsUsage) {
        let Loading { allowed, used, .. } = &self.0;
        let files = allowed.files.saturating_sub(used.files);
        (*allowed, FsUsage { files, bytes: allowed.bytes.saturating_sub(used.bytes), memory: 0 })
    }

    fn target(&self, place: &Path) -> Vec<u8> {
        target(self.1.root().as_bytes(), place)
    }

    fn take(&mut self, target: Vec<u8>, found: Found) -> Result<(), FixtureError> {
        let Self(loading, specification) = self;
        loading.used.files += 1;
        let (node, mode) = match found {
            Found::Folder(_) => (Node::Directory, 0o755),
            Found::Link(to) => (Node::Link(Text::from(to)), 0o777),
            Found::File(file) => {
                loading.used.bytes += file.content.len() as u64;
                (Node::File(Arc::new(file.content)), if file.mode & 0o100 != 0 { 0o755 } else { 0o644 })
            }
        };
        let owner = Owner::of(&target);
        loading.entries.insert(target, Entry { node, mode, owner, modified: specification.clock() });
        Ok(())
    }

    fn skip(&mut self, Skipped { path, cause }: Skipped) -> Result<(), FixtureError> {
        Err(FixtureError::Host { path, cause })
    }
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
    use std::time::Duration;

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
