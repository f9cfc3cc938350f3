//! What differs: which files (`tree.rs`, `files.rs`), which were renamed (`rename.rs`), which lines (`lines.rs`), and how that
//! is shown (`options.rs`, `output.rs`, `patch.rs`, `statistics.rs`).

pub(crate) mod change;
mod check;
pub(crate) mod combined;
pub(crate) mod files;
pub(crate) mod lines;
pub(crate) mod options;
pub(crate) mod output;
pub(crate) mod patch;
pub(crate) mod rename;
mod script;
mod slide;
mod statistics;
pub(crate) mod tree;

pub(crate) use statistics::{columns, rename_name};
