//! `unzip` and `zipinfo`: lists, tests and extracts zip archives. unzip(1) and zipinfo(1), 6.00.
//!
//! `settings.rs` reads the arguments, `list.rs` and `info.rs` have the lists, `extract.rs` goes through entries and `place.rs` says
//! where they go: never out of the directory they are extracted into, and links are made when everything else is there.
//! Encrypted entries are skipped, as the real program does without a password; `-P`, `-M` and `-V` are refused by name.

mod extract;
mod info;
mod list;
mod place;
mod settings;
mod written;

use crate::memory::{Vec, format};
use crate::utility::compress::zip::{Archive, Entry, Missing};
use crate::utility::prelude::*;
use settings::{Task, UnzipOptions};

options! {
    pub(super) enum Opt {
        Info = flag('Z', "", "list as zipinfo does; it must be the first option"),
        Pipe = flag('p', "", "extract files to pipe, no messages"),
        List = flag('l', "", "list files (short format)"),
        Freshen = flag('f', "", "freshen existing files, create none"),
        Test = flag('t', "", "test compressed archive data"),
        Update = flag('u', "", "update files, create if necessary"),
        ShowComment = flag('z', "", "display archive comment only"),
        Verbose = flag('v', "", "list verbosely"),
        Stamp = flag('T', "", "timestamp archive to latest"),
        Exclude = flag('x', "", "exclude files that follow"),
        Directory = value('d', "", "DIR", "extract files into DIR"),
        Screen = flag('c', "", "extract files to standard output, with their names"),
        Never = flag('n', "", "never overwrite existing files"),
        Quiet = flag('q', "", "quiet mode (-qq => quieter)"),
        Overwrite = flag('o', "", "overwrite files WITHOUT prompting"),
        Text = flag('a', "", "auto-convert any text files (-aa: all files)"),
        Binary = flag('b', "", "treat all files as binary"),
        Junk = flag('j', "", "junk paths (do not make directories)"),
        Escapes = flag('U', "", "names are bytes here: no escapes for Unicode are made"),
        IgnoreCase = flag('C', "", "match filenames case-insensitively"),
        Lowercase = flag('L', "", "make names of hosts without case lowercase (-LL: all)"),
        Owners = flag('X', "", "restore UID/GID info"),
        KeepBits = flag('K', "", "keep setuid/setgid/sticky permissions"),
        NoTimes = flag('D', "", "do not restore times of directories (-DD: of all)"),
        StopAtSlash = flag('W', "", "* and ? do not match a slash, ** does"),
        Control = flag('^', "", "allow control characters in names"),
        Outside = flag(':', "", "allow names that lead out of the directory: not supported"),
        Password = value('P', "", "PASSWORD", "decrypt with it: not supported"),
        Pager = flag('M', "", "pipe through a pager: not supported"),
        Versions = flag('V', "", "retain VMS version numbers: not supported"),
        Backup = flag('B', "", "keep overwritten files: not supported"),
        Help = flag('h', "", "this text"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "unzip",
    summary: "list, test and extract compressed files in a ZIP archive",
    usage: "unzip [-Z] [-opts[modifiers]] file[.zip] [list] [-x xlist] [-d exdir]",
    options: Opt::TABLE,
    examples: &[example("echo hi >f; zip -q f.zip f; unzip -p f.zip", "hi\n")],
    run: start!(run_unzip),
    usage_status: 10,
    ..Utility::BASE
};

/// Exit statuses: warnings, errors in an archive, no archive, wrong options, nothing matched, a bomb, nothing but encrypted.
const WARNING: ExitStatus = ExitStatus(1);
const DAMAGED: ExitStatus = ExitStatus(2);
const SEVERE: ExitStatus = ExitStatus(3);
const NO_ARCHIVE: ExitStatus = ExitStatus(9);
const NOT_FOUND: ExitStatus = ExitStatus(11);
const BOMB: ExitStatus = ExitStatus(12);
const ENCRYPTED: ExitStatus = ExitStatus(5);

async fn run_unzip(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    run(ctx, &UTILITY, false).await
}

pub(super) async fn run(
    ctx: &mut Context,
    utility: &'static Utility,
    lists: bool,
) -> Result<ExitStatus, UtilityError> {
    let is_help = |arg: &Text| arg.as_bytes() == b"--help";
    if ctx.args.first().is_some_and(is_help) {
        ctx.stdout.push(super::context::options::help(utility, utility.options).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    let is_version = |arg: &Text| arg.as_bytes() == b"-v" || arg.as_bytes() == b"--version";
    if ctx.args.is_empty() || (ctx.args.len() == 1 && ctx.args.first().is_some_and(is_version)) {
        let text = if ctx.args.is_empty() {
            super::context::options::help(utility, utility.options)
        } else {
            super::context::options::version(utility)
        };
        ctx.stdout.push(text.as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    let args = std::mem::take(&mut ctx.args);
    let mut settings = UnzipOptions::parse(&args, lists)?;
    let mut archive = match open(ctx, &settings).await? {
        Ok(found) => found,
        Err(status) => return Ok(status),
    };
    work(ctx, &mut settings, &mut archive).await
}

/// An archive with the name it was found by.
struct Found {
    archive: Archive,
    name: Text,
}

/// Opens the file of that name, or of the name with a suffix.
async fn open(ctx: &mut Context, settings: &UnzipOptions) -> Result<Result<Found, ExitStatus>, UtilityError> {
    let path = &settings.archive;
    let program = if settings.task == Task::Info { "zipinfo" } else { "unzip" };
    for suffix in ["", ".zip", ".ZIP"] {
        let name: Text = Text::from(format!("{path}{suffix}").as_str());
        match Archive::open(ctx, &name).await {
            Ok(archive) => return Ok(Ok(Found { archive, name })),
            Err(Missing::File(_)) => {}
            Err(Missing::Stop(error)) => return Err(error),
            Err(Missing::End | Missing::Directory) => {
                let is_info = settings.task == Task::Info;
                if settings.quiet == 0 {
                    ctx.stdout.push(format!("Archive:  {name}\n").as_bytes());
                }
                let has_title = settings.quiet > 0 || is_info;
                let title = if has_title { format!("[{name}]\n") } else { "".into() };
                let text = format!(
                    "{title}  End-of-central-directory signature not found.  Either this file is not\n  \
                     a zipfile, or it constitutes one disk of a multi-part archive.  In the\n  \
                     latter case the central directory and zipfile comment will be found on\n  \
                     the last disk(s) of this archive.\n"
                );
                let more = format!(
                    "{program}:  cannot find zipfile directory in one of {path} or\n        {blank}\
                     {path}.zip, and cannot find {path}.ZIP, period.\n",
                    blank = if is_info { "  " } else { "" }
                );
                // Tests and lists of zipinfo tell of it where they tell of all else.
                let to_stdout = is_info || settings.task == Task::Test;
                ctx.stdout.flush().await?;
                let stream = if to_stdout { &mut ctx.stdout } else { &mut ctx.stderr };
                stream.push(text.as_bytes());
                stream.push(more.as_bytes());
                stream.flush_now();
                return Ok(Err(NO_ARCHIVE));
            }
        }
    }
    let text = format!("{program}:  cannot find or open {path}, {path}.zip or {path}.ZIP.\n");
    let to_stdout = matches!(settings.task, Task::Info | Task::Test);
    let stream = if to_stdout { &mut ctx.stdout } else { &mut ctx.stderr };
    stream.push(text.as_bytes());
    stream.flush_now();
    Ok(Err(NO_ARCHIVE))
}

async fn work(
    ctx: &mut Context,
    settings: &mut UnzipOptions,
    found: &mut Found,
) -> Result<ExitStatus, UtilityError> {
    let name = found.name.clone();
    if settings.task == Task::Info {
        return info::list(ctx, settings, found).await;
    }
    if settings.task == Task::Stamp {
        return stamp(ctx, settings, found);
    }
    if settings.quiet == 0 && !settings.task.is_pipe() {
        ctx.stdout.write(format!("Archive:  {name}\n").as_bytes()).await?;
    }
    let mut status = ExitStatus::SUCCESS;
    if found.archive.before > 0 {
        let count = found.archive.before;
        let plural = if count == 1 { "" } else { "s" };
        ctx.stdout.flush().await?;
        let text = format!(
            "warning [{name}]:  {count} extra byte{plural} at beginning or within zipfile\n  \
             (attempting to process anyway)\n"
        );
        let stream = if settings.task == Task::Test { &mut ctx.stdout } else { &mut ctx.stderr };
        stream.push(text.as_bytes());
        stream.flush_now();
        status = WARNING;
    }
    let shows_comment = settings.quiet == 0 && !settings.task.is_pipe() || settings.task == Task::Comment;
    if shows_comment && !found.archive.comment.is_empty() {
        ctx.stdout.write(&found.archive.comment).await?;
        if !found.archive.comment.ends_with(b"\n") {
            ctx.stdout.write(b"\n").await?;
        }
    }
    let next = match settings.task {
        Task::Comment => ExitStatus::SUCCESS,
        Task::List => list::list(ctx, settings, &found.archive.entries).await?,
        _ => extract::extract(ctx, settings, found).await?,
    };
    Ok(status.max(next))
}

/// Gives the archive the time of its newest entry.
fn stamp(ctx: &mut Context, settings: &UnzipOptions, found: &Found) -> Result<ExitStatus, UtilityError> {
    let zone = crate::utility::format::time_format::Zone::of(&ctx.env);
    let newest =
        found.archive.entries.iter().filter(|entry| !entry.is_directory()).map(|entry| entry.time(&zone));
    let Some(newest) = newest.max() else { return Ok(WARNING) };
    let absolute = ctx.absolute(&found.name);
    if let Err(error) = ctx.fs().set_times(&absolute, Some(newest), Some(newest), true) {
        return ctx.report(&found.name, error);
    }
    if settings.quiet == 0 {
        let text = format!("Updated time stamp for {}.\n", found.name);
        ctx.stdout.push(text.as_bytes());
    }
    Ok(ExitStatus::SUCCESS)
}

/// Entries that the arguments select, by their places.
async fn selected(
    ctx: &mut Context,
    settings: &mut UnzipOptions,
    entries: &[Entry],
) -> Result<Vec<usize>, UtilityError> {
    let mut places = Vec::new();
    for (place, entry) in entries.iter().enumerate() {
        ctx.tick().await?;
        if settings.selects(ctx, &entry.name).await? {
            places.push(place);
        }
    }
    Ok(places)
}

/// Says which names matched nothing.
fn tell_unmatched(ctx: &mut Context, settings: &UnzipOptions) -> bool {
    let mut all_matched = true;
    for pattern in settings.members.iter().filter(|pattern| !pattern.is_found) {
        ctx.stderr.push(format!("caution: filename not matched:  {}\n", pattern.text).as_bytes());
        all_matched = false;
    }
    for pattern in settings.excluded.iter().filter(|pattern| !pattern.is_found) {
        let text = format!("caution: excluded filename not matched:  {}\n", pattern.text);
        ctx.stderr.push(text.as_bytes());
    }
    ctx.stderr.flush_now();
    all_matched
}
