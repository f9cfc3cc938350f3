//! Basic and extended regular expressions (POSIX XBD 9.3, 9.4, with GNU's extensions) → programs, in one pass.
//!
//! Code is emitted as the expression is read. A repetition or an alternative that turns out later is put around code
//! that is there already, which relative jumps allow: code is only inserted where an atom or a branch begins, and a jump
//! to that place then leads to what was inserted, as it should. Open groups are kept on the heap.

mod interval;
mod number;

use super::bracket::parse_bracket;
use super::error::RegexError;
use super::options::{Dialect, GREATEST_DEPTH, RegexOptions, Syntax};
use super::program::{Assertion, Instruction, Program, Set};
use crate::character::escaped_byte;
use crate::character::{Class, Unit, fold, unfold, unit_at};
use crate::memory::{ToMetered, Vec};
use number::without_numbers;

/// The greatest count in an interval (`RE_DUP_MAX`).
const GREATEST_COUNT: u32 = 32_767;

/// Instructions times groups.
const GREATEST_SLOTS: usize = 1 << 20;

/// What a piece of the source means, the two syntaxes made equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token {
    Literal(Unit),
    Any,
    Bracket,
    Open,
    Close,
    Or,
    Star,
    Plus,
    Question,
    Interval,
    Caret,
    Dollar,
    Assert(Assertion),
    Class(Class, bool),
    BackReference(u32),
}

/// A group, or the whole expression, whose end is not read yet.
struct Open {
    /// Where the group's code begins, where its present branch does, and the jumps at the end of its earlier branches.
    start: usize,
    branch: usize,
    exits: Vec<usize>,
    number: usize,
    /// Groups complete before the group, and those that its earlier branches completed.
    complete_before: u16,
    complete_in_branches: u16,
}

/// What `\n`, `\t` and the like stand for in dialects that have them.
pub(crate) fn simple_escape(byte: u8, dialect: Dialect) -> Option<Unit> {
    let is_known = b"ntrfva".contains(&byte) || byte == b'b' && dialect == Dialect::Awk;
    let unit = escaped_byte(byte).filter(|_| is_known)?;
    matches!(dialect, Dialect::Awk | Dialect::Sed | Dialect::SedPosix).then_some(Unit::from(unit))
}

/// Compiles an expression.
pub(super) fn parse(source: &[u8], syntax: Syntax, options: &RegexOptions) -> Result<Program, RegexError> {
    let raw = if options.dialect == Dialect::Awk { without_numbers(source) } else { None };
    let source = raw.as_deref().unwrap_or(source);
    let parser = Parser {
        source,
        at: 0,
        is_extended: syntax == Syntax::Extended,
        options,
        program: Program {
            newline_sensitive: options.newline_sensitive,
            ignore_case: options.ignore_case,
            ..Program::default()
        },
        open: Vec::new(),
        atom: None,
        complete: 0,
        last: None,
        is_literal: false,
        has_skipped: false,
        has_escaped_comma: false,
        is_start: true,
    };
    parser.run()
}

struct Parser<'a> {
    source: &'a [u8],
    at: usize,
    is_extended: bool,
    options: &'a RegexOptions,
    program: Program,
    open: Vec<Open>,
    /// Where the code of the atom begins that a repetition would repeat.
    atom: Option<usize>,
    /// The first nine groups, a bit each, whose end was read in this branch or before it.
    complete: u16,
    last: Option<Token>,
    /// The token that is taken stands for itself.
    is_literal: bool,
    /// A repetition of nothing was skipped just before, after which glibc takes a `)` for itself.
    has_skipped: bool,
    /// An interval has an escaped comma.
    has_escaped_comma: bool,
    /// Nothing but assertions was read of this branch.
    is_start: bool,
}

impl Parser<'_> {
    fn run(mut self) -> Result<Program, RegexError> {
        let options = self.options;
        if options.whole_line {
            self.emit(Instruction::Assert(self.caret()))?;
        }
        if options.whole_word {
            self.emit(Instruction::Assert(Assertion::NoWordBefore))?;
        }
        let start = self.program.code.len();
        self.open(start, start, 0);
        while let Some(token) = self.token()? {
            self.is_literal = false;
            self.take(token)?;
            self.last = Some(if self.is_literal { Token::Literal(0) } else { token });
            self.is_start = match token {
                Token::Open | Token::Or => true,
                Token::Caret | Token::Dollar | Token::Assert(_) => self.is_start,
                _ => self.is_start && matches!(self.last, Some(Token::Star | Token::Plus | Token::Question)),
            };
        }
        if self.open.len() > 1 {
            return Err(RegexError::UnmatchedOpen);
        }
        let has_second_engine = matches!(options.dialect, Dialect::Grep | Dialect::Sed | Dialect::SedPosix);
        if self.has_escaped_comma && has_second_engine {
            return Err(RegexError::EscapedComma);
        }
        self.end_branches();
        if options.whole_word {
            self.emit(Instruction::Assert(Assertion::NoWordAfter))?;
        }
        if options.whole_line {
            self.emit(Instruction::Assert(self.dollar()))?;
        }
        self.emit(Instruction::Match)?;
        // A search for groups may hold the slots of all groups for each instruction.
        if self.program.code.len().saturating_mul(self.program.groups + 1) > GREATEST_SLOTS {
            return Err(RegexError::Size);
        }
        self.program.find_hints();
        Ok(self.program)
    }

    fn take(&mut self, token: Token) -> Result<(), RegexError> {
        let has_skipped = std::mem::take(&mut self.has_skipped);
        match token {
            Token::Close if has_skipped => self.literal(Unit::from(b')')),
            Token::Literal(unit) => self.literal(unit),
            Token::Any => self.atom(Instruction::Any),
            Token::Bracket => {
                let (set, end) = parse_bracket(self.source, self.at, self.options)?;
                self.at = end;
                self.set(set)
            }
            Token::Class(class, is_negated) => {
                let mut set = Set::default();
                set.push_class(class);
                set.finish(is_negated, false, 0);
                self.set(set)
            }
            Token::Open => {
                if self.open.len() >= GREATEST_DEPTH {
                    return Err(RegexError::Depth);
                }
                let start = self.program.code.len();
                self.program.groups += 1;
                let number = self.program.groups;
                self.emit(Instruction::Save(2 * number as u32))?;
                self.open(start, start + 1, number);
                self.atom = None;
                Ok(())
            }
            Token::Close => self.close(),
            Token::Or => self.next_branch(),
            Token::Star | Token::Plus | Token::Question | Token::Interval => self.repetition(token),
            Token::Caret => self.assert(self.caret()),
            Token::Dollar => self.assert(self.dollar()),
            Token::Assert(assertion) => self.assert(assertion),
            Token::BackReference(number) => {
                if self.complete >> number & 1 == 0 {
                    return Err(RegexError::BackReference);
                }
                self.program.has_back_references = true;
                self.atom(Instruction::BackReference(number))
            }
        }
    }

    fn caret(&self) -> Assertion {
        if self.options.newline_sensitive { Assertion::LineStart } else { Assertion::TextStart }
    }

    fn dollar(&self) -> Assertion {
        if self.options.newline_sensitive { Assertion::LineEnd } else { Assertion::TextEnd }
    }

    fn emit(&mut self, instruction: Instruction) -> Result<(), RegexError> {
        if self.program.code.len() >= self.options.size_limit {
            return Err(RegexError::Size);
        }
        self.program.has_assertions |= matches!(instruction, Instruction::Assert(_));
        self.program.code.push(instruction);
        Ok(())
    }

    fn insert(&mut self, at: usize, instruction: Instruction) -> Result<(), RegexError> {
        if self.program.code.len() >= self.options.size_limit {
            return Err(RegexError::Size);
        }
        self.program.code.insert(at.min(self.program.code.len()), instruction);
        Ok(())
    }

    /// Distance from one instruction to another; the size limit keeps it small.
    fn offset(from: usize, to: usize) -> i32 {
        i32::try_from(to as i64 - from as i64).unwrap_or(0)
    }

    fn atom(&mut self, instruction: Instruction) -> Result<(), RegexError> {
        self.atom = Some(self.program.code.len());
        self.emit(instruction)
    }

    fn set(&mut self, set: Set) -> Result<(), RegexError> {
        // Only the latest are looked at, so that many sets do not cost their square.
        let known = self.program.sets.iter().enumerate().rev().take(16).find(|(_, other)| **other == set);
        let number = if let Some((number, _)) = known { number } else { self.program.sets.add(set) };
        self.atom(Instruction::Set(number as u32))
    }

    fn literal(&mut self, unit: Unit) -> Result<(), RegexError> {
        self.is_literal = true;
        let (lower, upper) = (fold(unit), unfold(unit));
        if !self.options.ignore_case || (lower == unit && upper == unit) {
            return self.atom(Instruction::Character(unit));
        }
        let mut set = Set::default();
        set.push_range(unit, unit);
        set.push_range(lower, lower);
        set.push_range(upper, upper);
        set.finish(false, false, 0);
        self.set(set)
    }

    /// An assertion is not an atom: a repetition after it repeats nothing. For GNU grep the ends of a text can be repeated, but
    /// where a basic expression begins.
    fn assert(&mut self, assertion: Assertion) -> Result<(), RegexError> {
        let is_end = matches!(
            assertion,
            Assertion::TextStart | Assertion::TextEnd | Assertion::LineStart | Assertion::LineEnd
        );
        let is_atom = self.options.dialect == Dialect::Grep && is_end && (self.is_extended || !self.is_start);
        self.atom = is_atom.then_some(self.program.code.len());
        self.emit(Instruction::Assert(assertion))
    }

    fn open(&mut self, start: usize, branch: usize, number: usize) {
        let complete_before = self.complete;
        let exits = Vec::new();
        self.open.push(Open { start, branch, exits, number, complete_before, complete_in_branches: 0 });
    }

    fn close(&mut self) -> Result<(), RegexError> {
        if self.open.len() < 2 {
            // Only some programs see a `)` without its `(` as itself.
            return match self.options.dialect {
                Dialect::Posix | Dialect::SedPosix | Dialect::Grep | Dialect::Awk if self.is_extended => {
                    self.literal(Unit::from(b')'))
                }
                _ => Err(RegexError::UnmatchedClose),
            };
        }
        let Some((start, number)) = self.end_branches() else { return Err(RegexError::UnmatchedClose) };
        self.emit(Instruction::Save(2 * number as u32 + 1))?;
        if number < 10 {
            self.complete |= 1 << number;
        }
        self.atom = Some(start);
        Ok(())
    }

    /// Closes the innermost group's branches: where its code begins, and its number.
    fn end_branches(&mut self) -> Option<(usize, usize)> {
        let open = self.open.pop()?;
        self.complete |= open.complete_in_branches;
        let end = self.program.code.len();
        for exit in open.exits {
            if let Some(jump) = self.program.code.get_mut(exit) {
                *jump = Instruction::Jump(Self::offset(exit, end));
            }
        }
        Some((open.start, open.number))
    }

    fn next_branch(&mut self) -> Result<(), RegexError> {
        let Some(branch) = self.open.last().map(|open| open.branch) else { return Ok(()) };
        let end = self.program.code.len() + 1;
        self.insert(branch, Instruction::Alternative(Self::offset(branch, end + 1)))?;
        self.emit(Instruction::Jump(1))?;
        if let Some(open) = self.open.last_mut() {
            open.exits.push(end);
            open.branch = end + 1;
            open.complete_in_branches |= self.complete;
            self.complete = open.complete_before;
        }
        self.atom = None;
        Ok(())
    }

    fn repetition(&mut self, token: Token) -> Result<(), RegexError> {
        let Some(start) = self.atom else { return self.repetition_of_nothing(token) };
        let is_repeated =
            matches!(self.last, Some(Token::Star | Token::Plus | Token::Question | Token::Interval));
        let is_strict = matches!(self.options.dialect, Dialect::Posix | Dialect::Sed | Dialect::SedPosix);
        if is_repeated && is_strict && !self.is_extended && matches!(token, Token::Star | Token::Interval) {
            return Err(RegexError::Repetition);
        }
        let is_end = matches!(self.last, Some(Token::Caret | Token::Dollar | Token::Assert(_)));
        self.has_skipped = self.is_extended && is_end && token != Token::Interval;
        match token {
            Token::Star => self.star(start),
            Token::Plus => self.plus(start),
            Token::Question => self.question(start),
            _ => match self.interval()? {
                Some((least, most)) => self.repeat(start, least, most),
                None => self.literal(Unit::from(b'{')),
            },
        }
    }

    fn repetition_of_nothing(&mut self, token: Token) -> Result<(), RegexError> {
        let literal = match token {
            Token::Star => b'*',
            Token::Plus => b'+',
            Token::Question => b'?',
            _ => b'{',
        };
        match self.options.dialect {
            Dialect::Posix | Dialect::Sed | Dialect::SedPosix
                if !self.is_extended && token == Token::Interval =>
            {
                Err(RegexError::Repetition)
            }
            Dialect::Awk => self.literal(Unit::from(literal)),
            _ if !self.is_extended => self.literal(Unit::from(literal)),
            Dialect::Posix | Dialect::Sed | Dialect::SedPosix => Err(RegexError::Repetition),
            Dialect::Grep if token == Token::Interval => {
                // What is an interval matches the empty string.
                let start = self.at;
                if self.interval_content().is_err() {
                    self.at = start;
                    return self.literal(Unit::from(literal));
                }
                Ok(())
            }
            Dialect::Grep => {
                self.has_skipped = true;
                Ok(())
            }
        }
    }

    fn star(&mut self, start: usize) -> Result<(), RegexError> {
        let length = Self::offset(start, self.program.code.len());
        self.insert(start, Instruction::Split(1, length + 2))?;
        self.emit(Instruction::Jump(-(length + 1)))
    }

    fn plus(&mut self, start: usize) -> Result<(), RegexError> {
        let length = Self::offset(start, self.program.code.len());
        self.emit(Instruction::Split(-length, 1))
    }

    fn question(&mut self, start: usize) -> Result<(), RegexError> {
        let length = Self::offset(start, self.program.code.len());
        self.insert(start, Instruction::Split(1, length + 1))
    }

    /// Repeats the code from `start` on `least` to `most` times; without `most` as often as it goes.
    fn repeat(&mut self, start: usize, least: u32, most: Option<u32>) -> Result<(), RegexError> {
        let block: Vec<Instruction> = self.program.code.get(start..).unwrap_or_default().to_metered();
        let copies = most.unwrap_or(least.max(1)) as usize;
        if copies.saturating_mul(block.len() + 1) > self.options.size_limit {
            return Err(RegexError::Size);
        }
        self.program.code.truncate(start);
        for _ in 0..least {
            self.program.code.extend_from_slice(&block);
        }
        let Some(most) = most else {
            if least > 0 {
                return self.plus(self.program.code.len().saturating_sub(block.len()));
            }
            self.program.code.extend_from_slice(&block);
            return self.star(start);
        };
        let optional = most.saturating_sub(least) as usize;
        let end = self.program.code.len() + optional * (block.len() + 1);
        for _ in 0..optional {
            let at = self.program.code.len();
            self.program.code.push(Instruction::Split(1, Self::offset(at, end)));
            self.program.code.extend_from_slice(&block);
        }
        Ok(())
    }

    fn token(&mut self) -> Result<Option<Token>, RegexError> {
        let Some((unit, length)) = unit_at(self.source, self.at) else { return Ok(None) };
        self.at += length;
        let Ok(byte) = u8::try_from(unit) else { return Ok(Some(Token::Literal(unit))) };
        Ok(Some(match byte {
            b'\\' => return self.escape().map(Some),
            b'.' => Token::Any,
            b'[' => Token::Bracket,
            b'*' => Token::Star,
            b'(' if self.is_extended => Token::Open,
            b')' if self.is_extended => Token::Close,
            b'|' if self.is_extended => Token::Or,
            b'+' if self.is_extended => Token::Plus,
            b'?' if self.is_extended => Token::Question,
            b'{' if self.is_extended => Token::Interval,
            b'^' if self.is_extended || self.is_at_branch_start() => Token::Caret,
            b'$' if self.is_extended || self.is_at_branch_end() => Token::Dollar,
            _ => Token::Literal(unit),
        }))
    }

    fn is_at_branch_start(&self) -> bool {
        matches!(self.last, None | Some(Token::Open | Token::Or))
    }

    fn is_at_branch_end(&self) -> bool {
        let rest = self.source.get(self.at..).unwrap_or_default();
        rest.is_empty() || rest.starts_with(b"\\)") || rest.starts_with(b"\\|")
    }

    fn escape(&mut self) -> Result<Token, RegexError> {
        let Some((unit, length)) = unit_at(self.source, self.at) else {
            return Err(RegexError::TrailingBackslash);
        };
        self.at += length;
        let Ok(byte) = u8::try_from(unit) else { return Ok(Token::Literal(unit)) };
        if let Some(escaped) = simple_escape(byte, self.options.dialect) {
            return Ok(Token::Literal(escaped));
        }
        let is_awk = self.options.dialect == Dialect::Awk;
        let is_gnu = self.options.dialect != Dialect::SedPosix;
        Ok(match byte {
            b'|' | b'+' | b'?' | b'w' | b'W' | b's' | b'S' | b'b' | b'B' | b'<' | b'>' | b'`' | b'\''
                if !is_gnu =>
            {
                Token::Literal(unit)
            }
            b'(' if !self.is_extended => Token::Open,
            b')' if !self.is_extended => Token::Close,
            b'|' if !self.is_extended => Token::Or,
            b'+' if !self.is_extended => Token::Plus,
            b'?' if !self.is_extended => Token::Question,
            b'{' if !self.is_extended => Token::Interval,
            b'1'..=b'9' if !is_awk => Token::BackReference(u32::from(byte - b'0')),
            b'w' => Token::Class(Class::Word, false),
            b'W' => Token::Class(Class::Word, true),
            b's' => Token::Class(Class::Space, false),
            b'S' => Token::Class(Class::Space, true),
            b'y' if is_awk => Token::Assert(Assertion::WordBoundary),
            b'b' => Token::Assert(Assertion::WordBoundary),
            b'B' => Token::Assert(Assertion::NotWordBoundary),
            b'<' => Token::Assert(Assertion::WordStart),
            b'>' => Token::Assert(Assertion::WordEnd),
            b'`' => Token::Assert(Assertion::TextStart),
            b'\'' => Token::Assert(Assertion::TextEnd),
            _ => Token::Literal(unit),
        })
    }
}
