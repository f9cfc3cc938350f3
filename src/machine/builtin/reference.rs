//! What builtins that assign to operands share: operands such as `name` and `name[subscript]`.

use super::context::Context;
use super::error::BuiltinError;
use crate::machine::name;
use crate::machine::process::{Process, Subscript, Target};
use crate::text::Text;

impl Process {
    /// Whether a text is a name, or a name with a subscript.
    pub(crate) fn is_assignable(text: &[u8]) -> bool {
        if name::is_name(text) {
            return true;
        }
        let Some(open) = memchr::memchr(b'[', text) else { return false };
        let (base, subscript) = text.split_at(open);
        name::is_name(base) && subscript.len() > 2 && subscript.ends_with(b"]")
    }
}

impl Context<'_, '_> {
    /// Assigns to `name` or `name[subscript]`.
    ///
    /// # Errors
    /// What is wrong, or that this was said.
    pub(super) fn assign_reference(&mut self, reference: &Text, value: Text) -> Result<(), BuiltinError> {
        if name::is_name(reference) {
            let id = self.run.services.names.intern(reference);
            return Ok(self.process.assign_variable(self.run, id, value, false)?);
        }
        if !Process::is_assignable(reference) {
            return Err(BuiltinError::InvalidName(reference.clone()));
        }
        let (id, subscript) = match self.process.parse_reference(self.run, reference) {
            Some(Target::Index(id, index)) => {
                (id, Subscript::Index(i64::try_from(index).unwrap_or(i64::MAX)))
            }
            Some(Target::Key(id, key)) => (id, Subscript::Key(key)),
            _ => {
                self.process.report_fatal(format_args!("{reference}: bad array subscript"))?;
                return Err(BuiltinError::Reported(1));
            }
        };
        Ok(self.process.assign_element(self.run, id, subscript, value, false)?)
    }
}
