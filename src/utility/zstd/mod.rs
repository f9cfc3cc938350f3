//! `zstd`, `unzstd` and `zstdcat`: compresses files into frames of Zstandard, and back. zstd(1), 1.5.4.
//!
//! `settings.rs` says what the options mean, `words.rs` what is said of files, `list.rs` has `-l`; `compress/operand.rs` has what is
//! done with each operand. What other programs packed is read too, and written with `--format`. Dictionaries, measurements and
//! choices of the matching are refused by name. All work is done by one thread.

mod list;
mod settings;
mod words;

use crate::memory::{ToMetered, Vec, format};
use crate::utility::compress::ReadOptions;
use crate::utility::compress::operand::{self, Mode, Packer, Task};
use crate::utility::file::walk::{Walk, WalkStep};
use crate::utility::prelude::*;
use crate::vfs::{FileKind, Metadata, OpenOptions};
use list::Totals;

options! {
    pub(super) enum Opt {
        Output = value('o', "", "FILE", "write output to a single file"),
        Keep = flag('k', "keep", "preserve input files: the default"),
        Remove = flag('\0', "rm", "remove input files after successful (de)compression"),
        Level = number("1..19", "compression level; default is 3"),
        Compress = flag('z', "compress", "perform compression"),
        Decompress = flag('d', "decompress", "perform decompression") | flag('\0', "uncompress", "the same"),
        Test = flag('t', "test", "test compressed file integrity"),
        List = flag('l', "list", "print information about compressed files"),
        Force = flag('f', "force", "overwrite files, follow links, pass through what is not compressed"),
        Stdout = flag('c', "stdout", "write to standard output, keep the input files"),
        Verbose = flag('v', "verbose", "tell more"),
        Quiet = flag('q', "quiet", "suppress warnings; pass twice to suppress errors"),
        NoProgress = flag('\0', "no-progress", "show no progress: none is"),
        Recursive = flag('r', "", "operate recursively on directories"),
        FileList = value('\0', "filelist", "LIST", "read names of files from LIST, one a line"),
        OutputFlat = value('\0', "output-dir-flat", "DIR", "store processed files in DIR"),
        Check = flag('\0', "check", "add checksums, and look at them: the default"),
        NoCheck = flag('\0', "no-check", "add no checksums, or do not look at them"),
        Ultra = flag('\0', "ultra", "levels up to 22"),
        Fast = optional('\0', "fast", "#", "very fast compression"),
        Long = optional('\0', "long", "#", "the largest window there is; when decompressing, allow 2^# bytes (27)"),
        Threads = value('T', "threads", "#", "use # threads: one is used"),
        SingleThread = flag('\0', "single-thread", "use one thread"),
        NoAsync = flag('\0', "no-asyncio", "read and write in turns: always"),
        ExcludeCompressed = flag('\0', "exclude-compressed", "leave out files whose names say that they are compressed"),
        StreamSize = value('\0', "stream-size", "#", "the size of standard input, which the frame tells"),
        ContentSize = flag('\0', "content-size", "frames tell the size: the default"),
        NoContentSize = flag('\0', "no-content-size", "frames do not tell the size"),
        NoDictId = flag('\0', "no-dictID", "tell no dictionary: there are none"),
        Format = value('\0', "format", "FORMAT", "zstd, gzip, xz or lzma"),
        Memory = value('M', "memory", "#", "decompress with a window of at most # MB"),
        NoSparse = flag('\0', "no-sparse", "make no sparse files: none are made"),
        PassThrough = flag('\0', "pass-through", "pass through what is not compressed"),
        NoPassThrough = flag('\0', "no-pass-through", "refuse what is not compressed"),
        Dictionary = value('D', "", "DICT", "use a dictionary: not supported"),
        PatchFrom = value('\0', "patch-from", "REF", "use a reference: not supported"),
        Adapt = optional('\0', "adapt", "X", "adapt the level: not supported"),
        Rsyncable = flag('\0', "rsyncable", "rsync-friendly output: not supported"),
        JobSize = value('B', "", "#", "size of a job or block: not supported"),
        OutputMirror = value('\0', "output-dir-mirror", "DIR", "keep directories below DIR: not supported"),
        Zstd = value('\0', "zstd", "PARAMETERS", "choices of the matching: not supported"),
        Train = optional('\0', "train", "X", "make a dictionary: not supported"),
        Bench = optional('b', "", "#", "measure: not supported"),
        Help = flag('h', "", "display short usage and exit"),
        LongHelp = flag('H', "", "display full help and exit"),
        Version = flag('V', "", "display the program version and exit"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "zstd",
    summary: "compress or decompress the INPUT file(s); reads standard input if INPUT is `-` or not provided",
    usage: "zstd [OPTIONS...] [INPUT... | -] [-o OUTPUT]",
    options: Opt::TABLE,
    examples: &[example("printf abc | zstd | zstd -d", "abc")],
    run: start!(run_zstd),
    ..Utility::BASE
};

/// What a frame or another stream is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Zstd,
    Gzip,
    Xz,
    Lzma,
}

/// A program run.
struct Zstd {
    mode: Mode,
    target: Target,
    level: u8,
    has_checksum: bool,
    tells_size: bool,
    stream_size: Option<u64>,
    reading: ReadOptions,
    output: Option<Text>,
    directory: Option<Text>,
    recurses: bool,
    follows: bool,
    leaves_compressed: bool,
    /// 0: errors are not told; 1: warnings are not; 2 as usual; and more.
    display: i32,
    /// Several files are told of together.
    is_many: bool,
    fault: Option<crate::memory::String>,
    totals: Totals,
    read: u64,
    written: u64,
    done: u64,
    answers: Option<Input>,
}

async fn run_zstd(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    run(ctx, &UTILITY, Task::Compress, false).await
}

/// Runs as the program of that name.
pub(super) async fn run(
    ctx: &mut Context,
    utility: &'static Utility,
    task: Task,
    is_cat: bool,
) -> Result<ExitStatus, UtilityError> {
    let options = match ctx.parse_options::<Opt>(utility) {
        Ok(options) => options,
        Err(UtilityError::Usage(_)) => {
            let help = super::context::options::help(utility, Opt::TABLE);
            ctx.stderr.push(format!("Incorrect parameters \n{help}").as_bytes());
            return Ok(ExitStatus::FAILURE);
        }
        Err(other) => return Err(other),
    };
    if options.has_any([Opt::Help, Opt::LongHelp]) {
        ctx.stdout.push(super::context::options::help(utility, Opt::TABLE).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    if options.has(Opt::Version) {
        ctx.stdout.push(super::context::options::version(utility).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    let mut zstd = settings::settings(ctx, &options, task, is_cat)?;
    let mut inputs = options.operands.clone();
    if let Some(list) = options.value(Opt::FileList) {
        let mut input = match ctx.open(list) {
            Ok(input) => input,
            Err(error) => return ctx.report(list, error),
        };
        loop {
            ctx.tick().await?;
            match input.next_line(b'\n').await {
                Ok(Some(line)) => inputs.push(line.strip_suffix(b"\n").unwrap_or(line).into()),
                Ok(None) => break,
                Err(error) => return ctx.report(list, error),
            }
        }
    }
    files(ctx, &mut zstd, inputs).await
}

/// All operands.
async fn files(ctx: &mut Context, zstd: &mut Zstd, inputs: Vec<Text>) -> Result<ExitStatus, UtilityError> {
    let was_empty = inputs.is_empty();
    let inputs = if zstd.recurses { expanded(ctx, inputs).await? } else { inputs };
    let mut status = ExitStatus::SUCCESS;
    if was_empty && zstd.mode.task == Task::List {
        zstd.complain(ctx, 1, "zstd: --list does not support reading from standard input \n");
        zstd.complain(ctx, 1, "No files given \n");
        return Ok(ExitStatus::FAILURE);
    }
    if was_empty {
        return standard_input(ctx, zstd).await;
    }
    // Links are left out before anything is done.
    let mut taken = Vec::new();
    for path in inputs {
        ctx.tick().await?;
        let is_link = ctx.lstat(&path).is_ok_and(|data| data.kind == FileKind::Symlink);
        if is_link && !zstd.follows && zstd.mode.task != Task::List {
            zstd.complain(ctx, 2, &format!("Warning : {path} is a symbolic link, ignoring \n"));
        } else {
            taken.push(path);
        }
    }
    if taken.is_empty() {
        return Ok(ExitStatus::FAILURE);
    }
    if zstd.output.is_some() && taken.len() > 1 {
        return Err(UtilityError::failed("several inputs for one output (-o) are not supported"));
    }
    zstd.is_many = taken.len() > 1;
    if zstd.mode.task == Task::List {
        zstd.totals.title(ctx);
    }
    for path in &taken {
        let next = if path.as_bytes() == b"-" {
            standard_input(ctx, zstd).await?
        } else {
            file(ctx, zstd, path).await?
        };
        status = status.max(next);
    }
    if zstd.mode.task == Task::List {
        zstd.totals.print(ctx);
    } else {
        zstd.tell_all(ctx);
    }
    Ok(status)
}

/// The files below directories, in place of these.
async fn expanded(ctx: &mut Context, inputs: Vec<Text>) -> Result<Vec<Text>, UtilityError> {
    let mut all = Vec::new();
    for input in inputs {
        if !ctx.stat(&input).is_ok_and(|data| data.is_directory()) {
            all.push(input);
            continue;
        }
        let mut walk = Walk::default();
        if let Err(error) = walk.enter(ctx, &input) {
            ctx.report(&input, error)?;
            continue;
        }
        while let Some(step) = walk.next(ctx).await? {
            let WalkStep::Entry { path } = step else { continue };
            match ctx.lstat(&path) {
                Ok(data) if data.is_directory() => {
                    if let Err(error) = walk.enter(ctx, &path) {
                        ctx.report(&path, error)?;
                    }
                }
                Ok(_) => all.push(Text::from(path.as_slice())),
                Err(error) => drop(ctx.report(&path, error)?),
            }
        }
    }
    Ok(all)
}

/// Standard input, to standard output or to the file of `-o`.
async fn standard_input(ctx: &mut Context, zstd: &mut Zstd) -> Result<ExitStatus, UtilityError> {
    let Some(target) = zstd.output.clone().filter(|_| zstd.mode.task != Task::Test) else {
        return operand::standard_input(ctx, zstd).await;
    };
    if !zstd.mode.force && ctx.lstat(&target).is_ok() && !may_replace(ctx, zstd, &target, true).await? {
        return Ok(ExitStatus::FAILURE);
    }
    let options = OpenOptions {
        write: true,
        create: true,
        truncate: true,
        mode: 0o666 & !ctx.umask,
        ..OpenOptions::default()
    };
    let output = match ctx.open_description(&target, &options) {
        Ok(description) => Output::new(Some(description)),
        Err(FsError::Errno(errno)) => {
            zstd.complain(ctx, 1, &format!("zstd: {target}: {}\n", errno.message()));
            return Ok(ExitStatus::FAILURE);
        }
        Err(FsError::Limit(limit)) => return Err(limit.into()),
    };
    let stdout = std::mem::replace(&mut ctx.stdout, output);
    let done = operand::standard_input(ctx, zstd).await;
    let flushed = ctx.stdout.flush().await;
    ctx.stdout = stdout;
    let status = done?;
    flushed?;
    if !status.is_success() {
        let _ = ctx.fs().remove_file(&ctx.absolute(&target));
    }
    Ok(status)
}

/// Leaves alone what is not to be touched.
async fn file(ctx: &mut Context, zstd: &mut Zstd, path: &[u8]) -> Result<ExitStatus, UtilityError> {
    let shown = Text::from(path);
    let looked = ctx.stat(path);
    if zstd.mode.task == Task::List && !looked.as_ref().is_ok_and(Metadata::is_regular) {
        zstd.complain(ctx, 1, &format!("Error : {shown} is not a file \n"));
        return Ok(ExitStatus::FAILURE);
    }
    let known = zstd.mode.to_stdout || zstd.mode.task == Task::Compress;
    if !known && zstd.output.is_none() && words::plain_name(path).is_none() {
        let suffixes = words::SUFFIXES.iter().map(|(suffix, _)| *suffix).collect::<Vec<_>>();
        let listed = crate::memory::JoinText::join_text(&suffixes[..], "/");
        let text = format!(
            "zstd: {shown}: unknown suffix ({listed} expected). Can't derive the output file name. \
             Specify it with -o dstFileName. Ignoring.\n"
        );
        zstd.complain(ctx, 1, &text);
        return Ok(ExitStatus::FAILURE);
    }
    let metadata = match looked {
        Ok(metadata) => metadata,
        Err(FsError::Limit(limit)) => return Err(limit.into()),
        Err(FsError::Errno(errno)) => {
            let text = format!("zstd: can't stat {shown} : {} -- ignored \n", errno.message());
            zstd.complain(ctx, 1, &text);
            return Ok(ExitStatus::FAILURE);
        }
    };
    if metadata.is_directory() {
        zstd.complain(ctx, 1, &format!("zstd: {shown} is a directory -- ignored \n"));
        return Ok(ExitStatus::FAILURE);
    }
    if zstd.leaves_compressed && zstd.mode.task == Task::Compress && words::plain_name(path).is_some() {
        zstd.complain(ctx, 4, &format!("File is already compressed : {shown} \n"));
        return Ok(ExitStatus::SUCCESS);
    }
    let force = zstd.mode.force;
    if !zstd.mode.to_stdout && !force {
        let Ok(target) = zstd.target(ctx, path, &metadata) else { return Ok(ExitStatus::FAILURE) };
        if ctx.lstat(&target).is_ok() {
            if !may_replace(ctx, zstd, &target, false).await? {
                return Ok(ExitStatus::FAILURE);
            }
            zstd.mode.force = true;
        }
    }
    let path: Vec<u8> = path.to_metered();
    let status = operand::file(ctx, zstd, &path, &metadata).await;
    zstd.mode.force = force;
    status
}

/// Asks whether a file is to be replaced. Where standard input is packed, nobody can be asked.
async fn may_replace(
    ctx: &mut Context,
    zstd: &mut Zstd,
    target: &[u8],
    is_input: bool,
) -> Result<bool, UtilityError> {
    let shown = Text::from(target);
    if zstd.display <= 1 {
        zstd.complain(ctx, 1, &format!("zstd: {shown} already exists; not overwritten  \n"));
        return Ok(false);
    }
    if is_input {
        zstd.complain(ctx, 1, "stdin is an input - not proceeding.\n");
        return Ok(false);
    }
    operand::say(ctx, format_args!("zstd: {shown} already exists; overwrite (y/n) ? "));
    let input = zstd.answers.get_or_insert_with(|| ctx.standard_input());
    let answer = match input.next_line(b'\n').await {
        Ok(line) => line.and_then(|line| line.first().copied()),
        Err(FsError::Limit(limit)) => return Err(limit.into()),
        Err(FsError::Errno(_)) => None,
    };
    let may = matches!(answer, Some(b'y' | b'Y'));
    if !may {
        operand::say(ctx, "Not overwritten  \n \n");
    }
    Ok(may)
}
