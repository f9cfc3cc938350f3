//! `git cat-file`.

use super::prelude::*;
use crate::memory::format;

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
        if mode == Some(Opt::Exists) {
            return Err(fatal!("Not a valid object name {name}"));
        }
        return Err(fatal!("Not a valid object name {name}"));
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
                    0o040_000 => "tree",
                    0o160_000 => "commit",
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

async fn batch(git: &mut Git, format: Option<Text>, whole: bool) -> Result<u8> {
    let format = format.unwrap_or_else(|| Text::from_static(b"%(objectname) %(objecttype) %(objectsize)"));
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
        while let Some(at) = memchr::memmem::find(left, b"%(") {
            text.extend_from_slice(left.get(..at).unwrap_or(&[]));
            left = left.get(at..).unwrap_or(&[]);
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
