//! `git symbolic-ref`.

use super::prelude::*;
use crate::utility::git::refs::{RefValue, is_valid_name};

options! {
    enum Opt {
        Quiet = flag('q', "quiet", "suppress error message for non-symbolic (detached) refs"),
        Delete = flag('d', "delete", "delete symbolic ref"),
        Short = flag('\0', "short", "shorten ref output"),
        Recurse = flag('\0', "recurse", "recursively dereference (default)"),
        Reason = value('m', "", "reason", "reason of the update"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "symbolic-ref",
    usage: "git symbolic-ref [-m <reason>] <name> <ref>\ngit symbolic-ref [-q] [--short] [--no-recurse] <name>\n\
git symbolic-ref --delete [-q] <name>",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if arguments.value(Opt::Reason).is_some_and(|reason| reason.is_empty()) {
        return Err(fatal!("Refusing to perform update with empty message"));
    }
    match arguments.operands.as_slice() {
        [name] => {
            let name = name.clone();
            let value = git.read_ref(&name)?;
            let Some(RefValue::Symbolic(mut target)) = value else {
                if arguments.has(Opt::Quiet) && !arguments.has(Opt::Delete) {
                    return Ok(1);
                }
                if arguments.has(Opt::Delete) {
                    return Err(fatal!("Cannot delete {name}, not a symbolic ref"));
                }
                return Err(fatal!("ref {name} is not a symbolic ref"));
            };
            if arguments.has(Opt::Delete) {
                if *name == *b"HEAD" {
                    return Err(fatal!("deleting '{name}' is not allowed"));
                }
                git.delete_ref(&name)?;
                return Ok(0);
            }
            if arguments.truth(Opt::Recurse) != Some(false) {
                target = git.follow(&target)?.0;
            }
            if arguments.has(Opt::Short) {
                target = git.shorten(&target)?;
            }
            git.print(&[&target[..], b"\n"].concat_metered()).await?;
            Ok(0)
        }
        [name, target] => {
            if **name == *b"HEAD" && !target.starts_with(b"refs/") {
                return Err(fatal!("Refusing to point HEAD outside of refs/"));
            }
            if !is_valid_name(target) {
                return Err(fatal!("Refusing to set '{name}' to invalid ref '{target}'"));
            }
            git.write_symbolic(name, target, arguments.value(Opt::Reason).map(Text::as_bytes))?;
            Ok(0)
        }
        _ => Err(COMMAND.usage_error()),
    }
}
