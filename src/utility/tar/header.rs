//! The block of 512 bytes before each member. POSIX.1-1988 (ustar), with GNU's own form of it and that of version 7.
//!
//! Offsets: name 0, mode 100, uid 108, gid 116, size 124, time 136, checksum 148, type 156, link 157, magic 257, version 263,
//! user 265, group 297, device 329 and 337, prefix 345.

use crate::memory::{ToMetered, Vec, format};
use std::time::Duration;

pub(super) const BLOCK: usize = 512;

/// A block, as it stands in the archive.
pub(super) type Block = [u8; BLOCK];

/// How archives are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    V7,
    OldGnu,
    Gnu,
    Ustar,
    Posix,
}

impl Format {
    pub(super) fn parse(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"v7" => Self::V7,
            b"oldgnu" => Self::OldGnu,
            b"gnu" => Self::Gnu,
            b"ustar" => Self::Ustar,
            b"posix" | b"pax" => Self::Posix,
            _ => return None,
        })
    }

    pub(super) fn is_gnu(self) -> bool {
        matches!(self, Self::Gnu | Self::OldGnu)
    }
}

/// What a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Regular,
    HardLink,
    Symlink,
    CharDevice,
    BlockDevice,
    Directory,
    Fifo,
    /// Anything else, by its letter.
    Other(u8),
}

impl Kind {
    fn of(letter: u8, name: &[u8]) -> Self {
        match letter {
            // Version 7 has no type for directories.
            0 | b'0' | b'7' if name.ends_with(b"/") && letter != b'7' => Self::Directory,
            0 | b'0' | b'7' => Self::Regular,
            b'1' => Self::HardLink,
            b'2' => Self::Symlink,
            b'3' => Self::CharDevice,
            b'4' => Self::BlockDevice,
            b'5' => Self::Directory,
            b'6' => Self::Fifo,
            other => Self::Other(other),
        }
    }

    fn letter(self, format: Format) -> u8 {
        match self {
            Self::Regular => {
                if format == Format::V7 {
                    0
                } else {
                    b'0'
                }
            }
            Self::HardLink => b'1',
            Self::Symlink => b'2',
            Self::CharDevice => b'3',
            Self::BlockDevice => b'4',
            Self::Directory => b'5',
            Self::Fifo => b'6',
            Self::Other(letter) => letter,
        }
    }

    /// Whether bytes follow, as many as the size says.
    pub(super) fn has_data(self) -> bool {
        matches!(self, Self::Regular | Self::Other(_))
    }
}

/// A member without its data.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) name: Vec<u8>,
    pub(super) kind: Kind,
    pub(super) mode: u32,
    pub(super) uid: u64,
    pub(super) gid: u64,
    pub(super) size: u64,
    pub(super) time: Duration,
    pub(super) accessed: Option<Duration>,
    pub(super) changed: Option<Duration>,
    pub(super) link: Vec<u8>,
    pub(super) user: Vec<u8>,
    pub(super) group: Vec<u8>,
    pub(super) device: (u64, u64),
    /// Its holes are left out of its data, which is not read here.
    pub(super) is_sparse: bool,
}

/// What a block is.
pub(super) enum Parsed {
    Zero,
    /// The checksum is another.
    Wrong,
    Member(Member),
}

fn field(block: &Block, at: usize, length: usize) -> &[u8] {
    block.get(at..at + length).unwrap_or(&[])
}

fn text(field: &[u8]) -> Vec<u8> {
    let end = memchr::memchr(0, field).unwrap_or(field.len());
    field.get(..end).unwrap_or(field).to_metered()
}

/// A number in octal digits, or in base 256 after a byte of 0x80. Negative ones, and what is not a number, are 0.
fn number(field: &[u8]) -> u64 {
    match field.split_first() {
        Some((0x80, rest)) => rest
            .iter()
            .try_fold(0_u64, |value, &byte| Some(value.checked_mul(256)? + u64::from(byte)))
            .unwrap_or(u64::MAX),
        Some((0xff, _)) => 0,
        _ => {
            let digits = field.trim_ascii_start().iter().take_while(|byte| matches!(byte, b'0'..=b'7'));
            digits.fold(0, |value: u64, byte| value.wrapping_mul(8).wrapping_add(u64::from(byte - b'0')))
        }
    }
}

/// The sum of all bytes, those of the checksum being blanks.
fn checksum(block: &Block, signed: bool) -> i64 {
    let value = |byte: u8| if signed { i64::from(byte.cast_signed()) } else { i64::from(byte) };
    let bytes = block.iter().enumerate();
    bytes.map(|(at, &byte)| if (148..156).contains(&at) { i64::from(b' ') } else { value(byte) }).sum()
}

/// Reads a block.
pub(super) fn parse(block: &Block) -> Parsed {
    if block.iter().all(|byte| *byte == 0) {
        return Parsed::Zero;
    }
    let wanted = i64::try_from(number(field(block, 148, 8))).unwrap_or(-1);
    if wanted != checksum(block, false) && wanted != checksum(block, true) {
        return Parsed::Wrong;
    }
    let magic = field(block, 257, 8);
    let is_ustar = magic.starts_with(b"ustar\0");
    let is_gnu = magic == b"ustar  \0";
    let mut name = text(field(block, 0, 100));
    let prefix = text(field(block, 345, 155));
    if is_ustar && !prefix.is_empty() {
        let mut whole = prefix;
        whole.push(b'/');
        whole.extend_from_slice(&name);
        name = whole;
    }
    let letter = block.get(156).copied().unwrap_or(0);
    let kind = Kind::of(letter, &name);
    let has_names = is_ustar || is_gnu;
    let named = |at| if has_names { text(field(block, at, 32)) } else { Vec::new() };
    let is_device = matches!(kind, Kind::CharDevice | Kind::BlockDevice);
    Parsed::Member(Member {
        kind,
        mode: (number(field(block, 100, 8)) & 0o7777) as u32,
        uid: number(field(block, 108, 8)),
        gid: number(field(block, 116, 8)),
        size: number(field(block, 124, 12)),
        time: Duration::from_secs(number(field(block, 136, 12)).min(1 << 40)),
        accessed: None,
        changed: None,
        link: text(field(block, 157, 100)),
        user: named(265),
        group: named(297),
        device: if is_device { (number(field(block, 329, 8)), number(field(block, 337, 8))) } else { (0, 0) },
        is_sparse: letter == b'S',
        name,
    })
}

fn put(block: &mut Block, at: usize, bytes: &[u8]) {
    for (slot, byte) in block.iter_mut().skip(at).zip(bytes) {
        *slot = *byte;
    }
}

/// Puts a number: octal digits and NUL, or in base 256 where GNU's format may. `false`: it does not fit.
fn put_number(block: &mut Block, at: usize, length: usize, value: u64, is_gnu: bool) -> bool {
    let digits = length - 1;
    let octal = format!("{value:0digits$o}");
    if octal.len() <= digits {
        put(block, at, octal.as_bytes());
        return true;
    }
    if is_gnu {
        let bytes = value.to_be_bytes();
        put(block, at, &[0x80]);
        let skipped = bytes.len().saturating_sub(length - 1);
        put(block, at + length - (bytes.len() - skipped), bytes.get(skipped..).unwrap_or(&[]));
        return true;
    }
    false
}

/// Where a name is cut into a prefix and the rest (ustar); `None`: it cannot be.
pub(super) fn split_name(name: &[u8]) -> Option<(&[u8], &[u8])> {
    // The slash after a directory's name is not a place to cut.
    let whole = name.strip_suffix(b"/").unwrap_or(name).len();
    let last = whole.saturating_sub(1).min(155);
    let cut = name.get(..=last)?.iter().rposition(|byte| *byte == b'/').filter(|cut| *cut > 0)?;
    let (prefix, rest) = (name.get(..cut)?, name.get(cut + 1..)?);
    (!rest.is_empty() && rest.len() <= 100).then_some((prefix, rest))
}

/// The block of a member, whose names are cut where they are too long; those that cannot be told in it are told before it.
/// The inner list names the numbers that did not fit.
pub(super) fn write(member: &Member, format: Format) -> (Block, Vec<&'static str>) {
    let mut block = [0; BLOCK];
    let is_gnu = format.is_gnu();
    let mut wrong = Vec::new();
    let has_prefix = matches!(format, Format::Ustar | Format::Posix);
    match split_name(&member.name).filter(|_| has_prefix && member.name.len() > 100) {
        Some((prefix, rest)) => {
            put(&mut block, 0, rest);
            put(&mut block, 345, prefix);
        }
        None => {
            let room = if format == Format::OldGnu { 99 } else { 100 };
            put(&mut block, 0, member.name.get(..room).unwrap_or(&member.name));
        }
    }
    let numbers = [
        ("mode", 100, 8, u64::from(member.mode)),
        ("uid_t", 108, 8, member.uid),
        ("gid_t", 116, 8, member.gid),
        ("off_t", 124, 12, if member.kind.has_data() { member.size } else { 0 }),
        ("time_t", 136, 12, member.time.as_secs()),
    ];
    for (what, at, length, value) in numbers {
        if !put_number(&mut block, at, length, value, is_gnu) {
            wrong.push(what);
            put_number(&mut block, at, length, 0, false);
        }
    }
    put(&mut block, 156, &[member.kind.letter(format)]);
    put(&mut block, 157, member.link.get(..100).unwrap_or(&member.link));
    match format {
        Format::V7 => {}
        Format::Gnu | Format::OldGnu => put(&mut block, 257, b"ustar  \0"),
        Format::Ustar | Format::Posix => put(&mut block, 257, b"ustar\x0000"),
    }
    if format != Format::V7 {
        put(&mut block, 265, member.user.get(..32).unwrap_or(&member.user));
        put(&mut block, 297, member.group.get(..32).unwrap_or(&member.group));
    }
    let is_device = matches!(member.kind, Kind::CharDevice | Kind::BlockDevice);
    // A header that describes another has no devices.
    if is_device || (!is_gnu && !matches!(member.kind, Kind::Other(_))) {
        put_number(&mut block, 329, 8, member.device.0, is_gnu);
        put_number(&mut block, 337, 8, member.device.1, is_gnu);
    }
    finish(&mut block);
    (block, wrong)
}

/// Puts the checksum.
fn finish(block: &mut Block) {
    let sum = checksum(block, false);
    put(block, 148, format!("{sum:06o}\0 ").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_both_forms() {
        assert_eq!(number(b"0000644\0"), 0o644);
        assert_eq!(number(b"  644 \0\0"), 0o644);
        assert_eq!(number(&[0x80, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1]), 0x0200_0000_0000_0001);
        assert_eq!(number(&[0xff; 12]), 0);
        let mut block = [0; BLOCK];
        assert!(put_number(&mut block, 124, 12, 1 << 40, true));
        assert_eq!(number(field(&block, 124, 12)), 1 << 40);
        assert!(!put_number(&mut block, 108, 8, 1 << 30, false));
    }

    #[test]
    fn long_names_are_cut_at_a_slash() {
        let long = [&[b'a'; 60][..], b"/", &[b'b'; 80]].concat();
        let (prefix, rest) = split_name(&long).unwrap();
        assert_eq!((prefix.len(), rest.len()), (60, 80));
        assert_eq!(split_name(&[b'a'; 120]), None);
    }
}
