//! `-printf`: escapes and directives. The format is parsed once.

use super::run::Candidate;
use crate::memory::{String, ToDecimal, ToMetered, ToMeteredString, Vec, format};
use crate::text::Text;
use crate::utility::file::{blocks, last_component};
use crate::utility::format::escape::{Escape, Escapes};
use crate::utility::format::file_mode::{kind_letter, mode_letters, permission_letters};
use crate::utility::format::float::format_float;
use crate::utility::format::specification::Specification;
use crate::utility::format::time_format::Zone;
use crate::utility::{Context, UtilityError};
use crate::vfs::{Errno, FileKind, FsError};
use std::time::Duration;

/// A parsed format.
#[derive(Debug)]
pub(super) struct Format {
    pieces: Vec<Piece>,
}

#[derive(Debug)]
enum Piece {
    Text(Vec<u8>),
    /// `\c`
    Stop,
    Directive(Directive),
}

#[derive(Debug)]
struct Directive {
    specification: Specification,
    letter: u8,
    /// The letter after `%A`, `%C`, `%T`, `%B`.
    time: u8,
}

impl Format {
    /// Parses a format.
    pub(super) fn parse(text: &[u8]) -> Result<Self, UtilityError> {
        let mut pieces = Vec::new();
        let mut literal = Vec::new();
        let mut rest = text;
        while let Some((&byte, tail)) = rest.split_first() {
            rest = tail;
            match byte {
                b'\\' => {
                    let (stop, tail) = escape(tail, &mut literal);
                    rest = tail;
                    if stop {
                        pieces.push(Piece::Text(std::mem::take(&mut literal)));
                        pieces.push(Piece::Stop);
                    }
                }
                b'%' if tail.first() == Some(&b'%') => {
                    literal.push(b'%');
                    rest = tail.get(1..).unwrap_or(&[]);
                }
                b'%' => {
                    let (directive, after) = Directive::parse(tail)?;
                    if let Some(directive) = directive {
                        pieces.push(Piece::Text(std::mem::take(&mut literal)));
                        pieces.push(Piece::Directive(directive));
                    } else {
                        // An unknown directive is printed as it stands.
                        literal.push(b'%');
                        let length = tail.len() - after.len();
                        literal.extend_from_slice(tail.get(..length).unwrap_or(tail));
                    }
                    rest = after;
                }
                _ => literal.push(byte),
            }
        }
        pieces.push(Piece::Text(literal));
        Ok(Self { pieces })
    }

    /// What is printed for a file.
    pub(super) fn print(&self, ctx: &Context, file: &Candidate<'_>, zone: &Zone) -> Result<Vec<u8>, FsError> {
        let mut out = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text),
                Piece::Stop => break,
                Piece::Directive(directive) => {
                    let (value, is_number) = directive.value(ctx, file, zone)?;
                    directive.put(&value, is_number, &mut out);
                }
            }
        }
        Ok(out)
    }
}

/// Reads what follows a backslash; true for `\c`.
fn escape<'t>(text: &'t [u8], out: &mut Vec<u8>) -> (bool, &'t [u8]) {
    let (escape, length) = Escapes::FIND.read(text);
    match escape {
        Escape::Byte(byte) => out.push(byte),
        Escape::Unknown(letter) => out.extend_from_slice(&[b'\\', letter]),
        Escape::Alone => out.push(b'\\'),
        Escape::End | Escape::LacksDigit(_) | Escape::CodePoint(_) => {}
    }
    (escape == Escape::End, text.get(length..).unwrap_or(&[]))
}

impl Directive {
    fn parse(text: &[u8]) -> Result<(Option<Self>, &[u8]), UtilityError> {
        let (specification, rest) = Specification::read(text, b"-+ #0");
        let mut directive = Self { specification, letter: 0, time: 0 };
        let Some((&letter, tail)) = rest.split_first() else {
            return Err(UtilityError::failed("error: % at end of format string"));
        };
        directive.letter = letter;
        match letter {
            b'A' | b'B' | b'C' | b'T' => {
                let Some((&time, tail)) = tail.split_first() else { return Ok((None, tail)) };
                directive.time = time;
                let known = b"@+aAbBcCdDeFgGhHIjklmMnpqrRsSStTuUVwWxXyYzZ";
                Ok((known.contains(&time).then_some(directive), tail))
            }
            b'a' | b'b' | b'c' | b'd' | b'D' | b'f' | b'F' | b'g' | b'G' | b'h' | b'H' | b'i' | b'k'
            | b'l' | b'm' | b'M' | b'n' | b'p' | b'P' | b's' | b'S' | b't' | b'u' | b'U' | b'y' | b'Y' => {
                Ok((Some(directive), tail))
            }
            _ => Ok((None, tail)),
        }
    }

    /// The value, and whether it is a number to `printf`: what may be large is a text to GNU's find.
    fn value(&self, ctx: &Context, file: &Candidate<'_>, zone: &Zone) -> Result<(Vec<u8>, bool), FsError> {
        let metadata = file.metadata;
        let number = |value: u64| (value.to_decimal().into_bytes(), false);
        let words = |text: &[u8]| (text.to_metered(), false);
        let name = |name: Option<Text>, id: u32| match name {
            Some(name) => (name.to_metered(), false),
            None => (id.to_decimal().into_bytes(), false),
        };
        Ok(match self.letter {
            b'a' => (time_text(zone, metadata.accessed), false),
            b'c' => (time_text(zone, metadata.changed), false),
            b't' => (time_text(zone, metadata.modified), false),
            b'A' => (self.time(zone, metadata.accessed), false),
            b'C' => (self.time(zone, metadata.changed), false),
            b'T' => (self.time(zone, metadata.modified), false),
            b'B' => words(b""),
            b'b' => number(blocks(metadata)),
            b'k' => number(blocks(metadata).div_ceil(2)),
            b'd' => (file.depth.to_decimal().into_bytes(), true),
            b'D' => number(1),
            b'f' => words(base_name(file.path)),
            b'F' => words(b"tmpfs"),
            b'g' => name(ctx.group_name(metadata.gid), metadata.gid),
            b'G' => number(u64::from(metadata.gid)),
            b'h' => words(directory_name(file.path)),
            b'H' => words(file.start()),
            b'i' => number(metadata.inode),
            b'l' if metadata.kind == FileKind::Symlink => words(&ctx.fs().read_link(&ctx.path(file.path)?)?),
            b'l' => words(b""),
            b'm' if self.specification.alternate => (format!("0{:o}", metadata.mode).into_bytes(), true),
            b'm' => (format!("{:o}", metadata.mode).into_bytes(), true),
            b'M' => words(mode_letters(metadata.kind, metadata.mode).as_bytes()),
            b'n' => number(metadata.links),
            b'p' => words(file.path),
            b'P' => words(file.below_start()),
            b's' => number(metadata.size),
            b'S' if metadata.size == 0 => words(b"1"),
            b'S' => {
                let ratio = (blocks(metadata) * 512) as f64 / metadata.size as f64;
                (format_float(ratio, b'g', 6, false).into_bytes(), false)
            }
            b'u' => name(ctx.user_name(metadata.uid), metadata.uid),
            b'U' => number(u64::from(metadata.uid)),
            b'y' => words(&[type_letter(metadata.kind)]),
            _ => words(&[target_letter(ctx, file)?]),
        })
    }

    fn put(&self, value: &[u8], is_number: bool, out: &mut Vec<u8>) {
        let Self { specification, letter, .. } = self;
        if !is_number {
            let most = specification.precision.unwrap_or(value.len());
            return specification.put(b"", value.get(..most).unwrap_or(value), false, out);
        }
        let sign: &[u8] = if *letter == b'd' { specification.sign(false) } else { b"" };
        let mut digits = Vec::new();
        digits.resize_by(specification.precision.unwrap_or(0).saturating_sub(value.len()), b'0');
        digits.extend_from_slice(value);
        specification.put(sign, &digits, specification.zero && specification.precision.is_none(), out);
    }

    fn time(&self, zone: &Zone, time: Duration) -> Vec<u8> {
        let moment = zone.since_epoch(time);
        match self.time {
            b'@' => format!("{}.{:09}0", time.as_secs(), time.subsec_nanos()).into_bytes(),
            b'+' => zone.format(b"%Y-%m-%d+%H:%M:%S.%N0", &moment),
            b'S' | b'T' | b'X' => zone.format(&[b'%', self.time, b'.', b'%', b'N', b'0'], &moment),
            b'c' => zone.format(b"%a %b %e %H:%M:%S.%N0 %Y", &moment),
            letter => zone.format(&[b'%', letter], &moment),
        }
    }
}

/// As `ctime`, with the fraction: `Tue Jan  2 03:04:05.6780000000 2024`.
fn time_text(zone: &Zone, time: Duration) -> Vec<u8> {
    zone.format(b"%a %b %e %H:%M:%S.%N0 %Y", &zone.since_epoch(time))
}

const fn type_letter(kind: FileKind) -> u8 {
    match kind_letter(kind) {
        b'-' => b'f',
        letter => letter,
    }
}

/// `%Y`: the type behind a link; `N` when it leads nowhere, `L` in a loop.
fn target_letter(ctx: &Context, file: &Candidate<'_>) -> Result<u8, FsError> {
    match ctx.stat(file.path) {
        Ok(metadata) => Ok(type_letter(metadata.kind)),
        Err(FsError::Errno(Errno::NotFound | Errno::NotDirectory)) => Ok(b'N'),
        Err(FsError::Errno(Errno::TooManyLevels)) => Ok(b'L'),
        Err(FsError::Errno(_)) => Ok(b'?'),
        Err(FsError::Limit(limit)) => Err(limit.into()),
    }
}

/// The last component with the slashes after it.
pub(super) fn base_name(path: &[u8]) -> &[u8] {
    let name = last_component(path);
    let length = path.iter().rposition(|&byte| byte != b'/').map_or(0, |last| last + 1);
    if length == 0 {
        return name;
    }
    path.get(length.saturating_sub(name.len())..).unwrap_or(name)
}

/// What is before the last slash; `.` without one.
fn directory_name(path: &[u8]) -> &[u8] {
    match path.iter().rposition(|&byte| byte == b'/') {
        Some(slash) => path.get(..slash).unwrap_or(path),
        None => b".",
    }
}

/// `-ls`: `ls -dils`.
pub(super) fn list_line(ctx: &Context, file: &Candidate<'_>, zone: &Zone) -> Result<Vec<u8>, FsError> {
    use crate::utility::format::quote::escape_name;
    let metadata = file.metadata;
    let name =
        |name: Option<Text>, id: u32| name.map_or_else(|| id.to_decimal(), |name| name.to_metered_string());
    let size = match metadata.device {
        Some((major, minor)) => format!("{major:3}, {minor:3}"),
        None => format!("{:8}", metadata.size),
    };
    let moment = zone.since_epoch(metadata.modified);
    let recent = crate::utility::file::is_recent(metadata.modified, ctx.session.clock.now());
    let date = zone.format(if recent { b"%b %e %H:%M" } else { b"%b %e  %Y" }, &moment);
    let mut line = format!(
        "{:9} {:6} {}{} {:3} {:<8} {:<8} {size} {} ",
        metadata.inode,
        blocks(metadata).div_ceil(2),
        char::from(kind_letter(metadata.kind)),
        permission_letters(metadata.mode),
        metadata.links,
        name(ctx.user_name(metadata.uid), metadata.uid),
        name(ctx.group_name(metadata.gid), metadata.gid),
        String::from_utf8_lossy(&date),
    );
    escape_name(file.path, &mut line);
    if metadata.kind == FileKind::Symlink {
        line.push_str(" -> ");
        escape_name(&ctx.fs().read_link(&ctx.path(file.path)?)?, &mut line);
    }
    line.push('\n');
    Ok(line.into_bytes())
}
