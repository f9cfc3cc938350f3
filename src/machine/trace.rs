//! `set -x`: commands and assignments as they are run, after `PS4`. Bash manual 4.3.1.

use super::control::Control;
use super::expansion::{ArrayLiteral, Subscript};
use super::link::Code;
use super::name::{self, NameId};
use super::option::ShellOption;
use super::process::Process;
use super::quote;
use super::run::Run;
use super::shell::Shell;
use crate::memory::{Arc, JoinMetered, ToDecimal, ToMetered, Vec, vec};
use crate::program::Program;
use crate::text::Text;

impl Code {
    /// The words of the innermost `for` as written.
    fn for_words(&self) -> Option<Text> {
        let program = &self.program;
        let crate::program::Op::Debug(index) = program.code.get(self.pc as usize)? else { return None };
        let text = program.text(*index);
        let (head, rest) = bstr::ByteSlice::split_once_str(&*text, " in ")?;
        if bstr::ByteSlice::fields(head).count() != 2 {
            return None; // `for NAME do … in …`: the `in` is one of the body
        }
        let end = rest.iter().position(|&byte| matches!(byte, b';' | b'\n')).unwrap_or(rest.len());
        Some(Text::from(rest.get(..end)?.trim_ascii()))
    }
}

impl Shell {
    /// A prompt string: backslash escapes of prompts and `$name`, `${name}`.
    pub(crate) fn expand_prompt(&mut self, run: &mut Run, prompt: &[u8], primary: bool) -> Text {
        let decoded = super::prompt::decode(self, run, prompt, primary);
        if memchr::memchr2(b'$', b'\\', &decoded).is_none() {
            return Text::from(decoded);
        }
        self.expand_parameters(run, &decoded)
    }

    /// Expands `$name` and `${name}`, `${name:-word}` and subscripts in a text, and takes the backslash away before what
    /// is special in double quotes; nothing else.
    pub(crate) fn expand_parameters(&mut self, run: &mut Run, text: &[u8]) -> Text {
        let mut out = Vec::new();
        let mut rest = text;
        while let Some(at) = memchr::memchr2(b'$', b'\\', rest) {
            out.extend_from_slice(rest.get(..at).unwrap_or(&[]));
            let after = rest.get(at + 1..).unwrap_or(&[]);
            if rest.get(at) == Some(&b'\\') {
                match after.first() {
                    Some(&byte @ (b'$' | b'\\' | b'"' | b'`')) => {
                        out.push(byte);
                        rest = after.get(1..).unwrap_or(&[]);
                    }
                    _ => {
                        out.push(b'\\');
                        rest = after;
                    }
                }
                continue;
            }
            let (name, default, used) = match after.first() {
                Some(b'{') => {
                    let end = memchr::memchr(b'}', after).unwrap_or(after.len());
                    let inner = after.get(1..end).unwrap_or(&[]);
                    let split = inner
                        .iter()
                        .position(|byte| matches!(byte, b':' | b'-' | b'+'))
                        .unwrap_or(inner.len());
                    let (name, operator) = inner.split_at(split);
                    (name, operator, (end + 1).min(after.len()))
                }
                _ => {
                    let end = after
                        .iter()
                        .position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
                        .unwrap_or(after.len());
                    (after.get(..end).unwrap_or(&[]), [].as_slice(), end)
                }
            };
            if name.is_empty() {
                out.push(b'$');
                rest = after;
                continue;
            }
            let reference = self.parse_reference(run, name).ok().flatten();
            let value = reference.and_then(|target| self.target_text(run, &target));
            match (value, default) {
                (value, [b':', b'+', word @ ..] | [b'+', word @ ..])
                    if value.as_ref().is_some_and(|value| !value.is_empty()) =>
                {
                    let word = self.expand_parameters_once(run, word);
                    out.extend_from_slice(&word);
                }
                (Some(value), _) if !value.is_empty() => out.extend_from_slice(&value),
                (_, [b':', b'-', word @ ..] | [b'-', word @ ..]) => out.extend_from_slice(word),
                _ => {}
            }
            rest = after.get(used..).unwrap_or(&[]);
        }
        out.extend_from_slice(rest);
        Text::from(out)
    }

    fn expand_parameters_once(&mut self, run: &mut Run, text: &[u8]) -> Text {
        let mut out = Vec::new();
        for piece in text.split_inclusive(|&byte| byte == b' ') {
            match piece.strip_prefix(b"$") {
                Some(name) if name::is_name(name) => {
                    let id = run.services.names.intern(name);
                    out.extend_from_slice(&self.scalar(run, id).unwrap_or_default());
                }
                _ => out.extend_from_slice(piece),
            }
        }
        Text::from(out)
    }
}

impl Control {
    /// Substitutions, `eval`, `source` and traps around the command.
    fn trace_level(&self) -> usize {
        use super::frame::Frame;
        self.frames
            .iter()
            .filter(|frame| match frame {
                Frame::Subshell(frame) => frame.substitution.is_some(),
                Frame::Script(frame) => frame.kind != super::frame::ScriptKind::ExitTrap,
                _ => false,
            })
            .count()
            + self.trace_base
    }
}

impl Process {
    pub(crate) fn trace_line(&mut self, run: &mut Run, line: &[u8]) {
        let prompt = self.shell.scalar(run, name::PS4).unwrap_or_else(|| Text::from_static(b"+ "));
        let expanded = self.shell.expand_prompt(run, &prompt, false);
        // The first character is repeated for each level of indirection.
        let level = self.control.trace_level();
        let first = crate::character::unit_at(&expanded, 0).map_or(0, |(_, length)| length);
        let mut text = Vec::new();
        for _ in 0..level {
            text.extend_from_slice(expanded.get(..first).unwrap_or(&[]));
        }
        text.extend_from_slice(&expanded);
        text.extend_from_slice(line);
        text.push(b'\n');
        let descriptor = self
            .shell
            .scalar(run, name::BASH_XTRACEFD)
            .and_then(|text| super::variable::plain_integer(&text))
            .and_then(|number| u32::try_from(number).ok())
            .unwrap_or(2);
        // The command's own redirections do not count.
        let before = self.x.redirections.iter().find(|(number, _)| *number == descriptor);
        let description = match before {
            Some((_, before)) => before.clone(),
            None => self.shell.state.descriptors.get(descriptor).cloned(),
        };
        if let Some(description) = description {
            self.shell.outputs.write(Arc::clone(&description), &text);
        }
    }

    /// The fields of a simple command, with the assignments before it.
    pub(crate) fn trace_command(&mut self, run: &mut Run) {
        let mut line = Vec::new();
        for assignment in self.x.assignments.clone() {
            let mut text = run.services.names.text(assignment.name).to_metered();
            text.extend_from_slice(if assignment.append { b"+=" } else { b"=" });
            if !assignment.value.is_empty() {
                text.extend_from_slice(&quote::trace(&assignment.value));
            }
            self.trace_line(run, &text);
        }
        let lists = self.x.arguments.iter().map(|(at, literal)| {
            let mut assigned = self.x.fields.get(*at).map_or_else(Vec::new, |field| field.to_metered());
            assigned.extend_from_slice(&literal_text(literal));
            assigned
        });
        for assigned in lists.collect::<Vec<_>>() {
            self.trace_line(run, &assigned);
        }
        for (number, field) in self.x.fields.iter().enumerate() {
            if number > 0 {
                line.push(b' ');
            }
            let is_list = self.x.arguments.iter().any(|(at, _)| *at == number);
            let name = field.strip_suffix(b"=").map(|name| name.strip_suffix(b"+").unwrap_or(name));
            line.extend_from_slice(&quote::trace(name.filter(|_| is_list).unwrap_or(field)));
        }
        self.trace_line(run, &line);
    }

    pub(crate) fn trace_assignment(&mut self, run: &mut Run, id: NameId, value: &[u8], append: bool) {
        let mut line = run.services.names.text(id).to_metered();
        line.extend_from_slice(if append { b"+=" } else { b"=" });
        if !value.is_empty() {
            line.extend_from_slice(&quote::trace(value));
        }
        self.trace_line(run, &line);
    }

    pub(crate) fn trace_element(
        &mut self,
        run: &mut Run,
        id: NameId,
        subscript: &Subscript,
        value: &[u8],
        append: bool,
    ) {
        let mut line = run.services.names.text(id).to_metered();
        line.push(b'[');
        match subscript {
            Subscript::Index(index) => line.extend_from_slice(index.to_decimal().as_bytes()),
            Subscript::Key(key) => line.extend_from_slice(key),
        }
        line.extend_from_slice(if append { b"]+=" } else { b"]=" });
        if !value.is_empty() {
            line.extend_from_slice(&quote::trace(value));
        }
        self.trace_line(run, &line);
    }

    /// `name=(...)`, as it stands in the source and before it is expanded; the list of a declaration has no place there.
    pub(crate) fn trace_list(&mut self, run: &mut Run, program: &Program, start: u32, end: u32) {
        if end == 0 || !self.shell.state.options.has(ShellOption::XTrace) {
            return;
        }
        let limit = u32::try_from(run.services.meter.limits().syntax_depth).unwrap_or(200).min(200);
        self.trace_line(run, &program.printed(start, end, limit));
    }

    /// The head of `case` and of an arithmetic command, as `Op::Debug` has it.
    pub(crate) fn trace_head(&mut self, run: &mut Run, head: &[u8]) {
        if head.starts_with(b"case ") {
            self.trace_line(run, head.trim_ascii_end());
        } else if let Some(inner) = head.strip_prefix(b"((").and_then(|rest| rest.strip_suffix(b"))")) {
            self.trace_line(run, &[b"(( ", inner.trim_ascii(), b" ))"].concat_metered());
        }
    }

    /// The head of a `for` loop.
    pub(crate) fn trace_for(&mut self, run: &mut Run, id: NameId) {
        let mut line = b"for ".to_metered();
        line.extend_from_slice(&run.services.names.text(id));
        line.extend_from_slice(b" in ");
        let words = self.shell.code.for_words();
        line.extend_from_slice(words.as_deref().unwrap_or(b"\"$@\""));
        self.trace_line(run, &line);
    }
}

/// The list of a declaration's argument.
fn literal_text(literal: &ArrayLiteral) -> Vec<u8> {
    let mut text = vec![b'('];
    for (number, element) in literal.elements.iter().enumerate() {
        if number > 0 {
            text.push(b' ');
        }
        if let Some(key) = &element.key {
            text.push(b'[');
            text.extend_from_slice(&quote::single(key));
            text.extend_from_slice(if element.append { b"]+=" } else { b"]=" });
        }
        text.extend_from_slice(&quote::single(&element.value));
    }
    text.push(b')');
    text
}
