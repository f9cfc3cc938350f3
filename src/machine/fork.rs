//! Processes beside this one: stages of a pipeline, asynchronous lists, coprocesses and process substitutions.

use super::array::Array;
use super::control::Control;
use super::error::{AssignError, CommandError, ExpansionError};
use super::expansion::Expansion;
use super::frame::Frame;
use super::halt::Step;
use super::name::{self};
use super::option::ShellOption;
use super::process::Process;
use super::run::Run;
use super::shell::{Shell, State};
use super::variable::{Value, decimal};
use super::wait::Wait;
use crate::io::{Description, pipe};
use crate::memory::{Arc, Box, JoinMetered, Vec, format, vec};
use crate::program::{Index, Op, Pc, Program};
use crate::text::Text;

impl State {
    /// The stages of a pipeline have ended: their statuses count.
    pub(crate) fn finish_pipeline(&mut self, statuses: Vec<u8>) {
        let failed = statuses.iter().rev().copied().find(|&status| status != 0);
        self.status = if self.options.has(ShellOption::PipeFail) {
            failed.unwrap_or(0)
        } else {
            statuses.last().copied().unwrap_or(0)
        };
        self.pipe_status = Arc::new(statuses);
    }
}

impl Control {
    /// A process that goes on at `pc` of this program with a copy of this shell.
    pub(crate) fn fork(&self, shell: &Shell, run: &mut Run, pc: Pc) -> Step<Box<Process>> {
        let charge = run.services.meter.count_process()?;
        let state = shell.state.subshell_state(run);
        let variables = shell.variables.fork();
        let mut control = Control::new(charge);
        control.depth = self.depth + 1;
        control.traps_running = self.traps_running;
        control.argv = Arc::clone(&self.argv);
        let mut forked = Shell::new(variables, state, shell.code_at(pc));
        forked.ifs = shell.ifs.clone();
        forked.main_script = shell.main_script.clone();
        forked.is_forked = true;
        forked.in_trap = shell.in_trap;
        forked.trap_command.clone_from(&shell.trap_command);
        Ok(Box::new(Process { shell: forked, x: Expansion::default(), control }))
    }

    /// `NAME[0]`, `NAME[1]` and `NAME_PID` of a coprocess.
    pub(crate) fn set_coprocess_variables(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        name: &[u8],
        input: u32,
        output: u32,
        pid: u32,
    ) -> Step {
        if !name::is_name(name) {
            let error = CommandError::InvalidIdentifier(Text::from(name));
            return Err(shell.expansion_error(error));
        }
        let id = run.services.names.intern(name);
        let array: Array = [input, output].iter().map(|number| decimal(i64::from(*number))).collect();
        let array = Value::Array(Arc::new(array));
        let number = run.services.names.intern(&[name, b"_PID"].concat_metered());
        self.coprocess = Some((pid, [id, number]));
        for (id, value) in [(id, array), (number, Value::Text(decimal(i64::from(pid))))] {
            // What cannot be changed is reported; the coprocess runs all the same.
            match shell.check_writable(run, id) {
                Ok(()) => shell.variables.set_plain(id, value),
                Err(AssignError::Halt(halt)) => return Err(halt),
                Err(_) => {}
            }
        }
        Ok(())
    }
}

impl Process {
    /// Runs the stages of a pipeline side by side.
    pub(crate) fn pipeline(&mut self, run: &mut Run, program: &Arc<Program>, index: Index) -> Step {
        let Some(reference) = program.pipelines.get(index as usize) else { return Ok(()) };
        let goes_on = matches!(self.control.frames.last(), Some(Frame::Pipe(_)));
        if self.shell.state.traps.debug.is_some()
            && !goes_on
            && self.debug_before_stages(run, program, &reference.stages)?
        {
            return Ok(());
        }
        if self.control.pipeline_here(&mut self.shell, run, program, index, reference)? {
            return Ok(());
        }
        let count = reference.stages.len();
        let mut input: Option<Arc<Description>> = None;
        let mut pids = Vec::with_capacity(count);
        let last_here = self.shell.state.options.has(ShellOption::LastPipe)
            && !self.shell.state.options.has(ShellOption::Monitor);
        for (number, &(pc, nested)) in reference.stages.iter().enumerate() {
            let last = number + 1 == count;
            if last && last_here {
                let before = self.shell.state.descriptors.replace(0, input.take()).unwrap_or(None);
                let statuses = vec![None; pids.len()];
                let (input, end) = (vec![(0, before)], reference.end);
                let frame = super::frame::LastStageFrame { pids, statuses, input, end };
                self.control.frames.push(Frame::LastStage(Box::new(frame)));
                self.shell.code.pc = pc;
                return Ok(());
            }
            let mut output = None;
            let mut next_input = None;
            if !last {
                let (reader, writer) = pipe();
                next_input = Some(Description::pipe_reader(reader));
                output = Some(Description::pipe_writer(writer));
            }
            let mut stage = self.control.fork(&self.shell, run, pc)?;
            // A simple command's trap has run here.
            let simple = !nested && program.simple_command(pc).is_some();
            stage.control.debug_done = simple;
            if simple {
                stage.shell.state.jobs = self.shell.state.jobs.for_child();
            }
            if !nested {
                stage.runs_alone(program, self.shell.state.ids.level);
            }
            let descriptors = &mut stage.shell.state.descriptors;
            if let Some(input) = input.take() {
                let _ = descriptors.replace(0, Some(input));
            }
            if let Some(output) = output {
                let _ = descriptors.replace(1, Some(output));
            }
            input = next_input;
            pids.push(stage.shell.state.ids.own);
            if let (true, Some(&leader)) = (self.shell.state.options.has(ShellOption::Monitor), pids.first())
            {
                stage.shell.state.ids.group = leader;
            }
            run.spawn(self.control.process_pid(&self.shell), stage);
        }
        self.shell.code.pc = reference.end;
        self.control.wait = Wait::Children { statuses: vec![None; pids.len()], pids };
        Ok(())
    }

    /// This process was forked for one simple command or one subshell, and is its process: no other one is made for it.
    fn runs_alone(&mut self, program: &Program, level: u32) {
        if let Some(Op::Subshell { .. }) = program.code.get(self.shell.code.pc as usize) {
            self.shell.code.pc += 1;
        } else {
            self.shell.state.ids.level = level;
            self.control.becomes_command = true;
        }
    }

    /// `list &`
    ///
    /// `nested`: it counts for `BASH_SUBSHELL`.
    pub(crate) fn background(
        &mut self,
        run: &mut Run,
        program: &Arc<Program>,
        end: Pc,
        text: &Text,
        nested: bool,
    ) -> Step {
        let body = self.shell.code.pc;
        if self.shell.state.traps.debug.is_some()
            && self.debug_before_stages(run, program, &[(body, nested)])?
        {
            return Ok(());
        }
        let mut child = self.control.fork(&self.shell, run, self.shell.code.pc)?;
        child.control.debug_done = !nested && program.simple_command(body).is_some();
        if !nested {
            child.runs_alone(program, self.shell.state.ids.level);
        }
        // Without job control an asynchronous list reads nothing and ignores interrupts.
        let _ = child.shell.state.descriptors.replace(0, Some(Description::null()));
        child.shell.state.conditions = super::condition::Conditions::default();
        if self.shell.state.options.has(ShellOption::Monitor) {
            child.shell.state.ids.group = child.shell.state.ids.own;
        } else {
            let traps = Arc::make_mut(&mut child.shell.state.traps);
            for signal in [super::trap::INT, super::trap::QUIT] {
                traps.signals.insert(signal, Text::EMPTY);
            }
        }
        let pid = child.shell.state.ids.own;
        run.spawn(self.control.process_pid(&self.shell), child);
        self.shell.state.jobs.add(pid, text, true);
        self.shell.state.ids.background = Some(pid);
        self.shell.state.set_status(0);
        self.shell.code.pc = end;
        Ok(())
    }

    /// `coproc NAME command`: the builder has the name.
    pub(crate) fn coprocess(&mut self, run: &mut Run, end: Pc, text: &Text) -> Step {
        let name = self.x.builder.take_text();
        let (child_in, parent_out) = pipe();
        let (parent_in, child_out) = pipe();
        let mut child = self.control.fork(&self.shell, run, self.shell.code.pc)?;
        let descriptors = &mut child.shell.state.descriptors;
        let _ = descriptors.replace(0, Some(Description::pipe_reader(child_in)));
        let _ = descriptors.replace(1, Some(Description::pipe_writer(child_out)));
        let pid = child.shell.state.ids.own;
        run.spawn(self.control.process_pid(&self.shell), child);
        self.shell.state.jobs.add(pid, text, true);
        self.shell.state.ids.background = Some(pid);
        let descriptors = &mut self.shell.state.descriptors;
        let input = descriptors.lowest_free(60).unwrap_or(60);
        let _ = descriptors.replace(input, Some(Description::pipe_reader(parent_in)));
        let output = descriptors.lowest_free(60).unwrap_or(61);
        let _ = descriptors.replace(output, Some(Description::pipe_writer(parent_out)));
        self.control.set_coprocess_variables(&mut self.shell, run, &name, input, output, pid)?;
        self.shell.state.set_status(0);
        self.shell.code.pc = end;
        Ok(())
    }

    /// `<( list )`, `>( list )`: appends `/dev/fd/N`; the descriptor is closed after the command.
    pub(crate) fn process_substitution(&mut self, run: &mut Run, output: bool, end: Pc) -> Step {
        let (reader, writer) = pipe();
        let (reader, writer) = (Description::pipe_reader(reader), Description::pipe_writer(writer));
        let mut child = self.control.fork(&self.shell, run, self.shell.code.pc)?;
        let (own, theirs, number) = if output { (writer, reader, 0) } else { (reader, writer, 1) };
        let _ = child.shell.state.descriptors.replace(number, Some(theirs));
        // It does not show the traps of the shell around it.
        if child.shell.state.traps.shown.is_some() {
            Arc::make_mut(&mut child.shell.state.traps).shown = None;
        }
        let pid = child.shell.state.ids.own;
        run.spawn(self.control.process_pid(&self.shell), child);
        if output {
            self.control.outputs.push(pid);
        }
        self.shell.state.jobs.add(pid, &Text::EMPTY, false);
        self.shell.state.ids.background = Some(pid);
        // Bash hands out descriptors downwards from 63.
        let free = (10..=63).rev().find(|&number| self.shell.state.descriptors.get(number).is_none());
        let Some(free) = free else {
            return Err(self.shell.expansion_error(ExpansionError::NoDescriptor));
        };
        let _ = self.shell.state.descriptors.replace(free, Some(own));
        self.x.redirections.push((free, None));
        self.x.builder.push_raw(format!("/dev/fd/{free}").as_bytes());
        self.shell.code.pc = end;
        Ok(())
    }
}
