//! What the options of `rg` mean, once all are read: what is searched is in [`walk::Settings`](super::walk), what for in
//! `pattern.rs`, what is printed here.

use super::arguments::{Arguments, told, with_usage};
use super::color::Colors;
use super::option::Opt;
use crate::memory::{ToMetered, Vec, format, vec};
use crate::text::Text;
use crate::utility::UtilityError;

/// What is told of each input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    Lines,
    Json,
    /// `-c`
    Count,
    CountMatches,
    /// `-l`
    NamesWith,
    NamesWithout,
    /// `-q`
    Nothing,
}

/// What is done where an input holds a NUL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    /// It is searched as if it were text.
    Text,
    /// Its NULs end lines, and its first match ends the search.
    Convert,
    /// The search ends there.
    Quit,
}

#[derive(Debug)]
pub(super) struct Settings {
    pub(super) report: Report,
    pub(super) is_inverted: bool,
    pub(super) only_matching: bool,
    /// `--vimgrep`: a line for each match.
    pub(super) per_match: bool,
    pub(super) column: bool,
    pub(super) line_number: bool,
    pub(super) byte_offset: bool,
    pub(super) heading: bool,
    /// `None`: where there are several inputs, or a folder.
    pub(super) with_name: Option<bool>,
    pub(super) colors: Option<Colors>,
    pub(super) null_after_name: bool,
    pub(super) path_separator: Option<u8>,
    /// What ends a line that is read, and one that is put together.
    pub(super) eol: u8,
    pub(super) line_end: &'static [u8],
    pub(super) max_count: u64,
    pub(super) before: u64,
    pub(super) after: u64,
    pub(super) passthru: bool,
    /// Stands between lines that are apart.
    pub(super) separator: Option<Vec<u8>>,
    pub(super) field_match: Vec<u8>,
    pub(super) field_context: Vec<u8>,
    pub(super) max_columns: Option<u64>,
    pub(super) preview: bool,
    pub(super) trim: bool,
    pub(super) replacement: Option<Vec<u8>>,
    pub(super) include_zero: bool,
    pub(super) stats: bool,
    pub(super) line_buffered: bool,
    pub(super) no_messages: bool,
    /// For what is named on the command line, and for what is found.
    pub(super) binary: Binary,
    pub(super) binary_found: Binary,
    pub(super) is_multiline: bool,
    /// A byte order mark is part of the text (`-E none`).
    pub(super) keeps_mark: bool,
}

impl Settings {
    pub(super) fn new(arguments: &Arguments, has_terminal: bool) -> Result<Self, UtilityError> {
        let given = |option| arguments.has(option);
        let report = report(arguments)?;
        let per_match = given(Opt::Vimgrep);
        let column = arguments.is_on(Opt::Column, Opt::NoColumn) || (per_match && !given(Opt::NoColumn));
        let is_numbered =
            arguments.is_on(Opt::LineNumber, Opt::NoLineNumber) || column || per_match || given(Opt::Pretty);
        let line_number = match report {
            Report::Json => true,
            Report::Lines => {
                is_numbered
                    && arguments.last_of(&[Opt::LineNumber, Opt::NoLineNumber]) != Some(Opt::NoLineNumber)
            }
            _ => false,
        };
        let names = arguments.last_of(&[Opt::WithFilename, Opt::NoFilename]);
        let with_name = match names {
            Some(Opt::NoFilename) => Some(false),
            Some(_) => Some(true),
            None => per_match.then_some(true),
        };
        let wants_heading = given(Opt::Pretty) || arguments.is_on(Opt::Heading, Opt::NoHeading);
        let is_refused = arguments.last_of(&[Opt::Heading, Opt::NoHeading]) == Some(Opt::NoHeading);
        let contexts = contexts(arguments)?;
        let has_null_data = given(Opt::NullData) && !arguments.has(Opt::Crlf);
        let is_text = arguments.last_of(&[Opt::Text, Opt::NoText, Opt::Binary]) == Some(Opt::Text);
        let binary = if is_text || given(Opt::NullData) { Binary::Text } else { Binary::Convert };
        let wants_binary = arguments.last_of(&[Opt::Binary, Opt::NoBinary, Opt::Text]) == Some(Opt::Binary)
            || arguments.count(Opt::Unrestricted) >= 3;
        let crlf = arguments.is_on(Opt::Crlf, Opt::NoCrlf);
        let field =
            |option, default: &[u8]| arguments.value(option).map_or_else(|| default.to_metered(), unescaped);
        let separator = match arguments.last_of(&[Opt::ContextSeparator, Opt::NoContextSeparator]) {
            Some(Opt::NoContextSeparator) => None,
            _ => Some(field(Opt::ContextSeparator, b"--")),
        };
        Ok(Self {
            report,
            is_inverted: given(Opt::InvertMatch),
            only_matching: given(Opt::OnlyMatching),
            per_match,
            column,
            line_number,
            byte_offset: given(Opt::ByteOffset),
            heading: wants_heading && !is_refused && !per_match,
            with_name,
            colors: colors(arguments, has_terminal)?,
            null_after_name: given(Opt::Null),
            path_separator: path_separator(arguments)?,
            eol: if has_null_data { 0 } else { b'\n' },
            line_end: if has_null_data {
                b"\0"
            } else if crlf {
                b"\r\n"
            } else {
                b"\n"
            },
            max_count: arguments.number(Opt::MaxCount)?.unwrap_or(u64::MAX),
            before: contexts.before,
            after: contexts.after,
            passthru: contexts.passthru,
            separator,
            field_match: field(Opt::FieldMatchSeparator, b":"),
            field_context: field(Opt::FieldContextSeparator, b"-"),
            max_columns: arguments.number(Opt::MaxColumns)?.filter(|&most| most > 0),
            preview: arguments.is_on(Opt::MaxColumnsPreview, Opt::NoMaxColumnsPreview),
            trim: arguments.is_on(Opt::Trim, Opt::NoTrim),
            replacement: arguments.value(Opt::Replace).map(|text| text.as_bytes().to_metered()),
            include_zero: given(Opt::IncludeZero),
            stats: arguments.is_on(Opt::Stats, Opt::NoStats),
            line_buffered: arguments.is_on(Opt::LineBuffered, Opt::NoLineBuffered)
                && !arguments.is_on(Opt::BlockBuffered, Opt::NoBlockBuffered),
            no_messages: arguments.is_on(Opt::NoMessages, Opt::Messages),
            binary,
            binary_found: match binary {
                Binary::Text => Binary::Text,
                _ if wants_binary => Binary::Convert,
                _ => Binary::Quit,
            },
            is_multiline: arguments.is_on(Opt::Multiline, Opt::NoMultiline),
            keeps_mark: encoding(arguments)?,
        })
    }

    /// Whether it is known where in a line the matches are.
    pub(super) fn needs_spans(&self) -> bool {
        match self.report {
            Report::Json => true,
            Report::CountMatches => true,
            Report::Lines => {
                self.replacement.is_some()
                    || self.per_match
                    || self.column
                    || self.colors.is_some()
                    || self.only_matching
                    || self.stats
            }
            Report::Count => self.stats || self.is_multiline,
            Report::NamesWith | Report::NamesWithout | Report::Nothing => self.stats,
        }
    }
}

fn report(arguments: &Arguments) -> Result<Report, UtilityError> {
    let is_json = arguments.is_on(Opt::Json, Opt::NoJson);
    let others = [Opt::Count, Opt::CountMatches, Opt::Files, Opt::FilesWithMatches, Opt::FilesWithoutMatch];
    let other = arguments.last_of(&others);
    if let (true, Some(other)) = (is_json, other) {
        let message = format!("The argument '--{}' cannot be used with '--json'", other_name(other));
        return Err(told(&with_usage(&message)));
    }
    let counts = arguments.last_of(&[Opt::Count, Opt::CountMatches]);
    let is_inverted = arguments.has(Opt::InvertMatch);
    Ok(match counts {
        _ if arguments.has(Opt::Quiet) => Report::Nothing,
        _ if is_json => Report::Json,
        Some(Opt::CountMatches) if !is_inverted => Report::CountMatches,
        Some(_) if arguments.has(Opt::OnlyMatching) && !is_inverted => Report::CountMatches,
        Some(_) => Report::Count,
        None => match arguments.last_of(&[Opt::FilesWithMatches, Opt::FilesWithoutMatch]) {
            Some(Opt::FilesWithMatches) => Report::NamesWith,
            Some(_) => Report::NamesWithout,
            None => Report::Lines,
        },
    })
}

fn other_name(option: Opt) -> &'static str {
    use crate::utility::OptionSet as _;
    option.long()
}

#[derive(Clone, Copy, Default)]
struct Contexts {
    before: u64,
    after: u64,
    passthru: bool,
}

/// An option about context takes back those that it is not to be combined with, where they stand before it.
fn contexts(arguments: &Arguments) -> Result<Contexts, UtilityError> {
    let mut contexts = Contexts::default();
    let (before, after, both) = (
        arguments.number(Opt::BeforeContext)?.unwrap_or(0),
        arguments.number(Opt::AfterContext)?.unwrap_or(0),
        arguments.number(Opt::Context)?.unwrap_or(0),
    );
    let mut is_both = false;
    for (option, _) in arguments.given() {
        match option {
            Opt::Context => {
                contexts = Contexts { before: both, after: both, passthru: false };
                is_both = true;
            }
            Opt::BeforeContext | Opt::AfterContext => {
                if std::mem::take(&mut is_both) {
                    contexts = Contexts::default();
                }
                contexts.passthru = false;
                if option == Opt::BeforeContext {
                    contexts.before = before;
                } else {
                    contexts.after = after;
                }
            }
            Opt::Passthru => contexts = Contexts { passthru: true, ..Contexts::default() },
            _ => {}
        }
    }
    Ok(contexts)
}

/// The colours, where output has any: with `-p` where the environment tells of a terminal.
fn colors(arguments: &Arguments, has_terminal: bool) -> Result<Option<Colors>, UtilityError> {
    let when = arguments.word(Opt::Color, &["always", "ansi", "auto", "never"])?;
    let mut colors = Colors::default();
    for specification in arguments.values(Opt::Colors) {
        colors.set(specification)?;
    }
    let is_colored = match when {
        Some(when) => matches!(when.as_bytes(), b"always" | b"ansi"),
        None => arguments.has(Opt::Pretty) && has_terminal,
    };
    Ok(is_colored.then_some(colors))
}

fn path_separator(arguments: &Arguments) -> Result<Option<u8>, UtilityError> {
    let Some(value) = arguments.value(Opt::PathSeparator) else { return Ok(None) };
    match unescaped(value).as_slice() {
        [] => Ok(None),
        [byte] => Ok(Some(*byte)),
        bytes => Err(told(&format!(
            "A path separator must be exactly one byte, but the given separator is {} bytes: {value}\nIn some shells on Windows '/' is automatically expanded. Use '//' instead.\n",
            bytes.len()
        ))),
    }
}

/// Whether byte order marks stay where they are. Texts are UTF-8, or bytes.
fn encoding(arguments: &Arguments) -> Result<bool, UtilityError> {
    let given = arguments.given().rev().find(|(option, _)| matches!(option, Opt::Encoding | Opt::NoEncoding));
    let Some((Opt::Encoding, name)) = given else { return Ok(false) };
    let is = |word: &str| name.eq_ignore_ascii_case(word.as_bytes());
    match () {
        () if is("auto") || is("utf-8") || is("utf8") => Ok(false),
        () if is("none") => Ok(true),
        () => Err(told(&format!("grep config error: unknown encoding: {name}\n"))),
    }
}

/// With `\t`, `\n`, `\r`, `\0`, `\\` and `\xHH` read; other backslashes stay.
fn unescaped(text: &Text) -> Vec<u8> {
    let mut out = vec![];
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let (read, length) = match text.get(at) {
            Some(b't') => (Some(b'\t'), 1),
            Some(b'n') => (Some(b'\n'), 1),
            Some(b'r') => (Some(b'\r'), 1),
            Some(b'0') => (Some(0), 1),
            Some(b'\\') => (Some(b'\\'), 1),
            Some(b'x') => match crate::character::digits(text, at + 1, 16, 2) {
                (value, 2) => (Some(value as u8), 3),
                _ => (None, 0),
            },
            _ => (None, 0),
        };
        out.push(read.unwrap_or(b'\\'));
        at += length;
    }
    out
}

/// A size with a suffix, in bytes.
pub(super) fn size(arguments: &Arguments, option: Opt) -> Result<Option<u64>, UtilityError> {
    let Some(text) = arguments.value(option) else { return Ok(None) };
    let (digits, factor) = match text.as_bytes() {
        [digits @ .., b'K'] => (digits, 1 << 10),
        [digits @ .., b'M'] => (digits, 1 << 20),
        [digits @ .., b'G'] => (digits, 1 << 30),
        digits => (digits, 1_u64),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(told(&format!(
            "invalid format for size '{text}', which should be a sequence of digits followed by an optional 'K', 'M' or 'G' suffix\n"
        )));
    }
    let number = super::arguments::parse_number(digits)
        .map_err(|problem| told(&format!("invalid integer found in size '{text}': {problem}\n")))?;
    let bytes = number.checked_mul(factor);
    bytes.map(Some).ok_or_else(|| told(&format!("size too big in '{text}'\n")))
}
