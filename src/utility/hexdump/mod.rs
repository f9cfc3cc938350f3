//! `hexdump` (and `hd`, which is `hexdump -C`): shows bytes as format strings say. util-linux hexdump(1).
//!
//! The input of all files is cut into blocks, as large as the format that takes the most bytes; every format shows every
//! block. `format.rs` reads format strings, `cell.rs` shows one conversion. Bytes of the last block that the input lacks are
//! shown as blanks. Blocks that repeat the one before are a single `*`.

mod cell;
mod format;

use crate::memory::{Vec, format};
use crate::utility::prelude::*;
use format::{Format, Kind, Unit, parse_size};

options! {
    pub(super) enum Opt {
        OctalBytes = flag('b', "one-byte-octal", "one-byte octal display"),
        Characters = flag('c', "one-byte-char", "one-byte character display"),
        Canonical = flag('C', "canonical", "canonical hex+ASCII display"),
        Decimal = flag('d', "two-bytes-decimal", "two-byte decimal display"),
        Octal = flag('o', "two-bytes-octal", "two-byte octal display"),
        Hexadecimal = flag('x', "two-bytes-hex", "two-byte hexadecimal display"),
        Color = optional('L', "color", "WHEN", "interpret color formatting specifiers: always, auto, never"),
        Format = value('e', "format", "FORMAT", "format string to be used for displaying data"),
        FormatFile = value('f', "format-file", "FILE", "file that contains format strings"),
        Length = value('n', "length", "LENGTH", "interpret only length bytes of input"),
        Skip = value('s', "skip", "OFFSET", "skip offset bytes from the beginning"),
        NoSqueezing = flag('v', "no-squeezing", "output identical lines"),
        Help = flag('h', "", "display this help"),
        Version = flag('V', "", "display version"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "hexdump",
    summary: "display file contents in hexadecimal, decimal, octal, or ascii",
    usage: "hexdump [options] <file>...",
    options: Opt::TABLE,
    examples: &[
        example(
            "printf 'hello\\n' | hexdump -C",
            "00000000  68 65 6c 6c 6f 0a                                 |hello.|\n00000006\n",
        ),
        example("printf abc | hexdump -e '1/1 \"%02X\"'", "616263"),
    ],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    dump(ctx, &UTILITY, false).await
}

/// What is dumped: the formats, and where.
struct Dump {
    formats: Vec<Format>,
    /// Bytes of a block.
    block: usize,
    shows_all: bool,
    has_colors: bool,
    /// Bytes that are still to be passed over, and to be shown.
    skip: u64,
    left: u64,
    operands: std::iter::Peekable<crate::memory::IntoIter<Text>>,
    input: Option<Input>,
    has_opened: bool,
    status: ExitStatus,
}

/// `hexdump`, or `hd`.
pub(super) async fn dump(
    ctx: &mut Context,
    utility: &'static Utility,
    is_canonical: bool,
) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(utility)?;
    if options.has(Opt::Help) {
        ctx.stdout.push(super::context::options::help(utility, Opt::TABLE).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    if options.has(Opt::Version) {
        ctx.stdout.push(super::context::options::version(utility).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    let size = |option: Opt, what: &str, default: u64| match options.value(option) {
        None => Ok(default),
        Some(text) => parse_size(text)
            .map_err(|reason| UtilityError::failed(format!("failed to parse {what}: '{text}': {reason}"))),
    };
    let has_colors = match options.given().filter(|(option, _)| *option == Opt::Color).last() {
        // A session's output is no terminal.
        None | Some((_, None)) => false,
        Some((_, Some(when))) => match when.strip_prefix(b"=").unwrap_or(when) {
            b"always" => true,
            b"auto" | b"never" => false,
            other => {
                let shown = bstr::BStr::new(other);
                return Err(UtilityError::failed(format!("unsupported color mode: '{shown}'")));
            }
        },
    };
    let mut formats = read_formats(ctx, &options, is_canonical).await?;
    let block = format::fill(&mut formats);
    let mut dump = Dump {
        formats,
        block,
        shows_all: options.has(Opt::NoSqueezing),
        has_colors,
        skip: size(Opt::Skip, "offset", 0)?,
        left: size(Opt::Length, "length", u64::MAX)?,
        input: options.operands.is_empty().then(|| ctx.standard_input()),
        has_opened: options.operands.is_empty(),
        operands: options.operands.into_iter().peekable(),
        status: ExitStatus::SUCCESS,
    };
    dump.show(ctx).await?;
    if !dump.has_opened && !dump.status.is_success() {
        let words =
            if dump.skip > 0 { "stdin: Bad file descriptor" } else { "all input file arguments failed" };
        return Err(UtilityError::failed(words));
    }
    Ok(dump.status)
}

/// The formats in the order in which they were given.
async fn read_formats(
    ctx: &mut Context,
    options: &Options<Opt>,
    is_canonical: bool,
) -> Result<Vec<Format>, UtilityError> {
    let mut formats = Vec::new();
    let mut add = |text: &[u8]| Format::parse(text).map(|format| formats.push(format));
    if is_canonical {
        format::known(b'C').iter().try_for_each(|text| add(text.as_bytes()))?;
    }
    for (option, argument) in options.given() {
        match (option, argument) {
            (
                Opt::OctalBytes
                | Opt::Characters
                | Opt::Canonical
                | Opt::Decimal
                | Opt::Octal
                | Opt::Hexadecimal,
                _,
            ) => {
                let known = format::known(option.short() as u8);
                known.iter().try_for_each(|text| add(text.as_bytes()))?;
            }
            (Opt::Format, Some(text)) => add(text)?,
            (Opt::FormatFile, Some(file)) => {
                let unread = |error: FsError| match error {
                    FsError::Errno(errno) => {
                        UtilityError::failed(format!("can't read {file}: {}", errno.message()))
                    }
                    FsError::Limit(limit) => limit.into(),
                };
                let mut input = ctx.open(file).map_err(unread)?;
                while let Some(line) = input.next_line(b'\n').await.map_err(unread)? {
                    ctx.tick().await?;
                    let line = line.strip_suffix(b"\n").unwrap_or(line).trim_ascii_start();
                    if !line.is_empty() && !line.starts_with(b"#") {
                        add(line)?;
                    }
                }
            }
            _ => {}
        }
    }
    if formats.is_empty() && !options.has_any([Opt::Format, Opt::FormatFile]) {
        for text in format::known(0) {
            formats.push(Format::parse(text.as_bytes())?);
        }
    }
    Ok(formats)
}

impl Dump {
    async fn show(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        if self.block == 0 {
            return Ok(());
        }
        let mut address = 0_u64;
        let mut block: Vec<u8> = Vec::new();
        let mut previous: Vec<u8> = Vec::new();
        let mut is_starred = false;
        let mut has_started = false;
        loop {
            block.clear();
            self.fill(ctx, &mut block, &mut address).await?;
            has_started |= !block.is_empty();
            if block.is_empty() {
                break;
            }
            let length = block.len();
            if !self.shows_all && length == self.block && previous == block {
                if !std::mem::replace(&mut is_starred, true) {
                    ctx.stdout.push(b"*\n");
                }
            } else {
                is_starred = false;
                self.show_block(ctx, &block, address).await?;
                std::mem::swap(&mut previous, &mut block);
            }
            address = address.saturating_add(length as u64);
            ctx.stdout.flush_if_full().await?;
            if length < self.block {
                break;
            }
        }
        if has_started || address > 0 {
            self.show_end(ctx, address).await?;
        }
        Ok(())
    }

    /// Every format with one block.
    async fn show_block(&self, ctx: &mut Context, block: &[u8], start: u64) -> Result<(), UtilityError> {
        let mut out: Vec<u8> = Vec::new();
        for format in &self.formats {
            let mut at = 0_usize;
            for unit in format.units.iter().take_while(|unit| !unit.is_final) {
                for turn in 1..=unit.repeats {
                    self.show_unit(unit, turn == unit.repeats, block, start, &mut at, &mut out);
                    ctx.tick().await?;
                    if out.len() > 4096 {
                        ctx.stdout.write(&out).await?;
                        out.clear();
                    }
                }
            }
        }
        ctx.stdout.write(&out).await
    }

    fn show_unit(
        &self,
        unit: &Unit,
        is_last_turn: bool,
        block: &[u8],
        start: u64,
        at: &mut usize,
        out: &mut Vec<u8>,
    ) {
        let last = unit.pieces.len().saturating_sub(1);
        for (index, piece) in unit.pieces.iter().enumerate() {
            let Some(conversion) = &piece.conversion else {
                let mut text = piece.text.as_slice();
                // The blank that separates is not printed after the last one.
                if is_last_turn && unit.repeats > 1 && index == last {
                    text = match text.split_last() {
                        Some((end, front)) if end.is_ascii_whitespace() || *end == 0x0b => front,
                        _ => text,
                    };
                }
                out.extend_from_slice(text);
                continue;
            };
            let rest = block.get(*at..).unwrap_or_default();
            let is_beyond = *at >= block.len() && block.len() < self.block;
            let address = start.saturating_add(*at as u64);
            let color = if self.has_colors { conversion.color(address, rest) } else { None };
            if let Some(code) = color {
                out.extend_from_slice(format!("\x1b[{code}m").as_bytes());
            }
            out.extend_from_slice(&piece.text);
            let bytes = match conversion.kind {
                Kind::Text => rest,
                _ => rest.get(..conversion.size).unwrap_or(rest),
            };
            conversion.append(address, Some(bytes).filter(|_| !is_beyond), out);
            if color.is_some() {
                out.extend_from_slice(b"\x1b[0m");
            }
            *at = at.saturating_add(conversion.size);
        }
    }

    /// The last unit with `%_A`, with the offset of the end.
    async fn show_end(&self, ctx: &mut Context, address: u64) -> Result<(), UtilityError> {
        let units = self.formats.iter().flat_map(|format| format.units.iter());
        let Some(unit) = units.rev().find(|unit| unit.is_final) else { return Ok(()) };
        let mut out: Vec<u8> = Vec::new();
        for piece in &unit.pieces {
            match &piece.conversion {
                None => out.extend_from_slice(&piece.text),
                Some(conversion) if matches!(conversion.kind, Kind::Address(_)) => {
                    let color = if self.has_colors { conversion.color(address, &[]) } else { None };
                    if let Some(code) = color {
                        out.extend_from_slice(format!("\x1b[{code}m").as_bytes());
                    }
                    out.extend_from_slice(&piece.text);
                    conversion.append(address, Some(&[]), &mut out);
                    if color.is_some() {
                        out.extend_from_slice(b"\x1b[0m");
                    }
                }
                Some(_) => {}
            }
        }
        ctx.stdout.write(&out).await
    }

    /// Reads until the block is full or the input of all files ends; what is passed over is added to the address.
    async fn fill(
        &mut self,
        ctx: &mut Context,
        block: &mut Vec<u8>,
        address: &mut u64,
    ) -> Result<(), UtilityError> {
        while block.len() < self.block && self.left > 0 {
            ctx.tick().await?;
            if self.input.is_none() && !self.open_next(ctx)? {
                return Ok(());
            }
            let Some(input) = &mut self.input else { return Ok(()) };
            let bytes = match input.fill().await {
                Ok(bytes) => bytes,
                Err(FsError::Limit(limit)) => return Err(limit.into()),
                Err(FsError::Errno(errno)) => {
                    let name = self.operands.next().unwrap_or(Text::from_static(b"stdin"));
                    // It is no fault for the status, as in the real program.
                    ctx.warn(format_args!("{name}: {}", errno.message()));
                    self.input = None;
                    if self.operands.peek().is_none() {
                        return Ok(());
                    }
                    continue;
                }
            };
            if bytes.is_empty() {
                // Standard input is at the place that was asked for, also after its end.
                if self.operands.peek().is_none() {
                    *address = address.saturating_add(std::mem::take(&mut self.skip));
                }
                self.input = None;
                self.operands.next();
                if self.operands.peek().is_none() {
                    return Ok(());
                }
                continue;
            }
            if self.skip > 0 {
                let count = bytes.len().min(usize::try_from(self.skip).unwrap_or(usize::MAX));
                input.consume(count);
                self.skip -= count as u64;
                *address = address.saturating_add(count as u64);
                continue;
            }
            let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(self.block - block.len());
            let count = bytes.len().min(most).min(65_536);
            block.extend_from_slice(bytes.get(..count).unwrap_or(bytes));
            input.consume(count);
            self.left -= count as u64;
        }
        Ok(())
    }

    /// Opens the file that is next; it stays in front of the operands while it is read.
    fn open_next(&mut self, ctx: &mut Context) -> Result<bool, UtilityError> {
        while let Some(name) = self.operands.peek() {
            match ctx.open(name) {
                Ok(input) => {
                    self.input = Some(input);
                    self.has_opened = true;
                    return Ok(true);
                }
                Err(error) => {
                    let name = name.clone();
                    self.status = ctx.report(&name, error)?;
                    self.operands.next();
                }
            }
        }
        Ok(false)
    }
}
