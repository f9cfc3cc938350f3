//! Builtins: commands that may change the shell. One file each, or one for a few that share their work.

mod context;
mod describe;
mod error;
mod escape;
pub(super) mod id;
pub(super) mod invocation;
mod invoke;
mod options;
mod output;
mod reference;
pub(super) mod row;

// The builtins, in the order of the table.
mod alias;
mod bind;
mod break_continue;
mod caller;
mod cd;
mod colon;
mod command;
mod compgen;
mod complete;
mod declare;
mod echo;
mod enable;
mod eval;
mod exec;
mod exit;
mod fc;
mod getopts;
mod hash;
mod help;
mod history;
mod jobs;
mod kill;
mod let_;
mod logout;
mod mapfile;
mod printf;
mod pushd;
mod read;
mod set;
mod shift;
mod shopt;
mod test;
mod times;
mod trap;
mod type_name;
mod ulimit;
mod umask;
mod unset;
mod wait;

use id::BuiltinId;
use row::{Builtin, Table};

macro_rules! builtins {
    ($($module:ident: $($row:ident)*;)*) => {
        /// Every builtin, file by file.
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

/// What each builtin is given of the table.
pub(crate) static TABLE: Table = Table { rows: BUILTINS, find };

/// The names of all builtins.
#[cfg(feature = "cli")]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    BUILTINS.iter().map(|builtin| builtin.name)
}

/// The number of the builtin of that name.
pub(crate) fn find_id(name: &[u8]) -> Option<BuiltinId> {
    use rustc_hash::FxHashMap;
    use std::sync::LazyLock;
    // It belongs to the process: no run is charged for it, not the one either that happens to be first.
    static INDEX: LazyLock<FxHashMap<&'static [u8], BuiltinId>> = LazyLock::new(|| {
        let numbers = (0..=u8::MAX).map(BuiltinId);
        BUILTINS.iter().zip(numbers).map(|(builtin, id)| (builtin.name.as_bytes(), id)).collect()
    });
    INDEX.get(name).copied()
}

/// The builtin of that name.
pub(crate) fn find(name: &[u8]) -> Option<&'static Builtin> {
    find_id(name).map(BuiltinId::row)
}

impl BuiltinId {
    /// The row of the builtin.
    #[inline]
    pub(crate) fn row(self) -> &'static Builtin {
        // Numbers are made by `find_id` alone, so there is always a row.
        BUILTINS.get(usize::from(self.0)).copied().unwrap_or(BUILTINS[0])
    }
}
