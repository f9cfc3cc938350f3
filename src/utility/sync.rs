//! `sync`: does nothing, since nothing waits to be written. GNU coreutils sync(1).

use crate::utility::prelude::*;

options! {
    enum Opt {
        Data = flag('d', "data", "sync only file data, no unneeded metadata"),
        FileSystem = flag('f', "file-system", "sync the file systems that contain the files"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "sync",
    summary: "synchronize cached writes to persistent storage",
    usage: "sync [OPTION] [FILE]...",
    options: Opt::TABLE,
    examples: &[example("sync; echo $?", "0\n")],
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 0, or 1 when an operand could not be opened.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if options.has(Opt::Data) && options.has(Opt::FileSystem) {
        return Err(UtilityError::failed("cannot specify both --data and --file-system"));
    }
    if options.has(Opt::Data) && options.operands.is_empty() {
        return Err(UtilityError::failed("--data needs at least one argument"));
    }
    let mut status = ExitStatus::SUCCESS;
    for operand in &options.operands {
        ctx.tick().await?;
        if let Err(error) = ctx.stat(operand) {
            status = ctx.complain(format_args!("error opening {}", quote_name(operand)), error)?;
        }
    }
    Ok(status)
}
