//! `git update-index`: single entries of the index.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::index::{Index, IndexEntry, Stat};
use crate::utility::git::object::tree::{EXECUTABLE, REGULAR};
use crate::utility::git::unquoting::listed_names;

options! {
    enum Opt {
        Quiet = flag('q', "", "continue refresh even when index needs update"),
        Add = flag('\0', "add", "do not ignore new files"),
        Remove = flag('\0', "remove", "let files removed from the working tree be removed from the index"),
        ForceRemove = flag('\0', "force-remove", "remove named paths even if present in worktree"),
        Refresh = flag('\0', "refresh", "refresh stat information"),
        ReallyRefresh = flag('\0', "really-refresh", "like --refresh, but ignore assume-unchanged setting"),
        IgnoreMissing = flag('\0', "ignore-missing", "ignore files missing from worktree"),
        AssumeUnchanged = flag('\0', "assume-unchanged", "mark files as not changing"),
        SkipWorktree = flag('\0', "skip-worktree", "mark files as index-only"),
        Cacheinfo = value('\0', "cacheinfo", "<mode>,<object>,<path>", "add the specified entry to the index"),
        IndexInfo = flag('\0', "index-info", "add entries from standard input to the index"),
        Stdin = flag('\0', "stdin", "read list of paths to be updated from standard input"),
        Nul = flag('z', "", "with --stdin: input lines are terminated by null bytes"),
        Chmod = value('\0', "chmod", "(+|-)x", "override the executable bit of the listed files"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "update-index",
    usage: "git update-index [<options>] [--] [<file>...]",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if arguments.value(Opt::Chmod).is_some_and(|change| !matches!(change.as_bytes(), b"+x" | b"-x")) {
        return Err(GitError::Error("option 'chmod' expects \"+x\" or \"-x\"".into(), 129));
    }
    let mut index = git.read_index().await?;
    let mut status = 0;
    // `-q` has to stand before it.
    let mut is_quiet = false;
    for (option, _) in arguments.in_order() {
        match option {
            Opt::Quiet => is_quiet = true,
            Opt::Refresh | Opt::ReallyRefresh => break,
            _ => {}
        }
    }
    if arguments.has(Opt::Refresh) || arguments.has(Opt::ReallyRefresh) {
        let before = index.clone();
        for (at, entry) in before.entries.iter().enumerate() {
            if arguments.has(Opt::ReallyRefresh) {
                if let Some(slot) = index.entries.get_mut(at) {
                    slot.assume_valid = false;
                }
            } else if entry.assume_valid {
                continue;
            }
            if entry.skip_work_tree {
                continue;
            }
            let mode = git.work_mode(&entry.path)?;
            let is_same = mode == Some(entry.mode) && git.is_unchanged(&before, entry).await?;
            if is_same {
                if let (Some(slot), Some(metadata)) =
                    (index.entries.get_mut(at), git.work_metadata(&entry.path)?)
                {
                    slot.stat = Stat::of(&metadata);
                }
            } else if !(mode.is_none() && arguments.has(Opt::IgnoreMissing)) {
                if is_quiet {
                    continue;
                }
                git.print(&[&entry.path[..], b": needs update\n"].concat_metered()).await?;
                status = 1;
            }
        }
    }
    for text in arguments.values(Opt::Cacheinfo).cloned().collect::<Vec<_>>() {
        let mut parts = text.splitn(3, |byte| *byte == b',');
        let (Some(mode), Some(id), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(GitError::Error("option 'cacheinfo' expects <mode>,<sha1>,<path>".into(), 129));
        };
        let (Some(mode), Some(id)) = (octal(mode), ObjectId::from_hex(id)) else {
            return Err(GitError::Error("option 'cacheinfo' expects <mode>,<sha1>,<path>".into(), 129));
        };
        let path = Text::from(path);
        if index.range(&path).is_empty() && !arguments.has(Opt::Add) {
            let text = format!(
                "error: {path}: cannot add to the index - missing --add option?\nfatal: git update-index: --cacheinfo cannot add {path}\n"
            );
            return Err(GitError::Plain(text, 128));
        }
        super::add::remove_conflicting(&mut index, &path);
        index.put(IndexEntry { mode, id, path, ..IndexEntry::default() });
    }
    if arguments.has(Opt::IndexInfo) {
        take_lines(git, &mut index, arguments.has(Opt::Nul)).await?;
    }
    let mut operands = arguments.operands.clone();
    if arguments.has(Opt::Stdin) {
        let list = git.ctx.standard_input().read_to_end().await?;
        operands.extend(listed_names(&list, arguments.has(Opt::Nul)));
    }
    for operand in &operands {
        let path = git.relative(operand)?;
        if arguments.truth(Opt::AssumeUnchanged).is_some() || arguments.truth(Opt::SkipWorktree).is_some() {
            let at = index.find(&path, 0).ok();
            let Some(entry) = at.and_then(|at| index.entries.get_mut(at)) else {
                return Err(fatal!("Unable to mark file {}", bstr::BStr::new(&path)));
            };
            entry.assume_valid = arguments.truth(Opt::AssumeUnchanged).unwrap_or(entry.assume_valid);
            entry.skip_work_tree = arguments.truth(Opt::SkipWorktree).unwrap_or(entry.skip_work_tree);
            continue;
        }
        let known = index.get(&path).cloned();
        if arguments.has(Opt::ForceRemove) {
            index.remove(&path);
            continue;
        }
        match git.entry_of(&path, known.as_ref()).await? {
            Some(mut entry) if known.is_some() || arguments.has(Opt::Add) => {
                if let Some(change) = arguments.value(Opt::Chmod) {
                    entry.mode = if &**change == b"+x" { EXECUTABLE } else { REGULAR };
                }
                super::add::remove_conflicting(&mut index, &entry.path);
                index.put(entry);
            }
            Some(_) => {
                return Err(fatal!(
                    "Unable to process path {operand}\nerror: {operand}: cannot add to the index - missing --add option?"
                ));
            }
            None if arguments.has(Opt::Remove) => index.remove(&path),
            None => {
                return Err(GitError::Plain(
                    format!(
                        "error: {operand}: does not exist and --remove not passed\nfatal: Unable to process path {operand}\n"
                    ),
                    128,
                ));
            }
        }
    }
    git.write_index(&index).await?;
    Ok(status)
}

fn octal(text: &[u8]) -> Option<u32> {
    u32::from_str_radix(std::str::from_utf8(text).ok()?, 8).ok()
}

/// Entries as `ls-files --stage` and `ls-tree` print them: mode, perhaps a type, name, perhaps a stage, and path.
async fn take_lines(git: &mut Git, index: &mut Index, ends_in_nul: bool) -> Result<()> {
    let end = if ends_in_nul { 0 } else { b'\n' };
    let list = git.ctx.standard_input().read_to_end().await?;
    for line in list.split(|byte| *byte == end).filter(|line| !line.is_empty()) {
        git.ctx.tick().await?;
        let malformed = || fatal!("malformed index info {}", bstr::BStr::new(line));
        let tab = memchr::memchr(b'\t', line).ok_or_else(malformed)?;
        let (head, path) = (line.get(..tab).unwrap_or(&[]), line.get(tab + 1..).unwrap_or(&[]));
        let words: Vec<&[u8]> = head.split(|byte| *byte == b' ').collect();
        let (mode, id, stage) = match words.as_slice() {
            [mode, id] => (*mode, *id, 0),
            [mode, id, [stage @ b'0'..=b'3']] => (*mode, *id, stage - b'0'),
            [mode, _, id] => (*mode, *id, 0),
            _ => return Err(malformed()),
        };
        let (Some(mode), Some(id)) = (octal(mode), ObjectId::from_hex(id)) else { return Err(malformed()) };
        let path = Text::from(path);
        if mode == 0 {
            index.remove(&path);
            continue;
        }
        let entry = IndexEntry { mode, id, stage, path, ..IndexEntry::default() };
        if stage == 0 {
            super::add::remove_conflicting(index, &entry.path);
            index.put(entry);
            continue;
        }
        match index.find(&entry.path, stage) {
            Ok(at) => {
                if let Some(slot) = index.entries.get_mut(at) {
                    *slot = entry;
                }
            }
            Err(at) => index.entries.insert(at, entry),
        }
    }
    Ok(())
}
