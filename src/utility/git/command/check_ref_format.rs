//! `git check-ref-format`: whether a name may be that of a ref.

use super::prelude::*;
use crate::utility::git::refs::is_valid_name;

options! {
    enum Opt {
        Branch = flag('\0', "branch", "expand what names a branch, and print it"),
        Normalize = flag('\0', "normalize", "print the name without slashes that are too many"),
        Print = flag('\0', "print", "the same"),
        AllowOnelevel = flag('\0', "allow-onelevel", "names of one part are allowed"),
        RefspecPattern = flag('\0', "refspec-pattern", "one star is allowed"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "check-ref-format",
    usage: "git check-ref-format [--normalize] [<options>] <refname>\ngit check-ref-format --branch <branchname-shorthand>",
    options: Opt::TABLE,
    needs: Needs::Perhaps,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    let [name] = arguments.operands.as_slice() else {
        return Err(COMMAND.usage_error());
    };
    if arguments.has(Opt::Branch) {
        let count = name.strip_prefix(b"@{-").and_then(|rest| rest.strip_suffix(b"}"));
        let count = count.and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
        let branch = match count {
            Some(count) if git.is_found => git.previous_branch(count)?.unwrap_or_else(|| name.clone()),
            _ => name.clone(),
        };
        let full = [b"refs/heads/", &branch[..]].concat_metered();
        if branch.starts_with(b"-") || !is_valid_name(&full) || *branch == *b"HEAD" {
            return Err(fatal!("'{name}' is not a valid branch name"));
        }
        git.print(&[&branch[..], b"\n"].concat_metered()).await?;
        return Ok(0);
    }
    let shown = if arguments.has(Opt::Normalize) || arguments.has(Opt::Print) {
        let parts: Vec<&[u8]> = name.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).collect();
        let whole = parts.join_metered(b"/");
        // A slash at the end is left: such a name is no ref.
        if name.ends_with(b"/") { [&whole[..], b"/"].concat_metered() } else { whole }
    } else {
        name.to_metered()
    };
    let mut checked = shown.clone();
    if arguments.has(Opt::RefspecPattern)
        && let Some(star) = memchr::memchr(b'*', &checked)
        && let Some(byte) = checked.get_mut(star)
    {
        *byte = b'x';
    }
    let has_levels = checked.contains(&b'/') || arguments.has(Opt::AllowOnelevel);
    if !has_levels || !is_valid_name(&checked) {
        return Ok(1);
    }
    if arguments.has(Opt::Normalize) || arguments.has(Opt::Print) {
        git.print(&[&shown[..], b"\n"].concat_metered()).await?;
    }
    Ok(0)
}
