//! `git update-ref`.

use super::prelude::*;
use crate::memory::{String, format};
use crate::utility::git::refs::{MOST_LINKS, RefValue};

options! {
    enum Opt {
        Reason = value('m', "", "reason", "reason of the update"),
        Delete = flag('d', "", "delete the reference"),
        Deref = flag('\0', "deref", "update <refname> not the one it points to"),
        CreateReflog = flag('\0', "create-reflog", "create a reflog"),
        Stdin = flag('\0', "stdin", "not supported"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "update-ref",
    usage: "git update-ref [<options>] -d <refname> [<old-oid>]\ngit update-ref [<options>] <refname> <new-oid> [<old-oid>]",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if arguments.has(Opt::Stdin) {
        return Err(fatal!("update-ref --stdin is not supported"));
    }
    let (name, new, old) = match (arguments.has(Opt::Delete), arguments.operands.as_slice()) {
        (true, [name]) => (name, None, None),
        (true, [name, old]) => (name, None, Some(old)),
        (false, [name, new]) => (name, Some(new), None),
        (false, [name, new, old]) => (name, Some(new), Some(old)),
        _ => return Err(COMMAND.usage_error()),
    };
    if arguments.value(Opt::Reason).is_some_and(|reason| reason.is_empty()) {
        return Err(fatal!("Refusing to perform update with empty message."));
    }
    let failed = |why: String| match new {
        Some(_) => fatal!("update_ref failed for ref '{name}': cannot lock ref '{name}': {why}"),
        None => GitError::Error(format!("cannot lock ref '{name}': {why}"), 1),
    };
    if let Some(old) = old {
        let wanted = if old.is_empty() { Some(ObjectId::ZERO) } else { git.resolve(old).await? };
        let wanted = wanted.ok_or_else(|| fatal!("{old}: not a valid old SHA1"))?;
        match git.ref_id(name)? {
            Some(held) if wanted.is_zero() && !held.is_zero() => {
                return Err(failed("reference already exists".into()));
            }
            Some(held) if held != wanted => {
                return Err(failed(format!("is at {held} but expected {wanted}")));
            }
            None if !wanted.is_zero() => {
                return Err(failed(format!("unable to resolve reference '{name}'")));
            }
            _ => {}
        }
    }
    let follows = arguments.truth(Opt::Deref) != Some(false);
    let Some(new) = new else {
        let target = if follows { git.last_ref(name)? } else { name.clone() };
        git.delete_ref(&target)?;
        return Ok(0);
    };
    let Some(id) = git.resolve(new).await? else { return Err(fatal!("{new}: not a valid SHA1")) };
    if !crate::utility::git::refs::is_valid_name(name) {
        return Err(fatal!(
            "update_ref failed for ref '{name}': refusing to update ref with bad name '{name}'"
        ));
    }
    if id.is_zero() {
        let target = if follows { git.last_ref(name)? } else { name.clone() };
        git.delete_ref(&target)?;
        return Ok(0);
    }
    if arguments.has(Opt::CreateReflog) {
        git.create_log(name)?;
    }
    let message = arguments.value(Opt::Reason).cloned().unwrap_or_default();
    if follows {
        git.update_ref(name, id, &message)?;
    } else {
        git.detach(name, id, &message)?;
    }
    Ok(0)
}

impl Git {
    /// The ref that a symbolic one leads to in the end.
    fn last_ref(&mut self, name: &Text) -> Result<Text> {
        let mut last = name.clone();
        for _ in 0..MOST_LINKS {
            match self.read_ref(&last)? {
                Some(RefValue::Symbolic(target)) => last = target,
                _ => break,
            }
        }
        Ok(last)
    }
}
