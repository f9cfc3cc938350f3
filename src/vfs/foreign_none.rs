//! Without the feature `vfs` nothing foreign can be mounted: the types of `foreign.rs` without values, so that what asks for
//! them reads the same.

use super::errno::Result;
use super::inode::Content;
use super::metadata::{DirEntry, Metadata};
use super::options::OpenOptions;
use std::sync::Arc;
use std::time::Duration;

/// A foreign file system: there is none.
#[derive(Debug)]
pub(super) enum Foreign {}

/// What opening a path gave: never anything.
pub(super) enum ForeignEntry {
    File(ForeignHandle),
    Directory,
}

/// An open file of a foreign file system: there is none.
#[derive(Debug)]
pub(super) enum ForeignHandle {}

/// A path within a foreign file system: there is none.
#[derive(Clone, Debug)]
pub(super) struct ForeignPath {
    pub(super) foreign: Arc<Foreign>,
    pub(super) path: Vec<u8>,
    pub(super) slash: bool,
}

/// Functions that nobody can call.
macro_rules! never {
    ($self:ident => $never:expr; $(fn $name:ident $(<$type:ident>)? (&self $(, $argument:ident: $kind:ty)*) -> $result:ty;)*) => {
        $(pub(super) fn $name $(<$type>)? (&$self $(, $argument: $kind)*) -> $result {
            $(let _ = $argument;)*
            match $never {}
        })*
    };
}

impl ForeignPath {
    never! {
        self => *self.foreign;
        fn metadata(&self) -> Result<Metadata>;
        fn access(&self, write: bool, execute: bool) -> Result<()>;
        fn open(&self, options: &OpenOptions) -> Result<ForeignEntry>;
        fn read(&self) -> Result<Content>;
        fn write(&self, bytes: &[u8]) -> Result<()>;
        fn truncate(&self, len: u64) -> Result<()>;
        fn read_dir(&self) -> Result<crate::memory::Vec<DirEntry>>;
        fn create_dir(&self) -> Result<()>;
        fn create_dir_all(&self, rest: impl Iterator) -> Result<()>;
        fn push(&self, name: &[u8]) -> Result<bool>;
        fn remove_dir(&self) -> Result<()>;
        fn remove_file(&self) -> Result<()>;
        fn rename(&self, to: &Self) -> Result<()>;
        fn set_times(&self, accessed: Option<Duration>, modified: Option<Duration>) -> Result<()>;
        fn not_created<T>(&self) -> Result<T>;
        fn not_supported<T>(&self) -> Result<T>;
    }
}

impl ForeignHandle {
    never! {
        self => *self;
        fn content(&self) -> Result<Content>;
        fn write_at(&self, offset: u64, bytes: &[u8]) -> Result<()>;
        fn append(&self, bytes: &[u8]) -> Result<u64>;
        fn set_len(&self, len: u64) -> Result<()>;
        fn flush(&self) -> Result<()>;
        fn metadata(&self) -> Result<Metadata>;
    }
}
