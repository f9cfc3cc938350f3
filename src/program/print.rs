//! A program as text, an operation a line: `hookbox sh --dump` and golden tests.

use super::{Index, Op, Program};
use crate::memory::ToMeteredString;
use std::fmt;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = 0;
        for (pc, op) in self.code.iter().enumerate() {
            let at = self.line(pc as u32);
            if at == line {
                write!(f, "     ")?;
            } else {
                write!(f, "{at:4} ")?;
                line = at;
            }
            write!(f, "{pc:5}  {op:?}")?;
            let name = |index: Index| self.names.get(index as usize).map(ToMeteredString::to_metered_string);
            match op {
                Op::Literal(text) | Op::Quoted(text) | Op::Field(text) | Op::LiteralSplit(text) => {
                    write!(f, "  {:?}", self.text(*text))?;
                }
                Op::Variable { name: index, .. }
                | Op::Assign { name: index, .. }
                | Op::AssignStatement { name: index, .. }
                | Op::AssignNumber { name: index }
                | Op::TemporaryAssign { name: index, .. }
                | Op::ForNext { name: index, .. } => write!(f, "  {}", name(*index).unwrap_or_default())?,
                Op::ExecuteStatic(index) => {
                    let fields = self.commands.get(*index as usize).map(|command| &command.fields);
                    write!(f, "  {fields:?}")?;
                }
                _ => {}
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
