//! Pipelines of two stages whose first is `echo` or `printf`: `echo "$x" | jq ...`, the commonest one in hooks.
//!
//! Nobody can tell whether such a first stage runs beside the second: it reads nothing and waits for nobody. So it runs
//! as a subshell of this process with its output kept, and then the second stage runs as one that reads what was kept: no
//! processes, no pipe, no scheduling.

use super::builtin::id::BuiltinId;
use super::control::Control;
use super::frame::{Frame, PipeHere};
use super::halt::Step;
use super::option::ShellOption;
use super::run::Run;
use super::shell::Shell;
use crate::io::{Capture, Description, OnExcess};
use crate::limit::Limit;
use crate::memory::{Arc, Box, vec};
use crate::program::{Index, Op, Pc, PipelineReference, Program};
use crate::text::Text;

impl Shell {
    /// Whether the stage `[from, to)` is a call of `echo` or `printf` whose words run nothing.
    fn prints_only(&self, program: &Program, from: Pc, to: Pc) -> bool {
        let mut printer = None;
        for op in program.code.get(from as usize..to as usize).unwrap_or(&[]) {
            let name = match op {
                Op::Execute { name: Some(name) } => *name,
                Op::ExecuteStatic(command) => match program.commands.get(*command as usize) {
                    Some(command) => command.name,
                    None => return false,
                },
                Op::Begin
                | Op::Literal(_)
                | Op::Quoted(_)
                | Op::Variable { .. }
                | Op::Field(_)
                | Op::FieldVariable(_)
                | Op::EndField
                | Op::Check { .. }
                | Op::EndProcess => continue,
                _ => return false,
            };
            if printer.replace(name).is_some() {
                return false;
            }
        }
        let Some(printer) = printer else { return false };
        let id = self.code.link.name(printer);
        let plain = !self.state.commands.functions.contains_key(&id) && self.state.traps.is_empty();
        self.code.link.builtin(printer).map(BuiltinId::row).is_some_and(|builtin| {
            plain && matches!(builtin.name, "echo" | "printf") && self.state.is_enabled(builtin)
        })
    }
}

impl Control {
    /// Runs the pipeline here if it is one of those. The operation runs again after each stage.
    pub(crate) fn pipeline_here(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        program: &Program,
        index: Index,
        reference: &PipelineReference,
    ) -> Step<bool> {
        let [(first, false), (second, nested)] = reference.stages.as_slice() else { return Ok(false) };
        let again = shell.code.pc.saturating_sub(1);
        if let Some(Frame::Pipe(frame)) = self.frames.last_mut()
            && frame.pipeline == index
        {
            let status = shell.state.status;
            let Some(before) = frame.first else {
                frame.first = Some(status);
                let text = Text::from(frame.output.take());
                self.start_stage(shell, run, *second, again, 0, Description::memory(text))?;
                if !nested {
                    shell.state.ids.level = shell.state.ids.level.saturating_sub(1);
                }
                return Ok(true);
            };
            self.frames.pop();
            shell.code.pc = reference.end;
            shell.state.finish_pipeline(vec![before, status]);
            return Ok(true);
        }
        if shell.state.options.has(ShellOption::LastPipe) || !shell.prints_only(program, *first, *second) {
            return Ok(false);
        }
        let output = Capture::new(&run.services.meter, Limit::LiveBytes, OnExcess::Fail);
        let description = Description::capture(Arc::clone(&output));
        self.frames.push(Frame::Pipe(Box::new(PipeHere { pipeline: index, output, first: None })));
        self.start_stage(shell, run, *first, again, 1, description)?;
        Ok(true)
    }

    fn start_stage(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        pc: Pc,
        resume: Pc,
        descriptor: u32,
        description: Arc<Description>,
    ) -> Step {
        self.begin_subshell(shell, run, resume)?;
        let _ = shell.state.descriptors.replace(descriptor, Some(description));
        shell.code.pc = pc;
        Ok(())
    }
}
