//! `git config` without a subcommand: options say what is done, or how many operands there are.

use super::change::{Change, change, comment, rename};
use super::options::{ActionOpt, CommentOpt, IncludesOpt, OldOpt};
use super::place::{Loaded, Place};
use super::show::{Display, Wanted, get, get_urlmatch, list};
use super::value::{kind, written};
use super::{check_count, color, operand};
use crate::memory::format;
use crate::utility::git::command::prelude::*;

/// What is to be done in the form without a subcommand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Option(ActionOpt),
    /// A name and a value alone, perhaps with a pattern.
    Set,
}

/// The action that is named, or that the number of operands stands for.
fn action(arguments: &Arguments<OldOpt>) -> Result<Action> {
    let mut chosen = None;
    let shown = |option: ActionOpt| match option.short() {
        '\0' => format!("--{}", option.long()),
        short => format!("-{short}"),
    };
    for (option, _) in arguments.in_order() {
        let OldOpt::Action(option) = option else { continue };
        match chosen {
            Some(known) if known != option => {
                let (option, known) = (shown(option), shown(known));
                let text = format!("options '{option}' and '{known}' cannot be used together");
                return Err(GitError::Error(text, 129));
            }
            _ => chosen = Some(option),
        }
    }
    match (chosen, arguments.operands.len()) {
        (Some(option), _) => Ok(Action::Option(option)),
        (None, 1) => Ok(Action::Option(ActionOpt::Get)),
        (None, 2 | 3) => Ok(Action::Set),
        (None, _) => Err(GitError::Error("no action specified".into(), 129)),
    }
}

/// Options that belong to some actions alone.
fn check_options(arguments: &Arguments<OldOpt>, display: Display, action: Action) -> Result<()> {
    use ActionOpt::{Add, Get, GetAll, GetRegexp, List, ReplaceAll, Unset, UnsetAll};
    let wrong = |text: &str| Err(GitError::Error(text.into(), 129));
    let is_one_of = |options: &[ActionOpt]| options.iter().any(|option| action == Action::Option(*option));
    if display.is_name_only && !is_one_of(&[List, GetRegexp]) {
        return wrong("--name-only is only applicable to --list or --get-regexp");
    }
    if display.has_origin && !is_one_of(&[Get, GetAll, GetRegexp, List]) {
        return wrong("--show-origin is only applicable to --get, --get-all, --get-regexp, and --list");
    }
    if arguments.value(OldOpt::Default).is_some() && !is_one_of(&[Get]) {
        return wrong("--default is only applicable to --get");
    }
    let sets = action == Action::Set || is_one_of(&[Add, ReplaceAll]);
    if arguments.value(CommentOpt::Comment).is_some() && !sets {
        return wrong("--comment is only applicable to add/set/replace operations");
    }
    let count = arguments.operands.len();
    let has_pattern = (is_one_of(&[Get, GetAll, GetRegexp, Unset, UnsetAll]) && count > 1)
        || ((action == Action::Set || is_one_of(&[ReplaceAll])) && count > 2);
    if arguments.has(OldOpt::FixedValue) && !has_pattern {
        return wrong("--fixed-value only applies with 'value-pattern'");
    }
    Ok(())
}

pub(super) async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<OldOpt>()?;
    let kind = kind(&arguments.part())?;
    let chosen = arguments.first_of([ActionOpt::GetColor, ActionOpt::GetColorbool]);
    let place = Place::new(git, &arguments.part(), arguments.truth(IncludesOpt::Includes))?;
    let mut display = Display::new(&arguments.part(), kind);
    let action = match action(&arguments) {
        Err(error) if arguments.operands.is_empty() || chosen.is_none() => return Err(error),
        action => action,
    };
    if chosen.is_some() && kind.is_some() {
        return Err(GitError::Error("--get-color and variable type are incoherent".into(), 129));
    }
    let action = action?;
    check_options(&arguments, display, action)?;
    let comment = comment(arguments.value(CommentOpt::Comment))?;
    let operands = arguments.operands.as_slice();
    let is_fixed = arguments.has(OldOpt::FixedValue);
    let load = async |git: &mut Git| place.load(git).await;
    let action = match action {
        Action::Option(option) => option,
        Action::Set => {
            place.writable(git)?;
            let (name, value) = (operand(operands, 0)?, operand(operands, 1)?);
            let (value, pattern) = (Some(written(kind, name, value)?), operands.get(2));
            let set = Change { name, value, comment, is_added: false, takes_all: false, pattern, is_fixed };
            return change(git, &place, set).await;
        }
    };
    match action {
        ActionOpt::List => {
            check_count(operands, 0, 0)?;
            let loaded = load(git).await?;
            list(git, display, loaded).await
        }
        ActionOpt::Edit => super::edit(git, &place, true),
        ActionOpt::Get | ActionOpt::GetAll | ActionOpt::GetRegexp => {
            check_count(operands, 1, 2)?;
            let is_regexp = action == ActionOpt::GetRegexp;
            display.has_names |= is_regexp;
            let (name, pattern) = (operand(operands, 0)?, operands.get(1));
            let (takes_all, default) = (action != ActionOpt::Get, arguments.value(OldOpt::Default));
            get(git, display, load, Wanted { name, is_regexp, takes_all, pattern, is_fixed, default }).await
        }
        ActionOpt::GetUrlmatch => {
            check_count(operands, 2, 2)?;
            get_urlmatch(git, display, load, operand(operands, 0)?, operand(operands, 1)?).await
        }
        ActionOpt::Add | ActionOpt::ReplaceAll => {
            place.writable(git)?;
            let is_added = action == ActionOpt::Add;
            check_count(operands, 2, if is_added { 2 } else { 3 })?;
            let (name, value) = (operand(operands, 0)?, operand(operands, 1)?);
            let (value, pattern) = (Some(written(kind, name, value)?), operands.get(2));
            change(git, &place, Change { name, value, comment, is_added, takes_all: true, pattern, is_fixed })
                .await
        }
        ActionOpt::Unset | ActionOpt::UnsetAll => {
            place.writable(git)?;
            check_count(operands, 1, 2)?;
            let (name, pattern, takes_all) =
                (operand(operands, 0)?, operands.get(1), action == ActionOpt::UnsetAll);
            let unset = Change { name, value: None, comment, is_added: false, takes_all, pattern, is_fixed };
            change(git, &place, unset).await
        }
        ActionOpt::RenameSection | ActionOpt::RemoveSection => {
            place.writable(git)?;
            let count = if action == ActionOpt::RenameSection { 2 } else { 1 };
            check_count(operands, count, count)?;
            rename(git, &place, operand(operands, 0)?, operands.get(1))
        }
        ActionOpt::GetColor | ActionOpt::GetColorbool => {
            check_count(operands, 1, 2)?;
            let loaded: Loaded = load(git).await?;
            let (slot, given) = (operand(operands, 0)?, operands.get(1));
            if action == ActionOpt::GetColor {
                color::get_color(git, loaded, slot, given).await
            } else {
                color::get_colorbool(git, loaded, slot, given).await
            }
        }
    }
}
