//! `tar`: archives of files. GNU tar(1), 1.34.
//!
//! `options.rs` has the options, `arguments.rs` brings the arguments into one form, `settings.rs` and `names.rs` say what they mean. `header.rs` is the block before a
//! member, `reader.rs` and `writer.rs` are archives as streams; `create.rs` (with `-r` and `-u`), `extract.rs`, `list.rs`,
//! `compare.rs` and `edit.rs` (`--delete`, `-A`) are what is done with them. `select.rs` chooses members, `transform.rs` changes
//! their names. All of it is a thin layer of our own: the format is a block of fields, and a crate would not know the session's
//! files.
//!
//! Not here: several volumes, incremental archives, sparse members (refused by name), attributes beyond modes, commands of the
//! user (`--to-command`, `--checkpoint-action`), questions.

mod archive;
mod arguments;
mod compare;
mod create;
mod edit;
mod error;
mod extract;
mod header;
mod list;
mod names;
mod options;
mod reader;
mod select;
mod settings;
mod shown;
mod source;
mod transform;
mod writer;

use crate::memory::format;
use crate::utility::prelude::*;
use arguments::usage;
use error::{Faults, TarError, filter_words};
use options::Opt;
use settings::{Operation, TarOptions};

pub(super) const UTILITY: Utility = Utility {
    name: "tar",
    summary: "save many files together into a single archive, and restore files from it",
    usage: "tar [OPTION...] [FILE]...",
    options: Opt::TABLE,
    examples: &[example("echo hi >f; tar cf a.tar f; rm f; tar xvf a.tar; cat f", "f\nhi\n")],
    run: start!(run),
    usage_status: 64,
    ..Utility::BASE
};

/// Exit status: 0, 1 when files differ (`-d`), 2 when something could not be done.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let args = std::mem::take(&mut ctx.args);
    ctx.args = arguments::normalise(args)?;
    let options = ctx.parse_options::<Opt>(&UTILITY).map_err(|error| match error {
        UtilityError::Usage(message) => usage(message, 64),
        other => other,
    })?;
    let mut faults = Faults::default();
    let mut program = "gzip";
    let mut is_extraction = false;
    let done = match TarOptions::of(ctx, &options).await {
        Ok(mut settings) => {
            if let Some(filter) = settings.filter {
                program = filter.program();
            }
            is_extraction = settings.operation == Operation::Extract;
            faults.failed |= settings.has_late_options;
            operate(ctx, &mut settings, &mut faults, &mut program).await
        }
        Err(error) => Err(error),
    };
    match done {
        Ok(()) => {}
        Err(TarError::End(error)) => return Err(error),
        Err(TarError::Fatal(message)) => {
            ctx.stdout.flush().await?;
            ctx.warn(message);
            ctx.warn("Error is not recoverable: exiting now");
            return Ok(ExitStatus(2));
        }
        Err(TarError::Filter(fault)) => {
            ctx.stdout.flush().await?;
            let (words, status) = filter_words(program, &fault);
            ctx.stderr.push(format!("{words}\n").as_bytes());
            ctx.warn(format_args!("Child returned status {status}"));
            ctx.warn("Error is not recoverable: exiting now");
            return Ok(ExitStatus(2));
        }
        Err(TarError::Cut(fault)) => {
            ctx.stdout.flush().await?;
            if let Some(fault) = fault {
                ctx.stderr.push(format!("{}\n", filter_words(program, &fault).0).as_bytes());
            }
            ctx.warn("Unexpected EOF in archive");
            // A file that is half extracted is told of once more.
            if is_extraction {
                ctx.warn("Unexpected EOF in archive");
            }
            ctx.warn("Error is not recoverable: exiting now");
            return Ok(ExitStatus(2));
        }
    }
    if faults.failed {
        ctx.stdout.flush().await?;
        ctx.warn("Exiting with failure status due to previous errors");
        return Ok(ExitStatus(2));
    }
    Ok(ExitStatus(u8::from(faults.differs)))
}

async fn operate(
    ctx: &mut Context,
    settings: &mut TarOptions,
    faults: &mut Faults,
    program: &mut &'static str,
) -> error::Result<()> {
    match settings.operation {
        Operation::Create => create::create(ctx, settings, faults).await,
        Operation::Append | Operation::Update => create::append(ctx, settings, faults).await,
        Operation::Catenate => edit::catenate(ctx, settings, faults).await,
        Operation::Delete => edit::delete(ctx, settings, faults).await,
        Operation::List | Operation::Extract | Operation::Diff => {
            let mut reader = archive::open_for_reading(ctx, settings).await?;
            *program = reader.program;
            archive::read(ctx, settings, &mut reader, faults).await
        }
    }
}
