//! The message and the author of a commit.

use super::Opt;
use crate::memory::format;
use crate::utility::git::command::prelude::*;
use crate::utility::git::identity::Who;
use crate::utility::git::object::commit::{header, message};
use crate::utility::git::pretty::subject;

/// A message without comments, blanks at the ends of lines, and more than one blank line.
pub(in crate::utility::git::command) fn cleaned(text: &[u8], strips_comments: bool) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    let mut blanks = 0;
    for line in text.split(|byte| *byte == b'\n') {
        if strips_comments && line.starts_with(b"#") {
            continue;
        }
        let line = line.trim_ascii_end();
        if line.is_empty() {
            blanks += 1;
            continue;
        }
        if blanks > 0 && !out.is_empty() {
            out.push(b'\n');
        }
        blanks = 0;
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out
}

/// Whether a message says nothing but who signs it off.
pub(super) fn is_empty_message(text: &[u8]) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n');
    lines.all(|line| line.trim_ascii().is_empty() || line.starts_with(b"Signed-off-by: "))
}

/// The message that was given; `None`: none was.
pub(super) async fn given_message(
    git: &mut Git,
    arguments: &Arguments<Opt>,
    amended: Option<&[u8]>,
) -> Result<Option<Vec<u8>>> {
    let mut text: Option<Vec<u8>> = None;
    let parts: Vec<Text> = arguments.values(Opt::Message).cloned().collect();
    if !parts.is_empty() {
        let mut whole: Vec<u8> = Vec::new();
        for part in &parts {
            if !whole.is_empty() {
                whole.push(b'\n');
            }
            whole.extend_from_slice(part);
            if !whole.ends_with(b"\n") {
                whole.push(b'\n');
            }
        }
        text = Some(whole);
    } else if let Some(file) = arguments.value(Opt::File).cloned() {
        let bytes = if &*file == b"-" {
            git.ctx.standard_input().read_to_end().await?
        } else {
            match git.read_named(&file).await? {
                Some(bytes) => bytes,
                None => return Err(fatal!("could not read log file '{file}': No such file or directory")),
            }
        };
        text = Some(bytes);
    } else if let Some(name) =
        arguments.value(Opt::ReuseMessage).or_else(|| arguments.value(Opt::ReeditMessage)).cloned()
    {
        let Some(id) = git.resolve_commit(&name).await? else {
            return Err(fatal!("could not lookup commit '{name}'"));
        };
        let bytes = git.object(&id).await?.1;
        text = Some(message(&bytes).to_metered());
    } else if let Some((word, name)) =
        [Opt::Fixup, Opt::Squash].iter().find_map(|word| Some((*word, arguments.value(*word)?.clone())))
    {
        let Some(id) = git.resolve_commit(&name).await? else {
            return Err(fatal!("could not lookup commit '{name}'"));
        };
        let bytes = git.object(&id).await?.1;
        text = Some([word.long().as_bytes(), b"! ", &subject(message(&bytes)), b"\n"].concat_metered());
    } else if let Some(bytes) = amended {
        text = Some(message(bytes).to_metered());
    }
    Ok(text)
}

pub(super) async fn author(
    git: &mut Git,
    arguments: &Arguments<Opt>,
    amended: Option<&[u8]>,
) -> Result<Vec<u8>> {
    let mut line = match amended.filter(|_| !arguments.has(Opt::ResetAuthor)) {
        Some(bytes) => header(bytes, b"author").unwrap_or(&[]).to_metered(),
        None => {
            match arguments.value(Opt::ReuseMessage).cloned().filter(|_| !arguments.has(Opt::ResetAuthor)) {
                Some(name) => {
                    let Some(id) = git.resolve_commit(&name).await? else {
                        return Err(fatal!("could not lookup commit '{name}'"));
                    };
                    let bytes = git.object(&id).await?.1;
                    header(&bytes, b"author").unwrap_or(&[]).to_metered()
                }
                None => git.who(Who::Author)?,
            }
        }
    };
    let split = memchr::memrchr(b'>', &line).map_or(line.len(), |at| at + 1);
    if let Some(given) = arguments.value(Opt::Author) {
        if !given.contains(&b'<') || !given.ends_with(b">") {
            return Err(fatal!("--author '{given}' is not 'Name <email>' and matches no existing author"));
        }
        line = [&given[..], line.get(split..).unwrap_or(&[])].concat_metered();
    }
    if let Some(date) = arguments.value(Opt::Date) {
        let Some((seconds, zone)) = crate::utility::git::date::parse_exact(date, git) else {
            return Err(fatal!("invalid date format: {date}"));
        };
        let split = memchr::memrchr(b'>', &line).map_or(line.len(), |at| at + 1);
        let sign = if zone < 0 { '-' } else { '+' };
        let when = format!(" {seconds} {sign}{:04}", zone.abs());
        line = [line.get(..split).unwrap_or(&[]), when.as_bytes()].concat_metered();
    }
    Ok(line)
}

pub(super) fn add_trailers(git: &Git, arguments: &Arguments<Opt>, text: &mut Vec<u8>) -> Result<()> {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    if arguments.has(Opt::Signoff) {
        let who = git.who(Who::Committer)?;
        let end = memchr::memrchr(b'>', &who).map_or(who.len(), |at| at + 1);
        lines.push([&b"Signed-off-by: "[..], who.get(..end).unwrap_or(&who)].concat_metered());
    }
    for trailer in arguments.values(Opt::Trailer) {
        let at = trailer.iter().position(|byte| b"=:".contains(byte)).unwrap_or(trailer.len());
        let (key, value) = (trailer.get(..at).unwrap_or(trailer), trailer.get(at + 1..).unwrap_or(&[]));
        lines.push([key, b": ", value.trim_ascii()].concat_metered());
    }
    for line in lines {
        let is_trailer = |line: &[u8]| {
            memchr::memmem::find(line, b": ").is_some_and(|at| !line.get(..at).unwrap_or(&[]).contains(&b' '))
        };
        let body = text.trim_ascii_end();
        let last = memchr::memmem::rfind(body, b"\n\n").map(|at| body.get(at + 2..).unwrap_or(&[]));
        let has_block = last.is_some_and(|last| last.split(|byte| *byte == b'\n').all(is_trailer));
        if has_block
            && last.is_some_and(|last| last.split(|byte| *byte == b'\n').any(|known| *known == *line))
        {
            continue;
        }
        if !has_block {
            text.push(b'\n');
        }
        text.extend_from_slice(&line);
        text.push(b'\n');
    }
    Ok(())
}

/// How `--cleanup` or the configuration says that a message is tidied up.
pub(super) fn tidied(git: &Git, arguments: &Arguments<Opt>, text: Vec<u8>) -> Result<Vec<u8>> {
    let is_edited = arguments.has(Opt::Edit);
    let configured = git.config.get("commit.cleanup").map(Text::from);
    let mode = arguments.value(Opt::Cleanup).cloned().or(configured);
    match mode.as_ref().map(Text::as_bytes) {
        Some(b"verbatim") => Ok(text),
        Some(b"strip") => Ok(cleaned(&text, true)),
        Some(b"whitespace" | b"scissors") => Ok(cleaned(&text, false)),
        // In an editor there would be comments.
        None | Some(b"default") => Ok(cleaned(&text, is_edited)),
        Some(other) => Err(fatal!("Invalid cleanup mode {}", bstr::BStr::new(other))),
    }
}
