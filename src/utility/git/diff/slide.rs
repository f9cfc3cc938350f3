//! Runs of changed lines are moved where that changes nothing: so that they meet the other file's runs, else to where the
//! blanks at the start of lines say that a block ends.

use crate::limit::LimitError;
use crate::utility::Context;

/// Indents count up to this.
const MOST_INDENT: i64 = 200;
/// Blank lines count up to this.
const MOST_BLANKS: i64 = 20;
/// Places that are weighed for a run, at most.
const MOST_PLACES: usize = 100;

/// A file as far as runs are moved in it.
pub(super) struct Lines<'l> {
    /// Equal lines have the same number.
    pub(super) numbers: &'l [u32],
    /// The text of a line.
    pub(super) line: &'l (dyn Fn(usize) -> &'l [u8] + Sync),
    /// The blanks at the start of lines say where a block ends.
    pub(super) by_indents: bool,
}

/// A run of changed lines `[start, end)`, empty between two lines that are not.
#[derive(Clone, Copy, Debug)]
struct Group {
    start: usize,
    end: usize,
}

fn is(flags: &[bool], index: usize) -> bool {
    flags.get(index).copied().unwrap_or(false)
}

fn put(flags: &mut [bool], index: usize, value: bool) {
    if let Some(slot) = flags.get_mut(index) {
        *slot = value;
    }
}

impl Group {
    fn first(flags: &[bool]) -> Self {
        let mut group = Self { start: 0, end: 0 };
        group.extend(flags);
        group
    }

    fn extend(&mut self, flags: &[bool]) {
        while is(flags, self.end) {
            self.end += 1;
        }
    }

    fn next(&mut self, flags: &[bool]) -> bool {
        if self.end >= flags.len() {
            return false;
        }
        self.start = self.end + 1;
        self.end = self.start;
        self.extend(flags);
        true
    }

    fn previous(&mut self, flags: &[bool]) -> bool {
        if self.start == 0 {
            return false;
        }
        self.end = self.start - 1;
        self.start = self.end;
        while self.start > 0 && is(flags, self.start - 1) {
            self.start -= 1;
        }
        true
    }

    fn slide_down(&mut self, numbers: &[u32], flags: &mut [bool]) -> bool {
        if self.end >= flags.len() || numbers.get(self.start) != numbers.get(self.end) {
            return false;
        }
        put(flags, self.start, false);
        put(flags, self.end, true);
        self.start += 1;
        self.end += 1;
        self.extend(flags);
        true
    }

    fn slide_up(&mut self, numbers: &[u32], flags: &mut [bool]) -> bool {
        if self.start == 0 || numbers.get(self.start - 1) != numbers.get(self.end - 1) {
            return false;
        }
        self.start -= 1;
        self.end -= 1;
        put(flags, self.start, true);
        put(flags, self.end, false);
        while self.start > 0 && is(flags, self.start - 1) {
            self.start -= 1;
        }
        true
    }
}

/// Moves the runs of one file.
pub(super) async fn settle(
    ctx: &mut Context,
    lines: &Lines<'_>,
    flags: &mut [bool],
    others: &[bool],
) -> Result<(), LimitError> {
    let mut group = Group::first(flags);
    let mut other = Group::first(others);
    loop {
        ctx.tick().await?;
        if group.end > group.start {
            settle_group(ctx, lines, flags, others, (&mut group, &mut other)).await?;
        }
        if !group.next(flags) || !other.next(others) {
            return Ok(());
        }
    }
}

async fn settle_group(
    ctx: &mut Context,
    lines: &Lines<'_>,
    flags: &mut [bool],
    others: &[bool],
    (group, other): (&mut Group, &mut Group),
) -> Result<(), LimitError> {
    let (mut size, mut earliest, mut meeting);
    loop {
        size = group.end - group.start;
        meeting = None;
        while group.slide_up(lines.numbers, flags) {
            other.previous(others);
            ctx.tick().await?;
        }
        earliest = group.end;
        if other.end > other.start {
            meeting = Some(group.end);
        }
        while group.slide_down(lines.numbers, flags) {
            other.next(others);
            if other.end > other.start {
                meeting = Some(group.end);
            }
            ctx.tick().await?;
        }
        if size == group.end - group.start {
            break;
        }
    }
    if group.end == earliest {
        return Ok(());
    }
    if meeting.is_some() {
        while other.end == other.start && group.slide_up(lines.numbers, flags) {
            other.previous(others);
            ctx.tick().await?;
        }
        return Ok(());
    }
    if !lines.by_indents {
        return Ok(());
    }
    let mut best: Option<(usize, Score)> = None;
    let first = earliest.max((group.end).saturating_sub(size + 1)).max(group.end.saturating_sub(MOST_PLACES));
    for place in first..=group.end {
        let mut score = Score::default();
        score.add(&Split::at(lines, flags.len(), place));
        score.add(&Split::at(lines, flags.len(), place.saturating_sub(size)));
        if best.as_ref().is_none_or(|(_, known)| score.compare(known) <= 0) {
            best = Some((place, score));
        }
        ctx.tick_many(8);
        ctx.tick().await?;
    }
    if let Some((place, _)) = best {
        while group.end > place && group.slide_up(lines.numbers, flags) {
            other.previous(others);
            ctx.tick().await?;
        }
    }
    Ok(())
}

/// Columns of blanks at the start of a line; -1: there is nothing else.
fn indent(line: &[u8]) -> i64 {
    let mut columns = 0;
    for &byte in line {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += 8 - columns % 8,
            b'\n' | b'\r' | 0x0b | 0x0c => {}
            _ => return columns,
        }
        if columns >= MOST_INDENT {
            return MOST_INDENT;
        }
    }
    -1
}

/// What stands around a place between lines.
struct Split {
    is_at_end: bool,
    indent: i64,
    blanks_before: i64,
    indent_before: i64,
    blanks_after: i64,
    indent_after: i64,
}

impl Split {
    fn at(lines: &Lines<'_>, count: usize, place: usize) -> Self {
        let is_at_end = place >= count;
        let own = if is_at_end { -1 } else { indent((lines.line)(place)) };
        let (mut blanks_before, mut indent_before) = (0, -1);
        for index in (0..place.min(count)).rev() {
            indent_before = indent((lines.line)(index));
            if indent_before != -1 {
                break;
            }
            blanks_before += 1;
            if blanks_before == MOST_BLANKS {
                indent_before = 0;
                break;
            }
        }
        let (mut blanks_after, mut indent_after) = (0, -1);
        for index in place + 1..count {
            indent_after = indent((lines.line)(index));
            if indent_after != -1 {
                break;
            }
            blanks_after += 1;
            if blanks_after == MOST_BLANKS {
                indent_after = 0;
                break;
            }
        }
        Self { is_at_end, indent: own, blanks_before, indent_before, blanks_after, indent_after }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Score {
    indent: i64,
    penalty: i64,
}

impl Score {
    fn add(&mut self, split: &Split) {
        if split.indent_before == -1 && split.blanks_before == 0 {
            self.penalty += 1;
        }
        if split.is_at_end {
            self.penalty += 21;
        }
        let after = if split.indent == -1 { 1 + split.blanks_after } else { 0 };
        let total = split.blanks_before + after;
        self.penalty += -30 * total + 6 * after;
        let indent = if split.indent == -1 { split.indent_after } else { split.indent };
        let has_blanks = total != 0;
        self.indent += indent;
        if indent == -1 || split.indent_before == -1 || indent == split.indent_before {
            return;
        }
        self.penalty += if indent > split.indent_before {
            if has_blanks { 10 } else { -4 }
        } else if split.indent_after != -1 && split.indent_after > indent {
            if has_blanks { 17 } else { 24 }
        } else if has_blanks {
            17
        } else {
            23
        };
    }

    fn compare(&self, other: &Self) -> i64 {
        60 * (self.indent - other.indent).signum() + (self.penalty - other.penalty)
    }
}
