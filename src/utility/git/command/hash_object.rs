//! `git hash-object`.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::object::id::hash;

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
    check(&arguments)?;
    let mut contents: Vec<Vec<u8>> = Vec::new();
    let mut paths = arguments.operands.clone();
    let filters = kind == Kind::Blob && !arguments.has(Opt::NoFilters);
    if arguments.has(Opt::Stdin) {
        let bytes = git.ctx.standard_input().read_to_end().await?;
        contents.push(match arguments.value(Opt::Path).filter(|_| filters && git.is_found) {
            Some(name) => {
                let name = git.relative(name)?;
                git.cleaned(&name, bytes).await?
            }
            None => bytes,
        });
    } else if arguments.has(Opt::StdinPaths) {
        let list = git.ctx.standard_input().read_to_end().await?;
        paths.extend(crate::utility::git::unquoting::listed_names(&list, false));
    }
    for path in &paths {
        match git.read_named(path).await? {
            Some(bytes) if filters => {
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
        check_object(kind, bytes)?;
    }
    for bytes in &contents {
        let id =
            if arguments.has(Opt::Write) { git.write_object(kind, bytes).await? } else { hash(kind, bytes) };
        git.print(format!("{id}\n").as_bytes()).await?;
    }
    Ok(0)
}

/// Refuses options that do not go together.
fn check(arguments: &Arguments<Opt>) -> Result<()> {
    let text = if arguments.has(Opt::StdinPaths) {
        if arguments.has(Opt::Stdin) {
            "Can't use --stdin-paths with --stdin"
        } else if !arguments.operands.is_empty() {
            "Can't specify files with --stdin-paths"
        } else if arguments.has(Opt::Path) {
            "Can't use --stdin-paths with --path"
        } else {
            return Ok(());
        }
    } else if arguments.has(Opt::Path) && arguments.has(Opt::NoFilters) {
        "Can't use --path with --no-filters"
    } else {
        return Ok(());
    };
    Err(COMMAND.usage_error_after(&format!("error: {text}\n")))
}

/// Refuses bytes that are no object of the kind.
fn check_object(kind: Kind, bytes: &[u8]) -> Result<()> {
    use crate::utility::git::object::{commit, tree};
    let is_right = match kind {
        Kind::Blob => true,
        Kind::Tree => tree::parse(bytes).is_some(),
        Kind::Commit => bytes.starts_with(b"tree ") && commit::Commit::parse(bytes).is_some(),
        Kind::Tag => bytes.starts_with(b"object ") && commit::Tag::parse(bytes).is_some(),
    };
    if is_right { Ok(()) } else { Err(fatal!("refusing to create malformed object")) }
}
