//! `rg -r`: a text in place of each match, in which `$1`, `${1}` and `$name` stand for groups and `$$` for a dollar.

use super::Rg;
use super::pattern::Patterns;
use crate::memory::{ToMetered, Vec};
use crate::utility::context::pace::Pace;
use crate::utility::context::ticker::search_error;
use crate::utility::prelude::*;
use crate::utility::regex::Span;

#[derive(Debug)]
enum Part {
    Text(Vec<u8>),
    Group(usize),
}

/// What stands in place of a match.
#[derive(Debug)]
pub(super) struct Replacement {
    parts: Vec<Part>,
}

impl Replacement {
    pub(super) fn new(text: &[u8], patterns: &Patterns) -> Self {
        let mut parts = Vec::new();
        let mut plain = Vec::new();
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            let rest = text.get(at + 1..).unwrap_or_default();
            let reference = if byte == b'$' { reference(rest) } else { None };
            match (byte, rest.first(), reference) {
                (b'$', Some(b'$'), _) => {
                    plain.push(b'$');
                    at += 2;
                }
                (_, _, Some((name, length))) => {
                    if !plain.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut plain)));
                    }
                    let number = name.parse().ok();
                    let named = || patterns.regex.as_ref().and_then(|regex| regex.group_number(name));
                    // A group that is not there is empty.
                    parts.extend(number.or_else(named).map(Part::Group));
                    at += 1 + length;
                }
                _ => {
                    plain.push(byte);
                    at += 1;
                }
            }
        }
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        Self { parts }
    }
}

/// The name after a `$`, and its length there.
fn reference(rest: &[u8]) -> Option<(&str, usize)> {
    let (name, length) = match rest.strip_prefix(b"{") {
        Some(inner) => {
            let end = memchr::memchr(b'}', inner)?;
            (inner.get(..end)?, end + 2)
        }
        None => {
            let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
            let length = rest.iter().take_while(is_name).count();
            (rest.get(..length)?, length)
        }
    };
    std::str::from_utf8(name).ok().filter(|_| length > 0).map(|name| (name, length))
}

/// A text with its matches replaced, and where the replacements stand in it.
#[derive(Debug, Default)]
pub(super) struct Replaced {
    pub(super) text: Vec<u8>,
    pub(super) spans: Vec<Span>,
}

/// Replaces the matches `spans` in the part `within` of a text.
pub(super) async fn replace(
    ctx: &mut Context,
    rg: &Rg,
    text: &[u8],
    within: Span,
    spans: &[Span],
) -> Result<Replaced, UtilityError> {
    let (Some(replacement), Some(regex)) = (&rg.replacement, &rg.patterns.regex) else {
        let text = text.get(within.0..within.1).unwrap_or_default().to_metered();
        return Ok(Replaced { text, spans: spans.to_metered() });
    };
    let mut replaced = Replaced::default();
    let mut groups = Vec::new();
    let mut done = within.0;
    for &(start, end) in spans {
        ctx.tick().await?;
        let (start, end) = (start + within.0, end + within.0);
        replaced.text.extend_from_slice(text.get(done..start).unwrap_or_default());
        let begin = replaced.text.len();
        let needs_groups = replacement.parts.iter().any(|part| matches!(part, Part::Group(1..)));
        if needs_groups {
            regex
                .captures_at(text, start, &mut groups, &mut Pace::Shared(&ctx.meter))
                .await
                .map_err(|error| search_error(&ctx.meter, &error, 2))?;
        }
        for part in &replacement.parts {
            match part {
                Part::Text(plain) => replaced.text.extend_from_slice(plain),
                Part::Group(0) => replaced.text.extend_from_slice(text.get(start..end).unwrap_or_default()),
                Part::Group(number) => {
                    let group = groups.get(*number).copied().flatten();
                    let found = group.and_then(|(from, to)| text.get(from..to));
                    replaced.text.extend_from_slice(found.unwrap_or_default());
                }
            }
        }
        replaced.spans.push((begin, replaced.text.len()));
        done = end;
    }
    replaced.text.extend_from_slice(text.get(done..within.1).unwrap_or_default());
    Ok(replaced)
}
