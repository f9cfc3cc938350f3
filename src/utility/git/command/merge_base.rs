//! `git merge-base`.

use super::prelude::*;
use crate::memory::format;

options! {
    enum Opt {
        All = flag('a', "all", "output all common ancestors"),
        Octopus = flag('\0', "octopus", "not supported"),
        Independent = flag('\0', "independent", "list revs not reachable from others"),
        IsAncestor = flag('\0', "is-ancestor", "is the first one ancestor of the other?"),
        ForkPoint = flag('\0', "fork-point", "find where <commit> forked from reflog of <ref>"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "merge-base",
    usage: "git merge-base [-a | --all] <commit> <commit>...\ngit merge-base [-a | --all] --octopus <commit>...\n\
git merge-base --is-ancestor <commit> <commit>\ngit merge-base --independent <commit>...\n\
git merge-base --fork-point <ref> [<commit>]",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if arguments.has(Opt::IsAncestor) && arguments.has(Opt::Independent) {
        let text = "options '--independent' and '--is-ancestor' cannot be used together";
        return Err(GitError::Error(text.into(), 129));
    }
    if arguments.has(Opt::IsAncestor) && arguments.has(Opt::All) {
        return Err(fatal!("options '--is-ancestor' and '--all' cannot be used together"));
    }
    if arguments.has(Opt::ForkPoint) {
        if let Some(name) = arguments.operands.first()
            && git.find_ref(name)?.is_none()
        {
            return Err(fatal!("No such ref: '{name}'"));
        }
        if let Some(name) = arguments.operands.get(1)
            && git.resolve_commit(name).await?.is_none()
        {
            return Err(fatal!("Not a valid object name: '{name}'"));
        }
    }
    let mut ids = Vec::new();
    for name in &arguments.operands {
        let Some(id) = git.resolve_commit(name).await? else {
            return Err(fatal!("Not a valid object name {name}"));
        };
        ids.push(id);
    }
    if arguments.has(Opt::Octopus) {
        return Err(fatal!("merge-base --octopus is not supported"));
    }
    if arguments.has(Opt::Independent) {
        for (at, id) in ids.iter().enumerate() {
            let mut is_reached = false;
            for (other_at, other) in ids.iter().enumerate() {
                is_reached |=
                    at != other_at && (id != other || other_at < at) && git.is_ancestor(*id, *other).await?;
            }
            if !is_reached {
                git.print(format!("{id}\n").as_bytes()).await?;
            }
        }
        return Ok(0);
    }
    if arguments.has(Opt::ForkPoint) {
        let Some(name) = arguments.operands.first() else { return Err(GitError::Exit(129)) };
        let Some((full, tip)) = git.find_ref(name)? else {
            return Err(fatal!("Not a valid object name: '{name}'"));
        };
        let head = match ids.get(1) {
            Some(id) => *id,
            None => git.head_id()?.ok_or_else(|| fatal!("Not a valid object name: 'HEAD'"))?,
        };
        let mut tips = Vec::from([tip]);
        tips.extend(git.read_log(&full)?.iter().filter(|entry| !entry.old.is_zero()).map(|entry| entry.old));
        let bases = git.merge_bases(head, &tips).await?;
        return match bases.as_slice() {
            [base] if tips.contains(base) => {
                git.print(format!("{base}\n").as_bytes()).await?;
                Ok(0)
            }
            _ => Ok(1),
        };
    }
    if arguments.has(Opt::IsAncestor) {
        let [one, other] = ids.as_slice() else {
            return Err(fatal!("--is-ancestor takes exactly two commits"));
        };
        return Ok(u8::from(!git.is_ancestor(*one, *other).await?));
    }
    let Some((one, others)) = ids.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Err(COMMAND.usage_error());
    };
    let bases = git.merge_bases(*one, others).await?;
    let most = if arguments.has(Opt::All) { bases.len() } else { 1 };
    for base in bases.iter().take(most) {
        git.print(format!("{base}\n").as_bytes()).await?;
    }
    Ok(u8::from(bases.is_empty()))
}
