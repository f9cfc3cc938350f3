//! `git worktree list`.

use super::prelude::*;
use crate::memory::format;
use crate::utility::file::{join, parent};
use crate::utility::git::error::found;
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
        let head = read_file(git.fs(), &join(folder, b"HEAD"))?.unwrap_or_default();
        let target = head.trim_ascii_end().strip_prefix(b"ref: ").map(Text::from);
        let id = match &target {
            Some(name) => git.ref_id(name)?,
            None => head.get(..40).and_then(ObjectId::from_hex),
        };
        let id = id.unwrap_or_default();
        let shown = bstr::BStr::new(path);
        if arguments.has(Opt::Porcelain) {
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
        line.push(b'\n');
        git.print(&line).await?;
    }
    Ok(0)
}
