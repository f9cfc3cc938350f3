//! Builtins: commands that may change the shell. One file each, or one for a few that share their work.

use super::expansion::ArrayLiteral;
use super::frame::SavedDescriptor;
use super::variable::Temporary;
use crate::memory::{Box, Bytes, Vec};
use crate::text::Text;
use context::{Context, Position, ShellContext};
pub(crate) use error::BuiltinError;
use options::OptionRow;
use std::any::Any;

/// A row of the table of builtins.
#[derive(Debug)]
pub(crate) struct Builtin {
    pub(crate) name: &'static str,
    /// POSIX calls it special: bash manual 4.4.
    pub(crate) special: bool,
    /// `usage: ` and this is printed for a usage error; `help` shows it.
    pub(crate) synopsis: &'static str,
    /// What `help` says about it.
    pub(crate) help: &'static str,
    /// Its options, where they are letters; see [`options`].
    pub(crate) options: &'static [OptionRow],
    pub(crate) act: Act,
}

/// The function behind a builtin, and with it what the builtin may touch.
#[derive(Clone, Copy)]
pub(crate) enum Act {
    /// It needs the shell alone.
    Shell(fn(&mut ShellContext<'_>) -> Result<Flow, BuiltinError>),
    /// It needs the machine.
    Machine(fn(&mut Context<'_, '_>) -> Result<Flow, BuiltinError>),
}

impl std::fmt::Debug for Act {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Shell(_) => "Shell",
            Self::Machine(_) => "Machine",
        })
    }
}

/// How a builtin goes on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Flow {
    /// It is done.
    Status(u8),
    /// It waits: its waker was registered, and it is called again when something has happened.
    Wait,
    /// It is called again after its output was handed on and others had their turn.
    Again,
    /// It pushed frames, or the invocation went on as something else: the status comes from there.
    Switched,
    /// The `RETURN` trap runs, and then it is called again.
    ReturnTrap,
    /// This text is run as commands, and then it is called again.
    Callback(Bytes),
    /// Another builtin takes its place, with these arguments: the last ones of its own.
    Delegate { builtin: &'static Builtin, args: Vec<Text> },
}

impl PartialEq for Builtin {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// A builtin that runs.
pub(crate) struct Invocation {
    pub(crate) builtin: &'static Builtin,
    /// With the name.
    pub(crate) args: Vec<Text>,
    /// What most have not.
    beside: Option<Box<Beside>>,
    /// What it has done so far, when it had to wait.
    progress: Option<std::boxed::Box<dyn Any + Send>>,
    position: Position,
    printing: Option<Box<invoke::Printing>>,
}

/// What a builtin can have beside its arguments.
#[derive(Default)]
struct Beside {
    /// Array literals among the arguments (`declare a=(1 2)`), by the argument's index.
    literals: Vec<(usize, ArrayLiteral)>,
    /// What its redirections replaced; undone behind it.
    redirections: Vec<SavedDescriptor>,
    /// Temporary assignments; undone behind it.
    temporary: Option<Temporary>,
}

impl std::fmt::Debug for Invocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Invocation").field("args", &self.args).finish_non_exhaustive()
    }
}

impl Invocation {
    pub(crate) fn new(builtin: &'static Builtin, args: Vec<Text>) -> Self {
        Self { builtin, args, beside: None, progress: None, position: Position::default(), printing: None }
    }

    fn beside(&mut self) -> &mut Beside {
        self.beside.get_or_insert_default()
    }

    /// Takes out what its redirections replaced.
    pub(crate) fn take_redirections(&mut self) -> Vec<SavedDescriptor> {
        self.beside.as_mut().map_or_else(Vec::new, |beside| std::mem::take(&mut beside.redirections))
    }

    /// Takes out the temporary assignments.
    pub(crate) fn take_temporary(&mut self) -> Option<Temporary> {
        self.beside.as_mut().and_then(|beside| beside.temporary.take())
    }

    /// Takes out the array literal that belongs to an argument.
    fn take_literal(&mut self, index: usize) -> Option<ArrayLiteral> {
        let literals = &mut self.beside.as_mut()?.literals;
        let at = literals.iter().position(|(at, _)| *at == index)?;
        Some(literals.swap_remove(at).1)
    }

    /// Goes on as another builtin with the last ones of its arguments.
    fn become_other(&mut self, builtin: &'static Builtin, args: Vec<Text>) {
        let dropped = self.args.len().saturating_sub(args.len());
        if let Some(beside) = &mut self.beside {
            for (at, _) in &mut beside.literals {
                *at = at.saturating_sub(dropped);
            }
        }
        self.builtin = builtin;
        self.args = args;
        self.position = Position::default();
    }
}

macro_rules! builtins {
    ($($module:ident: $($row:ident)*;)*) => {
        $(mod $module;)*
        /// Every builtin, sorted by name.
        pub(crate) static BUILTINS: &[&Builtin] = &[$($(&$module::$row),*),*];
    };
}

builtins! {
    alias: ALIAS UNALIAS;
    bind: BIND;
    break_continue: BREAK CONTINUE;
    caller: CALLER;
    cd: CD PWD;
    colon: COLON TRUE FALSE;
    command: BUILTIN COMMAND;
    compgen: COMPGEN;
    complete: COMPLETE COMPOPT;
    declare: DECLARE TYPESET LOCAL EXPORT READONLY;
    echo: ECHO;
    enable: ENABLE;
    eval: EVAL DOT SOURCE;
    exec: EXEC;
    exit: EXIT RETURN;
    fc: FC;
    getopts: GETOPTS;
    hash: HASH;
    help: HELP;
    history: HISTORY;
    jobs: BG DISOWN FG JOBS SUSPEND;
    kill: KILL;
    let_: LET;
    logout: LOGOUT;
    mapfile: MAPFILE READARRAY;
    printf: PRINTF;
    pushd: PUSHD POPD DIRS;
    read: READ;
    set: SET;
    shift: SHIFT;
    shopt: SHOPT;
    test: TEST BRACKET;
    times: TIMES;
    trap: TRAP;
    type_name: TYPE;
    ulimit: ULIMIT;
    umask: UMASK;
    unset: UNSET;
    wait: WAIT;
}

mod context;
mod describe;
mod error;
mod invoke;
mod options;
mod output;
mod reference;
pub(crate) use bind::Bindings;
pub(crate) use ulimit::Lowered;

pub(crate) use eval::SOURCE;

/// The builtin of that name.
pub(crate) fn find(name: &[u8]) -> Option<&'static Builtin> {
    use rustc_hash::FxHashMap;
    use std::sync::LazyLock;
    // It belongs to the process: no run is charged for it, not the one either that happens to be first.
    static INDEX: LazyLock<FxHashMap<&'static [u8], &'static Builtin>> =
        LazyLock::new(|| BUILTINS.iter().map(|builtin| (builtin.name.as_bytes(), *builtin)).collect());
    INDEX.get(name).copied()
}
