//! Compiling a long source. What is long in many commands is compiled in stretches; one command of a megabyte cannot be,
//! because the parser recurses, so a thread compiles it while the process waits.
//!
//! On a clock that is fixed this is done in place: what other processes do meanwhile would depend on the machine.

use super::control::Control;
use super::halt::Step;
use super::option::ShellOption;
use super::run::{Measured, Run};
use super::shell::Shell;
use super::wait::Wait;
use crate::clock::lock;
use crate::limit::{LimitError, do_beside, gauge};
use crate::memory::{Arc, Box, Bytes, Held, shared};
use crate::program::{CompileOptions, Program, compile_source};
use crate::syntax::NoAliases;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};

/// Bytes of a source that are compiled in place.
const SHORT: usize = 32 << 10;
/// Bytes that are compiled for one unit of fuel.
const BYTES_PER_FUEL: usize = 5;

/// What is done with a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// It is the shell's own script.
    Main,
    /// It is a text that `eval`, `source` or a callback runs.
    Text,
    /// It goes on with the program that runs, whose positions are shifted so far.
    More { shift: u32 },
}

/// A program, or the thread that makes it.
pub(crate) enum Compiled {
    Now(Arc<Program>),
    Later(Box<Compiling>),
}

/// A thread compiles.
#[derive(Debug)]
pub(crate) struct Compiling {
    /// Shared with the thread.
    result: std::sync::Arc<Held<Mutex<Handover>>>,
    options: CompileOptions,
    is_cacheable: bool,
    after: After,
}

#[derive(Debug, Default)]
struct Handover {
    /// The program, and the bytes that it takes.
    program: Option<Result<(Program, usize), LimitError>>,
    waker: Option<Waker>,
}

impl Control {
    /// Compiles a source, on a thread if it is long.
    pub(crate) fn compile_for(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        source: &Bytes,
        from: (usize, u32),
        after: After,
    ) -> Step<Compiled> {
        let is_main = after == After::Main;
        if let Some(compiling) = self.compile_beside(shell, run, source, from, after) {
            return Ok(Compiled::Later(Box::new(compiling)));
        }
        self.compile(shell, run, source, from, is_main).map(Compiled::Now)
    }

    fn compile_beside(
        &self,
        shell: &Shell,
        run: &Run,
        source: &Bytes,
        from: (usize, u32),
        after: After,
    ) -> Option<Compiling> {
        let limits = run.services.meter.limits();
        if source.len().saturating_sub(from.0) <= SHORT
            || source.len() as u64 > limits.script_bytes
            || self.compiles_at_once
            || run.services.session.clock.is_virtual()
            || shell.state.options.has(ShellOption::NoExec)
            || shell.state.options.has(ShellOption::History)
            || !shell.state.commands.aliases.is_empty()
        {
            return None;
        }
        let options = self.compile_options(shell, limits.syntax_depth);
        let is_cacheable = after == After::Main && from.0 == 0;
        if options.stepwise || is_cacheable && run.services.cache.get(source, &options).is_some() {
            return None;
        }
        let result = shared(Mutex::new(Handover::default()));
        let (handover, meter) = (std::sync::Arc::clone(&result), std::sync::Arc::clone(&run.services.meter));
        let source = source.clone();
        let compile = move || {
            let measured = Measured::start();
            let program = compile_source(&source, from, &options, &NoAliases, &meter);
            program.map(|program| (program, measured.bytes().saturating_add(source.len())))
        };
        let is_begun = do_beside(&run.services.meter, compile, move |program| {
            let mut handover = lock(&handover);
            handover.program = Some(program);
            if let Some(waker) = handover.waker.take() {
                waker.wake();
            }
        });
        is_begun.then_some(Compiling { result, options, is_cacheable, after })
    }

    /// Starts a program, or waits for it.
    pub(crate) fn run_compiled(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        compiled: Compiled,
        after: After,
    ) {
        match compiled {
            Compiled::Now(program) => self.start_compiled(shell, run, &program, after),
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

    /// Starts the program that a thread has made, once it has.
    pub(super) fn resume_compiling(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        cx: &mut Context<'_>,
    ) -> Poll<Step> {
        let Wait::Program(compiling) = &self.wait else { return Poll::Ready(Ok(())) };
        let mut handover = lock(&compiling.result);
        let Some(program) = handover.program.take() else {
            handover.waker = Some(cx.waker().clone());
            return Poll::Pending;
        };
        drop(handover);
        let (options, is_cacheable, after) = (compiling.options, compiling.is_cacheable, compiling.after);
        self.wait = Wait::Nothing;
        let (program, bytes) = program?;
        run.services.meter.check()?;
        let program = Arc::new(program);
        let end = program.rest.map_or(program.source.len(), |(offset, _)| offset);
        gauge::burn(i64::try_from(end / BYTES_PER_FUEL).unwrap_or(i64::MAX));
        if is_cacheable {
            run.services.cache.put(&options, &program, bytes);
        }
        self.start_compiled(shell, run, &program, after);
        Poll::Ready(Ok(()))
    }
}
