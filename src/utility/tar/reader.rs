//! Reads an archive as a stream: members with what extended headers tell of them, and their data.

use super::error::{Result, TarError, fatal};
use super::header::{BLOCK, Block, Member, Parsed, parse};
use crate::memory::{ToMetered, Vec};
use crate::utility::Context;
use crate::utility::compress::{Fault, Unpacker};
use std::time::Duration;

/// See the module.
pub(super) struct ArchiveReader {
    unpacker: Unpacker,
    /// The filter's name, for its messages.
    pub(super) program: &'static str,
    /// Bytes that were used.
    pub(super) offset: u64,
    /// Where the member that was read last begins, with the headers before it.
    pub(super) start: u64,
    /// Bytes of data that were not used, and of padding after them.
    left: u64,
    padding: u64,
    /// `-i`: zeros between members are skipped.
    pub(super) ignores_zeros: bool,
    global: Extended,
    /// Whether a member was found.
    has_members: bool,
    /// Set where blocks were skipped that are not headers.
    pub(super) has_skipped: bool,
    /// The headers of the member that was read last, as they stand in the archive; kept for who copies them.
    pub(super) raw: Vec<u8>,
    pub(super) keeps_raw: bool,
}

/// What extended headers tell: `x` of the next member, `g` of all that follow, `L` and `K` long names.
#[derive(Clone, Debug, Default)]
struct Extended {
    path: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    size: Option<u64>,
    time: Option<Duration>,
    accessed: Option<Duration>,
    changed: Option<Duration>,
    uid: Option<u64>,
    gid: Option<u64>,
    user: Option<Vec<u8>>,
    group: Option<Vec<u8>>,
    is_sparse: bool,
    /// Keywords that nobody knows.
    unknown: Vec<Vec<u8>>,
}

/// What is asked of a header that describes another.
const DESCRIPTION_MAX: u64 = 1 << 20;

impl ArchiveReader {
    pub(super) fn new(unpacker: Unpacker, program: &'static str, ignores_zeros: bool) -> Self {
        Self {
            unpacker,
            program,
            offset: 0,
            start: 0,
            left: 0,
            padding: 0,
            ignores_zeros,
            global: Extended::default(),
            has_members: false,
            has_skipped: false,
            raw: Vec::new(),
            keeps_raw: false,
        }
    }

    /// The next block. `None`: the archive is over; a block that is cut short counts as its end.
    async fn block(&mut self, ctx: &mut Context) -> Result<Option<Block>> {
        let mut block = [0; BLOCK];
        let mut filled = 0;
        while filled < BLOCK {
            let piece = self.unpacker.fill(ctx).await?;
            if piece.is_empty() {
                return Ok(None);
            }
            let count = piece.len().min(BLOCK - filled);
            for (slot, byte) in block.iter_mut().skip(filled).zip(piece) {
                *slot = *byte;
            }
            self.unpacker.consume(count);
            filled += count;
        }
        self.offset += BLOCK as u64;
        Ok(Some(block))
    }

    /// A piece of the member's data; empty at its end.
    pub(super) async fn data(&mut self, ctx: &mut Context) -> Result<&[u8]> {
        if self.left == 0 {
            return Ok(&[]);
        }
        let piece = match self.unpacker.fill(ctx).await {
            Ok(piece) => piece,
            Err(Fault::Limit(limit)) => return Err(limit.into()),
            Err(fault) => return Err(TarError::Cut(Some(fault))),
        };
        if piece.is_empty() {
            return Err(TarError::Cut(None));
        }
        let count = usize::try_from(self.left).unwrap_or(usize::MAX).min(piece.len());
        Ok(piece.get(..count).unwrap_or(piece))
    }

    /// Bytes of data that were not used.
    pub(super) fn data_left(&self) -> u64 {
        self.left
    }

    /// Marks data as used.
    pub(super) fn consume(&mut self, count: usize) {
        self.unpacker.consume(count);
        self.left = self.left.saturating_sub(count as u64);
        self.offset = self.offset.saturating_add(count as u64);
    }

    /// Passes what is left of the data, and the padding.
    pub(super) async fn skip(&mut self, ctx: &mut Context) -> Result<()> {
        loop {
            let count = self.data(ctx).await?.len();
            if count > 0 {
                self.consume(count);
            } else if self.padding > 0 {
                self.left = std::mem::take(&mut self.padding);
            } else {
                return Ok(());
            }
        }
    }

    /// The data of a description, whole.
    async fn description(&mut self, ctx: &mut Context, size: u64) -> Result<Vec<u8>> {
        if size > DESCRIPTION_MAX {
            return fatal("extended header is longer than 1 MiB, which is not supported");
        }
        let mut bytes: Vec<u8> = Vec::new();
        self.left = size;
        self.padding = padding(size);
        loop {
            let piece = self.data(ctx).await?;
            if piece.is_empty() {
                break;
            }
            bytes.extend_from_slice(piece);
            let count = piece.len();
            self.consume(count);
        }
        self.keep_raw(&bytes);
        let zeros = usize::try_from(padding(size)).unwrap_or(0);
        self.keep_raw([0; BLOCK].get(..zeros).unwrap_or(&[]));
        self.skip(ctx).await?;
        Ok(bytes)
    }

    fn keep_raw(&mut self, bytes: &[u8]) {
        if self.keeps_raw {
            self.raw.extend_from_slice(bytes);
        }
    }

    /// The next member, after what is left of the one before.
    pub(super) async fn next(&mut self, ctx: &mut Context) -> Result<Option<Member>> {
        self.skip(ctx).await?;
        let mut extended = self.global.clone();
        self.start = self.offset;
        self.raw.clear();
        let mut tells_skip = true;
        loop {
            ctx.tick().await?;
            let Some(block) = self.block(ctx).await? else {
                if !self.has_members && !self.has_skipped && self.offset == 0 {
                    ctx.warn("This does not look like a tar archive");
                    self.has_skipped = true;
                }
                return Ok(None);
            };
            match parse(&block) {
                Parsed::Zero => {
                    if self.ignores_zeros {
                        self.start = self.offset;
                        continue;
                    }
                    return self.end(ctx).await.map(|()| None);
                }
                Parsed::Wrong => {
                    if tells_skip {
                        tells_skip = false;
                        if !self.has_members && !self.has_skipped {
                            ctx.warn("This does not look like a tar archive");
                        }
                        ctx.warn("Skipping to next header");
                        self.has_skipped = true;
                    }
                    self.start = self.offset;
                }
                Parsed::Member(member) => {
                    self.has_members = true;
                    self.keep_raw(&block);
                    if let Some(member) = self.take(ctx, member, &mut extended).await? {
                        return Ok(Some(member));
                    }
                }
            }
        }
    }

    /// After a block of zeros: another one should follow.
    async fn end(&mut self, ctx: &mut Context) -> Result<()> {
        let at = self.start / BLOCK as u64 + 1;
        self.has_members = true;
        if let Some(block) = self.block(ctx).await?
            && !matches!(parse(&block), Parsed::Zero)
        {
            ctx.warn(format_args!("A lone zero block at {at}"));
        }
        Ok(())
    }

    /// Takes a description in, or completes a member by them.
    async fn take(
        &mut self,
        ctx: &mut Context,
        mut member: Member,
        extended: &mut Extended,
    ) -> Result<Option<Member>> {
        use super::header::Kind;
        match member.kind {
            Kind::Other(letter @ (b'L' | b'K')) => {
                let mut text = self.description(ctx, member.size).await?;
                if let Some(end) = memchr::memchr(0, &text) {
                    text.truncate(end);
                }
                if letter == b'L' {
                    extended.path = Some(text);
                } else {
                    extended.link = Some(text);
                }
                Ok(None)
            }
            Kind::Other(letter @ (b'x' | b'X' | b'g')) => {
                let records = self.description(ctx, member.size).await?;
                let mut told = if letter == b'g' { self.global.clone() } else { extended.clone() };
                if !told.take(&records) {
                    ctx.warn("Malformed extended header: missing length");
                    self.has_skipped = true;
                }
                for keyword in std::mem::take(&mut told.unknown) {
                    let shown = super::shown::shown_name(&keyword);
                    ctx.warn(format_args!("Ignoring unknown extended header keyword '{shown}'"));
                }
                if letter == b'g' {
                    self.global = told.clone();
                }
                *extended = told;
                Ok(None)
            }
            _ => {
                std::mem::take(extended).complete(&mut member);
                let is_directory = member.kind == Kind::Directory;
                // A member of another kind has no data, whatever its size says.
                self.left =
                    if member.kind.has_data() || is_directory && member.size > 0 { member.size } else { 0 };
                self.padding = padding(self.left);
                Ok(Some(member))
            }
        }
    }
}

/// Bytes up to the next block.
pub(super) fn padding(size: u64) -> u64 {
    (BLOCK as u64 - size % BLOCK as u64) % BLOCK as u64
}

impl Extended {
    /// Records `LENGTH KEYWORD=VALUE\n`; `false`: one is not a record.
    fn take(&mut self, records: &[u8]) -> bool {
        let mut rest = records;
        while rest.first().is_some_and(|byte| *byte != 0) {
            let Some(record) = record(rest) else { return false };
            let (length, keyword, value) = record;
            self.set(keyword, value);
            rest = rest.get(length..).unwrap_or(&[]);
        }
        true
    }

    fn set(&mut self, keyword: &[u8], value: &[u8]) {
        let text = || Some(value.to_metered());
        let number = || std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
        match keyword {
            b"path" => self.path = text(),
            b"linkpath" => self.link = text(),
            b"size" => self.size = number(),
            b"mtime" => self.time = seconds(value),
            b"atime" => self.accessed = seconds(value),
            b"ctime" => self.changed = seconds(value),
            b"uid" => self.uid = number(),
            b"gid" => self.gid = number(),
            b"uname" => self.user = text(),
            b"gname" => self.group = text(),
            b"comment" | b"charset" | b"hdrcharset" => {}
            _ if keyword.starts_with(b"GNU.sparse.") => self.is_sparse = true,
            _ if keyword.starts_with(b"SCHILY.")
                || keyword.starts_with(b"GNU.")
                || keyword.starts_with(b"RHT.") => {}
            _ => self.unknown.push(keyword.to_metered()),
        }
    }

    fn complete(self, member: &mut Member) {
        use super::header::Kind;
        if let Some(path) = self.path {
            if member.kind == Kind::Regular && path.ends_with(b"/") {
                member.kind = Kind::Directory;
            }
            member.name = path;
        }
        member.link = self.link.unwrap_or_else(|| std::mem::take(&mut member.link));
        member.size = self.size.unwrap_or(member.size);
        member.time = self.time.unwrap_or(member.time);
        member.uid = self.uid.unwrap_or(member.uid);
        member.gid = self.gid.unwrap_or(member.gid);
        member.user = self.user.unwrap_or_else(|| std::mem::take(&mut member.user));
        member.group = self.group.unwrap_or_else(|| std::mem::take(&mut member.group));
        member.accessed = self.accessed;
        member.changed = self.changed;
        member.is_sparse |= self.is_sparse;
    }
}

/// The length of the first record, with its keyword and value.
fn record(bytes: &[u8]) -> Option<(usize, &[u8], &[u8])> {
    let blank = memchr::memchr(b' ', bytes.get(..bytes.len().min(21))?)?;
    let length: usize = std::str::from_utf8(bytes.get(..blank)?).ok()?.parse().ok()?;
    let body = bytes.get(blank + 1..length)?.strip_suffix(b"\n")?;
    let equals = memchr::memchr(b'=', body)?;
    Some((length, body.get(..equals)?, body.get(equals + 1..)?))
}

/// `SECONDS.FRACTION`; a time before the epoch is the epoch.
fn seconds(text: &[u8]) -> Option<Duration> {
    let text = std::str::from_utf8(text).ok()?;
    if text.starts_with('-') {
        return Some(Duration::ZERO);
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let whole: u64 = whole.parse().ok()?;
    let mut nanoseconds = 0;
    let digits = fraction.bytes().chain(std::iter::repeat(b'0')).take(9);
    for digit in digits {
        nanoseconds = nanoseconds * 10 + u32::from(digit.checked_sub(b'0').filter(|value| *value < 10)?);
    }
    Some(Duration::new(whole.min(1 << 40), nanoseconds))
}
