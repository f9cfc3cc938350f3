//! Expressions: arithmetic ones, and those of `[[`.

use super::{Parameter, Word};
use crate::memory::{Box, Vec};
use crate::text::Text;

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

impl ConditionalOperator {
    /// Whether both sides are arithmetic expressions.
    pub const fn is_arithmetic(self) -> bool {
        use ConditionalOperator::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        matches!(self, Equal | NotEqual | Less | LessOrEqual | Greater | GreaterOrEqual)
    }
}
