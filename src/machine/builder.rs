//! The word that is being expanded: bytes with their quoting, field by field.

use crate::limit::gauge;
use crate::memory::Vec;
use crate::pattern::{Pattern, PatternOptions};
use crate::text::Text;

/// A field before quote removal.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Field {
    pub(crate) bytes: Vec<u8>,
    /// Ends of stretches of bytes of one quoting, in order, without the last, which most fields have alone.
    runs: Vec<(usize, bool)>,
    /// Whether the last stretch is quoted.
    last_quoted: bool,
    /// Has an unquoted character that pathname expansion looks for.
    pub(crate) special: bool,
}

impl Field {
    /// A field without quoting.
    pub(crate) fn unquoted(bytes: &[u8]) -> Self {
        let mut field = Self::default();
        field.push(bytes, false);
        field
    }

    fn push(&mut self, bytes: &[u8], quoted: bool) {
        if bytes.is_empty() {
            return;
        }
        if self.last_quoted != quoted {
            if !self.bytes.is_empty() {
                self.runs.push((self.bytes.len(), self.last_quoted));
            }
            self.last_quoted = quoted;
        }
        self.bytes.extend_from_slice(bytes);
        if !quoted && !self.special {
            self.special = bytes.iter().any(|byte| matches!(byte, b'*' | b'?' | b'[' | b'('));
        }
    }

    /// Whether pathname expansion may find something in it: a `[` needs its `]`.
    fn is_special(&self) -> bool {
        let open = |byte: &u8| matches!(byte, b'*' | b'?' | b'(');
        self.special
            && (self.bytes.iter().any(open)
                || memchr::memchr(b'[', &self.bytes)
                    .is_some_and(|at| memchr::memchr(b']', self.bytes.get(at..).unwrap_or(&[])).is_some()))
    }

    /// Characters that pathname expansion looks for; those that are quoted count too.
    fn wildcards(&self) -> usize {
        let is_wildcard = |byte: &&u8| matches!(byte, b'*' | b'?' | b'[' | b'(');
        if self.special { self.bytes.iter().filter(is_wildcard).count() } else { 0 }
    }

    /// For each byte whether it is quoted.
    pub(crate) fn mask(&self) -> Vec<bool> {
        let mut mask = Vec::with_capacity(self.bytes.len());
        for &(end, quoted) in &self.runs {
            mask.resize(end, quoted);
        }
        mask.resize(self.bytes.len(), self.last_quoted);
        mask
    }

    /// Whether the field as a pattern stands for its own bytes and nothing else.
    pub(crate) fn is_literal(&self, options: PatternOptions) -> bool {
        !options.ignore_case
            && self.stretches().all(|(bytes, quoted)| {
                quoted
                    || memchr::memchr3(b'*', b'?', b'[', bytes).is_none()
                        && memchr::memchr2(b'\\', b'(', bytes).is_none()
            })
    }

    /// The field as a pattern: quoted bytes are literal.
    pub(crate) fn pattern(&self, options: PatternOptions) -> Pattern {
        if self.is_literal(options) && std::str::from_utf8(&self.bytes).is_ok() {
            return Pattern::of_literal(Text::from(self.bytes.as_slice()), options);
        }
        Pattern::new(&self.bytes, &self.mask(), options)
    }

    /// As [`Field::pattern`], where the field is not needed any more.
    pub(crate) fn into_pattern(self, options: PatternOptions) -> Pattern {
        if self.is_literal(options) && std::str::from_utf8(&self.bytes).is_ok() {
            return Pattern::of_literal(Text::from(self.bytes), options);
        }
        Pattern::new(&self.bytes, &self.mask(), options)
    }

    /// The field without its first byte, which is ASCII.
    pub(crate) fn without_first(&self) -> Self {
        let mut shorter = Self::default();
        for (number, (bytes, quoted)) in self.stretches().enumerate() {
            shorter.push(bytes.get(usize::from(number == 0)..).unwrap_or(&[]), quoted);
        }
        shorter
    }

    /// Stretches of one quoting: `(bytes, quoted)`.
    pub(crate) fn stretches(&self) -> impl Iterator<Item = (&[u8], bool)> {
        let mut start = 0;
        let last = (self.bytes.len(), self.last_quoted);
        self.runs.iter().copied().chain(std::iter::once(last)).filter_map(move |(end, quoted)| {
            let bytes = self.bytes.get(start..end)?;
            start = end;
            (!bytes.is_empty()).then_some((bytes, quoted))
        })
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.runs.clear();
        self.last_quoted = false;
        self.special = false;
    }
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Builder {
    current: Field,
    /// The current field exists even if it is empty.
    present: bool,
    /// White space of `IFS` ended the last field and nothing follows it: another character of `IFS` belongs to it.
    soft: bool,
    done: Vec<Finished>,
    /// What stands between fields where none are made, if it is not a blank: how many were done, and the text.
    joins: Vec<(usize, Text)>,
}

/// A field that is complete.
#[derive(Clone, Debug)]
pub(crate) enum Finished {
    /// All of it is quoted, or none is and there is no special character in it.
    Plain { text: Text, quoted: bool },
    /// Any other.
    Mixed(Field),
}

impl From<Finished> for Field {
    fn from(finished: Finished) -> Self {
        match finished {
            Finished::Mixed(field) => field,
            Finished::Plain { text, quoted } => {
                let bytes = text.into_vec();
                let last_quoted = quoted && !bytes.is_empty();
                Self { bytes, last_quoted, ..Self::default() }
            }
        }
    }
}

/// Which bytes separate fields: the value of `IFS`.
#[derive(Clone, Debug)]
pub(crate) struct Separators {
    /// 0: no, 1: white space, 2: other, 3: the first byte of one of `characters`.
    class: [u8; 256],
    /// Characters of several bytes.
    characters: Vec<Text>,
    /// What `"$*"` joins with.
    pub(crate) join: Text,
}

impl Separators {
    /// `None`: `IFS` is unset.
    pub(crate) fn new(ifs: Option<&[u8]>) -> Self {
        let mut class = [0; 256];
        let ifs = ifs.unwrap_or(b" \t\n");
        let mut characters = Vec::new();
        let mut at = 0;
        while let Some((_, length)) = crate::character::unit_at(ifs, at) {
            let bytes = ifs.get(at..at + length).unwrap_or(&[]);
            at += length;
            if let [first, _, ..] = bytes {
                class[usize::from(*first)] = 3;
                characters.push(Text::from(bytes));
            } else if let [byte] = bytes {
                class[usize::from(*byte)] = if matches!(byte, b' ' | b'\t' | b'\n') { 1 } else { 2 };
            }
        }
        let first = crate::character::unit_at(ifs, 0).map_or(0, |(_, length)| length);
        let join = Text::from(ifs.get(..first).unwrap_or(&[]));
        Self { class, characters, join }
    }

    /// The class of what stands at the start of `bytes`, and its length: 0 none, 1 white space of `IFS`, 2 another
    /// character of `IFS`.
    #[inline]
    pub(crate) fn separator(&self, bytes: &[u8]) -> (u8, usize) {
        match bytes.first().map(|&byte| self.class[usize::from(byte)]) {
            Some(3) => match self.characters.iter().find(|character| bytes.starts_with(character)) {
                Some(character) => (2, character.len()),
                None => (0, 1),
            },
            Some(class) => (class, 1),
            None => (0, 0),
        }
    }

    /// The class of a byte: 0 none, 1 white space of `IFS`, 2 another character of `IFS`, 3 the first byte of one.
    #[inline]
    pub(crate) fn class(&self, byte: u8) -> u8 {
        self.class[usize::from(byte)]
    }
}

impl Builder {
    /// How many characters of its fields pathname expansion looks for, about.
    #[inline]
    pub(crate) fn wildcards(&self) -> usize {
        if self.done.is_empty() && !self.current.special { 0 } else { self.count_wildcards() }
    }

    fn count_wildcards(&self) -> usize {
        let done = self.done.iter().map(|finished| match finished {
            Finished::Mixed(field) => field.wildcards(),
            Finished::Plain { .. } => 0,
        });
        done.fold(self.current.wildcards(), usize::saturating_add)
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.present && self.done.is_empty() && self.current.bytes.is_empty()
    }

    /// Appends quoted text: the field exists from now on.
    pub(crate) fn push_quoted(&mut self, bytes: &[u8]) {
        self.present = true;
        self.current.push(bytes, true);
    }

    /// Appends unquoted text that is not split.
    pub(crate) fn push_raw(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.present = true;
            self.current.push(bytes, false);
        }
    }

    /// Appends unquoted text, split at the separators. POSIX XCU 2.6.5.
    pub(crate) fn push_split(&mut self, bytes: &[u8], separators: &Separators) {
        self.push_split_from(bytes, separators, &mut false);
    }

    /// Appends the values of `$*` or `$@` without quotes: bash joins them, then splits all of it. White space at its start
    /// takes the separator after it along.
    pub(crate) fn push_split_list(&mut self, values: &[Text], separators: &Separators) {
        let mut starts = self.done.is_empty();
        for (index, value) in values.iter().enumerate() {
            if gauge::is_refused() {
                break;
            }
            if index > 0 && separators.join.is_empty() {
                self.end_if_present();
            } else if index > 0 {
                self.push_split_from(&separators.join, separators, &mut starts);
            }
            self.push_split_from(value, separators, &mut starts);
        }
    }

    /// `starts`: a list begins, and nothing but white space was there yet.
    fn push_split_from(&mut self, bytes: &[u8], separators: &Separators, starts: &mut bool) {
        let mut rest = bytes;
        // Nothing more is kept once something was refused.
        while !rest.is_empty() && !gauge::is_refused() {
            let mut plain = rest.iter().position(|&byte| separators.class(byte) != 0).unwrap_or(rest.len());
            if rest.get(plain).is_some_and(|&byte| separators.class(byte) == 3)
                && separators.separator(rest.get(plain..).unwrap_or(&[])).0 == 0
            {
                // Another character that begins with the same byte.
                plain += 1;
            }
            let (text, tail) = rest.split_at(plain);
            self.push_raw(text);
            let mut hard = false;
            // White space at the start of a list is a separator like any other.
            let spaced = *starts && separators.separator(tail).0 == 1;
            let mut length = 0;
            loop {
                match separators.separator(tail.get(length..).unwrap_or(&[])) {
                    (1, _) => length += 1,
                    (2, bytes) if !hard => {
                        hard = true;
                        length += bytes;
                    }
                    _ => break,
                }
            }
            if length > 0 {
                *starts &= !hard && !self.present;
                self.delimit(hard, spaced);
            }
            rest = tail.get(length..).unwrap_or(&[]);
        }
    }

    /// A separator was read. `hard`: there is more than white space in it; `starts`: white space that begins a list.
    fn delimit(&mut self, hard: bool, starts: bool) {
        match (self.present, hard) {
            (true, _) => {
                self.end_field();
                self.soft = !hard;
            }
            (false, true) if self.soft || starts => self.soft = false,
            (false, true) => self.end_field(),
            (false, false) => self.soft |= starts,
        }
    }

    /// As [`Builder::end_field`]; where no fields are made `join` stands between this one and the next.
    pub(crate) fn end_field_joined(&mut self, join: &Text) {
        self.end_field();
        if join.as_bytes() != b" " {
            self.joins.push((self.done.len(), join.clone()));
        }
    }

    /// The fields that have ended.
    pub(crate) fn field_count(&self) -> usize {
        self.done.len()
    }

    /// Whether there is more than one field.
    pub(crate) fn has_breaks(&self) -> bool {
        !self.done.is_empty()
    }

    /// Fields that are made to one text are joined with `join`, if that is not empty.
    pub(crate) fn join_all(&mut self, join: &Text) {
        if !join.is_empty() {
            self.joins = (1..=self.done.len()).map(|at| (at, join.clone())).collect();
        }
    }

    /// Fields that are made to one text are joined with blanks, whatever made them.
    pub(crate) fn forget_joins(&mut self) {
        self.joins.clear();
    }

    /// Ends the current field, even an empty one.
    pub(crate) fn end_field(&mut self) {
        let finished = if self.current.runs.is_empty() && !self.current.is_special() {
            let quoted = self.current.last_quoted;
            Finished::Plain { text: self.take_current(), quoted }
        } else {
            Finished::Mixed(std::mem::take(&mut self.current))
        };
        self.done.push(finished);
        self.present = false;
        self.soft = false;
    }

    /// Ends the current field if it exists.
    pub(crate) fn end_if_present(&mut self) {
        if self.present {
            self.end_field();
        }
    }

    /// The fields; the builder is empty afterwards.
    pub(crate) fn take_finished(&mut self) -> Vec<Finished> {
        self.end_if_present();
        self.current.clear();
        self.soft = false;
        self.joins.clear();
        std::mem::take(&mut self.done)
    }

    /// The fields with their quoting; the builder is empty afterwards.
    pub(crate) fn take_fields(&mut self) -> Vec<Field> {
        self.take_finished().into_iter().map(Field::from).collect()
    }

    /// The one field when there is exactly one and it has no special character; the builder is empty afterwards.
    pub(crate) fn take_plain(&mut self) -> Option<Text> {
        if !self.done.is_empty() || !self.present || self.current.is_special() {
            return None;
        }
        Some(self.take_current())
    }

    fn take_current(&mut self) -> Text {
        self.present = false;
        self.soft = false;
        self.current.runs.clear();
        self.current.last_quoted = false;
        self.current.special = false;
        if self.current.bytes.len() <= 64 {
            let text = Text::from(self.current.bytes.as_slice());
            self.current.bytes.clear();
            text
        } else {
            Text::from(std::mem::take(&mut self.current.bytes))
        }
    }

    /// The text where no fields are made; several fields (of `"$@"`) are joined with blanks.
    pub(crate) fn take_text(&mut self) -> Text {
        if self.done.is_empty() {
            return self.take_current();
        }
        let joins = std::mem::take(&mut self.joins);
        let mut joins = joins.iter().peekable();
        // The last value may be empty.
        self.end_field();
        let fields = self.take_fields();
        let mut text = Vec::with_capacity(fields.iter().map(|field| field.bytes.len() + 1).sum());
        for (index, field) in fields.iter().enumerate() {
            if gauge::is_refused() {
                break;
            }
            if index > 0 {
                let join = joins.next_if(|(at, _)| *at == index);
                text.extend_from_slice(join.map_or(b" ", |(_, join)| join));
            }
            text.extend_from_slice(&field.bytes);
        }
        Text::from(text)
    }

    /// As [`Builder::take_text`], with the quoting.
    pub(crate) fn take_joined(&mut self) -> Field {
        if self.done.is_empty() {
            (self.present, self.soft) = (false, false);
            return std::mem::take(&mut self.current);
        }
        self.end_field();
        let mut joined = Field::default();
        for (index, field) in self.take_fields().iter().enumerate() {
            if gauge::is_refused() {
                break;
            }
            if index > 0 {
                joined.push(b" ", false);
            }
            for (bytes, quoted) in field.stretches() {
                joined.push(bytes, quoted);
            }
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(ifs: &str, text: &str) -> Vec<String> {
        let mut builder = Builder::default();
        builder.push_split(text.as_bytes(), &Separators::new(Some(ifs.as_bytes())));
        builder.take_fields().iter().map(|field| String::from_utf8_lossy(&field.bytes).into_owned()).collect()
    }

    #[test]
    fn splits_as_posix_says() {
        assert_eq!(split(" \t\n", "  a  b\n"), ["a", "b"]);
        assert_eq!(split(":", ":a::b:"), ["", "a", "", "b"]);
        assert_eq!(split(": ", "a : b : : c"), ["a", "b", "", "c"]);
        assert_eq!(split("", "a b"), ["a b"]);
        assert_eq!(split(" ", ""), Vec::<String>::new());
    }

    #[test]
    fn a_separator_goes_over_the_edge_of_two_expansions() {
        let separators = Separators::new(Some(b", "));
        let mut builder = Builder::default();
        builder.push_raw(b"a");
        builder.push_split(b" ", &separators);
        builder.push_split(b",d", &separators);
        assert_eq!(builder.take_fields().len(), 2);
        builder.push_split(b" ", &separators);
        builder.push_split(b",d", &separators);
        assert_eq!(builder.take_fields().len(), 2);
        builder.push_split_list(&[Text::from(" "), Text::from("b")], &separators);
        assert_eq!(builder.take_fields().len(), 1);
    }

    #[test]
    fn quoted_and_split_text_join_at_the_edges() {
        let mut builder = Builder::default();
        let separators = Separators::new(None);
        builder.push_quoted(b"x");
        builder.push_split(b"a b", &separators);
        builder.push_quoted(b"*");
        let fields = builder.take_fields();
        assert_eq!(fields.len(), 2);
        assert_eq!((fields[0].bytes.as_slice(), fields[1].bytes.as_slice()), (&b"xa"[..], &b"b*"[..]));
        assert!(!fields[1].special);
    }
}
