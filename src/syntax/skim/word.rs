//! Words, as the skimmer reads them: quotes, parameters, substitutions, arithmetic.

use super::super::byte::{is_metacharacter, is_name_byte, is_name_start};
use super::{DEEPEST, Skimmer};

/// What ends a word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// A metacharacter.
    Word,
    /// A metacharacter outside parentheses, of a regular expression.
    Regex,
    /// `}`
    Brace,
}

/// Bytes that mean nothing anywhere in a word.
static ORDINARY: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        table[byte] = b.is_ascii_alphanumeric()
            || b >= 0x80
            || matches!(
                b,
                b'_' | b'-' | b'.' | b',' | b'%' | b'^' | b'#' | b'{' | b'=' | b':' | b'/' | b'~' | b']'
            );
        byte += 1;
    }
    table
};

fn is_ordinary(byte: u8) -> bool {
    ORDINARY.get(usize::from(byte)).is_some_and(|&ordinary| ordinary)
}

fn is_special_parameter(byte: u8) -> bool {
    matches!(byte, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
}

impl Skimmer<'_> {
    pub(super) fn name(&mut self) {
        while is_name_byte(self.peek()) {
            self.at += 1;
        }
    }

    /// A word of at least one byte, up to its end.
    pub(super) fn word(&mut self, end: End) -> Option<()> {
        let start = self.at;
        let mut parentheses = 0_u32;
        loop {
            let byte = self.peek();
            if is_ordinary(byte) {
                self.at += 1;
                continue;
            }
            match byte {
                b'\'' => self.single_quoted()?,
                b'"' => self.double_quoted()?,
                b'$' => self.dollar(false)?,
                b'\\' => match self.byte(self.at + 1) {
                    b'\n' | 0 => return None,
                    _ => self.at += 2,
                },
                b'`' | 0 => return None,
                b'}' if end == End::Brace => return Some(()),
                b'<' | b'>' if self.byte(self.at + 1) == b'(' => {
                    if end != End::Word || self.at > start {
                        return None;
                    }
                    self.at += 2;
                    self.nested(Self::possibly_empty_list)?;
                    self.take(b')')?;
                }
                b'?' | b'*' | b'+' | b'@' | b'!' => {
                    if self.byte(self.at + 1) == b'(' {
                        return None;
                    }
                    self.at += 1;
                }
                b'(' if end == End::Regex && parentheses < DEEPEST => {
                    parentheses += 1;
                    self.at += 1;
                }
                b')' if end == End::Regex && parentheses > 0 => {
                    parentheses -= 1;
                    self.at += 1;
                }
                b'|' if end == End::Regex => self.at += 1,
                _ if is_metacharacter(byte) && end != End::Brace => break,
                _ => self.at += 1,
            }
        }
        // `{name}>` is a descriptor, `word(` a definition or an error.
        let descriptor = self.byte(start) == b'{'
            && self.byte(self.at.wrapping_sub(1)) == b'}'
            && matches!(self.peek(), b'<' | b'>');
        let open = parentheses > 0 || self.peek() == b'(';
        (self.at > start && !descriptor && !open).then_some(())
    }

    fn single_quoted(&mut self) -> Option<()> {
        let rest = self.text.get(self.at + 1..)?;
        self.at += memchr::memchr(b'\'', rest)? + 2;
        Some(())
    }

    /// `"..."`
    fn double_quoted(&mut self) -> Option<()> {
        self.nested(|this| {
            this.at += 1;
            loop {
                let rest = this.text.get(this.at..)?;
                this.at += rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | b'$' | b'`'))?;
                match this.peek() {
                    b'"' => {
                        this.at += 1;
                        return Some(());
                    }
                    b'\\' => this.at += 2,
                    b'$' => this.dollar(true)?,
                    _ => return None,
                }
            }
        })
    }

    /// `$` and what belongs to it; `quoted`: in double quotes.
    fn dollar(&mut self, quoted: bool) -> Option<()> {
        let second = self.byte(self.at + 1);
        self.at += 1;
        match second {
            b'{' => self.nested(|this| this.braced(quoted)),
            b'(' => self.nested(Self::substitution),
            b'\'' if !quoted => self.ansi_quoted(),
            b'"' if !quoted => self.double_quoted(),
            b'[' => None,
            b'\\' if self.byte(self.at + 1) == b'\n' => None,
            _ if is_name_start(second) => {
                self.name();
                Some(())
            }
            _ => {
                self.at += usize::from(is_special_parameter(second) || second.is_ascii_digit());
                Some(())
            }
        }
    }

    /// `$'...'`; the cursor is on the quote.
    fn ansi_quoted(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            let rest = self.text.get(self.at..)?;
            self.at += memchr::memchr2(b'\'', b'\\', rest)?;
            if self.peek() == b'\'' {
                self.at += 1;
                return Some(());
            }
            self.at += 2;
        }
    }

    /// `$( list )` or `$(( expression ))`; the cursor is on the parenthesis.
    fn substitution(&mut self) -> Option<()> {
        self.at += 1;
        if self.peek() == b'(' {
            self.at += 1;
            self.arithmetic()?;
        } else {
            self.possibly_empty_list()?;
        }
        self.take(b')')
    }

    /// Arithmetic up to the first of the two parentheses that close it, which is taken.
    pub(super) fn arithmetic(&mut self) -> Option<()> {
        self.arithmetic_until(b')')?;
        // One parenthesis alone: it was a command in parentheses.
        (self.peek() == b')').then_some(())
    }

    /// Arithmetic up to `end` outside parentheses, which is taken.
    pub(super) fn arithmetic_until(&mut self, end: u8) -> Option<()> {
        let mut open = 0_u32;
        loop {
            let byte = self.peek();
            match byte {
                _ if open == 0 && byte == end => {
                    self.at += 1;
                    return Some(());
                }
                b'(' => {
                    open += 1;
                    self.at += 1;
                }
                b')' => {
                    open = open.checked_sub(1)?;
                    self.at += 1;
                }
                b'$' => self.dollar(true)?,
                b'\'' | b'"' | b'\\' | b'`' | b';' | 0 => return None,
                _ => self.at += 1,
            }
        }
    }

    /// `${...}`; the cursor is on the brace.
    fn braced(&mut self, quoted: bool) -> Option<()> {
        self.at += 1;
        let sigil = self.peek();
        if matches!(sigil, b'#' | b'!') && self.byte(self.at + 1) != b'}' {
            let next = self.byte(self.at + 1);
            if !is_name_byte(next) && !matches!(next, b'@' | b'*') {
                return None;
            }
            self.at += 1;
        }
        self.parameter()?;
        if self.peek() == b'}' {
            self.at += 1;
            return Some(());
        }
        if sigil == b'#' {
            return None;
        }
        self.operation(quoted)?;
        self.take(b'}')
    }

    fn parameter(&mut self) -> Option<()> {
        let byte = self.peek();
        if is_name_start(byte) {
            self.name();
            if self.peek() == b'[' {
                self.subscript()?;
            }
        } else if byte.is_ascii_digit() {
            while self.peek().is_ascii_digit() {
                self.at += 1;
            }
        } else if is_special_parameter(byte) {
            self.at += 1;
        } else {
            return None;
        }
        Some(())
    }

    fn operation(&mut self, quoted: bool) -> Option<()> {
        match (self.peek(), self.byte(self.at + 1)) {
            (b':', b'-' | b'=' | b'?' | b'+') => {
                self.at += 2;
                self.default_word(quoted)
            }
            (b'-' | b'=' | b'?' | b'+', _) => {
                self.at += 1;
                self.default_word(quoted)
            }
            (b':', _) => self.substring(),
            (b'#' | b'%' | b'/' | b'^' | b',', _) => {
                self.at += 1;
                self.brace_word()
            }
            (b'@', b'Q' | b'E' | b'P' | b'A' | b'K' | b'a' | b'k' | b'u' | b'U' | b'L') => {
                self.at += 2;
                Some(())
            }
            (b'@' | b'*', b'}') => {
                self.at += 1;
                Some(())
            }
            _ => None,
        }
    }

    /// An unquoted word up to the brace; may be empty.
    fn brace_word(&mut self) -> Option<()> {
        if self.peek() == b'}' { Some(()) } else { self.word(End::Brace) }
    }

    fn default_word(&mut self, quoted: bool) -> Option<()> {
        if !quoted {
            return self.brace_word();
        }
        loop {
            match self.peek() {
                b'}' => return Some(()),
                b'"' => self.double_quoted()?,
                b'$' => self.dollar(true)?,
                b'\\' => self.at += 2,
                // Single quotes pair in some modes only.
                b'\'' | b'`' | 0 => return None,
                _ => self.at += 1,
            }
        }
    }

    /// `:offset:length` of numbers, names and simple operators.
    fn substring(&mut self) -> Option<()> {
        self.at += 1;
        let start = self.at;
        loop {
            match self.peek() {
                b'$' => self.dollar(true)?,
                b' ' | b'+' | b'-' | b'*' | b'#' | b':' => self.at += 1,
                byte if is_name_byte(byte) => self.at += 1,
                b'}' if self.at > start => return Some(()),
                _ => return None,
            }
        }
    }
}
