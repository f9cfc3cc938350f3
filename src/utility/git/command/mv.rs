//! `git mv`.

use super::prelude::*;
use crate::utility::file::{join, last_component, parent};
use crate::utility::git::index::IndexEntry;

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
    for source in sources {
        git.ctx.tick().await?;
        let from = git.relative(source)?;
        let to = if is_folder { join(&to, last_component(&from)) } else { to.clone() };
        let (shown_from, shown_to) = (bstr::BStr::new(&from), bstr::BStr::new(&to));
        let fail = |reason: &str| fatal!("{reason}, source={shown_from}, destination={shown_to}");
        let moved: Vec<IndexEntry> = if index.get(&from).is_some() {
            index.get(&from).cloned().into_iter().collect()
        } else {
            index.entries.get(index.folder(&from)).unwrap_or(&[]).to_metered()
        };
        let error = if git.work_metadata(&from)?.is_none() {
            Some("bad source")
        } else if moved.is_empty() {
            let is_folder = git.work_metadata(&from)?.is_some_and(|metadata| metadata.is_directory());
            Some(if is_folder { "source directory is empty" } else { "not under version control" })
        } else if git.work_metadata(&to)?.is_some() && !arguments.has(Opt::Force) {
            Some("destination exists")
        } else if !git
            .fs()
            .metadata(&git.in_work_tree(parent(&to)))
            .is_ok_and(|metadata| metadata.is_directory())
        {
            Some("destination directory does not exist")
        } else {
            None
        };
        if let Some(reason) = error {
            if arguments.has(Opt::SkipErrors) {
                continue;
            }
            return Err(fail(reason));
        }
        if arguments.has(Opt::Verbose) || arguments.has(Opt::DryRun) {
            git.print(&[&b"Renaming "[..], &from, b" to ", &to, b"\n"].concat_metered()).await?;
        }
        if arguments.has(Opt::DryRun) {
            continue;
        }
        git.fs().rename(&git.in_work_tree(&from), &git.in_work_tree(&to))?;
        for entry in moved {
            index.remove(&entry.path);
            let rest = entry.path.strip_prefix(from.as_slice()).unwrap_or(&[]).to_metered();
            index.put(IndexEntry { path: Text::from([&to[..], &rest].concat_metered()), ..entry });
        }
    }
    if !arguments.has(Opt::DryRun) {
        git.write_index(&index).await?;
    }
    Ok(0)
}
