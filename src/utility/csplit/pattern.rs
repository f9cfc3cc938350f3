//! The patterns of `csplit`: line numbers, expressions with offsets, and how often each is applied.

use crate::memory::{Vec, format};
use crate::utility::context::ticker::{regex_options, search_error};
use crate::utility::format::count::parse_digits;
use crate::utility::prelude::*;
use crate::utility::regex::{Regex, Syntax};

/// A pattern with what it is repeated.
pub(super) struct Pattern {
    /// As it was written.
    pub(super) text: Text,
    pub(super) place: Place,
    /// How often beside the first time; `None`: as long as there is input.
    pub(super) repeats: Option<u64>,
}

pub(super) enum Place {
    /// Up to a line.
    Line(u64),
    /// Up to a line that matches, or to so many lines after it.
    Match {
        regex: Regex,
        offset: i64,
        /// What comes before is written to no file (`%`).
        is_skipped: bool,
    },
}

/// Reads the operands after the file.
pub(super) async fn parse(ctx: &mut Context, operands: &[Text]) -> Result<Vec<Pattern>, UtilityError> {
    let mut patterns = Vec::new();
    let mut last_line = 0;
    let mut rest = operands.iter().peekable();
    while let Some(text) = rest.next() {
        let place = match text.as_bytes() {
            [delimiter @ (b'/' | b'%'), body @ ..] => expression(ctx, text, *delimiter, body).await?,
            _ => {
                let line = line_number(ctx, text, last_line)?;
                last_line = line;
                Place::Line(line)
            }
        };
        let count = rest.next_if(|next| next.starts_with(b"{"));
        let repeats = count.map_or(Ok(Some(0)), |count| repeat_count(count))?;
        patterns.push(Pattern { text: text.clone(), place, repeats });
    }
    Ok(patterns)
}

fn line_number(ctx: &mut Context, text: &Text, last: u64) -> Result<u64, UtilityError> {
    let digits = text.trim_ascii_start();
    let digits = digits.strip_prefix(b"+").unwrap_or(digits);
    let line = std::str::from_utf8(digits)
        .ok()
        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
        .and_then(|digits| digits.parse::<u64>().ok())
        .ok_or_else(|| UtilityError::failed(format!("{}: invalid pattern", quote(text))))?;
    if line == 0 {
        return Err(UtilityError::failed(format!("{text}: line number must be greater than zero")));
    }
    if line < last {
        return Err(UtilityError::failed(format!(
            "line number {} is smaller than preceding line number, {last}",
            quote(text)
        )));
    }
    if line == last {
        let shown = quote(text);
        ctx.warn(format_args!("warning: line number {shown} is the same as preceding line number"));
    }
    Ok(line)
}

/// `{5}` or `{*}`
fn repeat_count(text: &[u8]) -> Result<Option<u64>, UtilityError> {
    let Some(body) = text.strip_suffix(b"}") else {
        return Err(UtilityError::failed(format!("{}: '}}' is required in repeat count", quote(text))));
    };
    match body.get(1..).unwrap_or_default() {
        b"*" => Ok(None),
        digits => match parse_digits(digits) {
            Some(count) => Ok(Some(count)),
            None => Err(UtilityError::failed(format!(
                "{}}}: integer required between '{{' and '}}'",
                quote(body)
            ))),
        },
    }
}

/// `/EXPRESSION/[OFFSET]`
async fn expression(
    ctx: &mut Context,
    text: &Text,
    delimiter: u8,
    body: &[u8],
) -> Result<Place, UtilityError> {
    let Some(end) = memchr::memrchr(delimiter, body) else {
        let delimiter = char::from(delimiter);
        return Err(UtilityError::failed(format!("{text}: closing delimiter '{delimiter}' missing")));
    };
    let source = body.get(..end).unwrap_or(body);
    ctx.compiles(source).await;
    let regex =
        Regex::new(source, Syntax::Basic, &regex_options(&ctx.meter)).map_err(|error| match search_error(
            &ctx.meter, &error, 1,
        ) {
            UtilityError::Failed { message, status } => UtilityError::Failed {
                message: format!("{}: invalid regular expression: {message}", quote(text)),
                status,
            },
            error => error,
        })?;
    let offset = match body.get(end + 1..).unwrap_or_default() {
        [] => Some(0),
        digits => std::str::from_utf8(digits).ok().and_then(|digits| digits.trim_start().parse().ok()),
    };
    let wanted = || UtilityError::failed(format!("{}: integer expected after delimiter", quote(text)));
    Ok(Place::Match { regex, offset: offset.ok_or_else(wanted)?, is_skipped: delimiter == b'%' })
}
