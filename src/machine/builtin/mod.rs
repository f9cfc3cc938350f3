//! Builtins: commands that may change the shell. One file each, or one for a few that share their work.

use super::frame::SavedDescriptor;
use super::process::{ArrayLiteral, Process, Step};
use super::run::Run;
use super::variable::Temporary;
use crate::memory::Vec;
use crate::text::Text;
use std::any::Any;
use std::task::Context;

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
    pub(crate) run: Run_,
}

/// The function behind a builtin. It is called again after [`Flow::Wait`].
pub(crate) type Run_ = fn(&mut Process, &mut Run, &mut Context<'_>, &mut Invocation) -> Step<Flow>;

/// How a builtin ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// It is done.
    Status(u8),
    /// It waits: its waker was registered, and it is run again when something has happened.
    Wait,
    /// It pushed frames, or the invocation went on as something else: the status comes from there.
    Switched,
}

/// A builtin that runs.
pub(crate) struct Invocation {
    pub(crate) builtin: &'static Builtin,
    /// With the name.
    pub(crate) args: Vec<Text>,
    /// Array literals among the arguments (`declare a=(1 2)`), by the argument's index.
    pub(crate) arguments: Vec<(usize, ArrayLiteral)>,
    /// What its redirections replaced; undone behind it.
    pub(crate) redirections: Vec<SavedDescriptor>,
    /// Temporary assignments; undone behind it.
    pub(crate) temporary: Option<Temporary>,
    /// What it has done so far, when it had to wait.
    pub(crate) progress: Option<Box<dyn Any + Send>>,
}

impl std::fmt::Debug for Invocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Invocation").field("args", &self.args).finish_non_exhaustive()
    }
}

impl Invocation {
    /// An invocation without arguments.
    pub(crate) fn empty(builtin: &'static Builtin) -> Self {
        Self {
            builtin,
            args: Vec::new(),
            arguments: Vec::new(),
            redirections: Vec::new(),
            temporary: None,
            progress: None,
        }
    }

    /// What it had done before it waited.
    pub(crate) fn resumed<T: Any>(&mut self) -> Option<Box<T>> {
        self.progress.take()?.downcast().ok()
    }

    /// Arguments without the name.
    pub(crate) fn operands(&self) -> &[Text] {
        self.args.get(1..).unwrap_or(&[])
    }

    /// The name it was called by.
    pub(crate) fn name(&self) -> Text {
        self.args.first().cloned().unwrap_or_default()
    }
}

impl Process {
    /// Undoes a builtin's redirections and temporary assignments before it leaves the frames around it.
    pub(super) fn release(&mut self, invocation: &mut Invocation) {
        let redirections = std::mem::take(&mut invocation.redirections);
        self.restore_descriptors(redirections);
        if let Some(bound) = invocation.temporary.take() {
            self.shell.variables.leave_temporary(bound);
            self.refresh_special();
        }
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

mod describe;
mod letter_options;
mod letters;
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
