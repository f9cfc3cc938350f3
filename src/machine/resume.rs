//! How a process goes on once what it waits for is over, and what the shell says of the children that ended.

use super::control::Control;
use super::error::Message;
use super::frame::Frame;
use super::halt::{Halt, Step};
use super::process::Process;
use super::run::Run;
use super::shell::Shell;
use super::subshell::has_other_writers;
use super::trap::Signal;
use super::wait::Wait;
use crate::memory::{Arc, Vec};
use crate::program::Op;
use crate::text::Text;
use std::pin::Pin;
use std::task::{Context, Poll};

/// How a job ended, as the shell tells of it.
#[derive(Debug, thiserror::Error)]
#[error("{pid:>5} {what:<24}{text}")]
struct JobEnd<'t> {
    pid: u32,
    what: &'static str,
    text: &'t Text,
}

impl Message for JobEnd<'_> {}

impl Shell {
    /// Tells of the jobs that signals ended.
    pub(crate) fn report_killed_jobs(&mut self) {
        for job in self.state.jobs.take_killed() {
            if let Some(signal) = job.killed {
                self.report_end(job.pid, signal, &job.text);
            }
        }
    }

    fn report_end(&mut self, pid: u32, signal: Signal, text: &Text) {
        let what = super::trap::description(signal).unwrap_or("Unknown signal");
        self.report(JobEnd { pid, what, text });
    }
}

impl Control {
    /// A child has ended, by a signal or not.
    pub(crate) fn child_ended(&mut self, shell: &mut Shell, pid: u32, status: u8, killed: Option<Signal>) {
        self.outputs.retain(|output| *output != pid);
        shell.state.jobs.ended(pid, status, killed);
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
        if shell.state.traps.signals.contains_key(&super::trap::CHLD) {
            self.signals.push_back(super::trap::CHLD);
        }
    }

    /// Tells of the command in the foreground, when a signal ended it. For the last command of a command string, of a
    /// stage and of a substitution there is no shell any more that could tell: it is the shell that ended.
    fn report_killed(&mut self, shell: &mut Shell, run: &mut Run) {
        let state = &shell.state;
        let is_last = match shell.code.next() {
            Some(Op::End) => {
                state.invoked.command_string && self.frames.is_empty() && state.traps.signals.is_empty()
            }
            Some(Op::EndProcess) => true,
            _ => false,
        };
        let in_substitution = self
            .frames
            .iter()
            .any(|frame| matches!(frame, Frame::Subshell(frame) if frame.substitution.is_some()));
        match self.child_killed.take() {
            killed if is_last || in_substitution || shell.is_forked => {
                if is_last && self.frames.is_empty() {
                    self.killed_by = killed.map(|(_, signal)| signal);
                }
            }
            None | Some((_, super::trap::INT | super::trap::PIPE)) => {}
            Some((_, super::trap::TERM)) => shell.write_error(b"Terminated\n"),
            Some((pid, signal)) => {
                let text = shell.current_command(run);
                shell.report_end(pid, signal, &text);
            }
        }
    }
}

impl Process {
    /// Looks at what the process waits for. Once that is over, a trapped signal comes before the next command.
    pub(crate) fn resume(&mut self, run: &mut Run, cx: &mut Context<'_>) -> Poll<Step> {
        let waits = !matches!(self.control.wait, Wait::Nothing) || self.x.pending.is_some();
        let resumed = self.resume_wait(run, cx);
        if waits
            && !self.control.signals.is_empty()
            && matches!((&resumed, &self.control.wait), (Poll::Ready(Ok(())), Wait::Nothing))
        {
            return Poll::Ready(self.take_signals(run));
        }
        resumed
    }

    fn resume_wait(&mut self, run: &mut Run, cx: &mut Context<'_>) -> Poll<Step> {
        if !self.control.signals.is_empty()
            && !matches!(self.control.wait, Wait::Utility(_) | Wait::Program(_))
            && self.x.pending.is_none()
            && let Err(halt) = self.take_signals(run)
        {
            return Poll::Ready(Err(halt));
        }
        if self.shell.outputs.has_unwritten() && self.shell.outputs.flush(cx)?.is_pending() {
            return Poll::Pending;
        }
        if self.x.pending.is_some() {
            return self.resume_pending(run, cx);
        }
        match &mut self.control.wait {
            Wait::Nothing => Poll::Ready(Ok(())),
            Wait::Input => {
                self.control.wait = Wait::Nothing;
                Poll::Ready(Ok(()))
            }
            Wait::Utility(future) => {
                let Poll::Ready(status) = Pin::new(future).poll(cx) else {
                    if self.control.has_fatal_signal(&self.shell) {
                        self.control.wait = Wait::Nothing;
                        return Poll::Ready(self.take_signals(run));
                    }
                    return Poll::Pending;
                };
                self.control.wait = Wait::Nothing;
                self.control.utility = None;
                if let Some(error) = run.services.meter.failure() {
                    return Poll::Ready(Err(error.into()));
                }
                self.shell.state.jobs.notice_ended();
                if self.control.child_killed.is_some() {
                    self.control.report_killed(&mut self.shell, run);
                }
                self.x.finish_simple(&mut self.shell, status.0);
                Poll::Ready(Ok(()))
            }
            Wait::Children { .. } => self.resume_children(run),
            Wait::Builtin(_) => {
                let Wait::Builtin(invocation) = std::mem::replace(&mut self.control.wait, Wait::Nothing)
                else {
                    return Poll::Ready(Ok(()));
                };
                let step = self.invoke(run, cx, invocation.into_inner());
                match (&self.control.wait, step) {
                    (Wait::Builtin(_), Ok(())) => Poll::Pending,
                    (_, step) => Poll::Ready(step),
                }
            }
            Wait::Writers => self.resume_writers(),
            Wait::Program(_) => {
                let resumed = self.control.resume_compiling(&mut self.shell, run, cx);
                if resumed.is_pending() && self.control.has_fatal_signal(&self.shell) {
                    self.control.wait = Wait::Nothing;
                    return Poll::Ready(self.take_signals(run));
                }
                resumed
            }
            Wait::Replaced(_) => {
                if let Wait::Replaced(process) = std::mem::replace(&mut self.control.wait, Wait::Nothing) {
                    self.become_process(run, process.into_inner());
                }
                if matches!(self.control.wait, Wait::Nothing) {
                    return Poll::Ready(Ok(()));
                }
                // A long script is not compiled yet: the new shell waits for that.
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Wait::Script => self.control.next_command(&mut self.shell, run, cx),
            Wait::Outputs(status) if self.control.outputs.is_empty() || self.shell.is_forked => {
                let status = *status;
                self.control.wait = Wait::Nothing;
                Poll::Ready(Err(Halt::Exit(status)))
            }
            Wait::Outputs(_) => Poll::Pending,
        }
    }

    /// A substitution's body is over but background processes still write to its output.
    pub(crate) fn resume_writers(&mut self) -> Poll<Step> {
        let capture = match self.control.frames.last() {
            Some(Frame::Subshell(frame)) => frame.substitution.as_ref().map(|own| Arc::clone(&own.capture)),
            _ => None,
        };
        // Every end of a child of this process is told to it: it looks again then.
        if capture.is_some_and(|capture| has_other_writers(&capture)) {
            return Poll::Pending;
        }
        self.control.wait = Wait::Nothing;
        let status = self.shell.state.status;
        self.finish_subshell(status);
        Poll::Ready(Ok(()))
    }

    /// Whether the children in the foreground have ended: then their statuses count.
    pub(crate) fn resume_children(&mut self, run: &mut Run) -> Poll<Step> {
        let Wait::Children { statuses, .. } = &self.control.wait else { return Poll::Ready(Ok(())) };
        let Some(statuses) = statuses.iter().copied().collect::<Option<Vec<u8>>>() else {
            return Poll::Pending;
        };
        self.control.wait = Wait::Nothing;
        self.shell.state.jobs.notice_ended();
        match statuses.as_slice() {
            [only] => {
                self.control.report_killed(&mut self.shell, run);
                self.x.finish_simple(&mut self.shell, *only);
            }
            _ => self.shell.state.finish_pipeline(statuses),
        }
        Poll::Ready(Ok(()))
    }
}
