//! Zlib streams of small objects, inflated at once into their place: most objects are small, and setting up a decoder for pieces
//! costs more than they do. RFC 1950 and 1951. What is not as it should be gives `None`; the decoder for pieces then says what
//! there is to say.

use crate::memory::{Vec, vec};

/// Objects up to this size are inflated at once.
pub(super) const MOST: usize = 64 << 10;

/// Codes up to this length are looked up.
const LOOKED_UP: u32 = 9;
const LONGEST: usize = 15;
const LITERALS: usize = 288;
const DISTANCES: usize = 32;

const LENGTH_BASES: [u16; 29] = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195,
    227, 258,
];
const LENGTH_BITS: [u8; 29] =
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BASES: [u16; 30] = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073,
    4097, 6145, 8193, 12289, 16385, 24577,
];
const DISTANCE_BITS: [u8; 30] =
    [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13];
/// In which order the lengths of the codes of lengths come.
const ORDER: [u8; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// The codes of an alphabet.
struct Codes {
    /// For the next bits: the symbol times 16 and the length of its code; 0 where that is longer.
    table: [u16; 1 << LOOKED_UP],
    /// How many codes have each length.
    counts: [u16; LONGEST + 1],
    /// The symbols in the order of their codes.
    symbols: [u16; LITERALS],
}

impl Codes {
    /// The codes with these lengths; `None`: there are more than fit.
    fn new(lengths: &[u8]) -> Option<Self> {
        let mut codes = Self { table: [0; 1 << LOOKED_UP], counts: [0; LONGEST + 1], symbols: [0; LITERALS] };
        for length in lengths {
            *codes.counts.get_mut(usize::from(*length))? += 1;
        }
        let mut left = 1_i32;
        let mut places = [0_u16; LONGEST + 2];
        let mut firsts = [0_u32; LONGEST + 2];
        for length in 1..=LONGEST {
            let count = *codes.counts.get(length)?;
            left = (left << 1) - i32::from(count);
            if left < 0 {
                return None;
            }
            *places.get_mut(length + 1)? = places.get(length)? + count;
            *firsts.get_mut(length + 1)? = (firsts.get(length)? + u32::from(count)) << 1;
        }
        for (symbol, length) in lengths.iter().enumerate().filter(|(_, length)| **length > 0) {
            let length = usize::from(*length);
            let place = places.get_mut(length)?;
            *codes.symbols.get_mut(usize::from(*place))? = symbol as u16;
            *place += 1;
            let code = firsts.get_mut(length)?;
            let bits = *code;
            *code += 1;
            let length = length as u32;
            if length <= LOOKED_UP {
                // Codes come with their first bit first.
                let mut at = (bits.reverse_bits() >> (32 - length)) as usize;
                while let Some(slot) = codes.table.get_mut(at) {
                    *slot = (symbol as u16) << 4 | length as u16;
                    at += 1 << length;
                }
            }
        }
        codes.counts[0] = 0;
        Some(codes)
    }
}

/// The bits of a stream, the lowest of a byte first.
struct Bits<'b> {
    rest: &'b [u8],
    held: u64,
    count: u32,
}

impl Bits<'_> {
    /// Holds at least 48 bits, where there are so many.
    fn fill(&mut self) {
        if let Some((front, _)) = self.rest.split_first_chunk::<8>() {
            self.held |= u64::from_le_bytes(*front) << self.count;
            let taken = (63 - self.count) / 8;
            self.rest = self.rest.get(taken as usize..).unwrap_or(&[]);
            self.count += taken * 8;
            return;
        }
        while self.count <= 56
            && let Some((byte, rest)) = self.rest.split_first()
        {
            self.held |= u64::from(*byte) << self.count;
            self.count += 8;
            self.rest = rest;
        }
    }

    fn drop(&mut self, count: u32) -> Option<()> {
        self.count = self.count.checked_sub(count)?;
        self.held >>= count;
        Some(())
    }

    /// The next bits, at most 16, of those that are held.
    fn take(&mut self, count: u32) -> Option<usize> {
        let value = self.held & ((1 << count) - 1);
        self.drop(count)?;
        Some(value as usize)
    }

    /// The next symbol, of the bits that are held.
    fn symbol(&mut self, codes: &Codes) -> Option<usize> {
        let entry = *codes.table.get((self.held & ((1 << LOOKED_UP) - 1)) as usize)?;
        if entry > 0 {
            self.drop(u32::from(entry & 15))?;
            return Some(usize::from(entry >> 4));
        }
        let (mut code, mut first, mut place) = (0_u32, 0_u32, 0_u32);
        for length in 1..=LONGEST {
            code |= (self.held >> (length - 1) & 1) as u32;
            let count = u32::from(*codes.counts.get(length)?);
            if code < first + count {
                self.drop(length as u32)?;
                return codes.symbols.get((place + code - first) as usize).map(|symbol| usize::from(*symbol));
            }
            place += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }
}

/// The stream at the start of `input`, which has `size` bytes when it is inflated, at most [`MOST`].
pub(super) fn inflate_small(input: &[u8], size: usize) -> Option<Vec<u8>> {
    inflate_into(input, size).filter(|out| out.len() == size)
}

/// As [`inflate_small`], of a stream that has at most `size` bytes when it is inflated.
pub(super) fn inflate_into(input: &[u8], size: usize) -> Option<Vec<u8>> {
    let (&[method, flags], rest) = input.split_first_chunk::<2>()?;
    let is_zlib = method & 15 == 8 && (u16::from(method) << 8 | u16::from(flags)).is_multiple_of(31);
    if !is_zlib || flags & 0x20 != 0 || size > MOST {
        return None;
    }
    let mut out = vec![0_u8; size];
    let mut at = 0;
    let mut bits = Bits { rest, held: 0, count: 0 };
    loop {
        bits.fill();
        let is_last = bits.take(1)? == 1;
        match bits.take(2)? {
            0 => at = stored(&mut bits, &mut out, at)?,
            1 => {
                let (literals, distances) = fixed()?;
                at = block(&mut bits, literals, distances, &mut out, at)?;
            }
            2 => {
                let (literals, distances) = dynamic(&mut bits)?;
                at = block(&mut bits, &literals, &distances, &mut out, at)?;
            }
            _ => return None,
        }
        if is_last {
            break;
        }
    }
    bits.drop(bits.count % 8)?;
    let mut sum = 0_u32;
    for _ in 0..4 {
        bits.fill();
        sum = sum << 8 | bits.take(8)? as u32;
    }
    out.truncate(at);
    (sum == checksum(&out)).then_some(out)
}

fn stored(bits: &mut Bits<'_>, out: &mut [u8], at: usize) -> Option<usize> {
    bits.drop(bits.count % 8)?;
    bits.fill();
    let length = bits.take(16)?;
    if bits.take(16)? != !length & 0xffff {
        return None;
    }
    let room = out.get_mut(at..at + length)?;
    for slot in room {
        bits.fill();
        *slot = bits.take(8)? as u8;
    }
    Some(at + length)
}

/// The codes that are always there.
fn fixed() -> Option<&'static (Codes, Codes)> {
    static FIXED: std::sync::OnceLock<Option<(Codes, Codes)>> = std::sync::OnceLock::new();
    let codes = FIXED.get_or_init(|| {
        let mut lengths = [8_u8; LITERALS];
        lengths.get_mut(144..256)?.fill(9);
        lengths.get_mut(256..280)?.fill(7);
        Some((Codes::new(&lengths)?, Codes::new(&[5; DISTANCES])?))
    });
    codes.as_ref()
}

fn dynamic(bits: &mut Bits<'_>) -> Option<(Codes, Codes)> {
    bits.fill();
    let literals = bits.take(5)? + 257;
    let distances = bits.take(5)? + 1;
    let count = bits.take(4)? + 4;
    let mut lengths = [0_u8; 19];
    for symbol in ORDER.get(..count)? {
        bits.fill();
        *lengths.get_mut(usize::from(*symbol))? = bits.take(3)? as u8;
    }
    let codes = Codes::new(&lengths)?;
    let mut lengths = [0_u8; LITERALS + DISTANCES];
    let mut at = 0;
    while at < literals + distances {
        bits.fill();
        let symbol = bits.symbol(&codes)?;
        let (value, times) = match symbol {
            16 => (*lengths.get(at.checked_sub(1)?)?, 3 + bits.take(2)?),
            17 => (0, 3 + bits.take(3)?),
            18 => (0, 11 + bits.take(7)?),
            _ => (symbol as u8, 1),
        };
        lengths.get_mut(at..at + times)?.fill(value);
        at += times;
    }
    if at != literals + distances {
        return None;
    }
    Some((Codes::new(lengths.get(..literals)?)?, Codes::new(lengths.get(literals..at)?)?))
}

fn block(
    bits: &mut Bits<'_>,
    literals: &Codes,
    distances: &Codes,
    out: &mut [u8],
    start: usize,
) -> Option<usize> {
    let mut at = start;
    loop {
        bits.fill();
        let symbol = bits.symbol(literals)?;
        if symbol < 256 {
            *out.get_mut(at)? = symbol as u8;
            at += 1;
            continue;
        }
        if symbol == 256 {
            return Some(at);
        }
        let length = usize::from(*LENGTH_BASES.get(symbol - 257)?)
            + bits.take(u32::from(*LENGTH_BITS.get(symbol - 257)?))?;
        // A code, its length and a distance are 48 bits at most.
        let symbol = bits.symbol(distances)?;
        let distance =
            usize::from(*DISTANCE_BASES.get(symbol)?) + bits.take(u32::from(*DISTANCE_BITS.get(symbol)?))?;
        let from = at.checked_sub(distance)?;
        if at + length > out.len() {
            return None;
        }
        if distance >= length {
            out.copy_within(from..from + length, at);
        } else {
            for index in from..from + length {
                let byte = *out.get(index)?;
                *out.get_mut(index + distance)? = byte;
            }
        }
        at += length;
    }
}

/// Adler-32, RFC 1950 section 8.2.
fn checksum(bytes: &[u8]) -> u32 {
    let (mut one, mut other) = (1_u32, 0_u32);
    // So many sums do not overflow.
    for piece in bytes.chunks(5552) {
        for byte in piece {
            one += u32::from(*byte);
            other += one;
        }
        (one, other) = (one % 65521, other % 65521);
    }
    other << 16 | one
}

#[cfg(test)]
mod tests {
    use super::*;
    use miniz_oxide::deflate::compress_to_vec_zlib;

    #[test]
    fn what_is_deflated_comes_back() {
        let mut texts: std::vec::Vec<std::vec::Vec<u8>> = std::vec::Vec::new();
        for size in [0, 1, 2, 10, 300, 5000, 65_536] {
            texts.push((0..size).map(|index: usize| (index * index % 251) as u8).collect());
            texts.push((0..size).map(|index: usize| b"tree parent author"[index % 18]).collect());
            texts.push([b'x'].repeat(size));
            let mut state = 1_u32;
            texts.push(
                (0..size)
                    .map(|_| {
                        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        (state >> 24) as u8
                    })
                    .collect(),
            );
        }
        for text in &texts {
            for level in [0, 1, 6, 9] {
                let mut stream = compress_to_vec_zlib(text, level);
                stream.extend_from_slice(b"more");
                let found = inflate_small(&stream, text.len());
                assert_eq!(found.as_deref(), Some(text.as_slice()), "{} bytes, level {level}", text.len());
                assert!(inflate_small(&stream, text.len() + 1).is_none());
                for cut in [0, 1, 2, 5, stream.len() / 2, stream.len().saturating_sub(9)] {
                    let found = stream.get(..cut).and_then(|front| inflate_small(front, text.len()));
                    assert!(found.is_none(), "{cut} of {}", stream.len());
                }
            }
        }
    }

    #[test]
    fn damage_is_no_panic() {
        let text: std::vec::Vec<u8> = (0..3000_usize).map(|index| b"abcabcdabcde"[index * 7 % 12]).collect();
        let stream = compress_to_vec_zlib(&text, 6);
        for at in 0..stream.len() {
            for bit in 0..8 {
                let mut broken = stream.clone();
                broken[at] ^= 1 << bit;
                assert_ne!(inflate_small(&broken, text.len()).as_deref(), Some(&[][..]));
            }
        }
    }
}
