//! Words to texts: brace expansion and quote removal, as far as they need no run. Bash manual 3.5.1 and 3.5.9.

use super::WordView;
use crate::program::brace;
use crate::syntax::ast::{AllElements, Parameter, ParameterOperation, Span, Word, WordPart};

/// Longest word whose braces are expanded, in bytes.
const MAX_BRACE_WORD: usize = 256;
/// Most words that the braces of one word make.
const MAX_BRACE_WORDS: usize = 64;
/// Bytes of a computed word that are shown.
const MAX_SOURCE: usize = 200;

/// A word with what is known about it.
#[derive(Clone, Debug, Default)]
pub(super) struct Field {
    pub(super) view: WordView,
    /// The text before the first part that is computed; empty when there is a text.
    pub(super) prefix: String,
    /// Expands to exactly one field.
    pub(super) single: bool,
}

impl Field {
    pub(super) fn text(&self) -> Option<&str> {
        self.view.text.as_deref()
    }

    /// A field with a text.
    pub(super) fn fixed(text: &str) -> Self {
        let view = WordView { text: Some(text.to_owned()), source: text.to_owned() };
        Self { view, prefix: String::new(), single: true }
    }

    /// The same word, whose text is decided by what replaces a placeholder in it.
    pub(super) fn computed(&self) -> Self {
        let view = WordView { text: None, source: self.view.source.clone() };
        Self { view, prefix: String::new(), single: true }
    }
}

/// Appends the words that `word` expands to.
pub(super) fn push_fields(word: &Word, source: &[u8], fields: &mut Vec<Field>) {
    if !has_braces(word) {
        fields.push(field(word, source));
        return;
    }
    if let Some(words) = expand_braces(word) {
        fields.extend(words.iter().map(|word| {
            let mut field = field(word, source);
            if let Some(text) = &field.view.text {
                field.view.source.clone_from(text);
            }
            field
        }));
        return;
    }
    // Braces that are not expanded here can make any words.
    let mut reading = Reading { text: Vec::new(), computed: true, single: false };
    if !word.parts.iter().all(is_static) {
        reading.computed = false;
        word.parts.iter().for_each(|part| reading.part(part, false));
        reading.computed = true;
        reading.single = false;
    }
    fields.push(finish(&reading, span_text(source, word.span)));
}

/// The words of a brace expression in a word of which all is known.
fn expand_braces(word: &Word) -> Option<Vec<Word>> {
    let size: usize = word.parts.iter().map(part_size).sum();
    if size > MAX_BRACE_WORD || !word.parts.iter().all(is_static) {
        return None;
    }
    brace::expand(word, MAX_BRACE_WORDS).ok().map(crate::memory::Vec::into_std)
}

fn has_braces(word: &Word) -> bool {
    let has = |wanted: u8| {
        word.parts
            .iter()
            .any(|part| matches!(part, WordPart::Literal(text) if memchr::memchr(wanted, text).is_some()))
    };
    has(b'{') && has(b'}') && (has(b',') || has(b'.'))
}

fn is_static(part: &WordPart) -> bool {
    match part {
        WordPart::Literal(_) | WordPart::Quoted(_) => true,
        WordPart::DoubleQuoted(parts) => parts.iter().all(|part| matches!(part, WordPart::Quoted(_))),
        _ => false,
    }
}

fn part_size(part: &WordPart) -> usize {
    match part {
        WordPart::Literal(text) | WordPart::Quoted(text) => text.len(),
        WordPart::DoubleQuoted(parts) => {
            parts.iter().map(|part| if let WordPart::Quoted(text) = part { text.len() } else { 0 }).sum()
        }
        _ => 0,
    }
}

/// One word without brace expansion: the value of an assignment, the target of a redirection.
pub(super) fn field(word: &Word, source: &[u8]) -> Field {
    let mut reading = Reading { text: Vec::new(), computed: false, single: true };
    word.parts.iter().for_each(|part| reading.part(part, false));
    finish(&reading, span_text(source, word.span))
}

/// The body of a here-document: no pathname expansion, no fields.
pub(super) fn body(word: &Word, source: &[u8]) -> WordView {
    let mut reading = Reading { text: Vec::new(), computed: false, single: true };
    for part in &word.parts {
        reading.part(part, true);
    }
    finish(&reading, span_text(source, word.span)).view
}

/// The text of a span.
pub(super) fn span_text(source: &[u8], span: Span) -> &[u8] {
    source.get(span.start as usize..span.end as usize).unwrap_or(&[])
}

fn finish(reading: &Reading, source: &[u8]) -> Field {
    let text = text_of(&reading.text);
    if reading.computed {
        let view = WordView { text: None, source: shown(source) };
        Field { view, prefix: text, single: reading.single }
    } else {
        let view = WordView { text: Some(text), source: text_of(source) };
        Field { view, prefix: String::new(), single: true }
    }
}

/// A computed word as written. It is cut because words in substitutions in words would be copied once a level.
pub(super) fn shown(source: &[u8]) -> String {
    if source.len() <= MAX_SOURCE {
        return text_of(source);
    }
    let mut text = text_of(source.get(..MAX_SOURCE).unwrap_or(&[]));
    text.push_str("...");
    text
}

/// The text so far; after the first computed part it stays the prefix.
struct Reading {
    text: Vec<u8>,
    computed: bool,
    single: bool,
}

impl Reading {
    fn push(&mut self, text: &[u8]) {
        if !self.computed {
            self.text.extend_from_slice(text);
        }
    }

    fn part(&mut self, part: &WordPart, quoted: bool) {
        match part {
            WordPart::Literal(text) if !quoted => match pattern_start(text) {
                Some(start) => {
                    self.push(text.get(..start).unwrap_or(&[]));
                    (self.computed, self.single) = (true, false);
                }
                None => self.push(text),
            },
            WordPart::Literal(text) | WordPart::Quoted(text) => self.push(text),
            // Parts of double quotes have no double quotes of their own.
            WordPart::DoubleQuoted(parts) => parts.iter().for_each(|part| self.inner(part, true)),
            other => self.inner(other, quoted),
        }
    }

    fn inner(&mut self, part: &WordPart, quoted: bool) {
        match part {
            WordPart::Literal(text) | WordPart::Quoted(text) => self.push(text),
            WordPart::Tilde(_) | WordPart::ProcessSubstitution(_) => self.computed = true,
            WordPart::Parameter(expansion) => {
                self.computed = true;
                self.single &= quoted && !is_all(&expansion.parameter, &expansion.operation);
            }
            _ => {
                self.computed = true;
                self.single &= quoted;
            }
        }
    }
}

/// `$@`, `${a[@]}`, `${!p@}`: any number of fields even in double quotes.
fn is_all(parameter: &Parameter, operation: &ParameterOperation) -> bool {
    let element = match parameter {
        Parameter::Special(name) => *name == b'@',
        Parameter::Element(_, subscript) => subscript.all == Some(AllElements::At),
        _ => false,
    };
    element
        || matches!(
            operation,
            ParameterOperation::Names(AllElements::At) | ParameterOperation::Keys(AllElements::At)
        )
}

/// Where unquoted text becomes a pathname pattern. `[` alone is a command.
fn pattern_start(text: &[u8]) -> Option<usize> {
    let plain = memchr::memchr3(b'*', b'?', b'(', text);
    let open = memchr::memchr(b'[', text)
        .filter(|&open| text.get(open..).is_some_and(|rest| memchr::memchr(b']', rest).is_some()));
    match (plain, open) {
        (Some(plain), Some(open)) => Some(plain.min(open)),
        (plain, open) => plain.or(open),
    }
}

/// Bytes as text. Most are valid, which is seen much faster than what is not is replaced.
fn text_of(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes).into_owned(), str::to_owned)
}
