//! What the arguments of `find` mean: options, starting points, and the expression as steps over one truth value.

use super::format::Format;
use crate::memory::Vec;
use crate::pattern::Pattern;
use crate::text::Text;
use crate::utility::Output;
use crate::utility::regex::Regex;
use crate::vfs::FileKind;

/// When symbolic links are followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Follow {
    #[default]
    Never,
    CommandLine,
    Always,
}

/// Everything that the arguments say.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) follow: Follow,
    pub(super) starts: Vec<Text>,
    pub(super) min_depth: u64,
    pub(super) max_depth: u64,
    /// A directory comes after what is in it.
    pub(super) depth_first: bool,
    /// Directories of other file systems are not entered.
    pub(super) same_file_system: bool,
    pub(super) steps: Vec<Instruction>,
    /// The files of `-fprint` and its like.
    pub(super) files: Vec<(Text, Output)>,
    /// `-exec ... +`
    pub(super) batches: Vec<Batch>,
}

/// One instruction. The expression is run from the first to the last; `true` is what it begins with.
#[derive(Debug)]
pub(super) enum Instruction {
    Test(Test),
    Action(Action),
    Not,
    JumpIfFalse(usize),
    JumpIfTrue(usize),
}

/// `+n`, `n`, `-n`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    More,
    Equal,
    Less,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub(super) comparison: Comparison,
    pub(super) value: u64,
}

impl Number {
    pub(super) const fn matches(self, value: u64) -> bool {
        match self.comparison {
            Comparison::More => value > self.value,
            Comparison::Equal => value == self.value,
            Comparison::Less => value < self.value,
        }
    }
}

/// Which of a file's times.
#[derive(Clone, Copy, Debug)]
pub(super) enum Time {
    Accessed,
    Changed,
    Modified,
}

/// `-perm mode`, `-perm -mode`, `-perm /mode`
#[derive(Clone, Copy, Debug)]
pub(super) enum Permissions {
    Exactly,
    All,
    Any,
}

/// What has no effect but its truth.
#[derive(Debug)]
pub(super) enum Test {
    True,
    False,
    Name(Pattern),
    Path(Pattern),
    LinkName(Pattern),
    Regex(Regex),
    Type(Vec<FileKind>),
    /// `-xtype`
    TargetType(Vec<FileKind>),
    Size {
        unit: u64,
        count: Number,
    },
    /// Times in nanoseconds since the epoch; `Equal`: within `window` after it.
    Time {
        time: Time,
        comparison: Comparison,
        moment: i128,
        window: i128,
    },
    Empty,
    Permissions {
        how: Permissions,
        directory: u32,
        other: u32,
    },
    User(Number),
    Group(Number),
    NoUser,
    NoGroup,
    Links(Number),
    Inode(Number),
    FileSystem(bool),
    Readable,
    Writable,
    Executable,
}

/// Where an action prints.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    Stdout,
    /// Index into [`Plan::files`].
    File(usize),
}

/// What does something.
#[derive(Debug)]
pub(super) enum Action {
    Print(Target, u8),
    PrintFormat(Target, Format),
    List(Target),
    Delete,
    Prune,
    Quit,
    Execute {
        argv: Vec<Text>,
        in_directory: bool,
    },
    /// Index into [`Plan::batches`].
    ExecuteBatch(usize),
}

/// A command that is given many files at once.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) argv: Vec<Text>,
    pub(super) in_directory: bool,
    pub(super) files: Vec<Text>,
    pub(super) bytes: u64,
    /// The directory that the files are in, for `-execdir`.
    pub(super) directory: Vec<u8>,
}
