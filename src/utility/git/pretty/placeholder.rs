//! Placeholders of `--format`: `%H`, `%an`, `%ad`, `%s`, `%<(20)`, ...

use super::{LogStyle, Shown, body, subject};
use crate::memory::{JoinMetered, String, ToMetered, Vec, format};
use crate::text::Text;
use crate::utility::git::Git;
use crate::utility::git::date::{DateMode, DateStyle};
use crate::utility::git::error::Result;
use crate::utility::git::object::commit::{Commit, Signature, header, message};

/// How the next placeholder is padded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Padding {
    width: usize,
    side: u8,
    cut: u8,
}

/// `(N[,trunc])` of `%<`, `%>` and `%><`.
fn padding(rest: &[u8]) -> Option<(Padding, usize)> {
    let (side, skip) = match rest {
        [b'>', b'<', ..] => (b'|', 2),
        [b'>', b'>', ..] => (b'>', 2),
        [b'<', ..] => (b'<', 1),
        [b'>', ..] => (b'>', 1),
        _ => return None,
    };
    let inner = rest.get(skip..)?.strip_prefix(b"(")?;
    let close = memchr::memchr(b')', inner)?;
    let mut words = inner.get(..close)?.split(|byte| *byte == b',');
    let width = std::str::from_utf8(words.next()?.trim_ascii()).ok()?.parse().ok()?;
    let cut = match words.next().map(<[u8]>::trim_ascii) {
        None => b' ',
        Some(b"trunc") => b'r',
        Some(b"ltrunc") => b'l',
        Some(b"mtrunc") => b'm',
        Some(_) => return None,
    };
    Some((Padding { width, side, cut }, skip + close + 2))
}

fn pad(text: &[u8], padding: Padding, out: &mut Vec<u8>) {
    let shown = String::from_utf8_lossy(text);
    let count = shown.chars().count();
    if count > padding.width && padding.cut != b' ' {
        let keep = padding.width.saturating_sub(2);
        let cut: String = match padding.cut {
            b'l' => "..".chars().chain(shown.chars().skip(count - keep)).collect(),
            b'm' => {
                let front = keep / 2;
                shown
                    .chars()
                    .take(front)
                    .chain("..".chars())
                    .chain(shown.chars().skip(count - (keep - front)))
                    .collect()
            }
            _ => shown.chars().take(keep).chain("..".chars()).collect(),
        };
        out.extend_from_slice(cut.as_bytes());
        return;
    }
    let room = padding.width.saturating_sub(count).min(1 << 16);
    let before = match padding.side {
        b'<' => 0,
        b'|' => room / 2,
        _ => room,
    };
    out.resize_by(before, b' ');
    out.extend_from_slice(text);
    out.resize_by(room - before, b' ');
}

/// The subject as a file name.
fn file_name(subject: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    let mut gap = 2;
    for (at, &byte) in subject.iter().enumerate() {
        if byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' {
            if gap == 1 {
                out.push(b'-');
            }
            gap = 0;
            out.push(byte);
            if byte == b'.' && subject.get(at + 1) == Some(&b'.') {
                out.pop();
            }
        } else {
            gap |= 1;
        }
    }
    while matches!(out.last(), Some(b'.' | b'-')) {
        out.pop();
    }
    out
}

impl Git {
    /// Expands a format.
    pub(super) async fn expand(
        &mut self,
        pattern: &[u8],
        shown: &Shown<'_>,
        style: &LogStyle,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let mut at = 0;
        let mut pending: Option<Padding> = None;
        while let Some(&byte) = pattern.get(at) {
            self.ctx.tick().await?;
            if byte != b'%' {
                out.push(byte);
                at += 1;
                continue;
            }
            let rest = pattern.get(at + 1..).unwrap_or(&[]);
            if let Some((padding, length)) = padding(rest) {
                pending = Some(padding);
                at += 1 + length;
                continue;
            }
            let (sign, inner) = match rest.split_first() {
                Some((sign @ (b'+' | b'-' | b' '), inner)) => (Some(*sign), inner),
                _ => (None, rest),
            };
            let mut text: Vec<u8> = Vec::new();
            let length = self.placeholder(inner, shown, style, &mut text)?;
            if length == 0 {
                out.push(b'%');
                at += 1;
                continue;
            }
            match sign {
                Some(b'+') if !text.is_empty() => out.push(b'\n'),
                Some(b' ') if !text.is_empty() => out.push(b' '),
                Some(b'-') if text.is_empty() => {
                    while out.last() == Some(&b'\n') {
                        out.pop();
                    }
                }
                _ => {}
            }
            match pending.take() {
                Some(padding) => pad(&text, padding, out),
                None => out.extend_from_slice(&text),
            }
            at += 1 + length + usize::from(sign.is_some());
        }
        Ok(())
    }

    /// A placeholder's text; how many bytes its name has, 0: it is none.
    fn placeholder(
        &mut self,
        rest: &[u8],
        shown: &Shown<'_>,
        style: &LogStyle,
        out: &mut Vec<u8>,
    ) -> Result<usize> {
        let Some(&letter) = rest.first() else { return Ok(0) };
        let text = message(shown.bytes);
        let mut length = 1;
        match letter {
            b'%' => out.push(b'%'),
            b'n' => out.push(b'\n'),
            b'x' => {
                let digits = rest.get(1..3).and_then(|digits| std::str::from_utf8(digits).ok());
                let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) else {
                    return Ok(0);
                };
                out.push(byte);
                length = 3;
            }
            b'C' => return Ok(color_length(rest)),
            b'w' => {
                let close = memchr::memchr(b')', rest).filter(|_| rest.get(1) == Some(&b'('));
                if close.is_some_and(|close| close > 2) {
                    return Err(crate::utility::git::error::fatal!("%w() in a format is not supported"));
                }
                return Ok(close.map_or(0, |close| close + 1));
            }
            b'H' => out.extend_from_slice(shown.id.hex().as_bytes()),
            b'h' => out.extend_from_slice(&self.abbreviate(&shown.id, style.abbreviation)?),
            b'T' | b't' | b'P' | b'p' => {
                let Some(commit) = Commit::parse(shown.bytes) else { return Ok(1) };
                let ids = if letter.eq_ignore_ascii_case(&b't') {
                    Vec::from([commit.tree])
                } else {
                    commit.parents
                };
                let mut names: Vec<Text> = Vec::new();
                for id in &ids {
                    let name = if letter.is_ascii_uppercase() {
                        id.hex().into()
                    } else {
                        self.abbreviate(id, style.abbreviation)?
                    };
                    names.push(name);
                }
                out.extend_from_slice(&names.join_metered(b" "));
            }
            b'a' | b'c' => return Ok(self.person(rest, shown, style, out)),
            b's' => out.extend_from_slice(&subject(text)),
            b'f' => out.extend_from_slice(&file_name(&subject(text))),
            b'b' => out.extend_from_slice(body(text)),
            b'B' => out.extend_from_slice(text),
            b'N' => {}
            b'e' => out.extend_from_slice(header(shown.bytes, b"encoding").unwrap_or(&[])),
            b'm' => out.extend_from_slice(if shown.mark.is_empty() { b">" } else { shown.mark.as_bytes() }),
            b'd' => {
                if let Some(names) = Self::decoration(shown.decorations, &shown.id, false) {
                    out.extend_from_slice(&[b" (", &names[..], b")"].concat_metered());
                }
            }
            b'D' => out.extend_from_slice(
                &Self::decoration(shown.decorations, &shown.id, false).unwrap_or_default(),
            ),
            b'S' => {}
            b'G' => {
                length = 2;
                match rest.get(1) {
                    Some(b'?') => out.push(b'N'),
                    Some(b'G' | b'S' | b'K' | b'F' | b'P') => {}
                    Some(b'T') => out.extend_from_slice(b"undefined"),
                    _ => return Ok(0),
                }
            }
            b'g' => {
                length = 2;
                let Some(kind) = rest.get(1) else { return Ok(0) };
                let Some((name, entry)) = shown.log else { return Ok(2) };
                let who = Signature::parse(&entry.who);
                match kind {
                    b'D' => out.extend_from_slice(name),
                    b'd' => out.extend_from_slice(shortened(name)),
                    b's' => out.extend_from_slice(&entry.message),
                    b'n' | b'N' => out.extend_from_slice(who.name),
                    b'e' | b'E' => out.extend_from_slice(who.email),
                    _ => return Ok(0),
                }
            }
            b'(' => {
                for name in ["describe", "decorate"] {
                    let inner = rest.get(1..).and_then(|rest| rest.strip_prefix(name.as_bytes()));
                    if inner.is_some_and(|inner| inner.starts_with(b")") || inner.starts_with(b":")) {
                        return Err(crate::utility::git::error::fatal!(
                            "%({name}) in a format is not supported"
                        ));
                    }
                }
                return Ok(trailers(rest, text, out));
            }
            _ => return Ok(0),
        }
        Ok(length)
    }

    fn person(&mut self, rest: &[u8], shown: &Shown<'_>, style: &LogStyle, out: &mut Vec<u8>) -> usize {
        let name: &[u8] = if rest.first() == Some(&b'a') { b"author" } else { b"committer" };
        let who = Signature::parse(header(shown.bytes, name).unwrap_or(&[]));
        let Some(kind) = rest.get(1) else { return 0 };
        let mode = |style: DateStyle| DateMode { style, is_local: false };
        let local = || who.email.split(|byte| *byte == b'@').next().unwrap_or(&[]).to_metered();
        let text = match kind {
            b'n' | b'N' => who.name.to_metered(),
            b'e' | b'E' => who.email.to_metered(),
            b'l' | b'L' => local(),
            b'd' => self.show_date(&who, &style.date),
            b'D' => self.show_date(&who, &mode(DateStyle::Rfc)),
            b'r' => self.show_date(&who, &mode(DateStyle::Relative)),
            b't' => format!("{}", who.seconds).into_bytes(),
            b'i' => self.show_date(&who, &mode(DateStyle::Iso)),
            b'I' => self.show_date(&who, &mode(DateStyle::IsoStrict)),
            b's' => self.show_date(&who, &mode(DateStyle::Short)),
            b'h' => self.show_date(&who, &mode(DateStyle::Human)),
            _ => return 0,
        };
        out.extend_from_slice(&text);
        2
    }
}

/// Colors are off: their names alone are passed over.
fn color_length(rest: &[u8]) -> usize {
    if rest.get(1) == Some(&b'(') {
        return memchr::memchr(b')', rest).map_or(0, |close| close + 1);
    }
    for name in ["Cred", "Cgreen", "Cblue", "Creset"] {
        if rest.starts_with(name.as_bytes()) {
            return name.len();
        }
    }
    0
}

/// `%(trailers)` and `%(trailers:key=NAME,valueonly)`: the last paragraph, where it consists of `Key: value`.
fn trailers(rest: &[u8], text: &[u8], out: &mut Vec<u8>) -> usize {
    let Some(inner) = rest.strip_prefix(b"(trailers") else { return 0 };
    let Some(close) = memchr::memchr(b')', inner) else { return 0 };
    let options = inner.get(..close).unwrap_or(&[]);
    let length = b"(trailers".len() + close + 1;
    let (mut keys, mut only_values, mut separator): (Vec<Text>, bool, Vec<u8>) =
        (Vec::new(), false, b"\n".to_metered());
    let mut is_separated = false;
    for option in options.strip_prefix(b":").unwrap_or(&[]).split(|byte| *byte == b',') {
        if let Some(key) = option.strip_prefix(b"key=") {
            keys.push(Text::from(key.strip_suffix(b":").unwrap_or(key)));
        } else if option == b"valueonly" || option == b"valueonly=true" {
            only_values = true;
        } else if let Some(given) = option.strip_prefix(b"separator=") {
            separator = match given {
                b"%x2C" => b",".to_metered(),
                b"%x20" => b" ".to_metered(),
                b"%n" => b"\n".to_metered(),
                _ => given.to_metered(),
            };
            is_separated = true;
        }
    }
    let text = text.trim_ascii_end();
    let start = memchr::memmem::rfind(text, b"\n\n").map_or(text.len(), |at| at + 2);
    let mut lines = Vec::new();
    for line in text.get(start..).unwrap_or(&[]).split(|byte| *byte == b'\n') {
        let Some(colon) = memchr::memchr(b':', line) else { continue };
        let key = line.get(..colon).unwrap_or(&[]);
        if !key.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-') || key.is_empty() {
            continue;
        }
        if keys.is_empty() || keys.iter().any(|wanted| wanted.eq_ignore_ascii_case(key)) {
            let value = line.get(colon + 1..).unwrap_or(&[]).trim_ascii();
            lines.push(if only_values { value.to_metered() } else { line.to_metered() });
        }
    }
    out.extend_from_slice(&lines.join_metered(&separator));
    if !lines.is_empty() && !is_separated {
        out.push(b'\n');
    }
    length
}

/// A ref without the front that its place makes plain.
fn shortened(name: &[u8]) -> &[u8] {
    let fronts = [&b"refs/heads/"[..], b"refs/tags/", b"refs/remotes/", b"refs/"];
    fronts.iter().find_map(|front| name.strip_prefix(*front)).unwrap_or(name)
}
