//! `git cat-file`.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::object::tree::{SUBMODULE, TREE};

options! {
    enum Opt {
        Exists = flag('e', "", "check if <object> exists"),
        Pretty = flag('p', "", "pretty-print <object> content"),
        Type = flag('t', "", "show object type (one of 'blob', 'tree', 'commit', 'tag', ...)"),
        Size = flag('s', "", "show object size"),
        Batch = optional('\0', "batch", "format", "show full <object> or <rev> contents"),
        BatchCheck = optional('\0', "batch-check", "format", "like --batch, but don't emit <contents>"),
        AllowUnknownType = flag('\0', "allow-unknown-type", "accepted"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "cat-file",
    usage: "git cat-file <type> <object>\ngit cat-file (-e | -p | -t | -s) <object>\n\
git cat-file (--batch | --batch-check) [<format>]",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if arguments.has(Opt::Batch) && arguments.has(Opt::BatchCheck) {
        return Err(GitError::Error("only one batch option may be specified".into(), 129));
    }
    if arguments.has_any([Opt::Batch, Opt::BatchCheck]) {
        let letters = [Opt::Exists, Opt::Pretty, Opt::Type, Opt::Size];
        if let Some(option) = arguments.first_of(letters) {
            let text = format!("fatal: '-{}' is incompatible with batch mode\n", option.short());
            return Err(GitError::Plain(text, 129));
        }
        if !arguments.operands.is_empty() {
            return Err(GitError::Plain("fatal: batch modes take no arguments\n".into(), 129));
        }
    }
    let shows_facts = arguments.has_any([Opt::Type, Opt::Size]);
    if arguments.has(Opt::AllowUnknownType) && !shows_facts {
        return Err(fatal!("git cat-file --allow-unknown-type: use with -s or -t"));
    }
    for (option, whole) in [(Opt::Batch, true), (Opt::BatchCheck, false)] {
        if arguments.has(option) {
            let format = arguments.value(option).cloned();
            return batch(git, format, whole).await;
        }
    }
    let mode = arguments.first_of([Opt::Exists, Opt::Pretty, Opt::Type, Opt::Size]);
    let (kind, name) = match (mode, arguments.operands.as_slice()) {
        (Some(_), [name]) => (None, name),
        (None, [kind, name]) => (Some(kind), name),
        _ => return Err(COMMAND.usage_error()),
    };
    let Some(id) = git.resolve(name).await? else {
        let fault = git.path_fault(name, false).await?;
        return Err(fault.unwrap_or_else(|| fatal!("Not a valid object name {name}")));
    };
    let Some((found, size)) = git.object_header(&id).await? else {
        return if mode == Some(Opt::Exists) { Ok(1) } else { Err(fatal!("Not a valid object name {name}")) };
    };
    match mode {
        Some(Opt::Exists) => {}
        Some(Opt::Type) => git.print(format!("{}\n", found.name()).as_bytes()).await?,
        Some(Opt::Size) => git.print(format!("{size}\n").as_bytes()).await?,
        Some(_) if found == Kind::Tree => {
            for entry in git.tree(&id).await? {
                let kind = match entry.mode & 0o170_000 {
                    TREE => "tree",
                    SUBMODULE => "commit",
                    _ => "blob",
                };
                let front = format!("{:06o} {kind} {}\t", entry.mode, entry.id);
                let name = git.quoted(&entry.name);
                git.print(&[front.as_bytes(), &name, b"\n"].concat_metered()).await?;
            }
        }
        Some(_) => {
            let bytes = git.object(&id).await?.1;
            git.print(&bytes).await?;
        }
        None => {
            let Some(wanted) = kind.and_then(|kind| Kind::named(kind)) else {
                return Err(fatal!("invalid object type \"{}\"", kind.cloned().unwrap_or_default()));
            };
            let Some(id) = git.peel(id, wanted).await? else {
                return Err(fatal!("git cat-file {name}: bad file"));
            };
            let bytes = git.object(&id).await?.1;
            git.print(&bytes).await?;
        }
    }
    Ok(0)
}

/// Refuses a format with fields that are not known.
fn check_format(format: &[u8]) -> Result<()> {
    const FIELDS: [&[u8]; 4] = [b"objectname)", b"objecttype)", b"objectsize)", b"rest)"];
    for at in memchr::memmem::find_iter(format, b"%(") {
        let rest = format.get(at + 2..).unwrap_or(&[]);
        if !FIELDS.iter().any(|field| rest.starts_with(field)) {
            let end = memchr::memchr(b')', rest).map_or(format.len(), |close| at + close + 3);
            return Err(fatal!(
                "bad cat-file format: {}",
                bstr::BStr::new(format.get(at..end).unwrap_or(&[]))
            ));
        }
    }
    Ok(())
}

async fn batch(git: &mut Git, format: Option<Text>, whole: bool) -> Result<u8> {
    let format = format.unwrap_or_else(|| Text::from_static(b"%(objectname) %(objecttype) %(objectsize)"));
    check_format(&format)?;
    let input = git.ctx.standard_input().read_to_end().await?;
    for line in input.split(|byte| *byte == b'\n') {
        git.ctx.tick().await?;
        if line.is_empty() {
            continue;
        }
        let has_rest = memchr::memmem::find(&format, b"%(rest)").is_some();
        let split = memchr::memchr(b' ', line).filter(|_| has_rest).unwrap_or(line.len());
        let (name, rest) = (line.get(..split).unwrap_or(line), line.get(split + 1..).unwrap_or(&[]));
        let id = git.resolve(name).await?;
        let header = match id {
            Some(id) => git.object_header(&id).await?,
            None => None,
        };
        let (Some(id), Some((kind, size))) = (id, header) else {
            git.print(&[name, b" missing\n"].concat_metered()).await?;
            continue;
        };
        let mut text: Vec<u8> = Vec::new();
        let mut left: &[u8] = &format;
        while let Some(at) = memchr::memchr(b'%', left) {
            git.ctx.tick().await?;
            text.extend_from_slice(left.get(..at).unwrap_or(&[]));
            left = left.get(at..).unwrap_or(&[]);
            if !left.starts_with(b"%(") {
                // Two signs stand for one; one alone stands for itself.
                text.push(b'%');
                left = left.strip_prefix(b"%%").or_else(|| left.get(1..)).unwrap_or(&[]);
                continue;
            }
            let close = memchr::memchr(b')', left).unwrap_or(left.len() - 1);
            match left.get(..=close).unwrap_or(&[]) {
                b"%(objectname)" => text.extend_from_slice(id.hex().as_bytes()),
                b"%(objecttype)" => text.extend_from_slice(kind.name().as_bytes()),
                b"%(objectsize)" => text.extend_from_slice(format!("{size}").as_bytes()),
                b"%(rest)" => text.extend_from_slice(rest),
                other => return Err(fatal!("unknown format element: {}", bstr::BStr::new(other))),
            }
            left = left.get(close + 1..).unwrap_or(&[]);
        }
        text.extend_from_slice(left);
        text.push(b'\n');
        if whole {
            text.extend_from_slice(&git.object(&id).await?.1);
            text.push(b'\n');
        }
        git.print(&text).await?;
    }
    Ok(0)
}
