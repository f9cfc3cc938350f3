//! Where a byte of a YAML scalar's value stands in the file: block scalars (`|`, `>`), plain and single-quoted ones. JSON strings
//! and double-quoted scalars are the linter's own.

/// The offset in `text` of the byte at `offset` of the scalar whose value begins at `at`; `at` itself where that is not known.
pub(super) fn raw_offset(text: &[u8], at: usize, offset: usize) -> usize {
    let start = text.get(..at).and_then(|before| memchr::memrchr(b'\n', before)).map_or(0, |end| end + 1);
    let found = match header(text, start, at) {
        Some(style) => in_block(text, at, at.saturating_sub(start), style, offset),
        None => in_line(text, at, offset),
    };
    found.unwrap_or(at)
}

/// How a block scalar keeps its newlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Literal,
    Folded,
}

/// The style of the block scalar whose first line is indented from `start` to `at`: what the last line before it that is not
/// blank ends with (`|`, `>-`, `|2+ # comment`).
fn header(text: &[u8], start: usize, at: usize) -> Option<Style> {
    if !text.get(start..at)?.iter().all(|&byte| byte == b' ') {
        return None;
    }
    let before = text.get(..start)?.trim_ascii_end();
    let line = before.rsplit(|&byte| byte == b'\n').next()?;
    let end = line.windows(2).position(|pair| pair == b" #").unwrap_or(line.len());
    let line = line.get(..end)?.trim_ascii_end();
    let is_indicator = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-');
    let indicators = line.iter().rev().take_while(|byte| is_indicator(byte)).count();
    match line.get(..line.len().saturating_sub(indicators))?.last()? {
        b'|' if indicators <= 2 => Some(Style::Literal),
        b'>' if indicators <= 2 => Some(Style::Folded),
        _ => None,
    }
}

fn in_block(text: &[u8], at: usize, indent: usize, style: Style, offset: usize) -> Option<usize> {
    let (mut raw, mut left) = (at, offset);
    loop {
        let rest = text.get(raw..)?;
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        if left <= length {
            return Some(raw.saturating_add(left));
        }
        left = left.saturating_sub(length);
        raw = raw.saturating_add(length).saturating_add(1);
        // Folded: so many newlines as there are blank lines, or one blank.
        if style == Style::Folded {
            while let Some(blank) = blank_line(text.get(raw..)?) {
                let next = raw.saturating_add(blank);
                if blank_line(text.get(next..)?).is_some() {
                    left = left.saturating_sub(1);
                }
                raw = next;
            }
        }
        left = left.saturating_sub(1);
        let line = text.get(raw..)?;
        raw = raw.saturating_add(line.iter().take(indent).take_while(|&&byte| byte == b' ').count());
    }
}

/// The length of the line that the text begins with, if it is blank.
fn blank_line(text: &[u8]) -> Option<usize> {
    let end = memchr::memchr(b'\n', text)?;
    text.get(..end)?.trim_ascii().is_empty().then_some(end.saturating_add(1))
}

/// In a scalar on one line.
fn in_line(text: &[u8], at: usize, offset: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let line = rest.get(..memchr::memchr(b'\n', rest).unwrap_or(rest.len()))?;
    let Some(quoted) = line.strip_prefix(b"'") else {
        return (offset < line.len()).then(|| at.saturating_add(offset));
    };
    let (mut raw, mut left) = (0_usize, offset);
    while left > 0 {
        let width = if quoted.get(raw..)?.starts_with(b"''") { 2 } else { 1 };
        raw = raw.saturating_add(width);
        left -= 1;
    }
    (raw < quoted.len()).then(|| at.saturating_add(1).saturating_add(raw))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Node, Source};

    /// For each byte of `x`'s value that is not a newline: what stands where it is said to be.
    fn check(text: &str) {
        let source = Source::new("f", text.as_bytes());
        let tree = source.yaml("").unwrap();
        let node = tree.get("x").unwrap();
        let (value, at) = (Node::as_str(node).unwrap(), node.at.unwrap());
        for (offset, byte) in value.bytes().enumerate().filter(|(_, byte)| !byte.is_ascii_whitespace()) {
            let raw = raw_offset(text.as_bytes(), at, offset);
            assert_eq!(text.as_bytes().get(raw), Some(&byte), "{text:?}: {offset} of {value:?} at {raw}");
            // Bytes are told apart only where they differ: their order is looked at too.
            let before = offset.checked_sub(1).map_or(0, |before| raw_offset(text.as_bytes(), at, before));
            assert!(offset == 0 || raw >= before, "{text:?}: {offset} of {value:?} at {raw} before {before}");
        }
    }

    #[test]
    fn bytes_stand_where_they_are_said_to() {
        for text in [
            "x: |\n  abc\n  defg\n    hij\n\n  klm\ny: 1\n",
            "x: |-   # why\n    ab\n\n\n    cd",
            "x: >\n  ab\n  cd\n\n  ef\n\n\n  gh\n",
            "x: abc def\n",
            "x: 'it''s so'\n",
            "a:\n  - 1\nx:   >+\n     a\n     b\n",
        ] {
            check(text);
        }
    }

    #[test]
    fn what_is_not_known_is_the_scalars_place() {
        assert_eq!(raw_offset(b"x: ab\n  cd\n", 3, 4), 3);
        assert_eq!(raw_offset(b"x", 5, 4), 5);
        assert_eq!(raw_offset(b"x: 'ab'\n", 3, 9), 3);
    }
}
