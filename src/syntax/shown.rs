//! The text of a word as bash has it when it expands the word, which its messages show: `$'...'` was decoded by the parser,
//! and in double quotes a backslash before a quote is gone.

use super::ansi::{decode_ansi, put_single_quoted};
use crate::memory::Vec;
use crate::text::Text;

/// The text of a part of a word; `quoted`: it stands between double quotes.
pub(crate) fn shown(text: &[u8], quoted: bool) -> Text {
    let mut out = Vec::new();
    let mut rest = text;
    // Whether what follows is in double quotes, and the same for each `$(` around.
    let (mut double, mut outer) = (quoted, Vec::new());
    while let [first, behind @ ..] = rest {
        rest = behind;
        match (first, behind.first()) {
            (b'\\', Some(next)) => {
                rest = behind.get(1..).unwrap_or(&[]);
                if !(*next == b'"' && quoted && outer.is_empty()) {
                    out.push(b'\\');
                }
                out.push(*next);
            }
            (b'$', Some(b'\'')) if !double => {
                let quote = behind.get(1..).unwrap_or(&[]);
                let end = ansi_c_end(quote);
                let decoded = decode_ansi(quote.get(..end).unwrap_or(quote));
                put_single_quoted(&mut out, &decoded);
                rest = quote.get(end.saturating_add(1)..).unwrap_or(&[]);
            }
            (b'$', Some(b'"')) if !double => {}
            (b'$', Some(b'(')) => {
                out.extend_from_slice(b"$(");
                rest = behind.get(1..).unwrap_or(&[]);
                outer.push(double);
                double = false;
            }
            (b')', _) if !double && !outer.is_empty() => {
                out.push(b')');
                double = outer.pop().unwrap_or(false);
            }
            (b'\'', _) if !double => {
                let end = memchr::memchr(b'\'', behind).map_or(behind.len(), |end| end + 1);
                out.push(b'\'');
                out.extend_from_slice(behind.get(..end).unwrap_or(behind));
                rest = behind.get(end..).unwrap_or(&[]);
            }
            (byte, _) => {
                double ^= *byte == b'"';
                out.push(*byte);
            }
        }
    }
    Text::from(out)
}

/// Where the quote of `$'...'` closes.
fn ansi_c_end(text: &[u8]) -> usize {
    let mut at = 0_usize;
    while let Some(byte) = text.get(at).filter(|byte| **byte != b'\'') {
        at = at.saturating_add(if *byte == b'\\' { 2 } else { 1 });
    }
    at.min(text.len())
}

/// The last double quote of a text that no backslash takes away.
pub(crate) fn last_quote(text: &[u8]) -> Option<usize> {
    memchr::memrchr_iter(b'"', text).find(|&at| {
        let before = text.get(..at).unwrap_or(&[]);
        before.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 0
    })
}

/// The first double quote of a text that no backslash takes away.
pub(crate) fn first_quote(text: &[u8]) -> Option<usize> {
    let mut at = 0_usize;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return Some(at),
            b'\\' => at = at.saturating_add(2),
            _ => at = at.saturating_add(1),
        }
    }
    None
}
