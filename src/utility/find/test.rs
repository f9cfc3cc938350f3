//! The tests: what is true of a file.

use super::expression::{Comparison, Permissions, Test, Time};
use super::format::base_name;
use super::run::Candidate;
use crate::pattern::{NoTicker, Pattern};
use crate::utility::Context;
use crate::utility::context::pace::{Pace, in_place};
use crate::utility::context::ticker::{MeterTicker, stopped};
use crate::utility::file::last_component;
use crate::utility::file::walk::read_directory;
use crate::vfs::{FileKind, FsError, Metadata};
use std::pin::pin;

impl Test {
    /// Whether the file passes.
    pub(super) fn passes(&self, ctx: &Context, file: &Candidate<'_>) -> Result<bool, FsError> {
        let metadata = file.metadata;
        let access = |read, write, execute| {
            let path = ctx.path(file.path)?;
            is_ok(ctx.fs().access(&path, read, write, execute))
        };
        Ok(match self {
            Self::True => true,
            Self::False => false,
            Self::Name(pattern) => {
                let name = if base_name(file.path) == b"/" { b"/" } else { last_component(file.path) };
                matches(pattern, name)
            }
            Self::Path(pattern) => matches(pattern, file.path),
            Self::LinkName(pattern) => {
                metadata.is_symlink() && matches(pattern, &ctx.fs().read_link(&ctx.path(file.path)?)?)
            }
            Self::Regex(regex) => {
                let ticker = &mut MeterTicker::new(&ctx.meter);
                let found = in_place(pin!(regex.is_match(file.path, &mut Pace::Alone(ticker))));
                found.unwrap_or(Ok(false)).map_err(|_| stopped(&ctx.meter))?
            }
            Self::Type(kinds) => kinds.contains(&metadata.kind),
            Self::TargetType(kinds) => kinds.contains(&target_kind(ctx, file)?),
            Self::Size { unit, count } => count.matches(metadata.size.div_ceil(*unit)),
            Self::Time { time, comparison, moment, window } => {
                let difference = time_of(*time, metadata) - moment;
                match comparison {
                    Comparison::More => difference < 0,
                    Comparison::Less => difference > 0,
                    Comparison::Equal => difference > 0 && difference <= *window,
                }
            }
            Self::Empty => match metadata.kind {
                FileKind::Regular => metadata.size == 0,
                FileKind::Directory => read_directory(ctx, file.path)?.is_empty(),
                _ => false,
            },
            Self::Permissions { how, directory, other } => {
                let wanted = if metadata.is_directory() { *directory } else { *other };
                match how {
                    Permissions::Exactly => metadata.mode == wanted,
                    Permissions::All => metadata.mode & wanted == wanted,
                    Permissions::Any => wanted == 0 || metadata.mode & wanted != 0,
                }
            }
            Self::User(number) => number.matches(u64::from(metadata.uid)),
            Self::Group(number) => number.matches(u64::from(metadata.gid)),
            Self::NoUser => ctx.user_name(metadata.uid).is_none(),
            Self::NoGroup => ctx.group_name(metadata.gid).is_none(),
            Self::Links(number) => number.matches(metadata.links),
            Self::Inode(number) => number.matches(metadata.inode),
            Self::FileSystem(is_ours) => *is_ours,
            Self::Readable => access(true, false, false)?,
            Self::Writable => access(false, true, false)?,
            Self::Executable => access(false, false, true)?,
        })
    }
}

fn matches(pattern: &Pattern, text: &[u8]) -> bool {
    pattern.matches(text, &mut NoTicker).unwrap_or(false)
}

fn is_ok(result: Result<(), FsError>) -> Result<bool, FsError> {
    match result {
        Ok(()) => Ok(true),
        Err(FsError::Errno(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Nanoseconds since the epoch.
fn time_of(time: Time, metadata: &Metadata) -> i128 {
    let value = match time {
        Time::Accessed => metadata.accessed,
        Time::Changed => metadata.changed,
        Time::Modified => metadata.modified,
    };
    i128::try_from(value.as_nanos()).unwrap_or(i128::MAX / 2)
}

/// The kind of the other side: behind a link where links are not followed, of the link where they are.
fn target_kind(ctx: &Context, file: &Candidate<'_>) -> Result<FileKind, FsError> {
    let other = if file.followed { ctx.lstat(file.path) } else { ctx.stat(file.path) };
    match other {
        Ok(metadata) => Ok(metadata.kind),
        Err(FsError::Errno(_)) => Ok(file.metadata.kind),
        Err(error) => Err(error),
    }
}
