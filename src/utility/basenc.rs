//! `basenc`: encodes or decodes by one of several alphabets. GNU coreutils basenc(1), RFC 4648; Z85 of `ZeroMQ`.
//!
//! Encoding takes groups of bytes to groups of letters; decoding takes letters in pieces that end anywhere, and prints what
//! stands before a fault.

use super::format::count::parse_digits;
use crate::memory::{Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Base64 = flag('\0', "base64", "same as 'base64' program (RFC 4648 section 4)"),
        Base64Url = flag('\0', "base64url", "file- and url-safe base64 (RFC 4648 section 5)"),
        Base32 = flag('\0', "base32", "same as 'base32' program (RFC 4648 section 6)"),
        Base32Hex = flag('\0', "base32hex", "extended hex alphabet base32 (RFC 4648 section 7)"),
        Base16 = flag('\0', "base16", "hex encoding (RFC 4648 section 8)"),
        Base2Msbf = flag('\0', "base2msbf", "bit string with most significant bit first"),
        Base2Lsbf = flag('\0', "base2lsbf", "bit string with least significant bit first"),
        Z85 = flag('\0', "z85", "ascii85-like encoding (ZeroMQ spec 32/Z85)"),
        Decode = flag('d', "decode", "decode data"),
        IgnoreGarbage = flag('i', "ignore-garbage", "when decoding, ignore non-alphabet characters"),
        Wrap = value('w', "wrap", "COLS", "wrap encoded lines after COLS characters (default 76), 0 for no wrapping"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "basenc",
    summary: "basenc encode or decode FILE, or standard input, to standard output",
    usage: "basenc [OPTION]... [FILE]",
    options: Opt::TABLE,
    examples: &[example("printf hello | basenc --base16", "68656C6C6F\n")],
    run: start!(run),
    ..Utility::BASE
};

/// An alphabet, and how it is used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Encoding {
    alphabet: &'static [u8],
    /// Bits of a letter; 0: Z85, whose five letters are a number of four bytes.
    bits: u32,
    /// Letters of a group.
    letters: usize,
    /// Bytes of a group.
    bytes: usize,
    pads: bool,
    /// The lowest bit comes first.
    reversed: bool,
}

const fn encoding(alphabet: &'static [u8], bits: u32, letters: usize, bytes: usize, pads: bool) -> Encoding {
    Encoding { alphabet, bits, letters, bytes, pads, reversed: false }
}

const BASE64: Encoding =
    encoding(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 6, 4, 3, true);
const BASE64_URL: Encoding =
    encoding(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 6, 4, 3, true);
pub(super) const BASE32: Encoding = encoding(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 5, 8, 5, true);
const BASE32_HEX: Encoding = encoding(b"0123456789ABCDEFGHIJKLMNOPQRSTUV", 5, 8, 5, true);
const BASE16: Encoding = encoding(b"0123456789ABCDEF", 4, 2, 1, false);
const BASE2: Encoding = encoding(b"01", 1, 8, 1, false);
const Z85: Encoding = encoding(
    b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#",
    0,
    5,
    4,
    false,
);

/// What the options ask for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    pub(super) encoding: Encoding,
    pub(super) decodes: bool,
    pub(super) ignores_garbage: bool,
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let named = options.last_of([
        Opt::Base64,
        Opt::Base64Url,
        Opt::Base32,
        Opt::Base32Hex,
        Opt::Base16,
        Opt::Base2Msbf,
        Opt::Base2Lsbf,
        Opt::Z85,
    ]);
    let encoding = match named {
        Some(Opt::Base64) => BASE64,
        Some(Opt::Base64Url) => BASE64_URL,
        Some(Opt::Base32) => BASE32,
        Some(Opt::Base32Hex) => BASE32_HEX,
        Some(Opt::Base16) => BASE16,
        Some(Opt::Base2Msbf) => BASE2,
        Some(Opt::Base2Lsbf) => Encoding { reversed: true, ..BASE2 },
        Some(_) => Z85,
        None => return Err(UtilityError::Usage("missing encoding type".into())),
    };
    let task = Task {
        encoding,
        decodes: options.has(Opt::Decode),
        ignores_garbage: options.has(Opt::IgnoreGarbage),
    };
    run_with(ctx, task, options.value(Opt::Wrap), &options.operands).await
}

/// Encodes or decodes the operand.
pub(super) async fn run_with(
    ctx: &mut Context,
    task: Task,
    wrap: Option<&Text>,
    operands: &[Text],
) -> Result<ExitStatus, UtilityError> {
    let wrap = match wrap {
        Some(text) => parse_digits(text)
            .ok_or_else(|| UtilityError::failed(format!("invalid wrap size: {}", quote(text))))?,
        None => 76,
    };
    if let Some(extra) = operands.get(1) {
        return Err(UtilityError::Usage(format!("extra operand {}", quote(extra))));
    }
    let operand = operands.first().cloned().unwrap_or(Text::from_static(b"-"));
    let input = ctx
        .open_input(&operand)
        .map_err(|error| UtilityError::operand(quote_operand(&operand).as_bytes(), error))?;
    let done = if task.decodes {
        decode(ctx, input, task).await
    } else {
        encode(ctx, input, task.encoding, wrap).await
    };
    match done {
        Ok(()) => Ok(ExitStatus::SUCCESS),
        Err(error) => Err(UtilityError::failed(format!("read error: {}", error.errno()?.message()))),
    }
}

impl Encoding {
    fn letter(self, value: u64) -> u8 {
        self.alphabet.get(value as usize).copied().unwrap_or(b'?')
    }

    fn value(self, letter: u8) -> Option<u64> {
        self.alphabet.iter().position(|known| *known == letter).map(|at| at as u64)
    }

    /// Appends the letters of a group, which may be cut short.
    fn encode_group(self, group: &[u8], out: &mut Vec<u8>) {
        let mut number = 0;
        for index in 0..self.bytes {
            let byte = group.get(index).copied().unwrap_or(0);
            number = number << 8 | u64::from(if self.reversed { byte.reverse_bits() } else { byte });
        }
        let whole = 8 * group.len();
        for index in 0..self.letters {
            if self.bits == 0 {
                let power = 85_u64.pow((self.letters - 1 - index) as u32);
                out.push(self.letter(number / power % 85));
            } else if index * self.bits as usize >= whole {
                out.push(b'=');
            } else {
                let shift = 8 * self.bytes - self.bits as usize * (index + 1);
                out.push(self.letter(number >> shift & ((1 << self.bits) - 1)));
            }
        }
    }

    /// Appends what a group says that is not whole, as the real program does with base64 alone.
    fn decode_partial(self, values: &[u64], out: &mut Vec<u8>) {
        if self.bits == 6 {
            self.decode_group(values, out);
        }
    }

    /// Appends the bytes that letters stand for; a group that is cut short gives those that are whole. `false`: it stands for
    /// none.
    fn decode_group(self, values: &[u64], out: &mut Vec<u8>) -> bool {
        let mut number = 0_u64;
        let mut whole = self.bytes;
        if self.bits == 0 {
            for value in values {
                number = number * 85 + value;
            }
            if number > u64::from(u32::MAX) || values.len() < self.letters {
                return false;
            }
        } else {
            for index in 0..self.letters {
                number = number << self.bits | values.get(index).copied().unwrap_or(0);
            }
            whole = values.len() * self.bits as usize / 8;
        }
        for index in 0..whole {
            let byte = (number >> (8 * (self.bytes - 1 - index))) as u8;
            out.push(if self.reversed { byte.reverse_bits() } else { byte });
        }
        true
    }
}

/// Bytes that are looked at between two looks at the meter.
const PIECE: usize = 4096;
/// Bytes that the real program encodes at once.
const Z85_BLOCK: usize = 30_720;

async fn encode(
    ctx: &mut Context,
    mut input: Input,
    encoding: Encoding,
    wrap: u64,
) -> Result<(), OperandError> {
    let mut held: Vec<u8> = Vec::new();
    let mut out: Vec<u8> = Vec::new();
    let mut column = 0;
    loop {
        ctx.check().await?;
        let block = input.fill().await?;
        let piece = block.get(..PIECE).unwrap_or(block);
        let count = piece.len();
        held.extend_from_slice(piece);
        input.consume(count);
        let whole = match count {
            0 => held.len(),
            // A fault in the last group leaves out what was read with it.
            _ if encoding.bits == 0 && held.len() < Z85_BLOCK => 0,
            _ => held.len() - held.len() % encoding.bytes,
        };
        out.clear();
        for group in held.get(..whole).unwrap_or(&[]).chunks(encoding.bytes) {
            if group.len() < encoding.bytes && encoding.bits == 0 {
                let text = "invalid input (length must be multiple of 4 characters)";
                return Err(UtilityError::failed(text).into());
            }
            encoding.encode_group(group, &mut out);
        }
        held.remove_front(whole);
        write_wrapped(ctx, &out, wrap, &mut column).await?;
        crate::utility::context::pace::tick_bytes(&ctx.meter, 4 * count).await?;
        if count == 0 {
            if wrap > 0 && column > 0 {
                ctx.stdout.write(b"\n").await?;
            }
            return Ok(());
        }
    }
}

async fn write_wrapped(
    ctx: &mut Context,
    text: &[u8],
    wrap: u64,
    column: &mut u64,
) -> Result<(), UtilityError> {
    let mut rest = text;
    while !rest.is_empty() {
        let room = if wrap == 0 { rest.len() } else { usize::try_from(wrap - *column).unwrap_or(usize::MAX) };
        let (now, later) = rest.split_at_checked(room).unwrap_or((rest, &[]));
        ctx.stdout.push(now);
        rest = later;
        if wrap > 0 {
            *column += now.len() as u64;
            if *column == wrap {
                ctx.stdout.push(b"\n");
                *column = 0;
            }
        }
    }
    ctx.stdout.flush_if_full().await
}

async fn decode(ctx: &mut Context, mut input: Input, task: Task) -> Result<(), OperandError> {
    let encoding = task.encoding;
    let mut values: Vec<u64> = Vec::new();
    let mut padding = 0;
    let mut out: Vec<u8> = Vec::new();
    let invalid = || OperandError::from(UtilityError::failed("invalid input"));
    loop {
        ctx.check().await?;
        let block = input.fill().await?;
        let piece = block.get(..PIECE).unwrap_or(block);
        let count = piece.len();
        out.clear();
        let mut is_valid = true;
        for &byte in piece {
            if byte == b'\n' {
                continue;
            }
            match encoding.value(byte) {
                Some(value) if padding == 0 => values.push(value),
                None if byte == b'=' && encoding.pads && !values.is_empty() => padding += 1,
                None if task.ignores_garbage && byte != b'=' => continue,
                _ => is_valid = false,
            }
            if is_valid && values.len() + padding == encoding.letters {
                // What is left of the bits of the last letter does not make another byte.
                let is_short =
                    padding > 0 && values.len() * encoding.bits as usize % 8 >= encoding.bits as usize;
                is_valid = !is_short && encoding.decode_group(&values, &mut out);
                values.clear();
                padding = 0;
            }
            if !is_valid {
                encoding.decode_partial(&values, &mut out);
                break;
            }
        }
        let is_over = count == 0;
        if is_over && !values.is_empty() {
            encoding.decode_partial(&values, &mut out);
            is_valid = false;
        }
        ctx.stdout.write(&out).await?;
        if !is_valid {
            return Err(invalid());
        }
        if is_over {
            return Ok(());
        }
        input.consume(count);
        crate::utility::context::pace::tick_bytes(&ctx.meter, 8 * count).await?;
    }
}
