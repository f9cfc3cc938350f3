//! `od`: dumps bytes in octal and other formats. GNU coreutils od(1).
//!
//! Input is cut into blocks of one output line; each format prints the block on a line of its own, its fields spread over
//! the columns that the widest format needs. Lines that repeat the one before are shown as `*`.

use super::format::count::parse_count;
use crate::memory::{String, ToDecimal, ToMetered, ToMeteredString, Vec, format, repeat_text};
use crate::utility::prelude::*;
use std::fmt::Write as _;

options! {
    enum Opt {
        AddressRadix = value('A', "address-radix", "RADIX", "output format for file offsets: d, o, x or n"),
        SkipBytes = value('j', "skip-bytes", "BYTES", "skip BYTES input bytes first"),
        ReadBytes = value('N', "read-bytes", "BYTES", "limit dump to BYTES input bytes"),
        Format = value(
            't',
            "format",
            "TYPE",
            "select output format: a, c, d, o, u, x with size 1, 2, 4, 8 or C, S, I, L; z",
        ),
        OutputDuplicates = flag('v', "output-duplicates", "do not use * to mark line suppression"),
        Width = value('w', "width", "BYTES", "output BYTES bytes per output line"),
        Named = flag('a', "", "same as -t a"),
        Octal1 = flag('b', "", "same as -t o1"),
        Characters = flag('c', "", "same as -t c"),
        Unsigned2 = flag('d', "", "same as -t u2"),
        SignedInt = flag('i', "", "same as -t dI"),
        SignedLong = flag('l', "", "same as -t dL"),
        Octal2 = flag('o', "", "same as -t o2"),
        Signed2 = flag('s', "", "same as -t d2"),
        Hexadecimal2 = flag('x', "", "same as -t x2") | flag('h', "", "same as -t x2"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "od",
    summary: "dump files in octal and other formats",
    usage: "od [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("printf 'a\\n' | od -c", "0000000   a  \\n\n0000002\n")],
    run: start!(run),
    ..Utility::BASE
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Named,
    Character,
    Signed,
    Unsigned,
    Octal,
    Hexadecimal,
}

/// How bytes are shown: fields of `size` bytes, with `width` columns each.
#[derive(Clone, Copy, Debug)]
struct Format {
    kind: Kind,
    size: usize,
    width: usize,
    /// Followed by the printable characters.
    text: bool,
}

struct Settings {
    formats: Vec<Format>,
    radix: u8,
    skip: u64,
    limit: u64,
    line: usize,
    all: bool,
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let settings = settings(&options)?;
    let mut dump = Dump { offset: settings.skip, previous: Vec::new(), starred: false, line: Vec::new() };
    let mut status = ExitStatus::SUCCESS;
    // The last offset is printed even where nothing could be read of what was opened.
    let mut has_opened = false;
    let (mut skip, mut left) = (settings.skip, settings.limit);
    for operand in ctx.inputs(&options.operands) {
        if let Err(error) = read(ctx, &settings, &operand, &mut dump, &mut skip, &mut left).await {
            let errno = error.errno()?;
            let is_opened = errno == Errno::IsDirectory || operand == b"-";
            has_opened |= is_opened;
            let shown = if is_opened { quote_input(&operand) } else { quote_operand(&operand) };
            status = ctx.warn(format_args!("{shown}: {}", errno.message()));
        }
    }
    if skip > 0 && status.is_success() {
        return Err(UtilityError::failed("cannot skip past end of combined input"));
    }
    dump.write_line(ctx, &settings);
    if settings.radix != b'n' && (status.is_success() || has_opened || dump.offset > 0) {
        let end = address(settings.radix, dump.offset);
        ctx.stdout.write(format!("{end}\n").as_bytes()).await?;
    }
    Ok(status)
}

fn settings(options: &Options<Opt>) -> Result<Settings, UtilityError> {
    let mut formats = Vec::new();
    for (option, argument) in options.given() {
        let text: &[u8] = match option {
            Opt::Format => argument.map_or(b"", Text::as_bytes),
            Opt::Named => b"a",
            Opt::Octal1 => b"o1",
            Opt::Characters => b"c",
            Opt::Unsigned2 => b"u2",
            Opt::SignedInt => b"d4",
            Opt::SignedLong => b"d8",
            Opt::Octal2 => b"o2",
            Opt::Signed2 => b"d2",
            Opt::Hexadecimal2 => b"x2",
            Opt::AddressRadix | Opt::SkipBytes | Opt::ReadBytes | Opt::OutputDuplicates | Opt::Width => {
                continue;
            }
        };
        parse_formats(text, &mut formats)?;
    }
    if formats.is_empty() {
        parse_formats(b"o2", &mut formats)?;
    }
    let radix = match options.value(Opt::AddressRadix).map(Text::as_bytes) {
        None => b'o',
        Some([radix @ (b'd' | b'o' | b'x' | b'n'), ..]) => *radix,
        Some(text) => {
            let shown = text.first().map_or(' ', |byte| char::from(*byte));
            return Err(UtilityError::failed(format!(
                "invalid output address radix '{shown}'; it must be one character from [doxn]"
            )));
        }
    };
    let number = |option: Opt, default: u64| {
        let Some(text) = options.value(option) else { return Ok(default) };
        parse_count(text).map_err(|_| {
            UtilityError::failed(format!("invalid -{} argument {}", option.short(), quote_name(text)))
        })
    };
    let multiple = formats.iter().map(|format| format.size).max().unwrap_or(1);
    let line = usize::try_from(number(Opt::Width, 16)?).unwrap_or(0);
    if line == 0 || !line.is_multiple_of(multiple) || line > 65_536 {
        return Err(UtilityError::failed(format!("invalid -w argument '{line}'")));
    }
    Ok(Settings {
        formats,
        radix,
        skip: number(Opt::SkipBytes, 0)?,
        limit: number(Opt::ReadBytes, u64::MAX)?,
        line,
        all: options.has(Opt::OutputDuplicates),
    })
}

fn parse_formats(text: &[u8], formats: &mut Vec<Format>) -> Result<(), UtilityError> {
    let mut rest = text;
    while let Some((&letter, tail)) = rest.split_first() {
        rest = tail;
        let kind = match letter {
            b'a' => Kind::Named,
            b'c' => Kind::Character,
            b'd' => Kind::Signed,
            b'u' => Kind::Unsigned,
            b'o' => Kind::Octal,
            b'x' => Kind::Hexadecimal,
            _ => {
                return Err(UtilityError::failed(format!(
                    "invalid character '{}' in type string {}",
                    char::from(letter),
                    quote(text)
                )));
            }
        };
        let mut size = 1;
        if !matches!(kind, Kind::Named | Kind::Character) {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let (number, after) = rest.split_at_checked(digits).unwrap_or((rest, &[]));
            (size, rest) = match (number, after) {
                ([], [b'C', after @ ..]) => (1, after),
                ([], [b'S', after @ ..]) => (2, after),
                ([], [b'I', after @ ..]) => (4, after),
                ([], [b'L', after @ ..]) => (8, after),
                ([], after) => (4, after),
                (b"1" | b"2" | b"4" | b"8", after) => {
                    (usize::from(number.first().copied().unwrap_or(b'1') - b'0'), after)
                }
                _ => {
                    return Err(UtilityError::failed(format!(
                        "invalid type string {};\nthis system doesn't provide a {}-byte integral type",
                        quote(text),
                        bstr::BStr::new(number)
                    )));
                }
            };
        }
        let digits = match (kind, size) {
            (Kind::Named | Kind::Character, _) => [3, 3, 3, 3],
            (Kind::Signed, _) => [4, 6, 11, 20],
            (Kind::Unsigned, _) => [3, 5, 10, 20],
            (Kind::Octal, _) => [3, 6, 11, 22],
            (Kind::Hexadecimal, _) => [2, 4, 8, 16],
        };
        let width = digits.get(size.trailing_zeros() as usize).copied().unwrap_or(3);
        let has_text = rest.first() == Some(&b'z');
        rest = rest.strip_prefix(b"z").unwrap_or(rest);
        formats.push(Format { kind, size, width, text: has_text });
    }
    Ok(())
}

fn address(radix: u8, offset: u64) -> String {
    match radix {
        b'd' => format!("{offset:07}"),
        b'x' => format!("{offset:06x}"),
        _ => format!("{offset:07o}"),
    }
}

async fn read(
    ctx: &mut Context,
    settings: &Settings,
    operand: &[u8],
    dump: &mut Dump,
    skip: &mut u64,
    left: &mut u64,
) -> Result<(), OperandError> {
    let mut input = ctx.open_input(operand)?;
    while *left > 0 {
        ctx.tick().await?;
        let block = input.fill().await?;
        if block.is_empty() {
            break;
        }
        if *skip > 0 {
            let count = block.len().min(usize::try_from(*skip).unwrap_or(usize::MAX));
            input.consume(count);
            *skip -= count as u64;
            continue;
        }
        let room = (settings.line - dump.line.len()).min(usize::try_from(*left).unwrap_or(usize::MAX));
        let count = block.len().min(room);
        dump.line.extend_from_slice(block.get(..count).unwrap_or(block));
        input.consume(count);
        *left -= count as u64;
        if dump.line.len() == settings.line {
            dump.write_line(ctx, settings);
            ctx.stdout.flush_if_full().await?;
        }
    }
    Ok(())
}

/// The bytes of the line that is being filled, and what was printed before.
struct Dump {
    offset: u64,
    previous: Vec<u8>,
    starred: bool,
    line: Vec<u8>,
}

impl Dump {
    fn write_line(&mut self, ctx: &mut Context, settings: &Settings) {
        let length = self.line.len();
        if length == 0 {
            return;
        }
        if !settings.all && length == settings.line && self.line == self.previous {
            if !std::mem::replace(&mut self.starred, true) {
                ctx.stdout.push(b"*\n");
            }
        } else {
            self.starred = false;
            let shown =
                if settings.radix == b'n' { String::new() } else { address(settings.radix, self.offset) };
            // Fields of all formats share the columns of the widest.
            let columns = |format: &Format| settings.line / format.size * (format.width + 1);
            let widest = settings.formats.iter().map(columns).max().unwrap_or(0);
            for (index, format) in settings.formats.iter().enumerate() {
                let mut text = if index == 0 { shown.clone() } else { repeat_text(" ", shown.len()) };
                format.append(&self.line, settings.line, widest, &mut text);
                text.push('\n');
                ctx.stdout.push(text.as_bytes());
            }
        }
        self.offset = self.offset.saturating_add(length as u64);
        std::mem::swap(&mut self.previous, &mut self.line);
        self.line.clear();
    }
}

impl Format {
    fn append(&self, line: &[u8], length: usize, columns: usize, out: &mut String) {
        let fields = length / self.size;
        let padding = columns - fields * self.width;
        let mut written = 0;
        let mut spread = padding;
        for (index, field) in line.chunks(self.size).enumerate() {
            let rest = padding * (fields - index - 1) / fields;
            let width = self.width + spread - rest;
            spread = rest;
            let text = self.field(field);
            written += width;
            let _ = write!(out, "{text:>width$}");
        }
        if self.text {
            out.push_str(&repeat_text(" ", columns.saturating_sub(written)));
            out.push_str("  >");
            out.extend(
                line.iter().map(|byte| if matches!(byte, 0x20..0x7f) { char::from(*byte) } else { '.' }),
            );
            out.push('<');
        }
    }

    fn field(&self, bytes: &[u8]) -> String {
        let mut value = [0; 8];
        for (slot, byte) in value.iter_mut().zip(bytes) {
            *slot = *byte;
        }
        let number = u64::from_le_bytes(value);
        let (width, shift) = (self.width, 64 - 8 * self.size.min(8) as u32);
        match self.kind {
            Kind::Named => named(number as u8 & 0x7f),
            Kind::Character => character(number as u8),
            Kind::Signed => ((number << shift).cast_signed() >> shift).to_decimal(),
            Kind::Unsigned => number.to_decimal(),
            Kind::Octal => format!("{number:0width$o}"),
            Kind::Hexadecimal => format!("{number:0width$x}"),
        }
    }
}

fn named(byte: u8) -> String {
    const NAMES: [&str; 33] = [
        "nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "nl", "vt", "ff", "cr", "so",
        "si", "dle", "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em", "sub", "esc", "fs", "gs",
        "rs", "us", "sp",
    ];
    match NAMES.get(usize::from(byte)) {
        Some(name) => (*name).to_metered(),
        None if byte == 0x7f => "del".to_metered(),
        None => char::from(byte).to_metered_string(),
    }
}

fn character(byte: u8) -> String {
    let escape = match byte {
        0 => "\\0",
        0x07 => "\\a",
        0x08 => "\\b",
        b'\t' => "\\t",
        b'\n' => "\\n",
        0x0b => "\\v",
        0x0c => "\\f",
        b'\r' => "\\r",
        0x20..0x7f => return char::from(byte).to_metered_string(),
        _ => return format!("{byte:03o}"),
    };
    escape.to_metered()
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn dumps() {
        let od = |args: &[&str], input: &[u8]| run("od", args, input, &[]).stdout;
        assert_eq!(od(&["-c"], b"a\n\0\xff"), "0000000   a  \\n  \\0 377\n0000004\n");
        assert_eq!(od(&["-An", "-tx1"], b"hello"), " 68 65 6c 6c 6f\n");
        assert_eq!(od(&["-tx1c"], b"ab"), "0000000  61  62\n          a   b\n0000002\n");
        assert_eq!(
            od(&[], &[0; 36]),
            "0000000 000000 000000 000000 000000 000000 000000 000000 000000\n*\n0000040 000000 000000\n0000044\n"
        );
    }
}
