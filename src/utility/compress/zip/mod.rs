//! Zip archives: a header before the data of each entry, and a directory of all of them at the end. `entry.rs` has one entry,
//! `archive.rs` finds and reads the directory, `data.rs` reads what an entry holds, `pattern.rs` has patterns of names. Ours, because the format is small, and a crate
//! would write to files of the host.

mod archive;
mod data;
mod entry;
mod pattern;

pub(crate) use archive::{Archive, Missing, end, read_at};
pub(crate) use data::EntryReader;
pub(crate) use entry::{DosTime, ENCRYPTED, Entry, Method, SIZES_FOLLOW};
pub(crate) use pattern::pattern;

const LOCAL_MARK: u32 = 0x0403_4b50;
const ENTRY_MARK: u32 = 0x0201_4b50;
const END_MARK: u32 = 0x0605_4b50;
const END64_MARK: u32 = 0x0606_4b50;
const LOCATOR64_MARK: u32 = 0x0706_4b50;

/// Bytes of the header before data, without name and extra fields; of an entry of the directory; of the end.
pub(crate) const LOCAL: usize = 30;
const ENTRY: usize = 46;
const END: usize = 22;

/// What stands for a number that does not fit.
const FULL: u32 = u32::MAX;

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |two| u16::from_le_bytes(*two))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |four| u32::from_le_bytes(*four))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |eight| u64::from_le_bytes(*eight))
}
