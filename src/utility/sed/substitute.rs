//! The work of `s` and `y` on a line.

use super::program::{Case, Part, Substitution, Translation};
use crate::character::{blocks, fold, push_unit, unfold, unit_at};
use crate::limit::gauge;
use crate::memory::Vec;
use crate::pattern::Stopped;
use crate::utility::context::pace::Pace;
use crate::utility::context::pace::yield_now;
use crate::utility::regex::{Look, Regex, RegexError, Span};

/// Bytes whose case is changed, or which are translated or listed, at once.
pub(super) const BLOCK: usize = 1 << 14;

/// Builds the new line in `out`; false when nothing was replaced. A line that would be longer than a value may be ends the
/// run before it is built.
pub(super) async fn substitute(
    substitution: &Substitution,
    regex: &Regex,
    line: &[u8],
    out: &mut Vec<u8>,
    groups: &mut Vec<Option<Span>>,
    pace: &mut Pace<'_>,
) -> Result<bool, RegexError> {
    out.clear();
    let mut start = 0;
    let mut done = 0;
    let mut count = 0;
    let mut is_replaced = false;
    let mut last_end = None;
    while start <= line.len() {
        let is_found = match regex.look(line, start, pace)? {
            // Most lines end here: what waits for nothing needs no future.
            Look::Known(found) if found.is_none() || substitution.greatest_group == 0 => {
                groups.clear();
                groups.push(found);
                found.is_some()
            }
            look => find(regex, look, substitution, line, start, groups, pace).await?,
        };
        if !is_found {
            break;
        }
        let Some((from, to)) = groups.first().copied().flatten() else { break };
        let is_empty_after_match = from == to && last_end == Some(from);
        if !is_empty_after_match {
            count += 1;
            if count >= substitution.number {
                out.extend_from_slice(line.get(done..from).unwrap_or(&[]));
                append_replacement(&substitution.replacement, line, groups, out, pace).await?;
                done = to;
                is_replaced = true;
                if !substitution.is_global {
                    break;
                }
            }
        }
        last_end = Some(to);
        start = if from == to { to + unit_at(line, to).map_or(1, |(_, length)| length) } else { to };
        if pace.count(1)? {
            yield_now().await;
        }
    }
    if is_replaced {
        out.extend_from_slice(line.get(done..).unwrap_or(&[]));
    }
    Ok(is_replaced)
}

/// Groups are looked for only where the replacement has some.
async fn find(
    regex: &Regex,
    look: Look,
    substitution: &Substitution,
    line: &[u8],
    start: usize,
    groups: &mut Vec<Option<Span>>,
    pace: &mut Pace<'_>,
) -> Result<bool, RegexError> {
    if substitution.greatest_group > 0 {
        return regex.captures_at(line, start, groups, pace).await;
    }
    groups.clear();
    let found = regex.find_from(look, line, start, pace).await?;
    groups.push(found);
    Ok(found.is_some())
}

async fn append_replacement(
    parts: &[Part],
    line: &[u8],
    groups: &[Option<Span>],
    out: &mut Vec<u8>,
    pace: &mut Pace<'_>,
) -> Result<(), RegexError> {
    let mut case = Case::Kept;
    let mut next_case = Case::Kept;
    let mut was_next_case = false;
    for part in parts {
        let follows_next_case = std::mem::replace(&mut was_next_case, matches!(part, Part::NextCase(_)));
        let text = match part {
            Part::Literal(text) => text.as_slice(),
            Part::Group(number) => {
                let span = groups.get(*number).copied().flatten();
                span.and_then(|(start, end)| line.get(start..end)).unwrap_or(&[])
            }
            Part::Case(new) => {
                case = *new;
                next_case = Case::Kept;
                continue;
            }
            Part::NextCase(new) => {
                next_case = *new;
                continue;
            }
        };
        if text.is_empty() {
            // As in GNU sed, an empty group hands on the `\u` right before it, but not one that was handed on.
            if !follows_next_case {
                next_case = Case::Kept;
            }
            continue;
        }
        if pace.count(1)? {
            yield_now().await;
        }
        if !gauge::admit_value(out.len().saturating_add(text.len())) {
            break;
        }
        if case == Case::Kept && next_case == Case::Kept {
            out.extend_from_slice(text);
            continue;
        }
        let first = unit_at(text, 0).map_or(1, |(_, length)| length);
        let (head, rest) = text.split_at_checked(first).unwrap_or((text, &[]));
        append_cased(head, if next_case == Case::Kept { case } else { next_case }, out);
        next_case = Case::Kept;
        for block in blocks(rest, BLOCK) {
            append_cased(block, case, out);
            pace.tick(block.len() as u64).await?;
        }
    }
    Ok(())
}

fn append_cased(text: &[u8], case: Case, out: &mut Vec<u8>) {
    if case == Case::Kept {
        out.extend_from_slice(text);
        return;
    }
    let mut at = 0;
    while let Some((unit, length)) = unit_at(text, at) {
        push_unit(out, if case == Case::Lower { fold(unit) } else { unfold(unit) });
        at += length;
    }
}

/// `y`: builds the new line in `out`.
pub(super) async fn translate(
    translation: &Translation,
    line: &[u8],
    out: &mut Vec<u8>,
    pace: &mut Pace<'_>,
) -> Result<(), Stopped> {
    out.clear();
    out.reserve(line.len());
    for block in blocks(line, BLOCK) {
        translate_block(translation, block, out);
        pace.tick(block.len() as u64).await?;
    }
    Ok(())
}

fn translate_block(translation: &Translation, line: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some((unit, length)) = unit_at(line, at) {
        if !translation.others.is_empty()
            && let Some(&to) = translation.others.get(&unit)
        {
            push_unit(out, to);
        } else if let Some(&to) = translation.ascii.get(unit as usize) {
            out.push(to);
        } else {
            out.extend_from_slice(line.get(at..at + length).unwrap_or(&[]));
        }
        at += length;
    }
}
