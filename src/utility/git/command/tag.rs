//! `git tag`.

use super::for_each_ref::{Fields, sort};
use super::prelude::*;
use crate::memory::format;
use crate::utility::git::identity::Who;
use crate::utility::git::object::commit::message;
use crate::utility::git::wildmatch::matches;

pub(super) static COMMAND: Command = Command {
    name: "tag",
    usage: "git tag [-a | -s | -u <key-id>] [-f] [-m <msg> | -F <file>] [-e] <tagname> [<commit> | <object>]\n\
git tag -d <tagname>...\ngit tag [-n[<num>]] -l [--contains <commit>] [--no-contains <commit>] [--points-at <object>] \
[--sort=<key>] [--format=<format>] [--merged <commit>] [--no-merged <commit>] [<pattern>...]",
    options: &[&[
        flag('l', "list", "list tag names"),
        optional('n', "", "n", "print <n> lines of each tag message"),
        flag('d', "delete", "delete tags"),
        flag('v', "verify", "not supported"),
        flag('a', "annotate", "annotated tag, needs a message"),
        value('m', "message", "message", "tag message"),
        value('F', "file", "file", "read message from file"),
        flag('e', "edit", "accepted; there is no editor"),
        flag('s', "sign", "not supported"),
        value('u', "local-user", "key-id", "not supported"),
        flag('f', "force", "replace the tag if exists"),
        flag('\0', "create-reflog", "accepted"),
        value('\0', "cleanup", "mode", "accepted"),
        value('\0', "contains", "commit", "print only tags that contain the commit"),
        value('\0', "no-contains", "commit", "print only tags that don't contain the commit"),
        optional('\0', "merged", "commit", "print only tags that are merged"),
        optional('\0', "no-merged", "commit", "print only tags that are not merged"),
        value('\0', "sort", "key", "field name to sort on"),
        value('\0', "points-at", "object", "print only tags of the object"),
        value('\0', "format", "format", "format to use for the output"),
        flag('i', "ignore-case", "sorting and filtering are case insensitive"),
        optional('\0', "column", "style", "accepted"),
        optional('\0', "color", "when", "accepted"),
    ]],
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments()?;
    for name in ["verify", "sign", "local-user"] {
        if arguments.has(name) {
            return Err(fatal!("tag --{name} is not supported"));
        }
    }
    if arguments.has("delete") {
        let mut status = 0;
        for name in &arguments.operands {
            let full = [&b"refs/tags/"[..], name].concat_metered();
            let Some(id) = git.ref_id(&full)? else {
                git.say(&format!("error: tag '{name}' not found."));
                status = 1;
                continue;
            };
            git.delete_ref(&full)?;
            let short = git.abbreviate(&id, None)?;
            git.print(format!("Deleted tag '{name}' (was {short})\n").as_bytes()).await?;
        }
        return Ok(status);
    }
    let lists = ["list", "n", "contains", "no-contains", "merged", "no-merged", "points-at", "format"];
    if arguments.operands.is_empty() || lists.iter().any(|name| arguments.has(name)) {
        return list(git, &arguments).await;
    }
    create(git, &arguments).await
}

async fn create(git: &mut Git, arguments: &Arguments) -> Result<u8> {
    let (name, target) = match arguments.operands.as_slice() {
        [name] => (name.clone(), Text::from_static(b"HEAD")),
        [name, target] => (name.clone(), target.clone()),
        _ => return Err(fatal!("too many arguments")),
    };
    let full = [&b"refs/tags/"[..], &name].concat_metered();
    if name.starts_with(b"-") || !crate::utility::git::refs::is_valid_name(&full) {
        return Err(fatal!("'{name}' is not a valid tag name."));
    }
    let Some(id) = git.resolve(&target).await? else {
        return Err(fatal!("Failed to resolve '{target}' as a valid ref."));
    };
    let old = git.ref_id(&full)?;
    if old.is_some() && !arguments.has("force") {
        return Err(fatal!("tag '{name}' already exists"));
    }
    let mut text: Option<Vec<u8>> = None;
    for part in arguments.values("message") {
        let whole = text.get_or_insert_default();
        if !whole.is_empty() {
            whole.extend_from_slice(b"\n\n");
        }
        whole.extend_from_slice(part);
    }
    if let Some(file) = arguments.value("file") {
        let bytes = if &**file == b"-" {
            git.ctx.standard_input().read_to_end().await?
        } else {
            let read = crate::utility::git::repository::read_file(git.fs(), &git.ctx.absolute(file))?;
            read.ok_or_else(|| fatal!("could not open or read '{file}': No such file or directory"))?
        };
        text = Some(bytes);
    }
    let new = match text {
        Some(text) => {
            let kind = git.object_header(&id).await?.map_or(Kind::Commit, |header| header.0);
            let who = git.who(Who::Committer)?;
            let mut bytes = format!("object {id}\ntype {}\ntag {name}\ntagger ", kind.name()).into_bytes();
            bytes.extend_from_slice(
                &[&who[..], b"\n\n", &super::commit::cleaned(&text, true)].concat_metered(),
            );
            git.write_object(Kind::Tag, &bytes).await?
        }
        None if arguments.has("annotate") => {
            return Err(GitError::Plain(
                "error: Terminal is dumb, but EDITOR unset\nPlease supply the message using either -m or -F option.\n".into(),
                1,
            ));
        }
        None => id,
    };
    git.update_ref(&full, new, b"")?;
    if let Some(old) = old.filter(|old| *old != new) {
        let short = git.abbreviate(&old, None)?;
        git.print(format!("Updated tag '{name}' (was {short})\n").as_bytes()).await?;
    }
    Ok(0)
}

async fn list(git: &mut Git, arguments: &Arguments) -> Result<u8> {
    let mut refs = git.refs(b"refs/tags/").await?;
    let mut keys: Vec<Text> = arguments.values("sort").cloned().collect();
    if keys.is_empty() {
        keys.extend(git.config.get("tag.sort").map(Text::from));
    }
    refs = sort(git, refs, &keys).await?;
    let lines: Option<usize> = if arguments.has("n") {
        Some(arguments.number("n")?.map_or(1, |lines| lines.max(0) as usize))
    } else {
        None
    };
    for (name, id) in refs {
        let short = name.strip_prefix(b"refs/tags/").unwrap_or(&name);
        let patterns = &arguments.operands;
        let folds = arguments.has("ignore-case");
        if !patterns.is_empty() && !patterns.iter().any(|pattern| matches(pattern, short, false, folds)) {
            continue;
        }
        if !git.passes(arguments, id).await? {
            continue;
        }
        let mut line: Vec<u8> = match arguments.value("format").cloned() {
            Some(format) => git.format_ref(&format, &Fields { name: &name, id, is_head: false }).await?,
            None => short.to_metered(),
        };
        if let Some(lines) = lines.filter(|_| !arguments.has("format")) {
            let shown = String::from_utf8_lossy(short).chars().count();
            line.resize_by(15_usize.saturating_sub(shown), b' ');
            line.push(b' ');
            let bytes = git.object(&id).await?.1;
            let text = message(&bytes).trim_ascii_end();
            let text: Vec<&[u8]> = text.split(|byte| *byte == b'\n').take(lines).collect();
            line.extend_from_slice(&text.join_metered(b"\n    "));
        }
        line.push(b'\n');
        git.print(&line).await?;
    }
    Ok(0)
}
