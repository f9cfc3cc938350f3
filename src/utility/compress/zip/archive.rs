//! Finds the directory of an archive, and reads and writes it.

use super::{END, END_MARK, END64_MARK, Entry, FULL, LOCATOR64_MARK, u16_at, u32_at, u64_at};
use crate::memory::{ToMetered, Vec};
use crate::utility::{Context, Input, UtilityError};
use crate::vfs::{Errno, FsError};

/// How far before its end an archive may end: its comment.
const END_MAX: u64 = END as u64 + 65_535;
/// Bytes of the longest entry of a directory.
const ENTRY_MAX: usize = 46 + 3 * 65_535;

/// Why an archive could not be opened.
#[derive(Clone, Debug)]
pub(crate) enum Missing {
    /// The file is not there or is none.
    File(Errno),
    /// It does not end as an archive does.
    End,
    /// The directory is not where the end says, or is cut.
    Directory,
    Stop(UtilityError),
}

impl From<FsError> for Missing {
    fn from(error: FsError) -> Self {
        match error {
            FsError::Errno(errno) => Self::File(errno),
            FsError::Limit(limit) => Self::Stop(limit.into()),
        }
    }
}

impl From<crate::limit::LimitError> for Missing {
    fn from(limit: crate::limit::LimitError) -> Self {
        Self::Stop(limit.into())
    }
}

/// An archive that is read.
pub(crate) struct Archive {
    pub(crate) input: Input,
    pub(crate) entries: Vec<Entry>,
    pub(crate) comment: Vec<u8>,
    /// Bytes of the file.
    pub(crate) size: u64,
    /// Bytes before the archive, which offsets do not count.
    pub(crate) before: u64,
    /// Where the directory begins in the file.
    pub(crate) directory: u64,
}

impl Archive {
    pub(crate) async fn open(ctx: &mut Context, path: &[u8]) -> Result<Self, Missing> {
        let metadata = ctx.stat(path)?;
        if !metadata.is_regular() {
            return Err(Missing::File(if metadata.is_directory() {
                Errno::IsDirectory
            } else {
                Errno::Invalid
            }));
        }
        let size = metadata.size;
        let mut input = ctx.open(path)?;
        let from = size.saturating_sub(END_MAX);
        let tail = read_at(ctx, &mut input, from, (size - from) as usize).await?;
        let at = find_end(&tail).ok_or(Missing::End)?;
        let end = tail.get(at..).unwrap_or(&[]);
        let end_at = from + at as u64;
        let mut directory_end = end_at;
        let mut count = u64::from(u16_at(end, 10));
        let (mut length, mut offset) = (u64::from(u32_at(end, 12)), u64::from(u32_at(end, 16)));
        let comment = end.get(END..END + usize::from(u16_at(end, 20))).unwrap_or(&[]).to_metered();
        let has_large = count == 0xffff || length == u64::from(FULL) || offset == u64::from(FULL);
        if has_large
            && let Some(locator) = at.checked_sub(20).and_then(|at| tail.get(at..at + 20))
            && u32_at(locator, 0) == LOCATOR64_MARK
        {
            // Where it says, or right before: something may stand before the archive.
            let told = u64_at(locator, 8);
            for place in [told, end_at.saturating_sub(20 + 56)] {
                let large = read_at(ctx, &mut input, place, 56).await?;
                if u32_at(&large, 0) == END64_MARK {
                    (count, length, offset) = (u64_at(&large, 32), u64_at(&large, 40), u64_at(&large, 48));
                    directory_end = place;
                    break;
                }
            }
        }
        let directory = directory_end.checked_sub(length).ok_or(Missing::Directory)?;
        let before = directory.checked_sub(offset).ok_or(Missing::Directory)?;
        let entries = read_entries(ctx, &mut input, directory, length, count).await?;
        Ok(Self { input, entries, comment, size, before, directory })
    }
}

/// The last place where an end begins whose comment is there.
fn find_end(tail: &[u8]) -> Option<usize> {
    let mark = END_MARK.to_le_bytes();
    memchr::memmem::rfind_iter(tail, &mark).find(|at| {
        let end = tail.get(*at..).unwrap_or(&[]);
        end.len() >= END && end.len() >= END + usize::from(u16_at(end, 20))
    })
}

/// Bytes at a place of a file; fewer at its end.
pub(crate) async fn read_at(
    ctx: &mut Context,
    input: &mut Input,
    place: u64,
    count: usize,
) -> Result<Vec<u8>, Missing> {
    input.description().seek(place);
    input.restart();
    let mut bytes: Vec<u8> = Vec::new();
    while bytes.len() < count {
        ctx.tick().await?;
        let block = input.fill().await?;
        let piece = block.get(..count - bytes.len()).unwrap_or(block);
        if piece.is_empty() {
            break;
        }
        bytes.extend_from_slice(piece);
        let used = piece.len();
        input.consume(used);
    }
    Ok(bytes)
}

async fn read_entries(
    ctx: &mut Context,
    input: &mut Input,
    directory: u64,
    length: u64,
    count: u64,
) -> Result<Vec<Entry>, Missing> {
    let mut entries = Vec::new();
    let mut held: Vec<u8> = Vec::new();
    let mut used = 0;
    let (mut at, end) = (directory, directory + length);
    while (entries.len() as u64) < count {
        ctx.tick().await?;
        if held.len() - used < ENTRY_MAX && at < end {
            held.remove_front(used);
            used = 0;
            let more = usize::try_from(end - at).unwrap_or(usize::MAX).min(ENTRY_MAX);
            let block = read_at(ctx, input, at, more).await?;
            if block.is_empty() {
                return Err(Missing::Directory);
            }
            at += block.len() as u64;
            held.extend_from_slice(&block);
        }
        let (entry, length) = Entry::parse(held.get(used..).unwrap_or(&[])).ok_or(Missing::Directory)?;
        entries.push(entry);
        used += length;
    }
    Ok(entries)
}

/// What follows the entries of a directory of that length, which begins at `offset`.
pub(crate) fn end(count: u64, length: u64, offset: u64, comment: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    let is_large = count >= 0xffff || length >= FULL.into() || offset >= FULL.into();
    if is_large {
        out.extend_from_slice(&END64_MARK.to_le_bytes());
        out.extend_from_slice(&44u64.to_le_bytes());
        out.extend_from_slice(&[0x1e, 3, 45, 0]);
        out.extend_from_slice(&[0; 8]);
        for number in [count, count, length, offset] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&LOCATOR64_MARK.to_le_bytes());
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&(offset + length).to_le_bytes());
        out.extend_from_slice(&1u32.to_le_bytes());
    }
    out.extend_from_slice(&END_MARK.to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    for _ in 0..2 {
        out.extend_from_slice(&(count.min(0xffff) as u16).to_le_bytes());
    }
    for number in [length, offset] {
        out.extend_from_slice(&(number.min(FULL.into()) as u32).to_le_bytes());
    }
    out.extend_from_slice(&(comment.len() as u16).to_le_bytes());
    out.extend_from_slice(comment);
    out
}
