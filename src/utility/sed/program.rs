//! A `sed` script, parsed: a flat list of commands in which blocks and labels are indexes.

use super::error::FaultPlace;
use crate::character::Unit;
use crate::memory::{HashMap, Held, Vec};
use crate::text::Text;
use crate::utility::regex::Regex;

/// A whole script.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) commands: Vec<Command>,
    /// Files that are read line by line (`R`).
    pub(super) inputs: Vec<Text>,
    /// The script begins with `#n`.
    pub(super) is_silent: bool,
    /// Where its last part ends: the place of what is found wrong when it runs.
    pub(super) end: FaultPlace,
}

#[derive(Debug)]
pub(super) struct Command {
    pub(super) addresses: Option<Addresses>,
    pub(super) is_negated: bool,
    pub(super) action: Action,
}

#[derive(Debug)]
pub(super) struct Addresses {
    pub(super) first: Address,
    pub(super) second: Option<RangeEnd>,
}

#[derive(Debug)]
pub(super) enum Address {
    Line(u64),
    /// `first~step`
    Step(u64, u64),
    /// `$`
    Last,
    /// `+0` or `~0`, which selects all lines.
    Every,
    /// `None`: the last regular expression used.
    Regex(Option<Regex>),
}

#[derive(Debug)]
pub(super) enum RangeEnd {
    Line(u64),
    Last,
    Regex(Option<Regex>),
    Step(u64, u64),
    /// `addr1,+N`
    Plus(u64),
    /// `addr1,~N`
    Multiple(u64),
}

#[derive(Debug)]
pub(super) enum Action {
    /// `{`, with the index of its `}`.
    Block(usize),
    Append(Text),
    Insert(Text),
    Change(Text),
    /// Index to go on at.
    Branch(usize),
    BranchIfReplaced(usize),
    BranchUnlessReplaced(usize),
    Delete,
    DeleteFirstLine,
    FileName,
    Get,
    GetAppended,
    Hold,
    HoldAppended,
    Exchange,
    /// Runs a command; without one, the pattern space.
    Execute(Option<Text>),
    /// The line length, when the command has its own.
    List(Option<u64>),
    Next,
    NextAppended,
    Print,
    PrintFirstLine,
    Quit(u8),
    QuitSilently(u8),
    ReadFile(Text),
    /// `0r`: the file is printed at once.
    InsertFile(Text),
    /// Index into [`Program::inputs`].
    ReadLine(usize),
    Substitute(Box<Held<Substitution>>),
    Translate(Box<Held<Translation>>),
    /// The sink that is written to.
    Write(usize),
    WriteFirstLine(usize),
    LineNumber,
    Zap,
}

#[derive(Debug)]
pub(super) struct Substitution {
    pub(super) regex: Option<Regex>,
    pub(super) replacement: Vec<Part>,
    /// The greatest group that the replacement names.
    pub(super) greatest_group: usize,
    pub(super) is_global: bool,
    /// The first match that is replaced, from 1.
    pub(super) number: u64,
    /// The new pattern space is run, and becomes what that prints.
    pub(super) executes: bool,
    pub(super) prints: bool,
    pub(super) output: Option<usize>,
}

/// A part of a replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Literal(Vec<u8>),
    /// 0 is the whole match.
    Group(usize),
    /// `\L`, `\U`, `\E`
    Case(Case),
    /// `\l`, `\u`: of the next character.
    NextCase(Case),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Kept,
    Lower,
    Upper,
}

/// What `y` turns characters into.
#[derive(Debug)]
pub(super) struct Translation {
    pub(super) ascii: [u8; 128],
    /// Where one side is not ASCII.
    pub(super) others: HashMap<Unit, Unit>,
}
