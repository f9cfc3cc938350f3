//! What the options of `split` say.

use super::super::format::count::{CountError, parse_count, parse_digits};
use super::Opt;
use crate::memory::{ToMetered, Vec, format};
use crate::utility::prelude::*;

/// How a number of chunks is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Each an equal part of the bytes.
    Bytes,
    /// The same without cutting lines.
    Lines,
    /// Line by line in turn.
    RoundRobin,
}

/// How the input is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Lines(u64),
    Bytes(u64),
    LineBytes(u64),
    /// `chosen` is the one chunk that is printed.
    Chunks {
        kind: Kind,
        chosen: Option<u64>,
        count: u64,
    },
}

#[derive(Clone, Debug)]
pub(super) struct SplitOptions {
    pub(super) way: Way,
    pub(super) separator: u8,
    pub(super) alphabet: &'static [u8],
    /// The first number, of digits of the alphabet.
    pub(super) start: Option<Vec<u8>>,
    pub(super) suffix_length: usize,
    /// More letters when the suffixes run out.
    pub(super) widens: bool,
    pub(super) additional: Text,
    pub(super) elide_empty: bool,
    pub(super) unbuffered: bool,
    pub(super) verbose: bool,
    pub(super) filter: Option<Text>,
}

const DECIMAL: &[u8] = b"0123456789";
const HEXADECIMAL: &[u8] = b"0123456789abcdef";
/// A longer suffix makes no name that a file can have.
const LONGEST: u64 = 4096;

impl SplitOptions {
    pub(super) fn of(options: &Options<Opt>) -> Result<Self, UtilityError> {
        let mut settings = Self {
            way: Way::Lines(1000),
            separator: b'\n',
            alphabet: b"abcdefghijklmnopqrstuvwxyz",
            start: None,
            suffix_length: 0,
            widens: true,
            additional: options.value(Opt::AdditionalSuffix).cloned().unwrap_or_default(),
            elide_empty: options.has(Opt::ElideEmptyFiles),
            unbuffered: options.has(Opt::Unbuffered),
            verbose: options.has(Opt::Verbose),
            filter: options.value(Opt::Filter).cloned(),
        };
        let mut way: Option<(Opt, Way)> = None;
        let mut separator = None;
        let mut length = 0;
        for (option, argument) in options.given() {
            let text = argument.map(Text::as_bytes).unwrap_or_default();
            match option {
                Opt::Bytes | Opt::Lines | Opt::LineBytes | Opt::Number | Opt::Digits => {
                    if way.is_some_and(|(before, _)| before != Opt::Digits || option != Opt::Digits) {
                        return Err(UtilityError::Usage("cannot split in more than one way".into()));
                    }
                    way = Some((option, parse_way(option, text)?));
                }
                Opt::SuffixLength => {
                    length = parse_digits(text)
                        .ok_or_else(|| CountError::Invalid.about("invalid suffix length", text))?;
                }
                Opt::AdditionalSuffix if text.contains(&b'/') => {
                    let message = format!("invalid suffix {}, contains directory separator", quote(text));
                    return Err(UtilityError::Usage(message));
                }
                Opt::NumericSuffixes => settings.set_alphabet(DECIMAL, "numerical", argument)?,
                Opt::HexSuffixes => settings.set_alphabet(HEXADECIMAL, "hexadecimal", argument)?,
                Opt::Separator => {
                    let next = parse_separator(text)?;
                    if separator.is_some_and(|before| before != next) {
                        return Err(UtilityError::failed("multiple separator characters specified"));
                    }
                    separator = Some(next);
                }
                Opt::AdditionalSuffix
                | Opt::ElideEmptyFiles
                | Opt::Filter
                | Opt::Unbuffered
                | Opt::Verbose => {}
            }
        }
        settings.separator = separator.unwrap_or(b'\n');
        settings.way = way.map_or(settings.way, |(_, way)| way);
        if matches!(settings.way, Way::Chunks { chosen: Some(_), .. }) && settings.filter.is_some() {
            let message = "--filter does not process a chunk extracted to stdout";
            return Err(UtilityError::Usage(message.into()));
        }
        if settings.way == Way::Lines(0) {
            return Err(UtilityError::Usage("invalid number of lines: ‘0’".into()));
        }
        settings.set_length(length)?;
        Ok(settings)
    }

    fn set_alphabet(
        &mut self,
        alphabet: &'static [u8],
        kind: &str,
        start: Option<&Text>,
    ) -> Result<(), UtilityError> {
        self.alphabet = alphabet;
        let Some(start) = start else { return Ok(()) };
        if !start.iter().all(|digit| alphabet.contains(digit)) {
            let message = format!("{}: invalid start value for {kind} suffix", quote(start));
            return Err(UtilityError::Usage(message));
        }
        let zeros = start.iter().take_while(|digit| **digit == b'0').count();
        let kept = zeros.min(start.len().saturating_sub(1));
        self.start = Some(start.get(kept..).unwrap_or(start).to_metered());
        Ok(())
    }

    /// The length of the suffixes: as given, or what the number of files needs.
    fn set_length(&mut self, given: u64) -> Result<(), UtilityError> {
        let mut needed = 0_u64;
        if let Way::Chunks { count, .. } = self.way {
            let first = self.start.as_ref().and_then(|digits| parse_digits(digits));
            let mut last = count.saturating_sub(1);
            last = last.saturating_add(first.filter(|&first| first < count).unwrap_or(0));
            while needed == 0 || last > 0 {
                needed += 1;
                last /= self.alphabet.len() as u64;
            }
        }
        self.widens = needed == 0 && given == 0 && self.start.is_none();
        if given > 0 && given < needed {
            return Err(UtilityError::failed(format!("the suffix length needs to be at least {needed}")));
        }
        let length = if given > 0 { given } else { needed.max(2) };
        self.suffix_length = usize::try_from(length.min(LONGEST)).unwrap_or(2);
        Ok(())
    }

    /// Checked after the operands.
    pub(super) fn check_start(&self) -> Result<(), UtilityError> {
        if self.start.as_ref().is_some_and(|start| start.len() > self.suffix_length) {
            let message = "numerical suffix start value is too large for the suffix length";
            return Err(UtilityError::Usage(message.into()));
        }
        Ok(())
    }
}

fn parse_separator(text: &[u8]) -> Result<u8, UtilityError> {
    match text {
        [] => Err(UtilityError::failed("empty record separator")),
        [byte] => Ok(*byte),
        b"\\0" => Ok(0),
        _ => Err(UtilityError::failed(format!("multi-character separator {}", quote(text)))),
    }
}

fn parse_way(option: Opt, text: &[u8]) -> Result<Way, UtilityError> {
    match option {
        Opt::Bytes => Ok(Way::Bytes(sized(text)?)),
        Opt::LineBytes => Ok(Way::LineBytes(sized(text)?)),
        Opt::Lines => Ok(Way::Lines(counted("invalid number of lines", text)?)),
        Opt::Digits => Ok(Way::Lines(parse_digits(text).unwrap_or(0))),
        _ => parse_chunks(text),
    }
}

fn parse_chunks(text: &[u8]) -> Result<Way, UtilityError> {
    let text = text.trim_ascii_start();
    let (kind, text) = match text {
        [b'r', b'/', rest @ ..] => (Kind::RoundRobin, rest),
        [b'l', b'/', rest @ ..] => (Kind::Lines, rest),
        _ => (Kind::Bytes, text),
    };
    let (chosen, count) = match memchr::memchr(b'/', text) {
        Some(slash) => (text.get(..slash), text.get(slash + 1..).unwrap_or(&[])),
        None => (None, text),
    };
    let count = counted("invalid number of chunks", count)?;
    let chosen = match chosen.filter(|text| !text.is_empty()) {
        Some(text) => {
            let what = "invalid chunk number";
            let number = digits(text).map_err(|error| error.about(what, text))?;
            Some(number)
                .filter(|number| (1..=count).contains(number))
                .ok_or_else(|| out_of_range(what, text))?
                .into()
        }
        None => None,
    };
    Ok(Way::Chunks { kind, chosen, count })
}

fn sized(text: &[u8]) -> Result<u64, UtilityError> {
    let what = "invalid number of bytes";
    let size = parse_count(text).map_err(|error| error.about(what, text))?;
    if size == 0 { Err(out_of_range(what, text)) } else { Ok(size) }
}

fn counted(what: &str, text: &[u8]) -> Result<u64, UtilityError> {
    let count = digits(text).map_err(|error| error.about(what, text))?;
    if count == 0 { Err(out_of_range(what, text)) } else { Ok(count) }
}

fn digits(text: &[u8]) -> Result<u64, CountError> {
    match parse_digits(text) {
        None => Err(CountError::Invalid),
        Some(u64::MAX) => Err(CountError::TooLarge),
        Some(number) => Ok(number),
    }
}

fn out_of_range(what: &str, text: &[u8]) -> UtilityError {
    UtilityError::failed(format!("{what}: {}: Numerical result out of range", quote(text)))
}
