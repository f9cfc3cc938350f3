//! `zip`: packs files into a zip archive, and changes archives. zip(1), 3.0.
//!
//! `arguments.rs` reads the arguments, `gather.rs` finds the files, `write.rs` writes the new archive beside the old one, which it then
//! replaces. Entries that stay are copied as they are. Split and encrypted archives, repairs, conversions of text and the modes that copy
//! from archive to archive are refused by name.

mod arguments;
mod gather;
mod write;

use crate::memory::{HashMap, ToMetered, Vec, format};
use crate::utility::compress::zip::{Archive, Entry, Missing};
use crate::utility::format::time_format::Zone;
use crate::utility::prelude::*;
use arguments::{Mode, ZipOptions};
use gather::Found;
use write::Writer;

options! {
    enum Opt {
        Recurse = flag('r', "recurse-paths", "recurse into directories"),
        RecursePatterns = flag('R', "recurse-patterns", "recurse the current directory and match patterns"),
        Update = flag('u', "update", "update existing entries if newer, and add new files"),
        Freshen = flag('f', "freshen", "update existing entries only"),
        Delete = flag('d', "delete", "delete entries from the archive"),
        Move = flag('m', "move", "delete the files afterwards"),
        Junk = flag('j', "junk-paths", "store just the names of files, without directories"),
        NoDirectories = flag('D', "no-dir-entries", "do not add entries for directories"),
        Quiet = flag('q', "quiet", "quiet operation"),
        Verbose = flag('v', "verbose", "tell the sizes of each entry"),
        Symlinks = flag('y', "symlinks", "store symbolic links as links"),
        NoExtra = flag('X', "no-extra", "leave out extra fields: times to the second and owners"),
        LatestTime = flag('o', "latest-time", "make the archive as old as its latest entry"),
        Test = flag('T', "test", "test the archive"),
        Comment = flag('z', "archive-comment", "read a comment for the archive from standard input"),
        NamesStdin = flag('@', "names-stdin", "read names from standard input, one a line"),
        Grow = flag('g', "grow", "add to the archive: it is always written anew"),
        NoWild = flag('\0', "no-wild", "-nw: no wildcards in names"),
        WildStop = flag('\0', "wild-stop-dirs", "-ws: * does not match a slash, ** does"),
        Include = value('i', "include", "PATTERN...", "add only names that match a pattern"),
        Exclude = value('x', "exclude", "PATTERN...", "leave out names that match a pattern"),
        Suffixes = value('n', "suffixes", "LIST", "store files with these suffixes (.Z:.zip:...)"),
        FromDate = value('t', "from-date", "DATE", "leave out files before that date"),
        BeforeDate = value('\0', "before-date", "DATE", "-tt: leave out files of that date or later"),
        Method = value('Z', "compression-method", "METHOD", "store, deflate or bzip2"),
        TempPath = value('b', "temp-path", "DIR", "where the new archive is made: it is made in DIR"),
        Level = number("0..9", "-0 stores, -1 compresses faster, -9 better"),
        Descriptors = flag('\0', "force-descriptors", "-fd: data descriptors: not supported"),
        FixLines = flag('l', "to-crlf", "convert ends of lines: not supported (-ll as well)"),
        Encrypt = flag('e', "encrypt", "encrypt: not supported"),
        Password = value('P', "password", "PASSWORD", "encrypt: not supported"),
        Split = value('s', "split-size", "SIZE", "split the archive: not supported"),
        Fix = flag('F', "fix", "repair an archive: not supported (-FF as well)"),
        FileSync = flag('\0', "filesync", "-FS: delete entries without a file: not supported"),
        Copy = flag('U', "copy", "copy entries: not supported"),
        Out = value('O', "output-file", "FILE", "write another archive: not supported"),
        ShowFiles = flag('\0', "show-files", "-sf: only show what would be done: not supported"),
        EntryComments = flag('c', "entry-comments", "ask for comments: not supported"),
        AdjustOffsets = flag('A', "adjust-sfx", "adjust self-extracting archives: not supported"),
        JunkPrefix = flag('J', "junk-sfx", "remove what stands before an archive: not supported"),
        Help = flag('h', "", "show this help"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "zip",
    summary: "package and compress (archive) files",
    usage: "zip [-options] [-t mmddyyyy] [-n suffixes] [zipfile list] [-xi list]",
    options: Opt::TABLE,
    examples: &[example("echo hi >f; zip f.zip f", "  adding: f (stored 0%)\n")],
    run: start!(run),
    usage_status: 16,
    ..Utility::BASE
};

/// `zip error: ...`
fn error(status: u8, message: impl std::fmt::Display) -> Failure {
    Failure::Error(status, format!("{message}"))
}

/// What ends the program.
enum Failure {
    Error(u8, crate::memory::String),
    End(UtilityError),
}

impl From<UtilityError> for Failure {
    fn from(error: UtilityError) -> Self {
        Self::End(error)
    }
}

impl From<crate::limit::LimitError> for Failure {
    fn from(limit: crate::limit::LimitError) -> Self {
        Self::End(limit.into())
    }
}

impl From<FsError> for Failure {
    fn from(error: FsError) -> Self {
        match error {
            FsError::Errno(errno) => Self::Error(15, errno.message().into()),
            FsError::Limit(limit) => Self::End(limit.into()),
        }
    }
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let args = std::mem::take(&mut ctx.args);
    if args.first().is_some_and(|arg| matches!(arg.as_bytes(), b"-h" | b"--help" | b"-h2" | b"-H" | b"-?")) {
        ctx.stdout.push(super::context::options::help(&UTILITY, Opt::TABLE).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    let is_version = |arg: &Text| matches!(arg.as_bytes(), b"-v" | b"--version" | b"-L");
    if args.len() == 1 && args.first().is_some_and(is_version) {
        ctx.stdout.push(super::context::options::version(&UTILITY).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    match work(ctx, &args).await {
        Ok(status) => Ok(status),
        Err(Failure::End(error)) => Err(error),
        Err(Failure::Error(status, message)) => {
            ctx.stdout.flush().await?;
            let to_stderr = args.iter().any(|arg| arg.as_bytes() == b"-");
            let stream = if to_stderr { &mut ctx.stderr } else { &mut ctx.stdout };
            stream.push(format!("\nzip error: {message}\n").as_bytes());
            stream.flush_now();
            Ok(ExitStatus(status))
        }
    }
}

/// Says something on standard output, or on standard error where the archive goes to standard output.
async fn say(ctx: &mut Context, settings: &ZipOptions, text: &str) -> Result<(), UtilityError> {
    if settings.is_quiet {
        return Ok(());
    }
    if settings.to_stdout() {
        ctx.stderr.push(text.as_bytes());
        ctx.stderr.flush_now();
        return Ok(());
    }
    ctx.stdout.write(text.as_bytes()).await
}

fn warn(ctx: &mut Context, settings: &ZipOptions, message: impl std::fmt::Display) {
    let stream = if settings.to_stdout() { &mut ctx.stderr } else { &mut ctx.stdout };
    stream.push(format!("\tzip warning: {message}\n").as_bytes());
    if settings.to_stdout() {
        stream.flush_now();
    }
}

async fn work(ctx: &mut Context, args: &[Text]) -> Result<ExitStatus, Failure> {
    let mut settings = ZipOptions::parse(args)?;
    if settings.names_stdin {
        let mut input = ctx.standard_input();
        loop {
            ctx.tick().await?;
            match input.next_line(b'\n').await? {
                Some(line) => {
                    let name = line.strip_suffix(b"\n").unwrap_or(line);
                    if !name.is_empty() {
                        settings.paths.push(name.into());
                    }
                }
                None => break,
            }
        }
    }
    let mut old = open_old(ctx, &settings).await?;
    let zone = Zone::of(&ctx.env);
    let entries = old.as_mut().map(|old| std::mem::take(&mut old.entries)).unwrap_or_default();
    let changes_only_comment = settings.comment && settings.paths.is_empty() && old.is_some();
    let is_test = settings.tests && settings.paths.is_empty() && old.is_some();
    if settings.mode == Mode::Delete {
        return delete(ctx, &settings, old, entries).await;
    }
    let mut found = gather::files(ctx, &settings, &entries).await?;
    let mut known: HashMap<Vec<u8>, usize> = HashMap::new();
    for (place, entry) in entries.iter().enumerate() {
        known.insert(entry.name.clone(), place);
    }
    // What is to be replaced, by the place of its entry.
    let mut replaced: HashMap<usize, Found> = HashMap::new();
    let mut added = Vec::new();
    for one in std::mem::take(&mut found) {
        ctx.tick().await?;
        let place = known.get(&one.name).copied();
        let is_newer = |place: usize| {
            let time = entries.get(place).map(|entry| entry.time(&zone).as_secs());
            one.time.as_secs() > time.unwrap_or(0)
        };
        match (settings.mode, place) {
            (Mode::Add, Some(place)) => drop(replaced.insert(place, one)),
            (Mode::Update | Mode::Freshen, Some(place)) if is_newer(place) => {
                replaced.insert(place, one);
            }
            (Mode::Add | Mode::Update, None) => added.push(one),
            _ => {}
        }
    }
    if replaced.is_empty() && added.is_empty() && !changes_only_comment && !is_test && !settings.latest_time {
        if settings.mode == Mode::Add {
            return Err(error(12, format_args!("Nothing to do! ({})", settings.archive)));
        }
        return Ok(ExitStatus(12));
    }
    let mut writer = Writer::new(ctx, &settings, old.as_ref())?;
    let mut packed: Vec<Found> = Vec::new();
    for (place, entry) in entries.into_iter().enumerate() {
        ctx.tick().await?;
        match replaced.remove(&place) {
            Some(file) => {
                let verb = if settings.mode == Mode::Freshen { "freshening" } else { "updating" };
                if writer.file(ctx, &settings, &file, verb).await? {
                    packed.push(file);
                }
            }
            None => {
                if let Some(old) = &mut old {
                    writer.copy(ctx, old, entry).await?;
                }
            }
        }
    }
    for file in added {
        if writer.file(ctx, &settings, &file, "  adding").await? {
            packed.push(file);
        }
    }
    finish(ctx, &settings, writer, old).await?;
    if settings.moves {
        remove(ctx, packed).await?;
    }
    Ok(ExitStatus::SUCCESS)
}

/// The archive that is there.
async fn open_old(ctx: &mut Context, settings: &ZipOptions) -> Result<Option<Archive>, Failure> {
    if settings.to_stdout() {
        return Ok(None);
    }
    match Archive::open(ctx, &settings.archive).await {
        Ok(archive) => Ok(Some(archive)),
        Err(Missing::File(Errno::NotFound)) => Ok(None),
        Err(Missing::File(errno)) => Err(error(
            15,
            format_args!("Could not open for writing: {}: {}", settings.archive, errno.message()),
        )),
        // An empty file is no archive yet.
        Err(Missing::End) if ctx.stat(&settings.archive).is_ok_and(|data| data.size == 0) => Ok(None),
        Err(Missing::End | Missing::Directory) => {
            for words in [
                "missing end signature--probably not a zip file (did you",
                "remember to use binary mode when you transferred it?)",
                "(if you are trying to read a damaged archive try -F)",
            ] {
                warn(ctx, settings, words);
            }
            Err(error(3, format_args!("Zip file structure invalid ({})", settings.archive)))
        }
        Err(Missing::Stop(error)) => Err(error.into()),
    }
}

async fn delete(
    ctx: &mut Context,
    settings: &ZipOptions,
    old: Option<Archive>,
    entries: Vec<Entry>,
) -> Result<ExitStatus, Failure> {
    let Some(mut old) = old else {
        return Err(error(12, format_args!("Nothing to do! ({})", settings.archive)));
    };
    let gone = gather::matching(ctx, settings, &entries).await?;
    if !gone.contains(&true) {
        return Err(error(12, format_args!("Nothing to do! ({})", settings.archive)));
    }
    let mut writer = Writer::new(ctx, settings, Some(&old))?;
    for (entry, is_gone) in entries.into_iter().zip(gone) {
        ctx.tick().await?;
        if is_gone {
            let name = bstr::BStr::new(&entry.name);
            say(ctx, settings, &format!("deleting: {name}\n")).await?;
        } else {
            writer.copy(ctx, &mut old, entry).await?;
        }
    }
    if writer.is_empty() {
        warn(ctx, settings, "zip file empty");
    }
    finish(ctx, settings, writer, Some(old)).await?;
    Ok(ExitStatus::SUCCESS)
}

/// Writes the directory, and puts the archive in its place.
async fn finish(
    ctx: &mut Context,
    settings: &ZipOptions,
    mut writer: Writer,
    old: Option<Archive>,
) -> Result<(), Failure> {
    let mut comment = old.map(|old| old.comment).unwrap_or_default();
    if settings.comment {
        comment = read_comment(ctx, settings).await?;
    }
    writer.finish(ctx, settings, &comment).await?;
    if settings.tests && !settings.to_stdout() {
        let archive = &settings.archive;
        if write::is_sound(ctx, archive).await? {
            say(ctx, settings, &format!("test of {archive} OK\n")).await?;
        } else {
            say(ctx, settings, &format!("test of {archive} FAILED\n")).await?;
            return Err(error(
                8,
                "Zip file invalid, could not spawn unzip, or wrong unzip (original files unmodified)",
            ));
        }
    }
    Ok(())
}

/// A comment of lines, up to one with a dot alone.
async fn read_comment(ctx: &mut Context, settings: &ZipOptions) -> Result<Vec<u8>, Failure> {
    say(ctx, settings, "enter new zip file comment (end with .):\n").await?;
    let mut input = ctx.standard_input();
    let mut comment: Vec<u8> = Vec::new();
    loop {
        ctx.tick().await?;
        let Some(line) = input.next_line(b'\n').await? else { break };
        let line = line.strip_suffix(b"\n").unwrap_or(line).to_metered();
        if line == *b"." {
            break;
        }
        if !comment.is_empty() {
            comment.extend_from_slice(b"\r\n");
        }
        comment.extend_from_slice(&line);
    }
    if comment.len() > 0xffff {
        return Err(error(16, "Invalid command arguments (comment too long)"));
    }
    Ok(comment)
}

/// The files that were packed go, and then directories that are empty.
async fn remove(ctx: &mut Context, packed: Vec<Found>) -> Result<(), Failure> {
    let mut directories = Vec::new();
    for file in packed {
        ctx.tick().await?;
        let Some(path) = file.path else { continue };
        if file.is_directory {
            directories.push(path);
        } else {
            ctx.fs().remove_file(&ctx.absolute(&path))?;
        }
    }
    while let Some(path) = directories.pop() {
        ctx.tick().await?;
        let path = path.strip_suffix(b"/").unwrap_or(&path);
        match ctx.fs().remove_dir(&ctx.absolute(path)) {
            Ok(()) | Err(FsError::Errno(_)) => {}
            Err(FsError::Limit(limit)) => return Err(limit.into()),
        }
    }
    Ok(())
}
