//! The subcommands of `git config`.

use super::change::{Change, change, comment, rename};
use super::options::{CommentOpt, FilterOpt, GetOpt, IncludesOpt, ListOpt, PlaceOpt, SetOpt, UnsetOpt};
use super::place::Place;
use super::show::{self, Display, Wanted, get_urlmatch};
use super::value::{kind, written};
use super::{check_count, operand};
use crate::utility::git::command::prelude::*;

pub(super) async fn list(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<ListOpt>()?;
    let kind = kind(&arguments.part())?;
    check_count(&arguments.operands, 0, 0)?;
    let place = Place::new(git, &arguments.part(), arguments.truth(IncludesOpt::Includes))?;
    let display = Display::new(&arguments.part(), kind);
    let loaded = place.load(git).await?;
    show::list(git, display, loaded).await
}

pub(super) async fn get(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<GetOpt>()?;
    let kind = kind(&arguments.part())?;
    check_count(&arguments.operands, 1, 1)?;
    let name = operand(&arguments.operands, 0)?;
    let pattern = arguments.value(FilterOpt::Value);
    let (takes_all, is_regexp) = (arguments.has(GetOpt::All), arguments.has(GetOpt::Regexp));
    let (is_fixed, url) = (arguments.has(FilterOpt::FixedValue), arguments.value(GetOpt::Url));
    let default = arguments.value(GetOpt::Default);
    if is_fixed && pattern.is_none() {
        return Err(fatal!("--fixed-value only applies with 'value-pattern'"));
    }
    if default.is_some() && (takes_all || url.is_some()) {
        return Err(fatal!("--default= cannot be used with --all or --url="));
    }
    if url.is_some() && (takes_all || is_regexp || pattern.is_some()) {
        return Err(fatal!("--url= cannot be used with --all, --regexp or --value"));
    }
    let place = Place::new(git, &arguments.part(), arguments.truth(IncludesOpt::Includes))?;
    let display = Display::new(&arguments.part(), kind);
    let load = async |git: &mut Git| place.load(git).await;
    if let Some(url) = url {
        return get_urlmatch(git, display, load, name, url).await;
    }
    show::get(git, display, load, Wanted { name, is_regexp, takes_all, pattern, is_fixed, default }).await
}

pub(super) async fn set(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<SetOpt>()?;
    let kind = kind(&arguments.part())?;
    check_count(&arguments.operands, 2, 2)?;
    let (name, value) = (operand(&arguments.operands, 0)?, operand(&arguments.operands, 1)?);
    let pattern = arguments.value(FilterOpt::Value);
    let (is_fixed, is_added) = (arguments.has(FilterOpt::FixedValue), arguments.has(SetOpt::Append));
    if is_fixed && pattern.is_none() {
        return Err(fatal!("--fixed-value only applies with --value=<pattern>"));
    }
    if is_added && pattern.is_some() {
        return Err(fatal!("--append cannot be used with --value=<pattern>"));
    }
    let comment = comment(arguments.value(CommentOpt::Comment))?;
    let place = Place::new(git, &arguments.part(), None)?;
    place.writable(git)?;
    let value = Some(written(kind, name, value)?);
    let takes_all = arguments.has(SetOpt::All);
    change(git, &place, Change { name, value, comment, is_added, takes_all, pattern, is_fixed }).await
}

pub(super) async fn unset(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<UnsetOpt>()?;
    check_count(&arguments.operands, 1, 1)?;
    let name = operand(&arguments.operands, 0)?;
    let (pattern, is_fixed) = (arguments.value(FilterOpt::Value), arguments.has(FilterOpt::FixedValue));
    if is_fixed && pattern.is_none() {
        return Err(fatal!("--fixed-value only applies with 'value-pattern'"));
    }
    let place = Place::new(git, &arguments.part(), None)?;
    let takes_all = arguments.has(UnsetOpt::All);
    let unset = Change { name, value: None, comment: None, is_added: false, takes_all, pattern, is_fixed };
    change(git, &place, unset).await
}

pub(super) fn edit(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<PlaceOpt>()?;
    check_count(&arguments.operands, 0, 0)?;
    let place = Place::new(git, &arguments, None)?;
    super::edit(git, &place, false)
}

/// `rename-section`, and `remove-section` without a new name.
pub(super) fn sections(git: &mut Git, has_new: bool) -> Result<u8> {
    let arguments = git.arguments::<PlaceOpt>()?;
    let count = 1 + usize::from(has_new);
    check_count(&arguments.operands, count, count)?;
    let place = Place::new(git, &arguments, None)?;
    rename(git, &place, operand(&arguments.operands, 0)?, arguments.operands.get(1))
}
