//! Perl's syntax as PCRE reads it → nodes. Errors are in PCRE's words.
//!
//! Groups nest as deep as [`GREATEST_DEPTH`] says. What groups there are, and how they are called, is looked up first, for a
//! reference may come before its group.

mod verb;

use super::class;
use super::node::{Assertion, Greed, Node};
use super::set::Set;
use crate::character::{Class, Unit};
use crate::memory::{Box, HashMap, String, ToMetered, Vec};
use crate::utility::regex::error::RegexError;

/// Groups in groups.
const GREATEST_DEPTH: u32 = 100;
/// The greatest count of a repetition.
const GREATEST_COUNT: u32 = 65_535;

/// The letters that a group or `(?` can turn on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flags {
    pub(crate) ignore_case: bool,
    /// `^` and `$` match at newlines.
    pub(crate) multi_line: bool,
    /// `.` matches a newline.
    pub(crate) dot_all: bool,
    /// Blanks and comments do not count.
    pub(crate) extended: bool,
    /// `\w`, `\d`, `\s`, `\b` and named classes are about all characters, not ASCII alone.
    pub(crate) unicode: bool,
}

pub(super) struct Parser<'s> {
    characters: Vec<char>,
    pub(super) at: usize,
    depth: u32,
    flags: Flags,
    groups: u32,
    total: u32,
    names: HashMap<String, u32>,
    source: &'s str,
}

pub(super) fn wrong(message: &str) -> RegexError {
    RegexError::Perl(message.to_metered())
}

/// An expression, taken apart.
pub(super) struct Parsed {
    pub(super) node: Node,
    pub(super) groups: u32,
}

pub(super) fn parse(source: &str, flags: Flags) -> Result<Parsed, RegexError> {
    let mut parser = Parser {
        characters: source.chars().collect(),
        at: 0,
        depth: 0,
        flags,
        groups: 0,
        total: 0,
        names: HashMap::default(),
        source,
    };
    parser.look_up_groups()?;
    let node = parser.alternatives()?;
    if parser.peek().is_some() {
        return Err(wrong("unmatched closing parenthesis"));
    }
    Ok(Parsed { node, groups: parser.groups })
}

impl Parser<'_> {
    pub(super) fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    pub(super) fn peek_at(&self, distance: usize) -> Option<char> {
        self.characters.get(self.at + distance).copied()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    pub(super) fn take(&mut self, wanted: char) -> bool {
        let is_here = self.peek() == Some(wanted);
        self.at += usize::from(is_here);
        is_here
    }

    pub(super) fn take_text(&mut self, wanted: &str) -> bool {
        let length = wanted.chars().count();
        let here = self.characters.get(self.at..self.at + length);
        let is_here = here.is_some_and(|here| here.iter().copied().eq(wanted.chars()));
        self.at += if is_here { length } else { 0 };
        is_here
    }

    /// Text up to `end`, which is taken too.
    pub(super) fn take_until(&mut self, end: char) -> Option<String> {
        let rest = self.characters.get(self.at..)?;
        let length = rest.iter().position(|&c| c == end)?;
        let text = rest.iter().take(length).copied().collect();
        self.at += length + 1;
        Some(text)
    }

    pub(super) const fn flags(&self) -> Flags {
        self.flags
    }

    /// Counts the groups and notes their names.
    fn look_up_groups(&mut self) -> Result<(), RegexError> {
        if !self.source.contains('(') {
            return Ok(());
        }
        let mut in_class = false;
        while let Some(c) = self.next() {
            match c {
                '\\' if self.take('Q') => {
                    while self.peek().is_some() && !self.take_text("\\E") {
                        self.at += 1;
                    }
                }
                '\\' => self.at += 1,
                '[' if !in_class => {
                    in_class = true;
                    self.take('^');
                    self.take(']');
                }
                ']' => in_class = false,
                '(' if !in_class => {
                    if self.peek() != Some('?') {
                        self.total += u32::from(self.peek() != Some('*'));
                    } else if self.take_text("?#") {
                        self.take_until(')');
                    } else if let Some(name) = self.group_name()? {
                        self.total += 1;
                        if self.names.insert(name, self.total).is_some() {
                            return Err(wrong(
                                "two named subpatterns have the same name (PCRE2_DUPNAMES not set)",
                            ));
                        }
                    }
                }
                _ => {}
            }
        }
        self.at = 0;
        Ok(())
    }

    /// `?<name>`, `?P<name>` or `?'name'`, if that stands here; then it is taken.
    fn group_name(&mut self) -> Result<Option<String>, RegexError> {
        let start = self.at;
        let end = if self.take_text("?P<") || self.take_text("?<") {
            '>'
        } else if self.take_text("?'") {
            '\''
        } else {
            return Ok(None);
        };
        if end == '>' && matches!(self.peek(), Some('=' | '!')) {
            self.at = start;
            return Ok(None);
        }
        self.name(end).map(Some)
    }

    fn name(&mut self, end: char) -> Result<String, RegexError> {
        let mut name = String::new();
        while let Some(c) = self.peek().filter(|c| c.is_alphanumeric() || *c == '_') {
            name.push(c);
            self.at += 1;
        }
        match name.chars().next() {
            Some('0'..='9') => Err(wrong("subpattern name must start with a non-digit")),
            None => Err(wrong("subpattern name expected")),
            _ if self.take(end) => Ok(name),
            _ => Err(wrong("syntax error in subpattern name (missing terminator?)")),
        }
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, RegexError>) -> Result<T, RegexError> {
        if self.depth >= GREATEST_DEPTH {
            return Err(wrong("parentheses are too deeply nested"));
        }
        self.depth += 1;
        let flags = self.flags;
        let result = parse(self);
        self.flags = flags;
        self.depth -= 1;
        result
    }

    /// Alternatives up to a `)`, which stays, or the end.
    fn alternatives(&mut self) -> Result<Node, RegexError> {
        let mut all = Vec::new();
        loop {
            let branch = self.sequence()?;
            all.push(branch);
            if !self.take('|') {
                break;
            }
        }
        Ok(match (all.pop(), all.is_empty()) {
            (Some(only), true) => only,
            (Some(last), false) => {
                all.push(last);
                Node::Alternatives(all)
            }
            (None, _) => Node::Empty,
        })
    }

    fn sequence(&mut self) -> Result<Node, RegexError> {
        let mut nodes = Vec::new();
        while let Some(c) = self.peek() {
            if c == '|' || c == ')' {
                break;
            }
            if self.flags.extended && (c.is_ascii_whitespace() || c == '\u{b}') {
                self.at += 1;
                continue;
            }
            if self.flags.extended && c == '#' {
                while self.next().is_some_and(|c| c != '\n') {}
                continue;
            }
            let Some(atom) = self.atom(&mut nodes)? else { continue };
            let node = self.repeated(atom)?;
            nodes.push(node);
        }
        Ok(Node::Sequence(nodes))
    }

    /// Repetitions after an atom.
    fn repeated(&mut self, mut node: Node) -> Result<Node, RegexError> {
        self.skip_comments()?;
        let is_repeatable = !matches!(node, Node::Assert(_) | Node::Keep | Node::Empty);
        let Some((least, most)) = self.count()? else { return Ok(node) };
        if !is_repeatable {
            return Err(wrong("quantifier does not follow a repeatable item"));
        }
        self.skip_comments()?;
        let greed = match self.peek() {
            Some('?') => Greed::Lazy,
            Some('+') => Greed::Possessive,
            _ => Greed::Greedy,
        };
        self.at += usize::from(greed != Greed::Greedy);
        node = Node::Repeat { node: Box::new(node), least, most, greed };
        if self.count()?.is_some() {
            return Err(wrong("quantifier does not follow a repeatable item"));
        }
        Ok(node)
    }

    /// `*`, `+`, `?` or `{n,m}`; a brace that begins no count stands for itself.
    fn count(&mut self) -> Result<Option<(u32, Option<u32>)>, RegexError> {
        let counts = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => return self.braces(),
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(counts))
    }

    fn braces(&mut self) -> Result<Option<(u32, Option<u32>)>, RegexError> {
        let start = self.at;
        self.at += 1;
        let Some(least) = self.number() else {
            self.at = start;
            return Ok(None);
        };
        let most = if self.take(',') { self.number() } else { Some(least) };
        if !self.take('}') {
            self.at = start;
            return Ok(None);
        }
        if least.max(most.unwrap_or(0)) > GREATEST_COUNT {
            return Err(wrong("number too big in {} quantifier"));
        }
        if most.is_some_and(|most| most < least) {
            return Err(wrong("numbers out of order in {} quantifier"));
        }
        Ok(Some((least, most)))
    }

    /// Decimal digits.
    pub(super) fn number(&mut self) -> Option<u32> {
        let mut number = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            number = Some(number.unwrap_or(0_u32).saturating_mul(10).saturating_add(digit));
            self.at += 1;
        }
        number
    }

    pub(super) fn character(&self, c: char) -> Node {
        let unit = Unit::from(c);
        if self.flags.ignore_case && c.is_alphabetic() { Node::Folded(unit) } else { Node::Character(unit) }
    }

    /// The next atom; `None`: there was nothing to be matched in what was taken.
    fn atom(&mut self, nodes: &mut Vec<Node>) -> Result<Option<Node>, RegexError> {
        let Some(c) = self.next() else { return Ok(None) };
        Ok(Some(match c {
            '.' if self.flags.dot_all => Node::Any,
            '.' => Node::NotNewline,
            '^' if self.flags.multi_line => Node::Assert(Assertion::LineStart),
            '^' => Node::Assert(Assertion::TextStart),
            '$' if self.flags.multi_line => Node::Assert(Assertion::LineEnd),
            '$' => Node::Assert(Assertion::LastLineEnd),
            '[' => Node::Set(class::bracket(self)?),
            '(' => return self.deeper_group(),
            '*' | '+' | '?' => return Err(wrong("quantifier does not follow a repeatable item")),
            '{' => {
                self.at -= 1;
                if self.braces()?.is_some() {
                    return Err(wrong("quantifier does not follow a repeatable item"));
                }
                self.at += 1;
                self.character('{')
            }
            '\\' if self.take('Q') => {
                while self.peek().is_some() && !self.take_text("\\E") {
                    if let Some(c) = self.next() {
                        nodes.push(self.character(c));
                    }
                }
                // What follows repeats the last character alone.
                return Ok(nodes.pop());
            }
            '\\' if self.take('E') => return Ok(None),
            '\\' => self.escape()?,
            c => self.character(c),
        }))
    }

    fn deeper_group(&mut self) -> Result<Option<Node>, RegexError> {
        // `(?i)` holds to the end of the group it stands in.
        if self.peek() == Some('?') && self.is_flags_alone() {
            self.at += 1;
            self.flags = self.flag_letters()?;
            self.take(')');
            return Ok(None);
        }
        if self.peek() == Some('?') && self.peek_at(1) == Some('#') {
            self.at -= 1;
            return self.comment().map(|()| None);
        }
        self.deeper(Self::group).map(Some)
    }

    fn is_flags_alone(&self) -> bool {
        let rest = self.characters.get(self.at + 1..).unwrap_or(&[]);
        let letters = rest.iter().take_while(|c| c.is_ascii_lowercase() || matches!(c, '-' | '^')).count();
        letters > 0 && rest.get(letters) == Some(&')')
    }

    fn flag_letters(&mut self) -> Result<Flags, RegexError> {
        let mut flags = self.flags;
        let mut is_on = true;
        while let Some(c) = self.peek() {
            match c {
                '-' => is_on = false,
                '^' => {
                    flags = Flags { unicode: flags.unicode, ..Flags::default() };
                }
                'i' => flags.ignore_case = is_on,
                'm' => flags.multi_line = is_on,
                's' => flags.dot_all = is_on,
                'x' => flags.extended = is_on,
                _ => break,
            }
            self.at += 1;
        }
        match self.peek() {
            Some(')' | ':') => Ok(flags),
            Some(_) => Err(wrong("unrecognized character after (? or (?-")),
            None => Err(wrong("missing closing parenthesis")),
        }
    }

    /// A group, after its `(`.
    fn group(&mut self) -> Result<Node, RegexError> {
        let close = |parser: &mut Self, node: Node| {
            if parser.take(')') { Ok(node) } else { Err(wrong("missing closing parenthesis")) }
        };
        if self.take('*') {
            return self.verb();
        }
        if self.peek() != Some('?') || self.group_name()?.is_some() {
            self.groups += 1;
            let number = self.groups;
            let node = self.alternatives()?;
            return close(self, Node::Group(Box::new(node), number));
        }
        for (opening, is_negated) in [("?=", false), ("?!", true)] {
            if self.take_text(opening) {
                let node = Box::new(self.alternatives()?);
                return close(self, Node::LookAhead { node, is_negated });
            }
        }
        for (opening, is_negated) in [("?<=", false), ("?<!", true)] {
            if self.take_text(opening) {
                let branches = match self.alternatives()? {
                    Node::Alternatives(branches) => branches,
                    only => {
                        let mut branches = Vec::new();
                        branches.push(only);
                        branches
                    }
                };
                let mut measured = Vec::with_capacity(branches.len());
                for branch in branches {
                    let Some(width) = branch.width() else {
                        return Err(wrong("lookbehind assertion is not fixed length"));
                    };
                    measured.push((branch, width));
                }
                return close(self, Node::LookBehind { branches: measured, is_negated });
            }
        }
        if self.take_text("?>") {
            let node = self.alternatives()?;
            return close(self, Node::Atomic(Box::new(node)));
        }
        if self.take_text("?P=") {
            let name = self.name(')')?;
            return self.named_reference(&name);
        }
        if self.take_text("?|")
            || matches!(self.peek_at(1), Some('R' | '&' | '(' | 'C' | '0'..='9' | '+' | 'P'))
        {
            return Err(wrong("recursion, conditions and callouts are not supported"));
        }
        self.at += 1;
        self.flags = self.flag_letters()?;
        self.take(':');
        let node = self.alternatives()?;
        // It counts as one thing that can be repeated.
        let mut whole = Vec::new();
        whole.push(node);
        close(self, Node::Alternatives(whole))
    }

    pub(super) fn named_reference(&self, name: &str) -> Result<Node, RegexError> {
        match self.names.get(name) {
            Some(&number) => Ok(Node::Reference(number, self.flags.ignore_case)),
            None => Err(wrong("reference to non-existent subpattern")),
        }
    }

    fn reference(&self, number: u32) -> Result<Node, RegexError> {
        if number == 0 || number > self.total {
            return Err(wrong("reference to non-existent subpattern"));
        }
        Ok(Node::Reference(number, self.flags.ignore_case))
    }

    /// An escape outside brackets, after its backslash.
    fn escape(&mut self) -> Result<Node, RegexError> {
        let Some(c) = self.next() else { return Err(wrong("\\ at end of pattern")) };
        if let Some(set) = class::escaped_set(self, c)? {
            return Ok(Node::Set(set));
        }
        Ok(match c {
            'A' => Node::Assert(Assertion::TextStart),
            'z' => Node::Assert(Assertion::TextEnd),
            'Z' => Node::Assert(Assertion::LastLineEnd),
            'G' => Node::Assert(Assertion::SearchStart),
            'b' => Node::Assert(Assertion::WordBoundary),
            'B' => Node::Assert(Assertion::NotWordBoundary),
            'K' => Node::Keep,
            'N' => Node::NotNewline,
            'R' => Self::line_break(),
            '1'..='9' => {
                self.at -= 1;
                return self.numbered();
            }
            'g' => return self.general_reference(),
            'k' => {
                let end = match self.next() {
                    Some('<') => '>',
                    Some('{') => '}',
                    Some('\'') => '\'',
                    _ => {
                        return Err(wrong(
                            "\\k is not followed by a braced, angle-bracketed, or quoted name",
                        ));
                    }
                };
                let name = self.name(end)?;
                return self.named_reference(&name);
            }
            c => {
                let c = class::escaped_character(self, c)?;
                self.character(c)
            }
        })
    }

    /// `\R`: any line break, of which `\r\n` is one.
    fn line_break() -> Node {
        let mut set = Set::default();
        set.push_range(10, 13);
        for unit in [0x85, 0x2028, 0x2029] {
            set.push_range(unit, unit);
        }
        set.finish(false, false);
        let mut pair = Vec::new();
        pair.extend([Node::Character(13), Node::Character(10)]);
        let mut all = Vec::new();
        all.extend([Node::Sequence(pair), Node::Set(set)]);
        Node::Atomic(Box::new(Node::Alternatives(all)))
    }

    /// `\1`, or an octal number where there are not so many groups.
    fn numbered(&mut self) -> Result<Node, RegexError> {
        let start = self.at;
        let number = self.number().unwrap_or(0);
        if number < 10 || number <= self.total {
            return self.reference(number);
        }
        self.at = start;
        let mut value = 0;
        for _ in 0..3 {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(8)) else { break };
            value = value * 8 + digit;
            self.at += 1;
        }
        if self.at == start {
            return self.reference(number);
        }
        Ok(self.character(char::from_u32(value).unwrap_or('\0')))
    }

    /// `\g1`, `\g{1}`, `\g{-1}`, `\g{name}`
    fn general_reference(&mut self) -> Result<Node, RegexError> {
        let malformed = "a numbered reference must not be zero";
        let text = if self.take('{') {
            self.take_until('}').ok_or_else(|| wrong("\\g is not followed by a braced, angle-bracketed, or quoted name/number or by a plain number"))?
        } else {
            let mut text = String::new();
            if self.take('-') {
                text.push('-');
            }
            while let Some(c) = self.peek().filter(char::is_ascii_digit) {
                text.push(c);
                self.at += 1;
            }
            text
        };
        if let Some(back) = text.strip_prefix('-').and_then(|digits| digits.parse::<u32>().ok()) {
            let number = (self.groups + 1).checked_sub(back).filter(|_| back > 0);
            return number.map_or_else(|| Err(wrong(malformed)), |number| self.reference(number));
        }
        match text.parse::<u32>() {
            Ok(0) => Err(wrong(malformed)),
            Ok(number) => self.reference(number),
            Err(_) => self.named_reference(&text),
        }
    }

    /// The set of `\d` and its like.
    pub(super) fn class_set(&self, class: Class, is_negated: bool) -> Set {
        let mut set = Set::new(self.flags.unicode);
        set.push_class(class, is_negated);
        set.finish(false, false);
        set
    }
}
