//! Configuration files: `[section "subsection"]`, `key = value`. Names are compared with section and key in lower case; the
//! last value of a name counts.

use super::error::{Result, fatal};
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
    /// `file:PATH`, or `command line:`.
    pub(crate) origin: Text,
}

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
    /// `[start, end)` of its lines; the head of a section has no key.
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
    if section.is_empty() || !is_word(section) || !is_word(key) || !key.first()?.is_ascii_alphabetic() {
        return None;
    }
    text.get_mut(..first)?.make_ascii_lowercase();
    text.get_mut(last + 1..)?.make_ascii_lowercase();
    Some(text.into())
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
    fn header(&mut self) -> Option<Vec<u8>> {
        let mut name: Vec<u8> = Vec::new();
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
                            b'\\' => name.push(self.next()?),
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
        Some(name)
    }

    /// What stands after `=`, up to the end of the line.
    fn value(&mut self) -> Option<Vec<u8>> {
        let (mut value, mut kept, mut quoted) = (Vec::new(), 0, false);
        while let Some(byte) = self.next() {
            match byte {
                b'\n' if quoted => return None,
                b'\n' => break,
                b'\r' if self.peek() == Some(b'\n') => {}
                b' ' | b'\t' if !quoted => {
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

/// The entries of a file and the heads of its sections, in order.
///
/// # Errors
/// The number of the line that cannot be read.
pub(crate) fn places(text: &[u8]) -> std::result::Result<Vec<EntryPlace>, usize> {
    let body = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let skipped = text.len() - body.len();
    let mut parser = Parser { text, at: skipped };
    let mut places = Vec::new();
    let mut section: Vec<u8> = Vec::new();
    let mut line_start = skipped;
    while let Some(byte) = parser.peek() {
        match byte {
            b'\n' => {
                parser.at += 1;
                line_start = parser.at;
            }
            b'#' | b';' => {
                parser.skip_line();
                line_start = parser.at;
            }
            _ if byte.is_ascii_whitespace() => parser.at += 1,
            b'[' => {
                let start = parser.at;
                parser.at += 1;
                let Some(name) = parser.header() else { return Err(line_number(text, parser.at)) };
                section = name;
                let name = Text::from(section.as_slice());
                places.push(EntryPlace { name, value: None, start, end: parser.at, is_header: true });
                line_start = parser.at;
            }
            _ if byte.is_ascii_alphabetic() && !section.is_empty() => {
                let start = line_start;
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
                        let Some(value) = parser.value() else { return Err(line_number(text, before)) };
                        Some(Text::from(value))
                    }
                    None | Some(b'\n' | b'\r' | b'#' | b';') => {
                        parser.skip_line();
                        None
                    }
                    Some(_) => return Err(line_number(text, parser.at)),
                };
                places.push(EntryPlace { name: name.into(), value, start, end: parser.at, is_header: false });
                line_start = parser.at;
            }
            _ => return Err(line_number(text, parser.at)),
        }
    }
    Ok(places)
}

fn line_number(text: &[u8], at: usize) -> usize {
    let before = text.get(..at.min(text.len())).unwrap_or(text);
    let before = before.strip_suffix(b"\n").unwrap_or(before);
    memchr::memchr_iter(b'\n', before).count() + 1
}

impl Config {
    /// Adds the entries of a file.
    pub(crate) fn add_file(&mut self, text: &[u8], scope: Scope, path: &[u8]) -> Result<()> {
        let places = places(text)
            .map_err(|line| fatal!("bad config line {line} in file {}", bstr::BStr::new(path)))?;
        let origin = Text::from(format!("file:{}", bstr::BStr::new(path)));
        for place in places {
            if !place.is_header {
                let EntryPlace { name, value, .. } = place;
                self.entries.push(Entry { name, value, scope, origin: origin.clone() });
            }
        }
        Ok(())
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
        let origin = Text::from_static(b"command line:");
        self.entries.push(Entry { name, value: value.map(Text::from), scope: Scope::Command, origin });
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

/// `true`, `yes`, `on`, a number that is not 0; or the contrary.
pub(crate) fn truth(value: &[u8]) -> Option<bool> {
    let is = |words: &[&str]| words.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(value));
    if is(&["true", "yes", "on"]) {
        Some(true)
    } else if value.is_empty() || is(&["false", "no", "off"]) {
        Some(false)
    } else {
        number(value).map(|number| number != 0)
    }
}

/// A number, perhaps with `k`, `m` or `g`.
pub(crate) fn number(value: &[u8]) -> Option<i64> {
    let (digits, factor) = match value.split_last()? {
        (b'k' | b'K', rest) => (rest, 1 << 10),
        (b'm' | b'M', rest) => (rest, 1 << 20),
        (b'g' | b'G', rest) => (rest, 1 << 30),
        _ => (value, 1),
    };
    std::str::from_utf8(digits).ok()?.trim().parse::<i64>().ok()?.checked_mul(factor)
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
pub(crate) fn header(name: &[u8]) -> String {
    let first = memchr::memchr(b'.', name).unwrap_or(name.len());
    let last = memchr::memrchr(b'.', name).unwrap_or(first);
    let section = bstr::BStr::new(name.get(..first).unwrap_or(name));
    if last <= first {
        return format!("[{section}]");
    }
    let mut text = format!("[{section} \"");
    for character in String::from_utf8_lossy(name.get(first + 1..last).unwrap_or(&[])).chars() {
        if matches!(character, '"' | '\\') {
            text.push('\\');
        }
        text.push(character);
    }
    text.push_str("\"]");
    text
}
