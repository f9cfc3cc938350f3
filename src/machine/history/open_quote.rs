//! What is open at the end of the lines of a command that is not complete: a quote, or a here-document, whose lines history
//! expansion leaves alone.

use crate::memory::{ToMetered, Vec, VecDeque};

/// A here-document that has begun or will: its delimiter, and whether tabs are stripped.
#[derive(Clone, Debug)]
struct Body {
    delimiter: Vec<u8>,
    strips_tabs: bool,
}

/// Reads the lines of a command one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpenQuote {
    /// The quote that is open; 0: none.
    quote: u8,
    bodies: VecDeque<Body>,
}

impl OpenQuote {
    /// The quote that is open at the start of the next line; `None`: that is a line of a here-document.
    pub(crate) fn before_line(&self) -> Option<u8> {
        self.bodies.is_empty().then_some(self.quote)
    }

    /// Takes the next line.
    pub(crate) fn take(&mut self, line: &[u8]) {
        if let Some(body) = self.bodies.front() {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            let tabs = line.iter().take_while(|&&byte| byte == b'\t').count();
            let line = if body.strips_tabs { line.get(tabs..).unwrap_or(&[]) } else { line };
            if line == body.delimiter.as_slice() {
                self.bodies.pop_front();
            }
            return;
        }
        let mut at = 0;
        while let Some(&byte) = line.get(at) {
            match (byte, self.quote) {
                (b'\\', 0 | b'"') => at += 1,
                (b'\'' | b'"' | b'`', 0) => self.quote = byte,
                (byte, open) if byte == open => self.quote = 0,
                (b'#', 0) if at == 0 || line.get(at - 1).is_some_and(u8::is_ascii_whitespace) => return,
                (b'<', 0) if line.get(at..).is_some_and(|rest| rest.starts_with(b"<<<")) => at += 2,
                (b'<', 0) if line.get(at + 1) == Some(&b'<') => {
                    at = self.take_delimiter(line, at + 2);
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// The word after `<<`; a number is a shift in arithmetic rather than a delimiter.
    fn take_delimiter(&mut self, line: &[u8], start: usize) -> usize {
        let strips_tabs = line.get(start) == Some(&b'-');
        let from = start + usize::from(strips_tabs);
        let blanks = line.iter().skip(from).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let from = from + blanks;
        let end = super::word::word_end(line, from).max(from);
        let word = line.get(from..end).unwrap_or(&[]);
        if !word.is_empty() && !word.iter().all(u8::is_ascii_digit) {
            let delimiter: Vec<u8> =
                word.iter().copied().filter(|byte| !matches!(byte, b'\'' | b'"' | b'\\')).collect();
            self.bodies.push_back(Body { delimiter: delimiter.to_metered(), strips_tabs });
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(lines: &[&str]) -> Option<u8> {
        let mut open = OpenQuote::default();
        for line in lines {
            open.take(line.as_bytes());
        }
        open.before_line()
    }

    #[test]
    fn quotes_and_bodies_are_open_until_they_end() {
        assert_eq!(after(&["echo 'a\n"]), Some(b'\''));
        assert_eq!(after(&["echo 'a\n", "b' \"c\n"]), Some(b'"'));
        assert_eq!(after(&["echo # it's\n"]), Some(0));
        assert_eq!(after(&["cat <<E <<-'F'\n"]), None);
        assert_eq!(after(&["cat <<E <<-'F'\n", "E\n", "\tx\n"]), None);
        assert_eq!(after(&["cat <<E <<-'F'\n", "E\n", "\tF\n"]), Some(0));
        assert_eq!(after(&["echo $((1 << 2)) <<<x\n"]), Some(0));
    }
}
