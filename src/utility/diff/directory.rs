//! Directories: the pairs of their entries, without those that are left out.

use super::TROUBLE;
use super::pair::{Pair, join, quote_plain};
use super::settings::Settings;
use crate::limit::LimitError;
use crate::memory::Vec;
use crate::utility::context::pace::Pace;
use crate::utility::context::ticker::stopped;
use crate::utility::prelude::*;
use std::cmp::Ordering;

/// Puts the pairs of two directories on the list, in order.
pub(super) async fn list(
    ctx: &mut Context,
    settings: &Settings,
    pair: &Pair,
    pending: &mut Vec<Pair>,
) -> Result<ExitStatus, UtilityError> {
    let mut names: [Vec<Text>; 2] = [Vec::new(), Vec::new()];
    for (names, path) in names.iter_mut().zip(&pair.paths) {
        let Some(path) = path else { continue };
        match ctx.session.fs.read_dir(&ctx.absolute(path)) {
            Ok(entries) => {
                for entry in entries {
                    if is_taken(ctx, settings, pair, &entry.name).await? {
                        names.push(entry.name);
                    }
                }
            }
            Err(FsError::Errno(Errno::NotFound)) if settings.new_file || settings.new_second_file => {}
            Err(error) => {
                let errno = OperandError::from(error).errno()?;
                ctx.warn(format_args!("{}: {}", quote_plain(path), errno.message()));
                return Ok(TROUBLE);
            }
        }
        names.sort_by(|one, two| order(settings, one, two).then_with(|| one.cmp(two)));
    }
    let [left, right] = &names;
    let pairs = match_names(ctx, settings, left, right).await?;
    let mut inner = Vec::new();
    let mut status = ExitStatus::SUCCESS;
    for (one, two) in pairs {
        ctx.tick().await?;
        let alone = match (one, two) {
            (Some(_), Some(_)) => None,
            (None, Some(name)) if settings.new_file || settings.new_second_file => Some(name),
            (Some(name), None) if settings.new_file => Some(name),
            _ => {
                status = ExitStatus::FAILURE;
                None
            }
        };
        let within = |index: usize, name: Option<&Text>| {
            let directory = pair.paths.get(index)?.as_ref()?;
            Some(join(directory, name?))
        };
        let paths = [within(0, one.or(alone)), within(1, two.or(alone))];
        inner.push(Pair { paths, depth: pair.depth + 1 });
    }
    pending.extend(inner.into_iter().rev());
    Ok(status)
}

/// Whether an entry is compared: it is not left out, and in the directories that were named not before the first one.
async fn is_taken(
    ctx: &mut Context,
    settings: &Settings,
    pair: &Pair,
    name: &Text,
) -> Result<bool, LimitError> {
    ctx.tick().await?;
    if pair.depth == 0
        && let Some(starting) = &settings.starting
        && order(settings, name, starting).is_lt()
    {
        return Ok(false);
    }
    for pattern in &settings.exclude {
        let matches = pattern.matches_paced(name, &mut Pace::Shared(&ctx.meter)).await;
        if matches.map_err(|_| stopped(&ctx.meter))? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn order(settings: &Settings, one: &[u8], two: &[u8]) -> Ordering {
    if settings.fold_names {
        one.iter().map(u8::to_ascii_lowercase).cmp(two.iter().map(u8::to_ascii_lowercase))
    } else {
        one.cmp(two)
    }
}

type Names<'n> = (Option<&'n Text>, Option<&'n Text>);

/// The names of both directories, in order, by twos. Where case is ignored several may be equal: the same name is taken
/// first, and of the others each with the next one.
async fn match_names<'n>(
    ctx: &mut Context,
    settings: &Settings,
    left: &'n [Text],
    right: &'n [Text],
) -> Result<Vec<Names<'n>>, LimitError> {
    let mut pairs = Vec::new();
    // Names that were taken as the partner of the same name, before their turn.
    let mut taken = [left, right].map(|names| {
        let mut taken = Vec::new();
        taken.resize(names.len(), false);
        taken
    });
    let place = |names: &[Text], name: &Text| {
        names.binary_search_by(|other| order(settings, other, name).then_with(|| other.cmp(name))).ok()
    };
    let (mut x, mut y) = (0, 0);
    loop {
        ctx.tick().await?;
        let [left_taken, right_taken] = &mut taken;
        if left_taken.get(x) == Some(&true) {
            x += 1;
            continue;
        }
        if right_taken.get(y) == Some(&true) {
            y += 1;
            continue;
        }
        let (one, two) = match (left.get(x), right.get(y)) {
            (None, None) => return Ok(pairs),
            (Some(one), None) => (Some(one), None),
            (None, Some(two)) => (None, Some(two)),
            (Some(one), Some(two)) => match order(settings, one, two) {
                Ordering::Less => (Some(one), None),
                Ordering::Greater => (None, Some(two)),
                Ordering::Equal => {
                    // The greater name is looked for among the names of the other side.
                    let partner = match one.cmp(two) {
                        Ordering::Less => {
                            place(left, two).map(|at| (left_taken, at, left.get(at), Some(two)))
                        }
                        Ordering::Greater => {
                            place(right, one).map(|at| (right_taken, at, Some(one), right.get(at)))
                        }
                        Ordering::Equal => None,
                    };
                    if let Some((taken, at, same_left, same_right)) = partner {
                        if let Some(slot) = taken.get_mut(at) {
                            *slot = true;
                        }
                        if one < two {
                            y += 1;
                        } else {
                            x += 1;
                        }
                        pairs.push((same_left, same_right));
                        continue;
                    }
                    (Some(one), Some(two))
                }
            },
        };
        x += usize::from(one.is_some());
        y += usize::from(two.is_some());
        pairs.push((one, two));
    }
}
