//! Descriptors, open file descriptions and pipes: how bytes move between processes and files.

#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods, clippy::disallowed_macros))]

mod capture;
mod description;
mod descriptor;
mod fifo;
mod pipe;

pub use capture::{Capture, OnExcess};
pub(crate) use description::OpenedPath;
pub use description::{Description, InputStream, OutputStream};
pub(crate) use descriptor::DescriptorTable;
pub(crate) use fifo::FifoTable;
pub(crate) use pipe::pipe;
