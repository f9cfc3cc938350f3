//! `bzip2`, `bunzip2` and `bzcat`: compresses files, and back. bzip2(1), 1.0.8.
//!
//! `compress/operand.rs` has what is done with each operand, `words.rs` what `bzip2` says of it. A stream that is damaged ends the
//! program: what was not looked at by then stays as it is.

mod words;

use crate::memory::ToMetered;
use crate::utility::compress::operand::{self, Mode, Task};
use crate::utility::prelude::*;
use crate::vfs::FileKind;

options! {
    pub(super) enum Opt {
        Help = flag('h', "", "print this message"),
        Decompress = flag('d', "decompress", "force decompression"),
        Compress = flag('z', "compress", "force compression"),
        Keep = flag('k', "keep", "keep (don't delete) input files"),
        Force = flag('f', "force", "overwrite existing output files"),
        Test = flag('t', "test", "test compressed file integrity"),
        Stdout = flag('c', "stdout", "output to standard out"),
        Quiet = flag('q', "quiet", "suppress noncritical error messages"),
        Verbose = flag('v', "verbose", "tell the ratio of each file; a second -v tells no more"),
        License = flag('L', "license", "display software version"),
        Version = flag('V', "", "display software version"),
        Small = flag('s', "small", "use less memory: blocks of at most 200k"),
        Level = number("1..9", "set block size to 100k .. 900k"),
        Fast = flag('\0', "fast", "alias for -1"),
        Best = flag('\0', "best", "alias for -9"),
        RepetitiveFast = flag('\0', "repetitive-fast", "redundant since version 0.9.5"),
        RepetitiveBest = flag('\0', "repetitive-best", "redundant since version 0.9.5"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "bzip2",
    summary: "a block-sorting file compressor",
    usage: "bzip2 [flags and input files in any order]",
    options: Opt::TABLE,
    examples: &[example("printf abc | bzip2 | bzip2 -d", "abc")],
    run: start!(run_bzip2),
    ..Utility::BASE
};

/// 2: a file is damaged, or is not compressed.
const DAMAGED: ExitStatus = ExitStatus(2);

/// A program run.
struct Bzip2 {
    mode: Mode,
    level: u8,
    is_quiet: bool,
    is_verbose: bool,
    /// How wide names are shown.
    width: usize,
    test_failed: bool,
    /// A damaged file ends the program.
    is_over: bool,
}

async fn run_bzip2(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    run(ctx, &UTILITY, Task::Compress, false).await
}

/// Runs as the program of that name does without flags.
pub(super) async fn run(
    ctx: &mut Context,
    utility: &'static Utility,
    task: Task,
    to_stdout: bool,
) -> Result<ExitStatus, UtilityError> {
    operand::add_arguments_of(ctx, &[b"BZIP2", b"BZIP"]);
    let name = ctx.name.clone();
    if let Some(flag) = ctx.args.iter().take_while(|arg| arg.as_bytes() != b"--").find(|arg| is_bad(arg)) {
        let shown = bstr::BStr::new(flag).to_owned();
        let help = super::context::options::help(utility, Opt::TABLE);
        return Err(UtilityError::failed(crate::memory::format!("Bad flag `{shown}'\n{help}")));
    }
    // A dash alone is no name of a file here.
    ctx.args.retain(|arg| arg.as_bytes() != b"-");
    let options = ctx.parse_options::<Opt>(utility)?;
    if options.has(Opt::Help) {
        ctx.stdout.push(super::context::options::help(utility, Opt::TABLE).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    if options.has_any([Opt::Version, Opt::License]) {
        ctx.stdout.push(super::context::options::version(utility).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    let mut bzip2 = settings(ctx, &options, task, to_stdout)?;
    let longest = options.operands.iter().map(|operand| operand.len()).max().unwrap_or(0);
    bzip2.width = longest.max("(stdin)".len());
    let mut status = ExitStatus::SUCCESS;
    let inputs = ctx.inputs(&options.operands);
    let count = inputs.len();
    for (index, path) in inputs.iter().enumerate() {
        let next = if options.operands.is_empty() {
            operand::standard_input(ctx, &mut bzip2).await?
        } else {
            file(ctx, &mut bzip2, path).await?
        };
        status = status.max(next);
        if bzip2.is_over {
            if !bzip2.is_quiet && index + 1 < count {
                let left = count - index - 1;
                let text = format_args!(
                    "{name}: WARNING: some files have not been processed:\n\
                     {name}:    {count} specified on command line, {left} not processed yet.\n\n"
                );
                operand::say(ctx, text);
            }
            return Ok(status);
        }
    }
    if bzip2.test_failed && !bzip2.is_quiet {
        operand::say(ctx, words::RECOVER);
    }
    Ok(status)
}

/// Whether an argument looks like a flag, and is none. Long ones may not be shortened.
fn is_bad(arg: &[u8]) -> bool {
    match arg {
        [b'-', b'-', name @ ..] => {
            let more: [&[u8]; 2] = [b"help", b"version"];
            Opt::of_long(name).is_none() && !more.contains(&name) || name.contains(&b'.')
        }
        [b'-', letters @ ..] => letters.iter().any(|letter| !b"cdzftkshqvLV123456789".contains(letter)),
        _ => false,
    }
}

fn settings(
    ctx: &mut Context,
    options: &Options<Opt>,
    task: Task,
    to_stdout: bool,
) -> Result<Bzip2, UtilityError> {
    let mut mode = Mode { task, to_stdout, ..Mode::default() };
    let mut level = 9;
    let mut shows_stdout = to_stdout;
    for (option, value) in options.given() {
        match option {
            Opt::Decompress => mode.task = Task::Decompress,
            Opt::Compress => mode.task = Task::Compress,
            Opt::Test => mode.task = Task::Test,
            Opt::Stdout => shows_stdout = true,
            Opt::Force => mode.force = true,
            Opt::Keep => mode.keep = true,
            Opt::Fast => level = 1,
            Opt::Best => level = 9,
            // Several digits are several flags, of which the last one counts.
            Opt::Level => level = value.and_then(|digits| digits.last()).map_or(9, |digit| digit - b'0'),
            Opt::RepetitiveFast | Opt::RepetitiveBest => {
                let flag = if option == Opt::RepetitiveFast { "fast" } else { "best" };
                ctx.warn(format_args!("--repetitive-{flag} is redundant in versions 0.9.5 and above"));
            }
            _ => {}
        }
    }
    if mode.task == Task::Test && options.has(Opt::Stdout) {
        return Err(UtilityError::failed("-c and -t cannot be used together."));
    }
    if options.has(Opt::Small) && mode.task == Task::Compress {
        level = level.min(2);
    }
    mode.to_stdout = shows_stdout || mode.task == Task::Test;
    mode.passes_through = mode.force && mode.task == Task::Decompress;
    Ok(Bzip2 {
        mode,
        level,
        is_quiet: options.has(Opt::Quiet),
        is_verbose: options.has(Opt::Verbose),
        width: 0,
        test_failed: false,
        is_over: false,
    })
}

/// Leaves alone what is not to be touched.
async fn file(ctx: &mut Context, bzip2: &mut Bzip2, path: &[u8]) -> Result<ExitStatus, UtilityError> {
    let shown = Text::from(path);
    let metadata = match ctx.stat(path) {
        Ok(metadata) => metadata,
        Err(FsError::Limit(limit)) => return Err(limit.into()),
        Err(FsError::Errno(errno)) => {
            let what = if bzip2.mode.task == Task::Test { "input" } else { "input file" };
            return Ok(ctx.warn(format_args!("Can't open {what} {shown}: {}.", errno.message())));
        }
    };
    if bzip2.mode.task == Task::Compress
        && let Some((suffix, _)) = words::SUFFIXES.iter().find(|(suffix, _)| path.ends_with(suffix))
    {
        if !bzip2.is_quiet {
            let suffix = bstr::BStr::new(suffix);
            ctx.warn(format_args!("Input file {shown} already has {suffix} suffix."));
        }
        return Ok(ExitStatus::FAILURE);
    }
    if metadata.is_directory() {
        return Ok(ctx.warn(format_args!("Input file {shown} is a directory.")));
    }
    let is_normal = ctx.lstat(path).is_ok_and(|data| data.kind == FileKind::Regular);
    if !bzip2.mode.to_stdout && !bzip2.mode.force && !is_normal {
        if !bzip2.is_quiet {
            ctx.warn(format_args!("Input file {shown} is not a normal file."));
        }
        return Ok(ExitStatus::FAILURE);
    }
    operand::file(ctx, bzip2, &path.to_metered(), &metadata).await
}
