//! Whether a text is JSON, as `file` sees it: a comma after the last member does no harm, and only objects and arrays count.
//! CSV too, which is as many commas on each of the first lines.

use super::kind::Kind;
use crate::limit::LimitError;
use crate::memory::Vec;
use crate::utility::Context;
use crate::utility::context::pace::tick_bytes;

/// How deep objects and arrays may stand in each other.
const DEEPEST: usize = 500;

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Value,
    KeyOrEnd,
    ItemOrEnd,
    CommaOrEnd,
}

/// JSON, or lines that each are JSON.
pub(super) async fn json(ctx: &Context, data: &[u8]) -> Result<Option<Kind>, LimitError> {
    let mut rest = blanks(data);
    let mut texts = 0;
    loop {
        if !matches!(rest.first(), Some(b'{' | b'[')) {
            return Ok(None);
        }
        let Some(after) = value(ctx, rest).await? else { return Ok(None) };
        texts += 1;
        rest = blanks(after);
        if rest.is_empty() {
            break;
        }
    }
    Ok(Some(if texts == 1 {
        Kind::new("JSON text data", "application/json", "")
    } else {
        Kind::new("New Line Delimited JSON text data", "application/x-ndjson", "")
    }))
}

fn blanks(text: &[u8]) -> &[u8] {
    let count =
        text.iter().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | 0x0b | 0x0c)).count();
    text.get(count..).unwrap_or_default()
}

/// What is after a value.
async fn value<'t>(ctx: &Context, text: &'t [u8]) -> Result<Option<&'t [u8]>, LimitError> {
    let mut rest = text;
    // Whether each object or array around is an object.
    let mut around: Vec<bool> = Vec::new();
    let mut wanted = Wanted::Value;
    let mut counted = rest.len();
    loop {
        if counted - rest.len() > 1024 {
            tick_bytes(&ctx.meter, counted - rest.len()).await?;
            counted = rest.len();
        }
        rest = blanks(rest);
        let Some((&byte, tail)) = rest.split_first() else { return Ok(None) };
        let closes = match around.last() {
            Some(true) => byte == b'}',
            Some(false) => byte == b']',
            None => false,
        };
        if closes && wanted != Wanted::Value {
            around.pop();
            rest = tail;
            if around.is_empty() {
                return Ok(Some(rest));
            }
            wanted = Wanted::CommaOrEnd;
            continue;
        }
        match (wanted, byte) {
            (Wanted::CommaOrEnd, b',') => {
                rest = tail;
                wanted = if around.last() == Some(&true) { Wanted::KeyOrEnd } else { Wanted::ItemOrEnd };
            }
            (Wanted::KeyOrEnd, b'"') => {
                let Some(after) = string(tail) else { return Ok(None) };
                let Some(after) = blanks(after).strip_prefix(b":") else { return Ok(None) };
                rest = after;
                wanted = Wanted::Value;
            }
            (Wanted::Value | Wanted::ItemOrEnd, b'{' | b'[') => {
                if around.len() >= DEEPEST {
                    return Ok(None);
                }
                around.push(byte == b'{');
                rest = tail;
                wanted = if byte == b'{' { Wanted::KeyOrEnd } else { Wanted::ItemOrEnd };
            }
            (Wanted::Value | Wanted::ItemOrEnd, _) => {
                let Some(after) = scalar(byte, rest, tail) else { return Ok(None) };
                rest = after;
                wanted = Wanted::CommaOrEnd;
            }
            _ => return Ok(None),
        }
    }
}

fn scalar<'t>(byte: u8, rest: &'t [u8], tail: &'t [u8]) -> Option<&'t [u8]> {
    match byte {
        b'"' => string(tail),
        b't' => rest.strip_prefix(b"true"),
        b'f' => rest.strip_prefix(b"false"),
        b'n' => rest.strip_prefix(b"null"),
        b'-' | b'0'..=b'9' => number(rest),
        _ => None,
    }
}

/// What is after the closing quote.
fn string(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text;
    loop {
        let at = memchr::memchr3(b'"', b'\\', 0, rest)?;
        let (&byte, tail) = rest.get(at..)?.split_first()?;
        rest = match byte {
            b'"' => return Some(tail),
            b'\\' => {
                let (&letter, after) = tail.split_first()?;
                match letter {
                    b'u' => {
                        let digits = after.get(..4)?;
                        digits.iter().all(u8::is_ascii_hexdigit).then_some(())?;
                        after.get(4..)?
                    }
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => after,
                    _ => return None,
                }
            }
            _ => return None,
        };
    }
}

fn number(text: &[u8]) -> Option<&[u8]> {
    let mut rest = text.strip_prefix(b"-").unwrap_or(text);
    let digits = |text: &mut &[u8]| {
        let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        *text = text.get(count..).unwrap_or_default();
        count > 0
    };
    let mut has_digits = digits(&mut rest);
    if let Some(after) = rest.strip_prefix(b".") {
        rest = after;
        has_digits |= digits(&mut rest);
    }
    if let [b'e' | b'E', after @ ..] = rest {
        rest = after.strip_prefix(b"+").or(after.strip_prefix(b"-")).unwrap_or(after);
        has_digits &= digits(&mut rest);
    }
    has_digits.then_some(rest)
}

/// Lines that are looked at.
const CSV_LINES: usize = 10;

/// Whether lines have as many commas each, outside of quotes: three lines at least.
pub(super) async fn csv(ctx: &Context, data: &[u8]) -> Result<Option<Kind>, LimitError> {
    let kind = || Some(Kind::new("CSV text", "text/csv", "csv"));
    let (mut wanted, mut commas, mut lines, mut is_quoted) = (0_usize, 0_usize, 0_usize, false);
    for (at, &byte) in data.iter().enumerate() {
        if at.is_multiple_of(4096) {
            tick_bytes(&ctx.meter, 4096).await?;
        }
        match byte {
            b'"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b',' => commas += 1,
            b'\n' => {
                lines += 1;
                if lines == CSV_LINES {
                    return Ok(if wanted != 0 && wanted == commas { kind() } else { None });
                }
                if commas == 0 || (wanted != 0 && wanted != commas) {
                    return Ok(None);
                }
                wanted = commas;
                commas = 0;
            }
            _ => {}
        }
    }
    Ok(if wanted != 0 && lines > 2 { kind() } else { None })
}
