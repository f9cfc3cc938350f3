//! The operands of `grep`, and with `-r` what lies below them, depth first.

use super::Grep;
use super::search::InputSearch;
use super::settings::{Directories, Report};
use crate::memory::{ToDecimal, ToMetered, Vec};
use crate::utility::prelude::*;
use crate::vfs::{DirEntry, FileKind};

/// A directory that is gone through.
struct Level {
    path: Vec<u8>,
    inode: u64,
    entries: crate::memory::IntoIter<DirEntry>,
}

pub(super) async fn search_operands(
    ctx: &mut Context,
    grep: &mut Grep,
    operands: Vec<Text>,
) -> Result<(), UtilityError> {
    if operands.is_empty() && grep.settings.directories == Directories::Recurse {
        // Names come without the `.` that is searched.
        return search_tree(ctx, grep, b".", true).await;
    }
    for operand in ctx.inputs(&operands) {
        if operand == b"-".as_slice() {
            let input = ctx.standard_input();
            let label = grep.settings.label.clone();
            search_input(ctx, grep, label, input).await?;
        } else {
            search_operand(ctx, grep, &operand).await?;
        }
        if is_over(grep) {
            break;
        }
    }
    Ok(())
}

fn is_over(grep: &Grep) -> bool {
    grep.settings.report == Report::Nothing && grep.has_selected
}

async fn search_operand(ctx: &mut Context, grep: &mut Grep, operand: &[u8]) -> Result<(), UtilityError> {
    let metadata = if operand.is_empty() {
        Err(Errno::NotFound.into())
    } else {
        ctx.session.fs.metadata(&ctx.absolute(operand))
    };
    // What cannot be opened is told whether it is wanted or not.
    let metadata = match metadata {
        Ok(metadata) => metadata,
        Err(error) => return report(ctx, grep, operand, error).await,
    };
    let is_directory = metadata.is_directory();
    let selection = if is_directory { &grep.settings.excluded_directories } else { &grep.settings.files };
    if selection.excludes(ctx, operand, true)? {
        return Ok(());
    }
    let is_device = !is_directory && !metadata.is_regular();
    match grep.settings.directories {
        Directories::Skip if is_directory => Ok(()),
        Directories::Recurse if is_directory => search_tree(ctx, grep, operand, false).await,
        _ if is_device && grep.settings.skips_devices == Some(true) => Ok(()),
        _ => search_file(ctx, grep, operand).await,
    }
}

/// Searches a directory and what is below it.
async fn search_tree(
    ctx: &mut Context,
    grep: &mut Grep,
    root: &[u8],
    omits_root: bool,
) -> Result<(), UtilityError> {
    grep.with_name |= grep.settings.with_name.is_none();
    let mut levels = Vec::new();
    enter(ctx, grep, &mut levels, root.to_metered()).await?;
    while let Some(level) = levels.last_mut() {
        ctx.tick().await?;
        let Some(entry) = level.entries.next() else {
            levels.pop();
            continue;
        };
        let mut path = Vec::new();
        if !(omits_root && levels.len() == 1) {
            let directory = levels.last().map_or(b"".as_slice(), |level| level.path.as_slice());
            path.extend_from_slice(directory);
            if !directory.ends_with(b"/") {
                path.push(b'/');
            }
        }
        path.extend_from_slice(&entry.name);
        match kind(ctx, grep, &path, &entry) {
            FileKind::Directory => {
                if !grep.settings.excluded_directories.excludes(ctx, &entry.name, false)? {
                    enter(ctx, grep, &mut levels, path).await?;
                }
            }
            FileKind::Regular => {
                if !grep.settings.files.excludes(ctx, &entry.name, false)? {
                    search_file(ctx, grep, &path).await?;
                }
            }
            FileKind::Symlink => {}
            _ => {
                if grep.settings.skips_devices == Some(false)
                    && !grep.settings.files.excludes(ctx, &entry.name, false)?
                {
                    search_file(ctx, grep, &path).await?;
                }
            }
        }
        if is_over(grep) {
            return Ok(());
        }
    }
    Ok(())
}

/// What an entry is, links followed where that is asked for; a link that leads nowhere counts as a file, to be reported.
fn kind(ctx: &Context, grep: &Grep, path: &[u8], entry: &DirEntry) -> FileKind {
    if entry.kind == FileKind::Symlink && grep.settings.follows_links {
        let target = ctx.session.fs.metadata(&ctx.absolute(path));
        return target.map_or(FileKind::Regular, |metadata| metadata.kind);
    }
    entry.kind
}

/// Opens a directory, unless it is one of those that it lies in.
async fn enter(
    ctx: &mut Context,
    grep: &mut Grep,
    levels: &mut Vec<Level>,
    path: Vec<u8>,
) -> Result<(), UtilityError> {
    let absolute = ctx.absolute(&path);
    let fs = &ctx.session.fs;
    let opened = fs.metadata(&absolute).and_then(|metadata| Ok((metadata.inode, fs.read_dir(&absolute)?)));
    let (inode, entries) = match opened {
        Ok(opened) => opened,
        Err(error) => return report(ctx, grep, &path, error).await,
    };
    if levels.iter().any(|level| level.inode == inode) {
        if !grep.settings.no_messages {
            ctx.warn(format_args!("warning: {}: recursive directory loop", bstr::BStr::new(&path)));
        }
        return Ok(());
    }
    levels.push(Level { path, inode, entries: entries.into_iter() });
    Ok(())
}

async fn search_file(ctx: &mut Context, grep: &mut Grep, path: &[u8]) -> Result<(), UtilityError> {
    match ctx.open(path) {
        Ok(input) => search_input(ctx, grep, Text::from(path), input).await,
        Err(error) => report(ctx, grep, path, error).await,
    }
}

async fn search_input(
    ctx: &mut Context,
    grep: &mut Grep,
    name: Text,
    mut input: Input,
) -> Result<(), UtilityError> {
    let metadata = input.description().metadata();
    let output = ctx.stdout.description().and_then(|description| description.metadata());
    if let (Some(from), Some(to)) = (&metadata, &output)
        && from.inode == to.inode
        && grep.settings.report == Report::Lines
        && grep.settings.max_count > 1
    {
        grep.has_failed = true;
        if !grep.settings.no_messages {
            ctx.stdout.flush().await?;
            ctx.warn(format_args!("{name}: input file is also the output"));
        }
        return Ok(());
    }
    let width = if grep.settings.initial_tab {
        let size = metadata.map_or(i64::MAX as u64, |file| file.size + u64::from(grep.settings.line_number));
        size.to_decimal().len()
    } else {
        0
    };
    let mut search = InputSearch::new(name.clone(), width);
    if let Err(error) = search.run(ctx, grep, &mut input).await? {
        let is_directory = matches!(error, FsError::Errno(Errno::IsDirectory));
        if !(is_directory && grep.settings.directories == Directories::Skip) {
            report(ctx, grep, &name, error).await?;
        }
        if is_directory && grep.settings.directories == Directories::Skip {
            return Ok(());
        }
    }
    search.finish(ctx, grep).await
}

async fn report(ctx: &mut Context, grep: &mut Grep, path: &[u8], error: FsError) -> Result<(), UtilityError> {
    grep.has_failed = true;
    match error {
        FsError::Limit(limit) => Err(limit.into()),
        FsError::Errno(_) if grep.settings.no_messages => Ok(()),
        FsError::Errno(_) => {
            ctx.stdout.flush().await?;
            ctx.report(path, error).map(drop)
        }
    }
}
