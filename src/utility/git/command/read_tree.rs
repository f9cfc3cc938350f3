//! `git read-tree`: a tree becomes the index.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::diff::tree::{TreeFile, files};
use crate::utility::git::index::{Index, IndexEntry};
use crate::utility::git::object::tree::SUBMODULE;
use crate::utility::git::pathspec::Pathspec;
use std::cmp::Ordering;

options! {
    enum Opt {
        Merge = flag('m', "", "perform a merge in addition to a read; of one tree alone"),
        Reset = flag('\0', "reset", "same as -m, but discard unmerged entries"),
        Prefix = value('\0', "prefix", "prefix", "read the tree into the index under <prefix>/"),
        Update = flag('u', "", "update working tree with merge result"),
        IndexOnly = flag('i', "", "don't check the working tree after merging"),
        DryRun = flag('n', "dry-run", "don't update the index or the work tree"),
        Verbose = flag('v', "", "be verbose"),
        Quiet = flag('q', "quiet", "suppress feedback messages"),
        Empty = flag('\0', "empty", "only empty the index"),
        Trivial = flag('\0', "trivial", "not supported"),
        Aggressive = flag('\0', "aggressive", "not supported"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "read-tree",
    usage: "git read-tree [(-m | --reset | --prefix=<prefix>)] [-u | -i] [--empty | <tree-ish>]",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if let Some(option) = arguments.first_of([Opt::Trivial, Opt::Aggressive]) {
        return Err(fatal!("read-tree --{} needs to merge contents, which is not supported", option.long()));
    }
    let keeps = arguments.has(Opt::Merge) || arguments.has(Opt::Reset) || arguments.has(Opt::Prefix);
    if arguments.has(Opt::Update) && !keeps {
        return Err(fatal!("-u is meaningless without -m, --reset, or --prefix"));
    }
    if arguments.has(Opt::IndexOnly) && !keeps {
        return Err(fatal!("-i is meaningless without -m, --reset, or --prefix"));
    }
    if arguments.has(Opt::IndexOnly) && arguments.has(Opt::Update) {
        return Err(fatal!("-u and -i at the same time makes no sense"));
    }
    if arguments.has(Opt::Empty) {
        if !arguments.operands.is_empty() {
            return Err(fatal!("passing trees as arguments contradicts --empty"));
        }
        git.write_index(&Index::default()).await?;
        return Ok(0);
    }
    if arguments.operands.len() > 1 {
        return Err(fatal!("read-tree of several trees needs to merge contents, which is not supported"));
    }
    let Some(name) = arguments.operands.first() else {
        git.say("warning: read-tree: emptying the index with no arguments is deprecated; use --empty");
        git.write_index(&Index::default()).await?;
        return Ok(0);
    };
    let Some(id) = git.resolve(name).await? else { return Err(fatal!("Not a valid object name {name}")) };
    let Some(tree) = git.peel(id, Kind::Tree).await? else {
        return Err(fatal!("failed to unpack tree object {name}"));
    };
    let old = git.read_index().await?;
    if arguments.has(Opt::Merge) && old.is_unmerged() {
        return Err(fatal!("You need to resolve your current index first"));
    }
    let mut prefix = arguments.value(Opt::Prefix).cloned().unwrap_or_default().to_metered();
    if !prefix.is_empty() && !prefix.ends_with(b"/") {
        prefix.push(b'/');
    }
    let mut index = Index::default();
    if arguments.has(Opt::Prefix) {
        index = old.clone();
    }
    let files = files(git, tree, &Pathspec::default()).await?;
    if arguments.has(Opt::Merge) && !arguments.has(Opt::Reset) && !arguments.has(Opt::IndexOnly) {
        check(git, &arguments, &old, &files).await?;
    }
    for file in files {
        git.ctx.tick().await?;
        let path = Text::from([&prefix[..], &file.path].concat_metered());
        if arguments.has(Opt::Prefix) && index.get(&path).is_some() {
            return Err(refusal(
                &arguments,
                &format!("Entry '{path}' overlaps with '{path}'.  Cannot bind."),
            ));
        }
        let mut entry = IndexEntry { mode: file.mode, id: file.id, path, ..IndexEntry::default() };
        match old.get(&entry.path) {
            // What is the same keeps what is known of its file.
            Some(known) if keeps && (known.mode, known.id) == (entry.mode, entry.id) => entry = known.clone(),
            _ if arguments.has(Opt::Update) && !arguments.has(Opt::DryRun) => {
                entry.stat = git.check_out(&entry.path, entry.mode, &entry.id).await?;
            }
            _ => {}
        }
        index.put(entry);
    }
    if arguments.has(Opt::DryRun) {
        return Ok(0);
    }
    if arguments.has(Opt::Update) && !arguments.has(Opt::Prefix) {
        for entry in &old.entries {
            if index.get(&entry.path).is_none() {
                git.remove_work_file(&entry.path)?;
            }
        }
    }
    git.write_index(&index).await?;
    Ok(0)
}

/// What cannot be done, which `-q` leaves unsaid.
fn refusal(arguments: &Arguments<Opt>, text: &str) -> GitError {
    if arguments.has(Opt::Quiet) {
        return GitError::Exit(128);
    }
    GitError::Plain(format!("error: {text}\n"), 128)
}

/// Refuses to lose changes of files whose entries would become others or go, and files that stand in the way.
async fn check(git: &mut Git, arguments: &Arguments<Opt>, old: &Index, files: &[TreeFile]) -> Result<()> {
    let (mut files, mut entries) = (files.iter().peekable(), old.entries.iter().peekable());
    loop {
        git.ctx.tick().await?;
        let order = match (files.peek(), entries.peek()) {
            (None, None) => return Ok(()),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(file), Some(entry)) => file.path.cmp(&entry.path),
        };
        let file = if order.is_le() { files.next() } else { None };
        let entry = if order.is_ge() { entries.next() } else { None };
        match (file, entry) {
            (Some(file), Some(entry)) if (file.mode, file.id) == (entry.mode, entry.id) => {}
            (_, Some(entry)) => {
                let path = &entry.path;
                if git.work_mode(path)?.is_some() && !git.is_unchanged(old, entry).await? {
                    return Err(refusal(arguments, &format!("Entry '{path}' not uptodate. Cannot merge.")));
                }
            }
            (Some(file), None) if arguments.has(Opt::Update) => {
                let path = &file.path;
                let is_there = git.work_mode(path)?.is_some_and(|mode| mode & 0o170_000 != SUBMODULE);
                if is_there {
                    let text = format!("Untracked working tree file '{path}' would be overwritten by merge.");
                    return Err(refusal(arguments, &text));
                }
            }
            _ => {}
        }
    }
}
