//! `git var`.

use super::prelude::*;
use crate::utility::git::identity::Who;

options! {
    enum Opt {
        List = flag('l', "", "list the configuration and all variables"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "var",
    usage: "git var (-l | <variable>)",
    options: Opt::TABLE,
    needs: Needs::Perhaps,
    run: command!(run),
    ..Command::BASE
};

/// All variables, in the order of the list.
const VARIABLES: [&str; 11] = [
    "GIT_COMMITTER_IDENT",
    "GIT_AUTHOR_IDENT",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_PAGER",
    "GIT_DEFAULT_BRANCH",
    "GIT_SHELL_PATH",
    "GIT_ATTR_SYSTEM",
    "GIT_ATTR_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_GLOBAL",
];

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if arguments.has(Opt::List) {
        if !arguments.operands.is_empty() {
            return Err(COMMAND.usage_error());
        }
        return list(git).await;
    }
    let name = match arguments.operands.as_slice() {
        [name] => std::str::from_utf8(name).unwrap_or_default(),
        _ => return Err(COMMAND.usage_error()),
    };
    if !VARIABLES.contains(&name) {
        return Err(COMMAND.usage_error());
    }
    let values = values(git, name)?;
    for value in &values {
        git.print(&[&value[..], b"\n"].concat_metered()).await?;
    }
    Ok(u8::from(values.is_empty()))
}

/// Prints the configuration, then the variables that have a value.
async fn list(git: &mut Git) -> Result<u8> {
    for entry in git.config.entries.clone() {
        let value = entry.value.map(|value| [b"=", &value[..]].concat_metered()).unwrap_or_default();
        git.print(&[&entry.name[..], &value, b"\n"].concat_metered()).await?;
    }
    for name in VARIABLES {
        for value in values(git, name).unwrap_or_default() {
            git.print(&[name.as_bytes(), b"=", &value, b"\n"].concat_metered()).await?;
        }
    }
    Ok(0)
}

/// The values that a variable has.
fn values(git: &Git, name: &str) -> Result<Vec<Vec<u8>>> {
    let variable = |name: &str| git.variable(name).map(|value| value.to_metered());
    let one = match name {
        "GIT_COMMITTER_IDENT" => Some(git.who(Who::Committer)?),
        "GIT_AUTHOR_IDENT" => Some(git.who(Who::Author)?),
        "GIT_EDITOR" => git.editor().map(|editor| editor.to_metered()),
        "GIT_SEQUENCE_EDITOR" => variable("GIT_SEQUENCE_EDITOR")
            .or_else(|| git.config.get("sequence.editor").map(ToMetered::to_metered))
            .or_else(|| git.editor().map(|editor| editor.to_metered())),
        "GIT_PAGER" => variable("GIT_PAGER")
            .or_else(|| git.config.get("core.pager").map(ToMetered::to_metered))
            .or_else(|| variable("PAGER"))
            .filter(|pager| !pager.is_empty())
            .or_else(|| Some(b"cat".to_metered())),
        "GIT_DEFAULT_BRANCH" => Some(git.config.get("init.defaultbranch").unwrap_or(b"master").to_metered()),
        "GIT_SHELL_PATH" => Some(b"/bin/sh".to_metered()),
        "GIT_ATTR_GLOBAL" => git.user_file("core.attributesfile", b"git/attributes").map(|file| file.1),
        "GIT_CONFIG_SYSTEM" if git.reads_system_config() => {
            Some(git.variable("GIT_CONFIG_SYSTEM").map_or(&b"/etc/gitconfig"[..], |path| path).to_metered())
        }
        "GIT_CONFIG_GLOBAL" => return Ok(git.global_config_paths()),
        _ => None,
    };
    Ok(one.into_iter().collect())
}
