//! `l`: a line in which every byte can be read.
use crate::memory::Vec;

/// Appends the unambiguous form of a part of a text, broken into lines of `width` columns; 0 is without end. `column` is
/// that of the line begun, `end` what ends one. A `$` follows the last part.
pub(super) fn list(text: &[u8], width: u64, end: u8, column: &mut u64, out: &mut Vec<u8>) {
    let room = width.saturating_sub(1);
    for &byte in text {
        let mut shown = [b'\\', 0, 0, 0];
        let length = match byte {
            b'\\' => letter(&mut shown, b'\\'),
            7 => letter(&mut shown, b'a'),
            8 => letter(&mut shown, b'b'),
            12 => letter(&mut shown, b'f'),
            b'\n' => letter(&mut shown, b'n'),
            b'\r' => letter(&mut shown, b'r'),
            b'\t' => letter(&mut shown, b't'),
            11 => letter(&mut shown, b'v'),
            b' '..=b'~' => {
                shown[0] = byte;
                1
            }
            _ => {
                shown = [b'\\', b'0' + (byte >> 6), b'0' + (byte >> 3 & 7), b'0' + (byte & 7)];
                4
            }
        };
        if width > 0 && *column + length as u64 > room {
            out.extend([b'\\', end]);
            *column = 0;
        }
        out.extend_from_slice(shown.get(..length).unwrap_or(&shown));
        *column += length as u64;
    }
}

fn letter(shown: &mut [u8; 4], letter: u8) -> usize {
    shown[1] = letter;
    2
}

#[cfg(test)]
mod tests {
    use super::list;

    #[test]
    fn breaks_and_escapes() {
        let shown = |text: &[u8], width| {
            let mut out = crate::memory::Vec::new();
            let mut column = 0;
            text.chunks(2).for_each(|part| list(part, width, b'\n', &mut column, &mut out));
            out.push(b'$');
            String::from_utf8(out.into_std()).unwrap()
        };
        assert_eq!(shown(b"a\tb\\\x01\xc3", 70), "a\\tb\\\\\\001\\303$");
        assert_eq!(shown(b"abcdef", 4), "abc\\\ndef$");
        assert_eq!(shown(b"a", 1), "\\\na$");
        assert_eq!(shown(&[b'x'; 100], 0).len(), 101);
    }
}
