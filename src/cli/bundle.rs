//! A bundle: a folder with `cases`, and the hooks that they are of in `tree`. `hookbox lock` writes down what it is and does;
//! `check --locked` and `fire --locked` hold a config to that. Cases marked `canary: true` are run whenever the config is loaded.

use super::stub::Stub;
use super::test::{Given, Loaded, Ran, jobs_of, load, run_all};
use super::{CommandFailure, lock::Lock};
use crate::hook::case::{Case, CaseHost, ConfigPlace, SessionSource};
use crate::trace::Noted;
use crate::vfs::fixture::host::{HostFolder, HostKind};
use crate::visible;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Folders above a config that are looked at for its bundle.
const MOST_ABOVE: usize = 8;
/// Names that are looked at in a bundle, and bytes of one of its files.
const MOST_NAMES: u64 = 20_000;
const MOST_FILE: u64 = 16 << 20;
/// What a digest has behind it of a file that can be executed.
pub(super) const EXECUTABLE: &str = " +x";

/// See the module.
pub(super) struct Bundle {
    pub(super) folder: PathBuf,
    files: Vec<Loaded>,
}

/// What the scripts of a bundle did in its cases.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Effects {
    /// Commands, by the names that they were called by.
    commands: BTreeSet<String>,
    /// Files that were read, and those that were written, made, renamed or removed.
    reads: BTreeSet<String>,
    writes: BTreeSet<String>,
    /// Variables from outside, and those that are not set, that were expanded.
    variables: BTreeSet<String>,
    /// Hosts, models, tools of servers and built-ins that were asked.
    asks: BTreeSet<String>,
}

impl Effects {
    /// Lines of what the other does more (`+`) and less (`-`).
    pub(super) fn difference(&self, other: &Self) -> String {
        let mut text = String::new();
        let kinds = [
            ("runs", &self.commands, &other.commands),
            ("reads", &self.reads, &other.reads),
            ("writes", &self.writes, &other.writes),
            ("expands", &self.variables, &other.variables),
            ("asks", &self.asks, &other.asks),
        ];
        for (verb, old, new) in kinds {
            for name in new.difference(old) {
                let _ = writeln!(text, "  + {verb} {}", visible::line(name));
            }
            for name in old.difference(new) {
                let _ = writeln!(text, "  - {verb} {}", visible::line(name));
            }
        }
        text
    }

    /// How many there are of each kind, in a line.
    pub(super) fn summary(&self) -> String {
        let Self { commands, reads, writes, variables, asks } = self;
        let count = |set: &BTreeSet<String>, one: &str, many: &str| {
            format!("{} {}", set.len(), if set.len() == 1 { one } else { many })
        };
        format!(
            "{}, {} read, {} written, {}, {} asked",
            count(commands, "command", "commands"),
            count(reads, "file", "files"),
            writes.len(),
            count(variables, "variable", "variables"),
            asks.len()
        )
    }
}

impl Bundle {
    /// The bundle in a folder.
    pub(super) fn open(folder: &Path) -> Result<Self, CommandFailure> {
        Ok(Self { files: load(&[folder.to_owned()])?, folder: folder.to_owned() })
    }

    /// The folder of the bundle that a config belongs to: the nearest above it that has a lock, or cases and what makes a
    /// fixture.
    pub(super) fn around(config: &Path) -> Option<PathBuf> {
        let mut folder = config.parent().unwrap_or(Path::new("")).to_owned();
        for _ in 0..MOST_ABOVE {
            let open = HostFolder::open(&folder).ok()?;
            let has = |name: &str| matches!(open.kind(name), Ok(Some(_)));
            if has(super::lock::NAME) || has("cases") && (has("tree") || has("fixture.yaml")) {
                return Some(if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder });
            }
            folder = match folder.file_name() {
                Some(_) => folder.parent().unwrap_or(Path::new("")).to_owned(),
                None => folder.join(".."),
            };
        }
        None
    }

    /// Runs its cases, in order; only those that are canaries, if `canaries`.
    pub(super) fn run(
        &self,
        sessions: &dyn SessionSource,
        stubs: &[Stub],
        canaries: bool,
    ) -> Vec<(&Loaded, &Case, Ran)> {
        let jobs: Vec<_> =
            jobs_of(&self.files).into_iter().filter(|(_, case)| !canaries || case.canary).collect();
        if jobs.is_empty() {
            return Vec::new();
        }
        let given = Given { stubs, host: &CaseHost::default() };
        let ran = run_all(&jobs, sessions, given, None, !canaries);
        jobs.into_iter().zip(ran).map(|((loaded, case), ran)| (loaded, case, ran)).collect()
    }

    /// Runs its canaries. An error names the guard that does not guard.
    pub(super) fn canaries(
        &self,
        sessions: &dyn SessionSource,
        stubs: &[Stub],
    ) -> Result<(), CommandFailure> {
        let ran = self.run(sessions, stubs, true);
        match failed(&ran) {
            None => Ok(()),
            Some(told) => Err(CommandFailure::Other(format!(
                "a canary of the bundle failed: its guard does not guard\n{told}see `hookbox test {}`",
                self.folder.display()
            ))),
        }
    }

    /// What it is and does: its lock, if all cases pass.
    pub(super) fn lock(&self, sessions: &dyn SessionSource, stubs: &[Stub]) -> Result<Lock, CommandFailure> {
        let (lock, failed) = self.observe(sessions, stubs)?;
        let Some(told) = failed else { return Ok(lock) };
        let folder = self.folder.display();
        let message =
            format!("{folder}: not locked: its cases do not pass\n{told}see `hookbox test {folder}`");
        Err(CommandFailure::Other(message))
    }

    /// Runs its cases: what its lock would be, and what is told of cases that do not pass.
    pub(super) fn observe(
        &self,
        sessions: &dyn SessionSource,
        stubs: &[Stub],
    ) -> Result<(Lock, Option<String>), CommandFailure> {
        let mut ran = self.run(sessions, stubs, false);
        if ran.is_empty() {
            let message = format!(
                "{}: no case is there to run; a bundle is a folder with FOLDER/cases/NAME.yaml (`hookbox init DIALECT DIR` writes one)",
                self.folder.display()
            );
            return Err(CommandFailure::Other(message));
        }
        let failed = failed(&ran);
        let mut noted = Noted::default();
        let (mut effects, mut configs) = (Effects::default(), BTreeSet::new());
        for (_, _, ran) in &mut ran {
            noted.add(std::mem::take(&mut ran.noted));
            let Ok(result) = &ran.result else { continue };
            effects.asks.extend(result.asked.iter().cloned());
            let place = result.seen.as_ref().map(|seen| &seen.place);
            if let Some(ConfigPlace::Session { name, fixture: None }) = place {
                configs.insert(format!("tree/{}", name.trim_start_matches("/workspace/")));
            }
        }
        // What proves the guards is not to be weakened either, nor what they read to be changed under them.
        configs.extend(self.files.iter().map(|loaded| {
            let name = loaded.path.file_name().map(|name| name.to_string_lossy().into_owned());
            format!("cases/{}", name.unwrap_or_default())
        }));
        configs.extend(
            noted
                .reads
                .iter()
                .filter_map(|read| read.strip_prefix("/workspace/").map(|inside| format!("tree/{inside}"))),
        );
        if noted.is_cut {
            let message = "the bundle does more than a lock keeps (10000 names of a kind, 64 MiB of scripts)";
            return Err(CommandFailure::Other(message.to_owned()));
        }
        let Noted { commands, reads, writes, variables, .. } = noted;
        let effects = Effects { commands, reads, writes, variables, ..effects };
        let mut files = self.scripts()?;
        let folder = self.host()?;
        for name in configs {
            if let Some(digest) = digest(&folder, &name) {
                files.insert(name, digest);
            }
        }
        Ok((Lock::new(ran.len(), files, effects), failed))
    }

    fn host(&self) -> Result<HostFolder, CommandFailure> {
        HostFolder::open(&self.folder).map_err(CommandFailure::host(self.folder.display().to_string()))
    }

    /// How many cases it has.
    pub(super) fn cases(&self) -> usize {
        self.files.iter().map(|loaded| loaded.file.cases.len()).sum()
    }

    /// The scripts in its `tree`, by their paths in the bundle, with their digests: what can be executed, begins with `#!` or has the
    /// name of one. And the files that platforms take hooks from without being told.
    pub(super) fn scripts(&self) -> Result<BTreeMap<String, String>, CommandFailure> {
        let mut scripts = BTreeMap::new();
        let mut folders = Vec::new();
        if let Ok(tree) = self.host()?.folder("tree") {
            folders.push(("tree".to_owned(), tree));
        }
        let mut left = MOST_NAMES;
        while let Some((above, folder)) = folders.pop() {
            let failed = CommandFailure::host(folder.own_path().display().to_string());
            for name in folder.names(left).map_err(failed)? {
                left = left.saturating_sub(1);
                if left == 0 {
                    let message = format!("{}: more than {MOST_NAMES} files", self.folder.display());
                    return Err(CommandFailure::Other(message));
                }
                let path = format!("{above}/{}", name.to_string_lossy());
                match folder.kind(&name) {
                    Ok(Some(HostKind::Folder)) => {
                        folders.extend(folder.folder(&name).ok().map(|below| (path, below)));
                    }
                    Ok(Some(HostKind::File)) => {
                        let failed = CommandFailure::host(folder.path(&name).display().to_string());
                        let file = folder.read(&name, MOST_FILE).map_err(failed)?;
                        let is_program = file.mode & 0o111 != 0 || file.content.starts_with(b"#!");
                        let is_script = is_program || has_name_of_script(Path::new(&name));
                        if is_script || is_config(&path, &file.content) {
                            scripts.insert(path, digest_of(&file.content, file.mode));
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(scripts)
    }

    /// The digest of a file of the bundle; `None`: it is not there.
    pub(super) fn digest(&self, name: &str) -> Result<Option<String>, CommandFailure> {
        Ok(digest(&self.host()?, name))
    }
}

/// What is told of cases that did not pass.
fn failed(ran: &[(&Loaded, &Case, Ran)]) -> Option<String> {
    let mut told = String::new();
    for (loaded, case, ran) in ran.iter().filter(|(_, _, ran)| !ran.passed()) {
        let file = loaded.path.display().to_string();
        let _ = writeln!(told, "{}: {}", visible::line(&file), visible::line(&case.name));
        told.push_str(&ran.told());
    }
    (!told.is_empty()).then_some(told)
}

fn has_name_of_script(name: &Path) -> bool {
    const ENDS: &[&str] =
        &["sh", "bash", "zsh", "py", "js", "mjs", "cjs", "ts", "rb", "pl", "php", "lua", "awk", "jq", "ps1"];
    name.extension().and_then(|end| end.to_str()).is_some_and(|end| ENDS.contains(&end))
}

/// Step by step: no link is followed.
fn digest(folder: &HostFolder, name: &str) -> Option<String> {
    let (mut folder, mut names) = (folder.again().ok()?, name.split('/').peekable());
    while let Some(name) = names.next() {
        if names.peek().is_none() {
            return folder.read(name, MOST_FILE).ok().map(|file| digest_of(&file.content, file.mode));
        }
        folder = folder.folder(name).ok()?;
    }
    None
}

fn digest_of(content: &[u8], mode: u32) -> String {
    let mut text = String::from("sha256:");
    for byte in Sha256::digest(content) {
        let _ = write!(text, "{byte:02x}");
    }
    if mode & 0o111 != 0 {
        text.push_str(EXECUTABLE);
    }
    text
}

/// Whether a platform takes hooks from a file because of where it lies: settings, manifests, and frontmatter that has hooks.
fn is_config(path: &str, content: &[u8]) -> bool {
    const PLACES: &[&str] = &[
        "tree/.claude/settings.json",
        "tree/.claude/settings.local.json",
        "tree/.claude-plugin/plugin.json",
        "tree/hooks/hooks.json",
        "tree/.agentao/hooks.json",
        "tree/.infer/hooks.yaml",
    ];
    let is_text = ["tree/.claude/agents/", "tree/.claude/skills/", "tree/agents/", "tree/skills/"]
        .iter()
        .any(|folder| path.starts_with(folder))
        && Path::new(path).extension().is_some_and(|end| end == "md");
    PLACES.contains(&path) || is_text && has_hooks(content)
}

/// Whether frontmatter has hooks.
fn has_hooks(content: &[u8]) -> bool {
    let mut lines = content.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end);
    lines.next() == Some(b"---")
        && lines.take_while(|line| *line != b"---").any(|line| line.starts_with(b"hooks:"))
}
