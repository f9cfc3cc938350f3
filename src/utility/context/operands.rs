//! Operands as inputs: `-` is standard input, no operand is standard input too.

use crate::limit::LimitError;
use crate::memory::{ToMetered, Vec, vec};
use crate::text::Text;
use crate::utility::{Context, Input, UtilityError};
use crate::vfs::{Errno, FsError};

impl Context {
    /// The operands to read: as given, or `-` alone when there are none.
    pub fn inputs(&self, operands: &[Text]) -> Vec<Text> {
        if operands.is_empty() { vec![Text::from_static(b"-")] } else { operands.to_metered() }
    }

    /// Opens an operand for reading; `-` is standard input.
    pub fn open_input(&mut self, operand: &[u8]) -> Result<Input, FsError> {
        if operand == b"-" { Ok(self.standard_input()) } else { self.open(operand) }
    }
}

/// Why the work on one operand stopped: it could not be read, or the utility has to end.
#[derive(Clone, Debug)]
pub(crate) enum OperandError {
    Read(FsError),
    End(UtilityError),
}

impl OperandError {
    /// The error number to report before the next operand is taken; an error that ends the utility is passed on.
    pub(crate) fn errno(self) -> Result<Errno, UtilityError> {
        match self {
            Self::Read(FsError::Errno(errno)) => Ok(errno),
            Self::Read(FsError::Limit(limit)) => Err(limit.into()),
            Self::End(error) => Err(error),
        }
    }
}

impl From<FsError> for OperandError {
    fn from(error: FsError) -> Self {
        Self::Read(error)
    }
}

impl From<UtilityError> for OperandError {
    fn from(error: UtilityError) -> Self {
        Self::End(error)
    }
}

impl From<LimitError> for OperandError {
    fn from(error: LimitError) -> Self {
        Self::End(error.into())
    }
}

/// A line without its delimiter, and whether it had one.
pub(crate) fn split_delimiter(line: &[u8], delimiter: u8) -> (&[u8], bool) {
    match line.split_last() {
        Some((last, body)) if *last == delimiter => (body, true),
        _ => (line, false),
    }
}
