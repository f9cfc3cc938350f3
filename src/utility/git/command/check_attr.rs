//! `git check-attr`.

use super::prelude::*;
use crate::memory::format;

pub(super) static COMMAND: Command = Command {
    name: "check-attr",
    usage: "git check-attr [--] <attr>... [--] <pathname>...",
    options: &[&[flag('a', "all", "not supported"), flag('z', "", "terminate records with NUL")]],
    needs: Needs::WorkTree,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments()?;
    if arguments.has("all") {
        return Err(fatal!("check-attr -a is not supported"));
    }
    let (names, paths) = match arguments.separator {
        Some(_) => arguments.parts(),
        None => arguments.operands.split_at(arguments.operands.len().min(1)),
    };
    if names.is_empty() || paths.is_empty() {
        return Err(GitError::Plain(super::super::arguments::usage(&COMMAND), 129));
    }
    for path in paths {
        for name in names {
            let full = git.relative(path)?;
            let value = match git.attribute(&full, name)? {
                Some(value) if *value == *b"+" => Text::from_static(b"set"),
                Some(value) if *value == *b"-" => Text::from_static(b"unset"),
                Some(value) => value,
                None => Text::from_static(b"unspecified"),
            };
            let shown = git.quoted(path);
            let line = if arguments.has("z") {
                format!("{path}\0{name}\0{value}\0")
            } else {
                format!("{}: {name}: {value}\n", bstr::BStr::new(&shown))
            };
            git.print(line.as_bytes()).await?;
        }
    }
    Ok(0)
}
