//! Skims simple commands: assignments, arguments, redirections.

use super::word::End;
use super::{Skimmer, changes_parser, takes_assignments};
use crate::syntax::byte::{is_metacharacter, is_name_byte, is_name_start};

impl Skimmer<'_> {
    pub(super) fn simple(&mut self) -> Option<()> {
        let start = self.at;
        // The command word was read; it takes assignments as arguments.
        let (mut named, mut declares) = (false, false);
        // Every word so far can stand before the name of a builtin.
        let mut leads = true;
        loop {
            self.blanks();
            match self.peek() {
                b'\n' | b';' | b'|' | b')' => break,
                b'&' if self.byte(self.at + 1) != b'>' => break,
                0 => return None,
                _ => {}
            }
            if self.redirection()? {
                continue;
            }
            let word = self.at;
            if (!named || declares) && is_name_start(self.peek()) && self.assignment(named)? {
                continue;
            }
            self.at = word;
            self.word(End::Word)?;
            if !leads {
                continue;
            }
            let text = self.text.get(word..self.at).unwrap_or(&[]);
            self.changes_parser |= changes_parser(text);
            leads = matches!(text, b"builtin" | b"command") || text.first() == Some(&b'-');
            if !named {
                named = true;
                declares = takes_assignments(text);
            }
        }
        // Blanks after the last word were skipped; nothing at all is an error.
        (self.at > start).then_some(())
    }

    /// Whether an assignment stands here, which was taken; after a declaration's name, only what is surely one.
    fn assignment(&mut self, argument: bool) -> Option<bool> {
        let start = self.at;
        self.name();
        self.changes_parser |= self.text.get(start..self.at) == Some(b"BASH_ALIASES");
        match (self.peek(), self.byte(self.at + 1)) {
            (b'=', _) => self.at += 1,
            (b'+', b'=') => self.at += 2,
            (b'[', _) => {
                if argument {
                    return None;
                }
                self.subscript()?;
                match (self.peek(), self.byte(self.at + 1)) {
                    (b'=', _) => self.at += 1,
                    (b'+', b'=') => self.at += 2,
                    _ => return None,
                }
            }
            _ => return Some(false),
        }
        match self.peek() {
            b'(' => self.nested(Self::array)?,
            byte if is_metacharacter(byte) => {
                // `a=<(b)` is rare: the parser knows.
                if self.byte(self.at + 1) == b'(' {
                    return None;
                }
            }
            0 => return None,
            _ => self.word(End::Word)?,
        }
        Some(true)
    }

    /// `[...]` of names, numbers and simple parameters.
    pub(super) fn subscript(&mut self) -> Option<()> {
        self.take(b'[')?;
        let start = self.at;
        while matches!(self.peek(), b'$' | b'@' | b'*' | b'+' | b'-') || is_name_byte(self.peek()) {
            self.at += 1;
        }
        if self.at == start { None } else { self.take(b']') }
    }

    /// `( words )`
    fn array(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            self.newlines();
            match self.peek() {
                b')' => {
                    self.at += 1;
                    return Some(());
                }
                b'[' => {
                    self.subscript()?;
                    self.take(b'=')?;
                    if !is_metacharacter(self.peek()) {
                        self.word(End::Word)?;
                    } else if self.byte(self.at + 1) == b'(' || self.peek() == b'(' {
                        return None;
                    }
                }
                _ => self.word(End::Word)?,
            }
        }
    }

    /// Whether a redirection stands here, which was taken.
    pub(super) fn redirection(&mut self) -> Option<bool> {
        let mut at = self.at;
        while self.byte(at).is_ascii_digit() {
            at += 1;
        }
        let number = at > self.at;
        let length = match (self.byte(at), self.byte(at + 1), self.byte(at + 2)) {
            (b'<' | b'>', b'(', _) if !number => return Some(false),
            (b'<', b'<', b'<') => 3,
            (b'<', b'<', _) => return None,
            (b'<', b'&' | b'>', _) | (b'>', b'>' | b'&' | b'|', _) => 2,
            (b'<' | b'>', _, _) => 1,
            (b'&', b'>', b'>') if !number => 3,
            (b'&', b'>', _) if !number => 2,
            _ => return Some(false),
        };
        if at - self.at > 9 {
            return None;
        }
        self.at = at + length;
        self.blanks();
        let target = self.at;
        self.word(End::Word)?;
        let digits = self.text.get(target..self.at).unwrap_or(&[]).iter().all(u8::is_ascii_digit);
        // Digits before an operator are its descriptor.
        if digits && matches!(self.peek(), b'<' | b'>') { None } else { Some(true) }
    }
}
