//! What a program of `bc` is compiled to: operations on a stack.

use crate::memory::{Arc, Vec};
use crate::text::Text;

/// What can be assigned to. Names are numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assignable {
    Variable(u32),
    /// Its index is on the stack.
    Element(u32),
    Scale,
    InputBase,
    OutputBase,
    Last,
}

#[derive(Clone, Debug)]
pub(super) enum Op {
    /// A number as it was written: its value depends on the base at that time.
    Number(Text),
    Load(Assignable),
    /// Loads an element and leaves its index.
    LoadKeep(u32),
    Store(Assignable),
    /// Adds one, or takes one away; leaves the value before (`true`) or after it.
    Step {
        place: Assignable,
        down: bool,
        before: bool,
    },
    Binary(&'static str),
    Negate,
    Not,
    /// 1 or 0.
    Truth,
    Jump(usize),
    JumpZero(usize),
    JumpNonzero(usize),
    Pop,
    /// Prints a value on a line of its own.
    Print,
    /// Prints a value where the line is.
    PrintPart,
    Text(Text),
    /// A string of `print`, with escapes.
    Escaped(Text),
    /// Arguments: whether each is an array.
    Call(u32, Vec<bool>),
    Array(u32),
    Return,
    Halt,
    Length,
    ScaleOf,
    Root,
    Read,
    Limits,
    Warranty,
}

/// A parameter or a variable of a function's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Local {
    pub(super) name: u32,
    pub(super) is_array: bool,
    pub(super) is_reference: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Function {
    pub(super) is_void: bool,
    pub(super) parameters: Vec<Local>,
    pub(super) autos: Vec<Local>,
    pub(super) code: Arc<Vec<Op>>,
}
