//! `gzip`, `gunzip` and `zcat`: compresses files, and back. GNU gzip(1), 1.12.
//!
//! The operands are taken one by one (`run`, `operand_of`, `directory`): `compress/operand.rs` has what is done with each, `pack.rs`
//! what `gzip` says of it, `name.rs` what its name becomes. What was compressed by `compress`, `pack` or `zip` is refused by name.

mod name;
mod pack;

use super::file::walk::{Walk, WalkStep};
use crate::memory::{ToMetered, Vec, format};
use crate::utility::compress::operand::{self, Mode, Task};
use crate::utility::prelude::*;
use crate::vfs::{FileKind, Metadata};
use pack::Totals;

options! {
    pub(super) enum Opt {
        Ascii = flag('a', "ascii", "ascii text; without effect on this system"),
        Stdout = flag('c', "stdout", "write on standard output, keep original files unchanged")
            | flag('\0', "to-stdout", "the same as --stdout"),
        Decompress = flag('d', "decompress", "decompress") | flag('\0', "uncompress", "the same as --decompress"),
        Force = flag('f', "force", "force overwrite of output file and compress links"),
        Keep = flag('k', "keep", "keep (don't delete) input files"),
        List = flag('l', "list", "list compressed file contents"),
        NoName = flag('n', "no-name", "do not save or restore the original name and timestamp"),
        Name = flag('N', "name", "save or restore the original name and timestamp"),
        Quiet = flag('q', "quiet", "suppress all warnings") | flag('\0', "silent", "the same as --quiet"),
        Recursive = flag('r', "recursive", "operate recursively on directories"),
        Rsyncable = flag('\0', "rsyncable", "make rsync-friendly archive: not supported"),
        Suffix = value('S', "suffix", "SUF", "use suffix SUF on compressed files"),
        Synchronous = flag('\0', "synchronous", "synchronous output: all output is"),
        Test = flag('t', "test", "test compressed file integrity"),
        Verbose = flag('v', "verbose", "verbose mode"),
        License = flag('L', "license", "display software license: not supported"),
        Help = flag('h', "", "give this help"),
        Version = flag('V', "", "display version number"),
        Fast = flag('\0', "fast", "compress faster"),
        Best = flag('\0', "best", "compress better"),
        Level = number("1..9", "the level of compression: -1 is fast, -9 is best"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "gzip",
    summary: "compress or uncompress FILEs (by default, compress FILES in-place)",
    usage: "gzip [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("printf abc | gzip | gzip -d", "abc")],
    run: start!(run_gzip),
    ..Utility::BASE
};

struct GzipOptions {
    mode: Mode,
    /// `-n` and `-N`; `None`: as the task has it.
    names: Option<bool>,
    quiet: bool,
    recursive: bool,
    verbose: bool,
    suffix: Text,
    level: u8,
}

struct Gzip {
    settings: GzipOptions,
    totals: Totals,
}

/// 2: a warning, such as a file that is left alone.
const WARNING: ExitStatus = ExitStatus(2);

async fn run_gzip(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    run(ctx, &UTILITY, false, false).await
}

/// Runs as `gzip -d` or `gzip -cd` does, which is what the scripts `gunzip` and `zcat` call.
pub(super) async fn run(
    ctx: &mut Context,
    utility: &'static Utility,
    decompresses: bool,
    to_stdout: bool,
) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(utility);
    ctx.name = Text::from_static(b"gzip");
    let options = options.map_err(hinted)?;
    if options.has(Opt::Help) {
        ctx.stdout.push(super::context::options::help(utility, Opt::TABLE).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    if options.has(Opt::Version) {
        ctx.stdout.push(super::context::options::version(utility).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    let mut settings = settings(&options).map_err(hinted)?;
    let mode = &mut settings.mode;
    if decompresses && mode.task == Task::Compress {
        mode.task = Task::Decompress;
    }
    mode.to_stdout |= to_stdout || matches!(mode.task, Task::Test | Task::List);
    let lists = mode.task == Task::List;
    let mut status = ExitStatus::SUCCESS;
    let mut gzip = Gzip { settings, totals: Totals::default() };
    for operand in ctx.inputs(&options.operands) {
        let next = operand_of(ctx, &mut gzip, &operand).await?;
        status = worse(status, next);
    }
    if lists {
        gzip.totals.print(ctx, &gzip.settings, options.operands.len()).await?;
    }
    Ok(status)
}

fn hinted(error: UtilityError) -> UtilityError {
    match error {
        UtilityError::Usage(message) => {
            UtilityError::failed(format!("{message}\nTry `gzip --help' for more information."))
        }
        other => other,
    }
}

/// An error counts more than a warning.
fn worse(one: ExitStatus, two: ExitStatus) -> ExitStatus {
    if one == ExitStatus::FAILURE || two.is_success() { one } else { two }
}

fn settings(options: &Options<Opt>) -> Result<GzipOptions, UtilityError> {
    let refused = [(Opt::Rsyncable, "--rsyncable"), (Opt::License, "--license")];
    if let Some((_, name)) = refused.into_iter().find(|(option, _)| options.has(*option)) {
        return Err(UtilityError::Usage(format!("option {name} is not supported")));
    }
    let task = if options.has(Opt::List) {
        Task::List
    } else if options.has(Opt::Test) {
        Task::Test
    } else if options.has(Opt::Decompress) {
        Task::Decompress
    } else {
        Task::Compress
    };
    let suffix = options.value(Opt::Suffix).cloned().unwrap_or(Text::from_static(b".gz"));
    if suffix.is_empty() || suffix.len() > 30 || suffix.contains(&b'/') {
        return Err(UtilityError::failed(format!("invalid suffix '{suffix}'")));
    }
    let mut level = 6;
    for (option, value) in options.given() {
        match (option, value.map(Text::as_bytes)) {
            (Opt::Fast, _) => level = 1,
            (Opt::Best, _) => level = 9,
            (Opt::Level, Some([.., digit @ b'1'..=b'9'])) => level = digit - b'0',
            (Opt::Level, _) => return Err(UtilityError::Usage("invalid option -- '0'".into())),
            _ => {}
        }
    }
    Ok(GzipOptions {
        mode: Mode {
            task,
            to_stdout: options.has(Opt::Stdout),
            force: options.has(Opt::Force),
            keep: options.has(Opt::Keep),
            ..Mode::default()
        },
        names: options.last_of([Opt::Name, Opt::NoName]).map(|option| option == Opt::Name),
        quiet: options.has(Opt::Quiet),
        recursive: options.has(Opt::Recursive),
        verbose: options.has(Opt::Verbose),
        suffix,
        level,
    })
}

/// Says it unless `-q` was given.
fn warn(ctx: &mut Context, settings: &GzipOptions, message: impl std::fmt::Display) -> ExitStatus {
    if !settings.quiet {
        ctx.warn(message);
    }
    WARNING
}

async fn operand_of(ctx: &mut Context, gzip: &mut Gzip, operand: &[u8]) -> Result<ExitStatus, UtilityError> {
    if operand == b"-" {
        return operand::standard_input(ctx, gzip).await;
    }
    let (path, metadata) = match find_file(ctx, &gzip.settings, operand) {
        Ok(found) => found,
        Err((name, error)) => return ctx.report(&name, error),
    };
    if !metadata.is_directory() {
        return file(ctx, gzip, &path, &metadata).await;
    }
    if !gzip.settings.recursive {
        let shown = bstr::BStr::new(&path);
        return Ok(warn(ctx, &gzip.settings, format_args!("{shown} is a directory -- ignored")));
    }
    directory(ctx, gzip, &path).await
}

/// The file of that name, or of the name with a suffix.
fn find_file(
    ctx: &Context,
    settings: &GzipOptions,
    operand: &[u8],
) -> Result<(Vec<u8>, Metadata), (Vec<u8>, FsError)> {
    let follows = settings.mode.force || settings.mode.to_stdout;
    let look = |path: &[u8]| if follows { ctx.stat(path) } else { ctx.lstat(path) };
    let error = match look(operand) {
        Ok(metadata) => return Ok((operand.to_metered(), metadata)),
        Err(error) => error,
    };
    let is_missing = error.errno() == Some(Errno::NotFound) && settings.mode.task != Task::Compress;
    if !is_missing || name::suffix(operand, &settings.suffix).is_some() {
        return Err((operand.to_metered(), error));
    }
    let with = |suffix: &[u8]| {
        let mut path = operand.to_metered();
        path.extend_from_slice(suffix);
        path
    };
    for suffix in std::iter::once(&*settings.suffix).chain(name::TRIED) {
        let path = with(suffix);
        if let Ok(metadata) = look(&path) {
            return Ok((path, metadata));
        }
    }
    Err((with(&settings.suffix), error))
}

/// Everything in a directory, in its order.
async fn directory(ctx: &mut Context, gzip: &mut Gzip, path: &[u8]) -> Result<ExitStatus, UtilityError> {
    let mut walk = Walk::default();
    if let Err(error) = walk.enter(ctx, path) {
        return ctx.report(path, error);
    }
    let mut status = ExitStatus::SUCCESS;
    while let Some(step) = walk.next(ctx).await? {
        let WalkStep::Entry { path } = step else { continue };
        let next = match ctx.lstat(&path) {
            Ok(metadata) if metadata.is_directory() => match walk.enter(ctx, &path) {
                Ok(()) => ExitStatus::SUCCESS,
                Err(error) => ctx.report(&path, error)?,
            },
            Ok(metadata) => file(ctx, gzip, &path, &metadata).await?,
            Err(error) => ctx.report(&path, error)?,
        };
        status = worse(status, next);
    }
    Ok(status)
}

/// Leaves alone what is not to be touched.
async fn file(
    ctx: &mut Context,
    gzip: &mut Gzip,
    path: &[u8],
    metadata: &Metadata,
) -> Result<ExitStatus, UtilityError> {
    let settings = &gzip.settings;
    let shown = Text::from(path);
    if metadata.kind == FileKind::Symlink {
        return ctx.report(path, Errno::TooManyLevels.into());
    }
    if !settings.mode.to_stdout {
        if !metadata.is_regular() {
            let message = format_args!("{shown} is not a directory or a regular file - ignored");
            return Ok(warn(ctx, settings, message));
        }
        let bits = [
            (0o4000, "is set-user-ID on execution - ignored"),
            (0o2000, "is set-group-ID on execution - ignored"),
            (0o1000, "has the sticky bit set - file ignored"),
        ];
        for (bit, what) in bits {
            if !settings.mode.force && metadata.mode & bit != 0 {
                return Ok(warn(ctx, settings, format_args!("{shown} {what}")));
            }
        }
        if !settings.mode.force && !settings.mode.keep && metadata.links > 1 {
            let others = metadata.links - 1;
            let plural = if others == 1 { "" } else { "s" };
            let message = format_args!("{shown} has {others} other link{plural} -- file ignored");
            return Ok(warn(ctx, settings, message));
        }
    }
    operand::file(ctx, gzip, path, metadata).await
}
