//! Finds where what comes next stood before: chains of the places whose first four bytes hash alike.
//!
//! The window slides when twice its size is held, so that each byte is moved once. Places are counted from the start of the
//! stream, modulo 2^32; whatever a chain leads to is compared before it is believed.

use super::stream::room;
use crate::limit::{LimitError, Meter};
use crate::memory::Vec;

/// Bits of a hash of four bytes, and of three.
const HASH_BITS: u32 = 17;
/// Nothing.
const NONE: u32 = u32::MAX;

/// How thoroughly matches are looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// How far back a match may begin; a power of two.
    pub(crate) window: usize,
    /// Places of a chain that are compared.
    pub(crate) depth: usize,
    /// A length that is taken without a look at others.
    pub(crate) nice: usize,
}

/// A place that begins as what comes next does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) length: usize,
    /// How far back, 1 or more.
    pub(crate) distance: usize,
}

impl Match {
    /// The same, and no longer than that.
    pub(crate) fn cut(self, most: usize) -> Self {
        Self { length: self.length.min(most), ..self }
    }
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Matcher {
    effort: Effort,
    bytes: Vec<u8>,
    /// What comes next in `bytes`.
    pub(crate) at: usize,
    /// The place of `bytes[0]`.
    base: u32,
    by_four: Vec<u32>,
    by_three: Vec<u32>,
    /// The place before each one of a chain, in a ring of the size of the window.
    chain: Vec<u32>,
    /// Comparisons since [`Matcher::take_work`].
    work: usize,
}

fn hash(bytes: &[u8], at: usize, count: usize) -> Option<usize> {
    let four = match (bytes.get(at..at + 4), count) {
        (Some(four), _) => four,
        (None, 3) => bytes.get(at..at + 3)?,
        _ => return None,
    };
    let &[a, b, c, ref rest @ ..] = four else { return None };
    let last = if count == 3 { 0 } else { rest.first().copied().unwrap_or(0) };
    let word = u32::from_le_bytes([a, b, c, last]);
    Some((word.wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS)) as usize)
}

/// How many bytes are the same, `most` at most.
fn common(bytes: &[u8], one: usize, two: usize, most: usize) -> usize {
    let (Some(one), Some(two)) = (bytes.get(one..), bytes.get(two..two + most)) else { return 0 };
    let mut count = 0;
    for (left, right) in one.chunks_exact(8).zip(two.chunks_exact(8)) {
        if left != right {
            break;
        }
        count += 8;
    }
    let same = |(left, right): &(&u8, &u8)| left == right;
    let rest = one.get(count..).unwrap_or(&[]).iter().zip(two.get(count..).unwrap_or(&[]));
    count + rest.take_while(same).count()
}

impl Matcher {
    pub(crate) fn new(meter: &Meter, effort: Effort) -> Result<Self, LimitError> {
        Ok(Self {
            effort,
            bytes: Vec::new(),
            at: 0,
            base: 0,
            by_four: room(meter, NONE, 1 << HASH_BITS)?,
            by_three: room(meter, NONE, 1 << HASH_BITS)?,
            chain: Vec::new(),
            work: 0,
        })
    }

    /// Appends what comes later.
    pub(crate) fn push(&mut self, more: &[u8]) {
        let kept = self.effort.window;
        if self.at > 2 * kept {
            let gone = self.at - kept;
            self.bytes.remove_front(gone);
            self.at -= gone;
            self.base = self.base.wrapping_add(gone as u32);
        }
        self.bytes.extend_from_slice(more);
    }

    /// Bytes that come next.
    pub(crate) fn ahead(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The byte `distance` before what comes next; 0 is the next one.
    pub(crate) fn back(&self, distance: usize) -> u8 {
        self.at.checked_sub(distance).and_then(|place| self.bytes.get(place)).copied().unwrap_or(0)
    }

    /// The last `count` bytes before what comes next.
    pub(crate) fn last(&self, count: usize) -> &[u8] {
        self.bytes.get(self.at.saturating_sub(count)..self.at).unwrap_or(&[])
    }

    /// How many bytes are the same `distance` before, `most` at most.
    pub(crate) fn length_at(&mut self, distance: usize, most: usize) -> usize {
        let Some(place) =
            self.at.checked_sub(distance).filter(|_| distance > 0 && distance <= self.effort.window)
        else {
            return 0;
        };
        let most = most.min(self.ahead());
        let length = common(&self.bytes, place, self.at, most);
        self.work += 1 + length / 8;
        length
    }

    /// The longest match of `most` bytes at most; a length of 0: there is none of three bytes or more.
    pub(crate) fn find(&mut self, most: usize) -> Match {
        let most = most.min(self.ahead());
        let mut best = Match::default();
        let place = self.base.wrapping_add(self.at as u32);
        let Some(key) = hash(&self.bytes, self.at, 4) else { return best };
        if let Some(candidate) = hash(&self.bytes, self.at, 3)
            .and_then(|key| self.by_three.get(key))
            .copied()
            .filter(|one| *one != NONE)
        {
            let distance = place.wrapping_sub(candidate) as usize;
            let length = self.length_at(distance, most);
            if length >= 3 {
                best = Match { length, distance };
            }
        }
        let mut candidate = self.by_four.get(key).copied().unwrap_or(NONE);
        let mut nearest = 0;
        for _ in 0..self.effort.depth {
            let distance = place.wrapping_sub(candidate) as usize;
            // A chain leads back: what does not was overwritten.
            if candidate == NONE
                || best.length >= self.effort.nice.min(most)
                || distance <= nearest
                || distance > self.effort.window.min(self.at)
            {
                break;
            }
            nearest = distance;
            // What is longer than the best one has the byte behind it too.
            let behind = best.length.saturating_sub(3);
            let four = |from: usize| self.bytes.get(from..from + 4);
            let ends_alike = four(self.at - distance + behind) == four(self.at + behind);
            self.work += 1;
            if ends_alike {
                let length = self.length_at(distance, most);
                if length >= 4 && length > best.length {
                    best = Match { length, distance };
                }
            }
            candidate =
                self.chain.get(candidate as usize & (self.effort.window - 1)).copied().unwrap_or(NONE);
        }
        best
    }

    /// Passes by `count` bytes, which later matches may point to.
    pub(crate) fn advance(&mut self, count: usize) {
        for _ in 0..count.min(self.ahead()) {
            let place = self.base.wrapping_add(self.at as u32);
            let slot = place as usize & (self.effort.window - 1);
            if let Some(head) = hash(&self.bytes, self.at, 4).and_then(|key| self.by_four.get_mut(key)) {
                let before = std::mem::replace(head, place);
                // The chain is as long as what it was made for.
                if slot >= self.chain.len() {
                    self.chain.resize_by(slot + 1 - self.chain.len(), NONE);
                }
                if let Some(link) = self.chain.get_mut(slot) {
                    *link = before;
                }
            }
            if let Some(head) = hash(&self.bytes, self.at, 3).and_then(|key| self.by_three.get_mut(key)) {
                *head = place;
            }
            self.at += 1;
        }
        self.work += count;
    }

    /// How much was compared and passed by since this was asked.
    pub(crate) fn take_work(&mut self) -> usize {
        std::mem::take(&mut self.work)
    }
}
