//! Subshells: `( )` and `$( )` run in this process over a journal of variables and a copy of the state; stages of a
//! pipeline, asynchronous lists, coprocesses and process substitutions are processes of their own.

use super::frame::{Frame, SubshellFrame, Substitution};
use super::option::ShellOption;
use super::process::{Expansion, Process, Progress, Step, Wait};
use super::run::Run;
use super::shell::{Shell, State};
use super::trap::Signal;
use crate::io::{Capture, Description, OnExcess, pipe};
use crate::limit::Limit;
use crate::memory::{Vec, VecDeque, format, vec};
use crate::program::{Index, Op, Pc, Program, Quoting};
use crate::text::Text;
use std::sync::Arc;
use std::task::{Context, Poll};

impl Process {
    /// State of a subshell of this shell: jobs and traps start over.
    fn subshell_state(&self, run: &mut Run) -> State {
        let mut state = self.shell.state.clone();
        state.pid = run.new_pid();
        state.subshell_level += 1;
        state.random = state.random.wrapping_add(state.pid.wrapping_mul(0x9e37_79b9)) & 0x7fff_ffff;
        state.jobs = super::job::Jobs::default();
        let keep_err = state.options.has(ShellOption::ErrTrace);
        let keep_debug = state.options.has(ShellOption::FuncTrace);
        if !state.traps.is_empty() {
            state.traps = Arc::new(state.traps.for_subshell(keep_err, keep_debug));
        }
        state
    }

    /// `( list )`: its body follows, `end` is behind it.
    pub(crate) fn begin_subshell(&mut self, run: &mut Run, end: Pc) -> Step {
        self.enter(run)?;
        let state = self.subshell_state(run);
        self.push_subshell(end, state, None);
        Ok(())
    }

    /// The redirections of a simple command come: those of a command of the file system are made in a subshell.
    pub(crate) fn begin_own_process(&mut self, run: &mut Run, plain: bool, end: Pc) -> Step {
        let can_fail =
            || self.shell.state.options.has(ShellOption::NoUnset) && !self.reads_set_variables(end);
        if plain && !can_fail() || !self.is_external() {
            return Ok(());
        }
        self.enter(run)?;
        let mut state = self.subshell_state(run);
        state.subshell_level = self.shell.state.subshell_level;
        self.push_subshell(end, state, None);
        if let Some(Frame::Subshell(frame)) = self.frames.last_mut() {
            frame.own = Some(end);
        }
        Ok(())
    }

    /// Whether the operations up to `end` expand nothing but variables that are set.
    fn reads_set_variables(&self, end: Pc) -> bool {
        let (code, link) = (&self.code.program.code, &self.code.link);
        let mut at = self.code.pc;
        while at < end
            && let Some(op) = code.get(at as usize)
        {
            at += 1;
            match op {
                Op::Variable { name, .. } => {
                    if self.shell.variables.slot(link.name(*name)).value == super::variable::Value::Unset {
                        return false;
                    }
                }
                // What fails in a process of its own fails there.
                Op::Substitution { end, .. } | Op::ProcessSubstitution { end, .. } => at = at.max(*end),
                Op::Literal(_) | Op::Quoted(_) | Op::Redirect(_) | Op::Execute { .. } | Op::EndOwnProcess => {
                }
                _ => return false,
            }
        }
        true
    }

    /// Whether the fields that were made are a command of the file system.
    fn is_external(&self) -> bool {
        let mut names = self.x.fields.iter();
        let Some(mut name) = names.next() else { return false };
        let functions = &self.shell.state.functions;
        let is_function =
            |name: &Text| self.shell.variables.names.find(name).is_some_and(|id| functions.contains_key(&id));
        if !functions.is_empty() && is_function(name) {
            return false;
        }
        // Bash looks behind `command`.
        while name.as_bytes() == b"command"
            && let Some(next) = names.next()
        {
            if next.starts_with(b"-") {
                return false;
            }
            name = next;
        }
        super::builtin::find(name).is_none_or(|builtin| !self.is_enabled(builtin))
    }

    /// The command is over that may have had a process of its own.
    pub(crate) fn end_own_process(&mut self) -> Step {
        match self.frames.last() {
            Some(Frame::Subshell(frame)) if frame.own == Some(self.code.pc) => {
                Err(super::process::Halt::Exit(self.shell.state.status))
            }
            _ => Ok(()),
        }
    }

    /// `$( list )`: standard output is collected; the word goes on behind `end`.
    pub(crate) fn begin_substitution(&mut self, run: &mut Run, end: Pc, quoting: Quoting) -> Step {
        self.enter(run)?;
        let mut state = self.subshell_state(run);
        if !self.shell.state.jobs.list.is_empty() || !self.shell.state.jobs.inherited.is_empty() {
            state.jobs = self.shell.state.jobs.for_child();
        }
        if !state.options.has(ShellOption::InheritErrExit) && !state.options.has(ShellOption::Posix) {
            state.options.set(ShellOption::ErrExit, false);
        }
        let capture = Capture::new(&run.services.meter, Limit::LiveBytes, OnExcess::Fail);
        let _ = state.descriptors.replace(1, Some(Description::capture(Arc::clone(&capture))));
        let expansion = std::mem::take(&mut self.x);
        self.push_subshell(end, state, Some(Substitution { expansion, capture, quoting }));
        Ok(())
    }

    fn push_subshell(&mut self, end: Pc, state: State, substitution: Option<Substitution>) {
        let mark = self.shell.variables.enter_subshell();
        let resume = self.code_at(end);
        let state = std::mem::replace(&mut self.shell.state, state);
        self.frames.push(Frame::Subshell(Box::new(SubshellFrame {
            own: None,
            resume,
            state,
            mark,
            substitution,
            exiting: false,
            signals: VecDeque::new(),
        })));
    }

    /// The body of a subshell or of a forked process is over.
    pub(crate) fn end_body(&mut self, run: &mut Run, status: u8) -> Step<Progress> {
        let _ = run;
        if let Some(Frame::LastStage(_)) = self.frames.last()
            && let Some(Frame::LastStage(mut frame)) = self.frames.pop()
        {
            // The stage ran in this process: the pipeline ends when the others have.
            self.restore_descriptors(std::mem::take(&mut frame.input));
            self.code.pc = frame.end;
            frame.pids.push(0);
            frame.statuses.push(Some(status));
            self.wait = Wait::Children { pids: frame.pids, statuses: frame.statuses };
            return Ok(Progress::Wait);
        }
        Err(super::process::Halt::Exit(status))
    }

    /// Ends the subshell on top of the frames with the status that is set.
    pub(crate) fn end_subshell(&mut self, run: &mut Run, status: u8) -> Step {
        let Some(Frame::Subshell(_)) = self.frames.last() else { return Ok(()) };
        if let Some(Frame::Subshell(frame)) = self.frames.last()
            && let Some(substitution) = &frame.substitution
        {
            // Its own descriptor goes with its state; one that is left belongs to a process that still runs.
            let own = Arc::clone(&substitution.capture);
            let _ = self.shell.state.descriptors.replace(1, None);
            if writers(&self.shell.state, &own) {
                self.close_capture(&own);
            }
            if has_other_writers(&own) {
                self.shell.state.status = status;
                self.wait = Wait::Writers;
                return Ok(());
            }
        }
        self.finish_subshell(run, status)
    }

    /// Closes every descriptor of the subshell that writes to the capture.
    fn close_capture(&mut self, capture: &Arc<Capture>) {
        let numbers: Vec<u32> = self
            .shell
            .state
            .descriptors
            .iter()
            .filter(|(_, description)| is_capture(description, capture))
            .map(|(number, _)| number)
            .collect();
        for number in numbers {
            let _ = self.shell.state.descriptors.replace(number, None);
        }
    }

    /// A substitution's body is over but background processes still write to its output.
    pub(crate) fn resume_writers(&mut self, cx: &mut Context<'_>) -> Poll<Step> {
        let _ = cx;
        let capture = match self.frames.last() {
            Some(Frame::Subshell(frame)) => frame.substitution.as_ref().map(|own| Arc::clone(&own.capture)),
            _ => None,
        };
        // Every end of a child of this process is told to it: it looks again then.
        if capture.is_some_and(|capture| has_other_writers(&capture)) {
            return Poll::Pending;
        }
        self.wait = Wait::Nothing;
        let status = self.shell.state.status;
        Poll::Ready(self.finish_subshell_detached(status))
    }

    fn finish_subshell(&mut self, run: &mut Run, status: u8) -> Step {
        let _ = run;
        self.finish_subshell_detached(status)
    }

    fn finish_subshell_detached(&mut self, status: u8) -> Step {
        let Some(Frame::Subshell(mut frame)) = self.frames.pop() else { return Ok(()) };
        let resume = frame.resume.clone();
        let substitution = frame.substitution.take();
        self.signals.append(&mut frame.signals);
        self.undo(Frame::Subshell(frame));
        self.refresh_special();
        self.shell.state.jobs.notice_ended();
        self.switch(resume);
        match substitution {
            None => self.set_status(status),
            Some(substitution) => {
                self.x = substitution.expansion;
                self.x.substituted = Some(status);
                let mut bytes = substitution.capture.take();
                while bytes.last() == Some(&b'\n') {
                    bytes.pop();
                }
                if memchr::memchr(0, &bytes).is_some() {
                    bytes.retain(|&byte| byte != 0);
                    self.report("warning: command substitution: ignored null byte in input");
                }
                self.shell.state.status = status;
                self.append_text(&bytes, substitution.quoting);
            }
        }
        Ok(())
    }

    /// `$(< file)`
    pub(crate) fn read_file(&mut self, run: &mut Run, quoting: Quoting) -> Step {
        let fields = std::mem::take(&mut self.x.fields);
        let step = self.end_field(run);
        let mut path = std::mem::replace(&mut self.x.fields, fields);
        self.x.builder = self.x.builders.pop().unwrap_or_default();
        step?;
        let path = path.pop().unwrap_or_default();
        let options = crate::vfs::OpenOptions { read: true, ..crate::vfs::OpenOptions::default() };
        self.x.substituted = Some(0);
        match self.open_path(run, &path, &options) {
            Ok(description) => {
                let mut bytes = Vec::new();
                let mut cx = Context::from_waker(std::task::Waker::noop());
                loop {
                    let read = description.poll_read(&mut cx, &mut |more| {
                        bytes.extend_from_slice(more);
                        more.len()
                    });
                    if let Some(error) = run.services.meter.failure() {
                        return Err(error.into());
                    }
                    match read {
                        Poll::Ready(Ok(count)) if count > 0 => {}
                        _ => break,
                    }
                }
                while bytes.last() == Some(&b'\n') {
                    bytes.pop();
                }
                bytes.retain(|&byte| byte != 0);
                self.shell.state.status = 0;
                self.append_text(&bytes, quoting);
            }
            Err(error) => {
                if let crate::vfs::FsError::Limit(limit) = error {
                    return Err(limit.into());
                }
                self.report(format_args!("{path}: {error}"));
                self.x.substituted = Some(1);
                self.shell.state.status = 1;
            }
        }
        Ok(())
    }

    /// A process that goes on at `pc` of this program with a copy of this shell.
    pub(crate) fn fork(&self, run: &mut Run, pc: Pc) -> Step<Box<Process>> {
        let charge = run.services.meter.count_process()?;
        let state = self.subshell_state(run);
        let variables = self.shell.variables.fork();
        Ok(Box::new(Process {
            shell: Shell { variables, state },
            code: self.code_at(pc),
            frames: self.loops_for_fork(),
            x: Expansion::default(),
            wait: Wait::Nothing,
            unwritten: VecDeque::new(),
            signals: VecDeque::new(),
            switched: false,
            depth: self.depth + 1,
            references: 0,
            killed_by: None,
            child_killed: None,
            in_trap: self.in_trap,
            traps_running: self.traps_running,
            debug_stage: 0,
            trap_command: self.trap_command.clone(),
            charge,
            is_forked: true,
            exiting: false,
            exit_after_trap: None,
            out: Vec::new(),
            arithmetic_prefix: None,
            arithmetic_context: crate::program::ArithmeticContext::Plain,
            arithmetic_failed: false,
            debug_done: false,
            write_failed: false,
            ifs: self.ifs.clone(),
            seconds_offset: self.seconds_offset,
            main_script: self.main_script.clone(),
            trace_base: 0,
            select_line: None,
            outputs: Vec::new(),
            coprocess: None,
            input: None,
        }))
    }

    /// What a forked process still has to know of the frames: whether it runs in a function.
    fn loops_for_fork(&self) -> Vec<Frame> {
        Vec::new()
    }

    /// Runs the stages of a pipeline side by side.
    pub(crate) fn pipeline(&mut self, run: &mut Run, program: &Arc<Program>, index: Index) -> Step {
        let Some(reference) = program.pipelines.get(index as usize) else { return Ok(()) };
        let goes_on = matches!(self.frames.last(), Some(Frame::Pipe(_)));
        if self.shell.state.traps.debug.is_some()
            && !goes_on
            && self.debug_before_stages(run, program, &reference.stages)?
        {
            return Ok(());
        }
        if self.pipeline_here(run, program, index, reference)? {
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
                self.frames.push(Frame::LastStage(Box::new(frame)));
                self.code.pc = pc;
                return Ok(());
            }
            let mut output = None;
            let mut next_input = None;
            if !last {
                let (reader, writer) = pipe();
                next_input = Some(Description::pipe_reader(reader));
                output = Some(Description::pipe_writer(writer));
            }
            let mut stage = self.fork(run, pc)?;
            // A simple command's trap has run here.
            let simple = !nested && program.simple_command(pc).is_some();
            stage.debug_done = simple;
            if simple {
                stage.shell.state.jobs = self.shell.state.jobs.for_child();
            }
            if !nested {
                stage.shell.state.subshell_level = self.shell.state.subshell_level;
            }
            let descriptors = &mut stage.shell.state.descriptors;
            if let Some(input) = input.take() {
                let _ = descriptors.replace(0, Some(input));
            }
            if let Some(output) = output {
                let _ = descriptors.replace(1, Some(output));
            }
            input = next_input;
            pids.push(stage.shell.state.pid);
            run.spawn(self.process_pid(), stage);
        }
        self.code.pc = reference.end;
        self.wait = Wait::Children { statuses: vec![None; pids.len()], pids };
        Ok(())
    }

    /// A child has ended, by a signal or not.
    pub(crate) fn child_ended(&mut self, pid: u32, status: u8, killed: Option<Signal>) {
        self.outputs.retain(|output| *output != pid);
        self.shell.state.jobs.ended(pid, status, killed);
        for frame in &mut self.frames {
            match frame {
                Frame::Subshell(frame) => frame.state.jobs.ended(pid, status, killed),
                Frame::LastStage(frame) => {
                    if let Some(at) = frame.pids.iter().position(|&waited| waited == pid)
                        && let Some(slot) = frame.statuses.get_mut(at)
                    {
                        *slot = Some(status);
                    }
                }
                _ => {}
            }
        }
        if let Wait::Children { pids, statuses } = &mut self.wait
            && let Some(at) = pids.iter().position(|&waited| waited == pid)
            && let Some(slot) = statuses.get_mut(at)
        {
            *slot = Some(status);
            self.child_killed = killed.filter(|_| pids.len() == 1).map(|signal| (pid, signal));
        }
        if self.shell.state.traps.signals.contains_key(&super::trap::CHLD) {
            self.signals.push_back(super::trap::CHLD);
        }
    }

    /// Whether the children in the foreground have ended: then their statuses count.
    pub(crate) fn resume_children(&mut self, run: &mut Run) -> Poll<Step> {
        let Wait::Children { statuses, .. } = &self.wait else { return Poll::Ready(Ok(())) };
        let Some(statuses) = statuses.iter().copied().collect::<Option<Vec<u8>>>() else {
            return Poll::Pending;
        };
        self.wait = Wait::Nothing;
        self.shell.state.jobs.notice_ended();
        match statuses.as_slice() {
            [only] => {
                self.report_killed(run);
                self.finish_simple(run, *only);
            }
            _ => self.finish_pipeline(statuses),
        }
        Poll::Ready(Ok(()))
    }

    /// Tells of the command in the foreground, when a signal ended it. For the last command of a command string, of a
    /// stage and of a substitution there is no shell any more that could tell: it is the shell that ended.
    fn report_killed(&mut self, run: &mut Run) {
        let state = &self.shell.state;
        let mut rest = self.code.program.code.iter().skip(self.code.pc as usize);
        let is_last = match rest.find(|op| !matches!(op, Op::Check)) {
            Some(Op::End) => state.command_string && self.frames.is_empty() && state.traps.signals.is_empty(),
            Some(Op::EndProcess) => true,
            _ => false,
        };
        let in_substitution = self
            .frames
            .iter()
            .any(|frame| matches!(frame, Frame::Subshell(frame) if frame.substitution.is_some()));
        match self.child_killed.take() {
            killed if is_last || in_substitution || self.is_forked => {
                if is_last && self.frames.is_empty() {
                    self.killed_by = killed.map(|(_, signal)| signal);
                }
            }
            None | Some((_, super::trap::INT | super::trap::PIPE)) => {}
            Some((_, super::trap::TERM)) => self.write_error(b"Terminated\n"),
            Some((pid, signal)) => {
                let text = self.current_command(run);
                self.report_end(pid, signal, &text);
            }
        }
    }

    /// Tells of the jobs that signals ended.
    pub(crate) fn report_killed_jobs(&mut self) {
        for job in self.shell.state.jobs.take_killed() {
            if let Some(signal) = job.killed {
                self.report_end(job.pid, signal, &job.text);
            }
        }
    }

    fn report_end(&mut self, pid: u32, signal: Signal, text: &Text) {
        let what = super::trap::description(signal).unwrap_or("Unknown signal");
        self.report(format_args!("{pid:>5} {what:<24}{text}"));
    }

    /// The stages of a pipeline have ended: their statuses count.
    pub(crate) fn finish_pipeline(&mut self, statuses: Vec<u8>) {
        let failed = statuses.iter().rev().copied().find(|&status| status != 0);
        self.shell.state.status = if self.shell.state.options.has(ShellOption::PipeFail) {
            failed.unwrap_or(0)
        } else {
            statuses.last().copied().unwrap_or(0)
        };
        self.shell.state.pipe_status = Arc::new(statuses);
    }

    /// `list &`
    ///
    /// `nested`: it counts for `BASH_SUBSHELL`.
    pub(crate) fn background(
        &mut self,
        run: &mut Run,
        program: &Arc<Program>,
        end: Pc,
        text: Text,
        nested: bool,
    ) -> Step {
        let body = self.code.pc;
        if self.shell.state.traps.debug.is_some()
            && self.debug_before_stages(run, program, &[(body, nested)])?
        {
            return Ok(());
        }
        let mut child = self.fork(run, self.code.pc)?;
        child.debug_done = !nested && program.simple_command(body).is_some();
        if !nested {
            child.shell.state.subshell_level = self.shell.state.subshell_level;
        }
        // Without job control an asynchronous list reads nothing and ignores interrupts.
        let _ = child.shell.state.descriptors.replace(0, Some(Description::null()));
        child.shell.state.conditions = super::condition::Conditions::default();
        if !self.shell.state.options.has(ShellOption::Monitor) {
            let traps = Arc::make_mut(&mut child.shell.state.traps);
            for signal in [super::trap::INT, super::trap::QUIT] {
                traps.signals.insert(signal, Text::EMPTY);
            }
        }
        let pid = child.shell.state.pid;
        run.spawn(self.process_pid(), child);
        self.shell.state.jobs.add(pid, text, true);
        self.shell.state.background_pid = Some(pid);
        self.set_status(0);
        self.code.pc = end;
        Ok(())
    }

    /// `coproc NAME command`: the builder has the name.
    pub(crate) fn coprocess(&mut self, run: &mut Run, end: Pc, text: Text) -> Step {
        let name = self.x.builder.take_text();
        let (child_in, parent_out) = pipe();
        let (parent_in, child_out) = pipe();
        let mut child = self.fork(run, self.code.pc)?;
        let descriptors = &mut child.shell.state.descriptors;
        let _ = descriptors.replace(0, Some(Description::pipe_reader(child_in)));
        let _ = descriptors.replace(1, Some(Description::pipe_writer(child_out)));
        let pid = child.shell.state.pid;
        run.spawn(self.process_pid(), child);
        self.shell.state.jobs.add(pid, text, true);
        self.shell.state.background_pid = Some(pid);
        let descriptors = &mut self.shell.state.descriptors;
        let input = descriptors.lowest_free(60).unwrap_or(60);
        let _ = descriptors.replace(input, Some(Description::pipe_reader(parent_in)));
        let output = descriptors.lowest_free(60).unwrap_or(61);
        let _ = descriptors.replace(output, Some(Description::pipe_writer(parent_out)));
        self.set_coprocess_variables(run, &name, input, output, pid)?;
        self.set_status(0);
        self.code.pc = end;
        Ok(())
    }

    /// `<( list )`, `>( list )`: appends `/dev/fd/N`; the descriptor is closed behind the command.
    pub(crate) fn process_substitution(&mut self, run: &mut Run, output: bool, end: Pc) -> Step {
        let (reader, writer) = pipe();
        let (reader, writer) = (Description::pipe_reader(reader), Description::pipe_writer(writer));
        let mut child = self.fork(run, self.code.pc)?;
        let (own, theirs, number) = if output { (writer, reader, 0) } else { (reader, writer, 1) };
        let _ = child.shell.state.descriptors.replace(number, Some(theirs));
        let pid = child.shell.state.pid;
        run.spawn(self.process_pid(), child);
        if output {
            self.outputs.push(pid);
        }
        self.shell.state.jobs.add(pid, Text::EMPTY, false);
        self.shell.state.background_pid = Some(pid);
        // Bash hands out descriptors downwards from 63.
        let free = (10..=63).rev().find(|&number| self.shell.state.descriptors.get(number).is_none());
        let Some(free) = free else {
            return Err(
                self.expansion_error("cannot make pipe for process substitution: Too many open files")
            );
        };
        let _ = self.shell.state.descriptors.replace(free, Some(own));
        self.x.redirections.push((free, None));
        self.x.builder.push_raw(format!("/dev/fd/{free}").as_bytes());
        self.code.pc = end;
        Ok(())
    }
}

fn is_capture(description: &Arc<Description>, capture: &Arc<Capture>) -> bool {
    description.as_capture().is_some_and(|own| Arc::ptr_eq(own, capture))
}

fn writers(state: &State, capture: &Arc<Capture>) -> bool {
    state.descriptors.iter().any(|(_, description)| is_capture(description, capture))
}

/// Whether a description that writes to the capture is open somewhere: the frame has one reference, the caller another.
fn has_other_writers(capture: &Arc<Capture>) -> bool {
    Arc::strong_count(capture) > 2
}
