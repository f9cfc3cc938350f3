//! Where an entry goes: its name as it is shown, and a path that does not lead out of the directory.

use super::settings::UnzipOptions;
use crate::memory::{ToMetered, Vec, format};
use crate::utility::compress::zip::Entry;
use crate::utility::prelude::*;

/// Whether names of the host of an entry had no case, so that `-L` makes them lowercase.
fn has_no_case(entry: &Entry) -> bool {
    matches!(entry.made_by >> 8, 0 | 2 | 4 | 11 | 14)
}

fn is_lowered(settings: &UnzipOptions, entry: &Entry) -> bool {
    settings.lowercase > 1 || (settings.lowercase == 1 && has_no_case(entry))
}

/// The name in a list, and what stands before it: `^` where `-L` changes it.
pub(super) fn shown(settings: &UnzipOptions, entry: &Entry) -> (Vec<u8>, char) {
    let name = visible(&entry.name);
    if is_lowered(settings, entry) {
        let is_changed = name.iter().any(u8::is_ascii_uppercase);
        return (name.iter().map(u8::to_ascii_lowercase).collect(), if is_changed { '^' } else { ' ' });
    }
    (name, ' ')
}

/// The name with control characters as `^X`.
fn visible(name: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    for byte in name {
        match byte {
            0..32 => out.extend_from_slice(&[b'^', byte + 64]),
            127 => out.extend_from_slice(b"^?"),
            other => out.push(*other),
        }
    }
    out
}

/// A path without a slash at its start, without `..`, and without what `-j` takes away. What was left out is told, and whether anything
/// was is returned beside it.
pub(super) fn safe_path(ctx: &mut Context, settings: &UnzipOptions, entry: &Entry) -> (Vec<u8>, bool) {
    let shown = Text::from(visible(&entry.name).as_slice());
    let mut name = entry.name.to_metered();
    if is_lowered(settings, entry) {
        name.iter_mut().for_each(|byte| *byte = byte.to_ascii_lowercase());
    }
    // Hosts of old wrote backslashes.
    if has_no_case(entry) && !name.contains(&b'/') {
        name.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
    }
    if settings.junks {
        let is_directory = name.ends_with(b"/");
        let base = name.rsplit(|byte| *byte == b'/').next().unwrap_or(&[]).to_metered();
        name = if is_directory { Vec::new() } else { base };
    }
    let mut is_changed = false;
    if name.starts_with(b"/") {
        is_changed = true;
        ctx.stdout.flush_now();
        ctx.stderr.push(format!("warning:  stripped absolute path spec from {shown}\n").as_bytes());
        ctx.stderr.flush_now();
    }
    let is_directory = name.ends_with(b"/");
    let mut path: Vec<u8> = Vec::new();
    let mut has_dots = false;
    for part in name.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => continue,
            b".." => {
                has_dots = true;
                continue;
            }
            _ => {}
        }
        if !path.is_empty() {
            path.push(b'/');
        }
        let keeps = |byte: &&u8| settings.control || !matches!(byte, 0..32 | 127);
        // A name may not hold a NUL, whatever is allowed.
        path.extend(part.iter().filter(keeps).filter(|byte| **byte != 0));
    }
    if has_dots {
        is_changed = true;
        let text = format!("warning:  skipped \"../\" path component(s) in {shown}\n");
        ctx.stdout.push(text.as_bytes());
    }
    if is_directory && !path.is_empty() {
        path.push(b'/');
    }
    (path, is_changed)
}
