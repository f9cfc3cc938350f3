//! Parts of a program that are compiled when they are run first: what was skimmed only, and what is hardly ever run.

use super::{Program, compiler};
use crate::limit::{LimitError, Meter, gauge};
use crate::memory::{Arc, Bytes};
use crate::syntax::ast::{DeferredList, FunctionDefinition, List, Span};
use std::sync::OnceLock;

/// A part, and what compiling it depends on beside its text.
#[derive(Debug)]
pub(crate) struct Part {
    pub(super) what: Deferred,
    /// See [`Compiler`](compiler::Compiler) for these.
    pub(super) line_shift: i64,
    pub(super) conditions: u32,
    pub(super) base_line: Option<u32>,
    pub(super) last_line: u32,
    pub(super) traced: bool,
    pub(super) program: OnceLock<Arc<Program>>,
}

/// What is compiled later.
#[derive(Debug)]
pub(super) enum Deferred {
    /// A function's body.
    Function(Arc<FunctionDefinition>),
    /// A branch.
    List(Arc<DeferredList>),
    /// The body of a substitution in a further copy of its word, and where it stands in its source. Bodies in bodies that all
    /// were compiled for each copy would be twice as many at each level.
    Body(Arc<List>, Bytes, Span),
    /// An argument that is an assignment under `set -k`: where it stands in its source.
    Assignment(Bytes, Span),
}

impl Deferred {
    /// The source, and where the part stands in it.
    pub(super) fn place(&self) -> (&Bytes, Span) {
        match self {
            Self::Function(function) => (&function.source, function.span),
            Self::List(list) => (&list.source, list.span),
            Self::Body(_, source, span) | Self::Assignment(source, span) => (source, *span),
        }
    }
}

impl Part {
    /// Its program.
    ///
    /// # Errors
    /// As [`compiler::compile_source`].
    pub(crate) fn program(&self, meter: &Meter) -> Result<Arc<Program>, LimitError> {
        if let Some(program) = self.program.get() {
            return Ok(Arc::clone(program));
        }
        let program = Arc::new(compiler::compile_part(self, meter)?);
        if gauge::is_refused() {
            // It may lack a part, and other runs share what is kept here.
            return Ok(program);
        }
        Ok(Arc::clone(self.program.get_or_init(|| program)))
    }
}
