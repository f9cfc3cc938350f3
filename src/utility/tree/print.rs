//! The listing as lines: what stands in brackets, the lines that are drawn, names.

use super::options::{Drawing, Opt, Settings};
use super::read::{Entry, Listing};
use crate::memory::{String, ToDecimal as _, ToMetered as _, Vec, format};
use crate::utility::format::file_mode::mode_letters;
use crate::utility::format::time_format::Zone;
use crate::utility::prelude::*;
use crate::vfs::{FileKind, Metadata};
use std::time::Duration;

/// What is shown of a file besides its name.
pub(super) struct Details<'s> {
    settings: &'s Settings,
    zone: Zone,
    now: Duration,
}

/// Half a year, as the program counts it.
const RECENT: Duration = Duration::from_hours(4464);

impl<'s> Details<'s> {
    pub(super) fn new(ctx: &Context, settings: &'s Settings) -> Self {
        Self { settings, zone: Zone::of(&ctx.env), now: ctx.session.clock.now() }
    }

    pub(super) fn user(ctx: &Context, metadata: &Metadata) -> Text {
        ctx.user_name(metadata.uid).unwrap_or_else(|| Text::from(metadata.uid.to_decimal()))
    }

    pub(super) fn group(ctx: &Context, metadata: &Metadata) -> Text {
        ctx.group_name(metadata.gid).unwrap_or_else(|| Text::from(metadata.gid.to_decimal()))
    }

    pub(super) fn shows_size(&self) -> bool {
        [Opt::Size, Opt::Human, Opt::Si, Opt::DiskUsage].iter().any(|option| self.settings.has(*option))
    }

    pub(super) fn shows_time(&self) -> bool {
        self.settings.has(Opt::Date) || self.settings.has(Opt::TimeFormat)
    }

    pub(super) fn has_units(&self) -> bool {
        self.settings.has(Opt::Human) || self.settings.has(Opt::Si)
    }

    /// A size in at most four columns.
    pub(super) fn size(&self, size: u64) -> String {
        let (unit, letters) =
            if self.settings.has(Opt::Si) { (1000.0, "kMGTPE") } else { (1024.0, "KMGTPE") };
        let mut value = size as f64;
        if value < unit {
            return format!("{size:4}");
        }
        let mut letters = letters.chars();
        let mut letter = letters.next().unwrap_or_default();
        while value >= unit * unit {
            value /= unit;
            letter = letters.next().unwrap_or(letter);
        }
        value /= unit;
        if value >= 10.0 { format!("{value:3.0}{letter}") } else { format!("{value:3.1}{letter}") }
    }

    pub(super) fn time(&self, metadata: &Metadata) -> Vec<u8> {
        let time = if self.settings.has(Opt::ChangeSort) { metadata.changed } else { metadata.modified };
        let moment = self.zone.since_epoch(time);
        let format: &[u8] = match &self.settings.time_format {
            Some(format) => format,
            None if time > self.now || time + RECENT < self.now => b"%b %e  %Y",
            None => b"%b %e %R",
        };
        self.zone.format(format, &moment)
    }

    /// What stands in brackets.
    fn push(&self, ctx: &Context, entry: &Entry, out: &mut Vec<u8>) {
        let Some(metadata) = entry.metadata.as_ref().filter(|_| self.settings.has_details()) else { return };
        let has = |option| self.settings.has(option);
        let mut fields: Vec<Vec<u8>> = Vec::new();
        let mut add = |text: &[u8]| fields.push(text.to_metered());
        if has(Opt::Inodes) {
            add(format!("{:7}", metadata.inode).as_bytes());
        }
        if has(Opt::Device) {
            add(format!("{:3}", metadata.file_system()).as_bytes());
        }
        if has(Opt::Permissions) {
            add(mode_letters(metadata.kind, metadata.mode).as_bytes());
        }
        if has(Opt::User) {
            add(format!("{:8.32}", Self::user(ctx, metadata).to_string_lossy()).as_bytes());
        }
        if has(Opt::Group) {
            add(format!("{:8.32}", Self::group(ctx, metadata).to_string_lossy()).as_bytes());
        }
        if self.has_units() {
            add(self.size(entry.size).as_bytes());
        } else if self.shows_size() {
            add(format!("{:11}", entry.size).as_bytes());
        }
        if self.shows_time() {
            add(&self.time(metadata));
        }
        out.push(b'[');
        for (index, field) in fields.iter().enumerate() {
            out.extend_from_slice(if index == 0 { b"" } else { b" " });
            out.extend_from_slice(field);
        }
        out.extend_from_slice(b"]  ");
    }
}

/// Prints the listing and the numbers at its end.
pub(super) async fn print(
    ctx: &mut Context,
    settings: &Settings,
    listing: &Listing,
    output: &mut Output,
) -> Result<(), UtilityError> {
    let details = Details::new(ctx, settings);
    let mut line = Vec::new();
    for root in listing.roots.clone() {
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut next = Some(root);
        loop {
            ctx.tick().await?;
            if let Some(id) = next.take()
                && let Some(entry) = listing.get(id)
            {
                line.clear();
                if settings.has(Opt::MetaFirst) {
                    details.push(ctx, entry, &mut line);
                }
                draw(settings, listing, &open, &mut line);
                if !settings.has(Opt::MetaFirst) {
                    details.push(ctx, entry, &mut line);
                }
                push_file(settings, entry, &mut line);
                if let Some(error) = &entry.error {
                    line.extend_from_slice(format!("  [{error}]").as_bytes());
                }
                line.push(b'\n');
                output.write(&line).await?;
                open.push((id, 0));
            }
            let Some((id, place)) = open.last_mut() else { break };
            let child = listing.get(*id).and_then(|entry| entry.children.get(*place)).copied();
            match child {
                Some(child) => {
                    *place += 1;
                    next = Some(child);
                }
                None => {
                    open.pop();
                }
            }
        }
    }
    if !settings.has(Opt::NoReport) {
        output.write(report(settings, listing, &details).as_bytes()).await?;
    }
    Ok(())
}

/// The lines before a name; of each directory that is open it is known how many of its entries were taken.
fn draw(settings: &Settings, listing: &Listing, open: &[(usize, usize)], out: &mut Vec<u8>) {
    if settings.has(Opt::NoIndent) || open.is_empty() {
        return;
    }
    let [bar, item, last]: [&[u8]; 3] = match settings.drawing {
        Drawing::Utf8 => [
            "\u{2502}\u{a0}\u{a0} ".as_bytes(),
            "\u{251c}\u{2500}\u{2500} ".as_bytes(),
            "\u{2514}\u{2500}\u{2500} ".as_bytes(),
        ],
        Drawing::Ascii => [b"|   ", b"|-- ", b"`-- "],
        Drawing::Ansi => [b"x   ", b"tqq ", b"mqq "],
        Drawing::Cp437 => [b"\xb3   ", b"\xc3\xc4\xc4 ", b"\xc0\xc4\xc4 "],
    };
    if settings.drawing == Drawing::Ansi {
        out.extend_from_slice(b"\x1b(0");
    }
    for (level, (id, taken)) in open.iter().enumerate() {
        let is_last = listing.get(*id).is_none_or(|entry| *taken >= entry.children.len());
        let is_own = level + 1 == open.len();
        out.extend_from_slice(match (is_own, is_last) {
            (true, true) => last,
            (true, false) => item,
            (false, true) => b"    ",
            (false, false) => bar,
        });
    }
    if settings.drawing == Drawing::Ansi {
        out.extend_from_slice(b"\x1b(B");
    }
}

/// The name of a file, and where it leads.
fn push_file(settings: &Settings, entry: &Entry, out: &mut Vec<u8>) {
    let mode = entry.metadata.as_ref().map_or(0, |metadata| metadata.mode);
    let is_orphan = entry.target_metadata.is_none();
    let shown = if settings.has(Opt::FullPaths) { &entry.path } else { &entry.name };
    push_colored(settings, shown, (entry.kind, mode), is_orphan && entry.kind == FileKind::Symlink, out);
    if let Some(target) = &entry.target {
        out.extend_from_slice(b" -> ");
        let of = entry.target_metadata.as_ref();
        let kind = of.map_or(FileKind::Regular, |metadata| metadata.kind);
        let mode = of.map_or(0, |metadata| metadata.mode);
        push_colored(settings, target, (kind, mode), false, out);
        if of.is_some() {
            push_mark(settings, target, kind, mode, out);
        }
    } else {
        push_mark(settings, shown, entry.kind, mode, out);
    }
}

fn push_mark(settings: &Settings, name: &[u8], kind: FileKind, mode: u32, out: &mut Vec<u8>) {
    if !settings.has(Opt::Classify) {
        return;
    }
    match kind {
        FileKind::Directory if !name.ends_with(b"/") => out.push(b'/'),
        FileKind::Fifo => out.push(b'|'),
        FileKind::Regular if mode & 0o111 != 0 => out.push(b'*'),
        _ => {}
    }
}

fn push_colored(
    settings: &Settings,
    name: &[u8],
    (kind, mode): (FileKind, u32),
    is_orphan: bool,
    out: &mut Vec<u8>,
) {
    let code = settings.colors.as_ref().and_then(|palette| palette.of(name, kind, mode, is_orphan));
    if let Some(code) = code {
        out.extend_from_slice(b"\x1b[");
        out.extend_from_slice(code);
        out.push(b'm');
    }
    if settings.has(Opt::Quote) {
        out.push(b'"');
    }
    push_name(settings, name, out);
    if settings.has(Opt::Quote) {
        out.push(b'"');
    }
    if code.is_some() {
        out.extend_from_slice(b"\x1b[0m");
    }
}

/// A name as far as it can be printed.
fn push_name(settings: &Settings, name: &[u8], out: &mut Vec<u8>) {
    if settings.has(Opt::Literal) {
        out.extend_from_slice(name);
        return;
    }
    if !settings.is_utf8 {
        for &byte in name {
            push_byte(settings, byte, out);
        }
        return;
    }
    let escape = |byte: u8, out: &mut Vec<u8>| {
        if settings.has(Opt::QuestionMarks) {
            out.push(byte);
        } else {
            out.extend_from_slice(format!("\\{byte:03o}").as_bytes());
        }
    };
    for chunk in bstr::ByteSlice::utf8_chunks(name) {
        for character in chunk.valid().chars() {
            let mut buffer = [0; 4];
            let bytes = character.encode_utf8(&mut buffer).as_bytes();
            let is_shown = !character.is_control();
            if is_shown {
                out.extend_from_slice(bytes);
            } else if settings.has(Opt::QuestionMarks) {
                out.push(b'?');
            } else {
                for &byte in bytes {
                    escape(byte, out);
                }
            }
        }
        for &byte in chunk.invalid() {
            escape(byte, out);
        }
    }
}

/// A byte of a name where each is a character: as C writes it.
fn push_byte(settings: &Settings, byte: u8, out: &mut Vec<u8>) {
    let letter = match byte {
        7 => b'a',
        8 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0b => b'v',
        0x0c => b'f',
        b'\r' => b'r',
        b'\\' => b'\\',
        b'"' if settings.has(Opt::Quote) => b'"',
        b' ' if !settings.has(Opt::Quote) => b' ',
        b' '..=b'~' => {
            out.push(byte);
            return;
        }
        _ if settings.has(Opt::QuestionMarks) => {
            out.push(b'?');
            return;
        }
        _ => {
            out.extend_from_slice(format!("\\{byte:03o}").as_bytes());
            return;
        }
    };
    out.extend_from_slice(&[b'\\', letter]);
}

/// Directories and files that were listed, and the sum of their sizes.
pub(super) fn totals(listing: &Listing) -> (u64, u64, u64) {
    let (mut directories, mut files, mut size) = (0, 0, 0_u64);
    let mut waiting: Vec<usize> = listing.roots.clone();
    while let Some(entry) = waiting.pop().and_then(|id| listing.get(id)) {
        let is_root = entry.parent.is_none();
        match (entry.is_directory, is_root) {
            (true, false) => directories += 1,
            (true, true) => directories += u64::from(entry.is_open),
            (false, false) => files += 1,
            // One that is not there is none.
            (false, true) => files += u64::from(entry.metadata.is_some()),
        }
        if !is_root {
            size = size.saturating_add(entry.size);
        }
        waiting.extend(entry.children.iter().copied());
    }
    (directories, files, size)
}

fn report(settings: &Settings, listing: &Listing, details: &Details<'_>) -> String {
    let (directories, files, size) = totals(listing);
    let mut text = String::from("\n");
    if settings.has(Opt::DiskUsage) {
        if details.has_units() {
            text.push_str(&format!(" {} used in ", details.size(size)));
        } else {
            text.push_str(&format!("{size:12} bytes used in "));
        }
    }
    let word = if directories == 1 { "directory" } else { "directories" };
    text.push_str(&format!("{directories} {word}"));
    if !settings.has(Opt::DirectoriesOnly) {
        let word = if files == 1 { "file" } else { "files" };
        text.push_str(&format!(", {files} {word}"));
    }
    text.push('\n');
    text
}
