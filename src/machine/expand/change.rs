//! What the operators of parameter expansion make of a value: a part of it, another text for what matches, other case,
//! quotes. All of it works at a pace, so that long values do not keep other tasks waiting.

use super::super::halt::Step;
use super::super::quote;
use super::super::run::Run;
use super::super::work::LONG;
use super::field::{refused, stopped};
use crate::character;
use crate::limit::gauge;
use crate::memory::Vec;
use crate::pattern::{Matches, NoTicker, Pace, Pattern, Steady, Stopped, at_once};
use crate::syntax::ast::{CaseOperator, ReplaceScope};
use crate::text::Text;
use crate::utility::context::ticker::MeterTicker;

/// Bytes that are worked on before the pace is asked.
const STRETCH: usize = 4096;

/// An operator with its operands.
pub(crate) enum Change {
    /// `${x#p}` and its kin.
    Trim { pattern: Pattern, prefix: bool, longest: bool },
    /// `${x/p/r}` and its kin.
    Replace(Replacement),
    /// `${x^p}` and its kin. `ascii`: no other character has a case.
    Case { operator: CaseOperator, pattern: Option<Pattern>, ascii: bool },
    /// `${x@Q}`
    Quote,
}

/// See [`Change::Replace`].
pub(crate) struct Replacement {
    pub(super) pattern: Pattern,
    pub(super) scope: ReplaceScope,
    pub(super) string: Vec<Piece>,
    /// The pattern is the empty text.
    pub(super) empty_pattern: bool,
    /// The pattern may match an empty value.
    pub(super) matches_nothing: bool,
    /// It is found only in values that end in `*`.
    pub(super) ends_in_star: bool,
}

/// A piece of a replacement.
pub(crate) enum Piece {
    Literal(Text),
    /// The text that matched.
    Match,
}

impl Change {
    /// Whether values of these lengths take so long that others have to go first meanwhile.
    pub(super) fn is_long(&self, lengths: impl IntoIterator<Item = usize>, count: usize) -> bool {
        let bytes = lengths.into_iter().fold(0, usize::saturating_add);
        let added: usize = match self {
            Self::Replace(replacement) => {
                let literals = replacement.string.iter().map(|piece| match piece {
                    Piece::Literal(text) => text.len(),
                    Piece::Match => bytes,
                });
                literals.fold(0, usize::saturating_add)
            }
            _ => 0,
        };
        let times = match self {
            Self::Replace(replacement) if replacement.scope == ReplaceScope::All => bytes.max(count),
            _ => count,
        };
        bytes.saturating_add(added.saturating_mul(times)) > LONG
    }

    /// What becomes of a value, without a pause.
    pub(super) fn at_once(&self, run: &Run, text: &Text) -> Step<Text> {
        let ticker = &mut MeterTicker::new(&run.services.meter);
        let changed = at_once(self.of(text, &mut Steady(ticker))).map_err(|_| stopped(run))?;
        refused(run)?;
        Ok(changed)
    }

    /// What becomes of a value.
    pub(super) async fn of(&self, text: &Text, pace: &mut impl Pace) -> Result<Text, Stopped> {
        match self {
            Self::Trim { pattern, prefix, longest } => trimmed(text, pattern, *prefix, *longest, pace).await,
            Self::Replace(replacement) => replacement.of(text, pace).await,
            Self::Case { operator, pattern, ascii } => {
                cased(text, *operator, pattern.as_ref(), *ascii, pace).await
            }
            Self::Quote => quoted(text, pace).await,
        }
    }
}

/// Counts bytes that were copied; the work ends when there was no room for them.
pub(super) async fn copied(bytes: usize, pace: &mut impl Pace) -> Result<(), Stopped> {
    if gauge::is_refused() {
        return Err(Stopped);
    }
    pace.tick(1 + (bytes / STRETCH) as u64).await
}

async fn trimmed(
    text: &Text,
    pattern: &Pattern,
    prefix: bool,
    longest: bool,
    pace: &mut impl Pace,
) -> Result<Text, Stopped> {
    let rest = if prefix {
        pattern.prefix(text, longest, pace).await?.map(|end| text.get(end..))
    } else {
        pattern.suffix(text, longest, pace).await?.map(|start| text.get(..start))
    };
    Ok(rest.flatten().map_or_else(|| text.clone(), Text::from))
}

impl Replacement {
    async fn of(&self, text: &Text, pace: &mut impl Pace) -> Result<Text, Stopped> {
        let at_an_end = matches!(self.scope, ReplaceScope::Prefix | ReplaceScope::Suffix);
        if self.pattern.is_mismeasured() || self.empty_pattern && !at_an_end {
            return Ok(text.clone());
        }
        if self.ends_in_star && !text.ends_with(b"*") {
            return Ok(text.clone());
        }
        let mut out = Vec::new();
        if text.is_empty() {
            if self.matches_nothing && self.pattern.matches_paced(text, pace).await? {
                self.push(&mut out, &[], pace).await?;
            }
            return Ok(Text::from(out));
        }
        if let (ReplaceScope::All, Some(literal)) = (self.scope, literal_search(&self.pattern)) {
            self.push(&mut out, literal, pace).await?;
            return replaced_literal(text, literal, &out, pace).await;
        }
        if at_an_end {
            let found = if self.scope == ReplaceScope::Prefix {
                self.pattern.prefix(text, true, pace).await?.map(|end| (0, end))
            } else {
                self.pattern.suffix(text, true, pace).await?.map(|start| (start, text.len()))
            };
            let Some((start, end)) = found else { return Ok(text.clone()) };
            out.extend_from_slice(text.get(..start).unwrap_or(&[]));
            self.push(&mut out, text.get(start..end).unwrap_or(&[]), pace).await?;
            out.extend_from_slice(text.get(end..).unwrap_or(&[]));
            return Ok(Text::from(out));
        }
        let mut matches = Matches::new(&self.pattern, text);
        let mut done = 0;
        while let Some((start, end)) = matches.next(pace).await? {
            out.extend_from_slice(text.get(done..start).unwrap_or(&[]));
            self.push(&mut out, text.get(start..end).unwrap_or(&[]), pace).await?;
            done = end;
            if self.scope == ReplaceScope::First {
                break;
            }
        }
        if done == 0 && out.is_empty() {
            return Ok(text.clone());
        }
        out.extend_from_slice(text.get(done..).unwrap_or(&[]));
        Ok(Text::from(out))
    }

    /// Appends the replacement for what matched.
    async fn push(&self, out: &mut Vec<u8>, matched: &[u8], pace: &mut impl Pace) -> Result<(), Stopped> {
        for piece in &self.string {
            let bytes = match piece {
                Piece::Literal(literal) => literal.as_bytes(),
                Piece::Match => matched,
            };
            out.extend_from_slice(bytes);
            if !gauge::admit_value(out.len()) {
                return Err(Stopped);
            }
            copied(bytes.len(), pace).await?;
        }
        Ok(())
    }
}

/// The text that a pattern stands for, where it can be searched byte by byte: ASCII is not part of another character.
fn literal_search(pattern: &Pattern) -> Option<&[u8]> {
    pattern.literal().filter(|literal| !literal.is_empty() && literal.is_ascii())
}

/// All of `literal` replaced: the result's length is known, and bounded, before it is made.
async fn replaced_literal(
    text: &Text,
    literal: &[u8],
    replacement: &[u8],
    pace: &mut impl Pace,
) -> Result<Text, Stopped> {
    let finder = memchr::memmem::Finder::new(literal);
    let count = count(text, literal, &finder, pace).await?;
    if count == 0 {
        return Ok(text.clone());
    }
    let kept = text.len().saturating_sub(count.saturating_mul(literal.len()));
    let length = kept.saturating_add(count.saturating_mul(replacement.len()));
    if !gauge::admit_value(length) {
        return Err(Stopped);
    }
    let mut out = Vec::with_capacity(length);
    match literal {
        // Matches stand close together: looking for the next one costs more than looking at each byte.
        &[byte] if count > text.len() / 16 => {
            for stretch in text.chunks(STRETCH) {
                for &other in stretch {
                    if other == byte {
                        out.extend_from_slice(replacement);
                    } else {
                        out.push(other);
                    }
                }
                copied(0, pace).await?;
                pace.tick((stretch.len() / 8) as u64).await?;
            }
        }
        _ => {
            let mut done = 0;
            for start in finder.find_iter(text) {
                let plain = text.get(done..start).unwrap_or(&[]);
                out.extend_from_slice(plain);
                out.extend_from_slice(replacement);
                copied(plain.len(), pace).await?;
                done = start + literal.len();
            }
            out.extend_from_slice(text.get(done..).unwrap_or(&[]));
        }
    }
    Ok(Text::from(out))
}

/// How often a literal stands in a text.
async fn count(
    text: &[u8],
    literal: &[u8],
    finder: &memchr::memmem::Finder<'_>,
    pace: &mut impl Pace,
) -> Result<usize, Stopped> {
    let mut count = 0;
    if let &[byte] = literal {
        for stretch in text.chunks(64 * STRETCH) {
            count += memchr::memchr_iter(byte, stretch).count();
            pace.tick(1 + (stretch.len() / STRETCH) as u64).await?;
        }
        return Ok(count);
    }
    let mut done = 0;
    for start in finder.find_iter(text) {
        count += 1;
        pace.tick(1 + (start.saturating_sub(done) / STRETCH) as u64).await?;
        done = start;
    }
    Ok(count)
}

/// A text with the case of its characters changed. For values of attributes, which are changed as a whole.
pub(crate) fn with_case(text: &Text, operator: CaseOperator) -> Text {
    at_once(cased(text, operator, None, false, &mut Steady(&mut NoTicker))).unwrap_or_default()
}

/// A text with the case of its characters changed where they match. `ascii`: no other character has a case.
async fn cased(
    text: &Text,
    operator: CaseOperator,
    pattern: Option<&Pattern>,
    ascii: bool,
    pace: &mut impl Pace,
) -> Result<Text, Stopped> {
    let first_only =
        matches!(operator, CaseOperator::UpperFirst | CaseOperator::LowerFirst | CaseOperator::ToggleFirst);
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let end = character::stretch_end(text, at, STRETCH);
        let stretch = text.get(at..end).unwrap_or(&[]);
        if first_only && at > 0 {
            out.extend_from_slice(stretch);
            copied(stretch.len(), pace).await?;
        } else if pattern.is_none() && !first_only && stretch.is_ascii() {
            let start = out.len();
            out.extend_from_slice(stretch);
            change_ascii(out.get_mut(start..).unwrap_or_default(), operator);
            copied(stretch.len(), pace).await?;
        } else {
            push_cased(&mut out, stretch, operator, pattern, (first_only, ascii));
            copied(stretch.len(), pace).await?;
            let each = if pattern.is_some() { 2 } else { 1 };
            pace.tick(stretch.len() as u64 * each).await?;
        }
        at = end;
    }
    Ok(Text::from(out))
}

fn change_ascii(text: &mut [u8], operator: CaseOperator) {
    match operator {
        CaseOperator::UpperFirst | CaseOperator::UpperAll => text.make_ascii_uppercase(),
        CaseOperator::LowerFirst | CaseOperator::LowerAll => text.make_ascii_lowercase(),
        CaseOperator::ToggleFirst | CaseOperator::ToggleAll => {
            for byte in text.iter_mut().filter(|byte| byte.is_ascii_alphabetic()) {
                *byte ^= 0x20;
            }
        }
    }
}

fn push_cased(
    out: &mut Vec<u8>,
    text: &[u8],
    operator: CaseOperator,
    pattern: Option<&Pattern>,
    (first_only, ascii): (bool, bool),
) {
    let mut at = 0;
    while let Some((unit, length)) = character::unit_at(text, at) {
        let bytes = text.get(at..at + length).unwrap_or(&[]);
        let matched = (!first_only || at == 0)
            && pattern.is_none_or(|pattern| pattern.matches(bytes, &mut NoTicker).unwrap_or(false));
        match character::character(unit) {
            Some(character) if matched && (!ascii || character.is_ascii()) => {
                let changed = match operator {
                    CaseOperator::UpperFirst | CaseOperator::UpperAll => upper(character),
                    CaseOperator::LowerFirst | CaseOperator::LowerAll => lower(character),
                    CaseOperator::ToggleFirst | CaseOperator::ToggleAll => {
                        if character.is_uppercase() {
                            lower(character)
                        } else {
                            upper(character)
                        }
                    }
                };
                let mut buffer = [0; 4];
                out.extend_from_slice(changed.encode_utf8(&mut buffer).as_bytes());
            }
            _ => out.extend_from_slice(bytes),
        }
        at += length;
    }
}

/// The upper-case form where it is one character, as `towupper` gives it.
fn upper(character: char) -> char {
    let mut upper = character.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(only), None) => only,
        _ => character,
    }
}

fn lower(character: char) -> char {
    let mut lower = character.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(only), None) => only,
        _ => character,
    }
}

/// As [`quote::at_q`].
async fn quoted(text: &Text, pace: &mut impl Pace) -> Result<Text, Stopped> {
    if text.len() == 1 {
        return Ok(Text::from(quote::at_q(text)));
    }
    let mut needs_ansi_c = false;
    let mut at = 0;
    while at < text.len() && !needs_ansi_c {
        let end = character::stretch_end(text, at, STRETCH);
        needs_ansi_c = quote::needs_ansi_c(text.get(at..end).unwrap_or(&[]));
        pace.tick((1 + (end - at) / 4) as u64).await?;
        at = end;
    }
    let mut out = Vec::with_capacity(text.len().saturating_add(4));
    out.extend_from_slice(if needs_ansi_c { b"$'" } else { b"'" });
    at = 0;
    while at < text.len() {
        let end = character::stretch_end(text, at, STRETCH);
        let stretch = text.get(at..end).unwrap_or(&[]);
        if needs_ansi_c {
            quote::push_ansi_c(&mut out, stretch);
            pace.tick(stretch.len() as u64).await?;
        } else {
            quote::push_single(&mut out, stretch);
        }
        copied(stretch.len(), pace).await?;
        at = end;
    }
    out.push(b'\'');
    Ok(Text::from(out))
}
