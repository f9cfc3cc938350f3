//! The sections of an ELF object file that are loaded with data of their own. System V ABI, chapter 4.

use crate::limit::LimitError;
use crate::memory::{Vec, vec};
use crate::utility::prelude::*;

/// A section that is in memory when the program runs.
const ALLOCATED: u64 = 2;
/// A section without bytes in the file.
const NO_BITS: u64 = 8;

/// The formats that the real program knows. Whichever is named, object files of all of them are taken for what they are; but
/// not where another name is given.
const TARGETS: [&str; 21] = [
    "default",
    "elf64-x86-64",
    "elf32-i386",
    "elf32-iamcu",
    "elf32-x86-64",
    "pei-i386",
    "pe-x86-64",
    "pei-x86-64",
    "elf64-little",
    "elf64-big",
    "elf32-little",
    "elf32-big",
    "pe-bigobj-x86-64",
    "pe-i386",
    "pdb",
    "srec",
    "symbolsrec",
    "verilog",
    "tekhex",
    "ihex",
    "plugin",
];

/// Where data is, `[start, end)` each, in an object file of ELF; the whole file where it is not one,
/// where it has no such section, and where `target` is not a format with sections.
pub(super) async fn data(
    ctx: &mut Context,
    bytes: &[u8],
    target: &[u8],
) -> Result<Vec<(usize, usize)>, LimitError> {
    let whole = vec![(0, bytes.len())];
    let is_known = TARGETS.iter().any(|known| known.as_bytes() == target);
    let Some(header) = Header::read(bytes).filter(|_| is_known) else { return Ok(whole) };
    let mut sections = Vec::new();
    for index in 0..header.count {
        ctx.tick().await?;
        let at = (index as u64).checked_mul(header.size).and_then(|offset| header.table.checked_add(offset));
        match at.and_then(|at| header.section(bytes, at)) {
            Some(Section::Data(start, end)) => sections.push((start, end)),
            Some(Section::NoData) => {}
            None => return Ok(whole),
        }
    }
    Ok(if sections.is_empty() { whole } else { sections })
}

enum Section {
    /// Where its bytes are, `[start, end)`.
    Data(usize, usize),
    /// It takes no place in the file, or is not of the program.
    NoData,
}

struct Header {
    /// Bytes of an address.
    width: usize,
    is_little: bool,
    /// Where the table of sections is, the size of its rows, and how many it has.
    table: u64,
    size: u64,
    count: usize,
}

impl Header {
    fn read(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(b"\x7fELF")?;
        let width = match rest.first()? {
            1 => 4,
            2 => 8,
            _ => return None,
        };
        let is_little = match rest.get(1)? {
            1 => true,
            2 => false,
            _ => return None,
        };
        let (table, size, count) = if width == 8 { (40, 58, 60) } else { (32, 46, 48) };
        let number = |at, width| number(bytes, at, width, is_little);
        Some(Self {
            width,
            is_little,
            table: number(table, width)?,
            size: number(size, 2)?,
            count: usize::try_from(number(count, 2)?).ok()?,
        })
    }

    /// The section whose row is at `at`; `None` if the row is not there.
    fn section(&self, bytes: &[u8], at: u64) -> Option<Section> {
        let at = usize::try_from(at).ok()?;
        // Two words of 32 bits, then flags, address, offset and size as wide as addresses are.
        let field =
            |index: usize| number(bytes, at.checked_add(8 + index * self.width)?, self.width, self.is_little);
        let kind = number(bytes, at.checked_add(4)?, 4, self.is_little)?;
        let (flags, start, length) = (field(0)?, field(2)?, field(3)?);
        if flags & ALLOCATED == 0 || kind == NO_BITS || kind == 0 {
            return Some(Section::NoData);
        }
        let start = usize::try_from(start).ok()?;
        let end = start.checked_add(usize::try_from(length).ok()?)?;
        Some(Section::Data(start, end.min(bytes.len())))
    }
}

fn number(bytes: &[u8], at: usize, width: usize, is_little: bool) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(width)?)?;
    let join = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
    Some(if is_little { bytes.iter().rev().fold(0, join) } else { bytes.iter().fold(0, join) })
}
