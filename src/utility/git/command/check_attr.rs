//! `git check-attr`.

use super::prelude::*;
use crate::memory::format;

options! {
    enum Opt {
        All = flag('a', "all", "report all attributes set on file"),
        Nul = flag('z', "", "terminate records with NUL"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "check-attr",
    usage: "git check-attr [-a | --all] [--] <pathname>...\ngit check-attr [--] <attr>... [--] <pathname>...",
    options: Opt::TABLE,
    needs: Needs::WorkTree,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    let reports_all = arguments.has(Opt::All);
    let (names, paths) = match arguments.separator {
        _ if reports_all => (&[][..], arguments.operands.as_slice()),
        Some(_) => arguments.parts(),
        None => arguments.operands.split_at(arguments.operands.len().min(1)),
    };
    if (names.is_empty() && !reports_all) || paths.is_empty() {
        return Err(COMMAND.usage_error());
    }
    for path in paths {
        let full = git.relative(path)?;
        let all = if reports_all { git.attribute_names(&full)? } else { Vec::from(names) };
        for name in &all {
            let value = match git.attribute(&full, name)? {
                Some(value) if *value == *b"+" => Text::from_static(b"set"),
                Some(value) if *value == *b"-" => Text::from_static(b"unset"),
                Some(value) => value,
                None if reports_all => continue,
                None => Text::from_static(b"unspecified"),
            };
            let shown = git.quoted(path);
            let line = if arguments.has(Opt::Nul) {
                format!("{path}\0{name}\0{value}\0")
            } else {
                format!("{}: {name}: {value}\n", bstr::BStr::new(&shown))
            };
            git.print(line.as_bytes()).await?;
        }
    }
    Ok(0)
}
