//! What a byte can be: a part of a name, or what ends a word. Bash manual 2, *metacharacter* and *name*.

/// Ends a word: POSIX's metacharacters.
#[inline]
pub(super) fn is_metacharacter(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
}

#[inline]
pub(super) fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

#[inline]
pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
