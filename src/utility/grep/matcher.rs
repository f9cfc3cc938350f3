//! The patterns of one `grep`: which lines match, and where.
//!
//! All patterns become one expression where none has back-references. Lines are looked for in whole buffers, by the
//! cheapest way that the expression allows: a literal by `memmem`; a text that every match holds by `memmem`, then the
//! line by the expression; else the expression runs over the buffer with `^` and `$` at newlines. What can match a
//! newline is tried again on the line alone, and when that was in vain too often, line after line is searched. Once much
//! text was searched, the automaton for many lines does it (`regex/dense.rs`), unless a literal is looked for.

use super::settings::{GrepOptions, Syntax};
use crate::limit::Meter;
use crate::memory::{Box, JoinMetered, String, Vec, format, vec};
use crate::utility::context::pace::Pace;
use crate::utility::context::ticker::regex_options;
use crate::utility::regex::dense::Dense;
use crate::utility::regex::{Regex, RegexError, RegexOptions, Span, Syntax as RegexSyntax, bracket_end};
use memchr::memmem::Finder;
use std::sync::Arc;

/// From so many strings on, they are searched for by the engine that is made for sets of strings.
const MANY_STRINGS: usize = 16;
/// From so many bytes on, a text that every match holds is rare enough to be looked for first.
const SHORTEST_REQUIRED: usize = 3;
/// Matches over a line's end after which whole buffers are not searched any more.
const GREATEST_CROSSINGS: u32 = 16;
/// Bytes after which the automaton for many lines pays.
const MUCH: usize = 48 << 10;
/// A text that is looked for first is not rare if it is found once in so many bytes.
const FREQUENT: usize = 512;
/// Bytes that this automaton searches between two looks at the pace, if no line is longer.
const WINDOW: usize = 128 << 10;
/// Bytes of a line that the other machines search.
const LONG_LINE: usize = 1 << 20;
/// Bytes that it searches in the time of one step of the pace.
const STEP_BYTES: usize = 16;

#[derive(Debug)]
pub(in crate::utility) struct Matcher {
    /// Over a line without its end; alternatives.
    expressions: Vec<Regex>,
    scan: Scan,
    eol: u8,
    crossings: u32,
    meter: Arc<Meter>,
    dense: Many,
    /// Bytes of all buffers so far.
    seen: usize,
    /// Lines that were searched because a text was found in them.
    tried: usize,
}

/// The automaton for many lines.
#[derive(Debug)]
enum Many {
    /// It is made once it pays.
    Unmade,
    Made(Box<Dense>),
    Unfit,
}

/// How the next matching line of a buffer is found.
#[derive(Debug)]
enum Scan {
    Literal(Finder<'static>),
    Required(Finder<'static>),
    /// Whether a match can hold a newline.
    Buffer(Regex, bool),
    Lines,
}

fn options_of(settings: &GrepOptions, meter: &Arc<Meter>) -> RegexOptions {
    RegexOptions {
        ignore_case: settings.ignore_case,
        whole_line: settings.whole_line,
        whole_word: settings.whole_word,
        dialect: crate::utility::regex::Dialect::Grep,
        ..regex_options(meter)
    }
}

/// What is wrong with a pattern by itself.
pub(super) fn fault(settings: &GrepOptions, pattern: &[u8], meter: &Arc<Meter>) -> Option<RegexError> {
    let syntax = match settings.syntax {
        Syntax::Basic => RegexSyntax::Basic,
        Syntax::Extended => RegexSyntax::Extended,
        Syntax::Fixed | Syntax::Perl => return None,
    };
    match Regex::new(pattern, syntax, &options_of(settings, meter)) {
        Err(RegexError::Stopped(_)) | Ok(_) => None,
        Err(error) => Some(error),
    }
}

impl Matcher {
    pub(super) fn new(settings: &GrepOptions, meter: &Arc<Meter>) -> Result<Self, RegexError> {
        let options = options_of(settings, meter);
        let (sources, syntax) = sources(settings);
        let is_posix = matches!(syntax, RegexSyntax::Basic | RegexSyntax::Extended);
        let has_references = is_posix && sources.iter().any(|source| refers_back(source));
        let mut expressions = Vec::with_capacity(sources.len().min(64));
        if sources.len() == 1 || has_references || settings.syntax != Syntax::Fixed {
            for source in &sources {
                expressions.push(Regex::new(source, syntax, &options)?);
            }
        }
        let joined = joined(&sources, syntax);
        if sources.len() > 1 && !has_references {
            let attempt = RegexOptions { is_attempt: !expressions.is_empty(), ..options.clone() };
            match Regex::new(&joined, syntax, &attempt) {
                Ok(regex) => expressions = vec![regex],
                Err(error) if expressions.is_empty() => return Err(error),
                Err(_) => {}
            }
        }
        Self::of(expressions, &joined, syntax, &options, (settings.eol, meter))
    }

    /// Of compiled expressions; one alone is what `source` says.
    pub(in crate::utility) fn of(
        expressions: Vec<Regex>,
        source: &[u8],
        syntax: RegexSyntax,
        options: &RegexOptions,
        (eol, meter): (u8, &Arc<Meter>),
    ) -> Result<Self, RegexError> {
        let scan = match expressions.as_slice() {
            [only] if eol == b'\n' => Scan::new(only, source, syntax, options)?,
            _ => Scan::Lines,
        };
        let dense = match (&scan, expressions.as_slice()) {
            (Scan::Required(_) | Scan::Buffer(..) | Scan::Lines, [_])
                if eol == b'\n' && syntax != RegexSyntax::Rust =>
            {
                Many::Unmade
            }
            _ => Many::Unfit,
        };
        let meter = Arc::clone(meter);
        Ok(Self { expressions, scan, eol, crossings: 0, meter, dense, seen: 0, tried: 0 })
    }

    /// Makes the automaton for many lines if it pays by now.
    fn make_dense(&mut self) {
        let pays = match self.scan {
            Scan::Required(_) => self.tried.saturating_mul(FREQUENT) > self.seen,
            _ => true,
        };
        if pays && self.seen > MUCH && matches!(self.dense, Many::Unmade) {
            let made = self.expressions.first().and_then(|only| only.dense(&self.meter));
            self.dense = made.map_or(Many::Unfit, |dense| Many::Made(Box::new(dense)));
        }
    }

    /// As [`Matcher::next_line`], by the automaton for many lines. `None`: it does not do, from the returned place on.
    async fn next_dense(
        &mut self,
        buffer: &[u8],
        at: &mut usize,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Option<Span>>, RegexError> {
        while *at < buffer.len() {
            let Many::Made(dense) = &mut self.dense else { return Ok(None) };
            let end = line_end(buffer, at.saturating_add(WINDOW).min(buffer.len() - 1), self.eol);
            if end - *at > LONG_LINE {
                return Ok(None);
            }
            let Ok(found) = dense.first_end(buffer, *at, end) else {
                self.dense = Many::Unfit;
                return Ok(None);
            };
            let is_exact = dense.is_exact();
            let Some(place) = found else {
                pace.tick(((end - *at) / STEP_BYTES) as u64).await?;
                *at = end;
                continue;
            };
            if place >= buffer.len() && buffer.last() == Some(&self.eol) {
                return Ok(Some(None));
            }
            let line = self.line_around(buffer, *at, place);
            pace.tick(1 + ((line.1 - *at) / STEP_BYTES) as u64).await?;
            if is_exact || self.is_match(self.body(buffer, line), pace).await? {
                return Ok(Some(Some(line)));
            }
            *at = line.1;
        }
        Ok(Some(None))
    }

    /// The first line of `buffer`, at or after the line start `at`, that matches: `[start, end)`, its end included.
    pub(in crate::utility) async fn next_line(
        &mut self,
        buffer: &[u8],
        mut at: usize,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Span>, RegexError> {
        if self.expressions.is_empty() {
            return Ok(None);
        }
        if at == 0 {
            self.seen = self.seen.saturating_add(buffer.len());
            self.make_dense();
        }
        if matches!(self.dense, Many::Made(_))
            && let Some(found) = self.next_dense(buffer, &mut at, pace).await?
        {
            return Ok(found);
        }
        while at < buffer.len() {
            let rest = buffer.get(at..).unwrap_or(&[]);
            let (place, is_certain) = match &self.scan {
                Scan::Literal(finder) => match finder.find(rest) {
                    Some(found) => (at + found, true),
                    None => return Ok(None),
                },
                Scan::Required(finder) => match finder.find(rest) {
                    Some(found) => (at + found, false),
                    None => return Ok(None),
                },
                Scan::Buffer(regex, may_cross) => match regex.locate(buffer, at, pace).await? {
                    Some(found) => (found, !may_cross),
                    None => return Ok(None),
                },
                Scan::Lines => (at, false),
            };
            if place >= buffer.len() && buffer.last() == Some(&self.eol) {
                return Ok(None);
            }
            let line = self.line_around(buffer, at, place);
            self.tried += usize::from(!is_certain);
            if is_certain || self.is_match(self.body(buffer, line), pace).await? {
                return Ok(Some(line));
            }
            if let Scan::Buffer(..) = self.scan {
                self.crossings += 1;
                if self.crossings > GREATEST_CROSSINGS {
                    self.scan = Scan::Lines;
                }
            }
            at = line.1;
        }
        Ok(None)
    }

    fn line_around(&self, buffer: &[u8], from: usize, place: usize) -> Span {
        let before = buffer.get(from..place).unwrap_or(&[]);
        let start = memchr::memrchr(self.eol, before).map_or(from, |found| from + found + 1);
        (start, line_end(buffer, place, self.eol))
    }

    fn body<'b>(&self, buffer: &'b [u8], (start, end): Span) -> &'b [u8] {
        let line = buffer.get(start..end).unwrap_or(&[]);
        line.strip_suffix(&[self.eol]).unwrap_or(line)
    }

    async fn is_match(&self, line: &[u8], pace: &mut Pace<'_>) -> Result<bool, RegexError> {
        for expression in &self.expressions {
            if expression.is_match(line, pace).await? {
                return Ok(true);
            }
        }
        pace.tick(1).await?;
        Ok(false)
    }

    /// The leftmost match in a line (without its end) at or after `start`; of several there, the longest.
    pub(super) async fn find_at(
        &self,
        line: &[u8],
        start: usize,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Span>, RegexError> {
        let mut best: Option<Span> = None;
        for expression in &self.expressions {
            let Some(found) = expression.find_at(line, start, pace).await? else { continue };
            if best.is_none_or(|best| {
                (found.0, std::cmp::Reverse(found.1)) < (best.0, std::cmp::Reverse(best.1))
            }) {
                best = Some(found);
            }
        }
        Ok(best)
    }
}

/// Where the line that holds `place` ends, its end included.
pub(in crate::utility) fn line_end(buffer: &[u8], place: usize, eol: u8) -> usize {
    let rest = buffer.get(place..).unwrap_or(&[]);
    memchr::memchr(eol, rest).map_or(buffer.len(), |found| place + found + 1)
}

impl Scan {
    fn new(
        line: &Regex,
        source: &[u8],
        syntax: RegexSyntax,
        options: &RegexOptions,
    ) -> Result<Self, RegexError> {
        if !options.whole_line
            && !options.whole_word
            && let Some(literal) = line.literal()
        {
            return Ok(Self::Literal(Finder::new(literal).into_owned()));
        }
        if line.required().len() >= SHORTEST_REQUIRED {
            return Ok(Self::Required(Finder::new(line.required()).into_owned()));
        }
        if line.goes_back() || needs_lines(source, syntax, options) {
            return Ok(Self::Lines);
        }
        if options.newline_sensitive {
            return Ok(Self::Buffer(line.clone(), true));
        }
        let options = RegexOptions { newline_sensitive: true, ..options.clone() };
        let may_cross = matches!(syntax, RegexSyntax::Perl | RegexSyntax::Texts) || may_hold_newline(source);
        Ok(Self::Buffer(Regex::new(source, syntax, &options)?, may_cross))
    }
}

/// Whether the expression would mean something else in a buffer than in a line.
fn needs_lines(source: &[u8], syntax: RegexSyntax, options: &RegexOptions) -> bool {
    let has = |text: &str| memchr::memmem::find(source, text.as_bytes()).is_some();
    if syntax == RegexSyntax::Rust {
        return has(r"\A") || has(r"\z") || has("-m") || has("(?R") || has("R:");
    }
    if matches!(syntax, RegexSyntax::Perl | RegexSyntax::Texts) {
        options.whole_line || ["(?", r"\A", r"\z", r"\Z", r"\G"].iter().any(|text| has(text))
    } else {
        has(r"\`") || has(r"\'") || refers_back(source)
    }
}

/// Whether a POSIX expression can match a newline though newlines are special: negated sets and `.` do not.
fn may_hold_newline(source: &[u8]) -> bool {
    let has = |text: &str| memchr::memmem::find(source, text.as_bytes()).is_some();
    source.iter().any(|&byte| byte < b' ') || [r"\s", r"\W", "[:", "[.", "[="].iter().any(|text| has(text))
}

/// Whether a backslash and a digit stand in it.
fn refers_back(source: &[u8]) -> bool {
    let mut bytes = source.iter();
    while let Some(&byte) = bytes.next() {
        if byte == b'\\' && matches!(bytes.next(), Some(b'1'..=b'9')) {
            return true;
        }
    }
    false
}

/// Each pattern as a regular expression, and their syntax.
fn sources(settings: &GrepOptions) -> (Vec<Vec<u8>>, RegexSyntax) {
    let patterns = &settings.patterns;
    match settings.syntax {
        Syntax::Basic => (patterns.clone(), RegexSyntax::Basic),
        Syntax::Extended => (patterns.clone(), RegexSyntax::Extended),
        Syntax::Perl => (patterns.clone(), RegexSyntax::Perl),
        Syntax::Fixed => {
            let are_text = patterns.iter().all(|pattern| std::str::from_utf8(pattern).is_ok());
            let mut sources: Vec<Vec<u8>> = patterns.iter().map(|pattern| escaped(pattern)).collect();
            if patterns.len() >= MANY_STRINGS && are_text {
                // There the first alternative wins, not the longest: so the longest comes first.
                sources.sort_by_key(|source| std::cmp::Reverse(source.len()));
                return (sources, RegexSyntax::Texts);
            }
            (sources, RegexSyntax::Extended)
        }
    }
}

fn escaped(text: &[u8]) -> Vec<u8> {
    let mut source = Vec::with_capacity(text.len() + 8);
    for &byte in text {
        if br"\^$.[]|()*+?{}".contains(&byte) {
            source.push(b'\\');
        }
        source.push(byte);
    }
    source
}

fn joined(sources: &[Vec<u8>], syntax: RegexSyntax) -> Vec<u8> {
    let bar: &[u8] = if syntax == RegexSyntax::Basic { br"\|" } else { b"|" };
    sources.join_metered(bar)
}

/// What GNU grep warns of: a repetition of nothing.
pub(super) fn warnings(settings: &GrepOptions) -> Vec<String> {
    let mut warnings = Vec::new();
    if settings.syntax != Syntax::Extended {
        return warnings;
    }
    for pattern in &settings.patterns {
        let mut is_start = true;
        let mut at = 0;
        while let Some(&byte) = pattern.get(at) {
            match byte {
                b'*' | b'+' | b'?' if is_start && warnings.len() < 100 => {
                    warnings.push(format!("warning: {} at start of expression", char::from(byte)));
                }
                b'{' if is_start && warnings.len() < 100 && is_interval(pattern.get(at + 1..)) => {
                    warnings.push("warning: {...} at start of expression".into());
                }
                _ => {}
            }
            is_start = match byte {
                b'(' | b'|' => true,
                b'^' | b'$' | b'*' | b'+' | b'?' => is_start,
                b'\\' => {
                    is_start && matches!(pattern.get(at + 1), Some(b'<' | b'>' | b'b' | b'B' | b'`' | b'\''))
                }
                _ => false,
            };
            at = match byte {
                b'\\' => at + 2,
                b'[' => bracket_end(pattern, at),
                _ => at + 1,
            };
        }
    }
    warnings
}

/// Whether what follows a `{` makes it an interval.
fn is_interval(rest: Option<&[u8]>) -> bool {
    let rest = rest.unwrap_or_default();
    let content = memchr::memchr(b'}', rest).and_then(|end| rest.get(..end)).unwrap_or_default();
    let mut counts = content.splitn(2, |&byte| byte == b',');
    let mut count =
        || counts.next().map(|digits| digits.iter().all(u8::is_ascii_digit).then(|| number(digits)));
    match (count(), count()) {
        (Some(Some(least)), None) => least.is_some(),
        (Some(Some(least)), Some(Some(most))) => most.is_none_or(|most| least.unwrap_or(0) <= most),
        _ => false,
    }
}

/// Digits as a number; a great one counts as the greatest, and none as none.
fn number(digits: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(digits).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or(u32::MAX))
}
