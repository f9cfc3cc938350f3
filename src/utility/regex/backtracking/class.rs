//! Bracket expressions, and the escapes that stand for characters or for sets of them.

use super::parse::{Parser, wrong};
use super::set::Set;
use crate::character::{Class, Unit};
use crate::memory::String;
use crate::utility::regex::error::RegexError;
use regex_syntax::hir::{Class as HirClass, HirKind};

/// A bracket expression, after its `[`.
pub(super) fn bracket(parser: &mut Parser<'_>) -> Result<Set, RegexError> {
    let unended = || wrong("missing terminating ] for character class");
    if let Some(kind @ (':' | '.' | '=')) = parser.peek()
        && is_class_name(parser, kind)
    {
        return Err(wrong(if kind == ':' {
            "POSIX named classes are supported only within a class"
        } else {
            "POSIX collating elements are not supported"
        }));
    }
    let mut set = Set::new(parser.flags().unicode);
    let is_negated = parser.take('^');
    let mut is_first = true;
    let mut is_quoted = false;
    loop {
        let Some(c) = parser.next() else { return Err(unended()) };
        let was_first = std::mem::replace(&mut is_first, false);
        if is_quoted {
            if c == '\\' && parser.take('E') {
                is_quoted = false;
                continue;
            }
        } else if c == ']' && !was_first {
            break;
        } else if c == '\\' && parser.take('Q') {
            is_quoted = true;
            continue;
        } else if c == '\\' && parser.take('E') {
            continue;
        }
        let first = item(parser, c, is_quoted, &mut set)?;
        let is_range =
            !is_quoted && parser.peek() == Some('-') && parser.peek_at(1).is_some_and(|c| c != ']');
        let Some(first) = first else {
            if is_range {
                return Err(wrong("invalid range in character class"));
            }
            continue;
        };
        if !is_range {
            set.push_range(first, first);
            continue;
        }
        parser.at += 1;
        let Some(c) = parser.next() else { return Err(unended()) };
        match item(parser, c, false, &mut set)? {
            Some(last) if last < first => return Err(wrong("range out of order in character class")),
            Some(last) => set.push_range(first, last),
            None => return Err(wrong("invalid range in character class")),
        }
    }
    set.finish(is_negated, parser.flags().ignore_case);
    Ok(set)
}

/// Whether what follows looks like the rest of `[:name:]`, up to that sign and a `]`.
fn is_class_name(parser: &Parser<'_>, kind: char) -> bool {
    let mut distance = 1;
    while let Some(c) = parser.peek_at(distance) {
        match (c, parser.peek_at(distance + 1)) {
            ('\\', Some(']' | '\\')) => distance += 1,
            (']', _) => return false,
            ('[', Some(next)) if next == kind => return false,
            (c, Some(']')) if c == kind => return true,
            _ => {}
        }
        distance += 1;
    }
    false
}

/// A character of a bracket expression; `None`: a set, which was added.
fn item(
    parser: &mut Parser<'_>,
    c: char,
    is_quoted: bool,
    set: &mut Set,
) -> Result<Option<Unit>, RegexError> {
    match c {
        '[' if !is_quoted
            && let Some(kind @ (':' | '.' | '=')) = parser.peek()
            && is_class_name(parser, kind) =>
        {
            if kind != ':' {
                return Err(wrong("POSIX collating elements are not supported"));
            }
            parser.at += 1;
            let is_negated = parser.take('^');
            let mut name = String::new();
            while let Some(c) = parser.next().filter(|c| *c != ':') {
                name.push(c);
            }
            match Class::named(name.as_bytes()) {
                Some(class) if parser.take(']') => set.push_class(class, is_negated),
                _ => return Err(wrong("unknown POSIX class name")),
            }
            Ok(None)
        }
        '\\' if !is_quoted => {
            let Some(c) = parser.next() else { return Err(wrong("\\ at end of pattern")) };
            if c == 'b' {
                return Ok(Some(8));
            }
            if let Some(escaped) = class_escape(c) {
                push_escaped(set, escaped, c.is_ascii_uppercase());
                return Ok(None);
            }
            if matches!(c, 'p' | 'P') {
                push_property(parser, c == 'P', set)?;
                return Ok(None);
            }
            if c == 'N' {
                return Err(wrong("\\N is not supported in a class"));
            }
            if "ABCGKRXZkz".contains(c) {
                return Err(wrong("escape sequence is invalid in character class"));
            }
            if c == 'g' {
                return Ok(Some(Unit::from('g')));
            }
            let escaped = if c.is_ascii_digit() { octal(parser, c) } else { escaped_character(parser, c)? };
            Ok(Some(Unit::from(escaped)))
        }
        c => Ok(Some(Unit::from(c))),
    }
}

/// What `\d` and its like stand for.
#[derive(Clone, Copy)]
enum Escaped {
    Class(Class),
    Horizontal,
    Vertical,
}

fn class_escape(c: char) -> Option<Escaped> {
    Some(match c {
        'd' | 'D' => Escaped::Class(Class::Digit),
        'w' | 'W' => Escaped::Class(Class::Word),
        's' | 'S' => Escaped::Class(Class::Space),
        'h' | 'H' => Escaped::Horizontal,
        'v' | 'V' => Escaped::Vertical,
        _ => return None,
    })
}

/// Blanks that do not end a line, and those that do.
const HORIZONTAL: &[(Unit, Unit)] = &[
    (9, 9),
    (0x20, 0x20),
    (0xa0, 0xa0),
    (0x1680, 0x1680),
    (0x180e, 0x180e),
    (0x2000, 0x200a),
    (0x202f, 0x202f),
    (0x205f, 0x205f),
    (0x3000, 0x3000),
];
const VERTICAL: &[(Unit, Unit)] = &[(10, 13), (0x85, 0x85), (0x2028, 0x2029)];

fn push_escaped(set: &mut Set, escaped: Escaped, is_negated: bool) {
    let ranges = match escaped {
        Escaped::Class(class) => {
            set.push_class(class, is_negated);
            return;
        }
        Escaped::Horizontal => HORIZONTAL,
        Escaped::Vertical => VERTICAL,
    };
    push_ranges(set, ranges.iter().copied(), is_negated);
}

/// Adds ranges in order, or what lies between them.
fn push_ranges(set: &mut Set, ranges: impl Iterator<Item = (Unit, Unit)>, is_negated: bool) {
    let mut next = 0;
    for (first, last) in ranges {
        if !is_negated {
            set.push_range(first, last);
        } else if first > next {
            set.push_range(next, first - 1);
        }
        next = last + 1;
    }
    if is_negated && next <= Unit::from(char::MAX) {
        set.push_range(next, Unit::from(char::MAX));
    }
}

/// The set that an escape outside brackets stands for, if it stands for one.
pub(super) fn escaped_set(parser: &mut Parser<'_>, c: char) -> Result<Option<Set>, RegexError> {
    let is_negated = c.is_ascii_uppercase();
    let mut set = match (class_escape(c), c) {
        (Some(Escaped::Class(class)), _) => return Ok(Some(parser.class_set(class, is_negated))),
        (Some(escaped), _) => {
            let mut set = Set::default();
            push_escaped(&mut set, escaped, is_negated);
            set
        }
        (None, 'p' | 'P') => {
            let mut set = Set::default();
            push_property(parser, is_negated, &mut set)?;
            set
        }
        (None, _) => return Ok(None),
    };
    set.finish(false, false);
    Ok(Some(set))
}

/// `\p{Name}` or `\pL`, after the letter.
fn push_property(parser: &mut Parser<'_>, is_negated: bool, set: &mut Set) -> Result<(), RegexError> {
    let malformed = || wrong("malformed \\P or \\p sequence");
    let name = if parser.take('{') {
        parser.take_until('}').ok_or_else(malformed)?
    } else {
        let letter = parser.next().filter(char::is_ascii_alphabetic).ok_or_else(malformed)?;
        let mut name = String::new();
        name.push(letter);
        name
    };
    let (name, is_inverted) = name.strip_prefix('^').map_or((name.as_str(), false), |name| (name, true));
    let name = name.trim_ascii_start();
    let is_plain = name.len() <= 40 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let pattern = crate::memory::format!("\\p{{{name}}}");
    let hir = if is_plain { regex_syntax::parse(&pattern).ok() } else { None };
    let unknown = || wrong("unknown property after \\P or \\p");
    let hir = hir.ok_or_else(unknown)?;
    let HirKind::Class(HirClass::Unicode(class)) = hir.kind() else { return Err(unknown()) };
    let ranges = class.iter().map(|range| (Unit::from(range.start()), Unit::from(range.end())));
    push_ranges(set, ranges, is_negated != is_inverted);
    Ok(())
}

/// Up to two more octal digits after `first`.
fn octal(parser: &mut Parser<'_>, first: char) -> char {
    let mut value = first.to_digit(8).unwrap_or(0);
    for _ in 0..2 {
        let Some(digit) = parser.peek().and_then(|c| c.to_digit(8)) else { break };
        value = value * 8 + digit;
        parser.at += 1;
    }
    char::from_u32(value).unwrap_or('\0')
}

/// The character that an escape stands for, after its backslash and `c`.
pub(super) fn escaped_character(parser: &mut Parser<'_>, c: char) -> Result<char, RegexError> {
    let too_large = || wrong("character code point value in \\x{} or \\o{} is too large");
    Ok(match c {
        'a' => '\x07',
        'e' => '\x1b',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        '0' => octal(parser, '0'),
        'o' if parser.peek() != Some('{') => return Err(wrong("missing opening brace after \\o")),
        'o' | 'x' if parser.take('{') => {
            let base = if c == 'o' { 8 } else { 16 };
            let digits =
                parser.take_until('}').ok_or_else(|| wrong("missing terminating } for braced escape"))?;
            let value =
                u32::from_str_radix(&digits, base).map_err(|_| wrong("non-hex character in \\x{}"))?;
            char::from_u32(value).ok_or_else(too_large)?
        }
        'x' => {
            let mut value = 0;
            for _ in 0..2 {
                let Some(digit) = parser.peek().and_then(|c| c.to_digit(16)) else { break };
                value = value * 16 + digit;
                parser.at += 1;
            }
            char::from_u32(value).unwrap_or('\0')
        }
        'c' => match parser.next() {
            Some(c) if c.is_ascii() => char::from(c.to_ascii_uppercase() as u8 ^ 0x40),
            _ => return Err(wrong("\\c at end of pattern")),
        },
        'F' | 'L' | 'l' | 'U' | 'u' => {
            return Err(wrong("PCRE2 does not support \\F, \\L, \\l, \\N{name}, \\U, or \\u"));
        }
        c if c.is_ascii_alphanumeric() => return Err(wrong("unrecognized character follows \\")),
        c => c,
    })
}
