//! What is written of an entry: the word for it, its bytes where lines are converted, and what the file gets afterwards.

use super::settings::UnzipOptions;
use crate::memory::{String, Vec, format};
use crate::utility::compress::zip::{Entry, Method};
use crate::utility::format::time_format::Zone;
use crate::utility::prelude::*;
use std::time::Duration;

/// A name that the columns behind it stand below each other.
pub(super) fn wide(name: &[u8]) -> String {
    format!("{:<22}", bstr::BStr::new(name))
}

pub(super) fn verb(entry: &Entry) -> &'static str {
    match entry.method() {
        _ if entry.is_symlink() && entry.method() == Method::Stored => "linking",
        Method::Stored => "extracting",
        Method::Bzip2 => "bunzipping",
        _ => "inflating",
    }
}

/// Whether ends of lines are converted.
pub(super) fn is_text(settings: &UnzipOptions, entry: &Entry) -> bool {
    !settings.is_binary && (settings.text > 1 || (settings.text == 1 && entry.internal & 1 == 1))
}

/// Without the carriage returns at the ends of lines.
pub(super) fn without_returns(piece: &[u8], ends_with_return: &mut bool) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    for &byte in piece {
        if std::mem::take(ends_with_return) {
            // A return that stands alone ends a line too.
            out.push(b'\n');
            if byte == b'\n' {
                continue;
            }
        }
        match byte {
            b'\r' => *ends_with_return = true,
            0x1a => {}
            other => out.push(other),
        }
    }
    out
}

/// Mode, times and owner.
pub(super) fn set_attributes(
    ctx: &mut Context,
    settings: &UnzipOptions,
    path: &[u8],
    entry: &Entry,
) -> Result<(), UtilityError> {
    let absolute = ctx.absolute(path);
    let zone = Zone::of(&ctx.env);
    let mask = if settings.keeps_bits { 0o7777 } else { 0o777 };
    let fs = ctx.fs();
    let mut changed = Ok(());
    if settings.no_times < if entry.is_directory() { 1 } else { 2 } {
        let time: Duration = entry.time(&zone);
        changed = fs.set_times(&absolute, Some(time), Some(time), true);
    }
    if settings.owners
        && let Some((user, group)) = entry.owner()
    {
        changed = changed.and_then(|()| fs.set_owner(&absolute, Some(user), Some(group), true));
    }
    if let Some(mode) = entry.mode() {
        changed = changed.and_then(|()| fs.set_mode(&absolute, mode & mask));
    }
    match changed {
        Ok(()) | Err(FsError::Errno(_)) => Ok(()),
        Err(FsError::Limit(limit)) => Err(limit.into()),
    }
}
