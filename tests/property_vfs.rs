//! Random operations on the session's file system, compared with a naive model: a map from path to file.
//!
//! Besides the model's answers it is checked that what the quota counts is what a walk over the tree counts, that no path
//! leads out of the tree, that forks and snapshots are not touched by later writes, and that `diff` lists exactly the paths
//! at which two walks differ.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use hookbox::clock::Clock;
use hookbox::vfs::{ChangeKind, Errno, FileKind, FileSystem, FsError, FsUsage, Mount, Options, diff};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

const TOP: &str = "/workspace";
/// What the tables of the file system may grow by when a file is added, in bytes.
const STEP: u64 = 4096;

#[derive(Clone, Debug)]
enum Operation {
    CreateDir(String),
    CreateDirAll(String),
    Write(String, Vec<u8>),
    Append(String, Vec<u8>),
    RemoveFile(String),
    RemoveDir(String),
    Rename(String, String),
    Link(String, String),
    Symlink(String, String),
    SetMode(String, u32),
}

fn path() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        6 => Just("a"),
        6 => Just("b"),
        3 => Just("c"),
        1 => Just("."),
        2 => Just(".."),
        1 => Just("a name that is longer than a short text"),
    ];
    (prop::collection::vec(name, 1..5), prop::bool::weighted(0.1))
        .prop_map(|(names, slash)| format!("{TOP}/{}{}", names.join("/"), if slash { "/" } else { "" }))
}

fn target() -> impl Strategy<Value = String> {
    prop_oneof![
        path(),
        Just("a".to_owned()),
        Just("../b".to_owned()),
        Just("a/b".to_owned()),
        Just("/".to_owned()),
        Just("../../../../../workspace/c".to_owned()),
    ]
}

fn operation() -> impl Strategy<Value = Operation> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..40);
    prop_oneof![
        4 => path().prop_map(Operation::CreateDir),
        2 => path().prop_map(Operation::CreateDirAll),
        4 => (path(), bytes()).prop_map(|(path, bytes)| Operation::Write(path, bytes)),
        3 => (path(), bytes()).prop_map(|(path, bytes)| Operation::Append(path, bytes)),
        2 => path().prop_map(Operation::RemoveFile),
        2 => path().prop_map(Operation::RemoveDir),
        4 => (path(), path()).prop_map(|(from, to)| Operation::Rename(from, to)),
        2 => (path(), path()).prop_map(|(from, to)| Operation::Link(from, to)),
        2 => (target(), path()).prop_map(|(target, path)| Operation::Symlink(target, path)),
        1 => (path(), prop_oneof![Just(0o755), Just(0o700)]).prop_map(|(path, mode)| Operation::SetMode(path, mode)),
    ]
}

fn session() -> FileSystem {
    let clock = Arc::new(Clock::fixed(Duration::from_secs(1)));
    FileSystem::new(Options { clock, ..Options::default() })
}

fn apply(fs: &FileSystem, operation: &Operation) -> Result<(), FsError> {
    match operation {
        Operation::CreateDir(path) => fs.create_dir(path.as_bytes(), 0o755),
        Operation::CreateDirAll(path) => fs.create_dir_all(path.as_bytes(), 0o755),
        Operation::Write(path, bytes) => fs.write(path.as_bytes(), bytes, 0o644),
        Operation::Append(path, bytes) => fs.append(path.as_bytes(), bytes, 0o644),
        Operation::RemoveFile(path) => fs.remove_file(path.as_bytes()),
        Operation::RemoveDir(path) => fs.remove_dir(path.as_bytes()),
        Operation::Rename(from, to) => fs.rename(from.as_bytes(), to.as_bytes()),
        Operation::Link(from, to) => fs.hard_link(from.as_bytes(), to.as_bytes()),
        Operation::Symlink(target, path) => fs.symlink(target.as_bytes(), path.as_bytes()),
        Operation::SetMode(path, mode) => fs.set_mode(path.as_bytes(), *mode),
    }
}

/// What is at a path: kind, mode and content or target.
type Dump = BTreeMap<String, (FileKind, u32, Vec<u8>)>;

/// Every path below `/`, found by walking, and what the walk counts.
fn dump(fs: &FileSystem) -> (Dump, FsUsage) {
    let (mut found, mut usage, mut inodes) = (Dump::new(), FsUsage::default(), BTreeSet::new());
    let mut directories = vec![String::new()];
    while let Some(directory) = directories.pop() {
        let name = if directory.is_empty() { "/" } else { &directory };
        let Ok(entries) = fs.read_dir(name.as_bytes()) else { continue };
        for entry in entries {
            let path = format!("{directory}/{}", entry.name);
            let metadata = fs.symlink_metadata(path.as_bytes()).unwrap();
            assert_eq!((metadata.kind, metadata.inode), (entry.kind, entry.inode), "{path}");
            let content = match entry.kind {
                FileKind::Directory => {
                    directories.push(path.clone());
                    Vec::new()
                }
                FileKind::Regular => {
                    fs.read(path.as_bytes()).map(|content| content.to_vec()).unwrap_or_default()
                }
                FileKind::Symlink => fs.read_link(path.as_bytes()).unwrap().to_vec(),
                _ => Vec::new(),
            };
            usage.files += 1;
            if entry.kind != FileKind::Directory && inodes.insert(entry.inode) {
                usage.bytes += content.len() as u64;
            }
            found.insert(path, (entry.kind, metadata.mode, content));
        }
    }
    (found, usage)
}

/// A file of the model; files that are hard links of each other have the same number.
#[derive(Clone, Debug, PartialEq)]
enum File {
    Directory,
    Regular(usize),
    Symlink(String),
}

/// Paths below `TOP`, and the contents of regular files by number. What is above `TOP` is not in it.
#[derive(Default)]
struct Model {
    files: BTreeMap<String, File>,
    contents: Vec<Vec<u8>>,
}

/// What the model cannot tell: the path leaves `TOP`.
struct Outside;

/// Where a path leads: the directory and name of its last component (`None` for `.`, `..` and links to directories as such)
/// or the number of an error.
type Place = Result<(String, bool), Errno>;

impl Model {
    fn get(&self, path: &str) -> Option<&File> {
        if path == TOP { Some(&File::Directory) } else { self.files.get(path) }
    }

    /// The canonical path that `path` leads to, whether or not something is there, and whether a slash or a dot follows.
    fn resolve(&self, path: &str, follow_last: bool) -> Result<Place, Outside> {
        let mut rest: Vec<String> = path.split('/').rev().map(str::to_owned).collect();
        let (mut here, mut links) = (String::new(), 0);
        let mut slash = false;
        while let Some(name) = rest.pop() {
            if name.is_empty() {
                continue;
            }
            let is_last = rest.iter().all(String::is_empty);
            slash = is_last && !rest.is_empty();
            if !here.is_empty() && here != "/" && here.starts_with(TOP) {
                match self.get(&here) {
                    Some(File::Directory) => {}
                    Some(_) => return Ok(Err(Errno::NotDirectory)),
                    None => return Ok(Err(Errno::NotFound)),
                }
            }
            match name.as_str() {
                "." => slash = true,
                ".." => {
                    slash = true;
                    here.truncate(here.rfind('/').unwrap_or(0));
                }
                name => {
                    let next = format!("{here}/{name}");
                    if let (Some(File::Symlink(target)), true) = (self.get(&next), !is_last || follow_last) {
                        links += 1;
                        if links > 40 {
                            return Ok(Err(Errno::TooManyLevels));
                        }
                        if target.starts_with('/') {
                            here.clear();
                        }
                        rest.extend(target.split('/').rev().map(str::to_owned));
                        continue;
                    }
                    here = next;
                }
            }
            if !here.starts_with(TOP) && here != TOP.trim_end_matches('/') {
                return Err(Outside);
            }
        }
        if here.is_empty() { Err(Outside) } else { Ok(Ok((here, slash))) }
    }

    /// Reads a regular file, links followed.
    fn read(&self, path: &str) -> Result<Result<&[u8], Errno>, Outside> {
        Ok(match self.resolve(path, true)? {
            Err(errno) => Err(errno),
            Ok((place, slash)) => match self.get(&place) {
                None => Err(Errno::NotFound),
                Some(File::Directory) => Err(Errno::IsDirectory),
                Some(_) if slash => Err(Errno::NotDirectory),
                Some(File::Regular(number)) => {
                    Ok(self.contents.get(*number).map(Vec::as_slice).unwrap_or_default())
                }
                Some(File::Symlink(_)) => Err(Errno::TooManyLevels),
            },
        })
    }

    /// Takes over what an operation did that the file system says has succeeded.
    fn apply(&mut self, operation: &Operation) -> Result<(), Outside> {
        let name = |model: &Self, path: &str, follow| -> Result<String, Outside> {
            model.resolve(path, follow)?.map(|(place, _)| place).map_err(|_| Outside)
        };
        match operation {
            Operation::CreateDir(path) => drop(self.files.insert(name(self, path, false)?, File::Directory)),
            Operation::CreateDirAll(path) => {
                let mut prefix = String::new();
                for component in path.split('/').filter(|component| !component.is_empty()) {
                    prefix = format!("{prefix}/{component}");
                    if prefix == TOP || !prefix.starts_with(TOP) {
                        continue;
                    }
                    let place = name(self, &prefix, true)?;
                    if self.get(&place).is_none() {
                        self.files.insert(place, File::Directory);
                    }
                }
            }
            Operation::Write(path, bytes) | Operation::Append(path, bytes) => {
                let place = name(self, path, true)?;
                let number = if let Some(File::Regular(number)) = self.get(&place) {
                    *number
                } else {
                    self.contents.push(Vec::new());
                    self.files.insert(place, File::Regular(self.contents.len() - 1));
                    self.contents.len() - 1
                };
                let content = self.contents.get_mut(number).ok_or(Outside)?;
                if matches!(operation, Operation::Write(..)) {
                    content.clear();
                }
                content.extend_from_slice(bytes);
            }
            Operation::RemoveFile(path) | Operation::RemoveDir(path) => {
                self.files.remove(&name(self, path, false)?);
            }
            Operation::Rename(from, to) => {
                let (from, to) = (name(self, from, false)?, name(self, to, false)?);
                let same_file =
                    matches!(self.get(&from), Some(File::Regular(_))) && self.get(&from) == self.get(&to);
                if from == to || same_file {
                    return Ok(());
                }
                let moved: Vec<_> = self
                    .files
                    .extract_if(.., |path, _| {
                        path.strip_prefix(&from).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                    })
                    .collect();
                for (path, file) in moved {
                    self.files.insert(path.replacen(&from, &to, 1), file);
                }
            }
            Operation::Link(from, to) => {
                let file = self.get(&name(self, from, false)?).cloned().ok_or(Outside)?;
                self.files.insert(name(self, to, false)?, file);
            }
            Operation::Symlink(target, path) => {
                self.files.insert(name(self, path, false)?, File::Symlink(target.clone()));
            }
            Operation::SetMode(..) => {}
        }
        Ok(())
    }

    /// The model as a walk would find it.
    fn dump(&self) -> BTreeMap<String, (FileKind, Vec<u8>)> {
        let show = |file: &File| match file {
            File::Directory => (FileKind::Directory, Vec::new()),
            File::Regular(number) => {
                (FileKind::Regular, self.contents.get(*number).cloned().unwrap_or_default())
            }
            File::Symlink(target) => (FileKind::Symlink, target.clone().into_bytes()),
        };
        self.files.iter().map(|(path, file)| (path.clone(), show(file))).collect()
    }
}

fn below_top(dump: &Dump) -> BTreeMap<String, (FileKind, Vec<u8>)> {
    let inside = |path: &str| path.len() > TOP.len() && path.starts_with(TOP);
    dump.iter()
        .filter(|(path, _)| inside(path))
        .map(|(path, (kind, _, content))| (path.clone(), (*kind, content.clone())))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_a_map_of_paths(operations in prop::collection::vec(operation(), 1..60), probes in prop::collection::vec(path(), 8)) {
        let fs = session();
        let mut model = Model::default();
        for operation in &operations {
            let done = apply(&fs, operation);
            // What was meant is outside of the model's directory, or was done in part: the other properties look at that.
            let in_part = done.is_err() && matches!(operation, Operation::CreateDirAll(_));
            if in_part || (done.is_ok() && model.apply(operation).is_err()) {
                return Ok(());
            }
            for probe in &probes {
                if let Ok(expected) = model.read(probe) {
                    let found = fs.read(probe.as_bytes());
                    match (expected, &found) {
                        (Ok(bytes), Ok(content)) => prop_assert_eq!(bytes, &content[..]),
                        (Err(errno), Err(error)) => prop_assert_eq!(Some(errno), error.errno(), "{}", probe),
                        (expected, found) => prop_assert!(false, "{probe}: {expected:?} {found:?}"),
                    }
                }
            }
        }
        prop_assert_eq!(model.dump(), below_top(&dump(&fs).0));
    }

    #[test]
    fn counts_what_a_walk_counts(operations in prop::collection::vec(operation(), 1..80)) {
        let fs = session();
        let before = dump(&fs).1;
        for operation in &operations {
            let _ = apply(&fs, operation);
        }
        let after = dump(&fs).1;
        let usage = fs.usage();
        prop_assert_eq!((usage.files, usage.bytes), (after.files - before.files, after.bytes - before.bytes));
        prop_assert!(usage.memory >= usage.bytes, "{usage:?}");
        fs.restore(&FileSystem::new(Options::default()).snapshot());
        prop_assert_eq!(fs.usage(), FsUsage::default());
    }

    #[test]
    fn a_small_quota_is_never_passed(operations in prop::collection::vec(operation(), 1..80)) {
        let fs = FileSystem::new(Options { max_files: 6, max_bytes: 1500, ..Options::default() });
        for operation in &operations {
            let _ = apply(&fs, operation);
            let usage = fs.usage();
            prop_assert!(usage.files <= 6 && usage.memory <= 1500 + STEP, "{usage:?}");
        }
    }

    #[test]
    fn forks_and_snapshots_stay_as_they_were(
        first in prop::collection::vec(operation(), 1..30),
        second in prop::collection::vec(operation(), 1..30),
        third in prop::collection::vec(operation(), 1..30),
    ) {
        let fs = session();
        for operation in &first {
            let _ = apply(&fs, operation);
        }
        let (before, snapshot, fork) = (dump(&fs), fs.snapshot(), fs.fork());
        for operation in &second {
            let _ = apply(&fs, operation);
        }
        let changed = dump(&fs);
        for operation in &third {
            let _ = apply(&fork, operation);
        }
        prop_assert_eq!(&dump(&fs), &changed);

        let mut expected = BTreeSet::new();
        for path in before.0.keys().chain(changed.0.keys()) {
            if before.0.get(path) != changed.0.get(path) {
                expected.insert(path.clone());
            }
        }
        let changes = diff(&snapshot, &fs.snapshot());
        let listed: BTreeSet<_> =
            changes.iter().map(|change| String::from_utf8_lossy(&change.path).into_owned()).collect();
        prop_assert_eq!(listed, expected);
        for change in &changes {
            let path = String::from_utf8_lossy(&change.path).into_owned();
            let (old, new) = (before.0.get(&path), changed.0.get(&path));
            let kind = match (old, new) {
                (None, _) => ChangeKind::Added,
                (_, None) => ChangeKind::Removed,
                (Some((old_kind, _, old)), Some((new_kind, _, new))) if old_kind == new_kind && old == new => {
                    ChangeKind::MetadataChanged
                }
                _ => ChangeKind::Modified,
            };
            prop_assert_eq!(change.kind, kind);
        }
        fs.restore(&snapshot);
        prop_assert_eq!(dump(&fs), before);
    }

    #[test]
    fn no_path_leads_out_of_the_tree(operations in prop::collection::vec(operation(), 1..40), probe in path(), junk in prop::collection::vec(any::<u8>(), 0..40)) {
        let fs = session();
        fs.mount(b"/tmp", Mount::memory()).unwrap();
        for operation in &operations {
            let _ = apply(&fs, operation);
        }
        for probe in [probe.as_bytes(), &junk, &[b"/workspace/", junk.as_slice()].concat()] {
            if let Ok(canonical) = fs.canonicalize(probe) {
                prop_assert!(canonical.starts_with(b"/"));
                prop_assert!(!canonical.split(|&byte| byte == b'/').any(|name| name == b".." || name == b"."));
                prop_assert_eq!(fs.canonicalize(&canonical), Ok(canonical.clone()));
                let (there, here) = (fs.metadata(&canonical).unwrap(), fs.metadata(probe).unwrap());
                prop_assert_eq!(there.inode, here.inode);
            }
        }
    }
}
