//! Simple commands: search (function, builtin, utility), and running what was found. Bash manual 3.7.

use super::builtin;
use super::builtin::id::BuiltinId;
use super::builtin::row::Builtin;
use super::error::CommandError;
use super::expansion::Expansion;
use super::halt::{Halt, Step};
use super::name::NameId;
use super::option::ShellOption;
use super::process::Process;
use super::run::Run;
use super::shell::{Shell, State};
use crate::text::Text;
use crate::trace::Used;
use std::task::Context as TaskContext;

impl State {
    pub(crate) fn is_enabled(&self, builtin: &Builtin) -> bool {
        self.commands.disabled.is_empty() || !self.commands.disabled.contains(&builtin.name)
    }
}

impl Expansion {
    /// A command of assignments and redirections only is over.
    pub(crate) fn assignments_done(&mut self, shell: &mut Shell) {
        shell.state.last_argument = Text::EMPTY;
        let failed = std::mem::take(&mut self.failed);
        self.undo_redirections(shell);
        let status = if failed { 1 } else { self.substituted.take().unwrap_or(0) };
        shell.state.set_status(status);
    }

    /// A command cannot be run.
    pub(crate) fn fail_command(&mut self, shell: &mut Shell, error: CommandError) {
        let status = error.status();
        shell.report(error);
        self.finish_simple(shell, status);
    }

    /// A simple command is over.
    pub(crate) fn finish_simple(&mut self, shell: &mut Shell, status: u8) {
        // What was before a command that did not run is not before the next one.
        self.assignments.clear();
        self.undo_redirections(shell);
        shell.report_killed_jobs();
        shell.state.set_status(status);
    }
}

impl Process {
    /// Runs the fields. `known`: the session's number and the builtin of a name that is constant.
    pub(crate) fn execute(
        &mut self,
        run: &mut Run,
        cx: &mut TaskContext<'_>,
        known: Option<(NameId, Option<BuiltinId>)>,
    ) -> Step {
        run.services.meter.count_command()?;
        if self.x.failed {
            self.x.failed = false;
            self.x.undo_redirections(&mut self.shell);
            self.shell.state.set_status(1);
            let name = self.x.fields.first();
            if self.shell.state.options.has(ShellOption::Posix)
                && name.and_then(|name| builtin::find(name)).is_some_and(|builtin| builtin.special)
            {
                return Err(Halt::Fatal(1));
            }
            return Ok(());
        }
        if self.shell.state.options.has(ShellOption::NoExec) {
            return Err(Halt::Discard(self.shell.state.status));
        }
        if self.x.fields.is_empty() {
            return self.execute_nothing(run);
        }
        if self.shell.state.options.has(ShellOption::XTrace) {
            self.trace_command(run);
        }
        let (id, builtin) = match known {
            Some((id, builtin)) => (Some(id), builtin),
            None => {
                let name = &self.x.fields[0];
                (run.services.names.find(name), builtin::find_id(name))
            }
        };
        if let Some(trace) = &run.services.trace {
            trace.used(Used::Command, &self.x.fields[0]);
        }
        if let Some(gate) = run.services.gate.clone()
            && let Err(reason) = gate.allow(&self.x.fields[0], self.x.fields.get(1..).unwrap_or(&[]))
        {
            let name = self.x.fields[0].clone();
            self.x.fail_command(&mut self.shell, CommandError::Denied { name, reason });
            return Ok(());
        }
        if let Some(builtin) = builtin
            && builtin.row().special
            && self.shell.state.options.has(ShellOption::Posix)
        {
            self.x.note_last_argument(&mut self.shell);
            return self.call_builtin(run, cx, builtin);
        }
        if !self.shell.state.commands.functions.is_empty()
            && let Some(function) = id.and_then(|id| self.shell.state.commands.functions.get(&id)).cloned()
        {
            return self.call_function(run, &function);
        }
        self.x.note_last_argument(&mut self.shell);
        match builtin {
            Some(builtin) if self.shell.state.is_enabled(builtin.row()) => {
                self.call_builtin(run, cx, builtin)
            }
            _ => self.run_external(run, cx),
        }
    }

    /// All words expanded to nothing: assignments are made for good.
    fn execute_nothing(&mut self, run: &mut Run) -> Step {
        for assignment in std::mem::take(&mut self.x.assignments) {
            self.assign_word(run, assignment.name, assignment.value, assignment.append)?;
        }
        self.x.assignments_done(&mut self.shell);
        Ok(())
    }
}
