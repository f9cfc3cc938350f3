//! Names in messages, quoted as the GNU core utilities do in the C.UTF-8 locale.

use crate::memory::{String, ToMetered, Vec, format};
use std::fmt::Write as _;

/// ‘name’: how most messages show an argument.
pub(crate) fn quote(name: &[u8]) -> String {
    let mut out = String::with_capacity(name.len() + 6);
    out.push('‘');
    for (text, bytes) in pieces(name) {
        match text {
            Some('’') => out.push_str("\\’"),
            Some('\\') => out.push_str("\\\\"),
            Some(character) if is_printable(character) => out.push(character),
            _ => escape_bytes(bytes, &mut out),
        }
    }
    out.push('’');
    out
}

/// 'name', with `$'\n'` for what is not printable: how file names are shown, and can be pasted into a shell.
pub(crate) fn quote_name(name: &[u8]) -> String {
    if fits_double_quotes(name) {
        return format!("\"{}\"", String::from_utf8_lossy(name));
    }
    let mut out = String::with_capacity(name.len() + 2);
    out.push('\'');
    let mut escaping = false;
    for (text, bytes) in pieces(name) {
        let plain = text.filter(|&c| is_printable(c));
        if escaping && plain.is_some() {
            out.push_str("''");
            escaping = false;
        }
        match plain {
            Some('\'') => out.push_str("'\\''"),
            Some(character) => out.push(character),
            None => {
                if !escaping {
                    out.push_str("'$'");
                    escaping = true;
                }
                escape_bytes(bytes, &mut out);
            }
        }
    }
    out.push('\'');
    out
}

/// 'name' as a shell reads it, with what is not printable as it is; without `always`, plain where a shell would not mind.
pub(crate) fn quote_literally(name: &[u8], always: bool) -> Vec<u8> {
    let special =
        |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r') || b" !\"$&'()*;<=>?[\\^`|".contains(&byte);
    let first = name.first();
    let needs = name.is_empty() || matches!(name, b"{" | b"}") || matches!(first, Some(b'#' | b'~'));
    if !always && !needs && !name.iter().any(|byte| special(*byte)) {
        return name.to_metered();
    }
    let mut out = Vec::with_capacity(name.len() + 2);
    if fits_double_quotes(name) {
        out.push(b'"');
        out.extend_from_slice(name);
        out.push(b'"');
        return out;
    }
    out.push(b'\'');
    for &byte in name {
        match byte {
            b'\'' => out.extend_from_slice(b"'\\''"),
            _ => out.push(byte),
        }
    }
    out.push(b'\'');
    out
}

/// Whether a name has a single quote, and nothing that double quotes would not hold as it is.
fn fits_double_quotes(name: &[u8]) -> bool {
    let fits = |c: char| {
        c.is_ascii_alphanumeric() || "%+,-./:]_@ '".contains(c) || (!c.is_ascii() && is_printable(c))
    };
    name.contains(&b'\'') && pieces(name).all(|(text, _)| text.is_some_and(fits))
}

/// How messages of the GNU core utilities show an operand, `-` being standard input.
pub(crate) fn quote_input(operand: &[u8]) -> String {
    if operand == b"-" { quote_name(b"standard input") } else { quote_operand(operand) }
}

/// As [`quote_name`], but plain where a shell would not mind: `cat: x: No such file or directory`.
pub(crate) fn quote_if_needed(name: &[u8]) -> String {
    if needs_quotes(name) { quote_name(name) } else { String::from_utf8_lossy(name) }
}

/// As [`quote_if_needed`], and with a colon in the name: it would make a message unclear.
pub(crate) fn quote_operand(name: &[u8]) -> String {
    if name.contains(&b':') { quote_name(name) } else { quote_if_needed(name) }
}

fn needs_quotes(name: &[u8]) -> bool {
    if name.is_empty() || matches!(name, b"{" | b"}") || matches!(name.first(), Some(b'#' | b'~')) {
        return true;
    }
    pieces(name).any(|(text, _)| text.is_none_or(|c| !is_printable(c) || " !\"$&'()*;<=>?[\\^`|".contains(c)))
}

/// "name" with the escapes of C: `ls -Q`.
pub(crate) fn quote_c(name: &[u8], out: &mut String) {
    out.push('"');
    for (text, bytes) in pieces(name) {
        match text {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some(character) if is_printable(character) => out.push(character),
            _ => escape_bytes(bytes, out),
        }
    }
    out.push('"');
}

/// The name with the escapes of C, blanks too, and no quotes: `ls -b`.
pub(crate) fn escape_name(name: &[u8], out: &mut String) {
    for (text, bytes) in pieces(name) {
        match text {
            Some(' ') => out.push_str("\\ "),
            Some('\\') => out.push_str("\\\\"),
            Some(character) if is_printable(character) => out.push(character),
            _ => escape_bytes(bytes, out),
        }
    }
}

/// The letters of C for what has one, three octal digits for each other byte of which `needs` is true.
pub(crate) fn escape_in_octal(name: &[u8], needs: impl Fn(u8) -> bool, out: &mut Vec<u8>) {
    for &byte in name {
        let letter = match byte {
            7 => b'a',
            8 => b'b',
            b'\t' => b't',
            b'\n' => b'n',
            0x0b => b'v',
            0x0c => b'f',
            b'\r' => b'r',
            b'"' | b'\\' => byte,
            _ if needs(byte) => {
                out.extend_from_slice(format!("\\{byte:03o}").as_bytes());
                continue;
            }
            _ => {
                out.push(byte);
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', letter]);
    }
}

/// Characters with their bytes; a byte that is part of none alone.
fn pieces(name: &[u8]) -> impl Iterator<Item = (Option<char>, &[u8])> {
    name.utf8_chunks().flat_map(|chunk| {
        let valid = chunk.valid();
        let good = valid.char_indices().map(move |(at, character)| {
            let bytes = valid.as_bytes().get(at..at + character.len_utf8()).unwrap_or(&[]);
            (Some(character), bytes)
        });
        good.chain(chunk.invalid().chunks(1).map(|byte| (None, byte)))
    })
}

fn is_printable(character: char) -> bool {
    !character.is_control()
}

fn escape_bytes(bytes: &[u8], out: &mut String) {
    for &byte in bytes {
        escape_byte(byte, out);
    }
}

fn escape_byte(byte: u8, out: &mut String) {
    let letter = match byte {
        7 => 'a',
        8 => 'b',
        b'\t' => 't',
        b'\n' => 'n',
        11 => 'v',
        12 => 'f',
        b'\r' => 'r',
        _ => {
            let _ = write!(out, "\\{byte:03o}");
            return;
        }
    };
    out.push('\\');
    out.push(letter);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_as_a_shell_reads_them() {
        let rows: [(&[u8], &str); 7] = [
            (b"nope", "'nope'"),
            (b"a'b", "\"a'b\""),
            (b"a'$b", "'a'\\''$b'"),
            (b"x\ny", "'x'$'\\n''y'"),
            ("é".as_bytes(), "'é'"),
            (b"\xff", "''$'\\377'"),
            (b"", "''"),
        ];
        for (name, want) in rows {
            assert_eq!(quote_name(name), want, "{name:?}");
        }
        assert_eq!(quote_if_needed(b"a/b-c"), "a/b-c");
        assert_eq!(quote_if_needed(b"a b"), "'a b'");
        assert_eq!(quote(b"a\n\\"), "‘a\\n\\\\’");
    }
}
