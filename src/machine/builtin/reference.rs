//! What builtins that assign to operands share: operands such as `name` and `name[subscript]`, and usage errors.

use super::{Builtin, Flow};
use crate::machine::assign::AssignError;
use crate::machine::name;
use crate::machine::process::{Process, Step, Subscript, Target};
use crate::machine::run::Run;
use crate::memory::format;
use crate::text::Text;

impl Process {
    /// Prints a builtin's usage; status 2.
    pub(super) fn usage(&mut self, builtin: &Builtin) -> Flow {
        let line = format!("{}: usage: {}\n", builtin.name, builtin.synopsis);
        self.write_error(line.as_bytes());
        Flow::Status(2)
    }

    /// Whether a text is a name, or a name with a subscript.
    pub(crate) fn is_assignable(text: &[u8]) -> bool {
        if name::is_name(text) {
            return true;
        }
        let Some(open) = memchr::memchr(b'[', text) else { return false };
        let (base, subscript) = text.split_at(open);
        name::is_name(base) && subscript.len() > 2 && subscript.ends_with(b"]")
    }

    /// Assigns to `name` or `name[subscript]`; what is wrong is said.
    pub(super) fn assign_reference(
        &mut self,
        run: &mut Run,
        builtin: &[u8],
        reference: &[u8],
        value: Text,
    ) -> Result<(), AssignError> {
        if name::is_name(reference) {
            let id = run.services.names.intern(reference);
            return self.assign_variable(run, id, value, false);
        }
        let shown = bstr::BString::from(reference);
        if !Self::is_assignable(reference) {
            self.report_for(builtin, format_args!("`{shown}': not a valid identifier"));
            return Err(AssignError::Invalid);
        }
        match self.parse_reference(run, reference) {
            Some(Target::Index(id, index)) => {
                let index = i64::try_from(index).unwrap_or(i64::MAX);
                self.assign_element(run, id, Subscript::Index(index), value, false)
            }
            Some(Target::Key(id, key)) => self.assign_element(run, id, Subscript::Key(key), value, false),
            _ => {
                self.report_fatal(format_args!("{shown}: bad array subscript"))?;
                Err(AssignError::Invalid)
            }
        }
    }

    /// A step of a builtin whose assignment failed: status 1 unless the run has to stop.
    pub(super) fn failed_assignment(error: AssignError) -> Step<Flow> {
        match error {
            AssignError::Halt(halt) => Err(halt),
            AssignError::ReadOnly | AssignError::Invalid => Ok(Flow::Status(1)),
        }
    }
}
