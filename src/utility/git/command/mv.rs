//! `git mv`.

use super::prelude::*;
use crate::memory::{VecDeque, format};
use crate::utility::file::{join, last_component};
use crate::utility::git::index::{Index, IndexEntry};

options! {
    enum Opt {
        Verbose = flag('v', "verbose", "be verbose"),
        DryRun = flag('n', "dry-run", "dry run"),
        Force = flag('f', "force", "force move/rename even if target exists"),
        SkipErrors = flag('k', "", "skip move/rename errors"),
        Sparse = flag('\0', "sparse", "allow updating entries outside of the sparse-checkout cone"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "mv",
    usage: "git mv [-v] [-f] [-n] [-k] <source>... <destination>",
    options: Opt::TABLE,
    needs: Needs::WorkTree,
    run: command!(run),
    ..Command::BASE
};

/// A path that is moved.
struct Move {
    from: Vec<u8>,
    to: Vec<u8>,
    /// It lies in a folder that is moved: only the index has to know.
    is_inner: bool,
}

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    let Some((target, sources)) = arguments.operands.split_last().filter(|(_, sources)| !sources.is_empty())
    else {
        return Err(COMMAND.usage_error());
    };
    let mut index = git.read_index().await?;
    let to = git.relative(target)?;
    let is_folder = to.is_empty() || git.work_metadata(&to)?.is_some_and(|metadata| metadata.is_directory());
    if sources.len() > 1 && !is_folder {
        return Err(fatal!("destination '{target}' is not a directory"));
    }
    let is_dry = arguments.has(Opt::DryRun);
    let mut pending: VecDeque<Move> = VecDeque::new();
    for source in sources {
        let from = git.relative(source)?;
        let to = if is_folder { join(&to, last_component(&from)) } else { to.clone() };
        pending.push_back(Move { from, to, is_inner: false });
    }
    // Everything is looked at before something is moved.
    let mut moves: Vec<Move> = Vec::new();
    while let Some(one) = pending.pop_front() {
        git.ctx.tick().await?;
        let (from, to) = (bstr::BStr::new(&one.from), bstr::BStr::new(&one.to));
        if is_dry {
            git.print(format!("Checking rename of '{from}' to '{to}'\n").as_bytes()).await?;
        }
        let ends_in_slash = target.ends_with(b"/") && !is_folder;
        if let Some(reason) = fault(git, &arguments, &index, &one, &moves, ends_in_slash)? {
            if arguments.has(Opt::SkipErrors) {
                continue;
            }
            let slash = if ends_in_slash { "/" } else { "" };
            return Err(fatal!("{reason}, source={from}, destination={to}{slash}"));
        }
        if index.get(&one.from).is_none() {
            for entry in index.entries.get(index.folder(&one.from)).unwrap_or(&[]) {
                let rest = entry.path.strip_prefix(one.from.as_slice()).unwrap_or(&[]);
                let to = [&one.to[..], rest].concat_metered();
                pending.push_back(Move { from: entry.path.to_metered(), to, is_inner: true });
            }
        }
        moves.push(one);
    }
    for Move { from, to, is_inner } in &moves {
        git.ctx.tick().await?;
        if arguments.has(Opt::Verbose) || is_dry {
            git.print(&[&b"Renaming "[..], from, b" to ", to, b"\n"].concat_metered()).await?;
        }
        if is_dry {
            continue;
        }
        if !is_inner && let Err(error) = git.fs().rename(&git.in_work_tree(from), &git.in_work_tree(to)) {
            if arguments.has(Opt::SkipErrors) {
                continue;
            }
            return match GitError::from(error) {
                GitError::Fatal(why) => Err(fatal!("renaming '{}' failed: {why}", bstr::BStr::new(from))),
                other => Err(other),
            };
        }
        if let Some(entry) = index.get(from).cloned() {
            index.remove(from);
            index.put(IndexEntry { path: Text::from(to.as_slice()), ..entry });
        }
    }
    if !is_dry {
        git.write_index(&index).await?;
    }
    Ok(0)
}

/// Why a path cannot be moved.
fn fault(
    git: &mut Git,
    arguments: &Arguments<Opt>,
    index: &Index,
    one: &Move,
    moves: &[Move],
    ends_in_slash: bool,
) -> Result<Option<&'static str>> {
    let Some(source) = git.work_metadata(&one.from)? else { return Ok(Some("bad source")) };
    if one.to.strip_prefix(one.from.as_slice()).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    {
        return Ok(Some("can not move directory into itself"));
    }
    let there = git.work_metadata(&one.to)?;
    if source.is_directory() && index.get(&one.from).is_none() {
        return Ok(if there.is_some() {
            Some("cannot move directory over file")
        } else if index.folder(&one.from).is_empty() {
            Some("source directory is empty")
        } else {
            None
        });
    }
    let range = index.range(&one.from);
    if range.is_empty() {
        return Ok(Some("not under version control"));
    }
    if index.get(&one.from).is_none() {
        return Ok(Some("conflicted"));
    }
    if one.is_inner {
        return Ok(None);
    }
    if let Some(there) = there {
        if !arguments.has(Opt::Force) {
            return Ok(Some("destination exists"));
        }
        if there.is_directory() {
            return Ok(Some("Cannot overwrite"));
        }
        if arguments.has(Opt::Verbose) {
            git.say(&format!("warning: overwriting '{}'", bstr::BStr::new(&one.to)));
        }
    }
    if moves.iter().any(|other| other.to == one.to) {
        return Ok(Some("multiple sources for the same target"));
    }
    Ok(ends_in_slash.then_some("destination directory does not exist"))
}
