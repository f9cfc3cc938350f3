//! Utilities: the programs that scripts call. A [`Context`] goes in, an exit status comes out.
//!
//! A utility is one file, or a folder if it has a language of its own (`awk/`, `jq/`, `sed/`, `find/`), with a row `UTILITY`
//! (name, summary, usage, options, examples) and its name in the list below. Its function parses the options by the row,
//! opens operands through the context, and reads and writes streams.
//!
//! Invariants: a utility reaches nothing but its [`Context`]: no state of the shell, nothing of the host; it runs other
//! commands through [`CommandRunner`], which the machine implements. It works in streams, so that `yes | head -n 1` ends,
//! and counts its steps (`context/pace.rs`, `context/ticker.rs`), so that it can be stopped. An option it does not support
//! is a usage error.
//!
//! What several utilities share: `context/` has what a utility is given, `format/` how values are read and written as
//! text, `file/` what is done to files, `digest/` digests, `regex/` regular expressions.

#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods, clippy::disallowed_macros))]

#[cfg(feature = "programs")]
pub(crate) mod compress;
pub(crate) mod context;
mod decimal;
mod digest;
mod file;
pub(crate) mod format;
#[cfg(feature = "programs")]
mod ignore;
pub(crate) mod regex;

pub(crate) use crate::environment::Environment;
pub(crate) use context::arguments::Options;
pub use context::error::{ExitStatus, UtilityError};
pub(crate) use context::options::{
    Example, NoOption, OptionSet, OptionSpec, example, flag, number, optional, value,
};
pub(crate) use context::pace::yield_now;
pub(crate) use context::process_list::QueryState;
pub(crate) use context::process_list::{ProcessQuery, ProcessRow};
pub(crate) use context::running::CommandState;
pub(crate) use context::running::{Reach, Relation, RunningCommand};
pub use context::session::{Identity, Session};
pub use context::stream::{Input, Output};
pub use context::{CommandError, CommandRequest, Context};
pub(crate) use context::{CommandRunner, DescriptorHandles};
pub(crate) use test::expression as test_expression;

use std::pin::Pin;

/// A boxed future that can move between threads.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

#[expect(clippy::disallowed_methods, reason = "who waits for it charges it: see `memory::Task`")]
pub(crate) fn boxed<T>(future: impl Future<Output = T> + Send + 'static) -> BoxFuture<T> {
    Box::pin(future)
}

/// What every utility's file needs.
pub(crate) mod prelude {
    pub(crate) use super::context::byte_queue::ByteQueue;
    pub(crate) use super::context::operands::{OperandError, split_delimiter};
    pub(crate) use super::context::options::options;
    pub(crate) use super::format::quote::{quote, quote_input, quote_name, quote_operand};
    pub(crate) use super::{
        Context, ExitStatus, Input, NoOption, OptionSet, Options, Output, Utility, UtilityError, example,
    };
    pub(crate) use crate::text::Text;
    pub(crate) use crate::vfs::{Errno, FsError};
}

/// A row of the table: all that help, `type` and the tests need to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Utility {
    /// The command's name.
    pub(crate) name: &'static str,
    /// One line, lower case, no full stop.
    pub(crate) summary: &'static str,
    /// Synopses, one a line.
    pub(crate) usage: &'static str,
    /// The options, in the order of `--help`.
    pub(crate) options: &'static [OptionSpec],
    /// Shell commands with what they print: the tests of this module run them.
    #[cfg_attr(not(test), expect(dead_code, reason = "only tests run them"))]
    pub(crate) examples: &'static [Example],
    /// Exit status of a usage error: 1 for most of the GNU core utilities.
    pub(crate) usage_status: u8,
    /// Options end at the first operand (`env`, `xargs`, `timeout`): what follows is a command.
    pub(crate) operands_end_options: bool,
    /// The letter that is short for `--help`, where the real program has one.
    pub(crate) help_letter: Option<char>,
    /// The letter that is short for `--version`.
    pub(crate) version_letter: Option<char>,
    /// Starts it; the macro `start!` makes it.
    pub(crate) run: fn(Context) -> BoxFuture<ExitStatus>,
}

impl Utility {
    /// Values that most rows share: `Utility { name: ..., ..Utility::BASE }`.
    pub(crate) const BASE: Self = Self {
        name: "",
        summary: "",
        usage: "",
        options: &[],
        examples: &[],
        usage_status: 1,
        operands_end_options: false,
        help_letter: None,
        version_letter: None,
        run: |_| boxed(std::future::ready(ExitStatus::SUCCESS)),
    };
}

/// Makes the `run` field of a row from `async fn(&mut Context) -> Result<ExitStatus, UtilityError>`: the future owns its
/// context, flushes what was written and reports the error.
macro_rules! start {
    ($run:path) => {{
        fn start(
            mut context: $crate::utility::Context,
        ) -> $crate::utility::BoxFuture<$crate::utility::ExitStatus> {
            $crate::utility::boxed(async move {
                let result = $run(&mut context).await;
                context.finish(result).await
            })
        }
        start
    }};
}

// The utilities, a file each; they use the macro `start!`, so they stand below it.
mod arch;
mod awk;
#[cfg(feature = "programs")]
mod b2sum;
mod base32;
mod base64;
mod basename;
mod basenc;
mod bc;
mod bracket;
#[cfg(feature = "programs")]
mod bunzip2;
#[cfg(feature = "programs")]
mod bzcat;
#[cfg(feature = "programs")]
mod bzip2;
mod cal;
mod cat;
mod chgrp;
mod chmod;
mod chown;
mod cksum;
#[cfg(feature = "programs")]
mod clear;
mod cmp;
mod column;
mod comm;
mod cp;
#[cfg(feature = "programs")]
mod csplit;
mod curl;
mod cut;
mod date;
mod dc;
mod dd;
mod df;
mod diff;
mod dir;
mod dirname;
mod du;
mod echo;
mod egrep;
mod env;
mod envsubst;
mod expand;
mod expr;
mod factor;
mod false_;
mod fgrep;
#[cfg(feature = "programs")]
mod file_;
mod find;
mod flock;
mod fmt;
mod fold;
mod gawk;
mod getopt;
#[cfg(feature = "programs")]
mod git;
mod grep;
mod groups;
#[cfg(feature = "programs")]
mod gunzip;
#[cfg(feature = "programs")]
mod gzip;
#[cfg(feature = "programs")]
mod hd;
mod head;
#[cfg(feature = "programs")]
mod hexdump;
mod hostid;
mod hostname;
#[cfg(feature = "programs")]
mod iconv;
mod id;
mod install;
mod ionice;
mod join;
mod jq;
mod killall;
mod less;
mod link;
mod ln;
mod logger;
mod logname;
mod ls;
#[cfg(feature = "programs")]
mod lzcat;
#[cfg(feature = "programs")]
mod lzma;
#[cfg(feature = "programs")]
mod md5sum;
mod mkdir;
mod mkfifo;
mod mktemp;
mod more;
mod mv;
mod ncal;
mod nice;
mod nl;
mod nohup;
mod nproc;
mod numfmt;
mod od;
mod paste;
mod patch;
mod pgrep;
mod pidof;
mod pkill;
#[cfg(feature = "programs")]
mod pr;
mod printenv;
mod printf;
mod ps;
#[cfg(feature = "programs")]
mod ptx;
mod pwd;
mod readlink;
mod realpath;
mod rev;
#[cfg(feature = "programs")]
mod rg;
mod rm;
mod rmdir;
mod sed;
mod seq;
mod setsid;
#[cfg(feature = "programs")]
mod sha1sum;
mod sha224sum;
mod sha256sum;
mod sha384sum;
mod sha512sum;
mod shell_commands;
mod shuf;
mod sleep;
mod sort;
mod split;
mod sponge;
mod stat;
mod stdbuf;
#[cfg(feature = "programs")]
mod strings;
mod sum;
mod sync;
mod tac;
mod tail;
#[cfg(feature = "programs")]
mod tar;
mod tee;
mod test;
mod time;
mod timeout;
#[cfg(feature = "programs")]
mod tomlq;
mod touch;
#[cfg(feature = "programs")]
mod tput;
mod tr;
#[cfg(feature = "programs")]
mod tree;
mod true_;
mod truncate;
mod tsort;
mod tty;
mod uname;
mod unexpand;
mod uniq;
mod unlink;
#[cfg(feature = "programs")]
mod unlzma;
#[cfg(feature = "programs")]
mod unxz;
#[cfg(feature = "programs")]
mod unzip;
#[cfg(feature = "programs")]
mod unzstd;
mod uptime;
mod users;
mod vdir;
mod watch;
mod wc;
mod wget;
mod which;
mod who;
mod whoami;
mod xargs;
#[cfg(feature = "programs")]
mod xq;
#[cfg(feature = "programs")]
mod xxd;
#[cfg(feature = "programs")]
mod xz;
#[cfg(feature = "programs")]
mod xzcat;
mod yes;
#[cfg(feature = "programs")]
mod yq;
#[cfg(feature = "programs")]
mod zcat;
#[cfg(feature = "programs")]
mod zip;
#[cfg(feature = "programs")]
mod zipinfo;
#[cfg(feature = "programs")]
mod zstd;
#[cfg(feature = "programs")]
mod zstdcat;

/// Makes the table; the modules are declared above, where `cargo fmt` sees them.
macro_rules! utilities {
    ($($(#[$condition:meta])* $module:ident),* $(,)?) => {
        /// Every utility, sorted by name.
        pub(crate) static UTILITIES: &[&Utility] = &[$($(#[$condition])* &$module::UTILITY),*];
    };
}

// A row for each module, in the order of the names: `[` is in front of the letters.
utilities! {
    bracket, arch, awk,
    #[cfg(feature = "programs")]
    b2sum,
    base32, base64, basename, basenc, bc,
    #[cfg(feature = "programs")]
    bunzip2,
    #[cfg(feature = "programs")]
    bzcat,
    #[cfg(feature = "programs")]
    bzip2,
    cal, cat, chgrp, chmod, chown, cksum,
    #[cfg(feature = "programs")]
    clear,
    cmp, column, comm, cp,
    #[cfg(feature = "programs")]
    csplit,
    curl, cut,
    date, dc, dd, df, diff, dir, dirname, du, echo, egrep, env, envsubst, expand, expr, factor, false_, fgrep,
    #[cfg(feature = "programs")]
    file_,
    find, flock, fmt, fold, gawk, getopt,
    #[cfg(feature = "programs")]
    git,
    grep, groups,
    #[cfg(feature = "programs")]
    gunzip,
    #[cfg(feature = "programs")]
    gzip,
    #[cfg(feature = "programs")]
    hd,
    head,
    #[cfg(feature = "programs")]
    hexdump,
    hostid, hostname,
    #[cfg(feature = "programs")]
    iconv,
    id, install, ionice, join, jq, killall, less, link, ln, logger, logname, ls,
    #[cfg(feature = "programs")]
    lzcat,
    #[cfg(feature = "programs")]
    lzma,
    #[cfg(feature = "programs")]
    md5sum,
    mkdir, mkfifo, mktemp, more, mv, ncal, nice, nl, nohup, nproc, numfmt, od, paste, patch, pgrep, pidof, pkill,
    #[cfg(feature = "programs")]
    pr,
    printenv, printf, ps,
    #[cfg(feature = "programs")]
    ptx,
    pwd, readlink, realpath, rev,
    #[cfg(feature = "programs")]
    rg,
    rm, rmdir, sed, seq, setsid,
    #[cfg(feature = "programs")]
    sha1sum,
    sha224sum, sha256sum, sha384sum, sha512sum, shell_commands, shuf, sleep, sort, split, sponge, stat, stdbuf,
    #[cfg(feature = "programs")]
    strings,
    sum, sync, tac, tail,
    #[cfg(feature = "programs")]
    tar,
    tee, test, time, timeout,
    #[cfg(feature = "programs")]
    tomlq,
    touch,
    #[cfg(feature = "programs")]
    tput,
    tr,
    #[cfg(feature = "programs")]
    tree,
    true_, truncate, tsort, tty, uname, unexpand, uniq, unlink,
    #[cfg(feature = "programs")]
    unlzma,
    #[cfg(feature = "programs")]
    unxz,
    #[cfg(feature = "programs")]
    unzip,
    #[cfg(feature = "programs")]
    unzstd,
    uptime,
    users, vdir, watch, wc, wget, which, who, whoami, xargs,
    #[cfg(feature = "programs")]
    xq,
    #[cfg(feature = "programs")]
    xxd,
    #[cfg(feature = "programs")]
    xz,
    #[cfg(feature = "programs")]
    xzcat,
    yes,
    #[cfg(feature = "programs")]
    yq,
    #[cfg(feature = "programs")]
    zcat,
    #[cfg(feature = "programs")]
    zip,
    #[cfg(feature = "programs")]
    zipinfo,
    #[cfg(feature = "programs")]
    zstd,
    #[cfg(feature = "programs")]
    zstdcat,
}

/// Bytes of arguments from which on reading them may take long.
const LONG_ARGUMENTS: usize = 64 << 10;

/// Starts a utility; one with very many arguments, or long ones, when that may take long.
pub(crate) fn start(utility: &'static Utility, context: Context) -> BoxFuture<ExitStatus> {
    let context = Context { utility: Some(utility), ..context };
    let bytes: usize = context.args.iter().map(|arg| size_of::<crate::text::Text>() + arg.len()).sum();
    if bytes < LONG_ARGUMENTS {
        return (utility.run)(context);
    }
    boxed(async move {
        context.may_take_long().await;
        (utility.run)(context).await
    })
}

/// The utility of that name.
pub(crate) fn find(name: &[u8]) -> Option<&'static Utility> {
    let index = UTILITIES.binary_search_by(|utility| utility.name.as_bytes().cmp(name)).ok()?;
    UTILITIES.get(index).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_without_doubles() {
        for pair in UTILITIES.windows(2) {
            assert!(pair[0].name < pair[1].name, "{} before {}", pair[0].name, pair[1].name);
        }
    }

    #[test]
    fn help_lists_the_options_of_the_row() {
        // The real `which` is a script that knows no `--help`.
        let has_help = |utility: &&&Utility| !utility.options.is_empty() && utility.name != "which";
        for utility in UTILITIES.iter().filter(has_help) {
            let outcome = context::testing::run(utility.name, &["--help"], b"", &[]);
            assert_eq!(outcome.stdout, *context::options::help(utility, utility.options), "{}", utility.name);
        }
    }

    #[test]
    fn every_row_is_complete() {
        for utility in UTILITIES {
            assert!(!utility.summary.is_empty() && !utility.usage.is_empty(), "{}", utility.name);
            assert!(utility.usage.starts_with(utility.name), "{}", utility.name);
            assert!(!utility.examples.is_empty(), "{}", utility.name);
        }
    }

    #[test]
    fn examples_print_what_they_say() {
        use crate::sandbox::{Sandbox, Script};
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        for example in UTILITIES.iter().flat_map(|utility| utility.examples) {
            let sandbox = Sandbox::builder().build().unwrap();
            let output = runtime.block_on(sandbox.start(Script::command(example.command)));
            assert_eq!(String::from_utf8_lossy(&output.stdout), example.output, "{}", example.command);
        }
    }

    #[test]
    fn every_utility_has_cases() {
        for utility in UTILITIES {
            let name = if utility.name == "[" { "bracket" } else { utility.name };
            let file = format!("{}/tests/cases/utility/{name}.test", env!("CARGO_MANIFEST_DIR"));
            assert!(std::path::Path::new(&file).exists(), "{file} is missing");
        }
    }
}
