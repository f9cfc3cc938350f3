//! The operands of `rg`, and what lies below those that are folders: depth first, in the order of the names, which is what
//! `--sort path` asks ripgrep for.

use super::arguments::Arguments;
use super::option::Opt;
use super::search::Search;
use super::settings::Report;
use super::{Rg, say};
use crate::memory::{ToMetered, Vec};
use crate::utility::file::join;
use crate::utility::prelude::*;
use crate::vfs::{DirEntry, FileKind, Metadata};
use std::cmp::Ordering;
use std::time::Duration;

/// What is searched.
#[derive(Debug)]
pub(super) struct Settings {
    /// `--files`
    pub(super) only_names: bool,
    follows_links: bool,
    max_depth: u64,
    max_size: u64,
    one_file_system: bool,
    order: Order,
    is_reversed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Path,
    Modified,
    Accessed,
}

/// A folder that is gone through.
struct Level {
    path: Vec<u8>,
    inode: u64,
    entries: crate::memory::IntoIter<DirEntry>,
}

impl Settings {
    pub(super) fn new(arguments: &Arguments) -> Result<Self, UtilityError> {
        let keys = ["accessed", "created", "modified", "none", "path"];
        let sort = arguments.word(Opt::Sort, &keys)?;
        let sortr = arguments.word(Opt::Sortr, &keys)?;
        let last = arguments.last_of(&[Opt::Sort, Opt::Sortr, Opt::SortFiles, Opt::NoSortFiles]);
        let key = match last {
            Some(Opt::Sort) => sort,
            Some(Opt::Sortr) => sortr,
            _ => None,
        };
        let order = match key.map(Text::as_bytes) {
            Some(b"modified") => Order::Modified,
            Some(b"accessed") => Order::Accessed,
            Some(b"created") => {
                let message = "sorting by creation time isn't supported: creation time is not available on this platform\n";
                return Err(super::arguments::told(message));
            }
            _ => Order::Path,
        };
        arguments.number_plainly(Opt::Threads)?;
        Ok(Self {
            only_names: arguments.has(Opt::Files),
            follows_links: arguments.is_on(Opt::Follow, Opt::NoFollow),
            max_depth: arguments.number(Opt::MaxDepth)?.unwrap_or(u64::MAX),
            max_size: super::settings::size(arguments, Opt::MaxFilesize)?.unwrap_or(u64::MAX),
            one_file_system: arguments.is_on(Opt::OneFileSystem, Opt::NoOneFileSystem),
            order,
            is_reversed: last == Some(Opt::Sortr) && key.is_some_and(|key| key.as_bytes() != b"none"),
        })
    }
}

/// Goes through the operands.
pub(super) async fn search_operands(
    ctx: &mut Context,
    rg: &mut Rg,
    operands: Vec<Text>,
) -> Result<(), UtilityError> {
    if operands.is_empty() {
        if rg.reads_input {
            return search_input(ctx, rg).await;
        }
        return search_tree(ctx, rg, b"./", true).await;
    }
    for operand in &operands {
        ctx.tick().await?;
        if operand.as_bytes() == b"-" && !rg.walk.only_names {
            search_input(ctx, rg).await?;
        } else {
            match ctx.stat(operand) {
                Ok(metadata) if metadata.is_directory() => search_tree(ctx, rg, operand, false).await?,
                Ok(_) => take_file(ctx, rg, operand, true).await?,
                Err(error) => report(ctx, rg, operand, error).await?,
            }
        }
        if is_over(rg) {
            break;
        }
    }
    Ok(())
}

fn is_over(rg: &Rg) -> bool {
    rg.settings.report == Report::Nothing && rg.has_matched && !rg.settings.stats
}

async fn search_tree(
    ctx: &mut Context,
    rg: &mut Rg,
    root: &[u8],
    omits_root: bool,
) -> Result<(), UtilityError> {
    rg.filter.begin(ctx, root).await?;
    let file_system = ctx.stat(root).map(|metadata| metadata.file_system()).unwrap_or_default();
    let mut levels = Vec::new();
    if rg.walk.max_depth > 0 {
        enter(ctx, rg, &mut levels, root.to_metered()).await?;
    }
    while let Some(level) = levels.last_mut() {
        ctx.tick().await?;
        let Some(entry) = level.entries.next() else {
            levels.pop();
            rg.filter.leave();
            continue;
        };
        let path = join(&level.path, &entry.name);
        let shown = if omits_root { path.get(2..).unwrap_or_default() } else { path.as_slice() };
        let kind = match kind(ctx, rg, &path, &entry) {
            Ok(kind) => kind,
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(FsError::Errno(errno)) => {
                rg.has_failed = true;
                if !rg.settings.no_messages {
                    ctx.stdout.flush().await?;
                    let path = bstr::BStr::new(&path);
                    let error = super::os_error(errno);
                    say(ctx, format_args!("{path}: IO error for operation on {path}: {error}\n"));
                }
                continue;
            }
        };
        let is_folder = kind == FileKind::Directory;
        if rg.filter.excludes(ctx, &path, &entry.name, is_folder).await? {
            continue;
        }
        match kind {
            FileKind::Directory => {
                let stays = !rg.walk.one_file_system
                    || ctx.stat(&path).is_ok_and(|metadata| metadata.file_system() == file_system);
                if (levels.len() as u64) < rg.walk.max_depth && stays {
                    enter(ctx, rg, &mut levels, path).await?;
                }
            }
            FileKind::Regular => {
                let is_small = rg.walk.max_size == u64::MAX
                    || ctx.stat(&path).is_ok_and(|metadata| metadata.size <= rg.walk.max_size);
                if is_small {
                    take_file(ctx, rg, shown, false).await?;
                }
            }
            _ => {}
        }
        if is_over(rg) {
            return Ok(());
        }
    }
    Ok(())
}

/// What an entry is; links are followed where that is asked for.
fn kind(ctx: &Context, rg: &Rg, path: &[u8], entry: &DirEntry) -> Result<FileKind, FsError> {
    if entry.kind == FileKind::Symlink && rg.walk.follows_links {
        return ctx.stat(path).map(|metadata| metadata.kind);
    }
    Ok(entry.kind)
}

/// Opens a folder, unless it is one of those that it lies in.
async fn enter(
    ctx: &mut Context,
    rg: &mut Rg,
    levels: &mut Vec<Level>,
    path: Vec<u8>,
) -> Result<(), UtilityError> {
    let absolute = ctx.absolute(&path);
    let fs = &ctx.session.fs;
    let opened = fs.metadata(&absolute).and_then(|metadata| Ok((metadata.inode, fs.read_dir(&absolute)?)));
    let (inode, mut entries) = match opened {
        Ok(opened) => opened,
        Err(error) => return report(ctx, rg, &path, error).await,
    };
    if let Some(ancestor) = levels.iter().find(|level| level.inode == inode) {
        rg.has_failed = true;
        if !rg.settings.no_messages {
            let (path, ancestor) = (bstr::BStr::new(&path), bstr::BStr::new(&ancestor.path));
            say(ctx, format_args!("File system loop found: {path} points to an ancestor {ancestor}\n"));
        }
        return Ok(());
    }
    sort(ctx, rg, &path, &mut entries).await?;
    rg.filter.enter(ctx, &path).await?;
    levels.push(Level { path, inode, entries: entries.into_iter() });
    Ok(())
}

/// Puts the entries of a folder into the order that is asked for.
async fn sort(
    ctx: &mut Context,
    rg: &Rg,
    path: &[u8],
    entries: &mut Vec<DirEntry>,
) -> Result<(), UtilityError> {
    if rg.walk.order != Order::Path {
        let mut timed = Vec::with_capacity(entries.len());
        for entry in std::mem::take(entries) {
            ctx.tick().await?;
            let time = ctx.stat(&join(path, &entry.name)).ok().map(|metadata| time(rg, &metadata));
            timed.push((time, entry));
        }
        timed.sort_by(|one, two| match (one.0, two.0) {
            (Some(one), Some(two)) => one.cmp(&two),
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (None, None) => Ordering::Equal,
        });
        entries.extend(timed.into_iter().map(|(_, entry)| entry));
    }
    if rg.walk.is_reversed {
        entries.reverse();
    }
    Ok(())
}

fn time(rg: &Rg, metadata: &Metadata) -> Duration {
    if rg.walk.order == Order::Accessed { metadata.accessed } else { metadata.modified }
}

async fn search_input(ctx: &mut Context, rg: &mut Rg) -> Result<(), UtilityError> {
    let mut input = ctx.standard_input();
    Search::new(Text::from_static(b"<stdin>"), rg.settings.binary).run(ctx, rg, &mut input).await
}

/// Searches a file, or tells its name.
async fn take_file(
    ctx: &mut Context,
    rg: &mut Rg,
    path: &[u8],
    is_operand: bool,
) -> Result<(), UtilityError> {
    if rg.walk.only_names {
        rg.has_matched = true;
        if rg.settings.report != Report::Nothing {
            let mut line = Vec::new();
            rg.settings.push_path(path, &mut line);
            line.push(if rg.settings.null_after_name { 0 } else { b'\n' });
            ctx.stdout.write(&line).await?;
        }
        return Ok(());
    }
    let binary = if is_operand { rg.settings.binary } else { rg.settings.binary_found };
    match ctx.open(path) {
        Ok(mut input) => Search::new(Text::from(path), binary).run(ctx, rg, &mut input).await,
        Err(error) => report(ctx, rg, path, error).await,
    }
}

/// Tells why a file is not searched.
pub(super) async fn report(
    ctx: &mut Context,
    rg: &mut Rg,
    path: &[u8],
    error: FsError,
) -> Result<(), UtilityError> {
    rg.has_failed = true;
    match error {
        FsError::Limit(limit) => return Err(limit.into()),
        FsError::Errno(errno) if !rg.settings.no_messages => {
            ctx.stdout.flush().await?;
            let path = bstr::BStr::new(path);
            say(ctx, format_args!("{path}: {}\n", super::os_error(errno)));
        }
        FsError::Errno(_) => {}
    }
    Ok(())
}
