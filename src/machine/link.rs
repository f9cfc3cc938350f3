//! A program linked to a session: its names as the session's numbers, with the builtins of these names.

use super::builtin::id::BuiltinId;
use super::name::{NameId, Names};
use crate::limit::gauge;
use crate::memory::{Arc, Vec};
use crate::program::{Index, Op, Pc, Program};
use std::sync::OnceLock;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Link {
    names: Vec<NameId>,
    builtins: Vec<Option<BuiltinId>>,
    /// The deferred parts that were run.
    parts: OnceLock<Vec<OnceLock<Code>>>,
}

impl Link {
    pub(crate) fn new(program: &Program, names: &Names, find_builtin: FindBuiltin) -> Self {
        Self {
            names: names.link(&program.names),
            builtins: program.names.iter().map(|name| find_builtin(name)).collect(),
            parts: OnceLock::new(),
        }
    }

    /// The session's number of a program's name.
    #[inline]
    pub(crate) fn name(&self, index: Index) -> NameId {
        self.names.get(index as usize).copied().unwrap_or(0)
    }

    /// The session's numbers of all of a program's names.
    #[inline]
    pub(crate) fn names(&self) -> &[NameId] {
        &self.names
    }

    /// The builtin of that name.
    #[inline]
    pub(crate) fn builtin(&self, index: Index) -> Option<BuiltinId> {
        self.builtins.get(index as usize).copied().flatten()
    }

    /// A deferred part, if it was run before.
    pub(crate) fn part(&self, part: Index) -> Option<Code> {
        self.parts.get()?.get(part as usize)?.get().cloned()
    }

    /// Keeps a deferred part that was linked; the program has `count` of them.
    pub(crate) fn set_part(&self, part: Index, count: usize, code: &Code) {
        let parts = self.parts.get_or_init(|| (0..count).map(|_| OnceLock::new()).collect());
        if let Some(part) = parts.get(part as usize).filter(|_| !gauge::is_refused()) {
            let _ = part.set(code.clone());
        }
    }
}

/// Finds a builtin by its name.
pub(crate) type FindBuiltin = fn(&[u8]) -> Option<BuiltinId>;

/// A position in a program that was linked to the session's names.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    /// Lines that bash counts less than there are: see [`Shell::line`](super::shell::Shell::line).
    pub(crate) shift: u32,
    pub(crate) program: Arc<Program>,
    pub(crate) link: Arc<Link>,
    pub(crate) pc: Pc,
}

impl Code {
    /// What comes after the command that runs.
    pub(crate) fn next(&self) -> Option<&Op> {
        self.program.code.iter().skip(self.pc as usize).find(|op| !matches!(op, Op::Check { .. }))
    }

    /// Whether nothing comes after the command that runs.
    pub(crate) fn is_at_end(&self) -> bool {
        matches!(self.next(), Some(Op::End | Op::EndProcess))
    }

    /// Goes on at `to` unless something holds.
    pub(crate) fn jump_unless(&mut self, holds: bool, to: Pc) {
        if !holds {
            self.pc = to;
        }
    }
}
