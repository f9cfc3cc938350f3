//! `--debug`: what of each line is compared, below it, and warnings about what the keys may not mean. GNU coreutils sort(1).

use super::compare::{month, numeric_end};
use super::key::{Key, KeyOrdering, Kind};
use super::settings::SortOptions;
use crate::character::{character, unit_at};
use crate::utility::format::extended::Extended;
use crate::utility::format::width::width;
use crate::utility::prelude::*;

/// Tells by which rules texts are ordered, and what the keys may not mean.
pub(super) fn warn(ctx: &mut Context, settings: &SortOptions) {
    let named = [b"LC_ALL".as_slice(), b"LC_COLLATE", b"LANG"]
        .into_iter()
        .find_map(|name| ctx.env.get(name).filter(|value| !value.is_empty()).cloned());
    let is_simple = named.as_ref().is_none_or(|name| matches!(name.as_bytes(), b"C" | b"POSIX"));
    match &named {
        Some(name) if !is_simple => {
            ctx.warn(format_args!("text ordering performed using {} sorting rules", quote(name)))
        }
        _ => ctx.warn("text ordering performed using simple byte comparison"),
    };
    let mut unused = settings.global;
    for (index, key) in settings.keys.iter().enumerate() {
        warn_of_key(ctx, settings, key, index + 1);
        unused.take_away(key.ordering);
    }
    warn_of_numbers(ctx, settings);
    let is_last_resort = !settings.stable && !settings.keys.is_empty();
    let reverse = unused.reverse;
    if !unused.is_default() || (reverse && settings.stable && !settings.keys.is_empty()) {
        let letters = KeyOrdering { reverse: reverse && settings.stable, ..unused }.letters();
        let (noun, verb) = if letters.len() == 1 { ("option", "is") } else { ("options", "are") };
        ctx.warn(format_args!("{noun} '-{letters}' {verb} ignored"));
    }
    if reverse && is_last_resort {
        ctx.warn("option '-r' only applies to last-resort comparison");
    }
}

fn warn_of_key(ctx: &mut Context, settings: &SortOptions, key: &Key, number: usize) {
    let ordering = key.ordering;
    if let Some((old, new)) = &key.obsolete {
        let (old, new) = (quote(old.as_bytes()), quote(new.as_bytes()));
        ctx.warn(format_args!("obsolescent key {old} used; consider {new} instead"));
    }
    if settings.has_global_key_only {
        return;
    }
    let is_empty = key.end_field.is_some_and(|end| end < key.start_field);
    if is_empty {
        ctx.warn(format_args!("key {number} has zero width and will be ignored"));
    }
    let skips = ordering.is_numeric() || ordering.month;
    let is_offset = key.end_field == Some(0) && key.end_character != 0;
    let start_counts = !ordering.skip_start_blanks && (!skips || key.start_character != 0);
    let end_counts = !ordering.skip_end_blanks && key.end_character != 0;
    if !is_empty && settings.tab.is_none() && !is_offset && (start_counts || end_counts) {
        ctx.warn(format_args!(
            "leading blanks are significant in key {number}; consider also specifying 'b'"
        ));
    }
    if ordering.is_numeric() && key.spans_fields() {
        ctx.warn(format_args!("key {number} is numeric and spans multiple fields"));
    }
}

fn warn_of_numbers(ctx: &mut Context, settings: &SortOptions) {
    let numeric = || settings.keys.iter().filter(|key| key.ordering.is_numeric());
    let spans = || numeric().filter(|key| !settings.has_global_key_only && key.spans_fields());
    let mut is_told = false;
    if spans().next().is_some() {
        match settings.tab {
            Some(b'.') => {
                is_told = true;
                ctx.warn("field separator ‘.’ is treated as a decimal point in numbers");
            }
            Some(b'-') => {
                ctx.warn("field separator ‘-’ is treated as a minus sign in numbers");
            }
            Some(b'+') if spans().any(|key| key.ordering.general) => {
                ctx.warn("field separator ‘+’ is treated as a plus sign in numbers");
            }
            _ => {}
        }
    }
    if numeric().next().is_some() && !is_told {
        let note = if settings.tab == Some(b'.') { "" } else { "note " };
        ctx.warn(format_args!("{note}numbers use ‘.’ as a decimal point in this locale"));
    }
}

/// Writes a line, its tabs as `>`, and marks below it what each key compares.
pub(super) async fn write(
    ctx: &mut Context,
    settings: &SortOptions,
    line: &[u8],
) -> Result<(), UtilityError> {
    for piece in line.split_inclusive(|byte| *byte == b'\t') {
        ctx.tick().await?;
        match piece.strip_suffix(b"\t") {
            Some(text) => {
                ctx.stdout.write(text).await?;
                ctx.stdout.write(b">").await?;
            }
            None => ctx.stdout.write(piece).await?,
        }
    }
    ctx.stdout.write(b"\n").await?;
    for key in &settings.keys {
        let (start, end) = compared(key, settings, line);
        mark(ctx, line, start, end).await?;
    }
    if settings.keys.is_empty() || !settings.stable {
        mark(ctx, line, 0, line.len()).await?;
    }
    Ok(())
}

/// Where what a key compares begins and ends.
fn compared(key: &Key, settings: &SortOptions, line: &[u8]) -> (usize, usize) {
    let (mut start, mut end) =
        if settings.has_global_key_only { (0, line.len()) } else { key.extent(line, settings.tab) };
    let ordering = key.ordering;
    let skips_all = ordering.skip_start_blanks && settings.has_global_key_only;
    if skips_all || ordering.month || ordering.is_numeric() {
        let text = line.get(start..end).unwrap_or(&[]);
        let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n')).count();
        let text = text.get(blanks..).unwrap_or(&[]);
        start += blanks;
        let length = match ordering.kind() {
            _ if ordering.month => 3 * usize::from(month(text) > 0),
            Kind::General => Extended::parse(text).length,
            Kind::Numeric => numeric_end(text, false),
            Kind::Human => numeric_end(text, true),
            _ => text.len(),
        };
        end = start + length;
    }
    (start, end)
}

async fn mark(ctx: &mut Context, line: &[u8], start: usize, end: usize) -> Result<(), UtilityError> {
    let offset = columns(ctx, line.get(..start).unwrap_or(&[])).await?;
    let count = columns(ctx, line.get(start..end).unwrap_or(&[])).await?;
    ctx.write_repeated(b' ', offset).await?;
    if count == 0 {
        ctx.stdout.write(b"^ no match for key").await?;
    }
    ctx.write_repeated(b'_', count).await?;
    ctx.stdout.write(b"\n").await
}

/// How wide a text is shown; a tab is one column.
async fn columns(ctx: &mut Context, text: &[u8]) -> Result<usize, UtilityError> {
    let (mut at, mut columns) = (0, 0);
    while let Some((unit, length)) = unit_at(text, at) {
        ctx.tick().await?;
        at += length;
        columns += match character(unit) {
            Some('\t') | None => 1,
            Some(letter) => width(letter).unwrap_or(0),
        };
    }
    Ok(columns)
}
