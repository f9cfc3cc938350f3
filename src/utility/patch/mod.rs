//! `patch`: applies the output of `diff` to files. GNU patch(1) 2.7. Unified, context and normal differences, and scripts of `ed`;
//! `--merge` is refused.
//!
//! `parse.rs` reads differences, `name.rs` finds out which file one is for, `locate.rs` where a hunk fits, `apply.rs` applies
//! those of one file, `output.rs` writes files, backups and rejects.

mod apply;
mod locate;
mod name;
mod output;
mod parse;
mod script;

use super::format::count::parse_digits;
use super::format::quote::{quote_c, quote_if_needed, quote_name};
use crate::memory::{String, Vec, format};
use crate::utility::prelude::*;
use parse::PatchReader;

options! {
    enum Opt {
        Strip = value('p', "strip", "NUM", "strip NUM leading components from file names"),
        Fuzz = value('F', "fuzz", "LINES", "set the fuzz factor to LINES for inexact matching"),
        IgnoreWhitespace = flag('l', "ignore-whitespace", "ignore white space changes between patch and input"),
        Context = flag('c', "context", "interpret the patch as a context difference"),
        Ed = flag('e', "ed", "interpret the patch as an ed script"),
        Normal = flag('n', "normal", "interpret the patch as a normal difference"),
        Unified = flag('u', "unified", "interpret the patch as a unified difference"),
        Forward = flag('N', "forward", "ignore patches that appear to be reversed or already applied"),
        Reverse = flag('R', "reverse", "assume patches were created with old and new files swapped"),
        Input = value('i', "input", "PATCHFILE", "read patch from PATCHFILE instead of stdin"),
        Output = value('o', "output", "FILE", "output patched files to FILE"),
        Ifdef = value('D', "ifdef", "NAME", "make merged if-then-else output using NAME"),
        Merge = optional('\0', "merge", "STYLE", "merge using conflict markers: not supported"),
        Get = value('g', "get", "NUM", "get files from version control: 0, which is not to, is the only NUM"),
        RejectFile = value('r', "reject-file", "FILE", "output rejects to FILE"),
        RemoveEmpty = flag('E', "remove-empty-files", "remove output files that are empty after patching"),
        SetUtc = flag('Z', "set-utc", "set times of patched files, assuming diff uses UTC (GMT)"),
        SetTime = flag('T', "set-time", "likewise, assuming local time"),
        QuotingStyle = value('\0', "quoting-style", "WORD", "output file names using quoting style WORD"),
        Backup = flag('b', "backup", "back up the original contents of each file"),
        BackupIfMismatch = flag('\0', "backup-if-mismatch", "back up if the patch does not match exactly"),
        NoBackupIfMismatch = flag('\0', "no-backup-if-mismatch", "back up mismatches only if otherwise requested"),
        VersionControl = value('V', "version-control", "STYLE", "use STYLE version control: simple, numbered, existing"),
        Prefix = value('B', "prefix", "PREFIX", "prepend PREFIX to backup file names"),
        BasenamePrefix = value('Y', "basename-prefix", "PREFIX", "prepend PREFIX to backup file basenames"),
        Suffix = value('z', "suffix", "SUFFIX", "append SUFFIX to backup file names"),
        Batch = flag('t', "batch", "ask no questions; assume reversed"),
        Force = flag('f', "force", "like -t, but assume unreversed"),
        Quiet = flag('s', "quiet", "work silently unless an error occurs") | flag('\0', "silent", "the same as --quiet"),
        Verbose = flag('\0', "verbose", "output extra information about the work being done"),
        DryRun = flag('\0', "dry-run", "do not actually change any files; just print what would happen"),
        Posix = flag('\0', "posix", "conform to the POSIX standard"),
        Directory = value('d', "directory", "DIR", "change the working directory to DIR first"),
        RejectFormat = value('\0', "reject-format", "FORMAT", "create 'context' or 'unified' rejects"),
        Binary = flag('\0', "binary", "read and write data in binary mode"),
        ReadOnly = value('\0', "read-only", "BEHAVIOR", "how to handle read-only input files: ignore, warn, fail"),
        Version = flag('v', "version", "output version info"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "patch",
    summary: "apply a diff file to an original",
    usage: "patch [OPTION]... [ORIGFILE [PATCHFILE]]",
    options: Opt::TABLE,
    examples: &[example(
        "echo a >f; printf '1c1\\n< a\\n---\\n> b\\n' | patch f; cat f",
        "patching file f\nb\n",
    )],
    usage_status: TROUBLE,
    run: start!(run),
    ..Utility::BASE
};

/// Exit status of everything but hunks that fail.
const TROUBLE: u8 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Literal,
    Shell,
    ShellAlways,
    C,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadOnly {
    Ignore,
    Warn,
    Fail,
}

/// What the options ask for.
#[derive(Debug)]
struct PatchOptions {
    strip: Option<usize>,
    fuzz: usize,
    ignore_blanks: bool,
    kind: Option<parse::Kind>,
    forward: bool,
    reverse: bool,
    output: Option<Text>,
    reject: Option<Text>,
    reject_format: Option<parse::Kind>,
    remove_empty: bool,
    /// The times of headers are in UTC (`true`) or local (`false`), and files get them.
    set_time: Option<bool>,
    style: Style,
    backup: bool,
    backup_mismatch: bool,
    control: Option<Text>,
    prefix: Option<Text>,
    base_prefix: Option<Text>,
    suffix: Option<Text>,
    batch: bool,
    force: bool,
    silent: bool,
    verbose: bool,
    dry: bool,
    posix: bool,
    /// The macro that tells new lines from old ones.
    macro_name: Option<Text>,
    read_only: ReadOnly,
}

fn trouble(message: impl Into<String>) -> UtilityError {
    UtilityError::Failed { message: message.into(), status: TROUBLE }
}

/// What ends the program, in the words of a fatal error.
fn fatal(message: impl std::fmt::Display) -> UtilityError {
    trouble(format!("**** {message}"))
}

impl PatchOptions {
    fn of(ctx: &Context, options: &Options<Opt>) -> Result<Self, UtilityError> {
        let number = |option: Opt, what: &str| match options.value(option) {
            None => Ok(None),
            Some(text) => {
                let wrong = || fatal(format_args!("{what} {text} is not a number"));
                parse_digits(text).and_then(|number| usize::try_from(number).ok()).ok_or_else(wrong).map(Some)
            }
        };
        let wording = |option: &str, word: &Text| {
            UtilityError::Usage(format!("invalid argument ‘{word}’ for ‘{option}’"))
        };
        let style = options.value(Opt::QuotingStyle).or_else(|| ctx.env.get(b"QUOTING_STYLE"));
        let style = match style.map(Text::as_bytes) {
            Some(b"literal") => Style::Literal,
            Some(b"shell-always") => Style::ShellAlways,
            Some(b"c" | b"escape") => Style::C,
            None | Some(b"shell") => Style::Shell,
            Some(word) => return Err(wording("--quoting-style", &Text::from(word))),
        };
        let reject_format = match options.value(Opt::RejectFormat) {
            None => None,
            Some(word) if word.as_bytes() == b"context" => Some(parse::Kind::Context),
            Some(word) if word.as_bytes() == b"unified" => Some(parse::Kind::Unified),
            Some(word) => return Err(wording("--reject-format", word)),
        };
        let read_only = match options.value(Opt::ReadOnly) {
            Some(word) if word.as_bytes() == b"ignore" => ReadOnly::Ignore,
            Some(word) if word.as_bytes() == b"fail" => ReadOnly::Fail,
            Some(word) if word.as_bytes() != b"warn" => return Err(wording("--read-only", word)),
            _ => ReadOnly::Warn,
        };
        if options.has(Opt::Merge) {
            return Err(fatal("--merge is not supported"));
        }
        if let Some(number) = options.value(Opt::Get) {
            let digits = number.strip_prefix(b"-").unwrap_or(number);
            match parse_digits(digits) {
                Some(0) => {}
                Some(_) => {
                    return Err(fatal(
                        "--get is not supported: there is no version control to get files from",
                    ));
                }
                None => return Err(fatal(format_args!("get option value {number} is not a number"))),
            }
        }
        let posix = options.has(Opt::Posix) || ctx.env.get(b"POSIXLY_CORRECT").is_some();
        let mismatch = options.last_of([Opt::BackupIfMismatch, Opt::NoBackupIfMismatch]);
        Ok(Self {
            strip: number(Opt::Strip, "strip count")?,
            fuzz: number(Opt::Fuzz, "fuzz factor")?.unwrap_or(2),
            ignore_blanks: options.has(Opt::IgnoreWhitespace),
            kind: options.last_of([Opt::Context, Opt::Ed, Opt::Normal, Opt::Unified]).map(|option| {
                match option {
                    Opt::Context => parse::Kind::Context,
                    Opt::Ed => parse::Kind::Ed,
                    Opt::Normal => parse::Kind::Normal,
                    _ => parse::Kind::Unified,
                }
            }),
            forward: options.has(Opt::Forward),
            reverse: options.has(Opt::Reverse),
            output: options.value(Opt::Output).cloned(),
            reject: options.value(Opt::RejectFile).cloned(),
            reject_format,
            remove_empty: options.has(Opt::RemoveEmpty),
            set_time: options.last_of([Opt::SetUtc, Opt::SetTime]).map(|option| option == Opt::SetUtc),
            style,
            backup: options.has(Opt::Backup),
            backup_mismatch: mismatch
                .map_or(ctx.env.get(b"POSIXLY_CORRECT").is_none(), |option| option == Opt::BackupIfMismatch),
            control: options
                .value(Opt::VersionControl)
                .or_else(|| ctx.env.get(b"PATCH_VERSION_CONTROL"))
                .or_else(|| ctx.env.get(b"VERSION_CONTROL"))
                .cloned(),
            prefix: options.value(Opt::Prefix).cloned(),
            base_prefix: options.value(Opt::BasenamePrefix).cloned(),
            suffix: options.value(Opt::Suffix).or_else(|| ctx.env.get(b"SIMPLE_BACKUP_SUFFIX")).cloned(),
            batch: options.has(Opt::Batch),
            force: options.has(Opt::Force),
            silent: options.has(Opt::Quiet),
            verbose: options.has(Opt::Verbose),
            dry: options.has(Opt::DryRun),
            posix,
            macro_name: options.value(Opt::Ifdef).cloned(),
            read_only,
        })
    }

    fn shown(&self, name: &[u8]) -> String {
        match self.style {
            Style::Literal => String::from_utf8_lossy(name),
            Style::Shell => quote_if_needed(name),
            Style::ShellAlways => quote_name(name),
            Style::C => {
                let mut shown = String::new();
                quote_c(name, &mut shown);
                shown
            }
        }
    }
}

/// Exit status: 0; 1 when a hunk was not applied; 2 for more serious trouble.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = match ctx.parse_options::<Opt>(&UTILITY) {
        Err(UtilityError::Usage(message)) => {
            ctx.warn(message);
            return Err(hint(ctx));
        }
        options => options?,
    };
    if options.has(Opt::Version) {
        ctx.stdout.write(super::context::options::version(&UTILITY).as_bytes()).await?;
        return Ok(ExitStatus::SUCCESS);
    }
    let settings = match PatchOptions::of(ctx, &options) {
        Err(UtilityError::Usage(message)) => {
            ctx.warn(message);
            return Err(hint(ctx));
        }
        settings => settings?,
    };
    if let Some(extra) = options.operands.get(2) {
        ctx.warn(format_args!("{extra}: extra operand"));
        return Err(hint(ctx));
    }
    if let Some(directory) = options.value(Opt::Directory) {
        let found = ctx.path(directory).and_then(|path| ctx.fs().canonicalize(&path)).and_then(|path| {
            let is_directory = ctx.fs().metadata(&path)?.is_directory();
            if is_directory { Ok(path) } else { Err(Errno::NotDirectory.into()) }
        });
        ctx.cwd = match found {
            Ok(path) => Text::from(path),
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(FsError::Errno(errno)) => {
                return Err(fatal(format_args!(
                    "Can't change to directory {directory} : {}",
                    errno.message()
                )));
            }
        };
    }
    let source = options.value(Opt::Input).or(options.operands.get(1)).cloned();
    let source = source.unwrap_or(Text::from_static(b"-"));
    let text = match read_patch(ctx, &source).await {
        Ok(text) => text,
        Err(error) => {
            let errno = error.errno()?;
            return Err(fatal(format_args!("Can't open patch file {source} : {}", errno.message())));
        }
    };
    let mut reader = PatchReader::new(&text, settings.kind);
    let mut session = apply::Session::new(&settings, options.operands.first().cloned());
    let mut found = false;
    loop {
        ctx.stdout.flush_if_full().await?;
        let Some(patch) = reader.next_header(ctx).await? else { break };
        found = true;
        session.patch(ctx, &mut reader, patch).await?;
    }
    if !found && !text.is_empty() {
        ctx.stdout.flush().await?;
        return Err(fatal("Only garbage was found in the patch input."));
    }
    session.write_output(ctx).await?;
    if settings.verbose {
        ctx.stdout.write(b"done\n").await?;
    }
    Ok(if session.failed { ExitStatus::FAILURE } else { ExitStatus::SUCCESS })
}

fn hint(ctx: &mut Context) -> UtilityError {
    ctx.warn("Try 'patch --help' for more information.");
    UtilityError::Exit(ExitStatus(TROUBLE))
}

async fn read_patch(ctx: &mut Context, source: &Text) -> Result<Vec<u8>, OperandError> {
    let mut input = ctx.open_input(source)?;
    Ok(input.read_to_end().await?)
}
