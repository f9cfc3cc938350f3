//! What a builtin is given: all that it can reach.
//!
//! A builtin that looks at the shell and changes it, and does nothing else, gets a [`ShellContext`]: it can be made by hand
//! in a test. One that runs commands, expands, evaluates, assigns or waits gets a [`Context`], which has the machine.

use super::error::BuiltinError;
use super::invocation::{Invocation, Position};
use super::options::Options;
use super::output::Printout;
use super::row::{Builtin, Flow, Table};
use crate::limit::{Meter, gauge};
use crate::machine::process::Process;
use crate::machine::run::Run;
use crate::machine::shell::Shell;
use crate::memory::Box;
use crate::text::Text;
use crate::utility::Session;
use std::any::Any;
use std::ops::{Deref, DerefMut};
use std::task::Context as TaskContext;

/// The command that runs: its arguments, its output, and how far it has come.
pub(crate) struct Call<'c> {
    pub(super) builtin: &'static Builtin,
    /// With the name.
    pub(super) args: &'c [Text],
    pub(super) out: &'c mut Printout,
    position: &'c mut Position,
    pub(super) table: &'static Table,
    /// Operands that were taken since the builtin was called last.
    taken: usize,
    /// It stopped before its last operand.
    is_paused: bool,
}

impl<'c> Call<'c> {
    pub(super) fn new(
        builtin: &'static Builtin,
        args: &'c [Text],
        out: &'c mut Printout,
        position: &'c mut Position,
        table: &'static Table,
    ) -> Self {
        Self { builtin, args, out, position, table, taken: 0, is_paused: false }
    }

    /// The options, by the rows of the builtin.
    ///
    /// # Errors
    /// A usage error.
    pub(super) fn options(&self) -> Result<Options, BuiltinError> {
        Options::parse(self.builtin, self.args)
    }

    /// The builtin of that name.
    pub(super) fn find_builtin(&self, name: &[u8]) -> Option<&'static Builtin> {
        (self.table.find)(name)
    }

    /// The operands after the options.
    pub(super) fn operands(&self, options: &Options) -> &'c [Text] {
        self.args.get(options.first..).unwrap_or(&[])
    }

    /// All arguments but the name, for builtins whose options are not letters.
    pub(super) fn arguments(&self) -> &'c [Text] {
        self.args.get(1..).unwrap_or(&[])
    }

    /// As [`Call::arguments`], without a `--` at the front.
    pub(super) fn plain_operands(&self) -> &'c [Text] {
        match self.arguments() {
            [first, rest @ ..] if first.as_bytes() == b"--" => rest,
            arguments => arguments,
        }
    }

    /// The next of `operands` that is not done. `None` after the last one, and when others come first: what was printed is
    /// handed on, other processes have their turn, and then the builtin is called again (see [`Call::flow`]).
    pub(super) fn next<'o>(&mut self, operands: &'o [Text]) -> Option<&'o Text> {
        self.next_at(operands).map(|(_, operand)| operand)
    }

    /// As [`Call::next`], with the operand's place among the operands.
    pub(super) fn next_at<'o>(&mut self, operands: &'o [Text]) -> Option<(usize, &'o Text)> {
        let at = self.position.done;
        let next = operands.get(at)?;
        if self.taken > 0 && (gauge::burn(1) || self.out.is_full()) {
            self.is_paused = true;
            return None;
        }
        self.taken += 1;
        self.position.done += 1;
        Some((at, next))
    }

    /// Whether no operand was looked at yet: the builtin is not called again.
    pub(super) fn is_first(&self) -> bool {
        self.position.done == 0
    }

    /// Reports an error about one operand, and goes on: the exit status will be 1.
    pub(super) fn complain(&mut self, error: BuiltinError) {
        self.position.status = 1;
        self.out.message(error);
    }

    /// Reports something that does not change the exit status.
    pub(super) fn remark(&mut self, warning: BuiltinError) {
        self.out.message(warning);
    }

    /// The exit status will be at least `status`.
    pub(super) fn raise(&mut self, status: u8) {
        self.position.status = self.position.status.max(status);
    }

    /// The exit status will be `status`.
    pub(super) fn set_status(&mut self, status: u8) {
        self.position.status = status;
    }

    /// How the builtin ends after [`Call::next`] has given nothing.
    pub(super) fn flow(&self) -> Flow {
        if self.is_paused { Flow::Again } else { Flow::Status(self.position.status) }
    }
}

/// What a builtin is given that needs the shell alone.
pub(crate) struct ShellContext<'c> {
    call: Call<'c>,
    pub(super) shell: &'c mut Shell,
    pub(super) session: &'c Session,
    pub(super) meter: &'c std::sync::Arc<Meter>,
}

impl<'c> ShellContext<'c> {
    /// The part of a process that such a builtin gets.
    pub(super) fn of(process: &'c mut Process, run: &'c Run, call: Call<'c>) -> Self {
        Self { call, shell: &mut process.shell, session: &run.services.session, meter: &run.services.meter }
    }

    /// Whether a builtin is not turned off by `enable -n`.
    pub(super) fn is_enabled(&self, builtin: &Builtin) -> bool {
        !self.shell.state.commands.disabled.contains(&builtin.name)
    }
}

impl<'c> Deref for ShellContext<'c> {
    type Target = Call<'c>;
    fn deref(&self) -> &Call<'c> {
        &self.call
    }
}

impl DerefMut for ShellContext<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.call
    }
}

/// What a builtin is given that needs the machine.
pub(crate) struct Context<'c, 'w> {
    pub(super) call: Call<'c>,
    pub(super) process: &'c mut Process,
    pub(super) run: &'c mut Run,
    /// Wakes the builtin up.
    pub(super) task: &'c mut TaskContext<'w>,
    pub(super) invocation: &'c mut Invocation,
}

impl<'c, 'w> Context<'c, 'w> {
    pub(super) fn new(
        process: &'c mut Process,
        run: &'c mut Run,
        task: &'c mut TaskContext<'w>,
        invocation: &'c mut Invocation,
        call: Call<'c>,
    ) -> Self {
        Self { call, process, run, task, invocation }
    }

    /// Whether a step may be done now that can take long. `false`: the builtin waits, and is called again when it may.
    pub(super) fn may_take_long(&self) -> bool {
        let may = self.run.services.meter.may_take_long();
        if !may {
            self.task.waker().wake_by_ref();
        }
        may
    }

    /// What it had done before it waited.
    pub(super) fn resumed<T: Any + Send>(&mut self) -> Option<Box<T>> {
        self.invocation.progress.take().and_then(Box::downcast)
    }

    /// Keeps what was done so far until it is called again.
    pub(super) fn keep<T: Any + Send>(&mut self, progress: Box<T>) {
        self.invocation.progress = Some(progress.into_any());
    }

    /// Reports an error about one operand, and goes on: the exit status will be 1. It is said at once where nothing was
    /// printed before, so that it comes before what the machine may report.
    pub(super) fn complain(&mut self, error: BuiltinError) {
        self.call.position.status = 1;
        self.remark(error);
    }

    /// Reports something that does not change the exit status.
    pub(super) fn remark(&mut self, error: BuiltinError) {
        if self.call.out.is_empty() {
            self.process.shell.report_builtin(self.call.builtin, &error);
        } else {
            self.call.out.message(error);
        }
    }
}

impl<'c> Deref for Context<'c, '_> {
    type Target = Call<'c>;
    fn deref(&self) -> &Call<'c> {
        &self.call
    }
}

impl DerefMut for Context<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.call
    }
}

/// Contexts made by hand.
#[cfg(test)]
pub(super) mod testing {
    use super::super::output::Filled;
    use super::*;
    use crate::limit::Limits;
    use crate::machine::link::{Code, Link};
    use crate::machine::name::Names;
    use crate::machine::shell::State;
    use crate::machine::variable::Variables;
    use crate::memory::Vec;
    use crate::program::Program;
    use crate::utility::context::testing::Fixture;
    use std::sync::Arc;

    /// A shell without a machine, in a session of its own.
    pub(in super::super) struct TestShell {
        pub(in super::super) shell: Shell,
        fixture: Fixture,
        meter: Arc<Meter>,
    }

    impl TestShell {
        pub(in super::super) fn new() -> Self {
            let names = Arc::new(Names::default());
            let program = crate::memory::Arc::new(Program::default());
            let link = Link::new(&program, &names, super::super::find_id).into();
            let code = Code { program, link, pc: 0, shift: 0 };
            let shell = Shell::new(Variables::new(names), State::new(), code);
            let fixture = Fixture::new(&[]);
            let meter = Meter::new(Limits::default(), Arc::clone(&fixture.session.clock));
            Self { shell, fixture, meter }
        }

        /// Runs a command; what it printed, messages among it as `name: message`, and the status.
        pub(in super::super) fn run(&mut self, words: &[&str]) -> (std::string::String, u8) {
            let args: Vec<Text> = words.iter().map(|word| Text::from(*word)).collect();
            let builtin = super::super::find(words[0].as_bytes()).unwrap();
            let super::super::row::Act::Shell(act) = builtin.act else { panic!("{words:?} needs a machine") };
            let _entered = self.meter.enter();
            self.meter.start_slice();
            let (mut out, mut position) = (Printout::default(), Position::default());
            let mut printed = std::vec::Vec::new();
            loop {
                let mut context = ShellContext {
                    call: Call::new(builtin, &args, &mut out, &mut position, &super::super::TABLE),
                    shell: &mut self.shell,
                    session: &self.fixture.session,
                    meter: &self.meter,
                };
                let flow = act(&mut context);
                loop {
                    let filled = out.fill();
                    printed.extend_from_slice(out.ready());
                    out.advance(usize::MAX);
                    match filled {
                        Filled::Block => {}
                        Filled::Message(error) => {
                            printed.extend_from_slice(format!("{}: {error}\n", words[0]).as_bytes());
                        }
                        Filled::All => break,
                    }
                    let _ = self.meter.refuel();
                }
                let status = match flow {
                    Ok(Flow::Again) => {
                        let _ = self.meter.refuel();
                        continue;
                    }
                    Ok(Flow::Status(status)) => status,
                    Ok(flow) => panic!("{flow:?}"),
                    Err(error) => {
                        printed.extend_from_slice(format!("{}: {error}\n", words[0]).as_bytes());
                        error.status()
                    }
                };
                return (std::string::String::from_utf8_lossy(&printed).into_owned(), status);
            }
        }
    }
}
