//! Compiling the source that runs next. One that is long, or may become so by aliases, is compiled when the run may take long: the parser recurses, so it
//! cannot be cut in the middle of a command.

use super::control::Control;
use super::halt::Step;
use super::option::ShellOption;
use super::run::Run;
use super::shell::Shell;
use super::wait::{After, Compiling, Wait};
use crate::memory::{Arc, Box, ToMetered as _};
use crate::program::Program;
use std::task::{Context, Poll};

/// Bytes of a source that are compiled at any time.
const SHORT: usize = 8 << 10;

/// A program, or what one will be made of.
pub(crate) enum Compiled {
    Now(Arc<Program>, After),
    Later(Box<Compiling>),
}

impl Control {
    /// Compiles a source, or leaves that for later if it is long.
    pub(crate) fn compile_for(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        compiling: Compiling,
    ) -> Step<Compiled> {
        let length = compiling.source.len().saturating_sub(compiling.from.0);
        let is_long = length > SHORT || !shell.state.commands.aliases.is_empty();
        let is_done =
            |own: &Self| compiling.after == After::Main && own.is_compiled(shell, run, &compiling.source);
        if is_long && !self.compiles_at_once && !is_done(self) && !run.services.meter.may_take_long() {
            return Ok(Compiled::Later(Box::new(compiling)));
        }
        self.compile_now(shell, run, &compiling).map(|program| Compiled::Now(program, compiling.after))
    }

    fn compile_now(&mut self, shell: &mut Shell, run: &mut Run, compiling: &Compiling) -> Step<Arc<Program>> {
        let Compiling { source, from, after } = compiling;
        let program = self.compile(shell, run, source, *from, *after == After::Main)?;
        if matches!(after, After::More { .. })
            && shell.state.options.has(ShellOption::History)
            && self.is_main_level(shell)
        {
            let end = program.rest.map_or(source.len(), |(offset, _)| offset);
            let text = source.get(from.0..end).unwrap_or(&[]).to_metered();
            shell.history(run).record(&text)?;
        }
        Ok(program)
    }

    /// Starts a program, or waits until it can be made.
    pub(crate) fn run_compiled(&mut self, shell: &mut Shell, run: &mut Run, compiled: Compiled) {
        match compiled {
            Compiled::Now(program, after) => self.start_compiled(shell, run, &program, after),
            Compiled::Later(compiling) => self.wait = Wait::Program(compiling),
        }
    }

    fn start_compiled(&mut self, shell: &mut Shell, run: &mut Run, program: &Arc<Program>, after: After) {
        if after == After::Text && program.code.len() <= 1 {
            // There is no command in it.
            shell.state.status = 0;
        }
        self.start_program(shell, run, program);
        if let After::More { shift } = after {
            shell.code.shift = shift;
        }
    }

    /// Makes the program that was left for later, once the run may take long.
    pub(super) fn resume_compiling(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        cx: &Context<'_>,
    ) -> Poll<Step> {
        if !run.services.meter.may_take_long() {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let Wait::Program(compiling) = std::mem::replace(&mut self.wait, Wait::Nothing) else {
            return Poll::Ready(Ok(()));
        };
        let program = self.compile_now(shell, run, &compiling)?;
        self.start_compiled(shell, run, &program, compiling.after);
        Poll::Ready(Ok(()))
    }
}
