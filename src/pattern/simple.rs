//! Patterns of `*`, `?`, brackets and literals only: segments with a `*` between each two.
//!
//! Every segment matches a fixed number of units, so each `*` needs one look only: the segments between the first and the
//! last are taken at their first place from the left (or from the right), and no other choice can do better. Literal
//! segments are searched with `memmem`; all is linear in the text but for the length of a segment with wildcards.

use crate::memory::{Vec, vec};
use memchr::memmem;

use super::bracket::Set;
use super::{Pace, PatternOptions, Stopped};
use crate::character::{Unit, fold, push_unit};

/// A part of a segment.
#[derive(Clone, Debug)]
pub(super) enum Element {
    /// These bytes.
    Literal(Vec<u8>),
    /// The unit that is this one in lower case.
    Folded(Unit),
    /// `?`
    Any,
    /// `[...]`
    Set(Set),
}

/// Elements without a `*` between them.
type Segment = Vec<Element>;

/// `segments[0]*segments[1]*...`; only the first and the last can be empty.
#[derive(Clone, Debug)]
pub(super) struct Simple {
    segments: Vec<Segment>,
    options: PatternOptions,
}

/// How many bytes are searched in the time of one step, roughly.
const TICK_BYTES: usize = 4096;
/// How many bytes are searched before the pace is asked.
const STRETCH: usize = 256 * 1024;

/// The first place of `literal` in `text` at or after `from`.
pub(super) async fn search(
    literal: &[u8],
    text: &[u8],
    from: usize,
    pace: &mut impl Pace,
) -> Result<Option<usize>, Stopped> {
    let stretch = STRETCH.max(literal.len());
    let mut at = from;
    loop {
        let end = at.saturating_add(stretch).saturating_add(literal.len()).min(text.len());
        let window = text.get(at..end).unwrap_or_default();
        let found = memmem::find(window, literal);
        pace.tick(1 + (found.unwrap_or(window.len()) / TICK_BYTES) as u64).await?;
        match found {
            Some(offset) => return Ok(Some(at + offset)),
            None if end == text.len() => return Ok(None),
            None => at += stretch,
        }
    }
}

/// The last place of `literal` within `[from, end)`.
async fn search_back(
    literal: &[u8],
    text: &[u8],
    from: usize,
    end: usize,
    pace: &mut impl Pace,
) -> Result<Option<usize>, Stopped> {
    let stretch = STRETCH.max(literal.len());
    let mut end = end;
    loop {
        let start = end.saturating_sub(stretch.saturating_add(literal.len())).max(from);
        let window = text.get(start..end).unwrap_or_default();
        let found = memmem::rfind(window, literal);
        pace.tick(1 + (window.len() / TICK_BYTES) as u64).await?;
        match found {
            Some(offset) => return Ok(Some(start + offset)),
            None if start <= from => return Ok(None),
            None => end = start + literal.len(),
        }
    }
}

impl Simple {
    pub(super) fn new(options: PatternOptions) -> Self {
        Self { segments: vec![Segment::new()], options }
    }

    /// Appends a literal unit.
    pub(super) fn push_literal(&mut self, unit: Unit) {
        if self.options.ignore_case {
            return self.push(Element::Folded(fold(unit)));
        }
        if let Some(Element::Literal(bytes)) = self.segments.last_mut().and_then(|segment| segment.last_mut())
        {
            return push_unit(bytes, unit);
        }
        let mut bytes = Vec::new();
        push_unit(&mut bytes, unit);
        self.push(Element::Literal(bytes));
    }

    /// Appends an element.
    pub(super) fn push(&mut self, element: Element) {
        if let Some(segment) = self.segments.last_mut() {
            segment.push(element);
        }
    }

    /// Appends a `*`.
    pub(super) fn push_star(&mut self) {
        if self.segments.len() == 1 || self.segments.last().is_some_and(|segment| !segment.is_empty()) {
            self.segments.push(Segment::new());
        }
    }

    /// The literal that the whole pattern is, if it is one.
    pub(super) fn literal(&self) -> Option<&[u8]> {
        match self.segments.as_slice() {
            [only] => match only.as_slice() {
                [] => Some(b""),
                [Element::Literal(bytes)] => Some(bytes),
                _ => None,
            },
            _ => None,
        }
    }

    /// First, middle and last segment; no last one without a `*`.
    fn parts(&self) -> (&[Element], &[Segment], Option<&[Element]>) {
        match self.segments.as_slice() {
            [] => (&[], &[], None),
            [only] => (only, &[], None),
            [first, middle @ .., last] => (first, middle, Some(last)),
        }
    }

    /// Whether a wildcard may match the unit that begins at `at`.
    fn wildcard_may_take(&self, text: &[u8], at: usize) -> bool {
        let Some(&byte) = text.get(at) else { return false };
        let is_guarded_slash = self.options.pathname && byte == b'/';
        !is_guarded_slash && !self.is_guarded_period(text, at, byte)
    }

    fn is_guarded_period(&self, text: &[u8], at: usize, byte: u8) -> bool {
        self.options.period
            && byte == b'.'
            && (at == 0
                || (self.options.pathname && at.checked_sub(1).and_then(|i| text.get(i)) == Some(&b'/')))
    }

    /// Whether the whole text matches.
    pub(super) async fn matches(&self, text: &[u8], pace: &mut impl Pace) -> Result<bool, Stopped> {
        if self.options.pathname {
            return self.matches_pathname(text, pace).await;
        }
        let (first, middle, last) = self.parts();
        let Some(start) = self.forward(first, text, 0) else { return Ok(false) };
        let Some(last) = last else { return Ok(start == text.len()) };
        if self.options.period && start == 0 && text.first() == Some(&b'.') {
            return Ok(false);
        }
        let Some(end) = self.backward(last, text, text.len()) else { return Ok(false) };
        let Some(inner) = text.get(..end) else { return Ok(false) };
        Ok(start <= end && self.leftmost(middle, inner, start, pace).await?.is_some())
    }

    /// As `matches` where a `*` stops at a `/`: tries the segments one after the other, and goes back to the last `*` only.
    async fn matches_pathname(&self, text: &[u8], pace: &mut impl Pace) -> Result<bool, Stopped> {
        let mut segments = self.segments.iter();
        let first = segments.next().map(Vec::as_slice).unwrap_or_default();
        let Some(mut at) = self.forward(first, text, 0) else { return Ok(false) };
        let mut left = segments.len();
        for segment in segments {
            left -= 1;
            if text.get(at).is_some_and(|&byte| self.is_guarded_period(text, at, byte)) {
                return Ok(false);
            }
            loop {
                pace.tick(1).await?;
                if let Some(end) = self.forward(segment, text, at)
                    && (left > 0 || end == text.len())
                {
                    at = end;
                    break;
                }
                if !self.wildcard_may_take(text, at) {
                    return Ok(false);
                }
                at += self.options.unit_at(text, at).map_or(1, |(_, length)| length);
            }
        }
        Ok(at == text.len())
    }

    /// End of the longest or shortest prefix that matches.
    pub(super) async fn prefix(
        &self,
        text: &[u8],
        longest: bool,
        pace: &mut impl Pace,
    ) -> Result<Option<usize>, Stopped> {
        match self.forward(self.parts().0, text, 0) {
            Some(start) => self.after_first(text, start, longest, pace).await,
            None => Ok(None),
        }
    }

    /// End of the match whose first segment ends at `start`.
    async fn after_first(
        &self,
        text: &[u8],
        start: usize,
        longest: bool,
        pace: &mut impl Pace,
    ) -> Result<Option<usize>, Stopped> {
        let (_, middle, last) = self.parts();
        let Some(last) = last else { return Ok(Some(start)) };
        let Some(inner) = self.leftmost(middle, text, start, pace).await? else { return Ok(None) };
        let found = if longest {
            self.find_last(last, text, inner, text.len(), pace).await?
        } else {
            self.find_first(last, text, inner, pace).await?
        };
        Ok(found.map(|(_, end)| end))
    }

    /// Start of the longest or shortest suffix that matches.
    pub(super) async fn suffix(
        &self,
        text: &[u8],
        longest: bool,
        pace: &mut impl Pace,
    ) -> Result<Option<usize>, Stopped> {
        let (first, middle, last) = self.parts();
        let Some(last) = last else { return Ok(self.backward(first, text, text.len())) };
        let Some(mut end) = self.backward(last, text, text.len()) else { return Ok(None) };
        for segment in middle.iter().rev() {
            match self.find_last(segment, text, 0, end, pace).await? {
                Some((start, _)) => end = start,
                None => return Ok(None),
            }
        }
        let found = if longest {
            let inner = text.get(..end).unwrap_or(text);
            self.find_first(first, inner, 0, pace).await?
        } else {
            self.find_last(first, text, 0, end, pace).await?
        };
        Ok(found.map(|(start, _)| start))
    }

    /// The leftmost match at or after `from`, and there the longest.
    pub(super) async fn find(
        &self,
        text: &[u8],
        from: usize,
        pace: &mut impl Pace,
    ) -> Result<Option<(usize, usize)>, Stopped> {
        // What follows the first segment is found after its first place or after none, so one place is enough.
        let Some((start, after)) = self.find_first(self.parts().0, text, from, pace).await? else {
            return Ok(None);
        };
        Ok(self.after_first(text, after, true, pace).await?.map(|end| (start, end)))
    }

    /// The end of `segments`, each at its first place at or after the end of the one before.
    async fn leftmost(
        &self,
        segments: &[Segment],
        text: &[u8],
        from: usize,
        pace: &mut impl Pace,
    ) -> Result<Option<usize>, Stopped> {
        let mut at = from;
        for segment in segments {
            match self.find_first(segment, text, at, pace).await? {
                Some((_, end)) => at = end,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    /// The first place of a segment at or after `from`.
    async fn find_first(
        &self,
        segment: &[Element],
        text: &[u8],
        from: usize,
        pace: &mut impl Pace,
    ) -> Result<Option<(usize, usize)>, Stopped> {
        if let [Element::Literal(bytes)] = segment {
            let found = search(bytes, text, from, pace).await?;
            return Ok(found.map(|start| (start, start + bytes.len())));
        }
        let mut at = from;
        loop {
            if let Some(end) = self.forward(segment, text, at) {
                return Ok(Some((at, end)));
            }
            pace.tick(1).await?;
            let Some((_, length)) = self.options.unit_at(text, at) else { return Ok(None) };
            at += length;
        }
    }

    /// The last place of a segment within `[from, end)`.
    async fn find_last(
        &self,
        segment: &[Element],
        text: &[u8],
        from: usize,
        end: usize,
        pace: &mut impl Pace,
    ) -> Result<Option<(usize, usize)>, Stopped> {
        if let [Element::Literal(bytes)] = segment {
            let found = search_back(bytes, text, from, end, pace).await?;
            return Ok(found.map(|start| (start, start + bytes.len())));
        }
        let mut at = end;
        loop {
            match self.backward(segment, text, at) {
                Some(start) if start >= from => return Ok(Some((start, at))),
                _ => {}
            }
            pace.tick(1).await?;
            match self.options.unit_before(text, at) {
                Some((_, length)) if at > from => at -= length,
                _ => return Ok(None),
            }
        }
    }

    /// The end of a segment that begins at `at`.
    fn forward(&self, segment: &[Element], text: &[u8], mut at: usize) -> Option<usize> {
        for element in segment {
            at += match element {
                Element::Literal(bytes) => text.get(at..)?.starts_with(bytes).then_some(bytes.len())?,
                Element::Folded(unit) => {
                    self.options.unit_at(text, at).filter(|&(other, _)| fold(other) == *unit)?.1
                }
                Element::Any => {
                    self.options.unit_at(text, at).filter(|_| self.wildcard_may_take(text, at))?.1
                }
                Element::Set(set) => {
                    self.options
                        .unit_at(text, at)
                        .filter(|&(unit, _)| set.contains(unit) && self.wildcard_may_take(text, at))?
                        .1
                }
            };
        }
        Some(at)
    }

    /// The start of a segment that ends at `end`.
    fn backward(&self, segment: &[Element], text: &[u8], mut end: usize) -> Option<usize> {
        for element in segment.iter().rev() {
            let length = match element {
                Element::Literal(bytes) => text.get(..end)?.ends_with(bytes).then_some(bytes.len())?,
                Element::Folded(unit) => {
                    self.options.unit_before(text, end).filter(|&(other, _)| fold(other) == *unit)?.1
                }
                Element::Any => self.options.unit_before(text, end)?.1,
                Element::Set(set) => {
                    self.options.unit_before(text, end).filter(|&(unit, _)| set.contains(unit))?.1
                }
            };
            if !matches!(element, Element::Literal(_) | Element::Folded(_))
                && !self.wildcard_may_take(text, end.checked_sub(length)?)
            {
                return None;
            }
            end = end.checked_sub(length)?;
        }
        Some(end)
    }
}
