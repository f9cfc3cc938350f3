//! Sort keys: `F[.C][OPTS][,F[.C][OPTS]]`, and where a key lies in a line. POSIX XCU sort.

use super::settings::failed;
use crate::memory::{String, format};
use crate::utility::format::keyword::{bad_word, meaning};
use crate::utility::prelude::*;

/// How the bytes of a key are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    #[default]
    Bytes,
    Numeric,
    General,
    Human,
    Month,
    Version,
    Random,
}

/// The ordering options of a key, or those outside of any key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct KeyOrdering {
    pub(super) skip_start_blanks: bool,
    pub(super) skip_end_blanks: bool,
    pub(super) dictionary: bool,
    pub(super) printing: bool,
    pub(super) fold: bool,
    pub(super) numeric: bool,
    pub(super) general: bool,
    pub(super) human: bool,
    pub(super) month: bool,
    pub(super) version: bool,
    pub(super) random: bool,
    pub(super) reverse: bool,
}

impl KeyOrdering {
    /// Whether nothing but perhaps the direction was chosen.
    pub(super) fn is_default(self) -> bool {
        Self { reverse: false, ..self } == Self::default()
    }

    /// Returns whether the letter is an ordering option (`b` is not: it depends on the place).
    pub(super) fn set_by_letter(&mut self, letter: char) -> bool {
        let option = match letter {
            'd' => &mut self.dictionary,
            'f' => &mut self.fold,
            'g' => &mut self.general,
            'h' => &mut self.human,
            'i' => &mut self.printing,
            'M' => &mut self.month,
            'n' => &mut self.numeric,
            'R' => &mut self.random,
            'r' => &mut self.reverse,
            'V' => &mut self.version,
            _ => return false,
        };
        *option = true;
        true
    }

    /// `--sort=WORD`; words may be abbreviated.
    pub(super) fn set_by_word(&mut self, word: &[u8]) -> Result<(), UtilityError> {
        const WORDS: [(&[&str], char); 6] = [
            (&["general-numeric"], 'g'),
            (&["human-numeric"], 'h'),
            (&["month"], 'M'),
            (&["numeric"], 'n'),
            (&["random"], 'R'),
            (&["version"], 'V'),
        ];
        let letter = meaning("--sort", &WORDS, word).map_err(|message| bad_word("sort", &message))?;
        self.set_by_letter(letter);
        Ok(())
    }

    pub(super) fn kind(self) -> Kind {
        let kinds = [
            (self.numeric, Kind::Numeric),
            (self.general, Kind::General),
            (self.human, Kind::Human),
            (self.month, Kind::Month),
            (self.random, Kind::Random),
            (self.version, Kind::Version),
        ];
        kinds.iter().find(|(on, _)| *on).map_or(Kind::Bytes, |(_, kind)| *kind)
    }

    /// Whether bytes are left out or folded before they are compared.
    pub(super) fn transforms(self) -> bool {
        self.dictionary || self.printing || self.fold
    }

    pub(super) fn check_compatible(self) -> Result<(), UtilityError> {
        let others = self.version || self.random || self.dictionary || self.printing;
        let chosen = [self.numeric, self.general, self.human, self.month, others];
        if chosen.iter().filter(|on| **on).count() < 2 {
            return Ok(());
        }
        Err(failed(format!("options '-{}' are incompatible", Self { reverse: false, ..self }.letters())))
    }

    /// Whether keys are compared as numbers.
    pub(super) fn is_numeric(self) -> bool {
        self.numeric || self.general || self.human
    }

    /// Takes the options away that `other` has too.
    pub(super) fn take_away(&mut self, other: Self) {
        let has_same_ignored = self.dictionary == other.dictionary && self.printing == other.printing;
        if has_same_ignored {
            (self.dictionary, self.printing) = (false, false);
        }
        for (on, other) in [
            (&mut self.fold, other.fold),
            (&mut self.skip_start_blanks, other.skip_start_blanks),
            (&mut self.skip_end_blanks, other.skip_end_blanks),
            (&mut self.month, other.month),
            (&mut self.numeric, other.numeric),
            (&mut self.general, other.general),
            (&mut self.human, other.human),
            (&mut self.random, other.random),
            (&mut self.version, other.version),
            (&mut self.reverse, other.reverse),
        ] {
            *on &= !other;
        }
    }

    /// Its letters, as messages show them.
    pub(super) fn letters(self) -> String {
        [
            (self.skip_start_blanks || self.skip_end_blanks, 'b'),
            (self.dictionary, 'd'),
            (self.fold, 'f'),
            (self.general, 'g'),
            (self.human, 'h'),
            (self.printing && !self.dictionary, 'i'),
            (self.month, 'M'),
            (self.numeric, 'n'),
            (self.random, 'R'),
            (self.reverse, 'r'),
            (self.version, 'V'),
        ]
        .iter()
        .filter_map(|(on, letter)| on.then_some(*letter))
        .collect()
    }
}

/// One key. Fields and characters count from 0; `end_character` 0 is the end of the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) start_field: usize,
    pub(super) start_character: usize,
    /// `None`: the end of the line.
    pub(super) end_field: Option<usize>,
    pub(super) end_character: usize,
    pub(super) ordering: KeyOrdering,
    /// How a key of the old form was given, and how it would be now.
    pub(super) obsolete: Option<(String, String)>,
}

impl Key {
    pub(super) fn whole_line(ordering: KeyOrdering) -> Self {
        let (start_character, end_character) = (0, 0);
        Self { start_field: 0, start_character, end_field: None, end_character, ordering, obsolete: None }
    }

    /// A key of the old form, as it was given and as it would be now.
    pub(super) fn obsolete_forms(&self) -> (String, String) {
        match self.end_field {
            Some(end) => {
                let (start, end) = (self.start_field, end + 1);
                (format!("+{start} -{end}"), format!("-k {},{end}", start + 1))
            }
            None => (format!("+{}", self.start_field), format!("-k {}", self.start_field + 1)),
        }
    }

    /// Whether it may end in another field than it begins in.
    pub(super) fn spans_fields(&self) -> bool {
        self.end_field.is_none_or(|end| self.start_field < end)
    }

    /// The part of `line` (without delimiter) that is compared.
    pub(super) fn find<'l>(&self, line: &'l [u8], tab: Option<u8>) -> &'l [u8] {
        let (start, end) = self.extent(line, tab);
        line.get(start..end).unwrap_or(&[])
    }

    /// Where that part begins and ends.
    pub(super) fn extent(&self, line: &[u8], tab: Option<u8>) -> (usize, usize) {
        let start = self.start(line, tab);
        (start, self.end(line, tab).max(start))
    }

    fn start(&self, line: &[u8], tab: Option<u8>) -> usize {
        let mut at = skip_fields(line, tab, self.start_field);
        if self.ordering.skip_start_blanks {
            at = skip_while(line, at, is_blank);
        }
        at.saturating_add(self.start_character).min(line.len())
    }

    fn end(&self, line: &[u8], tab: Option<u8>) -> usize {
        let Some(field) = self.end_field else { return line.len() };
        if self.end_character == 0 {
            let at = skip_fields(line, tab, field);
            return match tab {
                Some(tab) => {
                    let rest = line.get(at..).unwrap_or(&[]);
                    at + memchr::memchr(tab, rest).unwrap_or(rest.len())
                }
                None => to_blank(line, skip_while(line, at, is_blank)),
            };
        }
        let mut at = skip_fields(line, tab, field);
        if self.ordering.skip_end_blanks {
            at = skip_while(line, at, is_blank);
        }
        at.saturating_add(self.end_character).min(line.len())
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

fn skip_while(line: &[u8], from: usize, wanted: impl Fn(u8) -> bool) -> usize {
    let rest = line.get(from..).unwrap_or(&[]);
    from + rest.iter().position(|&byte| !wanted(byte)).unwrap_or(rest.len())
}

/// The next blank at or after `from`, or the end. Most are near.
fn to_blank(line: &[u8], from: usize) -> usize {
    let near = line.get(from..).unwrap_or(&[]).iter().take(NEAR).position(|&byte| is_blank(byte));
    near.map_or_else(
        || {
            let rest = line.get(from.saturating_add(NEAR)..).unwrap_or(&[]);
            memchr::memchr3(b' ', b'\t', b'\n', rest).map_or(line.len(), |found| from + NEAR + found)
        },
        |found| from + found,
    )
}

/// Bytes that are looked at one by one.
const NEAR: usize = 32;

/// Where field `count` begins.
fn skip_fields(line: &[u8], tab: Option<u8>, count: usize) -> usize {
    let mut at = 0;
    for _ in 0..count {
        if at >= line.len() {
            break;
        }
        at = match tab {
            Some(tab) => {
                memchr::memchr(tab, line.get(at..).unwrap_or(&[])).map_or(line.len(), |found| at + found + 1)
            }
            None => to_blank(line, skip_while(line, at, is_blank)),
        };
    }
    at
}

pub(super) fn parse_key(text: &[u8]) -> Result<Key, UtilityError> {
    let bad = |what: &str| failed(format!("{what}: invalid field specification {}", quote(text)));
    let count = |rest: &mut &[u8], what: &str| {
        take_count(rest).ok_or_else(|| failed(format!("{what}: invalid count at start of {}", quote(rest))))
    };
    let mut key = Key::whole_line(KeyOrdering::default());
    let mut rest = text;
    key.start_field = count(&mut rest, "invalid number at field start")?
        .checked_sub(1)
        .ok_or_else(|| bad("field number is zero"))?;
    if let Some(after) = rest.strip_prefix(b".") {
        rest = after;
        key.start_character = count(&mut rest, "invalid number after '.'")?
            .checked_sub(1)
            .ok_or_else(|| bad("character offset is zero"))?;
    }
    key.ordering.skip_start_blanks |= take_letters(&mut rest, &mut key.ordering);
    if let Some(after) = rest.strip_prefix(b",") {
        rest = after;
        let field = count(&mut rest, "invalid number after ','")?;
        key.end_field = Some(field.checked_sub(1).ok_or_else(|| bad("field number is zero"))?);
        if let Some(after) = rest.strip_prefix(b".") {
            rest = after;
            key.end_character = count(&mut rest, "invalid number after '.'")?;
        }
        key.ordering.skip_end_blanks |= take_letters(&mut rest, &mut key.ordering);
    }
    if rest.is_empty() { Ok(key) } else { Err(bad("stray character in field spec")) }
}

fn take_count(rest: &mut &[u8]) -> Option<usize> {
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, after) = rest.split_at_checked(digits)?;
    if number.is_empty() {
        return None;
    }
    *rest = after;
    let add = |value: usize, digit: &u8| value.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
    Some(number.iter().fold(0, add))
}

/// Sets ordering options; returns whether `b` is among them.
fn take_letters(rest: &mut &[u8], ordering: &mut KeyOrdering) -> bool {
    let mut blanks = false;
    while let Some((&letter, after)) = rest.split_first() {
        if letter == b'b' {
            blanks = true;
        } else if !ordering.set_by_letter(char::from(letter)) {
            break;
        }
        *rest = after;
    }
    blanks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_lie_where_posix_says() {
        for (spec, tab, line, want) in [
            ("2", None, "a  b c", "  b c"),
            ("2b", None, "a  b c", "b c"),
            ("2,2", None, "a  b c", "  b"),
            ("2.2,2.3", None, "a bcde f", "bc"),
            ("2,2", Some(b':'), "a:b:c", "b"),
            ("2.2,3.1", Some(b':'), "a:bc:de", "c:d"),
            ("3", Some(b':'), "a:b", ""),
            ("2,1", Some(b':'), "a:b", ""),
            ("1,1", Some(b':'), ":b", ""),
        ] {
            let key = parse_key(spec.as_bytes()).unwrap();
            assert_eq!(key.find(line.as_bytes(), tab), want.as_bytes(), "{spec}");
        }
    }
}
