//! The sets of `tr`: single bytes, ranges, classes, equivalence classes and repeats, with backslash escapes.

use crate::memory::{String, ToMeteredString, Vec, format};
use crate::utility::UtilityError;
use crate::utility::format::escape::{Escape, Escapes};
use crate::utility::format::quote::quote;

/// One construct of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Byte(u8),
    Range(u8, u8),
    Class(Class),
    Equivalence(u8),
    /// `[c*n]`; `None`: as often as it takes.
    Repeat(u8, Option<u64>),
}

/// Letters of one case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Upper,
    Lower,
}

/// A character class of the C locale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class(usize);

type Membership = fn(&u8) -> bool;

const CLASSES: [(&[u8], Membership); 12] = [
    (b"alnum", u8::is_ascii_alphanumeric),
    (b"alpha", u8::is_ascii_alphabetic),
    (b"blank", |byte| matches!(byte, b' ' | b'\t')),
    (b"cntrl", u8::is_ascii_control),
    (b"digit", u8::is_ascii_digit),
    (b"graph", u8::is_ascii_graphic),
    (b"lower", u8::is_ascii_lowercase),
    (b"print", |byte| matches!(byte, 0x20..0x7f)),
    (b"punct", u8::is_ascii_punctuation),
    (b"space", |byte| matches!(byte, b' ' | 0x09..=0x0d)),
    (b"upper", u8::is_ascii_uppercase),
    (b"xdigit", u8::is_ascii_hexdigit),
];

impl Class {
    fn named(name: &[u8]) -> Option<Self> {
        CLASSES.iter().position(|(known, _)| *known == name).map(Self)
    }

    pub(super) fn case(self) -> Option<Case> {
        match CLASSES.get(self.0)?.0 {
            b"upper" => Some(Case::Upper),
            b"lower" => Some(Case::Lower),
            _ => None,
        }
    }

    fn bytes(self) -> impl Iterator<Item = u8> {
        let member = CLASSES.get(self.0).map(|(_, member)| *member);
        (0..=255).filter(move |byte| member.is_some_and(|member| member(byte)))
    }
}

/// A set in the order in which it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Set(Vec<Element>);

impl Set {
    pub(super) fn parse(text: &[u8], warnings: &mut Vec<String>) -> Result<Self, UtilityError> {
        let letters = unescape(text, warnings);
        let mut elements = Vec::new();
        let mut at = 0;
        let mut closing = [0; 2];
        while let Some(&letter) = letters.get(at) {
            if letter.is('[')
                && let Some((element, next)) = bracket(&letters, at, &mut closing)?
            {
                elements.push(element);
                at = next;
            } else if let (Some(dash), Some(last)) = (letters.get(at + 1), letters.get(at + 2))
                && dash.is('-')
            {
                if letter.byte > last.byte {
                    return Err(UtilityError::failed(format!(
                        "range-endpoints of '{}-{}' are in reverse collating sequence order",
                        printable(letter.byte),
                        printable(last.byte)
                    )));
                }
                elements.push(Element::Range(letter.byte, last.byte));
                at += 3;
            } else {
                elements.push(Element::Byte(letter.byte));
                at += 1;
            }
        }
        Ok(Self(elements))
    }

    pub(super) fn elements(&self) -> impl DoubleEndedIterator<Item = &Element> {
        self.0.iter()
    }

    /// How many `[c*]` there are.
    pub(super) fn indefinite(&self) -> usize {
        self.0.iter().filter(|element| matches!(element, Element::Repeat(_, None))).count()
    }

    /// Makes `[c*]` so long that the set has `length` bytes.
    pub(super) fn fill(&mut self, length: u64) {
        let missing = length.saturating_sub(self.length());
        for element in &mut self.0 {
            if let Element::Repeat(_, count @ None) = element {
                *count = Some(missing);
            }
        }
    }

    /// Repeats the last byte until the set has `length` bytes.
    pub(super) fn extend_last(&mut self, length: u64) {
        let last = match self.0.last() {
            Some(Element::Byte(byte) | Element::Range(_, byte) | Element::Repeat(byte, _)) => *byte,
            _ => return,
        };
        let missing = length.saturating_sub(self.length());
        self.0.push(Element::Repeat(last, Some(missing)));
    }

    /// Bytes with the number of times that each is repeated.
    pub(super) fn runs(&self) -> Vec<(u8, u64)> {
        let mut runs = Vec::new();
        for element in &self.0 {
            match *element {
                Element::Byte(byte) | Element::Equivalence(byte) => runs.push((byte, 1)),
                Element::Range(first, last) => runs.extend((first..=last).map(|byte| (byte, 1))),
                Element::Class(class) => runs.extend(class.bytes().map(|byte| (byte, 1))),
                Element::Repeat(byte, count) => runs.extend(count.filter(|n| *n > 0).map(|n| (byte, n))),
            }
        }
        runs
    }

    pub(super) fn length(&self) -> u64 {
        self.0.iter().fold(0, |sum, element| sum.saturating_add(length(element)))
    }

    /// Whether all bytes are the same.
    pub(super) fn is_homogeneous(&self) -> bool {
        let runs = self.runs();
        runs.windows(2).all(|pair| matches!(pair, [(one, _), (two, _)] if one == two))
    }

    /// `[:upper:]` and `[:lower:]` with their positions in the expanded set.
    pub(super) fn cases(&self) -> impl Iterator<Item = (u64, Case)> {
        self.0
            .iter()
            .scan(0_u64, |position, element| {
                let start = *position;
                *position = position.saturating_add(length(element));
                Some((start, element))
            })
            .filter_map(|(start, element)| match element {
                Element::Class(class) => class.case().map(|case| (start, case)),
                _ => None,
            })
    }
}

fn length(element: &Element) -> u64 {
    match *element {
        Element::Byte(_) | Element::Equivalence(_) => 1,
        Element::Range(first, last) => u64::from(last.saturating_sub(first)) + 1,
        Element::Class(class) => class.bytes().count() as u64,
        Element::Repeat(_, count) => count.unwrap_or(0),
    }
}

/// A byte of a set; an escaped one has no special meaning.
#[derive(Clone, Copy, Debug)]
struct Letter {
    byte: u8,
    escaped: bool,
}

impl Letter {
    fn is(self, special: char) -> bool {
        !self.escaped && char::from(self.byte) == special
    }
}

fn unescape(text: &[u8], warnings: &mut Vec<String>) -> Vec<Letter> {
    let mut letters = Vec::new();
    let mut rest = text;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'\\' {
            letters.push(Letter { byte, escaped: false });
            continue;
        }
        let Some((&escape, tail)) = rest.split_first() else {
            warnings.push("warning: an unescaped backslash at end of string is not portable".into());
            letters.push(Letter { byte, escaped: false });
            break;
        };
        let byte = match escape {
            b'0'..=b'7' => {
                let (byte, used) = octal(rest, warnings);
                rest = rest.get(used..).unwrap_or(&[]);
                letters.push(Letter { byte, escaped: true });
                continue;
            }
            _ => match Escapes::TR.read(rest) {
                (Escape::Byte(byte), _) => byte,
                _ => escape,
            },
        };
        rest = tail;
        letters.push(Letter { byte, escaped: true });
    }
    letters
}

/// One to three octal digits that fit a byte, and how many they are.
fn octal(text: &[u8], warnings: &mut Vec<String>) -> (u8, usize) {
    let (mut value, mut used) = (0_u32, 0);
    for &digit in text.iter().take(3).take_while(|digit| matches!(digit, b'0'..=b'7')) {
        let next = value * 8 + u32::from(digit - b'0');
        if next > 255 {
            let shown: String = text.iter().take(3).map(|byte| char::from(*byte)).collect();
            let (two, third) = (shown.get(..2).unwrap_or(""), shown.get(2..).unwrap_or(""));
            warnings.push(format!(
                "warning: the ambiguous octal escape \\{shown} is being\n\tinterpreted as the 2-byte sequence \\0{two}, {third}"
            ));
            break;
        }
        value = next;
        used += 1;
    }
    (value as u8, used)
}

type Found = Option<(Element, usize)>;

/// The construct that begins with the bracket at `at`, and where it ends. `closing` keeps where the next `:]` and `=]` were
/// found, so that the text is searched only once.
fn bracket(letters: &[Letter], at: usize, closing: &mut [usize; 2]) -> Result<Found, UtilityError> {
    let Some(kind) = letters.get(at + 1) else { return Ok(None) };
    for ((special, next), is_class) in [':', '='].into_iter().zip(closing).zip([true, false]) {
        if !kind.is(special) {
            continue;
        }
        let start = at + 2;
        if *next < start {
            let closes =
                |pair: &[Letter]| matches!(pair, [first, second] if first.is(special) && second.is(']'));
            let found = letters.get(start..).unwrap_or(&[]).windows(2).position(closes);
            *next = found.map_or(usize::MAX, |found| start + found);
        }
        if *next == usize::MAX {
            continue;
        }
        if letters.get(start).is_some_and(|letter| letter.is('*'))
            && let Ok(Some(found)) = repeat(letters, at)
        {
            // `[:*3]` and `[=*]` are repeats of a colon and an equals sign.
            return Ok(Some(found));
        }
        let name: Vec<u8> =
            letters.get(start..*next).unwrap_or(&[]).iter().map(|letter| letter.byte).collect();
        return named(&name, is_class).map(|element| Some((element, *next + 2)));
    }
    repeat(letters, at)
}

fn named(name: &[u8], is_class: bool) -> Result<Element, UtilityError> {
    match (is_class, name) {
        (true, []) => Err(UtilityError::failed("missing character class name '[::]'")),
        (false, []) => Err(UtilityError::failed("missing equivalence class character '[==]'")),
        (true, _) => Class::named(name)
            .map(Element::Class)
            .ok_or_else(|| UtilityError::failed(format!("invalid character class {}", quote(name)))),
        (false, [byte]) => Ok(Element::Equivalence(*byte)),
        (false, _) => Err(UtilityError::failed(format!(
            "{}: equivalence class operand must be a single character",
            bstr::BStr::new(name)
        ))),
    }
}

/// `[c*]` or `[c*n]`; n is octal when it begins with 0, and 0 is the same as none.
fn repeat(letters: &[Letter], at: usize) -> Result<Found, UtilityError> {
    let (Some(byte), Some(star)) = (letters.get(at + 1), letters.get(at + 2)) else { return Ok(None) };
    if !star.is('*') {
        return Ok(None);
    }
    let body = letters.get(at + 3..).unwrap_or(&[]);
    // A count of more than 64 digits is none: the search stays short.
    let Some(length) = body.iter().take(64).position(|letter| letter.is(']')) else { return Ok(None) };
    let digits: String = body.iter().take(length).map(|letter| char::from(letter.byte)).collect();
    let radix = if digits.starts_with('0') { 8 } else { 10 };
    let count = if digits.is_empty() {
        0
    } else if digits.starts_with('+') {
        return Err(invalid_repeat(&digits));
    } else {
        u64::from_str_radix(&digits, radix).map_err(|_| invalid_repeat(&digits))?
    };
    let element = Element::Repeat(byte.byte, (count > 0).then_some(count));
    Ok(Some((element, at + 3 + length + 1)))
}

fn invalid_repeat(digits: &str) -> UtilityError {
    UtilityError::failed(format!("invalid repeat count {} in [c*n] construct", quote(digits.as_bytes())))
}

/// A byte as messages show it.
fn printable(byte: u8) -> String {
    if matches!(byte, 0x20..0x7f) { char::from(byte).to_metered_string() } else { format!("\\{byte:03o}") }
}
