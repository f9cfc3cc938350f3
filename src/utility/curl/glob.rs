//! Several URLs in one: `{a,b}` and `[1-3]`, `[a-z:2]`, `[01-10]`. They are made one after the other.

use super::failure::Failure;
use crate::memory::{ToMetered, Vec, format, repeat_text};

/// A part of the URL.
#[derive(Debug)]
enum Part {
    Literal(Vec<u8>),
    Set(Vec<Vec<u8>>),
    Letters { first: u8, step: u64, count: u64 },
    Numbers { first: u64, step: u64, count: u64, width: usize },
}

/// All URLs that a pattern stands for.
#[derive(Debug)]
pub(super) struct Glob {
    parts: Vec<Part>,
    /// Where each part stands; `None` when all were made.
    at: Option<Vec<u64>>,
}

impl Part {
    fn count(&self) -> u64 {
        match self {
            Self::Literal(_) => 1,
            Self::Set(items) => items.len() as u64,
            Self::Letters { count, .. } | Self::Numbers { count, .. } => *count,
        }
    }

    fn text(&self, at: u64) -> Vec<u8> {
        match self {
            Self::Literal(text) => text.to_metered(),
            Self::Set(items) => usize::try_from(at)
                .ok()
                .and_then(|at| items.get(at))
                .map(|item| item.to_metered())
                .unwrap_or_default(),
            Self::Letters { first, step, .. } => {
                let letter = u64::from(*first).saturating_add(at.saturating_mul(*step));
                [u8::try_from(letter).unwrap_or(b'?')].to_metered()
            }
            Self::Numbers { first, step, width, .. } => {
                let number = first.saturating_add(at.saturating_mul(*step));
                format!("{number:0width$}", width = *width).into_bytes()
            }
        }
    }
}

/// Digits of the widest number, and no more than a 64-bit number has.
const WIDEST: usize = 20;

impl Glob {
    /// A URL without patterns.
    pub(super) fn literal(url: &[u8]) -> Self {
        let mut parts = Vec::new();
        parts.push(Part::Literal(url.to_metered()));
        Self { parts, at: Some(Vec::of_copies(0, 1)) }
    }

    /// Reads patterns.
    pub(super) fn parse(url: &[u8]) -> Result<Self, Failure> {
        let wrong = |what: &str, at: usize| {
            let mark = repeat_text(" ", at);
            let url = bstr::BStr::new(url);
            Failure::new(3, format!("{what} in URL position {}:\n{url}\n{mark}^", at + 1))
        };
        let mut parts = Vec::new();
        let mut literal = Vec::new();
        let mut at = 0;
        while let Some(byte) = url.get(at) {
            match byte {
                b'\\' if url.get(at + 1).is_some_and(|next| b"{}[]".contains(next)) => {
                    literal.extend_from_slice(url.get(at + 1..at + 2).unwrap_or_default());
                    at += 2;
                }
                b'{' => {
                    let rest = url.get(at + 1..).unwrap_or_default();
                    let end = memchr::memchr(b'}', rest).ok_or_else(|| wrong("unmatched brace", at))?;
                    let items = rest.get(..end).unwrap_or_default();
                    parts.push(Part::Literal(std::mem::take(&mut literal)));
                    parts.push(Part::Set(
                        items.split(|byte| *byte == b',').map(ToMetered::to_metered).collect(),
                    ));
                    at += end + 2;
                }
                b'[' if is_ipv6(url.get(at..).unwrap_or_default()) => {
                    let end = memchr::memchr(b']', url.get(at..).unwrap_or_default()).unwrap_or(0);
                    literal.extend_from_slice(url.get(at..=at + end).unwrap_or_default());
                    at += end + 1;
                }
                b'[' => {
                    let rest = url.get(at + 1..).unwrap_or_default();
                    let end = memchr::memchr(b']', rest);
                    let part = end.and_then(|end| range(rest.get(..end)?));
                    let (Some(end), Some(part)) = (end, part) else {
                        return Err(wrong("bad range", at + 1));
                    };
                    parts.push(Part::Literal(std::mem::take(&mut literal)));
                    parts.push(part);
                    at += end + 2;
                }
                b'}' | b']' => return Err(wrong("unmatched close brace/bracket", at)),
                byte => {
                    literal.push(*byte);
                    at += 1;
                }
            }
        }
        parts.push(Part::Literal(literal));
        let count = parts.len();
        Ok(Self { parts, at: Some(Vec::of_copies(0, count)) })
    }

    /// The next URL, with the texts that `#1`, `#2` stand for.
    pub(super) fn next(&mut self) -> Option<(Vec<u8>, Vec<Vec<u8>>)> {
        let at = self.at.as_mut()?;
        let mut url = Vec::new();
        let mut chosen = Vec::new();
        for (part, at) in self.parts.iter().zip(at.iter()) {
            let text = part.text(*at);
            url.extend_from_slice(&text);
            if !matches!(part, Part::Literal(_)) {
                chosen.push(text);
            }
        }
        let mut is_done = true;
        for (part, at) in self.parts.iter().zip(at.iter_mut()).rev() {
            *at = at.saturating_add(1);
            if *at < part.count() {
                is_done = false;
                break;
            }
            *at = 0;
        }
        if is_done {
            self.at = None;
        }
        Some((url, chosen))
    }
}

/// `[::1]`, an address and not a range.
fn is_ipv6(text: &[u8]) -> bool {
    let end = memchr::memchr(b']', text).unwrap_or(0);
    let inner = text.get(1..end).and_then(|inner| std::str::from_utf8(inner).ok());
    inner.is_some_and(|inner| inner.parse::<std::net::Ipv6Addr>().is_ok())
}

fn range(text: &[u8]) -> Option<Part> {
    let text = std::str::from_utf8(text).ok()?;
    let (range, step) = match text.split_once(':') {
        Some((range, step)) => (range, step.parse().ok().filter(|step| *step > 0)?),
        None => (text, 1),
    };
    let (first, last) = range.split_once('-')?;
    let count = |first: u64, last: u64| last.checked_sub(first).map(|span| (span / step).saturating_add(1));
    if let (&[first], &[last]) = (first.as_bytes(), last.as_bytes())
        && first.is_ascii_alphabetic()
        && last.is_ascii_alphabetic()
    {
        let count = count(u64::from(first), u64::from(last))?;
        return Some(Part::Letters { first, step, count });
    }
    let width = if first.len() > 1 && first.starts_with('0') { first.len().min(WIDEST) } else { 0 };
    let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
    Some(Part::Numbers { first, step, count: count(first, last)?, width })
}

/// A file name with `#1` and its like filled in.
pub(super) fn fill(name: &[u8], chosen: &[Vec<u8>]) -> Vec<u8> {
    let mut filled = Vec::new();
    let mut rest = name;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = after.get(..digits).and_then(|digits| std::str::from_utf8(digits).ok());
        let number = number.filter(|_| *first == b'#').and_then(|digits| digits.parse::<usize>().ok());
        match number.and_then(|number| chosen.get(number.checked_sub(1)?)) {
            Some(text) => {
                filled.extend_from_slice(text);
                rest = after.get(digits..).unwrap_or_default();
            }
            None => {
                filled.push(*first);
                rest = after;
            }
        }
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> std::vec::Vec<std::string::String> {
        let mut glob = Glob::parse(text.as_bytes()).unwrap();
        std::iter::from_fn(|| glob.next())
            .take(100)
            .map(|(url, _)| std::string::String::from_utf8_lossy(&url).into_owned())
            .collect()
    }

    #[test]
    fn urls_one_after_the_other() {
        assert_eq!(all("x"), ["x"]);
        assert_eq!(all("{a,b}/[1-2]"), ["a/1", "a/2", "b/1", "b/2"]);
        assert_eq!(all("[08-10]"), ["08", "09", "10"]);
        assert_eq!(all("[a-e:2]"), ["a", "c", "e"]);
        assert_eq!(all("\\{a\\}"), ["{a}"]);
        assert_eq!(all("http://[::1]/x"), ["http://[::1]/x"]);
        assert_eq!(all("[0-18446744073709551615]").len(), 100);
        assert_eq!(fill(b"f_#1_#2#3", &[b"a".to_metered(), b"b".to_metered()]), b"f_a_b#3");
    }

    #[test]
    fn what_is_wrong_is_pointed_at() {
        let error = Glob::parse(b"http://127.0.0.1:8123/[1").unwrap_err();
        assert_eq!(
            &*error.message,
            "bad range in URL position 24:\nhttp://127.0.0.1:8123/[1\n                       ^"
        );
        let error = Glob::parse(b"http://127.0.0.1:8123/{a").unwrap_err();
        assert_eq!(
            &*error.message,
            "unmatched brace in URL position 23:\nhttp://127.0.0.1:8123/{a\n                      ^"
        );
    }
}
