//! The lists of `cut`: `N`, `N-`, `N-M`, `-M`, separated by commas or blanks. POSIX XCU cut.

use crate::memory::{String, ToMetered, Vec, format};
use crate::utility::UtilityError;
use crate::utility::format::count::parse_digits;
use crate::utility::format::quote::quote;

/// Positions from 1, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) first: usize,
    pub(super) last: usize,
}

/// The ranges, in order and without overlap.
pub(super) fn parse_list(text: &[u8], fields: bool, complement: bool) -> Result<Vec<Range>, UtilityError> {
    let mut ranges = Vec::new();
    for item in text.split(|byte| matches!(byte, b',' | b' ' | b'\t')) {
        ranges.push(parse_range(item, fields).map_err(UtilityError::Usage)?);
    }
    ranges.sort_by_key(|range| range.first);
    let mut merged: Vec<Range> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(before) if range.first <= before.last => before.last = before.last.max(range.last),
            _ => merged.push(range),
        }
    }
    Ok(if complement { inverse(&merged) } else { merged })
}

fn parse_range(item: &[u8], fields: bool) -> Result<Range, String> {
    let zero =
        if fields { "fields are numbered from 1" } else { "byte/character positions are numbered from 1" };
    let what = if fields {
        ("field value", "field range", "field number")
    } else {
        ("byte/character position", "byte or character range", "byte/character offset")
    };
    let number = |text: &[u8]| {
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, stray) = text.split_at_checked(digits).unwrap_or((text, &[]));
        if !stray.is_empty() {
            return Err(format!("invalid {} {}", what.0, quote(stray)));
        }
        match parse_digits(digits).and_then(|value| usize::try_from(value).ok()) {
            Some(usize::MAX) | None => Err(format!("{} {} is too large", what.2, quote(digits))),
            Some(0) => Err(zero.to_metered()),
            Some(value) => Ok(value),
        }
    };
    let Some(dash) = item.iter().position(|byte| *byte == b'-') else {
        if item.is_empty() {
            return Err(zero.to_metered());
        }
        let first = number(item)?;
        return Ok(Range { first, last: first });
    };
    let (start, end) = (item.get(..dash).unwrap_or(&[]), item.get(dash + 1..).unwrap_or(&[]));
    if end.contains(&b'-') {
        return Err(format!("invalid {}", what.1));
    }
    if start.is_empty() && end.is_empty() {
        return Err("invalid range with no endpoint: -".into());
    }
    let first = if start.is_empty() { 1 } else { number(start)? };
    let last = match end {
        [] => usize::MAX,
        b"0" => 0,
        _ => number(end)?,
    };
    if last < first { Err("invalid decreasing range".into()) } else { Ok(Range { first, last }) }
}

fn inverse(ranges: &[Range]) -> Vec<Range> {
    let mut gaps = Vec::new();
    let mut next = 1;
    for range in ranges {
        if range.first > next {
            gaps.push(Range { first: next, last: range.first - 1 });
        }
        next = range.last.saturating_add(1);
    }
    if next < usize::MAX {
        gaps.push(Range { first: next, last: usize::MAX });
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_merged_and_inverted() {
        let range = |first, last| Range { first, last };
        assert_eq!(parse_list(b"5-,1-2,2-3", true, false).unwrap(), [range(1, 3), range(5, usize::MAX)]);
        assert_eq!(parse_list(b"2-3", true, true).unwrap(), [range(1, 1), range(4, usize::MAX)]);
    }
}
