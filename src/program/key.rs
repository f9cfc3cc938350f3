//! Texts that are evaluated after their expansion (`(( h[$k]++ ))`, `[[ -v h[$k] ]]`): what an expansion in a subscript gives
//! is a key as it stands, whatever characters it has. Bash manual 6.7.

use super::compiler::Compiler;
use super::{Op, Quoting};
use crate::syntax::ast::{Word, WordPart};

/// Where in a text its parts stand.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// The last character may be one of a name.
    name: bool,
    /// Brackets of a subscript that are open.
    open: usize,
}

impl Place {
    fn pass(&mut self, text: &[u8]) {
        let mut bytes = text.iter();
        while let Some(byte) = bytes.next() {
            match byte {
                b'\\' => {
                    bytes.next();
                }
                b'[' if self.open > 0 || self.name => self.open += 1,
                b']' => self.open = self.open.saturating_sub(1),
                _ => {}
            }
            self.name = byte.is_ascii_alphanumeric() || *byte == b'_';
        }
    }

    /// Passes a part; whether it stands in a subscript and is no text as written.
    fn is_key(&mut self, part: &WordPart, is_word: bool) -> bool {
        match part {
            WordPart::Literal(text) => self.pass(text),
            WordPart::Quoted(text) if !is_word || self.open == 0 => self.pass(text),
            _ if self.open > 0 => return true,
            _ => self.name = true,
        }
        false
    }
}

/// Whether something in a subscript is to be kept as it stands.
fn has_key(parts: &[WordPart], is_word: bool, place: &mut Place) -> bool {
    parts.iter().any(|part| match part {
        WordPart::DoubleQuoted(inner) if place.open == 0 => has_key(inner, false, place),
        part => place.is_key(part, is_word),
    })
}

impl Compiler {
    /// A word of `[[ ]]` that names a variable or is evaluated.
    pub(super) fn evaluated_word(&mut self, word: &Word) {
        if has_key(&word.parts, true, &mut Place::default()) {
            self.keys(&word.parts, Quoting::Raw, true, &mut Place::default());
        } else {
            self.word(word, Quoting::Raw);
        }
    }

    /// An argument of `unset` that is `name[...]` as written. False: it is none with an expansion inside.
    pub(super) fn element_argument(&mut self, word: &Word) -> bool {
        let is_element = matches!(word.parts.first(), Some(WordPart::Literal(text)) if text.contains(&b'['))
            && has_key(&word.parts, true, &mut Place::default());
        if is_element {
            self.keys(&word.parts, Quoting::Split, true, &mut Place::default());
            self.emit(Op::EndField);
        }
        is_element
    }

    /// The text of an arithmetic expression.
    pub(super) fn evaluated_text(&mut self, parts: &[WordPart]) {
        if has_key(parts, false, &mut Place::default()) {
            self.keys(parts, Quoting::Quoted, false, &mut Place::default());
        } else {
            self.parts(parts, Quoting::Quoted, false);
        }
    }

    fn keys(&mut self, parts: &[WordPart], context: Quoting, is_word: bool, place: &mut Place) {
        for part in parts {
            match part {
                WordPart::DoubleQuoted(inner) if place.open == 0 => {
                    self.keys(inner, Quoting::Quoted, false, place);
                }
                part if place.is_key(part, is_word) => {
                    self.emit(Op::PushBuilder);
                    self.part(part, context, false);
                    self.emit(Op::EscapeKey);
                }
                part => self.part(part, context, false),
            }
        }
    }
}
