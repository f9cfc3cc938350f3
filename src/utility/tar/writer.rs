//! Writes an archive as a stream: headers with what has to be told before them, data, and the end.

use super::header::{BLOCK, Format, Kind, Member, split_name, write};
use super::reader::padding;
use crate::memory::{String, Vec, format};
use crate::utility::compress::{Encoder, PIECE};
use crate::utility::file::{last_component, parent};
use crate::utility::{Context, Output, UtilityError};
use std::time::Duration;

/// See the module.
pub(super) struct Writer {
    /// `None`: standard output.
    output: Option<Output>,
    encoder: Encoder,
    packed: Vec<u8>,
    pub(super) format: Format,
    record: u64,
    /// Bytes of the archive, before they are packed.
    pub(super) written: u64,
    /// Where the archive begins in its file: `-r` goes on with one.
    pub(super) base: u64,
    names_root: bool,
    /// Access and change times are told too.
    pub(super) tells_times: bool,
}

impl Writer {
    pub(super) fn new(
        output: Option<Output>,
        encoder: Encoder,
        format: Format,
        record: u64,
        names_root: bool,
    ) -> Self {
        let packed = Vec::new();
        Self { output, encoder, packed, format, record, written: 0, base: 0, names_root, tells_times: true }
    }

    /// Appends bytes to the archive.
    pub(super) async fn bytes(&mut self, ctx: &mut Context, bytes: &[u8]) -> Result<(), UtilityError> {
        for piece in bytes.chunks(PIECE / 2) {
            self.encoder.push(&ctx.meter, piece, &mut self.packed).await?;
            self.hand_on(ctx).await?;
        }
        self.written += bytes.len() as u64;
        Ok(())
    }

    async fn hand_on(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        if !self.packed.is_empty() {
            self.output.as_mut().unwrap_or(&mut ctx.stdout).write(&self.packed).await?;
            self.packed.clear();
        }
        Ok(())
    }

    /// Fills a block up with zeros.
    pub(super) async fn pad(&mut self, ctx: &mut Context, size: u64) -> Result<(), UtilityError> {
        let zeros = usize::try_from(padding(size)).unwrap_or(0);
        self.bytes(ctx, [0; BLOCK].get(..zeros).unwrap_or(&[])).await
    }

    /// Whether the target of a link is cut; GNU tar says that it is not dumped, and dumps it.
    pub(super) fn cuts_link(&self, member: &Member) -> bool {
        let most = match self.format {
            Format::V7 => 99,
            Format::Ustar => 100,
            _ => usize::MAX,
        };
        member.link.len() > most
    }

    /// Why a member cannot be told in this format.
    pub(super) fn refusal(&self, member: &Member) -> Option<&'static str> {
        let name = member.name.len();
        match self.format {
            Format::V7 if name > 99 => Some("file name is too long (max 99); not dumped"),
            Format::Ustar if name > 256 => Some("file name is too long (max 256); not dumped"),
            Format::Ustar if name > 100 && split_name(&member.name).is_none() => {
                Some("file name is too long (cannot be split); not dumped")
            }
            _ => None,
        }
    }

    /// Writes the headers of a member. The result names numbers that the format has no room for.
    pub(super) async fn member(
        &mut self,
        ctx: &mut Context,
        member: &Member,
    ) -> Result<Vec<&'static str>, UtilityError> {
        if self.format.is_gnu() {
            // GNU's own headers hold a name of 100 bytes without a NUL.
            if member.link.len() > 100 {
                self.long_name(ctx, b'K', &member.link).await?;
            }
            if member.name.len() > if self.format == Format::OldGnu { 99 } else { 100 } {
                self.long_name(ctx, b'L', &member.name).await?;
            }
        }
        let mut member = member.clone();
        if self.format == Format::Posix {
            let records = self.records(&member);
            if !records.is_empty() {
                self.extended(ctx, &member, records.as_bytes_of()).await?;
            }
            // What is told before it is left out, or cut.
            if member.name.len() > 100 {
                member.name.truncate(100);
            }
        }
        let (block, mut wrong) = write(&member, self.format);
        if self.format == Format::Posix {
            wrong.clear();
        }
        self.bytes(ctx, &block).await?;
        Ok(wrong)
    }

    async fn long_name(&mut self, ctx: &mut Context, letter: u8, name: &[u8]) -> Result<(), UtilityError> {
        let root: &[u8] = if self.names_root { b"root" } else { b"" };
        let size = name.len() as u64 + 1;
        let about = description(b"././@LongLink", letter, size, Duration::ZERO, root);
        self.bytes(ctx, &write(&about, self.format).0).await?;
        self.bytes(ctx, name).await?;
        self.bytes(ctx, &[0]).await?;
        self.pad(ctx, size).await
    }

    async fn extended(
        &mut self,
        ctx: &mut Context,
        member: &Member,
        records: &[u8],
    ) -> Result<(), UtilityError> {
        let name = member.name.strip_suffix(b"/").unwrap_or(&member.name);
        let mut path: Vec<u8> = Vec::from(parent(name));
        path.extend_from_slice(b"/PaxHeaders/");
        path.extend_from_slice(last_component(name));
        path.truncate(100);
        let size = records.len() as u64;
        let about = description(&path, b'x', size, member.time, b"");
        self.bytes(ctx, &write(&about, self.format).0).await?;
        self.bytes(ctx, records).await?;
        self.pad(ctx, size).await
    }

    /// The records of an extended header.
    fn records(&self, member: &Member) -> Records {
        let mut records = Records::default();
        if member.name.len() > 100 || !member.name.is_ascii() {
            records.add("path", &member.name);
        }
        if member.link.len() > 100 {
            records.add("linkpath", &member.link);
        }
        for (keyword, value, most) in [
            ("uid", member.uid, 0o7_777_777),
            ("gid", member.gid, 0o7_777_777),
            ("size", member.size, 0o77_777_777_777),
        ] {
            if value > most {
                records.add(keyword, format!("{value}").as_bytes());
            }
        }
        for (keyword, name) in [("uname", &member.user), ("gname", &member.group)] {
            if name.len() > 32 || !name.is_ascii() {
                records.add(keyword, name);
            }
        }
        if member.time.subsec_nanos() > 0 || member.time.as_secs() > 0o77_777_777_777 {
            records.add("mtime", seconds(member.time).as_bytes());
        }
        if self.tells_times {
            for (keyword, time) in [("atime", member.accessed), ("ctime", member.changed)] {
                if let Some(time) = time {
                    records.add(keyword, seconds(time).as_bytes());
                }
            }
        }
        records
    }

    /// Writes the end, up to a whole record.
    pub(super) async fn finish(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        self.bytes(ctx, &[0; 2 * BLOCK]).await?;
        let rest = (self.base + self.written) % self.record;
        let mut zeros = if rest == 0 { 0 } else { self.record - rest };
        while zeros > 0 {
            let count = zeros.min(BLOCK as u64);
            self.bytes(ctx, [0; BLOCK].get(..count as usize).unwrap_or(&[])).await?;
            zeros -= count;
        }
        self.encoder.finish(&ctx.meter, &mut self.packed).await?;
        self.hand_on(ctx).await?;
        match &mut self.output {
            Some(output) => output.flush().await,
            None => ctx.stdout.flush().await,
        }
    }
}

/// A header that describes the next one.
fn description(name: &[u8], letter: u8, size: u64, time: Duration, owner: &[u8]) -> Member {
    Member {
        name: Vec::from(name),
        kind: Kind::Other(letter),
        mode: 0o644,
        uid: 0,
        gid: 0,
        size,
        time: Duration::from_secs(time.as_secs()),
        accessed: None,
        changed: None,
        link: Vec::new(),
        user: Vec::from(owner),
        group: Vec::from(owner),
        device: (0, 0),
        is_sparse: false,
    }
}

/// Seconds with what fraction they have.
fn seconds(time: Duration) -> String {
    let (whole, fraction) = (time.as_secs(), time.subsec_nanos());
    if fraction == 0 {
        return format!("{whole}");
    }
    let text = format!("{whole}.{fraction:09}");
    format!("{}", text.trim_end_matches('0'))
}

/// Records `LENGTH KEYWORD=VALUE\n`.
#[derive(Default)]
struct Records(Vec<u8>);

impl Records {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn as_bytes_of(&self) -> &[u8] {
        &self.0
    }

    fn add(&mut self, keyword: &str, value: &[u8]) {
        // The length counts its own digits.
        let rest = keyword.len() + value.len() + 3;
        let mut length = rest;
        while format!("{length}").len() + rest != length {
            length = format!("{length}").len() + rest;
        }
        self.0.extend_from_slice(format!("{length} {keyword}=").as_bytes());
        self.0.extend_from_slice(value);
        self.0.push(b'\n');
    }
}
