//! What a builtin prints, in order with its messages.
//!
//! A builtin hands over pieces; they become bytes when there is room for them. So a list that is much longer than what it
//! is made from (`declare -p` of a large variable, a thousand times) is never in memory as a whole, and a slow reader
//! holds up the builtin, not the run. [`Printout::fill`] makes about a block of bytes, and goes on where it stopped.

use super::error::BuiltinError;
use super::escape::{Part, decode_part};
use crate::limit::gauge;
use crate::machine::array::Array;
use crate::machine::quote;
use crate::memory::{Arc, Box, Vec, VecDeque};
use crate::syntax::ast::FunctionDefinition;
use crate::text::Text;
use std::fmt;

/// Bytes that are made before they are handed on.
const BLOCK: usize = 16 * 1024;
/// Texts up to this size are copied, longer ones are pieces of their own.
const SMALL: usize = 512;
/// Pieces that a builtin may be ahead of its reader.
const AHEAD: usize = 64;

/// How a text is quoted; see [`quote`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// As it is.
    Plain,
    /// In single quotes.
    Single,
    /// A value of `declare -p`.
    Declaration,
    /// A key of `declare -p`.
    Key,
    /// A value of `set`.
    Assignment,
    /// As [`Style::Assignment`] in POSIX mode: `$'...'` only where nothing else has to be quoted.
    PosixAssignment,
}

/// What is printed.
#[derive(Debug)]
enum Piece {
    Bytes(Vec<u8>),
    Text(Text, Style),
    /// Elements from an index on.
    Elements(Arc<Array>, u64),
    /// Keys and values.
    Entries(VecDeque<(Text, Text)>),
    Function(Arc<FunctionDefinition>),
    /// An argument of `echo -e`, from a byte on.
    Escaped(Text, usize),
    Error(BuiltinError),
}

/// A long text that is being quoted.
#[derive(Debug)]
struct Quoting {
    text: Text,
    style: Style,
    at: usize,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Looks for characters that decide how it is quoted: those that the shell looks at, and those that only `$'...'` shows.
    Looking {
        special: bool,
        control: bool,
    },
    Writing(Quotes),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quotes {
    None,
    Single,
    Double,
    AnsiC,
}

/// What [`Printout::fill`] stopped at.
#[derive(Debug)]
pub(crate) enum Filled {
    /// There is a block of bytes.
    Block,
    /// This message comes after the bytes.
    Message(BuiltinError),
    /// There is nothing after the bytes.
    All,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Printout {
    /// Bytes that stand before the pieces.
    ready: Vec<u8>,
    /// What most builtins need not.
    later: Option<Box<Later>>,
}

/// What becomes bytes when there is room for them.
#[derive(Debug, Default)]
struct Later {
    quoting: Option<Quoting>,
    pieces: VecDeque<Piece>,
}

impl Printout {
    /// An empty one that uses the room of `buffer`.
    pub(crate) fn over(mut buffer: Vec<u8>) -> Self {
        buffer.clear();
        Self { ready: buffer, later: None }
    }

    /// The room of the bytes, to be used again.
    pub(crate) fn into_buffer(mut self) -> Vec<u8> {
        self.ready.clear();
        if self.ready.capacity() > 4 * BLOCK { Vec::new() } else { std::mem::take(&mut self.ready) }
    }

    /// Bytes that can be handed on.
    pub(crate) fn ready(&self) -> &[u8] {
        &self.ready
    }

    /// Forgets the first `count` bytes that are ready.
    pub(crate) fn advance(&mut self, count: usize) {
        if count >= self.ready.len() {
            self.ready.clear();
        } else {
            self.ready.drain(..count);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ready.is_empty() && !self.has_pieces()
    }

    fn has_pieces(&self) -> bool {
        self.later.as_ref().is_some_and(|later| !later.pieces.is_empty() || later.quoting.is_some())
    }

    fn pieces(&mut self) -> &mut VecDeque<Piece> {
        &mut self.later.get_or_insert_default().pieces
    }

    /// Whether a builtin should let its output be read before it prints more.
    pub(crate) fn is_full(&self) -> bool {
        self.ready.len() >= BLOCK || self.later.as_ref().is_some_and(|later| later.pieces.len() >= AHEAD)
    }

    /// Prints bytes.
    #[inline]
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.end().extend_from_slice(bytes);
    }

    /// The buffer for what comes next.
    pub(super) fn end(&mut self) -> &mut Vec<u8> {
        if !self.has_pieces() {
            return &mut self.ready;
        }
        let Self { ready, later } = self;
        let pieces = &mut later.get_or_insert_default().pieces;
        if !matches!(pieces.back(), Some(Piece::Bytes(bytes)) if bytes.len() < BLOCK) {
            pieces.push_back(Piece::Bytes(Vec::new()));
        }
        match pieces.back_mut() {
            Some(Piece::Bytes(bytes)) => bytes,
            // The run was refused memory and ends.
            _ => ready,
        }
    }

    /// Prints a text.
    pub(super) fn text(&mut self, text: &Text) {
        self.quoted(text, Style::Plain);
    }

    /// Prints a text and a newline.
    pub(super) fn line(&mut self, text: &Text) {
        self.text(text);
        self.bytes(b"\n");
    }

    /// Prints a text in quotes.
    pub(super) fn quoted(&mut self, text: &Text, style: Style) {
        if text.len() <= SMALL {
            quote_short(text, style, self.end());
        } else {
            self.pieces().push_back(Piece::Text(text.clone(), style));
        }
    }

    /// Prints the elements of an array as `declare -p` shows them.
    pub(super) fn elements(&mut self, array: &Arc<Array>) {
        self.pieces().push_back(Piece::Elements(Arc::clone(array), 0));
    }

    /// Prints keys and values as `declare -p` shows them.
    pub(super) fn entries(&mut self, entries: VecDeque<(Text, Text)>) {
        self.pieces().push_back(Piece::Entries(entries));
    }

    /// Prints the definition of a function.
    pub(super) fn function(&mut self, definition: &Arc<FunctionDefinition>) {
        self.pieces().push_back(Piece::Function(Arc::clone(definition)));
    }

    /// Prints an argument of `echo -e`; after `\c` there comes nothing.
    pub(super) fn escaped(&mut self, text: &Text) {
        self.pieces().push_back(Piece::Escaped(text.clone(), 0));
    }

    /// Puts a message after what was printed so far.
    pub(super) fn message(&mut self, error: BuiltinError) {
        self.pieces().push_back(Piece::Error(error));
    }

    /// Puts a message to the front again that could not be reported yet.
    pub(crate) fn put_back(&mut self, error: BuiltinError) {
        self.pieces().push_front(Piece::Error(error));
    }

    /// Makes bytes of pieces until there is a block of them.
    pub(crate) fn fill(&mut self) -> Filled {
        while self.ready.len() < BLOCK {
            // A small piece uses no fuel by its size.
            if gauge::burn(1) && !self.ready.is_empty() {
                return Filled::Block;
            }
            let Some(later) = &mut self.later else { return Filled::All };
            if let Some(quoting) = &mut later.quoting {
                if quoting.go_on(&mut self.ready) {
                    later.quoting = None;
                }
                continue;
            }
            let Some(piece) = later.pieces.pop_front() else { return Filled::All };
            match piece {
                Piece::Bytes(bytes) if self.ready.is_empty() => self.ready = bytes,
                Piece::Bytes(bytes) => self.ready.extend_from_slice(&bytes),
                Piece::Text(text, style) => self.start_quoting(text, style),
                Piece::Elements(array, from) => self.element(array, from),
                Piece::Entries(mut entries) => {
                    if let Some((key, value)) = entries.pop_front() {
                        self.pieces().push_front(Piece::Entries(entries));
                        self.pieces().push_front(Piece::Bytes(Vec::from(b" ".as_slice())));
                        self.pieces().push_front(Piece::Text(value, Style::Declaration));
                        self.pieces().push_front(Piece::Bytes(Vec::from(b"]=".as_slice())));
                        self.pieces().push_front(Piece::Text(key, Style::Key));
                        self.ready.push(b'[');
                    }
                }
                Piece::Function(definition) => {
                    self.ready.extend_from_slice(&crate::syntax::print_function(&definition));
                }
                Piece::Escaped(text, from) => {
                    let rest = text.get(from..).unwrap_or(&[]);
                    match decode_part(rest, &mut self.ready, BLOCK) {
                        Part::Rest(0) => {}
                        Part::Rest(left) => {
                            let from = text.len().saturating_sub(left);
                            self.pieces().push_front(Piece::Escaped(text, from));
                        }
                        Part::Ended => self.pieces().clear(),
                    }
                }
                Piece::Error(error) => return Filled::Message(error),
            }
        }
        Filled::Block
    }

    fn start_quoting(&mut self, text: Text, style: Style) {
        if text.len() <= SMALL {
            quote_short(&text, style, &mut self.ready);
            return;
        }
        let phase = match style {
            Style::Plain => Phase::Writing(Quotes::None),
            Style::Single => Phase::Writing(Quotes::Single),
            _ => Phase::Looking { special: false, control: false },
        };
        if phase == Phase::Writing(Quotes::Single) {
            self.ready.push(b'\'');
        }
        self.later.get_or_insert_default().quoting = Some(Quoting { text, style, at: 0, phase });
    }

    /// The first element from an index on; those after it come later.
    fn element(&mut self, array: Arc<Array>, from: u64) {
        let Some((index, value)) = array.first_from(from) else { return };
        let value = value.clone();
        if from > 0 {
            self.ready.push(b' ');
        }
        let _ = fmt::Write::write_fmt(&mut Unchecked(&mut self.ready), format_args!("[{index}]="));
        if let Some(next) = index.checked_add(1) {
            self.pieces().push_front(Piece::Elements(array, next));
        }
        self.start_quoting(value, Style::Declaration);
    }
}

impl fmt::Write for Printout {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
}

/// Formats into bytes.
struct Unchecked<'b>(&'b mut Vec<u8>);

impl fmt::Write for Unchecked<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}

fn quote_short(text: &[u8], style: Style, out: &mut Vec<u8>) {
    let quoted = match style {
        Style::Plain => {
            out.extend_from_slice(text);
            return;
        }
        Style::Assignment | Style::PosixAssignment if text.is_empty() => return,
        Style::Single => quote::single(text),
        Style::Declaration => quote::declare(text),
        Style::Key => quote::key(text),
        Style::Assignment if quote::needs_ansi_c(text) => quote::ansi_c(text),
        Style::Assignment | Style::PosixAssignment => quote::trace(text),
    };
    out.extend_from_slice(&quoted);
}

impl Quoting {
    /// Does a block of the text. Whether it is done.
    fn go_on(&mut self, out: &mut Vec<u8>) -> bool {
        let end = self.block_end();
        let block = self.text.get(self.at..end).unwrap_or(&[]);
        gauge::spend_bytes(block.len().saturating_mul(8));
        match self.phase {
            Phase::Looking { special, control } => {
                let special = special || quote::has_special_between(&self.text, self.at, end);
                let control = control || quote::needs_ansi_c(block);
                let decided = control && self.style != Style::PosixAssignment;
                if decided || end >= self.text.len() {
                    self.start_writing(special, control, out);
                } else {
                    self.phase = Phase::Looking { special, control };
                    self.at = end;
                }
                false
            }
            Phase::Writing(quotes) => {
                match quotes {
                    Quotes::None => out.extend_from_slice(block),
                    Quotes::Single => quote::push_single(out, block),
                    Quotes::Double => quote::push_double(out, block),
                    Quotes::AnsiC => quote::push_ansi_c(out, block),
                }
                self.at = end;
                let done = end >= self.text.len();
                if done {
                    out.extend_from_slice(match quotes {
                        Quotes::None => b"",
                        Quotes::Double => b"\"",
                        Quotes::Single | Quotes::AnsiC => b"'",
                    });
                }
                done
            }
        }
    }

    fn start_writing(&mut self, special: bool, control: bool, out: &mut Vec<u8>) {
        let quotes = match self.style {
            Style::PosixAssignment if special => Quotes::Single,
            _ if control => Quotes::AnsiC,
            Style::Declaration => Quotes::Double,
            Style::Key if special => Quotes::Double,
            Style::Assignment if special => Quotes::Single,
            _ => Quotes::None,
        };
        out.extend_from_slice(match quotes {
            Quotes::None => b"",
            Quotes::Double => b"\"",
            Quotes::Single => b"'",
            Quotes::AnsiC => b"$'",
        });
        self.phase = Phase::Writing(quotes);
        self.at = 0;
    }

    /// The end of the next block, not within a character.
    fn block_end(&self) -> usize {
        let mut end = self.at.saturating_add(BLOCK / 4).min(self.text.len());
        for _ in 0..3 {
            match self.text.get(end) {
                Some(byte) if byte & 0xc0 == 0x80 => end += 1,
                _ => break,
            }
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut out: Printout) -> std::vec::Vec<u8> {
        let mut bytes = std::vec::Vec::new();
        loop {
            let filled = out.fill();
            assert!(out.ready().len() < 8 * BLOCK, "a block is bounded");
            bytes.extend_from_slice(out.ready());
            out.advance(usize::MAX);
            match filled {
                Filled::Block => {}
                Filled::Message(error) => bytes.extend_from_slice(error.to_string().as_bytes()),
                Filled::All => return bytes,
            }
        }
    }

    #[test]
    fn long_texts_are_quoted_as_short_ones() {
        for sample in ["plain ", "it's ", "\"$a`\\ ", "a\tb", "\u{e9}\u{20ac}", "nothing", "#~:~"] {
            let text = Text::from(sample.repeat(9000).as_str());
            for style in [
                Style::Plain,
                Style::Single,
                Style::Declaration,
                Style::Key,
                Style::Assignment,
                Style::PosixAssignment,
            ] {
                let mut short = Vec::new();
                quote_short(&text, style, &mut short);
                let mut out = Printout::default();
                out.quoted(&text, style);
                assert!(all(out) == *short, "{sample:?} {style:?}");
            }
        }
    }

    #[test]
    fn messages_stay_in_their_place() {
        let mut out = Printout::default();
        out.bytes(b"one ");
        out.message(BuiltinError::TooManyArguments);
        out.bytes(b" two");
        assert_eq!(all(out), b"one too many arguments two");
    }

    #[test]
    fn elements_come_one_by_one() {
        let mut array = Array::default();
        array.set(1, Text::from("a"));
        array.set(1 << 40, Text::from("b"));
        let mut out = Printout::default();
        out.elements(&Arc::new(array));
        // bash 5.2: a=([1]=a [1099511627776]=b); declare -p a
        assert_eq!(all(out), b"[1]=\"a\" [1099511627776]=\"b\"");
    }
}
