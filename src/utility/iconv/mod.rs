//! `iconv`: converts text from one encoding to another. GNU libc iconv(1), 2.36.
//!
//! Here: UTF-8, UTF-16, UTF-32, UCS-2 and UCS-4, ASCII, and the encodings of one byte a character in `table.rs`. The tables are our
//! own: a crate for the encodings of browsers reads Latin-1 as Windows-1252, which `iconv` does not. Text goes character by
//! character, so that a stream of any length takes no more memory than a block.

mod table;
mod translit;

use super::context::pace::tick_bytes;
use crate::memory::{HashMap, ToMetered, Vec, format};
use crate::utility::prelude::*;
use table::TABLES;
use translit::REPLACEMENTS;

options! {
    enum Opt {
        From = value('f', "from-code", "NAME", "encoding of original text"),
        To = value('t', "to-code", "NAME", "encoding for output"),
        List = flag('l', "list", "list all known coded character sets"),
        Omit = flag('c', "", "omit invalid characters from output"),
        Output = value('o', "output", "FILE", "output file"),
        Silent = flag('s', "silent", "suppress warnings: there are none"),
        Verbose = flag('\0', "verbose", "print progress information"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "iconv",
    summary: "convert encoding of given files from one encoding to another",
    usage: "iconv [OPTION...] [FILE...]",
    options: Opt::TABLE,
    examples: &[example("printf 'caf\\351' | iconv -f latin1 -t utf-8", "café")],
    run: start!(run),
    usage_status: 64,
    version_letter: Some('V'),
    ..Utility::BASE
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Ascii,
    Utf8,
    /// Code units of two or four bytes.
    Wide {
        bytes: usize,
        big: bool,
        marked: bool,
        surrogates: bool,
    },
    /// A row of the tables.
    Single(usize),
}

const fn wide(bytes: usize, big: bool, marked: bool, surrogates: bool) -> Encoding {
    Encoding::Wide { bytes, big, marked, surrogates }
}

/// Names that are not in the tables, as they are listed.
const NAMES: &[(&str, Encoding)] = &[
    ("ASCII", Encoding::Ascii),
    ("US-ASCII", Encoding::Ascii),
    ("ANSI_X3.4-1968", Encoding::Ascii),
    ("646", Encoding::Ascii),
    ("UTF-8", Encoding::Utf8),
    ("UTF8", Encoding::Utf8),
    ("UTF-16", wide(2, false, true, true)),
    ("UTF16", wide(2, false, true, true)),
    ("UTF-16LE", wide(2, false, false, true)),
    ("UTF16LE", wide(2, false, false, true)),
    ("UTF-16BE", wide(2, true, false, true)),
    ("UTF16BE", wide(2, true, false, true)),
    ("UTF-32", wide(4, false, true, false)),
    ("UTF32", wide(4, false, true, false)),
    ("UTF-32LE", wide(4, false, false, false)),
    ("UTF32LE", wide(4, false, false, false)),
    ("UTF-32BE", wide(4, true, false, false)),
    ("UTF32BE", wide(4, true, false, false)),
    ("UCS-2", wide(2, false, false, false)),
    ("UCS2", wide(2, false, false, false)),
    ("UCS-2LE", wide(2, false, false, false)),
    ("UCS-2BE", wide(2, true, false, false)),
    ("UCS-4", wide(4, true, false, false)),
    ("UCS4", wide(4, true, false, false)),
    ("UCS-4LE", wide(4, false, false, false)),
    ("UCS-4BE", wide(4, true, false, false)),
];

/// The encoding of a name, and the words after `//`. The empty name is the locale's.
fn find(name: &[u8]) -> Option<(Encoding, Vec<Vec<u8>>)> {
    let upper: Vec<u8> = name.iter().map(u8::to_ascii_uppercase).collect();
    let mut parts = upper.split(|byte| *byte == b'/').filter(|part| !part.is_empty());
    let own = if upper.starts_with(b"/") { b"".as_slice() } else { parts.next().unwrap_or(b"") };
    let words = parts.map(ToMetered::to_metered).collect();
    if own.is_empty() {
        return Some((Encoding::Utf8, words));
    }
    let named = NAMES.iter().find(|(known, _)| known.as_bytes() == own).map(|(_, encoding)| *encoding);
    let single = || {
        let row = TABLES.iter().position(|table| table.names.iter().any(|known| known.as_bytes() == own));
        row.map(Encoding::Single)
    };
    Some((named.or_else(single)?, words))
}

/// What stands at the start of a text.
enum Decoded {
    Character(char, usize),
    /// Bytes that are not a character: how many.
    Invalid(usize),
    Incomplete,
}

/// A conversion under way.
struct Converter {
    from: Encoding,
    to: Encoding,
    /// Bytes of the characters from 0x80, of a source of single bytes.
    characters: Vec<char>,
    /// And the bytes of characters, of such a target.
    bytes: HashMap<char, u8>,
    omits: bool,
    /// `//IGNORE`: what is left out is told at the end.
    ignores: bool,
    transliterates: bool,
    has_ignored: bool,
    at_start: bool,
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY).map_err(|error| match error {
        UtilityError::Usage(message) => UtilityError::Failed {
            message: format!("{message}\nTry `iconv --help' or `iconv --usage' for more information."),
            status: 64,
        },
        other => other,
    })?;
    if options.has(Opt::List) {
        return list(ctx).await;
    }
    let name = |option: Opt| options.value(option).map_or(b"".as_slice(), Text::as_bytes);
    let (Some((from, _)), Some((to, words))) = (find(name(Opt::From)), find(name(Opt::To))) else {
        let text = "failed to start conversion processing: No such file or directory";
        return Err(UtilityError::failed(text));
    };
    let has = |word: &[u8]| words.iter().any(|given| given.as_slice() == word);
    let mut converter = Converter::new(from, to);
    converter.omits = options.has(Opt::Omit);
    converter.ignores = has(b"IGNORE");
    converter.transliterates = has(b"TRANSLIT");
    if let Some(file) = options.value(Opt::Output) {
        let output = ctx.create(file, false).map_err(|error| match error {
            FsError::Errno(_) => UtilityError::failed("unable to open output file"),
            FsError::Limit(limit) => limit.into(),
        })?;
        ctx.stdout = output;
    }
    converter.mark(ctx);
    let mut status = ExitStatus::SUCCESS;
    for operand in ctx.inputs(&options.operands) {
        if options.has(Opt::Verbose) {
            ctx.stderr.push(format!("{operand}:\n").as_bytes());
        }
        let input = match ctx.open_input(&operand) {
            Ok(input) => input,
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(FsError::Errno(errno)) => {
                status = ctx.warn(format_args!("cannot open input file `{operand}': {}", errno.message()));
                continue;
            }
        };
        match converter.convert(ctx, input).await {
            Ok(true) => {}
            Ok(false) => return Ok(ExitStatus::FAILURE),
            Err(error) => {
                let errno = error.errno()?;
                status =
                    ctx.warn(format_args!("unable to read from input file `{operand}': {}", errno.message()));
            }
        }
    }
    Ok(status)
}

async fn list(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let mut names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
    names.extend(TABLES.iter().flat_map(|table| table.names.iter().copied()));
    names.sort_unstable();
    for name in &names {
        ctx.stdout.write(format!("{name}//\n").as_bytes()).await?;
    }
    Ok(ExitStatus::SUCCESS)
}

impl Converter {
    fn new(from: Encoding, to: Encoding) -> Self {
        let of = |encoding| match encoding {
            Encoding::Single(row) => TABLES.get(row).map_or("", |table| table.characters),
            _ => "",
        };
        let mut bytes = HashMap::new();
        for (byte, character) in (0x80_u8..=0xff).zip(of(to).chars()) {
            if character != char::REPLACEMENT_CHARACTER {
                bytes.insert(character, byte);
            }
        }
        Self {
            from,
            to,
            characters: of(from).chars().collect(),
            bytes,
            omits: false,
            ignores: false,
            transliterates: false,
            has_ignored: false,
            at_start: true,
        }
    }

    /// Writes the mark of the byte order.
    fn mark(&self, ctx: &mut Context) {
        if let Encoding::Wide { marked: true, bytes, .. } = self.to {
            ctx.stdout.push([0xff, 0xfe, 0, 0].get(..bytes).unwrap_or(&[]));
        }
    }

    /// Converts an input. `false`: it ended with a fault, which was told.
    async fn convert(&mut self, ctx: &mut Context, mut input: Input) -> Result<bool, OperandError> {
        let mut pending: Vec<u8> = Vec::new();
        let mut position = 0_u64;
        let mut out: Vec<u8> = Vec::new();
        self.at_start = true;
        self.has_ignored = false;
        loop {
            ctx.check().await?;
            let block = input.fill().await?;
            let piece = block.get(..4096).unwrap_or(block);
            let count = piece.len();
            pending.extend_from_slice(piece);
            input.consume(count);
            let mut at = 0;
            let mut fault = None;
            while let Some(rest) = pending.get(at..).filter(|rest| !rest.is_empty()) {
                let (character, length) = match self.decode(rest) {
                    Decoded::Character(character, length) => (character, length),
                    Decoded::Invalid(length) if self.omits || self.ignores => {
                        self.has_ignored = true;
                        at += length;
                        continue;
                    }
                    Decoded::Invalid(_) => {
                        fault = Some(at);
                        break;
                    }
                    Decoded::Incomplete => break,
                };
                let is_mark = std::mem::take(&mut self.at_start) && self.takes_mark(rest, character);
                if !is_mark && !self.encode(character, &mut out) && !self.replace(character, &mut out) {
                    fault = Some(at);
                    break;
                }
                at += length;
            }
            ctx.stdout.write(&out).await?;
            out.clear();
            tick_bytes(&ctx.meter, 8 * count).await?;
            if let Some(at) = fault {
                let place = position + at as u64;
                ctx.stdout.flush().await?;
                ctx.warn(format_args!("illegal input sequence at position {place}"));
                return Ok(false);
            }
            position += at as u64;
            pending.remove_front(at);
            if count == 0 {
                ctx.stdout.flush().await?;
                if !pending.is_empty() {
                    ctx.warn("incomplete character or shift sequence at end of buffer");
                    return Ok(false);
                }
                if self.ignores && self.has_ignored {
                    ctx.warn(format_args!("illegal input sequence at position {position}"));
                    return Ok(false);
                }
                return Ok(true);
            }
        }
    }

    /// Whether the character is a mark of the byte order, which is not text.
    fn takes_mark(&mut self, rest: &[u8], character: char) -> bool {
        let Encoding::Wide { marked: true, bytes, surrogates, .. } = self.from else { return false };
        let reversed: &[u8] = if bytes == 2 { &[0xfe, 0xff] } else { &[0, 0, 0xfe, 0xff] };
        if rest.starts_with(reversed) {
            self.from = wide(bytes, true, true, surrogates);
            return true;
        }
        character == '\u{feff}'
    }

    fn decode(&self, rest: &[u8]) -> Decoded {
        let Some(&first) = rest.first() else { return Decoded::Incomplete };
        match self.from {
            Encoding::Ascii if first < 0x80 => Decoded::Character(char::from(first), 1),
            Encoding::Ascii => Decoded::Invalid(1),
            Encoding::Single(_) if first < 0x80 => Decoded::Character(char::from(first), 1),
            Encoding::Single(_) => match self.characters.get(usize::from(first) - 0x80) {
                Some(&character) if character != char::REPLACEMENT_CHARACTER => {
                    Decoded::Character(character, 1)
                }
                _ => Decoded::Invalid(1),
            },
            Encoding::Utf8 => match bstr::decode_utf8(rest) {
                (Some(character), length) => Decoded::Character(character, length),
                (None, length) => {
                    let wanted = match first {
                        0xc2..=0xdf => 2,
                        0xe0..=0xef => 3,
                        // Lead bytes of the forms of five and six bytes wait for more as well.
                        0xf0..=0xfd => 4,
                        _ => 1,
                    };
                    if length == rest.len() && length < wanted {
                        Decoded::Incomplete
                    } else {
                        Decoded::Invalid(length.max(1))
                    }
                }
            },
            Encoding::Wide { bytes, big, marked, surrogates } => {
                decode_wide(rest, bytes, big, marked && self.at_start, surrogates)
            }
        }
    }

    /// Appends the character in the target; `false`: it has none.
    fn encode(&self, character: char, out: &mut Vec<u8>) -> bool {
        let code = u32::from(character);
        match self.to {
            Encoding::Ascii | Encoding::Single(_) if code < 0x80 => out.push(code as u8),
            Encoding::Ascii => return false,
            Encoding::Single(_) => match self.bytes.get(&character) {
                Some(byte) => out.push(*byte),
                None => return false,
            },
            Encoding::Utf8 => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            Encoding::Wide { bytes: 2, big, surrogates, .. } => {
                if code > 0xffff && !surrogates {
                    return false;
                }
                for unit in character.encode_utf16(&mut [0; 2]) {
                    out.extend_from_slice(&if big { unit.to_be_bytes() } else { unit.to_le_bytes() });
                }
            }
            Encoding::Wide { big, .. } => {
                out.extend_from_slice(&if big { code.to_be_bytes() } else { code.to_le_bytes() });
            }
        }
        true
    }

    /// Appends what stands for a character that the target lacks; `false`: nothing may.
    fn replace(&mut self, character: char, out: &mut Vec<u8>) -> bool {
        if self.transliterates {
            let found = REPLACEMENTS.binary_search_by_key(&character, |(known, _)| *known);
            let text = found.ok().and_then(|index| REPLACEMENTS.get(index)).map_or("?", |(_, text)| *text);
            return text.chars().all(|character| self.encode(character, out));
        }
        self.has_ignored = true;
        self.omits || self.ignores
    }
}

fn decode_wide(rest: &[u8], bytes: usize, big: bool, may_be_marked: bool, surrogates: bool) -> Decoded {
    let Some(unit) = rest.get(..bytes) else { return Decoded::Incomplete };
    if may_be_marked && (unit == [0xfe, 0xff] || unit == [0, 0, 0xfe, 0xff]) {
        return Decoded::Character('\u{feff}', bytes);
    }
    let value = |unit: &[u8]| {
        let join = |value: u32, byte: &u8| value << 8 | u32::from(*byte);
        if big { unit.iter().fold(0, join) } else { unit.iter().rev().fold(0, join) }
    };
    let code = value(unit);
    if surrogates && matches!(code, 0xd800..0xdc00) {
        let Some(second) = rest.get(bytes..2 * bytes) else { return Decoded::Incomplete };
        let low = value(second);
        if !matches!(low, 0xdc00..0xe000) {
            return Decoded::Invalid(bytes);
        }
        let joined = 0x1_0000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        return char::from_u32(joined)
            .map_or(Decoded::Invalid(2 * bytes), |c| Decoded::Character(c, 2 * bytes));
    }
    char::from_u32(code).map_or(Decoded::Invalid(bytes), |character| Decoded::Character(character, bytes))
}
