//! How bytes move between processes and files: descriptors, open file descriptions, pipes and captures.
//!
//! A descriptor is a number in a process's `DescriptorTable`; it refers to a [`Description`] (`description.rs`), which has
//! the offset and the access mode and is shared by duplicates and children, as in POSIX. What is open is a file of the
//! session, an end of a pipe (`pipe.rs`), a FIFO (`fifo.rs`), a [`Capture`] of output, or a stream of the host.
//!
//! Reading and writing are polled: a call that cannot go on registers a waker and returns `Pending`, it never blocks. What a
//! pipe or a capture holds is charged to the run. The last description of a pipe's other end closes it: then readers see the
//! end of file, and writers a broken pipe. A new kind of thing to open is a variant in `description.rs`.

#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods, clippy::disallowed_macros))]

mod capture;
mod description;
mod descriptor;
mod fifo;
mod file_lock;
mod pipe;

pub use capture::{Capture, OnExcess};
pub(crate) use description::OpenedPath;
pub use description::{Description, InputStream, OutputStream};
pub(crate) use descriptor::DescriptorTable;
pub(crate) use fifo::FifoTable;
pub(crate) use file_lock::FileLocks;
pub(crate) use pipe::pipe;
