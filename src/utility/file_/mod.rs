//! `file`: tells what files are. file(1) as of 5.44, for the kinds that scripts ask about.
//!
//! A file that is not a regular one is told by its kind alone. Of others the first bytes are looked at, by one test after
//! another: archives of tar, JSON and CSV (`json.rs`), what first bytes tell (`archive.rs`, `image.rs`, `elf.rs`), scripts and
//! sources (`text.rs`), and at last the encoding of a text (`encoding.rs`). What no test knows is `data`.
//! The rules of the real program's thousand formats are not here: those that are left out are `data`, or a text.

mod archive;
mod elf;
mod encoding;
mod image;
mod json;
mod kind;
mod options;
mod text;

use crate::memory::{String, Vec, format};
use crate::utility::context::stream::Input;
use crate::utility::format::width::width;
use crate::utility::prelude::*;
use crate::vfs::{FileKind, Metadata, OpenOptions};
use encoding::Encoding;
use kind::Kind;
use options::{FileOptions, Opt, Shows, Test};

pub(super) const UTILITY: Utility = Utility {
    name: "file",
    summary: "determine file type",
    usage: "file [OPTION...] [FILE...]",
    options: Opt::TABLE,
    examples: &[
        example("echo '{\"a\": 1}' >x; file x", "x: JSON text data\n"),
        example("printf '#!/bin/sh\\n' >x; file --mime-type -b x", "text/x-shellscript\n"),
    ],
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 0, or 1 for a usage error and with `-E` where a file could not be looked at.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let (options, end) = ctx.parse_options_in_order::<Opt>(&UTILITY);
    if let Err(end) = end {
        return Err(match end.tell(&mut ctx.stdout) {
            UtilityError::Usage(message) => {
                UtilityError::failed(format!("{message}\n{}", options::usage_text()))
            }
            error => error,
        });
    }
    if options.has(Opt::Version) {
        ctx.stdout.push(super::context::options::version(&UTILITY).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    let mut settings = FileOptions::new(ctx);
    let mut status = ExitStatus::SUCCESS;
    let mut has_list = false;
    for (option, argument) in options.given() {
        settings.take(option, argument)?;
        // A list is worked off where it stands: what is given after it does not count for it.
        if let (Opt::FilesFrom, Some(list)) = (option, argument) {
            has_list = true;
            let names = read_list(ctx, list).await?;
            tell_all(ctx, &settings, &names, &mut status).await?;
        }
    }
    if options.operands.is_empty() && !has_list {
        ctx.stderr.push(options::usage_text().as_bytes());
        return Ok(ExitStatus::FAILURE);
    }
    tell_all(ctx, &settings, &options.operands, &mut status).await?;
    Ok(status)
}

/// The names in a file, one a line.
async fn read_list(ctx: &mut Context, list: &Text) -> Result<Vec<Text>, UtilityError> {
    let failed = |error: FsError| match error {
        FsError::Errno(errno) => UtilityError::failed(format!("Cannot open `{list}' ({})", errno.message())),
        FsError::Limit(limit) => limit.into(),
    };
    let mut input = ctx.open_input(list).map_err(failed)?;
    let mut names = Vec::new();
    while let Some(line) = input.next_line(b'\n').await.map_err(failed)? {
        ctx.tick().await?;
        names.push(Text::from(split_delimiter(line, b'\n').0));
    }
    Ok(names)
}

async fn tell_all(
    ctx: &mut Context,
    settings: &FileOptions,
    names: &[Text],
    status: &mut ExitStatus,
) -> Result<(), UtilityError> {
    let shown: Vec<(String, usize)> = names.iter().map(|name| shown_name(name, settings)).collect();
    let widest = shown.iter().map(|(_, width)| *width).max().unwrap_or(0);
    for (name, (shown, width)) in names.iter().zip(&shown) {
        ctx.tick().await?;
        let found = look(ctx, settings, name).await?;
        let (text, is_fault) = match found {
            Ok(text) => (text, false),
            Err(text) => (text, true),
        };
        if is_fault {
            *status = ExitStatus::FAILURE;
        }
        if !settings.is_brief && widest > 0 {
            ctx.stdout.push(shown.as_bytes());
            if settings.nuls > 0 {
                ctx.stdout.push(b"\0");
            }
            if settings.nuls < 2 {
                ctx.stdout.push(&settings.separator);
                let padding = if settings.pads { widest - width } else { 0 };
                ctx.stdout.push(crate::memory::repeat_text(" ", padding + 1).as_bytes());
            }
        }
        ctx.stdout.push(text.as_bytes());
        ctx.stdout.write(if settings.nuls > 1 { b"\0" } else { b"\n" }).await?;
    }
    Ok(())
}

/// A name as it is printed, and its columns. Standard input has the name of its device.
fn shown_name(name: &[u8], settings: &FileOptions) -> (String, usize) {
    let name = if name == b"-" { b"/dev/stdin" } else { name };
    let mut out = String::new();
    let mut columns = 0;
    let mut rest = name;
    while !rest.is_empty() {
        let (letter, size) = bstr::decode_utf8(rest);
        let (bytes, after) = rest.split_at_checked(size.max(1)).unwrap_or((rest, &[]));
        match letter.and_then(|letter| width(letter).map(|width| (letter, width))) {
            Some((letter, width)) => {
                out.push(letter);
                columns += width;
            }
            None if settings.is_raw => {
                out.push_str(&String::from_utf8_lossy(bytes));
                columns += 1;
            }
            None => {
                for byte in bytes {
                    out.push_str(&format!("\\{byte:03o}"));
                    columns += 4;
                }
            }
        }
        rest = after;
    }
    (out, columns)
}

/// What is told of one file; `Err`: a fault that is part of the exit status.
async fn look(
    ctx: &mut Context,
    settings: &FileOptions,
    name: &Text,
) -> Result<Result<String, String>, UtilityError> {
    if name.as_bytes() == b"-" {
        let input = ctx.standard_input();
        return read(ctx, settings, input, "").await.map(Ok);
    }
    let shown = kind::text(name, name.len());
    let path = ctx.absolute(name);
    let fs = &ctx.session.fs;
    let found = if name.is_empty() {
        Err(Errno::NotFound.into())
    } else if settings.follows {
        fs.metadata(&path)
    } else {
        fs.symlink_metadata(&path)
    };
    let data = match found {
        Ok(data) => data,
        Err(FsError::Limit(limit)) => return Err(limit.into()),
        Err(FsError::Errno(errno)) if settings.tells_errors => {
            return Ok(Err(format!("ERROR: cannot stat `{shown}' ({})", errno.message())));
        }
        Err(FsError::Errno(errno)) => {
            return Ok(Ok(format!("cannot open `{shown}' ({})", errno.message())));
        }
    };
    if let Some(special) = special(ctx, settings, &path, &data)? {
        return Ok(special);
    }
    let mut prefix = bits(&data);
    if !prefix.is_empty() {
        prefix.push(' ');
    }
    match ctx.open_description(name, &OpenOptions { read: true, ..OpenOptions::default() }) {
        Ok(description) => read(ctx, settings, Input::new(description, &ctx.meter), &prefix).await.map(Ok),
        Err(FsError::Limit(limit)) => Err(limit.into()),
        Err(FsError::Errno(Errno::AccessDenied)) => {
            let can = if data.mode & 0o222 == 0 { "" } else { "writable, " };
            Ok(Ok(format!(
                "{prefix}{can}{}no read permission",
                if can.is_empty() { "regular file, " } else { "" }
            )))
        }
        Err(FsError::Errno(errno)) => Ok(Ok(format!("{prefix}cannot open `{shown}' ({})", errno.message()))),
    }
}

/// The bits of a mode that are told.
fn bits(data: &Metadata) -> String {
    let mut out = String::new();
    for (bit, name) in [(0o4000, "setuid"), (0o2000, "setgid"), (0o1000, "sticky")] {
        if data.mode & bit != 0 {
            if !out.is_empty() {
                out.push_str(", ");
            }
            out.push_str(name);
        }
    }
    out
}

/// What is told of a file whose content is not read.
fn special(
    ctx: &Context,
    settings: &FileOptions,
    path: &[u8],
    data: &Metadata,
) -> Result<Option<Result<String, String>>, UtilityError> {
    if settings.reads_special && data.kind == FileKind::CharDevice {
        return Ok(None);
    }
    let (words, mime): (String, &str) = match data.kind {
        FileKind::Regular => return Ok(None),
        FileKind::Directory => ("directory".into(), "inode/directory"),
        FileKind::Symlink => {
            let target = match ctx.session.fs.read_link(path) {
                Ok(target) => target,
                Err(FsError::Limit(limit)) => return Err(limit.into()),
                Err(FsError::Errno(errno)) => {
                    return Ok(Some(Ok(format!("unreadable symlink ({})", errno.message()))));
                }
            };
            let shown = kind::text(&target, target.len());
            if ctx.session.fs.metadata(path).is_err() {
                return Ok(Some(Ok(match settings.shows {
                    Shows::Words | Shows::Extensions => format!("broken symbolic link to {shown}"),
                    Shows::MimeEncoding => "binary".into(),
                    Shows::Mime | Shows::MimeType => "inode/symlink".into(),
                })));
            }
            (format!("symbolic link to {shown}"), "inode/symlink")
        }
        FileKind::Fifo => ("fifo (named pipe)".into(), "inode/fifo"),
        FileKind::CharDevice => {
            let (major, minor) = data.device.unwrap_or((0, 0));
            (format!("character special ({major}/{minor})"), "inode/chardevice")
        }
    };
    let prefix = bits(data);
    let prefix = if prefix.is_empty() || settings.shows != Shows::Words {
        String::new()
    } else {
        format!("{prefix}, ")
    };
    let kind = Kind::new(format!("{prefix}{words}"), mime, "");
    Ok(Some(Ok(settings.shown(&kind, &kind.words, Encoding::Binary.name()))))
}

/// Reads the first bytes, and tells what they are.
async fn read(
    ctx: &mut Context,
    settings: &FileOptions,
    mut input: Input,
    prefix: &str,
) -> Result<String, UtilityError> {
    let mut data: Vec<u8> = Vec::new();
    while data.len() < settings.most {
        ctx.check().await?;
        let bytes = match input.fill().await {
            Ok(bytes) => bytes,
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(FsError::Errno(errno)) => return Ok(format!("cannot read ({})", errno.message())),
        };
        if bytes.is_empty() {
            break;
        }
        let count = bytes.len().min(settings.most - data.len());
        data.extend_from_slice(bytes.get(..count).unwrap_or(bytes));
        input.consume(count);
    }
    let tail = tail(&mut input, &data).await?;
    let (kind, words, encoding) = classify(ctx, settings, &data, tail).await?;
    let words = match settings.shows {
        // As in the real program, a text without a kind is set off from what is told before it.
        Shows::Words if !prefix.is_empty() && kind.words.is_empty() => format!("{prefix}, {words}"),
        Shows::Words => format!("{prefix}{words}"),
        _ => words,
    };
    Ok(settings.shown(&kind, &words, encoding.name()))
}

/// The last four bytes of the file.
async fn tail(input: &mut Input, data: &[u8]) -> Result<archive::Tail, UtilityError> {
    let description = input.description();
    let size = description.metadata().filter(|_| description.is_seekable()).map_or(0, |data| data.size);
    if size <= data.len() as u64 || !data.starts_with(b"\x1f\x8b") {
        return Ok(data.last_chunk().copied().filter(|_| size > 0));
    }
    description.seek(size - 4);
    input.restart();
    let bytes = input.fill().await.map_err(|error| UtilityError::operand(b"tail", error))?;
    Ok(bytes.first_chunk().copied())
}

/// The kind of some bytes, in words too, and their encoding.
async fn classify(
    ctx: &mut Context,
    settings: &FileOptions,
    data: &[u8],
    tail: archive::Tail,
) -> Result<(Kind, String, Encoding), UtilityError> {
    let plain = |words: &str, mime| {
        let kind = Kind::new(words, mime, "");
        let words = kind.words.clone();
        (kind, words, Encoding::Binary)
    };
    match data {
        [] => return Ok(plain("empty", "inode/x-empty")),
        [_] => return Ok(plain("very short file (no magic)", "application/octet-stream")),
        _ => {}
    }
    let encoding = Encoding::of(ctx, data).await?;
    let is_text = encoding != Encoding::Binary;
    let mut found = if settings.tests(Test::Tar) { archive::tar(data) } else { None };
    if found.is_none() && is_text && settings.tests(Test::Json) {
        found = json::json(ctx, data).await?;
    }
    if found.is_none() && is_text && settings.tests(Test::Csv) {
        found = json::csv(ctx, data).await?;
    }
    if found.is_none() && settings.tests(Test::Soft) {
        found = elf::elf(data, settings.tests(Test::Elf))
            .or_else(|| archive::archive(data, tail))
            .or_else(|| image::image(data))
            .or_else(|| archive::class(data))
            .or_else(|| text::script(data))
            .or_else(|| if is_text { text::source(data) } else { None });
    }
    let Some(kind) = found.filter(|kind| !kind.wants_encoding) else {
        return plain_text(ctx, settings, data, encoding, found_text(data, settings, is_text)).await;
    };
    let words = kind.words.clone();
    Ok((kind, words, encoding))
}

/// A script or a source, whose encoding is told with it.
fn found_text(data: &[u8], settings: &FileOptions, is_text: bool) -> Option<Kind> {
    if !settings.tests(Test::Soft) {
        return None;
    }
    text::script(data).or_else(|| if is_text { text::source(data) } else { None })
}

async fn plain_text(
    ctx: &Context,
    settings: &FileOptions,
    data: &[u8],
    encoding: Encoding,
    kind: Option<Kind>,
) -> Result<(Kind, String, Encoding), UtilityError> {
    if encoding == Encoding::Binary || !settings.tests(Test::Text) {
        let words = match &kind {
            Some(kind) if encoding == Encoding::Binary => format!("{} executable (binary data)", kind.words),
            _ => "data".into(),
        };
        let mime = kind.as_ref().map_or("", |kind| kind.mime);
        let mime = if mime.is_empty() { "application/octet-stream" } else { mime };
        return Ok((Kind::new(words.clone(), mime, ""), words, encoding));
    }
    let looked = data.get(..encoding::LOOKED_AT).unwrap_or(data);
    let details = encoding::details(ctx, looked, encoding).await?;
    let words = text::shown(kind.as_ref(), encoding.words(), &details);
    let mut kind = kind.unwrap_or_default();
    if kind.mime.is_empty() {
        kind.mime = "text/plain";
    }
    Ok((kind, words, encoding))
}
