//! What `pr` reads: bytes of a file, one at a time, the last of which can be put back.

use crate::memory::{Vec, vec};
use crate::utility::prelude::*;

/// Bytes that are taken from the input at once.
const BLOCK: usize = 4096;

pub(super) struct Source {
    pub(super) name: Text,
    input: Input,
    block: Vec<u8>,
    at: usize,
}

impl Source {
    pub(super) fn new(name: Text, input: Input) -> Self {
        Self { name, input, block: vec![], at: 0 }
    }

    pub(super) const fn input(&self) -> &Input {
        &self.input
    }

    /// The next byte; `None` at the end.
    pub(super) async fn next(&mut self, ctx: &mut Context) -> Result<Option<u8>, UtilityError> {
        if let Some(&byte) = self.block.get(self.at) {
            self.at += 1;
            return Ok(Some(byte));
        }
        ctx.tick_many(BLOCK as u32 / 16);
        ctx.tick().await?;
        let bytes = match self.input.fill().await {
            Ok(bytes) => bytes.get(..BLOCK).unwrap_or(bytes),
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(FsError::Errno(errno)) => {
                let message = crate::memory::format!("{}: {}", quote_operand(&self.name), errno.message());
                return Err(UtilityError::failed(message));
            }
        };
        self.block.clear();
        self.block.extend_from_slice(bytes);
        let count = bytes.len();
        self.input.consume(count);
        self.at = usize::from(count > 0);
        Ok(self.block.first().copied())
    }

    /// Takes a newline that comes next.
    pub(super) async fn skip_newline(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        if self.next(ctx).await?.is_some_and(|byte| byte != b'\n') {
            self.at -= 1;
        }
        Ok(())
    }
}
