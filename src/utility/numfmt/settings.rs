//! What the options of `numfmt` say.

use super::super::format::count::{parse_count, parse_digits};
use super::super::format::keyword::keyword;
use super::Opt;
use crate::memory::{JoinMetered, String, ToMetered, Vec, format};
use crate::utility::prelude::*;

/// How numbers are scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    None,
    /// `1K` is 1000, `1Ki` 1024.
    Auto,
    Si,
    Iec,
    /// With an `i` after the letter.
    IecI,
}

impl Scale {
    pub(super) const fn base(self) -> u32 {
        if matches!(self, Self::Iec | Self::IecI) { 1024 } else { 1000 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Round {
    Up,
    Down,
    FromZero,
    TowardsZero,
    Nearest,
}

/// What happens to a number that cannot be converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Invalid {
    Abort,
    Fail,
    Warn,
    Ignore,
}

/// `--format`
#[derive(Clone, Debug, Default)]
pub(super) struct Format {
    pub(super) prefix: Vec<u8>,
    pub(super) suffix: Vec<u8>,
    pub(super) precision: Option<usize>,
    pub(super) zero_width: usize,
    /// The width, and whether it aligns left.
    padding: Option<(usize, bool)>,
    groups: bool,
}

#[derive(Clone, Debug)]
pub(super) struct NumfmtOptions {
    pub(super) from: Scale,
    pub(super) to: Scale,
    pub(super) from_unit: u64,
    pub(super) to_unit: u64,
    pub(super) round: Round,
    pub(super) invalid: Invalid,
    pub(super) format: Format,
    pub(super) padding: Option<(usize, bool)>,
    pub(super) suffix: Text,
    pub(super) delimiter: Option<u8>,
    pub(super) header: u64,
    pub(super) debug: bool,
    pub(super) zero_terminated: bool,
    fields: Vec<(u64, u64)>,
    pub(super) warnings: Vec<&'static str>,
}

fn fail<T>(message: String) -> Result<T, UtilityError> {
    Err(UtilityError::failed(message))
}

const TO: [(&[&str], Scale); 4] =
    [(&["none"], Scale::None), (&["si"], Scale::Si), (&["iec"], Scale::Iec), (&["iec-i"], Scale::IecI)];
const FROM: [(&[&str], Scale); 5] = [
    (&["none"], Scale::None),
    (&["auto"], Scale::Auto),
    (&["si"], Scale::Si),
    (&["iec"], Scale::Iec),
    (&["iec-i"], Scale::IecI),
];
const ROUND: [(&[&str], Round); 5] = [
    (&["up"], Round::Up),
    (&["down"], Round::Down),
    (&["from-zero"], Round::FromZero),
    (&["towards-zero"], Round::TowardsZero),
    (&["nearest"], Round::Nearest),
];
const INVALID: [(&[&str], Invalid); 4] = [
    (&["abort"], Invalid::Abort),
    (&["fail"], Invalid::Fail),
    (&["warn"], Invalid::Warn),
    (&["ignore"], Invalid::Ignore),
];

impl NumfmtOptions {
    pub(super) fn of(options: &Options<Opt>) -> Result<Self, UtilityError> {
        let mut settings = Self {
            from: Scale::None,
            to: Scale::None,
            from_unit: 1,
            to_unit: 1,
            round: Round::FromZero,
            invalid: Invalid::Abort,
            format: Format::default(),
            padding: None,
            suffix: options.value(Opt::Suffix).cloned().unwrap_or_default(),
            delimiter: None,
            header: 0,
            debug: options.has(Opt::Debug),
            zero_terminated: options.has(Opt::ZeroTerminated),
            fields: Vec::new(),
            warnings: Vec::new(),
        };
        for (option, argument) in options.given() {
            settings.take(option, argument)?;
        }
        let groups = options.has(Opt::Grouping);
        if groups && options.has(Opt::Format) {
            return fail("--grouping cannot be combined with --format".into());
        }
        let is_plain =
            settings.from == Scale::None && settings.to == Scale::None && settings.padding.is_none();
        if settings.debug && is_plain && !groups && !options.has(Opt::Format) {
            settings.warnings.push("no conversion option specified");
        }
        if let Some(text) = options.value(Opt::Format) {
            settings.format = parse_format(text)?;
            settings.padding = settings.format.padding.or(settings.padding);
        }
        if groups || settings.format.groups {
            if settings.to != Scale::None {
                return fail("grouping cannot be combined with --to".into());
            }
            if settings.debug {
                settings.warnings.push("grouping has no effect in this locale");
            }
        }
        if settings.fields.is_empty() {
            settings.fields.push((1, 1));
        }
        Ok(settings)
    }

    fn take(&mut self, option: Opt, argument: Option<&Text>) -> Result<(), UtilityError> {
        let text = argument.map(Text::as_bytes).unwrap_or_default();
        match option {
            Opt::From => self.from = keyword("--from", &FROM, text)?,
            Opt::To => self.to = keyword("--to", &TO, text)?,
            Opt::Round => self.round = keyword("--round", &ROUND, text)?,
            Opt::Invalid => self.invalid = keyword("--invalid", &INVALID, text)?,
            Opt::FromUnit => self.from_unit = parse_unit(text)?,
            Opt::ToUnit => self.to_unit = parse_unit(text)?,
            Opt::Field if !self.fields.is_empty() => return fail("multiple field specifications".into()),
            Opt::Field => self.fields = parse_fields(text)?,
            Opt::Padding => {
                let (digits, left) = match text {
                    [b'-', digits @ ..] => (digits, true),
                    digits => (digits, false),
                };
                self.padding = match parse_digits(digits) {
                    Some(width) if width > 0 => Some((usize::try_from(width).unwrap_or(usize::MAX), left)),
                    _ => return fail(format!("invalid padding value {}", quote(text))),
                };
            }
            Opt::Delimiter => match text {
                [] => self.delimiter = Some(0),
                [byte] => self.delimiter = Some(*byte),
                _ => return fail("the delimiter must be a single character".into()),
            },
            Opt::Header => {
                self.header = match argument {
                    None => 1,
                    Some(_) => match parse_digits(text) {
                        Some(count) if count > 0 => count,
                        _ => return fail(format!("invalid header value {}", quote(text))),
                    },
                };
            }
            Opt::Debug | Opt::Format | Opt::Grouping | Opt::Suffix | Opt::ZeroTerminated => {}
        }
        Ok(())
    }

    pub(super) fn has_field(&self, number: u64) -> bool {
        self.fields.iter().any(|(first, last)| (*first..=*last).contains(&number))
    }
}

/// `K` is 1000, `Ki` 1024.
fn parse_unit(text: &[u8]) -> Result<u64, UtilityError> {
    let invalid = || UtilityError::failed(format!("invalid unit size: {}", quote(text)));
    let parsed = match text {
        [number @ .., letter, b'i'] if b"KMGTPEZY".contains(letter) => {
            parse_count(&[number, &[*letter]].concat_metered())
        }
        [.., letter] if b"KMGTPEZY".contains(letter) => parse_count(&[text, b"B"].concat_metered()),
        [.., last] if last.is_ascii_digit() => parse_count(text),
        _ => return Err(invalid()),
    };
    parsed.ok().filter(|size| *size > 0).ok_or_else(invalid)
}

/// `N`, `N-`, `-M`, `N-M` and `-`, with commas or blanks between them.
fn parse_fields(list: &[u8]) -> Result<Vec<(u64, u64)>, UtilityError> {
    let mut fields = Vec::new();
    for item in list.split(|byte| matches!(byte, b',' | b' ' | b'\t')) {
        let invalid = || UtilityError::Usage(format!("invalid field value {}", quote(item)));
        let number = |digits: &[u8]| parse_digits(digits).ok_or_else(invalid);
        let (first, last) = match memchr::memchr(b'-', item) {
            None => {
                let number = number(item)?;
                (number, number)
            }
            Some(dash) => {
                let (first, last) = item.split_at_checked(dash).unwrap_or((item, &[]));
                let last = last.get(1..).unwrap_or(&[]);
                let first = if first.is_empty() { 1 } else { number(first)? };
                (first, if last.is_empty() { u64::MAX } else { number(last)? })
            }
        };
        if first == 0 || last == 0 {
            return Err(UtilityError::Usage("fields are numbered from 1".into()));
        }
        if last < first {
            return Err(UtilityError::Usage("invalid decreasing range".into()));
        }
        fields.push((first, last));
    }
    Ok(fields)
}

/// A number at the front, with its sign, and how long it is.
fn leading_number(text: &[u8]) -> (Option<(bool, u64)>, usize) {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match digits.get(..count).and_then(parse_digits) {
        Some(number) => (Some((is_negative, number)), text.len() - digits.len() + count),
        None => (None, 0),
    }
}

fn parse_format(text: &[u8]) -> Result<Format, UtilityError> {
    let shown = || quote(text);
    let wrong = |what: String| Err(UtilityError::failed(what));
    let mut format = Format::default();
    // The length in characters, a doubled percent sign being one: that many bytes are printed.
    let mut length = 0;
    let mut at = 0;
    loop {
        match text.get(at..).unwrap_or(&[]) {
            [] => return wrong(format!("format {} has no % directive", shown())),
            [b'%', b'%', ..] => at += 2,
            [b'%', ..] => break,
            _ => at += 1,
        }
        length += 1;
    }
    format.prefix = text.get(..length).unwrap_or(&[]).to_metered();
    at += 1;
    let mut pads_with_zeros = false;
    loop {
        match text.get(at) {
            Some(b' ') => {}
            Some(b'\'') => format.groups = true,
            Some(b'0') => pads_with_zeros = true,
            _ => break,
        }
        at += 1;
    }
    let rest = text.get(at..).unwrap_or(&[]);
    let (width, length) = leading_number(rest);
    at += length;
    if let Some((is_left, width)) = width.filter(|(_, width)| *width > 0) {
        if width == u64::MAX {
            return wrong(format!("invalid format {} (width overflow)", shown()));
        }
        let width = usize::try_from(width).unwrap_or(usize::MAX);
        if pads_with_zeros && !is_left {
            format.zero_width = width;
        } else {
            format.padding = Some((width, is_left));
        }
    }
    if at >= text.len() {
        return wrong(format!("format {} ends in %", shown()));
    }
    if text.get(at) == Some(&b'.') {
        at += 1;
        let rest = text.get(at..).unwrap_or(&[]);
        let (precision, length) = leading_number(rest);
        let is_wrong = matches!(rest.first(), Some(b'+' | b' ' | b'\t'))
            || precision.is_some_and(|(is_negative, number)| is_negative || number == u64::MAX);
        if is_wrong {
            return wrong(format!("invalid precision in format {}", shown()));
        }
        at += length;
        format.precision =
            Some(precision.map_or(0, |(_, number)| usize::try_from(number).unwrap_or(usize::MAX)));
    }
    if text.get(at) != Some(&b'f') {
        return wrong(format!("invalid format {}, directive must be %[0]['][-][N][.][N]f", shown()));
    }
    let suffix = text.get(at + 1..).unwrap_or(&[]);
    let mut at = 0;
    while let Some(rest) = suffix.get(at..).filter(|rest| !rest.is_empty()) {
        match rest {
            [b'%', b'%', ..] => at += 2,
            [b'%', ..] => return wrong(format!("format {} has too many % directives", shown())),
            _ => at += 1,
        }
    }
    format.suffix = suffix.to_metered();
    Ok(format)
}
