//! `git hash-object`.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::object::id::hash;
use crate::utility::git::repository::read_file;

options! {
    enum Opt {
        Type = value('t', "", "type", "object type"),
        Write = flag('w', "", "write the object into the object database"),
        Stdin = flag('\0', "stdin", "read the object from stdin"),
        StdinPaths = flag('\0', "stdin-paths", "read file names from stdin"),
        NoFilters = flag('\0', "no-filters", "store file as is without filters"),
        Path = value('\0', "path", "file", "process file as it were from this path"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "hash-object",
    usage: "git hash-object [-t <type>] [-w] [--path=<file> | --no-filters] [--stdin [--literally]] [--] <file>...",
    options: Opt::TABLE,
    needs: Needs::Perhaps,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    let kind = match arguments.value(Opt::Type) {
        Some(name) => Kind::named(name).ok_or_else(|| fatal!("invalid object type \"{name}\""))?,
        None => Kind::Blob,
    };
    let mut contents: Vec<Vec<u8>> = Vec::new();
    let mut paths = arguments.operands.clone();
    if arguments.has(Opt::Stdin) {
        contents.push(git.ctx.standard_input().read_to_end().await?);
    } else if arguments.has(Opt::StdinPaths) {
        let list = git.ctx.standard_input().read_to_end().await?;
        paths.extend(list.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(Text::from));
    }
    for path in &paths {
        match read_file(git.fs(), &git.ctx.absolute(path))? {
            Some(bytes) if kind == Kind::Blob && !arguments.has(Opt::NoFilters) => {
                let name = arguments.value(Opt::Path).unwrap_or(path);
                let bytes = match git.is_found.then(|| git.relative(name)) {
                    Some(Ok(name)) => git.cleaned(&name, bytes).await?,
                    _ => bytes,
                };
                contents.push(bytes);
            }
            Some(bytes) => contents.push(bytes),
            None => return Err(fatal!("could not open '{path}' for reading: No such file or directory")),
        }
    }
    for bytes in &contents {
        let id =
            if arguments.has(Opt::Write) { git.write_object(kind, bytes).await? } else { hash(kind, bytes) };
        git.print(format!("{id}\n").as_bytes()).await?;
    }
    Ok(0)
}
