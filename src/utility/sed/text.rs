//! The text of `a`, `i` and `c`, and the command of `e`: on the line of the command, or after a backslash on the next. It may
//! go on in the next part of the script.

use super::delimited;
use super::error::{Fault, ScriptError};
use super::parse::Parser;
use super::program::Action;
use crate::memory::Vec;
use crate::text::Text;

/// Whose text it is.
#[derive(Clone, Copy, Debug)]
pub(super) enum TextCommand {
    Append,
    Insert,
    Change,
    Execute,
}

impl TextCommand {
    fn with(self, text: Text) -> Action {
        match self {
            Self::Append => Action::Append(text),
            Self::Insert => Action::Insert(text),
            Self::Change => Action::Change(text),
            Self::Execute => Action::Execute(Some(text)),
        }
    }
}

/// A text whose part of the script ended in a backslash: the next part goes on with it.
#[derive(Debug)]
pub(super) struct Unfinished {
    command: TextCommand,
    /// As it is written; empty where only the backslash after the command was read.
    raw: Vec<u8>,
}

impl Parser {
    /// The command of `e`, which is written as the text of `a` is.
    pub(super) fn execute(&mut self) -> Result<Action, ScriptError> {
        if self.options.no_files {
            return self.fault(Fault::Disabled);
        }
        self.source.skip_blanks();
        if matches!(self.source.peek(), None | Some(b'\n')) {
            self.source.next();
            return Ok(Action::Execute(None));
        }
        self.text(TextCommand::Execute)
    }

    /// Reads the text of a command whose letter was taken.
    pub(super) fn text(&mut self, command: TextCommand) -> Result<Action, ScriptError> {
        self.source.skip_blanks();
        if self.source.peek().is_none() {
            return self.fault(Fault::ExpectedBackslash);
        }
        let mut raw = Vec::new();
        if self.source.take_if(b'\\') {
            if self.source.peek().is_none() {
                return self.leave_unfinished(Unfinished { command, raw });
            }
            if !self.source.take_if(b'\n') {
                raw.extend_from_slice(self.source.take_while(|byte| matches!(byte, b' ' | b'\t')));
                // `a\text`: the backslash belongs to the command, so `t` is not a tab; a second one has nothing after it to
                // which it belongs but what the line goes on with.
                if raw.is_empty() && self.source.take_if(b'\\') {
                    raw.push(b'\\');
                } else if raw.is_empty()
                    && let Some(first) = self.source.next()
                {
                    raw.extend([b'\\', b'd', first / 100 + b'0', first / 10 % 10 + b'0', first % 10 + b'0']);
                }
            }
        } else if self.options.is_posix {
            self.source.next();
            return self.fault(Fault::ExpectedBackslash);
        }
        // A newline right after the letter is the end of an empty text.
        self.go_on(Unfinished { command, raw })
    }

    /// Reads up to the end of the line that no backslash continues.
    pub(super) fn go_on(&mut self, unfinished: Unfinished) -> Result<Action, ScriptError> {
        let Unfinished { command, mut raw } = unfinished;
        while let Some(byte) = self.source.next() {
            match byte {
                b'\n' => break,
                b'\\' => match self.source.next() {
                    Some(escaped) => raw.extend([b'\\', escaped]),
                    None => {
                        raw.push(b'\n');
                        return self.leave_unfinished(Unfinished { command, raw });
                    }
                },
                _ => raw.push(byte),
            }
        }
        raw.push(b'\n');
        self.end_of_text(&Unfinished { command, raw })
    }

    /// The action of a text to which nothing comes any more.
    pub(super) fn end_of_text(&self, unfinished: &Unfinished) -> Result<Action, ScriptError> {
        let text = delimited::text(&unfinished.raw).map_err(|fault| self.source.fault(fault))?;
        Ok(unfinished.command.with(Text::from(text)))
    }

    /// What the next part of the script goes on with; until then the text is empty.
    fn leave_unfinished(&mut self, unfinished: Unfinished) -> Result<Action, ScriptError> {
        if self.options.is_posix {
            return self.fault(Fault::IncompleteCommand);
        }
        let command = unfinished.command;
        self.unfinished = Some(unfinished);
        Ok(command.with(Text::EMPTY))
    }
}
