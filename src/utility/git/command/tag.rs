//! `git tag`.

use super::for_each_ref::{Fields, RefFilter, sort};
use super::prelude::*;
use crate::memory::format;
use crate::utility::git::identity::Who;
use crate::utility::git::object::commit::message;
use crate::utility::ignore::wildmatch::matches;

options! {
    enum Opt {
        List = flag('l', "list", "list tag names"),
        Lines = optional('n', "", "n", "print <n> lines of each tag message"),
        Delete = flag('d', "delete", "delete tags"),
        Verify = flag('v', "verify", "not supported"),
        Annotate = flag('a', "annotate", "annotated tag, needs a message"),
        Message = value('m', "message", "message", "tag message"),
        File = value('F', "file", "file", "read message from file"),
        Edit = flag('e', "edit", "accepted; there is no editor"),
        Sign = flag('s', "sign", "not supported"),
        LocalUser = value('u', "local-user", "key-id", "not supported"),
        Force = flag('f', "force", "replace the tag if exists"),
        CreateReflog = flag('\0', "create-reflog", "accepted"),
        Cleanup = value('\0', "cleanup", "mode", "accepted"),
        Contains = value('\0', "contains", "commit", "print only tags that contain the commit"),
        NoContains = value('\0', "no-contains", "commit", "print only tags that don't contain the commit"),
        Merged = optional('\0', "merged", "commit", "print only tags that are merged"),
        NoMerged = optional('\0', "no-merged", "commit", "print only tags that are not merged"),
        Sort = value('\0', "sort", "key", "field name to sort on"),
        PointsAt = value('\0', "points-at", "object", "print only tags of the object"),
        Format = value('\0', "format", "format", "format to use for the output"),
        IgnoreCase = flag('i', "ignore-case", "sorting and filtering are case insensitive"),
        Column = optional('\0', "column", "style", "accepted"),
        Color = optional('\0', "color", "when", "accepted"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "tag",
    usage: "git tag [-a | -s | -u <key-id>] [-f] [-m <msg> | -F <file>] [-e] <tagname> [<commit> | <object>]\n\
git tag -d <tagname>...\ngit tag [-n[<num>]] -l [--contains <commit>] [--no-contains <commit>] [--points-at <object>] \
[--sort=<key>] [--format=<format>] [--merged <commit>] [--no-merged <commit>] [<pattern>...]",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if let Some(option) = arguments.first_of([Opt::Verify, Opt::Sign, Opt::LocalUser]) {
        return Err(fatal!("tag --{} is not supported", option.long()));
    }
    if arguments.has(Opt::Delete) {
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
    let lists = [
        Opt::List,
        Opt::Lines,
        Opt::Contains,
        Opt::NoContains,
        Opt::Merged,
        Opt::NoMerged,
        Opt::PointsAt,
        Opt::Format,
    ];
    if arguments.operands.is_empty() || arguments.has_any(lists) {
        return list(git, &arguments).await;
    }
    create(git, &arguments).await
}

async fn create(git: &mut Git, arguments: &Arguments<Opt>) -> Result<u8> {
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
    if old.is_some() && !arguments.has(Opt::Force) {
        return Err(fatal!("tag '{name}' already exists"));
    }
    let mut text: Option<Vec<u8>> = None;
    for part in arguments.values(Opt::Message) {
        let whole = text.get_or_insert_default();
        if !whole.is_empty() {
            whole.extend_from_slice(b"\n\n");
        }
        whole.extend_from_slice(part);
    }
    if let Some(file) = arguments.value(Opt::File) {
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
        None if arguments.has(Opt::Annotate) => {
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

async fn list(git: &mut Git, arguments: &Arguments<Opt>) -> Result<u8> {
    let mut refs = git.refs(b"refs/tags/").await?;
    let mut keys: Vec<Text> = arguments.values(Opt::Sort).cloned().collect();
    if keys.is_empty() {
        keys.extend(git.config.get("tag.sort").map(Text::from));
    }
    refs = sort(git, refs, &keys).await?;
    let filter = RefFilter::new(
        arguments,
        [Opt::Merged, Opt::NoMerged, Opt::Contains, Opt::NoContains, Opt::PointsAt],
    );
    let lines: Option<usize> = if arguments.has(Opt::Lines) {
        Some(arguments.number(Opt::Lines)?.map_or(1, |lines| lines.max(0) as usize))
    } else {
        None
    };
    for (name, id) in refs {
        let short = name.strip_prefix(b"refs/tags/").unwrap_or(&name);
        let patterns = &arguments.operands;
        let folds = arguments.has(Opt::IgnoreCase);
        if !patterns.is_empty() && !patterns.iter().any(|pattern| matches(pattern, short, false, folds)) {
            continue;
        }
        if !git.passes(&filter, id).await? {
            continue;
        }
        let mut line: Vec<u8> = match arguments.value(Opt::Format).cloned() {
            Some(format) => git.format_ref(&format, &Fields { name: &name, id, is_head: false }).await?,
            None => short.to_metered(),
        };
        if let Some(lines) = lines.filter(|_| !arguments.has(Opt::Format)) {
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
