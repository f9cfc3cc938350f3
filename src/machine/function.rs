//! Functions: definition, call and return. Bash manual 3.3.

use super::builtin;
use super::control::Control;
use super::error::CommandError;
use super::expansion::Expansion;
use super::frame::{CommandFrame, Frame, FunctionFrame, ScriptKind};
use super::halt::{Halt, Step};
use super::link::{Code, Link};
use super::option::ShellOption;
use super::process::Process;
use super::run::Run;
use super::shell::{Call, Function, Positional, Shell, State};
use super::trap::Traps;
use super::variable::Value;
use crate::memory::{Arc, Box};
use crate::text::Text;

impl State {
    /// A function is over: what it did not inherit and did not set comes back.
    pub(crate) fn restore_function_traps(&mut self, before: &Arc<Traps>) {
        let inside = Arc::make_mut(&mut self.traps);
        if inside.err.is_none() {
            inside.err.clone_from(&before.err);
        }
        if inside.debug.is_none() {
            inside.debug.clone_from(&before.debug);
        }
        if inside.on_return.is_none() {
            inside.on_return.clone_from(&before.on_return);
        }
    }
}

impl Shell {
    /// Goes on in a part of the program that is compiled when it is run first.
    pub(crate) fn enter_part(
        &mut self,
        run: &mut Run,
        program: &crate::program::Program,
        link: &Link,
        index: crate::program::Index,
    ) -> Step {
        let Some(part) = program.parts.get(index as usize) else { return Ok(()) };
        let code = match link.part(index) {
            Some(code) => code,
            None => {
                let measured = super::run::Measured::start();
                let compiled = part.program(&run.services.meter)?;
                run.services.cache.add_bytes(measured.bytes());
                let linked = run.services.cache.link_for(&compiled, &run.services.names, false);
                let code = Code { program: compiled, link: linked, pc: 0, shift: 0 };
                link.set_part(index, program.parts.len(), &code);
                code
            }
        };
        let shift = self.code.shift;
        self.switch(Code { shift, ..code });
        Ok(())
    }

    /// `name() body`: its code follows.
    pub(crate) fn define_function(
        &mut self,
        program: &crate::program::Program,
        index: crate::program::Index,
        end: crate::program::Pc,
    ) -> Step {
        let Some(definition) = program.functions.get(index as usize) else { return Ok(()) };
        let body = self.code_at(self.code.pc);
        self.code.pc = end;
        if self.state.options.has(ShellOption::Posix) {
            if builtin::find(&definition.name).is_some_and(|builtin| builtin.special) {
                self.report(CommandError::SpecialBuiltin(definition.name.clone()));
                return Err(Halt::Fatal(2));
            }
            if !super::name::is_name(&definition.name) {
                return self.invalid_identifier(&definition.name);
            }
        }
        let id = self.variables.names.intern(&definition.name);
        if self.variables.is_readonly_function(id) {
            self.report(CommandError::ReadOnlyFunction(definition.name.clone()));
            self.state.set_status(1);
            return Ok(());
        }
        let source = if self.state.calls.source.is_empty() {
            Text::from_static(b"environment")
        } else {
            self.state.calls.source.clone()
        };
        let exported = self.state.options.has(ShellOption::AllExport)
            || self.state.commands.functions.get(&id).is_some_and(|function| function.exported);
        if exported {
            self.variables.exports += 1;
        }
        let function = Function { code: body, definition: Arc::clone(definition), exported, source };
        Arc::make_mut(&mut self.state.commands.functions).insert(id, function);
        self.state.set_status(0);
        Ok(())
    }

    /// The traps that a function does not inherit are put aside; returns all as they were.
    pub(crate) fn function_traps(&mut self, name: &[u8]) -> Option<Arc<Traps>> {
        let traps = &self.state.traps;
        if traps.debug.is_none() && traps.on_return.is_none() && traps.err.is_none() {
            return None;
        }
        let options = self.state.options;
        let traced = self.variables.names.find(name);
        let keep_debug = options.has(ShellOption::FuncTrace)
            || traced.is_some_and(|id| self.variables.traced_functions.contains(&id));
        let keep_err = options.has(ShellOption::ErrTrace);
        let hides = (!keep_debug && (traps.debug.is_some() || traps.on_return.is_some()))
            || (!keep_err && traps.err.is_some());
        if !hides {
            return None;
        }
        let before = Arc::clone(traps);
        let inside = Arc::make_mut(&mut self.state.traps);
        if !keep_debug {
            inside.debug = None;
            inside.on_return = None;
        }
        if !keep_err {
            inside.err = None;
        }
        Some(before)
    }
}

impl Expansion {
    /// `FUNCNEST`: how many functions may be inside of each other.
    fn check_nesting(&mut self, shell: &mut Shell, run: &mut Run, functions: u32) -> Step {
        if shell.variables.slot(super::name::FUNCNEST).value == Value::Unset {
            return Ok(());
        }
        let most =
            shell.scalar(run, super::name::FUNCNEST).and_then(|text| super::variable::plain_integer(&text));
        match most.and_then(|most| u32::try_from(most).ok()) {
            Some(most) if most > 0 && functions >= most => {
                let name = self.fields.first().cloned().unwrap_or_default();
                shell.report(CommandError::NestedTooDeep { name, most });
                Err(Halt::Discard(1))
            }
            _ => Ok(()),
        }
    }
}

impl Control {
    /// Whether a function that is over has to run the `RETURN` trap.
    pub(crate) fn runs_return_trap(&self, shell: &Shell, frame: &super::frame::FunctionFrame) -> bool {
        !self.runs_trap(ScriptKind::ReturnTrap)
            && !frame.returned
            && shell.state.traps.on_return.as_ref().is_some_and(|action| !action.is_empty())
    }
}

impl Process {
    // Functions.

    /// Calls a function with the fields as its arguments.
    pub(crate) fn call_function(&mut self, run: &mut Run, function: &Function) -> Step {
        let functions = self.shell.state.calls.innermost.as_ref().map_or(0, |call| call.functions);
        self.x.check_nesting(&mut self.shell, run, functions)?;
        self.control.enter(run)?;
        if self.shell.is_forked {
            self.shell.state.jobs.inherited.clear();
        }
        let mut args = std::mem::take(&mut self.x.fields);
        let last_argument = args.last().cloned().unwrap_or_default();
        let name = if args.is_empty() { Text::EMPTY } else { args.remove(0) };
        let redirections = std::mem::take(&mut self.x.redirections);
        let assignments = std::mem::take(&mut self.x.assignments);
        let line = self.shell.line();
        let mark = self.shell.variables.enter_function();
        for assignment in assignments {
            if self.shell.bind_in_scope(run, &assignment).is_err() {
                self.shell.variables.leave_function(mark);
                self.shell.state.restore_descriptors(redirections);
                self.control.depth -= 1;
                if !self.shell.state.options.has(ShellOption::Posix) {
                    return Err(self.shell.state.discarded());
                }
                self.shell.state.set_status(1);
                return Ok(());
            }
        }
        if !redirections.is_empty() {
            self.control
                .frames
                .push(Frame::Command(Box::new(CommandFrame { redirections, temporary: None })));
        }
        let has_debug_trap = self.shell.state.traps.debug.is_some();
        let caller = has_debug_trap
            .then(|| (Arc::clone(&self.shell.code.program), self.shell.code.pc.saturating_sub(1)));
        let traps = self.shell.function_traps(&function.definition.name);
        let state = &mut self.shell.state;
        let positional = std::mem::replace(&mut state.positional, Positional::new(args));
        let args = state.options.has(ShellOption::ExtDebug).then(|| state.positional.clone());
        let source = std::mem::replace(&mut state.calls.source, function.source.clone());
        let call = Call {
            name,
            source: function.source.clone(),
            line,
            args,
            functions: functions.saturating_add(1),
            parent: state.calls.innermost.take(),
        };
        state.calls.innermost = Some(Arc::new(call));
        let conditions = state.conditions;
        let resume = self.shell.exchange(function.code.clone());
        self.control.frames.push(Frame::Function(Box::new(FunctionFrame {
            resume,
            mark,
            positional,
            conditions,
            options: None,
            source,
            last_argument,
            traps,
            returned: false,
        })));
        match caller {
            Some(caller) => self.entry_trap(run, function.definition.span.line, caller),
            None => Ok(()),
        }
    }

    // Functions.

    /// A function's body is over, or `return` unwinds to it.
    pub(crate) fn return_from_function(&mut self, run: &mut Run, status: u8) -> Step {
        while let Some(frame) = self.control.frames.pop() {
            match frame {
                Frame::Function(mut frame) if self.control.runs_return_trap(&self.shell, &frame) => {
                    // The trap runs in the function; after it the function returns.
                    frame.returned = true;
                    self.control.frames.push(Frame::Function(frame));
                    return self.start_return_trap(run, status);
                }
                Frame::Function(mut frame) => {
                    std::mem::swap(&mut self.shell.code, &mut frame.resume);
                    self.shell.switched = true;
                    self.undo(Frame::Function(frame));
                    self.pop_command_frame();
                    self.shell.state.set_status(status);
                    return Ok(());
                }
                Frame::Script(frame) if frame.kind == ScriptKind::Source => {
                    return self.leave_script(run, frame, status);
                }
                Frame::Subshell(_) => {
                    self.control.frames.push(frame);
                    return Err(Halt::Exit(status));
                }
                frame => self.undo(frame),
            }
        }
        Err(Halt::Exit(status))
    }
}
