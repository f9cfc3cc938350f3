//! `more`: shows files. util-linux more(1). There is no terminal: standard input is copied, then the files, each with its name.

use super::less::copy;
use crate::memory::{Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Silent = flag('d', "silent", "display help instead of ringing bell"),
        Logical = flag('f', "logical", "count logical rather than screen lines"),
        NoPause = flag('l', "no-pause", "suppress pause after form feed"),
        PrintOver = flag('c', "print-over", "do not scroll, display text and clean line ends"),
        CleanPrint = flag('p', "clean-print", "do not scroll, clean screen and display text"),
        ExitOnEof = flag('e', "exit-on-eof", "exit on end-of-file"),
        Squeeze = flag('s', "squeeze", "squeeze multiple blank lines into one"),
        Plain = flag('u', "plain", "suppress underlining"),
        Lines = value('n', "lines", "number", "the number of lines per screenful"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "more",
    summary: "display the contents of a file, without a terminal as cat does",
    usage: "more [options] <file>...",
    options: Opt::TABLE,
    examples: &[example("echo a | more", "a\n")],
    run: start!(run),
    help_letter: Some('h'),
    version_letter: Some('V'),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let is_start = |arg: &Text| {
        let number = arg
            .strip_prefix(b"-")
            .is_some_and(|rest| !rest.is_empty() && rest.iter().all(u8::is_ascii_digit));
        number || arg.starts_with(b"+")
    };
    let args = std::mem::take(&mut ctx.args);
    ctx.args = args.into_iter().filter(|arg| !is_start(arg)).collect::<Vec<Text>>();
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if let Some(lines) = options.value(Opt::Lines)
        && super::format::count::parse_digits(lines).is_none()
    {
        return Err(UtilityError::failed(format!("argument error: '{lines}'")));
    }
    if let Err(error) = copy(ctx, b"-").await {
        error.errno()?;
    }
    for operand in &options.operands {
        match ctx.stat(operand) {
            Ok(metadata) if metadata.is_directory() => {
                ctx.stdout.write(format!("\n*** {operand}: directory ***\n\n").as_bytes()).await?;
                continue;
            }
            Ok(_) => {}
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(FsError::Errno(errno)) => {
                ctx.stdout.flush().await?;
                ctx.warn(format_args!("cannot open {operand}: {}", errno.message()));
                continue;
            }
        }
        let heading = format!("::::::::::::::\n{operand}\n::::::::::::::\n");
        ctx.stdout.write(heading.as_bytes()).await?;
        // `./` keeps a file named `-` from being standard input.
        let path: Vec<u8> =
            if operand.as_bytes() == b"-" { b"./-".into() } else { operand.as_bytes().into() };
        if let Err(error) = copy(ctx, &path).await {
            let errno = error.errno()?;
            ctx.warn(format_args!("cannot open {operand}: {}", errno.message()));
        }
    }
    Ok(ExitStatus::SUCCESS)
}
