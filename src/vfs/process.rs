//! `/proc/self/fd`, `/dev/fd` and `/proc/PID` of the process that asks, as far as they depend on who asks.

use super::errno::Result;
use super::file_system::FileSystem;
use super::location::Location;
use super::metadata::{DirEntry, FileKind};
use super::resolve::Follow;
use crate::memory::{JoinMetered, ToDecimal, Vec};
use crate::text::Text;

impl FileSystem {
    /// As [`FileSystem::read_dir`] for a process that has these descriptors open: they are the names in `/proc/self/fd`.
    pub(crate) fn read_dir_for(
        &self,
        path: &[u8],
        descriptors: impl Iterator<Item = u32>,
    ) -> Result<Vec<DirEntry>> {
        let mut entries = self.read_dir(path)?;
        if entries.is_empty() && self.names_descriptors(path) {
            entries.extend(descriptors.map(|number| DirEntry {
                name: Text::from(number.to_decimal()),
                kind: FileKind::Symlink,
                inode: Location::for_descriptor(number).0,
            }));
        }
        Ok(entries)
    }

    /// Whether the names in a directory are descriptors.
    fn names_descriptors(&self, path: &[u8]) -> bool {
        let live = self.shared.live();
        let found = live.state.walk(path, Follow::Always);
        found.is_ok_and(|found| {
            found.target.is_some_and(|at| live.state.tree(at).is_ok_and(|tree| tree.descriptors == at.id()))
        })
    }
}

/// `path` with `/proc/self` in the place of `/proc/PID`, where that is a number of the process that asks.
pub(crate) fn of_process(path: &[u8], numbers: [u32; 2]) -> Option<Vec<u8>> {
    let rest = path.strip_prefix(b"/proc/")?;
    let end = memchr::memchr(b'/', rest).unwrap_or(rest.len());
    let (number, rest) = rest.split_at(end);
    let is_own = numbers.iter().any(|own| own.to_decimal().as_bytes() == number);
    is_own.then(|| [b"/proc/self".as_slice(), rest].concat_metered())
}
