//! AST to text, in the layout of bash's `declare -f` and `type`.
//!
//! Words are shown as they stand in the source, without line continuations, with `$'...'` decoded, and with their command
//! substitutions printed anew. Bodies of here-documents wait until the operator after their command is printed. The
//! layout (which `;` is left out after a here-document, where a newline stands) is bash's, so that its output can be
//! compared byte by byte. Recursion is as deep as the tree, which the parser's depth bounds. Simple
//! commands are in `simple.rs`.

mod simple;

use super::ast::{
    AndOr, AndOrOperator, Arithmetic, CaseArm, CaseEnd, Command, CommandKind, Conditional,
    FunctionDefinition, HereDocument, List, Pipeline, Span, Word, WordPart,
};
use super::print_word::WordPrinter;
use crate::memory::Vec;

const STEP: usize = 4;

/// The definition of a function as `declare -f` shows it, without a newline at the end.
pub fn print_function(function: &FunctionDefinition) -> Vec<u8> {
    let mut printer = Printer::new(&function.source);
    printer.put(&function.name);
    printer.put(b" () \n");
    printer.function_body(function.body());
    printer.out
}

/// A command on as few lines as bash shows it on, for `source` as its text.
pub fn print_command(command: &Command, source: &[u8]) -> Vec<u8> {
    let mut printer = Printer::new(source);
    printer.command(command, false);
    printer.flush_here_documents(b"");
    printer.out
}

/// A list, as [`print_command`].
pub fn print_list(list: &List, source: &[u8]) -> Vec<u8> {
    let mut printer = Printer::new(source);
    printer.list(list);
    printer.flush_here_documents(b"");
    printer.out
}

/// Appends text without its line continuations.
pub(super) fn put_joined(out: &mut Vec<u8>, text: &[u8]) {
    let mut bytes = text.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte == b'\\' {
            match bytes.next() {
                Some(b'\n') => {}
                Some(next) => out.extend_from_slice(&[byte, next]),
                None => out.push(byte),
            }
        } else {
            out.push(byte);
        }
    }
}

struct Printer<'a> {
    source: &'a [u8],
    out: Vec<u8>,
    indentation: usize,
    /// So many commands follow their predecessor on its line.
    skip_indent: usize,
    functions: usize,
    connections: usize,
    waiting: Vec<&'a HereDocument>,
    /// A body was printed last: the next `;` is left out.
    after_body: bool,
}

impl<'a> Printer<'a> {
    fn new(source: &'a [u8]) -> Self {
        Self {
            source,
            out: Vec::new(),
            indentation: 0,
            skip_indent: 0,
            functions: 0,
            connections: 0,
            waiting: Vec::new(),
            after_body: false,
        }
    }

    fn put(&mut self, text: &[u8]) {
        self.out.extend_from_slice(text);
    }

    fn indent(&mut self) {
        self.out.resize(self.out.len() + self.indentation, b' ');
    }

    /// The indentation of a command, unless it stays on its line.
    fn begin(&mut self) {
        if self.skip_indent > 0 { self.skip_indent -= 1 } else { self.indent() }
    }

    fn newline(&mut self, text: &[u8]) {
        self.put(b"\n");
        self.indent();
        self.put(text);
    }

    fn semicolon(&mut self) {
        if !matches!(self.out.last(), Some(b'&' | b'\n')) {
            self.put(b";");
        }
    }

    fn text(&self, span: Span) -> &'a [u8] {
        self.source.get(span.start as usize..span.end as usize).unwrap_or(&[])
    }

    fn word(&mut self, word: &Word) {
        WordPrinter { source: self.source }.word(word, &mut self.out);
    }

    /// `operator`, and after it the bodies of the here-documents that wait.
    fn flush_here_documents(&mut self, operator: &[u8]) {
        let shown = !operator.is_empty() && operator != b";";
        if shown {
            self.put(operator);
        }
        if self.waiting.is_empty() {
            return;
        }
        let waiting = std::mem::take(&mut self.waiting);
        self.bodies(&waiting);
        if shown {
            self.put(b" ");
        }
    }

    fn bodies(&mut self, documents: &[&'a HereDocument]) {
        self.put(b"\n");
        for document in documents {
            let source = document.body().source.as_deref().unwrap_or(self.source);
            match document.body().word.parts.as_slice() {
                [WordPart::Quoted(text)] if document.quoted => self.put(text),
                _ => {
                    let span = document.body().word.span;
                    let text = source.get(span.start as usize..span.end as usize).unwrap_or(&[]);
                    put_joined(&mut self.out, text);
                }
            }
            self.put(&document.delimiter);
            self.put(b"\n");
        }
        self.after_body = true;
    }

    fn list(&mut self, list: &'a List) {
        let connected = list.items().len() > 1 || list.items().iter().any(|item| item.background);
        self.connections += usize::from(connected);
        for (index, item) in list.items().iter().enumerate() {
            self.and_or(&item.and_or);
            let last = index + 1 == list.items().len();
            if item.background {
                self.flush_here_documents(b" &");
                if !last {
                    self.put(b" ");
                    self.skip_indent += 1;
                }
            } else if !last {
                // Lists associate to the left, so the list before this separator is complete.
                if index > 0 {
                    self.flush_here_documents(b"");
                }
                self.separator(self.ends_line(item.span.end));
            }
        }
        if connected {
            self.flush_here_documents(b"");
        }
        self.connections -= usize::from(connected);
    }

    /// Whether a command is separated from the next by a newline.
    fn ends_line(&self, mut at: u32) -> bool {
        loop {
            match self.source.get(at as usize) {
                Some(b'\n') => return true,
                Some(b' ' | b'\t') => at += 1,
                Some(b'#') => {
                    let rest = self.source.get(at as usize..).unwrap_or(&[]);
                    return memchr::memchr(b'\n', rest).is_some();
                }
                _ => return false,
            }
        }
    }

    /// Between two commands of a list.
    fn separator(&mut self, line: bool) {
        let line = line && self.functions == 0;
        if !self.waiting.is_empty() {
            self.flush_here_documents(if self.functions > 0 { b"" } else { b";" });
        } else if self.after_body {
            self.after_body = false;
        } else if !line {
            self.put(b";");
        }
        if self.functions > 0 {
            self.put(b"\n");
        } else {
            self.put(if line { b"\n" } else { b" " });
            self.skip_indent += 1;
        }
    }

    fn and_or(&mut self, and_or: &'a AndOr) {
        self.connections += usize::from(!and_or.rest.is_empty());
        self.pipeline(&and_or.first);
        for (index, (operator, pipeline)) in and_or.rest.iter().enumerate() {
            if index > 0 {
                self.flush_here_documents(b"");
            }
            self.flush_here_documents(match operator {
                AndOrOperator::And => b" && ",
                AndOrOperator::Or => b" || ",
            });
            self.skip_indent += 1;
            self.pipeline(pipeline);
        }
        if !and_or.rest.is_empty() {
            self.flush_here_documents(b"");
            self.connections -= 1;
        }
    }

    fn pipeline(&mut self, pipeline: &'a Pipeline) {
        self.begin();
        if let Some(timed) = pipeline.timed {
            self.put(if timed.posix { b"time -p " } else { b"time " });
        }
        if pipeline.negated {
            self.put(b"! ");
        } else if pipeline.stages.is_empty() && pipeline.timed.is_none() {
            // Bash prints nothing, which it cannot read again.
            self.put(b"! ! ");
        }
        let connected = pipeline.stages.len() > 1;
        self.connections += usize::from(connected);
        let mut stderr_too = pipeline.stderr_too.iter();
        let mut stages = pipeline.stages.iter().peekable();
        while let Some(stage) = stages.next() {
            self.skip_indent += 1;
            let merged = stages.peek().is_some() && stderr_too.next().is_some_and(|&merged| merged);
            self.command(stage, merged);
            if stages.peek().is_some() {
                self.flush_here_documents(b" |");
                self.put(b" ");
            }
        }
        if connected {
            self.flush_here_documents(b"");
        }
        self.connections -= usize::from(connected);
    }

    /// A command; `merged`: after it stands `|&`.
    fn command(&mut self, command: &'a Command, merged: bool) {
        self.begin();
        match &command.kind {
            CommandKind::Simple(simple) => return self.simple(simple, &command.redirections, merged),
            CommandKind::BraceGroup(list) => self.brace_group(list),
            CommandKind::Subshell(list) => {
                self.put(b"( ");
                self.skip_indent += 1;
                self.list(list);
                self.flush_here_documents(b"");
                self.put(b" )");
            }
            CommandKind::If { clauses, otherwise } => self.if_clauses(clauses, otherwise.as_ref()),
            CommandKind::While { until, condition, body } => {
                self.put(if *until { b"until " } else { b"while " });
                self.skip_indent += 1;
                self.list(condition);
                self.flush_here_documents(b"");
                self.semicolon();
                self.put(b" do\n");
                self.loop_body(body);
            }
            CommandKind::For { variable, words, body } => {
                self.word_loop(b"for ", variable, words.as_deref(), body);
            }
            CommandKind::Select { variable, words, body } => {
                self.word_loop(b"select ", variable, words.as_deref(), body);
            }
            CommandKind::ArithmeticFor { init, condition, update, body, line: _ } => {
                self.put(b"for ((");
                self.for_expression(init.as_deref());
                self.put(b"; ");
                self.for_expression(condition.as_deref());
                self.put(b"; ");
                self.for_expression(update.as_deref());
                self.put(b"))");
                self.newline(b"do\n");
                self.loop_body(body);
            }
            CommandKind::Case { subject, arms } => self.case(subject, arms),
            CommandKind::Arithmetic(arithmetic) => {
                self.put(b"((");
                let text = self.text(arithmetic.text.span);
                self.put(text);
                self.put(b"))");
            }
            CommandKind::Conditional(conditional) => {
                self.put(b"[[ ");
                self.conditional(conditional);
                self.put(b" ]]");
            }
            CommandKind::Function(function) => {
                self.put(b"function ");
                self.put(&function.name);
                self.put(b" () \n");
                self.function_body(function.body());
                self.after_body = false;
            }
            CommandKind::Coprocess { name, command } => {
                self.put(b"coproc ");
                match name {
                    Some(name) => self.word(name),
                    None => self.put(b"COPROC"),
                }
                self.put(b" ");
                self.skip_indent += 1;
                self.command(command, false);
            }
        }
        if !command.redirections.is_empty() || merged {
            self.put(b" ");
            self.redirections(&command.redirections, merged);
        }
    }

    fn function_body(&mut self, body: &'a Command) {
        self.indent();
        self.put(b"{ \n");
        self.functions += 1;
        self.indentation += STEP;
        match &body.kind {
            CommandKind::BraceGroup(list) => self.list(list),
            _ => self.command(body, false),
        }
        self.flush_here_documents(b"");
        self.functions -= 1;
        self.indentation -= STEP;
        self.newline(b"}");
        if matches!(body.kind, CommandKind::BraceGroup(_)) && !body.redirections.is_empty() {
            self.put(b" ");
            self.redirections(&body.redirections, false);
        }
    }

    fn brace_group(&mut self, list: &'a List) {
        self.put(b"{ ");
        if self.functions == 0 {
            self.skip_indent += 1;
            self.list(list);
            self.flush_here_documents(b"");
            self.semicolon();
            self.put(b" }");
            return;
        }
        self.put(b"\n");
        self.indentation += STEP;
        self.list(list);
        self.flush_here_documents(b"");
        self.indentation -= STEP;
        self.newline(b"}");
    }

    /// An `elif` is an `if` in the `else` part.
    fn if_clauses(&mut self, clauses: &'a [(List, List)], otherwise: Option<&'a List>) {
        let mut nested = 0;
        for (index, (condition, body)) in clauses.iter().enumerate() {
            if index > 0 {
                self.semicolon();
                self.newline(b"else\n");
                self.indentation += STEP;
                self.indent();
                nested += 1;
            }
            self.put(b"if ");
            self.skip_indent += 1;
            self.list(condition);
            self.flush_here_documents(b"");
            self.semicolon();
            self.put(b" then\n");
            self.indented(body);
        }
        if let Some(list) = otherwise {
            self.semicolon();
            self.newline(b"else\n");
            self.indented(list);
        }
        for _ in 0..nested {
            self.semicolon();
            self.newline(b"fi");
            self.indentation -= STEP;
        }
        self.semicolon();
        self.newline(b"fi");
    }

    fn indented(&mut self, list: &'a List) {
        self.indentation += STEP;
        self.list(list);
        self.flush_here_documents(b"");
        self.indentation -= STEP;
    }

    fn loop_body(&mut self, body: &'a List) {
        self.indented(body);
        self.semicolon();
        self.newline(b"done");
    }

    fn word_loop(&mut self, keyword: &[u8], variable: &[u8], words: Option<&[Word]>, body: &'a List) {
        self.put(keyword);
        self.put(variable);
        self.put(b" in ");
        match words {
            Some(words) => self.words(words, b" "),
            None => self.put(b"\"$@\""),
        }
        self.put(b";");
        self.newline(b"do\n");
        self.loop_body(body);
    }

    fn words(&mut self, words: &[Word], between: &[u8]) {
        for (index, word) in words.iter().enumerate() {
            if index > 0 {
                self.put(between);
            }
            self.word(word);
        }
    }

    fn for_expression(&mut self, expression: Option<&Arithmetic>) {
        match expression {
            Some(arithmetic) => {
                let text = self.text(arithmetic.text.span);
                let blanks = text.iter().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
                self.put(text.get(blanks..).unwrap_or(&[]));
            }
            None => self.put(b"1"),
        }
    }

    fn case(&mut self, subject: &Word, arms: &'a [CaseArm]) {
        self.put(b"case ");
        self.word(subject);
        self.put(b" in ");
        self.indentation += STEP;
        for arm in arms {
            self.newline(b"");
            self.words(&arm.patterns, b" | ");
            self.put(b")\n");
            self.indented(&arm.body);
            self.newline(match arm.end {
                CaseEnd::Break => b";;",
                CaseEnd::FallThrough => b";&",
                CaseEnd::Continue => b";;&",
            });
        }
        self.indentation -= STEP;
        self.newline(b"esac");
    }

    fn conditional(&mut self, conditional: &Conditional) {
        match conditional {
            Conditional::And(left, right) => {
                self.conditional(left);
                self.put(b" && ");
                self.conditional(right);
            }
            Conditional::Or(left, right) => {
                self.conditional(left);
                self.put(b" || ");
                self.conditional(right);
            }
            Conditional::Not(inner) => {
                self.put(b"! ");
                self.conditional(inner);
            }
            Conditional::Group(inner) => {
                self.put(b"( ");
                self.conditional(inner);
                self.put(b" )");
            }
            Conditional::Word(word) => {
                self.put(b"-n ");
                self.word(word);
            }
            Conditional::Unary(letter, word) => {
                self.put(&[b'-', *letter, b' ']);
                self.word(word);
            }
            Conditional::Binary(_, left, right) => {
                self.word(left);
                // As it was written: `=` and `==` are one operator.
                let between = Span { start: left.span.end, end: right.span.start, line: 0 };
                let operator = self.text(between).trim_ascii();
                self.put(b" ");
                self.put(operator);
                self.put(b" ");
                self.word(right);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{NoAliases, ParseOptions, Parser};

    fn declared(text: &str) -> String {
        let mut parser = Parser::new(text.as_bytes().into(), 1);
        let list = parser.next_command(&ParseOptions::default(), &NoAliases).unwrap().unwrap();
        let CommandKind::Function(function) = &list.items()[0].and_or.first.stages[0].kind else {
            return String::new();
        };
        String::from_utf8(print_function(function).into_std()).unwrap()
    }

    #[test]
    fn functions_are_laid_out_as_bash_does() {
        assert_eq!(
            declared("f() { echo a   b >x 2>&1; if a; then b; elif c; then d; fi; }"),
            "f () \n{ \n    echo a b > x 2>&1;\n    if a; then\n        b;\n    else\n        if c; then\n            \
             d;\n        fi;\n    fi\n}"
        );
        assert_eq!(declared("function g ( a; b & c ) >x"), "g () \n{ \n    ( a;\n    b & c ) > x\n}");
        assert_eq!(
            declared("h() { case x in (a|b) c;; esac; cat <<-E | d\n\tx\n\tE\n} >&2"),
            "h () \n{ \n    case x in \n        a | b)\n            c\n        ;;\n    esac;\n    cat <<-E |\nx\nE\n  d\n} 1>&2"
        );
    }

    #[test]
    fn a_backslash_at_the_end_of_a_text_does_not_quote_what_is_printed_behind_it() {
        let text = b"echo >x a\\";
        let mut parser = Parser::new(text.as_slice().into(), 1);
        let list = parser.next_command(&ParseOptions::default(), &NoAliases).unwrap().unwrap();
        assert_eq!(String::from_utf8(print_list(&list, text).into_std()).unwrap(), "echo a\\\\ > x");
    }

    #[test]
    fn words_keep_their_quotes_and_lose_continuations() {
        assert_eq!(
            declared("f() { a=( 1   \"2 3\" ) b \\x $'a\\tb' $\"c\" d\\\ne $(  f;g ) `h  i` <&3 <&- ; }"),
            "f () \n{ \n    a=(1 \"2 3\") b \\x 'a\tb' \"c\" de $(f; g) `h  i` 0<&3 0>&-\n}"
        );
    }
}
