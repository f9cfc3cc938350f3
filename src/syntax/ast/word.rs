//! Words and what is expanded in them: parameters, substitutions.

use super::{Arithmetic, List, Span, Subscript};
use crate::memory::{Arc, Box, Bytes, Few, Vec};
use crate::syntax::error::ParseError;
use crate::text::Text;

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
    /// What runs; shared with the copies of a word that brace expansion makes.
    pub body: Arc<List>,
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
    /// What runs; shared with the copies of a word that brace expansion makes.
    pub body: Arc<List>,
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
