//! `tree`: lists directories as trees. tree(1) 2.1.0.
//!
//! `options` reads the command line, `read` the directories (`from_file` a list of paths), `print` and `data` write them as lines,
//! JSON or XML. All is read before anything is printed. Refused by name: HTML (`-H`, `-T`, `--nolinks`, `--hintro`, `--houtro`, and `-R`,
//! which writes it into each directory) and the comments of `.info` files (`--info`, `--infofile`).

mod color;
mod data;
mod from_file;
mod options;
mod print;
mod read;

use crate::memory::{JoinMetered as _, ToMetered as _, Vec};
use crate::utility::context::options::help;
use crate::utility::prelude::*;
use options::{Notation, Opt, Settings};
use read::Listing;

pub(super) const UTILITY: Utility = Utility {
    name: "tree",
    summary: "list directories as trees",
    usage: "tree [OPTION]... [DIRECTORY]...",
    options: Opt::TABLE,
    examples: &[example(
        "mkdir -p d/e; touch d/f; tree --charset=ascii d",
        "d\n|-- e\n`-- f\n\n2 directories, 1 file\n",
    )],
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 0; 1 for usage, 2 where a directory could not be read, or was not for `--filelimit`.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    ctx.utility = Some(&UTILITY);
    let settings = match Settings::parse(ctx) {
        Ok(settings) => settings,
        Err(error) => return told(ctx, error),
    };
    if settings.has(Opt::Help) {
        ctx.stdout.push(help(&UTILITY, UTILITY.options).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    if settings.has(Opt::Version) {
        ctx.stdout.push(b"tree v2.1.0 (hookbox)\n");
        return Ok(ExitStatus::SUCCESS);
    }
    let listing = if settings.has(Opt::FromFile) {
        from_file::read(ctx, &settings).await
    } else {
        Listing::read(ctx, &settings).await
    };
    let mut listing = match listing {
        Ok(listing) => listing,
        Err(error) => return told(ctx, error),
    };
    listing.finish(ctx, &settings).await?;
    let status = if listing.has_failed { ExitStatus(2) } else { ExitStatus::SUCCESS };
    let mut output = match &settings.output {
        None => std::mem::replace(&mut ctx.stdout, Output::new(None)),
        Some(file) => match ctx.create(file, false) {
            Ok(output) => output,
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(FsError::Errno(_)) => {
                ctx.stderr.push(crate::memory::format!("tree: invalid filename '{file}'\n").as_bytes());
                return Ok(ExitStatus::FAILURE);
            }
        },
    };
    let printed = match settings.notation {
        Notation::Lines => print::print(ctx, &settings, &listing, &mut output).await,
        Notation::Json | Notation::Xml => data::print(ctx, &settings, &listing, &mut output).await,
    };
    let flushed = output.flush().await;
    if settings.output.is_none() {
        ctx.stdout = output;
    }
    printed.and(flushed).map(|()| status)
}

/// Messages have the program's name already, or stand without.
fn told(ctx: &mut Context, error: UtilityError) -> Result<ExitStatus, UtilityError> {
    match error {
        UtilityError::Failed { message, status } => {
            // The types that there are go to standard output.
            let (message, has_list) = match message.strip_suffix('\0') {
                Some(message) => (message, true),
                None => (message.as_str(), false),
            };
            ctx.stderr.push(message.as_bytes());
            ctx.stdout.push(if has_list { b"name,version,size,mtime,ctime\n" } else { b"" });
            Ok(ExitStatus(status))
        }
        error => Err(error),
    }
}

/// The path from the root of the file system, without `.` and `..`.
fn normal(ctx: &Context, path: &[u8]) -> Vec<u8> {
    crate::vfs::path::normalise(&ctx.absolute(path))
}

/// A path with a slash at its end.
fn with_slash(path: &[u8]) -> Vec<u8> {
    if path.ends_with(b"/") { path.to_metered() } else { [path, b"/"].concat_metered() }
}
