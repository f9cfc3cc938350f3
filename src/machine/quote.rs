//! Quoting for reuse as shell input: `${x@Q}`, `printf %q`, `set -x`, `declare -p`, `trap -p`, `alias`.

use crate::character;
use crate::memory::{ToMetered, Vec, format, vec};

/// In single quotes: `'a'\''b'`; one single quote alone has a backslash.
pub(crate) fn single(text: &[u8]) -> Vec<u8> {
    if text == b"'" {
        return b"\\'".to_metered();
    }
    let mut out = vec![b'\''];
    push_single(&mut out, text);
    out.push(b'\'');
    out
}

/// What stands between the quotes of [`single`].
pub(crate) fn push_single(out: &mut Vec<u8>, text: &[u8]) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\'', rest) {
        let (plain, quoted) = rest.split_at_checked(at).unwrap_or((rest, &[]));
        out.extend_from_slice(plain);
        out.extend_from_slice(b"'\\''");
        rest = quoted.get(1..).unwrap_or(&[]);
    }
    out.extend_from_slice(rest);
}

/// A key in a subscript that is read once more, for which it stands as it is.
pub(crate) fn escaped_key(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for byte in text {
        if matches!(byte, b'\\' | b'\'' | b'"' | b'`' | b'$' | b'[' | b']') {
            out.push(b'\\');
        }
        out.push(*byte);
    }
    out
}

/// Whether a text has a character that only `$'...'` shows.
pub(crate) fn needs_ansi_c(text: &[u8]) -> bool {
    let has_control = |block: &[u8]| block.iter().fold(false, |found, byte| found | byte.is_ascii_control());
    match std::str::from_utf8(text) {
        // Blocks are looked at as a whole, which is vectorized.
        Ok(text) if text.is_ascii() => text.as_bytes().chunks(1024).any(has_control),
        Ok(text) => text.contains(char::is_control),
        Err(_) => true,
    }
}

/// As `$'...'`.
pub(crate) fn ansi_c(text: &[u8]) -> Vec<u8> {
    let mut out = b"$'".to_metered();
    push_ansi_c(&mut out, text);
    out.push(b'\'');
    out
}

/// What stands between the quotes of [`ansi_c`].
pub(crate) fn push_ansi_c(out: &mut Vec<u8>, text: &[u8]) {
    let mut at = 0;
    while let Some((unit, length)) = character::unit_at(text, at) {
        let bytes = text.get(at..at + length).unwrap_or(&[]);
        match (character::character(unit), bytes) {
            (_, [0x07]) => out.extend_from_slice(b"\\a"),
            (_, [0x08]) => out.extend_from_slice(b"\\b"),
            (_, [b'\t']) => out.extend_from_slice(b"\\t"),
            (_, [b'\n']) => out.extend_from_slice(b"\\n"),
            (_, [0x0b]) => out.extend_from_slice(b"\\v"),
            (_, [0x0c]) => out.extend_from_slice(b"\\f"),
            (_, [b'\r']) => out.extend_from_slice(b"\\r"),
            (_, [0x1b]) => out.extend_from_slice(b"\\E"),
            (_, [b'\\']) => out.extend_from_slice(b"\\\\"),
            (_, [b'\'']) => out.extend_from_slice(b"\\'"),
            (Some(c), _) if !c.is_control() => out.extend_from_slice(bytes),
            _ => {
                for byte in bytes {
                    out.extend_from_slice(format!("\\{byte:03o}").as_bytes());
                }
            }
        }
        at += length;
    }
}

/// `${x@Q}`: in single quotes, or as `$'...'` when it has to be.
pub(crate) fn at_q(text: &[u8]) -> Vec<u8> {
    if needs_ansi_c(text) { ansi_c(text) } else { single(text) }
}

/// `printf %q`: with backslashes where needed.
pub(crate) fn printf_q(text: &[u8]) -> Vec<u8> {
    if text.is_empty() {
        return b"''".to_metered();
    }
    if needs_ansi_c(text) {
        return ansi_c(text);
    }
    let mut out = Vec::with_capacity(text.len());
    push_marked(&mut out, text, |at, byte| byte == b',' || is_special(text, at));
    out
}

/// Appends `text` with a backslash before each byte that is `special` at its place.
fn push_marked(out: &mut Vec<u8>, text: &[u8], special: impl Fn(usize, u8) -> bool) {
    let mut start = 0;
    for (at, &byte) in text.iter().enumerate() {
        if special(at, byte) {
            out.extend_from_slice(text.get(start..at).unwrap_or(&[]));
            out.push(b'\\');
            start = at;
        }
    }
    out.extend_from_slice(text.get(start..).unwrap_or(&[]));
}

/// As `set -x` shows a word: quoted only if it has to be.
pub(crate) fn trace(text: &[u8]) -> Vec<u8> {
    if text.is_empty() {
        return b"''".to_metered();
    }
    if has_shell_special(text) {
        return single(text);
    }
    if needs_ansi_c(text) { ansi_c(text) } else { text.to_metered() }
}

/// Whether a text has a character that the shell's grammar or expansions look at.
pub(crate) fn has_shell_special(text: &[u8]) -> bool {
    has_special_between(text, 0, text.len())
}

/// As [`has_shell_special`], for the bytes from `start` to `end`.
pub(crate) fn has_special_between(text: &[u8], start: usize, end: usize) -> bool {
    (start..end).any(|at| is_special(text, at))
}

/// The bytes that mean something to the shell wherever they stand.
static SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let bytes = b" \t\n'\"\\|&;()<>!{}*[?]^$`";
    let mut index = 0;
    while index < bytes.len() {
        table[bytes[index] as usize] = true;
        index += 1;
    }
    table
};

/// Whether the byte at `at` means something to the shell where it stands.
fn is_special(text: &[u8], at: usize) -> bool {
    match text.get(at) {
        Some(b'#') => at == 0,
        Some(b'~') => at == 0 || matches!(text.get(at - 1), Some(b':' | b'=')),
        Some(&byte) => SPECIAL.get(usize::from(byte)) == Some(&true),
        None => false,
    }
}

/// As `declare -p` shows a value: always in double quotes, or `$'...'`.
pub(crate) fn declare(text: &[u8]) -> Vec<u8> {
    if needs_ansi_c(text) {
        return ansi_c(text);
    }
    let mut out = vec![b'"'];
    push_double(&mut out, text);
    out.push(b'"');
    out
}

/// What stands between the double quotes of [`declare`].
pub(crate) fn push_double(out: &mut Vec<u8>, text: &[u8]) {
    push_marked(out, text, |_, byte| matches!(byte, b'"' | b'\\' | b'$' | b'`'));
}

/// As `declare -p` shows the key of an associative array.
pub(crate) fn key(text: &[u8]) -> Vec<u8> {
    if needs_ansi_c(text) {
        return ansi_c(text);
    }
    if has_shell_special(text) || matches!(text, b"@" | b"*") { declare(text) } else { text.to_metered() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_as_bash_does() {
        assert_eq!(single(b"it's"), b"'it'\\''s'");
        assert_eq!(at_q(b"a\nb"), b"$'a\\nb'");
        assert_eq!(printf_q(b"a b"), b"a\\ b");
        assert_eq!(trace(b"a*"), b"'a*'");
        assert_eq!(declare(b"a\"$"), b"\"a\\\"\\$\"");
    }
}
