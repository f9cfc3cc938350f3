//! History expansion: `!!`, `!$`, `!n`, `^a^b^`, modifiers. Bash manual 9.3.
//!
//! A line is looked through once. What is quoted is copied; where an event designator begins, the event is found, the word
//! designator takes words of it, and the modifiers change them from left to right.

use super::modifier::Substitution;
use super::word;
use super::{Entry, History};
use crate::limit::{LimitError, Meter, gauge};
use crate::memory::{JoinMetered, ToMetered, Vec};
use crate::text::Text;

/// Bytes that end the name of an event after its first character.
const EVENT_ENDS: &[u8] = b"^$*%-";
/// Bytes that end the name of an event anywhere.
const SEARCH_ENDS: &[u8] = b";&()|<>";

/// What expansions leave for those that follow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remembered {
    /// What the last `!?text?` looked for.
    pub(super) search: Vec<u8>,
    /// The word in which it was found: `!%`.
    found: Vec<u8>,
    /// The last `s/a/b/`.
    pub(super) substitution: Substitution,
}

/// Characters of `histchars`; 0: there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Characters {
    expansion: u8,
    substitution: u8,
    comment: u8,
}

impl Characters {
    /// The value of `histchars`; what it leaves out stays as it is without it.
    pub(crate) fn parse(value: Option<&[u8]>) -> Self {
        let standard = Self { expansion: b'!', substitution: b'^', comment: b'#' };
        let Some(value) = value else { return standard };
        let at = |index: usize, or: u8| value.get(index).copied().unwrap_or(or);
        Self {
            expansion: at(0, 0),
            substitution: at(1, standard.substitution),
            comment: at(2, standard.comment),
        }
    }
}

/// What surrounds a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) characters: Characters,
    /// The quote that is open at the start of the line; 0: none.
    pub(crate) quote: u8,
    pub(crate) extglob: bool,
    pub(crate) posix: bool,
}

/// A line after expansion.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Expanded {
    Same,
    Changed(Vec<u8>),
    /// It is shown and does not run: `:p`.
    Shown(Vec<u8>),
}

/// Why a line has no expansion.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HistoryError {
    #[error("{0}: event not found")]
    EventNotFound(Text),
    #[error("{0}: bad word specifier")]
    BadWordSpecifier(Text),
    #[error("{0}: substitution failed")]
    SubstitutionFailed(Text),
    #[error("{0}: unrecognized history modifier")]
    UnknownModifier(Text),
    #[error("{0}: no previous substitution")]
    NoPreviousSubstitution(Text),
}

impl crate::machine::error::Message for HistoryError {}

/// Why expansion ended before the line did.
#[derive(Debug)]
pub(crate) enum Stopped {
    Error(HistoryError),
    Limit(LimitError),
}

impl From<HistoryError> for Stopped {
    fn from(error: HistoryError) -> Self {
        Self::Error(error)
    }
}

impl From<LimitError> for Stopped {
    fn from(error: LimitError) -> Self {
        Self::Limit(error)
    }
}

/// An event, with words or modifiers, that was expanded.
struct Designated {
    text: Vec<u8>,
    shown: bool,
    /// Where the line goes on.
    end: usize,
}

pub(super) struct Expander<'e> {
    history: &'e History,
    pub(super) remembered: &'e mut Remembered,
    setting: Setting,
    pub(super) meter: &'e Meter,
}

impl History {
    /// Expands a line.
    pub(crate) fn expand(
        &mut self,
        line: &[u8],
        setting: Setting,
        meter: &Meter,
    ) -> Result<Expanded, Stopped> {
        let Characters { expansion, substitution, .. } = setting.characters;
        if expansion == 0 {
            return Ok(Expanded::Same);
        }
        let is_quick = setting.quote != b'\'' && line.first() == Some(&substitution);
        if !is_quick && memchr::memchr(expansion, line).is_none() {
            return Ok(Expanded::Same);
        }
        let quick;
        let line = if is_quick {
            quick = [&[expansion, expansion, b':', b's'][..], line].concat_metered();
            quick.as_slice()
        } else {
            line
        };
        let mut remembered = std::mem::take(&mut self.remembered);
        let expanded = Expander { history: self, remembered: &mut remembered, setting, meter }.line(line);
        self.remembered = remembered;
        expanded
    }
}

impl Expander<'_> {
    fn line(&mut self, line: &[u8]) -> Result<Expanded, Stopped> {
        let Characters { expansion, comment, .. } = self.setting.characters;
        let mut out: Vec<u8> = Vec::with_capacity(line.len());
        let mut in_double = self.setting.quote == b'"';
        let (mut changed, mut shown) = (false, false);
        let mut at = 0;
        if self.setting.quote == b'\'' {
            at = single_end(line, 0, false);
            out.extend_from_slice(line.get(..at).unwrap_or(&[]));
        }
        let inhibited = Inhibited::of(line, self.setting);
        while let Some(&byte) = line.get(at) {
            match byte {
                _ if byte == expansion => {
                    let next = line.get(at + 1).copied();
                    let is_plain = next
                        .is_none_or(|next| matches!(next, b' ' | b'\t' | b'\n' | b'\r' | b'='))
                        || in_double && next == Some(b'"')
                        || inhibited.at(line, at);
                    if !is_plain {
                        let quote = if in_double { b'"' } else { 0 };
                        let designated = self.designated(line, at, quote, &out)?;
                        out.extend_from_slice(&designated.text);
                        self.meter.check_value(out.len() as u64)?;
                        self.pace(designated.text.len())?;
                        (changed, shown) = (true, shown || designated.shown);
                        at = designated.end;
                        continue;
                    }
                }
                _ if byte == comment
                    && !in_double
                    && (at == 0 || line.get(at - 1).is_some_and(|before| word::is_delimiter(*before))) =>
                {
                    out.extend_from_slice(line.get(at..).unwrap_or(&[]));
                    break;
                }
                b'\\' => {
                    out.push(byte);
                    at += 1;
                    out.extend_from_slice(line.get(at..at + 1).unwrap_or(&[]));
                    at += 1;
                    continue;
                }
                b'"' => in_double = !in_double,
                b'\'' if !in_double => {
                    let is_ansi = at > 0 && line.get(at - 1) == Some(&b'$');
                    let end = single_end(line, at + 1, is_ansi);
                    out.extend_from_slice(line.get(at..end).unwrap_or(&[]));
                    at = end;
                    continue;
                }
                _ => {}
            }
            out.push(byte);
            at += 1;
        }
        Ok(match (changed, shown) {
            (_, true) => Expanded::Shown(out),
            (true, false) => Expanded::Changed(out),
            (false, false) => Expanded::Same,
        })
    }

    /// Counts work on so many bytes.
    pub(super) fn pace(&self, bytes: usize) -> Result<(), LimitError> {
        if gauge::burn(i64::try_from(bytes / 64).unwrap_or(i64::MAX).saturating_add(1)) {
            self.meter.refuel_in_place()?;
        }
        Ok(())
    }

    /// What begins at `start` with the expansion character. `before` is the line so far, for `!#`.
    fn designated(
        &mut self,
        line: &[u8],
        start: usize,
        quote: u8,
        before: &[u8],
    ) -> Result<Designated, Stopped> {
        let mut at = start + 1;
        let event = match line.get(at) {
            Some(b':' | b'$' | b'*' | b'%' | b'^') => self.last(),
            Some(b'#') => {
                at += 1;
                Some(Text::from(before))
            }
            _ => self.event(line, &mut at, quote)?,
        };
        let not_found = || HistoryError::EventNotFound(part(line, start, at));
        let event = event.ok_or_else(not_found)?;
        let from = at;
        let words = self.chosen_words(line, &event, &mut at)?;
        let Some(words) = words else {
            return Err(HistoryError::BadWordSpecifier(part(line, from, at)).into());
        };
        let (text, shown, end) = self.modified(line, words, at)?;
        Ok(Designated { text, shown, end })
    }

    fn last(&self) -> Option<Text> {
        self.history.entries.back().map(|entry| entry.text.clone())
    }

    /// The event that is named at `at`, after the expansion character.
    fn event(&mut self, line: &[u8], at: &mut usize, quote: u8) -> Result<Option<Text>, LimitError> {
        let byte = |at: usize| line.get(at).copied();
        if byte(*at) == Some(self.setting.characters.expansion) {
            *at += 1;
            return Ok(self.last());
        }
        let back = byte(*at) == Some(b'-') && byte(*at + 1).is_some_and(|next| next.is_ascii_digit());
        let digits_at = *at + usize::from(back);
        let digits = line.iter().skip(digits_at).take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 {
            *at = digits_at + digits;
            return Ok(self.numbered(line.get(digits_at..*at).unwrap_or(&[]), back));
        }
        let anywhere = byte(*at) == Some(b'?');
        *at += usize::from(anywhere);
        let start = *at;
        while let Some(byte) = byte(*at) {
            let ends = match byte {
                b'\n' => true,
                b'?' => anywhere,
                _ if anywhere => false,
                b' ' | b'\t' | b':' => true,
                _ => {
                    byte == quote || SEARCH_ENDS.contains(&byte) || *at > start && EVENT_ENDS.contains(&byte)
                }
            };
            if ends {
                break;
            }
            *at += 1;
        }
        let name = line.get(start..*at).unwrap_or(&[]);
        if !anywhere {
            return self.search(|entry| entry.text.starts_with(name));
        }
        *at += usize::from(byte(*at) == Some(b'?'));
        let name = if name.is_empty() { self.remembered.search.clone() } else { name.to_metered() };
        if name.is_empty() {
            return Ok(None);
        }
        let finder = memchr::memmem::Finder::new(&name);
        let found = self.search(|entry| finder.find(&entry.text).is_some())?;
        if let Some(event) = &found {
            // Bash looks backwards, so it is the last place in the line that counts.
            let place = memchr::memmem::rfind(event, &name).unwrap_or(0);
            let words = word::words(event, self.setting.characters.comment);
            let found = words.iter().find(|word| word.contains(&place));
            let found = found.and_then(|word| event.get(word.clone())).unwrap_or(&[]);
            self.remembered.found = found.to_metered();
            self.remembered.search = name;
        }
        Ok(found)
    }

    /// The entry with a number, or so many before the line.
    fn numbered(&self, digits: &[u8], back: bool) -> Option<Text> {
        let number: usize = std::str::from_utf8(digits).ok()?.parse().ok()?;
        let entries = &self.history.entries;
        let index = if back {
            entries.len().checked_sub(number)?
        } else {
            number.checked_sub(self.history.dropped + 1)?
        };
        entries.get(index).map(|entry| entry.text.clone())
    }

    /// The newest entry that a condition holds for.
    fn search(&self, holds: impl Fn(&Entry) -> bool) -> Result<Option<Text>, LimitError> {
        for entry in self.history.entries.iter().rev() {
            self.pace(entry.text.len())?;
            if holds(entry) {
                return Ok(Some(entry.text.clone()));
            }
        }
        Ok(None)
    }

    /// The words of an event that the word designator at `at` takes, all of it without one; `None`: they are not there.
    fn chosen_words(&self, line: &[u8], event: &Text, at: &mut usize) -> Result<Option<Vec<u8>>, LimitError> {
        let has_colon = line.get(*at) == Some(&b':');
        let start = *at + usize::from(has_colon);
        let Some(choice) = Choice::read(line, start, has_colon) else {
            return Ok(Some(event.to_metered()));
        };
        let (first, last, end) = match choice {
            Choice::Found => {
                *at = start + 1;
                return Ok(Some(self.remembered.found.clone()));
            }
            Choice::Words { first, last, end } => (first, last, end),
        };
        *at = end;
        self.pace(event.len())?;
        let words = word::words(event, self.setting.characters.comment);
        let newest = words.len().checked_sub(1);
        let place = |place: WordPlace| match place {
            WordPlace::Number(number) => Some(number),
            WordPlace::Last => newest,
            WordPlace::LastButOne => newest.and_then(|newest| newest.checked_sub(1)),
        };
        if line.get(start) == Some(&b'*') && words.len() <= 1 {
            return Ok(Some(Vec::new()));
        }
        let (Some(first), Some(last)) = (place(first), place(last)) else { return Ok(None) };
        Ok(word::joined(event, &words, first, last))
    }
}

/// A word of an event.
#[derive(Clone, Copy)]
enum WordPlace {
    Number(usize),
    Last,
    LastButOne,
}

/// What a word designator takes.
enum Choice {
    /// `%`
    Found,
    Words {
        first: WordPlace,
        last: WordPlace,
        end: usize,
    },
}

impl Choice {
    /// Reads a word designator; digits begin one only after a colon.
    fn read(line: &[u8], start: usize, has_colon: bool) -> Option<Self> {
        let mut at = start;
        let first = match line.get(at)? {
            b'%' => return Some(Self::Found),
            b'*' => {
                return Some(Self::Words { first: WordPlace::Number(1), last: WordPlace::Last, end: at + 1 });
            }
            b'$' => return Some(Self::Words { first: WordPlace::Last, last: WordPlace::Last, end: at + 1 }),
            b'-' => 0,
            b'^' => {
                at += 1;
                1
            }
            byte if byte.is_ascii_digit() && has_colon => number(line, &mut at),
            _ => return None,
        };
        let last = match line.get(at) {
            Some(b'^') => {
                at += 1;
                WordPlace::Number(1)
            }
            Some(b'*') => {
                at += 1;
                WordPlace::Last
            }
            Some(b'-') => {
                at += 1;
                match line.get(at) {
                    Some(byte) if byte.is_ascii_digit() => WordPlace::Number(number(line, &mut at)),
                    Some(b'$') => {
                        at += 1;
                        WordPlace::Last
                    }
                    Some(b'^') => {
                        at += 1;
                        WordPlace::Number(1)
                    }
                    _ => WordPlace::LastButOne,
                }
            }
            _ => WordPlace::Number(first),
        };
        Some(Self::Words { first: WordPlace::Number(first), last, end: at })
    }
}

/// Digits at a place; a number that is too large is not one of a word.
fn number(line: &[u8], at: &mut usize) -> usize {
    let mut value: usize = 0;
    while let Some(digit) = line.get(*at).filter(|byte| byte.is_ascii_digit()) {
        value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
        *at += 1;
    }
    value
}

/// A part of a line, as an error shows it.
pub(super) fn part(line: &[u8], from: usize, to: usize) -> Text {
    Text::from(line.get(from..to.min(line.len())).unwrap_or(&[]))
}

/// After the end of a single-quoted string whose content begins at `from`.
fn single_end(line: &[u8], from: usize, is_ansi: bool) -> usize {
    let mut at = from;
    while let Some(&byte) = line.get(at) {
        match byte {
            b'\\' if is_ansi => at += 1,
            b'\'' => return at + 1,
            _ => {}
        }
        at += 1;
    }
    line.len()
}

/// Places of the expansion character that the shell's own syntax takes: `[!a]`, `${!x}`, `$!`, `!(a)`, and what is quoted
/// inside of a substitution.
struct Inhibited {
    setting: Setting,
    /// Where the character counts, in order; `None`: it does everywhere, as bash has it where a line begins with one.
    active: Option<Vec<usize>>,
}

impl Inhibited {
    fn of(line: &[u8], setting: Setting) -> Self {
        let expansion = setting.characters.expansion;
        let start = if setting.quote == b'\'' { single_end(line, 0, false) } else { 0 };
        if start == 0 && line.first() == Some(&expansion) {
            return Self { setting, active: None };
        }
        let mut active = Vec::new();
        let (mut in_double, mut in_backquotes) = (false, false);
        let mut outer: Vec<bool> = Vec::new();
        let mut at = start;
        while let Some(&byte) = line.get(at) {
            match byte {
                b'\\' => at += 1,
                b'`' => {
                    in_backquotes = !in_backquotes;
                    if in_backquotes {
                        outer.push(std::mem::take(&mut in_double));
                    } else {
                        in_double = outer.pop().unwrap_or(false);
                    }
                }
                _ if byte == expansion && !(in_double && line.get(at + 1) == Some(&b'"')) => active.push(at),
                b'\'' if !in_double => {
                    at = single_end(line, at + 1, false);
                    continue;
                }
                b'"' if setting.posix && !in_double => at = double_end(line, at + 1),
                b'"' => in_double = !in_double,
                b'$' | b'<' | b'>' if line.get(at + 1) == Some(&b'(') => {
                    outer.push(std::mem::take(&mut in_double));
                    at += 1;
                }
                b')' if !outer.is_empty() && !in_backquotes => in_double = outer.pop().unwrap_or(false),
                _ => {}
            }
            at += 1;
        }
        Self { setting, active: Some(active) }
    }

    fn at(&self, line: &[u8], at: usize) -> bool {
        let before = |count: usize| at.checked_sub(count).and_then(|place| line.get(place)).copied();
        let follows = |byte: u8| line.get(at + 1..).is_some_and(|rest| memchr::memchr(byte, rest).is_some());
        if before(1) == Some(b'[') && follows(b']')
            || before(2) == Some(b'$') && before(1) == Some(b'{') && follows(b'}')
            || at > 1 && before(1) == Some(b'$')
            || self.setting.extglob && at > 1 && line.get(at + 1) == Some(&b'(') && follows(b')')
        {
            return true;
        }
        self.active.as_ref().is_some_and(|active| active.binary_search(&at).is_err())
    }
}

/// The end of a double-quoted string whose content begins at `from`.
fn double_end(line: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(&byte) = line.get(at) {
        match byte {
            b'\\' => at += 1,
            b'"' => return at,
            _ => {}
        }
        at += 1;
    }
    line.len()
}
