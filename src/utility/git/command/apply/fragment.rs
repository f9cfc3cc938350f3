//! Hunks in their places: a hunk is looked for where the patch says, then further and further before and after that place.

use super::ApplyOptions;
use super::parse::{Fragment, Patch};
use crate::memory::{JoinMetered, ToMetered, Vec, format, vec};
use crate::text::Text;
use crate::utility::context::pace::tick_bytes;
use crate::utility::git::Git;
use crate::utility::git::error::Result;

/// A file as lines, with those that a hunk changed.
pub(super) struct Image {
    lines: Vec<Vec<u8>>,
    is_patched: Vec<bool>,
}

impl Image {
    pub(super) fn new(text: &[u8]) -> Self {
        let lines: Vec<Vec<u8>> =
            text.split_inclusive(|byte| *byte == b'\n').map(ToMetered::to_metered).collect();
        let is_patched = vec![false; lines.len()];
        Self { lines, is_patched }
    }

    pub(super) fn into_text(self) -> Vec<u8> {
        self.lines.concat_metered()
    }

    fn fits(&self, old: &[&[u8]], at: usize, overlaps: bool) -> bool {
        let (Some(lines), Some(patched)) =
            (self.lines.get(at..at + old.len()), self.is_patched.get(at..at + old.len()))
        else {
            return false;
        };
        (overlaps || !patched.contains(&true))
            && lines.iter().zip(old).all(|(line, old)| line.as_slice() == *old)
    }
}

/// Applies a hunk; whether there was a place for it.
pub(super) async fn apply_fragment(
    git: &mut Git,
    image: &mut Image,
    fragment: &Fragment,
    number: usize,
    options: &ApplyOptions,
) -> Result<bool> {
    let lines = &fragment.lines;
    let is_context = |line: &&(u8, Vec<u8>)| line.0 == b' ';
    let mut leading = lines.iter().take_while(is_context).count();
    let mut trailing = lines.iter().rev().take_while(is_context).count();
    let mut at_start = fragment.old_start == 0 || (fragment.old_start == 1 && !options.no_context);
    let mut at_end = !options.no_context && trailing == 0;
    let (mut cut_front, mut cut_back) = (0, 0);
    let (all_leading, all_trailing) = (leading, trailing);
    let mut wanted = fragment.new_start as i64 - 1;
    let place = loop {
        let used = lines.get(cut_front..lines.len() - cut_back).unwrap_or(&[]);
        let old: Vec<&[u8]> =
            used.iter().filter(|line| line.0 != b'+').map(|line| line.1.as_slice()).collect();
        if let Some(place) =
            find(git, image, &old, usize::try_from(wanted).unwrap_or(0), (at_start, at_end), options).await?
        {
            break place;
        }
        if leading <= options.least_context && trailing <= options.least_context {
            return Ok(false);
        }
        if at_start || at_end {
            (at_start, at_end) = (false, false);
            continue;
        }
        if leading >= trailing {
            cut_front += 1;
            wanted -= 1;
            leading -= 1;
        }
        if trailing > leading {
            cut_back += 1;
            trailing -= 1;
        }
    };
    let offset = place as i64 - wanted;
    if options.is_verbose && offset != 0 {
        let plural = if offset.abs() == 1 { "" } else { "s" };
        git.say(&format!("Hunk #{number} succeeded at {} (offset {offset} line{plural}).", place + 1));
    }
    if !options.is_quiet && (leading != all_leading || trailing != all_trailing) {
        let at = place + 1;
        git.say(&format!("Context reduced to ({leading}/{trailing}) to apply fragment at {at}"));
    }
    let used = lines.get(cut_front..lines.len() - cut_back).unwrap_or(&[]);
    let old_count = used.iter().filter(|line| line.0 != b'+').count();
    let new: Vec<Vec<u8>> = used.iter().filter(|line| line.0 != b'-').map(|line| line.1.clone()).collect();
    let flags = vec![true; new.len()];
    image.lines.splice(place..place + old_count, new);
    image.is_patched.splice(place..place + old_count, flags);
    tick_bytes(&git.ctx.meter, image.lines.len().saturating_mul(8)).await?;
    Ok(true)
}

async fn find(
    git: &mut Git,
    image: &Image,
    old: &[&[u8]],
    wanted: usize,
    (at_start, at_end): (bool, bool),
    options: &ApplyOptions,
) -> Result<Option<usize>> {
    let Some(last) = image.lines.len().checked_sub(old.len()) else { return Ok(None) };
    let is_meant = |at: usize| {
        (!at_start || at == 0) && (!at_end || at == last) && image.fits(old, at, options.overlaps)
    };
    let start = if at_start {
        0
    } else if at_end {
        last
    } else {
        wanted.min(image.lines.len())
    };
    for distance in 0..=image.lines.len() {
        git.ctx.tick().await?;
        let ahead = start + distance;
        if ahead <= last && is_meant(ahead) {
            return Ok(Some(ahead));
        }
        if distance > 0
            && let Some(behind) = start.checked_sub(distance)
            && is_meant(behind)
        {
            return Ok(Some(behind));
        }
    }
    Ok(None)
}

/// Tells the lines with errors of white space that patches bring.
pub(super) async fn warn(git: &mut Git, patches: &[Patch], name: &Text) -> Result<()> {
    const MOST: usize = 5;
    let mut count = 0_usize;
    for fragment in patches.iter().flat_map(|patch| patch.fragments.iter()) {
        for (at, (sign, line)) in fragment.lines.iter().enumerate() {
            git.ctx.tick().await?;
            let body = line.strip_suffix(b"\n").unwrap_or(line);
            let indent = body.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let has_tab = memchr::memmem::find(body.get(..indent).unwrap_or(&[]), b" \t").is_some();
            let has_blanks = body.last().is_some_and(u8::is_ascii_whitespace);
            if *sign != b'+' || !(has_tab || has_blanks) {
                continue;
            }
            count += 1;
            if count <= MOST {
                let words = match (has_blanks, has_tab) {
                    (true, true) => "trailing whitespace, space before tab in indent",
                    (true, false) => "trailing whitespace",
                    _ => "space before tab in indent",
                };
                let text = format!("{name}:{}: {words}.", fragment.line + at + 1);
                git.say(&text);
                git.ctx.stderr.push(&[body, b"\n"].concat_metered());
            }
        }
    }
    if count > MOST {
        let left = count - MOST;
        let plural = if left == 1 { "" } else { "s" };
        git.say(&format!("warning: squelched {left} whitespace error{plural}"));
    }
    if count > 0 {
        let (lines, adds) = if count == 1 { ("line", "adds") } else { ("lines", "add") };
        git.say(&format!("warning: {count} {lines} {adds} whitespace errors."));
    }
    Ok(())
}
