//! Parses a script: addresses, then a command with its own arguments. GNU sed 4.9.
//!
//! Blocks are kept on a list of open ones, labels are resolved at the end; nothing recurses.

use super::delimited;
use super::error::{Fault, ScriptError};
use super::program::{Action, Address, Addresses, Command, Program, RangeEnd, Substitution};
use super::source::Source;
use crate::memory::{HashMap, String, ToMetered, Vec, boxed};
use crate::text::Text;
use crate::utility::regex::{Dialect, Regex, RegexOptions, Syntax};

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

struct Parser<'s> {
    source: &'s mut Source,
    options: ParseOptions,
    program: Program,
    open: Vec<usize>,
    labels: HashMap<Vec<u8>, usize>,
    jumps: Vec<(usize, Vec<u8>)>,
}

/// Parses the whole of `source`.
pub(super) fn parse(source: &mut Source, options: ParseOptions) -> Result<Program, ScriptError> {
    let mut program = Program::default();
    if source.peek() == Some(b'#') {
        source.next();
        // GNU sed does not look at what follows the `n`.
        program.is_silent =
            source.take_if(b'n') && (!options.is_posix || matches!(source.peek(), None | Some(b'\n')));
        source.take_while(|byte| byte != b'\n');
    }
    let mut parser =
        Parser { source, options, program, open: Vec::new(), labels: HashMap::default(), jumps: Vec::new() };
    while parser.command()? {}
    if !parser.open.is_empty() {
        return Err(parser.source.whole_fault(Fault::UnmatchedOpen));
    }
    parser.resolve_jumps()?;
    Ok(parser.program)
}

impl Parser<'_> {
    fn fault<T>(&self, fault: Fault) -> Result<T, ScriptError> {
        Err(self.source.fault(fault))
    }

    /// Parses a command; false at the end.
    fn command(&mut self) -> Result<bool, ScriptError> {
        self.source.take_while(|byte| byte == b';' || byte.is_ascii_whitespace() || byte == 0x0b);
        if self.source.peek().is_none() {
            return Ok(false);
        }
        let addresses = self.addresses()?;
        self.source.skip_spaces();
        let mut is_negated = false;
        while self.source.take_if(b'!') {
            if is_negated {
                return self.fault(Fault::SeveralNegations);
            }
            is_negated = true;
            self.source.skip_spaces();
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
            _ => {}
        }
        if let Some(action) = self.action(letter)? {
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
        let Some(first) = self.address()? else { return Ok(None) };
        self.source.skip_spaces();
        let second = if self.source.take_if(b',') {
            self.source.skip_spaces();
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
        match self.source.peek() {
            Some(b'+') => {
                self.source.next();
                return Ok(RangeEnd::Plus(self.source.number().unwrap_or(0)));
            }
            Some(b'~') => {
                self.source.next();
                return Ok(RangeEnd::Multiple(self.source.number().unwrap_or(0)));
            }
            _ => {}
        }
        match self.address()? {
            Some(Address::Line(number)) => Ok(RangeEnd::Line(number)),
            Some(Address::Last) => Ok(RangeEnd::Last),
            Some(Address::Regex(regex)) => Ok(RangeEnd::Regex(regex)),
            Some(Address::Step(first, step)) => Ok(RangeEnd::Step(first, step)),
            None => {
                self.source.next();
                self.fault(Fault::UnexpectedComma)
            }
        }
    }

    fn address(&mut self) -> Result<Option<Address>, ScriptError> {
        let delimiter = match self.source.peek() {
            Some(b'0'..=b'9') => {
                let first = self.source.number().unwrap_or(0);
                self.source.skip_blanks();
                if !self.source.take_if(b'~') {
                    return Ok(Some(Address::Line(first)));
                }
                self.source.skip_blanks();
                let step = self.source.number().unwrap_or(0);
                return Ok(Some(if step == 0 { Address::Line(first) } else { Address::Step(first, step) }));
            }
            Some(b'+') => {
                // `+N` without an address before it is taken for `N`'s worth of nothing: the command applies to all.
                self.source.next();
                self.source.number();
                return Ok(None);
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
                match self.source.next() {
                    Some(delimiter) => delimiter,
                    None => return self.fault(Fault::UnterminatedAddress),
                }
            }
            _ => return Ok(None),
        };
        let Some(text) = delimited::read(self.source, delimiter, true) else {
            return self.fault(Fault::UnterminatedAddress);
        };
        let mut options = self.options.regex.clone();
        loop {
            self.source.skip_blanks();
            if self.source.take_if(b'I') {
                options.ignore_case = true;
            } else if self.source.take_if(b'M') {
                options.newline_sensitive = self.options.has_newlines;
            } else {
                break;
            }
        }
        Ok(Some(Address::Regex(self.regex(&text, &options)?)))
    }

    /// Compiles; an empty expression is the last one used.
    fn regex(&mut self, text: &[u8], options: &RegexOptions) -> Result<Option<Regex>, ScriptError> {
        if text.is_empty() {
            return if options.ignore_case || options.newline_sensitive {
                self.fault(Fault::ModifierOnEmptyRegex)
            } else {
                Ok(None)
            };
        }
        let options = RegexOptions { dialect: Dialect::Sed, ..options.clone() };
        let expanded = delimited::expand_regex(text).map_err(|fault| self.source.fault(fault))?;
        match Regex::new(&expanded, self.options.syntax, &options) {
            Ok(regex) => Ok(Some(regex)),
            Err(error) => self.fault(error.into()),
        }
    }

    /// The rest of a command; `None` where there is nothing to be done at run time.
    fn action(&mut self, letter: u8) -> Result<Option<Action>, ScriptError> {
        if self.options.is_posix && b"eFLQRTvWz".contains(&letter) {
            return self.fault(Fault::UnknownCommand(char::from(letter)));
        }
        let action = match letter {
            b'#' => {
                self.source.take_while(|byte| byte != b'\n');
                return Ok(None);
            }
            b'{' => {
                self.open.push(self.program.commands.len());
                return Ok(Some(Action::Block(usize::MAX)));
            }
            b'}' => return self.close().map(|()| None),
            b':' => return self.label().map(|()| None),
            b'b' | b't' | b'T' => {
                let name = self.label_name();
                self.jumps.push((self.program.commands.len(), name));
                match letter {
                    b'b' => Action::Branch(usize::MAX),
                    b't' => Action::BranchIfReplaced(usize::MAX),
                    _ => Action::BranchUnlessReplaced(usize::MAX),
                }
            }
            b'a' => return self.text().map(|text| Some(Action::Append(text))),
            b'i' => return self.text().map(|text| Some(Action::Insert(text))),
            b'c' => return self.text().map(|text| Some(Action::Change(text))),
            b'r' => return self.file_name().map(|name| Some(Action::ReadFile(name))),
            b'R' => {
                let name = self.file_name()?;
                return Ok(Some(Action::ReadLine(intern(&mut self.program.inputs, name))));
            }
            b'w' => return self.output().map(|output| Some(Action::Write(output))),
            b'W' => return self.output().map(|output| Some(Action::WriteFirstLine(output))),
            b's' => return self.substitute().map(Some),
            b'y' => self.translate()?,
            b'q' | b'Q' | b'l' | b'L' => {
                self.source.skip_blanks();
                let number = self.source.number();
                match letter {
                    b'q' => Action::Quit(number.unwrap_or(0) as u8),
                    b'Q' => Action::QuitSilently(number.unwrap_or(0) as u8),
                    b'l' => Action::List(number),
                    _ => return self.fault(Fault::UnknownCommand('L')),
                }
            }
            b'v' => {
                self.source.skip_blanks();
                let version =
                    self.source.take_while(|byte| byte.is_ascii_digit() || byte == b'.').to_metered();
                if is_newer(&version) {
                    return self.fault(Fault::NewerVersion);
                }
                Action::Nothing
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
            other => {
                let shown = if other.is_ascii() { char::from(other) } else { char::REPLACEMENT_CHARACTER };
                return self.fault(Fault::UnknownCommand(shown));
            }
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
        let Some(start) = self.open.pop() else { return self.fault(Fault::UnexpectedClose) };
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
        self.source
            .take_while(|byte| !(byte == b';' || byte == b'}' || byte.is_ascii_whitespace()))
            .to_metered()
    }

    fn resolve_jumps(&mut self) -> Result<(), ScriptError> {
        let end = self.program.commands.len();
        for (index, name) in std::mem::take(&mut self.jumps) {
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

    /// The text of `a`, `i`, `c`: on the same line, or after a backslash on the next.
    fn text(&mut self) -> Result<Text, ScriptError> {
        self.source.skip_blanks();
        if self.source.peek().is_none() {
            return self.fault(Fault::ExpectedBackslash);
        }
        let mut raw = Vec::new();
        if self.source.take_if(b'\\') {
            let blanks = self.source.take_while(|byte| matches!(byte, b' ' | b'\t')).to_metered();
            if self.source.peek().is_none() {
                return Ok(Text::EMPTY);
            }
            if !self.source.take_if(b'\n') {
                raw.extend(blanks);
                // `a\text`: the backslash belongs to the command, so `t` is no tab.
                if self.source.peek() != Some(b'\\')
                    && let Some(first) = self.source.next()
                {
                    raw.extend([b'\\', b'd', first / 100 + b'0', first / 10 % 10 + b'0', first % 10 + b'0']);
                }
            }
        } else if self.options.is_posix || self.source.peek() == Some(b'\n') {
            return self.fault(Fault::ExpectedBackslash);
        }
        while let Some(byte) = self.source.next() {
            match byte {
                b'\n' => break,
                b'\\' => {
                    raw.push(byte);
                    raw.extend(self.source.next());
                }
                _ => raw.push(byte),
            }
        }
        raw.push(b'\n');
        delimited::text(&raw).map(Text::from).map_err(|fault| self.source.fault(fault))
    }

    /// The command of `e`, which is written as the text of `a` is.
    fn execute(&mut self) -> Result<Action, ScriptError> {
        if self.options.no_files {
            return self.fault(Fault::Disabled);
        }
        self.source.skip_blanks();
        if matches!(self.source.peek(), None | Some(b'\n')) {
            self.source.next();
            return Ok(Action::Execute(None));
        }
        self.text().map(|text| Action::Execute(Some(text)))
    }

    fn file_name(&mut self) -> Result<Text, ScriptError> {
        if self.options.no_files {
            return self.fault(Fault::Disabled);
        }
        self.source.skip_blanks();
        let name = Text::from(self.source.take_while(|byte| byte != b'\n'));
        if name.is_empty() {
            return self.fault(Fault::MissingFileName);
        }
        self.source.next();
        Ok(name)
    }

    fn output(&mut self) -> Result<usize, ScriptError> {
        let name = self.file_name()?;
        Ok(intern(&mut self.program.outputs, name))
    }

    fn delimiter(&mut self, unterminated: Fault) -> Result<u8, ScriptError> {
        match self.source.next() {
            None | Some(b'\n' | b'\\') => self.fault(unterminated),
            Some(byte) if byte >= 0x80 => self.fault(Fault::WideDelimiter),
            Some(byte) => Ok(byte),
        }
    }

    fn substitute(&mut self) -> Result<Action, ScriptError> {
        let delimiter = self.delimiter(Fault::UnterminatedSubstitute)?;
        let Some(regex) = delimited::read(self.source, delimiter, true) else {
            return self.fault(Fault::UnterminatedSubstitute);
        };
        let Some(text) = delimited::read(self.source, delimiter, false) else {
            return self.fault(Fault::UnterminatedSubstitute);
        };
        let (replacement, greatest_group) =
            delimited::replacement(&text).map_err(|fault| self.source.fault(fault))?;
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
        self.flags(&mut substitution, &mut options)?;
        substitution.regex = self.regex(&regex, &options)?;
        if let Some(regex) = &substitution.regex
            && regex.group_count() < greatest_group
        {
            return self.fault(Fault::InvalidReference(greatest_group));
        }
        substitution.number = substitution.number.max(1);
        Ok(Action::Substitute(boxed(substitution)))
    }

    fn flags(
        &mut self,
        substitution: &mut Substitution,
        options: &mut RegexOptions,
    ) -> Result<(), ScriptError> {
        loop {
            match self.source.next() {
                Some(b'i' | b'I') => options.ignore_case = true,
                Some(b'm' | b'M') => options.newline_sensitive = self.options.has_newlines,
                Some(b'e') if self.options.no_files => return self.fault(Fault::Disabled),
                Some(b'e') => substitution.executes = true,
                Some(b'p') if substitution.prints => return self.fault(Fault::SeveralPrints),
                Some(b'p') => substitution.prints = true,
                Some(b'g') if substitution.is_global => return self.fault(Fault::SeveralGlobals),
                Some(b'g') => substitution.is_global = true,
                Some(b'w') => {
                    substitution.output = Some(self.output()?);
                    return Ok(());
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
                    return Ok(());
                }
                Some(b' ' | b'\t') => {}
                None | Some(b'\n' | b';') => return Ok(()),
                Some(b'\r') if matches!(self.source.peek(), None | Some(b'\n')) => return Ok(()),
                Some(_) => return self.fault(Fault::UnknownSubstituteOption),
            }
        }
    }

    fn translate(&mut self) -> Result<Action, ScriptError> {
        let delimiter = self.delimiter(Fault::UnterminatedTranslate)?;
        let from = delimited::read(self.source, delimiter, false);
        let to = if from.is_some() { delimited::read(self.source, delimiter, false) } else { None };
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

/// Whether a version is newer than the GNU sed that this one follows.
fn is_newer(version: &[u8]) -> bool {
    let text = String::from_utf8_lossy(version);
    let mut numbers = text.split('.').map(|part| part.parse::<u64>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) > (4, 9)
}
