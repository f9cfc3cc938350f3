//! `git switch`.

use super::branch::BranchOptions;
use super::checkout::SwitchOptions;
use super::prelude::*;

options! {
    enum Opt {
        Create = value('c', "create", "branch", "create and switch to a new branch"),
        ForceCreate = value('C', "force-create", "branch", "create/reset and switch to a branch"),
        Guess = flag('\0', "guess", "second guess 'git switch <no-such-branch>'"),
        DiscardChanges = flag('\0', "discard-changes", "throw away local modifications"),
        Quiet = flag('q', "quiet", "suppress progress reporting"),
        Progress = flag('\0', "progress", "force progress reporting"),
        Merge = flag('m', "merge", "not supported"),
        Detach = flag('d', "detach", "detach HEAD at named commit"),
        Track = optional('t', "track", "mode", "set branch tracking configuration"),
        Force = flag('f', "force", "force checkout (throw away local modifications)"),
        Orphan = value('\0', "orphan", "new-branch", "new unborn branch"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "switch",
    usage: "git switch [<options>] [<branch>]",
    options: Opt::TABLE,
    needs: Needs::WorkTree,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if arguments.has(Opt::Merge) {
        return Err(fatal!("switch --merge is not supported"));
    }
    if let Some(name) = arguments.value(Opt::Orphan).cloned() {
        git.reset_hard(ObjectId::EMPTY_TREE).await?;
        return git.switch_orphan(&name, arguments.has(Opt::Quiet), false).await;
    }
    let options = SwitchOptions {
        detaches: arguments.has(Opt::Detach),
        is_forced: arguments.has_any([Opt::Force, Opt::DiscardChanges]),
        resets: false,
        branch: BranchOptions {
            tracks: arguments.truth(Opt::Track),
            is_quiet: arguments.has(Opt::Quiet),
            is_logged: false,
        },
    };
    let first = arguments.operands.first().cloned();
    let new = arguments.value(Opt::Create).map(|name| (name.clone(), false));
    if let Some((name, is_forced)) =
        new.or_else(|| arguments.value(Opt::ForceCreate).map(|name| (name.clone(), true)))
    {
        return git.switch_new(&name, first, is_forced, options).await;
    }
    let Some(name) = first else {
        if arguments.has(Opt::Detach) {
            return git.switch_to(b"HEAD", options).await;
        }
        return Err(fatal!("missing branch or commit argument"));
    };
    let is_back = &*name == b"-" || name.starts_with(b"@{-");
    let full = [&b"refs/heads/"[..], &name].concat_metered();
    if is_back || arguments.has(Opt::Detach) || git.ref_id(&full)?.is_some() {
        return git.switch_to(&name, options).await;
    }
    let guesses = arguments.truth(Opt::Guess).or_else(|| git.config.truth("checkout.guess"));
    if guesses != Some(false)
        && let Some(remote) = git.guess_remote(&name).await?
    {
        return git.switch_new(&name, Some(remote), false, options).await;
    }
    if git.resolve_commit(&name).await?.is_some() {
        let kind = match git.find_ref(&name)? {
            Some((full, _)) if full.starts_with(b"refs/tags/") => "tag",
            Some((full, _)) if full.starts_with(b"refs/remotes/") => "remote branch",
            _ => "commit",
        };
        return Err(fatal!(
            "a branch is expected, got {kind} '{name}'\nhint: If you want to detach HEAD at the commit, try again with the \
--detach option."
        ));
    }
    Err(fatal!("invalid reference: {name}"))
}
