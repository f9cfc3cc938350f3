//! Complete commands, lists, AND-OR lists and pipelines. POSIX XCU 2.10; bash manual 3.2.3 and 3.2.4.
//!
//! Bash reads a complete command and runs it before it reads on, so that an error on line 10 does not stop lines 1 to 9,
//! and `alias` and `shopt` change how later lines are read. [`Parser`] hands out one at a time. Lists and pipelines are
//! loops; only brackets of some kind recurse, and each recursion is counted ([`Reader::enter`]).
//!
//! Nodes are built in their place in the parent (`&mut`): returning them by value would put several copies of each on
//! the stack at every level.

#![allow(
    clippy::unnecessary_box_returns,
    clippy::boxed_local,
    reason = "the stack frames of functions that recurse hold pointers, not nodes"
)]

mod list;

use super::ast::{Assignment, Command, CommandKind, DeferredList, FunctionDefinition, List, Simple, Span};
use super::error::{ParseError, ParseWarning};
use super::lexer::{Input, Parsed, Reader};
use super::options::{Aliases, NoAliases, ParseOptions};
use crate::memory::{Bytes, HashMap, Vec};
use crate::text::Text;
use std::cell::Cell;

/// Hands out a script's complete commands.
#[derive(Clone, Debug, Default)]
pub struct Parser {
    source: Bytes,
    offset: usize,
    line: u32,
    warnings: Vec<ParseWarning>,
    translatable: Vec<(u32, Text)>,
    /// See [`Parser::set_effort`].
    effort: Option<u32>,
    spent: u32,
}

impl Parser {
    /// A parser at the beginning of `source`, which is line `first_line` of the script. Sources from 4 GiB are cut.
    pub fn new(source: Bytes, first_line: u32) -> Self {
        Self { source, line: first_line, ..Self::default() }
    }

    /// A parser that goes on where another stood: at `offset`, which is on `line`.
    pub fn resume(source: Bytes, offset: usize, line: u32) -> Self {
        Self { source, offset, line, ..Self::default() }
    }

    /// The next complete command, up to the newline that ends it, with its here-documents. `None` at the end.
    ///
    /// # Errors
    /// The first error of the command. Bash does not read on after one; neither should the caller.
    pub fn next_command(
        &mut self,
        options: &ParseOptions,
        aliases: &dyn Aliases,
    ) -> Result<Option<List>, ParseError> {
        let end = self.source.len().min(u32::MAX as usize);
        let input = Input { source: self.source.clone(), pos: self.offset.min(end), end, line: self.line };
        let mut reader = Reader::new(input, options, aliases);
        reader.effort = self.effort;
        let result = reader.complete_command().map_err(|error| reader.after_here_documents(error));
        self.offset = reader.input.pos;
        self.line = reader.input.line;
        self.warnings.append(&mut reader.warnings);
        self.translatable = std::mem::take(&mut reader.translatable);
        self.spent = reader.spent.get();
        let list = result?;
        self.source = reader.input.source;
        Ok(list)
    }

    /// Goes on after the line on which the last error was found.
    pub fn skip_line(&mut self) {
        let rest = self.source.get(self.offset..).unwrap_or(&[]);
        let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        self.line = self.line.saturating_add(u32::from(length < rest.len() || rest.ends_with(b"\n")));
        self.offset = self.offset.saturating_add(length);
    }

    /// Where the next command begins, in [`Parser::source`].
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The line on which the next command begins.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// The text that the spans of the last command refer to. Expanding an alias makes a new one.
    pub fn source(&self) -> &Bytes {
        &self.source
    }

    /// How many words, simple commands and expansions one complete command may have; more is an error
    /// ([`ParseErrorKind::TooLong`](super::error::ParseErrorKind::TooLong)). Time for a command is in proportion to them.
    pub fn set_effort(&mut self, allowed: Option<u32>) {
        self.effort = allowed;
    }

    /// How many words, simple commands and expansions the last complete command had.
    pub fn spent(&self) -> u32 {
        self.spent
    }

    /// Takes the texts of `$"..."` of the last command, with their lines.
    pub fn take_translatable(&mut self) -> Vec<(u32, Text)> {
        std::mem::take(&mut self.translatable)
    }

    /// Takes the warnings of the commands so far. Bash prints each before it runs the command.
    pub fn take_warnings(&mut self) -> Vec<ParseWarning> {
        std::mem::take(&mut self.warnings)
    }
}

/// Parses what was skimmed, from `span`. What the skimmer accepts, the parser accepts too, to the same end.
fn parse_skimmed(
    source: &Bytes,
    span: Span,
    options: &ParseOptions,
    parse: impl FnOnce(&mut Reader<'_>) -> Parsed<()>,
) {
    let (start, end) = (span.start as usize, span.end as usize);
    let input = Input { source: source.clone(), pos: start, end, line: span.line };
    let mut reader = Reader::new(input, options, &NoAliases);
    let parsed = parse(&mut reader);
    debug_assert!(
        parsed.is_ok() && reader.input.pos == end || crate::limit::gauge::is_refused(),
        "skimmed, but not parsed"
    );
}

impl DeferredList {
    /// Parses it anew; for a program that keeps no tree.
    pub(crate) fn parse(&self) -> List {
        parse_list(&self.source, self.span, &self.options)
    }
}

/// An argument that has the form of an assignment, as one.
pub(crate) fn parse_assignment(source: &Bytes, span: Span) -> Option<Assignment> {
    let options = ParseOptions { extglob: true, ..ParseOptions::default() };
    let (start, end) = (span.start as usize, span.end as usize);
    let input = Input { source: source.clone(), pos: start, end, line: span.line };
    let mut reader = Reader::new(input, &options, &NoAliases);
    let list = reader.complete_command().ok()??;
    match &list.items().first()?.and_or.first.stages.first()?.kind {
        CommandKind::Simple(simple) => simple.assignments.first().cloned(),
        _ => None,
    }
}

impl FunctionDefinition {
    /// Parses the body anew; for a function that keeps none.
    pub(crate) fn parse_body(&self) -> Command {
        parse_body(&self.source, self.span, &self.deferred.unwrap_or_default())
    }
}

/// The body of a function.
fn parse_body(source: &Bytes, span: Span, options: &ParseOptions) -> Command {
    let mut command = empty_command(span);
    parse_skimmed(source, span, options, |reader| reader.compound(&mut command));
    command.span.end = span.end;
    command
}

/// A list.
fn parse_list(source: &Bytes, span: Span, options: &ParseOptions) -> List {
    let mut list = List::default();
    parse_skimmed(source, span, options, |reader| reader.compound_list(&mut list));
    list
}

/// An empty command in its place, to be filled.
pub(super) fn empty_command(span: Span) -> Command {
    Command { kind: CommandKind::Simple(Simple::default()), redirections: Vec::new(), span }
}

// Large temporaries stay out of the frames of functions that recurse.

impl<'a> Reader<'a> {
    fn new(input: Input, options: &'a ParseOptions, aliases: &'a dyn Aliases) -> Self {
        Self {
            input,
            options,
            aliases,
            depth: 0,
            effort: None,
            spent: Cell::new(0),
            stalled: (usize::MAX, 0),
            loops: 0,
            arithmetic_for_line: 0,
            substitutions: 0,
            pending: Vec::new(),
            in_body: false,
            warnings: Vec::new(),
            translatable: Vec::new(),
            active_aliases: Vec::new(),
            assigns: false,
            alias_blank: usize::MAX,
            alias_copied: 0,
            salvage: HashMap::default(),
            closes: HashMap::default(),
        }
    }
}

impl Reader<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::ParseErrorKind;
    use crate::syntax::ast::{Argument, RedirectionKind, WordPart};
    use crate::text::Text;
    use std::cell::RefCell;
    use std::collections::HashMap;

    /// All commands, and the message of the error that ended them.
    fn parse(text: &str) -> (Vec<List>, Vec<String>) {
        parse_with(text, ParseOptions::default(), &NoAliases)
    }

    fn parse_with(text: &str, options: ParseOptions, aliases: &dyn Aliases) -> (Vec<List>, Vec<String>) {
        let mut parser = Parser::new(text.as_bytes().into(), 1);
        let mut lists = Vec::new();
        loop {
            match parser.next_command(&options, aliases) {
                Ok(Some(list)) => lists.push(list),
                Ok(None) => return (lists, Vec::new()),
                Err(error) => {
                    let line = error.line();
                    return (lists, error.message().iter().map(|text| format!("{line}: {text}")).collect());
                }
            }
        }
    }

    /// What ends a loop of the grammar that forgets to read on.
    #[test]
    fn a_reader_that_stands_still_comes_to_its_end() {
        let source = crate::memory::Bytes::from("a b");
        let input = Input { end: source.len(), source, pos: 0, line: 1 };
        let options = ParseOptions::default();
        let mut reader = Reader::new(input, &options, &NoAliases);
        let stands = (0..1_000_000).take_while(|_| {
            reader.skip_blanks();
            reader.byte().is_some()
        });
        assert!((1000..100_000).contains(&stands.count()));
    }

    fn words(list: &List) -> Vec<String> {
        let CommandKind::Simple(simple) = &list.items()[0].and_or.first.stages[0].kind else {
            return Vec::new();
        };
        let show = |word: &Argument| match word {
            Argument::Word(word) => word
                .parts
                .iter()
                .map(|part| match part {
                    WordPart::Literal(text) => text.to_string(),
                    WordPart::Quoted(text) => format!("<{text}>"),
                    WordPart::Tilde(text) => format!("~{{{text}}}"),
                    other => format!("{other:?}").chars().take_while(char::is_ascii_alphabetic).collect(),
                })
                .collect(),
            Argument::Assignment(assignment) => format!("{}=", assignment.name),
        };
        simple.words.iter().map(show).collect()
    }

    #[test]
    fn commands_before_an_error_are_handed_out() {
        let (lists, message) = parse("a\nb; c\nfi\n");
        assert_eq!(lists.len(), 2);
        assert_eq!(message, ["3: syntax error near unexpected token `fi'", "3: `fi'"]);
    }

    #[test]
    fn messages_are_those_of_bash() {
        for (text, message) in [
            ("if a", &["2: syntax error: unexpected end of file"][..]),
            ("if a\n", &["2: syntax error: unexpected end of file"]),
            (":\necho \"a\nb\n", &["2: unexpected EOF while looking for matching `\"'"]),
            ("echo $(a\n", &["2: unexpected EOF while looking for matching `)'"]),
            ("echo ${a\n", &["1: unexpected EOF while looking for matching `}'"]),
            ("a ;; b\n", &["1: syntax error near unexpected token `;;'", "1: `a ;; b'"]),
            ("a >\n", &["1: syntax error near unexpected token `newline'", "1: `a >'"]),
            (
                "for x in a; done\n",
                &["1: syntax error near unexpected token `done'", "1: `for x in a; done'"],
            ),
            ("[[ a b ]]\n", &["1: conditional binary operator expected"]),
            ("[[ -f ; ]]\n", &["1: unexpected argument `;' to conditional unary operator"]),
            ("[[ a ; b ]]\n", &["1: unexpected token `;', conditional binary operator expected"]),
            ("[[ a ) ]]\n", &["1: syntax error in conditional expression: unexpected token `)'"]),
            ("[[ ( a b ) ]]\n", &["1: conditional binary operator expected", "1: expected `)'"]),
            ("[[ ]]\n", &[]),
            (
                "for ((i=0;i<1)); do :; done\n",
                &["1: syntax error: arithmetic expression required", "1: syntax error: `((i=0;i<1))'"],
            ),
        ] {
            assert_eq!(parse(text).1, message, "{text}");
        }
    }

    #[test]
    fn quoted_and_unquoted_text_stay_apart() {
        let (lists, _) = parse("echo {a,\"b,c\"} a\\ b'c'$'\\t' ~/x ~u: a=~:~ \\\n {x,\\}\n");
        assert_eq!(
            words(&lists[0]),
            ["echo", "{a,DoubleQuoted}", "a< >b<c\t>", "~{}/x", "~{u}:", "a=~{}:~{}", "{x,<}>"]
        );
    }

    #[test]
    fn here_documents_of_one_line_follow_in_order() {
        let (lists, message) = parse("cat <<A - <<-'B'; b\n$x\nA\n\t$y\n\tB\nc\n");
        assert_eq!((lists.len(), message.len()), (2, 0));
        let command = &lists[0].items()[0].and_or.first.stages[0];
        let bodies: Vec<_> = command
            .redirections
            .iter()
            .filter_map(|redirection| match &redirection.kind {
                RedirectionKind::HereDocument(document) => {
                    Some((document.quoted, document.body().word.parts.clone()))
                }
                _ => None,
            })
            .collect();
        assert!(matches!(&bodies[0], (false, parts) if matches!(parts[0], WordPart::Parameter(_))));
        assert_eq!(bodies[1], (true, crate::memory::Few::from([WordPart::Quoted(Text::from("$y\n"))])));
    }

    #[derive(Default)]
    struct Table(HashMap<&'static str, &'static str>, RefCell<usize>);

    impl Aliases for Table {
        fn alias(&self, name: &[u8]) -> Option<Text> {
            *self.1.borrow_mut() += 1;
            self.0.get(std::str::from_utf8(name).ok()?).map(|&text| Text::from(text))
        }
    }

    #[test]
    fn aliases_replace_command_words() {
        let options = ParseOptions { expand_aliases: true, ..ParseOptions::default() };
        let table = Table(
            HashMap::from([
                ("ls", "ls -l"),
                ("a", "b "),
                ("b", "a x"),
                ("i", "if"),
                ("q", "echo 'x"),
                ("s", "sudo "),
            ]),
            RefCell::default(),
        );
        let shown = |text: &str| parse_with(text, options, &table).0.first().map(words).unwrap_or_default();
        assert_eq!(shown("ls ls"), ["ls", "-l", "ls"]);
        assert_eq!(shown("s ls q"), ["sudo", "ls", "-l", "q"]);
        assert_eq!(shown("q y'"), ["echo", "<x y>"]);
        assert_eq!(shown("\\ls"), ["<l>s"]);
        assert_eq!(parse_with("i a; then b; fi\n", options, &table).1, [""; 0]);
    }

    const NASTY: &[&str] = &[
        "f() { cat <<A <<-'B' >x 2>&1 {fd}<&-; }; a[${b[\"$(c `d \\`e\\``)\"]}]=(\"x\" [i+1]=$'\\u00e9\\x41' ~/y)\n$((1+$x))$(y)\nA\n\tB\n",
        "case \"$x\" in (a|*.[ch]) if ((x[1] > 2)); then :; fi ;;& b) ;& esac; for ((i=0; i<3; i++)) { echo $i; }\n",
        "[[ ! ( -f \"$a\" && b == @(c|d*) ) || $x =~ ^(a|\"b c\")[[:space:]]+$ ]] && ! time -p a |& b || coproc X { c; }\n",
        "echo \"${a:-${b#'}'}}\" ${x/\\//\"/\"} ${!p@} ${#a[@]} ${x: -1:$((2))} ${x^^[a-z]} $((a) ; (b)) $(( (1) )) <(a) >(b)\n",
        "select x in \"$@\"; do break; done <<<\"a\" | while read -r l; do a=b c+=d declare e=(f) ; done & # end\n",
        "declare -A m=([\"a b\"]=$[1+2] [c]+=d); function g { h; } >&2; until a; do b \\\n c; done; {a,b}>c <>d &>>e",
    ];

    #[test]
    fn no_prefix_of_a_script_panics() {
        for extglob in [false, true] {
            let options = ParseOptions { extglob, ..ParseOptions::default() };
            for text in NASTY {
                let whole = parse_with(text, options, &NoAliases);
                assert!(whole.1.is_empty() || !extglob, "{text}: {:?}", whole.1);
                for end in 0..text.len() {
                    let mut parser = Parser::new(text.as_bytes()[..end].into(), 1);
                    while let Ok(Some(_)) = parser.next_command(&options, &NoAliases) {}
                }
                for hole in 0..text.len() {
                    for byte in b"\"'`$(){}[]\\\n;&|<>#= \xff" {
                        let mut bytes = text.as_bytes().to_vec();
                        bytes[hole] = *byte;
                        let mut parser = Parser::new(bytes.as_slice().into(), 1);
                        while let Ok(Some(_)) = parser.next_command(&options, &NoAliases) {}
                    }
                }
            }
        }
    }

    #[test]
    fn what_nests_too_deep_is_a_limit() {
        let text = "(".repeat(300) + "a" + &";b)".repeat(300);
        let mut parser = Parser::new(text.as_bytes().into(), 1);
        let error = parser.next_command(&ParseOptions::default(), &NoAliases).unwrap_err();
        assert_eq!(error.kind(), &ParseErrorKind::TooDeep(200));
        assert_eq!(error.limit().map(|limit| limit.allowed), Some(200));
    }
}
