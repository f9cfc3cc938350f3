//! `git update-ref`.

use super::prelude::*;

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
    if let Some(old) = old {
        let wanted = git.resolve(old).await?.ok_or_else(|| fatal!("{old}: not a valid old SHA1"))?;
        let held = git.ref_id(name)?.unwrap_or_default();
        if held != wanted {
            return Err(fatal!(
                "update_ref failed for ref '{name}': cannot lock ref '{name}': is at {held} but expected {wanted}"
            ));
        }
    }
    let Some(new) = new else {
        git.delete_ref(name)?;
        return Ok(0);
    };
    let Some(id) = git.resolve(new).await? else { return Err(fatal!("{new}: not a valid SHA1")) };
    if !crate::utility::git::refs::is_valid_name(name) {
        return Err(fatal!(
            "update_ref failed for ref '{name}': refusing to update ref with bad name '{name}'"
        ));
    }
    if id.is_zero() {
        git.delete_ref(name)?;
        return Ok(0);
    }
    if arguments.has(Opt::CreateReflog) {
        git.create_log(name)?;
    }
    let message = arguments.value(Opt::Reason).cloned().unwrap_or_default();
    if arguments.truth(Opt::Deref) == Some(false) {
        git.detach(name, id, &message)?;
    } else {
        git.update_ref(name, id, &message)?;
    }
    Ok(0)
}
