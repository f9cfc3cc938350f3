//! Where a hunk fits: at its own place, or the nearest one to it; with fewer and fewer lines of context.

use super::parse::Hunk;
use crate::limit::LimitError;
use crate::memory::Vec;
use crate::utility::Context;
use crate::utility::context::pace::tick_bytes;

/// The lines of a file.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub(super) text: Vec<u8>,
    ends: Vec<usize>,
}

impl Lines {
    /// A text whose lines nobody asks for.
    pub(super) fn whole(text: Vec<u8>) -> Self {
        Self { text, ends: Vec::new() }
    }

    pub(super) async fn of(ctx: &mut Context, text: Vec<u8>) -> Result<Self, LimitError> {
        let mut ends = Vec::new();
        for end in memchr::memchr_iter(b'\n', &text) {
            ends.push(end + 1);
            ctx.tick().await?;
        }
        if ends.last().copied().unwrap_or(0) < text.len() {
            ends.push(text.len());
        }
        Ok(Self { text, ends })
    }

    pub(super) const fn len(&self) -> usize {
        self.ends.len()
    }

    /// A line with its newline, counted from 1.
    pub(super) fn get(&self, number: usize) -> Option<&[u8]> {
        let end = *self.ends.get(number.checked_sub(1)?)?;
        let start = if number == 1 { 0 } else { *self.ends.get(number - 2)? };
        self.text.get(start..end)
    }

    /// Lines from one to before another, counted from 1.
    pub(super) fn range(&self, from: usize, to: usize) -> &[u8] {
        let place = |number: usize| match number.checked_sub(2) {
            None => 0,
            Some(before) => self.ends.get(before).copied().unwrap_or(self.text.len()),
        };
        self.text.get(place(from)..place(to)).unwrap_or(&[])
    }
}

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct HunkSearch {
    /// Lines that differ from the place in the hunk so far.
    pub(super) offset: isize,
    /// The last line that an earlier hunk has changed.
    pub(super) frozen: usize,
    pub(super) fuzz: usize,
    pub(super) ignore_blanks: bool,
}

/// The first line of a hunk's place and of one that only adds: after the line that it names.
pub(super) const fn first(hunk: &Hunk<'_>) -> usize {
    if hunk.old.1 == 0 { hunk.old.0 + 1 } else { hunk.old.0 }
}

/// The line at which a hunk fits.
pub(super) async fn locate(
    ctx: &mut Context,
    lines: &Lines,
    hunk: &Hunk<'_>,
    search: HunkSearch,
) -> Result<Option<usize>, LimitError> {
    let (leading, trailing) = (hunk.leading() as isize, hunk.trailing() as isize);
    let context = leading.max(trailing);
    let fuzz = search.fuzz as isize;
    let (mut from_start, from_end) = (fuzz + leading - context, fuzz + trailing - context);
    let pattern: Vec<&[u8]> =
        hunk.lines.iter().filter(|line| line.mark != b'+').map(|line| line.text).collect();
    let count = pattern.len() as isize;
    let all = lines.len() as isize;
    let guess = first(hunk) as isize + search.offset;
    if count == 0 {
        return Ok(usize::try_from(guess).ok());
    }
    let most = all - (count - from_end) + 1;
    let after = most - guess;
    let mut before = guess - (search.frozen as isize + 1);
    if guess <= before {
        before = guess - 1;
    }
    let matching = Matching { lines, pattern: &pattern, ignore_blanks: search.ignore_blanks };
    if from_start < 0 && hunk.old.0 <= 1 {
        // With less context before than after it, it stood at the start of the file.
        if from_end < 0 && (count != all || leading < search.frozen as isize) {
            return Ok(None);
        }
        let offset = 1 - guess;
        let fits =
            search.frozen as isize <= leading && offset <= after && matching.at(ctx, 1, 0, from_end).await?;
        return Ok(fits.then_some(1));
    }
    from_start = from_start.max(0);
    if from_end < 0 {
        let offset = guess - (all - count + 1);
        let fits = offset <= before && matching.at(ctx, guess - offset, from_start, 0).await?;
        return Ok(fits.then(|| usize::try_from(guess - offset).ok()).flatten());
    }
    for offset in 0..=after.max(before) {
        for (place, allowed) in [(guess + offset, after), (guess - offset, before)] {
            if offset <= allowed && matching.at(ctx, place, from_start, from_end).await? {
                return Ok(usize::try_from(place).ok());
            }
        }
    }
    Ok(None)
}

struct Matching<'a> {
    lines: &'a Lines,
    pattern: &'a [&'a [u8]],
    ignore_blanks: bool,
}

impl Matching<'_> {
    /// Whether the pattern without so many lines at its start and end is at `place`.
    async fn at(
        &self,
        ctx: &mut Context,
        place: isize,
        from_start: isize,
        from_end: isize,
    ) -> Result<bool, LimitError> {
        ctx.tick().await?;
        let end = self.pattern.len() as isize - from_end.max(0);
        for index in from_start.max(0)..end {
            let Some(wanted) = self.pattern.get(index as usize) else { return Ok(false) };
            let line = usize::try_from(place + index).ok().and_then(|number| self.lines.get(number));
            let Some(line) = line else { return Ok(false) };
            if line != *wanted && !(self.ignore_blanks && is_similar(line, wanted)) {
                return Ok(false);
            }
            tick_bytes(&ctx.meter, line.len()).await?;
        }
        Ok(true)
    }
}

/// Whether lines differ in the amount of blanks alone.
fn is_similar(one: &[u8], two: &[u8]) -> bool {
    let words = |line| {
        let line: &[u8] = line;
        let starts_blank = line.first().is_some_and(|byte| matches!(byte, b' ' | b'\t'));
        let parts =
            line.trim_ascii_end().split(|byte| matches!(byte, b' ' | b'\t')).filter(|part| !part.is_empty());
        (starts_blank, parts.map(Text::from).collect::<Vec<Text>>())
    };
    use crate::text::Text;
    words(one) == words(two)
}
