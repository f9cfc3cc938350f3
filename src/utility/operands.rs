//! Operands as inputs: `-` is standard input, no operand is standard input too.

use super::{Context, Input};
use crate::text::Text;
use crate::vfs::FsError;

impl Context {
    /// The operands to read: as given, or `-` alone when there are none.
    pub fn inputs(&self, operands: &[Text]) -> Vec<Text> {
        if operands.is_empty() { vec![Text::from_static(b"-")] } else { operands.to_vec() }
    }

    /// Opens an operand for reading; `-` is standard input.
    pub fn open_input(&mut self, operand: &[u8]) -> Result<Input, FsError> {
        if operand == b"-" { Ok(self.standard_input()) } else { self.open(operand) }
    }
}
