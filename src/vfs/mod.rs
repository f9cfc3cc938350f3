//! The session's file system (placeholder of the interface until the tree lands).

mod errno;

use crate::text::Text;
pub use errno::{Errno, FsError};
use std::time::Duration;

type Result<T> = std::result::Result<T, FsError>;
/// fs
#[derive(Debug)]
pub struct FileSystem;
/// options
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    pub read: bool,
    pub write: bool,
    pub append: bool,
    pub create: bool,
    pub create_new: bool,
    pub truncate: bool,
    pub directory: bool,
    pub no_follow: bool,
    pub mode: u32,
}
/// opened
pub enum Opened {
    File(OpenFile),
    Directory(()),
    Device(Device),
    Fifo(u64),
}
/// device
pub enum Device {
    Null,
    Zero,
    Full,
    Random,
    Tty,
    Descriptor(u32),
}
/// kind
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Regular,
    Directory,
    Symlink,
    Fifo,
    CharDevice,
}
/// metadata
#[derive(Clone, Debug)]
pub struct Metadata {
    pub kind: FileKind,
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
    pub size: u64,
    pub links: u64,
    pub inode: u64,
    pub accessed: Duration,
    pub modified: Duration,
    pub changed: Duration,
}
/// file
#[derive(Clone, Debug)]
pub struct OpenFile;
impl OpenFile {
    pub fn read_at(&self, _: u64, _: &mut dyn FnMut(&[u8]) -> usize) -> Result<usize> {
        Err(Errno::NotSupported.into())
    }
    pub fn write_at(&self, _: u64, _: &[u8]) -> Result<()> {
        Err(Errno::NotSupported.into())
    }
    pub fn append(&self, _: &[u8]) -> Result<u64> {
        Err(Errno::NotSupported.into())
    }
    pub fn metadata(&self) -> Result<Metadata> {
        Err(Errno::NotSupported.into())
    }
}
impl FileSystem {
    pub fn open(&self, _: &[u8], _: &OpenOptions) -> Result<Opened> {
        Err(Errno::NotSupported.into())
    }
}
/// join
pub fn join(cwd: &[u8], path: &[u8]) -> Vec<u8> {
    let mut v = if path.first() == Some(&b'/') {
        Vec::new()
    } else {
        let mut v = cwd.to_vec();
        v.push(b'/');
        v
    };
    v.extend_from_slice(path);
    v
}
/// x
pub fn unused(_: Text) {}
