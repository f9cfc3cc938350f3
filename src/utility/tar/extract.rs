//! Extracts members. Nothing is written through a link that the archive made to the outside: a symbolic link whose target is
//! absolute or has `..` is an empty file until everything else is extracted. Times and modes of directories are set at the end.

use super::error::{Faults, Result, TarError};
use super::header::{Kind, Member};
use super::reader::ArchiveReader;
use super::select::trim_slashes;
use super::settings::{Old, TarOptions, in_directory};
use super::shown::shown_name;
use crate::memory::{ToMetered, Vec, format};
use crate::utility::file::parent;
use crate::utility::prelude::*;
use crate::vfs::path::components;
use crate::vfs::{Metadata, OpenOptions};

/// See the module.
#[derive(Default)]
pub(super) struct Extractor {
    /// Placeholders with what they become: path, inode, target, member.
    links: Vec<(Vec<u8>, u64, Vec<u8>, Member)>,
    directories: Vec<(Vec<u8>, Member)>,
}

/// What is to be done about a file that is there already.
enum Way {
    /// Try again.
    Again,
    /// Say what the call said.
    Fail,
    /// Leave it alone.
    Leave,
}

impl Extractor {
    pub(super) async fn extract(
        &mut self,
        ctx: &mut Context,
        settings: &TarOptions,
        reader: &mut ArchiveReader,
        member: &Member,
        directory: Option<&Text>,
        faults: &mut Faults,
    ) -> Result<()> {
        let shown = shown_name(&member.name);
        if member.is_sparse {
            faults.report(ctx, format_args!("{shown}: sparse members are not supported"));
            return Ok(());
        }
        if settings.to_stdout {
            return if member.kind == Kind::Regular { to_stdout(ctx, reader).await } else { Ok(()) };
        }
        let path = in_directory(directory, trim_slashes(&member.name));
        if Self::keeps(ctx, settings, &path, member, faults)? {
            return Ok(());
        }
        match member.kind {
            Kind::Regular => Self::file(ctx, settings, reader, &path, member, faults).await,
            Kind::Directory | Kind::Other(b'D') => self.directory(ctx, settings, &path, member, faults),
            Kind::Symlink => self.symlink(ctx, settings, &path, member, faults),
            Kind::HardLink => {
                let target = in_directory(directory, &member.link);
                Self::hard_link(ctx, settings, &path, &target, member, faults)
            }
            Kind::Fifo => {
                let mode = member.mode & 0o777 & !ctx.umask;
                let made =
                    make(ctx, settings, &path, member, |ctx| ctx.fs().make_fifo(&ctx.absolute(&path), mode))?;
                Self::finish_entry(ctx, settings, &path, member, &made, "mkfifo", faults)
            }
            Kind::CharDevice | Kind::BlockDevice => {
                faults.report(ctx, format_args!("{shown}: Cannot mknod: {}", Errno::NotPermitted.message()));
                Ok(())
            }
            Kind::Other(b'V') => Ok(()),
            Kind::Other(b'M') => {
                faults.report(
                    ctx,
                    format_args!("{shown}: Cannot extract -- file is continued from another volume"),
                );
                Ok(())
            }
            Kind::Other(letter) => {
                let letter = char::from(letter);
                faults.report(
                    ctx,
                    format_args!("{shown}: Unknown file type '{letter}', extracted as normal file"),
                );
                Self::file(ctx, settings, reader, &path, member, faults).await
            }
        }
    }

    /// Whether a file that is there stays, as the options say before anything is tried.
    fn keeps(
        ctx: &mut Context,
        settings: &TarOptions,
        path: &[u8],
        member: &Member,
        faults: &mut Faults,
    ) -> Result<bool> {
        let shown = shown_name(trim_slashes(&member.name));
        match settings.old {
            Old::KeepNewer if member.kind != Kind::Directory => {
                let is_newer =
                    ctx.lstat(path).is_ok_and(|data| data.modified.as_secs() >= member.time.as_secs());
                if is_newer {
                    ctx.warn(format_args!("Current ‘{shown}’ is newer or same age"));
                }
                Ok(is_newer)
            }
            Old::UnlinkFirst if ctx.lstat(path).is_ok_and(|data| data.is_directory()) => {
                let removed = ctx.fs().remove_dir(&ctx.absolute(path));
                if let Err(error) = removed {
                    faults.cannot(ctx, trim_slashes(&member.name), "unlink", error)?;
                }
                Ok(false)
            }
            Old::UnlinkFirst => match ctx.fs().remove_file(&ctx.absolute(path)) {
                Err(FsError::Limit(limit)) => Err(limit.into()),
                _ => Ok(false),
            },
            _ => Ok(false),
        }
    }

    async fn file(
        ctx: &mut Context,
        settings: &TarOptions,
        reader: &mut ArchiveReader,
        path: &[u8],
        member: &Member,
        faults: &mut Faults,
    ) -> Result<()> {
        let overwrites = settings.old == Old::Overwrite;
        let options = OpenOptions {
            write: true,
            create: true,
            create_new: !overwrites,
            truncate: overwrites,
            mode: member.mode & 0o777 & !ctx.umask | 0o200,
            ..OpenOptions::default()
        };
        let mut opened = None;
        let made = make(ctx, settings, path, member, |ctx| {
            opened = Some(ctx.open_description(path, &options)?);
            Ok(())
        })?;
        let Some(description) = opened else {
            return Self::finish_entry(ctx, settings, path, member, &made, "open", faults);
        };
        let mut output = Output::new(Some(description));
        loop {
            let piece = reader.data(ctx).await?;
            if piece.is_empty() {
                break;
            }
            let count = piece.len();
            let written = output.write(piece).await;
            reader.consume(count);
            if let Err(UtilityError::Write(errno)) = written {
                faults.cannot(ctx, &member.name, "write", errno.into())?;
                return Ok(());
            }
            written?;
        }
        output.flush().await?;
        Self::finish_entry(ctx, settings, path, member, &made, "open", faults)
    }

    fn directory(
        &mut self,
        ctx: &mut Context,
        settings: &TarOptions,
        path: &[u8],
        member: &Member,
        faults: &mut Faults,
    ) -> Result<()> {
        let follows = settings.keep_directory_symlink;
        let existing = if follows { ctx.stat(path) } else { ctx.lstat(path) };
        if let Some(existing) = existing.ok().filter(Metadata::is_directory) {
            if settings.old == Old::Skip {
                if settings.verbose > 0 {
                    let shown = shown_name(trim_slashes(&member.name));
                    ctx.warn(format_args!("{shown}: skipping existing file"));
                }
                return Ok(());
            }
            if settings.old != Old::Keep {
                let mut member = member.clone();
                // What is kept of a directory is its mode: its time is that of the archive.
                if !settings.overwrite_dir {
                    member.mode = existing.mode;
                }
                self.directories.push((path.to_metered(), member));
            }
            return Ok(());
        }
        let mode = member.mode & 0o777 & !ctx.umask | 0o700;
        let made = make(ctx, settings, path, member, |ctx| ctx.fs().create_dir(&ctx.absolute(path), mode))?;
        if matches!(made, Made::Done) {
            self.directories.push((path.to_metered(), member.clone()));
            return Ok(());
        }
        Self::finish_entry(ctx, settings, path, member, &made, "mkdir", faults)
    }

    fn symlink(
        &mut self,
        ctx: &mut Context,
        settings: &TarOptions,
        path: &[u8],
        member: &Member,
        faults: &mut Faults,
    ) -> Result<()> {
        let leads_out = member.link.starts_with(b"/") || components(&member.link).any(|part| part == b"..");
        if leads_out && !settings.absolute_names {
            let options = OpenOptions {
                write: true,
                create: true,
                create_new: true,
                mode: 0,
                ..OpenOptions::default()
            };
            let made =
                make(ctx, settings, path, member, |ctx| ctx.open_description(path, &options).map(|_| ()))?;
            if !matches!(made, Made::Done) {
                let what = format!("create symlink to ‘{}’", shown_name(&member.link));
                return Self::finish_entry(ctx, settings, path, member, &made, &what, faults);
            }
            let inode = ctx.lstat(path)?.inode;
            self.links.push((path.to_metered(), inode, member.link.to_metered(), member.clone()));
            return Ok(());
        }
        let made =
            make(ctx, settings, path, member, |ctx| ctx.fs().symlink(&member.link, &ctx.absolute(path)))?;
        let what = format!("create symlink to ‘{}’", shown_name(&member.link));
        Self::finish_entry(ctx, settings, path, member, &made, &what, faults)
    }

    fn hard_link(
        ctx: &mut Context,
        settings: &TarOptions,
        path: &[u8],
        target: &[u8],
        member: &Member,
        faults: &mut Faults,
    ) -> Result<()> {
        // A link to itself, or to what it is already, is there.
        if let (Ok(one), Ok(two)) = (ctx.lstat(path), ctx.lstat(target))
            && one.inode == two.inode
        {
            return Ok(());
        }
        let made = make(ctx, settings, path, member, |ctx| {
            ctx.fs().hard_link(&ctx.absolute(target), &ctx.absolute(path))
        })?;
        if let Made::Failed(error) = made {
            let what = format!("hard link to ‘{}’", shown_name(&member.link));
            return faults.cannot(ctx, &member.name, what, error);
        }
        Ok(())
    }

    /// Sets times, owner and mode of what was made; or says why it was not.
    fn finish_entry(
        ctx: &mut Context,
        settings: &TarOptions,
        path: &[u8],
        member: &Member,
        made: &Made,
        what: &str,
        faults: &mut Faults,
    ) -> Result<()> {
        match made {
            Made::Done => set_attributes(ctx, settings, path, member, faults),
            Made::Left => Ok(()),
            Made::Failed(error) => faults.cannot(ctx, trim_slashes(&member.name), what, *error),
        }
    }

    /// Makes the links that were put off, and sets what directories are to have.
    pub(super) async fn finish(
        &mut self,
        ctx: &mut Context,
        settings: &TarOptions,
        faults: &mut Faults,
    ) -> Result<()> {
        while let Some((path, inode, target, member)) = self.links.pop() {
            ctx.tick().await?;
            // Another member may have taken its place.
            if !ctx.lstat(&path).is_ok_and(|data| data.inode == inode) {
                continue;
            }
            let absolute = ctx.absolute(&path);
            let made = ctx.fs().remove_file(&absolute).and_then(|()| ctx.fs().symlink(&target, &absolute));
            match made {
                Ok(()) => set_attributes(ctx, settings, &path, &member, faults)?,
                Err(error) => {
                    let what = format!("create symlink to ‘{}’", shown_name(&target));
                    faults.cannot(ctx, &member.name, what, error)?;
                }
            }
        }
        while let Some((path, member)) = self.directories.pop() {
            ctx.tick().await?;
            if ctx.lstat(&path).is_ok_and(|data| data.is_directory()) {
                set_attributes(ctx, settings, &path, &member, faults)?;
            }
        }
        Ok(())
    }
}

/// What came of making a file.
enum Made {
    Done,
    /// It is there, and stays.
    Left,
    Failed(FsError),
}

/// Makes something: directories above it are made, and what is in its place is removed, as the options say.
fn make(
    ctx: &mut Context,
    settings: &TarOptions,
    path: &[u8],
    member: &Member,
    mut attempt: impl FnMut(&Context) -> std::result::Result<(), FsError>,
) -> Result<Made> {
    // Each way out of a failure is tried once.
    for _ in 0..3 {
        let error = match attempt(ctx) {
            Ok(()) => return Ok(Made::Done),
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(FsError::Errno(errno)) => errno,
        };
        let way = match error {
            Errno::Exists | Errno::IsDirectory => make_room(ctx, settings, path, member)?,
            Errno::NotFound => make_parents(ctx, path)?,
            _ => Way::Fail,
        };
        match way {
            Way::Again => {}
            Way::Leave => return Ok(Made::Left),
            Way::Fail => return Ok(Made::Failed(error.into())),
        }
    }
    Ok(Made::Failed(Errno::Exists.into()))
}

fn make_room(ctx: &mut Context, settings: &TarOptions, path: &[u8], member: &Member) -> Result<Way> {
    match settings.old {
        Old::Keep => return Ok(Way::Fail),
        Old::Skip => {
            if settings.verbose > 0 {
                let shown = shown_name(trim_slashes(&member.name));
                ctx.warn(format_args!("{shown}: skipping existing file"));
            }
            return Ok(Way::Leave);
        }
        _ => {}
    }
    let absolute = ctx.absolute(path);
    let is_directory = ctx.lstat(path).is_ok_and(|data| data.is_directory());
    let removed = if is_directory { ctx.fs().remove_dir(&absolute) } else { ctx.fs().remove_file(&absolute) };
    match removed {
        Ok(()) => Ok(Way::Again),
        Err(FsError::Limit(limit)) => Err(limit.into()),
        Err(_) => Ok(Way::Fail),
    }
}

fn make_parents(ctx: &Context, path: &[u8]) -> Result<Way> {
    let above = parent(path);
    if ctx.lstat(above).is_ok() {
        return Ok(Way::Fail);
    }
    match ctx.fs().create_dir_all(&ctx.absolute(above), 0o777 & !ctx.umask) {
        Ok(()) => Ok(Way::Again),
        Err(FsError::Limit(limit)) => Err(limit.into()),
        Err(_) => Ok(Way::Fail),
    }
}

fn set_attributes(
    ctx: &mut Context,
    settings: &TarOptions,
    path: &[u8],
    member: &Member,
    faults: &mut Faults,
) -> Result<()> {
    let absolute = ctx.absolute(path);
    let is_link = member.kind == Kind::Symlink;
    if !settings.touch {
        let accessed = ctx.session.clock.now();
        if let Err(error) = ctx.fs().set_times(&absolute, Some(accessed), Some(member.time), false) {
            faults.cannot(ctx, &member.name, "utime", error)?;
        }
    }
    if settings.same_owner {
        let id = |name: &[u8], number: u64, find: &dyn Fn(&[u8]) -> Option<u32>| {
            let named = if settings.numeric_owner || name.is_empty() { None } else { find(name) };
            named.or_else(|| u32::try_from(number).ok())
        };
        let uid = id(&member.user, member.uid, &|name| ctx.user_id(name));
        let gid = id(&member.group, member.gid, &|name| ctx.group_id(name));
        if let Err(error) = ctx.fs().set_owner(&absolute, uid, gid, false) {
            let what = format!("change ownership to uid {}, gid {}", member.uid, member.gid);
            faults.cannot(ctx, &member.name, what, error)?;
        }
    }
    if !is_link {
        let mode = if settings.same_permissions { member.mode } else { member.mode & 0o777 & !ctx.umask };
        if let Err(error) = ctx.fs().set_mode(&absolute, mode) {
            let what = format!("change mode to {mode:o}");
            faults.cannot(ctx, &member.name, what, error)?;
        }
    }
    Ok(())
}

async fn to_stdout(ctx: &mut Context, reader: &mut ArchiveReader) -> Result<()> {
    loop {
        let piece = reader.data(ctx).await?;
        if piece.is_empty() {
            return Ok(());
        }
        let count = piece.len();
        ctx.stdout.write(piece).await.map_err(TarError::from)?;
        reader.consume(count);
    }
}
