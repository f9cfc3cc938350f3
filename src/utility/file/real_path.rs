//! Paths without symbolic links, `.` and `..`, where some components may be missing (`realpath`, `readlink -f`).

use super::join;
use crate::memory::{ToMetered, Vec, VecDeque};
use crate::utility::Context;
use crate::vfs::{Errno, FsError};

/// Which components need not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// All must.
    None,
    /// The last one need not.
    Last,
    /// None must.
    Any,
}

/// Most links that are followed on the way.
const MAX_LINKS: usize = 40;

/// Resolves `path`.
pub(crate) fn resolve(ctx: &Context, path: &[u8], missing: Missing) -> Result<Vec<u8>, FsError> {
    let absolute = ctx.path(path)?;
    if missing == Missing::None {
        let found = ctx.fs().canonicalize(&absolute)?;
        if path.ends_with(b"/") && !ctx.fs().metadata(&absolute)?.is_directory() {
            return Err(Errno::NotDirectory.into());
        }
        return Ok(found);
    }
    let split = |text: &[u8]| -> VecDeque<Vec<u8>> {
        crate::vfs::path::components(text).map(<[u8]>::to_metered).collect()
    };
    let mut pending = split(&absolute);
    let mut resolved = b"/".to_metered();
    let mut links = 0;
    while let Some(component) = pending.pop_front() {
        match component.as_slice() {
            b"." => continue,
            b".." => {
                let slash = resolved.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
                resolved.truncate(slash.max(1));
                continue;
            }
            _ => {}
        }
        let next = join(&resolved, &component);
        match ctx.fs().symlink_metadata(&next) {
            Ok(metadata) if metadata.is_symlink() => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(Errno::TooManyLevels.into());
                }
                let target = ctx.fs().read_link(&next)?;
                if target.starts_with(b"/") {
                    resolved = b"/".to_metered();
                }
                for part in split(&target).into_iter().rev() {
                    pending.push_front(part);
                }
            }
            Ok(metadata) => {
                if !metadata.is_directory() && !pending.is_empty() && missing != Missing::Any {
                    return Err(Errno::NotDirectory.into());
                }
                resolved = next;
            }
            Err(FsError::Errno(Errno::NotFound)) if pending.is_empty() || missing == Missing::Any => {
                resolved = next;
            }
            Err(FsError::Errno(Errno::NotDirectory)) if missing == Missing::Any => resolved = next,
            Err(error) => return Err(error),
        }
    }
    Ok(resolved)
}
