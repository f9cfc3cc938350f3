//! [`Pending`]: what a word, or a redirection, waits for before the next operation; and [`Done`], what is done with the
//! result. `work.rs` goes on with it.

use crate::io::Description;
use crate::memory::{Arc, Task, Vec};
use crate::pattern::Stopped;
use crate::program::{Pc, Quoting};
use crate::syntax::ast::AllElements;
use crate::text::Text;

/// The future of such work.
pub(crate) type Work = Task<Result<Done, Stopped>>;

/// Work on a word, or of a redirection, that is not done yet: before the next operation the process waits for it.
pub(crate) enum Pending {
    /// A FIFO waits for its other side.
    Open(Arc<Description>),
    /// An operator on a long value.
    Work(Work),
    /// A long value joins the word in stretches.
    Append { text: Text, at: usize, quoting: Quoting },
    /// A file is read that joins the word.
    Read(Reading),
}

/// What was read of the file of `$(< file)`.
pub(crate) struct Reading {
    pub(crate) description: Arc<Description>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) quoting: Quoting,
}

impl std::fmt::Debug for Pending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Open(_) => "Open",
            Self::Work(_) => "Work",
            Self::Append { .. } => "Append",
            Self::Read(_) => "Read",
        })
    }
}

/// What is done with its result.
pub(crate) enum Done {
    /// The text joins the word.
    Text(Text, Quoting),
    /// The values join the word.
    List { values: Vec<Text>, kind: AllElements, quoting: Quoting, list: ListOf },
    /// The arm of a `case` is run if its pattern matched.
    Arm(bool, Pc),
    /// A test of `[[ ]]` is true or false.
    Test(bool),
}

/// What the values of a list are. Where no fields are made bash joins them in different ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListOf {
    /// `$@`
    Parameters,
    /// `${name[@]}`
    Elements,
    /// `${@#...}` and its kin
    ParametersTrimmed,
    /// `${name[@]#...}` and its kin
    ElementsTrimmed,
    /// `${.../...}`, `${...^...}`
    Changed,
    /// `${...:...}`
    Slice,
    /// `${...@Q}`
    Transformed,
    /// `${!name[@]}`
    Keys,
    /// `${!prefix@}`
    Names,
}
