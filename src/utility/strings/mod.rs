//! `strings`: prints the printable strings of files. GNU binutils strings(1), 2.40.
//!
//! Files are scanned whole, which is what the real program does unless `-d` tells it to look at the data of object files alone:
//! `section.rs` finds that.

mod section;

use super::context::pace::tick_bytes;
use crate::memory::{JoinMetered, Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        All = flag('a', "all", "scan the entire file (default)"),
        Data = flag('d', "data", "only scan the data sections in the file, if it is an object file of ELF"),
        FileName = flag('f', "print-file-name", "print the name of the file before each string"),
        Bytes = value('n', "bytes", "NUMBER", "print sequences of at least NUMBER characters (default 4)"),
        Radix = value('t', "radix", "o|d|x", "print the location of the string in base 8, 10 or 16"),
        Octal = flag('o', "", "an alias for --radix=o"),
        Whitespace = flag('w', "include-all-whitespace", "include all whitespace as valid characters"),
        Encoding = value('e', "encoding", "s|S|b|l|B|L", "character size and endianness: 7 and 8 bits, 16 and 32 bits"),
        Separator = value('s', "output-separator", "STRING", "string used to separate strings in the output"),
        Target = value('T', "target", "BFDNAME", "the format of object files: what -d takes for one"),
        Unicode = value('U', "unicode", "default", "how UTF-8 is treated: only 'default' is supported"),
        Digits = number("NUMBER", "the same as -n NUMBER"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "strings",
    summary: "display printable strings in files (standard input by default)",
    usage: "strings [option(s)] [file(s)]",
    options: Opt::TABLE,
    examples: &[example("printf 'ab\\0hello\\1' | strings", "hello\n")],
    run: start!(run),
    help_letter: Some('h'),
    version_letter: Some('V'),
    ..Utility::BASE
};

struct StringsOptions {
    least: usize,
    radix: Option<u8>,
    shows_file: bool,
    whitespace: bool,
    eight_bits: bool,
    /// Bytes of a character.
    width: usize,
    big_endian: bool,
    separator: Text,
    /// Only the data of object files is scanned, of those of this format if it is told.
    data: Option<Text>,
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let settings = settings(&options)?;
    let mut status = ExitStatus::SUCCESS;
    let operands = ctx.inputs(&options.operands);
    for operand in operands {
        let is_input = operand.as_bytes() == b"-";
        let shown = if is_input { Text::from_static(b"{standard input}") } else { operand.clone() };
        if !is_input && ctx.stat(&operand).is_ok_and(|data| data.is_directory()) {
            ctx.stdout.flush().await?;
            status = ctx.warn(format_args!("Warning: '{shown}' is a directory"));
            continue;
        }
        let done = match ctx.open_input(&operand) {
            // Standard input is never an object file.
            Ok(input) if settings.data.is_some() && !is_input => {
                scan_data(ctx, &settings, input, &shown).await
            }
            Ok(input) => scan(ctx, &settings, input, &shown).await,
            Err(error) => Err(error.into()),
        };
        if let Err(error) = done {
            let errno = error.errno()?;
            ctx.stdout.flush().await?;
            status = if errno == Errno::NotFound {
                ctx.warn(format_args!("'{shown}': No such file"))
            } else {
                ctx.warn(format_args!("{shown}: {}", errno.message()))
            };
        }
    }
    Ok(status)
}

fn settings(options: &Options<Opt>) -> Result<StringsOptions, UtilityError> {
    let mut settings = StringsOptions {
        least: 4,
        radix: None,
        shows_file: options.has(Opt::FileName),
        whitespace: options.has(Opt::Whitespace),
        eight_bits: false,
        width: 1,
        big_endian: false,
        separator: options.value(Opt::Separator).cloned().unwrap_or(Text::from_static(b"\n")),
        data: (options.last_of([Opt::All, Opt::Data]) == Some(Opt::Data))
            .then(|| options.value(Opt::Target).cloned().unwrap_or(Text::from_static(b"default"))),
    };
    for (option, value) in options.given() {
        let value = value.map_or(b"".as_slice(), Text::as_bytes);
        let shown = bstr::BStr::new(value);
        match (option, value) {
            (Opt::Bytes | Opt::Digits, _) => {
                let number = std::str::from_utf8(value).ok().and_then(|text| text.parse::<usize>().ok());
                settings.least = match number {
                    Some(0) => {
                        return Err(UtilityError::failed("invalid minimum string length 0"));
                    }
                    Some(number) => number,
                    None => return Err(UtilityError::failed(format!("invalid integer argument {shown}"))),
                };
            }
            (Opt::Octal, _) | (Opt::Radix, b"o") => settings.radix = Some(b'o'),
            (Opt::Radix, b"d") => settings.radix = Some(b'd'),
            (Opt::Radix, b"x") => settings.radix = Some(b'x'),
            (Opt::Encoding, b"s") => (settings.width, settings.eight_bits) = (1, false),
            (Opt::Encoding, b"S") => (settings.width, settings.eight_bits) = (1, true),
            (Opt::Encoding, b"b") => (settings.width, settings.big_endian) = (2, true),
            (Opt::Encoding, b"l") => (settings.width, settings.big_endian) = (2, false),
            (Opt::Encoding, b"B") => (settings.width, settings.big_endian) = (4, true),
            (Opt::Encoding, b"L") => (settings.width, settings.big_endian) = (4, false),
            (Opt::Unicode, b"default" | b"d") => {}
            (Opt::Unicode, _) => {
                return Err(UtilityError::Usage(format!("--unicode={shown} is not supported")));
            }
            (Opt::Radix | Opt::Encoding, _) => {
                let name = option.long();
                return Err(UtilityError::Usage(format!("invalid argument {shown} of --{name}")));
            }
            _ => {}
        }
    }
    Ok(settings)
}

/// A string under way. Once it is long enough, its characters are printed as they come.
#[derive(Default)]
struct Run {
    start: u64,
    held: Vec<u8>,
    is_shown: bool,
}

async fn scan(
    ctx: &mut Context,
    settings: &StringsOptions,
    mut input: Input,
    name: &Text,
) -> Result<(), OperandError> {
    let mut scanner = Scanner::default();
    loop {
        ctx.check().await?;
        let block = input.fill().await?;
        let piece = block.get(..4096).unwrap_or(block);
        let count = piece.len();
        if count == 0 {
            break;
        }
        scanner.scan(ctx, settings, name, piece);
        ctx.stdout.flush_if_full().await?;
        input.consume(count);
        tick_bytes(&ctx.meter, 2 * count).await?;
    }
    scanner.run.end(ctx, settings);
    Ok(())
}

/// Scans the sections of an object file that hold data; a file that is none, or has none, as a whole.
async fn scan_data(
    ctx: &mut Context,
    settings: &StringsOptions,
    mut input: Input,
    name: &Text,
) -> Result<(), OperandError> {
    let bytes = input.read_to_end().await?;
    let target = settings.data.as_ref().map_or(b"".as_slice(), Text::as_bytes);
    for (start, end) in section::data(ctx, &bytes, target).await? {
        let mut scanner = Scanner { offset: start as u64, ..Scanner::default() };
        for piece in bytes.get(start..end).unwrap_or_default().chunks(4096) {
            scanner.scan(ctx, settings, name, piece);
            ctx.stdout.flush_if_full().await?;
            tick_bytes(&ctx.meter, 2 * piece.len()).await?;
        }
        scanner.run.end(ctx, settings);
    }
    Ok(())
}

/// What is known between two pieces of a file.
#[derive(Default)]
struct Scanner {
    run: Run,
    offset: u64,
    /// The bytes of a character that is not whole yet.
    window: Vec<u8>,
}

impl Scanner {
    fn scan(&mut self, ctx: &mut Context, settings: &StringsOptions, name: &Text, piece: &[u8]) {
        for &byte in piece {
            self.offset += 1;
            let character = if settings.width == 1 {
                Some(byte).filter(|byte| is_shown(settings, *byte))
            } else {
                self.window.push(byte);
                if self.window.len() < settings.width {
                    continue;
                }
                wide(settings, &self.window)
            };
            match character {
                Some(character) => {
                    if self.run.held.is_empty() && !self.run.is_shown {
                        self.run.start = self.offset - settings.width as u64;
                    }
                    self.window.clear();
                    self.run.push(ctx, settings, name, character);
                }
                None => {
                    self.run.end(ctx, settings);
                    // A character may begin at any byte.
                    if !self.window.is_empty() {
                        self.window.remove_front(1);
                    }
                }
            }
        }
    }
}

fn is_shown(settings: &StringsOptions, byte: u8) -> bool {
    match byte {
        b'\t' | 0x20..=0x7e => true,
        0x7f => false,
        b'\n' | 0x0b | 0x0c | b'\r' => settings.whitespace,
        0x80.. => settings.eight_bits,
        _ => false,
    }
}

/// The character of 16 or 32 bits, if it is one of ASCII.
fn wide(settings: &StringsOptions, bytes: &[u8]) -> Option<u8> {
    let (rest, low) = if settings.big_endian {
        bytes.split_last().map(|(low, rest)| (rest, low))?
    } else {
        bytes.split_first().map(|(low, rest)| (rest, low))?
    };
    (rest.iter().all(|byte| *byte == 0) && is_shown(settings, *low)).then_some(*low)
}

impl Run {
    fn push(&mut self, ctx: &mut Context, settings: &StringsOptions, name: &Text, character: u8) {
        if self.is_shown {
            ctx.stdout.push(&[character]);
            return;
        }
        self.held.push(character);
        if self.held.len() < settings.least {
            return;
        }
        self.is_shown = true;
        if settings.shows_file {
            ctx.stdout.push(&[name.as_bytes(), b": "].concat_metered());
        }
        let start = self.start;
        match settings.radix {
            Some(b'o') => ctx.stdout.push(format!("{start:7o} ").as_bytes()),
            Some(b'd') => ctx.stdout.push(format!("{start:7} ").as_bytes()),
            Some(_) => ctx.stdout.push(format!("{start:7x} ").as_bytes()),
            None => {}
        }
        ctx.stdout.push(&self.held);
    }

    fn end(&mut self, ctx: &mut Context, settings: &StringsOptions) {
        if self.is_shown {
            ctx.stdout.push(&settings.separator);
        }
        self.held.clear();
        self.is_shown = false;
    }
}
