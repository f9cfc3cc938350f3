//! The work of `s` and `y` on a line.

use crate::memory::Vec;
use super::program::{Case, Part, Substitution, Translation};
use crate::character::{fold, push_unit, unfold, unit_at};
use crate::limit::LimitError;
use crate::pattern::Ticker;
use crate::utility::charged::ChargedVec;
use crate::utility::regex::{Regex, RegexError, Span};

/// Matches between two ticks.
const TURNS_PER_TICK: u32 = 256;

/// Why a substitution was not finished.
#[derive(Debug)]
pub(super) enum Interrupted {
    Regex(RegexError),
    Limit(LimitError),
}

impl From<LimitError> for Interrupted {
    fn from(error: LimitError) -> Self {
        Self::Limit(error)
    }
}

impl From<RegexError> for Interrupted {
    fn from(error: RegexError) -> Self {
        Self::Regex(error)
    }
}

/// Builds the new line in `out`; false when nothing was replaced.
pub(super) fn substitute(
    substitution: &Substitution,
    regex: &Regex,
    line: &[u8],
    out: &mut ChargedVec<u8>,
    groups: &mut Vec<Option<Span>>,
    ticker: &mut dyn Ticker,
) -> Result<bool, Interrupted> {
    out.clear();
    let mut start = 0;
    let mut done = 0;
    let mut count = 0;
    let mut is_replaced = false;
    let mut last_end = None;
    let mut turns = 0_u32;
    while start <= line.len() && find(regex, substitution, line, start, groups, ticker)? {
        let Some((from, to)) = groups.first().copied().flatten() else { break };
        let is_empty_after_match = from == to && last_end == Some(from);
        if !is_empty_after_match {
            count += 1;
            if count >= substitution.number {
                out.extend(line.get(done..from).unwrap_or(&[]))?;
                append_replacement(&substitution.replacement, line, groups, out)?;
                done = to;
                is_replaced = true;
                if !substitution.is_global {
                    break;
                }
            }
        }
        last_end = Some(to);
        start = if from == to { to + unit_at(line, to).map_or(1, |(_, length)| length) } else { to };
        turns = turns.wrapping_add(1);
        if turns.is_multiple_of(TURNS_PER_TICK) {
            ticker.tick(u64::from(TURNS_PER_TICK)).map_err(RegexError::Stopped)?;
        }
    }
    if is_replaced {
        out.extend(line.get(done..).unwrap_or(&[]))?;
    }
    Ok(is_replaced)
}

/// Groups are looked for only where the replacement has some.
fn find(
    regex: &Regex,
    substitution: &Substitution,
    line: &[u8],
    start: usize,
    groups: &mut Vec<Option<Span>>,
    ticker: &mut dyn Ticker,
) -> Result<bool, RegexError> {
    if substitution.greatest_group > 0 {
        return regex.captures_at_ticked(line, start, groups, ticker);
    }
    groups.clear();
    let found = regex.find_at_ticked(line, start, ticker)?;
    groups.push(found);
    Ok(found.is_some())
}

fn append_replacement(
    parts: &[Part],
    line: &[u8],
    groups: &[Option<Span>],
    out: &mut ChargedVec<u8>,
) -> Result<(), LimitError> {
    let mut case = Case::Kept;
    let mut next_case = Case::Kept;
    for part in parts {
        let text = match part {
            Part::Literal(text) => text.as_slice(),
            Part::Group(number) => {
                let span = groups.get(*number).copied().flatten();
                span.and_then(|(start, end)| line.get(start..end)).unwrap_or(&[])
            }
            Part::Case(new) => {
                case = *new;
                continue;
            }
            Part::NextCase(new) => {
                next_case = *new;
                continue;
            }
        };
        if text.is_empty() {
            continue;
        }
        if case == Case::Kept && next_case == Case::Kept {
            out.extend(text)?;
            continue;
        }
        let first = unit_at(text, 0).map_or(1, |(_, length)| length);
        let (head, rest) = text.split_at_checked(first).unwrap_or((text, &[]));
        append_cased(head, if next_case == Case::Kept { case } else { next_case }, out)?;
        next_case = Case::Kept;
        append_cased(rest, case, out)?;
    }
    Ok(())
}

fn append_cased(text: &[u8], case: Case, out: &mut ChargedVec<u8>) -> Result<(), LimitError> {
    if case == Case::Kept {
        return out.extend(text);
    }
    let mut at = 0;
    let mut bytes = Vec::with_capacity(8);
    while let Some((unit, length)) = unit_at(text, at) {
        bytes.clear();
        push_unit(&mut bytes, if case == Case::Lower { fold(unit) } else { unfold(unit) });
        out.extend(&bytes)?;
        at += length;
    }
    Ok(())
}

/// `y`: builds the new line in `out`.
pub(super) fn translate(
    translation: &Translation,
    line: &[u8],
    out: &mut ChargedVec<u8>,
) -> Result<(), LimitError> {
    out.clear();
    out.reserve(line.len())?;
    let mut at = 0;
    while let Some((unit, length)) = unit_at(line, at) {
        if !translation.others.is_empty()
            && let Some(&to) = translation.others.get(&unit)
        {
            let mut bytes = Vec::with_capacity(4);
            push_unit(&mut bytes, to);
            out.extend(&bytes)?;
        } else if let Some(&to) = translation.ascii.get(unit as usize) {
            out.push(to)?;
        } else {
            out.extend(line.get(at..at + length).unwrap_or(&[]))?;
        }
        at += length;
    }
    Ok(())
}
