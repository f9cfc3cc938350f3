//! The operations that a program is made of, each with its effect in a line.
//!
//! State that they act on: the *builder* (the word that is being expanded, with each byte's quoting), a stack of suspended
//! builders, *fields* (the finished words of the command), *numbers* (arithmetic results), *subscripts*, *targets*
//! (resolved parameters), and the frames. `Pc` operands are positions in [`super::Program::code`].

use crate::syntax::ast::{AllElements, CaseOperator, ConditionalOperator, ReplaceScope};

/// A position in the code.
pub(crate) type Pc = u32;
/// Index into a table of the program: texts, names, parameters ...
pub(crate) type Index = u32;

/// How appended text is treated at the end of the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quoting {
    /// Within quotes: neither split nor special in patterns.
    Quoted,
    /// The same in a here-document, where `$*` is joined with blanks.
    Document,
    /// Unquoted where fields are made: split at `IFS`, special in patterns.
    Split,
    /// Unquoted where no fields are made (assignments, patterns): not split, special in patterns.
    Raw,
}

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    // Words: append to the builder.
    /// Appends unquoted text that is not subject to field splitting.
    Literal(Index),
    /// Appends unquoted text that is subject to field splitting (inside `${x:-...}`).
    LiteralSplit(Index),
    /// Appends quoted text (may be empty: the field exists).
    Quoted(Index),
    /// Appends the expansion of a tilde-prefix.
    Tilde(Index),
    /// As `Tilde`, of one inside a word (`x=~`): in POSIX mode there are none.
    InnerTilde(Index),
    /// Appends the value of a variable (`$name`).
    Variable { name: Index, quoting: Quoting },
    /// Resolves a parameter (popping its subscript, following `!`) and pushes it as a target.
    Target(Index),
    /// Pops a target and appends its value or values.
    Value { quoting: Quoting },
    /// Pops a target and appends its length.
    Length { quoting: Quoting },
    /// `${#name[subscript]}`: where the variable is unset appends 0 and jumps: the subscript is not looked at.
    UnlessDeclared { name: Index, quoting: Quoting, end: Pc },
    /// Target set (and not null): pops it, appends its value and jumps. Otherwise goes on; `keep` leaves the target.
    UseValue { colon: bool, quoting: Quoting, keep: bool, end: Pc },
    /// Pops a target; not set (or null): jumps.
    SkipUnlessSet { colon: bool, quoting: Quoting, end: Pc },
    /// Pops the builder and a target: assigns the text, appends it.
    AssignDefault { quoting: Quoting },
    /// Pops the builder and a target: fails with the text as the message.
    ErrorUnset { colon: bool, given: bool },
    /// Before the words of an operator are expanded: where the target has no value (or, with `null`, a value without
    /// text) pops it and jumps.
    SkipWords { null: bool, slice: bool, end: Pc },
    /// Between the two expressions of `${x:offset:length}`: when the offset is out of range pops both and jumps.
    SkipLength { end: Pc },
    /// Pops a pattern (a constant, or the builder) and a target: appends the values without the match.
    Trim { prefix: bool, longest: bool, quoting: Quoting, pattern: Option<std::num::NonZeroU32> },
    /// Pops builders (replacement if any, then pattern) and a target: appends the values with matches replaced.
    Replace { scope: ReplaceScope, replacement: bool, quoting: Quoting },
    /// Pops a builder if `pattern`, and a target: appends the values with changed case.
    ChangeCase { operator: CaseOperator, pattern: bool, quoting: Quoting },
    /// Pops numbers (length, if any: its text; offset) and a target: appends the substring or slice.
    Substring { length: Option<Index>, quoting: Quoting },
    /// Pops a target: appends `${x@operator}`.
    Transform { operator: u8, quoting: Quoting },
    /// Appends the names of variables that begin with a text.
    Names { prefix: Index, all: AllElements, quoting: Quoting },
    /// Pops a target (an array): appends its subscripts.
    Keys { all: AllElements, quoting: Quoting },
    /// Fails: `text: bad substitution`; `fatal`: the shell ends.
    BadSubstitution { text: Index, fatal: bool },
    /// Fails: a backquote in the text is not closed.
    OpenBackquote(Index),
    /// Fails: a brace of an expansion in the text is not closed.
    OpenBrace(Index),
    /// Fails: an element that the text shows is assigned a list.
    ListToElement(Index),
    /// A name is not valid: says so, status 1.
    InvalidIdentifier(Index),
    /// Suspends the builder and starts an empty one.
    PushBuilder,
    /// Pops a number and appends it.
    AppendNumber { quoting: Quoting },

    // Subscripts.
    /// Jumps when the variable is associative.
    IfAssociative { name: Index, key: Pc },
    /// Pops a number to the subscripts.
    SubscriptIndex,
    /// Pops the builder to the subscripts. `assigned`: what an assignment with an empty one names in its error.
    SubscriptKey { assigned: Option<Index> },
    /// Pops the builder and appends its text so that it stands for itself in a subscript that is read once more.
    EscapeKey,

    // Arithmetic.
    /// Evaluates an expression and pushes the number.
    Arithmetic(Index),
    /// As `Arithmetic`, then jumps to `done`; goes on instead when a `$parameter` is not a plain integer.
    TryArithmetic { expression: Index, done: Pc },
    /// Pops the builder, parses and evaluates it as an expression, pushes the number.
    ArithmeticText(super::ArithmeticContext),
    /// `(( ))`: pops a number; status 0 when it is not 0.
    ArithmeticStatus,
    /// `((...))` whose expression needs no expansion: [`Op::Arithmetic`] and [`Op::ArithmeticStatus`].
    ArithmeticCommand(Index),
    /// The same for an expression of `for ((`: [`Op::Arithmetic`] and [`Op::ArithmeticLoop`].
    ArithmeticTest { expression: Index, test: bool, end: Pc },
    /// `for ((`: pops a number; jumps when the evaluation failed (then the loop's status is 1), or with `test` when it is 0.
    ArithmeticLoop { test: bool, end: Pc },

    // Substitutions.
    /// Starts a command substitution: its body follows, `end` is after it.
    Substitution { end: Pc, quoting: Quoting },
    /// The body is over: appends what was captured.
    SubstitutionEnd,
    /// Pops the builder as a path and appends the file's content: `$(< file)`.
    ReadFile { quoting: Quoting },
    /// Starts `<( )` or `>( )` as a process: its body follows; appends the path of the pipe.
    ProcessSubstitution { output: bool, end: Pc },

    // Fields.
    /// Starts a simple command: the `DEBUG` trap, no fields, no assignments.
    Begin,
    /// Starts the words of `for` or a command of assignments: no fields.
    BeginWords,
    /// Adds a finished field.
    Field(Index),
    /// Adds a variable's value as one field (`"$name"`).
    FieldVariable(Index),
    /// Ends the word: splits, expands pathnames, adds the fields.
    EndField,
    /// Ends the word as exactly one field, neither split nor expanded.
    EndScalar,
    /// Jumps when brace expansion is off (`set +B`).
    UnlessBraces(Pc),
    /// Jumps without `set -k`: an argument is not an assignment.
    UnlessKeyword(Pc),
    /// Adds the words that a brace expansion without other expansions makes.
    BraceFields(Index),
    /// Starts `( ... )` of an array assignment: suspends the fields.
    ArrayBegin { start: u32, end: u32 },
    /// Ends a word of an array literal: each field becomes an element.
    ArrayElements,
    /// Ends the value of `[subscript]=value`; the subscript's text is a suspended builder. `name`: the array, unless it
    /// will be associative.
    ArrayKeyed { append: bool, name: Option<Index> },
    /// Ends the literal and makes it the value of the argument `name=` of a declaration builtin.
    ArrayArgument { name: Index, append: bool },

    // Assignments.
    /// `name=word` alone: assigns the builder.
    Assign { name: Index, append: bool },
    /// `name=word` as a whole command that runs nothing else: assigns the builder, with status 0.
    AssignStatement { name: Index, append: bool },
    /// The same for `name=$((...))`: assigns the number.
    AssignNumber { name: Index },
    /// `name[subscript]=word` alone; `shown` is the text before the `=`.
    AssignElement { name: Index, append: bool, shown: Index },
    /// `name=(...)` alone: assigns the array literal.
    AssignArray { name: Index, append: bool },
    /// `name=word` before a command: kept for its environment.
    TemporaryAssign { name: Index, append: bool },
    /// The assignments so far can be seen by the next one's value.
    ShowAssignments,
    /// They cannot any more.
    HideAssignments,
    /// A command of assignments and redirections only is over.
    AssignmentsDone,

    // Redirections.
    /// Makes a redirection from the builder; kept to be undone after the command.
    Redirect(Index),
    /// Before the redirections of a simple command: a command of the file system makes them in a process of its own, so
    /// their expansions change nothing here and their errors end that process only. `plain`: all they can do is to fail
    /// with `set -u`. `end` is after the command.
    OwnProcess { plain: bool, end: Pc },
    /// Ends that process, if it was started.
    EndOwnProcess,
    /// Starts a compound command's redirections.
    RedirectBegin,
    /// They are made: a frame will undo them. If one failed the command is skipped to `end`.
    RedirectReady { end: Pc },
    /// Undoes them.
    RedirectEnd,

    // Commands.
    /// Runs the fields as a simple command. `name`: the command's name if it is constant.
    Execute { name: Option<Index> },
    /// Runs a simple command that has no expansions, assignments or redirections.
    ExecuteStatic(Index),
    /// Runs the fields as a command of the file system: what a utility asked for.
    ExecuteExternal,
    /// Runs the script that comes on standard input.
    RunStandardInput,
    /// Runs `count` stages, each in a process of its own; the table says where they start.
    Pipeline(Index),
    /// Starts an asynchronous list; its body follows. `nested`: it counts as a subshell.
    Background { end: Pc, text: Index, nested: bool },
    /// Starts a coprocess; its body follows. The builder has its name.
    Coprocess { end: Pc, text: Index },
    /// Starts `( ... )`; its body follows.
    Subshell { end: Pc },
    /// The body of a process (a stage, an asynchronous list, a subshell) is over.
    EndProcess,
    /// Defines a function; its body follows.
    DefineFunction { function: Index, end: Pc },
    /// Goes on in the program of a function's body that was skimmed.
    FunctionBody(Index),
    /// Runs a list that was skimmed.
    DeferredList(Index),
    /// The body of a function is over.
    ReturnFromFunction,
    /// The program is over.
    End,
    /// The next complete command of the source has to be parsed with the options in force now.
    ParseMore,
    /// After a complete command: parses what follows anew if the parser sees something else by now.
    Boundary(Index),
    /// The parser found an error here.
    SyntaxError(Index),
    /// Tells of a warning of the parser.
    Warning(Index),

    // Control.
    /// Goes on at a position.
    Jump(Pc),
    /// Jumps when the status is not 0.
    JumpIfFailure(Pc),
    /// Jumps when the status is 0.
    JumpIfSuccess(Pc),
    /// `!`: status 0 becomes 1, any other 0.
    Negate,
    /// Sets the status.
    SetStatus(u8),
    /// A command whose failure counts is over: `ERR` trap and `set -e`.
    Check { simple: bool },
    /// From here on failures do not count (a condition).
    ConditionBegin,
    /// They count again.
    ConditionEnd,
    /// `!`: as `ConditionBegin` where `set -e` is on.
    NegationBegin,
    /// What is negated is over.
    NegationEnd,
    /// Starts `while`, `until`, `for ((`: a frame for `break` and `continue`.
    LoopBegin { break_to: Pc, continue_to: Pc },
    /// The condition of `while` or `until` begins, where `continue` goes; the loop's body begins at `body`. In the
    /// condition of `until`, `continue` ends the loop: its status is 0.
    LoopCondition { until: bool, body: Pc },
    /// A turn begins: counts it.
    LoopTurn,
    /// The loop is over: its status is that of the last turn.
    LoopEnd,
    /// Remembers the status of the body for the loop's end.
    LoopStatus,
    /// Starts `for name in fields`: takes the fields.
    ForBegin { positional: bool, break_to: Pc, continue_to: Pc },
    /// Assigns the next field, or jumps to the end.
    ForNext { name: Index, end: Pc },
    /// Starts `select name in fields`: takes the fields, prints the menu.
    SelectBegin { positional: bool, break_to: Pc, continue_to: Pc },
    /// Reads a choice, or jumps to the end at end-of-file.
    SelectNext { name: Index, end: Pc },
    /// Starts `case`: the builder is the subject.
    CaseBegin,
    /// The builder (or a constant) is a pattern: jumps to the arm on a match.
    CaseMatch { pattern: Option<std::num::NonZeroU32>, arm: Pc },
    /// `;;&`: an arm ran, and the next patterns are looked at.
    CaseContinue { ran: bool },
    /// No pattern matched (any more): status 0 if no arm ran.
    CaseUnmatched,
    /// The case command is over.
    CaseEnd,
    /// Starts a timed pipeline.
    TimeBegin,
    /// Prints its times.
    TimeEnd { posix: bool },

    // Conditional commands.
    /// `[[ word ]]`: status 0 when the builder is not empty.
    ConditionalWord,
    /// `[[ -x word ]]`.
    ConditionalUnary(u8),
    /// `[[ left op right ]]`: pops the right builder, then the left.
    ConditionalBinary(ConditionalOperator),
    /// The conditional command is over (for tracing and errors).
    ConditionalEnd,

    /// Before a compound command that bash traces or gives to the `DEBUG` trap: the text is for `BASH_COMMAND`.
    Debug(Index),
    /// In a program that is traced: tells the trace that it is there.
    Note(Index),
}
