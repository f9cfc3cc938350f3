//! What an error does beyond its message: [`Halt`] says what is not run any more. The rules are those of POSIX XCU 2.8.1 and
//! of `set -e`.

use super::error::{CommandError, ExpansionError, Message};
use super::halt::{Halt, Step};
use super::option::ShellOption;
use super::shell::{Shell, State};
use crate::program::ArithmeticContext;
use crate::text::Text;

impl State {
    /// What an error does that abandons the command: `set -e` ends the shell, in a condition too.
    pub(crate) fn discarded(&self) -> Halt {
        if self.options.has(ShellOption::ErrExit) { Halt::Exit(self.status.max(1)) } else { Halt::Discard(1) }
    }
}

impl Shell {
    /// Reports an error of expansion: the command is abandoned.
    pub(crate) fn expansion_error(&mut self, message: impl Message) -> Halt {
        self.report(message);
        self.state.discarded()
    }

    /// Reports an error with which bash goes on, but not with `set -e`: then the shell ends, in a condition too.
    pub(crate) fn report_fatal(&mut self, message: impl Message) -> Step {
        self.report(message);
        if self.state.options.has(ShellOption::ErrExit) {
            return Err(Halt::Exit(self.state.status.max(1)));
        }
        Ok(())
    }

    /// A name that is not valid where one has to be: the command fails; in POSIX mode the shell ends.
    pub(crate) fn invalid_identifier(&mut self, name: &[u8]) -> Step {
        self.report(CommandError::InvalidIdentifier(Text::from(name)));
        if self.state.options.has(ShellOption::Posix) {
            return Err(Halt::Fatal(2));
        }
        self.state.set_status(1);
        Ok(())
    }
}

/// Reports that a brace of an expansion in the text is not closed.
pub(crate) fn open_brace(shell: &mut Shell, text: Text) -> Halt {
    shell.expansion_error(ExpansionError::OpenBrace(text))
}

/// What abandons the command otherwise ends the shell in POSIX mode.
fn failed_expansion(shell: &Shell, halt: Halt) -> Halt {
    match halt {
        Halt::Discard(_) if shell.state.options.has(ShellOption::Posix) => shell.fatal_expansion(),
        halt => halt,
    }
}

/// Reports a bad substitution; `fatal`: the shell ends in any mode.
pub(crate) fn bad_substitution(shell: &mut Shell, text: Text, fatal: bool) -> Halt {
    let halt = shell.expansion_error(ExpansionError::BadSubstitution(text));
    if fatal { shell.fatal_expansion() } else { failed_expansion(shell, halt) }
}

/// What an expression in a word comes to: in POSIX mode an error in `$(( ))` ends the shell.
pub(crate) fn in_word(shell: &Shell, context: ArithmeticContext, result: Step<i64>) -> Step<i64> {
    match (result, context) {
        (Err(halt), ArithmeticContext::Plain) => Err(failed_expansion(shell, halt)),
        (result, _) => result,
    }
}
