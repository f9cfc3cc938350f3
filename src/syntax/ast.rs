//! The grammar's nodes. Every node that can fail at run time carries its line; words carry their span, so that the
//! source text can be shown again (`declare -f`, `set -x`, messages).
//!
//! Names follow the bash manual's section 3 and POSIX XCU 2.10. Here are commands; words, expressions and redirections are in
//! files of their own.

mod expression;
mod redirection;
mod word;

use super::options::ParseOptions;
use crate::limit::gauge;
use crate::memory::{Arc, Box, Bytes, Vec};
use crate::text::Text;
pub use expression::{
    Arithmetic, BinaryOperator, Conditional, ConditionalOperator, ElementSubscript, Expression, Infix,
    UnaryOperator,
};
pub use redirection::{HereDocument, HereDocumentBody, Redirection, RedirectionDescriptor, RedirectionKind};
use std::sync::OnceLock;
pub use word::{
    AllElements, CaseOperator, CommandSubstitution, DefaultOperator, Parameter, ParameterExpansion,
    ParameterOperation, Parts, ProcessSubstitution, ReplaceScope, Word, WordPart,
};

/// A range of bytes `[start, end)` of the script, and the line (from 1) on which it starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Line of the first byte, from 1.
    pub line: u32,
}

/// Commands separated by `;`, `&` or newlines.
#[derive(Clone, Debug, Default)]
pub struct List {
    items: Vec<ListItem>,
    deferred: Option<Arc<DeferredList>>,
}

/// What was parsed, now or before. A tree that was parsed while memory was refused may lack a part, and other runs share the
/// place that it is kept in: it gets one of its own, and who asks next parses again.
fn kept<'a, T>(whole: &'a OnceLock<T>, partial: &'a OnceLock<T>, parse: impl FnOnce() -> T) -> &'a T {
    if let Some(tree) = whole.get() {
        return tree;
    }
    let tree = parse();
    let place = if gauge::is_refused() { partial } else { whole };
    place.get_or_init(|| tree)
}

impl List {
    /// A list of these.
    pub const fn new(items: Vec<ListItem>) -> Self {
        Self { items, deferred: None }
    }

    pub(super) const fn deferred(list: Arc<DeferredList>) -> Self {
        Self { items: Vec::new(), deferred: Some(list) }
    }

    /// In source order. Parsed now, if the list was skimmed only.
    pub fn items(&self) -> &[ListItem] {
        match &self.deferred {
            Some(list) => kept::<Vec<ListItem>>(&list.parsed, &list.partial, || list.parse().items),
            None => &self.items,
        }
    }

    /// Whether it has no command.
    pub const fn is_empty(&self) -> bool {
        self.items.is_empty() && self.deferred.is_none()
    }

    /// The list, if it was skimmed only.
    pub(crate) const fn as_deferred(&self) -> Option<&Arc<DeferredList>> {
        self.deferred.as_ref()
    }

    /// In source order, without those of a list that was skimmed only.
    pub(crate) fn parsed_items(&self) -> &[ListItem] {
        &self.items
    }

    /// Those that were parsed.
    pub(super) const fn items_mut(&mut self) -> &mut Vec<ListItem> {
        &mut self.items
    }
}

impl PartialEq for List {
    fn eq(&self, other: &Self) -> bool {
        self.items() == other.items()
    }
}

/// A list that is known to be well formed and is not parsed yet.
#[derive(Debug)]
pub(crate) struct DeferredList {
    /// Where it stands in `source`.
    pub(crate) span: Span,
    /// The source of the whole script.
    pub(crate) source: Bytes,
    pub(super) options: ParseOptions,
    parsed: OnceLock<Vec<ListItem>>,
    /// See [`kept`].
    partial: OnceLock<Vec<ListItem>>,
}

impl DeferredList {
    pub(super) const fn new(span: Span, source: Bytes, options: ParseOptions) -> Self {
        Self { span, source, options, parsed: OnceLock::new(), partial: OnceLock::new() }
    }
}

/// One AND-OR list and how it ends.
#[derive(Clone, Debug, PartialEq)]
pub struct ListItem {
    /// What is run.
    pub and_or: AndOr,
    /// Ended by `&`: run asynchronously.
    pub background: bool,
    /// From the first to the last byte of the AND-OR list (without the terminator): the text that `jobs` shows.
    pub span: Span,
}

/// Pipelines joined by `&&` and `||`, of equal precedence and left associative.
#[derive(Clone, Debug, PartialEq)]
pub struct AndOr {
    /// The first pipeline.
    pub first: Pipeline,
    /// The others with the operator before each.
    pub rest: Vec<(AndOrOperator, Pipeline)>,
}

/// `&&` or `||`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AndOrOperator {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined by `|`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// `!` before the pipeline (an even number of `!` is none).
    pub negated: bool,
    /// `time` before the pipeline.
    pub timed: Option<Timed>,
    /// At least one, unless `time` or `!` stands alone: then none.
    pub stages: Vec<Command>,
    /// For each `|` between stages: whether it was `|&` (`stderr` too). One shorter than `stages`.
    pub stderr_too: Vec<bool>,
    /// Line of the first token.
    pub line: u32,
}

/// `time`, or `time -p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timed {
    /// `-p`: POSIX's format.
    pub posix: bool,
}

/// A command with its redirections.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// What kind.
    pub kind: CommandKind,
    /// In source order; for a simple command those among its words, for a compound one those after it.
    pub redirections: Vec<Redirection>,
    /// The whole command in the source.
    pub span: Span,
}

/// Simple and compound commands.
#[derive(Clone, Debug, PartialEq)]
pub enum CommandKind {
    /// `a=1 name words...`
    Simple(Simple),
    /// `{ list; }`
    BraceGroup(List),
    /// `( list )`
    Subshell(List),
    /// `if list; then list; elif ...; fi`: each condition with its body, then the `else` part.
    If {
        /// Conditions and bodies.
        clauses: Vec<(List, List)>,
        /// `else`
        otherwise: Option<List>,
    },
    /// `while` or `until`.
    While {
        /// `until`
        until: bool,
        /// Run before each turn.
        condition: List,
        /// The turn.
        body: List,
    },
    /// `for name in words; do list; done`
    For {
        /// The variable as written (checked at run time as bash does).
        variable: Text,
        /// `None`: no `in`, over the positional parameters.
        words: Option<Vec<Word>>,
        /// The turn.
        body: List,
    },
    /// `for ((a; b; c)); do list; done`
    ArithmeticFor {
        /// Where bash counts it: at the last `for ((` in it, which is itself when there is no other.
        line: u32,
        /// Evaluated once.
        init: Option<Box<Arithmetic>>,
        /// Absent: true.
        condition: Option<Box<Arithmetic>>,
        /// Evaluated after each turn.
        update: Option<Box<Arithmetic>>,
        /// The turn.
        body: List,
    },
    /// `select name in words; do list; done`
    Select {
        /// The variable.
        variable: Text,
        /// `None`: over the positional parameters.
        words: Option<Vec<Word>>,
        /// The turn.
        body: List,
    },
    /// `case word in ... esac`
    Case {
        /// The word that is matched.
        subject: Word,
        /// In source order.
        arms: Vec<CaseArm>,
    },
    /// `(( expression ))`
    Arithmetic(Arithmetic),
    /// `[[ expression ]]`
    Conditional(Conditional),
    /// `name() command`, `function name command`
    Function(Arc<FunctionDefinition>),
    /// `coproc [NAME] command`
    Coprocess {
        /// `None`: COPROC.
        name: Option<Word>,
        /// What runs.
        command: Box<Command>,
    },
}

/// A function: its redirections are those of its body.
#[derive(Debug)]
pub struct FunctionDefinition {
    /// The name as written.
    pub name: Text,
    /// Where the body stands in `source`.
    pub span: Span,
    /// The source of the whole script, for printing words of the body by their spans.
    pub source: Bytes,
    /// Line of the name.
    pub line: u32,
    /// Written with the word `function`.
    pub keyword: bool,
    /// The body was skimmed: these options parse it when it is asked for.
    pub(super) deferred: Option<ParseOptions>,
    body: OnceLock<Box<Command>>,
    /// See [`kept`].
    partial: OnceLock<Box<Command>>,
}

impl FunctionDefinition {
    pub(super) fn new(name: Text, body: Box<Command>, source: Bytes, line: u32, keyword: bool) -> Self {
        let span = body.span;
        Self {
            name,
            span,
            source,
            line,
            keyword,
            deferred: None,
            body: OnceLock::from(body),
            partial: OnceLock::new(),
        }
    }

    /// A function whose body is known to be well formed and is not parsed yet.
    pub(super) fn deferred(
        name: Text,
        span: Span,
        options: ParseOptions,
        source: Bytes,
        line: u32,
        keyword: bool,
    ) -> Self {
        Self {
            name,
            span,
            source,
            line,
            keyword,
            deferred: Some(options),
            body: OnceLock::new(),
            partial: OnceLock::new(),
        }
    }

    /// The body: any compound command.
    pub fn body(&self) -> &Command {
        kept::<Box<Command>>(&self.body, &self.partial, || Box::new(self.parse_body()))
    }

    /// Whether the body was skimmed only.
    pub(crate) fn is_deferred(&self) -> bool {
        self.deferred.is_some()
    }
}

impl PartialEq for FunctionDefinition {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, self.span, &self.source, self.line, self.keyword)
            == (&other.name, other.span, &other.source, other.line, other.keyword)
            && self.body() == other.body()
    }
}

/// A simple command.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Simple {
    /// Before the command word.
    pub assignments: Vec<Assignment>,
    /// The command word and its arguments.
    pub words: Vec<Argument>,
}

/// A word of a simple command; after a declaration builtin (`declare typeset local export readonly`, also after
/// `builtin`/`command`) a word of the form `name=...` is an assignment.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// Any word.
    Word(Word),
    /// `name=value`, `name+=value`, `name[i]=value`, `name=(...)` as an argument of a declaration builtin.
    Assignment(Box<Assignment>),
}

/// `name=value`
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The variable.
    pub name: Text,
    /// `name[subscript]=`
    pub subscript: Option<Subscript>,
    /// `+=`
    pub append: bool,
    /// The value.
    pub value: AssignmentValue,
    /// The whole assignment.
    pub span: Span,
}

/// The right side of an assignment.
#[derive(Clone, Debug, PartialEq)]
pub enum AssignmentValue {
    /// One word, neither split nor expanded to pathnames.
    Scalar(Word),
    /// `( ... )`
    Array(Vec<ArrayElement>),
}

/// `value` or `[subscript]=value` in `name=( ... )`.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayElement {
    /// The subscript, if given.
    pub subscript: Option<Subscript>,
    /// `[i]+=value`
    pub append: bool,
    /// The value; without a subscript it can expand to several fields.
    pub value: Word,
}

/// What stands between `[` and `]`: read as a key when the variable is associative, else as arithmetic.
#[derive(Clone, Debug, PartialEq)]
pub struct Subscript {
    /// `@` or `*` alone.
    pub all: Option<AllElements>,
    /// The word as a key: quotes count, expansions are done.
    pub word: Word,
    /// The same text as an arithmetic expression. Its `text` has no parts when it would have the same as `word` (each
    /// substitution is in the tree once): then `word`, expanded without splitting, is the text to evaluate.
    pub arithmetic: Arithmetic,
}

impl Subscript {
    /// `[]`
    pub fn is_empty(&self) -> bool {
        self.all.is_none() && self.word.span.start == self.word.span.end
    }
}

/// `patterns) list ;;`
#[derive(Clone, Debug, PartialEq)]
pub struct CaseArm {
    /// At least one.
    pub patterns: Vec<Word>,
    /// May be empty.
    pub body: List,
    /// How it ends.
    pub end: CaseEnd,
}

/// `;;`, `;&` or `;;&`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseEnd {
    /// `;;`
    Break,
    /// `;&`: run the next body.
    FallThrough,
    /// `;;&`: test the next patterns.
    Continue,
}
