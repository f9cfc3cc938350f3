//! Calls of functions, and the frames that they use.

use super::super::error::Fault;
use super::super::op::{NF, Var};
use super::super::value::{Origin, Value};
use super::Machine;
use crate::limit::Limit;
use crate::memory::{String, Vec, format};
use crate::text::Text;

#[derive(Debug)]
pub(in crate::utility::awk) struct Frame {
    pub(in crate::utility::awk) return_to: usize,
    pub(in crate::utility::awk) base: usize,
    iterators: usize,
}

/// Where a machine was.
#[derive(Debug)]
pub(in crate::utility::awk) struct Suspended {
    stack: Vec<Value>,
    frames: Vec<Frame>,
    iterators: Vec<crate::memory::IntoIter<Text>>,
    base: usize,
    pc: usize,
}

impl Machine<'_> {
    /// Sets aside where the machine is, so that another part can run in between; `resume` goes on there.
    pub(in crate::utility::awk) fn suspend(&mut self) -> Suspended {
        Suspended {
            stack: std::mem::take(&mut self.stack),
            frames: std::mem::take(&mut self.frames),
            iterators: std::mem::take(&mut self.iterators),
            base: self.base,
            pc: self.pc,
        }
    }

    pub(in crate::utility::awk) fn resume(&mut self, suspended: Suspended) {
        let Suspended { stack, frames, iterators, base, pc } = suspended;
        (self.stack, self.frames, self.iterators, self.base, self.pc) = (stack, frames, iterators, base, pc);
    }

    #[inline]
    pub(super) fn argument(&mut self, variable: Var) -> Result<(), Fault> {
        let value = match self.slot(variable) {
            Value::Array(number) => Value::Array(*number),
            Value::Unset if variable != Var::Global(NF) => match variable {
                Var::Global(slot) => Value::Untyped(Origin::Global(slot)),
                Var::Local(slot) => Value::Untyped(Origin::Stack(self.base + slot as usize)),
            },
            // The variable behind it may have become an array meanwhile.
            untyped @ Value::Untyped(origin) => match self.array_behind(untyped) {
                Some(number) => Value::Array(number),
                None => Value::Untyped(*origin),
            },
            _ => self.load(variable)?,
        };
        self.push(value);
        Ok(())
    }

    #[inline]
    pub(super) fn call(&mut self, function: u32, mut count: usize) -> Result<(), Fault> {
        let Some(definition) = self.program.functions.get(function as usize) else { return Ok(()) };
        let Some(entry) = definition.entry else {
            let name = String::from_utf8_lossy(&definition.name);
            return Err(Fault::fatal(format!("function `{name}' not defined")));
        };
        let parameters = definition.parameters.len();
        if count > parameters {
            let name = String::from_utf8_lossy(&definition.name);
            let message = format!("warning: function `{name}' called with more arguments than declared");
            self.warnings.push(message);
            self.stack.truncate(self.stack.len().saturating_sub(count - parameters));
            count = parameters;
        }
        if self.frames.len() as u64 >= self.meter.limits().frames {
            return Err(self.meter.fail(Limit::Frames).into());
        }
        let base = self.stack.len() - count.min(self.stack.len());
        self.frames.push(Frame { return_to: self.pc, base: self.base, iterators: self.iterators.len() });
        for _ in count..parameters {
            self.stack.push(Value::Unset);
        }
        self.base = base;
        self.pc = entry as usize;
        Ok(())
    }

    #[inline]
    pub(super) fn leave(&mut self) {
        let value = self.pop();
        // Arrays that a local variable made go; those that were given stay with their owner.
        let depth = self.frames.len();
        for local in self.stack.iter().skip(self.base) {
            if let Value::Array(number) = local
                && self.arrays.owner(*number) == depth
            {
                self.arrays.release(*number);
            }
        }
        self.stack.truncate(self.base);
        if let Some(frame) = self.frames.pop() {
            self.base = frame.base;
            self.pc = frame.return_to;
            self.iterators.truncate(frame.iterators);
        }
        self.push(match value {
            Value::Array(_) | Value::Untyped(_) | Value::Regex(_) => Value::Unset,
            value => value,
        });
    }

    /// The depth of the call whose locals hold a place of the stack.
    pub(in crate::utility::awk) fn depth_of(&self, place: usize) -> usize {
        if place >= self.base {
            return self.frames.len();
        }
        self.frames.partition_point(|frame| frame.base <= place).saturating_sub(1)
    }
}
