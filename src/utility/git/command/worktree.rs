//! `git worktree list`.

use super::prelude::*;
use crate::memory::format;
use crate::utility::file::{join, parent};
use crate::utility::git::error::found;
use crate::utility::git::quoting::quote_path;
use crate::utility::git::repository::read_file;

options! {
    enum Opt {
        Verbose = flag('v', "verbose", "show extended annotations and reasons, if available"),
        Porcelain = flag('\0', "porcelain", "machine-readable output"),
        Nul = flag('z', "", "terminate records with a NUL character"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "worktree",
    usage: "git worktree list [-v | --porcelain [-z]]",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if arguments.operands.first().is_none_or(|word| **word != *b"list") {
        return Err(fatal!("only 'worktree list' is supported"));
    }
    let (is_porcelain, is_verbose) = (arguments.has(Opt::Porcelain), arguments.has(Opt::Verbose));
    if is_porcelain && is_verbose {
        return Err(fatal!("options '--verbose' and '--porcelain' cannot be used together"));
    }
    if arguments.has(Opt::Nul) && !is_porcelain {
        return Err(fatal!("the option '-z' requires '--porcelain'"));
    }
    let common = git.repo.common_dir.clone();
    let is_bare = git.config.truth("core.bare") == Some(true);
    let main = match common.strip_suffix(b"/.git") {
        Some(tree) if !is_bare => tree.to_metered(),
        _ => common.clone(),
    };
    let mut trees: Vec<(Vec<u8>, Vec<u8>, bool)> = Vec::new();
    trees.push((main, common.clone(), is_bare));
    for entry in found(git.fs().read_dir(&join(&common, b"worktrees")))?.unwrap_or_default() {
        let folder = join(&join(&common, b"worktrees"), &entry.name);
        let link = read_file(git.fs(), &join(&folder, b"gitdir"))?.unwrap_or_default();
        trees.push((parent(link.trim_ascii_end()).to_metered(), folder, false));
    }
    let width = trees.iter().map(|tree| tree.0.len()).max().unwrap_or(0);
    let end = if arguments.has(Opt::Nul) { "\0" } else { "\n" };
    for (path, folder, is_bare) in &trees {
        let notes = if *folder == common { Notes::default() } else { notes(git, folder)? };
        let head = read_file(git.fs(), &join(folder, b"HEAD"))?.unwrap_or_default();
        let target = head.trim_ascii_end().strip_prefix(b"ref: ").map(Text::from);
        let id = match &target {
            Some(name) => git.ref_id(name)?,
            None => head.get(..40).and_then(ObjectId::from_hex),
        };
        let id = id.unwrap_or_default();
        let shown = bstr::BStr::new(path);
        if is_porcelain {
            let mut text = format!("worktree {shown}{end}");
            if *is_bare {
                text.push_str(&format!("bare{end}"));
            } else {
                text.push_str(&format!("HEAD {id}{end}"));
                match &target {
                    Some(name) => text.push_str(&format!("branch {name}{end}")),
                    None => text.push_str(&format!("detached{end}")),
                }
            }
            notes.push_lines(&mut text, end);
            text.push_str(end);
            git.print(text.as_bytes()).await?;
            continue;
        }
        let mut line = path.clone();
        line.resize_by(width - path.len() + 2, b' ');
        if *is_bare {
            line.extend_from_slice(b"(bare)");
        } else {
            let short = git.abbreviate(&id, None)?;
            let place = match &target {
                Some(name) => {
                    format!("[{}]", bstr::BStr::new(name.strip_prefix(b"refs/heads/").unwrap_or(name)))
                }
                None => "(detached HEAD)".into(),
            };
            line.extend_from_slice(format!("{short} {place}").as_bytes());
        }
        notes.push_words(&mut line, is_verbose);
        line.push(b'\n');
        git.print(&line).await?;
    }
    Ok(0)
}

/// What is told of a work tree beside its place.
#[derive(Debug, Default)]
struct Notes {
    /// Why it is locked; there may be no reason.
    locked: Option<Text>,
    /// Why it may be removed.
    prunable: Option<&'static str>,
}

impl Notes {
    /// Adds lines of the format for scripts.
    fn push_lines(&self, text: &mut String, end: &str) {
        if let Some(reason) = &self.locked {
            let blank = if reason.is_empty() { "" } else { " " };
            let reason = if end == "\0" { reason.to_metered() } else { quote_path(reason, true, false) };
            let reason = String::from_utf8_lossy(&reason);
            text.push_str(&format!("locked{blank}{reason}{end}"));
        }
        if let Some(reason) = self.prunable {
            text.push_str(&format!("prunable {reason}{end}"));
        }
    }

    /// Adds words to a line, or lines with the reasons.
    fn push_words(&self, line: &mut Vec<u8>, is_verbose: bool) {
        if let Some(reason) = &self.locked {
            if is_verbose && !reason.is_empty() {
                line.extend_from_slice(&[b"\n\tlocked: ", &reason[..]].concat_metered());
            } else {
                line.extend_from_slice(b" locked");
            }
        }
        if let Some(reason) = self.prunable {
            let front: &[u8] = if is_verbose { b"\n\tprunable: " } else { b" prunable" };
            let reason: &[u8] = if is_verbose { reason.as_bytes() } else { b"" };
            line.extend_from_slice(&[front, reason].concat_metered());
        }
    }
}

/// Reads what is told of a work tree in its folder of the repository.
fn notes(git: &Git, folder: &[u8]) -> Result<Notes> {
    let locked = read_file(git.fs(), &join(folder, b"locked"))?.map(|text| Text::from(text.trim_ascii()));
    let prunable = match read_file(git.fs(), &join(folder, b"gitdir"))? {
        _ if locked.is_some() => None,
        None => Some("gitdir file does not exist"),
        Some(link) if link.trim_ascii_end().is_empty() => Some("invalid gitdir file"),
        Some(link) if git.fs().metadata(link.trim_ascii_end()).is_err() => {
            Some("gitdir file points to non-existent location")
        }
        Some(_) => None,
    };
    Ok(Notes { locked, prunable })
}
