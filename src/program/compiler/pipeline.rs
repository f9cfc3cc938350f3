//! And-or lists, conditions and pipelines.

use super::{Compiler, standard_error_too};
use crate::memory::Vec;
use crate::program::{Index, Op, Pc, PipelineReference};
use crate::syntax::ast::{AndOrOperator, CommandKind, ListItem, Pipeline};

impl Compiler {
    pub(super) fn and_or(&mut self, item: &ListItem) {
        let and_or = &item.and_or;
        let Some((_, last)) = and_or.rest.last() else {
            self.pipeline(&and_or.first);
            return;
        };
        self.condition(|this| this.pipeline(&and_or.first));
        let mut exits: Vec<Pc> = Vec::new();
        for (index, (operator, pipeline)) in and_or.rest.iter().enumerate() {
            self.note_and_or(pipeline);
            // A jump skips this pipeline only: in `a && b || c` the status decides again at `||`.
            let skip = match operator {
                AndOrOperator::And => self.emit(Op::JumpIfFailure(0)),
                AndOrOperator::Or => self.emit(Op::JumpIfSuccess(0)),
            };
            if index + 1 == and_or.rest.len() {
                self.pipeline(last);
                exits.push(skip);
            } else {
                self.condition(|this| this.pipeline(pipeline));
                self.patch(skip);
            }
        }
        for exit in exits {
            self.patch(exit);
        }
    }

    /// Compiles what `compile` does as a condition: failures in it do not end the shell.
    pub(in crate::program) fn condition(&mut self, compile: impl FnOnce(&mut Self)) {
        let begin = self.emit(Op::ConditionBegin);
        self.conditions += 1;
        compile(self);
        self.conditions -= 1;
        if self.needs_condition(begin) {
            self.emit(Op::ConditionEnd);
        } else if let Some(op) = self.program.code.get_mut(begin as usize) {
            // Nothing in the condition can run a function: the marks are not needed.
            *op = Op::Jump(begin + 1);
        }
    }

    fn needs_condition(&self, begin: Pc) -> bool {
        self.program.code.iter().skip(begin as usize + 1).any(|op| {
            matches!(
                op,
                Op::Execute { .. }
                    | Op::ExecuteStatic(_)
                    | Op::Pipeline(_)
                    | Op::Subshell { .. }
                    | Op::Substitution { .. }
                    | Op::ConditionBegin
                    | Op::NegationBegin
                    | Op::Background { .. }
                    | Op::ProcessSubstitution { .. }
                    | Op::Coprocess { .. }
            )
        })
    }

    pub(super) fn pipeline(&mut self, pipeline: &Pipeline) {
        self.at_line(pipeline.line);
        if pipeline.timed.is_some() {
            self.emit(Op::TimeBegin);
        }
        if pipeline.negated {
            self.negated(pipeline);
            self.emit(Op::Negate);
        } else {
            self.stages(pipeline);
        }
        if let Some(timed) = pipeline.timed {
            self.emit(Op::TimeEnd { posix: timed.posix });
        }
    }

    /// The stages after a `!`. Their own status does not count, but what is inside them may.
    fn negated(&mut self, pipeline: &Pipeline) {
        if self.conditions > 0 {
            self.condition(|this| this.stages(pipeline));
            return;
        }
        let begin = self.emit(Op::NegationBegin);
        let plain = match pipeline.stages.as_slice() {
            [command] => matches!(
                command.kind,
                CommandKind::Simple(_) | CommandKind::Arithmetic(_) | CommandKind::Conditional(_)
            ),
            _ => false,
        };
        self.conditions += u32::from(plain);
        self.stages(pipeline);
        self.conditions -= u32::from(plain);
        match pipeline.stages.as_slice() {
            [command] if !matches!(command.kind, CommandKind::Subshell(_)) => {
                if !command.redirections.is_empty() {
                    self.drop_checks(1);
                }
            }
            _ => self.drop_checks(usize::MAX),
        }
        if self.needs_condition(begin) {
            self.emit(Op::NegationEnd);
        } else if let Some(op) = self.program.code.get_mut(begin as usize) {
            *op = Op::Jump(begin + 1);
        }
    }

    /// Takes back the checks of a whole command or pipeline, at most so many: they follow the operation that ends its
    /// processes, or its redirections.
    fn drop_checks(&mut self, most: usize) {
        let mut next = self.here();
        for op in self.program.code.iter_mut().rev().take(most) {
            match op {
                Op::Check { .. } => *op = Op::Jump(next),
                Op::RedirectEnd | Op::Jump(_) => {}
                _ => break,
            }
            next -= 1;
        }
    }

    fn stages(&mut self, pipeline: &Pipeline) {
        match pipeline.stages.as_slice() {
            [] => {
                self.emit(Op::SetStatus(0));
            }
            [command] => self.command(command),
            stages => {
                let index = self.program.pipelines.len() as Index;
                self.program.pipelines.push(PipelineReference { stages: Vec::new(), end: 0 });
                self.emit(Op::Pipeline(index));
                let mut starts = Vec::with_capacity(stages.len());
                for (number, command) in stages.iter().enumerate() {
                    let nested = !matches!(command.kind, CommandKind::Simple(_) | CommandKind::Subshell(_));
                    starts.push((self.here(), nested));
                    self.own_process = matches!(command.kind, CommandKind::Simple(_));
                    if pipeline.stderr_too.get(number) == Some(&true) {
                        // `|&` is `2>&1` after the command's own redirections.
                        let mut command = command.clone();
                        command.redirections.push(standard_error_too());
                        self.command(&command);
                    } else {
                        self.command(command);
                    }
                    self.own_process = false;
                    self.emit(Op::EndProcess);
                }
                let end = self.here();
                if let Some(reference) = self.program.pipelines.get_mut(index as usize) {
                    *reference = PipelineReference { stages: starts, end };
                }
                self.at_line(pipeline.line);
                if stages.last().is_some_and(|stage| matches!(stage.kind, CommandKind::Subshell(_))) {
                    // Bash looks at the failure of a subshell at the end twice.
                    self.check();
                }
                self.check();
            }
        }
    }
}
