//! Extracts entries, to files, to standard output, or to nowhere (`-t`).
//!
//! Directories get their modes and times when all is there, and links are made then: until that, an empty file keeps their place,
//! so that nothing is extracted through a link of the same archive.

use super::settings::{Old, Task, UnzipOptions};
use super::written::{is_text, set_attributes, verb, wide, without_returns};
use super::{BOMB, DAMAGED, ENCRYPTED, Found, NOT_FOUND, SEVERE, WARNING, place, selected, tell_unmatched};
use crate::memory::{JoinMetered, ToMetered, Vec, format};
use crate::utility::compress::Fault;
use crate::utility::compress::zip::{self, Entry, EntryReader, LOCAL, Method, Missing};
use crate::utility::file::parent;
use crate::utility::format::time_format::Zone;
use crate::utility::prelude::*;
use crate::vfs::OpenOptions;

/// The longest target of a link.
const TARGET_MAX: u64 = 4096;

/// What is under way.
struct Extraction {
    /// Links that are made at the end: the path of what keeps the place, its inode, and the target.
    links: Vec<(Vec<u8>, u64, Vec<u8>)>,
    directories: Vec<(Vec<u8>, Entry)>,
    answers: Option<Input>,
    status: ExitStatus,
    done: u64,
    encrypted: u64,
    failed: u64,
}

pub(super) async fn extract(
    ctx: &mut Context,
    settings: &mut UnzipOptions,
    found: &mut Found,
) -> Result<ExitStatus, UtilityError> {
    let chosen = selected(ctx, settings, &found.archive.entries).await?;
    let overlapped = overlapped(ctx, found).await?;
    let mut all = Extraction {
        links: Vec::new(),
        directories: Vec::new(),
        answers: None,
        status: ExitStatus::SUCCESS,
        done: 0,
        encrypted: 0,
        failed: 0,
    };
    for place in &chosen {
        ctx.tick().await?;
        let Some(entry) = found.archive.entries.get(*place).cloned() else { continue };
        if overlapped.get(*place) == Some(&true) {
            ctx.stdout.flush().await?;
            let text = "error: invalid zip file with overlapped components (possible zip bomb)\n";
            ctx.stderr.push(text.as_bytes());
            ctx.stderr.flush_now();
            return Ok(BOMB);
        }
        all.entry(ctx, settings, found, &entry).await?;
    }
    all.finish(ctx, settings).await?;
    ctx.stdout.flush().await?;
    if settings.task == Task::Test {
        tell_test(ctx, settings, found, &all);
    }
    let matched = tell_unmatched(ctx, settings);
    if !matched && all.status <= WARNING {
        return Ok(NOT_FOUND);
    }
    if all.encrypted > 0 && all.done == 0 && all.status <= WARNING {
        return Ok(ENCRYPTED);
    }
    Ok(all.status)
}

/// Which entries share bytes with one before them, or with the directory.
async fn overlapped(ctx: &mut Context, found: &Found) -> Result<Vec<bool>, UtilityError> {
    let entries = &found.archive.entries;
    let mut spans: Vec<(u64, u64, usize)> = Vec::new();
    for (place, entry) in entries.iter().enumerate() {
        let least = (LOCAL + entry.name.len()) as u64;
        let start = found.archive.before.saturating_add(entry.offset);
        spans.push((start, start.saturating_add(least).saturating_add(entry.packed), place));
        ctx.tick().await?;
    }
    spans.sort_unstable();
    let mut marks = crate::memory::vec![false; entries.len()];
    let mut mark = |place: usize| {
        if let Some(mark) = marks.get_mut(place) {
            *mark = true;
        }
    };
    let mut widest: Option<(u64, usize)> = None;
    for (start, end, place) in spans {
        ctx.tick().await?;
        if end > found.archive.directory && start < found.archive.size {
            mark(place);
        }
        if let Some((before, other)) = widest
            && start < before
        {
            mark(place.max(other));
        }
        if widest.is_none_or(|(before, _)| end > before) {
            widest = Some((end, place));
        }
    }
    Ok(marks)
}

fn tell_test(ctx: &mut Context, settings: &UnzipOptions, found: &Found, all: &Extraction) {
    if settings.quiet > 1 {
        return;
    }
    let name = &found.name;
    let text = if all.failed > 0 {
        format!("At least one error was detected in {name}.\n")
    } else if settings.is_partial() {
        let plural = if all.done == 1 { "" } else { "s" };
        format!("No errors detected in {name} for the {} file{plural} tested.\n", all.done)
    } else {
        format!("No errors detected in compressed data of {name}.\n")
    };
    ctx.stdout.push(text.as_bytes());
}

impl Extraction {
    fn raise(&mut self, status: ExitStatus) {
        self.status = self.status.max(status);
    }

    async fn entry(
        &mut self,
        ctx: &mut Context,
        settings: &mut UnzipOptions,
        found: &mut Found,
        entry: &Entry,
    ) -> Result<(), UtilityError> {
        let (shown, _) = place::shown(settings, entry);
        let shown = Text::from(shown.as_slice());
        if entry.flags & zip::ENCRYPTED != 0 {
            self.encrypted += 1;
            self.raise(WARNING);
            return say(ctx, &format!("   skipping: {wide}  unable to get password\n", wide = wide(&shown)))
                .await;
        }
        if let Method::Other(number) = entry.method() {
            self.raise(ExitStatus(81));
            return say(
                ctx,
                &format!(
                    "   skipping: {wide}  unsupported compression method {number}\n",
                    wide = wide(&shown)
                ),
            )
            .await;
        }
        match settings.task {
            Task::Test => {
                if settings.quiet == 0 {
                    ctx.stdout
                        .write(format!("    testing: {wide}  ", wide = wide(&shown)).as_bytes())
                        .await?;
                }
                self.data(ctx, settings, found, entry, None, &shown).await
            }
            Task::Pipe | Task::Screen if entry.is_directory() => Ok(()),
            Task::Pipe => self.data(ctx, settings, found, entry, None, &shown).await,
            Task::Screen => {
                let verb = verb(entry);
                if settings.quiet == 0 {
                    ctx.stdout
                        .write(format!("{verb:>11}: {wide}  \n", wide = wide(&shown)).as_bytes())
                        .await?;
                }
                self.data(ctx, settings, found, entry, None, &shown).await?;
                if settings.quiet == 0 { ctx.stdout.write(b"\n").await } else { Ok(()) }
            }
            _ => self.file(ctx, settings, found, entry).await,
        }
    }

    /// An entry that becomes a file or a directory.
    async fn file(
        &mut self,
        ctx: &mut Context,
        settings: &mut UnzipOptions,
        found: &mut Found,
        entry: &Entry,
    ) -> Result<(), UtilityError> {
        let (safe, is_changed) = place::safe_path(ctx, settings, entry);
        if is_changed {
            self.raise(WARNING);
        }
        if safe.is_empty() {
            return Ok(());
        }
        let path = match &settings.directory {
            Some(directory) if directory.ends_with(b"/") => [directory, &safe[..]].concat_metered(),
            Some(directory) => [directory, &b"/"[..], &safe].concat_metered(),
            None => safe,
        };
        let mut shown = Text::from(path.as_slice());
        let zone = Zone::of(&ctx.env);
        let plain = path.strip_suffix(b"/").unwrap_or(&path).to_metered();
        let there = ctx.lstat(&plain).ok();
        if let Some(there) = &there
            && !entry.is_directory()
            && settings.updates
            && there.modified.as_secs() >= entry.time(&zone).as_secs()
        {
            return Ok(());
        }
        if there.is_none() && settings.freshens {
            return Ok(());
        }
        if entry.is_directory() {
            return self.directory(ctx, settings, &plain, entry, &shown).await;
        }
        let mut path = path;
        if there.is_some() {
            match self.replaces(ctx, settings, &shown).await? {
                Answer::Yes => {}
                Answer::No => return Ok(()),
                Answer::Other(name) => {
                    path = name;
                    shown = Text::from(path.as_slice());
                }
            }
        }
        if !self.make_parents(ctx, &path, &shown).await? {
            return Ok(());
        }
        if ctx.lstat(&path).is_ok_and(|data| !data.is_directory()) {
            let _ = ctx.fs().remove_file(&ctx.absolute(&path));
        }
        let options = OpenOptions {
            write: true,
            create: true,
            truncate: true,
            mode: 0o666 & !ctx.umask,
            ..OpenOptions::default()
        };
        let output = match ctx.open_description(&path, &options) {
            Ok(description) => Output::new(Some(description)),
            Err(error) => {
                self.raise(DAMAGED);
                self.failed += 1;
                let words = errno_of(error)?.message();
                return say(ctx, &format!("error:  cannot create {shown}\n        {words}\n")).await;
            }
        };
        if settings.quiet == 0 {
            let is_text = is_text(settings, entry);
            let (verb, kind) = (verb(entry), if is_text { "[text]  " } else { "" });
            ctx.stdout.write(format!("{verb:>11}: {wide}  {kind}", wide = wide(&shown)).as_bytes()).await?;
        }
        self.data(ctx, settings, found, entry, Some((output, &path)), &shown).await
    }

    async fn directory(
        &mut self,
        ctx: &mut Context,
        settings: &UnzipOptions,
        path: &[u8],
        entry: &Entry,
        shown: &Text,
    ) -> Result<(), UtilityError> {
        if ctx.stat(path).is_ok_and(|data| data.is_directory()) {
            self.directories.push((path.to_metered(), entry.clone()));
            return Ok(());
        }
        if !self.make_parents(ctx, path, shown).await? {
            return Ok(());
        }
        match ctx.fs().create_dir_all(&ctx.absolute(path), 0o777 & !ctx.umask) {
            Ok(()) => {}
            Err(error) => {
                errno_of(error)?;
                self.raise(DAMAGED);
                return say(
                    ctx,
                    &format!(
                        "checkdir error:  {shown} exists but is not directory\n                 \
                         unable to process {}.\n",
                        bstr::BStr::new(&entry.name)
                    ),
                )
                .await;
            }
        }
        if settings.quiet == 0 {
            ctx.stdout.write(format!("   creating: {shown}\n").as_bytes()).await?;
        }
        self.directories.push((path.to_metered(), entry.clone()));
        Ok(())
    }

    /// `false`: something that is none is in the place of a directory, which was told.
    async fn make_parents(
        &mut self,
        ctx: &mut Context,
        path: &[u8],
        shown: &Text,
    ) -> Result<bool, UtilityError> {
        let above = parent(path);
        if ctx.stat(above).is_ok_and(|data| data.is_directory()) {
            return Ok(true);
        }
        match ctx.fs().create_dir_all(&ctx.absolute(above), 0o777 & !ctx.umask) {
            Ok(()) => Ok(true),
            Err(error) => {
                errno_of(error)?;
                self.raise(DAMAGED);
                let above = bstr::BStr::new(above);
                let text = format!(
                    "checkdir error:  {above} exists but is not directory\n                 \
                     unable to process {shown}.\n"
                );
                say(ctx, &text).await?;
                Ok(false)
            }
        }
    }

    /// Asks whether a file is to be replaced.
    async fn replaces(
        &mut self,
        ctx: &mut Context,
        settings: &mut UnzipOptions,
        shown: &Text,
    ) -> Result<Answer, UtilityError> {
        loop {
            match settings.old {
                Old::Keep => return Ok(Answer::No),
                Old::Replace => return Ok(Answer::Yes),
                Old::Ask => {}
            }
            ctx.tick().await?;
            ctx.stdout.flush().await?;
            let question = format!("replace {shown}? [y]es, [n]o, [A]ll, [N]one, [r]ename: ");
            ctx.stderr.push(question.as_bytes());
            ctx.stderr.flush_now();
            let answer = self.answer(ctx).await?;
            match answer.as_ref().and_then(|line| line.first()) {
                None if answer.is_none() => {
                    let text = " NULL\n(EOF or read error, treating as \"[N]one\" ...)\n";
                    ctx.stderr.push(text.as_bytes());
                    ctx.stderr.flush_now();
                    self.raise(WARNING);
                    settings.old = Old::Keep;
                }
                Some(b'y' | b'Y') => return Ok(Answer::Yes),
                Some(b'n') => return Ok(Answer::No),
                Some(b'A') => settings.old = Old::Replace,
                Some(b'N') => settings.old = Old::Keep,
                Some(b'r' | b'R') => {
                    ctx.stderr.push(b"new name: ");
                    ctx.stderr.flush_now();
                    if let Some(name) = self.answer(ctx).await?.filter(|name| !name.is_empty()) {
                        return Ok(Answer::Other(name));
                    }
                }
                _ => {
                    let shown = answer.unwrap_or_default();
                    let text = format!("error:  invalid response [{}]\n", bstr::BStr::new(&shown));
                    ctx.stderr.push(text.as_bytes());
                    ctx.stderr.flush_now();
                }
            }
        }
    }

    async fn answer(&mut self, ctx: &mut Context) -> Result<Option<Vec<u8>>, UtilityError> {
        let input = self.answers.get_or_insert_with(|| ctx.standard_input());
        match input.next_line(b'\n').await {
            Ok(line) => Ok(line.map(|line| line.strip_suffix(b"\n").unwrap_or(line).to_metered())),
            Err(error) => errno_of(error).map(|_| None),
        }
    }

    /// Decodes an entry to a file, to standard output, or to nowhere.
    async fn data(
        &mut self,
        ctx: &mut Context,
        settings: &UnzipOptions,
        found: &mut Found,
        entry: &Entry,
        mut output: Option<(Output, &[u8])>,
        shown: &Text,
    ) -> Result<(), UtilityError> {
        let reader = match EntryReader::open(ctx, &mut found.archive, entry).await {
            Ok(reader) => reader,
            Err(Missing::Stop(error)) => return Err(error),
            Err(_) => None,
        };
        let Some(mut reader) = reader else {
            self.raise(SEVERE);
            self.failed += 1;
            return say(ctx, &format!("file {shown}:  bad zipfile offset (local header sig)\n")).await;
        };
        let is_link = entry.is_symlink() && output.is_some();
        let mut target: Vec<u8> = Vec::new();
        let to_stdout = matches!(settings.task, Task::Pipe | Task::Screen);
        let converts = is_text(settings, entry) && settings.task != Task::Pipe;
        let mut ends_with_return = false;
        let fault = loop {
            let piece = match reader.next(ctx, &mut found.archive).await {
                Ok([]) => break None,
                Ok(piece) => piece,
                Err(Fault::Limit(limit)) => return Err(limit.into()),
                Err(fault) => break Some(fault),
            };
            let converted;
            let piece = if converts {
                converted = without_returns(piece, &mut ends_with_return);
                &converted[..]
            } else {
                piece
            };
            match &mut output {
                Some(_) if is_link => {
                    let room = (TARGET_MAX as usize).saturating_sub(target.len());
                    target.extend_from_slice(piece.get(..room).unwrap_or(piece));
                }
                Some((output, _)) => output.write(piece).await?,
                None if to_stdout => ctx.stdout.write(piece).await?,
                None => {}
            }
        };
        let is_file = output.is_some();
        if let Some((mut output, path)) = output.take() {
            output.flush().await?;
            drop(output);
            if is_link && fault.is_none() {
                self.put_off_link(ctx, path, target.clone())?;
            } else {
                set_attributes(ctx, settings, path, entry)?;
            }
        }
        let tells = settings.quiet == 0 || fault.is_some() || reader.crc() != entry.crc;
        let end = match fault {
            Some(Fault::Length) => "  error:  invalid compressed data to inflate\n".into(),
            Some(Fault::UnexpectedEnd | Fault::Read(_)) => "  error:  unexpected end of data\n".into(),
            Some(_) => "  error:  invalid compressed data to inflate\n".into(),
            None if reader.crc() != entry.crc => {
                format!(" bad CRC {:08x}  (should be {:08x})\n", reader.crc(), entry.crc)
            }
            None => {
                self.done += 1;
                let target = bstr::BStr::new(&target);
                let end = match settings.task {
                    Task::Test => " OK\n".into(),
                    _ if is_link => format!("-> {target} \n"),
                    _ if is_file => "\n".into(),
                    _ => crate::memory::String::new(),
                };
                return if tells && !to_stdout { ctx.stdout.write(end.as_bytes()).await } else { Ok(()) };
            }
        };
        self.failed += 1;
        self.raise(DAMAGED);
        ctx.stdout.flush().await?;
        let name =
            if settings.quiet > 0 || to_stdout { format!("{wide} ", wide = wide(shown)) } else { "".into() };
        if settings.task == Task::Test {
            return ctx.stdout.write(format!("{name}{end}").as_bytes()).await;
        }
        say(ctx, &format!("{name}{end}")).await
    }

    fn put_off_link(&mut self, ctx: &Context, path: &[u8], target: Vec<u8>) -> Result<(), UtilityError> {
        match ctx.lstat(path) {
            Ok(data) => self.links.push((path.to_metered(), data.inode, target)),
            Err(error) => drop(errno_of(error)?),
        }
        Ok(())
    }

    async fn finish(&mut self, ctx: &mut Context, settings: &UnzipOptions) -> Result<(), UtilityError> {
        if !self.links.is_empty() && settings.quiet == 0 {
            ctx.stdout.write(b"finishing deferred symbolic links:\n").await?;
        }
        for (path, inode, target) in &self.links {
            ctx.tick().await?;
            // Another entry may have taken its place.
            if !ctx.lstat(path).is_ok_and(|data| data.inode == *inode) {
                continue;
            }
            let absolute = ctx.absolute(path);
            let made = ctx.fs().remove_file(&absolute).and_then(|()| ctx.fs().symlink(target, &absolute));
            let (shown, aim) = (Text::from(path.as_slice()), bstr::BStr::new(target));
            match made {
                Ok(()) if settings.quiet == 0 => {
                    ctx.stdout.write(format!("  {wide} -> {aim}\n", wide = wide(&shown)).as_bytes()).await?;
                }
                Ok(()) => {}
                Err(error) => {
                    let words = errno_of(error)?.message();
                    self.status = self.status.max(WARNING);
                    say(ctx, &format!("symlink error: {shown}: {words}\n")).await?;
                }
            }
        }
        while let Some((path, entry)) = self.directories.pop() {
            ctx.tick().await?;
            set_attributes(ctx, settings, &path, &entry)?;
        }
        Ok(())
    }
}

enum Answer {
    Yes,
    No,
    Other(Vec<u8>),
}

fn errno_of(error: FsError) -> Result<Errno, UtilityError> {
    match error {
        FsError::Errno(errno) => Ok(errno),
        FsError::Limit(limit) => Err(limit.into()),
    }
}

/// Standard error, after what was written so far.
async fn say(ctx: &mut Context, text: &str) -> Result<(), UtilityError> {
    ctx.stdout.flush().await?;
    ctx.stderr.push(text.as_bytes());
    ctx.stderr.flush_now();
    Ok(())
}
