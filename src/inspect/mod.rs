//! What a script would run, without running it: every simple command anywhere in it as words.
//!
//! [`inspect`] parses a script with the shell's own parser and lists its simple commands: those of pipelines, lists,
//! loops, functions, `$(...)` and `<(...)`, and those behind a wrapper (`sudo`, `env`, `xargs`, `find -exec`), behind
//! `eval` and `trap`, and in the text given to `bash -c` or to a shell's here-document. A word has a text when its
//! quotes can be removed before the run: `r\m`, `'rm'`, `$'\x72m'` and `{rm,-rf}` all read as what they are. What a
//! variable, a command or a file name decides has no text, and where such a thing decides *which command runs*, the view
//! says so ([`Opaque`]): a guard that allows by name must refuse those.
//!
//! ```
//! let view = hookbox::inspect::inspect(br"cd build && sudo r\m -rf *");
//! let names: Vec<_> = view.commands.iter().filter_map(|command| command.name()).collect();
//! assert_eq!(names, ["cd", "sudo", "rm"]);
//! assert!(!view.is_opaque());
//! ```
//!
//! How it goes:
//! 1. `walk.rs` goes through the syntax tree, one complete command at a time, as bash reads.
//! 2. `field.rs` turns words into texts: brace expansion and quote removal.
//! 3. `through.rs` looks through commands that run others, by the rows of `wrapper.rs`; a text that a shell would run is
//!    walked in its turn.
//! 4. At the end, calls of names that the script itself defines are marked.
//!
//! Work is linear in the script's length: each text is parsed once, nesting is bounded by the parser's one depth budget,
//! wrappers and texts in texts by [`MAX_NESTING`], and everything together by a budget; what is cut off is opaque. Where
//! somebody waits for the answer the budget is small (`inspect_briefly`), or the script is looked at command by command
//! (`Inspection`).
//!
//! A program that runs others is a row of `wrapper.rs`; what a word of a new kind may be is decided in `field.rs`.
//!
//! Not looked into: programs with a language of their own (`python -c` and `awk`'s `system` are opaque, GNU `sed`'s `e`
//! is not seen), files, and programs told to run others by their configuration (`git -c alias.x=!...`).

#[cfg(feature = "tools")]
mod ending;
mod field;
mod json;
mod through;
mod walk;
mod wrapper;

#[cfg(test)]
mod tests;

#[cfg(feature = "tools")]
pub(crate) use ending::{LostExit, endings};
use std::fmt;
use std::ops::Range;

/// Scripts in scripts and wrappers around wrappers that are looked through.
pub const MAX_NESTING: u32 = 16;

/// Longest script that is read, in bytes.
pub const MAX_SCRIPT: usize = 1 << 20;

/// All simple commands of a script, and what stays unknown about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// In source order; a wrapper stands before what it runs, a command before those of its substitutions. Redirections
    /// of a compound command are a command without words.
    pub commands: Vec<CommandView>,
    /// Places where what runs cannot be known. Empty: `commands` is all that the script can run.
    pub opaque: Vec<Opaque>,
    /// The script's syntax error as bash words it. The commands before it are listed: bash would run them.
    pub error: Option<String>,
    /// Variables that are expanded anywhere, in source order; the first [`MOST_EXPANSIONS`].
    pub expansions: Vec<ExpansionView>,
    /// The same of `$1` and its kin outside of functions and nested texts: the script's own arguments.
    pub(crate) arguments: Vec<ExpansionView>,
}

/// Most expansions of variables that a view lists.
pub const MOST_EXPANSIONS: usize = 10_000;

/// An expansion of a variable: `$name`, `${name:-word}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExpansionView {
    /// The variable.
    pub name: String,
    /// Whether the script says what holds when the variable is not set: `${name:-word}`, `${name+word}`, `${name?word}`.
    pub has_default: bool,
    /// As [`CommandView::span`].
    pub span: Range<usize>,
}

/// One simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandView {
    /// The command word and its arguments; empty when there are only assignments or redirections.
    pub words: Vec<WordView>,
    /// `name=value` before the command word, or given by `env` or `sudo`. An array's value is computed.
    pub assignments: Vec<(String, WordView)>,
    /// Its redirections. A command behind a wrapper has those of the wrapper.
    pub redirects: Vec<RedirectView>,
    /// Line of the script, from 1; for what stands in a nested text the line of the command that runs it.
    pub line: u32,
    /// Bytes `[start, end)` of the script; for what stands in a nested text those of the command that runs it.
    pub span: Range<usize>,
    /// What the command stands in or behind, outermost first. Empty: it stands in the script itself.
    pub via: Vec<Via>,
}

/// A word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordView {
    /// After brace expansion and quote removal; `None` when parameters, substitutions, tildes or pathname patterns
    /// decide it at run time.
    pub text: Option<String>,
    /// As written; a long word without a text is cut.
    pub source: String,
}

/// A redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedirectView {
    /// The number, or `{name}`, before the operator.
    pub descriptor: Option<String>,
    /// `<`, `>`, `>>`, `>|`, `<>`, `<&`, `>&`, `&>`, `&>>`, `<<` or `<<<`.
    pub operator: &'static str,
    /// File, descriptor, or text of the here-document.
    pub target: WordView,
}

/// What a command stands in or behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Via {
    /// `$( )` or backquotes.
    CommandSubstitution,
    /// `<( )` or `>( )`.
    ProcessSubstitution,
    /// The body of a function of that name.
    Function(String),
    /// A command that runs its arguments: `sudo`, `xargs`, `find`, ...
    Wrapper(String),
    /// A text that a command of this name runs: `bash`, `eval`, `trap`, ...
    Script(String),
}

impl Via {
    /// `$()`, `<()`, or the name of the function, wrapper or shell.
    pub fn name(&self) -> &str {
        match self {
            Self::CommandSubstitution => "$()",
            Self::ProcessSubstitution => "<()",
            Self::Function(name) | Self::Wrapper(name) | Self::Script(name) => name,
        }
    }
}

/// Why it cannot be known what runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpaqueKind {
    /// The command word is computed: `$x -rf /`.
    ComputedCommand,
    /// The arguments of a wrapper are computed so that its command could be another one: `sudo $options rm`.
    ComputedArguments,
    /// A text that is run is computed: `eval "$x"`, `bash -c "$x"`, `${x@P}`.
    ComputedScript,
    /// A shell that reads what another command prints, or its own input: `curl ... | sh`.
    PipedScript,
    /// A shell that reads a file: `bash FILE`, `source FILE`.
    ScriptFile,
    /// A name that the script defines as a function or alias, or that `hash -p` or `enable -f` change.
    Redefined,
    /// A variable that changes which programs run or what they load: `PATH`, `BASH_ENV`, `LD_PRELOAD`.
    Environment,
    /// A program text in another language: `python -c`, `awk 'BEGIN { system(...) }'`.
    OtherLanguage,
    /// A text that is run has a syntax error.
    SyntaxError,
    /// Nested too deep or too long to be looked at.
    TooLarge,
}

impl OpaqueKind {
    /// In words, as the records of `shell-commands` show it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ComputedCommand => "computed command",
            Self::ComputedArguments => "computed arguments",
            Self::ComputedScript => "computed script",
            Self::PipedScript => "piped script",
            Self::ScriptFile => "script file",
            Self::Redefined => "redefined name",
            Self::Environment => "environment",
            Self::OtherLanguage => "other language",
            Self::SyntaxError => "syntax error",
            Self::TooLarge => "too large",
        }
    }
}

/// A place where what runs cannot be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opaque {
    /// Why.
    pub what: OpaqueKind,
    /// As [`CommandView::line`].
    pub line: u32,
    /// As [`CommandView::span`].
    pub span: Range<usize>,
}

impl View {
    /// Whether the script can run something that is not listed, or does not parse.
    pub fn is_opaque(&self) -> bool {
        !self.opaque.is_empty() || self.error.is_some()
    }
}

impl CommandView {
    /// The last component of the command word: `rm` for `/bin/rm`. `None` when there is no word or it is computed.
    pub fn name(&self) -> Option<&str> {
        self.words.first().and_then(|word| word.text.as_deref()).map(last_component)
    }

    /// The words joined by blanks; words without a text as they are written.
    pub fn text(&self) -> String {
        self.joined_words().to_string()
    }

    fn joined_words(&self) -> impl fmt::Display {
        fmt::from_fn(|f| {
            for (index, word) in self.words.iter().enumerate() {
                f.write_str(if index > 0 { " " } else { "" })?;
                f.write_str(word.text.as_deref().unwrap_or(&word.source))?;
            }
            Ok(())
        })
    }
}

impl RedirectView {
    /// Whether it opens a file for writing.
    pub fn writes(&self) -> bool {
        match self.operator {
            ">" | ">>" | ">|" | "<>" | "&>" | "&>>" => true,
            ">&" => {
                let text = self.target.text.as_deref().unwrap_or("");
                let number = text.strip_suffix('-').unwrap_or(text);
                self.descriptor.is_none() && !number.bytes().all(|byte| byte.is_ascii_digit())
            }
            _ => false,
        }
    }
}

fn last_component(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// The commands of `script`.
pub fn inspect(script: &[u8]) -> View {
    let mut steps = walk::Steps::new(script);
    while steps.next() {}
    steps.view()
}

/// Words, simple commands and expansions that [`inspect_briefly`] looks at. They take about 2 ms.
const BRIEF_PARTS: u32 = 5_000;

/// The same where somebody waits for the answer: a script of too many parts is cut off early, and the view says so
/// ([`OpaqueKind::TooLarge`]).
pub(crate) fn inspect_briefly(script: &[u8]) -> View {
    let mut steps = walk::Steps::new(script);
    steps.allow_in_all(BRIEF_PARTS);
    while steps.next() {}
    steps.view()
}

/// The commands of a script, looked at in steps of at most some milliseconds. A complete command of too many parts ends it,
/// and the view says so ([`OpaqueKind::TooLarge`]).
pub(crate) struct Inspection(walk::Steps);

impl Inspection {
    pub(crate) fn new(script: &[u8]) -> Self {
        Self(walk::Steps::new(script))
    }

    /// Takes the next step; `false`: it was the last one.
    pub(crate) fn step(&mut self) -> bool {
        self.0.allow(BRIEF_PARTS);
        self.0.next()
    }

    pub(crate) fn finish(self) -> View {
        self.0.view()
    }
}
