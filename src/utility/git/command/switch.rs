//! `git switch`.

use super::prelude::*;

pub(super) static COMMAND: Command = Command {
    name: "switch",
    usage: "git switch [<options>] [<branch>]",
    options: &[&[
        value('c', "create", "branch", "create and switch to a new branch"),
        value('C', "force-create", "branch", "create/reset and switch to a branch"),
        flag('\0', "guess", "second guess 'git switch <no-such-branch>'"),
        flag('\0', "discard-changes", "throw away local modifications"),
        flag('q', "quiet", "suppress progress reporting"),
        flag('\0', "progress", "accepted"),
        flag('m', "merge", "not supported"),
        flag('d', "detach", "detach HEAD at named commit"),
        optional('t', "track", "mode", "set branch tracking configuration"),
        flag('f', "force", "force checkout (throw away local modifications)"),
        value('\0', "orphan", "new-branch", "new unborn branch"),
    ]],
    needs: Needs::WorkTree,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments()?;
    if arguments.has("merge") {
        return Err(fatal!("switch --merge is not supported"));
    }
    if let Some(name) = arguments.value("orphan").cloned() {
        git.reset_hard(ObjectId::EMPTY_TREE).await?;
        return git.switch_orphan(&name);
    }
    let first = arguments.operands.first().cloned();
    let new = arguments.value("create").map(|name| (name.clone(), false));
    if let Some((name, is_forced)) =
        new.or_else(|| arguments.value("force-create").map(|name| (name.clone(), true)))
    {
        return git.switch_new(&name, first, is_forced, &arguments).await;
    }
    let Some(name) = first else {
        if arguments.has("detach") {
            return git.switch_to(b"HEAD", &arguments).await;
        }
        return Err(fatal!("missing branch or commit argument"));
    };
    let is_back = &*name == b"-" || name.starts_with(b"@{-");
    let full = [&b"refs/heads/"[..], &name].concat_metered();
    if is_back || arguments.has("detach") || git.ref_id(&full)?.is_some() {
        return git.switch_to(&name, &arguments).await;
    }
    if let Some(remote) = git.guess_remote(&name).await?
        && arguments.truth("guess") != Some(false)
    {
        return git.switch_new(&name, Some(remote), false, &arguments).await;
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
