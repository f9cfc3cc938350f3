//! What `bc` reads: lines of standard input, one after another, both as a program and for `read()`.

use crate::memory::Vec;
use crate::utility::{Context, Input, UtilityError};

/// See the module.
pub(super) struct Source {
    input: Option<Input>,
    /// What was read of a line and not used.
    rest: Vec<u8>,
}

impl Source {
    pub(super) const fn new() -> Self {
        Self { input: None, rest: Vec::new() }
    }

    /// The next line with its newline; `None` at the end.
    pub(super) async fn line(&mut self, ctx: &mut Context) -> Result<Option<Vec<u8>>, UtilityError> {
        if !self.rest.is_empty() {
            return Ok(Some(std::mem::take(&mut self.rest)));
        }
        ctx.stdout.flush().await?;
        let input = self.input.get_or_insert_with(|| ctx.standard_input());
        let line = input.next_line(b'\n').await.map_err(|error| UtilityError::operand(b"-", error))?;
        Ok(line.map(Vec::from))
    }

    /// The digits that come next, for `read()`; a backslash before a newline is passed over. None at the end: 0.
    pub(super) async fn read_word(&mut self, ctx: &mut Context) -> Result<Vec<u8>, UtilityError> {
        let mut word: Vec<u8> = Vec::new();
        loop {
            ctx.check().await?;
            let Some(line) = self.line(ctx).await? else {
                return Ok(if word.is_empty() { b"0"[..].into() } else { word });
            };
            let start = line.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(line.len());
            let text = line.get(start..).unwrap_or(&[]);
            let is_digit = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'A'..=b'F' | b'.' | b'-');
            let end = text.iter().position(|byte| !is_digit(byte)).unwrap_or(text.len());
            word.extend_from_slice(text.get(..end).unwrap_or(&[]));
            let after = text.get(end..).unwrap_or(&[]);
            if let Some(next) = after.strip_prefix(b"\\\n") {
                self.rest = next.into();
                continue;
            }
            if !word.is_empty() || end < text.len() {
                self.rest = after.strip_prefix(b"\n").unwrap_or(after).into();
                return Ok(if word.is_empty() { b"0"[..].into() } else { word });
            }
        }
    }
}
