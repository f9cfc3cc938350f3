//! The subcommands: a file with a row for each.

use super::Git;
use super::arguments::Style;
use crate::utility::{BoxFuture, ExitStatus, OptionSpec, boxed};

/// What a subcommand needs before it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    Nothing,
    /// A repository, if there is one.
    Perhaps,
    Repository,
    WorkTree,
}

/// A row: all that is known of a subcommand.
pub(crate) struct Command {
    pub(crate) name: &'static str,
    /// Synopses, one a line.
    pub(crate) usage: &'static str,
    /// The options, in the order of the usage.
    pub(crate) options: &'static [OptionSpec],
    /// The heading before an option with this long name in the usage; without any the usage is a plain list.
    pub(crate) headings: &'static [(&'static str, &'static str)],
    /// Long names that have no form with `no-`.
    pub(crate) never_negated: &'static [&'static str],
    /// Whether what stands after the first operand are operands.
    pub(crate) operands_end_options: bool,
    pub(crate) needs: Needs,
    pub(crate) style: Style,
    pub(crate) run: fn(Git) -> BoxFuture<ExitStatus>,
}

impl Command {
    /// Values that most rows share.
    pub(crate) const BASE: Self = Self {
        name: "",
        usage: "",
        options: &[],
        headings: &[],
        never_negated: &[],
        operands_end_options: false,
        needs: Needs::Repository,
        style: Style::Options,
        run: |_| boxed(std::future::ready(ExitStatus::SUCCESS)),
    };
}

/// The row before a subcommand is found.
pub(crate) static NONE: &Command = &Command::BASE;

/// Makes the `run` field of a row from `async fn(&mut Git) -> Result<u8>`.
macro_rules! command {
    ($run:path) => {{
        fn start(
            mut git: $crate::utility::git::Git,
        ) -> $crate::utility::BoxFuture<$crate::utility::ExitStatus> {
            $crate::utility::boxed(async move {
                let result = $run(&mut git).await;
                git.finish(result).await
            })
        }
        start
    }};
}

// A file each; they use the macros above.
mod add;
mod apply;
mod blame;
mod branch;
mod cat_file;
mod check_attr;
mod check_ignore;
mod check_ref_format;
mod checkout;
mod clean;
mod commit;
mod commit_tree;
mod config;
mod describe;
mod diff;
mod diff_files;
mod diff_index;
mod diff_tree;
mod for_each_ref;
mod grep;
mod hash_object;
mod init;
mod log;
mod ls_files;
mod ls_tree;
mod merge;
mod merge_base;
mod mv;
mod name_rev;
mod read_tree;
mod reflog;
mod remote;
mod reset;
mod restore;
mod rev_list;
mod rev_parse;
mod rm;
mod shell_alias;
mod shortlog;
mod show;
mod show_ref;
mod stash;
mod status;
mod stripspace;
mod submodule;
mod switch;
mod symbolic_ref;
mod tag;
mod update_index;
mod update_ref;
mod var;
mod version;
mod whatchanged;
mod worktree;
mod write_tree;

/// Every subcommand, by the modules below, and first what runs an alias that begins with `!`.
macro_rules! commands {
    (! $alias:ident, $($module:ident),* $(,)?) => {
        pub(crate) static SHELL_ALIAS: &Command = &$alias::COMMAND;
        pub(crate) static COMMANDS: &[&Command] = &[$(&$module::COMMAND),*];
    };
}

commands! {
    ! shell_alias,
    add, apply, blame, branch, cat_file, check_attr, check_ignore, check_ref_format, checkout, clean,
    commit, commit_tree, config, describe, diff, diff_files, diff_index, diff_tree, for_each_ref, grep,
    hash_object, init, log, ls_files, ls_tree, merge, merge_base, mv, name_rev, read_tree, reflog, remote,
    reset, restore, rev_list, rev_parse, rm, shortlog, show, show_ref, stash, status, stripspace, submodule, switch,
    symbolic_ref, tag, update_index, update_ref, var, version, whatchanged, worktree, write_tree,
}

/// What every subcommand's file needs.
mod prelude {
    pub(super) use super::{Command, Needs};
    pub(super) use crate::memory::{JoinMetered, String, ToMetered, Vec};
    pub(super) use crate::text::Text;
    pub(super) use crate::utility::OptionSet;
    pub(super) use crate::utility::context::options::options;
    pub(super) use crate::utility::git::Git;
    pub(super) use crate::utility::git::arguments::{Arguments, Style, not_a_number};
    pub(super) use crate::utility::git::error::{GitError, Result, fatal};
    pub(super) use crate::utility::git::object::id::{Kind, ObjectId};
}
