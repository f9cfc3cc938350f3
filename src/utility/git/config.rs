//! Configuration files: `[section "subsection"]`, `key = value`. Names are compared with section and key in lower case; the
//! last value of a name counts.

use super::error::{GitError, Result, fatal};
use crate::memory::{String, ToMetered, Vec, format};
use crate::text::Text;

/// Where an entry comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    System,
    Global,
    Local,
    Worktree,
    Command,
}

impl Scope {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Global => "global",
            Self::Local => "local",
            Self::Worktree => "worktree",
            Self::Command => "command",
        }
    }
}

/// A value of a name.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// `section.subsection.key`
    pub(crate) name: Text,
    /// `None`: a key alone, which is true.
    pub(crate) value: Option<Text>,
    pub(crate) scope: Scope,
    /// `file:PATH`, `blob:NAME`, `standard input:` or `command line:`.
    pub(crate) origin: Text,
    /// The number of the line that it ends in; 0 on the command line.
    pub(crate) line: usize,
}

/// The origin of what the command line sets.
pub(crate) const COMMAND_LINE: &[u8] = b"command line:";

/// All entries, those that count more later.
#[derive(Clone, Debug, Default)]
pub(crate) struct Config {
    pub(crate) entries: Vec<Entry>,
}

/// An entry in the text of a file.
#[derive(Clone, Debug)]
pub(crate) struct EntryPlace {
    pub(crate) name: Text,
    pub(crate) value: Option<Text>,
    /// `[start, end)`, from its name to the end of its line; the head of a section has no key.
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) is_header: bool,
}

/// A name with its section and its key in lower case; `None`: no such name can be.
pub(crate) fn canonical(name: &[u8]) -> Option<Text> {
    let first = memchr::memchr(b'.', name)?;
    let last = memchr::memrchr(b'.', name)?;
    let mut text: Vec<u8> = name.to_metered();
    let (section, key) = (name.get(..first)?, name.get(last + 1..)?);
    let is_word = |word: &[u8]| word.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    if section.is_empty()
        || !is_word(section)
        || !is_word(key)
        || !key.first()?.is_ascii_alphabetic()
        || name.contains(&b'\n')
    {
        return None;
    }
    text.get_mut(..first)?.make_ascii_lowercase();
    text.get_mut(last + 1..)?.make_ascii_lowercase();
    Some(text.into())
}

/// The mark that a text in UTF-8 may start with.
pub(crate) const MARK: &[u8] = b"\xef\xbb\xbf";

/// Whether a byte is white space to git.
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

struct Parser<'t> {
    text: &'t [u8],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn skip_line(&mut self) {
        while let Some(byte) = self.next() {
            if byte == b'\n' {
                return;
            }
        }
    }

    /// `section "subsection"]` after the bracket, with a dot at its end.
    fn header(&mut self, name: &mut Vec<u8>) -> Option<()> {
        loop {
            match self.next()? {
                b']' => break,
                b' ' | b'\t' => {
                    while matches!(self.peek(), Some(b' ' | b'\t')) {
                        self.at += 1;
                    }
                    if self.next()? != b'"' {
                        return None;
                    }
                    name.push(b'.');
                    loop {
                        match self.next()? {
                            b'"' => break,
                            b'\n' => return None,
                            b'\\' => name.push(self.next().filter(|byte| *byte != b'\n')?),
                            byte => name.push(byte),
                        }
                    }
                    if self.next()? != b']' {
                        return None;
                    }
                    break;
                }
                byte if byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.' => {
                    name.push(byte.to_ascii_lowercase());
                }
                _ => return None,
            }
        }
        name.push(b'.');
        Some(())
    }

    /// What stands after `=`, up to the end of the line.
    fn value(&mut self) -> Option<Vec<u8>> {
        let (mut value, mut kept, mut quoted) = (Vec::new(), 0, false);
        while let Some(byte) = self.next() {
            match byte {
                b'\n' if quoted => return None,
                b'\n' => break,
                b'\r' if self.peek() == Some(b'\n') => continue,
                b' ' | b'\t' | b'\r' if !quoted => {
                    if !value.is_empty() {
                        value.push(byte);
                    }
                    continue;
                }
                b'#' | b';' if !quoted => {
                    self.skip_line();
                    break;
                }
                b'"' => quoted = !quoted,
                b'\\' => match self.next() {
                    Some(b'\n') => continue,
                    Some(b'r') => return None,
                    Some(b't') => value.push(b'\t'),
                    Some(b'b') => value.push(8),
                    Some(b'n') => value.push(b'\n'),
                    Some(other @ (b'"' | b'\\')) => value.push(other),
                    _ => return None,
                },
                other => value.push(other),
            }
            kept = value.len();
        }
        if quoted {
            return None;
        }
        value.truncate(kept);
        Some(value)
    }
}

/// What cannot be read of a file.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// The number of its line.
    pub(crate) line: usize,
    /// As much as was read of the name, where the head of a section is at fault.
    pub(crate) header: Option<Text>,
}

/// The entries of a file and the heads of its sections, in order.
///
/// # Errors
/// What cannot be read.
pub(crate) fn places(text: &[u8]) -> std::result::Result<Vec<EntryPlace>, Fault> {
    let mut places = Vec::new();
    match add_places(text, &mut places) {
        None => Ok(places),
        Some(fault) => Err(fault),
    }
}

/// Adds what [`places`] finds, up to a fault.
fn add_places(text: &[u8], places: &mut Vec<EntryPlace>) -> Option<Fault> {
    let fault = |at: usize| Some(Fault { line: line_number(text, at), header: None });
    let body = text.strip_prefix(MARK).unwrap_or(text);
    let skipped = text.len() - body.len();
    let mut parser = Parser { text, at: skipped };
    let mut section: Vec<u8> = Vec::new();
    while let Some(byte) = parser.peek() {
        match byte {
            b'#' | b';' => parser.skip_line(),
            _ if is_blank(byte) => parser.at += 1,
            b'[' => {
                let start = parser.at;
                parser.at += 1;
                let mut name: Vec<u8> = Vec::new();
                let is_whole = parser.header(&mut name).is_some();
                if !is_whole || name.len() < 2 {
                    name.truncate(if is_whole { 0 } else { name.len() });
                    // The end of the text counts as the end of a line.
                    let is_cut = parser.at >= text.len() && text.last() != Some(&b'\n');
                    let line = line_number(text, parser.at) + usize::from(is_cut);
                    return Some(Fault { line, header: Some(name.into()) });
                }
                section = name;
                let name = Text::from(section.as_slice());
                places.push(EntryPlace { name, value: None, start, end: parser.at, is_header: true });
            }
            _ if byte.is_ascii_alphabetic() => {
                let start = parser.at;
                let mut name: Vec<u8> = section.clone();
                while let Some(byte) =
                    parser.peek().filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
                {
                    name.push(byte.to_ascii_lowercase());
                    parser.at += 1;
                }
                while matches!(parser.peek(), Some(b' ' | b'\t')) {
                    parser.at += 1;
                }
                let value = match parser.peek() {
                    Some(b'=') => {
                        parser.at += 1;
                        let before = parser.at;
                        let Some(value) = parser.value() else { return fault(before) };
                        Some(Text::from(value))
                    }
                    Some(b'\r') if text.get(parser.at + 1) == Some(&b'\n') => {
                        parser.skip_line();
                        None
                    }
                    None | Some(b'\n') => {
                        parser.skip_line();
                        None
                    }
                    Some(_) => return fault(parser.at),
                };
                places.push(EntryPlace { name: name.into(), value, start, end: parser.at, is_header: false });
            }
            _ => return fault(parser.at + 1),
        }
    }
    None
}

fn line_number(text: &[u8], at: usize) -> usize {
    let before = text.get(..at.min(text.len())).unwrap_or(text);
    let before = before.strip_suffix(b"\n").unwrap_or(before);
    memchr::memchr_iter(b'\n', before).count() + 1
}

impl Config {
    /// Adds the entries of a text, and after an entry what `included` finds that it includes.
    ///
    /// # Errors
    /// What cannot be read; the entries before it are added.
    pub(crate) fn add_text(
        &mut self,
        text: &[u8],
        scope: Scope,
        origin: &Text,
        included: &mut dyn FnMut(&mut Self, &Entry) -> Result<()>,
    ) -> Result<()> {
        let mut places = Vec::new();
        let fault = add_places(text, &mut places);
        let (mut line, mut counted) = (1, 0);
        for place in places.into_iter().filter(|place| !place.is_header) {
            let EntryPlace { name, value, end, .. } = place;
            // The end of its last line belongs to that line.
            let last =
                end.saturating_sub(usize::from(text.get(..end).is_some_and(|text| text.ends_with(b"\n"))));
            line += memchr::memchr_iter(b'\n', text.get(counted..last).unwrap_or(&[])).count();
            counted = last.max(counted);
            let entry = Entry { name, value, scope, origin: origin.clone(), line };
            self.entries.push(entry.clone());
            included(self, &entry)?;
        }
        match fault {
            None => Ok(()),
            Some(fault) => Err(bad_line(fault.line, origin)),
        }
    }

    /// Adds `name=value` of the command line.
    pub(crate) fn add_parameter(&mut self, text: &[u8]) -> Result<()> {
        let (name, value) = match memchr::memchr(b'=', text) {
            Some(at) => (text.get(..at).unwrap_or(text), text.get(at + 1..)),
            None => (text, None),
        };
        let Some(name) = canonical(name) else {
            return Err(fatal!("unable to parse '{}' from command-line config", bstr::BStr::new(text)));
        };
        let origin = Text::from_static(COMMAND_LINE);
        self.entries.push(Entry {
            name,
            value: value.map(Text::from),
            scope: Scope::Command,
            origin,
            line: 0,
        });
        Ok(())
    }

    /// The value that counts; a key alone is the empty text.
    pub(crate) fn get(&self, name: &str) -> Option<&[u8]> {
        let entry = self.entries.iter().rev().find(|entry| entry.name == name.as_bytes())?;
        Some(entry.value.as_ref().map_or(&b""[..], Text::as_bytes))
    }

    /// The value of `section.NAME.key`.
    pub(crate) fn get_in(&self, section: &str, name: &[u8], key: &str) -> Option<&[u8]> {
        use crate::memory::JoinMetered as _;
        let full = [section.as_bytes(), b".", name, b".", key.as_bytes()].concat_metered();
        let entry = self.entries.iter().rev().find(|entry| *entry.name == *full)?;
        Some(entry.value.as_ref().map_or(&b""[..], Text::as_bytes))
    }

    /// Every value of a name, in order.
    pub(crate) fn all<'c>(&'c self, name: &'c [u8]) -> impl Iterator<Item = &'c Entry> {
        self.entries.iter().filter(move |entry| *entry.name == *name)
    }

    /// The truth of a name; `None` where it is not set or is not a boolean.
    pub(crate) fn truth(&self, name: &str) -> Option<bool> {
        let entry = self.entries.iter().rev().find(|entry| entry.name == name.as_bytes())?;
        match &entry.value {
            None => Some(true),
            Some(value) => truth(value),
        }
    }

    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        number(self.get(name)?)
    }
}

/// Where an origin is, as messages say it: `in file PATH`; `None` for the command line.
pub(crate) fn told(origin: &Text) -> Option<String> {
    let at = memchr::memchr(b':', origin)?;
    let (kind, name) = (origin.get(..at)?, bstr::BStr::new(origin.get(at + 1..)?));
    match kind {
        b"command line" => None,
        b"standard input" => Some("in standard input".into()),
        kind => Some(format!("in {} {name}", bstr::BStr::new(kind))),
    }
}

/// What the origin of entries is called.
pub(crate) fn origin(kind: &str, name: &[u8]) -> Text {
    use crate::memory::JoinMetered as _;
    Text::from([kind.as_bytes(), b":", name].concat_metered())
}

/// What is said of an entry that cannot be taken, after the words that say why.
pub(crate) fn bad_entry(words: &str, entry: &Entry) -> GitError {
    match bad_line(entry.line, &entry.origin) {
        GitError::Fatal(text) => GitError::Plain(format!("error: {words}\nfatal: {text}\n"), 128),
        GitError::Error(text, status) => GitError::Plain(format!("error: {words}\nerror: {text}\n"), status),
        other => other,
    }
}

/// What is said of a line that cannot be taken. Git goes on after a blob, which ends what reads it.
pub(crate) fn bad_line(line: usize, origin: &Text) -> GitError {
    match told(origin) {
        None => fatal!("unable to parse command-line config"),
        Some(place) if origin.starts_with(b"blob:") => {
            GitError::Error(format!("bad config line {line} {place}"), 128)
        }
        Some(place) => fatal!("bad config line {line} {place}"),
    }
}

/// A word for true or for false; `None` for a number and any other text.
pub(crate) fn truth_word(value: &[u8]) -> Option<bool> {
    let is = |words: &[&str]| words.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(value));
    if is(&["true", "yes", "on"]) {
        Some(true)
    } else if value.is_empty() || is(&["false", "no", "off"]) {
        Some(false)
    } else {
        None
    }
}

/// `true`, `yes`, `on`, a number that is not 0; or the contrary.
pub(crate) fn truth(value: &[u8]) -> Option<bool> {
    truth_word(value).or_else(|| parse_number(value, i64::from(i32::MAX)).ok().map(|number| number != 0))
}

/// A number, perhaps with `k`, `m` or `g`.
pub(crate) fn number(value: &[u8]) -> Option<i64> {
    parse_number(value, i64::MAX).ok()
}

/// A number as C writes it (`0x10`, `010`), perhaps with `k`, `m` or `g`, from `-most` to `most`.
///
/// # Errors
/// What git says is wrong with it.
pub(crate) fn parse_number(value: &[u8], most: i64) -> std::result::Result<i64, &'static str> {
    const UNIT: &str = "invalid unit";
    let text = value.trim_ascii_start();
    let (is_negative, text) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    };
    let hexadecimal = text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"0X"));
    let (digits, radix) = match hexadecimal.filter(|rest| rest.first().is_some_and(u8::is_ascii_hexdigit)) {
        Some(rest) => (rest, 16),
        None if text.first() == Some(&b'0') => (text, 8),
        None => (text, 10),
    };
    let count = digits.iter().take_while(|byte| char::from(**byte).is_digit(radix)).count();
    let (digits, unit) = digits.split_at(count);
    if count == 0 {
        return Err(UNIT);
    }
    let factor = match unit {
        [] => 1,
        [b'k' | b'K'] => 1 << 10,
        [b'm' | b'M'] => 1 << 20,
        [b'g' | b'G'] => 1 << 30,
        _ => return Err(UNIT),
    };
    let mut number: i64 = 0;
    for digit in digits.iter().filter_map(|byte| char::from(*byte).to_digit(radix)) {
        let next = number.checked_mul(i64::from(radix)).and_then(|next| next.checked_add(i64::from(digit)));
        number = next.ok_or("out of range")?;
    }
    let number = number.checked_mul(factor).filter(|number| *number <= most).ok_or("out of range")?;
    Ok(if is_negative { -number } else { number })
}

/// A value as it is written into a file.
pub(crate) fn quoted(value: &[u8]) -> Vec<u8> {
    let special = |byte: &u8| matches!(byte, b'#' | b';' | b'\n' | b'\r' | 0x0b | 0x0c);
    let needs = value.starts_with(b" ")
        || value.ends_with(b" ")
        || value.starts_with(b"\t")
        || value.ends_with(b"\t")
        || value.iter().any(special);
    let mut out: Vec<u8> = Vec::new();
    if needs {
        out.push(b'"');
    }
    for &byte in value {
        match byte {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            _ => out.push(byte),
        }
    }
    if needs {
        out.push(b'"');
    }
    out
}

/// The head of the section that a name is in.
pub(crate) fn header(name: &[u8]) -> Vec<u8> {
    let first = memchr::memchr(b'.', name).unwrap_or(name.len());
    let last = memchr::memrchr(b'.', name).unwrap_or(first);
    let mut text: Vec<u8> = Vec::new();
    text.push(b'[');
    text.extend_from_slice(name.get(..first).unwrap_or(name));
    if let Some(inside) = name.get(first + 1..last) {
        text.extend_from_slice(b" \"");
        for byte in inside {
            if matches!(byte, b'"' | b'\\') {
                text.push(b'\\');
            }
            text.push(*byte);
        }
        text.push(b'"');
    }
    text.push(b']');
    text
}
