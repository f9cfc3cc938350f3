//! Parameters that are not set where they have to be: `set -u`, `${x:?word}`, and subscripts that name no element.

use crate::machine::error::ExpansionError;
use crate::machine::expansion::{Expansion, Subscript, Target};
use crate::machine::halt::{Halt, Step};
use crate::machine::link::Code;
use crate::machine::name::NameId;
use crate::machine::option::ShellOption;
use crate::machine::run::Run;
use crate::machine::shell::Shell;
use crate::machine::variable::{Value, decimal};
use crate::memory::JoinMetered;
use crate::program::{Index, ParameterBase};
use crate::text::Text;

impl Shell {
    /// Fails under `set -u`: the parameter is unset.
    pub(crate) fn check_unset(&mut self, run: &mut Run, target: &Target) -> Step {
        if !self.state.options.has(ShellOption::NoUnset) {
            return Ok(());
        }
        if matches!(target, Target::Special(b'@' | b'*') | Target::Elements(..)) {
            return Ok(());
        }
        let mut shown = target.shown(&run.services.names);
        if matches!(target, Target::Positional(_) | Target::Special(_)) {
            shown = Text::from([b"$".as_slice(), &shown].concat_metered());
        }
        self.report(ExpansionError::Unbound(shown));
        Err(self.fatal_expansion())
    }

    /// As [`Shell::check_unset`] for a parameter of the program: an indirect one is named with its `!`.
    pub(crate) fn check_unset_parameter(
        &mut self,
        run: &mut Run,
        target: &Target,
        source: Option<Index>,
    ) -> Step {
        let reference = source.and_then(|source| self.code.program.parameters.get(source as usize));
        if let Some(reference) = reference.filter(|reference| reference.indirect)
            && self.state.options.has(ShellOption::NoUnset)
            && target.list_kind().is_none()
        {
            let shown = [b"!".as_slice(), &indirect_name(&reference.source)].concat_metered();
            self.report(ExpansionError::Unbound(Text::from(shown)));
            return Err(self.fatal_expansion());
        }
        if self.state.options.has(ShellOption::NoUnset)
            && let Target::Positional(_) | Target::Index(..) | Target::Key(..) | Target::Nothing = target
            && let Some(reference) = reference
            && let Some(inner) = reference.source.strip_prefix(b"${")
        {
            // As written.
            let shown = match target {
                Target::Positional(number) => decimal(i64::from(*number)),
                _ => Text::from(element_text(inner)),
            };
            self.report(ExpansionError::Unbound(shown));
            return Err(self.fatal_expansion());
        }
        self.check_unset(run, target)
    }

    /// `${#name[-9]}`: the command is abandoned, the message shows only the subscript.
    pub(super) fn check_measured(
        &mut self,
        run: &mut Run,
        id: NameId,
        subscript: &Subscript,
        source: &Text,
    ) -> Step {
        let Target::Variable(id) = self.dereference(run, id) else { return Ok(()) };
        self.check_measured_set(run, &Target::Index(id, 0), None)?;
        let valid = match subscript {
            Subscript::Index(index) => {
                *index >= 0
                    || self.array_index(run, id, *index).is_some() && self.value_of(run, id).is_array()
            }
            Subscript::Key(key) => !key.is_empty(),
        };
        if valid {
            return Ok(());
        }
        let at = memchr::memchr(b'[', source).map_or(0, |at| at.saturating_add(1));
        let shown = source.get(at..).unwrap_or(&[]);
        let shown = Text::from(shown.strip_suffix(b"}").unwrap_or(shown));
        Err(self.expansion_error(ExpansionError::BadSubscript(shown)))
    }

    /// `set -u` in `${#x}`: of an array it is looked for, not for its element.
    pub(super) fn check_measured_set(
        &mut self,
        run: &mut Run,
        target: &Target,
        source: Option<Index>,
    ) -> Step {
        let (Target::Index(id, _) | Target::Key(id, _)) = *target else {
            return self.check_unset_parameter(run, target, source);
        };
        if self.state.options.has(ShellOption::NoUnset) && self.value_of(run, id) == Value::Unset {
            let name = run.services.names.text(id);
            return Err(self.expansion_error(ExpansionError::Unbound(name)));
        }
        Ok(())
    }

    /// An expansion error that ends a shell which is not interactive (`set -u`, `${x:?}`).
    pub(crate) fn fatal_expansion(&self) -> Halt {
        let in_subshell = self.is_forked || self.state.ids.level > 0;
        if self.state.invoked.interactive && !in_subshell {
            return Halt::Abandon(1);
        }
        // 127 is the status of a command string only, not that of a script.
        let errexit = self.state.options.has(ShellOption::ErrExit);
        Halt::Fatal(if in_subshell || errexit || !self.state.invoked.command_string { 1 } else { 127 })
    }
}

impl Expansion {
    /// `${x:?word}`; `given`: there is a word, though it may expand to nothing.
    pub(crate) fn error_unset(&mut self, shell: &mut Shell, run: &mut Run, colon: bool, given: bool) -> Step {
        let message = self.builder.take_text();
        self.builder = self.builders.pop().unwrap_or_default();
        let (target, source) = self.pop_target();
        let parameter = named_parameter(&shell.code, run, &target, source);
        shell.report(match (given, colon) {
            (true, _) => ExpansionError::Refused { parameter, message },
            (false, true) => ExpansionError::UnsetOrNull(parameter),
            (false, false) => ExpansionError::Unset(parameter),
        });
        Err(shell.fatal_expansion())
    }
}

/// The parameter of `${x?word}` as messages show it: a reference, not what it refers to.
fn named_parameter(code: &Code, run: &Run, target: &Target, source: Option<Index>) -> Text {
    let reference = source.and_then(|source| code.program.parameters.get(source as usize));
    match reference.map(|reference| &reference.base) {
        Some(ParameterBase::Variable(name)) if reference.is_some_and(|reference| !reference.indirect) => {
            run.services.names.text(code.link.name(*name))
        }
        _ => target.shown(&run.services.names),
    }
}

/// `name[subscript]` at the start of a text.
fn element_text(text: &[u8]) -> &[u8] {
    let mut open = 0_usize;
    let end = text.iter().position(|byte| match byte {
        b'[' => {
            open += 1;
            false
        }
        b']' => {
            open = open.saturating_sub(1);
            open == 0
        }
        _ => false,
    });
    text.get(..=end.unwrap_or(text.len())).unwrap_or(text)
}

/// The parameter in `${!name...}` as messages show it.
pub(super) fn indirect_name(source: &[u8]) -> Text {
    let inner = source.strip_prefix(b"${!").unwrap_or(source);
    let end =
        inner.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').unwrap_or(inner.len());
    // With its subscript.
    let end = match inner.get(end..) {
        Some(rest) if rest.starts_with(b"[") => {
            memchr::memchr(b']', rest).map_or(end, |close| end + close + 1)
        }
        _ => end,
    };
    Text::from(inner.get(..end).unwrap_or(inner))
}
