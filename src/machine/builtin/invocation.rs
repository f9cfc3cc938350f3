//! [`Invocation`]: a builtin that runs, with what belongs to it until it is over.

use super::id::BuiltinId;
use super::output::Printout;
use crate::machine::expansion::{ArrayLiteral, SavedDescriptor};
use crate::machine::variable::Temporary;
use crate::memory::{Box, Vec};
use crate::text::Text;
use std::any::Any;

/// A builtin that runs.
pub(crate) struct Invocation {
    pub(crate) builtin: BuiltinId,
    /// With the name.
    pub(crate) args: Vec<Text>,
    /// What most have not.
    pub(super) beside: Option<Box<Beside>>,
    /// What it has done so far, when it had to wait.
    pub(super) progress: Option<std::boxed::Box<dyn Any + Send>>,
    pub(super) position: Position,
    pub(super) printing: Option<Box<Printing>>,
}

/// What a builtin can have beside its arguments.
#[derive(Default)]
pub(super) struct Beside {
    /// Array literals among the arguments (`declare a=(1 2)`), by the argument's index.
    pub(super) literals: Vec<(usize, ArrayLiteral)>,
    /// What its redirections replaced; undone after it.
    pub(super) redirections: Vec<SavedDescriptor>,
    /// Temporary assignments; undone after it.
    pub(super) temporary: Option<Temporary>,
}

impl std::fmt::Debug for Invocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Invocation").field("args", &self.args).finish_non_exhaustive()
    }
}

impl Invocation {
    pub(crate) fn new(builtin: BuiltinId, args: Vec<Text>) -> Self {
        Self { builtin, args, beside: None, progress: None, position: Position::default(), printing: None }
    }

    pub(super) fn beside(&mut self) -> &mut Beside {
        self.beside.get_or_insert_default()
    }

    /// Takes out what its redirections replaced.
    pub(crate) fn take_redirections(&mut self) -> Vec<SavedDescriptor> {
        self.beside.as_mut().map_or_else(Vec::new, |beside| std::mem::take(&mut beside.redirections))
    }

    /// Takes out the temporary assignments.
    pub(crate) fn take_temporary(&mut self) -> Option<Temporary> {
        self.beside.as_mut().and_then(|beside| beside.temporary.take())
    }

    /// Takes out the array literal that belongs to an argument.
    pub(super) fn take_literal(&mut self, index: usize) -> Option<ArrayLiteral> {
        let literals = &mut self.beside.as_mut()?.literals;
        let at = literals.iter().position(|(at, _)| *at == index)?;
        Some(literals.swap_remove(at).1)
    }

    /// Goes on as another builtin with the last ones of its arguments.
    pub(super) fn become_other(&mut self, builtin: BuiltinId, args: Vec<Text>) {
        let dropped = self.args.len().saturating_sub(args.len());
        if let Some(beside) = &mut self.beside {
            for (at, _) in &mut beside.literals {
                *at = at.saturating_sub(dropped);
            }
        }
        self.builtin = builtin;
        self.args = args;
        self.position = Position::default();
    }
}

/// How far a builtin has come with its operands, when it runs again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Position {
    /// Operands that are done.
    pub(super) done: usize,
    /// The exit status so far.
    pub(super) status: u8,
}

/// What a builtin has printed and did not hand on yet, and how it goes on then.
pub(crate) struct Printing {
    pub(super) out: Printout,
    /// The exit status; `None`: the builtin is called again.
    pub(super) status: Option<u8>,
}
