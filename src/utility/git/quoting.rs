//! Paths as git prints them: in quotes and with C's escapes where they hold special characters.

use super::Git;
use crate::memory::{ToMetered, Vec};
use crate::utility::format::quote::escape_in_octal;

fn needs(byte: u8, quotes_high: bool) -> bool {
    byte < 0x20 || byte == 0x7f || byte == b'"' || byte == b'\\' || (byte >= 0x80 && quotes_high)
}

/// A path in quotes if it needs them; with `always_blank` also where it has a blank.
pub(crate) fn quote_path(path: &[u8], quotes_high: bool, quotes_blank: bool) -> Vec<u8> {
    let special = path.iter().any(|byte| needs(*byte, quotes_high));
    if !special {
        if quotes_blank && path.contains(&b' ') {
            let mut quoted: Vec<u8> = Vec::with_capacity(path.len() + 2);
            quoted.push(b'"');
            quoted.extend_from_slice(path);
            quoted.push(b'"');
            return quoted;
        }
        return path.to_metered();
    }
    let mut quoted: Vec<u8> = Vec::new();
    quoted.push(b'"');
    escape_in_octal(path, |byte| needs(byte, quotes_high), &mut quoted);
    quoted.push(b'"');
    quoted
}

impl Git {
    /// A path as it is printed.
    pub(crate) fn quoted(&self, path: &[u8]) -> Vec<u8> {
        quote_path(path, self.config.truth("core.quotepath") != Some(false), false)
    }

    /// A path of the work tree as seen from the working directory.
    pub(crate) fn seen_from_here(&self, path: &[u8]) -> Vec<u8> {
        if self.repo.prefix.is_empty() {
            return path.to_metered();
        }
        let rooted = |path: &[u8]| {
            let mut rooted = b"/".to_metered();
            rooted.extend_from_slice(path);
            rooted
        };
        let ends = path.ends_with(b"/");
        let mut shown = crate::utility::file::relative_path(&rooted(&self.repo.prefix), &rooted(path));
        if ends || shown == b"." {
            shown.push(b'/');
        }
        shown
    }
}
