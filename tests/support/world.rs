//! A small piece of a host: a temporary folder that is laid out by lines of text, and the command run inside it.

#![allow(dead_code, reason = "not every test uses all of it")]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Longer than any of these commands takes; one that still runs then was blocked by something of the host.
const PATIENCE: Duration = Duration::from_secs(20);

/// A folder that is removed in the end.
pub(crate) struct World(PathBuf);

/// What a command did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl World {
    /// Each line of `layout` makes one thing: `d PATH` a folder, `f PATH TEXT` a file (`\n` is written out), `l PATH TARGET`
    /// a symbolic link, `h PATH EXISTING` a hard link, `p PATH` a FIFO, `s PATH` a socket, `b PATH SIZE` a file that is one
    /// hole, `m PATH MODE` sets a mode. Folders above are made.
    pub(crate) fn new(layout: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("hookbox-world-{}-{number}", std::process::id()));
        std::fs::create_dir(&root).unwrap();
        let world = Self(root);
        for line in layout.lines().map(str::trim).filter(|line| !line.is_empty()) {
            world.make(line);
        }
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn make(&self, line: &str) {
        let mut words = line.splitn(3, ' ');
        let (kind, name) = (words.next().unwrap(), words.next().unwrap());
        let (rest, at) = (words.next().unwrap_or(""), self.path(name));
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        match kind {
            "d" => std::fs::create_dir_all(&at).unwrap(),
            "f" => std::fs::write(&at, rest.replace("\\n", "\n")).unwrap(),
            "l" => {
                let target = rest.replace("$ROOT", &self.0.display().to_string());
                std::os::unix::fs::symlink(target, &at).unwrap();
            }
            "h" => std::fs::hard_link(self.path(rest), &at).unwrap(),
            "p" => assert!(Command::new("mkfifo").arg(&at).status().unwrap().success()),
            "s" => drop(std::os::unix::net::UnixListener::bind(&at).unwrap()),
            "b" => std::fs::File::create(&at).unwrap().set_len(rest.parse().unwrap()).unwrap(),
            "m" => {
                let mode = std::fs::Permissions::from_mode(u32::from_str_radix(rest, 8).unwrap());
                std::fs::set_permissions(&at, mode).unwrap();
            }
            _ => panic!("{line}"),
        }
    }

    pub(crate) fn mode(&self, name: &str) -> u32 {
        std::fs::symlink_metadata(self.path(name)).unwrap().permissions().mode() & 0o7777
    }

    /// What is below a folder, links not followed: path and `dir`, `file TEXT`, `link TARGET`, `fifo`, `socket`.
    pub(crate) fn list(&self, name: &str) -> BTreeMap<String, String> {
        let mut all = BTreeMap::new();
        let mut folders = vec![self.path(name)];
        while let Some(folder) = folders.pop() {
            for item in std::fs::read_dir(&folder).unwrap() {
                let path = item.unwrap().path();
                let kind = std::fs::symlink_metadata(&path).unwrap().file_type();
                let what = if kind.is_dir() {
                    folders.push(path.clone());
                    "dir".to_owned()
                } else if kind.is_symlink() {
                    format!("link {}", std::fs::read_link(&path).unwrap().display())
                } else if kind.is_fifo() {
                    "fifo".to_owned()
                } else if kind.is_socket() {
                    "socket".to_owned()
                } else if std::fs::metadata(&path).unwrap().len() > 1 << 20 {
                    "large file".to_owned()
                } else {
                    format!("file {}", String::from_utf8_lossy(&std::fs::read(&path).unwrap()))
                };
                let place = path.strip_prefix(self.path(name)).unwrap();
                all.insert(place.display().to_string(), what);
            }
        }
        all
    }

    /// Runs `hookbox WORDS` in the folder.
    pub(crate) fn hookbox(&self, words: &[&str]) -> Ran {
        self.run(Command::new(env!("CARGO_BIN_EXE_hookbox")).args(words), "")
    }

    pub(crate) fn run(&self, command: &mut Command, stdin: &str) -> Ran {
        let (out, err) = (self.output("out"), self.output("err"));
        let streams = (std::fs::File::create(&out).unwrap(), std::fs::File::create(&err).unwrap());
        let command = command.current_dir(&self.0).stdin(Stdio::piped());
        let mut child = command.stdout(streams.0).stderr(streams.1).spawn().unwrap();
        // A command that does not read its input is none of our concern.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > PATIENCE {
                child.kill().unwrap();
                child.wait().unwrap();
                return Ran { status: -2, stdout: String::new(), stderr: "BLOCKED".to_owned() };
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let read = |path: &Path| {
            let bytes = std::fs::read(path).unwrap();
            std::fs::remove_file(path).unwrap();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        Ran { status: status.code().unwrap_or(-1), stdout: read(&out), stderr: read(&err) }
    }

    /// Beside the folder, so that it is not among its files.
    fn output(&self, name: &str) -> PathBuf {
        self.0.with_extension(name)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
        // What a command that was ended has printed.
        for name in ["out", "err"] {
            let _ = std::fs::remove_file(self.output(name));
        }
    }
}
