//! How YAML's scalars look: plain where a reader takes that for the same text, else in quotes; broken at blanks where a line is
//! longer than the layout's width. The rules are `PyYAML`'s.

use super::yaml_write::{Position, Writer};
use crate::memory::{String, format};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Single,
    Double,
    Literal,
    Folded,
}

/// What a text allows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Analysis {
    pub(super) is_multiline: bool,
    flow_plain: bool,
    block_plain: bool,
    single_quoted: bool,
    block: bool,
}

const fn is_break(character: char) -> bool {
    matches!(character, '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

const fn is_white(character: char) -> bool {
    is_break(character) || matches!(character, '\0' | ' ' | '\t' | '\r')
}

pub(super) fn analyze(text: &[u8]) -> Analysis {
    if text.is_empty() {
        return Analysis {
            is_multiline: false,
            flow_plain: false,
            block_plain: true,
            single_quoted: true,
            block: false,
        };
    }
    let text = String::from_utf8_lossy(text);
    let starts_document = text.starts_with("---") || text.starts_with("...");
    let (mut block_marks, mut flow_marks) = (starts_document, starts_document);
    let (mut has_break, mut is_special) = (false, false);
    let (mut break_space, mut space_break) = (false, false);
    let (mut was_space, mut was_break, mut after_white) = (false, false, true);
    let mut characters = text.chars().peekable();
    let mut index = 0_usize;
    while let Some(character) = characters.next() {
        let next = characters.peek().copied();
        let before_white = next.is_none_or(is_white);
        if index == 0 {
            if "#,[]{}&*!|>'\"%@`".contains(character) {
                (flow_marks, block_marks) = (true, true);
            }
            if matches!(character, '?' | ':') {
                flow_marks = true;
                block_marks |= before_white;
            }
            if character == '-' && before_white {
                (flow_marks, block_marks) = (true, true);
            }
        } else {
            flow_marks |= ",?[]{}:".contains(character);
            block_marks |= character == ':' && before_white;
            if character == '#' && after_white {
                (flow_marks, block_marks) = (true, true);
            }
        }
        has_break |= is_break(character);
        let is_printable = matches!(character, '\n' | ' '..='~' | '\u{85}')
            || (matches!(character, '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
                && character != '\u{feff}');
        is_special |= !is_printable;
        if character == ' ' {
            break_space |= was_break;
            (was_space, was_break) = (true, false);
        } else if is_break(character) {
            space_break |= was_space;
            (was_space, was_break) = (false, true);
        } else {
            (was_space, was_break) = (false, false);
        }
        after_white = is_white(character);
        index += 1;
    }
    let edge = |character: Option<char>| character.is_some_and(|edge| edge == ' ' || is_break(edge));
    let has_edge = edge(text.chars().next()) || edge(text.chars().next_back());
    let is_plain = !(has_edge || break_space || space_break || is_special || has_break);
    Analysis {
        is_multiline: has_break,
        flow_plain: is_plain && !flow_marks,
        block_plain: is_plain && !block_marks,
        single_quoted: !(break_space || space_break || is_special),
        block: !(text.ends_with(' ') || space_break || is_special),
    }
}

/// Whether a plain scalar would be read as a text by the schema of YAML 1.1, or with `core` that of 1.2.
fn reads_as_text(text: &str, core: bool) -> bool {
    if matches!(text, "" | "~" | "null" | "Null" | "NULL" | "<<") {
        return false;
    }
    let words: &[&str] = if core { &["true", "false"] } else { &["true", "false", "yes", "no", "on", "off"] };
    let is_word = |word: &&&str| {
        text.eq_ignore_ascii_case(word) && {
            let rest = text.get(1..).unwrap_or_default();
            let is_lower = !rest.contains(|letter: char| letter.is_ascii_uppercase());
            is_lower || !text.contains(|letter: char| letter.is_ascii_lowercase())
        }
    };
    if words.iter().find(is_word).is_some() {
        return false;
    }
    if core {
        return !is_core_number(text);
    }
    text != "=" && !is_number(text) && !is_date(text)
}

fn digits(text: &str, is: impl Fn(char) -> bool) -> bool {
    !text.is_empty() && text.chars().all(is)
}

fn is_infinite(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN")
}

fn is_core_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_prefixed = text.strip_prefix("0o").is_some_and(|rest| digits(rest, |digit| digit.is_digit(8)))
        || text.strip_prefix("0x").is_some_and(|rest| digits(rest, |digit| digit.is_ascii_hexdigit()));
    if is_prefixed || is_infinite(text) {
        return true;
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let is_digit = |digit: char| digit.is_ascii_digit();
    let is_mantissa = match mantissa.split_once('.') {
        Some(("", fraction)) => digits(fraction, is_digit),
        Some((whole, fraction)) => digits(whole, is_digit) && fraction.chars().all(is_digit),
        None => digits(mantissa, is_digit),
    };
    is_mantissa && exponent.is_none_or(|exponent| digits(exponent, is_digit))
}

/// Integers and floats of YAML 1.1: with underscores, in base 2, 8, 16 and 60.
fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let first = unsigned.chars().next();
    if is_infinite(text) {
        return true;
    }
    let decimal = |digit: char| digit.is_ascii_digit() || digit == '_';
    let prefixed = |prefix: &str, base: u32| {
        unsigned
            .strip_prefix(prefix)
            .is_some_and(|rest| digits(rest, |digit| digit.is_digit(base) || digit == '_'))
    };
    if prefixed("0b", 2) || prefixed("0x", 16) || prefixed("0", 8) || unsigned == "0" {
        return true;
    }
    let begins = first.is_some_and(|first| first.is_ascii_digit());
    if begins && first != Some('0') && digits(unsigned, decimal) {
        return true;
    }
    // In base 60: digits, then groups after colons; with a point it is a float.
    if begins && unsigned.contains(':') {
        let (whole, fraction) = match unsigned.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (unsigned, None),
        };
        let mut groups = whole.split(':');
        let is_first = groups.next().is_some_and(|group| digits(group, decimal));
        let is_group = |group: &str| {
            digits(group, |digit| digit.is_ascii_digit())
                && (group.len() == 1 || (group.len() == 2 && group < "60"))
        };
        let is_whole = is_first && groups.all(is_group);
        return is_whole
            && match fraction {
                Some(fraction) => fraction.chars().all(decimal),
                None => first != Some('0'),
            };
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let Some((whole, fraction)) = mantissa.split_once('.') else { return false };
    let is_exponent = exponent.is_none_or(|exponent| {
        exponent.strip_prefix(['-', '+']).is_some_and(|rest| digits(rest, |digit| digit.is_ascii_digit()))
    });
    // What begins with a point has no sign.
    let is_mantissa = if whole.is_empty() {
        unsigned.len() == text.len() && digits(fraction, decimal)
    } else {
        begins && whole.chars().all(decimal) && fraction.chars().all(decimal)
    };
    is_exponent && is_mantissa
}

/// A date, which YAML 1.1 has a type for.
fn is_date(text: &str) -> bool {
    let is_digits = |text: &str, least: usize, most: usize| {
        (least..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut parts = text.splitn(3, '-');
    let (Some(year), Some(month), Some(rest)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    if !is_digits(year, 4, 4) {
        return false;
    }
    if is_digits(rest, 2, 2) && is_digits(month, 2, 2) {
        return true;
    }
    let Some((day, time)) = rest.split_once(['T', 't', ' ', '\t']) else { return false };
    let time = time.trim_start_matches([' ', '\t']);
    let end = time.find(|letter: char| !letter.is_ascii_digit() && letter != ':').unwrap_or(time.len());
    let (clock, after) = time.split_at_checked(end).unwrap_or((time, ""));
    let mut clock = clock.split(':');
    let is_clock = clock.next().is_some_and(|hour| is_digits(hour, 1, 2))
        && clock.next().is_some_and(|minute| is_digits(minute, 2, 2))
        && clock.next().is_some_and(|second| is_digits(second, 2, 2))
        && clock.next().is_none();
    let zone = match after.strip_prefix('.') {
        Some(fraction) => fraction.trim_start_matches(|letter: char| letter.is_ascii_digit()),
        None => after,
    };
    let zone = zone.trim_start_matches([' ', '\t']);
    let is_zone = zone.is_empty()
        || zone == "Z"
        || zone.strip_prefix(['-', '+']).is_some_and(|offset| match offset.split_once(':') {
            Some((hours, minutes)) => is_digits(hours, 1, 2) && is_digits(minutes, 2, 2),
            None => is_digits(offset, 1, 2),
        });
    is_digits(month, 1, 2) && is_digits(day, 1, 2) && is_clock && is_zone
}

impl Writer<'_> {
    pub(super) fn write_scalar(
        &mut self,
        text: &[u8],
        may_be_plain: bool,
        position: Position,
        wanted: Option<Style>,
    ) {
        let analysis = analyze(text);
        let text = String::from_utf8_lossy(text);
        let splits = position != Position::Key;
        match self.style(analysis, may_be_plain, position, wanted) {
            Style::Plain => self.plain(&text, splits, position == Position::Root),
            Style::Single => self.single(&text, splits),
            Style::Double => self.double(&text, splits),
            Style::Literal => self.block(&text, false),
            Style::Folded => self.block(&text, true),
        }
    }

    /// Whether a reader takes a plain text for a text.
    pub(super) fn reads_as_text(&self, text: &[u8]) -> bool {
        std::str::from_utf8(text).map_or(true, |text| reads_as_text(text, self.layout.core_schema))
    }

    fn style(
        &self,
        analysis: Analysis,
        may_be_plain: bool,
        position: Position,
        wanted: Option<Style>,
    ) -> Style {
        let is_key = position == Position::Key;
        let in_flow = self.flow_level > 0;
        let allows_plain = if in_flow { analysis.flow_plain } else { analysis.block_plain };
        match wanted {
            Some(Style::Double) => return Style::Double,
            None if may_be_plain && allows_plain && (!is_key || !analysis.is_multiline) => {
                return Style::Plain;
            }
            Some(style @ (Style::Literal | Style::Folded)) if !in_flow && !is_key && analysis.block => {
                return style;
            }
            _ => {}
        }
        let wants_single =
            matches!(wanted, None | Some(Style::Single)) && (!self.layout.doubles_quotes || may_be_plain);
        if wants_single && analysis.single_quoted && !(is_key && analysis.is_multiline) {
            Style::Single
        } else {
            Style::Double
        }
    }

    fn put(&mut self, text: &str) {
        self.column += text.chars().count();
        self.out.extend_from_slice(text.as_bytes());
    }

    fn plain(&mut self, text: &str, splits: bool, is_root: bool) {
        if is_root {
            self.open_ended = true;
        }
        if text.is_empty() {
            return;
        }
        if !self.whitespace {
            self.put(" ");
        }
        (self.whitespace, self.indention) = (false, false);
        for (run, is_blank) in runs(text, |character| character == ' ') {
            if is_blank && run.len() == 1 && splits && self.column > self.layout.width {
                self.write_indent();
                (self.whitespace, self.indention) = (false, false);
            } else {
                self.put(run);
            }
        }
    }

    fn single(&mut self, text: &str, splits: bool) {
        self.indicator("'", true, false, false);
        let mut at = 0;
        for (run, is_gap) in runs(text, |character| character == ' ' || is_break(character)) {
            let is_inner = at > 0 && at + run.len() < text.len();
            at += run.len();
            if !is_gap {
                for (index, piece) in run.split('\'').enumerate() {
                    self.put(if index == 0 { "" } else { "''" });
                    self.put(piece);
                }
            } else if run.contains(is_break) {
                self.breaks(run);
                self.write_indent();
            } else if run.len() == 1 && self.column > self.layout.width && splits && is_inner {
                self.write_indent();
            } else {
                self.put(run);
            }
        }
        self.indicator("'", false, false, false);
    }

    /// Line breaks inside of quotes: one more than there are, for the first is read as a blank.
    fn breaks(&mut self, run: &str) {
        if run.starts_with('\n') {
            self.line_break();
        }
        for character in run.chars().filter(|&character| is_break(character)) {
            if character == '\n' {
                self.line_break();
            } else {
                self.out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                (self.whitespace, self.indention, self.column) = (true, true, 0);
            }
        }
    }

    fn double(&mut self, text: &str, splits: bool) {
        self.indicator("\"", true, false, false);
        // What is kept back until it is known whether the line is broken before it.
        let mut held = String::new();
        let mut held_length = 0;
        let mut is_first = true;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let next = characters.peek().copied();
            let is_plain = matches!(character, ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
                && !matches!(character, '"' | '\\' | '\u{2028}' | '\u{2029}' | '\u{feff}');
            if !is_plain {
                self.put(&std::mem::take(&mut held));
                held_length = 0;
                self.put(&escape(character));
            }
            let may_break = !is_first && next.is_some() && (character == ' ' || held_length == 0);
            if may_break && self.column + held_length > self.layout.width && splits {
                held.push('\\');
                self.put(&std::mem::take(&mut held));
                held_length = 0;
                self.write_indent();
                (self.whitespace, self.indention) = (false, false);
                if (if is_plain { Some(character) } else { next }) == Some(' ') {
                    self.put("\\");
                }
            }
            if is_plain {
                held.push(character);
                held_length += 1;
            }
            is_first = false;
        }
        self.put(&held);
        self.indicator("\"", false, false, false);
    }

    /// `|` and `>`, for which a text was written so before.
    fn block(&mut self, text: &str, folds: bool) {
        let mut hints = String::from(if folds { ">" } else { "|" });
        if text.starts_with(|first: char| first == ' ' || is_break(first)) {
            hints.push('2');
        }
        let ends_in_break = text.ends_with(is_break);
        let is_kept = ends_in_break && {
            let mut back = text.chars().rev().skip(1);
            back.next().is_none_or(is_break)
        };
        if !ends_in_break {
            hints.push('-');
        } else if is_kept {
            hints.push('+');
        }
        self.indicator(&hints, true, false, false);
        self.open_ended = is_kept;
        self.line_break();
        let mut is_first = true;
        let mut after_blank = false;
        for line in text.split_inclusive('\n') {
            let body = line.strip_suffix('\n').unwrap_or(line);
            if body.is_empty() {
                self.line_break();
                after_blank = true;
                continue;
            }
            // A single break between lines of folded text would be read as a blank.
            let begins_blank = body.starts_with(' ');
            if folds && !is_first && !begins_blank && !after_blank {
                self.line_break();
            }
            self.write_indent();
            for (run, is_blank) in runs(body, |character| character == ' ') {
                if folds && is_blank && run.len() == 1 && self.column > self.layout.width {
                    self.write_indent();
                } else {
                    self.put(run);
                }
            }
            if line.len() > body.len() {
                self.line_break();
            }
            (is_first, after_blank) = (false, false);
        }
        self.indention = true;
    }
}

/// A text as runs of characters that are wanted and that are not, in turn.
fn runs(text: &str, is_wanted: impl Fn(char) -> bool + Copy) -> impl Iterator<Item = (&str, bool)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let wanted = is_wanted(rest.chars().next()?);
        let end = rest.find(|character| is_wanted(character) != wanted).unwrap_or(rest.len());
        let (run, after) = rest.split_at_checked(end)?;
        rest = after;
        Some((run, wanted))
    })
}

fn escape(character: char) -> String {
    let letter = match character {
        '\0' => '0',
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\u{b}' => 'v',
        '\u{c}' => 'f',
        '\r' => 'r',
        '\u{1b}' => 'e',
        '"' | '\\' => character,
        '\u{85}' => 'N',
        '\u{a0}' => '_',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        _ => {
            let code = character as u32;
            return match code {
                0..=0xff => format!("\\x{code:02X}"),
                0x100..=0xffff => format!("\\u{code:04X}"),
                _ => format!("\\U{code:08X}"),
            };
        }
    };
    format!("\\{letter}")
}
