//! Commands to operations: control flow becomes jumps. Simple commands are in `simple.rs`.

mod simple;

use super::compiler::Compiler;
use super::part::Deferred;
use super::{ArithmeticContext, Index, Note, Op, Pc, Quoting};
use crate::memory::{Arc, JoinMetered, Vec};
use crate::syntax::ast::{
    Arithmetic, CaseArm, CaseEnd, Command, CommandKind, Conditional, List, Span, Word, WordPart,
};
use crate::text::Text;
use crate::trace::Point;
pub(super) use simple::constant_field;
use simple::is_name;

impl Compiler {
    pub(super) fn command(&mut self, command: &Command) {
        let line = self.at_line(match &command.kind {
            CommandKind::ArithmeticFor { line, .. } => *line,
            _ => command.span.line,
        });
        let before = self.last_line;
        if let CommandKind::Simple(_) | CommandKind::Arithmetic(_) | CommandKind::Conditional(_) =
            &command.kind
        {
            self.note(Note::Passed(Point::Command, command.span.start));
            self.last_line = line;
        }
        if let CommandKind::Simple(simple) = &command.kind {
            self.simple(command, simple);
            return;
        }
        if let CommandKind::Function(_) = &command.kind {
            // A function's redirections belong to its body.
            self.compound(command);
            return;
        }
        if command.redirections.is_empty() {
            self.compound(command);
        } else if let CommandKind::Subshell(list) = &command.kind {
            self.redirected_subshell(command, list);
        } else {
            let line = self.line;
            let own_line = matches!(
                command.kind,
                CommandKind::ArithmeticFor { .. } | CommandKind::Arithmetic(_) | CommandKind::Conditional(_)
            );
            if !own_line {
                self.line = self.base_line.unwrap_or(line);
            }
            let begin = self.begin_redirections(command);
            self.line = line;
            self.compound(command);
            self.emit(Op::RedirectEnd);
            // The command's own failure was looked at where it happened; only a failed redirection counts here.
            let done = self.emit(Op::Jump(0));
            self.patch(begin);
            self.line = before;
            self.check();
            self.patch(done);
            self.line = line;
        }
    }

    /// Makes the redirections of a compound command; the place to patch with where it goes on when one fails.
    fn begin_redirections(&mut self, command: &Command) -> Pc {
        self.emit(Op::RedirectBegin);
        for redirection in &command.redirections {
            self.redirection(redirection);
        }
        self.emit(Op::RedirectReady { end: 0 })
    }

    /// `( list ) >file`: the redirections are made in the subshell.
    fn redirected_subshell(&mut self, command: &Command, list: &List) {
        let line = self.line;
        let start = self.emit(Op::Subshell { end: 0 });
        let outer = self.base_line.replace(self.subshell_line(command));
        self.line = self.base_line.unwrap_or(line);
        let begin = self.begin_redirections(command);
        self.line = line;
        self.list(list);
        (self.line, self.base_line) = (line, outer);
        self.patch(begin);
        self.emit(Op::EndProcess);
        self.patch(start);
        self.line = self.subshell_line(command);
        self.check();
        self.line = line;
    }

    /// The line where the parenthesis of a subshell closes.
    fn subshell_line(&self, command: &Command) -> u32 {
        let end = command.redirections.first().map_or(command.span.end, |first| first.span.start);
        let text = self.source.get(command.span.start as usize..end as usize).unwrap_or(&[]);
        self.line.saturating_add(memchr::memchr_iter(b'\n', text.trim_ascii_end()).count() as u32)
    }

    /// Compiles what `compile` does with that line for redirections of compound commands.
    fn based(&mut self, line: u32, compile: impl FnOnce(&mut Self)) {
        let outer = self.base_line.replace(line);
        compile(self);
        self.base_line = outer;
    }

    fn compound(&mut self, command: &Command) {
        let line = self.line;
        match &command.kind {
            CommandKind::Simple(_) => {}
            CommandKind::BraceGroup(list) => self.list(list),
            CommandKind::Subshell(list) => {
                let start = self.emit(Op::Subshell { end: 0 });
                let closed = self.subshell_line(command);
                self.based(closed, |this| this.list(list));
                self.line = line;
                self.emit(Op::EndProcess);
                self.patch(start);
                self.line = closed;
                self.check();
                self.line = line;
            }
            CommandKind::If { clauses, otherwise } => self.if_command(clauses, otherwise.as_ref()),
            CommandKind::While { until, condition, body } => self.while_command(*until, condition, body),
            CommandKind::For { variable, words, body } => {
                self.for_command(command, variable, words.as_deref(), body, false);
            }
            CommandKind::Select { variable, words, body } => {
                self.for_command(command, variable, words.as_deref(), body, true);
            }
            CommandKind::ArithmeticFor { init, condition, update, body, line: _ } => {
                self.arithmetic_for([init.as_deref(), condition.as_deref(), update.as_deref()], body);
            }
            CommandKind::Case { subject, arms } => self.case_command(command, subject, arms),
            CommandKind::Arithmetic(arithmetic) => {
                self.debug(command);
                self.arithmetic(arithmetic, &arithmetic.text, ArithmeticContext::Command);
                if let Some(last) = self.program.code.last_mut()
                    && let Op::Arithmetic(index) = *last
                {
                    *last = Op::ArithmeticCommand(index);
                } else {
                    self.emit(Op::ArithmeticStatus);
                }
                self.check();
            }
            CommandKind::Conditional(conditional) => {
                self.debug(command);
                self.conditional(conditional);
                self.emit(Op::ConditionalEnd);
                self.check();
            }
            CommandKind::Function(definition) => {
                let special = |byte: &u8| matches!(byte, b'$' | b'`' | b'"' | b'\'' | b'\\');
                if definition.name.iter().any(special) || definition.name.iter().all(u8::is_ascii_digit) {
                    let name = self.text(&definition.name);
                    self.emit(Op::InvalidIdentifier(name));
                    self.check();
                    return;
                }
                let function = self.program.functions.len() as Index;
                self.program.functions.push(Arc::clone(definition));
                let start = self.emit(Op::DefineFunction { function, end: 0 });
                if definition.is_deferred() {
                    self.at_line(definition.span.line);
                    let part = self.deferred(Deferred::Function(Arc::clone(definition)));
                    self.emit(Op::FunctionBody(part));
                } else {
                    self.function_body(definition.body());
                }
                self.patch(start);
                self.line = line;
            }
            CommandKind::Coprocess { name, command: body } => {
                match name {
                    Some(name) => self.word(name, Quoting::Raw),
                    None => {
                        let text = self.text(&Text::from_static(b"COPROC"));
                        self.emit(Op::Quoted(text));
                    }
                }
                let text = self.source_text(body.span);
                let text = self.text(&text);
                let start = self.emit(Op::Coprocess { end: 0, text });
                self.command(body);
                self.emit(Op::EndProcess);
                self.patch(start);
            }
        }
    }

    /// The body of a function, and its end.
    pub(super) fn function_body(&mut self, body: &Command) {
        let conditions = std::mem::take(&mut self.conditions);
        let last = self.last_line;
        let line = self.shifted(body.span.line);
        self.based(line, |this| this.command(body));
        self.last_line = last;
        self.conditions = conditions;
        self.emit(Op::ReturnFromFunction);
    }

    /// The text of a command of assignments or of a compound command's head, for the `DEBUG` trap.
    fn debug(&mut self, command: &Command) {
        let Span { start, end, .. } = command.span;
        let text = self.source.get(start as usize..end as usize).unwrap_or(&[]);
        let head = match &command.kind {
            CommandKind::Case { .. } => {
                let end = memchr::memmem::find(text, b" in").unwrap_or(text.len());
                Text::from([text.get(..end).unwrap_or(&[]), b" in "].concat_metered())
            }
            CommandKind::For { .. } => {
                let end = text.iter().position(|byte| matches!(byte, b';' | b'\n')).unwrap_or(text.len());
                Text::from(text.get(..end).unwrap_or(&[]).trim_ascii_end())
            }
            _ => {
                let first = command.redirections.first().map_or(end, |first| first.span.start);
                let end = first.saturating_sub(start) as usize;
                Text::from(text.get(..end).unwrap_or(text).trim_ascii_end())
            }
        };
        let text = self.program.texts.add(head) as Index;
        self.emit(Op::Debug(text));
    }

    /// The operation that was just emitted runs this command.
    fn note_span(&mut self, command: &Command) {
        let pc = self.here().saturating_sub(1);
        self.program.spans.push((pc, command.span.start, command.span.end));
    }

    fn if_command(&mut self, clauses: &[(List, List)], otherwise: Option<&List>) {
        let mut ends: Vec<Pc> = Vec::new();
        for (condition, body) in clauses {
            self.condition(|this| this.list(condition));
            self.note_condition(condition);
            let skip = self.emit(Op::JumpIfFailure(0));
            self.list(body);
            ends.push(self.emit(Op::Jump(0)));
            self.patch(skip);
        }
        match otherwise {
            Some(body) => self.list(body),
            None => {
                self.emit(Op::SetStatus(0));
            }
        }
        for end in ends {
            self.patch(end);
        }
    }

    fn while_command(&mut self, until: bool, condition: &List, body: &List) {
        let begin = self.emit(Op::LoopBegin { break_to: 0, continue_to: 0 });
        let head = self.emit(Op::LoopCondition { until, body: 0 });
        let top = self.here();
        self.patch_continue(begin, top);
        self.condition(|this| this.list(condition));
        self.note_condition(condition);
        let done = self.emit(if until { Op::JumpIfSuccess(0) } else { Op::JumpIfFailure(0) });
        self.patch(head);
        self.emit(Op::LoopTurn);
        self.list(body);
        self.emit(Op::LoopStatus);
        self.emit(Op::Jump(top));
        self.patch(done);
        self.emit(Op::LoopEnd);
        self.patch(begin);
    }

    fn for_command(
        &mut self,
        command: &Command,
        variable: &Text,
        words: Option<&[Word]>,
        body: &List,
        select: bool,
    ) {
        let line = self.line;
        if !is_name(variable) {
            let name = self.text(variable);
            self.emit(Op::InvalidIdentifier(name));
            self.check();
            return;
        }
        self.emit(Op::BeginWords);
        for word in words.unwrap_or(&[]) {
            self.fields(word);
        }
        self.line = line;
        let positional = words.is_none();
        let name = self.name(variable);
        let begin = self.emit(if select {
            Op::SelectBegin { positional, break_to: 0, continue_to: 0 }
        } else {
            Op::ForBegin { positional, break_to: 0, continue_to: 0 }
        });
        let top = self.here();
        self.patch_continue(begin, top);
        let next =
            self.emit(if select { Op::SelectNext { name, end: 0 } } else { Op::ForNext { name, end: 0 } });
        if !select {
            self.debug(command);
        }
        self.emit(Op::LoopTurn);
        self.based(line, |this| this.list(body));
        self.line = line;
        self.emit(Op::LoopStatus);
        self.emit(Op::Jump(top));
        self.patch(next);
        self.emit(Op::LoopEnd);
        self.patch(begin);
    }

    fn arithmetic_for(&mut self, parts: [Option<&Arithmetic>; 3], body: &List) {
        let line = self.line;
        let [init, condition, update] = parts;
        let begin = self.emit(Op::LoopBegin { break_to: 0, continue_to: 0 });
        let mut exits = Vec::new();
        if let Some(init) = init {
            exits.push(self.loop_expression(init, false));
        }
        let top = self.here();
        if let Some(condition) = condition {
            exits.push(self.loop_expression(condition, true));
        }
        self.emit(Op::LoopTurn);
        self.based(line, |this| this.list(body));
        self.line = line;
        self.emit(Op::LoopStatus);
        let next = self.here();
        self.patch_continue(begin, next);
        if let Some(update) = update {
            exits.push(self.loop_expression(update, false));
        }
        self.emit(Op::Jump(top));
        for exit in exits {
            self.patch(exit);
        }
        self.emit(Op::LoopEnd);
        self.patch(begin);
    }

    /// One of the three expressions of `for ((`.
    fn loop_expression(&mut self, expression: &Arithmetic, test: bool) -> Pc {
        let mut text = Text::from_static(b"((");
        for part in &expression.text.parts {
            if let WordPart::Literal(literal) | WordPart::Quoted(literal) = part {
                text.push_bytes(literal);
            }
        }
        text.push_bytes(b"))");
        let text = self.text(&text);
        self.emit(Op::Debug(text));
        self.arithmetic(expression, &expression.text, ArithmeticContext::Command);
        let here = self.here();
        if let Some(last) = self.program.code.last_mut()
            && let Op::Arithmetic(index) = *last
        {
            *last = Op::ArithmeticTest { expression: index, test, end: 0 };
            return here.saturating_sub(1);
        }
        self.emit(Op::ArithmeticLoop { test, end: 0 })
    }

    fn case_command(&mut self, command: &Command, subject: &Word, arms: &[CaseArm]) {
        // Bash counts the command, its patterns too, as standing where its subject ends.
        let text = self.source_text(subject.span);
        let line = subject.span.line.max(command.span.line);
        let line = self.at_line(line.saturating_add(memchr::memchr_iter(b'\n', &text).count() as u32));
        self.debug(command);
        self.word(subject, Quoting::Raw);
        self.emit(Op::CaseBegin);
        let mut ends: Vec<Pc> = Vec::new();
        let mut fall_through: Option<Pc> = None;
        let mut test_next: Option<Pc> = None;
        for (number, arm) in arms.iter().enumerate() {
            if let Some(jump) = test_next.take() {
                self.patch(jump);
            }
            self.line = line;
            let matches: Vec<Pc> = arm.patterns.iter().map(|pattern| self.case_pattern(pattern)).collect();
            let skip = self.emit(Op::Jump(0));
            for jump in matches {
                self.patch(jump);
            }
            if let Some(jump) = fall_through.take() {
                self.patch(jump);
            }
            let is_empty = arm.body.is_empty();
            if is_empty && (arm.end == CaseEnd::Break || number + 1 == arms.len()) {
                self.emit(Op::SetStatus(0));
            }
            if let Some(pattern) = arm.patterns.first() {
                self.note(Note::Passed(Point::Arm, pattern.span.start));
            }
            self.based(line, |this| this.list(&arm.body));
            match arm.end {
                CaseEnd::Break => ends.push(self.emit(Op::Jump(0))),
                CaseEnd::FallThrough => fall_through = Some(self.emit(Op::Jump(0))),
                CaseEnd::Continue => {
                    self.emit(Op::CaseContinue { ran: !is_empty });
                    test_next = Some(self.emit(Op::Jump(0)));
                }
            }
            self.patch(skip);
        }
        if let Some(jump) = test_next {
            self.patch(jump);
        }
        let takes_all = |arm: &CaseArm| arm.patterns.iter().any(|word| *self.source_text(word.span) == *b"*");
        if !arms.iter().any(takes_all) {
            self.note(Note::Passed(Point::NoArm, command.span.start));
        }
        self.emit(Op::CaseUnmatched);
        for end in ends.into_iter().chain(fall_through) {
            self.patch(end);
        }
        self.emit(Op::CaseEnd);
    }

    fn case_pattern(&mut self, pattern: &Word) -> Pc {
        let constant = self.constant_pattern(pattern);
        if constant.is_none() {
            self.word(pattern, Quoting::Raw);
        }
        self.emit(Op::CaseMatch { pattern: constant, arm: 0 })
    }

    fn conditional(&mut self, conditional: &Conditional) {
        match conditional {
            Conditional::And(left, right) | Conditional::Or(left, right) => {
                self.conditional(left);
                let skip = self.emit(if matches!(conditional, Conditional::And(..)) {
                    Op::JumpIfFailure(0)
                } else {
                    Op::JumpIfSuccess(0)
                });
                self.conditional(right);
                self.patch(skip);
            }
            Conditional::Not(inner) => {
                self.conditional(inner);
                self.emit(Op::Negate);
            }
            Conditional::Group(inner) => self.conditional(inner),
            Conditional::Word(word) => {
                self.word(word, Quoting::Raw);
                self.emit(Op::ConditionalWord);
            }
            Conditional::Unary(operator @ b'v', word) => {
                self.evaluated_word(word);
                self.emit(Op::ConditionalUnary(*operator));
            }
            Conditional::Unary(operator, word) => {
                self.word(word, Quoting::Raw);
                self.emit(Op::ConditionalUnary(*operator));
            }
            Conditional::Binary(operator, left, right) if operator.is_arithmetic() => {
                self.evaluated_word(left);
                self.emit(Op::PushBuilder);
                self.evaluated_word(right);
                self.emit(Op::ConditionalBinary(*operator));
            }
            Conditional::Binary(operator, left, right) => {
                self.word(left, Quoting::Raw);
                self.emit(Op::PushBuilder);
                self.word(right, Quoting::Raw);
                self.emit(Op::ConditionalBinary(*operator));
            }
        }
    }
}
