//! Loops, `break` and `continue`, and `case`.

use super::control::Control;
use super::expansion::Expansion;
use super::frame::{Frame, LoopFrame};
use super::halt::Step;
use super::link::Code;
use super::name::NameId;
use super::pending::Done;
use super::process::Process;
use super::run::Run;
use super::shell::Shell;
use super::work::{LONG, Paced};
use crate::memory::{Box, ToMetered, Vec};
use crate::program::{Op, Pc, Program};
use crate::text::Text;
use std::num::NonZeroU32;

impl Code {
    /// Whether this is in the condition of the loop that `continue` takes to `top`, and whether that is an `until`.
    fn condition(&self, top: Pc) -> Option<bool> {
        match self.program.code.get((top as usize).checked_sub(1)?) {
            Some(&Op::LoopCondition { until, body }) if self.pc < body => Some(until),
            _ => None,
        }
    }
}

impl Shell {
    fn go_to(&mut self, code: Option<Code>, pc: Pc) {
        match code {
            Some(code) => self.switch(Code { pc, ..code }),
            None => self.code.pc = pc,
        }
    }
}

impl Expansion {
    // Loops.
    pub(crate) fn loop_fields(&mut self, shell: &mut Shell, positional: bool) -> Vec<Text> {
        if positional {
            shell.state.positional.as_slice().to_metered()
        } else {
            std::mem::take(&mut self.fields)
        }
    }
}

impl Control {
    pub(crate) fn begin_loop(&mut self, shell: &mut Shell, break_to: Pc, continue_to: Pc, fields: Vec<Text>) {
        self.frames.push(Frame::Loop(Box::new(LoopFrame {
            break_to,
            continue_to,
            status: 0,
            conditions: shell.state.conditions,
            fields: fields.into_iter(),
            menu: Vec::new(),
            menu_shown: false,
        })));
    }

    /// How many loops `break` can leave.
    pub(crate) fn loop_depth(&self) -> usize {
        self.frames
            .iter()
            .rev()
            .take_while(|frame| !matches!(frame, Frame::Function(_) | Frame::Subshell(_)))
            .filter(|frame| matches!(frame, Frame::Loop(_)))
            .count()
    }

    /// An expression of `for ((` was evaluated: whether the loop goes on.
    pub(crate) fn arithmetic_loop(&mut self, shell: &mut Shell, number: i64, test: bool, end: Pc) {
        if std::mem::take(&mut shell.arithmetic.failed) {
            if let Some(Frame::Loop(frame)) = self.frames.last_mut() {
                frame.status = 1;
            }
            shell.code.pc = end;
        } else if test && number == 0 {
            shell.code.pc = end;
        }
    }
}

impl Process {
    pub(crate) fn next_field(&mut self, run: &mut Run, name: NameId, end: Pc) -> Step {
        let next = match self.control.frames.last_mut() {
            Some(Frame::Loop(frame)) => frame.fields.next(),
            _ => None,
        };
        let Some(field) = next else {
            self.shell.code.pc = end;
            return Ok(());
        };
        if self.shell.state.options.has(super::option::ShellOption::XTrace) {
            self.trace_for(run, name);
        }
        self.assign_loop_variable(run, name, field)
    }

    /// `break` and `continue`: unwinds to the `count`th loop. Gives the status.
    pub(crate) fn leave_loops(&mut self, run: &mut Run, count: usize, again: bool) -> Step<u8> {
        let mut rest = count.min(self.control.loop_depth());
        let mut code: Option<Code> = None;
        while rest > 0 {
            if let (1, true, Some(Frame::Loop(frame))) = (rest, again, self.control.frames.last_mut()) {
                let pc = frame.continue_to;
                self.shell.state.conditions = frame.conditions;
                match code.as_ref().unwrap_or(&self.shell.code).condition(pc) {
                    // What succeeds ends the loop.
                    Some(true) => {
                        let (status, end) = (frame.status, frame.break_to);
                        self.control.frames.pop();
                        self.shell.go_to(code, end);
                        return Ok(status);
                    }
                    Some(false) => run.services.meter.count_loop()?,
                    None => frame.status = 0,
                }
                self.shell.go_to(code, pc);
                return Ok(0);
            }
            let Some(frame) = self.control.frames.pop() else { break };
            match &frame {
                Frame::Loop(frame) => {
                    rest -= 1;
                    if rest == 0 {
                        self.shell.state.conditions = frame.conditions;
                        self.shell.go_to(code.take(), frame.break_to);
                    }
                }
                Frame::Script(frame) => code = Some(frame.resume.clone()),
                Frame::List(resume) => code = Some(resume.clone()),
                _ => {}
            }
            self.undo(frame);
        }
        Ok(0)
    }

    // Case.
    pub(crate) fn case_match(
        &mut self,
        run: &mut Run,
        program: &Program,
        constant: Option<NonZeroU32>,
        arm: Pc,
    ) -> Step {
        let ready = constant.and_then(|index| program.patterns.get(index.get() as usize));
        let subject = match self.control.frames.last() {
            Some(Frame::Case(subject, _)) => subject.clone(),
            _ => Text::EMPTY,
        };
        if subject.len() > LONG {
            let pattern = match ready {
                Some(constant) => constant.compiled(self.shell.state.pattern_options(true)).into_owned(),
                None => self.x.pattern(&mut self.shell, program, constant, true),
            };
            let mut pace = Paced::new(run);
            self.x.start_work(async move {
                Ok(Done::Arm(pattern.matches_paced(&subject, &mut pace).await?, arm))
            });
            return Ok(());
        }
        let matched = match ready {
            Some(constant) => super::expand::matches(
                run,
                &constant.compiled(self.shell.state.pattern_options(true)),
                &subject,
            )?,
            None => {
                let pattern = self.x.pattern(&mut self.shell, program, constant, true);
                super::expand::matches(run, &pattern, &subject)?
            }
        };
        if matched {
            self.shell.code.pc = arm;
        }
        Ok(())
    }
}
