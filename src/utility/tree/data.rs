//! The listing as JSON (`-J`) and XML (`-X`).

use super::options::{Notation, Opt, Settings};
use super::print::{Details, totals};
use super::read::{Entry, Listing};
use crate::memory::{String, ToDecimal as _, Vec, format};
use crate::utility::format::file_mode::mode_letters;
use crate::utility::prelude::*;
use crate::vfs::FileKind;

/// A member or attribute; a number stands without quotes in JSON.
struct Field {
    name: &'static str,
    value: Vec<u8>,
    is_number: bool,
}

pub(super) async fn print(
    ctx: &mut Context,
    settings: &Settings,
    listing: &Listing,
    output: &mut Output,
) -> Result<(), UtilityError> {
    let details = Details::new(ctx, settings);
    let is_json = settings.notation == Notation::Json;
    let is_narrow = settings.has(Opt::NoIndent);
    let newline = if is_narrow { "" } else { "\n" };
    let charset = if settings.is_utf8 { "UTF-8" } else { "US-ASCII" };
    let begin = if is_json {
        format!("[{newline}")
    } else {
        format!("<?xml version=\"1.0\" encoding=\"{charset}\"?>{newline}<tree>{newline}")
    };
    output.write(begin.as_bytes()).await?;
    let mut is_first = true;
    for root in listing.roots.clone() {
        if is_json && !is_first {
            output.write(format!(",{newline}").as_bytes()).await?;
        }
        is_first = false;
        tree(ctx, settings, listing, &details, root, output).await?;
    }
    let mut end = String::from(if is_json { newline } else { "" });
    if is_json && settings.has(Opt::NoReport) {
        end.push_str(newline);
    }
    if !settings.has(Opt::NoReport) {
        end.push_str(&report(settings, listing, &details));
    }
    end.push_str(if is_json { "]\n" } else { "</tree>\n" });
    output.write(end.as_bytes()).await
}

async fn tree(
    ctx: &mut Context,
    settings: &Settings,
    listing: &Listing,
    details: &Details<'_>,
    root: usize,
    output: &mut Output,
) -> Result<(), UtilityError> {
    let is_json = settings.notation == Notation::Json;
    let is_narrow = settings.has(Opt::NoIndent);
    let newline: &[u8] = if is_narrow { b"" } else { b"\n" };
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut next = Some(root);
    let mut out = Vec::new();
    loop {
        ctx.tick().await?;
        output.write(&out).await?;
        out.clear();
        if let Some(id) = next.take()
            && let Some(entry) = listing.get(id)
        {
            indent(settings, open.len() + 1, &mut out);
            begin(ctx, settings, details, entry, &mut out);
            if entry.children.is_empty() {
                if let Some(error) = &entry.error {
                    out.extend_from_slice(
                        if is_json {
                            format!(",\"contents\":[{{\"error\": \"{error}\"}}]")
                        } else {
                            format!("<error>{error}</error>")
                        }
                        .as_bytes(),
                    );
                }
                if !is_json && !is_narrow && open.is_empty() && entry.is_directory && entry.error.is_none() {
                    out.extend_from_slice(b"\n  ");
                }
                end(is_json, entry, &mut out);
                // What separates two entries stands on the line of the first.
                let is_followed = open
                    .last()
                    .and_then(|(id, taken)| listing.get(*id).map(|above| *taken < above.children.len()));
                out.extend_from_slice(if is_json && is_followed == Some(true) { b"," } else { b"" });
                out.extend_from_slice(if is_json && open.is_empty() { b"" } else { newline });
            } else {
                out.extend_from_slice(if is_json { b",\"contents\":[" } else { b"" });
                out.extend_from_slice(if is_json { newline } else { b"\n" });
                open.push((id, 0));
            }
        }
        let Some((id, place)) = open.last_mut() else { break };
        let Some(entry) = listing.get(*id) else { break };
        match entry.children.get(*place) {
            Some(&child) => {
                *place += 1;
                next = Some(child);
            }
            None => {
                open.pop();
                indent(settings, open.len() + 1, &mut out);
                out.extend_from_slice(if is_json { b"]" } else { b"" });
                end(is_json, entry, &mut out);
                let is_followed = open
                    .last()
                    .and_then(|(id, taken)| listing.get(*id).map(|above| *taken < above.children.len()));
                out.extend_from_slice(if is_json && is_followed == Some(true) { b"," } else { b"" });
                out.extend_from_slice(if is_json && open.is_empty() { b"" } else { newline });
            }
        }
    }
    output.write(&out).await
}

fn indent(settings: &Settings, depth: usize, out: &mut Vec<u8>) {
    if !settings.has(Opt::NoIndent) {
        out.resize(out.len() + 2 * depth, b' ');
    }
}

const fn kind(entry: &Entry) -> &'static str {
    match entry.kind {
        FileKind::Regular => "file",
        FileKind::Directory => "directory",
        FileKind::Symlink => "link",
        FileKind::Fifo => "fifo",
        FileKind::CharDevice => "char",
    }
}

fn fields(ctx: &Context, settings: &Settings, details: &Details<'_>, entry: &Entry) -> Vec<Field> {
    let mut fields = Vec::new();
    let mut add = |name, value: &[u8], is_number| {
        let mut bytes = Vec::with_capacity(value.len());
        bytes.extend_from_slice(value);
        fields.push(Field { name, value: bytes, is_number });
    };
    add("name", if settings.has(Opt::FullPaths) { &entry.path } else { &entry.name }, false);
    if let Some(target) = &entry.target {
        add("target", target, false);
    }
    let Some(metadata) = &entry.metadata else { return fields };
    if settings.has(Opt::Inodes) {
        add("inode", metadata.inode.to_decimal().as_bytes(), true);
    }
    if settings.has(Opt::Device) {
        add("dev", metadata.file_system().to_decimal().as_bytes(), true);
    }
    if settings.has(Opt::Permissions) {
        add("mode", format!("{:04o}", metadata.mode).as_bytes(), false);
        add("prot", mode_letters(metadata.kind, metadata.mode).as_bytes(), false);
    }
    if settings.has(Opt::User) {
        add("user", &Details::user(ctx, metadata), false);
    }
    if settings.has(Opt::Group) {
        add("group", &Details::group(ctx, metadata), false);
    }
    if details.has_units() {
        add("size", details.size(entry.size).trim().as_bytes(), false);
    } else if details.shows_size() {
        add("size", entry.size.to_decimal().as_bytes(), true);
    }
    if details.shows_time() {
        add("time", &details.time(metadata), false);
    }
    fields
}

/// An entry up to its contents.
fn begin(ctx: &Context, settings: &Settings, details: &Details<'_>, entry: &Entry, out: &mut Vec<u8>) {
    let is_json = settings.notation == Notation::Json;
    let kind = kind(entry);
    let head = if is_json { format!("{{\"type\":\"{kind}\"") } else { format!("<{kind}") };
    out.extend_from_slice(head.as_bytes());
    for field in fields(ctx, settings, details, entry) {
        let name = if is_json { format!(",\"{}\":", field.name) } else { format!(" {}=", field.name) };
        out.extend_from_slice(name.as_bytes());
        if is_json && field.is_number {
            out.extend_from_slice(&field.value);
            continue;
        }
        out.push(b'"');
        for &byte in &field.value {
            push_byte(is_json, byte, out);
        }
        out.push(b'"');
    }
    out.extend_from_slice(if is_json { b"" } else { b">" });
}

fn push_byte(is_json: bool, byte: u8, out: &mut Vec<u8>) {
    if !is_json {
        match byte {
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'"' => out.extend_from_slice(b"&quot;"),
            _ => out.push(byte),
        }
        return;
    }
    let letter = match byte {
        b'"' | b'\\' => byte,
        7 => b'a',
        8 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0b => b'v',
        0x0c => b'f',
        b'\r' => b'r',
        0..0x20 => {
            out.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
            return;
        }
        _ => {
            out.push(byte);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', letter]);
}

fn end(is_json: bool, entry: &Entry, out: &mut Vec<u8>) {
    if is_json {
        out.push(b'}');
    } else {
        out.extend_from_slice(format!("</{}>", kind(entry)).as_bytes());
    }
}

fn report(settings: &Settings, listing: &Listing, details: &Details<'_>) -> String {
    let (directories, files, size) = totals(listing);
    let is_json = settings.notation == Notation::Json;
    let is_narrow = settings.has(Opt::NoIndent);
    let size = settings
        .has(Opt::DiskUsage)
        .then(|| if details.has_units() { details.size(size) } else { size.to_decimal() });
    let only_directories = settings.has(Opt::DirectoriesOnly);
    let mut text = String::new();
    if is_json {
        text.push_str(if is_narrow { "," } else { ",\n  " });
        text.push_str("{\"type\":\"report\"");
        if let Some(size) = size {
            text.push_str(&format!(",\"size\":{size}"));
        }
        text.push_str(&format!(",\"directories\":{directories}"));
        if !only_directories {
            text.push_str(&format!(",\"files\":{files}"));
        }
        text.push_str(if is_narrow { "}" } else { "}\n" });
        return text;
    }
    let (before, newline) = if is_narrow { ("", "") } else { ("  ", "\n") };
    let mut line = |depth: usize, line: &str| {
        for _ in 0..depth {
            text.push_str(before);
        }
        text.push_str(line);
        text.push_str(newline);
    };
    line(1, "<report>");
    if let Some(size) = size {
        line(2, &format!("<size>{size}</size>"));
    }
    line(2, &format!("<directories>{directories}</directories>"));
    if !only_directories {
        line(2, &format!("<files>{files}</files>"));
    }
    line(1, "</report>");
    text
}
