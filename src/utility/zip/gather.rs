//! Finds the files that go into an archive, and the names that they have there.

use super::arguments::{Mode, ZipOptions};
use super::{Failure, error, warn};
use crate::memory::{HashMap, ToMetered, Vec};
use crate::pattern::Pattern;
use crate::utility::compress::zip::Entry;
use crate::utility::context::pace::Pace;
use crate::utility::context::ticker::stopped;
use crate::utility::file::last_component;
use crate::utility::file::walk::{Walk, WalkStep};
use crate::utility::format::time_format::Zone;
use crate::utility::prelude::*;
use crate::vfs::{FileKind, Metadata};
use std::time::Duration;

/// A file that is packed.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// `None`: standard input.
    pub(super) path: Option<Vec<u8>>,
    /// Its name in the archive; that of a directory ends in a slash.
    pub(super) name: Vec<u8>,
    pub(super) is_directory: bool,
    pub(super) is_symlink: bool,
    pub(super) metadata: Option<Metadata>,
    pub(super) time: Duration,
}

/// What is gathered, each name once.
struct Gathering<'s> {
    settings: &'s ZipOptions,
    zone: Zone,
    found: Vec<Found>,
    names: HashMap<Vec<u8>, Vec<u8>>,
    /// With `-R`: the patterns that files have to match.
    patterns: Vec<Pattern>,
}

/// The files of the arguments. Where entries are freshened, names may be patterns of theirs.
pub(super) async fn files(
    ctx: &mut Context,
    settings: &ZipOptions,
    entries: &[Entry],
) -> Result<Vec<Found>, Failure> {
    let mut all = Gathering {
        settings,
        zone: Zone::of(&ctx.env),
        found: Vec::new(),
        names: HashMap::new(),
        patterns: Vec::new(),
    };
    if settings.recurses_patterns {
        all.patterns = settings.paths.iter().map(|path| settings.pattern(path)).collect();
        all.tree(ctx, b".").await?;
        return Ok(all.found);
    }
    let freshens_all = settings.mode == Mode::Freshen && settings.paths.is_empty();
    for path in &settings.paths {
        ctx.tick().await?;
        if path.as_bytes() == b"-" {
            let time = ctx.session.clock.now();
            let found = Found {
                path: None,
                name: b"-".to_metered(),
                is_directory: false,
                is_symlink: false,
                metadata: None,
                time,
            };
            all.found.push(found);
            continue;
        }
        if !all.path(ctx, path).await? && !all.entries(ctx, entries, &settings.pattern(path)).await? {
            warn(ctx, settings, format_args!("name not matched: {path}"));
        }
    }
    if freshens_all {
        for entry in entries {
            all.path(ctx, &entry.name).await?;
        }
    }
    Ok(all.found)
}

/// Which entries the names and dates of the arguments select.
pub(super) async fn matching(
    ctx: &mut Context,
    settings: &ZipOptions,
    entries: &[Entry],
) -> Result<Vec<bool>, Failure> {
    let zone = Zone::of(&ctx.env);
    let mut marks = crate::memory::vec![false; entries.len()];
    for path in &settings.paths {
        let pattern = settings.pattern(path);
        let mut is_found = false;
        for (entry, mark) in entries.iter().zip(marks.iter_mut()) {
            let is_selected = matches(ctx, &pattern, &entry.name).await?
                && is_within(settings, &zone, entry.time(&zone))
                && is_chosen(ctx, settings, &entry.name).await?;
            *mark |= is_selected;
            is_found |= is_selected;
        }
        if !is_found {
            warn(ctx, settings, format_args!("name not matched: {path}"));
        }
    }
    Ok(marks)
}

async fn matches(ctx: &Context, pattern: &Pattern, name: &[u8]) -> Result<bool, Failure> {
    let mut pace = Pace::Shared(&ctx.meter);
    let matched = pattern.matches_paced(name, &mut pace).await;
    Ok(matched.map_err(|_| stopped(&ctx.meter))?)
}

/// Whether the lists of `-i` and `-x` let a name in.
async fn is_chosen(ctx: &Context, settings: &ZipOptions, name: &[u8]) -> Result<bool, Failure> {
    let mut is_in = settings.include.is_empty();
    for pattern in &settings.include {
        is_in = is_in || matches(ctx, pattern, name).await?;
    }
    for pattern in &settings.exclude {
        is_in = is_in && !matches(ctx, pattern, name).await?;
    }
    Ok(is_in)
}

/// Whether the dates of `-t` and `-tt` let a time in.
fn is_within(settings: &ZipOptions, zone: &Zone, time: Duration) -> bool {
    if settings.from.is_none() && settings.before.is_none() {
        return true;
    }
    let zoned = zone.since_epoch(time);
    let part = |number: i8| u32::from(number.unsigned_abs());
    let date = (u32::from(zoned.year().unsigned_abs()), part(zoned.month()), part(zoned.day()));
    settings.from.is_none_or(|from| date >= from) && settings.before.is_none_or(|before| date < before)
}

impl Gathering<'_> {
    /// A path and what is below it; `false`: it is not there.
    async fn path(&mut self, ctx: &mut Context, path: &[u8]) -> Result<bool, Failure> {
        let Some(metadata) = self.look(ctx, path)? else { return Ok(false) };
        let is_directory = metadata.is_directory();
        if !is_directory || path != b"." {
            self.add(ctx, path, metadata).await?;
        }
        if is_directory && self.settings.recurses {
            self.tree(ctx, path).await?;
        }
        Ok(true)
    }

    fn look(&self, ctx: &Context, path: &[u8]) -> Result<Option<Metadata>, Failure> {
        let looked = if self.settings.keeps_links { ctx.lstat(path) } else { ctx.stat(path) };
        match looked {
            Ok(metadata) => Ok(Some(metadata)),
            Err(FsError::Errno(_)) => Ok(None),
            Err(FsError::Limit(limit)) => Err(limit.into()),
        }
    }

    /// Everything below a directory.
    async fn tree(&mut self, ctx: &mut Context, top: &[u8]) -> Result<(), Failure> {
        let mut walk = Walk::default();
        walk.enter(ctx, top)?;
        while let Some(step) = walk.next(ctx).await? {
            let WalkStep::Entry { path } = step else { continue };
            let Some(metadata) = self.look(ctx, &path)? else {
                warn(
                    ctx,
                    self.settings,
                    format_args!("could not open for reading: {}", bstr::BStr::new(&path)),
                );
                continue;
            };
            let is_directory = metadata.is_directory();
            self.add(ctx, &path, metadata).await?;
            if is_directory {
                // A link that leads up again ends where names become too long.
                if let Err(FsError::Limit(limit)) = walk.enter(ctx, &path) {
                    return Err(limit.into());
                }
            }
        }
        Ok(())
    }

    /// Files whose entries match; `false`: there are none.
    async fn entries(
        &mut self,
        ctx: &mut Context,
        entries: &[Entry],
        pattern: &Pattern,
    ) -> Result<bool, Failure> {
        let mut is_found = false;
        for entry in entries {
            if matches(ctx, pattern, &entry.name).await? {
                is_found = true;
                if let Some(metadata) = self.look(ctx, &entry.name)? {
                    self.add(ctx, &entry.name, metadata).await?;
                }
            }
        }
        Ok(is_found)
    }

    async fn add(&mut self, ctx: &mut Context, path: &[u8], metadata: Metadata) -> Result<(), Failure> {
        let settings = self.settings;
        let is_directory = metadata.is_directory();
        let is_symlink = metadata.kind == FileKind::Symlink;
        if is_directory && (settings.no_directories || settings.junks) {
            return Ok(());
        }
        if !is_directory && !is_symlink && !metadata.is_regular() {
            warn(ctx, settings, format_args!("ignoring special file: {}", bstr::BStr::new(path)));
            return Ok(());
        }
        let mut name = stored_name(path, settings.junks);
        if is_directory {
            name.push(b'/');
        }
        if name.is_empty() || name == *b"/" {
            return Ok(());
        }
        if !self.patterns.is_empty() {
            let mut is_matched = false;
            for pattern in &self.patterns {
                let base = last_component(&name);
                is_matched =
                    is_matched || matches(ctx, pattern, &name).await? || matches(ctx, pattern, base).await?;
            }
            if !is_matched {
                return Ok(());
            }
        }
        if !is_chosen(ctx, settings, &name).await? || !is_within(settings, &self.zone, metadata.modified) {
            return Ok(());
        }
        if let Some(other) = self.names.get(&name) {
            if other.as_slice() == path {
                return Ok(());
            }
            let (first, second) = (Text::from(other.as_slice()), Text::from(path));
            let junk =
                if settings.junks { "\n                     this may be a result of using -j" } else { "" };
            let stored = bstr::BStr::new(&name);
            let words = format_args!(
                "  first full name: {first}\n                      second full name: {second}\n\
                 {blank:21}name in zip file repeated: {stored}{junk}",
                blank = ""
            );
            warn(ctx, settings, words);
            return Err(error(16, "Invalid command arguments (cannot repeat names in zip file)"));
        }
        if name.len() > 0xffff {
            return Err(error(16, "Invalid command arguments (name too long)"));
        }
        self.names.insert(name.clone(), path.to_metered());
        let time = metadata.modified;
        let path = Some(path.to_metered());
        self.found.push(Found { path, name, is_directory, is_symlink, metadata: Some(metadata), time });
        Ok(())
    }
}

/// The name in the archive: without slashes and `./` at its start.
fn stored_name(path: &[u8], junks: bool) -> Vec<u8> {
    let mut name = path;
    loop {
        name = match name {
            [b'/', rest @ ..] => rest,
            [b'.', b'/', rest @ ..] => rest,
            _ => break,
        };
    }
    let end = name.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    let name = name.get(..end).unwrap_or(name);
    if junks { last_component(name).to_metered() } else { name.to_metered() }
}
