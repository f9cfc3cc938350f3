//! The session's file system: an in-memory tree with copy-on-write sharing, quotas, links, modes and times.

mod errno;

pub use errno::{Errno, FsError};
