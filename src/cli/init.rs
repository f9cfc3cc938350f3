//! `hookbox init`: writes a start for authors of hooks: a config, a script, a fixture and a case, which pass `check` and `test`.
//!
//! The folder is a fixture: `tree` is the session's working directory, with the config where the platform has it; `cases` has what must
//! come out. Nothing is written over: where one of the files is there, none is written.
//!
//! Exit status: 0, or 1 when nothing, or not all, could be written.

use super::dialect_parser::DialectParser;
use super::{CommandFailure, Streams, finish};
use crate::hook::Dialect;
use crate::vfs::fixture::host::{HostFolder, HostKind};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Arguments of `hookbox init`.
#[derive(Clone, Debug, clap::Args)]
pub struct InitArguments {
    /// The dialect
    #[arg(value_name = "DIALECT", value_parser = DialectParser)]
    pub dialect: Dialect,
    /// Where to write; made if it is missing
    #[arg(value_name = "DIR", default_value = ".")]
    pub folder: PathBuf,
}

/// Mode of files, of scripts and of folders, less the process's mask.
const FILE: u32 = 0o666;
const SCRIPT: u32 = 0o777;
const FOLDER: u32 = 0o777;

const FIXTURE: &str = "description: what a session starts with; `tree` is its working directory\n";

/// A file of a start: its path in the folder, its text, its mode.
type StartFile = (&'static str, &'static str, u32);

/// Config, script and case of a dialect.
macro_rules! start {
    ($dialect:literal: $config:literal as $config_path:literal, $script:literal as $script_path:literal) => {
        [
            ($config_path, include_str!(concat!("init/", $dialect, "/", $config)), FILE),
            ($script_path, include_str!(concat!("init/", $dialect, "/", $script)), SCRIPT),
            ("cases/start.yaml", include_str!(concat!("init/", $dialect, "/case.yaml")), FILE),
        ]
    };
}

/// The files of a start, the config first.
fn start(dialect: Dialect) -> [StartFile; 3] {
    match dialect {
        Dialect::Everruns => {
            start!("everruns": "hooks.json" as "tree/hooks.json", "guard.sh" as "tree/hooks/guard.sh")
        }
        Dialect::DockerAgent => {
            start!("docker-agent": "agent.yaml" as "tree/agent.yaml", "guard.sh" as "tree/hooks/guard.sh")
        }
        Dialect::ClaudeCode => {
            start!("claude-code": "settings.json" as "tree/.claude/settings.json", "guard.sh" as "tree/.claude/hooks/guard.sh")
        }
        Dialect::Agentao => {
            start!("agentao": "hooks.json" as "tree/hooks.json", "guard.sh" as "tree/hooks/guard.sh")
        }
        Dialect::Infer => {
            start!("infer": "hooks.yaml" as "tree/.infer/hooks.yaml", "journal.sh" as "tree/hooks/journal.sh")
        }
        Dialect::Goclaw => {
            start!("goclaw": "hooks.json" as "tree/hooks.json", "guard.sh" as "tree/hooks/guard.sh")
        }
    }
}

/// Runs the command.
pub fn run(arguments: &InitArguments, streams: &mut Streams<'_>) -> u8 {
    let result = init(arguments, streams);
    finish(result, streams)
}

fn init(arguments: &InitArguments, streams: &mut Streams<'_>) -> Result<u8, CommandFailure> {
    let failed = |path: &Path| CommandFailure::host(path.display().to_string());
    let folder = HostFolder::create(&arguments.folder).map_err(failed(&arguments.folder))?;
    let start = start(arguments.dialect);
    let files: Vec<StartFile> = start.into_iter().chain([("fixture.yaml", FIXTURE, FILE)]).collect();
    for (name, _, _) in &files {
        if let Some(path) = in_the_way(&folder, Path::new(name)).map_err(failed(&folder.path(name)))? {
            let path = folder.path(path);
            return Err(CommandFailure::Other(format!(
                "{}: is there already; nothing was written: name another folder, or move the file away",
                path.display()
            )));
        }
    }
    let mut report = String::new();
    for (name, text, mode) in files {
        let path = folder.path(name);
        write(&folder, Path::new(name), text, mode).map_err(failed(&path))?;
        let _ = writeln!(report, "wrote {}", path.display());
    }
    let config = start.first().map_or("", |(name, _, _)| name);
    let (config, own) = (folder.path(config), folder.own_path());
    let _ = write!(
        report,
        "\nlook at it:  hookbox check {}\ntry it:      hookbox test {}\nlock it:     hookbox lock {}\n",
        config.display(),
        own.display(),
        own.display()
    );
    streams.print(&report)?;
    Ok(0)
}

/// What is there in the place of a new file, or of a folder above it.
fn in_the_way<'p>(folder: &HostFolder, path: &'p Path) -> std::io::Result<Option<&'p Path>> {
    let mut above: Vec<&Path> = path.ancestors().filter(|above| !above.as_os_str().is_empty()).collect();
    above.reverse();
    for step in above {
        match folder.kind(step)? {
            None => return Ok(None),
            Some(HostKind::Folder) if step != path => {}
            Some(_) => return Ok(Some(step)),
        }
    }
    Ok(None)
}

/// Writes a file, with the folders above it.
fn write(folder: &HostFolder, path: &Path, text: &str, mode: u32) -> std::io::Result<()> {
    let mut place = folder.again()?;
    for step in path.parent().into_iter().flat_map(Path::components) {
        place = place.make_folder(step.as_os_str(), FOLDER)?;
    }
    place.replace(path.file_name().unwrap_or(OsStr::new("")), text.as_bytes(), mode)
}
