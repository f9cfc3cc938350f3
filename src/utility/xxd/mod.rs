//! `xxd`: dumps bytes in hexadecimal or binary digits, and back. xxd(1) as of Vim 9.0.
//!
//! Options are words of which the first letter counts (`-p`, `-ps`, `-plain`), and end at the first operand; they are brought
//! into the form of the other utilities first (`arguments.rs`). `revert.rs` is the way back.

mod arguments;
mod revert;

use super::context::pace::tick_bytes;
use crate::memory::{String, ToMetered, Vec, format};
use crate::utility::prelude::*;
use crate::vfs::OpenOptions;
use arguments::{normalise, number};

options! {
    enum Opt {
        Autoskip = flag('a', "autoskip", "a single '*' replaces lines of NUL"),
        Bits = flag('b', "bits", "binary digits"),
        Capitalize = flag('C', "capitalize", "capitalize variable names (-i)"),
        Columns = value('c', "cols", "COLS", "COLS bytes per line: default 16 (-i: 12, -ps: 30, -b: 6)"),
        Decimal = flag('d', "decimal", "show offsets in decimal"),
        Ebcdic = flag('E', "EBCDIC", "show characters in EBCDIC"),
        LittleEndian = flag('e', "", "little-endian groups"),
        Group = value('g', "groupsize", "BYTES", "BYTES per group: default 2 (-e: 4, -b: 1)"),
        Usage = flag('h', "", "print this summary, with status 1"),
        Include = flag('i', "include", "output as a C include file"),
        Length = value('l', "len", "LEN", "stop after LEN bytes"),
        Name = value('n', "name", "NAME", "name of the variable (-i)"),
        Offset = value('o', "offset", "OFF", "add OFF to the displayed file position"),
        Plain = flag('p', "plain", "plain hexadecimal digits"),
        Revert = flag('r', "revert", "convert (or patch) a dump into bytes"),
        Seek = value('s', "seek", "[+][-]SEEK", "start at SEEK bytes of the input"),
        Upper = flag('u', "uppercase", "upper case digits"),
        Version = flag('v', "", "show the version"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "xxd",
    summary: "make a hexdump or do the reverse",
    usage: "xxd [options] [infile [outfile]]\nxxd -r [-s [-]offset] [-c cols] [-ps] [infile [outfile]]",
    options: Opt::TABLE,
    examples: &[
        example("printf 'hello\\n' | xxd", "00000000: 6865 6c6c 6f0a                           hello.\n"),
        example("echo 68690a | xxd -r -p", "hi\n"),
    ],
    run: start!(run),
    ..Utility::BASE
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Normal,
    Bits,
    LittleEndian,
    Plain,
    Include,
}

struct XxdOptions {
    style: Style,
    columns: usize,
    group: usize,
    length: u64,
    offset: i64,
    /// Where to start, and whether that counts from where the input stands (`+`).
    seek: i64,
    is_relative: bool,
    autoskip: bool,
    decimal: bool,
    ebcdic: bool,
    upper: bool,
    capitalize: bool,
}

/// The most bytes on a line; plain ones can have any number.
const COLUMNS_MAX: i64 = 256;

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let args = std::mem::take(&mut ctx.args);
    let Some(args) = normalise(args) else { return Err(usage()) };
    ctx.args = args;
    let options = ctx.parse_options::<Opt>(&UTILITY).map_err(|error| match error {
        UtilityError::Usage(_) => usage(),
        other => other,
    })?;
    if options.has(Opt::Version) {
        ctx.stderr.push(super::context::options::version(&UTILITY).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    if options.has(Opt::Usage) || options.operands.len() > 2 {
        return Err(usage());
    }
    let settings = settings(&options)?;
    let name = options.operands.first().cloned().unwrap_or(Text::from_static(b"-"));
    let input = ctx.open_input(&name).map_err(|error| open_error(&name, error, 2))?;
    let reverts = options.has(Opt::Revert);
    if let Some(target) = options.operands.get(1).filter(|target| target.as_bytes() != b"-") {
        let open = OpenOptions {
            write: true,
            create: true,
            truncate: !reverts,
            mode: 0o666 & !ctx.umask,
            ..OpenOptions::default()
        };
        let description =
            ctx.open_description(target, &open).map_err(|error| open_error(target, error, 3))?;
        ctx.stdout = Output::new(Some(description));
    }
    if reverts {
        if !matches!(settings.style, Style::Normal | Style::Plain) {
            return Err(UtilityError::Failed {
                message: "Sorry, cannot revert this type of hexdump".into(),
                status: 255,
            });
        }
        return revert::revert(ctx, input, &settings).await;
    }
    let mut reader = DumpInput { input, left: settings.length };
    let start = reader.seek(ctx, &settings).await?;
    match settings.style {
        Style::Plain => plain(ctx, &settings, &mut reader).await?,
        Style::Include => include(ctx, &settings, &mut reader, &options).await?,
        _ => lines(ctx, &settings, &mut reader, start).await?,
    }
    Ok(ExitStatus::SUCCESS)
}

fn usage() -> UtilityError {
    let text = super::context::options::help(&UTILITY, Opt::TABLE);
    UtilityError::Failed { message: format!("wrong usage\n{}", text.trim_end()), status: 1 }
}

fn open_error(name: &[u8], error: FsError, status: u8) -> UtilityError {
    match error {
        FsError::Errno(errno) => UtilityError::Failed {
            message: format!("{}: {}", bstr::BStr::new(name), errno.message()),
            status,
        },
        FsError::Limit(limit) => limit.into(),
    }
}

fn settings(options: &Options<Opt>) -> Result<XxdOptions, UtilityError> {
    let styles = [Opt::Bits, Opt::LittleEndian, Opt::Plain, Opt::Include];
    let style = match options.last_of(styles) {
        Some(Opt::Bits) => Style::Bits,
        Some(Opt::LittleEndian) => Style::LittleEndian,
        Some(Opt::Plain) => Style::Plain,
        Some(Opt::Include) => Style::Include,
        _ => Style::Normal,
    };
    let (columns, group) = match style {
        Style::Normal => (16, 2),
        Style::LittleEndian => (16, 4),
        Style::Bits => (6, 1),
        Style::Plain => (30, 0),
        Style::Include => (12, 0),
    };
    let given = options.value(Opt::Columns).map(|text| number(text));
    let columns = match given {
        Some(0) if style == Style::Plain => usize::MAX,
        Some(count) if style == Style::Plain && count > 0 => usize::try_from(count).unwrap_or(usize::MAX),
        Some(count) if count > COLUMNS_MAX => {
            return Err(UtilityError::failed("invalid number of columns (max. 256)."));
        }
        Some(count) if count > 0 => count as usize,
        _ => columns,
    };
    let mut group = options.value(Opt::Group).map_or(group, |text| number(text).clamp(0, 1 << 20) as usize);
    if group == 0 || group > columns {
        group = columns;
    }
    if style == Style::LittleEndian && !group.is_power_of_two() {
        return Err(UtilityError::failed("number of octets per group must be a power of 2 with -e."));
    }
    let seek = options.value(Opt::Seek);
    let length = options.value(Opt::Length).map(|text| number(text));
    Ok(XxdOptions {
        style,
        columns,
        group,
        length: length.and_then(|length| u64::try_from(length).ok()).unwrap_or(u64::MAX),
        offset: options.value(Opt::Offset).map_or(0, |text| number(text)),
        seek: seek.map_or(0, |text| number(text)),
        is_relative: seek.is_some_and(|text| text.starts_with(b"+")),
        autoskip: options.count(Opt::Autoskip) % 2 == 1,
        decimal: options.has(Opt::Decimal),
        ebcdic: options.has(Opt::Ebcdic),
        upper: options.has(Opt::Upper),
        capitalize: options.has(Opt::Capitalize),
    })
}

/// The input from where it starts, as far as `-l` says.
struct DumpInput {
    input: Input,
    left: u64,
}

impl DumpInput {
    /// Goes to the start; gives the position there.
    async fn seek(&mut self, ctx: &mut Context, settings: &XxdOptions) -> Result<i64, UtilityError> {
        let description = self.input.description();
        let here = description.offset() as i64;
        if settings.seek == 0 && !settings.is_relative {
            return Ok(0);
        }
        if description.is_seekable() {
            let size = description.metadata().map_or(0, |data| data.size) as i64;
            let target = match settings.seek {
                back if back < 0 && !settings.is_relative => size.saturating_add(back),
                forth if settings.is_relative => here.saturating_add(forth),
                forth => forth,
            };
            if target < 0 {
                return Err(UtilityError::Failed { message: "Sorry, cannot seek.".into(), status: 4 });
            }
            description.seek(target as u64);
            self.input.restart();
            return Ok(target);
        }
        if settings.seek < 0 {
            return Err(UtilityError::Failed { message: "Sorry, cannot seek.".into(), status: 4 });
        }
        let limit = std::mem::replace(&mut self.left, settings.seek as u64);
        while self.left > 0 {
            let count = self.fill(ctx).await?.len();
            if count == 0 {
                return Err(UtilityError::Failed { message: "Sorry, cannot seek.".into(), status: 4 });
            }
            self.consume(count);
        }
        self.left = limit;
        Ok(settings.seek)
    }

    async fn fill(&mut self, ctx: &mut Context) -> Result<&[u8], UtilityError> {
        ctx.check().await?;
        let most = usize::try_from(self.left).unwrap_or(usize::MAX);
        if most == 0 {
            return Ok(&[]);
        }
        match self.input.fill().await {
            Ok(block) => Ok(block.get(..block.len().min(most).min(4096)).unwrap_or(block)),
            Err(FsError::Errno(errno)) => {
                Err(UtilityError::Failed { message: errno.message().into(), status: 2 })
            }
            Err(FsError::Limit(limit)) => Err(limit.into()),
        }
    }

    fn consume(&mut self, count: usize) {
        self.input.consume(count);
        self.left -= count as u64;
    }
}

fn push_hex(out: &mut Vec<u8>, byte: u8, upper: bool) {
    let digits: &[u8; 16] = if upper { b"0123456789ABCDEF" } else { b"0123456789abcdef" };
    for nibble in [byte >> 4, byte & 15] {
        out.push(digits.get(usize::from(nibble)).copied().unwrap_or(b'0'));
    }
}

async fn plain(ctx: &mut Context, settings: &XxdOptions, reader: &mut DumpInput) -> Result<(), UtilityError> {
    let mut column = 0;
    let mut out: Vec<u8> = Vec::new();
    loop {
        let block = reader.fill(ctx).await?;
        if block.is_empty() {
            break;
        }
        let count = block.len();
        for &byte in block {
            push_hex(&mut out, byte, settings.upper);
            column += 1;
            if column == settings.columns {
                out.push(b'\n');
                column = 0;
            }
        }
        reader.consume(count);
        ctx.stdout.write(&out).await?;
        out.clear();
        tick_bytes(&ctx.meter, 2 * count).await?;
    }
    if column > 0 {
        ctx.stdout.push(b"\n");
    }
    Ok(())
}

async fn include(
    ctx: &mut Context,
    settings: &XxdOptions,
    reader: &mut DumpInput,
    options: &Options<Opt>,
) -> Result<(), UtilityError> {
    let name = match (options.value(Opt::Name), options.operands.first()) {
        (Some(name), _) => Some(name),
        (None, Some(name)) if name.as_bytes() != b"-" => Some(name),
        _ => None,
    };
    let variable = name.map(|name| variable(name, settings.capitalize));
    if let Some(variable) = &variable {
        ctx.stdout.push(format!("unsigned char {variable}[] = {{\n").as_bytes());
    }
    let mut total = 0_u64;
    let mut out: Vec<u8> = Vec::new();
    loop {
        let block = reader.fill(ctx).await?;
        if block.is_empty() {
            break;
        }
        let count = block.len();
        for &byte in block {
            let before: &[u8] = match total {
                0 => b"  ",
                _ if total.is_multiple_of(settings.columns as u64) => b",\n  ",
                _ => b", ",
            };
            out.extend_from_slice(before);
            out.extend_from_slice(if settings.upper { b"0X" } else { b"0x" });
            push_hex(&mut out, byte, settings.upper);
            total += 1;
        }
        reader.consume(count);
        ctx.stdout.write(&out).await?;
        out.clear();
        tick_bytes(&ctx.meter, 4 * count).await?;
    }
    if total > 0 {
        ctx.stdout.push(b"\n");
    }
    if let Some(variable) = variable {
        let length = if settings.capitalize { "LEN" } else { "len" };
        ctx.stdout.push(format!("}};\nunsigned int {variable}_{length} = {total};\n").as_bytes());
    }
    Ok(())
}

/// A file's name as that of a variable.
fn variable(name: &[u8], capitalize: bool) -> String {
    let mut out = String::new();
    if name.first().is_some_and(u8::is_ascii_digit) {
        out.push_str("__");
    }
    for &byte in name {
        let letter = if byte.is_ascii_alphanumeric() { char::from(byte) } else { '_' };
        out.push(if capitalize { letter.to_ascii_uppercase() } else { letter });
    }
    out
}

/// The lines that stand for others with `-a`.
#[derive(Default)]
struct Skipper {
    /// Lines of zeros in a row.
    zeros: u64,
    second: Vec<u8>,
    last: Vec<u8>,
}

impl Skipper {
    /// Takes a line that is not of zeros: prints what was put off before it.
    fn flush(&mut self, out: &mut Output) {
        match self.zeros {
            0 | 1 => {}
            2 => out.push(&self.second),
            _ => out.push(b"*\n"),
        }
        self.zeros = 0;
    }

    /// Takes a line of zeros.
    fn take(&mut self, line: &[u8], out: &mut Output) {
        self.zeros += 1;
        match self.zeros {
            1 => out.push(line),
            2 => self.second = line.to_metered(),
            _ => {}
        }
        self.last = line.to_metered();
    }

    /// Ends the dump: the last line is always shown.
    fn finish(&mut self, out: &mut Output) {
        match self.zeros {
            0..=2 => {}
            3 => out.push(&self.second),
            _ => out.push(b"*\n"),
        }
        if self.zeros > 1 {
            out.push(&self.last);
        }
    }
}

async fn lines(
    ctx: &mut Context,
    settings: &XxdOptions,
    reader: &mut DumpInput,
    start: i64,
) -> Result<(), UtilityError> {
    let mut address = start.wrapping_add(settings.offset);
    let mut held: Vec<u8> = Vec::new();
    let mut skipper = Skipper::default();
    loop {
        let block = reader.fill(ctx).await?;
        if block.is_empty() {
            break;
        }
        let count = block.len().min(settings.columns - held.len());
        held.extend_from_slice(block.get(..count).unwrap_or(block));
        reader.consume(count);
        if held.len() < settings.columns {
            continue;
        }
        let text = line(settings, &held, address);
        if settings.autoskip && held.iter().all(|byte| *byte == 0) {
            skipper.take(&text, &mut ctx.stdout);
        } else {
            skipper.flush(&mut ctx.stdout);
            ctx.stdout.push(&text);
        }
        ctx.stdout.flush_if_full().await?;
        tick_bytes(&ctx.meter, 4 * held.len()).await?;
        address = address.wrapping_add(held.len() as i64);
        held.clear();
    }
    if held.is_empty() {
        skipper.finish(&mut ctx.stdout);
    } else {
        skipper.flush(&mut ctx.stdout);
        ctx.stdout.push(&line(settings, &held, address));
    }
    Ok(())
}

fn line(settings: &XxdOptions, bytes: &[u8], address: i64) -> Vec<u8> {
    let group = settings.group;
    let digits = if settings.style == Style::Bits { 8 } else { 2 };
    let width = digits * group + 1;
    let head = if settings.decimal { format!("{address:08}: ") } else { format!("{:08x}: ", address as u64) };
    let text_at = head.len() + (width * settings.columns - 1) / group + 2;
    let mut out: Vec<u8> = head.into_bytes();
    let begin = out.len();
    out.resize(text_at, b' ');
    let mut field: Vec<u8> = Vec::new();
    for (index, &byte) in bytes.iter().enumerate() {
        let place = if settings.style == Style::LittleEndian { index ^ (group - 1) } else { index };
        field.clear();
        if settings.style == Style::Bits {
            field.extend((0..8).rev().map(|bit| b'0' + (byte >> bit & 1)));
        } else {
            push_hex(&mut field, byte, settings.upper);
        }
        let at = begin + width * place / group;
        if at + field.len() > out.len() {
            out.resize(at + field.len(), b' ');
        }
        for (slot, digit) in out.iter_mut().skip(at).zip(&field) {
            *slot = *digit;
        }
    }
    for &byte in bytes {
        let shown = if settings.ebcdic { ebcdic(byte) } else { byte };
        out.push(if matches!(shown, 0x20..0x7f) { shown } else { b'.' });
    }
    out.push(b'\n');
    out
}

/// What a byte of 64 and more is in EBCDIC; a point for what is none.
fn ebcdic(byte: u8) -> u8 {
    const TABLE: [&[u8; 64]; 3] = [
        b" ...........<(+|&.........!$*);~-/.........,%_>?.........`:#@'=\"",
        b".abcdefghi.......jklmnopqr^.......stuvwxyz...[...............]..",
        b"{ABCDEFGHI......}JKLMNOPQR......\\.STUVWXYZ......0123456789......",
    ];
    let place = |index: u8| TABLE.get(usize::from(index / 64))?.get(usize::from(index % 64)).copied();
    byte.checked_sub(64).and_then(place).unwrap_or(b'.')
}
