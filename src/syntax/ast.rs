//! The grammar's nodes. Every node that can fail at run time carries its line; words carry their span, so that the
//! source text can be shown again (`declare -f`, `set -x`, messages).
//!
//! Names follow the bash manual's section 3 and POSIX XCU 2.10.

use super::error::ParseError;
use super::options::ParseOptions;
use crate::limit::gauge;
use crate::memory::{Arc, Box, Bytes, Few, Vec};
use crate::text::Text;
use std::sync::OnceLock;

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

/// `[@]` or `[*]`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllElements {
    /// `@`: one field each when quoted.
    At,
    /// `*`: joined by the first character of `IFS` when quoted.
    Star,
}

/// The parts of a word. Most words have one, which needs no allocation.
pub type Parts = Few<WordPart>;

/// A word before expansion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Word {
    /// In source order; empty only for an absent word (for example `${x:-}`).
    pub parts: Parts,
    /// Where it stands.
    pub span: Span,
}

/// A piece of a word.
#[derive(Clone, Debug, PartialEq)]
pub enum WordPart {
    /// Unquoted text: subject to brace and pathname expansion. Backslashes and quotes are gone. Text that came from an
    /// array subscript or an extended pattern keeps its brackets and bars.
    Literal(Text),
    /// Text that was quoted by a backslash, `'...'` or `$'...'`; may be empty (`''`).
    Quoted(Text),
    /// `"..."` (and `$"..."`): its parts are `Quoted`, parameters, substitutions and arithmetic. May be empty.
    DoubleQuoted(Vec<WordPart>),
    /// An unquoted tilde-prefix `~name` (without the tilde) where tilde expansion applies: at the start of a word, and in
    /// assignments after `=` and `:`. The text is a login name, `+`, `-`, `+N`, `-N` or empty.
    Tilde(Text),
    /// `$name`, `${...}`
    Parameter(Box<ParameterExpansion>),
    /// `$( )`, `` ` ` ``
    CommandSubstitution(Box<CommandSubstitution>),
    /// `$(( ))`, `$[ ]`
    Arithmetic(Box<Arithmetic>),
    /// `<( )`, `>( )`
    ProcessSubstitution(Box<ProcessSubstitution>),
}

/// `$( list )` or backquotes.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandSubstitution {
    /// What runs.
    pub body: List,
    /// `$(< file)`: the body is one simple command without words and with a single `<` redirection.
    pub reads_file: bool,
    /// Backquotes.
    pub backquoted: bool,
    /// With its delimiters.
    pub span: Span,
    /// What the spans of `body` refer to, when it is not the enclosing source: the text between backquotes without its
    /// backslashes.
    pub source: Option<Bytes>,
    /// Not backquoted, and yet bash parses it when it is expanded: `$((a); b)`, which could have been arithmetic. Its
    /// errors are reported as those of backquotes.
    pub deferred: bool,
    /// Backquotes, `deferred` ones, and substitutions in a here-document are parsed when they are expanded in bash: an error in one
    /// belongs to its expansion and is reported then (status 1, empty result); `body` is what stands before the error.
    pub error: Option<ParseError>,
}

/// `<( list )` or `>( list )`.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessSubstitution {
    /// `>( )`: the command reads what is written to the file.
    pub output: bool,
    /// What runs.
    pub body: List,
    /// With its delimiters.
    pub span: Span,
}

/// `$name` or `${...}`.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterExpansion {
    /// Which parameter.
    pub parameter: Parameter,
    /// `${!name...}`: the value names the parameter.
    pub indirect: bool,
    /// What is done with its value.
    pub operation: ParameterOperation,
    /// With `$` and braces.
    pub span: Span,
}

/// A parameter of the shell.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    /// A variable.
    Variable(Text),
    /// `name[subscript]`
    Element(Text, Box<Subscript>),
    /// `$1`, `${12}`; 0 is `$0`.
    Positional(u32),
    /// One of `@ * # ? - $ !`
    Special(u8),
}

/// Operator of a parameter expansion. Bash manual 3.5.3.
#[derive(Clone, Debug, PartialEq)]
pub enum ParameterOperation {
    /// `$name`, `${name}`
    Value,
    /// `${#name}`
    Length,
    /// `${name-word}` and its kin; `colon`: also when null.
    Default {
        /// `:`
        colon: bool,
        /// Which of `- = ? +`.
        operator: DefaultOperator,
        /// The word after it.
        word: Word,
    },
    /// `${name#pattern}` `${name##pattern}`
    TrimPrefix {
        /// `##`
        longest: bool,
        /// A pattern: quoted parts are literal.
        pattern: Word,
    },
    /// `${name%pattern}` `${name%%pattern}`
    TrimSuffix {
        /// `%%`
        longest: bool,
        /// A pattern.
        pattern: Word,
    },
    /// `${name/pattern/string}`
    Replace {
        /// Which matches.
        scope: ReplaceScope,
        /// A pattern.
        pattern: Word,
        /// `None`: no second `/`.
        replacement: Option<Word>,
    },
    /// `${name^pattern}` and its kin.
    Case {
        /// Which of `^ ^^ , ,, ~ ~~`.
        operator: CaseOperator,
        /// Absent: every character.
        pattern: Option<Word>,
    },
    /// `${name:offset:length}`
    Substring {
        /// Offset.
        offset: Arithmetic,
        /// Length.
        length: Option<Arithmetic>,
    },
    /// `${name@operator}`, operator one of `Q E P A K a k u U L`.
    Transform(u8),
    /// `${!prefix*}`, `${!prefix@}`: `parameter` is `Variable(prefix)`, `indirect` is false.
    Names(AllElements),
    /// `${!name[@]}`, `${!name[*]}`: `parameter` is the `Element`, `indirect` is false.
    Keys(AllElements),
    /// Not a valid expansion; expanding it fails with `${...}: bad substitution` (the text is the span's).
    Bad,
    /// `${name:-word`, which the end of a here-document leaves open: an error when it is expanded.
    Open,
}

/// `-`, `=`, `?` or `+`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultOperator {
    /// `-`
    Use,
    /// `=`
    Assign,
    /// `?`
    Error,
    /// `+`
    Alternative,
}

/// Which matches `${name/...}` replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplaceScope {
    /// `/`: the first
    First,
    /// `//`: all
    All,
    /// `/#`: at the start
    Prefix,
    /// `/%`: at the end
    Suffix,
}

/// Case modification operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseOperator {
    /// `^`
    UpperFirst,
    /// `^^`
    UpperAll,
    /// `,`
    LowerFirst,
    /// `,,`
    LowerAll,
    /// `~`
    ToggleFirst,
    /// `~~`
    ToggleAll,
}

/// An arithmetic expression. Bash expands its text as if in double quotes, then evaluates the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Arithmetic {
    /// The text as a double-quoted word (quotes inside are removed by the expansion).
    pub text: Word,
    /// The parsed expression when the text can be parsed before expansion: it has no substitutions, and `$name`,
    /// `${name}`, `$1`, `$#`, `$?` appear only as whole operands. `None`: expand and parse at run time (also for text with
    /// errors, which bash reports at run time).
    pub expression: Option<Expression>,
}

/// Arithmetic. Bash manual 6.5; operators of C.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A constant, of any base.
    Number(i64),
    /// A variable by name; its value is evaluated as an expression. Unset or null: 0.
    Variable(Text),
    /// `name[subscript]`; the raw subscript text, for associative arrays and for evaluation at run time.
    Element(Text, Box<ElementSubscript>),
    /// `$name`, `${name}`, `$1`, `$#`, `$?` as a whole operand: when its value is not a plain integer (`-?[0-9]+`) the
    /// whole expression is expanded and parsed at run time instead.
    Parameter(Parameter),
    /// `- + ! ~`
    Unary(UnaryOperator, Box<Expression>),
    /// Two operands, both evaluated.
    Binary(Infix, Box<Expression>, Box<Expression>),
    /// A long run of left-associative operators of equal precedence, `a - b + c - d ...`: the first operand, then each
    /// operator with its right operand. Short runs are nested `Binary`; a nest as deep as the run is long would make
    /// evaluation and drop recurse as deep.
    Chain(Box<Expression>, Vec<(Infix, Expression)>),
    /// `&&`
    And(Box<Expression>, Box<Expression>),
    /// `||`
    Or(Box<Expression>, Box<Expression>),
    /// `a ? b : c`
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `=` (`None`) or `op=`. The target is `Variable` or `Element`.
    Assign(Option<Infix>, Box<Expression>, Box<Expression>),
    /// `++x`, `--x`, `x++`, `x--`
    Increment {
        /// `Variable` or `Element`.
        target: Box<Expression>,
        /// 1 or -1.
        by: i64,
        /// `x++`: the value before.
        postfix: bool,
    },
    /// `a, b`
    Comma(Box<Expression>, Box<Expression>),
}

/// A binary operator where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Infix {
    /// The operator.
    pub operator: BinaryOperator,
    /// Offset in the expression of what bash shows as the error token when the right operand is not valid.
    pub token: u32,
}

/// A subscript inside an arithmetic expression.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementSubscript {
    /// The text between the brackets.
    pub text: Text,
    /// Parsed, when it is an expression.
    pub expression: Option<Expression>,
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `-`
    Minus,
    /// `+`
    Plus,
    /// `!`
    Not,
    /// `~`
    Complement,
}

/// Infix operators whose operands are both evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `**`
    Power,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
}

/// The expression of `[[ ]]`. Bash manual 3.2.5.2.
#[derive(Clone, Debug, PartialEq)]
pub enum Conditional {
    /// `a && b`
    And(Box<Conditional>, Box<Conditional>),
    /// `a || b`
    Or(Box<Conditional>, Box<Conditional>),
    /// `! a`
    Not(Box<Conditional>),
    /// `( a )`; kept for printing.
    Group(Box<Conditional>),
    /// `word` alone: not empty.
    Word(Word),
    /// `-x word`; the operator's letter (`v`, `o`, `R`, `z`, `n`, `a`, `e`, `f` ...).
    Unary(u8, Word),
    /// `left op right`
    Binary(ConditionalOperator, Word, Word),
}

/// Binary operators of `[[ ]]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionalOperator {
    /// `==`, `=`: the right side is a pattern.
    Match,
    /// `!=`
    NotMatch,
    /// `=~`: the right side is an extended regular expression; its quoted parts are literal.
    Regex,
    /// `<`
    Before,
    /// `>`
    After,
    /// `-eq`
    Equal,
    /// `-ne`
    NotEqual,
    /// `-lt`
    Less,
    /// `-le`
    LessOrEqual,
    /// `-gt`
    Greater,
    /// `-ge`
    GreaterOrEqual,
    /// `-ef`
    SameFile,
    /// `-nt`
    Newer,
    /// `-ot`
    Older,
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

/// A redirection. Bash manual 3.6.
#[derive(Clone, Debug, PartialEq)]
pub struct Redirection {
    /// The number or variable before the operator.
    pub descriptor: RedirectionDescriptor,
    /// The operator with its target.
    pub kind: RedirectionKind,
    /// Operator and target.
    pub span: Span,
}

/// What stands before a redirection operator.
#[derive(Clone, Debug, PartialEq)]
pub enum RedirectionDescriptor {
    /// Nothing: 0 for input, 1 for output.
    Default,
    /// `3>`
    Number(u32),
    /// `{name}>`
    Variable(Text),
}

/// Operator and target of a redirection.
#[derive(Clone, Debug, PartialEq)]
pub enum RedirectionKind {
    /// `<`
    Read(Word),
    /// `>`
    Write(Word),
    /// `>|`
    Clobber(Word),
    /// `>>`
    Append(Word),
    /// `<>`
    ReadWrite(Word),
    /// `<&word`: a number, `-`, or a number followed by `-`.
    DuplicateInput(Word),
    /// `>&word`; with the default descriptor and a word that is not a number it means `&>`.
    DuplicateOutput(Word),
    /// `&>word`
    BothWrite(Word),
    /// `&>>word`
    BothAppend(Word),
    /// `<<delimiter`, `<<-delimiter`
    HereDocument(Arc<HereDocument>),
    /// `<<<word`
    HereString(Word),
}

impl RedirectionKind {
    /// The target's word, or a here-document's body.
    pub fn word(&self) -> &Word {
        match self {
            Self::Read(word)
            | Self::Write(word)
            | Self::Clobber(word)
            | Self::Append(word)
            | Self::ReadWrite(word)
            | Self::DuplicateInput(word)
            | Self::DuplicateOutput(word)
            | Self::BothWrite(word)
            | Self::BothAppend(word)
            | Self::HereString(word) => word,
            Self::HereDocument(document) => &document.body().word,
        }
    }
}

/// A here-document.
#[derive(Clone, Debug, PartialEq)]
pub struct HereDocument {
    /// The delimiter after quote removal.
    pub delimiter: Text,
    /// The delimiter was quoted: the body is one `Quoted` part. Else its parts are as in double quotes.
    pub quoted: bool,
    /// `<<-`: leading tabs are already removed from the body.
    pub strip_tabs: bool,
    /// The body, once it was read: it begins after the line of the redirection, which the tree holds by then.
    body: OnceLock<HereDocumentBody>,
}

/// The body of a here-document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HereDocumentBody {
    /// Its text with the last newline.
    pub word: Word,
    /// What the spans of `word` refer to, when it is not the enclosing source: the text without the leading tabs.
    pub source: Option<Bytes>,
}

/// The body of a here-document that has none yet.
static NO_BODY: HereDocumentBody = HereDocumentBody {
    word: Word { parts: Parts::new(), span: Span { start: 0, end: 0, line: 0 } },
    source: None,
};

impl HereDocument {
    /// A here-document whose body is not read yet.
    pub(super) const fn new(delimiter: Text, quoted: bool, strip_tabs: bool) -> Self {
        Self { delimiter, quoted, strip_tabs, body: OnceLock::new() }
    }

    /// The body; an empty one when the text ended in an error before it.
    pub fn body(&self) -> &HereDocumentBody {
        self.body.get().unwrap_or(&NO_BODY)
    }

    /// Sets the body, which is read once.
    pub(super) fn set_body(&self, body: HereDocumentBody) {
        let _ = self.body.set(body);
    }
}
