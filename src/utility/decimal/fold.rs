//! Long lines of digits are folded: a backslash at the end says that the number goes on.

use crate::utility::Context;
use crate::utility::format::count::parse_digits;

/// Characters of a line with the backslash, where the environment says nothing else; 0 means that there is no bound.
const LENGTH: usize = 70;

/// How long lines are, by a variable of the environment.
pub(in crate::utility) fn line_length(ctx: &Context, name: &[u8]) -> usize {
    let given =
        ctx.env.get(name).and_then(|text| parse_digits(text)).and_then(|length| usize::try_from(length).ok());
    match given {
        Some(0) => 0,
        Some(length) if length >= 3 => length,
        _ => LENGTH,
    }
}

/// Writes `text` after `column` characters of the line; the new column.
pub(in crate::utility) fn push_folded(
    ctx: &mut Context,
    text: &[u8],
    mut column: usize,
    length: usize,
) -> usize {
    if length == 0 {
        ctx.stdout.push(text);
        return column;
    }
    for &byte in text {
        if byte == b'\n' {
            column = 0;
        } else {
            column += 1;
            if column == length {
                ctx.stdout.push(b"\\\n");
                column = 1;
            }
        }
        ctx.stdout.push(&[byte]);
    }
    column
}
