//! What builtins that assign to operands share: operands such as `name` and `name[subscript]`.

use super::context::Context;
use super::error::BuiltinError;
use crate::machine::error::AssignmentError;
use crate::machine::expansion::{Subscript, Target};
use crate::machine::name;
use crate::text::Text;

impl Context<'_, '_> {
    /// Assigns to `name` or `name[subscript]`.
    ///
    /// # Errors
    /// What is wrong, or that this was said.
    pub(super) fn assign_reference(&mut self, reference: &Text, value: Text) -> Result<(), BuiltinError> {
        self.named(|ctx| ctx.assign_to(reference, value))
    }

    /// Does what may evaluate an expression for a variable that is an integer: an error of that names the builtin.
    pub(super) fn named<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.process.shell.arithmetic.prefix.replace(self.builtin.name);
        let result = act(self);
        self.process.shell.arithmetic.prefix = outer;
        result
    }

    fn assign_to(&mut self, reference: &Text, value: Text) -> Result<(), BuiltinError> {
        if name::is_name(reference) {
            let id = self.run.services.names.intern(reference);
            return Ok(self.process.shell.assign_variable(self.run, id, value, false)?);
        }
        if !crate::machine::name::is_assignable(reference) {
            return Err(BuiltinError::InvalidName(reference.clone()));
        }
        let (id, subscript) = match self.process.shell.parse_reference(self.run, reference)? {
            Some(Target::Index(id, index)) => {
                (id, Subscript::Index(i64::try_from(index).unwrap_or(i64::MAX)))
            }
            Some(Target::Key(id, key)) => (id, Subscript::Key(key)),
            _ => {
                self.process.shell.report_fatal(AssignmentError::BadSubscript(reference.clone()))?;
                return Err(BuiltinError::Reported(1));
            }
        };
        Ok(self.process.shell.assign_element(self.run, id, subscript, value, false)?)
    }
}
