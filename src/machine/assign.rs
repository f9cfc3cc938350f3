//! Assignments: attributes, arrays, the variables that the shell looks at. Bash manual 3.4, 6.7.

use super::array::{Array, Assoc};
use super::command::TemporaryAssignment;
use super::name::{self, NameId};
use super::option::ShellOption;
use super::process::{ArrayLiteral, Halt, Process, Step, Subscript, Target};
use super::run::Run;
use super::variable::{Attributes, Binding, Temporary, Value, decimal};
use crate::memory::{JoinMetered, Vec};
use crate::syntax::ast::CaseOperator;
use crate::text::Text;
use std::sync::Arc;

/// An assignment failed; the message was printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AssignError {
    /// The variable is read-only.
    ReadOnly,
    /// The value or the subscript is not valid.
    Invalid,
    /// The value could not be evaluated: give up the command.
    Halt(Halt),
}

impl From<crate::limit::LimitError> for AssignError {
    fn from(error: crate::limit::LimitError) -> Self {
        Self::Halt(error.into())
    }
}

impl From<Halt> for AssignError {
    fn from(halt: Halt) -> Self {
        Self::Halt(halt)
    }
}

impl Process {
    /// What a failed assignment without a command does: the command is given up.
    pub(crate) fn fatal_assignment(&self) -> Halt {
        if self.shell.state.options.has(ShellOption::Posix) {
            let subshell = self.is_forked || self.shell.state.subshell_level > 0;
            let errexit = self.shell.state.options.has(ShellOption::ErrExit);
            return Halt::Exit(if self.shell.state.command_string && !subshell && !errexit {
                127
            } else {
                1
            });
        }
        self.discarded()
    }

    /// Whether an assignment before a command that fails is more than a message.
    pub(crate) fn ends_at_errors(&self) -> bool {
        let options = self.shell.state.options;
        options.has(ShellOption::Posix) || options.has(ShellOption::ErrExit)
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
        let result = self.assign_variable(run, id, value, append);
        self.assignment_step(result)
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
            self.check_assigned(run, id, index, shown)?;
        }
        if self.shell.state.options.has(ShellOption::XTrace) {
            self.trace_element(run, id, &subscript, &value, append);
        }
        let result = self.assign_element(run, id, subscript, value, append);
        self.assignment_step(result)
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
        let writable = !self.shell.variables.slot(id).attributes.has(Attributes::READONLY);
        if !writable || self.is_associative(id) || self.array_index(run, id, index).is_some() {
            return Ok(());
        }
        let shown = self.code.program.text(shown);
        self.report_fatal(format_args!("{shown}: bad array subscript"))?;
        Err(self.fatal_assignment())
    }

    /// `name=(...)` as a command.
    pub(crate) fn assign_array_word(
        &mut self,
        run: &mut Run,
        id: NameId,
        literal: &ArrayLiteral,
        append: bool,
    ) -> Step {
        if self.shell.state.options.has(ShellOption::XTrace) {
            self.trace_array(run, id, literal, append);
        }
        let result = self.assign_array(run, id, literal, append);
        self.assignment_step(result)
    }

    /// The variable of a `for` loop.
    pub(crate) fn assign_loop_variable(&mut self, run: &mut Run, id: NameId, value: Text) -> Step {
        let slot = self.shell.variables.slot(id);
        if slot.attributes.has(Attributes::NAMEREF) {
            // `for` over a nameref changes what it refers to.
            self.shell.variables.slot_mut(id).value = Value::Text(value);
            return Ok(());
        }
        match self.assign_variable(run, id, value, false) {
            Ok(()) => Ok(()),
            Err(AssignError::Halt(halt)) => Err(halt),
            Err(_) if self.shell.state.options.has(ShellOption::Posix) => Err(self.fatal_assignment()),
            Err(_) => {
                // The loop ends with status 1.
                self.set_status(1);
                if let Some(super::frame::Frame::Loop(frame)) = self.frames.last_mut() {
                    frame.status = 1;
                }
                self.leave_loops(run, 1, false)?;
                self.set_status(1);
                Ok(())
            }
        }
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
        if self.shell.variables.slot(id).value.is_array()
            || self.shell.variables.slot(id).attributes.has(Attributes::ARRAY)
            || self.shell.variables.slot(id).attributes.has(Attributes::ASSOC)
        {
            let subscript = if self.is_associative(id) {
                Subscript::Key(Text::from_static(b"0"))
            } else {
                Subscript::Index(0)
            };
            return self.assign_element(run, id, subscript, value, append);
        }
        let attributes = self.shell.variables.slot(id).attributes;
        let special = attributes.has(Attributes::SPECIAL);
        if special && self.assign_dynamic(run, id, &value) {
            return Ok(());
        }
        let value = if append && !attributes.has(Attributes::INTEGER) {
            let slot = self.shell.variables.slot_mut(id);
            let mut text = match std::mem::take(&mut slot.value) {
                Value::Text(text) => text,
                value => value.text().unwrap_or_default(),
            };
            text.push_bytes(&value);
            Value::Text(transformed(text, attributes))
        } else if attributes.has(Attributes::INTEGER) {
            let number = self.evaluate_assigned(run, &value)?;
            let before = if append { self.shell.variables.slot(id).value.text() } else { None };
            let before = match before {
                Some(text) => self.evaluate_assigned(run, &text)?,
                None => 0,
            };
            Value::Integer(before.wrapping_add(number))
        } else {
            Value::Text(transformed(value, attributes))
        };
        let exports =
            attributes.has(Attributes::EXPORTED) || self.shell.state.options.has(ShellOption::AllExport);
        let slot = self.shell.variables.slot_mut(id);
        slot.value = value;
        if exports {
            slot.attributes.insert(Attributes::EXPORTED);
            self.shell.variables.exports += 1;
        }
        if special {
            self.after_special(run, id);
        }
        Ok(())
    }

    /// Where an assignment to a name goes; `None`: the reference is not valid (said).
    fn assignment_target(&mut self, run: &mut Run, id: NameId) -> Option<Target> {
        if !self.shell.variables.slot(id).attributes.has(Attributes::NAMEREF) {
            return Some(Target::Variable(id));
        }
        match self.dereference(run, id) {
            Target::Nothing => None,
            target => Some(target),
        }
    }

    /// Reports an attempt to change a read-only variable.
    pub(crate) fn check_writable(&mut self, run: &mut Run, id: NameId) -> Result<(), AssignError> {
        if self.shell.variables.slot(id).attributes.has(Attributes::READONLY) {
            let text = run.services.names.text(id);
            self.report_fatal(format_args!("{text}: readonly variable"))?;
            return Err(AssignError::ReadOnly);
        }
        Ok(())
    }

    /// Assigns one element; the variable becomes an array if it is none.
    pub(crate) fn assign_element(
        &mut self,
        run: &mut Run,
        id: NameId,
        subscript: Subscript,
        value: Text,
        append: bool,
    ) -> Result<(), AssignError> {
        let Some(Target::Variable(id)) = self.assignment_target(run, id) else {
            return Err(AssignError::Invalid);
        };
        self.check_writable(run, id)?;
        let attributes = self.shell.variables.slot(id).attributes;
        let associative = self.is_associative(id);
        let subscript = match (subscript, associative) {
            (Subscript::Key(key), false) => {
                if key.is_empty() || matches!(key.as_bytes(), b"@" | b"*") {
                    let text = run.services.names.text(id);
                    self.report_fatal(format_args!("{text}[{key}]: bad array subscript"))?;
                    return Err(AssignError::Invalid);
                }
                let index = self.evaluate_subscript(run, &key, 0);
                Subscript::Index(self.assigned_number(index)?)
            }
            (Subscript::Index(index), true) => Subscript::Key(decimal(index)),
            (subscript, _) => subscript,
        };
        let subscript = match subscript {
            Subscript::Index(index) => match self.array_index(run, id, index) {
                Some(index) => Target::Index(id, index),
                None => {
                    let text = run.services.names.text(id);
                    self.report_fatal(format_args!("{text}[{index}]: bad array subscript"))?;
                    return Err(AssignError::Invalid);
                }
            },
            Subscript::Key(key) => {
                if key.is_empty() {
                    let text = run.services.names.text(id);
                    self.report_fatal(format_args!("{text}[{key}]: bad array subscript"))?;
                    return Err(AssignError::Invalid);
                }
                Target::Key(id, key)
            }
        };
        let value = if attributes.has(Attributes::INTEGER) {
            let number = self.evaluate_assigned(run, &value)?;
            let before = if append {
                match self.target_text(run, &subscript) {
                    Some(text) => self.evaluate_assigned(run, &text)?,
                    None => 0,
                }
            } else {
                0
            };
            decimal(before.wrapping_add(number))
        } else if append {
            let mut text = self.target_text(run, &subscript).unwrap_or_default();
            text.push_bytes(&value);
            transformed(text, attributes)
        } else {
            transformed(value, attributes)
        };
        self.make_array(id, associative);
        if self.shell.state.options.has(ShellOption::AllExport) {
            self.shell.variables.slot_mut(id).attributes.insert(Attributes::EXPORTED);
        }
        match (&mut self.shell.variables.slot_mut(id).value, subscript) {
            (Value::Array(array), Target::Index(_, index)) => Arc::make_mut(array).set(index, value),
            (Value::Assoc(assoc), Target::Key(_, key)) => Arc::make_mut(assoc).set(key, value),
            _ => {}
        }
        if attributes.has(Attributes::SPECIAL) {
            self.after_special_element(run, id);
        }
        Ok(())
    }

    /// Evaluates a value or a subscript of an assignment. An error ends a shell that runs a command string; a script goes
    /// on with its next line.
    fn evaluate_assigned(&mut self, run: &mut Run, text: &[u8]) -> Step<i64> {
        let result = self.evaluate_text(run, text, 0);
        self.assigned_number(result)
    }

    fn assigned_number(&self, result: Step<i64>) -> Step<i64> {
        match result {
            Err(Halt::Discard(status)) if self.shell.state.command_string => Err(Halt::Exit(status)),
            result => result,
        }
    }

    /// Makes a variable an array; a scalar becomes element 0.
    pub(crate) fn make_array(&mut self, id: NameId, associative: bool) {
        let slot = self.shell.variables.slot_mut(id);
        match (&slot.value, associative) {
            (Value::Array(_), false) | (Value::Assoc(_), true) => {}
            (_, true) => {
                let mut assoc = Assoc::default();
                if let Some(text) = slot.value.text() {
                    assoc.set(Text::from_static(b"0"), text);
                }
                slot.value = Value::Assoc(Arc::new(assoc));
            }
            (_, false) => {
                let mut array = Array::default();
                if let Some(text) = slot.value.text() {
                    array.set(0, text);
                }
                slot.value = Value::Array(Arc::new(array));
            }
        }
    }

    /// Assigns an array literal.
    pub(crate) fn assign_array(
        &mut self,
        run: &mut Run,
        id: NameId,
        literal: &ArrayLiteral,
        append: bool,
    ) -> Result<(), AssignError> {
        let slot = self.shell.variables.slot(id);
        if slot.attributes.has(Attributes::NAMEREF) && slot.value == Value::Unset {
            let name = run.services.names.text(id);
            self.report(format_args!("warning: {name}: removing nameref attribute"));
            self.shell.variables.slot_mut(id).attributes.remove(Attributes::NAMEREF);
        }
        let Some(Target::Variable(id)) = self.assignment_target(run, id) else {
            return Err(AssignError::Invalid);
        };
        self.check_writable(run, id)?;
        let associative = self.is_associative(id);
        let attributes = self.shell.variables.slot(id).attributes;
        if associative {
            self.assign_assoc(run, id, literal, append)?;
        } else {
            self.assign_indexed(run, id, literal, append, attributes)?;
        }
        if attributes.has(Attributes::SPECIAL) {
            self.after_special_element(run, id);
        }
        if attributes.has(Attributes::EXPORTED) {
            // The environment has no arrays.
            self.shell.variables.exports += 1;
        }
        Ok(())
    }

    fn assign_indexed(
        &mut self,
        run: &mut Run,
        id: NameId,
        literal: &ArrayLiteral,
        append: bool,
        attributes: Attributes,
    ) -> Result<(), AssignError> {
        let plain = literal.elements.iter().all(|element| element.key.is_none())
            && !attributes.has(Attributes(
                Attributes::INTEGER.0 | Attributes::LOWER.0 | Attributes::UPPER.0 | Attributes::CAPITAL.0,
            ));
        if plain && !append {
            let array: Array = literal.elements.iter().map(|element| element.value.clone()).collect();
            self.shell.variables.slot_mut(id).value = Value::Array(Arc::new(array));
            return Ok(());
        }
        if append {
            self.make_array(id, false);
        } else {
            self.shell.variables.slot_mut(id).value = Value::Array(Arc::new(Array::default()));
        }
        let mut next = match &self.shell.variables.slot(id).value {
            Value::Array(array) => array.end(),
            _ => 0,
        };
        for element in &literal.elements {
            if let Some(key) = &element.key {
                let index = self.evaluate_assigned(run, key)?;
                match self.array_index(run, id, index) {
                    Some(index) => next = index,
                    None => {
                        // The others are assigned all the same.
                        self.report_fatal(format_args!("[{key}]={}: bad array subscript", element.value))?;
                        continue;
                    }
                }
            }
            let target = Target::Index(id, next);
            let value = self.element_value(run, &target, &element.value, element.append, attributes)?;
            if let Value::Array(array) = &mut self.shell.variables.slot_mut(id).value {
                Arc::make_mut(array).set(next, value);
            }
            next = next.saturating_add(1);
        }
        Ok(())
    }

    fn element_value(
        &mut self,
        run: &mut Run,
        target: &Target,
        value: &Text,
        append: bool,
        attributes: Attributes,
    ) -> Result<Text, AssignError> {
        let before = if append { self.target_text(run, target) } else { None };
        if attributes.has(Attributes::INTEGER) {
            let number = self.evaluate_assigned(run, value)?;
            let before = match before {
                Some(text) => self.evaluate_assigned(run, &text)?,
                None => 0,
            };
            return Ok(decimal(before.wrapping_add(number)));
        }
        let mut text = before.unwrap_or_default();
        text.push_bytes(value);
        Ok(transformed(text, attributes))
    }

    fn assign_assoc(
        &mut self,
        run: &mut Run,
        id: NameId,
        literal: &ArrayLiteral,
        append: bool,
    ) -> Result<(), AssignError> {
        let attributes = self.shell.variables.slot(id).attributes;
        let before = self.shell.variables.slot(id).value.clone();
        let literal_append = append;
        if append {
            self.make_array(id, true);
        } else {
            self.shell.variables.slot_mut(id).value = Value::Assoc(Arc::new(Assoc::default()));
        }
        let keyed = literal.elements.first().is_some_and(|element| element.key.is_some());
        let mut elements = literal.elements.iter();
        while let Some(element) = elements.next() {
            let (key, value, append) = match (&element.key, keyed) {
                (Some(key), _) => (key.clone(), element.value.clone(), element.append),
                (None, false) => {
                    // Without subscripts keys and values take turns.
                    let value = elements.next().map(|element| element.value.clone()).unwrap_or_default();
                    (element.value.clone(), value, false)
                }
                (None, true) => {
                    let text = run.services.names.text(id);
                    let value = &element.value;
                    self.report(format_args!(
                        "{text}: {value}: must use subscript when assigning associative array"
                    ));
                    continue;
                }
            };
            if key.is_empty() {
                self.report_fatal(format_args!("[]={value}: bad array subscript"))?;
                continue;
            }
            // `m=([a]+=x)` appends to what was there before the assignment.
            let old = match &before {
                Value::Assoc(assoc) if append && !literal_append => assoc.get(&key).cloned(),
                _ => None,
            };
            let target = Target::Key(id, key.clone());
            let mut value = self.element_value(run, &target, &value, append && literal_append, attributes)?;
            if let Some(mut old) = old {
                if attributes.has(Attributes::INTEGER) {
                    let sum =
                        self.evaluate_assigned(run, &old)?.wrapping_add(self.evaluate_assigned(run, &value)?);
                    old = decimal(sum);
                } else {
                    old.push_bytes(&value);
                }
                value = old;
            }
            if let Value::Assoc(assoc) = &mut self.shell.variables.slot_mut(id).value {
                Arc::make_mut(assoc).set(key, value);
            }
        }
        Ok(())
    }

    // Temporary assignments.

    /// Binds assignments before a builtin; undone by `leave_temporary`. `Err`: one is read-only (said).
    pub(crate) fn bind_temporary(
        &mut self,
        run: &mut Run,
        assignments: Vec<TemporaryAssignment>,
        kind: Binding,
    ) -> Result<Temporary, ()> {
        let mut bound = self.shell.variables.begin_temporary(kind);
        for assignment in assignments {
            if self.check_writable(run, assignment.name).is_err() {
                // The command runs all the same, but in POSIX mode and with `set -e`.
                if self.ends_at_errors() {
                    self.shell.variables.leave_temporary(bound);
                    return Err(());
                }
                continue;
            }
            let value = self.temporary_value(run, &assignment);
            self.shell.variables.bind_temporary(&mut bound, assignment.name, kind);
            self.finish_binding(run, assignment.name, value);
        }
        Ok(bound)
    }

    /// Binds the assignments of a command for the expansion of the next one.
    pub(crate) fn show_assignments(&mut self, run: &mut Run) {
        let mut bound = self.shell.variables.begin_temporary(Binding::Plain);
        for assignment in self.x.assignments.clone() {
            if self.shell.variables.slot(assignment.name).attributes.has(Attributes::READONLY) {
                continue;
            }
            let value = self.temporary_value(run, &assignment);
            self.shell.variables.bind_temporary(&mut bound, assignment.name, Binding::Plain);
            self.shell.variables.slot_mut(assignment.name).value = Value::Text(value);
        }
        self.x.shown = Some(bound);
    }

    /// Undoes [`Process::show_assignments`].
    pub(crate) fn hide_assignments(&mut self) {
        if let Some(bound) = self.x.shown.take() {
            self.shell.variables.leave_temporary(bound);
        }
    }

    /// Binds an assignment before a function in the scope that was entered for it.
    pub(crate) fn bind_in_scope(&mut self, run: &mut Run, assignment: TemporaryAssignment) -> Result<(), ()> {
        if self.check_writable(run, assignment.name).is_err() {
            return if self.ends_at_errors() { Err(()) } else { Ok(()) };
        }
        let value = self.temporary_value(run, &assignment);
        self.shell.variables.make_local(assignment.name);
        self.finish_binding(run, assignment.name, value);
        self.shell.variables.slot_mut(assignment.name).attributes.insert(Attributes::TEMPORARY);
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
        let slot = self.shell.variables.slot_mut(id);
        slot.value = Value::Text(value);
        slot.attributes.insert(Attributes::EXPORTED);
        self.shell.variables.exports += 1;
        if self.shell.variables.slot(id).attributes.has(Attributes::SPECIAL) {
            self.after_special(run, id);
        }
    }

    // Variables that the shell sets.

    /// Sets a variable without looking at attributes.
    pub(crate) fn set_plain(&mut self, id: NameId, value: Value) {
        self.shell.variables.slot_mut(id).value = value;
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
            Some(_) => match self.parse_reference(run, name) {
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

    /// `NAME[0]`, `NAME[1]` and `NAME_PID` of a coprocess.
    pub(crate) fn set_coprocess_variables(
        &mut self,
        run: &mut Run,
        name: &[u8],
        input: u32,
        output: u32,
        pid: u32,
    ) -> Step {
        if !name::is_name(name) {
            return Err(
                self.expansion_error(format_args!("`{}': not a valid identifier", bstr::BStr::new(name)))
            );
        }
        let id = run.services.names.intern(name);
        let array: Array = [input, output].iter().map(|number| decimal(i64::from(*number))).collect();
        self.set_plain(id, Value::Array(Arc::new(array)));
        let array = id;
        let id = run.services.names.intern(&[name, b"_PID"].concat_metered());
        self.coprocess = Some((pid, [array, id]));
        self.set_plain(id, Value::Text(decimal(i64::from(pid))));
        Ok(())
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
