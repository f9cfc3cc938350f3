//! One call of a tool, by the real program of the host and in a sandbox, each in a directory of the same name.

use crate::tools::{Call, Outcome};
use hookbox::limit::Limits;
use hookbox::sandbox::{End, Sandbox, Script, Source};
use hookbox::text::Text;
use hookbox::vfs::{FileKind, FileSystem};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ENVIRONMENT: &[(&str, &str)] = &[
    ("HOME", "/home/agent"),
    ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ("LANG", "C.UTF-8"),
    ("LC_ALL", "C.UTF-8"),
    ("TZ", "UTC"),
];
/// The real program is ended then, and the call is not compared.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The real program is ended when it has printed so much.
const LONGEST_OUTPUT: u64 = 8 << 20;

/// A directory of the host that goes when it is dropped.
pub(crate) struct Place(PathBuf);

impl Place {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("hookbox-tools-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// The working directory of calls.
    fn work(&self) -> PathBuf {
        self.0.join("w")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// The real program, and the name by which it is called.
pub(crate) struct Oracle {
    pub(crate) program: String,
    pub(crate) name: String,
}

impl Oracle {
    /// `None` when it did not end in time, or printed too much.
    pub(crate) fn run(&self, call: &Call, place: &Place) -> Option<Outcome> {
        let work = place.work();
        fs::remove_dir_all(&work).ok();
        fs::create_dir_all(&work).unwrap();
        for (name, content) in &call.files {
            let path = work.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let [stdin, stdout, stderr] = ["in", "out", "err"].map(|name| place.0.join(name));
        fs::write(&stdin, &call.stdin).unwrap();
        let arguments = call.arguments.iter().map(|argument| {
            use std::os::unix::ffi::OsStrExt;
            std::ffi::OsStr::from_bytes(argument)
        });
        let mut child = Command::new(&self.program)
            .arg0(&self.name)
            .args(arguments)
            .current_dir(&work)
            .env_clear()
            .envs(ENVIRONMENT.iter().copied())
            .stdin(Stdio::from(File::open(&stdin).unwrap()))
            .stdout(File::create(&stdout).unwrap())
            .stderr(File::create(&stderr).unwrap())
            .spawn()
            .unwrap();
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
        // A program that a signal ended says nothing about what is right.
        let status = status.code()?;
        Some(Outcome { stdout: fs::read(stdout).unwrap(), stderr: fs::read(stderr).unwrap(), status, files })
    }
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

/// The call in a sandbox. A limit that ended it is told as a line of standard error, and so is a panic.
pub(crate) fn ours(tool: &str, call: &Call, place: &Place) -> Outcome {
    let panicked =
        Outcome { stdout: Vec::new(), stderr: b"panicked\n".to_vec(), status: -1, files: BTreeMap::new() };
    std::panic::catch_unwind(|| in_sandbox(tool, call, place)).unwrap_or(panicked)
}

fn in_sandbox(tool: &str, call: &Call, place: &Place) -> Outcome {
    let work = place.work().to_string_lossy().into_owned();
    let mut limits = Limits::default_profile();
    limits.wall_time_ms = 10_000;
    let mut builder = Sandbox::builder().limits(limits).folder(work.as_str()).cwd(work.as_str());
    for (name, content) in &call.files {
        builder = builder.file(format!("{work}/{name}"), content.clone());
    }
    let sandbox = builder.build().unwrap();
    let mut script = Script::command(call.command(tool));
    script.bare_environment = true;
    script.stdin = Source::Bytes(Text::from(call.stdin.clone()));
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
