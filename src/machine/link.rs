//! A program linked to a session: its names as the session's numbers, with the builtins of these names.

use super::builtin::{self, Builtin};
use super::name::{NameId, Names};
use super::shell::Code;
use crate::program::{Index, Program};
use std::sync::{Arc, OnceLock};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Link {
    names: Vec<NameId>,
    builtins: Vec<Option<&'static Builtin>>,
    /// The bodies of deferred functions that were called.
    bodies: OnceLock<Box<[OnceLock<Code>]>>,
}

impl Link {
    pub(crate) fn new(program: &Program, names: &Names) -> Self {
        Self {
            names: names.link(&program.names),
            builtins: program.names.iter().map(|name| builtin::find(name)).collect(),
            bodies: OnceLock::new(),
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

    /// The body of a deferred function, if it was called before.
    pub(crate) fn body(&self, function: Index) -> Option<Code> {
        self.bodies.get()?.get(function as usize)?.get().cloned()
    }

    /// Links the body of a deferred function; the program has `functions` of them.
    pub(crate) fn set_body(
        &self,
        function: Index,
        functions: usize,
        program: Arc<Program>,
        names: &Names,
    ) -> Code {
        let link = Arc::new(Self::new(&program, names));
        let code = Code { program, link, pc: 0, shift: 0 };
        let bodies = self.bodies.get_or_init(|| (0..functions).map(|_| OnceLock::new()).collect());
        if let Some(body) = bodies.get(function as usize) {
            let _ = body.set(code.clone());
        }
        code
    }
}
