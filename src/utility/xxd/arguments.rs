//! The arguments of `xxd` in the form of the other utilities, and its numbers.

use crate::memory::{JoinMetered, Vec, vec};
use crate::text::Text;

/// Words of one dash as letters; `None`: one is not an option.
pub(super) fn normalise(args: Vec<Text>) -> Option<Vec<Text>> {
    // The rest of the words that a letter with an argument may begin.
    const WORDS: [(u8, &[&[u8]]); 6] = [
        (b'c', &[b"ols"]),
        (b'g', &[b"roup", b"roupsize"]),
        (b'l', &[b"en"]),
        (b'n', &[b"ame"]),
        (b'o', &[b"ffset"]),
        (b's', &[b"kip", b"eek"]),
    ];
    let mut out: Vec<Text> = Vec::new();
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        if matches!(arg.as_bytes(), b"--help" | b"--version") {
            return Some(vec![arg]);
        }
        let body = match arg.as_bytes() {
            b"--" => {
                out.push(arg);
                break;
            }
            [b'-', b'-', body @ ..] | [b'-', body @ ..] if !body.is_empty() => body,
            _ => {
                out.push(Text::from_static(b"--"));
                out.push(arg);
                break;
            }
        };
        let (&letter, rest) = body.split_first()?;
        if letter == b'c' && b"apitalize".starts_with(rest) && rest.len() > 1 {
            out.push(Text::from_static(b"-C"));
            continue;
        }
        out.push([b"-".as_slice(), &[letter]].concat_metered().into());
        if let Some((_, words)) = WORDS.iter().find(|(known, _)| *known == letter) {
            let is_word = words.contains(&rest);
            out.push(if rest.is_empty() || is_word { args.next()? } else { Text::from(rest) });
        }
    }
    out.extend(args);
    Some(out)
}

/// A number as C's `strtol` reads it.
pub(super) fn number(text: &[u8]) -> i64 {
    let (negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let (radix, digits) = match rest {
        [b'0', b'x' | b'X', digits @ ..] => (16, digits),
        [b'0', digits @ ..] => (8, digits),
        digits => (10, digits),
    };
    let mut value = 0_i64;
    for digit in digits.iter().map_while(|byte| char::from(*byte).to_digit(radix)) {
        value = value.saturating_mul(i64::from(radix)).saturating_add(i64::from(digit));
    }
    if negative { -value } else { value }
}
