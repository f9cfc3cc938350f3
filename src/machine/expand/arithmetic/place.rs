//! Variables and elements in an expression: their values, which are expressions themselves, and assignments to them.

use super::Evaluation;
use crate::machine::array::Array;
use crate::machine::error::{AssignError, AssignmentError};
use crate::machine::expansion::{Subscript, Target};
use crate::machine::halt::{Halt, Step};
use crate::machine::name::NameId;
use crate::machine::option::ShellOption;
use crate::machine::variable::{Attributes, Value, decimal, plain_integer};
use crate::memory::Arc;
use crate::program::ArithmeticContext;
use crate::text::Text;

/// What can be assigned to: a variable, or an element of it.
pub(super) type Place = (NameId, Option<Subscript>);

impl Evaluation<'_> {
    /// A variable as a number: its text is an expression.
    pub(super) fn load(&mut self, id: NameId) -> Step<i64> {
        let slot = self.shell.variables.slot(id);
        match &slot.value {
            Value::Integer(number) => return Ok(*number),
            Value::Text(text) if !slot.attributes.has(Attributes::NAMEREF) => {
                if let Some(number) = plain_integer(text) {
                    return Ok(number);
                }
            }
            _ => {}
        }
        match self.shell.scalar(self.run, id) {
            Some(text) => self.shell.evaluate_text(self.run, &text, self.depth + 1),
            None => {
                self.shell.check_unset(self.run, &Target::Variable(id))?;
                Ok(0)
            }
        }
    }

    pub(super) fn load_element(&mut self, id: NameId, subscript: Subscript) -> Step<i64> {
        let target = self.shell.element_target(self.run, id, subscript)?;
        match self.shell.target_text(self.run, &target) {
            Some(text) => self.shell.evaluate_text(self.run, &text, self.depth + 1),
            None => {
                // Bash looks for the variable, not for the element.
                if self.shell.value_of(self.run, id) == Value::Unset {
                    self.shell.check_unset(self.run, &Target::Variable(id))?;
                }
                Ok(0)
            }
        }
    }

    #[inline]
    pub(super) fn store(&mut self, id: NameId, number: i64) -> Step {
        let slot = self.shell.variables.slot(id);
        if !slot.attributes.has(Attributes::ASSIGN_MASK)
            && matches!(slot.value, Value::Integer(_) | Value::Text(_) | Value::Unset)
            && !self.shell.state.options.has(ShellOption::AllExport)
        {
            self.shell.variables.slot_mut(id).value = Value::Integer(number);
            return Ok(());
        }
        match self.shell.assign_variable(self.run, id, decimal(number), false) {
            Ok(()) => Ok(()),
            Err(AssignError::Halt(halt)) => Err(halt),
            Err(_) => Err(Halt::Discard(1)),
        }
    }

    pub(super) fn store_element(&mut self, id: NameId, subscript: Subscript, number: i64) -> Step {
        let text = decimal(number);
        if let Subscript::Index(index) = subscript
            && index >= 0
        {
            let slot = self.shell.variables.slot_mut(id);
            if !slot.attributes.has(Attributes::ASSIGN_MASK)
                && let Value::Array(array) = &mut slot.value
            {
                let array: &mut Array = Arc::make_mut(array);
                if (index as u64) < array.end() {
                    array.set(index as u64, text);
                    return Ok(());
                }
            }
        }
        match self.shell.assign_element(self.run, id, subscript, text, false) {
            Ok(()) => Ok(()),
            Err(AssignError::Halt(halt)) => Err(halt),
            Err(_) => Err(Halt::Discard(1)),
        }
    }

    /// The subscript of an element: a key for an associative array.
    pub(super) fn subscript_of(&mut self, id: NameId, index: Option<i64>, text: &Text) -> Step<Subscript> {
        if self.shell.variables.is_associative(id) {
            return Ok(Subscript::Key(self.shell.dequote_key(self.run, text)));
        }
        if text.is_empty() {
            // Bash says so twice, and takes the element for 0.
            let name = self.run.services.names.text(id);
            for _ in 0..2 {
                let error = AssignmentError::NoElement { name: name.clone(), subscript: Text::EMPTY };
                self.shell.report(error);
            }
            return Ok(Subscript::Index(i64::MAX));
        }
        match index {
            Some(index) => Ok(Subscript::Index(index)),
            // Inside of a value it stays an error of the value: what looks like a command there is not run.
            None if self.depth > 0 && memchr::memchr2(b'$', b'`', text).is_some() => {
                Ok(Subscript::Index(self.shell.evaluate_subscript(self.run, text, self.depth + 1)?))
            }
            None => {
                let context =
                    std::mem::replace(&mut self.shell.arithmetic.context, ArithmeticContext::Subscript);
                let index = self.shell.evaluate_subscript(self.run, text, self.depth + 1)?;
                self.shell.arithmetic.context = context;
                Ok(Subscript::Index(index))
            }
        }
    }

    pub(super) fn load_place(&mut self, place: &Place) -> Step<i64> {
        match &place.1 {
            Some(subscript) => self.load_element(place.0, subscript.clone()),
            None => self.load(place.0),
        }
    }

    pub(super) fn store_place(&mut self, place: Place, number: i64) -> Step {
        match place.1 {
            Some(subscript) => self.store_element(place.0, subscript, number),
            None => self.store(place.0, number),
        }
    }
}
