//! What an entry holds, decoded piece by piece.

use super::archive::read_at;
use super::{Archive, Entry, LOCAL, LOCAL_MARK, Method, Missing, u16_at, u32_at};
use crate::memory::{Box, Vec};
use crate::utility::Context;
use crate::utility::compress::bzip2::Bzip2Decoder;
use crate::utility::compress::crc::Crc32;
use crate::utility::compress::deflate::Inflater;
use crate::utility::compress::stream::{Fault, PIECE, Pull};
use crate::utility::context::byte_queue::ByteQueue;
use crate::utility::context::pace::tick_bytes;

enum Packing {
    Stored,
    Deflated(Inflater),
    Bzip2(Box<Bzip2Decoder>),
}

/// Reads one entry of an archive.
pub(crate) struct EntryReader {
    packing: Packing,
    queue: ByteQueue,
    /// Packed bytes that were not read of the file.
    left: u64,
    /// Bytes that may still come out.
    room: u64,
    out: Vec<u8>,
    is_over: bool,
    crc: Crc32,
    /// Bytes that came out.
    pub(crate) made: u64,
}

impl EntryReader {
    /// Goes to the data of an entry. The inner `None`: its method is not known, or its header is not where it should be.
    pub(crate) async fn open(
        ctx: &mut Context,
        archive: &mut Archive,
        entry: &Entry,
    ) -> Result<Option<Self>, Missing> {
        let packing = match entry.method() {
            Method::Stored => Packing::Stored,
            Method::Deflated => Packing::Deflated(Inflater::new()),
            Method::Bzip2 => Packing::Bzip2(Box::new(Bzip2Decoder::new())),
            Method::Other(_) => return Ok(None),
        };
        let place = archive.before.saturating_add(entry.offset);
        let header = read_at(ctx, &mut archive.input, place, LOCAL).await?;
        if header.len() < LOCAL || u32_at(&header, 0) != LOCAL_MARK {
            return Ok(None);
        }
        let skipped = u64::from(u16_at(&header, 26)) + u64::from(u16_at(&header, 28));
        archive.input.description().seek(place.saturating_add(LOCAL as u64 + skipped));
        archive.input.restart();
        Ok(Some(Self {
            packing,
            queue: ByteQueue::default(),
            left: entry.packed,
            room: entry.size,
            out: Vec::new(),
            is_over: false,
            crc: Crc32::default(),
            made: 0,
        }))
    }

    /// The checksum of what came out.
    pub(crate) fn crc(&self) -> u32 {
        self.crc.value()
    }

    /// The next piece; empty: the end.
    pub(crate) async fn next(&mut self, ctx: &mut Context, archive: &mut Archive) -> Result<&[u8], Fault> {
        self.out.clear();
        while self.out.is_empty() && !self.is_over {
            let ended = self.left == 0;
            let pulled = match &mut self.packing {
                Packing::Stored if self.queue.is_empty() => {
                    if ended {
                        Pull::Ended
                    } else {
                        Pull::NeedsInput
                    }
                }
                Packing::Stored => {
                    self.out.extend_from_slice(&self.queue);
                    self.queue.remove_front(self.queue.len());
                    Pull::Made
                }
                Packing::Deflated(inflater) => {
                    let step = inflater.step(&self.queue, ended, &mut self.out)?;
                    self.queue.remove_front(step.taken);
                    self.is_over = step.is_over;
                    if step.needs_input { Pull::NeedsInput } else { Pull::Made }
                }
                Packing::Bzip2(decoder) => decoder.pull(ended, &mut self.out)?,
            };
            match pulled {
                Pull::Made => tick_bytes(&ctx.meter, 64 + 4 * self.out.len()).await?,
                Pull::Worked(work) => tick_bytes(&ctx.meter, 64 + work).await?,
                Pull::Ended => self.is_over = true,
                Pull::NeedsInput => self.read_more(ctx, archive).await?,
            }
        }
        // An entry does not give more than it says.
        let count = self.out.len() as u64;
        if count > self.room {
            return Err(Fault::Length);
        }
        self.room -= count;
        self.made += count;
        self.crc.update(&self.out);
        Ok(&self.out)
    }

    async fn read_more(&mut self, ctx: &mut Context, archive: &mut Archive) -> Result<(), Fault> {
        ctx.check().await?;
        let block = archive.input.fill().await?;
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(PIECE);
        let piece = block.get(..most).unwrap_or(block);
        if piece.is_empty() {
            return Err(Fault::UnexpectedEnd);
        }
        let count = piece.len();
        match &mut self.packing {
            Packing::Bzip2(decoder) => decoder.push(piece),
            _ => self.queue.push(piece),
        }
        archive.input.consume(count);
        self.left -= count as u64;
        Ok(())
    }
}
