//! A program linked to a session: its names as the session's numbers, with the builtins of these names.

use super::builtin::{self, Builtin};
use super::name::{NameId, Names};
use super::shell::Code;
use crate::limit::gauge;
use crate::memory::{Arc, Vec};
use crate::program::{Index, Program};
use std::sync::OnceLock;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Link {
    names: Vec<NameId>,
    builtins: Vec<Option<&'static Builtin>>,
    /// The deferred parts that were run.
    parts: OnceLock<Vec<OnceLock<Code>>>,
}

impl Link {
    pub(crate) fn new(program: &Program, names: &Names) -> Self {
        Self {
            names: names.link(&program.names),
            builtins: program.names.iter().map(|name| builtin::find(name)).collect(),
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
    pub(crate) fn builtin(&self, index: Index) -> Option<&'static Builtin> {
        self.builtins.get(index as usize).copied().flatten()
    }

    /// A deferred part, if it was run before.
    pub(crate) fn part(&self, part: Index) -> Option<Code> {
        self.parts.get()?.get(part as usize)?.get().cloned()
    }

    /// Links a deferred part; the program has `count` of them.
    pub(crate) fn set_part(&self, part: Index, count: usize, program: Arc<Program>, names: &Names) -> Code {
        let link = Arc::new(Self::new(&program, names));
        let code = Code { program, link, pc: 0, shift: 0 };
        let parts = self.parts.get_or_init(|| (0..count).map(|_| OnceLock::new()).collect());
        if let Some(part) = parts.get(part as usize).filter(|_| !gauge::is_refused()) {
            let _ = part.set(code.clone());
        }
        code
    }
}
