//! Writes one frame. Blocks are compressed by matches of a window; what gains nothing is stored.

use super::literals;
use super::sequences::{Sequence, SequenceWriter};
use super::xxhash::XxHash;
use super::{BLOCK, FIRST_DISTANCES, FRAME_MARK};
use crate::limit::{LimitError, Meter};
use crate::memory::Vec;
use crate::utility::compress::matcher::{Effort, Match, Matcher};
use crate::utility::context::pace::tick_bytes;

/// Matches that are shorter are not taken.
const MATCH_MIN: usize = 4;
/// The longest match that is looked for.
const MATCH_MAX: usize = 4 << 10;
/// Work between two looks at the meter.
const STRETCH: usize = 2 << 10;

/// How far back matches reach, and how thoroughly they are looked for; 1 to 19, and more counts as 19.
const fn effort(level: u8) -> Effort {
    let (window, depth, nice) = match level {
        0 | 1 => (512 << 10, 2, 16),
        2 => (512 << 10, 4, 24),
        3..6 => (1 << 20, 8, 48),
        6..10 => (1 << 20, 16, 96),
        10..16 => (2 << 20, 32, 256),
        _ => (2 << 20, 64, 999),
    };
    Effort { window, depth, nice }
}

/// See the module.
#[derive(Debug)]
pub(crate) struct ZstdEncoder {
    effort: Effort,
    /// `None`: nothing came yet.
    matcher: Option<Matcher>,
    writer: SequenceWriter,
    hash: XxHash,
    has_checksum: bool,
    /// The length of all that comes, where it is known.
    told: Option<u64>,
    literals: Vec<u8>,
    sequences: Vec<Sequence>,
    distances: [usize; 3],
    /// The same at the start of the block.
    before: [usize; 3],
    /// Bytes of the block under way, and literals since the last match.
    taken: usize,
    run: usize,
    found: Option<Match>,
}

impl ZstdEncoder {
    pub(crate) fn new(level: u8) -> Self {
        Self {
            effort: effort(level),
            matcher: None,
            writer: SequenceWriter::new(),
            hash: XxHash::default(),
            has_checksum: true,
            told: None,
            literals: Vec::new(),
            sequences: Vec::new(),
            distances: FIRST_DISTANCES,
            before: FIRST_DISTANCES,
            taken: 0,
            run: 0,
            found: None,
        }
    }

    pub(crate) fn without_checksum(mut self) -> Self {
        self.has_checksum = false;
        self
    }

    /// The frame tells how much it will be.
    pub(crate) fn telling(mut self, size: Option<u64>) -> Self {
        self.told = size;
        self
    }

    fn begin(&mut self, meter: &Meter, out: &mut Vec<u8>) -> Result<(), LimitError> {
        if self.matcher.is_some() {
            return Ok(());
        }
        self.matcher = Some(Matcher::new(meter, self.effort)?);
        out.extend_from_slice(&FRAME_MARK.to_le_bytes());
        // What fits into the window is a window of its own.
        let is_single = self.told.is_some_and(|size| size <= self.effort.window as u64);
        let (kind, told, length) = match self.told {
            None => (0u8, 0, 0),
            Some(size @ 0..256) if is_single => (0, size, 1),
            Some(size @ 256..65_792) => (1, size - 256, 2),
            Some(size) if u32::try_from(size).is_ok() => (2, size, 4),
            Some(size) => (3, size, 8),
        };
        out.push(kind << 6 | u8::from(is_single) << 5 | u8::from(self.has_checksum) << 2);
        if !is_single {
            out.push((self.effort.window.ilog2() as u8 - 10) << 3);
        }
        out.extend_from_slice(told.to_le_bytes().get(..length).unwrap_or(&[]));
        Ok(())
    }

    pub(crate) async fn push(
        &mut self,
        meter: &Meter,
        input: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), LimitError> {
        self.begin(meter, out)?;
        if self.has_checksum {
            self.hash.update(input);
        }
        if let Some(matcher) = &mut self.matcher {
            matcher.push(input);
        }
        self.run(meter, MATCH_MAX, out).await
    }

    pub(crate) async fn finish(&mut self, meter: &Meter, out: &mut Vec<u8>) -> Result<(), LimitError> {
        self.begin(meter, out)?;
        self.run(meter, 1, out).await?;
        self.end_block(meter, true, out).await?;
        if self.has_checksum {
            out.extend_from_slice(&(self.hash.value() as u32).to_le_bytes());
        }
        Ok(())
    }

    /// Looks for matches as long as so many bytes are known.
    async fn run(&mut self, meter: &Meter, reserve: usize, out: &mut Vec<u8>) -> Result<(), LimitError> {
        let mut work = 0;
        loop {
            if self.taken >= BLOCK {
                self.end_block(meter, false, out).await?;
            }
            let Some(matcher) = &mut self.matcher else { return Ok(()) };
            if matcher.ahead() < reserve {
                return tick_bytes(meter, work).await;
            }
            let most = MATCH_MAX.min(BLOCK - self.taken);
            let found = choose(matcher, &mut self.found, self.distances, self.run, most);
            if found.length >= MATCH_MIN {
                self.put(found);
            } else {
                self.put_literal();
                self.pass_by();
            }
            work += 16 + 4 * self.matcher.as_mut().map_or(0, Matcher::take_work);
            if work >= STRETCH {
                tick_bytes(meter, work).await?;
                work = 0;
            }
        }
    }

    fn put_literal(&mut self) {
        let Some(matcher) = &mut self.matcher else { return };
        // What follows may have been looked at already.
        let passed = usize::from(self.found.is_some());
        self.literals.push(matcher.back(passed));
        matcher.advance(1 - passed);
        self.taken += 1;
        self.run += 1;
    }

    /// Where nothing has matched for long, not every place is looked at.
    fn pass_by(&mut self) {
        let Some(matcher) = &mut self.matcher else { return };
        let count = (self.run >> 8).min(16).min(BLOCK - self.taken).min(matcher.ahead());
        if count == 0 || self.found.is_some() {
            return;
        }
        matcher.advance(count);
        self.literals.extend_from_slice(matcher.last(count));
        self.taken += count;
        self.run += count;
    }

    fn put(&mut self, found: Match) {
        let passed = usize::from(self.found.take().is_some());
        let [one, two, three] = self.distances;
        let has_literals = self.run > 0;
        // Without literals, the last distances are counted from the second one on.
        let offset = match (found.distance, has_literals) {
            (near, true) if near == one => 1,
            (near, true) if near == two => 2,
            (near, false) if near == two => 1,
            (near, true) if near == three => 3,
            (near, false) if near == three => 2,
            (far, _) => far as u32 + 3,
        };
        self.distances = match offset + u32::from(!has_literals) {
            1 => [one, two, three],
            2 if offset <= 3 => [two, one, three],
            3 if offset <= 3 => [three, one, two],
            _ => [found.distance, one, two],
        };
        self.sequences.push(Sequence { literals: self.run, length: found.length, offset });
        if let Some(matcher) = &mut self.matcher {
            matcher.advance(found.length - passed);
        }
        self.taken += found.length;
        self.run = 0;
    }

    async fn end_block(&mut self, meter: &Meter, is_last: bool, out: &mut Vec<u8>) -> Result<(), LimitError> {
        let taken = std::mem::take(&mut self.taken);
        let mut block: Vec<u8> = Vec::new();
        literals::write(&self.literals, &mut block);
        tick_bytes(meter, 8 * self.literals.len()).await?;
        self.writer.write(&self.sequences, &mut block);
        tick_bytes(meter, 16 * self.sequences.len()).await?;
        let header = |kind: u32, size: usize| u32::from(is_last) | kind << 1 | (size as u32) << 3;
        let put_header = |header: u32, out: &mut Vec<u8>| {
            out.extend_from_slice(header.to_le_bytes().get(..3).unwrap_or(&[]));
        };
        if block.len() < taken {
            put_header(header(2, block.len()), out);
            out.extend_from_slice(&block);
        } else {
            put_header(header(0, taken), out);
            out.extend_from_slice(self.matcher.as_ref().map_or(&[], |matcher| matcher.last(taken)));
            // Readers do not see what the block that was not written would have changed.
            self.distances = self.before;
        }
        self.before = self.distances;
        self.literals.clear();
        self.sequences.clear();
        self.run = 0;
        Ok(())
    }
}

/// The best match for what comes next; the one for the byte behind it is kept if it was looked at.
fn choose(
    matcher: &mut Matcher,
    known: &mut Option<Match>,
    distances: [usize; 3],
    run: usize,
    most: usize,
) -> Match {
    let found = known.take().unwrap_or_else(|| matcher.find(most)).cut(most);
    let mut near = Match::default();
    // Without literals, the last distance would be written as another.
    for distance in distances.into_iter().skip(usize::from(run == 0)) {
        let length = matcher.length_at(distance, most);
        if length > near.length {
            near = Match { length, distance };
        }
    }
    if near.length >= MATCH_MIN && near.length + 2 >= found.length {
        return near;
    }
    if !(MATCH_MIN..64).contains(&found.length) || most <= found.length + 1 || matcher.ahead() < 2 {
        return found;
    }
    matcher.advance(1);
    let later = matcher.find(most - 1);
    *known = Some(later);
    if later.length > found.length + 1 { Match::default() } else { found }
}
