//! The compiled program: operations of a stack machine. Jumps are indexes into the code.

use super::value::Value;
use crate::memory::Vec;
use crate::utility::regex::Regex;

/// A variable: a slot of the program, or of the function that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Var {
    Global(u32),
    Local(u32),
}

/// What is assigned to; subscript or field number are on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Var(Var),
    Field,
    Element(Var),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
}

/// Where `getline` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Main,
    File,
    Command,
}

/// Where `print` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Redirect {
    Stdout,
    File,
    Append,
    Command,
}

macro_rules! functions {
    ($($kind:ident $name:literal $least:literal $most:literal;)*) => {
        /// A function of the language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Function { $($kind,)* }

        impl Function {
            pub(super) fn named(name: &[u8]) -> Option<Self> {
                $(if name == $name.as_bytes() { return Some(Self::$kind); })*
                None
            }

            pub(super) const fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }

            /// How many arguments it takes.
            pub(super) const fn arguments(self) -> (usize, usize) {
                match self { $(Self::$kind => ($least, $most),)* }
            }
        }
    };
}

functions! {
    And "and" 2 100;
    Asort "asort" 1 3;
    Asorti "asorti" 1 3;
    Atan2 "atan2" 2 2;
    Close "close" 1 2;
    Compl "compl" 1 1;
    Cos "cos" 1 1;
    Exp "exp" 1 1;
    Fflush "fflush" 0 1;
    Gensub "gensub" 3 4;
    Gsub "gsub" 2 3;
    Index "index" 2 2;
    Int "int" 1 1;
    IsArray "isarray" 1 1;
    Length "length" 0 1;
    Log "log" 1 1;
    Lshift "lshift" 2 2;
    Match "match" 2 3;
    Mktime "mktime" 1 2;
    Or "or" 2 100;
    Patsplit "patsplit" 2 4;
    Rand "rand" 0 0;
    Rshift "rshift" 2 2;
    Sin "sin" 1 1;
    Split "split" 2 4;
    Sprintf "sprintf" 1 10000;
    Sqrt "sqrt" 1 1;
    Srand "srand" 0 1;
    Strftime "strftime" 0 3;
    Strtonum "strtonum" 1 1;
    Sub "sub" 2 3;
    Substr "substr" 2 3;
    System "system" 1 1;
    Systime "systime" 0 0;
    Tolower "tolower" 1 1;
    Toupper "toupper" 1 1;
    TypeOf "typeof" 1 1;
    Xor "xor" 2 100;
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Op {
    /// Pushes a constant.
    Constant(u32),
    /// Pushes a regular expression for a function or `~`.
    Regex(u32),
    /// Pushes whether `$0` matches.
    MatchRecord(u32),
    /// Pushes the value of a variable.
    Load(Var),
    /// Pushes a variable as an argument: an array, a value, or what may become an array.
    Argument(Var),
    /// Pushes a variable's array, made where there is none, as the argument of that index.
    Array(Var, Function, u8),
    /// Pops a field number, pushes the field.
    LoadField,
    /// Pushes the field of that number.
    Field(u32),
    /// Pops a subscript, pushes the element, made where there is none.
    LoadElement(Var),
    /// As `LoadElement`; a new element has no type.
    ElementArgument(Var),
    /// The argument of that index is not an array: ends the program.
    NoArray(Function, u8),
    /// Changes the two values on top of the stack for each other.
    Swap,
    /// Pops a value, and what the place needs; pushes the value.
    Store(Place),
    /// As `Store`, with the outcome of the operation on the old value and the one popped.
    Update(Place, Binary),
    /// Adds ±1; pushes the new number, or the old one.
    Step {
        place: Place,
        delta: i8,
        gives_old: bool,
    },
    /// Pops texts, joins them, appends them to the variable and pushes that.
    Append(Var, u32),
    Binary(Binary),
    Compare(Comparison),
    /// Pops so many values and pushes their texts joined.
    Concatenate(u32),
    /// As `Concatenate`, with `SUBSEP` between.
    Subscripts(u32),
    /// Pops a pattern and a text, pushes whether they match (or not).
    Match {
        is_negated: bool,
    },
    /// Pops a subscript, pushes whether the array has it.
    In(Var),
    Not,
    Negate,
    /// Makes a number of the top.
    Number,
    /// Makes 0 or 1 of the top.
    Truth,
    Pop,
    /// Pushes the top once more.
    Duplicate,
    /// Pops whether a case applies; if it does, pops the value that was compared too, and jumps.
    JumpCase(u32),
    Jump(u32),
    /// Pops; jumps if false (or true).
    JumpIfFalse(u32),
    JumpIfTrue(u32),
    /// Calls a function of the program with so many arguments.
    Call(u32, u32),
    /// Leaves a function; the value is on the stack.
    Return,
    /// Calls a function of the language with so many arguments.
    Function(Function, u32),
    /// `sub`, `gsub`: pops target's value where it is none that can be assigned, replacement, pattern, and what the place
    /// needs.
    Substitute {
        is_global: bool,
        place: Option<Place>,
    },
    /// `getline`: pops what the place and the source need.
    Getline(Source, Option<Place>),
    /// Pops the target of a redirection, then so many values.
    Print(u32, Redirect),
    Printf(u32, Redirect),
    /// Deletes all elements.
    Delete(Var),
    /// Pops a subscript.
    DeleteElement(Var),
    /// Begins to go through an array's subscripts.
    ForIn(Var),
    /// Pushes the next subscript, or jumps when there is none.
    ForNext(u32),
    ForEnd,
    Next,
    NextFile,
    /// Whether a status is on the stack.
    Exit(bool),
    /// Jumps if the range has begun.
    RangeIsOpen(u32, u32),
    SetRange(u32, bool),
    /// A part of the program is done.
    Done,
}

impl Op {
    /// Whether it changes more than the stack, so that it matters what is evaluated before it.
    pub(super) const fn has_effects(&self) -> bool {
        match self {
            Self::Store(_)
            | Self::Update(..)
            | Self::Step { .. }
            | Self::Append(..)
            | Self::Call(..)
            | Self::Substitute { .. }
            | Self::Getline(..) => true,
            Self::Function(function, _) => matches!(
                function,
                Function::Asort
                    | Function::Asorti
                    | Function::Close
                    | Function::Match
                    | Function::Patsplit
                    | Function::Rand
                    | Function::Split
                    | Function::Srand
                    | Function::System
            ),
            _ => false,
        }
    }
}

/// A function of the program.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) name: Vec<u8>,
    /// Parameters and so local variables.
    pub(super) parameters: Vec<Vec<u8>>,
    /// `None`: called, and not defined.
    pub(super) entry: Option<u32>,
}

/// Slots of the variables that mean something, in this order.
pub(super) const SPECIAL: &[&str] = &[
    "NF",
    "NR",
    "FNR",
    "FS",
    "OFS",
    "ORS",
    "RS",
    "FILENAME",
    "SUBSEP",
    "RSTART",
    "RLENGTH",
    "CONVFMT",
    "OFMT",
    "ENVIRON",
    "ARGC",
    "ARGV",
    "RT",
    "PROCINFO",
    "ERRNO",
    "ARGIND",
    "IGNORECASE",
    "FIELDWIDTHS",
    "FPAT",
];
pub(super) const NF: u32 = 0;
pub(super) const NR: u32 = 1;
pub(super) const FNR: u32 = 2;
pub(super) const FS: u32 = 3;
pub(super) const OFS: u32 = 4;
pub(super) const ORS: u32 = 5;
pub(super) const RS: u32 = 6;
pub(super) const FILENAME: u32 = 7;
pub(super) const SUBSEP: u32 = 8;
pub(super) const RSTART: u32 = 9;
pub(super) const RLENGTH: u32 = 10;
pub(super) const CONVFMT: u32 = 11;
pub(super) const OFMT: u32 = 12;
pub(super) const ENVIRON: u32 = 13;
pub(super) const ARGC: u32 = 14;
pub(super) const ARGV: u32 = 15;
pub(super) const RT: u32 = 16;
pub(super) const PROCINFO: u32 = 17;
pub(super) const ERRNO: u32 = 18;
pub(super) const ARGIND: u32 = 19;
pub(super) const IGNORECASE: u32 = 20;
pub(super) const FIELDWIDTHS: u32 = 21;
pub(super) const FPAT: u32 = 22;

/// A whole program.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) code: Vec<Op>,
    /// The line of each operation.
    pub(super) lines: Vec<u32>,
    pub(super) constants: Vec<Value>,
    pub(super) regexes: Vec<Regex>,
    /// What they were compiled from.
    pub(super) regex_sources: Vec<Vec<u8>>,
    /// Names of the variables of the program, by slot.
    pub(super) globals: Vec<Vec<u8>>,
    pub(super) functions: Vec<Definition>,
    pub(super) ranges: u32,
    /// Bytes after a backslash in expressions of which gawk has warned.
    pub(super) warned_escapes: Vec<u8>,
    /// The program names `PROCINFO`.
    pub(super) asks_about_process: bool,
    pub(super) begin: Option<u32>,
    /// BEGINFILE and ENDFILE.
    pub(super) begin_file: Option<u32>,
    pub(super) end_file: Option<u32>,
    pub(super) main: Option<u32>,
    pub(super) end: Option<u32>,
}
