//! What a parser is told: the shell's options that change the grammar, and where aliases are.

use crate::text::Text;

/// How text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParseOptions {
    /// `shopt -s extglob`: extended patterns in every word.
    pub extglob: bool,
    /// `set -o posix`: no process substitution, no tildes inside words.
    pub posix: bool,
    /// `shopt -s expand_aliases`.
    pub expand_aliases: bool,
    /// How deep everything together may nest.
    pub depth: u32,
    /// `shopt -s interactive_comments`, and always in a shell that is not interactive: `#` begins a comment.
    pub interactive_comments: bool,
    /// Bodies of functions and long branches of `if` and `case` commands are skimmed where that is enough, and parsed when
    /// they are asked for (`FunctionDefinition::body`, `List::items`).
    pub defers: bool,
}

impl ParseOptions {
    /// Whether the skimmer knows this grammar.
    pub(super) const fn can_skim(&self) -> bool {
        self.interactive_comments && !self.posix && !self.expand_aliases
    }
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self {
            extglob: false,
            posix: false,
            expand_aliases: false,
            depth: 200,
            interactive_comments: true,
            defers: false,
        }
    }
}

/// Where aliases are looked up.
pub trait Aliases {
    /// The text of an alias.
    fn alias(&self, name: &[u8]) -> Option<Text>;
}

/// No aliases.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoAliases;

impl Aliases for NoAliases {
    fn alias(&self, _name: &[u8]) -> Option<Text> {
        None
    }
}
