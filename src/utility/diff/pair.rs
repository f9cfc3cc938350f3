//! Two paths: files are compared, directories are put on the list, and what is neither is told.

use super::TROUBLE;
use super::directory::list;
use super::format::print;
use super::lines::{self, File, Search};
use super::printer::{Printer, State};
use super::settings::Settings;
use crate::memory::{JoinMetered, String, ToMetered, Vec};
use crate::utility::prelude::*;
use crate::vfs::{FileKind, Metadata};

/// Two paths to compare; `None` for one that does not exist.
pub(super) struct Pair {
    pub(super) paths: [Option<Text>; 2],
    pub(super) depth: usize,
}

fn metadata(ctx: &Context, path: &[u8], follows: bool) -> Result<Option<Metadata>, FsError> {
    if path == b"-" {
        return Ok(ctx.description(0).and_then(|description| description.metadata()));
    }
    let path = ctx.absolute(path);
    let fs = &ctx.session.fs;
    if follows { fs.metadata(&path) } else { fs.symlink_metadata(&path) }.map(Some)
}

fn is_directory(ctx: &Context, path: &[u8]) -> bool {
    metadata(ctx, path, true).is_ok_and(|metadata| metadata.is_some_and(|metadata| metadata.is_directory()))
}

/// A file and a directory: the file of that name in the directory is meant.
pub(super) fn file_in_directory(ctx: &Context, [left, right]: [Text; 2]) -> [Text; 2] {
    let inside = |directory: &Text, file: &Text| {
        let name = file.rsplit(|byte| *byte == b'/').find(|part| !part.is_empty()).unwrap_or(file);
        join(directory, name)
    };
    match (is_directory(ctx, &left), is_directory(ctx, &right)) {
        (true, false) if right.as_bytes() != b"-" && metadata(ctx, &right, true).is_ok() => {
            [inside(&left, &right), right]
        }
        (false, true) if left.as_bytes() != b"-" && metadata(ctx, &left, true).is_ok() => {
            let file = inside(&right, &left);
            [left, file]
        }
        _ => [left, right],
    }
}

pub(super) fn join(directory: &[u8], name: &[u8]) -> Text {
    let slash: &[u8] = if directory.ends_with(b"/") { b"" } else { b"/" };
    Text::from([directory, slash, name].concat_metered())
}

/// The diffutils print names in messages as they are.
pub(super) fn quote_plain(name: &[u8]) -> String {
    String::from_utf8_lossy(name)
}

/// Compares a pair; the entries of two directories are put on the list.
pub(super) async fn compare(
    ctx: &mut Context,
    settings: &Settings,
    pair: &Pair,
    pending: &mut Vec<Pair>,
    state: &mut State,
) -> Result<ExitStatus, UtilityError> {
    let makes_new = match &pair.paths {
        [None, Some(_)] => settings.new_file || settings.new_second_file,
        _ => settings.new_file,
    };
    if !makes_new && let [Some(only), None] | [None, Some(only)] = &pair.paths {
        let slash = only.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        let (directory, name) = (only.get(..slash).unwrap_or(&[]), only.get(slash + 1..).unwrap_or(&[]));
        state.tell(ctx, settings, &[b"Only in ", directory, b": ", name, b"\n"]).await?;
        return Ok(ExitStatus::FAILURE);
    }
    let mut found = [None, None];
    let mut status = ExitStatus::SUCCESS;
    let may_lack = [settings.new_file || settings.new_second_file, settings.new_file];
    for ((slot, path), may_lack) in found.iter_mut().zip(&pair.paths).zip(may_lack) {
        let Some(path) = path else { continue };
        match metadata(ctx, path, settings.follows) {
            Ok(metadata) => *slot = Some(metadata),
            Err(FsError::Errno(Errno::NotFound)) if may_lack => {}
            Err(error) => {
                let errno = OperandError::from(error).errno()?;
                ctx.stdout.flush().await?;
                ctx.warn(format_args!("{}: {}", quote_plain(path), errno.message()));
                status = TROUBLE;
            }
        }
    }
    let name = |index: usize| pair.paths.get(index).cloned().flatten();
    if found.iter().all(Option::is_none) && status.is_success() {
        if let Some(path) = name(0).or(name(1)) {
            ctx.stdout.flush().await?;
            for path in [name(0).unwrap_or_else(|| path.clone()), name(1).unwrap_or(path)] {
                ctx.warn(format_args!("{}: {}", quote_plain(&path), Errno::NotFound.message()));
            }
        }
        return Ok(TROUBLE);
    }
    if !status.is_success() {
        return Ok(status);
    }
    let kinds = found.map(|found| found.map(|metadata| metadata.map_or(FileKind::Regular, |data| data.kind)));
    compare_kinds(ctx, settings, pair, kinds, pending, state).await
}

async fn compare_kinds(
    ctx: &mut Context,
    settings: &Settings,
    pair: &Pair,
    kinds: [Option<FileKind>; 2],
    pending: &mut Vec<Pair>,
    state: &mut State,
) -> Result<ExitStatus, UtilityError> {
    let [left, right] = [0, 1].map(|index: usize| show(pair.paths.get(index).cloned().flatten()));
    let is_link = |kind: Option<FileKind>| !settings.follows && kind == Some(FileKind::Symlink);
    match kinds {
        [Some(FileKind::Directory) | None, Some(FileKind::Directory)] | [Some(FileKind::Directory), None] => {
            if pair.depth > 0 && !settings.recursive {
                let parts = [b"Common subdirectories: ", left.as_slice(), b" and ", &right, b"\n"];
                state.tell(ctx, settings, &parts).await?;
                return Ok(ExitStatus::SUCCESS);
            }
            list(ctx, settings, pair, pending).await
        }
        [one, two] if is_link(one) && is_link(two) => {
            let targets = [0, 1].map(|index: usize| {
                let path = pair.paths.get(index).cloned().flatten().unwrap_or_default();
                ctx.session.fs.read_link(&ctx.absolute(&path)).ok()
            });
            if let [Some(one), Some(two)] = &targets
                && one == two
            {
                return Ok(ExitStatus::SUCCESS);
            }
            let parts = [b"Symbolic links ", left.as_slice(), b" and ", &right, b" differ\n"];
            state.tell(ctx, settings, &parts).await?;
            Ok(ExitStatus::FAILURE)
        }
        [Some(one), Some(two)]
            if one != two
                && (one == FileKind::Directory
                    || two == FileKind::Directory
                    || is_link(Some(one))
                    || is_link(Some(two))) =>
        {
            let [first, second] = [one, two].map(|kind| match kind {
                FileKind::Directory => &b"directory"[..],
                FileKind::Symlink => b"symbolic link",
                _ => b"regular file",
            });
            let head = [b"File ", left.as_slice(), b" is a ", first, b" while file "].concat_metered();
            state.tell(ctx, settings, &[&head, &right, b" is a ", second, b"\n"]).await?;
            Ok(ExitStatus::FAILURE)
        }
        [one, two] => compare_files(ctx, settings, pair, [one.is_some(), two.is_some()], state).await,
    }
}

fn show(path: Option<Text>) -> Vec<u8> {
    path.unwrap_or_default().to_metered()
}

/// Reads both files; `None` after an error that was told.
async fn read_files(
    ctx: &mut Context,
    settings: &Settings,
    pair: &Pair,
    exists: [bool; 2],
) -> Result<Option<[File; 2]>, UtilityError> {
    let other = |index: usize| pair.paths.get(index).cloned().flatten();
    let (Some(left), Some(right)) = (other(0).or(other(1)), other(1).or(other(0))) else {
        return Ok(None);
    };
    let mut files = Vec::new();
    for (name, exists) in [left, right].into_iter().zip(exists) {
        // Standard input is read once, though it is named twice.
        if let Some(File { name: first, .. }) = files.first()
            && *name == *b"-"
            && *first == name
        {
            files.extend(files.first().cloned());
            continue;
        }
        match File::read(ctx, name.clone(), exists, settings.strips).await {
            Ok(file) => files.push(file),
            Err(error) => {
                let errno = error.errno()?;
                ctx.stdout.flush().await?;
                ctx.warn(format_args!("{}: {}", quote_plain(&name), errno.message()));
                return Ok(None);
            }
        }
    }
    Ok(<[File; 2]>::try_from(files).ok())
}

async fn compare_files(
    ctx: &mut Context,
    settings: &Settings,
    pair: &Pair,
    exists: [bool; 2],
    state: &mut State,
) -> Result<ExitStatus, UtilityError> {
    let Some([left, right]) = read_files(ctx, settings, pair, exists).await? else { return Ok(TROUBLE) };
    let is_one_file = pair.paths.first() == pair.paths.get(1);
    let names = [left.name.as_bytes(), b" and ", right.name.as_bytes()].concat_metered();
    let same = *left.text == *right.text;
    let binary = !settings.text && (left.is_binary() || right.is_binary());
    let mut changes = Vec::new();
    let is_bytewise = binary || (settings.brief && !settings.ignores_something());
    if !same && !is_bytewise {
        let search = Search {
            normal: settings.normal,
            minimal: settings.minimal,
            speed: settings.speed,
            horizon: settings.horizon,
        };
        changes = lines::changes(ctx, search, [&left, &right]).await?;
        settings.ignored.mark(ctx, &mut changes, [&left, &right]).await?;
    }
    let differs = if is_bytewise { !same } else { changes.iter().any(|change| !change.is_ignored) };
    let mut status = ExitStatus(u8::from(differs));
    let tell_names = [&b"Files "[..], &names, if differs { &b" differ\n"[..] } else { b" are identical\n" }];
    if settings.brief {
        if differs {
            state.tell(ctx, settings, &tell_names).await?;
        }
    } else if binary {
        if differs {
            state.tell(ctx, settings, &[b"Binary files ", &names, b" differ\n"]).await?;
        }
    } else if differs || settings.shows_identical() {
        let mut printer = Printer::new(ctx, settings, [&left, &right], state, pair.depth > 0);
        print(&mut printer, &changes).await?;
        printer.finish().await?;
    }
    if !differs && settings.report_identical {
        state.tell(ctx, settings, &tell_names).await?;
    }
    if !settings.style.tells_missing_newline() && !settings.brief && !binary && !is_one_file {
        for file in [&left, &right] {
            if file.text.last().is_some_and(|byte| *byte != b'\n') {
                ctx.stdout.flush().await?;
                ctx.warn(format_args!("{}: No newline at end of file\n", quote_plain(&file.name)));
                status = TROUBLE;
            }
        }
    }
    Ok(status)
}
