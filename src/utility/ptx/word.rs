//! What a word is: what an expression matches, or bytes of a set. And which words are wanted.

use super::settings::PtxOptions;
use super::{compare_words, read_file};
use crate::memory::{Vec, format};
use crate::utility::context::pace::{Pace, tick_bytes};
use crate::utility::context::ticker::{regex_options, search_error};
use crate::utility::find::regex::{bracket_length, extended_from_emacs};
use crate::utility::prelude::*;
use crate::utility::regex::{Regex, RegexError, RegexOptions, Span, Syntax};

pub(super) struct Words {
    kind: Kind,
    /// What ends a context; without it a file is one context.
    pub(super) context_end: Option<Regex>,
    ignored: Option<List>,
    only: Option<List>,
}

#[expect(clippy::large_enum_variant, reason = "there is one of it")]
enum Kind {
    Bytes([bool; 256]),
    /// The expression, and the same at the beginning of a text alone.
    Matches {
        anywhere: Regex,
        here: Regex,
    },
}

/// Words of a file, sorted.
struct List(Vec<Text>);

impl Words {
    pub(super) async fn read(ctx: &mut Context, settings: &PtxOptions) -> Result<Self, UtilityError> {
        let context_end = match settings.context_end.as_slice() {
            [] => None,
            source => Some(compile(ctx, source, settings.ignores_case, false).await?),
        };
        let kind = match &settings.word {
            Some(source) => Kind::Matches {
                anywhere: compile(ctx, source, settings.ignores_case, false).await?,
                here: compile(ctx, source, settings.ignores_case, true).await?,
            },
            None => Kind::Bytes(bytes_of_words(settings)),
        };
        let mut words = Self { kind, context_end, ignored: None, only: None };
        if let Some(name) = &settings.break_file {
            let breaks = read_file(ctx, name).await?;
            if let Kind::Bytes(is_word) = &mut words.kind {
                *is_word = [true; 256];
                let blanks = if settings.is_traditional { b" \t\n".as_slice() } else { b"" };
                for byte in breaks.iter().chain(blanks) {
                    if let Some(is_word) = is_word.get_mut(usize::from(*byte)) {
                        *is_word = false;
                    }
                }
            }
        }
        words.ignored = list(ctx, settings, settings.ignore_file.as_ref()).await?;
        words.only = list(ctx, settings, settings.only_file.as_ref()).await?;
        Ok(words)
    }

    /// The next word in `[at, end)`; it may be empty.
    pub(super) async fn next(
        &self,
        ctx: &Context,
        text: &[u8],
        at: usize,
        end: usize,
    ) -> Result<Option<Span>, UtilityError> {
        let rest = text.get(at..end).unwrap_or_default();
        match &self.kind {
            Kind::Bytes(is_word) => {
                let start = rest.iter().position(|byte| holds(is_word, *byte));
                let Some(start) = start else {
                    tick_bytes(&ctx.meter, rest.len()).await?;
                    return Ok(None);
                };
                let word = rest.get(start..).unwrap_or_default();
                let length = word.iter().take_while(|byte| holds(is_word, **byte)).count();
                tick_bytes(&ctx.meter, start + length).await?;
                Ok(Some((at + start, at + start + length)))
            }
            Kind::Matches { anywhere, .. } => {
                let found = anywhere.find_at(rest, 0, &mut Pace::Shared(&ctx.meter)).await;
                let found = found.map_err(|error| search_error(&ctx.meter, &error, 1))?;
                Ok(found.map(|(start, stop)| (at + start, at + stop)))
            }
        }
    }

    /// The place after the word at `at`, or after the byte there if no word begins with it. An expression that matches an
    /// empty word goes nowhere: who steps on has to stop there.
    pub(super) async fn step(
        &self,
        ctx: &Context,
        text: &[u8],
        at: usize,
        end: usize,
    ) -> Result<usize, UtilityError> {
        let rest = text.get(at..end).unwrap_or_default();
        let length = match &self.kind {
            Kind::Bytes(is_word) => {
                let length = rest.iter().take_while(|byte| holds(is_word, **byte)).count();
                tick_bytes(&ctx.meter, length).await?;
                length.max(usize::from(!rest.is_empty()))
            }
            Kind::Matches { here, .. } => {
                let found = here.find_at(rest, 0, &mut Pace::Shared(&ctx.meter)).await;
                let found = found.map_err(|error| search_error(&ctx.meter, &error, 1))?;
                found.map_or(1, |(_, length)| length)
            }
        };
        Ok(at + length)
    }

    /// Whether the lists let a word pass.
    pub(super) fn is_wanted(&self, word: &[u8], ignores_case: bool) -> bool {
        let is_in =
            |list: &List| list.0.binary_search_by(|listed| compare_words(listed, word, ignores_case)).is_ok();
        !self.ignored.as_ref().is_some_and(is_in) && self.only.as_ref().is_none_or(is_in)
    }
}

fn holds(set: &[bool; 256], byte: u8) -> bool {
    set.get(usize::from(byte)).copied().unwrap_or(false)
}

fn bytes_of_words(settings: &PtxOptions) -> [bool; 256] {
    let mut is_word = [false; 256];
    for (byte, is_word) in (0_u8..=255).zip(&mut is_word) {
        *is_word = if settings.is_traditional {
            !matches!(byte, b' ' | b'\t' | b'\n')
        } else {
            byte.is_ascii_alphabetic()
        };
    }
    is_word
}

/// The words of a file, one a line; a file without any is as if it was not given.
async fn list(
    ctx: &mut Context,
    settings: &PtxOptions,
    name: Option<&Text>,
) -> Result<Option<List>, UtilityError> {
    let Some(name) = name else { return Ok(None) };
    let bytes = read_file(ctx, name).await?;
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let mut words: Vec<Text> = lines.map(Text::from).collect();
    tick_bytes(&ctx.meter, bytes.len()).await?;
    words.sort_by(|one, other| compare_words(one, other, settings.ignores_case));
    Ok((!words.is_empty()).then_some(List(words)))
}

/// An expression as Emacs knows them; `here` matches at the beginning of the text alone.
async fn compile(ctx: &Context, source: &[u8], ignore_case: bool, here: bool) -> Result<Regex, UtilityError> {
    ctx.compiles(source).await;
    let options = RegexOptions { ignore_case, newline_sensitive: true, ..regex_options(&ctx.meter) };
    let extended = with_newlines(&extended_from_emacs(source), here);
    Regex::new(&extended, Syntax::Extended, &options).map_err(|error| match error {
        error @ RegexError::Stopped(_) => search_error(&ctx.meter, &error, 1),
        error => UtilityError::failed(format!("{error} (for regexp {})", quote(source))),
    })
}

/// An extended expression in which a negated bracket matches a newline, though `^` and `$` are about lines; the
/// groups that this takes are counted in back-references. With `here` it begins at the beginning of the text.
fn with_newlines(source: &[u8], here: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(source.len() + 4);
    let mut groups = u32::from(here);
    // The number that each group of the source has now.
    let mut numbers: Vec<u32> = Vec::new();
    if here {
        out.extend_from_slice(b"\\`(");
    }
    let mut rest = source;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match (byte, tail.first()) {
            (b'\\', Some(&next)) => {
                let number = usize::from(next.wrapping_sub(b'1'));
                let digit = numbers.get(number).and_then(|number| char::from_digit(*number, 10));
                match digit.filter(|_| next.is_ascii_digit()) {
                    Some(digit) => out.extend_from_slice(&[b'\\', digit as u8]),
                    None => out.extend_from_slice(&[b'\\', next]),
                }
                rest = tail.get(1..).unwrap_or_default();
            }
            (b'(', _) => {
                groups += 1;
                numbers.push(groups);
                out.push(byte);
            }
            (b'[', next) => {
                let is_negated = next == Some(&b'^');
                let length = bracket_length(tail);
                let (inner, after) = tail.split_at_checked(length).unwrap_or((tail, &[]));
                rest = after;
                if is_negated && !inner.contains(&b'\n') {
                    groups += 1;
                    out.extend_from_slice(b"([");
                    out.extend_from_slice(inner);
                    out.extend_from_slice(b"|\n)");
                } else {
                    out.push(b'[');
                    out.extend_from_slice(inner);
                }
            }
            _ => out.push(byte),
        }
    }
    if here {
        out.push(b')');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negated_brackets_match_newlines_and_groups_keep_their_text() {
        for (source, here, want) in [
            ("a+", false, "a+"),
            ("[^a](b)\\1", false, "([^a]|\n)(b)\\2"),
            ("(b)\\1", true, "\\`((b)\\2)"),
            ("[a][^\n]", false, "[a][^\n]"),
            ("\\(\\[^", false, "\\(\\[^"),
        ] {
            assert_eq!(with_newlines(source.as_bytes(), here).as_slice(), want.as_bytes(), "{source}");
        }
    }
}
