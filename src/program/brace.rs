//! Brace expansion: one word to several, by its unquoted text alone. Bash manual 3.5.1.

use crate::memory::{String, ToMetered, Vec, vec};
use crate::syntax::ast::{Parameter, ParameterExpansion, ParameterOperation, Parts, Word, WordPart};
use crate::text::Text;

/// Words that are made when a program is compiled; what makes more is expanded when it runs.
pub(super) const COMPILE_TIME_WORDS: usize = 256;
/// Bytes and parts of words that are made when a program is compiled.
const COMPILE_TIME_UNITS: usize = 200_000;
/// Bytes of a text that count as one unit.
const UNIT_BYTES: usize = 64;
/// Braces in braces.
const MAX_DEPTH: usize = 64;

/// Why a word was not expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BraceError {
    /// More words than allowed.
    Count,
    /// Braces in braces, more than `MAX_DEPTH`.
    Depth,
    /// The words together are longer than allowed.
    Length,
}

/// Takes so many units for words that are made; fails when that is too much.
pub(crate) type Grow<'a> = &'a mut dyn FnMut(usize) -> Result<(), BraceError>;

/// A byte of unquoted text, or any other part of a word as a unit.
#[derive(Clone)]
enum Unit {
    Byte(u8),
    Part(WordPart),
}

/// Whether a word may have a brace expression.
pub(super) fn has_braces(word: &Word) -> bool {
    let has = |wanted: u8| {
        word.parts
            .iter()
            .any(|part| matches!(part, WordPart::Literal(text) if memchr::memchr(wanted, text).is_some()))
    };
    has(b'{') && has(b'}')
}

/// The fields of a word that is a sequence of numbers with plain text around it, the common long one: `file{1..9999}`.
/// `None`: it is another word.
pub(crate) fn texts(
    word: &Word,
    most: usize,
) -> Option<Result<impl ExactSizeIterator<Item = Text>, BraceError>> {
    let [WordPart::Literal(text)] = word.parts.as_slice() else { return None };
    let text = std::str::from_utf8(text).ok()?;
    let (head, rest) = text.split_once('{')?;
    let (inner, tail) = rest.split_once('}')?;
    let plain =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./:+=,@%".contains(&byte));
    if !plain(head) || !plain(tail) {
        return None;
    }
    let sequence = match Sequence::parse(inner, most)? {
        Ok(sequence) => sequence,
        Err(error) => return Some(Err(error)),
    };
    let width = sequence.width?;
    let (head, tail) = (head.to_metered(), tail.to_metered());
    // A sequence has at most `most` numbers, which fits.
    let count = usize::try_from(sequence.count).unwrap_or(usize::MAX);
    let mut buffer = String::new();
    let texts = (0..count).map(move |index| {
        buffer.clear();
        buffer.push_str(&head);
        sequence.number(index as i128, width, &mut buffer);
        buffer.push_str(&tail);
        Text::from(buffer.as_bytes())
    });
    Some(Ok(texts))
}

/// The words that `word` expands to, at most `most`, and short enough to be made when a program is compiled.
pub(crate) fn expand(word: &Word, most: usize) -> Result<Vec<Word>, BraceError> {
    let mut words = expand_value(word, most)?;
    words.retain(|word| !word.parts.is_empty());
    Ok(words)
}

/// As [`expand`], with the words that are empty: they are values after a name.
pub(super) fn expand_value(word: &Word, most: usize) -> Result<Vec<Word>, BraceError> {
    let mut left = COMPILE_TIME_UNITS;
    let mut grow = |units: usize| match left.checked_sub(units) {
        Some(rest) => {
            left = rest;
            Ok(())
        }
        None => Err(BraceError::Length),
    };
    expand_whole(word, most, &mut grow)
}

/// The words that `word` expands to, at most `most`. `grow` is asked before they get longer.
pub(crate) fn expand_within(word: &Word, most: usize, grow: Grow<'_>) -> Result<Vec<Word>, BraceError> {
    let mut words = expand_whole(word, most, grow)?;
    words.retain(|word| !word.parts.is_empty());
    Ok(words)
}

/// As [`expand_within`], with the words that are empty.
fn expand_whole(word: &Word, most: usize, grow: Grow<'_>) -> Result<Vec<Word>, BraceError> {
    let mut units = Vec::new();
    // Bash counts the braces inside of `${...}` as well: `${x:-{a,b}{c,d}}` has none to expand.
    let mut hidden = 0_usize;
    for part in &word.parts {
        match part {
            WordPart::Literal(text) => {
                for &byte in text.iter() {
                    if hidden == 0 {
                        units.push(Unit::Byte(byte));
                        continue;
                    }
                    match byte {
                        b'{' => hidden += 1,
                        b'}' => hidden -= 1,
                        _ => {}
                    }
                    units.push(Unit::Part(WordPart::Literal(Text::from(&[byte]))));
                }
            }
            other => {
                hidden = hidden.saturating_add(open_braces(std::slice::from_ref(other)));
                units.push(Unit::Part(other.clone()));
            }
        }
    }
    if nesting(&units) > MAX_DEPTH {
        return Err(BraceError::Depth);
    }
    let expanded = expand_units(&units, most, 0, grow)?;
    Ok(expanded.into_iter().map(|units| Word { parts: join(units), span: word.span }).collect())
}

/// How many braces of the words inside of `${...}` are left open by its end. The recursion is as deep as the syntax.
fn open_braces(parts: &[WordPart]) -> usize {
    let literal = |text: &Text| memchr::memchr_iter(b'{', text).count();
    let of_word = |word: &Word| {
        let literals = word.parts.iter().map(|part| match part {
            WordPart::Literal(text) => literal(text),
            _ => 0,
        });
        literals.sum::<usize>().saturating_add(open_braces(&word.parts))
    };
    let of_part = |part: &WordPart| match part {
        WordPart::Parameter(expansion) => match &expansion.operation {
            ParameterOperation::Default { word, .. }
            | ParameterOperation::TrimPrefix { pattern: word, .. }
            | ParameterOperation::TrimSuffix { pattern: word, .. }
            | ParameterOperation::Case { pattern: Some(word), .. } => of_word(word),
            ParameterOperation::Replace { pattern, replacement, .. } => {
                of_word(pattern).saturating_add(replacement.as_ref().map_or(0, of_word))
            }
            _ => 0,
        },
        _ => 0,
    };
    parts.iter().map(of_part).sum()
}

/// A word that may begin with a tilde-prefix after its brace expansion.
pub(super) fn with_tilde(mut word: Word) -> Word {
    let only = word.parts.len() == 1;
    let split = match word.parts.first() {
        Some(WordPart::Literal(text)) => match text.strip_prefix(b"~") {
            Some(rest) => {
                let end = memchr::memchr(b'/', rest);
                match (end, only) {
                    (Some(end), _) => Some((
                        Text::from(rest.get(..end).unwrap_or(&[])),
                        Text::from(rest.get(end..).unwrap_or(&[])),
                    )),
                    (None, true) => Some((Text::from(rest), Text::EMPTY)),
                    (None, false) => None,
                }
            }
            None => None,
        },
        _ => None,
    };
    if let Some((name, rest)) = split {
        let behind = (!rest.is_empty()).then_some(WordPart::Literal(rest));
        let tilde = [Some(WordPart::Tilde(name)), behind].into_iter().flatten();
        word.parts = tilde.chain(std::mem::take(&mut word.parts).into_iter().skip(1)).collect();
    }
    word
}

/// Units back to parts; bytes that stand together become one literal.
fn join(units: Vec<Unit>) -> Parts {
    let mut parts = Parts::new();
    for unit in units {
        match unit {
            Unit::Part(part) => parts.push(part),
            Unit::Byte(byte) => match parts.last_mut() {
                // `{$a,b}_c` makes `$a_c`.
                Some(WordPart::Parameter(expansion)) if is_open_name(expansion) && is_name_byte(byte) => {
                    if let Parameter::Variable(name) = &mut expansion.parameter {
                        name.push_bytes(&[byte]);
                    }
                    expansion.span.end += 1;
                }
                Some(WordPart::Literal(text)) => text.push_bytes(&[byte]),
                _ => parts.push(WordPart::Literal(Text::from(&[byte]))),
            },
        }
    }
    parts
}

/// `$name` without braces.
fn is_open_name(expansion: &ParameterExpansion) -> bool {
    match (&expansion.parameter, &expansion.operation) {
        (Parameter::Variable(name), ParameterOperation::Value) => {
            !expansion.indirect
                && expansion.span.end.saturating_sub(expansion.span.start) as usize == name.len() + 1
        }
        _ => false,
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}

type Expanded = Vec<Vec<Unit>>;

/// How many units a unit counts as: text that is quoted is one part, but all of it is copied.
fn weight(unit: &Unit) -> usize {
    let length = |part: &WordPart| match part {
        WordPart::Literal(text) | WordPart::Quoted(text) => text.len(),
        _ => 0,
    };
    let bytes = match unit {
        Unit::Byte(_) => return 1,
        Unit::Part(WordPart::DoubleQuoted(parts)) => parts.iter().map(|part| 16 + length(part)).sum(),
        Unit::Part(part) => length(part),
    };
    1 + bytes / UNIT_BYTES
}

fn weight_of(word: &[Unit]) -> usize {
    word.iter().map(weight).sum()
}

fn expand_units(units: &[Unit], most: usize, depth: usize, grow: Grow<'_>) -> Result<Expanded, BraceError> {
    if depth > MAX_DEPTH {
        return Err(BraceError::Depth);
    }
    // Preamble, alternatives, postscript; the products are built from left to right.
    let mut results: Expanded = vec![Vec::new()];
    let mut at = 0;
    let matching = match_braces(units);
    while let Some(unit) = units.get(at) {
        let close = matching.get(at).copied().flatten().filter(|_| matches!(unit, Unit::Byte(b'{')));
        let alternatives = match close {
            Some(close) => alternatives(units.get(at + 1..close).unwrap_or(&[]), most, depth, grow)?,
            None => None,
        };
        match (alternatives, close) {
            (Some(alternatives), Some(close)) => {
                if results.len().saturating_mul(alternatives.len()) > most {
                    return Err(BraceError::Count);
                }
                let tails: usize = alternatives.iter().map(|word| weight_of(word)).sum();
                let mut product = Vec::with_capacity(results.len() * alternatives.len());
                for head in &results {
                    grow(weight_of(head).saturating_mul(alternatives.len()).saturating_add(tails))?;
                    for alternative in &alternatives {
                        let mut word = head.clone();
                        word.extend(alternative.iter().cloned());
                        product.push(word);
                    }
                }
                results = product;
                at = close + 1;
            }
            _ => {
                grow(results.len().saturating_mul(weight(unit)))?;
                for result in &mut results {
                    result.push(unit.clone());
                }
                at += 1;
            }
        }
    }
    Ok(results)
}

/// How deep pairs of braces nest; one pass.
fn nesting(units: &[Unit]) -> usize {
    // For each open brace the depth of what it encloses so far.
    let mut open: Vec<usize> = Vec::new();
    let mut deepest = 0;
    for unit in units {
        match unit {
            Unit::Byte(b'{') => open.push(0),
            Unit::Byte(b'}') => {
                if let Some(inner) = open.pop() {
                    deepest = deepest.max(inner + 1);
                    if let Some(outer) = open.last_mut() {
                        *outer = (*outer).max(inner + 1);
                    }
                }
            }
            _ => {}
        }
    }
    deepest
}

/// For each `{` the position of its `}`; one pass.
fn match_braces(units: &[Unit]) -> Vec<Option<usize>> {
    let mut matching = vec![None; units.len()];
    let mut open = Vec::new();
    let mut previous_dollar = false;
    for (at, unit) in units.iter().enumerate() {
        match unit {
            Unit::Byte(b'{') if !previous_dollar => open.push(at),
            Unit::Byte(b'}') => {
                if let Some(start) = open.pop()
                    && let Some(slot) = matching.get_mut(start)
                {
                    *slot = Some(at);
                }
            }
            _ => {}
        }
        previous_dollar = matches!(unit, Unit::Byte(b'$'));
    }
    matching
}

/// The alternatives inside a pair of braces; `None` when it is not a brace expression.
fn alternatives(
    inner: &[Unit],
    most: usize,
    depth: usize,
    grow: Grow<'_>,
) -> Result<Option<Expanded>, BraceError> {
    let mut pieces: Vec<&[Unit]> = Vec::new();
    let (mut start, mut nested) = (0, 0_usize);
    for (at, unit) in inner.iter().enumerate() {
        match unit {
            Unit::Byte(b'{') => nested += 1,
            Unit::Byte(b'}') => nested = nested.saturating_sub(1),
            Unit::Byte(b',') if nested == 0 => {
                pieces.push(inner.get(start..at).unwrap_or(&[]));
                start = at + 1;
            }
            _ => {}
        }
    }
    if pieces.is_empty() {
        return sequence(inner, most, grow);
    }
    pieces.push(inner.get(start..).unwrap_or(&[]));
    let mut all = Vec::new();
    for piece in pieces {
        all.extend(expand_units(piece, most, depth + 1, grow)?);
        if all.len() > most {
            return Err(BraceError::Count);
        }
    }
    Ok(Some(all))
}

/// `x..y` and `x..y..step` over integers or single letters.
struct Sequence {
    from: i128,
    step: i128,
    count: i128,
    /// Of numbers, padded with zeros; 0: not padded. `None`: of letters.
    width: Option<usize>,
}

impl Sequence {
    /// `None`: it is not a sequence.
    fn parse(text: &str, most: usize) -> Option<Result<Self, BraceError>> {
        let pieces: Vec<&str> = text.split("..").collect();
        let (first, last, step) = match pieces.as_slice() {
            [first, last] => (*first, *last, None),
            [first, last, step] => (*first, *last, Some(step.parse::<i64>().ok()?)),
            _ => return None,
        };
        let letter = |text: &str| match text.as_bytes() {
            [byte] if byte.is_ascii_alphabetic() => Some(i64::from(*byte)),
            _ => None,
        };
        let (from, to, width) = match (first.parse::<i64>(), last.parse::<i64>()) {
            (Ok(from), Ok(to)) => (from, to, Some(padding(first).max(padding(last)))),
            _ => (letter(first)?, letter(last)?, None),
        };
        let step = i128::from(step.unwrap_or(1).unsigned_abs().max(1));
        let (from, to) = (i128::from(from), i128::from(to));
        let count = ((to - from).abs() / step) + 1;
        if count > most as i128 {
            return Some(Err(BraceError::Count));
        }
        Some(Ok(Self { from, step: if from <= to { step } else { -step }, count, width }))
    }

    /// Appends the number at `index`.
    fn number(&self, index: i128, width: usize, out: &mut String) {
        let value = self.from + index * self.step;
        if value < 0 {
            out.push('-');
        }
        let mut buffer = itoa::Buffer::new();
        // Most are short, for which the arithmetic is shorter.
        let digits = match u64::try_from(value.unsigned_abs()) {
            Ok(value) => buffer.format(value),
            Err(_) => buffer.format(value.unsigned_abs()),
        };
        for _ in digits.len() + usize::from(value < 0)..width {
            out.push('0');
        }
        out.push_str(digits);
    }

    /// The word at `index`.
    fn word(&self, index: i128) -> Vec<Unit> {
        if let Some(width) = self.width {
            let mut text = String::new();
            self.number(index, width, &mut text);
            return text.bytes().map(Unit::Byte).collect();
        }
        match u8::try_from(self.from + index * self.step) {
            // Quote removal takes the backslash.
            Ok(b'\\') => vec![Unit::Part(WordPart::Quoted(Text::EMPTY))],
            // What expands the word afterwards takes a backquote for the begin of a substitution.
            Ok(byte) if byte.is_ascii_alphanumeric() || byte == b'`' => vec![Unit::Byte(byte)],
            byte => vec![Unit::Part(WordPart::Quoted(Text::from(&[byte.unwrap_or(b'?')])))],
        }
    }
}

/// The words of a sequence; `None`: it is none.
fn sequence(inner: &[Unit], most: usize, grow: Grow<'_>) -> Result<Option<Expanded>, BraceError> {
    let mut text = Vec::with_capacity(inner.len());
    for unit in inner {
        match unit {
            Unit::Byte(byte) => text.push(*byte),
            Unit::Part(_) => return Ok(None),
        }
    }
    let Ok(text) = std::str::from_utf8(&text) else { return Ok(None) };
    match Sequence::parse(text, most) {
        None => Ok(None),
        Some(Err(error)) => Err(error),
        Some(Ok(sequence)) => {
            let count = usize::try_from(sequence.count).unwrap_or(usize::MAX);
            grow(count)?;
            Ok(Some((0..sequence.count).map(|index| sequence.word(index)).collect()))
        }
    }
}

/// The width to which numbers are padded with zeros: that of a number written with a leading zero.
fn padding(number: &str) -> usize {
    let digits = number.strip_prefix(['-', '+']).unwrap_or(number);
    if digits.len() > 1 && digits.starts_with('0') { number.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> String {
        let word = Word { parts: Parts::from([WordPart::Literal(Text::from(text))]), ..Word::default() };
        let words = expand(&word, 1000).unwrap();
        let shown: Vec<String> = words
            .iter()
            .map(|word| {
                word.parts
                    .iter()
                    .map(|part| match part {
                        WordPart::Literal(text) | WordPart::Quoted(text) => {
                            String::from(&*text.to_string_lossy())
                        }
                        _ => String::from("?"),
                    })
                    .collect()
            })
            .collect();
        crate::memory::JoinText::join_text(shown.as_slice(), " ")
    }

    #[test]
    fn expands_as_bash_does() {
        let rows = [
            ("a{b,c}d", "abd acd"),
            ("{a,b}{1,2}", "a1 a2 b1 b2"),
            ("{1..3}", "1 2 3"),
            ("{3..1}", "3 2 1"),
            ("{1..10..4}", "1 5 9"),
            ("{01..03}", "01 02 03"),
            ("{-01..1}", "-01 000 001"),
            ("{a..e..2}", "a c e"),
            ("{a,{b,c}x}", "a bx cx"),
            ("{a}", "{a}"),
            ("{a,b", "{a,b"),
            ("{a,b}}", "a} b}"),
            ("{{a,b}", "{a {b"),
            ("x{,y}", "x xy"),
            ("${a,b}", "${a,b}"),
            ("{1..2..0}", "1 2"),
            ("{-9223372036854775808..-9223372036854775807}", "-9223372036854775808 -9223372036854775807"),
            ("{0009..-1..5}", "0009 0004 -001"),
            ("{}", "{}"),
        ];
        for (text, want) in rows {
            assert_eq!(expanded(text), want, "{text}");
        }
    }

    #[test]
    fn long_words_are_not_multiplied() {
        let long = "x".repeat(100_000);
        for text in [
            format!("{{{long},b}}{{1..100}}"),
            format!("{{1..100}}{long}"),
            format!("{{{}1..100}}", "0".repeat(100_000)),
        ] {
            let word = Word {
                parts: Parts::from([WordPart::Literal(Text::from(text.as_str()))]),
                ..Word::default()
            };
            assert_eq!(expand(&word, 1000).err(), Some(BraceError::Length));
        }
    }
}
