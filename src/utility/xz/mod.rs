//! `xz` and its other names: compresses files into streams of xz or of lzma, and back. xz(1), 5.4.
//!
//! `settings.rs` says what the options mean, `words.rs` what is said of files, `list.rs` has `--list`; `compress/operand.rs` has
//! what is done with each operand. All work is done by one thread. Filters of one's own choice are refused by name, and so is what
//! is about the memory of a host.

mod list;
mod settings;
mod words;

use crate::memory::{ToMetered, Vec, format};
use crate::utility::compress::operand::{self, Mode, Task};
use crate::utility::compress::{Check, XzOptions};
use crate::utility::prelude::*;
use crate::vfs::{FileKind, Metadata};
use list::Totals;

options! {
    pub(super) enum Opt {
        Compress = flag('z', "compress", "force compression"),
        Decompress = flag('d', "decompress", "force decompression")
            | flag('\0', "uncompress", "the same as --decompress"),
        Test = flag('t', "test", "test compressed file integrity"),
        List = flag('l', "list", "list information about .xz files"),
        Keep = flag('k', "keep", "keep (don't delete) input files"),
        Force = flag('f', "force", "force overwrite of output file and (de)compress links"),
        Stdout = flag('c', "stdout", "write to standard output and don't delete input files")
            | flag('\0', "to-stdout", "the same as --stdout"),
        SingleStream = flag('\0', "single-stream", "decompress only the first stream"),
        NoSparse = flag('\0', "no-sparse", "do not create sparse files: none are made"),
        Suffix = value('S', "suffix", ".SUF", "use the suffix .SUF on compressed files"),
        Files = optional('\0', "files", "FILE", "read names of files from FILE or standard input, one a line"),
        Files0 = optional('\0', "files0", "FILE", "the same with names that end in NUL"),
        Format = value('F', "format", "FMT", "auto, xz or lzma; lzip and raw are not supported"),
        Check = value('C', "check", "CHECK", "integrity check: none, crc32, crc64 or sha256"),
        IgnoreCheck = flag('\0', "ignore-check", "don't verify the integrity check"),
        Level = number("0..9", "compression preset; default is 6"),
        Fast = flag('\0', "fast", "the same as -0"),
        Best = flag('\0', "best", "the same as -9"),
        Extreme = flag('e', "extreme", "try to improve the ratio by using more time"),
        Threads = value('T', "threads", "NUM", "use at most NUM threads: one is used"),
        BlockSize = value('\0', "block-size", "SIZE", "start a new block after every SIZE bytes of input"),
        BlockList = value('\0', "block-list", "SIZES", "blocks of these sizes: not supported"),
        FlushTimeout = value('\0', "flush-timeout", "TIME", "flush when input is late: not supported"),
        LimitCompress = value('\0', "memlimit-compress", "LIMIT", "memory limit for compression"),
        LimitDecompress = value('\0', "memlimit-decompress", "LIMIT", "memory limit for decompression"),
        LimitThreads = value('\0', "memlimit-mt-decompress", "LIMIT", "memory limit for more threads: there are none"),
        Limit = value('M', "memlimit", "LIMIT", "all memory limits") | value('\0', "memory", "LIMIT", "the same"),
        NoAdjust = flag('\0', "no-adjust", "do not choose a lower preset for a memory limit"),
        Lzma1 = optional('\0', "lzma1", "OPTS", "a filter: not supported"),
        Lzma2 = optional('\0', "lzma2", "OPTS", "a filter: not supported"),
        X86 = optional('\0', "x86", "OPTS", "a filter: not supported"),
        Arm = optional('\0', "arm", "OPTS", "a filter: not supported"),
        ArmThumb = optional('\0', "armthumb", "OPTS", "a filter: not supported"),
        Arm64 = optional('\0', "arm64", "OPTS", "a filter: not supported"),
        PowerPc = optional('\0', "powerpc", "OPTS", "a filter: not supported"),
        Ia64 = optional('\0', "ia64", "OPTS", "a filter: not supported"),
        Sparc = optional('\0', "sparc", "OPTS", "a filter: not supported"),
        Delta = optional('\0', "delta", "OPTS", "a filter: not supported"),
        Quiet = flag('q', "quiet", "suppress warnings; specify twice to suppress errors too"),
        Verbose = flag('v', "verbose", "be verbose; a second -v tells no more"),
        NoWarn = flag('Q', "no-warn", "make warnings not affect the exit status"),
        Robot = flag('\0', "robot", "use machine-parsable messages"),
        InfoMemory = flag('\0', "info-memory", "display the amount of memory: not supported"),
        Help = flag('h', "", "display the short help and exit"),
        LongHelp = flag('H', "long-help", "display the long help and exit"),
        Version = flag('V', "", "display the version number and exit"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "xz",
    summary: "compress or decompress FILEs in the .xz format",
    usage: "xz [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("printf abc | xz | xz -d", "abc")],
    run: start!(run_xz),
    ..Utility::BASE
};

/// 2: a file was left alone.
const WARNING: ExitStatus = ExitStatus(2);

/// What a program does without options.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    pub(super) task: Task,
    pub(super) to_stdout: bool,
    pub(super) format: XzFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum XzFormat {
    Auto,
    Xz,
    Lzma,
}

/// A program run.
struct Xz {
    mode: Mode,
    format: XzFormat,
    check: Check,
    level: u8,
    block_size: Option<u64>,
    reading: XzOptions,
    suffix: Option<Text>,
    /// How often `-q` was given, and `-v`.
    quiet: usize,
    is_verbose: bool,
    no_warn: bool,
    is_robot: bool,
    /// What is wrong with the input under way; with `-v` it is told between two lines on how far it went.
    fault: Option<crate::memory::String>,
    totals: Totals,
}

async fn run_xz(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    run(ctx, &UTILITY, Start { task: Task::Compress, to_stdout: false, format: XzFormat::Auto }).await
}

/// Runs as the program of that name.
pub(super) async fn run(
    ctx: &mut Context,
    utility: &'static Utility,
    start: Start,
) -> Result<ExitStatus, UtilityError> {
    operand::add_arguments_of(ctx, &[b"XZ_DEFAULTS", b"XZ_OPT"]);
    let name = ctx.name.clone();
    let hint = format!("{name}: Try `{name} --help' for more information.");
    let options = ctx.parse_options::<Opt>(utility).map_err(|error| hinted(error, &hint))?;
    if options.has_any([Opt::Help, Opt::LongHelp]) {
        ctx.stdout.push(super::context::options::help(utility, Opt::TABLE).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    if options.has(Opt::Version) {
        ctx.stdout.push(super::context::options::version(utility).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    let mut xz = settings::settings(&options, start).map_err(|error| hinted(error, &hint))?;
    let lists = xz.mode.task == Task::List;
    let files = options.last_of([Opt::Files, Opt::Files0]);
    let mut status = ExitStatus::SUCCESS;
    let inputs = match files {
        Some(_) => options.operands.clone(),
        None => ctx.inputs(&options.operands),
    };
    for path in &inputs {
        status = worse(status, operand_of(ctx, &mut xz, path).await?);
    }
    if let Some(files) = files {
        let from = options.value(files).cloned().unwrap_or_default();
        let end = if files == Opt::Files { b'\n' } else { 0 };
        let source = if from.is_empty() || from.as_bytes() == b"-" {
            ctx.standard_input()
        } else {
            match ctx.open(&from) {
                Ok(input) => input,
                Err(error) => return ctx.report(&from, error),
            }
        };
        status = worse(status, listed(ctx, &mut xz, source, end).await?);
    }
    if lists {
        xz.totals.print(ctx, xz.is_robot);
    }
    Ok(if xz.no_warn && status == WARNING { ExitStatus::SUCCESS } else { status })
}

fn hinted(error: UtilityError, hint: &str) -> UtilityError {
    match error {
        UtilityError::Usage(message) => UtilityError::failed(format!("{message}\n{hint}")),
        other => other,
    }
}

/// An error counts more than a warning.
fn worse(one: ExitStatus, two: ExitStatus) -> ExitStatus {
    if one == ExitStatus::FAILURE || two.is_success() { one } else { two }
}

/// The files whose names are read.
async fn listed(
    ctx: &mut Context,
    xz: &mut Xz,
    mut source: Input,
    end: u8,
) -> Result<ExitStatus, UtilityError> {
    let mut status = ExitStatus::SUCCESS;
    loop {
        ctx.tick().await?;
        let line = match source.next_line(end).await {
            Ok(Some(line)) => line.strip_suffix(&[end]).unwrap_or(line).to_metered(),
            Ok(None) => return Ok(status),
            Err(error) => return ctx.report(b"(stdin)", error),
        };
        if !line.is_empty() {
            status = worse(status, operand_of(ctx, xz, &line).await?);
        }
    }
}

async fn operand_of(ctx: &mut Context, xz: &mut Xz, path: &[u8]) -> Result<ExitStatus, UtilityError> {
    if path != b"-" {
        return file(ctx, xz, path).await;
    }
    if xz.mode.task == Task::List {
        ctx.warn("--list does not support reading from standard input");
        return Ok(ExitStatus::FAILURE);
    }
    operand::standard_input(ctx, xz).await
}

/// Leaves alone what is not to be touched.
async fn file(ctx: &mut Context, xz: &mut Xz, path: &[u8]) -> Result<ExitStatus, UtilityError> {
    let shown = Text::from(path);
    let mode = xz.mode;
    let follows = mode.force || mode.to_stdout || mode.keep;
    let looked = if follows { ctx.stat(path) } else { ctx.lstat(path) };
    let metadata = match looked {
        Ok(metadata) => metadata,
        Err(FsError::Limit(limit)) => return Err(limit.into()),
        Err(FsError::Errno(errno)) => {
            return Ok(xz.error(ctx, format_args!("{shown}: {}", errno.message())));
        }
    };
    if mode.task == Task::List && metadata.is_regular() && metadata.size < 24 {
        let words = if metadata.size == 0 { "File is empty" } else { "Too small to be a valid .xz file" };
        return Ok(xz.error(ctx, format_args!("{shown}: {words}")));
    }
    if let Some(words) = reason_to_skip(mode, &metadata) {
        return Ok(xz.warn(ctx, format_args!("{shown}: {words}, skipping")));
    }
    let path: Vec<u8> = path.to_metered();
    operand::file(ctx, xz, &path, &metadata).await
}

/// Why a file is left alone.
fn reason_to_skip(mode: Mode, metadata: &Metadata) -> Option<&'static str> {
    if metadata.kind == FileKind::Symlink {
        return Some("Is a symbolic link");
    }
    if metadata.is_directory() {
        return Some("Is a directory");
    }
    if mode.to_stdout {
        return None;
    }
    if !metadata.is_regular() {
        return Some("Not a regular file");
    }
    if mode.force || mode.keep {
        return None;
    }
    if metadata.mode & 0o6000 != 0 {
        return Some("File has setuid or setgid bit set");
    }
    if metadata.mode & 0o1000 != 0 {
        return Some("File has sticky bit set");
    }
    (metadata.links > 1).then_some("Input file has more than one hard link")
}
