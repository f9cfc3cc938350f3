//! How names are shown.

use crate::memory::{String, format};

/// A name as `tar` shows it: what is not printable by C's escapes.
pub(super) fn shown_name(name: &[u8]) -> String {
    let mut shown = String::new();
    for chunk in bstr::ByteSlice::utf8_chunks(name) {
        for character in chunk.valid().chars() {
            match character {
                '\\' => shown.push_str("\\\\"),
                '\n' => shown.push_str("\\n"),
                '\t' => shown.push_str("\\t"),
                '\r' => shown.push_str("\\r"),
                '\x07' => shown.push_str("\\a"),
                '\x08' => shown.push_str("\\b"),
                '\x0b' => shown.push_str("\\v"),
                '\x0c' => shown.push_str("\\f"),
                '\x7f' => shown.push_str("\\177"),
                control if control.is_control() => {
                    let mut bytes = [0; 4];
                    for byte in control.encode_utf8(&mut bytes).bytes() {
                        shown.push_str(&format!("\\{byte:03o}"));
                    }
                }
                other => shown.push(other),
            }
        }
        for byte in chunk.invalid() {
            shown.push_str(&format!("\\{byte:03o}"));
        }
    }
    shown
}
