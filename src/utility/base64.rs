//! `base64`: encodes or decodes. GNU coreutils base64(1), RFC 4648.
//!
//! Its own decoder, and no crate's: what stands before a fault is printed, as GNU's does, with the bytes of a group that is not
//! complete, and letters come in pieces that end anywhere; a crate's would still need the groups that are kept between pieces,
//! which are most of it. The encoder is ten lines.

use super::format::count::parse_digits;
use crate::memory::{Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Decode = flag('d', "decode", "decode data"),
        IgnoreGarbage = flag('i', "ignore-garbage", "when decoding, ignore non-alphabet characters"),
        Wrap = value(
            'w',
            "wrap",
            "COLS",
            "wrap encoded lines after COLS characters (default 76), 0 for no wrapping",
        ),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "base64",
    summary: "base64 encode or decode FILE, or standard input, to standard output",
    usage: "base64 [OPTION]... [FILE]",
    options: Opt::TABLE,
    examples: &[
        example("printf hello | base64", "aGVsbG8=\n"),
        example("echo aGVsbG8= | base64 -d", "hello"),
    ],
    run: start!(run),
    ..Utility::BASE
};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let mut wrap = 76;
    for text in options.values(Opt::Wrap) {
        wrap = parse_digits(text)
            .ok_or_else(|| UtilityError::failed(format!("invalid wrap size: {}", quote(text))))?;
    }
    if let Some(extra) = options.operands.get(1) {
        return Err(UtilityError::Usage(format!("extra operand {}", quote(extra))));
    }
    let operand = options.operands.first().cloned().unwrap_or(Text::from_static(b"-"));
    let input = ctx
        .open_input(&operand)
        .map_err(|error| UtilityError::operand(quote_operand(&operand).as_bytes(), error))?;
    let done = if options.has(Opt::Decode) {
        decode(ctx, input, options.has(Opt::IgnoreGarbage)).await
    } else {
        encode(ctx, input, wrap).await
    };
    match done {
        Ok(()) => Ok(ExitStatus::SUCCESS),
        Err(error) => Err(UtilityError::failed(format!("read error: {}", error.errno()?.message()))),
    }
}

/// Bytes encoded at a time: a multiple of three.
const PIECE: usize = 12 * 1024;

async fn encode(ctx: &mut Context, mut input: Input, wrap: u64) -> Result<(), OperandError> {
    let mut wrapper = Wrapper { columns: usize::try_from(wrap).unwrap_or(usize::MAX), used: 0 };
    let mut held = Vec::with_capacity(3);
    let mut encoded = Vec::with_capacity(PIECE / 3 * 4 + 4);
    loop {
        ctx.check().await?;
        let block = input.fill().await?;
        if block.is_empty() {
            break;
        }
        let length = block.len();
        let mut rest = block;
        while let (true, Some((&byte, tail))) = (!held.is_empty(), rest.split_first()) {
            held.push(byte);
            rest = tail;
            if held.len() == 3 {
                encode_groups(&held, &mut encoded);
                wrapper.write(ctx, &encoded).await?;
                held.clear();
            }
        }
        for piece in rest.chunks(PIECE) {
            let (groups, tail) = piece.split_at_checked(piece.len() / 3 * 3).unwrap_or((piece, &[]));
            encode_groups(groups, &mut encoded);
            wrapper.write(ctx, &encoded).await?;
            held.extend_from_slice(tail);
            ctx.check().await?;
        }
        input.consume(length);
    }
    if !held.is_empty() {
        let padding = 3 - held.len();
        held.resize(3, 0);
        encode_groups(&held, &mut encoded);
        encoded.truncate(4 - padding);
        encoded.resize(4, b'=');
        wrapper.write(ctx, &encoded).await?;
    }
    if wrapper.columns > 0 && wrapper.used > 0 {
        ctx.stdout.write(b"\n").await?;
    }
    Ok(())
}

/// Replaces `out` by the encoding of groups of three bytes.
fn encode_groups(bytes: &[u8], out: &mut Vec<u8>) {
    out.resize(bytes.len() / 3 * 4, 0);
    for (group, four) in bytes.chunks_exact(3).zip(out.chunks_exact_mut(4)) {
        if let ([a, b, c], [w, x, y, z]) = (group, four) {
            let bits = usize::from(*a) << 16 | usize::from(*b) << 8 | usize::from(*c);
            let pair = |bits: usize| PAIRS.get(bits & 4095).copied().unwrap_or_default();
            ([*w, *x], [*y, *z]) = (pair(bits >> 12), pair(bits));
        }
    }
}

/// The two letters of each twelve bits.
static PAIRS: [[u8; 2]; 4096] = {
    let mut pairs = [[0; 2]; 4096];
    let mut bits = 0;
    while bits < 4096 {
        pairs[bits] = [ALPHABET[bits >> 6], ALPHABET[bits & 63]];
        bits += 1;
    }
    pairs
};

/// The encoding of a whole text, padded.
#[cfg(feature = "programs")]
pub(super) fn encode_whole(bytes: &[u8]) -> Vec<u8> {
    let missing = (3 - bytes.len() % 3) % 3;
    let mut padded = Vec::with_capacity(bytes.len() + missing);
    padded.extend_from_slice(bytes);
    padded.resize(bytes.len() + missing, 0);
    let mut encoded = Vec::new();
    encode_groups(&padded, &mut encoded);
    encoded.truncate(encoded.len().saturating_sub(missing));
    encoded.resize(encoded.len() + missing, b'=');
    encoded
}

/// Breaks the output into lines.
struct Wrapper {
    columns: usize,
    used: usize,
}

impl Wrapper {
    async fn write(&mut self, ctx: &mut Context, text: &[u8]) -> Result<(), UtilityError> {
        let mut rest = text;
        if self.columns == 0 {
            return ctx.stdout.write(rest).await;
        }
        while !rest.is_empty() {
            let room = (self.columns - self.used).min(rest.len());
            let (line, tail) = rest.split_at_checked(room).unwrap_or((rest, &[]));
            ctx.stdout.push(line);
            self.used += room;
            if self.used == self.columns {
                ctx.stdout.push(b"\n");
                self.used = 0;
            }
            rest = tail;
        }
        ctx.stdout.flush_if_full().await
    }
}

const INVALID: u8 = 255;

fn values() -> [u8; 256] {
    let mut values = [INVALID; 256];
    for (letter, value) in ALPHABET.iter().zip(0..) {
        if let Some(entry) = values.get_mut(usize::from(*letter)) {
            *entry = value;
        }
    }
    values
}

async fn decode(ctx: &mut Context, mut input: Input, ignore_garbage: bool) -> Result<(), OperandError> {
    let values = values();
    let mut group = Group::default();
    let mut out = Vec::with_capacity(PIECE);
    loop {
        ctx.check().await?;
        let block = input.fill().await?;
        if block.is_empty() {
            break;
        }
        let length = block.len();
        for piece in block.chunks(PIECE) {
            out.clear();
            let valid = decode_piece(&values, piece, ignore_garbage, &mut group, &mut out);
            ctx.stdout.write(&out).await?;
            if !valid {
                return Err(invalid());
            }
            ctx.check().await?;
        }
        input.consume(length);
    }
    if group.length > 0 {
        out.clear();
        group.finish_partial(&mut out);
        ctx.stdout.write(&out).await?;
        return Err(invalid());
    }
    Ok(())
}

fn invalid() -> OperandError {
    UtilityError::failed("invalid input").into()
}

/// Up to four letters that are not decoded yet.
#[derive(Default)]
struct Group {
    bits: u32,
    length: u32,
    padding: u32,
}

impl Group {
    /// Writes what an incomplete group says: a byte for two letters, two bytes for three.
    fn finish_partial(&mut self, out: &mut Vec<u8>) {
        let letters = self.length - self.padding;
        let bits = self.bits << (6 * (4 - letters));
        let bytes = bits.to_be_bytes();
        out.extend(bytes.iter().skip(1).take(letters.saturating_sub(1) as usize));
        *self = Self::default();
    }

    /// Returns whether the group can still be valid.
    fn push(&mut self, value: Option<u8>, out: &mut Vec<u8>) -> bool {
        match value {
            Some(value) if self.padding == 0 => self.bits = self.bits << 6 | u32::from(value),
            None if self.length >= 2 => self.padding += 1,
            _ => return false,
        }
        self.length += 1;
        if self.length == 4 {
            self.finish_partial(out);
        }
        true
    }
}

/// Letters that are decoded at once: what a line has, as a rule.
const LETTERS: usize = 76;

/// Decodes groups of four letters as long as there are letters; how many.
fn decode_groups(values: &[u8; 256], letters: &[u8], out: &mut Vec<u8>) -> usize {
    let mut bytes = [0; LETTERS / 4 * 3];
    let mut count = 0;
    for (four, three) in letters.chunks_exact(4).zip(bytes.chunks_exact_mut(3)) {
        let ([a, b, c, d], [x, y, z]) = (four, three) else { break };
        let value = |byte: u8| u32::from(values.get(usize::from(byte)).copied().unwrap_or(INVALID));
        let four = [value(*a), value(*b), value(*c), value(*d)];
        if four[0] | four[1] | four[2] | four[3] >= 64 {
            break;
        }
        [_, *x, *y, *z] = (four[0] << 18 | four[1] << 12 | four[2] << 6 | four[3]).to_be_bytes();
        count += 1;
    }
    out.extend_from_slice(bytes.get(..3 * count).unwrap_or(&[]));
    count
}

/// Returns whether the piece is valid; `out` gets what comes before the fault.
fn decode_piece(
    values: &[u8; 256],
    piece: &[u8],
    ignore: bool,
    group: &mut Group,
    out: &mut Vec<u8>,
) -> bool {
    let value = |byte: u8| values.get(usize::from(byte)).copied().unwrap_or(INVALID);
    let mut rest = piece;
    while let Some((&byte, tail)) = rest.split_first() {
        if group.length == 0 {
            let count = decode_groups(values, rest, out);
            if count > 0 {
                rest = rest.get(4 * count..).unwrap_or(&[]);
                continue;
            }
        }
        rest = tail;
        let letter = match (byte, value(byte)) {
            (b'\n', _) => continue,
            (b'=', _) => None,
            (_, INVALID) if ignore => continue,
            (_, INVALID) => {
                group.finish_partial(out);
                return false;
            }
            (_, value) => Some(value),
        };
        if !group.push(letter, out) {
            group.finish_partial(out);
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn encodes_and_wraps() {
        for (args, input, want) in [
            (&[][..], "hello", "aGVsbG8=\n"),
            (&["-w2"], "abc", "YW\nJj\n"),
            (&["-w0"], "abc", "YWJj"),
            (&[], "", ""),
        ] {
            assert_eq!(run("base64", args, input.as_bytes(), &[]).stdout, want);
        }
        let long = run("base64", &[], &[b'a'; 114], &[]).stdout;
        assert_eq!(long, "YWFh".repeat(19) + "\n" + &"YWFh".repeat(19) + "\n");
    }

    #[test]
    fn decodes_what_is_valid() {
        for (args, input, want, status) in [
            (&["-d"][..], "YQ", "a", 1),
            (&["-d"], "YQ==YQ==", "aa", 0),
            (&["-d"], "YW\nJj\n*", "abc", 1),
            (&["-d"], "Y Q==", "", 1),
            (&["-di"], "Y Q=*=", "a", 0),
            (&["-d"], "YR==", "a", 0),
            (&["-d"], "Y===", "", 1),
            (&["-d"], "YWJj=", "abc", 1),
        ] {
            let outcome = run("base64", args, input.as_bytes(), &[]);
            assert_eq!((outcome.stdout.as_str(), outcome.status), (want, status), "{input}");
        }
    }
}
