//! `git config`: values are read, set and removed, with a subcommand or with the options of old. `subcommand.rs` and
//! `old.rs` take the arguments of each form; `place.rs` says which configuration is meant, `show.rs` prints, `change.rs`
//! and `edit.rs` change files, `value.rs` and `color.rs` have the types, `url.rs` what fits a URL.

mod change;
mod color;
mod edit;
mod old;
mod options;
mod place;
mod show;
mod subcommand;
mod url;
mod value;

use super::prelude::*;
use crate::memory::format;
use options::{HEADINGS, NEVER_NEGATED, OldOpt, PlaceOpt, USAGE};
use place::Place;

pub(super) static COMMAND: Command = Command {
    name: "config",
    usage: USAGE,
    options: OldOpt::TABLE,
    headings: HEADINGS,
    never_negated: NEVER_NEGATED,
    operands_end_options: true,
    needs: Needs::Perhaps,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    // A subcommand is the first word alone: after an option it is a name.
    let name = git.ctx.args.first().cloned().unwrap_or_default();
    let row = match name.as_bytes() {
        b"list" => &options::LIST,
        b"get" => &options::GET,
        b"set" => &options::SET,
        b"unset" => &options::UNSET,
        b"rename-section" => &options::RENAME_SECTION,
        b"remove-section" => &options::REMOVE_SECTION,
        b"edit" => &options::EDIT,
        b"-h" => {
            // The synopses alone: what comes first is taken for a subcommand.
            git.row = &options::NONE;
            let _nothing = git.arguments::<PlaceOpt>()?;
            return Ok(129);
        }
        _ => return old::run(git).await,
    };
    git.row = row;
    git.ctx.args.remove(0);
    match name.as_bytes() {
        b"list" => subcommand::list(git).await,
        b"get" => subcommand::get(git).await,
        b"set" => subcommand::set(git).await,
        b"unset" => subcommand::unset(git).await,
        b"edit" => subcommand::edit(git),
        name => subcommand::sections(git, name == b"rename-section"),
    }
}

/// How many operands there have to be.
fn check_count(operands: &[Text], least: usize, most: usize) -> Result<()> {
    let count = operands.len();
    if (least..=most).contains(&count) {
        return Ok(());
    }
    let wanted = if least == most { format!("{least}") } else { format!("from {least} to {most}") };
    Err(GitError::Error(format!("wrong number of arguments, should be {wanted}"), 129))
}

/// An operand that is there, since they were counted.
fn operand(operands: &[Text], index: usize) -> Result<&Text> {
    operands.get(index).ok_or_else(|| GitError::Error("no action specified".into(), 129))
}

/// There is no editor in a session; what could not be edited anyhow is told as git does.
fn edit(git: &Git, place: &Place, is_option: bool) -> Result<u8> {
    if let Some(what) = place.other_than_file().filter(|_| is_option) {
        return Err(if git.is_found {
            fatal!("editing {what} is not supported")
        } else {
            fatal!("not in a git directory")
        });
    }
    place.writable(git)?;
    Err(fatal!("there is no editor"))
}
