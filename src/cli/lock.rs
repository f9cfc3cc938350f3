//! `hookbox lock`: runs the cases of a bundle and writes down, in `hookbox.lock`, the digest of every script and config and what
//! they did: commands, files, variables, and what was asked of the host.
//!
//! `verify` holds a config to the lock of its bundle. Where a digest differs the cases are run again, so that the message says
//! what the change does and not only that there is one.
//!
//! Exit status: 0, or 1 when a case fails or the lock could not be written.

use super::bundle::{Bundle, EXECUTABLE, Effects};
use super::stub::Stub;
use super::{CommandFailure, Streams, finish};
use crate::hook::case::SessionSource;
use crate::vfs::fixture::host::{HostFolder, MOST_TEXT};
use crate::visible;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The name of the file, in the bundle's folder.
pub(super) const NAME: &str = "hookbox.lock";
/// Of the form of the file. Locks of the form before have neither the right to be executed, nor cases, nor what hooks read.
const VERSION: u32 = 2;
const OLDER: u32 = 1;
/// Mode of a new file, less the process's mask.
const MODE: u32 = 0o666;

/// Arguments of `hookbox lock`.
#[derive(Clone, Debug, clap::Args)]
pub struct LockArguments {
    /// The bundle: a folder with `tree` and `cases`
    #[arg(value_name = "BUNDLE", default_value = ".")]
    pub bundle: PathBuf,
    /// A command that every session has (repeatable): the script in FILE, or one that does nothing and succeeds
    #[arg(long, value_name = "NAME[=FILE]")]
    pub stub: Vec<String>,
}

/// The file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lock {
    version: u32,
    /// How many cases passed.
    cases: usize,
    /// Path in the bundle and digest, with ` +x` behind it for what can be executed: the configs, the scripts, the cases, and what
    /// they read of the bundle.
    files: BTreeMap<String, String>,
    effects: Effects,
}

impl Lock {
    pub(super) fn new(cases: usize, files: BTreeMap<String, String>, effects: Effects) -> Self {
        Self { version: VERSION, cases, files, effects }
    }

    fn read(folder: &Path) -> Result<Self, CommandFailure> {
        let path = folder.join(NAME);
        let name = path.display().to_string();
        let host = HostFolder::open(folder).map_err(CommandFailure::host(folder.display().to_string()))?;
        let file = host.read(NAME, MOST_TEXT).map_err(|error| {
            CommandFailure::Other(format!("{name}: {error}; `hookbox lock {}` writes it", folder.display()))
        })?;
        let lock: Self = serde_json::from_slice(&file.content).map_err(|error| {
            let message =
                format!("{name}: not a lock: {error}; `hookbox lock {}` writes it anew", folder.display());
            CommandFailure::Other(message)
        })?;
        if lock.version != VERSION && lock.version != OLDER {
            let message = format!("{name}: version {} of the form is not known, {VERSION} is", lock.version);
            return Err(CommandFailure::Other(message));
        }
        Ok(lock)
    }
}

/// Runs the command.
pub fn run(arguments: &LockArguments, sessions: &dyn SessionSource, streams: &mut Streams<'_>) -> u8 {
    let result = lock(arguments, sessions, streams);
    finish(result, streams)
}

fn lock(
    arguments: &LockArguments,
    sessions: &dyn SessionSource,
    streams: &mut Streams<'_>,
) -> Result<u8, CommandFailure> {
    let stubs = Stub::parse_all(&arguments.stub)?;
    let folder = &arguments.bundle;
    let lock = Bundle::open(folder)?.lock(sessions, &stubs)?;
    let old = Lock::read(folder).ok();
    let document = serde_json::to_value(&lock).map_err(|error| CommandFailure::Other(error.to_string()))?;
    let path = folder.join(NAME);
    let host = HostFolder::open(folder).map_err(CommandFailure::host(folder.display().to_string()))?;
    host.replace(OsStr::new(NAME), visible::json(&document).as_bytes(), MODE)
        .map_err(CommandFailure::host(path.display().to_string()))?;
    let mut report = format!("wrote {}\n", path.display());
    let _ = writeln!(
        report,
        "{} cases passed; {} files; {}",
        lock.cases,
        lock.files.len(),
        lock.effects.summary()
    );
    if let Some(old) = old {
        let difference = old.effects.difference(&lock.effects);
        if !difference.is_empty() {
            let _ = write!(report, "since the last lock:\n{difference}");
        }
    }
    streams.print(&report)?;
    Ok(0)
}

/// Holds a config to the lock of its bundle.
///
/// # Errors
/// There is none, or it does not fit: what changed, and what that does.
pub(super) fn verify(
    config: &Path,
    stubs: &[Stub],
    sessions: &dyn SessionSource,
) -> Result<(), CommandFailure> {
    let name = config.display();
    let Some(folder) = Bundle::around(config) else {
        let message = format!(
            "{name}: --locked: the config lies in no bundle, which is a folder with `tree` and `cases`; `hookbox lock BUNDLE` locks one"
        );
        return Err(CommandFailure::Other(message));
    };
    let locked = Lock::read(&folder)?;
    let bundle = Bundle::open(&folder)?;
    let own = in_bundle(config, &folder);
    if !own.as_ref().is_some_and(|own| locked.files.contains_key(own)) {
        let message = format!(
            "{name}: not in {}: no case is of this config; name it in one (`hooks_file:`), then `hookbox lock {}`",
            folder.join(NAME).display(),
            folder.display()
        );
        return Err(CommandFailure::Other(message));
    }
    let mut changes = String::new();
    for (name, digest) in &locked.files {
        match bundle.digest(name)? {
            None => {
                let _ = writeln!(changes, "  - {}", visible::line(name));
            }
            Some(now) => {
                if let Some(how) = change(digest, &now, locked.version == OLDER) {
                    let _ = writeln!(changes, "  ~ {}{how}", visible::line(name));
                }
            }
        }
    }
    let count = bundle.cases();
    if count < locked.cases {
        let _ = writeln!(changes, "  - {} of {} cases", locked.cases - count, locked.cases);
    }
    for name in bundle.scripts()?.keys().filter(|name| !locked.files.contains_key(*name)) {
        let _ = writeln!(changes, "  + {}", visible::line(name));
    }
    if changes.is_empty() {
        return bundle.canaries(sessions, stubs);
    }
    let effects = match bundle.observe(sessions, stubs) {
        Ok((now, failed)) => {
            let difference = locked.effects.difference(&now.effects);
            let failed = failed.map(|told| format!("cases that do not pass any more:\n{told}"));
            match (difference.is_empty(), failed) {
                (true, None) => "its cases pass, and do what they did\n".to_owned(),
                (true, Some(failed)) => failed,
                (false, failed) => format!(
                    "in its cases the bundle now does more (+) and less (-):\n{difference}{}",
                    failed.unwrap_or_default()
                ),
            }
        }
        Err(failure) => format!("{failure}\n"),
    };
    Err(CommandFailure::Other(format!(
        "{name}: not what was locked:\n{changes}{effects}if that is meant: hookbox lock {}",
        folder.display()
    )))
}

/// How a file differs from what was locked; `None`: not at all.
fn change(locked: &str, now: &str, is_older: bool) -> Option<&'static str> {
    let (content, runs) = (locked.trim_end_matches(EXECUTABLE), locked.ends_with(EXECUTABLE));
    if content != now.trim_end_matches(EXECUTABLE) {
        return Some("");
    }
    match (runs, now.ends_with(EXECUTABLE)) {
        _ if is_older => None,
        (true, false) => Some(": it can not be executed any more"),
        (false, true) => Some(": it can be executed now"),
        _ => None,
    }
}

/// The path of a config in its bundle. Both are paths as they were given, one below the other.
fn in_bundle(config: &Path, folder: &Path) -> Option<String> {
    let below = match folder.to_str() {
        Some(".") => config.strip_prefix(".").unwrap_or(config),
        _ => config.strip_prefix(folder).ok()?,
    };
    below.to_str().map(str::to_owned)
}
