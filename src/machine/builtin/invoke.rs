//! Runs builtins: binds what stands before them, hands on what they print, and takes back what was theirs.
//!
//! A builtin is called once, or again and again: after it had to wait, after its callback, or after its output was handed
//! on or its turn was over. What it printed goes out before it is called again.

use super::super::expansion::Expansion;
use super::super::shell::Shell;
use super::context::{Call, Context, ShellContext};
use super::error::BuiltinError;
use super::id::BuiltinId;
use super::invocation::{Invocation, Printing};
use super::output::{Filled, Printout};
use super::row::{Act, Builtin, Flow};
use crate::limit::{Turn, gauge};
use crate::machine::frame::Frame;
use crate::machine::halt::{Halt, Step};
use crate::machine::option::ShellOption;
use crate::machine::outputs::write_to;
use crate::machine::process::Process;
use crate::machine::run::Run;
use crate::machine::trap;
use crate::machine::variable::Binding;
use crate::machine::wait::Wait;
use crate::memory::{Box, Vec, format};
use crate::text::Text;
use crate::vfs::{Errno, FsError};
use std::task::{Context as TaskContext, Poll};

impl Shell {
    /// Hands on what a builtin printed. `false`: the reader is slow, or others have their turn first.
    fn print(
        &mut self,
        run: &mut Run,
        cx: &mut TaskContext<'_>,
        invocation: &Invocation,
        out: &mut Printout,
    ) -> Step<bool> {
        loop {
            let filled = out.fill();
            if !self.write_ready(cx, invocation.builtin.row(), out)? {
                if let Filled::Message(error) = filled {
                    out.put_back(error);
                }
                return Ok(false);
            }
            match filled {
                Filled::All | Filled::Block => {}
                Filled::Message(error) => self.report_builtin(invocation.builtin.row(), &error),
            }
            if gauge::burn(1) && run.services.meter.refuel_for_turn()? != Turn::Continues {
                cx.waker().wake_by_ref();
                return Ok(false);
            }
            if out.is_empty() {
                return Ok(true);
            }
        }
    }

    /// Writes the bytes that are ready; `false`: not all of them could be written now.
    fn write_ready(
        &mut self,
        cx: &mut TaskContext<'_>,
        builtin: &'static Builtin,
        out: &mut Printout,
    ) -> Step<bool> {
        if out.ready().is_empty() {
            return Ok(true);
        }
        if self.outputs.has_unwritten() {
            cx.waker().wake_by_ref();
            return Ok(false);
        }
        if self.outputs.failed {
            out.advance(usize::MAX);
            return Ok(true);
        }
        let Some(description) = self.state.descriptors.get(1).cloned() else {
            self.outputs.failed = true;
            out.advance(usize::MAX);
            self.report_builtin(builtin, &BuiltinError::WriteError(Errno::BadDescriptor));
            return Ok(true);
        };
        let (written, end) = write_to(&description, cx, out.ready());
        out.advance(written);
        match end {
            Poll::Ready(Ok(())) => {}
            Poll::Pending => return Ok(false),
            Poll::Ready(Err(FsError::Limit(limit))) => return Err(limit.into()),
            Poll::Ready(Err(FsError::Errno(Errno::BrokenPipe)))
                if !self.state.traps.signals.contains_key(&trap::PIPE) =>
            {
                return Err(Halt::Killed(141));
            }
            Poll::Ready(Err(FsError::Errno(errno))) => {
                self.outputs.failed = true;
                out.advance(usize::MAX);
                self.report_builtin(builtin, &BuiltinError::WriteError(errno));
            }
        }
        Ok(true)
    }

    /// Hands on what little a builtin printed before it waits or goes on as something else; what is not written now
    /// follows before the next operation.
    fn print_now(&mut self, invocation: &Invocation, out: &mut Printout) {
        while !out.is_empty() {
            let filled = out.fill();
            if let Some(description) = self.state.descriptors.get(1).cloned() {
                self.outputs.write(description, out.ready());
            }
            out.advance(usize::MAX);
            if let Filled::Message(error) = filled {
                self.report_builtin(invocation.builtin.row(), &error);
            }
            if gauge::is_refused() {
                return;
            }
        }
    }

    /// Writes a builtin's message, and the usage line where that follows.
    pub(super) fn report_builtin(&mut self, builtin: &Builtin, error: &BuiltinError) {
        if error.is_message() {
            if error.names_builtin() {
                self.report_for(builtin.name.as_bytes(), error);
            } else if error.is_bare() {
                self.write_error(format!("{error}\n").as_bytes());
            } else {
                self.report(error);
            }
        }
        if error.is_usage() {
            let line = format!("{}: usage: {}\n", builtin.name, builtin.synopsis);
            self.write_error(line.as_bytes());
        }
    }

    /// Undoes a builtin's redirections and temporary assignments before it leaves the frames around it.
    pub(crate) fn release(&mut self, invocation: &mut Invocation) {
        let Some(beside) = invocation.beside.take().map(Box::into_inner) else { return };
        self.state.restore_descriptors(beside.redirections);
        if let Some(bound) = beside.temporary {
            self.variables.leave_temporary(bound);
            self.refresh_special();
        }
    }
}

impl Expansion {
    fn end_builtin(&mut self, shell: &mut Shell, mut invocation: Invocation, status: u8) -> Step {
        let status = if std::mem::take(&mut shell.outputs.failed) { status.max(1) } else { status };
        let is_usage_error = status == 2
            && shell.state.conditions.is_empty()
            && invocation.builtin.row().special
            && shell.state.options.has(ShellOption::Posix);
        shell.release(&mut invocation);
        self.recycle(invocation.args);
        shell.state.set_status(status);
        if is_usage_error { Err(Halt::Fatal(status)) } else { Ok(()) }
    }

    /// Keeps the room of a command's fields for the next one.
    fn recycle(&mut self, mut args: Vec<Text>) {
        if self.fields.capacity() == 0 {
            args.clear();
            self.fields = args;
        }
    }
}

impl Process {
    /// Runs the fields as a builtin.
    pub(crate) fn call_builtin(&mut self, run: &mut Run, cx: &mut TaskContext<'_>, id: BuiltinId) -> Step {
        let builtin = id.row();
        let mut invocation = Invocation::new(id, std::mem::take(&mut self.x.fields));
        if !self.x.arguments.is_empty() {
            invocation.beside().literals = std::mem::take(&mut self.x.arguments);
        }
        if !self.x.redirections.is_empty() {
            invocation.beside().redirections = std::mem::take(&mut self.x.redirections);
        }
        if !self.x.assignments.is_empty() {
            let assignments = std::mem::take(&mut self.x.assignments);
            let persists = builtin.special && self.shell.state.options.has(ShellOption::Posix);
            let kind = match builtin.name {
                _ if persists => Binding::Persistent,
                "eval" | "source" | "." | "unset" => Binding::Scoped,
                _ => Binding::Plain,
            };
            match self.shell.bind_temporary(run, assignments, kind) {
                Ok(bound) => invocation.beside().temporary = Some(bound),
                Err(()) if self.shell.state.ends_at_errors() => {
                    self.shell.release(&mut invocation);
                    return Err(self.shell.fatal_assignment());
                }
                // The command runs without them.
                Err(()) => {}
            }
        }
        self.invoke(run, cx, invocation)
    }

    /// Runs a builtin, or runs it again after it had to wait.
    pub(crate) fn invoke(
        &mut self,
        run: &mut Run,
        cx: &mut TaskContext<'_>,
        mut invocation: Invocation,
    ) -> Step {
        loop {
            let (mut out, flow) = match invocation.printing.take().map(Box::into_inner) {
                Some(printing) => (printing.out, Ok(printing.status.map_or(Flow::Again, Flow::Status))),
                None => self.call(run, cx, &mut invocation),
            };
            let flow = match flow {
                Ok(flow @ (Flow::Status(_) | Flow::Again)) => {
                    let is_quiet = out.is_empty() && flow != Flow::Again;
                    if !is_quiet && !self.shell.print(run, cx, &invocation, &mut out)? {
                        let status = match flow {
                            Flow::Status(status) => Some(status),
                            _ => None,
                        };
                        invocation.printing = Some(Box::new(Printing { out, status }));
                        self.control.wait = Wait::Builtin(Box::new(invocation));
                        return Ok(());
                    }
                    flow
                }
                flow => {
                    self.shell.print_now(&invocation, &mut out);
                    match flow {
                        Ok(flow) => flow,
                        Err(halt) => {
                            self.shell.release(&mut invocation);
                            self.x.recycle(invocation.args);
                            return Err(halt);
                        }
                    }
                }
            };
            self.shell.outputs.builtin = out.into_buffer();
            match flow {
                Flow::Again => {}
                Flow::Delegate { builtin, args } => {
                    if let Some(id) = super::find_id(builtin.name.as_bytes()) {
                        invocation.become_other(id, args);
                    }
                }
                Flow::Callback(text) => {
                    return self.control.start_callback(&mut self.shell, run, invocation, &text).map(|_| ());
                }
                Flow::ReturnTrap => {
                    self.control.frames.push(Frame::Builtin(Box::new(invocation)));
                    let status = self.shell.state.status;
                    return self.return_trap(run, status).map(|_| ());
                }
                Flow::Wait => {
                    self.control.wait = Wait::Builtin(Box::new(invocation));
                    return Ok(());
                }
                Flow::Switched => {
                    self.x.recycle(invocation.args);
                    return Ok(());
                }
                Flow::Status(status) => return self.x.end_builtin(&mut self.shell, invocation, status),
            }
        }
    }

    /// Calls a builtin; what it printed, and how it goes on.
    fn call(
        &mut self,
        run: &mut Run,
        cx: &mut TaskContext<'_>,
        invocation: &mut Invocation,
    ) -> (Printout, Step<Flow>) {
        let builtin = invocation.builtin.row();
        let mut out = Printout::over(std::mem::take(&mut self.shell.outputs.builtin));
        // The arguments are apart from the invocation, which the builtin may change.
        let args = std::mem::take(&mut invocation.args);
        let mut position = invocation.position;
        let call = Call::new(builtin, &args, &mut out, &mut position, &super::TABLE);
        let result = match builtin.act {
            Act::Shell(act) => act(&mut ShellContext::of(self, run, call)),
            Act::Machine(act) => act(&mut Context::new(self, run, cx, invocation, call)),
        };
        invocation.position = position;
        invocation.args = args;
        let flow = match result {
            Ok(flow) => Ok(flow),
            Err(BuiltinError::Halt(halt)) => Err(halt),
            Err(error) => {
                let status = error.status();
                if error == BuiltinError::Help {
                    super::help::print_help(builtin, &mut out);
                } else if !matches!(error, BuiltinError::Reported(_)) {
                    out.message(error);
                }
                Ok(Flow::Status(status))
            }
        };
        (out, flow)
    }
}
