//! The merged format: both files as one text, with `#ifdef` around what differs (`-D`), or with what the formats of groups
//! and lines say. GNU diff(1), `--GTYPE-group-format` and `--LTYPE-line-format`.

use super::Opt;
use super::change::{Change, Extent, Kind};
use super::lines::File;
use super::printer::Printer;
use super::settings::agree;
use crate::memory::{JoinMetered, String, ToMetered, Vec, format};
use crate::utility::format::specification::Specification;
use crate::utility::prelude::*;

const UNCHANGED: usize = 0;
const OLD: usize = 1;
const NEW: usize = 2;
const CHANGED: usize = 3;

/// The formats, `None` where none was given.
#[derive(Clone, Debug, Default)]
pub(super) struct Formats {
    line: [Option<Text>; 3],
    group: [Option<Text>; 4],
}

impl Formats {
    /// The groups of `-D NAME`.
    pub(super) fn take_name(&mut self, name: &[u8]) -> Result<(), UtilityError> {
        let parts: [&[&[u8]]; 4] = [
            &[b"%="],
            &[b"#ifndef ", name, b"\n%<#endif /* ! ", name, b" */\n"],
            &[b"#ifdef ", name, b"\n%>#endif /* ", name, b" */\n"],
            &[b"#ifndef ", name, b"\n%<#else /* ", name, b" */\n%>#endif /* ", name, b" */\n"],
        ];
        for (slot, parts) in self.group.iter_mut().zip(parts) {
            agree(slot, Text::from(parts.concat_metered()), "-D")?;
        }
        Ok(())
    }

    pub(super) fn take(&mut self, option: Opt, text: &Text) -> Result<(), UtilityError> {
        let name = format!("--{}", option.long());
        let (slots, index) = match option {
            Opt::OldLineFormat => (self.line.as_mut_slice(), OLD),
            Opt::NewLineFormat => (self.line.as_mut_slice(), NEW),
            Opt::UnchangedLineFormat => (self.line.as_mut_slice(), UNCHANGED),
            Opt::OldGroupFormat => (self.group.as_mut_slice(), OLD),
            Opt::NewGroupFormat => (self.group.as_mut_slice(), NEW),
            Opt::UnchangedGroupFormat => (self.group.as_mut_slice(), UNCHANGED),
            Opt::ChangedGroupFormat => (self.group.as_mut_slice(), CHANGED),
            _ => {
                for slot in &mut self.line {
                    agree(slot, text.clone(), &name)?;
                }
                return Ok(());
            }
        };
        match slots.get_mut(index) {
            Some(slot) => agree(slot, text.clone(), &name),
            None => Ok(()),
        }
    }

    /// What was not given follows from what was.
    pub(super) fn completed(self) -> Self {
        let [unchanged, old, new, changed] = self.group;
        let old = old.or_else(|| changed.clone()).unwrap_or(Text::from_static(b"%<"));
        let new = new.or_else(|| changed.clone()).unwrap_or(Text::from_static(b"%>"));
        let changed =
            changed.unwrap_or_else(|| Text::from([old.as_bytes(), new.as_bytes()].concat_metered()));
        let unchanged = unchanged.unwrap_or(Text::from_static(b"%="));
        Self {
            line: self.line.map(|format| Some(format.unwrap_or(Text::from_static(b"%l\n")))),
            group: [Some(unchanged), Some(old), Some(new), Some(changed)],
        }
    }

    /// Whether lines that are the same come out.
    pub(super) fn shows_unchanged(&self) -> bool {
        match self.group(UNCHANGED).as_slice() {
            b"" => false,
            b"%=" => !self.line(UNCHANGED).is_empty(),
            _ => true,
        }
    }

    fn group(&self, index: usize) -> Vec<u8> {
        self.group.get(index).and_then(|text| text.as_ref()).map_or_else(Vec::new, |text| text.to_metered())
    }

    fn line(&self, index: usize) -> Vec<u8> {
        self.line.get(index).and_then(|text| text.as_ref()).map_or_else(Vec::new, |text| text.to_metered())
    }
}

/// Lines `[start, end)` of each file.
#[derive(Clone, Copy)]
struct Group {
    start: [usize; 2],
    end: [usize; 2],
}

impl Group {
    /// The number that a letter stands for; capitals are about the second file.
    fn letter(self, letter: u8) -> Option<usize> {
        let side = usize::from(letter.is_ascii_uppercase());
        let (start, end) = (*self.start.get(side)?, *self.end.get(side)?);
        match letter.to_ascii_lowercase() {
            b'e' => Some(start),
            b'f' => Some(start + 1),
            b'l' => Some(end),
            b'm' => Some(end + 1),
            b'n' => Some(end - start),
            _ => None,
        }
    }
}

pub(super) async fn print(printer: &mut Printer<'_>, changes: &[Change]) -> Result<(), UtilityError> {
    let formats = &printer.settings.formats;
    let lines = [UNCHANGED, OLD, NEW].map(|index| formats.line(index));
    let groups = [UNCHANGED, OLD, NEW, CHANGED].map(|index| formats.group(index));
    let [unchanged, old, new, changed] = &groups;
    let mut next = [0, 0];
    for change in changes.chunks(1) {
        let Some(extent) = Extent::of(change) else { continue };
        printer.begin().await?;
        if next != extent.start {
            let group = Group { start: next, end: extent.start };
            print_group(printer, &lines, unchanged, group).await?;
        }
        let format = match extent.kind {
            Kind::Delete => old,
            Kind::Add => new,
            Kind::Change => changed,
        };
        print_group(printer, &lines, format, Group { start: extent.start, end: extent.end }).await?;
        next = extent.end;
    }
    let end = printer.files.map(File::line_count);
    if next != end {
        printer.begin().await?;
        print_group(printer, &lines, unchanged, Group { start: next, end }).await?;
    }
    Ok(())
}

/// Where a format is read: within `%(A=B?THEN:ELSE)`, one of the two is skipped.
#[derive(Clone, Copy)]
struct Branch {
    /// Whether what is in it is printed.
    prints: bool,
    /// Whether what is around it is printed.
    outer: bool,
    /// The other branch comes after it.
    is_first: bool,
}

async fn print_group(
    printer: &mut Printer<'_>,
    lines: &[Vec<u8>; 3],
    format: &[u8],
    group: Group,
) -> Result<(), UtilityError> {
    let mut branches: Vec<Branch> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = format.get(at) {
        printer.ctx.tick().await?;
        let prints = branches.last().is_none_or(|branch| branch.prints);
        at += 1;
        match (byte, branches.last().copied()) {
            (b':', Some(branch)) if branch.is_first => {
                branches.truncate(branches.len() - 1);
                let prints = branch.outer && !branch.prints;
                branches.push(Branch { prints, outer: branch.outer, is_first: false });
                continue;
            }
            (b')', Some(branch)) if !branch.is_first => {
                branches.truncate(branches.len() - 1);
                continue;
            }
            (b'%', _) => {}
            _ => {
                if prints {
                    printer.write(&[byte]).await?;
                }
                continue;
            }
        }
        let rest = format.get(at..).unwrap_or(&[]);
        let side = match rest.first() {
            Some(b'%') => {
                at += 1;
                if prints {
                    printer.write(b"%").await?;
                }
                continue;
            }
            Some(b'(') => {
                if let Some((holds, length)) = condition(rest, group) {
                    at += length;
                    // Where nothing is printed, neither branch is.
                    branches.push(Branch { prints: prints && holds, outer: prints, is_first: true });
                } else if prints {
                    printer.write(b"%").await?;
                }
                continue;
            }
            Some(b'<') => OLD,
            Some(b'=') => UNCHANGED,
            Some(b'>') => NEW,
            _ => {
                let found = directive(rest, |letter| group.letter(letter));
                if let Some((_, length)) = found {
                    at += length;
                }
                if prints {
                    match found {
                        Some((piece, _)) => piece.print(printer).await?,
                        None => printer.write(b"%").await?,
                    }
                }
                continue;
            }
        };
        at += 1;
        if prints {
            let file = usize::from(side == NEW);
            if let (Some(format), Some(&start), Some(&end)) =
                (lines.get(side), group.start.get(file), group.end.get(file))
            {
                print_lines(printer, format, file, start, end).await?;
            }
        }
    }
    Ok(())
}

/// `(A=B?`: whether it holds, and its length.
fn condition(text: &[u8], group: Group) -> Option<(bool, usize)> {
    let mut at = 1;
    let mut values = [0, 0];
    for (slot, end) in values.iter_mut().zip(*b"=?") {
        let digits = text.get(at..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            *slot = group.letter(*text.get(at)?)?;
            at += 1;
        } else {
            *slot = std::str::from_utf8(text.get(at..at + digits)?).ok()?.parse::<usize>().ok()?;
            at += digits;
        }
        if text.get(at) != Some(&end) {
            return None;
        }
        at += 1;
    }
    let [one, two] = values;
    Some((one == two, at))
}

/// What a directive prints.
enum Piece {
    Byte(u8),
    Number { number: usize, conversion: u8, shape: Specification },
}

/// A directive after its `%`, with its length: `c'C'`, `c'\OOO'`, or `[-0'][WIDTH][.PREC]{doxX}LETTER`.
fn directive(text: &[u8], value: impl Fn(u8) -> Option<usize>) -> Option<(Piece, usize)> {
    let (shape, rest) = Specification::read(text, b"-'0");
    let [conversion, letter, tail @ ..] = rest else { return None };
    let at = text.len() - rest.len() + 2;
    match conversion {
        b'c' if *letter == b'\'' => {
            let (byte, length) = character(tail)?;
            Some((Piece::Byte(byte), at + length))
        }
        b'd' | b'o' | b'x' | b'X' => {
            Some((Piece::Number { number: value(*letter)?, conversion: *conversion, shape }, at))
        }
        _ => None,
    }
}

/// `C'` or `\OOO'`.
fn character(text: &[u8]) -> Option<(u8, usize)> {
    match text {
        [b'\\', rest @ ..] => {
            let count = rest.iter().take_while(|byte| matches!(byte, b'0'..=b'7')).count();
            let digits = rest.get(..count).filter(|digits| (1..=3).contains(&digits.len()))?;
            let byte =
                digits.iter().fold(0_u8, |byte, digit| byte.wrapping_mul(8).wrapping_add(digit - b'0'));
            (rest.get(count) == Some(&b'\'')).then_some((byte, count + 2))
        }
        [b'\'', ..] | [] => None,
        [byte, b'\'', ..] => Some((*byte, 2)),
        _ => None,
    }
}

impl Piece {
    async fn print(self, printer: &mut Printer<'_>) -> Result<(), UtilityError> {
        let (number, conversion, shape) = match self {
            Self::Byte(byte) => return printer.write(&[byte]).await,
            Self::Number { number, conversion, shape } => (number, conversion, shape),
        };
        let mut digits: String = match conversion {
            b'o' => format!("{number:o}"),
            b'x' => format!("{number:x}"),
            b'X' => format!("{number:X}"),
            _ => format!("{number}"),
        };
        if number == 0 && shape.precision == Some(0) {
            digits.clear();
        }
        let zeros = shape.precision.unwrap_or(0).saturating_sub(digits.len());
        let blanks = shape.width.saturating_sub(digits.len().saturating_add(zeros));
        let filled = shape.zero && shape.precision.is_none();
        // A width may be large: it is not filled in memory.
        if !shape.left {
            printer.repeat(if filled { b'0' } else { b' ' }, blanks).await?;
        }
        printer.repeat(b'0', zeros).await?;
        printer.write(digits.as_bytes()).await?;
        if shape.left {
            printer.repeat(b' ', blanks).await?;
        }
        Ok(())
    }
}

/// Lines of a file in their format.
async fn print_lines(
    printer: &mut Printer<'_>,
    format: &[u8],
    file: usize,
    start: usize,
    end: usize,
) -> Result<(), UtilityError> {
    let Some(&source) = printer.files.get(file) else { return Ok(()) };
    for index in start..end {
        printer.ctx.tick().await?;
        let line = source.line(index);
        let mut at = 0;
        while let Some(&byte) = format.get(at) {
            at += 1;
            printer.ctx.tick().await?;
            if byte != b'%' {
                printer.write(&[byte]).await?;
                continue;
            }
            let rest = format.get(at..).unwrap_or(&[]);
            match rest.first() {
                Some(b'%') => {
                    printer.write(b"%").await?;
                    at += 1;
                }
                Some(b'l') => {
                    printer.text(split_delimiter(line, b'\n').0, b"").await?;
                    at += 1;
                }
                Some(b'L') => {
                    printer.text(line, b"").await?;
                    at += 1;
                }
                _ => match directive(rest, |letter| (letter == b'n').then_some(index + 1)) {
                    Some((piece, length)) => {
                        piece.print(printer).await?;
                        at += length;
                    }
                    None => printer.write(b"%").await?,
                },
            }
        }
    }
    Ok(())
}
