//! How the GNU core utilities quote what they name in messages: ‘operand’ in the locale's quotation marks, and file names
//! in shell quotes.

use std::fmt::Write as _;

/// `‘text’`; bytes that can not be printed become C escapes.
pub(crate) fn quote(text: &[u8]) -> String {
    let mut quoted = String::from("‘");
    for (letter, raw) in characters(text) {
        match letter {
            Some('\\') => quoted.push_str("\\\\"),
            Some('’') => quoted.push_str("\\’"),
            Some(letter) if !letter.is_control() => quoted.push(letter),
            _ => push_escapes(&mut quoted, raw),
        }
    }
    quoted.push('’');
    quoted
}

/// A file name, in shell quotes when a shell would need them (or a colon makes the message unclear).
pub(crate) fn quote_name(name: &[u8]) -> String {
    let plain = !name.is_empty()
        && !matches!(name, [b'#' | b'~', ..] | [b'{' | b'}'])
        && characters(name).all(|(letter, _)| letter.is_some_and(is_plain));
    if plain { String::from_utf8_lossy(name).into_owned() } else { quote_name_always(name) }
}

/// A file name in shell quotes, always.
pub(crate) fn quote_name_always(name: &[u8]) -> String {
    let double = name.contains(&b'\'') && characters(name).all(|(c, _)| c.is_some_and(fits_double_quotes));
    if double {
        return format!("\"{}\"", String::from_utf8_lossy(name));
    }
    let mut quoted = String::from("'");
    let mut escaping = false;
    for (letter, raw) in characters(name) {
        let escape = letter.is_none_or(char::is_control);
        match (escaping, escape) {
            (false, true) => quoted.push_str("'$'"),
            (true, false) => quoted.push_str("''"),
            _ => {}
        }
        escaping = escape;
        match letter {
            Some('\'') => quoted.push_str("'\\''"),
            Some(letter) if !escape => quoted.push(letter),
            _ => push_escapes(&mut quoted, raw),
        }
    }
    quoted.push('\'');
    quoted
}

/// The message for a word that an option does not know.
pub(crate) fn invalid_argument(option: &str, word: &[u8], valid: &[&str]) -> String {
    let mut text = format!("invalid argument {} for ‘--{option}’\nValid arguments are:", quote(word));
    for name in valid {
        let _ = write!(text, "\n  - ‘{name}’");
    }
    text
}

/// Characters with their bytes; `None` for a byte that is not UTF-8.
fn characters(text: &[u8]) -> impl Iterator<Item = (Option<char>, &[u8])> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (letter, size) = bstr::decode_utf8(rest);
        let size = if letter.is_none() { size.min(1) } else { size };
        let (raw, tail) = rest.split_at_checked(size)?;
        rest = tail;
        (!raw.is_empty()).then_some((letter, raw))
    })
}

fn is_plain(letter: char) -> bool {
    !letter.is_control() && !" !\"$&'()*;<=>?[^`|\\:".contains(letter)
}

fn fits_double_quotes(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || " '%+,-./:]_{}".contains(letter)
}

fn push_escapes(out: &mut String, raw: &[u8]) {
    for &byte in raw {
        let known = match byte {
            0x07 => "\\a",
            0x08 => "\\b",
            b'\t' => "\\t",
            b'\n' => "\\n",
            0x0b => "\\v",
            0x0c => "\\f",
            b'\r' => "\\r",
            _ => {
                let _ = write!(out, "\\{byte:03o}");
                continue;
            }
        };
        out.push_str(known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_as_the_core_utilities_do() {
        assert_eq!(quote(b"a\\b\xff"), "‘a\\\\b\\377’");
        for (name, want) in [
            (b"a.txt".as_slice(), "a.txt"),
            (b"a b", "'a b'"),
            (b"nope:", "'nope:'"),
            (b"it's", "\"it's\""),
            (b"it's!", "'it'\\''s!'"),
            (b"a\nb", "'a'$'\\n''b'"),
            (b"", "''"),
        ] {
            assert_eq!(quote_name(name), want);
        }
    }
}
