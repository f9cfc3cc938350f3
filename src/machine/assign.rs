//! Assignments: attributes, arrays, the variables that the shell looks at. Bash manual 3.4, 6.7.

use super::error::{AssignError, AssignmentError};
use super::expansion::{ArrayLiteral, Expansion, Subscript, Target, TemporaryAssignment};
use super::halt::{Halt, Step};
use super::name::NameId;
use super::option::ShellOption;
use super::process::Process;
use super::run::Run;
use super::shell::{Shell, State};
use super::variable::{Attributes, Binding, Temporary, Value, Variables, decimal};
use crate::memory::Vec;
use crate::syntax::ast::CaseOperator;
use crate::text::Text;

impl State {
    /// Whether an assignment before a command that fails is more than a message.
    pub(crate) fn ends_at_errors(&self) -> bool {
        let options = self.options;
        options.has(ShellOption::Posix) || options.has(ShellOption::ErrExit)
    }

    pub(crate) fn assigned_number(&self, result: Step<i64>) -> Step<i64> {
        match result {
            Err(Halt::Discard(status)) if self.invoked.command_string => Err(Halt::Exit(status)),
            result => result,
        }
    }
}

impl Variables {
    // Variables that the shell sets.

    /// Sets a variable without looking at attributes.
    pub(crate) fn set_plain(&mut self, id: NameId, value: Value) {
        self.slot_mut(id).value = value;
    }
}

impl Shell {
    /// What a failed assignment without a command does: the command is abandoned.
    pub(crate) fn fatal_assignment(&self) -> Halt {
        if self.state.options.has(ShellOption::Posix) {
            let subshell = self.is_forked || self.state.ids.level > 0;
            let errexit = self.state.options.has(ShellOption::ErrExit);
            return Halt::Fatal(if self.state.invoked.command_string && !subshell && !errexit {
                127
            } else {
                1
            });
        }
        self.state.discarded()
    }

    fn assignment_step(&self, result: Result<(), AssignError>) -> Step {
        match result {
            Ok(()) => Ok(()),
            // The value's evaluation failed.
            Err(AssignError::Halt(Halt::Discard(status))) => Err(Halt::Abandon(status)),
            Err(AssignError::Halt(halt)) => Err(halt),
            Err(AssignError::ReadOnly | AssignError::Invalid) => Err(self.fatal_assignment()),
        }
    }

    /// A negative subscript of an assignment that is out of range: the message shows it as it was written.
    fn check_assigned(
        &mut self,
        run: &mut Run,
        id: NameId,
        index: i64,
        shown: crate::program::Index,
    ) -> Step {
        let Some(Target::Variable(id)) = self.assignment_target(run, id) else { return Ok(()) };
        let writable = !self.variables.slot(id).attributes.has(Attributes::READONLY);
        if !writable || self.variables.is_associative(id) || self.array_index(run, id, index).is_some() {
            return Ok(());
        }
        let shown = self.code.program.text(shown);
        self.report_fatal(AssignmentError::BadSubscript(shown))?;
        Err(self.fatal_assignment())
    }

    /// Assigns a scalar: through namerefs, with the attributes' changes; an array's element 0.
    pub(crate) fn assign_variable(
        &mut self,
        run: &mut Run,
        id: NameId,
        value: Text,
        append: bool,
    ) -> Result<(), AssignError> {
        let id = match self.assignment_target(run, id) {
            Some(Target::Variable(id)) => id,
            Some(Target::Index(id, index)) => {
                return self.assign_element(run, id, Subscript::Index(index as i64), value, append);
            }
            Some(Target::Key(id, key)) => {
                return self.assign_element(run, id, Subscript::Key(key), value, append);
            }
            _ => return Err(AssignError::Invalid),
        };
        self.check_writable(run, id)?;
        if self.variables.slot(id).value.is_array()
            || self.variables.slot(id).attributes.has(Attributes::ARRAY)
            || self.variables.slot(id).attributes.has(Attributes::ASSOC)
        {
            let subscript = if self.variables.is_associative(id) {
                Subscript::Key(Text::from_static(b"0"))
            } else {
                Subscript::Index(0)
            };
            return self.assign_element(run, id, subscript, value, append);
        }
        let attributes = self.variables.slot(id).attributes;
        let special = attributes.has(Attributes::SPECIAL);
        if special && self.assign_dynamic(run, id, &value) {
            return Ok(());
        }
        let value = if append && !attributes.has(Attributes::INTEGER) {
            let slot = self.variables.slot_mut(id);
            let mut text = match std::mem::take(&mut slot.value) {
                Value::Text(text) => text,
                value => value.text().unwrap_or_default(),
            };
            text.push_bytes(&value);
            Value::Text(transformed(text, attributes))
        } else if attributes.has(Attributes::INTEGER) {
            let number = self.evaluate_assigned(run, &value)?;
            let before = if append { self.variables.slot(id).value.text() } else { None };
            let before = match before {
                Some(text) => self.evaluate_assigned(run, &text)?,
                None => 0,
            };
            Value::Integer(before.wrapping_add(number))
        } else {
            Value::Text(transformed(value, attributes))
        };
        let exports = attributes.has(Attributes::EXPORTED) || self.state.options.has(ShellOption::AllExport);
        let slot = self.variables.slot_mut(id);
        slot.value = value;
        if exports {
            slot.attributes.insert(Attributes::EXPORTED);
            self.variables.exports += 1;
        }
        if special {
            self.after_special(run, id);
        }
        Ok(())
    }

    /// Where an assignment to a name goes; `None`: the reference is not valid (said).
    pub(crate) fn assignment_target(&mut self, run: &mut Run, id: NameId) -> Option<Target> {
        if !self.variables.slot(id).attributes.has(Attributes::NAMEREF) {
            return Some(Target::Variable(id));
        }
        match self.dereference(run, id) {
            Target::Referent(_) | Target::Nothing => None,
            target => Some(target),
        }
    }

    /// Reports an attempt to change a read-only variable.
    pub(crate) fn check_writable(&mut self, run: &mut Run, id: NameId) -> Result<(), AssignError> {
        if self.variables.slot(id).attributes.has(Attributes::READONLY) {
            let text = run.services.names.text(id);
            self.report_fatal(AssignmentError::ReadOnly(text))?;
            return Err(AssignError::ReadOnly);
        }
        Ok(())
    }

    /// Evaluates a value or a subscript of an assignment. An error ends a shell that runs a command string; a script goes
    /// on with its next line.
    pub(crate) fn evaluate_assigned(&mut self, run: &mut Run, text: &[u8]) -> Step<i64> {
        let result = self.evaluate_text(run, text, 0);
        self.state.assigned_number(result)
    }

    // Temporary assignments.

    /// Binds assignments before a builtin; undone by `leave_temporary`. `Err`: one is read-only (said).
    pub(crate) fn bind_temporary(
        &mut self,
        run: &mut Run,
        assignments: Vec<TemporaryAssignment>,
        kind: Binding,
    ) -> Result<Temporary, ()> {
        let mut bound = Temporary::new(kind);
        for assignment in assignments {
            if self.check_writable(run, assignment.name).is_err() {
                // The command runs all the same, but in POSIX mode and with `set -e`.
                if self.state.ends_at_errors() {
                    self.variables.leave_temporary(bound);
                    return Err(());
                }
                continue;
            }
            let value = self.temporary_value(run, &assignment);
            self.variables.bind_temporary(&mut bound, assignment.name, kind);
            self.finish_binding(run, assignment.name, value);
        }
        Ok(bound)
    }

    /// Binds an assignment before a function in the scope that was entered for it.
    pub(crate) fn bind_in_scope(
        &mut self,
        run: &mut Run,
        assignment: &TemporaryAssignment,
    ) -> Result<(), ()> {
        if self.check_writable(run, assignment.name).is_err() {
            return if self.state.ends_at_errors() { Err(()) } else { Ok(()) };
        }
        let value = self.temporary_value(run, assignment);
        self.variables.make_local(assignment.name);
        self.finish_binding(run, assignment.name, value);
        self.variables.slot_mut(assignment.name).attributes.insert(Attributes::TEMPORARY);
        Ok(())
    }

    fn temporary_value(&mut self, run: &mut Run, assignment: &TemporaryAssignment) -> Text {
        if !assignment.append {
            return assignment.value.clone();
        }
        let mut value = self.scalar(run, assignment.name).unwrap_or_default();
        value.push_bytes(&assignment.value);
        value
    }

    fn finish_binding(&mut self, run: &mut Run, id: NameId, value: Text) {
        let slot = self.variables.slot_mut(id);
        slot.value = Value::Text(value);
        slot.attributes.insert(Attributes::EXPORTED);
        self.variables.exports += 1;
        if self.variables.slot(id).attributes.has(Attributes::SPECIAL) {
            self.after_special(run, id);
        }
    }

    /// `{name}>`: the number of the descriptor that was opened.
    pub(crate) fn set_descriptor_variable(
        &mut self,
        run: &mut Run,
        name: &[u8],
        number: u32,
    ) -> Result<(), AssignError> {
        let value = decimal(i64::from(number));
        match memchr::memchr(b'[', name) {
            Some(_) => match self.parse_reference(run, name).ok().flatten() {
                Some(Target::Index(id, index)) => {
                    self.assign_element(run, id, Subscript::Index(index as i64), value, false)
                }
                Some(Target::Key(id, key)) => self.assign_element(run, id, Subscript::Key(key), value, false),
                _ => Err(AssignError::Invalid),
            },
            None => {
                let id = run.services.names.intern(name);
                self.assign_variable(run, id, value, false)
            }
        }
    }
}

impl Expansion {
    /// Binds the assignments of a command for the expansion of the next one.
    pub(crate) fn show_assignments(&mut self, shell: &mut Shell, run: &mut Run) {
        let mut bound = Temporary::new(Binding::Plain);
        for assignment in self.assignments.clone() {
            if shell.variables.slot(assignment.name).attributes.has(Attributes::READONLY) {
                continue;
            }
            let value = shell.temporary_value(run, &assignment);
            shell.variables.bind_temporary(&mut bound, assignment.name, Binding::Plain);
            shell.variables.slot_mut(assignment.name).value = Value::Text(value);
        }
        self.shown = Some(bound);
    }

    /// Undoes [`Expansion::show_assignments`].
    pub(crate) fn hide_assignments(&mut self, shell: &mut Shell) {
        if let Some(bound) = self.shown.take() {
            shell.variables.leave_temporary(bound);
        }
    }
}

impl Process {
    /// `name=word` as a command.
    pub(crate) fn assign_word(&mut self, run: &mut Run, id: NameId, value: Text, append: bool) -> Step {
        if self.shell.state.options.has(ShellOption::XTrace) {
            self.trace_assignment(run, id, &value, append);
        }
        let slot = self.shell.variables.slot(id);
        if !append && !slot.attributes.has(Attributes::ASSIGN_MASK) && !slot.value.is_array() {
            let all_export = self.shell.state.options.has(ShellOption::AllExport);
            let slot = self.shell.variables.slot_mut(id);
            slot.value = Value::Text(value);
            if all_export {
                slot.attributes.insert(Attributes::EXPORTED);
                self.shell.variables.exports += 1;
            }
            return Ok(());
        }
        let result = self.shell.assign_variable(run, id, value, append);
        self.shell.assignment_step(result)
    }

    /// `name=$((...))` as a command.
    pub(crate) fn assign_number(&mut self, run: &mut Run, id: NameId, number: i64) -> Step {
        let slot = self.shell.variables.slot(id);
        let options = self.shell.state.options;
        if slot.attributes.has(Attributes::ASSIGN_MASK)
            || slot.value.is_array()
            || options.has(ShellOption::XTrace)
            || options.has(ShellOption::AllExport)
        {
            return self.assign_word(run, id, super::variable::decimal(number), false);
        }
        self.shell.variables.slot_mut(id).value = Value::Integer(number);
        Ok(())
    }

    /// `name[subscript]=word` as a command: the subscript is on the stack.
    pub(crate) fn assign_element_word(
        &mut self,
        run: &mut Run,
        id: NameId,
        value: Text,
        append: bool,
        shown: crate::program::Index,
    ) -> Step {
        let subscript = self.x.subscripts.pop().unwrap_or(Subscript::Index(0));
        if let Subscript::Index(index @ ..0) = subscript {
            self.shell.check_assigned(run, id, index, shown)?;
        }
        if self.shell.state.options.has(ShellOption::XTrace) {
            self.trace_element(run, id, &subscript, &value, append);
        }
        let result = self.shell.assign_element(run, id, subscript, value, append);
        self.shell.assignment_step(result)
    }

    /// `name=(...)` as a command.
    pub(crate) fn assign_array_word(
        &mut self,
        run: &mut Run,
        id: NameId,
        literal: &ArrayLiteral,
        append: bool,
    ) -> Step {
        let result = self.shell.assign_array(run, id, literal, append);
        self.shell.assignment_step(result)
    }

    /// The variable of a `for` loop.
    pub(crate) fn assign_loop_variable(&mut self, run: &mut Run, id: NameId, value: Text) -> Step {
        let slot = self.shell.variables.slot(id);
        if slot.attributes.has(Attributes::NAMEREF) {
            // `for` over a nameref changes what it refers to.
            self.shell.variables.slot_mut(id).value = Value::Text(value);
            return Ok(());
        }
        match self.shell.assign_variable(run, id, value, false) {
            Ok(()) => Ok(()),
            Err(AssignError::Halt(halt)) => Err(halt),
            Err(_) if self.shell.state.options.has(ShellOption::Posix) => Err(self.shell.fatal_assignment()),
            Err(_) => {
                // The loop ends with status 1.
                self.shell.state.set_status(1);
                if let Some(super::frame::Frame::Loop(frame)) = self.control.frames.last_mut() {
                    frame.status = 1;
                }
                self.leave_loops(run, 1, false)?;
                self.shell.state.set_status(1);
                Ok(())
            }
        }
    }
}

/// A value as the case attributes make it.
pub(crate) fn transformed(value: Text, attributes: Attributes) -> Text {
    use super::expand::with_case;
    if attributes.has(Attributes::LOWER) {
        with_case(&value, CaseOperator::LowerAll)
    } else if attributes.has(Attributes::UPPER) {
        with_case(&value, CaseOperator::UpperAll)
    } else if attributes.has(Attributes::CAPITAL) {
        with_case(&with_case(&value, CaseOperator::LowerAll), CaseOperator::UpperFirst)
    } else {
        value
    }
}
