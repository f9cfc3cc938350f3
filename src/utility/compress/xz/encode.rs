//! Writes one stream of xz.

use super::check::{Check, Checking};
use super::{FOOTER_MARK, HEADER_MARK, LZMA2, number};
use crate::limit::{LimitError, Meter};
use crate::memory::Vec;
use crate::utility::compress::crc::Crc32;
use crate::utility::compress::lzma::{ChunkEncoder, window_of_level};

/// A block under way.
#[derive(Debug)]
struct Block {
    chunks: ChunkEncoder,
    check: Checking,
    header_length: u64,
    coded: u64,
    made: u64,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct XzEncoder {
    level: u8,
    check: Check,
    /// Bytes after which a block is ended.
    pub(crate) block_size: u64,
    block: Option<Block>,
    /// The lengths of the blocks, as the index has them.
    records: Vec<u8>,
    count: u64,
    is_begun: bool,
}

impl XzEncoder {
    pub(crate) fn new(level: u8, check: Check) -> Self {
        Self {
            level,
            check,
            block_size: u64::MAX,
            block: None,
            records: Vec::new(),
            count: 0,
            is_begun: false,
        }
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        if !self.is_begun {
            self.is_begun = true;
            out.extend_from_slice(&HEADER_MARK);
            let flags = [0, self.check.id()];
            out.extend_from_slice(&flags);
            out.extend_from_slice(&Crc32::of(&flags).to_le_bytes());
        }
    }

    /// Begins a block: its header tells the filter alone, for nobody knows the lengths yet.
    fn begin_block(&self, meter: &Meter, out: &mut Vec<u8>) -> Result<Block, LimitError> {
        let bits = window_of_level(self.level).ilog2();
        let header = [2, 0, LZMA2, 1, ((bits - 12) * 2) as u8, 0, 0, 0];
        out.extend_from_slice(&header);
        out.extend_from_slice(&Crc32::of(&header).to_le_bytes());
        Ok(Block {
            chunks: ChunkEncoder::new(meter, self.level)?,
            check: Checking::new(self.check),
            header_length: 12,
            coded: 0,
            made: 0,
        })
    }

    pub(crate) async fn push(
        &mut self,
        meter: &Meter,
        input: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), LimitError> {
        self.begin(out);
        let mut rest = input;
        while !rest.is_empty() {
            let mut block = match self.block.take() {
                Some(block) => block,
                None => self.begin_block(meter, out)?,
            };
            let left = usize::try_from(self.block_size.saturating_sub(block.made)).unwrap_or(usize::MAX);
            let (piece, behind) = rest.split_at_checked(left).unwrap_or((rest, &[]));
            let before = out.len();
            block.check.update(piece);
            block.made += piece.len() as u64;
            block.chunks.push(meter, piece, out).await?;
            block.coded += (out.len() - before) as u64;
            if block.made >= self.block_size {
                self.end_block(meter, block, out).await?;
            } else {
                self.block = Some(block);
            }
            rest = behind;
        }
        Ok(())
    }

    async fn end_block(
        &mut self,
        meter: &Meter,
        mut block: Block,
        out: &mut Vec<u8>,
    ) -> Result<(), LimitError> {
        let before = out.len();
        block.chunks.finish(meter, out).await?;
        block.coded += (out.len() - before) as u64;
        pad(block.coded, out);
        let check = block.check.finish().unwrap_or_default();
        out.extend_from_slice(&check);
        number::put(block.header_length + block.coded + check.len() as u64, &mut self.records);
        number::put(block.made, &mut self.records);
        self.count += 1;
        Ok(())
    }

    pub(crate) async fn finish(&mut self, meter: &Meter, out: &mut Vec<u8>) -> Result<(), LimitError> {
        self.begin(out);
        if let Some(block) = self.block.take() {
            self.end_block(meter, block, out).await?;
        }
        let mut index: Vec<u8> = Vec::from([0]);
        number::put(self.count, &mut index);
        index.append(&mut self.records);
        pad(index.len() as u64, &mut index);
        let sum = Crc32::of(&index);
        out.extend_from_slice(&index);
        out.extend_from_slice(&sum.to_le_bytes());
        // The length of the index in words, less one.
        let words = (index.len() / 4) as u32;
        let mut footer: Vec<u8> = Vec::from(&words.to_le_bytes()[..]);
        footer.extend_from_slice(&[0, self.check.id()]);
        out.extend_from_slice(&Crc32::of(&footer).to_le_bytes());
        out.extend_from_slice(&footer);
        out.extend_from_slice(&FOOTER_MARK);
        Ok(())
    }
}

/// Zeros up to the next word.
fn pad(length: u64, out: &mut Vec<u8>) {
    let missing = (4 - length % 4) % 4;
    out.extend_from_slice([0; 3].get(..missing as usize).unwrap_or(&[]));
}
