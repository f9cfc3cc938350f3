//! `git tag`.

use super::for_each_ref::{Fields, RefFilter, sort};
use super::prelude::*;
use crate::memory::format;
use crate::utility::git::columns::ColumnMode;
use crate::utility::git::date::DateMode;
use crate::utility::git::identity::Who;
use crate::utility::git::object::commit::{Signature, header, message};
use crate::utility::git::pretty::subject;
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
        Edit = flag('e', "edit", "force edit of tag message"),
        Sign = flag('s', "sign", "not supported"),
        LocalUser = value('u', "local-user", "key-id", "not supported"),
        Force = flag('f', "force", "replace the tag if exists"),
        CreateReflog = flag('\0', "create-reflog", "create a reflog"),
        Cleanup = value('\0', "cleanup", "mode", "how to strip spaces and #comments from message"),
        Contains = value('\0', "contains", "commit", "print only tags that contain the commit"),
        NoContains = value('\0', "no-contains", "commit", "print only tags that don't contain the commit"),
        Merged = optional('\0', "merged", "commit", "print only tags that are merged"),
        NoMerged = optional('\0', "no-merged", "commit", "print only tags that are not merged"),
        Sort = value('\0', "sort", "key", "field name to sort on"),
        PointsAt = value('\0', "points-at", "object", "print only tags of the object"),
        Format = value('\0', "format", "format", "format to use for the output"),
        IgnoreCase = flag('i', "ignore-case", "sorting and filtering are case insensitive"),
        Column = optional('\0', "column", "style", "show tag list in columns"),
        Color = optional('\0', "color", "when", "respect format colors; refused where they are asked for"),
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
    arguments.refuse_color(Opt::Color)?;
    let columns = git.column_mode(&arguments, Opt::Column, "tag")?;
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
        return list(git, &arguments, columns).await;
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
    let cleanup = arguments.value(Opt::Cleanup).map_or(&b"strip"[..], |mode| mode);
    if ![&b"strip"[..], b"whitespace", b"verbatim"].contains(&cleanup) {
        return Err(fatal!("Invalid cleanup mode {}", bstr::BStr::new(cleanup)));
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
            let read = git.read_named(file).await?;
            read.ok_or_else(|| fatal!("could not open or read '{file}': No such file or directory"))?
        };
        text = Some(bytes);
    }
    let is_edited = arguments.has(Opt::Edit);
    let new = match text {
        Some(text) => {
            if is_edited {
                git.edit_message()?;
            }
            let kind = git.object_header(&id).await?.map_or(Kind::Commit, |header| header.0);
            let who = git.who(Who::Committer)?;
            let mut bytes = format!("object {id}\ntype {}\ntag {name}\ntagger ", kind.name()).into_bytes();
            let text = if cleanup == b"verbatim" {
                text
            } else {
                super::commit::cleaned(&text, cleanup == b"strip")
            };
            bytes.extend_from_slice(&[&who[..], b"\n\n", &text].concat_metered());
            git.write_object(Kind::Tag, &bytes).await?
        }
        None if is_edited || arguments.has(Opt::Annotate) => {
            git.edit_message()?;
            return Err(fatal!("no tag message?"));
        }
        None => id,
    };
    if arguments.has(Opt::CreateReflog) {
        git.create_log(&full)?;
    }
    let message = log_message(git, id).await?;
    git.update_ref(&full, new, &message)?;
    if let Some(old) = old.filter(|old| *old != new) {
        let short = git.abbreviate(&old, None)?;
        git.print(format!("Updated tag '{name}' (was {short})\n").as_bytes()).await?;
    }
    Ok(0)
}

/// What the log of a tag says of the object that it is made for.
async fn log_message(git: &mut Git, id: ObjectId) -> Result<Vec<u8>> {
    let short = git.abbreviate(&id, None)?;
    let (kind, bytes) = git.object(&id).await?;
    Ok(match kind {
        Kind::Commit => {
            let line = header(&bytes, b"committer").unwrap_or(&[]);
            let mode = DateMode::named(b"short").unwrap_or_default();
            let date = git.show_date(&Signature::parse(line), &mode);
            [b"tag: tagging ", &short[..], b" (", &subject(message(&bytes)), b", ", &date, b")"]
                .concat_metered()
        }
        Kind::Tree => [b"tag: tagging ", &short[..], b" (tree object)"].concat_metered(),
        Kind::Blob => [b"tag: tagging ", &short[..], b" (blob object)"].concat_metered(),
        Kind::Tag => [b"tag: tagging ", &short[..], b" (other tag object)"].concat_metered(),
    })
}

async fn list(git: &mut Git, arguments: &Arguments<Opt>, columns: ColumnMode) -> Result<u8> {
    if arguments.has(Opt::Lines) && columns.is_asked_for {
        return Err(fatal!("options '--column' and '-n' cannot be used together"));
    }
    let columns = if arguments.has(Opt::Lines) { ColumnMode::default() } else { columns };
    let mut all: Vec<Vec<u8>> = Vec::new();
    let mut refs = git.refs(b"refs/tags/").await?;
    let mut keys: Vec<Text> = arguments.values(Opt::Sort).cloned().collect();
    if keys.is_empty() {
        keys.extend(git.config.get("tag.sort").map(Text::from));
    }
    refs = sort(git, refs, &keys, arguments.has(Opt::IgnoreCase)).await?;
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
        all.push(line);
    }
    let text = columns.lay_out(&all, b"", 2, git.terminal_columns());
    git.print(&text).await?;
    Ok(0)
}
