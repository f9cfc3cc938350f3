//! `git restore`, and how `checkout` takes paths.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::diff::tree::files;
use crate::utility::git::index::{Index, IndexEntry};
use crate::utility::git::pathspec::Pathspec;

options! {
    enum Opt {
        Source = value('s', "source", "tree-ish", "which tree-ish to checkout from"),
        Staged = flag('S', "staged", "restore the index"),
        Worktree = flag('W', "worktree", "restore the working tree (default)"),
        IgnoreUnmerged = flag('\0', "ignore-unmerged", "ignore unmerged entries"),
        Overlay = flag('\0', "overlay", "never remove files"),
        Quiet = flag('q', "quiet", "suppress progress reporting"),
        Progress = flag('\0', "progress", "force progress reporting"),
        Ours = flag('\0', "ours", "checkout our version for unmerged files"),
        Theirs = flag('\0', "theirs", "checkout their version for unmerged files"),
        Patch = flag('p', "patch", "not supported"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "restore",
    usage: "git restore [<options>] [--source=<branch>] <file>...",
    options: Opt::TABLE,
    needs: Needs::WorkTree,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if arguments.has(Opt::Patch) {
        return Err(fatal!("restore --patch is not supported"));
    }
    if arguments.operands.is_empty() {
        return Err(fatal!("you must specify path(s) to restore"));
    }
    let staged = arguments.has(Opt::Staged);
    let worktree = arguments.has(Opt::Worktree) || !staged;
    let source = match arguments.value(Opt::Source).cloned() {
        Some(name) => match git.resolve(&name).await? {
            Some(id) => git.peel(id, Kind::Tree).await?,
            None => return Err(fatal!("could not resolve {name}")),
        },
        None if staged => match git.head_id()? {
            Some(_) => Some(git.head_tree().await?),
            None => return Err(fatal!("could not resolve HEAD")),
        },
        None => None,
    };
    let side = match arguments.last_of([Opt::Ours, Opt::Theirs]) {
        Some(Opt::Ours) => Some(2),
        Some(_) => Some(3),
        None => None,
    };
    if side.is_some() && staged {
        return Err(fatal!("'--ours' or '--theirs' cannot be used with --staged"));
    }
    let options = TakeOptions {
        staged,
        worktree,
        removes: arguments.truth(Opt::Overlay) != Some(true),
        side,
        skips_unmerged: arguments.has(Opt::IgnoreUnmerged),
        is_quiet: arguments.has(Opt::Quiet),
    };
    git.take_paths(&arguments.operands, source, options).await?;
    let head = git.head_id()?;
    git.checked_out(head, head, false).await
}

/// How paths are taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct TakeOptions {
    /// Into the index.
    pub(super) staged: bool,
    /// Into the work tree.
    pub(super) worktree: bool,
    /// What the source does not have is removed.
    pub(super) removes: bool,
    /// The stage of files in a conflict that is taken.
    pub(super) side: Option<u8>,
    /// Files in a conflict are left as they are.
    pub(super) skips_unmerged: bool,
    pub(super) is_quiet: bool,
}

/// The entries of the index that are taken; of files in a conflict the side that was asked for.
fn from_index(
    git: &mut Git,
    index: &Index,
    spec: &Pathspec,
    options: TakeOptions,
) -> Result<Vec<IndexEntry>> {
    let (mut wanted, mut has_failed): (Vec<IndexEntry>, bool) = (Vec::new(), false);
    let mut last: Option<&Text> = None;
    for entry in index.entries.iter().filter(|entry| spec.matches(&entry.path)) {
        let path = &entry.path;
        if entry.stage == 0 {
            wanted.push(entry.clone());
            continue;
        }
        if last == Some(path) {
            continue;
        }
        last = Some(path);
        if options.skips_unmerged {
            if !options.is_quiet {
                git.say(&format!("warning: path '{path}' is unmerged"));
            }
            continue;
        }
        let Some(stage) = options.side else {
            git.say(&format!("error: path '{path}' is unmerged"));
            has_failed = true;
            continue;
        };
        match index.find(path, stage).ok().and_then(|at| index.entries.get(at)) {
            Some(entry) => wanted.push(entry.clone()),
            // It is to be removed.
            None if options.removes => {
                wanted.push(IndexEntry { mode: 0, stage, path: path.clone(), ..IndexEntry::default() });
            }
            None => {
                let whose = if stage == 2 { "our" } else { "their" };
                git.say(&format!("error: path '{path}' does not have {whose} version"));
                has_failed = true;
            }
        }
    }
    if has_failed { Err(GitError::Exit(1)) } else { Ok(wanted) }
}

impl Git {
    /// Takes paths from a tree, or from the index, into the index and the work tree; how many files were written.
    pub(super) async fn take_paths(
        &mut self,
        operands: &[Text],
        source: Option<ObjectId>,
        options: TakeOptions,
    ) -> Result<usize> {
        let TakeOptions { staged, worktree, removes, .. } = options;
        if options.side.is_some() && source.is_some() {
            return Err(fatal!(
                "'--merge', '--ours', or '--theirs' cannot be used when checking out of a tree"
            ));
        }
        let spec = self.pathspec(operands)?;
        let mut index = self.read_index().await?;
        let mut wanted: Vec<IndexEntry> = match source {
            Some(tree) => {
                let mut wanted = Vec::new();
                for file in files(self, tree, &spec).await? {
                    wanted.push(IndexEntry {
                        mode: file.mode,
                        id: file.id,
                        path: file.path,
                        ..IndexEntry::default()
                    });
                }
                wanted
            }
            None => Vec::new(),
        };
        let known: Vec<Text> = wanted.iter().map(|entry| entry.path.clone()).collect();
        let in_index: Vec<Text> = if removes || source.is_none() {
            index.entries.iter().map(|entry| entry.path.clone()).collect()
        } else {
            Vec::new()
        };
        let paths = known.iter().chain(in_index.iter()).map(Text::as_bytes);
        if let Some(given) = spec.unmatched(&paths).first() {
            return Err(GitError::Error(
                format!("pathspec '{given}' did not match any file(s) known to git"),
                1,
            ));
        }
        if source.is_none() {
            wanted = from_index(self, &index, &spec, options)?;
        } else if removes {
            let gone: Vec<Text> = index
                .entries
                .iter()
                .filter(|entry| spec.matches(&entry.path) && !known.contains(&entry.path))
                .map(|entry| entry.path.clone())
                .collect();
            for path in &gone {
                if worktree {
                    self.remove_work_file(path)?;
                }
                if staged {
                    index.remove(path);
                }
            }
        }
        let mut count = 0;
        for mut entry in wanted {
            self.ctx.tick().await?;
            if entry.stage > 0 {
                if entry.mode == 0 {
                    self.remove_work_file(&entry.path)?;
                } else {
                    self.check_out(&entry.path, entry.mode, &entry.id).await?;
                    count += 1;
                }
                continue;
            }
            if worktree {
                let mode = self.work_mode(&entry.path)?;
                let is_same =
                    mode == Some(entry.mode) && self.work_id(&entry.path, entry.mode).await? == entry.id;
                if !is_same {
                    entry.stat = self.check_out(&entry.path, entry.mode, &entry.id).await?;
                    count += 1;
                } else if let Some(metadata) = self.work_metadata(&entry.path)? {
                    entry.stat = crate::utility::git::index::Stat::of(&metadata);
                }
            }
            let is_known =
                index.get(&entry.path).is_some_and(|known| (known.mode, known.id) == (entry.mode, entry.id));
            if staged || is_known {
                index.put(entry);
            }
        }
        self.write_index(&index).await?;
        Ok(count)
    }
}
