//! The session's file system: an in-memory tree with copy-on-write sharing, quotas, links, modes and times. A path and an
//! operation go in; an open file, metadata or an [`Errno`] comes out. Nothing here knows descriptors or the shell.
//!
//! An operation takes the one lock, resolves its path to an inode (search permissions, links, mount points), checks the quota and
//! changes the tables. A snapshot is a clone of the tables, so it costs a few pointers, and a later write copies what it changes.
//!
//! - `table.rs`, `inode.rs`, `directory.rs`: the persistent data. Cloning all of it copies a few pointers.
//! - `tree.rs`: the state, what a snapshot holds: inodes, mounts and what is used of the quota.
//! - `metadata.rs`, `options.rs`, `errno.rs`: the words of the interface.
//! - `resolve.rs`: from a path to an inode, with search permissions, symbolic links and mount points.
//! - `file_system.rs`, `operation.rs`, `rename.rs`, `open_file.rs`: the operations on paths and on open files.
//! - `place.rs`: directories by what they are, for processes that work in them.
//! - `process.rs`: what of `/proc` depends on the process that asks.
//! - `deposit.rs`: files that are written when somebody looks.
//! - `mount.rs`, `interop.rs`: other trees under the same root, and the `vfs` crate's trait in both directions.
//! - `base.rs`: the tree that a new session starts with.
//!
//! - `stored.rs`: what of all that is on the account of the file system; everything else is on the gauge of the run.
//!
//! A new operation is a method of [`FileSystem`] in `operation.rs`; a new kind of file is a variant in `inode.rs`.
//!
//! ```
//! use hookbox::sandbox::Sandbox;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let sandbox = Sandbox::builder().file("/workspace/a", "1\n").build()?;
//! let before = sandbox.fs().snapshot();
//! sandbox.run("echo 2 >> a; touch b").await;
//! let changed: Vec<_> = sandbox.diff(&before).into_iter().map(|change| change.path).collect();
//! assert_eq!(changed, [&b"/workspace/a"[..], b"/workspace/b"]);
//! sandbox.fs().restore(&before);
//! assert_eq!(&*sandbox.fs().read(b"/workspace/a")?, b"1\n");
//! # Ok(())
//! # }
//! ```
//!
//! Reading does not change access times, as if every file system were mounted `noatime`: a read never copies a node.

#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods, clippy::disallowed_macros))]

mod attribute;
#[allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "the host makes it, once")]
mod base;
mod blocks;
mod deposit;
mod device;
#[allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "the host compares, outside of runs")]
mod diff;
mod directory;
mod errno;
mod file_system;
#[allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "the host loads fixtures before runs"
)]
#[cfg(feature = "host-files")]
pub mod fixture;
#[allow(
    clippy::disallowed_types,
    clippy::disallowed_macros,
    reason = "paths in the words of the `vfs` crate"
)]
#[cfg(feature = "vfs")]
mod foreign;
#[allow(clippy::disallowed_types, dead_code, reason = "nothing of it is ever made")]
#[cfg(not(feature = "vfs"))]
#[path = "foreign_none.rs"]
mod foreign;
#[allow(clippy::disallowed_types, reason = "errors in the words of the `vfs` crate")]
#[cfg(feature = "vfs")]
mod foreign_errno;
#[allow(
    clippy::disallowed_types,
    clippy::disallowed_macros,
    reason = "paths in the words of the `vfs` crate"
)]
#[cfg(feature = "vfs")]
mod foreign_file;
mod inode;
#[allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "the host reads and writes by it")]
#[cfg(feature = "vfs")]
mod interop;
mod location;
mod metadata;
#[allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "the host mounts")]
mod mount;
mod mount_point;
mod open_file;
mod operation;
mod options;
pub(crate) mod path;
mod place;
mod process;
mod rename;
mod resolve;
mod stored;
mod table;
mod tree;

pub use base::Base;
pub(crate) use base::COMMAND_MARK;
pub use deposit::WithdrawError;
pub use device::Device;
pub use diff::{Change, ChangeKind, diff};
pub use errno::{Errno, FsError, Result};
pub use file_system::{FileSystem, Snapshot};
pub use inode::Content;
#[cfg(feature = "vfs")]
pub use interop::SessionVfs;
pub use metadata::{DirEntry, FileKind, Metadata};
pub use mount::Mount;
pub(crate) use open_file::{OpenFile, Opened};
pub(crate) use options::OpenOptions;
pub use options::{FsUsage, Options};
pub(crate) use place::Place;
pub(crate) use process::of_process;

#[cfg(test)]
mod tests;
