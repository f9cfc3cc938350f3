//! Text for people: what a terminal would act on is shown, not sent.
//!
//! Ids of hooks, reasons, names of files and output of scripts come from others, and a terminal obeys what is in them: it moves
//! its cursor, changes its title, writes to the clipboard, turns the direction of writing round. Everything that the
//! command prints for people goes through [`lines`]; what must not end a line goes through [`line()`] before. What is shown
//! holds nothing that would be shown again, so that both may be used on one text.

use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Write as _;

/// Control characters (C0, DEL, C1), what turns the direction of writing, and separators of lines other than the newline.
const fn is_acted_on(character: char) -> bool {
    matches!(
        character,
        '\0'..='\x1f'
            | '\x7f'..='\u{9f}'
            | '\u{61c}'
            | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{206f}'
    )
}

/// Text of one line: newlines and tabs are shown as well.
pub(crate) fn line(text: &str) -> Cow<'_, str> {
    shown(text, |_| false)
}

/// Text of some lines: newlines and tabs stand.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    shown(text, |character| matches!(character, '\n' | '\t'))
}

/// Text of some lines in the middle of others: `indent` goes before each but the first, so that none can pass for a line
/// of its own.
pub(crate) fn block(text: &str, indent: &str) -> String {
    lines(text).replace('\n', &format!("\n{indent}"))
}

/// A JSON document, ending in a newline. What JSON itself lets through (DEL, C1 and others) is written as `\uXXXX`: it can
/// only stand in strings.
pub(crate) fn json(value: &Value) -> String {
    let text = format!("{value:#}\n");
    if !text.contains(|character| character != '\n' && is_acted_on(character)) {
        return text;
    }
    let mut escaped = String::new();
    for character in text.chars() {
        if character != '\n' && is_acted_on(character) {
            let _ = write!(escaped, "\\u{:04x}", u32::from(character));
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// Whether nothing of a text but its newlines and tabs acts on a terminal.
pub(crate) fn is_plain(text: &str) -> bool {
    matches!(lines(text), Cow::Borrowed(_))
}

fn shown(text: &str, stands: impl Fn(char) -> bool) -> Cow<'_, str> {
    let hidden = |character: char| is_acted_on(character) && !stands(character);
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::new();
    for character in text.chars() {
        if !hidden(character) {
            shown.push(character);
            continue;
        }
        // A string that is written to takes everything.
        let _ = match character {
            '\n' => write!(shown, "\\n"),
            '\t' => write!(shown, "\\t"),
            '\r' => write!(shown, "\\r"),
            '\0'..='\x7f' => write!(shown, "\\x{:02x}", u32::from(character)),
            _ => write!(shown, "\\u{{{:x}}}", u32::from(character)),
        };
    }
    Cow::Owned(shown)
}

/// `text` cut to at most `bytes` bytes, at a character boundary.
pub(crate) fn cut(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    text.get(..end).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_acts_on_is_left() {
        let characters: Vec<char> = (0..=0x10_ffff).filter_map(char::from_u32).collect();
        for block in characters.chunks(64) {
            let text: String = block.iter().collect();
            let all =
                [line(&text).into_owned(), lines(&text).into_owned(), json(&Value::from(text.as_str()))];
            for shown in all {
                let rest = shown.trim_end_matches('\n').replace(['\n', '\t'], "");
                assert!(!rest.contains(char::is_control), "{text:?}: {shown:?}");
                assert!(!rest.contains(is_acted_on), "{text:?}: {shown:?}");
                let plain = |character: &char| !character.is_control() && !is_acted_on(*character);
                let missing = block.iter().find(|&character| plain(character) && !shown.contains(*character));
                assert_eq!(missing, None, "{shown:?}");
            }
            assert_eq!(serde_json::from_str::<Value>(&json(&Value::from(text.as_str()))).unwrap(), text);
        }
        // A line is one line.
        assert!(!line("a\nb\tc\r").contains(['\n', '\t', '\r']));
    }

    #[test]
    fn escapes_say_what_was_there() {
        let rows = [
            ("\x1b[31m", r"\x1b[31m"),
            ("a\r\nb\tc", r"a\r\nb\tc"),
            ("\x7f\u{9b}2J", r"\x7f\u{9b}2J"),
            ("\u{202e}txt", r"\u{202e}txt"),
            ("plain äöü 漢字 🙂", "plain äöü 漢字 🙂"),
        ];
        for (text, shown) in rows {
            assert_eq!(line(text), shown);
        }
        assert_eq!(lines("a\x07\n\tb"), "a\\x07\n\tb");
        assert_eq!(block("no\nproceed\x08", "  "), "no\n  proceed\\x08");
        assert!(is_plain("a\n\tb") && !is_plain("a\rb"));
        assert_eq!(json(&Value::from("\x1b\u{7f}\u{2066}")), "\"\\u001b\\u007f\\u2066\"\n");
    }
}
