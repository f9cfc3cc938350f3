//! Names in quotes with C's escapes, as files of git have them.

use crate::memory::Vec;

/// What stands in quotes at the start of a text, and what comes after; `None` where that is not as it should be.
pub(crate) fn unquote_front(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut rest = text.strip_prefix(b"\"")?;
    let mut out: Vec<u8> = Vec::new();
    loop {
        let (&byte, tail) = rest.split_first()?;
        rest = tail;
        match byte {
            b'"' => return Some((out, rest)),
            b'\\' => {}
            _ => {
                out.push(byte);
                continue;
            }
        }
        let (&letter, tail) = rest.split_first()?;
        rest = tail;
        out.push(match letter {
            b'a' => 7,
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 0x0b,
            b'f' => 0x0c,
            b'r' => b'\r',
            b'"' | b'\\' => letter,
            b'0'..=b'3' => {
                let (digits, tail) = rest.split_at_checked(2)?;
                rest = tail;
                let mut value = letter - b'0';
                for digit in digits {
                    value = value << 3 | digit.checked_sub(b'0').filter(|digit| *digit < 8)?;
                }
                value
            }
            _ => return None,
        });
    }
}

/// The names in a list; in lines they may stand in quotes.
pub(crate) fn listed_names(list: &[u8], ends_in_nul: bool) -> Vec<crate::text::Text> {
    let end = if ends_in_nul { 0 } else { b'\n' };
    let names = list.split(|byte| *byte == end).filter(|name| !name.is_empty());
    names
        .map(|name| match unquote_front(name).filter(|_| !ends_in_nul) {
            Some((name, _)) => name.into(),
            None => name.into(),
        })
        .collect()
}
