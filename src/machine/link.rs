//! A program linked to a session: its names as the session's numbers, with the builtins of these names.

use super::builtin::{self, Builtin};
use super::name::{NameId, Names};
use crate::program::{Index, Program};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Link {
    names: Vec<NameId>,
    builtins: Vec<Option<&'static Builtin>>,
}

impl Link {
    pub(crate) fn new(program: &Program, names: &Names) -> Self {
        Self {
            names: names.link(&program.names),
            builtins: program.names.iter().map(|name| builtin::find(name)).collect(),
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
    pub(crate) fn builtin(&self, index: Index) -> Option<&'static Builtin> {
        self.builtins.get(index as usize).copied().flatten()
    }
}
