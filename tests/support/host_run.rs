//! One run of a real program of the host and one in a sandbox, each in a directory of the same name with the same files.

use bstr::ByteSlice as _;
use hookbox::limit::Limits;
use hookbox::sandbox::{End, Sandbox, Script, Source};
use hookbox::text::Text;
use hookbox::vfs::{FileKind, FileSystem};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The whole environment of both.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("HOME", "/home/agent"),
    ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ("LANG", "C.UTF-8"),
    ("LC_ALL", "C.UTF-8"),
    ("TZ", "UTC"),
];
/// The real program is ended then, and the run is not compared.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The real program is ended when it has printed so much.
const LONGEST_OUTPUT: u64 = 8 << 20;

/// What came out of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) status: i32,
    /// Those of the working directory, those that were there before too; a folder's name ends with `/`.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

impl Outcome {
    /// Whether a text was printed, or written into a file.
    pub(crate) fn says(&self, text: &str) -> bool {
        self.files.values().chain([&self.stdout, &self.stderr]).any(|bytes| bytes.contains_str(text))
    }
}

/// A directory of the host that goes when it is dropped.
pub(crate) struct Place(PathBuf);

impl Place {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("hookbox-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// The working directory of runs.
    fn work(&self) -> PathBuf {
        self.0.join("w")
    }
}

/// The process group of a program of the host: what it started and left behind ends with the run.
struct Group(Pid);

impl Drop for Group {
    fn drop(&mut self) {
        // As a rule none is left.
        killpg(self.0, Signal::SIGKILL).ok();
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// Runs a program of the host on these files; `None` when it did not end in time, printed too much or was ended by a signal,
/// which says nothing about what is right. Standard input is a pipe, and must be shorter than one holds.
pub(crate) fn on_host<'f>(
    command: &mut Command,
    files: impl Iterator<Item = (&'f str, &'f [u8])>,
    stdin: Option<&[u8]>,
    place: &Place,
) -> Option<Outcome> {
    let work = place.work();
    fs::remove_dir_all(&work).ok();
    fs::create_dir_all(&work).unwrap();
    for (name, content) in files {
        let path = work.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let [stdout, stderr] = ["out", "err"].map(|name| place.0.join(name));
    let mut child = command
        .current_dir(&work)
        .env_clear()
        .envs(ENVIRONMENT.iter().copied())
        .stdin(if stdin.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(File::create(&stdout).unwrap())
        .stderr(File::create(&stderr).unwrap())
        .process_group(0)
        .spawn()
        .unwrap();
    let _group = Group(Pid::from_raw(i32::try_from(child.id()).unwrap()));
    if let (Some(text), Some(mut pipe)) = (stdin, child.stdin.take()) {
        // A program that has ended already reads none of it.
        pipe.write_all(text).ok();
    }
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        let length = |path| fs::metadata(path).map_or(0, |file: fs::Metadata| file.len());
        if started.elapsed() > TIMEOUT || length(&stdout) + length(&stderr) > LONGEST_OUTPUT {
            child.kill().ok();
            child.wait().ok();
            return None;
        }
        std::thread::sleep(Duration::from_micros(300));
    };
    let mut files = BTreeMap::new();
    host_files(&work, "", &mut files);
    let status = status.code()?;
    Some(Outcome { stdout: fs::read(stdout).unwrap(), stderr: fs::read(stderr).unwrap(), status, files })
}

fn host_files(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type().unwrap().is_dir() {
            host_files(&entry.path(), &format!("{name}/"), files);
            files.insert(format!("{name}/"), Vec::new());
        } else {
            files.insert(name, fs::read(entry.path()).unwrap_or_default());
        }
    }
}

/// Gives the root directory the names that the host's has: a random pattern may look there.
fn take_root(tree: &FileSystem) {
    let host: Vec<_> = fs::read_dir("/").unwrap().flatten().collect();
    for entry in &host {
        let path = format!("/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            tree.create_dir(path.as_bytes(), 0o755).ok();
        } else {
            tree.write(path.as_bytes(), b"", 0o644).ok();
        }
    }
    for entry in tree.read_dir(b"/").unwrap() {
        let name = String::from_utf8_lossy(entry.name.as_bytes()).into_owned();
        if !host.iter().any(|entry| *entry.file_name() == *name) {
            tree.remove_dir(format!("/{name}").as_bytes()).ok();
        }
    }
}

/// Runs a script in a sandbox with these files. A limit that ended it is told as a line of standard error.
pub(crate) fn in_sandbox<'f>(
    mut script: Script,
    files: impl Iterator<Item = (&'f str, &'f [u8])>,
    stdin: Option<&[u8]>,
    place: &Place,
) -> Outcome {
    let work = place.work().to_string_lossy().into_owned();
    let mut limits = Limits::default_profile();
    limits.wall_time_ms = 10_000;
    let mut builder = Sandbox::builder().limits(limits).folder(work.as_str()).cwd(work.as_str());
    for (name, content) in files {
        builder = builder.file(format!("{work}/{name}"), content.to_vec());
    }
    let sandbox = builder.build().unwrap();
    take_root(sandbox.fs());
    script.bare_environment = true;
    if let Some(text) = stdin {
        script.stdin = Source::Bytes(Text::from(text.to_vec()));
    }
    for (name, value) in ENVIRONMENT {
        script.environment.set(Text::from(*name), Text::from(*value));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let output = runtime.block_on(sandbox.start(script));
    let mut files = BTreeMap::new();
    our_files(sandbox.fs(), &work, "", &mut files);
    let mut stderr = output.stderr;
    if let End::Limit(error) = output.end {
        stderr.extend_from_slice(format!("limit: {error}\n").as_bytes());
    }
    Outcome { stdout: output.stdout, stderr, status: i32::from(output.status), files }
}

fn our_files(fs: &FileSystem, folder: &str, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs.read_dir(folder.as_bytes()).unwrap() {
        let name = String::from_utf8_lossy(entry.name.as_bytes()).into_owned();
        let path = format!("{folder}/{name}");
        if entry.kind == FileKind::Directory {
            our_files(fs, &path, &format!("{prefix}{name}/"), files);
            files.insert(format!("{prefix}{name}/"), Vec::new());
        } else {
            let content = fs.read(path.as_bytes()).map(|content| content.as_bytes().to_vec());
            files.insert(format!("{prefix}{name}"), content.unwrap_or_default());
        }
    }
}
