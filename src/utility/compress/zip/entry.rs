//! One entry of an archive: what its two headers tell.

use super::{ENTRY, ENTRY_MARK, FULL, LOCAL_MARK, u16_at, u32_at, u64_at};
use crate::memory::{ToMetered, Vec};
use crate::utility::format::time_format::Zone;
use std::time::Duration;

/// How the data of an entry is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Stored,
    Deflated,
    Bzip2,
    Other(u16),
}

impl Method {
    const fn of_number(number: u16) -> Self {
        match number {
            0 => Self::Stored,
            8 => Self::Deflated,
            12 => Self::Bzip2,
            other => Self::Other(other),
        }
    }

    pub(crate) const fn number(self) -> u16 {
        match self {
            Self::Stored => 0,
            Self::Deflated => 8,
            Self::Bzip2 => 12,
            Self::Other(number) => number,
        }
    }

    /// The version of the format that has it.
    pub(crate) const fn version(self) -> u16 {
        match self {
            Self::Stored => 10,
            Self::Bzip2 => 46,
            _ => 20,
        }
    }
}

/// A local time in steps of two seconds: the date above, the time below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DosTime(pub(crate) u32);

impl DosTime {
    /// The time, rounded up; what is before 1980 is its first moment.
    pub(crate) fn of(time: Duration, zone: &Zone) -> Self {
        let even = Duration::from_secs(time.as_secs() + time.as_secs() % 2);
        let zoned = zone.since_epoch(even);
        let Ok(year) = u32::try_from(i32::from(zoned.year()) - 1980) else { return Self(0x0021_0000) };
        let part = |number: i8| u32::from(number.unsigned_abs());
        let date = year.min(127) << 9 | part(zoned.month()) << 5 | part(zoned.day());
        Self(date << 16 | part(zoned.hour()) << 11 | part(zoned.minute()) << 5 | (part(zoned.second()) / 2))
    }

    /// The time of an entry as lists show it.
    pub(crate) fn of_entry(entry: &Entry, zone: &Zone) -> Self {
        match field(&entry.extra, TIMES) {
            // To the second: lists do not round.
            Some([flags, ..]) if flags & 1 == 1 => {
                let time = entry.time(zone);
                Self::of(Duration::from_secs(time.as_secs() / 2 * 2), zone)
            }
            _ => entry.dos_time,
        }
    }

    /// Year, month, day, hour, minute and second, whatever they are.
    pub(crate) const fn parts(self) -> [u32; 6] {
        let (date, time) = (self.0 >> 16, self.0 & 0xffff);
        [1980 + (date >> 9), date >> 5 & 15, date & 31, time >> 11, time >> 5 & 63, 2 * (time & 31)]
    }

    /// Since the epoch, where there is such a time.
    pub(crate) fn moment(self, zone: &Zone) -> Duration {
        let [year, month, day, hour, minute, second] = self.parts();
        let small = |number: u32| number.min(100) as i8;
        let date = jiff::civil::DateTime::new(
            year as i16,
            small(month),
            small(day),
            small(hour),
            small(minute),
            small(second),
            0,
        );
        let zoned = date.ok().and_then(|date| zone.zone().to_zoned(date).ok());
        zoned.map_or(Duration::ZERO, |zoned| {
            Duration::from_secs(u64::try_from(zoned.timestamp().as_second()).unwrap_or(0))
        })
    }
}

/// Flags of an entry.
pub(crate) const ENCRYPTED: u16 = 1;
pub(crate) const SIZES_FOLLOW: u16 = 8;

/// Numbers of extra fields.
const ZIP64: u16 = 1;
const TIMES: u16 = 0x5455;
const OWNER: u16 = 0x7875;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) name: Vec<u8>,
    /// The host below, the version of the format above it.
    pub(crate) made_by: u16,
    pub(crate) needs: u16,
    pub(crate) flags: u16,
    pub(crate) method: u16,
    pub(crate) dos_time: DosTime,
    pub(crate) crc: u32,
    pub(crate) packed: u64,
    pub(crate) size: u64,
    pub(crate) internal: u16,
    pub(crate) external: u32,
    pub(crate) offset: u64,
    /// The extra fields of the directory.
    pub(crate) extra: Vec<u8>,
    /// Those before the data, which only writers know.
    pub(crate) local_extra: Vec<u8>,
    pub(crate) comment: Vec<u8>,
}

impl Entry {
    /// The entry at the start of `bytes`, and its length.
    pub(super) fn parse(bytes: &[u8]) -> Option<(Self, usize)> {
        if bytes.len() < ENTRY || u32_at(bytes, 0) != ENTRY_MARK {
            return None;
        }
        let lengths = [28, 30, 32].map(|at| usize::from(u16_at(bytes, at)));
        let mut at = ENTRY;
        let [name, extra, comment] = lengths.map(|length| {
            let part = bytes.get(at..at + length);
            at += length;
            part
        });
        let (name, extra, comment) = (name?, extra?, comment?);
        let mut entry = Self {
            name: name.to_metered(),
            made_by: u16_at(bytes, 4),
            needs: u16_at(bytes, 6),
            flags: u16_at(bytes, 8),
            method: u16_at(bytes, 10),
            dos_time: DosTime(u32_at(bytes, 12)),
            crc: u32_at(bytes, 16),
            packed: u32_at(bytes, 20).into(),
            size: u32_at(bytes, 24).into(),
            internal: u16_at(bytes, 36),
            external: u32_at(bytes, 38),
            offset: u32_at(bytes, 42).into(),
            extra: extra.to_metered(),
            local_extra: Vec::new(),
            comment: comment.to_metered(),
        };
        // Numbers that do not fit stand in a field of their own, in this order.
        if let Some(more) = field(extra, ZIP64) {
            let mut at = 0;
            for number in [&mut entry.size, &mut entry.packed, &mut entry.offset] {
                if *number == u64::from(FULL) && more.len() >= at + 8 {
                    *number = u64_at(more, at);
                    at += 8;
                }
            }
        }
        Some((entry, at))
    }

    pub(crate) const fn method(&self) -> Method {
        Method::of_number(self.method)
    }

    /// Whether its host has modes as POSIX has them, and what it tells of them.
    pub(crate) const fn mode(&self) -> Option<u32> {
        match self.made_by >> 8 {
            3 | 16 | 19 | 30 => Some(self.external >> 16),
            _ => None,
        }
    }

    pub(crate) fn is_directory(&self) -> bool {
        self.name.ends_with(b"/")
    }

    pub(crate) fn is_symlink(&self) -> bool {
        self.mode().is_some_and(|mode| mode & 0o170_000 == 0o120_000)
    }

    /// When it was changed last, to the second where an extra field tells it.
    pub(crate) fn time(&self, zone: &Zone) -> Duration {
        match field(&self.extra, TIMES) {
            Some([flags, a, b, c, d, ..]) if flags & 1 == 1 => {
                let seconds = i32::from_le_bytes([*a, *b, *c, *d]);
                Duration::from_secs(u64::try_from(seconds).unwrap_or(0))
            }
            _ => self.dos_time.moment(zone),
        }
    }

    /// The numbers of its user and its group.
    pub(crate) fn owner(&self) -> Option<(u32, u32)> {
        match field(&self.extra, OWNER)? {
            [1, 4, user @ ..] if user.len() >= 9 => Some((u32_at(user, 0), u32_at(user, 5))),
            _ => None,
        }
    }

    /// Adds fields with times and owner.
    pub(crate) fn put_fields(&mut self, modified: Duration, accessed: Duration, owner: (u32, u32)) {
        let seconds = |time: Duration| (time.as_secs() as u32).to_le_bytes();
        let mut fields: Vec<u8> = Vec::new();
        fields.extend_from_slice(&TIMES.to_le_bytes());
        let mut local = fields.clone();
        fields.extend_from_slice(&[5, 0, 3]);
        fields.extend_from_slice(&seconds(modified));
        local.extend_from_slice(&[9, 0, 3]);
        local.extend_from_slice(&seconds(modified));
        local.extend_from_slice(&seconds(accessed));
        for fields in [&mut fields, &mut local] {
            fields.extend_from_slice(&OWNER.to_le_bytes());
            fields.extend_from_slice(&[11, 0, 1, 4]);
            fields.extend_from_slice(&owner.0.to_le_bytes());
            fields.push(4);
            fields.extend_from_slice(&owner.1.to_le_bytes());
        }
        self.extra = fields;
        self.local_extra = local;
    }

    /// Whether a number does not fit into four bytes.
    const fn is_large(&self) -> bool {
        self.size >= FULL as u64 || self.packed >= FULL as u64
    }

    /// The header before the data. What is not known yet follows the data, where the flags say so.
    pub(crate) fn local_header(&self) -> Vec<u8> {
        let follows = self.flags & SIZES_FOLLOW != 0;
        let mut out: Vec<u8> = Vec::new();
        out.extend_from_slice(&LOCAL_MARK.to_le_bytes());
        let needs = if self.is_large() { 45.max(self.needs) } else { self.needs };
        for number in [needs, self.flags, self.method] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&self.dos_time.0.to_le_bytes());
        let large = self.is_large() && !follows;
        let short = |number: u64| if large { FULL } else { number as u32 };
        let known = if follows { [0; 3] } else { [self.crc, short(self.packed), short(self.size)] };
        for number in known {
            out.extend_from_slice(&number.to_le_bytes());
        }
        let extra = self.local_extra.len() + if large { 20 } else { 0 };
        out.extend_from_slice(&(self.name.len() as u16).to_le_bytes());
        out.extend_from_slice(&(extra as u16).to_le_bytes());
        out.extend_from_slice(&self.name);
        if large {
            put_field64(&[self.size, self.packed], &mut out);
        }
        out.extend_from_slice(&self.local_extra);
        out
    }

    /// What follows data whose size was not known before it.
    pub(crate) fn trailer(&self) -> Vec<u8> {
        let mut out: Vec<u8> = Vec::from(&b"PK\x07\x08"[..]);
        out.extend_from_slice(&self.crc.to_le_bytes());
        for number in [self.packed, self.size] {
            if self.is_large() {
                out.extend_from_slice(&number.to_le_bytes());
            } else {
                out.extend_from_slice(&(number as u32).to_le_bytes());
            }
        }
        out
    }

    /// The entry of the directory.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        let mut more: Vec<u64> = Vec::new();
        let mut short = |number: u64| {
            if number < u64::from(FULL) {
                return number as u32;
            }
            more.push(number);
            FULL
        };
        let (size, packed, offset) = (short(self.size), short(self.packed), short(self.offset));
        let mut extra: Vec<u8> = Vec::new();
        if !more.is_empty() {
            put_field64(&more, &mut extra);
        }
        extra.extend_from_slice(&self.extra);
        out.extend_from_slice(&ENTRY_MARK.to_le_bytes());
        for number in [self.made_by, self.needs, self.flags, self.method] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for number in [self.dos_time.0, self.crc, packed, size] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for length in [self.name.len(), extra.len(), self.comment.len(), 0] {
            out.extend_from_slice(&(length as u16).to_le_bytes());
        }
        out.extend_from_slice(&self.internal.to_le_bytes());
        out.extend_from_slice(&self.external.to_le_bytes());
        out.extend_from_slice(&offset.to_le_bytes());
        out.extend_from_slice(&self.name);
        out.extend_from_slice(&extra);
        out.extend_from_slice(&self.comment);
    }
}

fn put_field64(numbers: &[u64], out: &mut Vec<u8>) {
    out.extend_from_slice(&ZIP64.to_le_bytes());
    out.extend_from_slice(&(8 * numbers.len() as u16).to_le_bytes());
    for number in numbers {
        out.extend_from_slice(&number.to_le_bytes());
    }
}

/// The extra field of that number.
fn field(extra: &[u8], number: u16) -> Option<&[u8]> {
    let mut rest = extra;
    loop {
        let (head, behind) = rest.split_at_checked(4)?;
        let (value, behind) = behind.split_at_checked(usize::from(u16_at(head, 2)))?;
        if u16_at(head, 0) == number {
            return Some(value);
        }
        rest = behind;
    }
}
