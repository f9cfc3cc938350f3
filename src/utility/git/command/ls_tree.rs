//! `git ls-tree`.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::object::tree::{SUBMODULE, TREE};

options! {
    enum Opt {
        OnlyTrees = flag('d', "", "only show trees"),
        Recursive = flag('r', "", "recurse into subtrees"),
        ShowTrees = flag('t', "", "show trees when recursing"),
        Nul = flag('z', "", "terminate entries with NUL byte"),
        Long = flag('l', "long", "include object size"),
        NameOnly = flag('\0', "name-only", "list only filenames"),
        NameStatus = flag('\0', "name-status", "list only filenames"),
        ObjectOnly = flag('\0', "object-only", "list only objects"),
        FullName = flag('\0', "full-name", "use full path names"),
        FullTree = flag('\0', "full-tree", "list entire tree; not just current directory (implies --full-name)"),
        Format = value('\0', "format", "format", "format to use for the output"),
        Abbrev = optional('\0', "abbrev", "n", "use <n> digits to display object names"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "ls-tree",
    usage: "git ls-tree [<options>] <tree-ish> [<path>...]",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    let forms = [Opt::Long, Opt::NameOnly, Opt::NameStatus, Opt::ObjectOnly];
    let given: Vec<Opt> =
        arguments.in_order().map(|(option, _)| option).filter(|option| forms.contains(option)).collect();
    if let Some((first, other)) = given.first().zip(given.iter().find(|other| Some(*other) != given.first()))
    {
        let text = format!("options '--{}' and '--{}' cannot be used together", other.long(), first.long());
        return Err(GitError::Error(text, 129));
    }
    if arguments.has(Opt::Format) && !given.is_empty() {
        let text = "--format can't be combined with other format-altering options";
        return Err(COMMAND.usage_error_after(&format!("fatal: {text}\n\n")));
    }
    let Some((name, paths)) = arguments.operands.split_first() else {
        return Err(COMMAND.usage_error());
    };
    let Some(id) = git.resolve(name).await? else { return Err(fatal!("Not a valid object name {name}")) };
    let Some(tree) = git.peel(id, Kind::Tree).await? else { return Err(fatal!("not a tree object")) };
    let whole = arguments.has(Opt::FullTree);
    let prefix = if whole { Vec::new() } else { git.repo.prefix.clone() };
    // A path with a slash at its end means what is in the folder.
    let mut wanted: Vec<(Vec<u8>, bool)> = Vec::new();
    for path in paths {
        let Some(full) = crate::utility::git::pathspec::below(&prefix, path) else {
            return Err(fatal!("{path}: '{path}' is outside repository"));
        };
        if full.is_empty() {
            // The folder itself: all that is in it.
            wanted.clear();
            break;
        }
        let last = crate::utility::file::last_component(path);
        wanted.push((full, path.ends_with(b"/") || last == b"." || last == b".."));
    }
    if paths.is_empty() && !prefix.is_empty() {
        wanted.push((prefix.strip_suffix(b"/").unwrap_or(&prefix).to_metered(), true));
    }
    let (recursive, only_trees) = (arguments.has(Opt::Recursive), arguments.has(Opt::OnlyTrees));
    let within =
        |path: &[u8], folder: &[u8]| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with(b"/"));
    let mut tasks: Vec<(Vec<u8>, u32, ObjectId)> = Vec::new();
    tasks.push((Vec::new(), TREE, tree));
    while let Some((path, mode, id)) = tasks.pop() {
        git.ctx.tick().await?;
        let is_tree = mode == TREE;
        let is_root = path.is_empty() && is_tree;
        let is_wanted = wanted.is_empty()
            || wanted
                .iter()
                .any(|(want, inside)| (*want == path && !(*inside && is_tree)) || within(&path, want));
        let is_above = wanted
            .iter()
            .any(|(want, inside)| within(want, &path) || (*inside && *want == path) || want.is_empty());
        let descends = is_root || (is_tree && (is_above || (recursive && is_wanted)));
        let tells = !is_root
            && (is_wanted || (is_tree && arguments.has(Opt::ShowTrees) && is_above))
            && (!is_tree || !descends || arguments.has(Opt::ShowTrees) || (only_trees && is_wanted))
            && (!only_trees || is_tree || mode == SUBMODULE);
        if tells {
            show(git, &arguments, &path, mode, id).await?;
        }
        if descends {
            for entry in git.tree(&id).await?.iter().rev() {
                tasks.push((crate::utility::file::join(&path, &entry.name), entry.mode, entry.id));
            }
        }
    }
    Ok(0)
}

async fn show(git: &mut Git, arguments: &Arguments<Opt>, path: &[u8], mode: u32, id: ObjectId) -> Result<()> {
    let end: &[u8] = if arguments.has(Opt::Nul) { b"\0" } else { b"\n" };
    let digits = arguments.number(Opt::Abbrev)?.map(|digits| digits.clamp(4, 40) as usize);
    let name = if arguments.has(Opt::Abbrev) { git.abbreviate(&id, digits)? } else { id.hex().into() };
    let full = arguments.has(Opt::FullName) || arguments.has(Opt::FullTree);
    let shown = if full { path.to_metered() } else { git.seen_from_here(path) };
    let shown = if arguments.has(Opt::Nul) { shown } else { git.quoted(&shown) };
    if arguments.has(Opt::NameOnly) || arguments.has(Opt::NameStatus) {
        return git.print(&[&shown[..], end].concat_metered()).await;
    }
    if arguments.has(Opt::ObjectOnly) {
        return git.print(&[&name[..], end].concat_metered()).await;
    }
    let kind = match mode {
        TREE => "tree",
        SUBMODULE => "commit",
        _ => "blob",
    };
    if let Some(format) = arguments.value(Opt::Format) {
        let mut line: Vec<u8> = Vec::new();
        let mut rest: &[u8] = format;
        while let Some(at) = memchr::memchr(b'%', rest) {
            line.extend_from_slice(rest.get(..at).unwrap_or(&[]));
            rest = rest.get(at + 1..).unwrap_or(&[]);
            let hex = rest.strip_prefix(b"x").and_then(|rest| std::str::from_utf8(rest.get(..2)?).ok());
            if let Some(byte) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
                line.push(byte);
                rest = rest.get(3..).unwrap_or(&[]);
            } else if let Some(tail) = rest.strip_prefix(b"%") {
                line.push(b'%');
                rest = tail;
            } else {
                let end = memchr::memchr(b')', rest).unwrap_or(rest.len());
                let word = rest.get(..end).unwrap_or(rest);
                match word.strip_prefix(b"(").unwrap_or(b"") {
                    b"objectname" => line.extend_from_slice(&name),
                    b"objectmode" => line.extend_from_slice(format!("{mode:06o}").as_bytes()),
                    b"objecttype" => line.extend_from_slice(kind.as_bytes()),
                    b"path" => line.extend_from_slice(&shown),
                    field @ (b"objectsize" | b"objectsize:padded") => {
                        let size = match kind {
                            "blob" => {
                                format!("{}", git.object_header(&id).await?.map_or(0, |header| header.1))
                            }
                            _ => "-".into(),
                        };
                        let width = if field == b"objectsize" { 0 } else { 7 };
                        line.extend_from_slice(format!("{size:>width$}").as_bytes());
                    }
                    _ => return Err(fatal!("bad ls-tree format: %{}", bstr::BStr::new(rest))),
                }
                rest = rest.get(end + 1..).unwrap_or(&[]);
            }
        }
        line.extend_from_slice(rest);
        return git.print(&[&line[..], end].concat_metered()).await;
    }
    let size = if arguments.has(Opt::Long) {
        let size = match kind {
            "blob" => format!("{}", git.object_header(&id).await?.map_or(0, |header| header.1)),
            _ => "-".into(),
        };
        format!(" {size:>7}")
    } else {
        String::new()
    };
    let front = format!("{mode:06o} {kind} {name}{size}\t");
    git.print(&[front.as_bytes(), &shown, end].concat_metered()).await
}
