//! What can be wrong with a script's text, as kinds with the fields that bash's words need. The prefix
//! `bash: line N: ` is the reporter's.

use crate::limit::{Limit, LimitError};
use crate::memory::{Box, JoinText, String, ToMetered, Vec, format};
use crate::syntax::ast::Span;
use crate::text::Text;
use std::fmt;

/// Bytes that aliases may make one complete command copy.
pub(super) const COPY_BUDGET: u64 = 1 << 30;

/// What bash says for each open parenthesis of `[[ ( ... ) ]]`.
const EXPECTED_PARENTHESIS: &str = "expected `)'";

/// A syntax error. One pointer wide, so that results of the parser stay small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError(Box<Fault>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Fault {
    kind: ParseErrorKind,
    line: u32,
    span: Span,
    opened: Option<u32>,
    source_line: Text,
    /// How many parentheses of `[[ ( ... ) ]]` are open: bash complains of each.
    groups: u32,
    /// Status with which a shell ends that is not 2.
    status: Option<u8>,
    /// What bash says of the end of the input after it, and in which line.
    end: Option<(u32, AtEnd)>,
}

/// What the end of the input is in the place where something is not closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtEnd {
    /// Of an array literal.
    Array,
    /// Where a test of `[[ ]]` begins.
    Test,
    /// The operand of a unary operator of `[[ ]]`.
    UnaryArgument,
    /// The second operand of a binary one.
    BinaryArgument,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// A token that the grammar does not have here; `newline` for the end of a line.
    UnexpectedToken(Text),
    /// The input ended inside a compound command.
    UnexpectedEnd,
    /// The input ended inside brackets or quotes; the closing character.
    Unmatched(u8),
    /// `for ((a; b))`: fewer than three expressions. The text from `((` to `))`.
    ArithmeticForRequired(Text),
    /// `for ((a; b; c; d))`: the text from `((` to `))`.
    ArithmeticForSemicolon(Text),
    /// `[[ a b ]]`
    ConditionalBinaryExpected,
    /// `[[ a ; ]]`: a token that is not a word where a binary operator was expected.
    ConditionalBinaryExpectedAt(Text),
    /// `[[ -f ; ]]`, `[[ -f ]]`
    ConditionalUnaryArgument(Text),
    /// `[[ a == ]]`
    ConditionalBinaryArgument(Text),
    /// `[[ ( a ]]`
    ConditionalCloseExpected(Text),
    /// `[[ && a ]]`
    ConditionalTokenNear(Text),
    /// `[[ a ) ]]`
    ConditionalToken(Text),
    /// `[[ -z a b ]]`
    Conditional,
    /// `[[ ]]`, `[[ a && ]]`: bash says nothing.
    ConditionalEmpty,
    /// The input ended before `]]`.
    ConditionalEnd,
    /// A name that cannot be a function's name where the grammar checks it, in POSIX mode.
    InvalidIdentifier(Text),
    /// Nested deeper than allowed; the allowed depth.
    TooDeep(u32),
    /// Aliases grew the text too much.
    AliasTooLong,
    /// Has more words and expansions than may be read; as many may.
    TooLong(u32),
}

impl ParseError {
    pub(super) fn new(kind: ParseErrorKind, span: Span, opened: Option<u32>, source_line: Text) -> Self {
        Self(Box::new(Fault {
            kind,
            line: span.line,
            span,
            opened,
            source_line,
            groups: 0,
            status: None,
            end: None,
        }))
    }

    pub(super) fn at_line(mut self, line: u32) -> Self {
        self.0.line = line;
        self
    }

    /// Something is not closed where the end of the input is that, and in that line: bash tells of it too.
    pub(super) fn ended_at(mut self, line: u32, end: AtEnd) -> Self {
        if self.is_unmatched() {
            self.0.end.get_or_insert((line, end));
        }
        self
    }

    /// The messages about the end of the input that follow the others, each with its line.
    pub(crate) fn ends(&self) -> Vec<(u32, &'static [u8])> {
        let Some((line, end)) = self.0.end else { return Vec::new() };
        let text: &[u8] = match end {
            AtEnd::Array => b"syntax error: unexpected end of file",
            // The number of the end of the input is shown as a byte.
            AtEnd::Test => b"unexpected token `\xff' in conditional command",
            AtEnd::UnaryArgument => b"unexpected argument to conditional unary operator",
            AtEnd::BinaryArgument => b"unexpected argument to conditional binary operator",
        };
        let groups = (0..self.0.groups).map(|_| (self.0.line, EXPECTED_PARENTHESIS.as_bytes()));
        std::iter::once((line, text)).chain(groups).collect()
    }

    /// Found where bash ends with another status than 2; the innermost place counts.
    pub(super) fn with_status(mut self, status: u8) -> Self {
        self.0.status.get_or_insert(status);
        self
    }

    /// The status with which bash ends: 2, 127 for an error inside `$( )`, 1 inside an array literal. `None`: the status
    /// stays as it is (errors of `[[`).
    pub fn status(&self) -> Option<u8> {
        match self.0.kind {
            ParseErrorKind::ConditionalBinaryExpected
            | ParseErrorKind::ConditionalBinaryExpectedAt(_)
            | ParseErrorKind::ConditionalUnaryArgument(_)
            | ParseErrorKind::ConditionalBinaryArgument(_)
            | ParseErrorKind::ConditionalCloseExpected(_)
            | ParseErrorKind::ConditionalTokenNear(_)
            | ParseErrorKind::ConditionalToken(_)
            | ParseErrorKind::Conditional => None,
            _ => Some(self.0.status.unwrap_or(2)),
        }
    }

    /// Whether a quote or a bracket is not closed.
    pub(super) fn is_unmatched(&self) -> bool {
        matches!(self.0.kind, ParseErrorKind::Unmatched(_))
    }

    /// Whether it stands in an array literal: then bash goes on with the next line.
    pub fn is_in_array(&self) -> bool {
        self.0.status == Some(1) && !self.is_unfinished()
    }

    /// Whether more text could make it right: the input ended too early.
    pub fn is_unfinished(&self) -> bool {
        matches!(
            self.0.kind,
            ParseErrorKind::UnexpectedEnd | ParseErrorKind::Unmatched(_) | ParseErrorKind::ConditionalEnd
        )
    }

    /// Found inside a parenthesis of `[[ ]]`.
    pub(super) fn in_conditional_group(mut self) -> Self {
        if matches!(
            self.0.kind,
            ParseErrorKind::ConditionalBinaryExpected
                | ParseErrorKind::ConditionalBinaryExpectedAt(_)
                | ParseErrorKind::ConditionalUnaryArgument(_)
                | ParseErrorKind::ConditionalBinaryArgument(_)
                | ParseErrorKind::ConditionalCloseExpected(_)
                | ParseErrorKind::ConditionalTokenNear(_)
                | ParseErrorKind::ConditionalEmpty
                | ParseErrorKind::Unmatched(_)
        ) {
            self.0.groups += 1;
        }
        self
    }

    /// What is wrong.
    pub fn kind(&self) -> &ParseErrorKind {
        &self.0.kind
    }

    /// The line that bash names.
    pub fn line(&self) -> u32 {
        self.0.line
    }

    /// The token, or the place where the input ended.
    pub fn span(&self) -> Span {
        self.0.span
    }

    /// The line on which the construct began that is not closed, where one is.
    pub fn opened(&self) -> Option<u32> {
        self.0.opened
    }

    /// The line of the source in which the token stands.
    pub fn source_line(&self) -> &Text {
        &self.0.source_line
    }

    /// The limit that was reached, when that is what is wrong.
    pub fn limit(&self) -> Option<LimitError> {
        let allowed = match self.0.kind {
            ParseErrorKind::TooDeep(allowed) => u64::from(allowed),
            ParseErrorKind::TooLong(allowed) => {
                let allowed = u64::from(allowed);
                return Some(LimitError { limit: Limit::ScriptBytes, allowed, line: Some(self.0.line) });
            }
            ParseErrorKind::AliasTooLong => {
                return Some(LimitError {
                    limit: Limit::ScriptBytes,
                    allowed: COPY_BUDGET,
                    line: Some(self.0.line),
                });
            }
            _ => return None,
        };
        Some(LimitError { limit: Limit::SyntaxDepth, allowed, line: Some(self.0.line) })
    }

    /// Bash's words, one entry for each line that it prints, without the prefix `bash: line N: `.
    pub fn message(&self) -> Vec<String> {
        let show = |text: &Text| text.to_string_lossy().into_owned();
        let mut lines = Vec::with_capacity(2);
        match &self.0.kind {
            ParseErrorKind::UnexpectedToken(token) => {
                lines.push(format!("syntax error near unexpected token `{}'", show(token)));
                lines.push(format!("`{}'", show(&self.0.source_line)));
            }
            ParseErrorKind::UnexpectedEnd => lines.push("syntax error: unexpected end of file".to_metered()),
            ParseErrorKind::Unmatched(delimiter) => {
                lines.push(format!("unexpected EOF while looking for matching `{}'", char::from(*delimiter)));
            }
            ParseErrorKind::ArithmeticForRequired(text) => {
                lines.push("syntax error: arithmetic expression required".to_metered());
                lines.push(format!("syntax error: `{}'", show(text)));
            }
            ParseErrorKind::ArithmeticForSemicolon(text) => {
                lines.push("syntax error: `;' unexpected".to_metered());
                lines.push(format!("syntax error: `{}'", show(text)));
            }
            ParseErrorKind::ConditionalBinaryExpected => {
                lines.push("conditional binary operator expected".to_metered());
            }
            ParseErrorKind::ConditionalBinaryExpectedAt(token) => {
                lines.push(format!(
                    "unexpected token `{}', conditional binary operator expected",
                    show(token)
                ));
            }
            ParseErrorKind::ConditionalUnaryArgument(token) => {
                lines.push(format!("unexpected argument `{}' to conditional unary operator", show(token)));
            }
            ParseErrorKind::ConditionalBinaryArgument(token) => {
                lines.push(format!("unexpected argument `{}' to conditional binary operator", show(token)));
            }
            ParseErrorKind::ConditionalCloseExpected(token) => {
                lines.push(format!("unexpected token `{}', expected `)'", show(token)));
            }
            ParseErrorKind::ConditionalTokenNear(token) => {
                lines.push(format!("unexpected token `{}' in conditional command", show(token)));
            }
            ParseErrorKind::ConditionalToken(token) => lines
                .push(format!("syntax error in conditional expression: unexpected token `{}'", show(token))),
            ParseErrorKind::ConditionalEmpty => {}
            ParseErrorKind::ConditionalEnd => {
                lines.push("unexpected EOF while looking for `]]'".to_metered());
            }
            ParseErrorKind::Conditional => lines.push("syntax error in conditional expression".to_metered()),
            ParseErrorKind::InvalidIdentifier(name) => {
                lines.push(format!("`{}': not a valid identifier", show(name)));
            }
            ParseErrorKind::TooDeep(allowed) => {
                lines.push(format!("{} limit of {allowed} reached", Limit::SyntaxDepth.name()));
            }
            ParseErrorKind::AliasTooLong => lines.push("alias expansion is too long".to_metered()),
            ParseErrorKind::TooLong(allowed) => {
                lines.push(format!("more than {allowed} words and expansions"));
            }
        }
        if self.0.end.is_none() {
            lines.extend((0..self.0.groups).map(|_| EXPECTED_PARENTHESIS.to_metered()));
        }
        lines
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.0.line, self.message().join_text(": "))
    }
}

impl std::error::Error for ParseError {}

/// Something that bash reports while it reads a command, and goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseWarning {
    /// The input ended inside a here-document.
    HereDocumentEnd {
        /// Line of the end of the input: the one bash names.
        line: u32,
        /// Line of the redirection.
        opened: u32,
        /// The delimiter that was not found.
        delimiter: Text,
    },
    /// A command substitution ended before the bodies of its here-documents.
    UnterminatedHereDocuments {
        /// Line of the closing parenthesis.
        line: u32,
        /// How many.
        count: u32,
    },
}

impl ParseWarning {
    /// The line that bash names.
    pub fn line(&self) -> u32 {
        match self {
            Self::HereDocumentEnd { line, .. } | Self::UnterminatedHereDocuments { line, .. } => *line,
        }
    }
}

impl ParseWarning {
    /// The same about a text whose lines are counted from one that stands so many before.
    pub(crate) fn shifted_by(mut self, lines: u32) -> Self {
        match &mut self {
            Self::HereDocumentEnd { line, opened, .. } => {
                *line = line.saturating_sub(lines);
                *opened = opened.saturating_sub(lines);
            }
            Self::UnterminatedHereDocuments { line, .. } => *line = line.saturating_sub(lines),
        }
        self
    }
}

impl fmt::Display for ParseWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HereDocumentEnd { opened, delimiter, .. } => write!(
                f,
                "warning: here-document at line {opened} delimited by end-of-file (wanted `{delimiter}')"
            ),
            Self::UnterminatedHereDocuments { count, .. } => {
                let plural = if *count == 1 { "" } else { "s" };
                write!(f, "warning: command substitution: {count} unterminated here-document{plural}")
            }
        }
    }
}

/// An arithmetic expression that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArithmeticError {
    /// What is wrong.
    pub kind: ArithmeticErrorKind,
    /// The rest of the expression from the last token on.
    pub token: Text,
    /// How many bytes of the expression bash shows in front of the message.
    pub shown: usize,
}

/// Kinds of [`ArithmeticError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ArithmeticErrorKind {
    /// An operator without its operand, or a character that starts nothing.
    OperandExpected,
    /// A whole expression followed by something else.
    SyntaxError,
    /// A character that is not an operator after an operand.
    InvalidOperator,
    /// `1 = 2`
    AssignmentToNonVariable,
    /// A parenthesis that is not closed.
    MissingClose,
    /// `1 ? 2`
    ColonExpected,
    /// `1 ? : 2`
    ExpressionExpected,
    /// `08`
    ValueTooGreatForBase,
    /// `99#1`
    InvalidBase,
    /// `1#1#1`
    InvalidNumber,
    /// `16#`
    InvalidIntegerConstant,
    /// `a[`
    BadSubscript,
    /// `++x++`: the second operator's sign.
    LvalueRequired(u8),
    /// `++` without a variable.
    IdentifierExpected,
    /// Nested deeper than allowed; the allowed depth.
    TooDeep(u32),
    /// More of it has to be read than is allowed; the allowed bytes.
    TooLong(u64),
}

impl ArithmeticErrorKind {
    const fn words(self) -> &'static str {
        match self {
            Self::OperandExpected => "syntax error: operand expected",
            Self::SyntaxError => "syntax error in expression",
            Self::InvalidOperator => "syntax error: invalid arithmetic operator",
            Self::AssignmentToNonVariable => "attempted assignment to non-variable",
            Self::MissingClose => "missing `)'",
            Self::ColonExpected => "`:' expected for conditional expression",
            Self::ExpressionExpected => "expression expected",
            Self::ValueTooGreatForBase => "value too great for base",
            Self::InvalidBase => "invalid arithmetic base",
            Self::InvalidNumber => "invalid number",
            Self::InvalidIntegerConstant => "invalid integer constant",
            Self::BadSubscript => "bad array subscript",
            Self::LvalueRequired(b'+') => "++: assignment requires lvalue",
            Self::LvalueRequired(_) => "--: assignment requires lvalue",
            Self::IdentifierExpected => "identifier expected after pre-increment or pre-decrement",
            Self::TooDeep(_) => "expression recursion level exceeded",
            Self::TooLong(_) => "expression too long",
        }
    }
}

impl ArithmeticError {
    /// The limit that was reached, when that is what is wrong.
    pub fn limit(&self) -> Option<LimitError> {
        match self.kind {
            ArithmeticErrorKind::TooDeep(allowed) => {
                Some(LimitError { limit: Limit::SyntaxDepth, allowed: u64::from(allowed), line: None })
            }
            ArithmeticErrorKind::TooLong(allowed) => {
                Some(LimitError { limit: Limit::ExpressionBytes, allowed, line: None })
            }
            _ => None,
        }
    }
}

impl fmt::Display for ArithmeticError {
    /// Bash's words after `bash: line N: EXPRESSION: `.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (error token is \"{}\")", self.kind.words(), self.token)
    }
}

impl std::error::Error for ArithmeticError {}
