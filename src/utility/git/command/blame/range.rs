//! `-L`: which lines are asked for.

use super::Opt;
use super::Range;
use crate::memory::Vec;
use crate::utility::context::pace::Pace;
use crate::utility::context::ticker::regex_options;
use crate::utility::git::Git;
use crate::utility::git::arguments::Arguments;
use crate::utility::git::diff::lines::File;
use crate::utility::git::diff::patch::is_function_line;
use crate::utility::git::error::{Result, fatal};
use crate::utility::regex::{Regex, Syntax};

/// The ranges in order, those that touch as one.
pub(super) async fn ranges(
    git: &mut Git,
    arguments: &Arguments<Opt>,
    path: &[u8],
    file: &File,
) -> Result<Vec<Range>> {
    let count = file.count();
    let mut ranges: Vec<Range> = Vec::new();
    let texts: Vec<Vec<u8>> = arguments.values(Opt::Range).map(|text| Vec::from(&text[..])).collect();
    let mut anchor = 1;
    for text in &texts {
        let (start, end) = range(git, text, file, anchor).await?;
        if (count == 0 && (start > 0 || end > 0)) || count < start {
            let lines = if count == 1 { "line" } else { "lines" };
            return Err(fatal!("file {} has only {count} {lines}", bstr::BStr::new(path)));
        }
        let from = start.max(1);
        let to = if end < 1 || count < end { count } else { end };
        anchor = to + 1;
        ranges.push((from - 1, to));
    }
    if texts.is_empty() {
        ranges.push((0, count));
    }
    ranges.sort();
    let mut joined: Vec<Range> = Vec::new();
    for (from, to) in ranges {
        match joined.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    Ok(joined)
}

/// A range as its first and last line, from 1; 0: not given.
async fn range(git: &mut Git, text: &[u8], file: &File, anchor: usize) -> Result<(usize, usize)> {
    if let Some(name) = text.strip_prefix(b":").or_else(|| text.strip_prefix(b"^:")) {
        return function(git, name, file, if text.starts_with(b"^") { 1 } else { anchor }).await;
    }
    let (start, rest) = place(git, text, file, anchor, None).await?;
    let Some(rest) = rest.strip_prefix(b",") else {
        if !rest.is_empty() {
            return Err(malformed(text));
        }
        return Ok((start, 0));
    };
    let (end, rest) = place(git, rest, file, start.saturating_add(1), Some(start)).await?;
    if !rest.is_empty() {
        return Err(malformed(text));
    }
    if start > 0 && end > 0 && end < start { Ok((end, start)) } else { Ok((start, end)) }
}

fn malformed(text: &[u8]) -> crate::utility::git::error::GitError {
    fatal!("malformed -L argument '{}'", bstr::BStr::new(text))
}

/// A line number, `/pattern/`, or, after a start, `+COUNT` and `-COUNT`; and what follows.
async fn place<'t>(
    git: &mut Git,
    text: &'t [u8],
    file: &File,
    from: usize,
    start: Option<usize>,
) -> Result<(usize, &'t [u8])> {
    let number = |text: &'t [u8]| {
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (front, rest) = text.split_at(digits);
        let value = std::str::from_utf8(front).ok().and_then(|front| front.parse::<usize>().ok());
        (value, rest)
    };
    if let (Some(start), [sign @ (b'+' | b'-'), tail @ ..]) = (start, text) {
        let (Some(count), rest) = number(tail) else { return Err(malformed(text)) };
        let start = start.max(1);
        return match (count, sign) {
            (0, _) => Err(fatal!("-L invalid empty range")),
            (_, b'+') => Ok((start.saturating_add(count) - 1, rest)),
            _ => Ok((start.saturating_add(1).saturating_sub(count).max(1), rest)),
        };
    }
    if let Some(tail) = text.strip_prefix(b"^/").or_else(|| text.strip_prefix(b"/")) {
        let from = if text.starts_with(b"^") { 1 } else { from };
        let mut end = 0;
        while let Some(byte) = tail.get(end)
            && *byte != b'/'
        {
            end += if *byte == b'\\' { 2 } else { 1 };
        }
        let Some(pattern) = tail.get(..end).filter(|_| end < tail.len()) else { return Err(malformed(text)) };
        let regex = compiled(git, pattern)?;
        for line in from.max(1)..=file.count() {
            let shown = file.line(line - 1);
            let shown = shown.strip_suffix(b"\n").unwrap_or(shown);
            if regex.is_match(shown, &mut Pace::Shared(&git.ctx.meter)).await.unwrap_or(false) {
                return Ok((line, tail.get(end + 1..).unwrap_or(&[])));
            }
        }
        return Err(fatal!("-L parameter '{}' starting at line {from}: No match", bstr::BStr::new(pattern)));
    }
    match number(text) {
        (Some(0), _) => Err(fatal!("-L invalid line number: 0")),
        (Some(number), rest) => Ok((number, rest)),
        (None, rest) if rest.is_empty() || rest.starts_with(b",") => Ok((0, rest)),
        (None, _) => Err(malformed(text)),
    }
}

fn compiled(git: &Git, pattern: &[u8]) -> Result<Regex> {
    Regex::new(pattern, Syntax::Basic, &regex_options(&git.ctx.meter))
        .map_err(|error| fatal!("-L parameter '{}': {error}", bstr::BStr::new(pattern)))
}

/// `:NAME`: from a function's line to the next function.
async fn function(git: &mut Git, name: &[u8], file: &File, from: usize) -> Result<(usize, usize)> {
    let regex = compiled(git, name)?;
    let mut start = 0;
    for line in from.max(1)..=file.count() {
        let text = file.line(line - 1);
        if is_function_line(text) {
            if start > 0 {
                return Ok((start, line - 1));
            }
            let body = text.strip_suffix(b"\n").unwrap_or(text);
            if regex.is_match(body, &mut Pace::Shared(&git.ctx.meter)).await.unwrap_or(false) {
                start = line;
            }
        }
    }
    if start == 0 {
        return Err(fatal!("-L parameter '{}' starting at line {from}: no match", bstr::BStr::new(name)));
    }
    Ok((start, file.count()))
}
