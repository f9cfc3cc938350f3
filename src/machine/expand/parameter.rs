//! Parameters: resolving what `${...}` names, and reading values. Bash manual 3.4, 3.5.3.

use crate::machine::control::Control;
use crate::machine::error::ExpansionError;
use crate::machine::expansion::{Expansion, Subscript, Target};
use crate::machine::halt::{Halt, Step};
use crate::machine::name::NameId;
use crate::machine::option::ShellOption;
use crate::machine::pending::ListOf;
use crate::machine::process::Process;
use crate::machine::run::Run;
use crate::machine::shell::{Shell, State};
use crate::machine::variable::{Attributes, Value, decimal};
use crate::machine::work::LONG;
use crate::program::{Index, Op, ParameterBase, Program, Quoting};
use crate::text::Text;

impl State {
    /// Whether the characters of a text are its bytes: the locale is that of C.
    pub(crate) fn counts_bytes(&self, text: &[u8]) -> bool {
        self.locale.bytes && !text.is_ascii()
    }
}

impl Expansion {
    /// `$name` in a word.
    pub(crate) fn append_variable(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        id: NameId,
        quoting: Quoting,
    ) -> Step {
        let slot = shell.variables.slot(id);
        if !slot.attributes.has(Attributes::NAMEREF) {
            let mut digits = itoa::Buffer::new();
            let text = match &slot.value {
                Value::Text(text) if text.len() > LONG => {
                    let text = text.clone();
                    self.append_value(shell, &text, quoting);
                    return Ok(());
                }
                Value::Text(text) => Some(text.as_bytes()),
                Value::Integer(number) => Some(digits.format(*number).as_bytes()),
                _ => None,
            };
            if let Some(text) = text {
                match quoting {
                    Quoting::Quoted | Quoting::Document => self.builder.push_quoted(text),
                    Quoting::Raw => self.builder.push_raw(text),
                    Quoting::Split => self.builder.push_split(text, &shell.state.separators),
                }
                return Ok(());
            }
        }
        if shell.variables.is_list_reference(id) {
            let target = shell.dereference(run, id);
            return self.append_target(shell, run, &target, None, quoting);
        }
        match shell.scalar(run, id) {
            Some(text) => self.append_value(shell, &text, quoting),
            None => shell.check_unset(run, &Target::Variable(id))?,
        }
        Ok(())
    }

    /// `"$name"` as a word of its own: no copy of a long value.
    pub(crate) fn field_variable(&mut self, shell: &mut Shell, run: &mut Run, id: NameId) -> Step {
        if shell.variables.is_list_reference(id) {
            self.append_variable(shell, run, id, Quoting::Quoted)?;
            return self.end_field(shell, run);
        }
        match shell.scalar(run, id) {
            Some(text) => self.fields.push(text),
            None => {
                shell.check_unset(run, &Target::Variable(id))?;
                self.fields.push(Text::EMPTY);
            }
        }
        Ok(())
    }

    /// Resolves a parameter of the program, taking its subscript, and pushes it.
    pub(crate) fn resolve_target(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        program: &Program,
        link: &super::super::link::Link,
        index: Index,
    ) -> Step {
        let Some(reference) = program.parameters.get(index as usize) else { return Ok(()) };
        let measured = matches!(program.code.get(shell.code.pc as usize), Some(Op::Length { .. }));
        let mut target = match reference.base {
            ParameterBase::Variable(name) => Target::Variable(link.name(name)),
            ParameterBase::Elements(name, all) => match shell.dereference(run, link.name(name)) {
                Target::Variable(id) => Target::Elements(id, all),
                Target::Elements(..) => Target::Nothing,
                other => other,
            },
            ParameterBase::Positional(number) => Target::Positional(number),
            ParameterBase::Special(special) => Target::Special(special),
            ParameterBase::Element(name) => {
                let subscript = self.subscripts.pop().unwrap_or(Subscript::Index(0));
                if measured {
                    shell.check_measured(run, link.name(name), &subscript, &reference.source)?;
                }
                shell.element_target(run, link.name(name), subscript)?
            }
        };
        if reference.indirect {
            target = shell.follow(run, &target, &reference.source)?;
        } else if let Target::Variable(id) = target
            && shell.variables.slot(id).attributes.has(Attributes::NAMEREF)
        {
            target = shell.dereference(run, id);
        }
        self.targets.push((target, Some(index)));
        Ok(())
    }

    /// Appends a target's value or values.
    pub(crate) fn append_target(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        target: &Target,
        source: Option<Index>,
        quoting: Quoting,
    ) -> Step {
        if let Some(kind) = target.list_kind() {
            let values = shell.target_values(run, target);
            let list = match target {
                Target::Elements(..) => ListOf::Elements,
                _ => ListOf::Parameters,
            };
            return self.append_list(shell, run, &values, kind, quoting, list);
        }
        match shell.target_text(run, target) {
            Some(text) => {
                self.append_value(shell, &text, quoting);
                Ok(())
            }
            None => shell.check_unset_parameter(run, target, source),
        }
    }

    /// `${x:-word}`, `${x:=word}`, `${x:?word}`: uses the value if there is one.
    pub(crate) fn use_value(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        colon: bool,
        quoting: Quoting,
        keep: bool,
        end: crate::program::Pc,
    ) -> Step {
        let (target, source) = self.pop_target();
        if shell.is_value_used(run, &target, source, colon, quoting) {
            self.append_target(shell, run, &target, source, quoting)?;
            shell.code.pc = end;
        } else if keep {
            self.targets.push((target, source));
        }
        Ok(())
    }

    /// `${#name[subscript]}`: of an unset variable the subscript is not looked at.
    pub(crate) fn unless_declared(
        &mut self,
        shell: &mut Shell,
        id: NameId,
        quoting: Quoting,
        end: crate::program::Pc,
    ) {
        let slot = shell.variables.slot(id);
        if slot.value == Value::Unset
            && !slot.attributes.has(Attributes(Attributes::ARRAY.0 | Attributes::ASSOC.0))
            && !shell.state.options.has(ShellOption::NoUnset)
        {
            self.append_text(shell, b"0", quoting);
            shell.code.pc = end;
        }
    }

    /// `${#x}`: characters of a value, number of values of a list.
    pub(crate) fn length(&mut self, shell: &mut Shell, run: &mut Run, quoting: Quoting) -> Step {
        let (target, source) = self.pop_target();
        if let Target::Elements(id, _) = target
            && shell.state.options.has(ShellOption::NoUnset)
            && shell.value_of(run, id) == Value::Unset
        {
            let name = run.services.names.text(id);
            return Err(shell.expansion_error(ExpansionError::Unbound(name)));
        }
        let length = if target.list_kind().is_some() {
            match &target {
                Target::Special(_) => shell.state.positional.len(),
                Target::Elements(id, _) => match shell.value_of(run, *id) {
                    Value::Array(array) => array.len(),
                    Value::Assoc(assoc) => assoc.len(),
                    value => usize::from(value.text().is_some()),
                },
                _ => 0,
            }
        } else {
            match shell.target_text(run, &target) {
                Some(text) if shell.state.counts_bytes(&text) => text.len(),
                Some(text) => crate::character::count(&text),
                None => {
                    shell.check_measured_set(run, &target, source)?;
                    0
                }
            }
        };
        self.append_text(shell, &decimal(length as i64), quoting);
        Ok(())
    }
}

impl Control {
    /// The status that a failed `${x:=word}` leaves: 2, but 1 where a text is run (a command string, a substitution).
    fn status_of_failed_default(&self, shell: &Shell) -> u8 {
        use super::super::frame::Frame;
        let subshell = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Subshell(frame) => Some(frame.substitution.is_some()),
            _ => None,
        });
        if subshell.unwrap_or(shell.state.invoked.command_string) { 1 } else { 2 }
    }
}

impl Process {
    /// `${x:=word}`
    pub(crate) fn assign_default(&mut self, run: &mut Run, quoting: Quoting) -> Step {
        let text = self.x.builder.take_text();
        self.x.builder = self.x.builders.pop().unwrap_or_default();
        let (target, source) = self.x.pop_target();
        let assigned = match &target {
            Target::Variable(id) => self.shell.assign_variable(run, *id, text.clone(), false),
            Target::Index(id, index) => {
                self.shell.assign_element(run, *id, Subscript::Index(*index as i64), text.clone(), false)
            }
            Target::Key(id, key) => {
                self.shell.assign_element(run, *id, Subscript::Key(key.clone()), text.clone(), false)
            }
            _ => {
                let shown = target.shown(&run.services.names);
                self.shell.report(ExpansionError::NotAssignable(shown));
                return Err(self.shell.state.discarded());
            }
        };
        match assigned {
            Ok(()) => {}
            Err(super::super::error::AssignError::Halt(halt)) => return Err(halt),
            Err(_) if self.shell.state.options.has(ShellOption::Posix) => {
                return Err(self.shell.fatal_assignment());
            }
            Err(_) => return Err(Halt::Discard(self.control.status_of_failed_default(&self.shell))),
        }
        self.x.append_target(&mut self.shell, run, &target, source, quoting)
    }
}
