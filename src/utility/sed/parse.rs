//! Parses a script: addresses, then a command with its own arguments. GNU sed 4.9.
//!
//! Blocks are kept on a list of open ones, labels are resolved at the end; nothing recurses.

use super::delimited::{self, Kind};
use super::error::{Fault, FaultPlace, ScriptError};
use super::output::Sinks;
use super::program::{Action, Address, Addresses, Command, Program, RangeEnd, Substitution};
use super::source::{Origin, Source};
use super::text::{TextCommand, Unfinished};
use crate::memory::{HashMap, String, ToMetered, Vec, boxed};
use crate::text::Text;
use crate::utility::Context;
use crate::utility::regex::{Dialect, Regex, RegexError, RegexOptions, Syntax, has_bare_class};
use std::cmp::Ordering;

/// How a script is read.
#[derive(Clone, Debug)]
pub(super) struct ParseOptions {
    pub(super) syntax: Syntax,
    pub(super) is_posix: bool,
    /// `--sandbox`
    pub(super) no_files: bool,
    /// Lines end in newlines; with `-z`, `M` finds none to look for.
    pub(super) has_newlines: bool,
    pub(super) regex: RegexOptions,
}

/// Reads a script part by part.
pub(super) struct Parser {
    /// They may change between two parts.
    pub(super) options: ParseOptions,
    pub(super) source: Source,
    program: Program,
    sinks: Sinks,
    /// The `{` without a `}` so far.
    open: Vec<(usize, FaultPlace)>,
    labels: HashMap<Vec<u8>, usize>,
    jumps: Vec<(usize, Vec<u8>)>,
    /// The text that the next part goes on with.
    pub(super) unfinished: Option<Unfinished>,
    has_read: bool,
}

impl Parser {
    pub(super) fn new(options: ParseOptions) -> Self {
        Self {
            options,
            source: Source::new(Origin::Expression(0), Vec::new()),
            program: Program::default(),
            sinks: Sinks::new(),
            open: Vec::new(),
            labels: HashMap::default(),
            jumps: Vec::new(),
            unfinished: None,
            has_read: false,
        }
    }

    /// Parses another part of the script. The files that it writes are made while it is read.
    pub(super) fn read(&mut self, ctx: &Context, source: Source) -> Result<(), ScriptError> {
        self.source = source;
        let is_first = !std::mem::replace(&mut self.has_read, true);
        if let Some(unfinished) = self.unfinished.take() {
            let action = self.go_on(unfinished)?;
            self.set_text(action);
        } else if is_first && self.source.take_if(b'#') {
            // GNU sed does not look at what follows the `n`.
            self.program.is_silent = self.source.take_if(b'n')
                && (!self.options.is_posix || matches!(self.source.peek(), None | Some(b'\n')));
            self.source.take_while(|byte| byte != b'\n');
        }
        while self.command(ctx)? {}
        Ok(())
    }

    /// The whole script, and where it writes.
    pub(super) fn finish(mut self) -> Result<(Program, Sinks), ScriptError> {
        if let Some(unfinished) = self.unfinished.take() {
            let action = self.end_of_text(&unfinished)?;
            self.set_text(action);
        }
        if let Some((_, place)) = self.open.pop() {
            return Err(ScriptError::At { place, fault: Fault::UnmatchedOpen });
        }
        self.resolve_jumps()?;
        self.program.end = self.source.line();
        Ok((self.program, self.sinks))
    }

    /// Gives the last command the text that was not whole before.
    fn set_text(&mut self, action: Action) {
        if let Some(command) = self.program.commands.last_mut() {
            command.action = action;
        }
    }

    pub(super) fn fault<T>(&self, fault: Fault) -> Result<T, ScriptError> {
        Err(self.source.fault(fault))
    }

    /// Parses a command; false at the end.
    fn command(&mut self, ctx: &Context) -> Result<bool, ScriptError> {
        self.source.take_while(|byte| byte == b';' || byte.is_ascii_whitespace() || byte == 0x0b);
        if self.source.peek().is_none() {
            return Ok(false);
        }
        let addresses = self.addresses()?;
        self.source.skip_blanks();
        let mut is_negated = false;
        while self.source.take_if(b'!') {
            if is_negated {
                return self.fault(Fault::SeveralNegations);
            }
            is_negated = true;
            self.source.skip_blanks();
        }
        let Some(letter) = self.source.next() else { return self.fault(Fault::MissingCommand) };
        let (has_address, has_range) = match &addresses {
            Some(addresses) => (true, addresses.second.is_some()),
            None => (false, false),
        };
        match letter {
            b'#' if has_address => return self.fault(Fault::CommentWithAddress),
            b':' if has_address => return self.fault(Fault::LabelWithAddress),
            b'}' if has_address && !self.open.is_empty() => return self.fault(Fault::CloseWithAddress),
            b'q' | b'Q' if has_range => return self.fault(Fault::OneAddress),
            b'=' | b'a' | b'i' | b'l' | b'r' if has_range && self.options.is_posix => {
                return self.fault(Fault::OneAddress);
            }
            _ => {}
        }
        if let Some(action) = self.action(ctx, letter)? {
            let (addresses, action) = match (addresses, action) {
                // `0r`: the file comes before the first line.
                (Some(Addresses { first: Address::Line(0), second: None }), Action::ReadFile(name)) => {
                    (Some(Addresses { first: Address::Line(1), second: None }), Action::InsertFile(name))
                }
                other => other,
            };
            self.program.commands.push(Command { addresses, is_negated, action });
        }
        Ok(true)
    }

    fn addresses(&mut self) -> Result<Option<Addresses>, ScriptError> {
        let is_relative = !self.options.is_posix && matches!(self.source.peek(), Some(b'+' | b'~'));
        let first = if is_relative {
            self.source.next();
            self.source.skip_blanks();
            if self.source.number().unwrap_or(0) > 0 {
                return self.fault(Fault::RelativeFirst);
            }
            Address::Every
        } else {
            let Some(first) = self.address()? else { return Ok(None) };
            first
        };
        self.source.skip_blanks();
        let second = if self.source.take_if(b',') {
            self.source.skip_blanks();
            Some(self.range_end()?)
        } else {
            None
        };
        if !matches!(first, Address::Line(0)) {
            return Ok(Some(Addresses { first, second }));
        }
        self.source.skip_blanks();
        let may_be_zero = match second {
            Some(RangeEnd::Regex(_)) => true,
            None => self.source.peek() == Some(b'r'),
            Some(_) => false,
        };
        if !may_be_zero || self.options.is_posix {
            self.source.next();
            return self.fault(Fault::LineZero);
        }
        Ok(Some(Addresses { first, second }))
    }

    fn range_end(&mut self) -> Result<RangeEnd, ScriptError> {
        if let Some(sign @ (b'+' | b'~')) = self.source.peek()
            && !self.options.is_posix
        {
            self.source.next();
            self.source.skip_blanks();
            let number = self.source.number().unwrap_or(0);
            return Ok(if sign == b'+' { RangeEnd::Plus(number) } else { RangeEnd::Multiple(number) });
        }
        match self.address()? {
            Some(Address::Line(number)) => Ok(RangeEnd::Line(number)),
            Some(Address::Last) => Ok(RangeEnd::Last),
            Some(Address::Regex(regex)) => Ok(RangeEnd::Regex(regex)),
            Some(Address::Step(first, step)) => Ok(RangeEnd::Step(first, step)),
            Some(Address::Every) | None => {
                self.source.next();
                self.fault(Fault::UnexpectedComma)
            }
        }
    }

    fn address(&mut self) -> Result<Option<Address>, ScriptError> {
        let delimiter = match self.source.peek() {
            Some(b'0'..=b'9') => {
                let first = self.source.number().unwrap_or(0);
                if self.options.is_posix {
                    return Ok(Some(Address::Line(first)));
                }
                self.source.skip_blanks();
                if !self.source.take_if(b'~') {
                    return Ok(Some(Address::Line(first)));
                }
                self.source.skip_blanks();
                let step = self.source.number().unwrap_or(0);
                return Ok(Some(if step == 0 { Address::Line(first) } else { Address::Step(first, step) }));
            }
            Some(b'$') => {
                self.source.next();
                return Ok(Some(Address::Last));
            }
            Some(b'/') => {
                self.source.next();
                b'/'
            }
            Some(b'\\') => {
                self.source.next();
                self.delimiter(Fault::UnterminatedAddress)?
            }
            _ => return Ok(None),
        };
        let kind = self.regex_kind();
        let Some(text) = delimited::read(&mut self.source, delimiter, kind) else {
            return self.fault(Fault::UnterminatedAddress);
        };
        let mut options = self.options.regex.clone();
        let mut has_modifiers = false;
        loop {
            self.source.skip_blanks();
            if self.options.is_posix {
                break;
            }
            if self.source.take_if(b'I') {
                options.ignore_case = true;
            } else if self.source.take_if(b'M') {
                options.newline_sensitive = self.options.has_newlines;
            } else {
                break;
            }
            has_modifiers = true;
        }
        Ok(Some(Address::Regex(self.regex(&text, &options, has_modifiers)?)))
    }

    fn regex_kind(&self) -> Kind {
        if self.options.is_posix { Kind::PosixRegex } else { Kind::Regex }
    }

    /// Compiles; an empty expression is the last one used.
    fn regex(
        &mut self,
        text: &[u8],
        options: &RegexOptions,
        has_modifiers: bool,
    ) -> Result<Option<Regex>, ScriptError> {
        if text.is_empty() {
            return if has_modifiers { self.fault(Fault::ModifierOnEmptyRegex) } else { Ok(None) };
        }
        let dialect = if self.options.is_posix { Dialect::SedPosix } else { Dialect::Sed };
        let options = RegexOptions { dialect, ..options.clone() };
        let expanded =
            delimited::expand_regex(text, self.regex_kind()).map_err(|fault| self.source.fault(fault))?;
        match Regex::new(&expanded, self.options.syntax, &options) {
            Ok(_) if has_bare_class(&expanded) => Err(ScriptError::BareClass),
            Ok(regex) => Ok(Some(regex)),
            Err(error @ RegexError::EscapedComma) => Err(ScriptError::SecondEngine(error)),
            Err(error) => self.fault(error.into()),
        }
    }

    /// The rest of a command; `None` where there is nothing to be done at run time.
    fn action(&mut self, ctx: &Context, letter: u8) -> Result<Option<Action>, ScriptError> {
        if self.options.is_posix && b"eFLQRTvWz".contains(&letter) {
            return self.fault(Fault::UnknownCommand(letter));
        }
        let action = match letter {
            b'#' => {
                self.source.take_while(|byte| byte != b'\n');
                return Ok(None);
            }
            b'{' => {
                let place = self.source.line();
                self.open.push((self.program.commands.len(), place));
                return Ok(Some(Action::Block(usize::MAX)));
            }
            b'}' => return self.close().map(|()| None),
            b':' => return self.label().map(|()| None),
            b'b' | b't' | b'T' => {
                let name = self.label_name();
                self.jumps.push((self.program.commands.len(), name));
                // The blank that ends the label ends the command.
                return Ok(Some(match letter {
                    b'b' => Action::Branch(usize::MAX),
                    b't' => Action::BranchIfReplaced(usize::MAX),
                    _ => Action::BranchUnlessReplaced(usize::MAX),
                }));
            }
            b'a' => return self.text(TextCommand::Append).map(Some),
            b'i' => return self.text(TextCommand::Insert).map(Some),
            b'c' => return self.text(TextCommand::Change).map(Some),
            b'r' => return self.file_name().map(|name| Some(Action::ReadFile(name))),
            b'R' => {
                let name = self.file_name()?;
                return Ok(Some(Action::ReadLine(intern(&mut self.program.inputs, name))));
            }
            b'w' => return self.output(ctx).map(|output| Some(Action::Write(output))),
            b'W' => return self.output(ctx).map(|output| Some(Action::WriteFirstLine(output))),
            b's' => return self.substitute(ctx).map(Some),
            b'y' => self.translate()?,
            b'q' | b'Q' | b'l' | b'L' => {
                self.source.skip_blanks();
                let number = if self.options.is_posix { None } else { self.source.number() };
                match letter {
                    b'q' => Action::Quit(number.unwrap_or(0) as u8),
                    b'Q' => Action::QuitSilently(number.unwrap_or(0) as u8),
                    b'l' => Action::List(number),
                    _ => return self.fault(Fault::UnknownCommand(b'L')),
                }
            }
            b'v' => {
                let version = self.label_name();
                if version_order(&version, b"4.9") == Ordering::Greater {
                    return self.fault(Fault::NewerVersion);
                }
                return Ok(None);
            }
            b'e' => return self.execute().map(Some),
            b'd' => Action::Delete,
            b'D' => Action::DeleteFirstLine,
            b'F' => Action::FileName,
            b'g' => Action::Get,
            b'G' => Action::GetAppended,
            b'h' => Action::Hold,
            b'H' => Action::HoldAppended,
            b'x' => Action::Exchange,
            b'n' => Action::Next,
            b'N' => Action::NextAppended,
            b'p' => Action::Print,
            b'P' => Action::PrintFirstLine,
            b'=' => Action::LineNumber,
            b'z' => Action::Zap,
            other => return self.fault(Fault::UnknownCommand(other)),
        };
        self.end()?;
        Ok(Some(action))
    }

    /// The end of a command: `;`, a newline, or what ends it without being taken.
    fn end(&mut self) -> Result<(), ScriptError> {
        self.source.skip_blanks();
        match self.source.next() {
            None | Some(b'\n' | b';') => Ok(()),
            Some(b'}' | b'#') => {
                self.source.back();
                Ok(())
            }
            Some(b'\r') if matches!(self.source.peek(), None | Some(b'\n')) => Ok(()),
            Some(_) => self.fault(Fault::ExtraCharacters),
        }
    }

    fn close(&mut self) -> Result<(), ScriptError> {
        let here = self.program.commands.len();
        let Some((start, _)) = self.open.pop() else { return self.fault(Fault::UnexpectedClose) };
        if let Some(Command { action: Action::Block(end), .. }) = self.program.commands.get_mut(start) {
            *end = here;
        }
        self.end()
    }

    fn label(&mut self) -> Result<(), ScriptError> {
        let name = self.label_name();
        if name.is_empty() {
            return self.fault(Fault::MissingLabel);
        }
        self.labels.insert(name, self.program.commands.len());
        Ok(())
    }

    fn label_name(&mut self) -> Vec<u8> {
        self.source.skip_blanks();
        self.source.take_while(|byte| !(b";}#".contains(&byte) || byte.is_ascii_whitespace())).to_metered()
    }

    fn resolve_jumps(&mut self) -> Result<(), ScriptError> {
        let end = self.program.commands.len();
        for (index, name) in std::mem::take(&mut self.jumps).into_iter().rev() {
            let target = if name.is_empty() {
                end
            } else {
                let found = self.labels.get(&name).copied();
                found.ok_or_else(|| ScriptError::Label(String::from_utf8_lossy(&name)))?
            };
            if let Some(Command { action, .. }) = self.program.commands.get_mut(index)
                && let Action::Branch(to) | Action::BranchIfReplaced(to) | Action::BranchUnlessReplaced(to) =
                    action
            {
                *to = target;
            }
        }
        Ok(())
    }

    fn file_name(&mut self) -> Result<Text, ScriptError> {
        if self.options.no_files {
            return self.fault(Fault::Disabled);
        }
        self.source.skip_blanks();
        let name = Text::from(self.source.take_while(|byte| byte != b'\n'));
        self.source.next();
        if name.is_empty() {
            return self.fault(Fault::MissingFileName);
        }
        Ok(name)
    }

    fn output(&mut self, ctx: &Context) -> Result<usize, ScriptError> {
        let name = self.file_name()?;
        self.sinks.open(ctx, name).map_err(ScriptError::Output)
    }

    fn delimiter(&mut self, unterminated: Fault) -> Result<u8, ScriptError> {
        match self.source.next() {
            None => self.fault(unterminated),
            Some(byte) if byte >= 0x80 => self.fault(Fault::WideDelimiter),
            Some(byte) => Ok(byte),
        }
    }

    fn substitute(&mut self, ctx: &Context) -> Result<Action, ScriptError> {
        let delimiter = self.delimiter(Fault::UnterminatedSubstitute)?;
        let kind = self.regex_kind();
        let Some(regex) = delimited::read(&mut self.source, delimiter, kind) else {
            return self.fault(Fault::UnterminatedSubstitute);
        };
        let Some(text) = delimited::read(&mut self.source, delimiter, Kind::Text) else {
            return self.fault(Fault::UnterminatedSubstitute);
        };
        let (replacement, greatest_group) =
            delimited::replacement(&text, self.options.is_posix).map_err(|fault| self.source.fault(fault))?;
        let mut substitution = Substitution {
            regex: None,
            replacement,
            greatest_group,
            is_global: false,
            number: 0,
            executes: false,
            prints: false,
            output: None,
        };
        let mut options = self.options.regex.clone();
        let has_modifiers = self.flags(ctx, &mut substitution, &mut options)?;
        substitution.regex = self.regex(&regex, &options, has_modifiers)?;
        if let Some(regex) = &substitution.regex
            && regex.group_count() < greatest_group
            && !self.options.is_posix
        {
            return self.fault(Fault::InvalidReference(greatest_group));
        }
        if substitution.executes && self.options.no_files {
            return self.fault(Fault::Disabled);
        }
        substitution.number = substitution.number.max(1);
        Ok(Action::Substitute(boxed(substitution)))
    }

    /// The flags of `s`; whether there are some that say how the expression is read.
    fn flags(
        &mut self,
        ctx: &Context,
        substitution: &mut Substitution,
        options: &mut RegexOptions,
    ) -> Result<bool, ScriptError> {
        let mut has_modifiers = false;
        loop {
            match self.source.next() {
                Some(b'i' | b'I' | b'm' | b'M' | b'e') if self.options.is_posix => {
                    return self.fault(Fault::UnknownSubstituteOption);
                }
                Some(b'i' | b'I') => {
                    options.ignore_case = true;
                    has_modifiers = true;
                }
                Some(b'm' | b'M') => {
                    options.newline_sensitive = self.options.has_newlines;
                    has_modifiers = true;
                }
                Some(b'e') => substitution.executes = true,
                Some(b'p') if substitution.prints => return self.fault(Fault::SeveralPrints),
                Some(b'p') => substitution.prints = true,
                Some(b'g') if substitution.is_global => return self.fault(Fault::SeveralGlobals),
                Some(b'g') => substitution.is_global = true,
                Some(b'w') => {
                    substitution.output = Some(self.output(ctx)?);
                    return Ok(has_modifiers);
                }
                Some(b'0'..=b'9') => {
                    if substitution.number > 0 {
                        return self.fault(Fault::SeveralNumbers);
                    }
                    self.source.back();
                    substitution.number = self.source.number().unwrap_or(0);
                    if substitution.number == 0 {
                        return self.fault(Fault::ZeroNumber);
                    }
                }
                Some(b'}' | b'#') => {
                    self.source.back();
                    return Ok(has_modifiers);
                }
                Some(b' ' | b'\t') => {}
                None | Some(b'\n' | b';') => return Ok(has_modifiers),
                Some(b'\r') if matches!(self.source.peek(), None | Some(b'\n')) => return Ok(has_modifiers),
                Some(_) => return self.fault(Fault::UnknownSubstituteOption),
            }
        }
    }

    fn translate(&mut self) -> Result<Action, ScriptError> {
        let delimiter = self.delimiter(Fault::UnterminatedTranslate)?;
        let from = delimited::read(&mut self.source, delimiter, Kind::Text);
        let to = if from.is_some() { delimited::read(&mut self.source, delimiter, Kind::Text) } else { None };
        let (Some(from), Some(to)) = (from, to) else { return self.fault(Fault::UnterminatedTranslate) };
        match delimited::translation(&from, &to) {
            Ok(translation) => Ok(Action::Translate(boxed(translation))),
            Err(fault) => self.fault(fault),
        }
    }
}

/// The index of a name in a list, to which it is added.
fn intern(names: &mut Vec<Text>, name: Text) -> usize {
    if let Some(found) = names.iter().position(|known| *known == name) {
        return found;
    }
    names.add(name)
}

/// Compares versions: runs of digits as numbers, unless one begins with a zero, and all else byte by byte.
fn version_order(one: &[u8], other: &[u8]) -> Ordering {
    let mut at = 0;
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    loop {
        let (left, right) = (one.get(at..).unwrap_or_default(), other.get(at..).unwrap_or_default());
        let (Some(&first), Some(&second)) = (left.first(), right.first()) else {
            return left.len().cmp(&right.len());
        };
        let (length, other_length) = (digits(left), digits(right));
        if length > 0 && other_length > 0 && first != b'0' && second != b'0' && length != other_length {
            return length.cmp(&other_length);
        }
        if first != second {
            return first.cmp(&second);
        }
        at += 1;
    }
}
