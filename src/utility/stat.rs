//! `stat`: shows a file's metadata. GNU coreutils stat(1).

use super::file::{BLOCK_SIZE, blocks};
use super::format::file_mode::{kind_bits, kind_name, mode_letters};
use super::format::quote::{quote_if_needed, quote_name};
use super::format::time_format::Zone;
use crate::memory::{String, ToDecimal, ToMetered, Vec, format, repeat_text};
use crate::utility::format::escape::{Escape, Escapes};
use crate::utility::format::keyword::keyword;
use crate::utility::format::specification::Specification;
use crate::utility::prelude::*;
use crate::vfs::{FileKind, Metadata};
use std::time::Duration;

options! {
    enum Opt {
        Dereference = flag('L', "dereference", "follow links"),
        FileSystem = flag('f', "file-system", "display file system status instead of file status"),
        Cached = value('\0', "cached", "MODE", "how to use cached attributes: always, never, default"),
        Format = value(
            'c',
            "format",
            "FORMAT",
            "use the specified FORMAT instead of the default; a newline after each use",
        ),
        Printf = value(
            '\0',
            "printf",
            "FORMAT",
            "like --format, but interpret backslash escapes and add no newline",
        ),
        Terse = flag('t', "terse", "print the information in terse form"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "stat",
    summary: "display file status",
    usage: "stat [OPTION]... FILE...",
    options: Opt::TABLE,
    examples: &[example("printf abc > f; stat -c '%n %s %F' f", "f 3 regular file\n")],
    run: start!(run),
    ..Utility::BASE
};

const DEFAULT: &[u8] = b"  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\n\
Device: %Hd,%Ld\tInode: %-10i  Links: %h\n\
Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n\
Access: %x\nModify: %y\nChange: %z\n Birth: %w\n";
const DEFAULT_DEVICE: &[u8] = b"  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\n\
Device: %Hd,%Ld\tInode: %-10i  Links: %-5h Device type: %Hr,%Lr\n\
Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n\
Access: %x\nModify: %y\nChange: %z\n Birth: %w\n";
const TERSE: &[u8] = b"%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n";
const SYSTEM: &[u8] = b"  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\n\
Block size: %-10s Fundamental block size: %S\n\
Blocks: Total: %-10b Free: %-10f Available: %a\nInodes: Total: %-10c Free: %d\n";
const SYSTEM_TERSE: &[u8] = b"%n %i %l %t %s %S %b %f %a %c %d\n";
/// The number of the one device that a session has.
const DEVICE: u64 = 1;

struct Format<'f> {
    text: &'f [u8],
    escapes: bool,
    newline: bool,
}

/// Exit status: 0, or 1 when a file could not be looked at (the others still are).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    for word in options.values(Opt::Cached) {
        // Nothing is cached, so what is told is always current.
        keyword("--cached", &[(&["default"], ()), (&["never"], ()), (&["always"], ())], word)?;
    }
    if options.operands.is_empty() {
        return Err(UtilityError::Usage("missing operand".into()));
    }
    let zone = Zone::of(&ctx.env);
    let chosen = options.last_of([Opt::Format, Opt::Printf]);
    let given = chosen.and_then(|name| options.value(name)).cloned();
    let escapes = chosen == Some(Opt::Printf);
    let mut status = ExitStatus::SUCCESS;
    for operand in &options.operands {
        ctx.tick().await?;
        let metadata = match look(ctx, operand, options.has(Opt::Dereference) || options.has(Opt::FileSystem))
        {
            Ok(metadata) => metadata,
            Err(error) => {
                let what = if options.has(Opt::FileSystem) {
                    format!("cannot read file system information for {}", quote_name(operand))
                } else {
                    format!("cannot statx {}", quote_name(operand))
                };
                status = ctx.complain(what, error)?;
                continue;
            }
        };
        let default = match (options.has(Opt::FileSystem), options.has(Opt::Terse)) {
            (true, false) => SYSTEM,
            (true, true) => SYSTEM_TERSE,
            (false, true) => TERSE,
            (false, false) if metadata.device.is_some() => DEFAULT_DEVICE,
            (false, false) => DEFAULT,
        };
        let format = match &given {
            Some(text) => Format { text, escapes, newline: !escapes },
            None => Format { text: default, escapes: false, newline: false },
        };
        let subject =
            Subject { name: operand, metadata: &metadata, zone: &zone, always_quotes: given.is_some() };
        let line = if options.has(Opt::FileSystem) {
            print(ctx, &format, |ctx, directive| subject.system_value(ctx, directive))
        } else {
            print(ctx, &format, |ctx, directive| subject.value(ctx, directive))
        };
        ctx.stdout.write(&line).await?;
    }
    Ok(status)
}

/// `-` is standard input.
fn look(ctx: &Context, operand: &[u8], follow: bool) -> Result<Metadata, FsError> {
    if operand == b"-"
        && let Some(metadata) = ctx.description(0).and_then(|description| description.metadata())
    {
        return Ok(metadata);
    }
    if follow { ctx.stat(operand) } else { ctx.lstat(operand) }
}

/// A directive: its specification, and one or two letters.
struct Directive {
    specification: Specification,
    /// `H` or `L` before the letter.
    part: u8,
    letter: u8,
}

enum Value {
    Words(Vec<u8>),
    Number(u64),
    Octal(u32),
    Hexadecimal(u64),
    Seconds(Duration),
    Unknown,
}

fn print(ctx: &mut Context, format: &Format<'_>, value: impl Fn(&Context, &Directive) -> Value) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = format.text;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = match byte {
            b'\\' if format.escapes => escape(ctx, tail, &mut out),
            b'%' => {
                let (directive, tail) = parse_directive(tail);
                match directive.letter {
                    0 | b'%' => out.push(b'%'),
                    _ => put(&directive, value(ctx, &directive), &mut out),
                }
                tail
            }
            _ => {
                out.push(byte);
                tail
            }
        };
    }
    if format.newline {
        out.push(b'\n');
    }
    out
}

fn escape<'f>(ctx: &mut Context, text: &'f [u8], out: &mut Vec<u8>) -> &'f [u8] {
    let (escape, length) = Escapes::STAT.read(text);
    match escape {
        Escape::Byte(byte) => out.push(byte),
        Escape::Alone => {
            ctx.warn("warning: backslash at end of format");
            out.push(b'\\');
        }
        Escape::Unknown(letter) | Escape::LacksDigit(letter) => {
            ctx.warn(format_args!("warning: unrecognized escape '\\{}'", char::from(letter)));
            out.push(letter);
        }
        Escape::End | Escape::CodePoint(_) => {}
    }
    text.get(length..).unwrap_or(&[])
}

fn parse_directive(text: &[u8]) -> (Directive, &[u8]) {
    let (specification, mut rest) = Specification::read(text, b"-+ #0'");
    let mut directive = Directive { specification, part: 0, letter: 0 };
    if let [part @ (b'H' | b'L'), b'd' | b'r', ..] = rest {
        directive.part = *part;
        rest = rest.get(1..).unwrap_or(&[]);
    }
    if let Some((&letter, tail)) = rest.split_first() {
        directive.letter = letter;
        rest = tail;
    }
    (directive, rest)
}

fn put(directive: &Directive, value: Value, out: &mut Vec<u8>) {
    let Directive { specification, .. } = directive;
    let sign = |text: String| format!("{}{text}", bstr::BStr::new(specification.sign(false)));
    let (text, is_number) = match value {
        Value::Words(words) => {
            let end = specification.precision.unwrap_or(words.len()).min(words.len());
            (words.get(..end).unwrap_or(&words).to_metered(), false)
        }
        Value::Number(number) => (sign(number.to_decimal()).into_bytes(), true),
        Value::Octal(number) if specification.alternate => (format!("0{number:o}").into_bytes(), true),
        Value::Octal(number) => (format!("{number:o}").into_bytes(), true),
        Value::Hexadecimal(number) if specification.alternate => (format!("{number:#x}").into_bytes(), true),
        Value::Hexadecimal(number) => (format!("{number:x}").into_bytes(), true),
        Value::Seconds(time) => (sign(seconds(time, specification.precision)).into_bytes(), true),
        Value::Unknown => (b"?".to_metered(), false),
    };
    specification.put(b"", &text, specification.zero && is_number, out);
}

/// Whole seconds, or with as many decimals as asked for (`%.X`: nine).
fn seconds(time: Duration, precision: Option<usize>) -> String {
    let Some(precision) = precision else { return time.as_secs().to_decimal() };
    let precision = if precision == 0 { 9 } else { precision };
    let nanoseconds = format!("{:09}", time.subsec_nanos());
    let shown = nanoseconds.get(..precision.min(9)).unwrap_or(&nanoseconds);
    format!("{}.{shown}{}", time.as_secs(), repeat_text("0", precision.saturating_sub(shown.len())))
}

struct Subject<'s> {
    name: &'s [u8],
    metadata: &'s Metadata,
    zone: &'s Zone,
    always_quotes: bool,
}

impl Subject<'_> {
    fn value(&self, ctx: &Context, directive: &Directive) -> Value {
        let metadata = self.metadata;
        let (major, minor) =
            metadata.device.map_or((0, 0), |(major, minor)| (u64::from(major), u64::from(minor)));
        let name = |name: Option<Text>| {
            Value::Words(name.map_or_else(|| b"UNKNOWN".to_metered(), |name| name.to_metered()))
        };
        match directive.letter {
            b'a' => Value::Octal(metadata.mode),
            b'A' => Value::Words(mode_letters(metadata.kind, metadata.mode).into_bytes()),
            b'b' => Value::Number(blocks(metadata)),
            b'B' => Value::Number(512),
            b'C' => Value::Unknown,
            b'd' if directive.part == b'H' => Value::Number(0),
            b'd' => Value::Number(DEVICE),
            b'D' => Value::Hexadecimal(DEVICE),
            b'f' => Value::Hexadecimal(u64::from(kind_bits(metadata.kind) | metadata.mode)),
            b'F' => Value::Words(kind_name(metadata.kind, metadata.size).as_bytes().to_metered()),
            b'g' => Value::Number(u64::from(metadata.gid)),
            b'G' => name(ctx.group_name(metadata.gid)),
            b'h' => Value::Number(metadata.links),
            b'i' => Value::Number(metadata.inode),
            b'm' => Value::Words(b"/".to_metered()),
            b'n' => Value::Words(self.name.to_metered()),
            b'N' => Value::Words(self.quoted_name(ctx, self.always_quotes)),
            b'o' => Value::Number(BLOCK_SIZE),
            b'r' => match directive.part {
                b'H' => Value::Number(major),
                b'L' => Value::Number(minor),
                _ => Value::Number(major << 8 | minor),
            },
            b's' => Value::Number(metadata.size),
            b't' => Value::Hexadecimal(major),
            b'T' => Value::Hexadecimal(minor),
            b'u' => Value::Number(u64::from(metadata.uid)),
            b'U' => name(ctx.user_name(metadata.uid)),
            b'w' => Value::Words(b"-".to_metered()),
            b'W' => Value::Number(0),
            b'x' => self.time(metadata.accessed),
            b'X' => Value::Seconds(metadata.accessed),
            b'y' => self.time(metadata.modified),
            b'Y' => Value::Seconds(metadata.modified),
            b'z' => self.time(metadata.changed),
            b'Z' => Value::Seconds(metadata.changed),
            _ => Value::Unknown,
        }
    }

    fn time(&self, time: Duration) -> Value {
        Value::Words(self.zone.format(b"%Y-%m-%d %H:%M:%S.%N %z", &self.zone.since_epoch(time)))
    }

    /// Quoted, in the default output only where it must be.
    fn quoted_name(&self, ctx: &Context, always: bool) -> Vec<u8> {
        let quote = if always { quote_name } else { quote_if_needed };
        let mut shown = quote(self.name);
        if self.metadata.kind == FileKind::Symlink
            && let Ok(target) = ctx.fs().read_link(&ctx.absolute(self.name))
        {
            shown.push_str(" -> ");
            shown.push_str(&quote(&target));
        }
        shown.into_bytes()
    }

    /// `-f`: the file system as a whole, of the session's limits.
    fn system_value(&self, ctx: &Context, directive: &Directive) -> Value {
        let (limits, usage) = (ctx.meter.limits(), ctx.fs().usage());
        let total = limits.file_system_bytes / BLOCK_SIZE;
        let free = limits.file_system_bytes.saturating_sub(usage.memory) / BLOCK_SIZE;
        match directive.letter {
            b'a' | b'f' => Value::Number(free),
            b'b' => Value::Number(total),
            b'c' => Value::Number(limits.files),
            b'd' => Value::Number(limits.files.saturating_sub(usage.files)),
            b'i' => Value::Hexadecimal(DEVICE),
            b'l' => Value::Number(255),
            b'n' => Value::Words(self.name.to_metered()),
            b's' | b'S' => Value::Number(BLOCK_SIZE),
            b't' => Value::Hexadecimal(0x0102_1994),
            b'T' => Value::Words(b"tmpfs".to_metered()),
            _ => Value::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    #[test]
    fn directives() {
        let fixture = Fixture::new(&[("x", "abc")]);
        let run = |format: &str| fixture.run("stat", &["-c", format, "x"], b"").stdout;
        assert_eq!(run("%a %A %f %F %h %s %b %B %o"), "644 -rw-r--r-- 81a4 regular file 1 3 8 512 4096\n");
        assert_eq!(
            run("a\\n%10n|%-10n|%#a|%.1n|%+s|% s|%05s|%q|%%|%"),
            "a\\n         x|x         |0644|x|+3| 3|00003|?|%|%\n"
        );
        assert_eq!(
            run("%Y|%.3Y|%.X|%y"),
            "1779971696|1779971696.789|1779971696.789000000|2026-05-28 12:34:56.789000000 +0000\n"
        );
        let outcome = fixture.run("stat", &["--printf", "%n\\t%s\\n\\x41\\101", "x"], b"");
        assert_eq!(outcome.stdout, "x\t3\nAA");
    }

    #[test]
    fn the_default_shows_everything() {
        let fixture = Fixture::new(&[("x", "abc")]);
        let shown = fixture.run("stat", &["x"], b"").stdout;
        assert!(shown.starts_with(
            "  File: x\n  Size: 3         \tBlocks: 8          IO Block: 4096   regular file\n"
        ));
        assert!(
            shown.contains("\nAccess: (0644/-rw-r--r--)  Uid: (    0/    root)   Gid: (    0/    root)\n")
        );
        assert!(shown.ends_with("Change: 2026-05-28 12:34:56.789000000 +0000\n Birth: -\n"));
        let outcome = fixture.run("stat", &["nope"], b"");
        assert_eq!(outcome.stderr, "stat: cannot statx 'nope': No such file or directory\n");
    }
}
