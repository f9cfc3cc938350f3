//! What matches nothing by itself: comments, ends of quotations, verbs.

use super::super::node::Node;
use super::{Parser, wrong};
use crate::memory::{Box, String};
use crate::utility::regex::RegexError;

impl Parser<'_> {
    /// Takes comments and ends of quotations, which may stand between an atom, its count and its greed.
    pub(super) fn skip_comments(&mut self) -> Result<(), RegexError> {
        while self.take_text("\\E") || self.take_text("\\Q\\E") || self.is_at_comment() {
            if self.is_at_comment() {
                self.comment()?;
            }
        }
        Ok(())
    }

    fn is_at_comment(&self) -> bool {
        self.peek() == Some('(') && self.peek_at(1) == Some('?') && self.peek_at(2) == Some('#')
    }

    pub(super) fn comment(&mut self) -> Result<(), RegexError> {
        self.take_until(')').map(drop).ok_or_else(|| wrong("missing ) after (?# comment"))
    }

    /// `(*FAIL)` and what is written with a word in place of signs, after its `(*`.
    pub(super) fn verb(&mut self) -> Result<Node, RegexError> {
        let mut word = String::new();
        while let Some(c) = self.peek().filter(|c| c.is_ascii_alphanumeric() || *c == '_') {
            word.push(c);
            self.at += 1;
        }
        match (word.as_str(), self.next()) {
            ("", _) => Err(wrong("quantifier does not follow a repeatable item")),
            ("F" | "FAIL", Some(')')) => {
                Ok(Node::LookAhead { node: Box::new(Node::Empty), is_negated: true })
            }
            (word, _) if word.starts_with(|c: char| c.is_ascii_lowercase()) => {
                Err(wrong("(*alpha_assertion) is not supported"))
            }
            ("ACCEPT" | "COMMIT" | "PRUNE" | "SKIP" | "THEN" | "MARK" | "F" | "FAIL", Some(')' | ':'))
            | ("UTF" | "UCP" | "CR" | "LF" | "CRLF" | "ANYCRLF" | "ANY" | "NUL", Some(')')) => {
                Err(wrong("verbs are not supported"))
            }
            _ => Err(wrong("(*VERB) not recognized or malformed")),
        }
    }
}
