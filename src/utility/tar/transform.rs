//! What becomes of names: `--transform` (a list of `s` commands as of sed), then `--strip-components`, and the start of a name
//! that would lead out of the directory.

use super::arguments::usage;
use super::error::{Result, TarError, fatal};
use crate::memory::{ToMetered, Vec, format};
use crate::utility::Context;
use crate::utility::context::pace::Pace;
use crate::utility::context::ticker::{regex_options, search_error};
use crate::utility::regex::{Dialect, Regex, RegexOptions, Span, Syntax};

/// Which names a command is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Member,
    Symlink,
    HardLink,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    Same,
    Upper,
    Lower,
}

#[derive(Clone, Debug)]
enum Part {
    Text(Vec<u8>),
    Group(usize),
    /// For all that follows.
    Case(Case),
    /// For the next character.
    Once(Case),
}

/// One `s/REGEX/REPLACEMENT/FLAGS`.
#[derive(Clone, Debug)]
pub(super) struct Substitution {
    regex: Regex,
    replacement: Vec<Part>,
    all: bool,
    number: usize,
    /// For members, symbolic and hard links.
    targets: [bool; 3],
}

/// The pieces of `text` up to the next unescaped `end`, and what follows.
fn until(text: &[u8], end: u8) -> Option<(Vec<u8>, &[u8])> {
    let mut piece: Vec<u8> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'\\' => {
                let next = *text.get(at)?;
                at += 1;
                if next != end {
                    piece.push(b'\\');
                }
                piece.push(next);
            }
            _ if byte == end => return Some((piece, text.get(at..)?)),
            _ => piece.push(byte),
        }
    }
    None
}

/// Parses the commands of an expression.
pub(super) fn parse(ctx: &Context, expression: &[u8], out: &mut Vec<Substitution>) -> Result<()> {
    let invalid = || TarError::End(usage("Invalid transform expression", 2));
    let mut rest = expression;
    let mut defaults = [true; 3];
    while !rest.is_empty() {
        if let Some(flags) = rest.strip_prefix(b"flags=") {
            let end = memchr::memchr(b';', flags).unwrap_or(flags.len());
            // Those that are named are the only ones.
            defaults = [!flags.iter().take(end).any(u8::is_ascii_lowercase); 3];
            for flag in flags.get(..end).unwrap_or(flags) {
                set_target(&mut defaults, *flag);
            }
            rest = flags.get(end + 1..).unwrap_or(&[]);
            continue;
        }
        let (&delimiter, tail) = rest.strip_prefix(b"s").and_then(<[u8]>::split_first).ok_or_else(invalid)?;
        let Some((source, tail)) = until(tail, delimiter) else {
            return fatal("Invalid transform expression: missing second delimiter");
        };
        let (replacement, tail) = until(tail, delimiter).ok_or_else(invalid)?;
        let end = memchr::memchr(b';', tail).unwrap_or(tail.len());
        let mut targets = defaults;
        let (mut all, mut number, mut extended, mut ignore_case) = (false, 0_usize, false, false);
        for &flag in tail.get(..end).unwrap_or(tail) {
            match flag {
                b'g' => all = true,
                b'i' => ignore_case = true,
                b'x' => extended = true,
                b'0'..=b'9' => number = number.saturating_mul(10).saturating_add(usize::from(flag - b'0')),
                _ if set_target(&mut targets, flag) => {}
                _ => {
                    let shown = char::from(flag);
                    return fatal(format!("Unknown flag in transform expression: {shown}"));
                }
            }
        }
        let syntax = if extended { Syntax::Extended } else { Syntax::Basic };
        let options = RegexOptions { ignore_case, dialect: Dialect::Sed, ..regex_options(&ctx.meter) };
        let regex = Regex::new(&source, syntax, &options)
            .map_err(|error| TarError::Fatal(format!("Invalid transform expression: {error}")))?;
        out.push(Substitution {
            regex,
            replacement: parts(&replacement),
            all,
            number: number.max(1),
            targets,
        });
        rest = tail.get(end + 1..).unwrap_or(&[]);
    }
    Ok(())
}

fn set_target(targets: &mut [bool; 3], flag: u8) -> bool {
    let (slot, value) = match flag {
        b'r' | b'R' => (0, flag == b'r'),
        b's' | b'S' => (1, flag == b's'),
        b'h' | b'H' => (2, flag == b'h'),
        _ => return false,
    };
    if let Some(target) = targets.get_mut(slot) {
        *target = value;
    }
    true
}

fn parts(replacement: &[u8]) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut text: Vec<u8> = Vec::new();
    let mut bytes = replacement.iter();
    while let Some(&byte) = bytes.next() {
        let part = match byte {
            b'&' => Part::Group(0),
            b'\\' => match bytes.next() {
                Some(digit @ b'0'..=b'9') => Part::Group(usize::from(digit - b'0')),
                Some(b'L') => Part::Case(Case::Lower),
                Some(b'U') => Part::Case(Case::Upper),
                Some(b'E') => Part::Case(Case::Same),
                Some(b'l') => Part::Once(Case::Lower),
                Some(b'u') => Part::Once(Case::Upper),
                Some(b'n') => {
                    text.push(b'\n');
                    continue;
                }
                Some(b't') => {
                    text.push(b'\t');
                    continue;
                }
                Some(&other) => {
                    text.push(other);
                    continue;
                }
                None => continue,
            },
            other => {
                text.push(other);
                continue;
            }
        };
        if !text.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut text)));
        }
        parts.push(part);
    }
    parts.push(Part::Text(text));
    parts
}

fn in_case(case: Case, byte: u8) -> u8 {
    match case {
        Case::Same => byte,
        Case::Upper => byte.to_ascii_uppercase(),
        Case::Lower => byte.to_ascii_lowercase(),
    }
}

impl Substitution {
    async fn apply(&self, ctx: &Context, name: &[u8]) -> Result<Vec<u8>> {
        let mut out: Vec<u8> = Vec::new();
        let mut groups: Vec<Option<Span>> = Vec::new();
        let (mut at, mut count) = (0, 0);
        let mut copied = 0;
        while at <= name.len() {
            let mut pace = Pace::Shared(&ctx.meter);
            let found = self.regex.captures_at(name, at, &mut groups, &mut pace).await;
            if !found.map_err(|error| search_error(&ctx.meter, &error, 2))? {
                break;
            }
            let Some(&Some((start, end))) = groups.first() else { break };
            count += 1;
            if count >= self.number {
                out.extend_from_slice(name.get(copied..start).unwrap_or(&[]));
                self.replace(name, &groups, &mut out);
                copied = end;
                if !self.all {
                    break;
                }
            }
            at = if end > start { end } else { end + 1 };
        }
        out.extend_from_slice(name.get(copied..).unwrap_or(&[]));
        Ok(out)
    }

    fn replace(&self, name: &[u8], groups: &[Option<Span>], out: &mut Vec<u8>) {
        let (mut case, mut once) = (Case::Same, None);
        for part in &self.replacement {
            let text = match part {
                Part::Case(new) => {
                    case = *new;
                    continue;
                }
                Part::Once(new) => {
                    once = Some(*new);
                    continue;
                }
                Part::Text(text) => text.as_slice(),
                Part::Group(number) => {
                    let span = groups.get(*number).copied().flatten();
                    span.and_then(|(start, end)| name.get(start..end)).unwrap_or(&[])
                }
            };
            for &byte in text {
                out.push(in_case(once.take().unwrap_or(case), byte));
            }
        }
    }
}

/// The name after all substitutions that are for `target`.
pub(super) async fn transform(
    ctx: &Context,
    substitutions: &[Substitution],
    target: Target,
    name: &[u8],
) -> Result<Vec<u8>> {
    let slot = target as usize;
    // A directory's name is changed without the slash after it.
    let is_directory = name.len() > 1 && name.ends_with(b"/");
    let mut name = if is_directory { name.strip_suffix(b"/").unwrap_or(name) } else { name }.to_metered();
    for substitution in substitutions.iter().filter(|one| one.targets.get(slot) == Some(&true)) {
        name = substitution.apply(ctx, &name).await?;
    }
    if is_directory && !name.ends_with(b"/") {
        name.push(b'/');
    }
    Ok(name)
}

/// The name without its first components; `None`: it has no more.
pub(super) fn strip(name: &[u8], count: u64) -> Option<&[u8]> {
    let mut rest = name;
    for _ in 0..count {
        let slash = memchr::memchr(b'/', rest)?;
        let start = rest.get(slash..)?.iter().position(|byte| *byte != b'/').map(|more| slash + more)?;
        rest = rest.get(start..)?;
    }
    Some(rest)
}

/// How long the start of a name is that leads out of the directory: all up to the last `..`, and slashes.
pub(super) fn unsafe_start(name: &[u8]) -> usize {
    let mut start = 0;
    let mut at = 0;
    for component in name.split(|byte| *byte == b'/') {
        at += component.len();
        if component == b".." {
            start = at;
        }
        at += 1;
    }
    let rest = name.get(start..).unwrap_or(&[]);
    start + rest.iter().take_while(|byte| **byte == b'/').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_the_directory() {
        for (name, want) in
            [("a/b", "a/b"), ("/a", "a"), ("../a", "a"), ("a/../../b", "b"), ("a/..", ""), ("..a", "..a")]
        {
            assert_eq!(name.get(unsafe_start(name.as_bytes())..).unwrap(), want, "{name}");
        }
        assert_eq!(strip(b"a/b/c", 1), Some(&b"b/c"[..]));
        assert_eq!(strip(b"a//b/", 1), Some(&b"b/"[..]));
        assert_eq!(strip(b"a/", 1), None);
        assert_eq!(strip(b"a", 1), None);
    }
}
